package fwroad

import (
	"iter"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// ConjugateFW is conjugate direction Frank-Wolfe of Mitradjieva & Lindberg, "The stiff is
// moving: conjugate direction Frank-Wolfe methods with applications to traffic
// assignment", Transportation Science 47, 2013. Its step goes to a point s_k of Ω that makes
// the direction conjugate to the last one, with H = ∇²f(w_{k−1}):
//
//	for k = 1, 2, … do
//	    Compute v_k = argmin_{v∈Ω} ∇f(w_{k−1})ᵀv.
//	    Let p = s_{k−1} − w_{k−1} and ν_k = max{0, −pᵀH(v_k − w_{k−1})/pᵀHp}.
//	    Set s_k = (v_k + ν_k s_{k−1})/(1 + ν_k).
//	    Compute γ_k = argmin_{γ∈[0,1]} f((1−γ)w_{k−1} + γs_k).
//	    Set w_k = (1−γ_k)w_{k−1} + γ_k s_k.
//	end for
//
// In the first step, and after one with γ_{k−1} = 1, ν_k = 0. It is at most 99, so that s_k keeps
// a hundredth of v_k; the paper writes it as α_k = ν_k/(1 + ν_k) ≤ 1 − δ. After an exact line
// search with γ_{k−1} < 1 the last direction has no slope left, and that of the new one is the
// 1/(1 + ν_k)th part of the duality gap. Where it is less than half of a hundredth, as after a
// rough line search, the step goes to v_k: so the method converges for every convex and
// smooth f. No faster rate is proven. On the network Chicago-Sketch a gap of 1e-5 of ∇fᵀw
// takes 185 steps, where Frank-Wolfe takes 666 and BiconjugateFW 103.
type ConjugateFW struct {
	K          int       // steps done
	W          []float64 // w_k
	DualityGap float64   // at w_{k−1}, which the step found on its way
	S          []float64 // s_k
	Gamma      float64   // γ_k
	Nu         float64   // ν_k
}

// A Curver is a FiniteSum that multiplies by its second derivative. Those of fwsum do. A
// sum that embeds another one inherits the method: override it together with Value and Grad.
type Curver interface {
	// Curve computes dst = ∇²f(w)d. dst overlaps neither w nor d.
	Curve(dst, w, d []float64)
}

func (a *ConjugateFW) String() string { return "ConjugateFW" }

// Identify writes the type alone.
func (a *ConjugateFW) Identify(id *fwopt.Identity) { id.Of(a) }

// Steps runs ConjugateFW. A step counts one linear optimisation and three exact gradients,
// one of them for the line search and one for the product with H, which is not needed in
// the first step and after one with γ_{k−1} = 1. It panics unless f is a Curver and a
// fwopt.LineSearcher.
func (a *ConjugateFW) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	curve := curver(o)
	if a.K == 0 {
		a.W, a.S = append(a.W[:0], w0...), append(a.S[:0], w0...)
	}
	var v fwopt.Vertex
	g, s := make([]float64, len(w0)), make([]float64, len(w0))
	p, h := make([]float64, len(w0)), make([]float64, len(w0))
	return func(yield func(fwopt.Step) bool) {
		for { // for k = 1, 2, …
			k := a.K + 1
			o.Grad(g, a.W)                  // ∇f(w_{k−1})
			o.Argmin(&v, g)                 // v_k = argmin_{v∈Ω} ∇f(w_{k−1})ᵀv
			a.DualityGap, _ = v.Gap(g, a.W) // ∇f(w_{k−1})ᵀ(w_{k−1} − v_k)
			v.Dense(s)
			a.Nu = 0
			if k > 1 && a.Gamma < 1 {
				floats.SubTo(p, a.S, a.W)                    // p = s_{k−1} − w_{k−1}
				curve(h, a.W, p)                             // Hp
				phd := floats.Dot(h, s) - floats.Dot(h, a.W) // pᵀH(v_k − w_{k−1})
				a.Nu = min(mostConjugate, max(0, -over(phd, floats.Dot(h, p))))
				floats.AddScaled(s, a.Nu, a.S)
				floats.Scale(1/(1+a.Nu), s) // s_k = (v_k + ν_k s_{k−1})/(1 + ν_k)
			}
			seg, falls := toward(g, s, a.W, p, a.DualityGap)
			if !falls {
				v.Dense(s)
				a.Nu = 0
				seg, _ = toward(g, s, a.W, p, a.DualityGap)
			}
			a.Gamma = seg.Step(fwopt.LineSearch{}, o, k) // γ_k = argmin_{γ∈[0,1]} f((1−γ)w_{k−1} + γs_k)
			fwopt.Lerp(a.W, a.Gamma, s)                  // w_k = (1−γ_k)w_{k−1} + γ_k s_k
			copy(a.S, s)
			a.K = k
			if !yield(fwopt.Step{T: 1, K: k, X: a.W}) {
				return
			}
		}
	}
}

// mostConjugate is (1 − δ)/δ for the paper's δ = 0.01.
const mostConjugate = 99

// over returns x/bend, 0 where f does not bend.
func over(x, bend float64) float64 {
	if !(bend > 0) {
		return 0
	}
	return x / bend
}

// toward is the seg from w to s, where d is memory, and whether f falls on it by half of
// the least part of the gap that its slope should be.
func toward(g, s, w, d []float64, gap float64) (seg fwopt.Segment, falls bool) {
	floats.SubTo(d, w, s)
	slope := floats.Dot(g, d)
	return fwopt.Segment{X: w, D: d, End: s, Slope: slope, Most: 1}, slope >= gap/(2*(1+mostConjugate))
}

// curver returns the product with ∇²f, which counts.
func curver(o *fwopt.Oracle) func(dst, w, d []float64) {
	f, ok := o.F.(Curver)
	if !ok {
		panic(need.Linef("fwroad: %T has no Curve, the product with its second derivative; "+
			"use another method, as AwayFW", o.F))
	}
	return func(dst, w, d []float64) {
		o.Calls.Exact++
		f.Curve(dst, w, d)
	}
}
