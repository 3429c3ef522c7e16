package kern

import "math"

// choleskyPanel is how many columns are factored between two updates of the rest.
const choleskyPanel = 48

// Definite reports whether the symmetric matrix A of order n, of which it reads the lower
// triangle, is positive definite: whether it has a Cholesky factor, up to rounding. It
// destroys that triangle. It costs n³/6 products. A matrix that holds a NaN is not.
func Definite(a []float64, n int) bool {
	nb := choleskyPanel
	store := Borrow(n*nb + n)
	defer Return(store)
	panel, y := (*store)[:n*nb], (*store)[n*nb:]
	for lo := 0; lo < n; lo += nb {
		k, m := min(nb, n-lo), n-lo
		for i := range m {
			copy(panel[i*nb:i*nb+min(k, i+1)], a[(lo+i)*n+lo:])
		}
		for j := range k {
			rest, row := panel[j*nb:m*nb], panel[j*nb:j*nb+j]
			if j > 0 {
				dots(y[:m-j], rest, nb, row)
			} else {
				clear(y[:m])
			}
			d := rest[j] - y[0]
			if !(d > 0) {
				return false
			}
			d = 1 / math.Sqrt(d)
			for i, t := range y[:m-j] {
				rest[i*nb+j] = (rest[i*nb+j] - t) * d
			}
		}
		if m > k {
			SubSquare(a[(lo+k)*n+lo+k:], n, m-k, panel[k*nb:m*nb], nb, 1, k)
		}
	}
	return true
}

// SubSquare does C −= U·Uᵀ in the lower triangle of the matrix C of order n, row i of which
// begins at c[i·ldc]. U is n × k, its number i, l is u[i·ui + l·ul], and ui or ul is 1. It
// costs n²k/2 products.
func SubSquare(c []float64, ldc, n int, u []float64, ui, ul, k int) {
	if n == 0 || k == 0 {
		return
	}
	reach(c, (n-1)*ldc+n)
	reach(u, (n-1)*ui+(k-1)*ul+1)
	cols := stripCols()
	count := (n + cols - 1) / cols
	for from := 0; from < k; from += deep {
		d := min(deep, k-from)
		buf := Borrow(count * d * cols)
		Do(count, 8, func(lo, hi int) {
			w := min(hi*cols, n) - lo*cols
			strips(cols, (*buf)[lo*d*cols:], u[lo*cols*ui+from*ul:], ul, ui, w, d)
		})
		subStrips(c, ldc, n, *buf, *buf, d)
		Return(buf)
	}
}
