package fwsum

import (
	"math"
	"strings"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Features is the data of a RowSum, whose rows are e_1, …, e_n: a *Sparse or a *Dense
// matrix. Which of the two it is decides the cost and, by the order of sums, the last
// bits of values.
type Features interface {
	Size() (n, m int) // rows (examples) and columns (features)
	Identify(id *fwopt.Identity)

	check()              // panics unless the matrix is well formed and finite
	nonzeros() int       // numbers that are kept
	norm2(i int) float64 // ‖e_i‖²
	together() int       // rows that are worth an own call of scores
	// layOut returns w, where w[j·h+l] is the weight of column j for score l, as scores takes it,
	// and what to give back with kern.Return; a nil w stays nil.
	layOut(w []float64, h int) (laid []float64, lent *[]float64)
	// scores computes the scores w e_i of the rows lo, …, lo+n−1, h a row of p, from what layOut made of w.
	// Those of rows with coef 0 need not be computed; a nil coef has none.
	scores(p, w []float64, h, lo, n int, coef []float64)
	// scoresOf does so for the few rows that index names, from w as it is.
	scoresOf(p, w []float64, h int, index []int)
	backward(f *RowSum) backward
}

// derivatives sets p to the derivatives by the scores of the rows lo, …, lo+n−1, h a row.
type derivatives func(p []float64, lo, n int)

// backward is the way from the derivatives by the scores to the gradient. Goroutines share
// it out, and the bits do not depend on the share.
type backward interface {
	// quick sets p to the scores of all rows where there is one a row and w is so sparse that
	// its columns alone give them sooner, and reports whether it did.
	quick(p, w []float64) bool
	// all does dst += Σ_i p_i e_iᵀ over all rows with the derivatives p_i; if fresh, dst
	// need not hold numbers and counts as 0.
	all(dst []float64, fresh bool, derive derivatives)
	// rows does dst += Σ_r p_r e_{index[r]}ᵀ, in the columns from, …, to−1, in the order
	// of the rows whatever the columns.
	rows(dst, p []float64, index []int, from, to int)
	// columns does s += cXv, where v has the numbers val at the places index of a vector and 0 else.
	columns(s []float64, c float64, index []int, val []float64)
	// cut returns the column where share q of cuts begins.
	cut(q int) int
	Identify(id *fwopt.Identity)
}

// checkData panics unless x is a matrix that is well formed and finite.
func checkData(x Features) {
	if ident.IsNil(x) {
		panic(need.Line("fwsum: the data is nil, want a *Sparse or a *Dense"))
	}
	x.check()
}

// checkValues panics unless the numbers of a matrix are finite; number k is in row(k).
func checkValues(val []float64, row func(k int) int) {
	for k, v := range val {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			panic(need.Linef("fwsum: row %d of the data has the value %g", row(k), v))
		}
	}
}

// checkTargets panics unless b has a number for each row of x.
func checkTargets(x Features, b []float64) {
	if n, _ := x.Size(); len(b) != n {
		panic(need.Linef("fwsum: %d targets for %d rows", len(b), n))
	}
	checkFinite("target", b)
}

// checkLen panics unless all x, of these names, have d numbers.
func checkLen(d int, names string, x ...[]float64) {
	for i, x := range x {
		if len(x) != d {
			panic(need.Linef("fwsum: %s has length %d, want %d", strings.Fields(names)[i], len(x), d))
		}
	}
}

func checkFinite(name string, x []float64) {
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			panic(need.Linef("fwsum: %s %d is %g", name, i, v))
		}
	}
}
