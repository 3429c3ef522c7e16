package fwset

import (
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// areOrthonormal reports whether the columns of q are, to 1e-11.
func areOrthonormal(q *mat.Dense) bool {
	rows, cols := q.Dims()
	gram := kern.Borrow(cols * cols)
	defer kern.Return(gram)
	kern.Gram(*gram, q.RawMatrix().Data, rows, cols)
	for k, x := range *gram {
		if k%(cols+1) == 0 {
			x--
		}
		if !(math.Abs(x) <= 1e-11) {
			return false
		}
	}
	return true
}

// jacobi computes thin factors of x, rows ≥ cols, by rotations of pairs of its columns until
// all are orthogonal (Hestenes 1958; Golub & Van Loan, Matrix Computations, 8.6.3), in
// O(rows·cols²) a sweep, of which 5 to 15 are enough.
func jacobi(rows, cols int, x []float64) (u, v *mat.Dense, sigma []float64) {
	a, q := make([][]float64, cols), make([][]float64, cols) // columns
	for j := range a {
		a[j], q[j] = make([]float64, rows), make([]float64, cols)
		q[j][j] = 1
		for i := range rows {
			a[j][i] = x[i*cols+j]
		}
	}
	for sweep, turned := 0, true; turned && sweep < 60; sweep++ {
		turned = false
		for j := range a {
			for k := range j {
				jj, kk, jk := floats.Dot(a[j], a[j]), floats.Dot(a[k], a[k]), floats.Dot(a[j], a[k])
				if math.Abs(jk) <= float64(rows)*0x1p-53*math.Sqrt(jj*kk) {
					continue
				}
				turned = true
				ζ := (kk - jj) / (2 * jk)
				tan := math.Copysign(1/(math.Abs(ζ)+math.Hypot(1, ζ)), ζ)
				cos := 1 / math.Hypot(1, tan)
				turn(a[j], a[k], cos, cos*tan)
				turn(q[j], q[k], cos, cos*tan)
			}
		}
	}
	sigma = make([]float64, cols)
	order := make([]int, cols)
	for j := range order {
		order[j], sigma[j] = j, floats.Norm(a[j], 2)
	}
	slices.SortStableFunc(order, func(i, j int) int {
		if sigma[i] > sigma[j] {
			return -1
		}
		return 1
	})
	u, v = mat.NewDense(rows, cols, nil), mat.NewDense(cols, cols, nil)
	sorted := make([]float64, cols)
	for k, j := range order {
		sorted[k] = sigma[j]
		if sigma[j] > 0x1p-52*sorted[0] {
			floats.Scale(1/sigma[j], a[j])
		} else {
			complete(u, k, a[j])
		}
		u.SetCol(k, a[j])
		v.SetCol(k, q[j])
	}
	return u, v, sorted
}

// turn rotates two vectors: x = cos·x − sin·y, y = sin·x + cos·y.
func turn(x, y []float64, cos, sin float64) {
	for i, a := range x {
		b := y[i]
		x[i], y[i] = cos*a-sin*b, sin*a+cos*b
	}
}

// complete sets c to a unit vector that is orthogonal to the first k columns of u.
func complete(u *mat.Dense, k int, c []float64) {
	col := make([]float64, len(c))
	for e := range c {
		clear(c)
		c[e] = 1
		for range 2 {
			for j := range k {
				mat.Col(col, j, u)
				floats.AddScaled(c, -floats.Dot(col, c), col)
			}
		}
		if n := floats.Norm(c, 2); n*n*float64(2*len(c)) > 1 { // some e has at least (rows − k)/rows
			floats.Scale(1/n, c)
			return
		}
	}
}
