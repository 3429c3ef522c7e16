package fwopt_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/fwtest/small"
)

// spread is f_i(w) = ½ Σ_j h_ij (w_j − 1/d)² on the unit simplex of dimension d,
// with h_ij in {0, 2} and mean 1: L = 2, α = 1, μ = 2, D = √2, w* = (1/d, …, 1/d),
// f* = 0 and ∇f(w*) = 0. On the simplex ‖w−w*‖ ≤ 1, so G = 2.
func spread(d, n int, seed uint64) (*lsqDiag, hull) {
	f := &lsqDiag{d: d}
	r := rand.New(rand.NewPCG(seed, 4))
	for range n / 2 { // in pairs, so that the mean is exactly 1
		h, c := make([]float64, d), make([]float64, d)
		for j := range h {
			h[j] = float64(2 * r.IntN(2))
			c[j] = 2 - h[j]
		}
		f.h = append(f.h, h, c)
	}
	hu := hull{asked: new(int)}
	for j := range d {
		v := make([]float64, d)
		v[j] = 1
		hu.points = append(hu.points, v)
	}
	return f, hu
}

type lsqDiag struct {
	d int
	h [][]float64
}

func (f *lsqDiag) Dim() int { return f.d }
func (f *lsqDiag) Len() int { return len(f.h) }
func (f *lsqDiag) Value(w []float64) (s float64) {
	for _, x := range w {
		s += (x - 1/float64(f.d)) * (x - 1/float64(f.d)) / 2
	}
	return s
}
func (f *lsqDiag) Grad(dst, w []float64, b fwopt.Batch) {
	clear(dst)
	for i, weight := range b.All(len(f.h)) {
		for j, x := range w {
			dst[j] += weight * f.h[i][j] * (x - 1/float64(f.d))
		}
	}
}
func (f *lsqDiag) LineSearch(w, v []float64) float64 {
	c := make([]float64, f.d)
	for j := range c {
		c[j] = 1 / float64(f.d)
	}
	d := sub(v, w)
	if dot(d, d) == 0 {
		return 0
	}
	return max(0, min(1, dot(sub(c, w), d)/dot(d, d)))
}

// Constants that no problem has are named.
func TestBoundAwayPanics(t *testing.T) {
	for _, c := range [][4]float64{{1, 1, 0, 1}, {1, 1, 2, 1}, {1, 1, 1, 0}, {1, 1, 1, 2}, {1, 1, math.NaN(), 1}} {
		if got := small.Panics(func() { fwopt.Constants{L: c[0], D: c[1], Alpha: c[2], Width: c[3]}.BoundAway(5) }); !strings.HasPrefix(got, "fwopt: Constants.") {
			t.Errorf("%g: panic %q", c, got)
		}
	}
}

// The projected baselines and FISTA reach the optimum: on least squares over
// the simplex they agree with Frank-Wolfe's duality gap.
func TestProjectedMethodsReachTheOptimum(t *testing.T) {
	f, omega := small.Problem()
	best := math.Inf(1)
	for _, m := range []struct {
		m   fwopt.Method
		tol float64
		n   int
	}{
		{&fwmore.FISTA{L: 1}, 1e-10, 400},
		{fwopt.SVRGExperiments(0.05), 1e-6, 4000},
		{fwopt.SGDExperiments(0.05), 1e-2, 4000},
		{&fwopt.FW{Rule: fwopt.LineSearch{}}, 1e-2, 4000},
	} {
		o := fwopt.NewOracle(f, omega, 1)
		n := 0
		for s := range m.m.Steps(o, o.Start()) {
			if n++; n < m.n {
				continue
			}
			gap, slack := fwopt.DualityGap(f, omega, s.X)
			if m.n == 400 {
				best = f.Value(s.X)
			}
			t.Logf("%v: f − f* = %.2g, duality gap %.2g", m.m, f.Value(s.X)-best, gap)
			if gap+slack < -1e-12 || f.Value(s.X)-best > m.tol || m.n == 400 && gap > m.tol || f.Value(s.X) < best-1e-9 {
				t.Errorf("%v: f − f* = %g, duality gap %g", m.m, f.Value(s.X)-best, gap)
			}
			break
		}
	}
}

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
