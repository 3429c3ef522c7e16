package main

import (
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwinst"
	"gonum.org/v1/gonum/floats"
)

// The certificate from fresh samples of notebooks/untuned, after an epoch of its version (iv). A draw is exact: all terms, j by its
// probabilities, and three points of Gauss for u, which are enough for quadratics.

func fresh(l *ledger, p *fwinst.Instance, e effort) { freshOf(l, p, e, p.L) }

// freshOf takes the L of the epoch's schedule.
func freshOf(l *ledger, p *fwinst.Instance, e effort, L float64) {
	const name = "Fresh samples"
	y0 := start(p)
	B, q := p.Excess(y0), p.D*p.D
	N := int(math.Ceil(math.Sqrt(15 * L * q / B)))
	if N > 200 || p.L == 0 {
		return // a w_0 that is nearly w*
	}
	rows := l.mean(e.seeds, func(l *ledger, seed uint64) []row {
		o, inner := fwopt.NewOracle(p.F, p.Omega, seed), fwopt.NewCondG(len(y0), nil)
		x, y, g := slices.Clone(y0), slices.Clone(y0), make([]float64, len(y0))
		f := newDraw(p, y0)
		for k := 1; k <= N; k++ {
			z, c := mix(y, gamma(k), x), float64(k)
			o.VRGrad(g, z, y0, f.g0, int(math.Ceil(60*c+640*L*q*c/(B*(c+1)*(c+1)))))
			inner.Objective(3*L/c, x, g)
			x = slices.Clone(inner.Argmin(o, B/4))
			y = mix(y, gamma(k), x)
			f.add(l, name, z, 2*c/float64(N*(N+1)))
		}
		v := f.square - f.mean*f.mean
		l.most(name+": a sample has a mean of at most f(w*)", f.mean, 1e-12*B)
		l.most(name+": (c)", v, p.L*q*(7*f.gapZ+11*B+f.away/2))
		return []row{{v}}
	})
	l.most(name+": E v ≤ LD²B(15 ln(N+1) + 19)", rows[0][0], p.L*q*B*(15*math.Log(float64(N+1))+19))
}

// draw sums up what one draw is at w*, less f(w*).
type draw struct {
	p            *fwinst.Instance
	y0, g0       []float64
	mean, square float64
	gapZ, away   float64 // means of gap(z_j) and D_f(z_j, w*)
}

func newDraw(p *fwinst.Instance, y0 []float64) *draw {
	return &draw{p: p, y0: y0, g0: grad(p.F, y0, fwopt.Batch{})}
}

// add takes z_j with its probability.
func (f *draw) add(l *ledger, name string, z []float64, prob float64) {
	to, d := minus(f.p.WStar, z), minus(z, f.y0)
	m1, s1 := f.moments(z, to)
	var m2, s2 float64
	for i, u := range []float64{0.5 - math.Sqrt(0.15), 0.5, 0.5 + math.Sqrt(0.15)} {
		m, s := f.moments(mix(f.y0, u, z), d)
		c := []float64{5. / 18, 8. / 18, 5. / 18}[i]
		m2, s2 = m2+c*m, s2+c*s
	}
	rise := f.p.Excess(z) - f.p.Excess(f.y0)
	l.equal(name+": φ is unbiased", m2, rise, 1e-9*(f.p.Excess(z)+f.p.Excess(f.y0)))
	at := f.p.Excess(f.y0) + m1 + m2
	f.mean += prob * at
	f.square += prob * (at*at + s1 - m1*m1 + s2 - m2*m2)
	f.gapZ += prob * f.p.Excess(z)
	f.away += prob * bregman(f.p.F, z, f.p.WStar, fwopt.Batch{})
}

// moments are the first two of ∇̃_i(z)ᵀd over the uniform i.
func (f *draw) moments(z, d []float64) (first, second float64) {
	n, base := float64(f.p.F.Len()), floats.Dot(f.g0, d)
	for i := range f.p.F.Len() {
		x := base + floats.Dot(minus(grad(f.p.F, z, only(i)), grad(f.p.F, f.y0, only(i))), d)
		first, second = first+x/n, second+x*x/n
	}
	return first, second
}
