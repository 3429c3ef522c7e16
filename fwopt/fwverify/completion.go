package main

import (
	"math"
	"math/rand/v2"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Matrix completion on its entries, against the whole matrices, which it never makes, and
// their full singular value decompositions.

// completed is least squares on n entries of an h × m matrix. Its set sees all h·m entries,
// the observed ones first, so that a vector is a whole matrix in another order.
type completed struct {
	h, m, n int
	e       []fwset.Entry
	tau, LF float64
	f       fwopt.FiniteSum
	whole   fwopt.FiniteSum // the same on matrices, laid out as fwset.TraceNorm does
	omega   fwopt.Domain
	fewer   fwopt.Domain // sees the n entries only
}

// newCompleted draws one that a matrix of the ball solves: f* = 0.
func newCompleted(r *rand.Rand, h, m, n int) *completed {
	c := &completed{h: h, m: m, n: n, tau: math.Exp(r.NormFloat64()), LF: 1 / float64(n)}
	for _, k := range r.Perm(h * m) {
		c.e = append(c.e, fwset.Entry{Row: k % h, Col: k / h})
	}
	b := c.inside(r, 1+r.IntN(min(h, m)))[:n]
	x := &fwsum.Sparse{N: n, M: h * m, Ptr: make([]int, n+1), Col: make([]int32, n), Val: make([]float64, n)}
	for k := range n {
		x.Ptr[k+1], x.Col[k], x.Val[k] = k+1, int32(c.e[k].Col*h+c.e[k].Row), 1
	}
	c.f, c.whole = fwsum.NewEntryLoss(h*m, b), fwsum.NewLeastSquares(x, b)
	c.omega, c.fewer = fwset.NewCompletion(h, m, c.e, c.tau), fwset.NewCompletion(h, m, c.e[:n], c.tau)
	return c
}

// inside returns a matrix of this rank with ‖W‖_* = τ, at the entries.
func (c *completed) inside(r *rand.Rand, rank int) []float64 {
	u, v, w := normal(r, c.h, rank), normal(r, c.m, rank), new(mat.Dense)
	w.Mul(u, v.T())
	x := c.see(w)
	floats.Scale(c.tau/floats.Sum(svd(w).Values(nil)), x)
	return x
}

func normal(r *rand.Rand, h, m int) *mat.Dense {
	x := mat.NewDense(h, m, nil)
	for k := range x.RawMatrix().Data {
		x.RawMatrix().Data[k] = r.NormFloat64()
	}
	return x
}

func svd(w mat.Matrix) *mat.SVD {
	s := new(mat.SVD)
	if !s.Factorize(w, mat.SVDThin) {
		panic("no decomposition")
	}
	return s
}

// see returns a matrix at the entries; matrix is the way back.
func (c *completed) see(w mat.Matrix) []float64 {
	x := make([]float64, len(c.e))
	for k, e := range c.e {
		x[k] = w.At(e.Row, e.Col)
	}
	return x
}

func (c *completed) matrix(x []float64) *mat.Dense {
	w := mat.NewDense(c.h, c.m, nil)
	for k, e := range c.e {
		w.Set(e.Row, e.Col, x[k])
	}
	return w
}

// completion checks some shapes, with few entries observed and with all.
func completion(l *ledger, e effort) {
	r := rand.New(rand.NewPCG(4, 0))
	for range max(2, e.pairs/200) {
		for _, s := range [][2]int{{1, 6}, {5, 5}, {9, 4}, {20, 31}, {70, 66}} {
			h, m := s[0], s[1]
			for _, n := range []int{1 + r.IntN(h*m), h * m} {
				completionOf(l, newCompleted(r, h, m, n), r, e)
			}
		}
	}
}

func completionOf(l *ledger, c *completed, r *rand.Rand, e effort) {
	w := c.inside(r, min(c.h, c.m))
	c.sum(l, w)
	g := grad(c.f, w, fwopt.Batch{})
	c.vertices(l, g)
	c.image(l, g, r)
	c.run(l, e)
}

// sum checks f and its gradient against those of the matrix.
func (c *completed) sum(l *ledger, w []float64) {
	W := mat.DenseCopyOf(c.matrix(w).T()).RawMatrix().Data // column by column
	f, g := c.whole.Value(W), grad(c.whole, W, fwopt.Batch{})
	l.equal("Completion: f is that of the matrix", c.f.Value(w), f, 1e-13*f)
	l.equal("Completion: ∇f is that of the matrix, at its entries", dist(grad(c.f, w, fwopt.Batch{}),
		c.see(mat.NewDense(c.m, c.h, g).T())), 0, 1e-15*floats.Norm(g, 2))
}

// vertices checks linear optimisations of all accuracies by the singular values of g.
func (c *completed) vertices(l *ledger, g []float64) {
	least := c.tau * svd(c.matrix(g)).Values(nil)[0] // τσ_1
	rounding := 1e-13 * least
	for _, tol := range []float64{0, 0.3 * least, 0.01 * least} {
		var v, few fwopt.Vertex
		slack := fwset.Argmin(c.omega, &v, g, tol, nil)
		l.most("Completion: ⟨g, v⟩ + τσ_1 ≤ slack", v.Dot(g)+least-rounding, slack)
		l.most("Completion: the slack is what was asked for", slack, max(tol, 1.001e-6*least))
		l.most("Completion: −⟨g, v⟩ ≤ τσ_1", -v.Dot(g)-rounding, least)
		x := make([]float64, len(g))
		v.Dense(x)
		l.equal("Completion: a vertex has ‖V‖_* = τ", floats.Sum(svd(c.matrix(x)).Values(nil)), c.tau,
			1e-12*c.tau)
		fwset.Argmin(c.fewer, &few, g[:c.n], tol, nil)
		y := make([]float64, c.n)
		few.Dense(y)
		l.equal("Completion: a vertex on the observed entries alone", dist(x[:c.n], y), 0, 0)
	}
}

// image checks that no matrix of the ball is better than the vertex, not even the best one.
func (c *completed) image(l *ledger, g []float64, r *rand.Rand) {
	var v fwopt.Vertex
	slack := fwset.Argmin(c.omega, &v, g, 0, nil)
	var left, right, best mat.Dense
	s := svd(c.matrix(g))
	s.UTo(&left)
	s.VTo(&right)
	best.Outer(-c.tau, left.ColView(0), right.ColView(0))
	for _, w := range [][]float64{c.see(&best), c.inside(r, 1), c.inside(r, min(c.h, c.m))} {
		l.most("Completion: no matrix of the ball is below ⟨g, v⟩ − slack", -floats.Dot(g, w),
			(slack-v.Dot(g))*(1+1e-13))
	}
}

// run checks the duality gap and the bound of Frank-Wolfe, whose D is 2τ and L_f is 1/n.
func (c *completed) run(l *ledger, e effort) {
	w, v := make([]float64, len(c.e)), fwopt.Vertex{}
	for k := 1; k <= e.steps/4; k++ {
		g := grad(c.f, w, fwopt.Batch{})
		slack := fwset.Argmin(c.omega, &v, g, 0, nil)
		gap, _ := v.Gap(g, w)
		l.most("Completion: f − f* ≤ duality gap + slack", c.f.Value(w), gap+slack)
		v.Lerp(w, gamma(k))
		l.most("Completion: FW, 2L_fD²/(k+2)", c.f.Value(w), 2*c.LF*4*c.tau*c.tau/float64(k+2))
	}
}
