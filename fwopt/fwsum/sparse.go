package fwsum

import (
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
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

// Identify writes the whole matrix. It costs O(n + nonzeros).
func (a *Sparse) Identify(id *fwopt.Identity) {
	id.Of(a).Int(a.N, a.M)
	for i := range a.N {
		col, val := a.Row(i)
		id.Int(len(col)).Float(val...)
		for _, j := range col {
			id.Int(int(j))
		}
	}
}

// Size returns N and M.
func (a *Sparse) Size() (n, m int) { return a.N, a.M }

// Dense returns the matrix written out, in O(nm).
func (a *Sparse) Dense() *Dense {
	a.check()
	d := &Dense{N: a.N, M: a.M, Val: make([]float64, a.N*a.M)}
	for i := range a.N {
		col, val := a.Row(i)
		for k, j := range col {
			d.Val[i*a.M+int(j)] = val[k]
		}
	}
	return d
}

func (a *Sparse) nonzeros() int { return len(a.Val) }

func (a *Sparse) norm2(i int) float64 {
	_, val := a.Row(i)
	return floats.Dot(val, val)
}

func (a *Sparse) together() int { return 1 }

func (a *Sparse) layOut(w []float64, _ int) ([]float64, *[]float64) { return w, nil }

func (a *Sparse) scores(p, w []float64, h, lo, n int, coef []float64) {
	if h == 1 && coef == nil {
		kern.GatherMany(p, w, 1, a.Ptr[lo:lo+n+1], a.Col, a.Val, true)
		return
	}
	for r := range n {
		if coef == nil || coef[r] != 0 {
			a.score(p[r*h:(r+1)*h], w, lo+r)
		}
	}
}

func (a *Sparse) scoresOf(p, w []float64, h int, index []int) {
	const some = 16 // rows drawn lie anywhere
	for r, i := range index {
		if h == 1 && r%some == 0 {
			for _, i := range index[r:min(r+some, len(index))] {
				kern.Fetch(a.Row(i))
			}
		}
		a.score(p[r*h:(r+1)*h], w, i)
	}
}

func (a *Sparse) score(s, w []float64, i int) {
	clear(s)
	_, val := a.Row(i)
	kern.Gather(s, w, a.Col[a.Ptr[i]:], val) // the rows of the next example, too, are asked for
}

// check panics unless a is a well-formed matrix of numbers. It costs O(n + nonzeros).
func (a *Sparse) check() {
	if a.N <= 0 || a.M <= 0 || len(a.Ptr) != a.N+1 || a.Ptr[0] != 0 ||
		a.Ptr[a.N] != len(a.Val) || len(a.Col) != len(a.Val) {
		panic(need.Linef("fwsum: not a sparse matrix: %d x %d, %d row pointers, %d columns, %d values",
			a.N, a.M, len(a.Ptr), len(a.Col), len(a.Val)))
	}
	for i := range a.N {
		if a.Ptr[i] > a.Ptr[i+1] || a.Ptr[i+1] > len(a.Val) {
			panic(need.Linef("fwsum: row %d of a sparse matrix goes from %d to %d of %d values: "+
				"Ptr must not fall", i, a.Ptr[i], a.Ptr[i+1], len(a.Val)))
		}
		last := int32(-1)
		for _, j := range a.Col[a.Ptr[i]:a.Ptr[i+1]] {
			if j <= last || int(j) >= a.M {
				panic(need.Linef("fwsum: row %d of a sparse matrix: column %d after column %d, of %d columns",
					i, j, last, a.M))
			}
			last = j
		}
	}
	checkValues(a.Val, func(k int) int {
		i, _ := slices.BinarySearch(a.Ptr, k+1)
		return i - 1
	})
}

// byColumns is the way back for a sparse matrix. It has a transposed copy of it,
// block by block of rows: column j of block b is at ptr[b·M+j]:ptr[b·M+j+1], its rows
// counted from the first of the block.
type byColumns struct {
	x        *Sparse
	h, block int
	rowGrain int // rows of a piece of parallel work
	colGrain int // columns of one
	ptr      []int
	row      []int32
	val      []float64
	cuts     [cuts + 1]int // columns that share out the nonzeros evenly
}

// backward costs O(nonzeros).
func (a *Sparse) backward(sum *RowSum) backward {
	block := sum.block
	m, blocks := a.M, (a.N+block-1)/block
	f := &byColumns{x: a, h: sum.h, block: block,
		rowGrain: sum.rowGrain, colGrain: max(1, pieceSize/(sum.h*(len(a.Val)/m+2))),
		ptr: make([]int, blocks*m+1), row: make([]int32, len(a.Val)), val: make([]float64, len(a.Val))}
	for i := range a.N {
		col, _ := a.Row(i)
		for _, j := range col {
			f.ptr[i/block*m+int(j)]++
		}
	}
	at := 0
	for c, count := range f.ptr {
		f.ptr[c] = at
		at += count
	}
	for i := range a.N {
		col, val := a.Row(i)
		for k, j := range col {
			c := i/block*m + int(j)
			f.row[f.ptr[c]], f.val[f.ptr[c]] = int32(i%block), val[k]
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
		for ; q < cuts && seen*cuts >= q*len(a.Val); q++ {
			f.cuts[q] = j + 1
		}
	}
	for ; q <= cuts; q++ {
		f.cuts[q] = m
	}
	return f
}

// quick takes the columns where w is not 0, one score each, if they have at most a quarter
// of the data: the iterates of Frank-Wolfe on an ℓ1 ball or a simplex have as many as steps.
func (f *byColumns) quick(p, w []float64) bool {
	if f.h > 1 || f.block < f.x.N {
		return false
	}
	left := len(f.val) / 4
	for j, x := range w {
		if x != 0 {
			if left -= f.ptr[j+1] - f.ptr[j]; left < 0 {
				return false
			}
		}
	}
	kern.Do(f.x.N, (f.x.N+1)/2, func(lo, hi int) { // each row adds up its columns in order
		clear(p[lo:hi])
		for j, x := range w {
			if x == 0 {
				continue
			}
			row, val := f.row[f.ptr[j]:f.ptr[j+1]], f.val[f.ptr[j]:f.ptr[j+1]]
			from, _ := slices.BinarySearch(row, int32(lo))
			to, _ := slices.BinarySearch(row, int32(hi))
			kern.Scatter(p, w[j:j+1], row[from:to], val[from:to])
		}
	})
	return true
}

func (f *byColumns) all(dst []float64, fresh bool, derive derivatives) {
	m, h := f.x.M, f.h
	p := kern.Borrow(f.block * h)
	defer kern.Return(p)
	for lo := 0; lo < f.x.N; lo += f.block {
		kern.Do(min(f.block, f.x.N-lo), f.rowGrain, func(a, b int) { derive((*p)[a*h:b*h], lo+a, b-a) })
		ptr := f.ptr[lo/f.block*m:]
		kern.Do(m, f.colGrain, func(a, b int) {
			kern.GatherMany(dst[a*h:b*h], *p, h, ptr[a:b+1], f.row, f.val, fresh && lo == 0)
		})
	}
}

func (f *byColumns) rows(dst, p []float64, index []int, from, to int) {
	for r, i := range index {
		col, val := f.x.Row(i)
		if to-from < f.x.M {
			k, _ := slices.BinarySearch(col, int32(from))
			e, _ := slices.BinarySearch(col[k:], int32(to))
			col, val = col[k:k+e], val[k:k+e]
		}
		kern.Scatter(dst, p[r*f.h:(r+1)*f.h], col, val)
	}
}

func (f *byColumns) columns(s []float64, c float64, index []int, val []float64) {
	for k, at := range index {
		j, l, y := at/f.h, at%f.h, c*val[k]
		for b, lo := 0, 0; lo < f.x.N; b, lo = b+1, lo+f.block {
			from, to := f.ptr[b*f.x.M+j], f.ptr[b*f.x.M+j+1]
			for e, i := range f.row[from:to] {
				s[(lo+int(i))*f.h+l] += float64(y * f.val[from+e])
			}
		}
	}
}

func (f *byColumns) cut(q int) int { return f.cuts[q] }

// Identify writes the copy, for somebody may have changed the original.
func (f *byColumns) Identify(id *fwopt.Identity) { id.Of(f).Float(f.val...) }
