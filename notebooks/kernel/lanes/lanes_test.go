//go:build amd64 && !amd64.v3

package lanes

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

func TestAsGonum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := range 100 {
		x, y := make([]float64, 3*n+2), make([]float64, 3*n+2)
		for i := range x {
			x[i], y[i] = rng.NormFloat64(), rng.NormFloat64()
		}
		dot, sum := floats.Dot(x[:n], y[:n]), floats.Sum(x[:n])
		if got := DotUnitary(x[:n], y[:n]); got != dot {
			t.Errorf("a product of %d: %v, and gonum %v", n, got, dot)
		}
		if got := Sum(x[:n]); got != sum {
			t.Errorf("a sum of %d: %v, and gonum %v", n, got, sum)
		}
		dot = blas64.Dot(blas64.Vector{N: n, Data: x, Inc: 3}, blas64.Vector{N: n, Data: y, Inc: 2})
		if got := DotInc(x, y, uintptr(n), 3, 2, 0, 0); got != dot {
			t.Errorf("a product of %d with gaps: %v, and gonum %v", n, got, dot)
		}
	}
}
