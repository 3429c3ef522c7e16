package fwopt

import (
	"iter"

	"github.com/projection-free/fwlab/fwopt/internal/ident"
)

// FW is the Frank-Wolfe algorithm, Eq. (3) of Section 2.2:
//
//	v_k = argmin_{v∈Ω} ∇f(w_{k−1})ᵀv
//	w_k = (1 − γ_k) w_{k−1} + γ_k v_k
//
// The Rule chooses γ_k. With OpenLoop, Short and LineSearch f(w_k) − f(w*) ≤ Constants.BoundFW(k).
type FW struct {
	Rule StepRule // nil stands for OpenLoop

	K          int       // steps done
	W          []float64 // w_k
	DualityGap float64   // at w_{k−1}, which the step found on its way
	Scores     []float64 // those of w_k, where a Follower keeps them up
}

func (a *FW) rule() StepRule {
	if ident.IsNil(a.Rule) {
		return OpenLoop{}
	}
	return a.Rule
}

func (a *FW) String() string { return "FW" }

// Identify writes the rule.
func (a *FW) Identify(id *Identity) { id.Of(a).Part(a.rule()) }

// Tested returns a, or what in it fwtest has not passed: see Identity.
func (a *FW) Tested() any { return ident.First(a, a.rule()) }

// Steps runs Frank-Wolfe. A step counts one exact gradient, two with a line search, and one linear
// optimisation. Where F is a Scorer it takes one pass back, and what Xv_k costs.
func (a *FW) Steps(o *Oracle, w0 []float64) iter.Seq[Step] {
	if a.K == 0 {
		a.W = append(a.W[:0], w0...)
	}
	g, v, seg := make([]float64, len(w0)), Vertex{}, [][]float64(nil)
	at := o.Follow(&a.Scores)
	return func(yield func(Step) bool) {
		for { // for k = 1, 2, …
			k := a.K + 1
			at.Grad(g, a.W, k)                          // ∇f(w_{k−1})
			o.Argmin(&v, g)                             // v_k = argmin_{v∈Ω} ∇f(w_{k−1})ᵀv
			gap, length2 := v.Gap(g, a.W)               // gap and ‖w_{k−1} − v_k‖²
			γ := a.gamma(o, at, &v, gap, length2, &seg) // γ_k
			at.Move(γ)
			v.Lerp(a.W, γ) // w_k = (1−γ_k) w_{k−1} + γ_k v_k
			a.DualityGap = gap
			a.K = k
			if !yield(Step{T: 1, K: k, X: a.W}) {
				return
			}
		}
	}
}

// gamma asks the rule for γ_k, and tells at of the way. Ours need no more than what is known, and for another one
// the seg is written out. A method of the rule that says so would also be that of a rule
// which embeds it. seg is scratch memory.
func (a *FW) gamma(o *Oracle, at *Follower, v *Vertex, gap, length2 float64, seg *[][]float64) float64 {
	k := a.K + 1
	switch rule := a.rule().(type) {
	case OpenLoop:
		at.Along(Segment{}, nil, v)
		return gamma2(k)
	case Short:
		at.Along(Segment{}, nil, v)
		return rule.step(gap, length2)
	}
	if *seg == nil {
		*seg = vectors(2, len(a.W))
	}
	d, end := (*seg)[0], (*seg)[1]
	v.From(d, a.W)
	v.Dense(end)
	return at.Along(Segment{X: a.W, D: d, End: end, Slope: gap, Most: 1}, nil, v).Step(a.Rule, o, k)
}
