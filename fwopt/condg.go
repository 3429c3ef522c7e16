package fwopt

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
)

// condG is line 11 of Algorithm 2, the inner loop of SCGS and STORC: it runs
// Frank-Wolfe from u = x to solve
//
//	min_{u∈Ω} g(u),   g(u) = (β/2)‖u − x‖² + ∇̃ᵀu
//
// until gap + slack ≤ η, where gap is the duality gap and slack the inexactness of
// the linear optimisation, which is asked for η/10: so Eq. (4) holds also where
// that is not exact. The step is the minimiser on the segment, in closed form.
// One condG, which is scratch space only, serves all the steps of a run.
//
// With away it takes the steps of AwayFW, from the vertex u = argmin_{v∈Ω} ∇̃ᵀv,
// for one linear optimisation more. As g(u) − min g ≤ βD²/2 there, as g is of
// condition number 1, as a gap is at most D√(2β(g(u) − min g)) below that and as
// at most every second step is a drop step, a polytope of pyramidal width δ needs
// at most 2 + 2⌈8(D/δ)² max(0, ln(βD²/η))⌉ linear optimisations in all.
type condG struct {
	u, grad, v, d []float64
	away          bool
	s             activeSet // u, with away
}

func newCondG(d int) *condG {
	s := vectors(4, d)
	return &condG{u: s[0], grad: s[1], v: s[2], d: s[3]}
}

// maxInner is where the inner loop gives up. In exact arithmetic 7βD²/η + 10 steps
// are enough (Jaggi, ICML 2013, Theorem 2): 10.5 N_t + 10 in cases (a) and (b) of
// Theorem 2, 28k + 10 for SCGS, 10.5 N_t 2^{t−1}/μ + 10 in case (c).
const maxInner = 1_000_000

// solve returns x_k, valid until the next call, or nil if the run was halted or
// if η cannot be reached; the state of the method is then as it was.
func (c *condG) solve(o *Oracle, tilde, x []float64, beta, eta float64) []float64 {
	copy(c.u, x)
	if !(beta > 0) || !(eta >= 0) {
		panic(fmt.Sprintf("fwopt: β = %g and η = %g, want β > 0 and η ≥ 0; look at the schedules Beta and Eta", beta, eta))
	}
	if c.away {
		o.ArgminTo(c.u, tilde, eta/10)
		c.s.start(c.u)
	}
	search := func(slope float64) float64 { // argmin_{γ∈[0,1]} g(u + γd)
		return shortStep(slope, beta*floats.Dot(c.d, c.d))
	}
	for k := range maxInner {
		if o.Halted() {
			return nil
		}
		for j, t := range tilde {
			c.grad[j] = t + beta*(c.u[j]-x[j]) // ∇g(u) = ∇̃ + β(u − x)
		}
		slack := o.ArgminTo(c.v, c.grad, eta/10) // v = argmin_{v∈Ω} ∇g(u)ᵀv
		floats.SubTo(c.d, c.v, c.u)
		gap := -floats.Dot(c.grad, c.d) // max_{v∈Ω} ∇g(u)ᵀ(u − v), Eq. (4)
		if gap+slack <= eta {
			return c.u
		}
		if slack > eta || k == 0 && eta < 0x1p-52*floats.Norm(c.grad, 2)*floats.Norm(c.d, 2) {
			break // slack or rounding alone exceeds η
		}
		var γ float64
		if c.away {
			γ = c.s.step(c.u, c.grad, c.v, c.d, gap, search)
		} else {
			γ = search(gap)
			Lerp(c.u, γ, c.v)
		}
		if γ == 0 {
			break // no descent
		}
	}
	o.Stall()
	return nil
}
