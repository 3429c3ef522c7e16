package fwopt

import "iter"

// SCGS is Stochastic Conditional Gradient Sliding (Lan, "First-order and Stochastic
// Optimization Methods for Machine Learning", 2020, Algorithm 7.8, after Lan & Zhou,
// 2016), one endless epoch of Algorithm 2 without snapshot:
//
//	Initialize x_0 = y_0 = w_0.
//	for k = 1, 2, … do
//	    Compute z_k = (1 − γ_k) y_{k−1} + γ_k x_{k−1}.
//	    Compute ∇̃_k, the average of m_k iid samples of ∇f_i(z_k).
//	    Compute x_k by Frank-Wolfe on min_{x∈Ω} (β_k/2)‖x − x_{k−1}‖² + ∇̃_kᵀx,
//	        until the duality gap is at most η_k.
//	    Compute y_k = (1 − γ_k) y_{k−1} + γ_k x_k.
//	end for
type SCGS struct {
	Gamma func(k int) float64 // γ_k
	Beta  func(k int) float64 // β_k
	Eta   func(k int) float64 // η_k, the accuracy of the inner loop
	M     func(k int) int     // m_k, the samples of step k

	Memory Memory // of the inner loop; the zero Memory is the pseudocode as written

	K    int       // steps done
	X, Y []float64 // x_k, y_k
}

// SCGSConvex is for an L-smooth convex f on a domain of diameter D with E‖∇f_i(w) − ∇f(w)‖² ≤ σ²,
// as σ = G has it: γ_k = 3/(k+2), β_k = 4L/(k+2), η_k = LD²/(k(k+1)) and m_k = ⌈σ²(k+2)³/(LD)²⌉
// give E f(y_k) − f(w*) ≤ Constants.BoundSCGS(k) (Theorem 7.11 of Lan's book).
func SCGSConvex(c Constants) *SCGS {
	r := c.get("Sigma", c.Sigma) / (c.get("L", c.L) * c.get("D", c.D))
	return scgs(c, func(k int) int {
		q := float64(k + 2)
		return ceil(r * r * q * q * q)
	})
}

// SCGSExperiments has m_k = k³ of Section 5 and, open there, γ_k, β_k and η_k of SCGSConvex. It is
// tuned as STORCExperiments: s was 1/16 on the digits and 2⁻¹⁴ on news20. It has no floor.
func SCGSExperiments(c Constants) *SCGS {
	return scgs(c, func(k int) int { return ceil(min(float64(k)*float64(k)*float64(k), 1<<53)) })
}

func scgs(c Constants, m func(k int) int) *SCGS {
	L, D := c.get("L", c.L), c.get("D", c.D)
	return &SCGS{
		Gamma: func(k int) float64 { return 3 / float64(k+2) },
		Beta:  func(k int) float64 { return 4 * L / float64(k+2) },
		Eta:   func(k int) float64 { return L * D * D / (float64(k) * float64(k+1)) },
		M:     m,
	}
}

func (a *SCGS) String() string { return "SCGS" }

// Identify writes the parameters at each step.
func (a *SCGS) Identify(id *Identity) {
	id.Of(a).Int(a.Memory.Size)
	for _, k := range id.Steps(nil) {
		id.Float(a.Gamma(k), a.Beta(k), a.Eta(k)).Int(a.M(k))
	}
}

// Steps runs SCGS; the iterate is y_k. Step k counts m_k stochastic gradients and one linear
// optimisation more than the inner Frank-Wolfe steps.
func (a *SCGS) Steps(o *Oracle, w0 []float64) iter.Seq[Step] {
	given("SCGS.Gamma", a.Gamma == nil)
	given("SCGS.Beta", a.Beta == nil)
	given("SCGS.Eta", a.Eta == nil)
	given("SCGS.M", a.M == nil)
	if a.K == 0 {
		a.X, a.Y = append(a.X[:0], w0...), append(a.Y[:0], w0...)
	}
	z, g, inner := make([]float64, len(w0)), make([]float64, len(w0)), NewCondG(len(w0), &a.Memory)
	return func(yield func(Step) bool) {
		for { // for k = 1, 2, …
			k := a.K + 1
			lerpTo(z, a.Y, a.Gamma(k), a.X)    // z_k = (1−γ_k) y_{k−1} + γ_k x_{k−1}
			o.StochasticGrad(g, z, a.M(k))     // ∇̃_k, mean of m_k samples of ∇f_i(z_k)
			inner.Objective(a.Beta(k), a.X, g) // g(x) = (β_k/2)‖x−x_{k−1}‖² + ∇̃_kᵀx
			x := inner.Argmin(o, a.Eta(k))     // x_k ≈ argmin_{x∈Ω} g(x), gap ≤ η_k
			if x == nil {
				return // the state is still that of step k−1
			}
			a.X = inner.Accept(x, a.X)
			Lerp(a.Y, a.Gamma(k), a.X) // y_k = (1−γ_k) y_{k−1} + γ_k x_k
			a.K = k
			if !yield(Step{T: 1, K: k, X: a.Y}) {
				return
			}
		}
	}
}
