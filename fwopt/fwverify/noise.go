package main

import (
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwinst"
	"github.com/projection-free/fwlab/fwopt/fwmore"
)

// noise checks the bounds of the methods that average or correct their gradients, and what their proofs say of
// the error of those.
func noise(l *ledger, p *fwinst.Instance, e effort) {
	ld := p.L * p.D
	if p.Sigma > 0 {
		for _, m := range []int{1, 10} {
			q, σ2 := float64(m), p.Sigma*p.Sigma/float64(m)
			estimates(l, p, e, "Momentum SFW", func() (fwopt.Method, *[]float64) {
				a := fwmore.MomentumSFWConvex(m)
				return a, &a.D
			}, func(s fwopt.Step, w, _, last []float64) (error2, most, gap float64) {
				ρ := 4 / math.Pow(float64(s.K+7), 2./3)
				return (1-ρ)*(1-ρ)*off(p, last, w) + ρ*ρ*variance(p.F, w, nil)/q,
					(4.35*σ2 + 0.69*ld*ld) / math.Pow(float64(s.K+8), 2./3), p.BoundMomentumSFW(m, s.K)
			})
			estimates(l, p, e, "STORM-FW", func() (fwopt.Method, *[]float64) {
				a := fwmore.STORMFWConvex(m)
				return a, &a.D
			}, func(s fwopt.Step, w, old, last []float64) (error2, most, gap float64) {
				ρ := 1 / float64(s.K)
				carried := off(p, last, old) + 2*variance(p.F, w, old)/q
				return (1-ρ)*(1-ρ)*carried + 2*ρ*ρ*variance(p.F, w, nil)/q,
					2 * (ld*ld/q + σ2) / float64(s.K), p.BoundSTORMFW(m, s.K)
			})
		}
	}
	estimates(l, p, e, "SPIDER-FW", func() (fwopt.Method, *[]float64) {
		a := fwmore.SPIDERFWConvex()
		return a, &a.G
	}, func(s fwopt.Step, w, old, last []float64) (error2, most, gap float64) {
		N := math.Exp2(float64(s.T - 1))
		if s.K > 1 {
			error2 = off(p, last, old) + variance(p.F, w, old)/N
		}
		return error2, float64(s.K-1) / N * math.Pow(2*ld/(N+1), 2), p.BoundSPIDERFW(s.T, s.K)
	})
	for _, b := range []int{1, 3, 8} {
		sarah(l, p, e, b)
	}
}

// estimates checks E f(w_k) − f(w*), and E‖g_k − ∇f(w_{k−1})‖² where g_k is the method's estimate. given
// returns what that is given the past, or a bound on it, of w = w_{k−1}, old = w_{k−2} and the last
// estimate, and what the proofs have for it and for the gap.
func estimates(l *ledger, p *fwinst.Instance, e effort, name string, method func() (fwopt.Method, *[]float64),
	given func(s fwopt.Step, w, old, last []float64) (error2, most, gap float64)) {
	for _, r := range l.mean(e.seeds, func(_ *ledger, seed uint64) (rows []row) {
		m, g := method()
		w, old := start(p), start(p)
		last := make([]float64, len(w)) // d_{k−1}
		watch(p, m, &spy{}, seed, func(s fwopt.Step, _ fwopt.Calls) bool {
			error2, most, gap := given(s, w, old, last)
			rows = append(rows, row{p.Excess(s.X), gap, error2, most})
			w, old, last = slices.Clone(s.X), w, slices.Clone(*g)
			return len(rows) < e.steps
		})
		return rows
	}) {
		l.most(name+": E gap", r[0], r[1])
		l.most(name+": E‖error‖²", r[2], r[3])
	}
}

// off returns ‖g − ∇f(w)‖².
func off(p *fwinst.Instance, g, w []float64) float64 {
	return math.Pow(dist(g, grad(p.F, w, fwopt.Batch{})), 2)
}

// sarah checks the bound of Sarah-FW, and, given the past, the step of its potential Φ.
func sarah(l *ledger, p *fwinst.Instance, e effort, b int) {
	for _, r := range l.mean(e.seeds, func(l *ledger, seed uint64) (rows []row) {
		m := &fwmore.SarahFW{B: b}
		old, before := start(p), 0.0 // w_{k−1}, ‖e_{k−1}‖²
		watch(p, m, &spy{}, seed, func(s fwopt.Step, _ fwopt.Calls) bool {
			q, γ := float64(b), 2/float64(s.K-1+4*b)
			v := variance(p.F, s.X, old) / q // of the correction, given the past
			step := dist(s.X, old)
			l.most("Sarah-FW: the variance of a correction", v, math.Pow(p.L*step, 2)/q)
			c := q / (math.Sqrt2 * p.L) // √(b/2p)/L
			after := p.Excess(s.X) + c*(1-1/q)*(before+v)
			l.most("Sarah-FW: E Φ_k, one step", after, (1-γ)*(p.Excess(old)+c*before)+
				γ*γ*p.L*p.D*p.D*(0.5+math.Sqrt2))
			rows = append(rows, row{p.Excess(s.X), p.BoundSarahFW(b, s.K)})
			old, before = slices.Clone(s.X), off(p, m.G, s.X)
			return len(rows) < e.steps
		})
		return rows
	}) {
		l.most("Sarah-FW: E gap", r[0], r[1])
	}
}
