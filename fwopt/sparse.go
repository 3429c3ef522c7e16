package fwopt

import (
	"fmt"
)

// Sparse is an n × m matrix stored by rows (compressed sparse row): row i has
// the columns Col[Ptr[i]:Ptr[i+1]], ascending, and the values at the same
// places of Val. The rows are the feature vectors e_1, …, e_n of Section 2.1.
type Sparse struct {
	N, M int       // rows (examples) and columns (features)
	Ptr  []int     // length N+1, Ptr[0] = 0, Ptr[N] = len(Val)
	Col  []int32   // 0 ≤ Col[k] < M
	Val  []float64 // the non-zeros
}

// Row returns the columns and values of row i, not copied.
func (a *Sparse) Row(i int) (col []int32, val []float64) {
	return a.Col[a.Ptr[i]:a.Ptr[i+1]], a.Val[a.Ptr[i]:a.Ptr[i+1]]
}

// Identify says the whole matrix. It costs O(n + nonzeros).
func (a *Sparse) Identify(id *Identity) {
	id.Of(a).Int(a.N, a.M)
	for i := range a.N {
		col, val := a.Row(i)
		id.Int(len(col)).Float(val...)
		for _, j := range col {
			id.Int(int(j))
		}
	}
}

// check panics unless a is a well-formed matrix. It costs O(n + nonzeros).
func (a *Sparse) check() {
	if a == nil {
		panic("fwopt: the data is nil, want a *Sparse")
	}
	if a.N <= 0 || a.M <= 0 || len(a.Ptr) != a.N+1 || a.Ptr[0] != 0 ||
		a.Ptr[a.N] != len(a.Val) || len(a.Col) != len(a.Val) {
		panic(fmt.Sprintf("fwopt: not a sparse matrix: %d x %d, %d row pointers, %d columns, %d values",
			a.N, a.M, len(a.Ptr), len(a.Col), len(a.Val)))
	}
	for i := range a.N {
		if a.Ptr[i] > a.Ptr[i+1] {
			panic(fmt.Sprintf("fwopt: row %d of a sparse matrix ends before it starts", i))
		}
		last := int32(-1)
		for _, j := range a.Col[a.Ptr[i]:a.Ptr[i+1]] {
			if j <= last || int(j) >= a.M {
				panic(fmt.Sprintf("fwopt: row %d of a sparse matrix: column %d after column %d, of %d columns", i, j, last, a.M))
			}
			last = j
		}
	}
}
