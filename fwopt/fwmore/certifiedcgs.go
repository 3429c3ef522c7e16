package fwmore

import (
	"iter"
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// CertifiedCGS is conditional gradient sliding without constants, with exact gradients and a proof of its own
// gap: no L, no D, no prescribed accuracies, and a rate. G(w) is the duality gap at w.
//
//	 1  Input: objective function f.
//	 2  Initialize: y_0 = w_0, B = G(w_0), F = f(w_0) − B; L is the curvature of f from w_0 half the way to
//	    the vertex of G(w_0).
//	 3  for t = 1, 2, … do
//	 4      Initialize x_0 = y_0.
//	 5      for k = 1, 2, … do
//	 6          Compute f and ∇f at z_k = (1 − γ_k) y_{k−1} + γ_k x_{k−1}, with γ_k = 2/(k+1).
//	 7          Compute x_k by lines 10 and 11 of Algorithm 2, with ∇f(z_k), β_k = 3L/k and η = B/4.
//	 8          Compute f at y_k = (1 − γ_k) y_{k−1} + γ_k x_k.
//	 9          if f(y_k) > f(z_k) + ∇f(z_k)ᵀ(y_k − z_k) + (L/2)‖y_k − z_k‖² then L = 2L, line 7 anew.
//	10          F = max{F, min_{x∈Ω} ℓ_k(x)} with the mean of planes
//	            ℓ_k(x) = (1 − γ_k) ℓ_{k−1}(x) + γ_k (f(z_k) + ∇f(z_k)ᵀ(x − z_k)).
//	11          if f(y_k) − F ≤ B/2 then B = f(y_k) − F, y_0 = y_k, next t.
//	12      end for
//	13  end for
//
// If f is convex, ℓ_k ≤ f, so that F ≤ f(w*) and f(y_k) − f(w*) ≤ f(y_k) − F at each step, up to rounding in
// the sums f and ∇f. If it is L-smooth, that is at most B/4 + 6LD²/(k(k+1)), by (iii) of
// notebooks/untuned, as line 9 keeps its L below twice that. So until ε is proven it makes at most
// 17√(LD²/ε) + log₂(G(w_0)/ε) + 1 steps, and (LD²/ε) ln(LD²/ε) + ln(G(w_0)/ε) linear optimisations but for a
// constant.
type CertifiedCGS struct {
	Tolerance float64      // the method ends by itself where f(y_k) − F is at most this
	Memory    fwopt.Memory // of line 7

	Bound float64 // f(y_k) − F, which f(y_k) − f(w*) is at most
	Slack float64 // what of it is slack of the linear optimisation, and rounding
	B, F  float64
	L     float64 // the curvature that was found

	T, K     int       // where the run is: k steps of epoch t are done
	X, Y, Y0 []float64 // x_k, y_k, y_0
	S        []float64 // ∇ℓ_k
	P        float64   // ℓ_k(y_0)
}

// NewCertifiedCGS returns the method with a Memory of 32 vertices. It goes on until its budget is spent; or
// until what is proven is within rounding, where the run is Stalled.
func NewCertifiedCGS() *CertifiedCGS { return &CertifiedCGS{Memory: fwopt.Memory{Size: 32}} }

func (a *CertifiedCGS) String() string { return "CGS, certified" }

// Identify writes the tolerance and the size of the memory.
func (a *CertifiedCGS) Identify(id *fwopt.Identity) { id.Of(a).Float(a.Tolerance).Int(a.Memory.Size) }

// Steps runs the method; the iterate is y_k. Line 2 counts two exact gradients and one linear optimisation;
// a step one exact gradient for f and ∇f at z_k, one for each f(y_k), the linear optimisations of line 7 and
// one more. A run that can prove no more, as where f is not a number, ends as Stalled. It panics if the
// Tolerance is negative, or the sum NonConvex.
func (a *CertifiedCGS) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	if !(a.Tolerance >= 0) {
		panic(need.Linef("fwmore: a Tolerance of %g, want 0 or more", a.Tolerance))
	}
	o.NeedConvex("the bound of CGS, certified,")
	d := len(w0)
	n := make([]float64, 4*d)
	z, y, g, s := n[:d:d], n[d:2*d:2*d], n[2*d:3*d:3*d], n[3*d:]
	inner, v := fwopt.NewCondG(d, &a.Memory), fwopt.Vertex{}
	return func(yield func(fwopt.Step) bool) {
		if a.T == 0 || a.T == 1 && a.K == 0 {
			a.T, a.X, a.Y, a.Y0 = 1, slices.Clone(w0), slices.Clone(w0), slices.Clone(w0)
			a.S = make([]float64, d)
			f := o.ValueGrad(g, w0)
			a.B, a.Slack = wolfe(o, &v, s, g, w0, 0) // B = G(w_0)
			a.F, a.Bound = f-a.B, a.B                // F = f(w_0) − B
			far := floats.Dot(s, s)                  // s is w_0 − v
			floats.AddScaledTo(z, w0, -1./2, s)
			o.Grad(y, z)
			floats.Sub(y, g)
			a.L = max(-2*floats.Dot(y, s)/far, 0x1p-40*a.B/far) // at least a trace, for a linear f
		}
		for a.Bound > a.Tolerance || !(a.Bound >= 0) {
			if !(a.Bound > 2*a.Slack && a.Bound < math.Inf(1) && a.L > 0) {
				o.Stall()
				return
			}
			if a.K > 0 && a.Bound <= a.B/2 {
				a.T, a.K, a.B = a.T+1, 0, a.Bound // next t
			}
			if a.K == 0 {
				copy(a.Y0, a.Y)
				copy(a.X, a.Y) // x_0 = y_0
			}
			k, L, x := a.K+1, a.L, []float64(nil)
			γ, fy := 2/float64(k+1), 0.
			copy(z, a.Y)
			fwopt.Lerp(z, γ, a.X)   // z_k = (1−γ_k) y_{k−1} + γ_k x_{k−1}
			fz := o.ValueGrad(g, z) // f(z_k), ∇f(z_k)
			for ; ; L *= 2 {
				if !(L < math.Inf(1)) {
					o.Stall()
					return
				}
				inner.Objective(3*L/float64(k), a.X, g)   // (β_k/2)‖x−x_{k−1}‖² + ∇f(z_k)ᵀx
				if x = inner.Argmin(o, a.B/4); x == nil { // x_k, gap ≤ B/4
					return // the state is still that of step k−1
				}
				copy(y, a.Y)
				fwopt.Lerp(y, γ, x) // y_k = (1−γ_k) y_{k−1} + γ_k x_k
				fy = o.Value(y)     // f(y_k)
				floats.SubTo(s, y, z)
				if !(fy > fz+floats.Dot(g, s)+L/2*floats.Dot(s, s)+0x1p-50*(math.Abs(fy)+math.Abs(fz))) {
					break
				}
			}
			if !(math.Abs(fy-fz) < math.Inf(1)) {
				o.Stall()
				return
			}
			a.X = inner.Accept(x, a.X)
			floats.SubTo(s, z, a.Y0)
			a.P = (1-γ)*a.P + γ*(fz-floats.Dot(g, s)) // ℓ_k(y_0)
			fwopt.Lerp(a.S, γ, g)                     // ∇ℓ_k = (1−γ_k) ∇ℓ_{k−1} + γ_k ∇f(z_k)
			fall, slack := wolfe(o, &v, s, a.S, a.Y0, a.B/100)
			a.Slack = slack + 0x1p-50*(math.Abs(fy)+math.Abs(a.P))
			a.F = max(a.F, a.P-fall) // F = max{F, min_{x∈Ω} ℓ_k(x)}
			copy(a.Y, y)
			a.K, a.L, a.Bound = k, L, fy-a.F+a.Slack-slack
			if !yield(fwopt.Step{T: a.T, K: k, X: a.Y, Bound: a.Bound}) {
				return
			}
		}
	}
}
