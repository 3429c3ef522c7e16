// Package eigen has what projections onto sets of matrices and their linear optimisation need of
// dense matrices: eigenvalues and vectors, all or the largest, by division or in a Krylov space.
// Products are kern's. Package fwset alone enters here. The bits of Lanczos are not yet the same
// on every processor: it stands on gonum.
package eigen

import (
	"math"

	"github.com/projection-free/fwlab/fwopt/internal/kern"
)

// Eigen overwrites the symmetric s × s matrix b, of which it reads the lower triangle,
// with its eigenvectors, vector i in column i, and fills w with the eigenvalues,
// ascending. It reports whether the iteration converged, which it does unless b holds
// NaN or an infinity. It costs 8s³/3 multiplications, fewer where eigenvalues are close
// to each other, and has the residual and the orthogonality of rounding: both about
// s·2⁻⁵²·‖B‖, whatever the spectrum.
func Eigen(b, w []float64) bool {
	s := len(w)
	if !EigenLargest(b, w, func([]float64) int { return s }) {
		return false
	}
	const block = 16 // whole lines of the cache, on both sides
	for i := 0; i < s; i += block {
		for j := 0; j <= i; j += block {
			for p := i; p < min(i+block, s); p++ {
				for q := j; q < min(j+block, p); q++ {
					b[p*s+q], b[q*s+p] = b[q*s+p], b[p*s+q]
				}
			}
		}
	}
	return true
}

// EigenLargest fills w with all eigenvalues of the symmetric s × s matrix b, ascending,
// asks count how many vectors are wanted, r, of the largest of them, and overwrites the
// first r rows of b with these: row i is the unit eigenvector of w[s−r+i]. The rest of b
// is rubbish then. It reads the lower triangle of b and reports whether the iteration
// converged, as Eigen does.
//
// It costs about s³ multiplications for the eigenvalues, and 3rs²/2 for the vectors.
// The method is Householder's reduction to a tridiagonal matrix in blocks (Dongarra,
// Sorensen and Hammarling, J. Comput. Appl. Math. 27, 1989), Cuppen's divide and conquer
// with the vectors of Gu and Eisenstat (SIAM J. Matrix Anal. Appl. 16, 1995), and the
// reflections once more, on the vectors that are wanted.
func EigenLargest(b, w []float64, count func(w []float64) int) bool {
	s := len(w)
	b = b[:s*s]
	power, ok := toUnit(b, s)
	if !ok || s == 0 {
		return ok
	}
	store := kern.Borrow(3*s*s + 6*s)
	defer kern.Return(store)
	cut := cutter(*store)
	t := dividers.Get().(*divider)
	defer func() {
		*t = divider{lists: t.lists} // and not the memory of others
		dividers.Put(t)
	}()
	*t = divider{n: s, d: w, e: cut(s), q: cut(s * s), pack: cut(s * s), s: cut(s * s),
		z: cut(s), pole: cut(s), zeta: cut(s), root: cut(s), lists: t.lists}
	tau := cut(s)
	reduce(b, s, t.d, t.e, tau)
	rows, ok := t.solve(func(w []float64) int {
		for i, x := range w {
			w[i] = math.Ldexp(x, power)
		}
		return count(w)
	})
	if ok {
		reflect(t.q[:len(rows)*s], b, s, tau)
		for i, row := range rows {
			copy(b[i*s:i*s+s], t.q[row*s:])
		}
	}
	return ok
}

// TopEigen returns the largest eigenvalue of the positive semidefinite matrix b of order
// s = len(u), up to rounding and from above, and fills u with a unit vector of it: if there
// are several, with any one of their span. It reads the lower triangle of b and destroys b.
// It reports false, and does nothing else, if that holds NaN or an infinity. It costs
// 2s³/3 multiplications.
func TopEigen(b, u []float64) (lambda float64, ok bool) {
	s := len(u)
	b = b[:s*s]
	power, ok := toUnit(b, s)
	if !ok || s == 0 {
		return 0, ok
	}
	store := kern.Borrow(5 * s)
	defer kern.Return(store)
	cut := cutter(*store)
	d, e, tau, pivot, sign := cut(s), cut(s), cut(s), cut(s), cut(s)
	reduce(b, s, d, e, tau)
	// With the signs of its vectors' numbers changed, a tridiagonal matrix has no
	// negative number beside the diagonal.
	sign[0], e[s-1] = 1, 0
	for i, x := range e[:s-1] {
		sign[i+1] = math.Copysign(1, x) * sign[i]
		e[i] = math.Abs(x)
	}
	lambda = topTri(d, e[:s-1], pivot)
	vecTri(u, lambda, d, e, pivot)
	for i, x := range sign {
		u[i] *= x
	}
	for i := 1; i < s; i++ {
		v := b[i*s : i*s+i]
		kern.Axpy(u[:i], -tau[i]*kern.DotPlain(v, u[:i]), v)
	}
	norm := math.Sqrt(kern.DotPlain(u, u))
	for i := range u {
		u[i] /= norm
	}
	return math.Ldexp(lambda, power), true
}

// cutter returns a function that cuts vectors off from v.
func cutter(v []float64) func(n int) []float64 {
	return func(n int) []float64 {
		c := v[:n:n]
		v = v[n:]
		return c
	}
}

// toUnit divides the lower triangle of b by a power of two, which it returns the
// exponent of, so that its largest number is near 1. It reports whether all numbers
// there are finite.
func toUnit(b []float64, s int) (power int, ok bool) {
	top := 0.0
	for i := range s {
		for _, x := range b[i*s : i*s+i+1] {
			x = math.Abs(x)
			if !(x <= math.MaxFloat64) {
				return 0, false
			}
			top = max(top, x)
		}
	}
	_, power = math.Frexp(top)
	// two factors, for one alone might overflow
	f, g := math.Ldexp(1, -power/2), math.Ldexp(1, -power+power/2)
	for i := range s {
		row := b[i*s : i*s+i+1]
		for j, x := range row {
			row[j] = x * f * g
		}
	}
	return power, true
}
