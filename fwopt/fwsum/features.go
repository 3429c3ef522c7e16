package fwsum

import (
	"fmt"
	"math"

	"github.com/projection-free/fwlab/fwopt"
)

// Features is the data of a RowSum, whose rows are e_1, …, e_n: a *Sparse or a *Dense
// matrix. Which of the two it is decides the cost and, by the order of sums, the last
// bits of values.
type Features interface {
	Size() (n, m int) // rows (examples) and columns (features)
	fwopt.Identified

	check()                       // panics unless the matrix is well formed and finite
	nonzeros() int                // numbers that are kept
	norm2(i int) float64          // ‖e_i‖²
	scores(s, w []float64, i int) // s = w e_i, where w[j·h+l] is the weight of column j for score l
	backward(h, block int) backward
}

// backward is the way from the derivatives by the scores, h a row, to the gradient. It
// works in some of the columns only, so that goroutines can share them out, and adds
// in the order of the rows whatever the share.
type backward interface {
	// columns does dst += Σ_r p_r e_{lo+r}ᵀ over the n rows of the block that begins at
	// row lo, in the columns from, …, to−1; if fresh, dst need not hold numbers there
	// and counts as 0.
	columns(dst, p []float64, lo, n, from, to int, fresh bool)
	// rows does dst += Σ_r p_r e_{index[r]}ᵀ, in the columns from, …, to−1.
	rows(dst, p []float64, index []int, from, to int)
	// cut returns the column where share q of cuts begins.
	cut(q int) int
	fwopt.Identified
}

// checkValues panics unless the numbers of a matrix are finite; number k is in row(k).
func checkValues(val []float64, row func(k int) int) {
	for k, v := range val {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			panic(fmt.Sprintf("fwsum: row %d of the data has the value %g", row(k), v))
		}
	}
}

// checkTargets panics unless b has a number for each row of x.
func checkTargets(x Features, b []float64) {
	if n, _ := x.Size(); len(b) != n {
		panic(fmt.Sprintf("fwsum: %d targets for %d rows", len(b), n))
	}
	checkFinite("target", b)
}

func checkFinite(name string, x []float64) {
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			panic(fmt.Sprintf("fwsum: %s %d is %g", name, i, v))
		}
	}
}
