package eigen

import (
	"math"

	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// maxSteps bounds the steps of Lanczos, and so its time and its memory.
const maxSteps = 512

// From this order on a step costs so much that it is worth a look after each of the first
// ones whether it was the last.
const dear = 512

// Lanczos looks for the largest eigenvalue λ_1 of a symmetric positive semidefinite matrix B of
// order len(u), of which it knows the product mul(y, q), y = Bq, only. On entry u is a unit vector,
// the start, and 0 < c ≤ |⟨u, u_1⟩|, where u_1 is an eigenvector of λ_1. On return u is a unit
// vector with ⟨u, Bu⟩ = θ up to rounding, and
//
//	θ ≤ λ_1 ≤ upper.
//
// It stops when √upper ≤ √θ + tol(√θ), after maxSteps steps, or when the matrix
// has nothing left to show: then upper − θ may be as large as 2⁻⁵⁰θ/c, for what is
// hidden by rounding. It keeps all vectors orthogonal, which costs s numbers of
// scratch space a step.
//
// The upper bound is that of Van Dorsselaer, Hochstenbach and Van der Vorst
// (SIAM J. Matrix Anal. Appl. 22, 2001). The k-th Lanczos vector is p_k(B)u for a
// polynomial p_k that the coefficients give, so that ⟨q_k, u_1⟩ = p_k(λ_1)⟨u, u_1⟩,
// and the vectors are orthonormal: Σ_k p_k(λ_1)² c² ≤ 1. Right of θ the sum grows
// with λ; upper is where it reaches 1.
func Lanczos(u []float64, mul func(y, q []float64), c float64,
	tol func(sigma float64) float64) (upper float64, steps int) {
	s := len(u)
	most := min(s, maxSteps)
	store := kern.Borrow(most*s + s + 4*most)
	defer kern.Return(store)
	cut := cutter(*store)
	q, w := cut(most*s), cut(s)
	al, be, x, d := cut(most), cut(most), cut(most), cut(most)

	copy(q[:s], u)
	theta, top := 0.0, 0.0
	for k := 1; ; k++ {
		mul(w, q[(k-1)*s:k*s])
		al[k-1] = floats.Dot(w, q[(k-1)*s:k*s])
		basis := blas64.General{Rows: k, Cols: s, Stride: s, Data: q}
		wv, xv := blas64.Vector{N: s, Data: w, Inc: 1}, blas64.Vector{N: k, Data: x, Inc: 1}
		for range 2 { // twice is enough
			blas64.Gemv(blas.NoTrans, 1, basis, wv, 0, xv)
			blas64.Gemv(blas.Trans, -1, basis, xv, 1, wv)
		}
		be[k-1] = floats.Norm(w, 2)
		top = max(top, math.Abs(al[k-1]), be[k-1])
		// Below this, w is rounding: the space of the q is all there is to see
		// from this start, up to what rounding hides.
		noise := 0x1p-50 * top
		last := be[k-1] <= noise || k == most
		be[k-1] = max(be[k-1], noise)
		if steps = k; last || k%4 == 0 || s >= dear && k <= 64 {
			theta = topTri(al[:k], be[:k-1], d)
			if last {
				break
			}
			root := math.Sqrt(theta)
			goal := root + tol(root)
			// a goal that rounding hides cannot be reached
			goal = max(goal*goal, theta*(1+0x1p-50))
			if reaches(goal, al[:k], be[:k], c) {
				break
			}
		}
		floats.ScaleTo(q[k*s:(k+1)*s], 1/be[k-1], w)
	}
	al, be = al[:steps], be[:steps]
	upper = theta
	if steps < s { // else T has all eigenvalues of B
		upper = bound(theta, al, be, c)
	}
	vecTri(x[:steps], theta, al, be, d)
	blas64.Gemv(blas.Trans, 1, blas64.General{Rows: steps, Cols: s, Stride: s, Data: q},
		blas64.Vector{N: steps, Data: x, Inc: 1}, 0, blas64.Vector{N: s, Data: u, Inc: 1})
	floats.Scale(1/floats.Norm(u, 2), u)
	return upper, steps
}

// reaches reports whether c² Σ_k p_k(λ)² ≥ 1.
func reaches(lambda float64, al, be []float64, c float64) bool {
	sum, prev, p, b := 1.0, 0.0, 1.0, 0.0
	for k, a := range al {
		prev, p = p, ((lambda-a)*p-b*prev)/be[k]
		b = be[k]
		if sum += p * p; sum*c*c >= 1 {
			return true
		}
	}
	return false
}

// bound returns a λ ≥ θ at which c² Σ_k p_k(λ)² reaches 1, at most 1 percent
// further from θ than need be.
func bound(theta float64, al, be []float64, c float64) float64 {
	x := theta * 0x1p-52
	for !reaches(theta+x, al, be, c) {
		if x *= 2; !(x <= math.MaxFloat64) || x == 0 {
			return math.Inf(1) // not reached if θ is positive and finite
		}
	}
	lo, hi := x/2, x
	for range 7 {
		mid := (lo + hi) / 2
		if reaches(theta+mid, al, be, c) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return theta + hi
}

// topTri returns the largest eigenvalue of the tridiagonal matrix with diagonal
// al and off-diagonal be, up to rounding and from above, by bisection.
func topTri(al, be, d []float64) float64 {
	lo, hi := al[0], 0.0
	for k, a := range al { // Gershgorin
		r := 0.0
		if k > 0 {
			r = be[k-1]
		}
		if k < len(be) {
			r += be[k]
		}
		lo, hi = max(lo, a), max(hi, a+r)
	}
	hi *= 1 + 0x1p-50 // strictly above
	for {
		mid := lo + (hi-lo)/2
		if !(lo < mid && mid < hi) {
			return hi
		}
		if pivots(d, mid, al, be) {
			hi = mid
		} else {
			lo = mid
		}
	}
}

// pivots factors μI − T = LDLᵀ and reports whether D > 0, that is whether μ is
// above all eigenvalues.
func pivots(d []float64, mu float64, al, be []float64) bool {
	prev := 0.0
	for k, a := range al {
		p := mu - a
		if k > 0 {
			p -= be[k-1] * be[k-1] / prev
		}
		if !(p > 0) {
			return false
		}
		d[k], prev = p, p
	}
	return true
}

// vecTri computes the eigenvector x of the tridiagonal matrix for its largest
// eigenvalue θ, which topTri found, by inverse iteration. The off-diagonal is
// positive, so x is too (Perron), and nothing cancels.
func vecTri(x []float64, theta float64, al, be, d []float64) {
	n := len(x)
	for k := range x {
		x[k] = 1
	}
	if !pivots(d, theta, al, be[:n-1]) {
		return // not reached: topTri returns a θ from above
	}
	for range 3 {
		for k := 1; k < n; k++ {
			x[k] += float64(be[k-1] / d[k-1] * x[k-1])
		}
		x[n-1] /= d[n-1]
		for k := n - 2; k >= 0; k-- {
			x[k] = (x[k] + float64(be[k]*x[k+1])) / d[k]
		}
		floats.Scale(1/floats.Max(x), x)
	}
}
