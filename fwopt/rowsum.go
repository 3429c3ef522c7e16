package fwopt

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/projection-free/fwlab/fwopt/fwid"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"gonum.org/v1/gonum/floats"
)

// RowSum is a sum whose term f_i sees w ∈ R^{h×m} only through the h scores
// s = w e_i of row i: f_i(w) = ℓ_i(w e_i), so that ∇f_i(w) = ∇ℓ_i(s) e_iᵀ. The ℓ_i
// are a Loss, ours or one's own; the RowSum makes the two passes over the data,
// forward w ↦ scores and backward derivatives ↦ gradient, on all processors, and
// searches lines. Score l takes the weight w[j·h+l] of feature j.
//
// NewRowSum makes one, which serves many runs at once. It keeps scratch memory, at
// most O(d) or 24 MB for each call that was under way at the same time.
type RowSum struct {
	Name string // of the data, as on figures

	// A large batch goes backward by columns, from a transposed copy of the data:
	// each row of the gradient is the work of one goroutine and needs no clearing.
	// A small batch goes backward by rows, into the rows of dst that it reaches.
	// Which of the two depends on the batch only, and so the bits do not depend on
	// the number of threads.
	x    *Sparse
	h    int
	loss Loss

	block    int           // rows whose scores are held at once
	rowGrain int           // rows of a piece of parallel work
	colGrain int           // columns of one
	ptr      []int         // the columns of x, block by block of rows: column j of block
	row      []int32       // b is at ptr[b·M+j]:ptr[b·M+j+1], its rows counted from the
	val      []float64     // first of the block
	cut      [cuts + 1]int // columns that share out the nonzeros evenly

	mu   sync.Mutex
	idle []*scratch // of calls that have ended
}

// Loss is ℓ_1, …, ℓ_n of a RowSum, convex functions of h scores. A type with these
// three methods is one; it holds the targets and keeps nothing between calls, which
// come from many goroutines at once. A panic there ends the program.
//
// A loss may say more. Lipschitz() float64, a bound on all ‖∇ℓ_i(s)‖, is for
// RowSum.Lipschitz. Identify is for Keep, see Identified:
//
//	func (l hinge) Identify(id *fwopt.Identity) { id.Of(l).Float(l.y...) }
type Loss interface {
	Value(i int, s []float64) float64   // ℓ_i(s)
	Grad(i int, s []float64, c float64) // s = c∇ℓ_i(s), in place of the scores; c is the weight of the term
	Smoothness() float64                // β, a bound on the eigenvalues of all ∇²ℓ_i(s); +Inf if there is none
}

// A liner is a loss that knows both derivatives of ℓ_i(s + γd) by γ. It saves the
// line search some steps.
type liner interface {
	line(i int, s, d []float64, gamma float64) (d1, d2 float64)
}

const (
	blockSize = 1 << 20 // numbers in p and in q, where n is large
	pieceSize = 1 << 15 // multiplications that are worth a piece of parallel work
	cuts      = 64
)

// NewRowSum returns the sum of ℓ_i(w e_i) over the n rows of x, where each has h
// scores. It keeps x and l, which must not change any more, and a copy of x by
// columns. It panics if x is not well formed or holds a NaN or an infinity, if
// h < 1, or if l is nil or an ℓ_i(0) is NaN: it asks each ℓ_i once, so that targets
// which are too few are found here.
func NewRowSum(x *Sparse, h int, l Loss) *RowSum {
	if h < 1 || fwid.IsNil(l) {
		panic(fmt.Sprintf("fwopt: a RowSum of %d scores and the loss %T, want at least one score and a loss", h, l))
	}
	f := newRowSum(x, h, l)
	s := make([]float64, h)
	for i := range x.N {
		clear(s)
		if math.IsNaN(l.Value(i, s)) {
			panic(fmt.Sprintf("fwopt: the loss of row %d is NaN where the scores are 0", i))
		}
	}
	return f
}

func newRowSum(x *Sparse, h int, l Loss) *RowSum {
	x.check()
	for k, v := range x.Val {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			i, _ := slices.BinarySearch(x.Ptr, k+1)
			panic(fmt.Sprintf("fwopt: row %d of the data has the value %g", i-1, v))
		}
	}
	f := &RowSum{x: x, h: h, loss: l}
	nnz := len(x.Val)
	// At least one nonzero in the average column of a block: ptr stays O(nnz).
	f.block = min(x.N, max(1, blockSize/h, x.M/max(1, nnz/x.N)))
	f.rowGrain = max(1, pieceSize/(h*(nnz/x.N+2)))
	f.colGrain = max(1, pieceSize/(h*(nnz/x.M+2)))
	f.transpose()
	return f
}

// transpose builds the columns of x and the cuts, in O(nonzeros).
func (f *RowSum) transpose() {
	x, m := f.x, f.x.M
	blocks := (x.N + f.block - 1) / f.block
	f.ptr = make([]int, blocks*m+1)
	f.row = make([]int32, len(x.Val))
	f.val = make([]float64, len(x.Val))
	for i := range x.N {
		col, _ := x.Row(i)
		for _, j := range col {
			f.ptr[i/f.block*m+int(j)]++
		}
	}
	at := 0
	for c, count := range f.ptr {
		f.ptr[c] = at
		at += count
	}
	for i := range x.N {
		col, val := x.Row(i)
		for k, j := range col {
			c := i/f.block*m + int(j)
			f.row[f.ptr[c]], f.val[f.ptr[c]] = int32(i%f.block), val[k]
			f.ptr[c]++ // now the end of what is filled, and at last of column c
		}
	}
	copy(f.ptr[1:], f.ptr)
	f.ptr[0] = 0

	seen, q := 0, 1
	for j := range m {
		for b := range blocks {
			seen += f.ptr[b*m+j+1] - f.ptr[b*m+j]
		}
		for ; q < cuts && seen*cuts >= q*len(x.Val); q++ {
			f.cut[q] = j + 1
		}
	}
	for ; q <= cuts; q++ {
		f.cut[q] = m
	}
}

// Dim returns d = m·h.
func (f *RowSum) Dim() int { return f.x.M * f.h }

// Shape returns h and m.
func (f *RowSum) Shape() (h, m int) { return f.h, f.x.M }

// Len returns n.
func (f *RowSum) Len() int { return f.x.N }

// Value returns f(w). It costs one forward pass, O(h·nonzeros).
func (f *RowSum) Value(w []float64) float64 {
	f.checkLen("w", w)
	t := f.borrow()
	defer f.giveBack(t)
	total := 0.0
	for lo := 0; lo < f.x.N; lo += f.block {
		n := min(f.block, f.x.N-lo)
		t.p = grow(t.p, n*f.h)
		sum, _ := f.sum(t, n, func(r int) (float64, float64) {
			s := t.p[r*f.h : (r+1)*f.h]
			f.scores(s, w, lo+r)
			return f.loss.Value(lo+r, s), 0
		})
		total += sum
	}
	return total / float64(f.x.N)
}

// Grad computes dst = Σ_j Weight[j] ∇f_{Index[j]}(w), for the zero Batch
// ∇f(w). It costs O(d + h·nonzeros of the batch) and at most a little more
// than the exact gradient. dst and w must not overlap.
func (f *RowSum) Grad(dst, w []float64, batch Batch) {
	f.checkLen("dst", dst)
	f.checkLen("w", w)
	f.checkBatch(batch)
	if f.large(batch) {
		f.backByColumns(dst, w, nil, batch)
		return
	}
	clear(dst)
	f.backByRows(dst, w, nil, batch)
}

// AddGradDiff does dst += Σ_j Weight[j] (∇f_{Index[j]}(w) − ∇f_{Index[j]}(w0)).
// It costs O(h·nonzeros of the batch), without a pass over d numbers if the
// batch is small, and adds exact zeros where w and w0 agree on the batch. dst
// must not overlap w or w0.
func (f *RowSum) AddGradDiff(dst, w, w0 []float64, batch Batch) {
	f.checkLen("dst", dst)
	f.checkLen("w", w)
	f.checkLen("w0", w0)
	f.checkBatch(batch)
	if f.large(batch) {
		f.backByColumns(dst, w, w0, batch)
		return
	}
	f.backByRows(dst, w, w0, batch)
}

// large reports whether a batch goes backward by columns: where it has at
// least half the rows, for the same number of nonzeros takes about twice as
// long by rows (measured on news20's shape).
func (f *RowSum) large(batch Batch) bool {
	return batch.Index == nil || 2*len(batch.Index) >= f.x.N
}

// backByColumns does dst = Σ_j Weight[j] ∇f_{Index[j]}(w) or, if w0 is not nil,
// what AddGradDiff does.
func (f *RowSum) backByColumns(dst, w, w0 []float64, batch Batch) {
	m, h := f.x.M, f.h
	t := f.borrow()
	defer f.giveBack(t)
	if batch.Index != nil {
		t.coef = grow(t.coef, f.x.N)
		clear(t.coef)
		for j, i := range batch.Index {
			t.coef[i] += batch.Weight[j]
		}
	}
	for lo := 0; lo < f.x.N; lo += f.block {
		n := min(f.block, f.x.N-lo)
		t.p, t.q = grow(t.p, n*h), grow(t.q, n*h)
		kern.Do(n, f.rowGrain, func(a, b int) {
			for r := a; r < b; r++ {
				c := 1 / float64(f.x.N)
				if batch.Index != nil {
					c = t.coef[lo+r]
				}
				f.derive(t, r, lo+r, w, w0, c)
			}
		})
		ptr := f.ptr[lo/f.block*m:]
		kern.Do(m, f.colGrain, func(a, b int) {
			for j := a; j < b; j++ {
				d := dst[j*h : (j+1)*h]
				if lo == 0 && w0 == nil {
					clear(d)
				}
				kern.Gather(d, t.p, f.row[ptr[j]:ptr[j+1]], f.val[ptr[j]:ptr[j+1]])
			}
		})
	}
}

// backByRows adds the gradient of the batch to dst, or the difference of two
// if w0 is not nil, term by term in the order of the batch. A batch of one piece
// allocates nothing.
func (f *RowSum) backByRows(dst, w, w0 []float64, batch Batch) {
	t := f.borrow()
	defer f.giveBack(t)
	for lo := 0; lo < len(batch.Index); lo += f.block {
		index := batch.Index[lo:min(lo+f.block, len(batch.Index))]
		weight := batch.Weight[lo:]
		t.p, t.q = grow(t.p, len(index)*f.h), grow(t.q, len(index)*f.h)
		if len(index) <= f.rowGrain {
			f.deriveRows(t, index, weight, w, w0, 0, len(index))
			f.scatter(dst, t, index, 0, f.x.M)
			continue
		}
		kern.Do(len(index), f.rowGrain, func(a, b int) {
			f.deriveRows(t, index, weight, w, w0, a, b)
		})
		// Each share of the columns goes through the whole batch in order: the
		// bits are those of one share.
		shares := min(runtime.GOMAXPROCS(0), cuts, 1+len(index)/(2*f.rowGrain))
		kern.Do(shares, 1, func(a, b int) {
			f.scatter(dst, t, index, f.cut[a*cuts/shares], f.cut[b*cuts/shares])
		})
	}
}

// deriveRows does derive for the terms a to b−1 of index.
func (f *RowSum) deriveRows(t *scratch, index []int, weight, w, w0 []float64, a, b int) {
	for r := a; r < b; r++ {
		f.derive(t, r, index[r], w, w0, weight[r])
	}
}

// scatter adds row r of p times row index[r] of the data to dst, for all r, in the
// columns from, …, to−1 only.
func (f *RowSum) scatter(dst []float64, t *scratch, index []int, from, to int) {
	for r, i := range index {
		col, val := f.x.Row(i)
		if to-from < f.x.M {
			k, _ := slices.BinarySearch(col, int32(from))
			e, _ := slices.BinarySearch(col[k:], int32(to))
			col, val = col[k:k+e], val[k:k+e]
		}
		kern.Touch(dst, f.h, col)
		kern.Scatter(dst, t.p[r*f.h:(r+1)*f.h], col, val)
	}
}

// derive sets row r of p to c∇ℓ_i at the scores of w, less c∇ℓ_i at those of
// w0 if w0 is not nil.
func (f *RowSum) derive(t *scratch, r, i int, w, w0 []float64, c float64) {
	p := t.p[r*f.h : (r+1)*f.h]
	if c == 0 {
		clear(p)
		return
	}
	f.scores(p, w, i)
	f.loss.Grad(i, p, c)
	if w0 == nil {
		return
	}
	q := t.q[r*f.h : (r+1)*f.h]
	f.scores(q, w0, i)
	f.loss.Grad(i, q, c)
	floats.Sub(p, q)
}

// scores computes s = w e_i.
func (f *RowSum) scores(s, w []float64, i int) {
	clear(s)
	col, val := f.x.Row(i)
	kern.Touch(w, f.h, col)
	kern.Gather(s, w, col, val)
}

// LineSearch returns the γ ∈ [0, 1] that minimises f((1−γ)w + γv), to about 12
// digits; NaN if f is not a number there. It costs two forward passes, and O(nh)
// for each of about ten steps, a handful for Logistic and LeastSquares; if the
// scores of all rows are too many to keep, each step costs the two passes.
func (f *RowSum) LineSearch(w, v []float64) float64 {
	f.checkLen("w", w)
	f.checkLen("v", v)
	h, held := f.h, -1
	t := f.borrow()
	defer f.giveBack(t)
	line, newton := f.loss.(liner)
	slope := func(gamma float64) (d1, d2 float64) {
		for lo := 0; lo < f.x.N; lo += f.block {
			n := min(f.block, f.x.N-lo)
			if held != lo {
				held = lo
				t.p, t.q = grow(t.p, n*h), grow(t.q, n*h)
				if !newton {
					t.u = grow(t.u, n*h)
				}
				kern.Do(n, f.rowGrain, func(a, b int) {
					for r := a; r < b; r++ {
						p, q := t.p[r*h:(r+1)*h], t.q[r*h:(r+1)*h]
						f.scores(p, w, lo+r)
						f.scores(q, v, lo+r)
						floats.Sub(q, p)
					}
				})
			}
			a, b := f.sum(t, n, func(r int) (float64, float64) {
				s, d := t.p[r*h:(r+1)*h], t.q[r*h:(r+1)*h]
				if newton {
					return line.line(lo+r, s, d, gamma)
				}
				g := t.u[r*h : (r+1)*h]
				floats.AddScaledTo(g, s, gamma, d)
				f.loss.Grad(lo+r, g, 1)
				return floats.Dot(g, d), 0
			})
			d1, d2 = d1+a, d2+b
		}
		return d1, d2
	}
	if newton {
		return minimizeLine(slope)
	}
	return minimizeBySlope(func(gamma float64) float64 {
		d1, _ := slope(gamma)
		return d1
	})
}

// minimizeLine returns the minimiser over [0, 1] of a convex function whose
// first and second derivative slope returns: by Newton's method, kept inside
// the interval that holds the root of the first derivative and halving it where
// Newton's steps do not shrink fast.
func minimizeLine(slope func(gamma float64) (d1, d2 float64)) float64 {
	lo, hi, closed := 0.0, 1.0, false                    // closed: the derivative at hi is known, and positive
	gamma, step, before := 0.0, math.Inf(1), math.Inf(1) // the last step and the one before
	for range 200 {
		d1, d2 := slope(gamma)
		switch {
		case math.IsNaN(d1):
			return math.NaN()
		case d1 == 0 || gamma == 0 && d1 > 0 || gamma == 1 && d1 < 0:
			return gamma
		case d1 < 0:
			lo = gamma
		default:
			hi, closed = gamma, true
		}
		next := gamma - d1/d2
		if math.Abs(next-gamma) <= 1e-9*gamma { // the error after a Newton step is about its square
			return min(1, next)
		}
		if next >= hi && !closed {
			next = hi
		} else if !(next > lo && next < hi) || 2*math.Abs(next-gamma) > before {
			next = lo + (hi-lo)/2
		}
		before, step = step, math.Abs(next-gamma)
		if step <= 1e-12*gamma {
			return next
		}
		gamma = next
	}
	return gamma
}

// minimizeBySlope is minimizeLine without the second derivative: the interval that
// holds the root is cut where the chord crosses 0, and in the middle where two such
// cuts did not halve it.
func minimizeBySlope(slope func(gamma float64) float64) float64 {
	lo, hi := 0.0, 1.0
	below, above := slope(lo), slope(hi)
	switch {
	case math.IsNaN(below) || math.IsNaN(above):
		return math.NaN()
	case below >= 0:
		return lo
	case above <= 0:
		return hi
	}
	was, cuts := hi-lo, 0 // the length some cuts ago
	for range 200 {
		least := 5e-13 * hi // from an end: two cuts close the interval on a root that is found
		if hi-lo <= 2*least {
			break
		}
		next := lo + (hi-lo)*(below/(below-above))
		if cuts++; hi-lo <= was/2 {
			was, cuts = hi-lo, 0
		}
		if cuts > 1 || math.IsNaN(next) {
			next = lo + (hi-lo)/2
		}
		next = min(max(next, lo+least), hi-least)
		switch d := slope(next); {
		case math.IsNaN(d) || d == 0:
			return next + d
		case d < 0:
			lo, below = next, d
		default:
			hi, above = next, d
		}
	}
	return lo + (hi-lo)/2
}

// sum returns Σ_r term(r) for r < n, with the same bits for any number of
// threads.
func (f *RowSum) sum(t *scratch, n int, term func(r int) (a, b float64)) (a, b float64) {
	pieces := (n + f.rowGrain - 1) / f.rowGrain
	if len(t.sums) < pieces {
		t.sums = make([][2]float64, pieces)
	}
	kern.Do(n, f.rowGrain, func(lo, hi int) {
		var s [2]float64
		for r := lo; r < hi; r++ {
			a, b := term(r)
			s[0], s[1] = s[0]+a, s[1]+b
		}
		t.sums[lo/f.rowGrain] = s
	})
	for _, s := range t.sums[:pieces] {
		a, b = a+s[0], b+s[1]
	}
	return a, b
}

// Smoothness returns L = β·max_i ‖e_i‖², with the loss's β: the Hessian of f_i is
// ∇²ℓ_i(s) ⊗ e_ie_iᵀ.
func (f *RowSum) Smoothness() float64 { return f.loss.Smoothness() * f.maxRow() }

// Lipschitz returns G = g·max_i ‖e_i‖, for ‖∇f_i(w)‖ = ‖∇ℓ_i(s)‖·‖e_i‖, with the g
// of the loss's method Lipschitz; +Inf if it has none.
func (f *RowSum) Lipschitz() float64 {
	if l, ok := f.loss.(interface{ Lipschitz() float64 }); ok {
		return l.Lipschitz() * math.Sqrt(f.maxRow())
	}
	return math.Inf(1)
}

// Identify says the data, both copies of it, h and the loss, which must have an
// identity, too. It costs O(n + nonzeros).
func (f *RowSum) Identify(id *Identity) {
	id.Of(f).Part(f.x).Float(f.val...).Int(f.h).Part(f.loss)
}

// String returns Name.
func (f *RowSum) String() string { return f.Name }

// maxRow returns max_i ‖e_i‖².
func (f *RowSum) maxRow() float64 {
	top := 0.0
	for i := range f.x.N {
		_, val := f.x.Row(i)
		top = max(top, floats.Dot(val, val))
	}
	return top
}

func (f *RowSum) checkLen(name string, w []float64) {
	if len(w) != f.Dim() {
		panic(fmt.Sprintf("fwopt: %s has length %d, want %d", name, len(w), f.Dim()))
	}
}

func (f *RowSum) checkBatch(batch Batch) { checkBatch(batch, f.x.N) }

// checkBatch panics unless batch is a batch of terms of a sum of n.
func checkBatch(batch Batch, n int) {
	if len(batch.Index) != len(batch.Weight) {
		panic(fmt.Sprintf("fwopt: a batch of %d terms with %d weights", len(batch.Index), len(batch.Weight)))
	}
	for _, i := range batch.Index {
		if i < 0 || i >= n {
			panic(fmt.Sprintf("fwopt: a batch with term %d of a sum of %d", i, n))
		}
	}
}

// scratch is the memory of one call, at most O(d) or 24 MB: a sum serves many
// goroutines at once, and its calls do not allocate it anew.
type scratch struct {
	p, q, u []float64    // scores or derivatives of a block
	coef    []float64    // the weight of each row
	sums    [][2]float64 // the partial sums, piece by piece
}

func (f *RowSum) borrow() (t *scratch) {
	f.mu.Lock()
	if last := len(f.idle) - 1; last >= 0 {
		t, f.idle = f.idle[last], f.idle[:last]
	} else {
		t = new(scratch)
	}
	f.mu.Unlock()
	return t
}

func (f *RowSum) giveBack(t *scratch) {
	f.mu.Lock()
	f.idle = append(f.idle, t)
	f.mu.Unlock()
}

// grow returns a slice of length n, x itself if it is long enough. It holds
// anything.
func grow(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}
