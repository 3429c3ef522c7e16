package fwopt

import (
	"iter"

	"gonum.org/v1/gonum/floats"
)

// FW is the Frank-Wolfe algorithm, Eq. (3) of Section 2.2:
//
//	v_k = argmin_{v∈Ω} ∇f(w_{k−1})ᵀv
//	w_k = (1 − γ_k) w_{k−1} + γ_k v_k
//
// The step γ_k is Gamma(k) if that is set, else the safe step
// min{1, gap/(L‖v_k−w_{k−1}‖²)} if L is set, which never increases f, else the
// minimiser of f on the segment, found by the objective (a LineSearcher) at the
// price of one exact gradient.
type FW struct {
	Gamma func(k int) float64 // γ_k
	L     float64             // smoothness of f, for the safe step

	K          int       // steps done
	W          []float64 // w_k
	DualityGap float64   // the duality gap at w_{k−1}, which the step found on its way
}

// FWOpenLoop is Frank-Wolfe with γ_k = 2/(k+1): f(w_k) − f(w*) ≤ BoundFW(L, D, k)
// (Jaggi, ICML 2013, Theorem 1).
func FWOpenLoop() *FW { return &FW{Gamma: gamma2} }

// FWSafe is Frank-Wolfe with the safe step for an L-smooth f; same bound.
func FWSafe(L float64) *FW { return &FW{L: positive("L", L)} }

// FWLineSearch is Frank-Wolfe with exact line search; same bound.
func FWLineSearch() *FW { return &FW{} }

func (a *FW) String() string { return "FW" }

// Identify says the step: L, or Gamma at each step.
func (a *FW) Identify(id *Identity) {
	id.Of(a).Float(a.L)
	if a.Gamma == nil {
		return
	}
	id.Text("Gamma")
	for _, k := range id.Steps(nil) {
		id.Float(a.Gamma(k))
	}
}

// Steps runs Frank-Wolfe. A step counts one exact gradient and one linear
// optimisation, and one exact gradient more for a line search.
func (a *FW) Steps(o *Oracle, w0 []float64) iter.Seq[Step] {
	if a.L != 0 {
		positive("L", a.L)
	}
	if a.K == 0 {
		a.W = append(a.W[:0], w0...)
	}
	g, v, d := make([]float64, len(w0)), make([]float64, len(w0)), make([]float64, len(w0))
	return func(yield func(Step) bool) {
		for {
			k := a.K + 1
			o.Grad(g, a.W)                   // ∇f(w_{k−1})
			o.Argmin(v, g)                   // v_k = argmin_{v∈Ω} ∇f(w_{k−1})ᵀv
			floats.SubTo(d, a.W, v)          // w_{k−1} − v_k
			a.DualityGap = floats.Dot(g, d)  // max_{v∈Ω} ∇f(w_{k−1})ᵀ(w_{k−1} − v)
			Lerp(a.W, a.step(o, k, v, d), v) // w_k = (1−γ_k) w_{k−1} + γ_k v_k
			a.K = k
			if !yield(Step{T: 1, K: k, X: a.W}) {
				return
			}
		}
	}
}

func (a *FW) step(o *Oracle, k int, v, d []float64) float64 {
	switch {
	case a.Gamma != nil:
		return a.Gamma(k)
	case a.L > 0:
		return shortStep(a.DualityGap, a.L*floats.Dot(d, d))
	}
	return o.LineSearch(a.W, v)
}

// shortStep returns min{1, gap/bend}, the minimiser over [0, 1] of
// −γ gap + γ² bend/2; 0 if the gap is not positive.
func shortStep(gap, bend float64) float64 {
	if !(gap > 0) {
		return 0
	}
	return min(1, gap/bend)
}

// gamma2 is γ_k = 2/(k+1), the step of every theorem of the paper.
func gamma2(k int) float64 { return 2 / float64(k+1) }
