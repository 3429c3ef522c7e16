package fwset

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/projection-free/fwlab/fwopt/internal/eigen"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const krylovMin = 500 // below this order all eigenvalues take no longer than a few

// fewOf returns how many of s singular values are so few that they are found faster alone.
func fewOf(s int) int {
	if s < krylovMin {
		return 0
	}
	return min(s/8, s*s/10000)
}

// Project computes the projection dst = Σ_i max(0, σ_i − θ)·u_i·v_iᵀ, where the
// σ_i, u_i, v_i are the singular values and vectors of x and θ projects the σ_i
// onto the l1 ball of radius τ.
//
// Without SVD it takes σ_i² and the u_i from the s × s Gram matrix of x, with
// s = min(H, M) and L = max(H, M), and only those u_i for which σ_i > θ. If dst has rank
// r, that costs about s²L/2 multiplications for the Gram matrix, s³ for its eigenvalues,
// 3rs²/2 for the vectors, and 2rsL, or s²(L+r) if that is less, for dst.
//
// If s ≥ 500 and r ≤ min(s/8, s²/10000), about, it looks first for these alone, by the
// block Lanczos method, with 2sL multiplications for each of about 3r+40 vectors, or s² once
// they are so many that the Gram matrix pays. Where the singular values fall as 1/i it takes
// half of the time at 1000 × 1000 and r = 20, and at 2000 × 2000 a third; to look in vain
// costs up to a half of the time for all. Then x is a matrix that has exactly these singular
// values and vectors, and others in their complement, plus an E of which the norm, √(Σ ‖Gu_i −
// σ_i²u_i‖²/σ_i²) with the Gram matrix G, is held below εσ_1²/(4θ), and no projection
// lengthens a distance. That no other one is above θ is certified by some steps of the Lanczos
// method on the complement, from a random start that fails with probability 1e-6, as in
// ArgminVertex. Where there is no such certificate, as where one is next to θ, all eigenvalues are
// taken. (Golub and Underwood, 1977; Musco and Musco, NIPS 2015.)
//
// The Gram matrix squares the condition number. A σ_i has the absolute error ε·σ_1²/σ_i,
// where ε ≈ s·2⁻⁵², so that dst has an error of about ε·σ_1²/θ: near rounding if much of x
// is cut off, as after a gradient step. For an x that is only just outside (θ < √ε·σ_1) it
// is up to √ε·σ_1, about 1e-7·σ_1; σ_i < √ε·σ_1 are taken for zeros. With SVD it takes a thin
// singular value decomposition of x, accurate to rounding, ten times slower and more, which
// allocates its factors: to check the other one, or where 7 digits are too few.
//
// A point counts as inside if its computed norm is at most τ(1 + 1e-12). If x
// holds a NaN or an infinity, dst is all NaN.
func (b TraceNorm) Project(dst, x []float64) { b.ProjectWarm(dst, x, nil) }

// ProjectWarm is Project that begins, where it looks for few singular values, with what the
// last projection of the run has found, if that is near: some combinations of its singular
// vectors, and how many vectors it needed. The result is as accurate, but has other bits.
// It saves a third of the time, about, if x is near to the x of before. It keeps
// 12·min(H, M) + 1 numbers in warm.P. Where it has looked in vain it does not look again
// for some projections, 33 at most.
func (b TraceNorm) ProjectWarm(dst, x []float64, warm *Warm) {
	b.check(dst, x)
	s := min(b.H, b.M)
	p := kern.Borrow(s * s)
	defer kern.Return(p)
	gram, few, formed := *p, fewOf(s), false
	form := func() []float64 {
		if !formed {
			formed = true
			kern.Gram(gram, x, b.M, b.H)
		}
		return gram
	}
	var norm2 float64
	if few > 0 || b.SVD {
		norm2 = floats.Dot(x, x)
	} else { // where no pass over x is needed for that
		norm2 = mat.NewDense(s, s, form()).Trace()
	}
	if !inRange(norm2) {
		top := maxAbs(x)
		switch {
		case notFinite(dst, x):
		case top == 0 || top*float64(len(x)) <= b.Tau: // ‖x‖_* ≤ Σ|x_i|
			copy(dst, x)
		default:
			c := unit(top)
			tau := max(b.Tau*c, 1e-290) // as good as 0 beside c·x
			floats.ScaleTo(dst, c, x)
			TraceNorm{b.H, b.M, tau, b.SVD}.ProjectWarm(dst, dst, warm)
			floats.Scale(b.Tau/tau, dst)
		}
		return
	}
	if b.SVD || !(few > 0 && b.projectFew(dst, x, form, few, warm) || b.projectAll(dst, x, form())) {
		b.projectSVD(dst, x)
	}
}

// projectAll projects by all eigenvalues of the Gram matrix, which it destroys. It reports
// not ok, and has done nothing, if the iteration for them did not converge.
func (b TraceNorm) projectAll(dst, x, gram []float64) (ok bool) {
	s, r, inside := min(b.H, b.M), 0, false
	p := kern.Borrow(2 * s)
	defer kern.Return(p)
	lambda, f := (*p)[:s], (*p)[s:]
	ok = eigen.EigenLargest(gram, lambda, func(lambda []float64) int {
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
		combine(dst, x, b.H, b.M, gram[:r*s], f[s-r:])
	}
	return ok
}

// projectFew projects where at most few singular values are above θ. It reports not
// ok, and has done nothing, where there are more, or these cannot be shown to be all. It asks
// for the Gram matrix, which gram forms, only if it takes many steps.
func (b TraceNorm) projectFew(dst, x []float64, gram func() []float64, few int, warm *Warm) (ok bool) {
	const cold = 3 * eigen.Block
	if warm == nil {
		_, ok = b.tryFew(dst, x, gram, few, nil, cold, nil)
		return ok
	}
	s, m := min(b.H, b.M), 0
	n := 1 + eigen.Block*s
	wait := 0.0 // what did not pay is not tried at once again
	switch p := warm.P; {
	case len(p) == 2 && p[0] > 0:
		p[0]--
		return false
	case len(p) == 2 && p[1] > 0:
		wait = min(p[1], 16)
	case len(p) == n && p[0] >= 0 && p[0] <= float64(s):
		m, ok = b.tryFew(dst, x, gram, few, p[1:], max(int(p[0])-eigen.Block, cold), p[1:])
	}
	if !ok { // what is new since then may have been missed
		warm.P = slices.Grow(warm.P[:0], n)[:n]
		m, ok = b.tryFew(dst, x, gram, few, nil, cold, warm.P[1:])
	}
	if warm.P[0] = float64(m); !ok {
		wait = 2*wait + 1
		warm.P = append(warm.P[:0], wait, wait)
	}
	return ok
}

// tryFew is one attempt of projectFew, from the rows of start or, if that is nil, from random
// ones, which looks first when it has so many vectors as are due, and ends with m. It fills
// the rows of next, if it succeeds and that is not nil, with combinations of the singular
// vectors.
func (b TraceNorm) tryFew(dst, x []float64, gram func() []float64, few int, start []float64, due int,
	next []float64) (m int, ok bool) {
	s, long := min(b.H, b.M), max(b.H, b.M)
	implicit := s * long / (2 * eigen.Block * (2*long - s)) // products with x that cost less than the Gram matrix
	p := kern.Borrow(s/2*s + s/2 + s)
	defer kern.Return(p)
	u, lambda, sigma := (*p)[:s/2*s], (*p)[s/2*s:][:s/2], (*p)[s/2*s+s/2:]
	steps, eps := 0, float64(s)*0x1p-52
	if due > implicit*eigen.Block {
		steps = implicit // it will take many
	}
	theta := 0.0
	mul := func(w, q []float64, n int) {
		if steps++; steps <= implicit {
			kern.MulGrams(w, x, b.M, b.H, q, n)
		} else {
			kern.Mul(w, n, gram(), s, false, q, s, true, s, n, s, 1, 0)
		}
	}
	r, m := eigen.Largest(u, lambda, s, start, due, mul, func(ritz []float64) (r int, limit float64) {
		m := len(ritz)
		sigma := sigma[:m]
		for i, l := range ritz {
			sigma[i] = math.Sqrt(max(0, l))
		}
		largest := sigma[m-1]
		if b.Tau > largest*float64(few) || m > 3*few+60 { // for τ/σ_1 of them, at least, are above θ
			return -1, 0
		}
		if theta = 0; floats.Sum(sigma) > b.Tau {
			top, under := threshold(sigma, b.Tau)
			for theta = top + under; r < m && sigma[m-1-r] > theta; r++ {
			}
		}
		switch {
		case m > few && (r == 0 || r > few):
			return -1, 0
		case theta > 4*math.Sqrt(eps)*largest && 4*r <= 3*m:
			return r, eps / 4 * largest * largest / theta
		}
		return 0, 0
	})
	if r == 0 {
		return 0, false
	}
	u, lambda = u[:r*s], lambda[:r]
	product := func(y, q []float64) { kern.MulVec(y, gram(), s, q) }
	if steps <= implicit {
		t := kern.Borrow(kern.GramScratch(b.M, b.H))
		defer kern.Return(t)
		product = func(y, q []float64) { kern.MulGram(y, x, b.M, b.H, q, *t) }
	}
	ok = none(product, u, s, theta)
	if ok && next != nil {
		mix(next, u, s)
	}
	if ok {
		f := sigma[:r]
		for i, l := range lambda {
			f[i] = 1 - theta/math.Sqrt(l)
		}
		combine(dst, x, b.H, b.M, u, f)
	}
	return m, ok
}

// mix fills the rows of dst, of s numbers, with random combinations of those of u.
func mix(dst, u []float64, s int) {
	n, r := len(dst)/s, len(u)/s
	p := kern.Borrow(n * r)
	defer kern.Return(p)
	rng := rand.New(rand.NewPCG(2, 2))
	for i := range *p {
		(*p)[i] = rng.NormFloat64()
	}
	kern.Mul(dst, s, *p, r, false, u, s, false, n, s, r, 1, 0)
}

// none reports whether no eigenvalue of a Gram matrix of order s, known by its product, is above
// θ² in the orthogonal complement of the rows of u, by the Lanczos method from a random start, as
// ArgminVertex does.
func none(product func(y, q []float64), u []float64, s int, theta float64) bool {
	r := len(u) / s
	p := kern.Borrow(2*s + r)
	defer kern.Return(p)
	start, q, h := (*p)[:s], (*p)[s:2*s], (*p)[2*s:]
	drop := func(y []float64) {
		kern.MulVec(h, u, s, y)
		floats.Scale(-1, h)
		kern.MulTransVec(q, u, s, h)
		floats.Add(y, q)
	}
	c := begin(start, &Warm{RNG: *rand.NewPCG(1, 1)}) // not that of the search, which may have missed one
	drop(start)
	toSphere(start, start, 1)
	steps, goal := 0, theta*theta
	upper, _ := eigen.Lanczos(start, func(y, q []float64) {
		product(y, q)
		drop(y)
		steps++
	}, c, func(sigma float64) float64 {
		if sigma >= theta || steps > s/8 {
			return math.Inf(1) // it cannot succeed, or not soon
		}
		return math.Sqrt(goal-0.02*(goal-sigma*sigma)) - sigma
	})
	return upper <= goal
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

// combine computes dst = F·x, or x·F, whichever is defined, of an h × m matrix x, where F = Σ_i f_i·u_i·u_iᵀ
// and u has the u_i, of min(h, m) numbers each. It destroys u.
func combine(dst, x []float64, h, m int, u, f []float64) {
	s, long, r := min(h, m), max(h, m), len(f)
	if 2*r*long >= (long+r)*s { // else two thin products cost less
		p := kern.Borrow(s*s + r*s)
		defer kern.Return(p)
		full, scaled := (*p)[:s*s], (*p)[s*s:]
		scaleRows(scaled, f, u)
		kern.Mul(full, s, scaled, s, true, u, s, false, s, s, r, 1, 0)
		kern.MulSmall(dst, x, m, h, full)
		return
	}
	p := kern.Borrow(long * r)
	defer kern.Return(p)
	if h <= m {
		kern.Mul(*p, r, x, s, false, u, s, true, m, r, s, 1, 0)
		scaleRows(u, f, u)
		kern.Mul(dst, s, *p, r, false, u, s, false, m, s, r, 1, 0)
	} else {
		kern.Mul(*p, h, u, s, false, x, h, false, r, h, s, 1, 0)
		scaleRows(u, f, u)
		kern.Mul(dst, h, u, s, true, *p, h, false, s, h, r, 1, 0)
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
	f := newFactors(b.M, b.H, x)
	if b.holds(f.sigma) {
		copy(dst, x)
		return
	}
	kept := slices.Clone(f.sigma)
	b.shrink(kept)
	floats.Mul(f.sigma, kept)
	f.product(dst)
}
