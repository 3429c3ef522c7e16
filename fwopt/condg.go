package fwopt

import (
	"math"

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
type condG struct{ u, grad, v, d []float64 }

func newCondG(d int) *condG {
	s := vectors(4, d)
	return &condG{s[0], s[1], s[2], s[3]}
}

// maxInner is where the inner loop gives up. In exact arithmetic 7βD²/η + 10 steps
// are enough (Jaggi, ICML 2013, Theorem 2): 10.5 N_t + 10 in cases (a) and (b) of
// Theorem 2, 28k + 10 for SCGS, 10.5 N_t 2^{t−1}/μ + 10 in case (c).
const maxInner = 1_000_000

// solve returns x_k, valid until the next call, or nil if the run was halted or
// if η cannot be reached; the state of the method is then as it was.
func (c *condG) solve(o *Oracle, tilde, x []float64, beta, eta float64) []float64 {
	copy(c.u, x)
	for k := range maxInner {
		if o.halted() {
			return nil
		}
		for j, t := range tilde {
			c.grad[j] = t + beta*(c.u[j]-x[j]) // ∇g(u) = ∇̃ + β(u − x)
		}
		slack := o.ArgminTo(c.v, c.grad, eta/10) // v = argmin_{v∈Ω} ∇g(u)ᵀv
		floats.SubTo(c.d, c.u, c.v)
		gap := floats.Dot(c.grad, c.d) // max_{v∈Ω} ∇g(u)ᵀ(u − v), Eq. (4)
		if gap+slack <= eta {
			return c.u
		}
		dd := floats.Dot(c.d, c.d)
		γ := shortStep(gap, beta*dd) // argmin_γ g((1−γ)u + γv)
		if γ == 0 || slack > eta || k == 0 && eta < 0x1p-52*math.Sqrt(floats.Dot(c.grad, c.grad)*dd) {
			break // no descent, or slack or rounding alone exceeds η
		}
		Lerp(c.u, γ, c.v)
	}
	o.stalled = true
	return nil
}
