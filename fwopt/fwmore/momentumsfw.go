package fwmore

import (
	"cmp"
	"iter"
	"math"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// MomentumSFW is stochastic Frank-Wolfe with momentum (Mokhtari, Hassani & Karbasi, "Stochastic
// conditional gradient methods", JMLR 21, 2020), which averages the gradients that it has seen. With d_0 = 0:
//
//	for k = 1, 2, … do
//	    ∇̃_k = average of m_k iid samples of ∇f_i(w_{k−1})
//	    d_k = (1 − ρ_k) d_{k−1} + ρ_k ∇̃_k
//	    v_k = argmin_{v∈Ω} d_kᵀv
//	    w_k = (1 − γ_k) w_{k−1} + γ_k v_k
//	end for
//
// On a network this is what Scion and Muon do, see [NewScion] and [NewMuon]. Three more choices each change a line
// of these. With Decay w_k may leave Ω; 0 is the free form, and γ_k times a number a weight decay:
//
//	w_k = (1 − δ_k) w_{k−1} + γ_k v_k
//
// Nesterov lets the newest gradient count twice in the linear optimisation:
//
//	v_k = argmin_{v∈Ω} ((1 − ρ_k) d_k + ρ_k ∇̃_k)ᵀv
//
// Ahead takes the samples further on, where w_{−1} = w_0. With τ_k = (1 − ρ_k)/ρ_k and ρ_1 = 1, implicit gradient
// transport, d_k estimates ∇f(w_{k−1}) without the bias of old gradients if ∇f is linear:
//
//	∇̃_k = average of m_k iid samples of ∇f_i(w_{k−1} + τ_k (w_{k−1} − w_{k−2}))
type MomentumSFW struct {
	M     func(k int) int     // m_k, the samples of step k
	Rho   func(k int) float64 // ρ_k, the weight of the newest gradient, from 0 to 1
	Gamma func(k int) float64 // γ_k, from 0 to 1, with Decay any number of at least 0
	Decay func(k int) float64 // δ_k, from 0 to 1; nil: γ_k
	Ahead func(k int) float64 // τ_k; nil: 0

	Nesterov bool
	Name     string // of its runs, "" for Momentum SFW

	K          int       // steps done
	W, WOld, D []float64 // w_k, w_{k−1} if Ahead is set, d_k
}

// MomentumSFWConvex has m samples a step, ρ_k = 4/(k+7)^{2/3} and γ_k = 2/(k+7), which need no constants of
// f. If every f_i is L-smooth, their variance at most
// σ² and w_0 that of Oracle.Start, then E f(w_k) − f(w*) ≤ Constants.BoundMomentumSFW(m, k).
//
// Proof: Let e_k = d_k − ∇f(w_{k−1}), s = k + 7. As ρ_1 = 1, E‖e_1‖² ≤ σ²/m; and by ‖a + b‖² ≤
// (1+ρ/2)‖a‖² + (1+2/ρ)‖b‖², E‖e_k‖² ≤ (1−ρ_k) E‖e_{k−1}‖² + (2/ρ_k)(LDγ_{k−1})² + ρ_k²σ²/m. So
// E‖e_k‖² ≤ Q/(s+1)^{2/3}, Q = 4.35σ²/m + 0.69L²D², by induction. With E f(w_k) − f(w*) ≤
// (1−γ_k)(E f(w_{k−1}) − f(w*)) + γ_k D E‖e_k‖ + LD²γ_k²/2 another one gives the bound.
func MomentumSFWConvex(m int) *MomentumSFW {
	return &MomentumSFW{
		M:     func(int) int { return m },
		Rho:   func(k int) float64 { return 4 / math.Pow(float64(k+7), 2./3) },
		Gamma: func(k int) float64 { return 2 / float64(k+7) },
	}
}

// NewScion is Scion with a momentum of 0.1 and steps of 2⁻⁶, the defaults of its authors for a small network
// (Pethick et al., "Training deep learning models with norm-constrained LMOs", arXiv 2502.07529), and m samples a
// step. Its Ω is that of fwsum.Network's Scion. Their momentum is ρ, one minus PyTorch's, and their learning rate γ;
// let Gamma fall to 0 towards the end of a run, and try a larger ρ for a short one. With Decay 0 it is their
// unconstrained form.
func NewScion(m int) *MomentumSFW {
	return &MomentumSFW{M: func(int) int { return m }, Rho: constant(0.1), Gamma: constant(0x1p-6),
		Name: "Scion"}
}

// NewMuon is Muon with a learning rate of 0.02, a momentum of 0.95, Nesterov's step and no weight decay, the defaults
// of its author (K. Jordan, https://kellerjordan.github.io/posts/muon), and m samples a step. The linear optimisation
// is exact, where Muon has five turns of Newton and Schulz, and its Ω for an H × M layer is fwset.SpectralNorm of the
// radius √max{1, H/M}: that is their scale. Muon is for hidden layers and has Adam for the others; one method is
// for all of w here, so that these get a set as well, as those of fwsum.Network's Scion, whose hidden layers have
// that radius unless one behind the first narrows: try 64 to 4096 for the radius of the last layer's. torch.optim.Muon
// has a learning rate of 0.001 and a weight decay of 0.1: a Gamma of 0.001, and a Decay of 0.0001. Its adjust_lr_fn
// "original" is the scale above; "match_rms_adamw" is a radius of 0.2 √max{H, M}.
func NewMuon(m int) *MomentumSFW {
	return &MomentumSFW{M: func(int) int { return m }, Rho: constant(0.05), Gamma: constant(0.02),
		Decay: constant(0), Nesterov: true, Name: "Muon"}
}

func constant(x float64) func(k int) float64 { return func(int) float64 { return x } }

// share returns what a schedule has at k, a number from 0 to most.
func share(name string, k int, most float64, of func(k int) float64) float64 {
	x := of(k)
	if !(x >= 0 && x <= most) {
		panic(need.Linef("fwmore: MomentumSFW.%s(%d) = %g, want a number from 0 to %.3g", name, k, x, most))
	}
	return x
}

func (a *MomentumSFW) String() string { return cmp.Or(a.Name, "Momentum SFW") }

// Identify writes the parameters at each step.
func (a *MomentumSFW) Identify(id *fwopt.Identity) {
	id.Of(a).Text(a.Name)
	if a.Nesterov {
		id.Text("Nesterov")
	}
	for _, k := range id.Steps(nil) {
		id.Int(a.M(k)).Float(a.Rho(k), a.Gamma(k))
		for _, schedule := range []func(k int) float64{a.Decay, a.Ahead} {
			if id.Int(0); schedule != nil {
				id.Float(schedule(k))
			}
		}
	}
}

// Free reports whether Decay is set, for then w_k may leave Ω, which a duality gap of a run must not be of.
func (a *MomentumSFW) Free() bool { return a.Decay != nil }

// Steps runs MomentumSFW. Step k counts m_k stochastic gradients and one linear optimisation.
func (a *MomentumSFW) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	need.Given("fwmore", "MomentumSFW.M", a.M == nil)
	need.Given("fwmore", "MomentumSFW.Rho", a.Rho == nil)
	need.Given("fwmore", "MomentumSFW.Gamma", a.Gamma == nil)
	if a.K == 0 {
		a.W, a.D = append(a.W[:0], w0...), make([]float64, len(w0))
		if a.Ahead != nil {
			a.WOld = append(a.WOld[:0], w0...)
		}
	}
	most := 1.
	if a.Decay != nil {
		most = math.MaxFloat64
	}
	g, v, x := make([]float64, len(w0)), fwopt.Vertex{}, make([]float64, len(a.WOld))
	return func(yield func(fwopt.Step) bool) {
		for { // for k = 1, 2, …
			k, at := a.K+1, a.W
			rho, gamma := share("Rho", k, 1, a.Rho), share("Gamma", k, most, a.Gamma)
			if a.Ahead != nil {
				floats.SubTo(x, a.W, a.WOld)
				floats.AddScaledTo(x, a.W, a.Ahead(k), x) // w_{k−1} + τ_k (w_{k−1} − w_{k−2})
				copy(a.WOld, a.W)
				at = x
			}
			o.StochasticGrad(g, at, a.M(k)) // ∇̃_k, mean of m_k samples of ∇f_i(w_{k−1})
			fwopt.Lerp(a.D, rho, g)         // d_k = (1−ρ_k) d_{k−1} + ρ_k ∇̃_k
			if a.Nesterov {
				floats.Scale(rho, g)
				floats.AddScaled(g, 1-rho, a.D) // (1−ρ_k) d_k + ρ_k ∇̃_k
				o.Argmin(&v, g)
			} else {
				o.Argmin(&v, a.D) // v_k = argmin_{v∈Ω} d_kᵀv
			}
			if a.Decay == nil {
				v.Lerp(a.W, gamma) // w_k = (1−γ_k) w_{k−1} + γ_k v_k
			} else {
				floats.Scale(1-share("Decay", k, 1, a.Decay), a.W)
				v.AddTo(a.W, gamma) // w_k = (1−δ_k) w_{k−1} + γ_k v_k
			}
			a.K = k
			if !yield(fwopt.Step{T: 1, K: k, X: a.W}) {
				return
			}
		}
	}
}
