package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwinst"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwroad"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
)

// The methods with an active set, and those with conjugate directions.

// width returns (D/δ)², where δ is the pyramidal width; 0 stands for unknown.
func width(omega fwopt.Domain) float64 {
	polytope, ok := omega.(fwset.Polytope)
	if !ok || polytope.Width() == 0 {
		return 0
	}
	r := omega.(fwset.Bounded).Diameter() / polytope.Width()
	return r * r
}

// rules calls one with each step rule of which a linear rate is known, the L that stands
// for L_f in it, and the rule's name; and with (δ/D)²α/L. It does nothing where the
// pyramidal width of Ω is not known or f is not strongly convex.
func rules(p *fwinst.Instance, one func(rule fwopt.StepRule, name string, rate float64)) {
	ratio := width(p.Omega)
	if p.Alpha == 0 || ratio == 0 {
		return
	}
	one(fwopt.Short{L: p.LF}, "safe step", p.Alpha/(p.LF*ratio))
	one(fwopt.LineSearch{}, "line search", p.Alpha/(p.LF*ratio))
	one(&fwmore.Backtracking{}, "backtracking, 2L for L", p.Alpha/(2*p.LF*ratio))
}

// awayFW checks the linear rate with away steps.
func awayFW(l *ledger, p *fwinst.Instance, e effort) {
	rules(p, func(rule fwopt.StepRule, name string, rate float64) {
		m := &fwmore.AwayFW{Rule: rule}
		shrinks(l, p, e, m, &m.S, name, rate/4, 0)
	})
}

// pairwiseFW checks that f does not go up, and what a step takes off that neither swaps
// nor drops a vertex.
func pairwiseFW(l *ledger, p *fwinst.Instance, e effort) {
	rules(p, func(rule fwopt.StepRule, name string, rate float64) {
		m := &fwmore.PairwiseFW{Rule: rule}
		shrinks(l, p, e, m, &m.S, name, 0, rate)
	})
}

// blended checks the linear rate without swap steps, and one step.
func blended(l *ledger, p *fwinst.Instance, e effort) {
	rules(p, func(rule fwopt.StepRule, name string, rate float64) {
		m := &fwmore.BlendedPairwise{Rule: rule}
		shrinks(l, p, e, m, &m.S, name, rate/4, rate/4)
	})
}

// shrinks runs m, until rounding shows, and checks that two steps take the share two off f's
// gap, or that it does not go up if two is 0, and that one step takes the share one off, unless
// one is 0 or one of the vertices s has gone.
func shrinks(l *ledger, p *fwinst.Instance, e effort, m fwopt.Method, s *fwset.ActiveSet, name string,
	two, one float64) {
	w0 := start(p)
	h0, before := p.Excess(w0), make([]fwset.Vertex, 1)
	before[0].Pack(w0)
	last := h0
	name = fmt.Sprintf("%v, %s", m, name)
	watch(p, m, &spy{}, 1, func(now fwopt.Step, _ fwopt.Calls) bool {
		gap := p.Excess(now.X)
		drop := slices.ContainsFunc(before, func(u fwset.Vertex) bool {
			return !slices.ContainsFunc(s.Atom, func(v fwset.Vertex) bool { return v.Equal(&u) })
		})
		if two > 0 {
			l.most(name+": linear rate", gap, h0*math.Pow(1-two, float64(now.K)/2))
		} else {
			l.most(name+": f does not go up", gap, last)
		}
		if one > 0 && !drop {
			l.most(name+", one step without a drop", gap, (1-one)*last)
		}
		before = make([]fwset.Vertex, len(s.Atom))
		for i := range before {
			before[i].Set(&s.Atom[i])
		}
		last = gap
		return now.K < 2*e.steps && gap > 1e-11*h0
	})
}

// conjugate checks the steps of the two methods: that they go where the pseudocode has them, to
// directions that are conjugate and as steep as they must be, and what comes off f.
func conjugate(l *ledger, p *fwinst.Instance, e effort) {
	one, two := &fwroad.ConjugateFW{}, &fwroad.BiconjugateFW{}
	for i, m := range []fwopt.Method{one, two} {
		name, s, ν, γ := []string{"ConjugateFW", "BiconjugateFW"}[i], []*[]float64{&one.S, &two.S}[i],
			[]*float64{&one.Nu, &two.Nu}[i], []*float64{&one.Gamma, &two.Gamma}[i]
		w := start(p)
		h0, inside := p.Excess(w), false
		var old []float64
		watch(p, m, &spy{}, 1, func(now fwopt.Step, _ fwopt.Calls) bool {
			g, v, d, h := grad(p.F, w, fwopt.Batch{}), make([]float64, len(w)), minus(*s, w),
				make([]float64, len(w))
			p.Omega.Argmin(v, g)
			p.F.(fwroad.Curver).Curve(h, w, d)
			gap, slope := floats.Dot(g, minus(w, v)), -floats.Dot(g, d)
			if inside && *ν > 0 && two.Mu == 0 {
				q := minus(old, w)
				l.equal(name+": one step, conjugate to the last", floats.Dot(h, q), 0,
					1e-9*floats.Norm(h, 2)*floats.Norm(q, 2))
				l.equal(name+": one step, the slope is gap/(1+ν_k)", slope, gap/(1+*ν), 1e-9*gap+1e-12*h0)
			}
			if i == 0 && old != nil {
				l.equal(name+": as written", dist(*s, mix(v, *ν/(1+*ν), old)), 0, 1e-12*p.D)
			}
			l.most(name+": the slope is a 200th of the gap", gap/200, slope)
			length2 := p.LF * floats.Dot(d, d)
			fall := slope * slope / (2 * length2)
			if slope > length2 {
				fall = slope - length2/2
			}
			l.most(name+": one step takes off what its slope promises", fall, p.Excess(w)-p.Excess(now.X))
			w, old, inside = slices.Clone(now.X), slices.Clone(*s), *γ < 1
			return now.K < 2*e.steps && p.Excess(w) > 1e-9*h0
		})
	}
}
