package eigen

import (
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt/internal/kern"
)

const rootGrain = 32 // roots that one task finds

// roots finds the eigenvalues of D + ρ·z·zᵀ, the roots of the secular equation, and leaves
// in row j of s, of k numbers, the distances of the poles from root j.
func (t *divider) roots() bool {
	k := len(t.keep)
	t.each(k, rootGrain, (*divider).someRoots)
	return !slices.ContainsFunc(t.root[:k], math.IsNaN)
}

func (t *divider) someRoots(lo, hi int) {
	k := len(t.keep)
	for j := lo; j < hi; j++ {
		t.root[j] = t.equation.solve(t.s[j*k:j*k+k], j)
	}
}

// A secular is the equation f(x) = 1/ρ + Σ ζ_i²/(pole_i − x) = 0, with ρ > 0 and ascending
// poles. f grows between two poles, from −∞ to ∞, and right of the last one to 1/ρ.
type secular struct {
	pole, zeta []float64
	rho, norm2 float64 // Σ ζ_i²
}

// solve finds the root right of pole j, to the accuracy to which f is known there, and
// leaves the distances pole_i − root in delta, each with a small relative error: x is
// measured from the nearer pole. It returns NaN if it does not find it. The steps are
// those of dlaed4 in LAPACK (R.-C. Li, LAPACK Working Note 89): f is replaced by a function
// with two poles, next to the root, that has its value and slope. What leaves the interval
// in which the root is, or makes it no smaller, is replaced by bisection.
func (p *secular) solve(delta []float64, j int) (root float64) {
	k := len(p.pole)
	if k == 1 {
		delta[0] = -float64(p.rho * p.norm2)
		return p.pole[0] - delta[0]
	}
	left := min(j, k-2) // the two poles of the steps are this one and the next
	last := j == k-1
	origin, x, lo, hi := p.start(delta, j, left)
	org := p.pole[origin]
	middle, before, width := last, 0.0, hi-lo
	for iter := range 100 {
		f, dl, dr, err := p.at(delta, left, org, x)
		if math.Abs(f) <= 0x1p-53*err {
			return org + x
		}
		if f < 0 {
			lo = x
		} else {
			hi = x
		}
		if iter > 0 && float64(f*before) > 0 && math.Abs(f) > math.Abs(before)/10 {
			middle = last || !middle
		}
		before = f
		l, r := delta[left], delta[left+1]
		slope := dl + dr
		var c float64
		switch {
		case middle:
			c = f - float64(l*dl) - float64(r*dr)
		case origin == left:
			t := p.zeta[left] / l
			c = f - float64(r*slope) - float64((p.pole[left]-p.pole[left+1])*float64(t*t))
		default:
			t := p.zeta[left+1] / r
			c = f - float64(l*slope) - float64((p.pole[left+1]-p.pole[left])*float64(t*t))
		}
		next := x + step(f, slope, l, r, c, last)
		if !(lo < next && next < hi) || iter%4 == 3 && hi-lo > width/2 {
			next = lo + float64((hi-lo)/2)
		}
		if iter%4 == 3 {
			width = hi - lo
		}
		if next == x || !(lo < next && next < hi) {
			return org + x // there is no number between
		}
		x = next
	}
	return math.NaN()
}

// step returns the step to the root of c + a/(l−η) + b/(r−η), for which c, f and its slope
// stand, or Newton's step if that one goes the wrong way.
func step(f, slope, l, r, c float64, last bool) float64 {
	a := float64((l+r)*f) - float64(l*r*slope)
	b := float64(l * r * f)
	var eta float64
	switch {
	case last:
		eta = -lower(-a, b, math.Abs(c))
	case c == 0:
		eta = b / a
	default:
		eta = lower(a, b, c)
	}
	if !(float64(f*eta) < 0) || math.IsInf(eta, 0) {
		return -f / slope
	}
	return eta
}

// lower returns the root of c·x² − a·x + b that is the smaller one for c > 0, without cancellation.
func lower(a, b, c float64) float64 {
	root := math.Sqrt(math.Abs(float64(a*a) - float64(4*b*c)))
	if a > 0 {
		return 2 * b / (a + root)
	}
	return (a - root) / (2 * c)
}

// start returns the pole from which the root is measured, a guess, and the interval in
// which the root is.
func (p *secular) start(delta []float64, j, left int) (origin int, x, lo, hi float64) {
	k := len(p.pole)
	pole, l2, r2 := p.pole, float64(p.zeta[left]*p.zeta[left]), float64(p.zeta[left+1]*p.zeta[left+1])
	gap := pole[left+1] - pole[left]
	from, half := j, gap/2
	if j == k-1 {
		half = p.rho * p.norm2 / 2
	}
	below, _, _ := kern.Poles(delta, p.pole, p.zeta, 0, left, pole[from], half, false)
	above, _, _ := kern.Poles(delta, p.pole, p.zeta, left+2, k, pole[from], half, true)
	c := 1/p.rho + below + above // half way, without the two poles
	switch {
	case j == k-1:
		origin, x, lo, hi = j, -lower(-(l2+r2-float64(c*gap)), -float64(r2*gap), c), 0, half
		if c-l2/(gap+half)-r2/half <= 0 {
			lo, hi = half, 2*half*(1+0x1p-50)
		}
	case c-l2/half+r2/half > 0:
		origin, x, lo, hi = left, lower(float64(c*gap)+l2+r2, float64(l2*gap), c), 0, half
	default:
		origin, x, lo, hi = left+1, lower(-(float64(c*gap)-l2-r2), -float64(r2*gap), c), -half, 0
	}
	if !(lo < x && x < hi) {
		x = lo + float64((hi-lo)/2)
	}
	return origin, x, lo, hi
}

// at computes f at x right of the number org, the slopes of its parts, of the poles up to
// left and of the others, and the error of f in units of rounding. It leaves the distances
// of the poles in delta.
func (p *secular) at(delta []float64, left int, org, x float64) (f, dl, dr, err float64) {
	l, dl, el := kern.Poles(delta, p.pole, p.zeta, 0, left+1, org, x, false)
	r, dr, er := kern.Poles(delta, p.pole, p.zeta, left+1, len(delta), org, x, true)
	err = el + er + float64(8*(math.Abs(l)+math.Abs(r))) + 2/p.rho + float64(math.Abs(x)*(dl+dr))
	return 1/p.rho + l + r, dl, dr, err
}

// vectors leaves the unit eigenvectors of D + ρ·z·zᵀ, from that of root first on, in the
// rows of s, their numbers in the order of pack. They are those of a z for which the roots
// are exact (Gu and Eisenstat), so that they are orthogonal however close the roots are.
func (t *divider) vectors(first int) {
	k := len(t.keep)
	t.each(k, 256, (*divider).someZ)
	t.first = first
	t.each(k-first, rootGrain, (*divider).someVectors)
}

// someZ leaves in z what Löwner's formula has for it.
func (t *divider) someZ(lo, hi int) {
	k := len(t.keep)
	pole, z := t.pole[:k], t.z[:k]
	for i := lo; i < hi; i++ {
		z[i] = -t.s[i*k+i]
	}
	for j := range k {
		row, at := t.s[j*k:j*k+k], pole[j]
		kern.Loewner(z[:min(j, hi)], row, pole, at, lo)
		kern.Loewner(z[:hi], row, pole, at, max(lo, j+1))
	}
	for i := lo; i < hi; i++ {
		z[i] = math.Copysign(math.Sqrt(math.Abs(z[i])), t.zeta[i])
	}
}

func (t *divider) someVectors(lo, hi int) {
	k := len(t.keep)
	buf := kern.Borrow(k)
	v := *buf
	for j := t.first + lo; j < t.first+hi; j++ {
		row := t.s[j*k : j*k+k]
		c := 1 / math.Sqrt(kern.Divide(v, t.z[:k], row))
		for i, x := range v {
			row[t.place[i]] = x * c
		}
	}
	kern.Return(buf)
}
