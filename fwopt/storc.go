package fwopt

import (
	"iter"
	"math"
)

// STORC is Algorithm 2, STOchastic variance-Reduced Conditional gradient sliding:
//
//	 1  Input: objective function f = (1/n) Σ f_i.
//	 2  Input: parameters γ_k, β_k, η_{t,k}, m_{t,k} and N_t.
//	 3  Initialize: w_0 = argmin_{w∈Ω} ∇f(x)ᵀw for some arbitrary x ∈ Ω.
//	 4  for t = 1, 2, … do
//	 5      Take snapshot: y_0 = w_{t−1} and compute ∇f(y_0).
//	 6      Initialize x_0 = y_0.
//	 7      for k = 1 to N_t do
//	 8          Compute z_k = (1 − γ_k) y_{k−1} + γ_k x_{k−1}.
//	 9          Compute ∇̃_k, the average of m_{t,k} iid samples of ∇̃f(z_k; y_0).
//	10          Let g(x) = (β_k/2)‖x − x_{k−1}‖² + ∇̃_kᵀx.
//	11          Compute x_k by Frank-Wolfe on min_{x∈Ω} g(x), until the duality gap is at most η_{t,k}.
//	12          Compute y_k = (1 − γ_k) y_{k−1} + γ_k x_k.
//	13      end for
//	14      Set w_t = y_{N_t}.
//	15  end for
//
// Line 3 is Oracle.Start. Line 11 starts from x_{k−1} and takes the minimiser on the segment as its step; the
// paper leaves both open. Eta and M are made for N: change the three together.
type STORC struct {
	Gamma func(k int) float64    // γ_k
	Beta  func(k int) float64    // β_k
	Eta   func(t, k int) float64 // η_{t,k}, the accuracy of line 11
	M     func(t, k int) int     // m_{t,k}, the samples of step k of epoch t
	N     func(t int) int        // N_t, the steps of epoch t

	Memory Memory // of line 11; the zero Memory is the pseudocode as written

	T, K  int       // where the run is: k steps of epoch t are done
	X, Y  []float64 // x_k, y_k
	Y0    []float64 // y_0 = w_{t−1}, the snapshot
	Grad0 []float64 // ∇f(y_0)
}

// STORCTheorem2a is case (a) of Theorem 2, ∇f(w*) = 0: γ_k = 2/(k+1), β_k = 3L/k, η_{t,k} = 2LD²/(N_t k),
// N_t = ⌈2^{t/2+2}⌉ and m_{t,k} = 900 N_t give E f(w_t) − f(w*) ≤ Constants.BoundEpoch(t), if every f_i is
// convex and L-smooth on R^d, and f(w_0) − f(w*) ≤ LD²/2, as from line 3.
func STORCTheorem2a(c Constants) *STORC {
	return storcDoubling(c, func(N, _ int) int { return 900 * N })
}

// STORCTheorem2b is case (b), f G-Lipschitz: STORCTheorem2a with m_{t,k} = ⌈700 N_t + 24 N_t G(k+1)/(LD)⌉.
func STORCTheorem2b(c Constants) *STORC {
	r := 24 * c.gf() / (c.get("L", c.L) * c.get("D", c.D))
	return storcDoubling(c, func(N, k int) int {
		return ceil(700*float64(N) + r*float64(N)*float64(k+1))
	})
}

// storcDoubling is what cases (a) and (b) share: D_t = D, N_t = ⌈2^{t/2+2}⌉.
func storcDoubling(c Constants, m func(N, k int) int) *STORC {
	L, D := c.get("L", c.L), c.get("D", c.D)
	N := func(t int) int { return ceil(math.Exp2(float64(t)/2 + 2)) }
	return &STORC{
		Gamma: gamma2,
		Beta:  func(k int) float64 { return 3 * L / float64(k) },
		Eta:   func(t, k int) float64 { return 2 * L * D * D / float64(N(t)*k) },
		M:     func(t, k int) int { return m(N(t), k) },
		N:     N,
	}
}

// STORCTheorem2c is case (c), f α-strongly convex: STORCTheorem2a with, where μ = L/α and D_t² =
// μD²/2^{t−1}, N_t = ⌈√(32μ)⌉, m_{t,k} = ⌈5600 N_t μ⌉ and η_{t,k} = 2LD_t²/(N_t k). It panics if α > L.
func STORCTheorem2c(c Constants) *STORC {
	L, D, mu := c.L, c.get("D", c.D), c.Mu()
	N := ceil(math.Sqrt(32 * mu))
	M := ceil(5600 * float64(N) * mu)
	return &STORC{
		Gamma: gamma2,
		Beta:  func(k int) float64 { return 3 * L / float64(k) },
		Eta: func(t, k int) float64 {
			Dt2 := mu * D * D / math.Exp2(float64(t-1)) // D_t²
			return 2 * L * Dt2 / float64(N*k)
		},
		M: func(int, int) int { return M },
		N: func(int) int { return N },
	}
}

// STORCExperiments has N_t = 50 and m_{t,k} = 100 of Section 5 and, open there, γ_k, β_k and η_{t,k} of
// Theorem 2 with D_t = D. With f's own L it is often the slowest method there is, as on data LD² is hundreds
// of times f(w_0): to tune it hand in sL, s a power of 2 (1/16 on the digits, 2⁻¹² on news20); too small an
// s makes steps that noise drives astray. It has a floor, for η_{t,k} and m_{t,k} do not fall with t.
// fwmore.AdaptiveSTORC has neither.
func STORCExperiments(c Constants) *STORC {
	L, D := c.get("L", c.L), c.get("D", c.D)
	return &STORC{
		Gamma: gamma2,
		Beta:  func(k int) float64 { return 3 * L / float64(k) },
		Eta:   func(_, k int) float64 { return 2 * L * D * D / float64(snapshotEvery*k) },
		M:     func(int, int) int { return batchSize },
		N:     func(int) int { return snapshotEvery },
	}
}

func (a *STORC) String() string { return "STORC" }

// Identify writes the parameters at each step.
func (a *STORC) Identify(id *Identity) { a.say(id.Of(a)) }

func (a *STORC) say(id *Identity) {
	id.Int(a.Memory.Size)
	for t, k := range id.Steps(a.N) {
		id.Float(a.Gamma(k), a.Beta(k), a.Eta(t, k)).Int(a.M(t, k))
	}
}

// Steps runs STORC; the iterate is y_k. Epoch t counts one exact gradient; its step k 2m_{t,k}
// stochastic ones and one linear optimisation more than the inner Frank-Wolfe steps.
func (a *STORC) Steps(o *Oracle, w0 []float64) iter.Seq[Step] {
	return a.steps(o, w0, NewCondG(len(w0), &a.Memory))
}

func (a *STORC) steps(o *Oracle, w0 []float64, inner *CondG) iter.Seq[Step] {
	given("STORC.Gamma", a.Gamma == nil)
	given("STORC.Beta", a.Beta == nil)
	given("STORC.Eta", a.Eta == nil)
	given("STORC.M", a.M == nil)
	given("STORC.N", a.N == nil)
	if a.T == 0 || a.T == 1 && a.K == 0 {
		a.T, a.Y = 1, append(a.Y[:0], w0...)
		s := vectors(3, len(w0))
		a.X, a.Y0, a.Grad0 = s[0], s[1], s[2]
	}
	z, g := make([]float64, len(w0)), make([]float64, len(w0))
	return func(yield func(Step) bool) {
		// the loops begin where the run stands, after step a.K of epoch a.T, so that a saved one goes on
		for ; ; a.T, a.K = a.T+1, 0 { // for t = 1, 2, …
			if a.K == 0 {
				copy(a.Y0, a.Y)       // take snapshot y_0 = w_{t−1}
				o.Grad(a.Grad0, a.Y0) // and compute ∇f(y_0)
				copy(a.X, a.Y0)       // x_0 = y_0
			}
			for a.K < length(a.N, a.T) { // for k = 1 to N_t
				t, k := a.T, a.K+1
				lerpTo(z, a.Y, a.Gamma(k), a.X)          // z_k = (1−γ_k) y_{k−1} + γ_k x_{k−1}
				o.VRGrad(g, z, a.Y0, a.Grad0, a.M(t, k)) // ∇̃_k, mean of m_{t,k} ∇̃f(z_k; y_0)
				inner.Objective(a.Beta(k), a.X, g)       // g(x) = (β_k/2)‖x−x_{k−1}‖² + ∇̃_kᵀx
				x := inner.Argmin(o, a.Eta(t, k))        // x_k ≈ argmin_{x∈Ω} g(x), gap ≤ η_{t,k}
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
