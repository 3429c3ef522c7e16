package fwsum

import (
	"math"
	"runtime"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// RowSum is a sum whose term f_i sees w ∈ R^{h×m} only through the h scores
// s = w e_i of row i: f_i(w) = ℓ_i(w e_i), so that ∇f_i(w) = ∇ℓ_i(s) e_iᵀ. The ℓ_i
// are a Loss, ours or yours; the RowSum makes the two passes over the data,
// forward w ↦ scores and backward derivatives ↦ gradient, on all processors, and
// searches lines. Score l takes the weight w[j·h+l] of feature j.
//
// NewRowSum makes one, which serves many runs at once. A call borrows scratch memory, at
// most O(d), 24 MB or an eighth of dense data.
type RowSum struct {
	Name string // of the data, as on figures

	// A large batch goes backward by columns, from a transposed copy of the data:
	// each row of the gradient is the work of one goroutine and needs no clearing.
	// A small batch goes backward by rows, into the rows of dst that it reaches.
	// Which of the two depends on the batch only, and so the bits do not depend on
	// the number of threads.
	x       Features
	n, m, h int
	loss    Loss
	back    backward

	block    int // rows whose scores are held at once
	rowGrain int // rows of a piece of parallel work
}

const (
	blockSize = 1 << 20 // numbers in p and in q, where n is large
	pieceSize = 1 << 15 // multiplications that are worth a piece of parallel work
	cuts      = 64
)

// NewRowSum returns the sum of ℓ_i(w e_i) over the n rows of x, where each has h
// scores. It keeps x and l, which must not change any more, and of a sparse x a
// copy by columns. It panics if x is not well formed or holds a NaN or an infinity, if
// h < 1, or if l is nil or an ℓ_i(0) is NaN: it asks each ℓ_i once, so that targets
// which are too few are found here.
func NewRowSum(x Features, h int, l Loss) *RowSum {
	if h < 1 || ident.IsNil(l) {
		panic(need.Linef("fwsum: a RowSum of %d scores and the loss %T, want at least one score and a loss",
			h, l))
	}
	f := newRowSum(x, h, l)
	s := make([]float64, h)
	for i := range f.n {
		clear(s)
		if math.IsNaN(l.Value(i, s)) {
			panic(need.Linef("fwsum: the loss of row %d is NaN where the scores are 0", i))
		}
	}
	return f
}

func newRowSum(x Features, h int, l Loss) *RowSum {
	checkData(x)
	f := &RowSum{x: x, h: h, loss: l}
	f.n, f.m = x.Size()
	if float64(h)*float64(f.m) > 1<<40 {
		panic(need.Linef("fwsum: %d scores of %d features: more weights than memory holds", h, f.m))
	}
	nnz := x.nonzeros()
	// At least one nonzero in the average column of a block: what backward keeps stays
	// O(nonzeros).
	f.block = min(f.n, max(1, blockSize/h, f.m/max(1, nnz/f.n)))
	f.rowGrain = max(x.together(), pieceSize/(h*(nnz/f.n+2)))
	f.back = x.backward(f)
	return f
}

// Dim returns d = m·h.
func (f *RowSum) Dim() int { return f.m * f.h }

// Shape returns h and m.
func (f *RowSum) Shape() (h, m int) { return f.h, f.m }

// Len returns n.
func (f *RowSum) Len() int { return f.n }

// NonConvex reports whether the Loss declares itself fwopt.NonConvex.
func (f *RowSum) NonConvex() bool {
	l, ok := f.loss.(fwopt.NonConvex)
	return ok && l.NonConvex()
}

// Value returns f(w). It costs one forward pass, O(h·nonzeros).
func (f *RowSum) Value(w []float64) float64 {
	checkLen(f.Dim(), "w", w)
	laid, lent := f.x.layOut(w, f.h)
	defer kern.Return(lent)
	total := 0.0
	for lo := 0; lo < f.n; lo += f.block {
		sum, _ := f.sum(min(f.block, f.n-lo), func(a, b int) (sum, _ float64) {
			p := kern.Borrow((b - a) * f.h)
			defer kern.Return(p)
			f.x.scores(*p, laid, f.h, lo+a, b-a, nil)
			for r := range b - a {
				sum += f.loss.Value(lo+a+r, (*p)[r*f.h:(r+1)*f.h])
			}
			return sum, 0
		})
		total += sum
	}
	return total / float64(f.n)
}

// Grad computes dst = Σ_j Weight[j] ∇f_{Index[j]}(w), for the zero Batch
// ∇f(w). It costs O(d + h·nonzeros of the batch) and at most a little more
// than the exact gradient. dst and w must not overlap.
func (f *RowSum) Grad(dst, w []float64, batch fwopt.Batch) {
	checkLen(f.Dim(), "dst w", dst, w)
	f.goBack(dst, w, nil, batch)
}

// AddGradDiff does dst += Σ_j Weight[j] (∇f_{Index[j]}(w) − ∇f_{Index[j]}(w0)).
// It costs O(h·nonzeros of the batch), without a pass over d numbers if the
// batch is small, and adds exact zeros where w and w0 agree on the batch. dst
// must not overlap w or w0.
func (f *RowSum) AddGradDiff(dst, w, w0 []float64, batch fwopt.Batch) {
	checkLen(f.Dim(), "dst w w0", dst, w, w0)
	f.goBack(dst, w, w0, batch)
}

// goBack does what Grad does or, if w0 is not nil, AddGradDiff: by columns where the batch has
// at least half the rows, for the same number of nonzeros takes about twice as long by rows
// (measured on news20's shape).
func (f *RowSum) goBack(dst, w, w0 []float64, batch fwopt.Batch) {
	need.Batch("fwsum", batch.Index, batch.Weight, f.n)
	if batch.Index == nil || 2*len(batch.Index) >= f.n {
		f.backByColumns(dst, w, w0, batch)
		return
	}
	if w0 == nil {
		clear(dst)
	}
	f.backByRows(dst, w, w0, batch)
}

func (f *RowSum) backByColumns(dst, w, w0 []float64, batch fwopt.Batch) {
	var coef []float64 // the weight of each row
	if batch.Index != nil {
		all := kern.Borrow(f.n)
		defer kern.Return(all)
		coef = *all
		clear(coef)
		for j, i := range batch.Index {
			coef[i] += batch.Weight[j]
		}
	}
	known := []float64(nil)
	if w0 == nil { // else what w and w0 share must cancel to the bit
		all := kern.Borrow(f.n)
		defer kern.Return(all)
		if f.back.quick(*all, w) {
			known = *all
		}
	}
	laid, lent := f.x.layOut(w, f.h)
	defer kern.Return(lent)
	laid0, lent0 := f.x.layOut(w0, f.h)
	defer kern.Return(lent0)
	f.back.all(dst, w0 == nil, func(p []float64, lo, n int) {
		c := coef
		if c != nil {
			c = c[lo : lo+n]
		}
		less(p, laid, laid0, func(p, w []float64) { f.derive(p, w, known, lo, n, c) })
	})
}

// less sets p to what derive makes of w, less what it makes of w0 if that is not nil.
func less(p, w, w0 []float64, derive func(p, w []float64)) {
	derive(p, w)
	if w0 != nil {
		q := kern.Borrow(len(p))
		defer kern.Return(q)
		derive(*q, w0)
		floats.Sub(p, *q)
	}
}

// derive sets p to c_i∇ℓ_i at the scores of w, laid out, for the rows lo, …, lo+n−1; a nil coef has
// 1/n for each of all n. Where the scores of all rows are known they are taken.
func (f *RowSum) derive(p, w, known []float64, lo, n int, coef []float64) {
	if known == nil {
		f.x.scores(p, w, f.h, lo, n, coef)
	} else {
		copy(p, known[lo*f.h:])
	}
	c := 1 / float64(f.n)
	if l, ok := f.loss.(sweeper); ok && coef == nil {
		l.grads(lo, p, c)
		return
	}
	for r := range n {
		if coef != nil {
			c = coef[r]
		}
		f.slope(lo+r, p[r*f.h:(r+1)*f.h], c)
	}
}

// slope sets s to c∇ℓ_i at the scores s, which need not be computed where c = 0.
func (f *RowSum) slope(i int, s []float64, c float64) {
	if c == 0 {
		clear(s)
	} else {
		f.loss.Grad(i, s, c)
	}
}

// A sweeper is a loss of one score that does Grad for the rows from lo on at once.
type sweeper interface {
	grads(lo int, s []float64, c float64)
}

// backByRows adds the gradient of the batch to dst, or the difference of two
// if w0 is not nil, term by term in the order of the batch. A batch of one piece
// allocates nothing.
func (f *RowSum) backByRows(dst, w, w0 []float64, batch fwopt.Batch) {
	p := kern.Borrow(min(f.block, len(batch.Index)) * f.h)
	defer kern.Return(p)
	for lo := 0; lo < len(batch.Index); lo += f.block {
		index := batch.Index[lo:min(lo+f.block, len(batch.Index))]
		weight := batch.Weight[lo:]
		if len(index) <= f.rowGrain {
			f.deriveRows(*p, index, weight, w, w0, 0, len(index))
			f.back.rows(dst, *p, index, 0, f.m)
			continue
		}
		kern.Do(len(index), f.rowGrain, func(a, b int) {
			f.deriveRows(*p, index, weight, w, w0, a, b)
		})
		// Each share of the columns goes through the whole batch in order: the
		// bits are those of one share.
		shares := min(runtime.GOMAXPROCS(0), cuts, 1+len(index)/(2*f.rowGrain))
		kern.Do(shares, 1, func(a, b int) {
			f.back.rows(dst, *p, index, f.back.cut(a*cuts/shares), f.back.cut(b*cuts/shares))
		})
	}
}

// deriveRows sets the rows a to b−1 of p to c∇ℓ_i at the scores of w, less c∇ℓ_i at those
// of w0 if w0 is not nil, for the terms of index and their weights c.
func (f *RowSum) deriveRows(p []float64, index []int, weight, w, w0 []float64, a, b int) {
	less(p[a*f.h:b*f.h], w, w0, func(p, w []float64) {
		f.x.scoresOf(p, w, f.h, index[a:b])
		for r, i := range index[a:b] {
			f.slope(i, p[r*f.h:(r+1)*f.h], weight[a+r])
		}
	})
}

// Slopes sets p to the ∇ℓ_i at the scores w e_i of the rows index, h numbers each; a nil index has all rows, in
// order. It costs O(h·nonzeros of these).
func (f *RowSum) Slopes(p, w []float64, index []int) {
	checkLen(f.Dim(), "w", w)
	index = f.rows(index)
	checkLen(len(index)*f.h, "p", p)
	kern.Do(len(index), f.rowGrain, func(a, b int) {
		f.x.scoresOf(p[a*f.h:b*f.h], w, f.h, index[a:b])
		for r := a; r < b; r++ {
			f.slope(index[r], p[r*f.h:(r+1)*f.h], 1)
		}
	})
}

// AddRows does dst += Σ_r p_r e_{index[r]}ᵀ, in O(h·nonzeros of these rows); a nil index has all rows, in order.
func (f *RowSum) AddRows(dst, p []float64, index []int) {
	checkLen(f.Dim(), "dst", dst)
	index = f.rows(index)
	checkLen(len(index)*f.h, "p", p)
	f.back.rows(dst, p, index, 0, f.m)
}

// AddScores does s += cXv, for the n·h scores Xv: of a sparse v in O(numbers of the columns that it touches), of one
// of rank one at the price of one score a row, of a dense v in a forward pass.
func (f *RowSum) AddScores(s []float64, c float64, v *fwopt.Vertex) {
	checkLen(f.n*f.h, "s", s)
	v.Check(f.Dim())
	if v.U == nil && len(v.Index) > 0 {
		f.back.columns(s, c, v.Index, v.Value)
		return
	}
	u, w, h := v.U, v.V, 1
	if len(u) != f.h { // dense, or of rank one as a matrix of another shape
		p := kern.Borrow(v.D)
		defer kern.Return(p)
		v.Dense(*p)
		u, w, h = nil, *p, f.h
	}
	w, lent := f.x.layOut(w, h)
	defer kern.Return(lent)
	kern.Do(f.n, f.rowGrain, func(lo, hi int) {
		p := kern.Borrow((hi - lo) * h)
		defer kern.Return(p)
		f.x.scores(*p, w, h, lo, hi-lo, nil)
		if u == nil {
			kern.Axpy(s[lo*f.h:hi*f.h], c, *p)
		} else {
			kern.AddOuter(s[lo*f.h:hi*f.h], c, u, *p)
		}
	})
}

// GradAt computes dst = ∇f(w) from s = Xw, in the backward pass of Grad alone.
func (f *RowSum) GradAt(dst, s []float64) {
	checkLen(f.Dim(), "dst", dst)
	checkLen(f.n*f.h, "s", s)
	f.back.all(dst, true, func(p []float64, lo, n int) { f.derive(p, nil, s, lo, n, nil) })
}

// rows returns index, or all rows for nil.
func (f *RowSum) rows(index []int) []int {
	if index == nil {
		for i := range f.n {
			index = append(index, i)
		}
	}
	return index
}

// sum returns the sums of term over the pieces of n rows, with the same bits for any number
// of threads.
func (f *RowSum) sum(n int, term func(lo, hi int) (a, b float64)) (a, b float64) {
	return sumPieces(n, f.rowGrain, term)
}

func sumPieces(n, grain int, term func(lo, hi int) (a, b float64)) (a, b float64) {
	sums := kern.Borrow(2 * ((n + grain - 1) / grain))
	defer kern.Return(sums)
	kern.Do(n, grain, func(lo, hi int) {
		k := lo / grain
		(*sums)[2*k], (*sums)[2*k+1] = term(lo, hi)
	})
	for k, s := range *sums {
		if k%2 == 0 {
			a += s
		} else {
			b += s
		}
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

// Identify writes the data, both copies of it, h and the loss, which must have an
// identity, too. It costs O(n + nonzeros).
func (f *RowSum) Identify(id *fwopt.Identity) {
	id.Of(f).Part(f.x).Part(f.back).Int(f.h).Part(f.loss)
}

// Tested returns f, or what in it fwtest has not passed: see fwopt.Identity.
func (f *RowSum) Tested() any { return ident.First(f, f.loss) }

// String returns Name.
func (f *RowSum) String() string { return f.Name }

// maxRow returns max_i ‖e_i‖².
func (f *RowSum) maxRow() float64 {
	top := 0.0
	for i := range f.n {
		top = max(top, f.x.norm2(i))
	}
	return top
}
