package fwsum

import (
	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// Dense is an n × m matrix of which all numbers are kept, row by row: row i is
// Val[i·M:(i+1)·M]. Its rows are the feature vectors e_1, …, e_n of Section 2.1. A
// RowSum of it has the values and gradients of one of the same matrix as a Sparse up to
// rounding, by products of matrices, and reads the data once for an exact gradient. It
// needs two thirds of the memory if no number is 0, without the copy by columns a third.
type Dense struct {
	N, M int       // rows (examples) and columns (features)
	Val  []float64 // N·M numbers
}

// Row returns row i, not copied.
func (a *Dense) Row(i int) []float64 { return a.Val[i*a.M : (i+1)*a.M : (i+1)*a.M] }

// Size returns N and M.
func (a *Dense) Size() (n, m int) { return a.N, a.M }

// Identify writes the whole matrix. It costs O(nm).
func (a *Dense) Identify(id *fwopt.Identity) { id.Of(a).Int(a.N, a.M).Float(a.Val...) }

func (a *Dense) check() {
	if a.N <= 0 || a.M <= 0 || len(a.Val)/a.M != a.N || len(a.Val)%a.M != 0 {
		panic(need.Linef("fwsum: not a dense matrix: %d x %d, %d values", a.N, a.M, len(a.Val)))
	}
	checkValues(a.Val, func(k int) int { return k / a.M })
}

func (a *Dense) nonzeros() int { return len(a.Val) }

func (a *Dense) norm2(i int) float64 { return floats.Dot(a.Row(i), a.Row(i)) }

// blockRows are the rows whose products with a matrix are computed together.
const blockRows = 96

func (a *Dense) together() int { return blockRows }

func (a *Dense) layOut(w []float64, h int) (laid []float64, lent *[]float64) {
	if w == nil {
		return nil, nil
	}
	return kern.LayOut(w, a.M, h)
}

func (a *Dense) scores(p, w []float64, h, lo, n int, _ []float64) {
	kern.Scores(p, a.Val[lo*a.M:], w, n, a.M, h)
}

func (a *Dense) scoresOf(p, w []float64, h int, index []int) {
	if h == 1 { // a row of its own is as fast, and w is laid out as it is
		for r, i := range index {
			kern.Scores(p[r:r+1], a.Row(i), w, 1, a.M, 1)
		}
		return
	}
	a.packed(index, 0, a.M, func(rows []float64, lo, n int) { kern.ScoresOnce(p[lo*h:], rows, w, n, a.M, h) })
}

// packed hands f the columns from, …, to−1 of the rows that index names, n rows at a time,
// one after the other.
func (a *Dense) packed(index []int, from, to int, f func(rows []float64, lo, n int)) {
	m := to - from
	buf := kern.Borrow(min(len(index), blockRows) * m)
	defer kern.Return(buf)
	for lo := 0; lo < len(index); lo += blockRows {
		n := min(blockRows, len(index)-lo)
		for r, i := range index[lo : lo+n] {
			copy((*buf)[r*m:(r+1)*m], a.Row(i)[from:to])
		}
		f((*buf)[:n*m], lo, n)
	}
}

func (a *Dense) backward(f *RowSum) backward { return &denseRows{a, f.h} }

// denseRows is the way back for a dense matrix, which needs no copy.
type denseRows struct {
	x *Dense
	h int
}

// quick is never worth while: the way back reads all rows anyhow.
func (f *denseRows) quick(_, _ []float64) bool { return false }

// all goes back from a block of rows while it is in the cache. Pieces of the rows have
// gradients of their own, at most a sixteenth of the data together, which are added up in
// order.
func (f *denseRows) all(dst []float64, fresh bool, derive derivatives) {
	const pieces = 8
	n := f.x.N
	grain := max((n+pieces-1)/pieces, 16*f.h)
	grain = (grain + 15) &^ 15 // whole fours
	if fresh {
		clear(dst)
	}
	addPieces(dst, n, grain, func(part []float64, lo, hi int) { f.piece(part, lo, hi, derive) })
}

// addPieces adds to dst what add adds to gradients of its own for pieces of grain of n rows, in order: the same
// bits for any number of threads.
func addPieces(dst []float64, n, grain int, add func(part []float64, lo, hi int)) {
	d, more := len(dst), max(0, (n-1)/grain) // gradients beside dst
	parts := kern.Borrow(more * d)
	defer kern.Return(parts)
	kern.Do(n, grain, func(lo, hi int) {
		part := dst
		if lo > 0 {
			part = (*parts)[(lo/grain-1)*d:][:d]
			clear(part)
		}
		add(part, lo, hi)
	})
	for k := range more {
		floats.Add(dst, (*parts)[k*d:(k+1)*d])
	}
}

func (f *denseRows) piece(dst []float64, lo, hi int, derive derivatives) {
	m, rows := f.x.M, blockRows
	if f.h == 1 {
		rows = 16 // in the first cache
	}
	buf := kern.Borrow(rows * f.h)
	defer kern.Return(buf)
	fours := (f.h + 3) &^ 3 // the kernel's rows, which go into dst at the end
	if f.h == 1 || f.h == fours || f.h > kern.TileCols {
		fours = f.h
	}
	wide := kern.Borrow((m + rows) * fours)
	defer kern.Return(wide)
	sum, q := dst, (*wide)[m*fours:]
	if fours > f.h {
		sum = (*wide)[:m*fours]
		widen(sum, fours, dst, f.h)
	}
	for ; lo < hi; lo += rows {
		n := min(rows, hi-lo)
		p := (*buf)[:n*f.h]
		derive(p, lo, n)
		if fours > f.h {
			widen(q, fours, p, f.h)
			p = q
		}
		kern.AddBack(sum, f.x.Val[lo*m:], p, n, m, fours)
	}
	if fours > f.h {
		for j := range m {
			copy(dst[j*f.h:(j+1)*f.h], sum[j*fours:])
		}
	}
}

// widen copies rows of h numbers to longer ones, with zeros at their ends.
func widen(dst []float64, long int, src []float64, h int) {
	for i := range len(src) / h {
		row := dst[i*long:][:long]
		clear(row[copy(row, src[i*h:(i+1)*h]):])
	}
}

func (f *denseRows) rows(dst, p []float64, index []int, from, to int) {
	h := f.h
	d := dst[from*h : to*h]
	if h == 1 {
		for r, i := range index {
			kern.Axpy(d, p[r], f.x.Row(i)[from:to])
		}
		return
	}
	f.x.packed(index, from, to, func(rows []float64, lo, n int) {
		kern.AddBack(d, rows, p[lo*h:], n, to-from, h)
	})
}

func (f *denseRows) columns(s []float64, c float64, index []int, val []float64) {
	kern.Do(f.x.N, max(1, pieceSize/(1+len(index))), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := f.x.Row(i)
			for k, at := range index {
				s[i*f.h+at%f.h] += float64(c * val[k] * row[at/f.h])
			}
		}
	})
}

func (f *denseRows) cut(q int) int { return f.x.M * q / cuts }

// Identify writes nothing more: the matrix itself is what is used.
func (f *denseRows) Identify(id *fwopt.Identity) { id.Of(f) }
