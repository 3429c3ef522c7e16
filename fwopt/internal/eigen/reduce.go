package eigen

import (
	"math"

	"github.com/projection-free/fwlab/fwopt/internal/kern"
)

const (
	reducePanel  = 32 // reflections between two updates of what is left of the matrix
	reduceRows   = 96 // rows of the matrix that one task updates
	reflectPanel = 32 // reflections in one product
	// What is below it is zero, beside a norm near 1: squares keep their accuracy.
	negligible = 0x1p-450
)

// reduce makes the symmetric matrix A of order n, the lower triangle of a, tridiagonal:
// T = QᵀAQ has the diagonal d and beside it e[:n−1]. Q = H_{n−1}···H_1 is a product of
// reflections, H_i = I − τ_i·v·vᵀ with v = a[i·n : i·n+i], whose last number is 1 or, if
// τ_i = 0, any. Of a, the diagonal and what is above are rubbish then.
//
// The last row is the first to be reduced, so that rows are read from their start, and
// what is left is a matrix of the same form. A panel's reflections wait until it is done:
// A − Σ v·wᵀ + w·vᵀ is what each of them meets.
func reduce(a []float64, n int, d, e, tau []float64) {
	nb := reducePanel
	store := kern.Borrow(2*nb*n + 2*nb + n)
	defer kern.Return(store)
	cut := cutter(*store)
	panel, c, y := cut(2*nb*n), cut(2*nb), cut(n)
	for m := n; m > 0; {
		k := min(nb, m)
		for j := range k {
			i := m - 1 - j
			r, vw := a[i*n:i*n+i+1], panel[2*j*m:2*(j+1)*m]
			clear(vw)
			// Four rows at a time are faster: one more pair is zeros, for an odd j.
			c := c[:(2*j+3)&^3]
			for l := 0; l < 2*j; l += 2 { // row i of what the panel has changed
				c[l], c[l+1] = -panel[(l+1)*m+i], -panel[l*m+i]
			}
			clear(c[2*j:])
			kern.Combine(r, panel, m, c)
			d[i] = r[i]
			if i == 0 {
				break
			}
			if tau[i], e[i-1] = reflection(r[:i]); tau[i] == 0 {
				continue
			}
			v, w, y := vw[:i], vw[m:m+i], y[:i]
			copy(v, r)
			kern.SymMul(y, a, n, i, v)
			kern.Dots(c, panel, m, v)
			for l := 0; l < 2*j; l += 2 {
				c[l], c[l+1] = -c[l+1], -c[l]
			}
			clear(c[2*j:])
			kern.Combine(y, panel, m, c)
			h := tau[i]
			g := -0.5 * h * h * kern.DotPlain(y, v)
			for l, t := range v {
				w[l] = float64(h*y[l]) + float64(g*t)
			}
		}
		m0 := m
		m -= k
		update(a, n, m, panel, m0, k)
	}
}

// update does A −= Σ v_j·w_jᵀ + w_j·v_jᵀ in the lower triangle of the leading m rows, where
// v_j and w_j are the rows 2j and 2j+1 of vw.
func update(a []float64, n, m int, vw []float64, ld, k int) {
	if m == 0 {
		return
	}
	swap := kern.Borrow(2 * k * m)
	defer kern.Return(swap)
	for l := range 2 * k {
		copy((*swap)[l*m:][:m], vw[(l^1)*ld:])
	}
	for lo := 0; lo < m; lo += reduceRows {
		rows := min(reduceRows, m-lo)
		kern.Mul(a[lo*n:], n, vw[lo:], ld, true, *swap, m, false, rows, lo+rows, 2*k, -1, 1)
	}
}

// reflection makes the vector v of the reflection I − τ·v·vᵀ that maps x to ±‖x‖ times the
// last unit vector, in the place of x, and returns τ and the last number, e, of the image.
func reflection(x []float64) (tau, e float64) {
	last := len(x) - 1
	rest := kern.DotPlain(x[:last], x[:last])
	if e = x[last]; rest < negligible*negligible {
		return 0, e
	}
	norm := -math.Copysign(math.Sqrt(float64(e*e)+rest), e)
	tau = (norm - e) / norm
	f := 1 / (e - norm)
	for l := range x[:last] {
		x[l] *= f
	}
	x[last] = 1
	return tau, norm
}

// reflect multiplies the rows of s, of n numbers, by Qᵀ from the right, with the Q of
// reduce: eigenvectors of T become those of A.
func reflect(s, a []float64, n int, tau []float64) {
	r := len(s) / max(n, 1)
	if r == 0 {
		return
	}
	const nb = reflectPanel
	buf := kern.Borrow(nb*n + 2*nb*nb + 2*r*nb)
	defer kern.Return(buf)
	cut := cutter(*buf)
	y, g, t, p, pt := cut(nb*n), cut(nb*nb), cut(nb*nb), cut(r*nb), cut(r*nb)
	for lo := 1; lo < n; lo += nb {
		k := min(nb, n-lo)
		m := lo + k - 1 // numbers in the longest v
		for j := range k {
			row := y[j*m : j*m+m]
			copy(row, a[(lo+j)*n:][:lo+j])
			clear(row[lo+j:])
		}
		// H_lo···H_{lo+k−1} = I − YᵀTY with the rows of Y and an upper triangular T.
		clear(t)
		kern.Mul(g, k, y, m, false, y, m, true, k, k, m, 1, 0)
		for j := range k {
			h := tau[lo+j]
			kern.Dots(p[:j], t, k, g[j*k:j*k+j])
			for i, x := range p[:j] {
				t[i*k+j] = -h * x
			}
			t[j*k+j] = h
		}
		kern.Mul(p, k, s, n, false, y, m, true, r, k, m, 1, 0)
		kern.Mul(pt, k, p, k, false, t, k, false, r, k, k, 1, 0)
		kern.Mul(s, n, pt, k, false, y, m, false, r, m, k, -1, 1)
	}
}
