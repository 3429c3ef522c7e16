package fwmore

import (
	"iter"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// SAGFW is stochastic Frank-Wolfe with a stochastic average gradient (Négiar, Dresdner, Tsai, El Ghaoui,
// Locatello, Freund & Pedregosa, "Stochastic Frank-Wolfe for constrained finite-sum minimization", ICML 2020). It
// remembers the last slopes of each row of a Scorer, n·h numbers, so that it needs neither large batches nor snapshots:
//
//	α_i = ∇ℓ_i(w_0 e_i) for all i, r_0 = (1/n) Σ_i α_i e_iᵀ
//	for k = 1, 2, … do
//	    Draw b terms S.
//	    For i in S: δ_i = ∇ℓ_i(w_{k−1} e_i) − α_i, α_i ← α_i + δ_i.
//	    r_k = r_{k−1} + (1/n) Σ_{i∈S} δ_i e_iᵀ
//	    v_k = argmin_{v∈Ω} r_kᵀv
//	    w_k = (1 − γ_k) w_{k−1} + γ_k v_k, γ_k = 2/(k+1)
//	end for
//
// Theirs is a bound of order κ/k, in which κ ≤ n depends on the data; none is held here.
type SAGFW struct {
	B int // b

	K     int       // steps done
	W, R  []float64 // w_k, r_k
	Alpha []float64 // α_i, h numbers each
}

func (a *SAGFW) String() string { return "SAG-FW" }

// Identify writes b.
func (a *SAGFW) Identify(id *fwopt.Identity) { id.Of(a).Int(a.B) }

// Steps runs SAGFW. A step counts b stochastic gradients and one linear optimisation; the start one exact
// gradient. It panics unless the sum is a fwopt.Scorer of two rows or more whose slopes fit in memory, or if B < 1.
func (a *SAGFW) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	if a.B < 1 {
		panic(need.Linef("fwmore: SAGFW.B = %d samples a step, want at least 1", a.B))
	}
	f, ok := o.F.(fwopt.Scorer)
	if !ok {
		panic(need.Linef("fwmore: SAG-FW remembers the slopes of rows, and %T is no fwopt.Scorer, a sum over rows of "+
			"data as fwsum.RowSum; take Sarah, SPIDER or STORM, which ask for gradients alone", o.F))
	}
	if o.F.Len() == 1 {
		panic(need.Line("fwmore: SAG-FW on a sum of one term, whose gradient is exact: take plain Frank-Wolfe"))
	}
	h, _ := f.Shape()
	need.Memory("fwmore", "the slopes of SAG-FW, n·h numbers; Sarah, SPIDER and STORM keep d", o.F.Len(), h)
	return func(yield func(fwopt.Step) bool) {
		n := o.F.Len()
		if a.K == 0 {
			a.W, a.R = append(a.W[:0], w0...), make([]float64, len(w0))
			a.Alpha = o.Slopes(nil, a.W, nil, 0) // α_i = ∇ℓ_i(w_0 e_i) for all i
			o.AddRows(a.R, a.Alpha, nil)
			floats.Scale(1/float64(n), a.R) // r_0 = (1/n) Σ_i α_i e_iᵀ
		}
		v, δ, index := fwopt.Vertex{}, []float64(nil), []int(nil)
		for { // for k = 1, 2, …
			k := a.K + 1
			index = append(index[:0], o.Sample(a.B).Index...) // draw b terms S
			slices.Sort(index)
			index = slices.Compact(index)
			δ = o.Slopes(δ, a.W, index, a.B) // ∇ℓ_i(w_{k−1} e_i) for i in S
			for r, i := range index {
				d, α := δ[r*h:(r+1)*h], a.Alpha[i*h:(i+1)*h]
				floats.Sub(d, α) // δ_i = ∇ℓ_i(w_{k−1} e_i) − α_i
				floats.Add(α, d) // α_i ← α_i + δ_i
			}
			floats.Scale(1/float64(n), δ)
			o.AddRows(a.R, δ, index)    // r_k = r_{k−1} + (1/n) Σ_{i∈S} δ_i e_iᵀ
			o.Argmin(&v, a.R)           // v_k = argmin_{v∈Ω} r_kᵀv
			v.Lerp(a.W, 2/float64(k+1)) // w_k = (1−γ_k) w_{k−1} + γ_k v_k
			a.K = k
			if !yield(fwopt.Step{T: 1, K: k, X: a.W}) {
				return
			}
		}
	}
}
