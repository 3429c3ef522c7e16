package fwopt

import (
	"iter"
	"math"
)

// SVRF is Algorithm 1, Stochastic Variance-Reduced Frank-Wolfe:
//
//	 1  Input: objective function f = (1/n) Σ f_i.
//	 2  Input: parameters γ_k, m_k and N_t (printed N_k).
//	 3  Initialize: w_0 = argmin_{w∈Ω} ∇f(x)ᵀw for some arbitrary x ∈ Ω.
//	 4  for t = 1, 2, …, T do
//	 5      Take snapshot: x_0 = w_{t−1} and compute ∇f(x_0).
//	 6      for k = 1 to N_t do
//	 7          Compute ∇̃_k, the average of m_k iid samples of ∇̃f(x_{k−1}; x_0).
//	 8          Compute v_k = argmin_{v∈Ω} ∇̃_kᵀv.
//	 9          Compute x_k = (1 − γ_k) x_{k−1} + γ_k v_k.
//	10      end for
//	11      Set w_t = x_{N_t}.
//	12  end for
//
// Line 3 is Oracle.Start. Gamma and M also see t, for the experiments, where k is never reset (end of
// Section 3); Step.K counts within the epoch.
type SVRF struct {
	Gamma func(t, k int) float64 // γ_k
	M     func(t, k int) int     // m_k, the samples of step k
	N     func(t int) int        // N_t, the steps of epoch t

	T, K  int       // where the run is: k steps of epoch t are done
	X     []float64 // x_k
	X0    []float64 // x_0 = w_{t−1}, the snapshot
	Grad0 []float64 // ∇f(x_0)
}

// SVRFTheorem1 has γ_k = 2/(k+1), m_k = 96(k+1) and N_t = 2^{t+3} − 2 of Theorem 1, which give E
// f(w_t) − f(w*) ≤ Constants.BoundEpoch(t) under the conditions of STORCTheorem2a, for any ∇f(w*).
func SVRFTheorem1() *SVRF {
	return &SVRF{
		Gamma: func(_, k int) float64 { return gamma2(k) },
		M:     func(_, k int) int { return 96 * (k + 1) },
		N:     func(t int) int { return int(math.Exp2(float64(t+3))) - 2 },
	}
}

// SVRFExperiments has N_t = 50 and, with k counted on from epoch to epoch, m_k = k of Section 5,
// and γ_k of Theorem 1.
func SVRFExperiments() *SVRF {
	a := &SVRF{N: func(int) int { return snapshotEvery }}
	at, before := 1, 0            // the steps before epoch at
	count := func(t, k int) int { // k, never reset
		if t < at {
			at, before = 1, 0
		}
		for ; at < t; at++ {
			before += a.N(at)
		}
		return before + k
	}
	a.Gamma = func(t, k int) float64 { return gamma2(count(t, k)) }
	a.M = count
	return a
}

func (a *SVRF) String() string { return "SVRF" }

// Identify writes the parameters at each step.
func (a *SVRF) Identify(id *Identity) {
	id.Of(a)
	for t, k := range id.Steps(a.N) {
		id.Float(a.Gamma(t, k)).Int(a.M(t, k))
	}
}

// Steps runs SVRF. Epoch t counts one exact gradient; its step k 2m_k stochastic ones and one
// linear optimisation.
func (a *SVRF) Steps(o *Oracle, w0 []float64) iter.Seq[Step] {
	given("SVRF.Gamma", a.Gamma == nil)
	given("SVRF.M", a.M == nil)
	given("SVRF.N", a.N == nil)
	if a.T == 0 {
		a.T, a.X = 1, append(a.X[:0], w0...)
		a.X0, a.Grad0 = make([]float64, len(w0)), make([]float64, len(w0))
	}
	g, v := make([]float64, len(w0)), Vertex{}
	return func(yield func(Step) bool) {
		// the loops begin where the run stands, after step a.K of epoch a.T, so that a saved one goes on
		for ; ; a.T, a.K = a.T+1, 0 { // for t = 1, 2, …, T
			if a.K == 0 {
				copy(a.X0, a.X)       // take snapshot x_0 = w_{t−1}
				o.Grad(a.Grad0, a.X0) // and compute ∇f(x_0)
			}
			for a.K < length(a.N, a.T) { // for k = 1 to N_t
				t, k := a.T, a.K+1
				o.VRGrad(g, a.X, a.X0, a.Grad0, a.M(t, k)) // ∇̃_k, mean of m_k ∇̃f(x_{k−1}; x_0)
				o.Argmin(&v, g)                            // v_k = argmin_{v∈Ω} ∇̃_kᵀv
				v.Lerp(a.X, a.Gamma(t, k))                 // x_k = (1−γ_k) x_{k−1} + γ_k v_k
				a.K = k
				if !yield(Step{T: t, K: k, X: a.X}) {
					return
				}
			}
		} // w_t = x_{N_t}
	}
}
