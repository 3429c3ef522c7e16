package fwmore

import (
	"iter"
	"math"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// GarberHazan is Frank-Wolfe with a local linear optimisation (Garber & Hazan,
// "A linearly convergent conditional gradient algorithm with applications to
// online and stochastic optimization", arXiv:1301.4666, 2013; Table 2's second
// row), for a domain that is a LocalLinear. The oracle is that of Definition 1 in their
// account of it, "The conditional gradient method: a linear convergent algorithm, part
// II/II" (2013):
//
//	p_k = argmin of ∇f(w_{k−1})ᵀp near w_{k−1}: ‖p_k − w_{k−1}‖ ≤ ρr_k, and no
//	      v ∈ Ω with ‖v − w_{k−1}‖ ≤ r_k is better
//	w_k = (1 − γ_k) w_{k−1} + γ_k p_k
type GarberHazan struct {
	Gamma func(k int) float64 // γ_k
	R     func(k int) float64 // r_k, a bound on ‖w_{k−1} − w*‖

	K int       // steps done
	W []float64 // w_k
}

// GarberHazanStronglyConvex has the parameters for an L-smooth, α-strongly convex f
// on a domain of diameter D whose local optimisation has the constant ρ
// (LocalLinear.Rho): with μ = L/α, γ_k = 1/(2μρ²) and
// r_k² = μD²(1 − 1/(4μρ²))^{k−1} give f(w_k) − f(w*) ≤
// Constants.BoundGarberHazan(k), if it holds for w_0, as it does for
// Oracle.Start's; the proof is in notebooks/earlier-methods. Where f(w_0) − f(w*) ≤ δ_0 is
// known, √(2δ_0/L) may stand for D. It panics unless α ≤ L and ρ ≥ 1.
func GarberHazanStronglyConvex(c fwopt.Constants) *GarberHazan {
	c.BoundGarberHazan(0) // panics where a constant is missing
	q := 1 / (4 * c.Mu() * c.Rho * c.Rho)
	r1 := math.Sqrt(c.Mu()) * c.D
	return &GarberHazan{
		Gamma: func(int) float64 { return 2 * q },
		R:     func(k int) float64 { return r1 * math.Pow(1-q, float64(k-1)/2) },
	}
}

func (a *GarberHazan) String() string { return "Garber-Hazan" }

// Identify writes the parameters at each step.
func (a *GarberHazan) Identify(id *fwopt.Identity) {
	id.Of(a)
	for _, k := range id.Steps(nil) {
		id.Float(a.Gamma(k), a.R(k))
	}
}

// Steps runs Garber & Hazan's Frank-Wolfe. A step counts one exact gradient and
// one linear optimisation. It panics unless Ω is a LocalLinear.
func (a *GarberHazan) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	need.Given("fwmore", "GarberHazan.Gamma", a.Gamma == nil)
	need.Given("fwmore", "GarberHazan.R", a.R == nil)
	if a.K == 0 {
		a.W = append(a.W[:0], w0...)
	}
	g, p := make([]float64, len(w0)), make([]float64, len(w0))
	return func(yield func(fwopt.Step) bool) {
		for { // for k = 1, 2, …
			k := a.K + 1
			o.Grad(g, a.W)                   // ∇f(w_{k−1})
			o.ArgminLocal(p, g, a.W, a.R(k)) // p_k, as good as any v ∈ Ω within r_k of w_{k−1}
			fwopt.Lerp(a.W, a.Gamma(k), p)   // w_k = (1−γ_k) w_{k−1} + γ_k p_k
			a.K = k
			if !yield(fwopt.Step{T: 1, K: k, X: a.W}) {
				return
			}
		}
	}
}
