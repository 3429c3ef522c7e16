package fwmore_test

import (
	"math"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
)

// FISTA keeps the bound 2·2L‖w_0−w*‖²/(k+1)² (Beck & Teboulle, Theorem 4.4, with
// the 2 of backtracking) where gradient steps without momentum do not.
func TestFISTABound(t *testing.T) {
	const d = 60
	h, c := make([]float64, d), make([]float64, d)
	for j := range d {
		h[j] = math.Pow(2, -float64(j)/3)
		c[j] = 1
	}
	f := fwsum.NewQuadratic(d, h, c)
	omega := fwset.L2Ball{D: d, R: 100}
	o := fwopt.NewOracle(f, omega, 1)
	w0 := make([]float64, d)
	for s := range (&fwmore.FISTA{L: 0.9}).Steps(o, w0) {
		bound := 2 * 2 * 0.9 * d / float64((s.K+1)*(s.K+1))
		if gap := f.Value(s.X); gap > bound {
			t.Fatalf("k = %d: f − f* = %g, bound %g", s.K, gap, bound)
		}
		if s.K == 1000 {
			break
		}
	}
}

// By its restarts it converges linearly where f is strongly convex, which momentum alone does not.
func TestFISTARestarts(t *testing.T) {
	h, c := []float64{1, 0.1, 0.01}, []float64{1, 1, 1}
	f, m := fwsum.NewQuadratic(3, h, c), &fwmore.FISTA{L: 1}
	for s := range m.Steps(fwopt.NewOracle(f, fwset.L2Ball{D: 3, R: 100}, 1), make([]float64, 3)) {
		if s.K == 500 {
			break
		}
	}
	if gap := f.Excess(m.X); gap > 1e-25 {
		t.Errorf("%v: f − f* = %g after 500 steps", m, gap)
	}
}
