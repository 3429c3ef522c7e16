package fwmore

import (
	"iter"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// STORMFW is stochastic Frank-Wolfe with recursive momentum (Zhang, Shen, Mokhtari, Hassani &
// Karbasi, "One sample stochastic Frank-Wolfe", AISTATS 2020): before the old average counts it is
// moved to the new point by the samples of the step. With ρ_1 = 1:
//
//	for k = 1, 2, … do
//	    Draw m_k terms; g_k(w) is the average of their ∇f_i(w).
//	    d_k = g_k(w_{k−1}) + (1 − ρ_k)(d_{k−1} − g_k(w_{k−2}))
//	    v_k = argmin_{v∈Ω} d_kᵀv
//	    w_k = (1 − γ_k) w_{k−1} + γ_k v_k
//	end for
type STORMFW struct {
	M     func(k int) int     // m_k, the samples of step k
	Rho   func(k int) float64 // ρ_k
	Gamma func(k int) float64 // γ_k

	K          int       // steps done
	W, WOld, D []float64 // w_k, w_{k−1}, d_k
}

// STORMFWConvex has m samples a step and ρ_k = γ_k = 1/k, which need no constants of f; m = 1 is
// 1-SFW. If every f_i is L-smooth and their variance at most σ², then E f(w_k) − f(w*) ≤
// Constants.BoundSTORMFW(m, k).
//
// Proof: For e_k = d_k − ∇f(w_{k−1}) the samples of step k give E‖e_k‖² ≤ (1−ρ_k)² E‖e_{k−1}‖² +
// 2(1−ρ_k)²(LDγ_{k−1})²/m + 2ρ_k²σ²/m, so that E‖e_k‖² ≤ 2(L²D² + σ²)/(mk), and k(E f(w_k) − f(w*)) ≤
// (k−1)(E f(w_{k−1}) − f(w*)) + D E‖e_k‖ + LD²/(2k), which adds up.
func STORMFWConvex(m int) *STORMFW {
	rate := func(k int) float64 { return 1 / float64(k) }
	return &STORMFW{M: func(int) int { return m }, Rho: rate, Gamma: rate}
}

func (a *STORMFW) String() string { return "STORM-FW" }

// Identify writes the parameters at each step.
func (a *STORMFW) Identify(id *fwopt.Identity) {
	id.Of(a)
	for _, k := range id.Steps(nil) {
		id.Int(a.M(k)).Float(a.Rho(k), a.Gamma(k))
	}
}

// Steps runs STORMFW. Step k counts 2m_k stochastic gradients and one linear optimisation; w_{−1} = w_0.
func (a *STORMFW) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	need.Given("fwmore", "STORMFW.M", a.M == nil)
	need.Given("fwmore", "STORMFW.Rho", a.Rho == nil)
	need.Given("fwmore", "STORMFW.Gamma", a.Gamma == nil)
	if a.K == 0 {
		a.W, a.WOld, a.D = append(a.W[:0], w0...), append(a.WOld[:0], w0...), make([]float64, len(w0))
	}
	g, v := make([]float64, len(w0)), fwopt.Vertex{}
	return func(yield func(fwopt.Step) bool) {
		for { // for k = 1, 2, …
			k := a.K + 1
			m := a.M(k)
			b := o.Sample(m)              // draw m_k terms
			o.GradOf(g, a.WOld, b, m)     // g_k(w_{k−2})
			floats.Sub(a.D, g)            // d_{k−1} − g_k(w_{k−2})
			floats.Scale(1-a.Rho(k), a.D) // (1−ρ_k)(d_{k−1} − g_k(w_{k−2}))
			o.GradOf(g, a.W, b, m)        // g_k(w_{k−1})
			floats.Add(a.D, g)            // d_k = g_k(w_{k−1}) + (1−ρ_k)(d_{k−1} − g_k(w_{k−2}))
			o.Argmin(&v, a.D)             // v_k = argmin_{v∈Ω} d_kᵀv
			copy(a.WOld, a.W)             // w_{k−1}
			v.Lerp(a.W, a.Gamma(k))       // w_k = (1−γ_k) w_{k−1} + γ_k v_k
			a.K = k
			if !yield(fwopt.Step{T: 1, K: k, X: a.W}) {
				return
			}
		}
	}
}
