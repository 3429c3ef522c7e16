package eigen

import (
	"math"

	"github.com/projection-free/fwlab/fwopt/internal/kern"
)

// choleskyPanel is how many columns are factored between two updates of the rest.
const choleskyPanel = 48

// Definite reports whether the symmetric matrix A of order n, of which it reads the lower
// triangle, is positive definite: whether it has a Cholesky factor, up to rounding. It
// destroys that triangle. It costs n³/6 products. A matrix that holds a NaN is not.
func Definite(a []float64, n int) bool {
	nb := choleskyPanel
	store := kern.Borrow(n*nb + n)
	defer kern.Return(store)
	panel, y := (*store)[:n*nb], (*store)[n*nb:]
	for lo := 0; lo < n; lo += nb {
		k, m := min(nb, n-lo), n-lo
		for i := range m {
			copy(panel[i*nb:i*nb+min(k, i+1)], a[(lo+i)*n+lo:])
		}
		for j := range k {
			rest, row := panel[j*nb:m*nb], panel[j*nb:j*nb+j]
			if j > 0 {
				kern.Dots(y[:m-j], rest, nb, row)
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
			kern.SubSquare(a[(lo+k)*n+lo+k:], n, m-k, panel[k*nb:m*nb], nb, 1, k)
		}
	}
	return true
}
