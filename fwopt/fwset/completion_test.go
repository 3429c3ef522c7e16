package fwset_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"gonum.org/v1/gonum/floats"
)

// at returns entries by their rows and columns.
func at(rc ...int) (e []fwset.Entry) {
	for k := 0; k < len(rc); k += 2 {
		e = append(e, fwset.Entry{Row: rc[k], Col: rc[k+1]})
	}
	return e
}

func entries(seed uint64, h, m, n int) []fwset.Entry {
	return someEntries(rand.New(rand.NewPCG(seed, 0)), h, m, n)
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
		σ := append(fwset.Singular(h, m, x), 0)

		var v fwset.Vertex
		for _, tol := range []float64{0, 0.3 * σ[0] * tau, 1e-3 * σ[0] * tau, 1e-10 * σ[0] * tau} {
			slack := c.ArgminVertex(&v, g, tol, nil)
			if off := v.Dot(g) + tau*σ[0]; !(off <= slack+1e-13*tau*σ[0] && off >= -1e-13*tau*σ[0]) {
				t.Fatalf("%d x %d, %d entries, tol %g: ⟨g, v⟩ is %g above −τσ_1, with slack %g", h, m,
					len(e), tol, off, slack)
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

// What decides the set is said.
func TestCompletionIdentity(t *testing.T) {
	e := at(0, 1, 1, 2, 1, 0)
	seen := map[uint64]int{}
	for i, c := range []*fwset.Completion{
		fwset.NewCompletion(2, 3, e, 1), fwset.NewCompletion(2, 3, e, 2), fwset.NewCompletion(2, 4, e, 1),
		fwset.NewCompletion(3, 3, e, 1),
		fwset.NewCompletion(2, 3, e[:2], 1), fwset.NewCompletion(2, 3, []fwset.Entry{e[1], e[0], e[2]}, 1),
		fwset.NewCompletion(2, 3, append(at(0, 2), e[1:]...), 1),
		fwset.NewCompletion(3, 2, at(1, 0, 2, 1, 0, 1), 1),
	} {
		h := ident.New(c, 0).Hash()
		if k, same := seen[h]; same {
			t.Errorf("sets %d and %d say the same", k, i)
		}
		seen[h] = i
	}
}
