package main

import (
	"fmt"
	"math"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwinst"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"gonum.org/v1/gonum/floats"
)

// The theorem beyond the paper, of STORCBeyond and STORCBeyondStrong, step by step
// of its proof; and line 11 with away steps.

func beyond(l *ledger, p *fwinst.Instance, e effort) {
	for _, away := range []bool{false, true} {
		beyondOf(l, p, e, away, func() *fwopt.STORC { return fwmore.STORCBeyond(p.Constants) })
	}
}

func beyondOf(l *ledger, p *fwinst.Instance, e effort, away bool, method func() *fwopt.STORC) {
	c := fromProof("Beyond", p, doubled(p, e), fwmore.NewBeyond(p.Constants)).with(method)
	c.counts(c.name, "28800LD²/ε", func(x float64, _ int) float64 { return 28800 * x })
	c.beyond(l, p, e, away)
}

func beyondStrong(l *ledger, p *fwinst.Instance, e effort) {
	if p.Alpha == 0 {
		return
	}
	for _, away := range []bool{false, true} {
		c := fromProof("Beyond, strongly convex", p, fixed(p, e), fwmore.NewBeyondStrong(p.Constants)).
			with(func() *fwopt.STORC { return fwmore.STORCBeyondStrong(p.Constants) })
		c.counts(c.name, "69760μ ln₂(LD²/ε)", func(_ float64, T int) float64 {
			return 69760 * p.L / p.Alpha * float64(T+1)
		})
		c.beyond(l, p, e, away)
	}
}

// fromProof takes N_t and D_t² from the proof, too.
func fromProof(name string, p *fwinst.Instance, of epochs, proof fwmore.Beyond) *sliding {
	of.N, of.Dt2 = proof.N, proof.Dt2
	return theorem2(name, p, of, func(int) float64 { return 800 }, proof.Start, proof.Step3,
		fmt.Sprint(proof.Step3))
}

// beyond checks the steps of the proof; with away steps, where they are those of
// another line 11, only this, the counts and the conclusion.
func (c *sliding) beyond(l *ledger, p *fwinst.Instance, e effort, away bool) {
	L, name, N := p.L, c.name, c.N
	if away {
		ratio := width(p.Omega)
		if ratio == 0 {
			return
		}
		storc := c.make
		c.make = func() (fwopt.Method, *[]float64) {
			m, _ := storc()
			a := &fwopt.STORCAway{STORC: *m.(*fwopt.STORC)}
			return a, &a.X
		}
		name += ", away steps"
		c.name = name
		c.inner = func(l *ledger, beta, eta, linear float64) {
			l.most(name+": line 11's linear optimisations", linear,
				2+2*math.Ceil(8*ratio*max(0, math.Log(beta*p.D*p.D/eta))))
		}
		c.lines = "Σ N_t(4 + 16(D/δ)² ln(3N_tD²/(2D_t²)))"
		c.linear = func(_ float64, T int) (sum float64) {
			for t := 1; t <= T; t++ { // β_kD²/η_{t,k} is the same for all k
				sum += float64(N(t)) * (4 + 16*ratio*max(0, math.Log(1.5*float64(N(t))*p.D*p.D/c.Dt2(t))))
			}
			return sum
		}
		c.counts(name, "", nil)
		c.mean = func(l *ledger, t, k int, r row) {
			if k == N(t) {
				l.most(name+": E gap(w_t) ≤ LD²/2^{t+1}", r[gapY], p.BoundEpoch(t))
			}
		}
		c.check(l, p, e)
		return
	}
	c.step = func(l *ledger, v *view) { beyondStep(l, name, p, v) }
	shared, sum := c.mean, 0.0
	c.mean = func(l *ledger, t, k int, r row) {
		shared(l, t, k, r)
		if k == 1 {
			sum = 0
		}
		n, s, q, D2 := float64(N(t)), float64(k), c.condition(t, k), c.Dt2(t)
		sum += s * (c.eta(t, k) + q/(2*(c.beta(k)-L*gamma(k))))
		l.most(name+": step 1", r[gapY]*s*(s+1)/2+1.5*L*r[distX], 1.5*L*D2+sum)
		l.most(name+": step 1, E‖x_k−w*‖² ≤ (8/3)D_t²", r[distX], D2*8/3)
		l.most(name+": step 1, E‖y_k−w*‖² ≤ (8/3)D_t²", r[distY], D2*8/3)
		l.most(name+": step 2, E∇f(y_k)ᵀ(x_k−w*)", r[linear], L*D2*(2/(n*s)+4/s+1/(3*n*(s+1))))
		l.most(name+": step 3, E‖x_k−y_k‖² ≤ (32/3)D_t²", r[apart], D2*32/3)
	}
	c.check(l, p, e)
}

// beyondStep checks steps 2 and 3 before their expectations are taken. The z_s of
// step 3 is the one that the next step asks at.
func beyondStep(l *ledger, name string, p *fwinst.Instance, v *view) {
	slope := floats.Dot(grad(p.F, v.y, fwopt.Batch{}), minus(v.x, p.WStar))
	l.sum(name+": step 2, one step", slope, -v.η, -v.β/2*dist2(v.xOld, p.WStar),
		-floats.Dot(v.δ, v.δ)/v.β, floats.Dot(v.δ, minus(v.xOld, p.WStar)))
	γ := gamma(v.k + 1)
	l.sum(name+": step 3, one step", p.Excess(mix(v.y, γ, v.x)), -(1-γ)*p.Excess(v.y), -γ*slope,
		-p.L*γ*γ/2*dist2(v.x, v.y))
}
