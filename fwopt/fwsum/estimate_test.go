package fwsum_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// counted counts the gradients of single terms.
type counted struct {
	fwopt.FiniteSum
	calls *int
}

func (c counted) Grad(dst, w []float64, b fwopt.Batch) {
	*c.calls++
	c.FiniteSum.Grad(dst, w, b)
}

// What is returned is a ratio that was seen: never above L, and where L is attained on Ω
// and few terms hide it, next to it.
func TestEstimateSmoothness(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	d, n := 7, 60
	h, c := make([]float64, n*d), make([]float64, n*d)
	for j := range h {
		h[j], c[j] = r.ExpFloat64(), r.NormFloat64()
	}
	h[3*d+5] = 40 // one entry of one term has it all
	x, labels := small.Data()
	cube := func(d int, R float64) fwopt.Domain { return fwset.L2Ball{D: d, R: R} }
	dense := small.Rows(40, 6)
	y := make([]float64, dense.N)
	for _, q := range []struct {
		name  string
		f     fwopt.FiniteSum
		omega fwopt.Domain
		L     float64
		least float64 // of L, to be found
	}{
		{"quadratic", fwsum.NewQuadratic(d, h, c), fwset.Simplex{D: d, R: 1}, 40, 1 - 1e-5},
		{"quadratic on a ball", fwsum.NewQuadratic(d, h, c), cube(d, 100), 40, 1 - 1e-5},
		{"least squares", fwsum.NewLeastSquares(x, labels), cube(x.M, 1), fwsum.NewLeastSquares(x, labels).Smoothness(), 1 - 1e-5},
		{"binary logistic", fwsum.NewBinaryLogistic(dense, y), cube(dense.M, 1), fwsum.NewBinaryLogistic(dense, y).Smoothness(), 0.9},
		{"huber, all of it bent", fwsum.NewHuber(dense, y, 100), cube(dense.M, 1), fwsum.NewHuber(dense, y, 100).Smoothness(), 1 - 1e-5},
		{"huber with a kink", fwsum.NewHuber(dense, y, 1e-3), cube(dense.M, 5), fwsum.NewHuber(dense, y, 1e-3).Smoothness(), 0.3},
	} {
		for seed := range uint64(5) {
			calls := 0
			got := fwsum.EstimateSmoothness(counted{q.f, &calls}, q.omega, seed)
			if !(got <= q.L*(1+1e-6) && got >= q.least*q.L) {
				t.Errorf("%s, seed %d: %.9g, want between %g and L = %.9g", q.name, seed, got, q.least*q.L, q.L)
			}
			if again := fwsum.EstimateSmoothness(q.f, q.omega, seed); again != got {
				t.Errorf("%s, seed %d: %g and again %g", q.name, seed, got, again)
			}
			if calls > 4100 {
				t.Errorf("%s: %d gradients", q.name, calls)
			}
		}
	}
}

// What it cannot: the one term of very many that bends most.
func TestEstimateSmoothnessMisses(t *testing.T) {
	n := 100_000
	h, c := make([]float64, n), make([]float64, n)
	for i := range h {
		h[i] = 1
	}
	h[77_777] = 1000
	if got := fwsum.EstimateSmoothness(fwsum.NewQuadratic(1, h, c), fwset.Box{Lo: []float64{-1}, Hi: []float64{1}}, 1); math.Abs(got-1) > 1e-6 {
		t.Errorf("%g: its comment says that it would miss this", got)
	}
}
