//go:build amd64 && !amd64.v3

package lanes

import (
	"math"
	"math/rand/v2"
	"os"
	"strings"
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

func TestExp(t *testing.T) {
	if about, _ := os.ReadFile("/proc/cpuinfo"); !strings.Contains(string(about), " fma") {
		t.Skip("math.Exp has other bits without FMA")
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 1_000_000 {
		x := 10 * rng.NormFloat64()
		if got, want := Exp(x), math.Exp(x); got != want {
			t.Fatalf("exp %v is %v, and math has %v", x, got, want)
		}
	}
	for _, x := range []float64{0, 700, -700, -745, -800, 800, math.Inf(1), math.Inf(-1), -1e300, 709.7,
		-708.5} {
		if got, want := Exp(x), math.Exp(x); got != want {
			t.Errorf("exp %v is %v, and math has %v", x, got, want)
		}
	}
}
