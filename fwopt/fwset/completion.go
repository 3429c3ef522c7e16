package fwset

import (
	"math"
	"slices"
	"sync"

	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// Entry is a place in a matrix. Rows and columns are numbered from 0.
type Entry struct{ Row, Col int }

// Completion is the trace-norm ball of h × m matrices as N of their entries see it: Ω =
// {(W_{i_1 j_1}, …, W_{i_N j_N}) : ‖W‖_* ≤ τ}, the image of the ball under a linear map, and
// so compact and convex. Make one with NewCompletion. A vector has a number for each entry,
// in the order in which they were given; nothing of the size h·m is ever made. It is fastest
// where that is the order of the rows, or columns if h < m.
//
// For matrix completion the first n entries are those observed, which alone the objective
// reads, as fwdata.Ratings.LeastSquares does. The others are those to be predicted: they
// have gradient 0, and an iterate holds its predictions. Optimum, duality gap and the iterates of a
// method without projections are those over the whole ball, for f sees a W by its entries only.
//
// The centre is 0. A linear optimisation is −τ·u_1·v_1ᵀ at the entries, with the top singular
// pair of the sparse matrix that g is. A projection is a semidefinite programme and is not
// given; where a method needs one, it must see all of W, as on a TraceNorm.
type Completion struct {
	h, m int
	tau  float64
	// The entries by the lines of the longer side, rows unless h < m: those of line i are
	// first[i] to first[i+1] − 1, entry k of these is at place at[k] on it and number[k] of
	// those given.
	first      []int
	at, number []int32
}

// NewCompletion returns the trace-norm ball of radius tau of h × m matrices, seen at these
// entries. It costs O(entries + h + m). It panics if h, m or tau is not positive, if there is
// no entry, or if one is outside of the matrix or there twice.
func NewCompletion(h, m int, entries []Entry, tau float64) *Completion {
	if h < 1 || m < 1 || max(h, m) > math.MaxInt32 || len(entries) > math.MaxInt32 {
		panic(need.Linef("fwset: a Completion of a %d x %d matrix with %d entries", h, m, len(entries)))
	}
	checkBall("a Completion", len(entries), "tau", tau)
	c := &Completion{h: h, m: m, tau: tau, first: make([]int, max(h, m)+1),
		at: make([]int32, len(entries)), number: make([]int32, len(entries))}
	for k, e := range entries {
		if e.Row < 0 || e.Row >= h || e.Col < 0 || e.Col >= m {
			panic(need.Linef("fwset: entry %d of a Completion is in row %d and column %d "+
				"of a %d x %d matrix; they are numbered from 0", k, e.Row, e.Col, h, m))
		}
		line, _ := c.split(e)
		c.first[line+1]++
	}
	for i := range c.first[1:] {
		c.first[i+1] += c.first[i]
	}
	next := slices.Clone(c.first)
	for k, e := range entries {
		line, at := c.split(e)
		c.at[next[line]], c.number[next[line]] = int32(at), int32(k)
		next[line]++
	}
	seen := make([]int, min(h, m)) // on which line last, from 1
	for i := range c.first[1:] {
		for k := c.first[i]; k < c.first[i+1]; k++ {
			if seen[c.at[k]] == i+1 {
				e := entries[c.number[k]]
				panic(need.Linef("fwset: entry %d of a Completion, row %d and column %d, is there twice",
					c.number[k], e.Row, e.Col))
			}
			seen[c.at[k]] = i + 1
		}
	}
	return c
}

// split returns the line of an entry and its place on it.
func (c *Completion) split(e Entry) (line, at int) {
	if c.h < c.m {
		return e.Col, e.Row
	}
	return e.Row, e.Col
}

// Dim returns N, the number of entries.
func (c *Completion) Dim() int { return len(c.at) }

// Diameter returns 2τ, the distance of ±τ at one entry.
func (c *Completion) Diameter() float64 { return 2 * c.tau }

// Argmin computes dst = −τ·u_1·v_1ᵀ at the entries, with the top singular pair of g, to the
// accuracy of ArgminVertex with tol = 0 and always from the same start.
func (c *Completion) Argmin(dst, g []float64) { argmin(dst, g, c.ArgminVertex) }

// ArgminVertex computes v = −τ·u·vᵀ at the entries, with ⟨g, v⟩ ≤ −τσ_1 + slack, where σ_1 is
// the largest singular value of g and −τσ_1 the minimum over Ω. The vertex is dense: N
// numbers, the price of those methods that keep vertices.
//
// u comes from the Lanczos method, at 2 multiplications a step for each number of g that is
// not 0; the accuracy, the chance that a slack is wrong, 1e-6, and what warm keeps are those of
// [TraceNorm]. It takes some passes over N + h + m numbers more, and scratch memory, which calls
// share, for N + h numbers and 512·min(h, m).
//
// If g holds a NaN or an infinity, v = 0 and the slack is +Inf.
func (c *Completion) ArgminVertex(v *Vertex, g []float64, tol float64, warm *Warm) (slack float64) {
	need.Len("fwset", len(c.at), g)
	scale := 1.0
	if !inRange(floats.Dot(g, g)) {
		top := maxAbs(g)
		if !(top > 0) || math.IsInf(top, 1) {
			return v.toZero(len(g), top)
		}
		scale = unit(top)
	}
	a := matrices.Get().(*lines)
	defer matrices.Put(a)
	a.set(c, g, scale)
	long, s := max(c.h, c.m), min(c.h, c.m)
	p := kern.Borrow(long + s)
	defer kern.Return(p)
	w, u := (*p)[:long], (*p)[long:]
	rounding := float64(long+s) * 0x1p-52
	upper := topGram(u, func(y, q []float64) { a.gram(y, q, w) }, c.tau, tol*scale, rounding, warm)
	kern.GatherMany(w, u, 1, a.first, a.at, a.val, true) // w = gu
	sigma := floats.Norm(w, 2)
	value := v.SetDense(len(g))
	kern.Do(long, max(1, long/16), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			r := -c.tau * (w[i] / sigma)
			for k := c.first[i]; k < c.first[i+1]; k++ {
				value[c.number[k]] = r * u[c.at[k]] // v = −τ·u·vᵀ at the entries
			}
		}
	})
	return c.tau * max(0, math.Sqrt(upper)*(1+rounding)-sigma) / scale
}

// lines are the numbers of a sparse matrix that are not 0, line by line of the longer side.
type lines struct {
	first []int
	at    []int32
	val   []float64
}

// matrices holds some that are free, so that a linear optimisation allocates none.
var matrices = sync.Pool{New: func() any { return new(lines) }}

// set makes a what g holds, times scale.
func (a *lines) set(c *Completion, g []float64, scale float64) {
	long, n := len(c.first)-1, 0
	a.first = slices.Grow(a.first[:0], long+1)[:long+1]
	a.at, a.val = slices.Grow(a.at[:0], len(g))[:len(g)], slices.Grow(a.val[:0], len(g))[:len(g)]
	for i := range long {
		a.first[i] = n
		for k := c.first[i]; k < c.first[i+1]; k++ {
			x := g[c.number[k]]
			if a.at[n], a.val[n] = c.at[k], x*scale; x != 0 {
				n++
			}
		}
	}
	a.first[long], a.at, a.val = n, a.at[:n], a.val[:n]
}

// gram computes y = aᵀaq. w is memory, a number a line.
func (a *lines) gram(y, q, w []float64) {
	const pieces, some = 8, 1 << 15 // numbers that are worth a piece of parallel work
	long := len(w)
	grain := max((long+pieces-1)/pieces, int(min(float64(long), float64(long)*some/float64(len(a.val)))))
	p := kern.Borrow((long + grain - 1) / grain * len(y))
	defer kern.Return(p)
	sums := *p
	kern.Do(long, grain, func(lo, hi int) {
		sum := sums[lo/grain*len(y):][:len(y)]
		clear(sum)
		kern.GatherMany(w[lo:hi], q, 1, a.first[lo:hi+1], a.at, a.val, true)
		for i := lo; i < hi; i++ {
			if from, to := a.first[i], a.first[i+1]; from < to {
				kern.Scatter(sum, w[i:i+1], a.at[from:to], a.val[from:to])
			}
		}
	})
	copy(y, sums)
	for k := len(y); k < len(sums); k += len(y) {
		floats.Add(y, sums[k:k+len(y)])
	}
}

// Identify writes the shape, the radius and the entries. It costs O(N).
func (c *Completion) Identify(id *ident.Identity) {
	id.Of(c).Int(c.h, c.m).Float(c.tau)
	for i := range c.first[1:] {
		id.Int(c.first[i+1])
	}
	for k := range c.at {
		id.Int(int(c.at[k]), int(c.number[k]))
	}
}
