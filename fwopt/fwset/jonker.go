package fwset

import (
	"cmp"
	"math"
	"slices"
)

// assign finds the permutation with the least Σ_i c[i·n+col[i]], by the algorithm of
// Jonker & Volgenant (Computing 38, 1987): a reduction of the columns, two passes of
// augmenting row reduction, and a shortest augmenting path for each row that is left. v
// gets the columns' prices: c[i·n+j] − v[j] is least at j = col[i] in each row i. It
// costs O(n³) at worst, O(n²) where sorting does it; whole numbers are added and subtracted
// exactly. c is finite.
func assign(c []float64, n int, col []int, v []float64) {
	if sorted(c, n, min(n, 8), col, v) && sorted(c, n, n, col, v) {
		return
	}
	a := &assignment{c: c, n: n, col: col, v: v, row: make([]int, n)}
	a.reduceColumns()
	for range 2 {
		a.reduceRows()
	}
	d, pred, cols := make([]float64, n), make([]int, n), make([]int, n)
	for _, i := range a.free {
		a.augment(i, d, pred, cols)
	}
}

// sorted is assign for the first m rows and columns, and true, where these can be ordered so
// that c_ij + c_kl ≤ c_il + c_kj for i < k and j < l: so can products x_i·y_j and convex
// functions of x_i − y_j. Then the k-th row has the k-th column (Hoffman, Proc. Symp. Pure
// Math. 7, 1963). Prices prove the answer, so an order found by mistake costs time alone.
func sorted(c []float64, n, m int, col []int, v []float64) bool {
	far := 0 // c_i0 − c_i,far orders the rows, from either end
	for j, x := range c[:m] {
		if math.Abs(x-c[0]) > math.Abs(c[far]-c[0]) {
			far = j
		}
	}
	rows, cols := make([]int, m), make([]int, m)
	for k := range m {
		rows[k], cols[k] = k, k
	}
	order := func(a []int, key func(int) float64) {
		slices.SortFunc(a, func(i, k int) int { return cmp.Compare(key(i), key(k)) })
	}
	order(rows, func(i int) float64 { return c[i*n] - c[i*n+far] })
	top, end := rows[0]*n, rows[m-1]*n
	order(cols, func(j int) float64 { return c[top+j] - c[end+j] })
	for k, i := range rows {
		if col[i] = cols[k]; k == 0 {
			v[cols[0]] = 0
			continue
		}
		h, l := rows[k-1]*n, cols[k-1]
		most, least := c[h+cols[k]]-c[h+l], c[i*n+cols[k]]-c[i*n+l]
		if most < least {
			return false
		}
		v[cols[k]] = v[l] + (most+least)/2
	}
	for i := range m {
		own := c[i*n+col[i]] - v[col[i]]
		for j, x := range c[i*n : i*n+m] {
			if x-v[j] < own {
				return false
			}
		}
	}
	return true
}

type assignment struct {
	c    []float64
	n    int
	col  []int     // of each row; −1 if it has none
	row  []int     // of each column; −1 if it has none
	v    []float64 // prices of the columns
	free []int     // rows without a column
}

func (a *assignment) costs(i int) []float64 { return a.c[i*a.n : (i+1)*a.n] }

// reduceColumns gives each column its least row, as far as that has none yet.
func (a *assignment) reduceColumns() {
	copy(a.v, a.costs(0)) // v[j] = min_i c_ij, and row[j] where it is
	for i := 1; i < a.n; i++ {
		for j, x := range a.costs(i) {
			if x < a.v[j] {
				a.v[j], a.row[j] = x, i
			}
		}
	}
	for i := range a.col {
		a.col[i] = -1
	}
	for j := a.n - 1; j >= 0; j-- {
		if i := a.row[j]; a.col[i] < 0 {
			a.col[i] = j
		} else {
			a.row[j] = -1
		}
	}
	for i, j := range a.col {
		if j < 0 {
			a.free = append(a.free, i)
		}
	}
}

// reduceRows gives each free row its best column and lowers that one's price until the
// second best is as good. Who had the column is free and next in turn; or left for later,
// where the price does not fall, rounding included, or after n turns for nothing.
func (a *assignment) reduceRows() {
	free, later, turns := a.free, 0, 0 // free[:later] are left for later
	for k := 0; k < len(free); {
		i := free[k]
		k++
		costs := a.costs(i)
		j1, j2, u1, u2 := 0, -1, costs[0]-a.v[0], math.Inf(1)
		for j := 1; j < a.n; j++ {
			if x := costs[j] - a.v[j]; x < u2 {
				if x >= u1 {
					u2, j2 = x, j
				} else {
					u2, u1, j2, j1 = u1, x, j1, j
				}
			}
		}
		i0, lower := a.row[j1], false
		if u1 < u2 && j2 >= 0 {
			price := a.v[j1] - (u2 - u1)
			lower = price < a.v[j1]
			a.v[j1] = price
		} else if i0 >= 0 && j2 >= 0 {
			j1, i0 = j2, a.row[j2]
		}
		a.col[i], a.row[j1] = j1, i
		if i0 < 0 {
			continue
		}
		a.col[i0] = -1
		if turns++; lower && turns < a.n {
			k--
			free[k] = i0
		} else {
			free[later] = i0
			later++
		}
	}
	a.free = free[:later]
}

// augment finds the shortest path from row f to a free column, where a step from a row i
// to a column j costs c_ij − v_j − (c_ij' − v_j') beside the column j' of i, and gives each
// row on it the next column.
func (a *assignment) augment(f int, d []float64, pred, cols []int) {
	for j, x := range a.costs(f) {
		d[j], pred[j], cols[j] = x-a.v[j], f, j
	}
	low, up, last := 0, 0, 0 // cols[:low] are done, cols[low:up] at the distance least
	least, end := 0.0, -1
	for end < 0 {
		if low == up { // find the next distance
			last, least = low, d[cols[up]]
			up++
			for k := up; k < a.n; k++ {
				j := cols[k]
				if x := d[j]; x <= least {
					if x < least {
						up, least = low, x
					}
					cols[k], cols[up] = cols[up], j
					up++
				}
			}
			for _, j := range cols[low:up] {
				if a.row[j] < 0 {
					end = j
					break
				}
			}
		}
		for end < 0 && low < up {
			j1 := cols[low]
			low++
			i := a.row[j1]
			costs := a.costs(i)
			h := costs[j1] - a.v[j1] - least
			for k := up; k < a.n; k++ {
				j := cols[k]
				if x := costs[j] - a.v[j] - h; x < d[j] {
					pred[j] = i
					if d[j] = x; x <= least {
						if a.row[j] < 0 {
							end = j
							break
						}
						cols[k], cols[up] = cols[up], j
						up++
					}
				}
			}
		}
	}
	for _, j := range cols[:last] {
		a.v[j] += d[j] - least
	}
	for i := -1; i != f; {
		i = pred[end]
		a.row[end] = i
		a.col[i], end = end, a.col[i]
	}
}
