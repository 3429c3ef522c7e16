package fwmore

import (
	"iter"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// SPIDERFW is SPIDER Frank-Wolfe (Yurtsever, Sra & Cevher, "Conditional gradient methods via
// stochastic path-integrated differential estimator", ICML 2019), which corrects the last estimate
// step by step from an exact gradient at the beginning of each epoch:
//
//	for t = 1, 2, … do
//	    x_0 = w_{t−1}, g_1 = ∇f(x_0)
//	    for k = 1 to N_t do
//	        if k > 1: g_k = g_{k−1} + average of m_t iid samples of ∇f_i(x_{k−1}) − ∇f_i(x_{k−2})
//	        v_k = argmin_{v∈Ω} g_kᵀv
//	        x_k = (1 − γ_k) x_{k−1} + γ_k v_k
//	    end for
//	    w_t = x_{N_t}
//	end for
type SPIDERFW struct {
	N     func(t int) int        // N_t, the steps of epoch t
	M     func(t int) int        // m_t, the samples of a step of epoch t
	Gamma func(t, k int) float64 // γ_k of epoch t

	T, K       int       // epoch t, steps of it done
	X, XOld, G []float64 // x_k, x_{k−1}, g_k
}

// SPIDERFWConvex has N_t = m_t = 2^{t−1} and γ_k = 2/(N_t + k), which need no constants of f. If
// every f_i is L-smooth, then E f(x_k) − f(w*) ≤ 10LD²/(N_t + k) = Constants.BoundSPIDERFW(t, k).
//
// Proof: E‖g_k − ∇f(x_{k−1})‖² ≤ (k−1)(2LD/(N_t+1))²/m_t ≤ (4LD/s)² for s = N_t + k, so that
// E f(x_k) − f(w*) ≤ (1−2/s)(E f(x_{k−1}) − f(w*)) + 10LD²/s², where s goes on from epoch to epoch and
// begins with γ = 1.
func SPIDERFWConvex() *SPIDERFW {
	n := func(t int) int { return 1 << min(t-1, 62) }
	return &SPIDERFW{N: n, M: n, Gamma: func(t, k int) float64 { return 2 / (float64(n(t)) + float64(k)) }}
}

func (a *SPIDERFW) String() string { return "SPIDER-FW" }

// Identify writes the parameters at each step.
func (a *SPIDERFW) Identify(id *fwopt.Identity) {
	id.Of(a)
	for t, k := range id.Steps(a.N) {
		id.Int(a.M(t)).Float(a.Gamma(t, k))
	}
}

// Steps runs SPIDERFW. Epoch t counts one exact gradient; its other steps 2m_t stochastic ones, and
// each step one linear optimisation.
func (a *SPIDERFW) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	need.Given("fwmore", "SPIDERFW.N", a.N == nil)
	need.Given("fwmore", "SPIDERFW.M", a.M == nil)
	need.Given("fwmore", "SPIDERFW.Gamma", a.Gamma == nil)
	if a.T == 0 {
		a.T, a.X = 1, append(a.X[:0], w0...)
		a.XOld, a.G = make([]float64, len(w0)), make([]float64, len(w0))
	}
	var v fwopt.Vertex
	return func(yield func(fwopt.Step) bool) {
		for ; ; a.T, a.K = a.T+1, 0 { // for t = 1, 2, …
			for a.K < a.N(a.T) { // for k = 1 to N_t
				t, k := a.T, a.K+1
				if k == 1 {
					o.Grad(a.G, a.X) // g_1 = ∇f(x_0)
				} else {
					o.VRGrad(a.G, a.X, a.XOld, a.G, a.M(t)) // g_k = g_{k−1} + mean of ∇f_i(x_{k−1}) − ∇f_i(x_{k−2})
				}
				o.Argmin(&v, a.G)          // v_k = argmin_{v∈Ω} g_kᵀv
				copy(a.XOld, a.X)          // x_{k−1}
				v.Lerp(a.X, a.Gamma(t, k)) // x_k = (1−γ_k) x_{k−1} + γ_k v_k
				a.K = k
				if !yield(fwopt.Step{T: t, K: k, X: a.X}) {
					return
				}
			}
		} // w_t = x_{N_t}
	}
}
