package fwopt_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/fwtest/small"
	"github.com/projection-free/fwlab/fwopt/fwtheory"
	"gonum.org/v1/gonum/floats"
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

// Every theorem's bound holds for the mean over 20 seeds, at every k or at the
// end of every epoch.
func TestBoundsHold(t *testing.T) {
	const L, alpha, G, d, seeds = 2, 1, 2, 24, 20
	D := math.Sqrt2
	atStep := func(bound func(L, D float64, k int) float64) func(t, k int) float64 {
		return func(_, k int) float64 { return bound(L, D, k) }
	}
	atEpoch := func(N func(t int) int) func(t, k int) float64 {
		return func(t, k int) float64 {
			if k < N(t) {
				return math.Inf(1)
			}
			return fwtheory.BoundEpoch(L, D, t)
		}
	}
	linear := func(L float64) func(t, k int) float64 { // f is 1-smooth
		return func(_, k int) float64 { return fwtheory.BoundAway(L, D, alpha, fwset.Simplex{D: d, R: 1}.Width(), k) }
	}
	svrf := fwopt.SVRFTheorem1()
	scgs := fwopt.SCGSStronglyConvex(L, D, alpha, G)
	a, b, c := fwopt.STORCTheorem2a(L, D), fwopt.STORCTheorem2b(L, D, G), fwopt.STORCTheorem2c(L, D, alpha)
	beyond := func() *fwopt.STORC { return fwmore.STORCBeyond(L, D) }
	strong := func() *fwopt.STORC { return fwmore.STORCBeyondStrong(L, D, alpha) }
	for _, m := range []struct {
		name  string
		make  func() fwopt.Method
		bound func(t, k int) float64
		steps int
	}{
		{"FW 2/(k+1)", func() fwopt.Method { return fwopt.FWOpenLoop() }, func(_, k int) float64 { return fwtheory.BoundFW(1, D, k) }, 200},
		{"FW safe", func() fwopt.Method { return fwopt.FWSafe(1) }, func(_, k int) float64 { return fwtheory.BoundFW(1, D, k) }, 200},
		{"FW line search", func() fwopt.Method { return fwopt.FWLineSearch() }, func(_, k int) float64 { return fwtheory.BoundFW(1, D, k) }, 200},
		{"AwayFW", func() fwopt.Method { return fwmore.AwayFWSafe(1) }, linear(1), 300},
		{"blended pairwise", func() fwopt.Method { return fwmore.BlendedPairwiseSafe(1) }, linear(1), 300},
		{"the same, backtracking", func() fwopt.Method { return &fwmore.BlendedPairwise{Rule: &fwmore.Backtracking{}} }, linear(2), 300},
		{"SFW", func() fwopt.Method { return fwopt.SFWTheorem3(L, D, G) }, atStep(fwtheory.BoundSFW), 200},
		{"SCGS", func() fwopt.Method { return fwopt.SCGSConvex(L, D, G) }, atStep(fwtheory.BoundSCGS), 60},
		{"SVRF", func() fwopt.Method { return fwopt.SVRFTheorem1() }, atEpoch(svrf.N), 14 + 30 + 62 + 126},
		{"STORC a", func() fwopt.Method { return fwopt.STORCTheorem2a(L, D) }, atEpoch(a.N), 6 + 8 + 12 + 16 + 23},
		{"STORC b", func() fwopt.Method { return fwopt.STORCTheorem2b(L, D, G) }, atEpoch(b.N), 6 + 8 + 12 + 16 + 23},
		{"STORC c", func() fwopt.Method { return fwopt.STORCTheorem2c(L, D, alpha) }, atEpoch(c.N), 5 * 8},
		{"STORC beyond", func() fwopt.Method { return beyond() }, atEpoch(a.N), 6 + 8 + 12 + 16 + 23},
		{"the same, away", func() fwopt.Method { return away(beyond()) }, atEpoch(a.N), 6 + 8 + 12 + 16 + 23},
		{"STORC beyond, strong", func() fwopt.Method { return strong() }, atEpoch(c.N), 12 * 8},
		{"the same, away", func() fwopt.Method { return away(strong()) }, atEpoch(c.N), 12 * 8},
		{"SCGS strongly convex", func() fwopt.Method { return fwopt.SCGSStronglyConvex(L, D, alpha, G) }, atEpoch(scgs.N), 5 * 8},
		{"Online-FW", func() fwopt.Method { return fwmore.OnlineFWSmooth() }, func(_, k int) float64 { return fwtheory.BoundOnlineFW(L, D, G, d, k) }, 200},
		{"Online-FW linearised", func() fwopt.Method { return fwmore.OnlineFWLipschitz(D, G) }, func(_, k int) float64 { return fwtheory.BoundOnlineFWLinear(D, G, k) }, 400},
	} {
		first := 0.
		ratio := ratios(seeds, m.steps, m.make, m.bound, func(seed uint64) (fwopt.FiniteSum, fwopt.Domain, func(w []float64) float64) {
			f, omega := spread(d, 16, seed)
			first += f.Value(fwopt.NewOracle(f, omega, seed).Start()) / seeds
			return f, omega, f.Value
		})
		worst := slices.Max(ratio)
		t.Logf("%-20s largest gap/bound %.3f", m.name, worst)
		if worst > 1 || worst == 0 {
			t.Errorf("%s: the largest gap/bound is %g", m.name, worst)
		}
		if first > fwtheory.BoundEpoch(L, D, 0) {
			t.Errorf("w_0 has gap %g, above LD²/2", first)
		}
	}
}

// Constants that no problem has are named.
func TestBoundAwayPanics(t *testing.T) {
	for _, c := range [][4]float64{{1, 1, 0, 1}, {1, 1, 2, 1}, {1, 1, 1, 0}, {1, 1, 1, 2}, {1, 1, math.NaN(), 1}} {
		if got := small.Panics(func() { fwtheory.BoundAway(c[0], c[1], c[2], c[3], 5) }); !strings.HasPrefix(got, "fwtheory: alpha = ") {
			t.Errorf("%g: panic %q", c, got)
		}
	}
}

// ratios returns the mean gap over its bound after each step, over the seeds.
func ratios(seeds, steps int, method func() fwopt.Method, bound func(t, k int) float64,
	problem func(seed uint64) (fwopt.FiniteSum, fwopt.Domain, func(w []float64) float64)) []float64 {
	mean, most := make([]float64, steps), make([]float64, steps)
	for seed := range uint64(seeds) {
		f, omega, gap := problem(seed)
		o := fwopt.NewOracle(f, omega, seed)
		n := 0
		for s := range method().Steps(o, o.Start()) {
			mean[n] += gap(s.X) / float64(seeds)
			most[n] = bound(s.T, s.K)
			if n++; n == steps {
				break
			}
		}
	}
	return floats.DivTo(mean, mean, most)
}

// The bounds of the stochastic methods hold where it is the noise that sets the
// rate, for the mean over 20 seeds, and are not idle: with a thousandth of
// the samples that of SCGSStronglyConvex does not hold.
func TestBoundsHoldUnderNoise(t *testing.T) {
	const d, n, scale, seeds = 16, 64, 40, 20
	D, sigma := 2*math.Sqrt(d), scale*math.Sqrt(d)
	strong := func() fwopt.Method { return fwopt.SCGSStronglyConvex(1, D, 1, sigma) }
	few := func() fwopt.Method {
		m := fwopt.SCGSStronglyConvex(1, D, 1, sigma)
		whole := m.M
		m.M = func(t, k int) int { return max(1, whole(t, k)/1000) }
		return m
	}
	f, _ := small.Noisy(d, n, scale, 1)
	G := f.Lipschitz(math.Sqrt(d))
	epochs := func(t, k int) float64 {
		if k < 6 { // N_t = ⌈√32⌉
			return math.Inf(1)
		}
		return fwtheory.BoundEpoch(1, D, t)
	}
	for _, m := range []struct {
		name  string
		make  func() fwopt.Method
		bound func(t, k int) float64
		steps int
		holds bool
	}{
		{"SCGS strongly convex", strong, epochs, 8 * 6, true},
		{"a thousandth of them", few, epochs, 8 * 6, false},
		{"SCGS", func() fwopt.Method { return fwopt.SCGSConvex(1, D, sigma) }, func(_, k int) float64 { return fwtheory.BoundSCGS(1, D, k) }, 30, true},
		{"Online-FW", func() fwopt.Method { return fwmore.OnlineFWSmooth() }, func(_, k int) float64 { return fwtheory.BoundOnlineFW(1, D, G, d, k) }, 1000, true},
		{"Online-FW linearised", func() fwopt.Method { return fwmore.OnlineFWLipschitz(D, G) }, func(_, k int) float64 { return fwtheory.BoundOnlineFWLinear(D, G, k) }, 1000, true},
	} {
		ratio := ratios(seeds, m.steps, m.make, m.bound, func(seed uint64) (fwopt.FiniteSum, fwopt.Domain, func(w []float64) float64) {
			f, omega := small.Noisy(d, n, scale, seed)
			return f, omega, f.Excess
		})
		worst := slices.Max(ratio)
		t.Logf("%-22s largest gap/bound %.4f, at the end %.4f", m.name, worst, ratio[m.steps-1])
		if worst == 0 || (worst <= 1) != m.holds {
			t.Errorf("%s: the largest gap/bound is %g", m.name, worst)
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
		{fwopt.FWLineSearch(), 1e-2, 4000},
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
