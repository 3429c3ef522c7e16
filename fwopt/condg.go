package fwopt

import (
	"math"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// CondG is lines 10 and 11 of Algorithm 2: Frank-Wolfe from u = x, with the minimiser on the segment as its
// step, on min_{u∈Ω} g(u) = (β/2)‖u − x‖² + ∇̃ᵀu until gap + slack ≤ η, with a slack of η/10, so that Eq. (4)
// holds. A run that needs a million linear optimisations for one η is Stalled.
type CondG struct {
	β        float64
	x, tilde []float64 // of g

	u, grad, d []float64
	v          Vertex
	s          *fwset.ActiveSet // of u, for away steps from the vertex argmin_{v∈Ω} ∇̃ᵀv; or nil
	h          *hull            // with a Memory, see there
}

// NewCondG returns the inner loop of a run in dimension d. mem may be nil.
func NewCondG(d int, mem *Memory) *CondG {
	positiveInt("the dimension of NewCondG", d)
	s := vectors(3, d)
	c := &CondG{u: s[0], grad: s[1], d: s[2]}
	if mem != nil && mem.Size != 0 {
		c.h = newHull(d, mem)
	}
	return c
}

// maxInner is where the inner loop gives up. In exact arithmetic 7βD²/η + 10 steps
// are enough (Jaggi, ICML 2013, Theorem 2): 10.5 N_t + 10 in cases (a) and (b) of
// Theorem 2, 28k + 10 for SCGS, 10.5 N_t 2^{t−1}/μ + 10 in case (c).
const maxInner = 1_000_000

// Objective sets g, until Argmin returns. It panics if β is not positive.
func (c *CondG) Objective(beta float64, x, tilde []float64) {
	if !(beta > 0) {
		panic(need.Linef("fwopt: β = %g, want β > 0; check Beta", beta))
	}
	c.β, c.x, c.tilde = beta, x, tilde
}

// Argmin returns x_k, valid until the next call, or nil where Steps must return as for Halted. It
// panics if η is negative.
func (c *CondG) Argmin(o *Oracle, eta float64) []float64 {
	if !(eta >= 0) {
		panic(need.Linef("fwopt: η = %g, want η ≥ 0; check Eta", eta))
	}
	u, grad := c.x, c.tilde // u = x_{k−1}, where ∇g(u) = ∇̃
	if c.s != nil {
		o.ArgminTo(&c.v, c.tilde, eta/10)
		c.v.Dense(c.u)
		c.s.Start(&c.v)
	}
	if c.h != nil {
		if u, done := c.factored(o, eta); done {
			return u
		}
		c.h.start(c.x, c.tilde)
	}
	for k := range maxInner {
		if o.Halted() {
			return nil
		}
		if c.h != nil {
			c.h.solve(c.β, eta/8)
			c.h.point(c.u, c.x)
		}
		if k > 0 || c.s != nil || c.h != nil {
			u, grad = c.u, c.grad
			for j, t := range c.tilde {
				grad[j] = t + c.β*(u[j]-c.x[j]) // ∇g(u) = ∇̃ + β(u − x)
			}
		}
		slack := o.ArgminTo(&c.v, grad, eta/10) // v = argmin_{v∈Ω} ∇g(u)ᵀv
		gap, length2 := c.v.Gap(grad, u)        // max_{v∈Ω} ∇g(u)ᵀ(u − v), Eq. (4)
		if gap+slack <= eta {
			return u
		}
		if slack > eta || k == 0 && eta < 0x1p-52*floats.Norm(grad, 2)*math.Sqrt(length2) {
			break // slack or rounding alone exceeds η
		}
		if !c.move(u, gap, length2) {
			break // no descent
		}
	}
	o.Stall()
	return nil
}

// factored is Argmin by products, where the domain has them: no ∇g(u) is written out. It is not done where
// rounding may hide η.
func (c *CondG) factored(o *Oracle, eta float64) (u []float64, done bool) {
	h := c.h
	if h.factors == nil {
		h.factors = fwset.NewFactors(o.Omega, h.mem.Size)
	}
	floats.AddScaledTo(c.grad, c.tilde, -c.β, c.x) // D, with ∇g(u) = D + βu
	if !h.factor(c.β, c.x, c.grad) {
		return nil, false
	}
	o.look(c.tilde, "the gradient for a linear optimisation, from the terms")
	for range maxInner {
		if o.Halted() {
			return nil, true
		}
		h.solve(c.β, eta/8)
		o.Calls.Linear++
		gap, slack := h.least(&c.v, c.x)
		if gap+slack <= eta {
			h.point(c.u, c.x)
			return c.u, true
		}
		if !(slack <= eta/10) || !h.learn(&c.v, c.β, c.x, nil, nil, gap) {
			return nil, false
		}
	}
	o.Stall()
	return nil, true
}

// Accept keeps u as x_k, and x for the loop; a Memory's step ends here.
func (c *CondG) Accept(u, x []float64) []float64 {
	if &u[0] != &x[0] {
		c.u = x
	}
	if c.h != nil {
		c.h.keep(u)
	}
	return u
}

// move goes from u towards v, where gap is ⟨∇g(u), u−v⟩ and length2 is ‖u−v‖², or away from
// an active vertex. The result is in c.u; with a Memory v is there for the next u.
func (c *CondG) move(u []float64, gap, length2 float64) (moved bool) {
	if c.h != nil {
		return c.h.learn(&c.v, c.β, c.x, c.tilde, c.grad, gap)
	}
	γ := shortStep(gap, c.β*length2) // argmin_{γ∈[0,1]} g(u − γ(u−v))
	if c.s == nil {
		c.v.LerpTo(c.u, u, γ)
		return γ != 0
	}
	at, most := c.s.Choose(c.grad)
	if away := most - floats.Dot(c.grad, u); len(c.s.Atom) > 1 && away > gap {
		c.s.Atom[at].From(c.d, u)
		floats.Scale(-1, c.d)
		γ := min(c.s.Most(at), shortStep(away, c.β*floats.Dot(c.d, c.d)))
		c.s.Away(u, at, γ)
		return γ != 0
	}
	c.s.Toward(u, &c.v, γ)
	return γ != 0
}
