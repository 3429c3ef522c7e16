package fwopt_test

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/stat/distuv"
)

// Lemma 1's estimator is unbiased, and so is the mean of m samples: by writing
// out all n^m batches.
func TestUnbiasedByEnumeration(t *testing.T) {
	f, h := instance(3, 4, 3, 2)
	w, w0 := h.points[0], h.points[1]
	want, at0 := f.gradAll(w), f.gradAll(w0)
	for m := 1; m <= 4; m++ {
		plain, reduced := make([]float64, 3), make([]float64, 3)
		g, gw0 := make([]float64, 3), make([]float64, 3)
		total := 1
		for range m {
			total *= 4
		}
		for code := range total {
			b := fwopt.Batch{}
			for c, j := code, 0; j < m; c, j = c/4, j+1 {
				b.Index, b.Weight = append(b.Index, c%4), append(b.Weight, 1/float64(m))
			}
			f.Grad(g, w, b)
			f.Grad(gw0, w0, b)
			plain = comb(1, plain, 1/float64(total), g)
			reduced = comb(1, reduced, 1/float64(total), sub(g, sub(gw0, at0)))
		}
		if e := norm(sub(plain, want)); e > 1e-13 {
			t.Errorf("m = %d: the mean of ∇f_i is %g off", m, e)
		}
		if e := norm(sub(reduced, want)); e > 1e-13 {
			t.Errorf("m = %d: the mean of ∇̃f is %g off", m, e)
		}
	}
}

// Sample follows the law of m independent uniform indices, drawn one by one
// (m < n) and as multinomial counts (m ≥ n): every outcome against its exact
// probability, by χ².
func TestSampleLaw(t *testing.T) {
	for _, c := range []struct{ n, m int }{{5, 1}, {3, 2}, {4, 3}, {1, 3}, {2, 2}, {3, 3}, {3, 4}, {2, 9}, {4, 5}} {
		f, h := instance(1, c.n, 2, 2)
		o := fwopt.NewOracle(f, h, 11)
		exact := map[string]float64{}
		outcomes := int(math.Pow(float64(c.n), float64(c.m)))
		for code := range outcomes {
			count := make([]int, c.n)
			for x, j := code, 0; j < c.m; x, j = x/c.n, j+1 {
				count[x%c.n]++
			}
			exact[fmt.Sprint(count)] += 1 / float64(outcomes)
		}
		const draws = 100000
		seen := map[string]int{}
		for range draws {
			seen[fmt.Sprint(counts(t, o.Sample(c.m), c.n, c.m))]++
		}
		chi2 := 0.
		for k, p := range exact {
			chi2 += math.Pow(float64(seen[k])-draws*p, 2) / (draws * p)
			delete(seen, k)
		}
		if len(seen) > 0 {
			t.Errorf("n %d, m %d: impossible outcomes %v", c.n, c.m, seen)
		}
		if len(exact) > 1 {
			if p := 1 - (distuv.ChiSquared{K: float64(len(exact) - 1)}).CDF(chi2); p < 1e-5 {
				t.Errorf("n %d, m %d: χ² %.1f over %d outcomes, probability %.1g", c.n, c.m, chi2, len(exact), p)
			}
		}
	}
}

// A large batch costs O(n) and keeps its moments.
func TestSampleLarge(t *testing.T) {
	f, h := instance(1, 10, 2, 2)
	o := fwopt.NewOracle(f, h, 1)
	const m, draws = 1_000_000_000_000, 2000
	mean, second := 0., 0.
	for range draws {
		b := o.Sample(m)
		sum := 0.
		for _, w := range b.Weight {
			sum += w
		}
		if len(b.Index) > 10 || math.Abs(sum-1) > 1e-12 {
			t.Fatalf("%d terms of total weight %g", len(b.Index), sum)
		}
		x := (b.Weight[3]*m - m/10) / math.Sqrt(m*0.09) // standard normal in the limit
		mean += x / draws
		second += x * x / draws
	}
	if math.Abs(mean) > 5/math.Sqrt(draws) || math.Abs(second-1) > 5*math.Sqrt(2./draws) {
		t.Errorf("standardised count: mean %g, second moment %g", mean, second)
	}
}

// drawer is an lsq that draws its own batches: the term m mod 2, with weight 1.
type drawer struct {
	*lsq
	asked []int
}

func (f *drawer) SampleBatch(b *fwopt.Batch, m int, rng *rand.Rand) {
	f.asked = append(f.asked, m)
	b.Index, b.Weight = append(b.Index[:0], m%2), append(b.Weight[:0], 1)
	rng.Uint64()
}

// A Sampler's batches are used as they are, and counted like any others.
func TestSampler(t *testing.T) {
	f, h := instance(1, 4, 3, 2)
	s := &drawer{lsq: f}
	o := fwopt.NewOracle(s, h, 1)
	before := o.RNG
	w, w0, g := h.points[0], h.points[1], make([]float64, 3)
	o.StochasticGrad(g, w, 7)
	if e := norm(sub(g, f.gradTerm(1, w))); e > 0 {
		t.Errorf("StochasticGrad is %g off the batch of the Sampler", e)
	}
	g0 := f.gradAll(w0)
	o.VRGrad(g, w, w0, g0, 1000)
	if e := norm(sub(g, sub(f.gradTerm(0, w), sub(f.gradTerm(0, w0), g0)))); e > 1e-15 {
		t.Errorf("VRGrad is %g off the batch of the Sampler", e)
	}
	if want := (fwopt.Calls{Stochastic: 2007}); o.Calls != want || !slices.Equal(s.asked, []int{7, 1000}) {
		t.Errorf("calls %+v, want %+v; batches of %d", o.Calls, want, s.asked)
	}
	if o.RNG == before {
		t.Error("the Sampler was not handed the oracle's numbers")
	}
	defer func() {
		if recover() == nil {
			t.Error("a batch of no samples was left to the Sampler")
		}
	}()
	o.Sample(0)
}

// The accounts of the theorems' schedules, against the closed forms.
func TestAccountsClosedForm(t *testing.T) {
	f, h := instance(2, 40, 5, 12)
	D := h.Diameter()
	const L, G = 7.0, 11.0
	run := func(m fwopt.Method, steps int) fwopt.Calls {
		o := fwopt.NewOracle(f, h, 1)
		w0 := o.Start() // counts one exact gradient and one linear optimisation
		n := 0
		for range m.Steps(o, w0) {
			if n++; n == steps {
				break
			}
		}
		return o.Calls
	}
	if got, want := run(fwopt.SVRFTheorem1(), 14+30+62), (fwopt.Calls{Exact: 4, Stochastic: 504768, Linear: 107}); got != want {
		t.Errorf("SVRF, T = 3: %+v, want %+v", got, want)
	}
	*h.asked = 0
	got := run(fwopt.STORCTheorem2a(fwopt.Constants{L: L, D: D}), 6+8+12)
	asked := *h.asked - 1 // one for the arbitrary x of Start
	if want := (fwopt.Calls{Exact: 4, Stochastic: 2 * 900 * (36 + 64 + 144), Linear: asked}); got != want {
		t.Errorf("STORC a, T = 3: %+v, want %+v", got, want)
	}
	*h.asked = 0
	got = run(fwopt.STORCTheorem2c(fwopt.Constants{L: L, D: D, Alpha: 0.7}), 18+18) // μ = 10, N = ⌈√320⌉ = 18
	if want := (fwopt.Calls{Exact: 3, Stochastic: 2 * 36 * 5600 * 18 * 10, Linear: *h.asked - 1}); got != want {
		t.Errorf("STORC c, T = 2: %+v, want %+v", got, want)
	}
	if got, want := run(fwopt.SFWExperiments(), 10), (fwopt.Calls{Exact: 1, Stochastic: 385, Linear: 11}); got != want {
		t.Errorf("SFW, 10 steps: %+v, want %+v", got, want)
	}
	if got := run(fwopt.SCGSExperiments(fwopt.Constants{L: L, D: D}), 10); got.Exact != 1 || got.Stochastic != 3025 || got.Linear < 11 {
		t.Errorf("SCGS, 10 steps: %+v", got)
	}
	if got, want := run(&fwopt.FW{}, 10), (fwopt.Calls{Exact: 11, Linear: 11}); got != want {
		t.Errorf("FW, 10 steps: %+v, want %+v", got, want)
	}
	if got, want := run(fwmore.OnlineFWSmooth(), 100), (fwopt.Calls{Exact: 1, Stochastic: 5050, Linear: 101}); got != want {
		t.Errorf("Online-FW, 100 rounds: %+v, want %+v", got, want)
	}
	if got, want := run(fwmore.OnlineFWLipschitz(fwopt.Constants{D: D, G: G}), 100), (fwopt.Calls{Exact: 1, Stochastic: 100, Linear: 101}); got != want {
		t.Errorf("Online-FW, linearised, 100 rounds: %+v, want %+v", got, want)
	}
	*h.asked = 0
	got = run(fwopt.SCGSStronglyConvex(fwopt.Constants{L: 4, D: 3, Alpha: 2, Sigma: 8}), 8+8+8) // μ = 2, N = 8, D_t² = 18, 9, 4.5, m = ⌈32(k+1)²/D_t²⌉
	if want := (fwopt.Calls{Exact: 1, Stochastic: 508 + 1012 + 2022, Linear: *h.asked - 1}); got != want {
		t.Errorf("SCGS, strongly convex, T = 3: %+v, want %+v", got, want)
	}
	// from a w_0 of the caller the stochastic methods ask for no exact gradient
	o := fwopt.NewOracle(f, h, 1)
	for s := range fwopt.SCGSExperiments(fwopt.Constants{L: L, D: D}).Steps(o, h.points[0]) {
		if s.K == 5 {
			break
		}
	}
	if o.Calls.Exact != 0 {
		t.Errorf("SCGS asked for %d exact gradients", o.Calls.Exact)
	}
}

// GradOf is the gradient at the batch it is given, and counts what it is told to.
func TestGradOf(t *testing.T) {
	f, h := instance(2, 40, 5, 12)
	o := fwopt.NewOracle(f, h, 1)
	w, g := h.points[0], make([]float64, 5)
	o.GradOf(g, w, fwopt.Batch{Index: []int{3, 7}, Weight: []float64{0.25, 0.75}}, 4)
	if want := comb(0.25, f.gradTerm(3, w), 0.75, f.gradTerm(7, w)); norm(sub(g, want)) > 1e-14 {
		t.Errorf("GradOf = %v, want %v", g, want)
	}
	o.GradOf(g, w, fwopt.Batch{Index: []int{3}, Weight: []float64{1}}, 1000)
	if want := (fwopt.Calls{Stochastic: 1004}); o.Calls != want {
		t.Errorf("%+v, want %+v", o.Calls, want)
	}
}

// At k = 1 the point is the snapshot, so the estimator has no variance.
func TestVRGradAtTheSnapshot(t *testing.T) {
	f, h := instance(2, 40, 5, 12)
	o := fwopt.NewOracle(f, h, 1)
	w := h.points[0]
	g0, g := f.gradAll(w), make([]float64, 5)
	o.VRGrad(g, w, w, g0, 3)
	for j := range g {
		if g[j] != g0[j] {
			t.Fatalf("∇̃f(w; w) = %v, ∇f(w) = %v", g, g0)
		}
	}
}

// What a method allocates in a step does not grow with n, d or the steps.
func TestStepsDoNotAllocate(t *testing.T) {
	for _, size := range []struct{ n, d int }{{30, 8}, {4000, 3000}} {
		f := fwsum.NewLeastSquares(small.Rows(size.n, size.d), make([]float64, size.n))
		omega := fwset.Simplex{D: size.d, R: 1}
		for name, m := range small.Methods() {
			o := fwopt.NewOracle(f, omega, 1)
			next, stop := iter.Pull(m.Steps(o, o.Start()))
			for range 110 { // past the start, and batches of all sizes up to n
				next()
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range 20 {
				next()
			}
			runtime.ReadMemStats(&after)
			if b := (after.TotalAlloc - before.TotalAlloc) / 20; b > 4000 {
				t.Errorf("n %d, d %d: %s allocates %d bytes a step", size.n, size.d, name, b)
			}
			stop()
		}
	}
}

func TestOraclePanics(t *testing.T) {
	f, h := instance(1, 4, 3, 2)
	_, other := instance(1, 4, 2, 2)
	x := make([]float64, 3)
	first := func(m fwopt.Method) { // one step
		fwopt.Run(context.Background(), fwopt.NewOracle(f, h, 1), m, fwopt.Budget{Steps: 1})
	}
	for name, c := range map[string]struct {
		call func()
		want string
	}{
		"f nil":          {func() { fwopt.NewOracle(nil, h, 1) }, "one is nil"},
		"Ω nil":          {func() { fwopt.NewOracle(f, nil, 1) }, "one is nil"},
		"method nil":     {func() { first(nil) }, "needs a method"},
		"oracle nil":     {func() { fwopt.Run(context.Background(), nil, &fwopt.FW{}, fwopt.Budget{Steps: 1}) }, "made by NewOracle"},
		"dimensions":     {func() { fwopt.NewOracle(f, other, 1) }, "dimension 3 and Ω has dimension 2"},
		"no projection":  {func() { fwopt.NewOracle(f, h, 1).Project(x, x) }, "has no Project"},
		"no local":       {func() { fwopt.NewOracle(f, h, 1).ArgminLocal(x, x, x, 1) }, "has no ArgminLocal"},
		"no line search": {func() { fwopt.NewOracle(f, h, 1).LineSearch(x, x) }, "has no line search"},
		"empty batch":    {func() { fwopt.NewOracle(f, h, 1).Sample(0) }, "a batch of 0 samples"},
		"oracle used": {func() {
			o := fwopt.NewOracle(f, h, 1)
			for range 2 {
				fwopt.Run(context.Background(), o, &fwopt.FW{}, fwopt.Budget{Steps: 1})
			}
		}, "this Oracle has served a run"},
		"no NewOracle":   {func() { (&fwopt.Oracle{F: f, Omega: h}).Sample(1) }, "made by NewOracle"},
		"lengths":        {func() { fwopt.Lerp(x, 0.5, x[:2]) }, "different lengths"},
		"step":           {func() { fwopt.Lerp(x, 1.5, x) }, "γ = 1.5"},
		"no step":        {func() { fwopt.Lerp(x, math.NaN(), x) }, "γ = NaN"},
		"safe step":      {func() { first(&fwopt.FW{Rule: fwopt.Short{L: -1}}) }, "L = -1"},
		"safe away step": {func() { first(&fwmore.AwayFW{Rule: fwopt.Short{L: -1}}) }, "L = -1"},
		"beta": {func() {
			a := fwopt.STORCTheorem2a(fwopt.Constants{L: 1, D: 1})
			a.Beta = func(int) float64 { return -1 }
			first(a)
		}, "β = -1"},
		"eta": {func() {
			a := fwopt.SCGSConvex(fwopt.Constants{L: 1, D: 1, Sigma: 1})
			a.Eta = func(int) float64 { return -1 }
			first(a)
		}, "η = -1"},
		"eta NaN": {func() {
			a := fwopt.SCGSConvex(fwopt.Constants{L: 1, D: 1, Sigma: 1})
			a.Eta = func(int) float64 { return math.NaN() }
			first(a)
		}, "η = NaN"},
		"samples": {func() { a := fwopt.SVRFTheorem1(); a.M = func(_, _ int) int { return 0 }; first(a) }, "a batch of 0 samples"},
		"length":  {func() { a := fwopt.SVRFTheorem1(); a.N = func(int) int { return 0 }; first(a) }, "N_1 = 0"},
		"radius":  {func() { fwset.Simplex{D: 3, R: 1}.ArgminLocal(x, x, x, math.NaN()) }, "radius of NaN"},
		"c":       {func() { fwopt.SGDExperiments(0) }, "c = 0"},
	} {
		func() {
			defer func() {
				r := fmt.Sprint(recover())
				if !strings.HasPrefix(r, "fwopt: ") && !strings.HasPrefix(r, "fwset: ") && !strings.HasPrefix(r, "fwmore: ") || !strings.Contains(r, c.want) {
					t.Errorf("%s: panic %q, want %q", name, r, c.want)
				}
			}()
			c.call()
		}()
	}
}

// k³ is a whole number, however large, and stops at 2⁵³.
func TestLargeBatches(t *testing.T) {
	a := fwopt.SCGSExperiments(fwopt.Constants{L: 1, D: 1})
	for _, k := range []int{1, 3, 10_000, 20_000, 100_000, 200_000} {
		if got := a.M(k); got != k*k*k {
			t.Errorf("m_%d = %d, want %d", k, got, k*k*k)
		}
	}
	if got := a.M(300_000); got != 1<<53 {
		t.Errorf("m_300000 = %d, want 2⁵³", got)
	}
}
