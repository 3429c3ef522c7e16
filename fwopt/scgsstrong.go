package fwopt

import (
	"iter"
	"math"
)

// SCGSStrong is SCGS for a strongly convex f, in epochs that halve the bound (after Lan & Zhou, SIAM J.
// Optim. 26, 2016), Algorithm 2 without snapshots:
//
//	for t = 1, 2, … do
//	    Initialize x_0 = y_0 = w_{t−1}.
//	    for k = 1 to N_t do
//	        Compute z_k = (1 − γ_k) y_{k−1} + γ_k x_{k−1}.
//	        Compute ∇̃_k, the average of m_{t,k} iid samples of ∇f_i(z_k).
//	        Compute x_k by Frank-Wolfe on min_{x∈Ω} (β_k/2)‖x − x_{k−1}‖² + ∇̃_kᵀx,
//	            until the duality gap is at most η_{t,k}.
//	        Compute y_k = (1 − γ_k) y_{k−1} + γ_k x_k.
//	    end for
//	    Set w_t = y_{N_t}.
//	end for
type SCGSStrong struct {
	Gamma func(k int) float64    // γ_k
	Beta  func(k int) float64    // β_k
	Eta   func(t, k int) float64 // η_{t,k}, the accuracy of the inner loop
	M     func(t, k int) int     // m_{t,k}, the samples of step k of epoch t
	N     func(t int) int        // N_t, the steps of epoch t

	T, K int       // where the run is: k steps of epoch t are done
	X, Y []float64 // x_k, y_k
}

// SCGSStronglyConvex is for an α-strongly convex f under the conditions of SCGSConvex: N_t, γ_k,
// β_k, η_{t,k} and D_t of STORCTheorem2c and m_{t,k} = ⌈σ²N_t(k+1)²/(L²D_t²)⌉ give E f(w_t) − f(w*)
// ≤ Constants.BoundEpoch(t), if that holds for w_0 (notebooks/earlier-methods). Where f(w_0) −
// f(w*) ≤ δ_0 is known, √(2δ_0/L) may stand for D. It panics if α > L.
func SCGSStronglyConvex(c Constants) *SCGSStrong {
	storc, mu, sigma := STORCTheorem2c(c), c.Mu(), c.get("Sigma", c.Sigma)
	return &SCGSStrong{
		Gamma: storc.Gamma,
		Beta:  storc.Beta,
		Eta:   storc.Eta,
		M: func(t, k int) int {
			Dt2 := mu * c.D * c.D / math.Exp2(float64(t-1)) // D_t²
			q := sigma / c.L * float64(k+1)
			return ceil(q * q * float64(storc.N(t)) / Dt2)
		},
		N: storc.N,
	}
}

func (a *SCGSStrong) String() string { return "SCGS, strongly convex" }

// Identify writes the parameters at each step.
func (a *SCGSStrong) Identify(id *Identity) {
	id.Of(a)
	for t, k := range id.Steps(a.N) {
		id.Float(a.Gamma(k), a.Beta(k), a.Eta(t, k)).Int(a.M(t, k))
	}
}

// Steps runs SCGS in epochs; the iterate is y_k. Step k counts m_{t,k} stochastic gradients and one
// linear optimisation more than the inner Frank-Wolfe steps.
func (a *SCGSStrong) Steps(o *Oracle, w0 []float64) iter.Seq[Step] {
	given("SCGSStrong.Gamma", a.Gamma == nil)
	given("SCGSStrong.Beta", a.Beta == nil)
	given("SCGSStrong.Eta", a.Eta == nil)
	given("SCGSStrong.M", a.M == nil)
	given("SCGSStrong.N", a.N == nil)
	if a.T == 0 || a.T == 1 && a.K == 0 {
		a.T, a.X, a.Y = 1, append(a.X[:0], w0...), append(a.Y[:0], w0...)
	}
	z, g, inner := make([]float64, len(w0)), make([]float64, len(w0)), NewCondG(len(w0), nil)
	return func(yield func(Step) bool) {
		// the loops begin where the run stands, after step a.K of epoch a.T, so that a saved one goes on
		for ; ; a.T, a.K = a.T+1, 0 { // for t = 1, 2, …
			if a.K == 0 {
				copy(a.X, a.Y) // x_0 = y_0 = w_{t−1}
			}
			for a.K < length(a.N, a.T) { // for k = 1 to N_t
				t, k := a.T, a.K+1
				lerpTo(z, a.Y, a.Gamma(k), a.X)    // z_k = (1−γ_k) y_{k−1} + γ_k x_{k−1}
				o.StochasticGrad(g, z, a.M(t, k))  // ∇̃_k, mean of m_{t,k} samples of ∇f_i(z_k)
				inner.Objective(a.Beta(k), a.X, g) // g(x) = (β_k/2)‖x−x_{k−1}‖² + ∇̃_kᵀx
				x := inner.Argmin(o, a.Eta(t, k))  // x_k ≈ argmin_{x∈Ω} g(x), gap ≤ η_{t,k}
				if x == nil {
					return // the state is still that of step k−1
				}
				a.X = inner.Accept(x, a.X)
				Lerp(a.Y, a.Gamma(k), a.X) // y_k = (1−γ_k) y_{k−1} + γ_k x_k
				a.K = k
				if !yield(Step{T: t, K: k, X: a.Y}) {
					return
				}
			}
		} // w_t = y_{N_t}
	}
}
