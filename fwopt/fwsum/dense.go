package fwsum

import (
	"fmt"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"gonum.org/v1/gonum/floats"
)

// Dense is an n × m matrix of which all numbers are kept, row by row: row i is
// Val[i·M:(i+1)·M]. Its rows are the feature vectors e_1, …, e_n of Section 2.1. A
// RowSum of it has the gradients of one of the same matrix as a Sparse, to the same
// bits if it has two scores or more; its value adds up in another order. It needs a
// third of the memory if no number is 0.
type Dense struct {
	N, M int       // rows (examples) and columns (features)
	Val  []float64 // N·M numbers
}

// Row returns row i, not copied.
func (a *Dense) Row(i int) []float64 { return a.Val[i*a.M : (i+1)*a.M : (i+1)*a.M] }

// Size returns N and M.
func (a *Dense) Size() (n, m int) { return a.N, a.M }

// Identify says the whole matrix. It costs O(nm).
func (a *Dense) Identify(id *fwopt.Identity) { id.Of(a).Int(a.N, a.M).Float(a.Val...) }

func (a *Dense) check() {
	if a.N <= 0 || a.M <= 0 || len(a.Val)/a.M != a.N || len(a.Val)%a.M != 0 {
		panic(fmt.Sprintf("fwsum: not a dense matrix: %d x %d, %d values", a.N, a.M, len(a.Val)))
	}
	checkValues(a.Val, func(k int) int { return k / a.M })
}

func (a *Dense) nonzeros() int { return len(a.Val) }

func (a *Dense) norm2(i int) float64 { return floats.Dot(a.Row(i), a.Row(i)) }

func (a *Dense) scores(s, w []float64, i int) {
	clear(s)
	kern.GatherAll(s, w, a.Row(i))
}

func (a *Dense) backward(h, _ int) backward { return &denseRows{a, h} }

// denseRows is the way back for a dense matrix, which needs no copy.
type denseRows struct {
	x *Dense
	h int
}

func (f *denseRows) columns(dst, p []float64, lo, n, from, to int, fresh bool) {
	d := dst[from*f.h : to*f.h]
	if fresh {
		clear(d)
	}
	for r := range n {
		kern.ScatterAll(d, p[r*f.h:(r+1)*f.h], f.x.Row(lo + r)[from:to])
	}
}

func (f *denseRows) rows(dst, p []float64, index []int, from, to int) {
	d := dst[from*f.h : to*f.h]
	for r, i := range index {
		kern.ScatterAll(d, p[r*f.h:(r+1)*f.h], f.x.Row(i)[from:to])
	}
}

func (f *denseRows) cut(q int) int { return f.x.M * q / cuts }

// Identify says nothing more: the matrix itself is what is used.
func (f *denseRows) Identify(id *fwopt.Identity) { id.Of(f) }
