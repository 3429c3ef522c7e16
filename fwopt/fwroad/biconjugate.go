package fwroad

import (
	"iter"

	"github.com/projection-free/fwlab/fwopt"
	"gonum.org/v1/gonum/floats"
)

// BiconjugateFW is bi-conjugate Frank-Wolfe of Mitradjieva & Lindberg, as ConjugateFW, whose
// direction is conjugate to the last two, with H = ∇²f(w_{k−1}):
//
//	for k = 1, 2, … do
//	    Compute v_k = argmin_{v∈Ω} ∇f(w_{k−1})ᵀv.
//	    Let p = s_{k−1} − w_{k−1} and r = γ_{k−1}s_{k−1} + (1−γ_{k−1})s_{k−2} − w_{k−1},
//	        μ_k = max{0, −rᵀH(v_k − w_{k−1})/rᵀH(s_{k−2} − s_{k−1})} and
//	        ν_k = max{0, −pᵀH(v_k − w_{k−1})/pᵀHp + μ_kγ_{k−1}/(1 − γ_{k−1})}.
//	    Set s_k = (v_k + ν_k s_{k−1} + μ_k s_{k−2})/(1 + ν_k + μ_k).
//	    Compute γ_k = argmin_{γ∈[0,1]} f((1−γ)w_{k−1} + γs_k).
//	    Set w_k = (1−γ_k)w_{k−1} + γ_k s_k.
//	end for
//
// r is parallel to the last direction but one. In the first step, and after one with
// γ_{k−1} = 1, both weights are 0, and in the step after that μ_k is. Their sum is at most 99, and
// the step goes to v_k where ConjugateFW's does, here also because f is no quadratic, and
// the method begins anew. So it converges for every convex and smooth f.
type BiconjugateFW struct {
	K          int       // steps done
	W          []float64 // w_k
	DualityGap float64   // at w_{k−1}, which the step found on its way
	S, S1      []float64 // s_k, s_{k−1}
	Gamma      float64   // γ_k
	Nu, Mu     float64   // ν_k, μ_k
	Known      int       // directions to which the next one can be conjugate
}

func (a *BiconjugateFW) String() string { return "BiconjugateFW" }

// Identify writes the type alone.
func (a *BiconjugateFW) Identify(id *fwopt.Identity) { id.Of(a) }

// Steps runs BiconjugateFW. A step counts one linear optimisation and two exact gradients,
// one of them for the line search, and one more for each direction that it is made
// conjugate to: two as a rule. It panics unless f is a Curver and a fwopt.LineSearcher.
func (a *BiconjugateFW) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	curve := curver(o)
	if a.K == 0 {
		a.W, a.S, a.S1 = append(a.W[:0], w0...), append(a.S[:0], w0...), append(a.S1[:0], w0...)
	}
	var v fwopt.Vertex
	g, s := make([]float64, len(w0)), make([]float64, len(w0))
	d, h := make([]float64, len(w0)), make([]float64, len(w0))
	return func(yield func(fwopt.Step) bool) {
		for { // for k = 1, 2, …
			k := a.K + 1
			o.Grad(g, a.W)                  // ∇f(w_{k−1})
			o.Argmin(&v, g)                 // v_k = argmin_{v∈Ω} ∇f(w_{k−1})ᵀv
			a.DualityGap, _ = v.Gap(g, a.W) // ∇f(w_{k−1})ᵀ(w_{k−1} − v_k)
			v.Dense(s)
			a.Nu, a.Mu = 0, 0
			if a.Known == 2 {
				copy(d, a.S1)
				fwopt.Lerp(d, a.Gamma, a.S)
				floats.Sub(d, a.W) // r = γ_{k−1}s_{k−1} + (1−γ_{k−1})s_{k−2} − w_{k−1}
				curve(h, a.W, d)   // Hr
				bend := floats.Dot(h, a.S1) - floats.Dot(h, a.S)
				a.Mu = max(0, -over(floats.Dot(h, s)-floats.Dot(h, a.W), bend))
			}
			if a.Known > 0 {
				floats.SubTo(d, a.S, a.W) // p = s_{k−1} − w_{k−1}
				curve(h, a.W, d)          // Hp
				a.Nu = -over(floats.Dot(h, s)-floats.Dot(h, a.W), floats.Dot(h, d))
				a.Nu = max(0, a.Nu+a.Mu*a.Gamma/(1-a.Gamma))
				if c := mostConjugate / (a.Nu + a.Mu); c < 1 {
					a.Nu, a.Mu = c*a.Nu, c*a.Mu
				}
				floats.AddScaled(s, a.Nu, a.S)
				floats.AddScaled(s, a.Mu, a.S1)
				floats.Scale(1/(1+a.Nu+a.Mu), s) // s_k = (v_k + ν_k s_{k−1} + μ_k s_{k−2})/(1 + ν_k + μ_k)
			}
			seg, falls := toward(g, s, a.W, d, a.DualityGap)
			if !falls {
				v.Dense(s)
				a.Nu, a.Mu, a.Known = 0, 0, 0
				seg, _ = toward(g, s, a.W, d, a.DualityGap)
			}
			a.Gamma = seg.Step(fwopt.LineSearch{}, o, k) // γ_k = argmin_{γ∈[0,1]} f((1−γ)w_{k−1} + γs_k)
			fwopt.Lerp(a.W, a.Gamma, s)                  // w_k = (1−γ_k)w_{k−1} + γ_k s_k
			copy(a.S1, a.S)
			copy(a.S, s)
			if a.Known = min(2, a.Known+1); a.Gamma == 1 {
				a.Known = 0
			}
			a.K = k
			if !yield(fwopt.Step{T: 1, K: k, X: a.W}) {
				return
			}
		}
	}
}
