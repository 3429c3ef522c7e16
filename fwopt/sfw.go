package fwopt

import "iter"

// SFW is stochastic Frank-Wolfe, Appendix B of the paper:
//
//	∇̃_k = average of m_k iid samples of ∇f_i(w_{k−1})
//	v_k = argmin_{v∈Ω} ∇̃_kᵀv
//	w_k = (1 − γ_k) w_{k−1} + γ_k v_k
type SFW struct {
	Gamma func(k int) float64 // γ_k
	M     func(k int) int     // m_k, the samples of step k

	K int       // steps done
	W []float64 // w_k
}

// SFWTheorem3 has the parameters of the theorem of Appendix B, for L-smooth,
// G-Lipschitz f_i on a domain of diameter D: γ_k = 2/(k+1) and
// m_k = ⌈(G(k+1)/(LD))²⌉ give E f(w_k) − f(w*) ≤ Constants.BoundSFW(k) for k ≥ 1.
func SFWTheorem3(c Constants) *SFW {
	r := c.get("G", c.G) / (c.get("L", c.L) * c.get("D", c.D))
	return &SFW{
		Gamma: gamma2,
		M:     func(k int) int { q := r * float64(k+1); return ceil(q * q) },
	}
}

// SFWExperiments has m_k = k² as in Section 5, and γ_k of Theorem 3.
func SFWExperiments() *SFW {
	return &SFW{Gamma: gamma2, M: func(k int) int { return k * k }}
}

func (a *SFW) String() string { return "SFW" }

// Identify writes the parameters at each step.
func (a *SFW) Identify(id *Identity) {
	id.Of(a)
	for _, k := range id.Steps(nil) {
		id.Float(a.Gamma(k)).Int(a.M(k))
	}
}

// Steps runs SFW. Step k counts m_k stochastic gradients and one linear optimisation.
func (a *SFW) Steps(o *Oracle, w0 []float64) iter.Seq[Step] {
	given("SFW.Gamma", a.Gamma == nil)
	given("SFW.M", a.M == nil)
	if a.K == 0 {
		a.W = append(a.W[:0], w0...)
	}
	g, v := make([]float64, len(w0)), Vertex{}
	return func(yield func(Step) bool) {
		for { // for k = 1, 2, …
			k := a.K + 1
			o.StochasticGrad(g, a.W, a.M(k)) // ∇̃_k, mean of m_k samples of ∇f_i(w_{k−1})
			o.Argmin(&v, g)                  // v_k = argmin_{v∈Ω} ∇̃_kᵀv
			v.Lerp(a.W, a.Gamma(k))          // w_k = (1−γ_k) w_{k−1} + γ_k v_k
			a.K = k
			if !yield(Step{T: 1, K: k, X: a.W}) {
				return
			}
		}
	}
}
