package fwroad_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/fwtest"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
)

func normals(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// drawn is a batch of k terms of n, some of them twice, with weights of both signs.
func drawn(rng *rand.Rand, n, k int) (b fwopt.Batch) {
	for range k {
		b.Index, b.Weight = append(b.Index, rng.IntN(n)), append(b.Weight, rng.NormFloat64())
	}
	return b
}

// comb is ax + by.
func comb(a float64, x []float64, b float64, y []float64) []float64 {
	z := floats.ScaleTo(make([]float64, len(x)), a, x)
	floats.AddScaled(z, b, y)
	return z
}

func sub(x, y []float64) []float64 { return comb(1, x, -1, y) }

// squares is a random strongly convex least squares of 3d rows.
func squares(d int, seed uint64) *fwsum.LeastSquares {
	r := rand.New(rand.NewPCG(seed, 99))
	x, b := &fwsum.Dense{N: 3 * d, M: d, Val: normals(r, 3*d*d)}, normals(r, 3*d)
	floats.Scale(2, b)
	return fwsum.NewLeastSquares(x, b)
}

// conform runs fwtest.TestDomain on each.
func conform(t *testing.T, domains ...fwset.Domain) {
	t.Helper()
	for _, d := range domains {
		t.Run(fmt.Sprintf("%T %d", d, d.Dim()), func(t *testing.T) { fwtest.TestDomain(t, d) })
	}
}

// panics holds that each call ends in a panic that says this.
func panics(t *testing.T, calls map[string]func()) {
	t.Helper()
	for want, call := range calls {
		if got := small.Panics(call); !strings.HasPrefix(got, "fwroad: ") || !strings.Contains(got, want) {
			t.Errorf("%q, want fwroad: … %q", got, want)
		}
	}
}

// differ holds that no two of the things say the same.
func differ[T any](t *testing.T, all ...T) {
	t.Helper()
	seen := map[uint64]int{}
	for i, x := range all {
		h := ident.New(x, 0).Hash()
		if k, same := seen[h]; same {
			t.Errorf("%T: %d and %d say the same", x, k, i)
		}
		seen[h] = i
	}
}
