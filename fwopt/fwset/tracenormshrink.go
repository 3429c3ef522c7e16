package fwset

import (
	"math"

	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Project computes the projection dst = Σ_i max(0, σ_i − θ)·u_i·v_iᵀ, where the
// σ_i, u_i, v_i are the singular values and vectors of x and θ projects the σ_i
// onto the l1 ball of radius τ.
//
// Without SVD it takes σ_i² and the u_i from the s × s Gram matrix of x, with
// s = min(H, M) and L = max(H, M), and only those u_i for which σ_i > θ. If dst has rank
// r, that costs about s²L/2 multiplications for the Gram matrix, s³ for its eigenvalues,
// 3rs²/2 for the vectors, and 2rsL, or s²(L+r) if that is less, for dst.
//
// This squares the condition number. A σ_i has the absolute error ε·σ_1²/σ_i, where
// ε ≈ s·2⁻⁵², so that dst has an error of about ε·σ_1²/θ: near rounding if much of x is
// cut off, as after a gradient step. For an x that is only just outside (θ < √ε·σ_1) it
// is up to √ε·σ_1, about 1e-7·σ_1; σ_i < √ε·σ_1 are taken for zeros.
//
// With SVD it takes a thin singular value decomposition of x, accurate to rounding,
// which is ten times slower and more, and allocates memory for its factors. Use it to
// check the other one, or where 7 digits are too few.
//
// A point counts as inside if its computed norm is at most τ(1 + 1e-12). If x
// holds a NaN or an infinity, dst is all NaN.
func (b TraceNorm) Project(dst, x []float64) {
	b.check(dst, x)
	if !inRange(floats.Dot(x, x)) {
		top := maxAbs(x)
		switch {
		case math.IsNaN(top) || math.IsInf(top, 1):
			for i := range dst {
				dst[i] = math.NaN()
			}
		case top == 0 || top*float64(len(x)) <= b.Tau: // ‖x‖_* ≤ Σ|x_i|
			copy(dst, x)
		default:
			c := unit(top)
			tau := max(b.Tau*c, 1e-290) // as good as 0 beside c·x
			floats.ScaleTo(dst, c, x)
			TraceNorm{b.H, b.M, tau, b.SVD}.Project(dst, dst)
			floats.Scale(b.Tau/tau, dst)
		}
		return
	}
	if b.SVD {
		b.projectSVD(dst, x)
		return
	}
	if !b.projectGram(dst, x) {
		b.projectSVD(dst, x)
	}
}

// projectGram reports not ok, and has done nothing, if the iteration for eigenvalues did
// not converge.
func (b TraceNorm) projectGram(dst, x []float64) (ok bool) {
	s, r, inside := min(b.H, b.M), 0, false
	p := kern.Borrow(s*s + 2*s)
	defer kern.Return(p)
	gram, lambda, f := (*p)[:s*s], (*p)[s*s:s*s+s], (*p)[s*s+s:]
	kern.Gram(gram, x, b.M, b.H)
	ok = kern.EigenLargest(gram, lambda, func(lambda []float64) int {
		roots(f, lambda)
		if inside = b.holds(f); inside {
			return 0
		}
		b.shrink(f)
		for r = 0; r < s && f[s-1-r] > 0; r++ { // they ascend
		}
		return r
	})
	switch {
	case !ok:
	case inside:
		copy(dst, x)
	default:
		b.combine(dst, x, gram[:r*s], f[s-r:])
	}
	return ok
}

// roots fills sigma with the square roots of ascending eigenvalues of a Gram matrix. One
// that may be 0, but for rounding, is taken for 0.
func roots(sigma, lambda []float64) {
	s := len(lambda)
	noise := float64(s) * 0x1p-52 * lambda[s-1]
	for i, x := range lambda {
		if x < noise {
			x = 0
		}
		sigma[i] = math.Sqrt(x)
	}
}

// holds reports whether a point of these singular values counts as one of Ω.
func (b TraceNorm) holds(sigma []float64) bool { return floats.Sum(sigma) <= b.Tau*(1+1e-12) }

// combine computes dst = F·x, or x·F, whichever is defined, where F = Σ_i f_i·u_i·u_iᵀ and
// u has the u_i, of min(H, M) numbers each. It destroys u.
func (b TraceNorm) combine(dst, x, u, f []float64) {
	s, long, r := min(b.H, b.M), max(b.H, b.M), len(f)
	if 2*r*long >= (long+r)*s { // else two thin products cost less
		p := kern.Borrow(s*s + r*s)
		defer kern.Return(p)
		full, scaled := (*p)[:s*s], (*p)[s*s:]
		scaleRows(scaled, f, u)
		kern.Mul(full, s, scaled, s, true, u, s, false, s, s, r, 1, 0)
		kern.MulSmall(dst, x, b.M, b.H, full)
		return
	}
	p := kern.Borrow(long * r)
	defer kern.Return(p)
	if b.H <= b.M {
		kern.Mul(*p, r, x, s, false, u, s, true, b.M, r, s, 1, 0)
		scaleRows(u, f, u)
		kern.Mul(dst, s, *p, r, false, u, s, false, b.M, s, r, 1, 0)
	} else {
		kern.Mul(*p, b.H, u, s, false, x, b.H, false, r, b.H, s, 1, 0)
		scaleRows(u, f, u)
		kern.Mul(dst, b.H, u, s, true, *p, b.H, false, s, b.H, r, 1, 0)
	}
}

// scaleRows computes dst_i = f_i·u_i for the rows of u.
func scaleRows(dst, f, u []float64) {
	n := len(u) / max(len(f), 1)
	for i, c := range f {
		floats.ScaleTo(dst[i*n:i*n+n], c, u[i*n:i*n+n])
	}
}

// shrink replaces the singular values σ_i by f_i = max(0, σ_i − θ)/σ_i, the
// factors by which the projection shortens them.
func (b TraceNorm) shrink(sigma []float64) {
	top, theta := threshold(sigma, b.Tau)
	for i, x := range sigma {
		if d := x - top - theta; d > 0 {
			sigma[i] = d / x
		} else {
			sigma[i] = 0
		}
	}
}

func (b TraceNorm) projectSVD(dst, x []float64) {
	svd := b.factorize(x, mat.SVDThin)
	sigma := svd.Values(nil)
	if b.holds(sigma) {
		copy(dst, x)
		return
	}
	f := append([]float64(nil), sigma...)
	b.shrink(f)
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	for i := range b.M {
		row := u.RawRowView(i)
		for k := range row {
			row[k] *= f[k] * sigma[k]
		}
	}
	mat.NewDense(b.M, b.H, dst).Mul(&u, v.T())
}
