package fwset

import (
	"math"

	"github.com/projection-free/fwlab/fwopt/internal/eigen"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// polar computes x, nearly the polar factor UVᵀ of a rows × cols matrix G = UΣVᵀ that is not 0, of numbers
// up to 1 in size: σ_1(x) ≤ 1 up to rounding, and ⟨x, G⟩ + slack ≥ ‖G‖_* = max{⟨y, G⟩ : σ_1(y) ≤ 1}. The
// slack is at most about s²·2⁻⁴⁹·‖G‖_* with s = min(rows, cols), and mostly rounding.
//
// Of any orthonormal v_1, …, v_s the ‖Gv_i‖ add up to ‖G‖_* or more: that is the certificate. The v_i are
// eigenvectors of GᵀG, which rounding blurs where ‖Gv_i‖ is small beside ‖Gv_s‖; from there on they are those
// of what is left of G, and so on. The normed Gv_i are orthogonal up to rounding, and become so by one turn of
// Newton and Schulz, x(15 − 10x² + 3x⁴)/8 of the singular values, which keeps those up to 1 below 1.
//
// On two cores this takes a quarter of the time of a singular value decomposition at 64 × 64, a fifth at
// 128 × 128, less at 300 × 300. The polynomials of Polar Express (Amsel et al., arXiv 2505.16932), which suit
// other hardware, take as long at 64 × 64, 1.5 times as long at 128 × 128 and, with many small singular values,
// three times.
//
// With turned the last singular value of x, where that of G is least, has the other sign, and the slack no meaning.
func polar(x, g []float64, rows, cols int, turned bool) (slack float64) {
	if cols > rows {
		buf := kern.Borrow(2 * len(g))
		defer kern.Return(buf)
		y, h := (*buf)[:len(g)], (*buf)[len(g):]
		transpose(h, g, rows, cols)
		slack = polar(y, h, cols, rows, turned)
		transpose(x, y, cols, rows)
		return slack
	}
	s := cols
	buf := kern.Borrow(4*s*s + len(g))
	defer kern.Return(buf)
	a, a2, q, v, b := (*buf)[:s*s], (*buf)[s*s:2*s*s], (*buf)[2*s*s:3*s*s], (*buf)[3*s*s:4*s*s],
		(*buf)[4*s*s:]
	total := orthogonal(b, v, g, rows, s)
	kern.Gram(a, b, rows, s)
	most := 0.0 // at least σ_1², by Gershgorin's theorem
	for i := range s {
		sum, _ := kern.Total(a[i*s:(i+1)*s], kern.Size)
		most = max(most, sum)
	}
	floats.Scale(-1, a)
	for i := range s {
		a[i*(s+1)]++ // A = I − BᵀB
	}
	kern.Gram(a2, a, s, s)
	for k, y := range a2 {
		q[k] = 0.375*y + 0.5*a[k]
	}
	for i := range s {
		q[i*(s+1)]++
	}
	if turned {
		floats.Scale(-1, v[:s])
	}
	kern.Mul(a, s, q, s, false, v, s, false, s, s, s, 1, 0)
	kern.Mul(x, s, b, s, false, a, s, false, rows, s, s, 1, 0) // B(I + A/2 + 3A²/8)Vᵀ
	if most > 1 {
		u := math.Sqrt(most)
		floats.Scale(1/max(1, u*(1.875-most*(1.25-0.375*most))), x)
	}
	return max(0, total-kern.Dot(x, g)) + float64(rows+cols)*0x1p-52*total
}

// orthogonal fills the rows of v with s orthonormal v_i and the columns of b with the Gv_i/‖Gv_i‖, nearly
// orthonormal, or 0 where they are rounding alone. It returns the sum of the ‖Gv_i‖, or more.
func orthogonal(b, v, g []float64, rows, s int) (total float64) {
	const eps = 0x1p-52
	buf := kern.Borrow(2*s + rows*s + 3*s*s)
	defer kern.Return(buf)
	r, w, rest, p, t, old := (*buf)[:s], (*buf)[s:2*s], (*buf)[2*s:][:rows*s], (*buf)[2*s+rows*s:][:s*s],
		(*buf)[2*s+rows*s+s*s:][:s*s], (*buf)[2*s+rows*s+2*s*s:][:s*s]
	kern.Gram(v, g, rows, s)
	eigenvectors(v, w)
	kern.Mul(b, s, g, s, false, v, s, true, rows, s, s, 1, 0)
	for n, noise := s, 0.0; ; { // the first n are open
		norms(r[:n], b, s)
		top := floats.Max(r[:n])
		if n == s {
			noise = 8 * float64(s) * eps * top
		}
		k := 0
		for k < n && r[k] <= max(noise, math.Sqrt(1000*float64(s)*eps)*top) {
			k++
		}
		for j, x := range r[:n] {
			if w[j] = 0; j >= k {
				w[j] = 1 / x
				total += x
			}
		}
		done := k == 0 || floats.Max(r[:k]) <= noise
		for i := range rows {
			if !done {
				copy(rest[i*k:(i+1)*k], b[i*s:])
			}
			floats.Mul(b[i*s:i*s+n], w[:n])
		}
		if done {
			for _, x := range r[:k] {
				total += x
			}
			return total
		}
		// what the others have of it is rounding, and large beside it
		kern.Mul(t, k, b[k:], s, true, rest[:rows*k], k, false, s-k, k, rows, 1, 0)
		norms(r[:k], t[:(s-k)*k], k)
		for _, x := range r[:k] {
			total += x
		}
		kern.Mul(rest, k, b[k:], s, false, t, k, false, rows, k, s-k, -1, 1)
		kern.Gram(p, rest[:rows*k], rows, k)
		eigenvectors(p[:k*k], w[:k])
		kern.Mul(b, s, rest, k, false, p, k, true, rows, k, k, 1, 0)
		copy(old, v[:k*s])
		kern.Mul(v, s, p, k, false, old, s, false, k, s, k, 1, 0)
		n = k
	}
}

// eigenvectors fills the rows of a symmetric matrix, of order len(w), with its eigenvectors, eigenvalues rising.
func eigenvectors(a, w []float64) {
	if !eigen.EigenLargest(a, w, func([]float64) int { return len(w) }) {
		panic(need.Line("fwset: an eigen-decomposition did not converge"))
	}
}

// norms fills r with the norms of the first len(r) columns of a matrix with rows of s numbers.
func norms(r, b []float64, s int) {
	clear(r)
	for lo := 0; lo < len(b); lo += s {
		for j, x := range b[lo : lo+len(r)] {
			r[j] += float64(x * x)
		}
	}
	for j, x := range r {
		r[j] = math.Sqrt(x)
	}
}

// transpose writes a rows × cols matrix column by column.
func transpose(dst, src []float64, rows, cols int) {
	for i := range rows {
		for j, x := range src[i*cols : (i+1)*cols] {
			dst[j*rows+i] = x
		}
	}
}
