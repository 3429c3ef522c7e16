package fwset_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// at returns entries by their rows and columns.
func at(rc ...int) (e []fwset.Entry) {
	for k := 0; k < len(rc); k += 2 {
		e = append(e, fwset.Entry{Row: rc[k], Col: rc[k+1]})
	}
	return e
}

// someEntries returns n entries of an h × m matrix, no two the same, in any order.
func someEntries(rng *rand.Rand, h, m, n int) []fwset.Entry {
	var e []fwset.Entry
	for _, k := range rng.Perm(h * m)[:n] {
		e = append(e, fwset.Entry{Row: k % h, Col: k / h})
	}
	return e
}

// scatter returns the matrix, laid out as TraceNorm does, that holds g at the entries and 0
// elsewhere; sample the way back.
func scatter(h, m int, e []fwset.Entry, g []float64) []float64 {
	x := make([]float64, h*m)
	for k, e := range e {
		x[e.Col*h+e.Row] = g[k]
	}
	return x
}

func sample(h int, e []fwset.Entry, x []float64) []float64 {
	g := make([]float64, len(e))
	for k, e := range e {
		g[k] = x[e.Col*h+e.Row]
	}
	return g
}

// sigmas returns the singular values, by gonum.
func sigmas(h, m int, x []float64) []float64 {
	var svd mat.SVD
	if !svd.Factorize(mat.NewDense(m, h, x), mat.SVDNone) {
		panic("no decomposition")
	}
	return svd.Values(nil)
}

func TestCompletion(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 1))
	conform(t,
		fwset.NewCompletion(1, 1, at(0, 0), 2),
		fwset.NewCompletion(1, 6, someEntries(rng, 1, 6, 4), 2),
		fwset.NewCompletion(6, 1, someEntries(rng, 6, 1, 6), 1e-6),
		fwset.NewCompletion(5, 7, someEntries(rng, 5, 7, 35), 3),
		fwset.NewCompletion(9, 4, someEntries(rng, 9, 4, 17), 1e6),
		fwset.NewCompletion(80, 70, someEntries(rng, 80, 70, 300), 1),
		fwset.NewCompletion(70, 90, someEntries(rng, 70, 90, 3000), 1))
	c, x := fwset.NewCompletion(2, 3, at(0, 1, 1, 1), 1), make([]float64, 2)
	one := at(0, 0)
	panics(t, map[string]func(){
		"a Completion of a 0 x 3 matrix":                              func() { fwset.NewCompletion(0, 3, one, 1) },
		"a Completion of a 2 x -1 matrix":                             func() { fwset.NewCompletion(2, -1, one, 1) },
		"a Completion of dimension 0":                                 func() { fwset.NewCompletion(2, 3, nil, 1) },
		"a Completion with tau = NaN":                                 func() { fwset.NewCompletion(2, 3, one, math.NaN()) },
		"a Completion with tau = 0":                                   func() { fwset.NewCompletion(2, 3, one, 0) },
		"entry 1 of a Completion is in row 2":                         func() { fwset.NewCompletion(2, 3, at(1, 2, 2, 2), 1) },
		"row 1 and column 3 of a 2 x 3 matrix":                        func() { fwset.NewCompletion(2, 3, at(1, 3), 1) },
		"entry 0 of a Completion is in row -1":                        func() { fwset.NewCompletion(2, 3, at(-1, 0), 1) },
		"entry 2 of a Completion, row 1 and column 2, is there twice": func() { fwset.NewCompletion(2, 3, at(1, 2, 0, 2, 1, 2), 1) },
		"length 1, not 2":                                             func() { c.Argmin(x, x[:1]) },
		"length 3, not 2":                                             func() { c.Argmin(make([]float64, 3), x) },
		"a vector of length 1,":                                       func() { c.ArgminVertex(new(fwset.Vertex), x[:1], 0, nil) },
	})
}

// The dense trace-norm ball is the naive form: its vertex at the entries is ours, and an
// independent decomposition has the same least value. What is 0 in g, and entries of which g
// says nothing, change nothing.
func TestCompletionByTraceNorm(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 2))
	for k := range 400 {
		h, m := 1+rng.IntN(12), 1+rng.IntN(12)
		if k%40 == 0 {
			h, m = 66+rng.IntN(20), 66+rng.IntN(20)
		}
		e := someEntries(rng, h, m, 1+rng.IntN(h*m))
		n := 1 + rng.IntN(len(e)) // observed
		tau := math.Exp(rng.NormFloat64())
		c := fwset.NewCompletion(h, m, e, tau)
		g := make([]float64, len(e))
		for i := range g[:n] {
			g[i] = rng.NormFloat64()
		}
		x := scatter(h, m, e, g)
		want, got := make([]float64, h*m), make([]float64, len(e))
		fwset.TraceNorm{H: h, M: m, Tau: tau, SVD: true}.Argmin(want, x)
		σ := append(sigmas(h, m, x), 0)

		var v fwset.Vertex
		for _, tol := range []float64{0, 0.3 * σ[0] * tau, 1e-3 * σ[0] * tau, 1e-10 * σ[0] * tau} {
			slack := c.ArgminVertex(&v, g, tol, nil)
			if off := v.Dot(g) + tau*σ[0]; !(off <= slack+1e-13*tau*σ[0] && off >= -1e-13*tau*σ[0]) {
				t.Fatalf("%d x %d, %d entries, tol %g: ⟨g, v⟩ is %g above −τσ_1, with slack %g", h, m, len(e), tol, off, slack)
			}
			if !(slack <= max(tol, 1.01e-6*σ[0]*tau)) {
				t.Fatalf("%d x %d, %d entries, tol %g: slack %g", h, m, len(e), tol, slack)
			}
		}
		v.Dense(got)
		if far := floats.Distance(got, sample(h, e, want), 2); σ[1] < 0.9*σ[0] && !(far <= 1e-4*tau) {
			t.Fatalf("%d x %d, %d entries: %g from the dense vertex", h, m, len(e), far)
		}
		alone := fwset.NewCompletion(h, m, e[:n], tau)
		few := make([]float64, n)
		alone.Argmin(few, g[:n])
		c.Argmin(got, g)
		if !slices.Equal(few, got[:n]) {
			t.Fatalf("%d x %d: with %d entries more than the %d observed other bits", h, m, len(e)-n, n)
		}
	}
}

// A matrix that could not be written out.
func TestCompletionOfAHugeMatrix(t *testing.T) {
	const h, m = 1 << 20, 1 << 14
	c := fwset.NewCompletion(h, m, at(0, m-1, h-1, 0, 7, 7), 2)
	v := make([]float64, 3)
	c.Argmin(v, []float64{1, -3, 2})
	if far := floats.Distance(v, []float64{0, 2, 0}, 2); !(far <= 1e-2 && -3*v[1]+v[0]+2*v[2] <= -6+6e-6) { // the slack is 1e-6
		t.Errorf("v = %v", v)
	}
}

// Numbers far from 1, none at all, and no numbers.
func TestCompletionExtremes(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 3))
	c := fwset.NewCompletion(9, 8, someEntries(rng, 9, 8, 30), 5)
	g, want, got := normal(rng, 30), make([]float64, 30), make([]float64, 30)
	c.Argmin(want, g)
	for _, p := range []int{-1000, -400, 400, 1000} {
		sg := floats.ScaleTo(make([]float64, 30), math.Ldexp(1, p), g)
		var v fwset.Vertex
		slack := c.ArgminVertex(&v, sg, 0, nil)
		if v.Dense(got); floats.Distance(got, want, 2) > 1e-6 || !(slack <= 2e-6*math.Abs(v.Dot(sg))) {
			t.Errorf("times 2^%d: %v with slack %g, want %v", p, got, slack, want)
		}
		tol := 1e-9 * math.Abs(v.Dot(sg))
		if slack := c.ArgminVertex(&v, sg, tol, nil); !(slack <= tol) {
			t.Errorf("times 2^%d: slack %g, asked for %g", p, slack, tol)
		}
	}
	var v fwset.Vertex
	if slack := c.ArgminVertex(&v, make([]float64, 30), 0, nil); slack != 0 || len(v.Value) > 0 {
		t.Errorf("g = 0: %+v with slack %g", v, slack)
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		g[4] = x
		if slack := c.ArgminVertex(&v, g, 0, nil); !math.IsInf(slack, 1) || len(v.Value) > 0 {
			t.Errorf("with %g: %+v and slack %g", x, v, slack)
		}
	}
}

// The same bits on any number of threads, in one piece and in several, also of runs.
func TestCompletionThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	rng := rand.New(rand.NewPCG(17, 4))
	e := someEntries(rng, 330, 300, 70_000)
	c := fwset.NewCompletion(330, 300, e, 1)
	g := normal(rng, 70_000)
	var first []float64
	for _, threads := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(threads)
		v := make([]float64, len(g))
		c.Argmin(v, g)
		if first == nil {
			first = v
		} else if !slices.Equal(first, v) {
			t.Errorf("%d threads: other bits", threads)
		}
	}
	ball := fwset.TraceNorm{H: 330, M: 300, Tau: 1}
	var v fwset.Vertex
	slack := ball.ArgminVertex(&v, scatter(330, 300, e, g), 0, nil)
	if got, want := floats.Dot(first, g), v.Dot(scatter(330, 300, e, g)); !(math.Abs(got-want) <= 2*slack) {
		t.Errorf("in pieces ⟨g, v⟩ = %.9g, in matrix space %.9g", got, want)
	}
}

// A linear optimisation allocates nothing that grows with the entries.
func TestCompletionAllocates(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 6))
	c := fwset.NewCompletion(330, 300, someEntries(rng, 330, 300, 70_000), 1)
	g, v := normal(rng, 70_000), make([]float64, 70_000)
	if allocs := testing.AllocsPerRun(5, func() { c.Argmin(v, g) }); allocs > 100 {
		t.Errorf("%g allocations", allocs)
	}
}

// completion is least squares on entries, and the same in matrix space, with those entries
// alone in f.
func completion(h, m, n, test int, tau float64) (f, dense fwopt.FiniteSum, omega, ball fwopt.Domain, e []fwset.Entry) {
	rng := rand.New(rand.NewPCG(17, 5))
	e = someEntries(rng, h, m, n+test)
	b := normal(rng, n)
	row := func(m int, col func(k int) int) *fwsum.LeastSquares {
		x := &fwsum.Sparse{N: n, M: m, Ptr: make([]int, n+1), Col: make([]int32, n), Val: slices.Repeat([]float64{1}, n)}
		for k := range n {
			x.Ptr[k+1], x.Col[k] = k+1, int32(col(k))
		}
		return fwsum.NewLeastSquares(x, b)
	}
	return row(n+test, func(k int) int { return k }), row(h*m, func(k int) int { return e[k].Col*h + e[k].Row }),
		fwset.NewCompletion(h, m, e, tau), fwset.TraceNorm{H: h, M: m, Tau: tau}, e
}

// halves is a step that is never exact: after an exact one the atoms at its two ends are alike,
// and rounding says which is taken.
type halves struct{}

func (halves) Step(_ *fwopt.Oracle, k int, seg fwopt.Segment) float64 {
	return min(seg.Most, 1/float64(k+1)) / 2
}
func (h halves) Identify(id *fwopt.Identity) { id.Of(h) }

// Methods run on the entries as they do in matrix space: the same counts, and the same
// iterates at the entries, up to the accuracy of the linear optimisations.
func TestCompletionRunsAsInMatrixSpace(t *testing.T) {
	const h, m = 70, 80
	f, dense, omega, ball, e := completion(h, m, 1500, 300, 40)
	for name, method := range map[string]func() fwopt.Method{
		"FW":       func() fwopt.Method { return &fwopt.FW{} },
		"FWls":     func() fwopt.Method { return &fwopt.FW{Rule: fwopt.LineSearch{}} },
		"SFW":      func() fwopt.Method { return fwopt.SFWExperiments() },
		"SVRF":     func() fwopt.Method { return fwopt.SVRFExperiments() },
		"pairwise": func() fwopt.Method { return &fwmore.PairwiseFW{Rule: halves{}} },
		"blended":  func() fwopt.Method { return &fwmore.BlendedPairwise{Rule: halves{}} },
		"away":     func() fwopt.Method { return &fwmore.AwayFW{Rule: halves{}} },
	} {
		b := fwopt.Budget{Steps: 12, DualityGap: true}
		ours := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 3), method(), b)
		naive := fwopt.Run(context.Background(), fwopt.NewOracle(dense, ball, 3), method(), b)
		if ours.Last().Calls != naive.Last().Calls || ours.Last().Step != 12 {
			t.Errorf("%s: counts %+v, in matrix space %+v", name, ours.Last().Calls, naive.Last().Calls)
		}
		if far := floats.Distance(ours.W, sample(h, e, naive.W), 2); !(far <= 1e-4*floats.Norm(ours.W, 2)) {
			t.Errorf("%s: %g from the iterate in matrix space, of norm %g", name, far, floats.Norm(ours.W, 2))
		}
		if a, b := ours.Last().DualityGap, naive.Last().DualityGap; !(math.Abs(a-b) <= 1e-4*b) {
			t.Errorf("%s: duality gap %g, in matrix space %g", name, a, b)
		}
	}
}

// What decides the set is said.
func TestCompletionIdentity(t *testing.T) {
	e := at(0, 1, 1, 2, 1, 0)
	seen := map[uint64]int{}
	for i, c := range []*fwset.Completion{
		fwset.NewCompletion(2, 3, e, 1), fwset.NewCompletion(2, 3, e, 2), fwset.NewCompletion(2, 4, e, 1), fwset.NewCompletion(3, 3, e, 1),
		fwset.NewCompletion(2, 3, e[:2], 1), fwset.NewCompletion(2, 3, []fwset.Entry{e[1], e[0], e[2]}, 1), fwset.NewCompletion(2, 3, append(at(0, 2), e[1:]...), 1),
		fwset.NewCompletion(3, 2, at(1, 0, 2, 1, 0, 1), 1),
	} {
		h := ident.New(c, 0).Hash()
		if k, same := seen[h]; same {
			t.Errorf("sets %d and %d say the same", k, i)
		}
		seen[h] = i
	}
}

func ExampleNewCompletion() {
	// Two users like what a third one does not; what does the last one say of item 2?
	var known []fwset.Entry
	for k := range 8 {
		known = append(known, fwset.Entry{Row: k / 3, Col: k % 3})
	}
	asked := fwset.Entry{Row: 2, Col: 2}
	omega := fwset.NewCompletion(3, 3, append(known, asked), 3*math.Sqrt(3))
	f := fwsum.NewEntryLoss(9, []float64{2, 2, -2, 2, 2, -2, -1, -1})
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), &fwopt.FW{Rule: fwopt.LineSearch{}}, fwopt.Budget{Steps: 500})
	fmt.Printf("f = %.3f, predicted %.2f\n", tr.Last().F, tr.W[8])
	// Output: f = 0.000, predicted 1.00
}
