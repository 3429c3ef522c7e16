package fwmore

import (
	"cmp"
	"iter"
	"math"
	"math/rand/v2"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// SarahFW is Sarah Frank-Wolfe (Beznosikov, Dobre & Gidel, "Sarah Frank-Wolfe: methods for
// constrained optimization with best rates and practical features", ICML 2024), which has
// exact gradients at random steps and corrects the last estimate in between:
//
//	g_0 = ∇f(w_0)
//	for k = 1, 2, … do
//	    v_k = argmin_{v∈Ω} g_{k−1}ᵀv
//	    w_k = (1 − γ_k) w_{k−1} + γ_k v_k
//	    g_k = ∇f(w_k) with probability p, else
//	          g_{k−1} + average of b iid samples of ∇f_i(w_k) − ∇f_i(w_{k−1})
//	end for
//
// Here p = 1/b and γ_k = 2/(k − 1 + 4b), which need no constants of f. If every f_i is L-smooth and w_0 is
// that of Oracle.Start, then E f(w_k) − f(w*) ≤ Constants.BoundSarahFW(b, k).
//
// Proof: Let h = f(w_k) − f(w*), e_k = g_k − ∇f(w_k). Then E‖e_k‖² ≤ (1−p)(E‖e_{k−1}‖² + (LDγ_k)²/b), and
// Φ_k = h + ‖e_k‖²√(b/2p)/L has E Φ_k ≤ (1−γ_k) E Φ_{k−1} + γ_k²LD²(½ + √2), as γ_k ≤ p/2 and pb = 1. By
// induction E Φ_k ≤ max{4LD²(½ + √2), 4bΦ_0}/(k + 4b), and Φ_0 ≤ LD²/2.
type SarahFW struct {
	B int // b, and p = 1/b; 0 stands for ⌈√n⌉ of a sum of n terms

	K          int       // steps done
	W, WOld, G []float64 // w_k, w_{k−1}, g_k
}

func (a *SarahFW) String() string { return "Sarah-FW" }

// Identify writes b.
func (a *SarahFW) Identify(id *fwopt.Identity) { id.Of(a).Int(a.B) }

// Steps runs SarahFW. A step counts one linear optimisation, and one exact gradient or 2b stochastic ones, of
// which n + 2b in b steps are the mean; the start counts one exact gradient. It panics if B < 0.
func (a *SarahFW) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	if a.B < 0 {
		panic(need.Linef("fwmore: SarahFW.B = %d samples, want at least 1, or 0 for ⌈√n⌉", a.B))
	}
	b := cmp.Or(a.B, int(math.Ceil(math.Sqrt(float64(o.F.Len())))))
	if a.K == 0 {
		a.W, a.WOld, a.G = append(a.W[:0], w0...), append(a.WOld[:0], w0...), make([]float64, len(w0))
	}
	v, rng := fwopt.Vertex{}, rand.New(&o.RNG)
	return func(yield func(fwopt.Step) bool) {
		if a.K == 0 {
			o.Grad(a.G, a.W) // g_0 = ∇f(w_0)
		}
		for { // for k = 1, 2, …
			k := a.K + 1
			o.Argmin(&v, a.G)               // v_k = argmin_{v∈Ω} g_{k−1}ᵀv
			copy(a.WOld, a.W)               // w_{k−1}
			v.Lerp(a.W, 2/float64(k-1+4*b)) // w_k = (1−γ_k) w_{k−1} + γ_k v_k
			if rng.IntN(b) == 0 {
				o.Grad(a.G, a.W) // g_k = ∇f(w_k)
			} else {
				o.VRGrad(a.G, a.W, a.WOld, a.G, b) // g_k = g_{k−1} + mean of b ∇f_i(w_k) − ∇f_i(w_{k−1})
			}
			a.K = k
			if !yield(fwopt.Step{T: 1, K: k, X: a.W}) {
				return
			}
		}
	}
}
