package fwmore

import (
	"math"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"gonum.org/v1/gonum/floats"
)

// Backtracking is a step that needs no L, the backtracking line search of Pedregosa,
// Negiar, Askari & Jaggi, "Linearly convergent Frank-Wolfe with backtracking line-search",
// AISTATS 2020, with their τ = 2 and η = 0.9, for the direction d of any step:
//
//	Choose M = ηL_{k−1}.
//	Set γ_k = min{−∇f(w_{k−1})ᵀd/(M‖d‖²), γ_max}.
//	while f(w_{k−1} + γ_k d) > f(w_{k−1}) + γ_k∇f(w_{k−1})ᵀd + γ_k²M‖d‖²/2 do
//	    Set M = τM and γ_k = min{−∇f(w_{k−1})ᵀd/(M‖d‖²), γ_max}.
//	end while
//	L_k = M
//
// In the first step M is that of the parabola through f at both ends of the seg. Where the
// fall of f would be hidden by rounding, at 1e-13 of f or the step at 1e-13 of w_{k−1}, the
// while asks in its place for ∇f(w_{k−1} + γ_k d)ᵀd > ∇f(w_{k−1})ᵀd + γ_kM‖d‖², which is the
// same for a quadratic, and L_k = L_{k−1}, for this may be rounding, too.
//
// For an L-smooth f no L_k is above 2L, so that what holds with the Short step holds with
// twice the L: that of FW is fwopt.Constants{L: 2L, D: D}.BoundFW(k). Where f is flatter than L on the
// way, L_k follows, and the steps are longer. A fresh Backtracking serves one run.
type Backtracking struct {
	L float64 // L_k of the last step, the state; 0 before the first
}

// Step returns γ_k. It counts two exact gradients, one more for the first step, and one
// more each time that M is doubled, once in six or seven steps as a rule.
func (r *Backtracking) Step(o *fwopt.Oracle, _ int, seg fwopt.Segment) float64 {
	if !(seg.Slope > 0) {
		return 0
	}
	f, length2 := o.Value(seg.X), floats.Dot(seg.D, seg.D)
	M := 0.9 * r.L // M = ηL_{k−1}
	if r.L == 0 {
		if M = 2 * (o.Value(seg.End) - f + seg.Slope) / length2; M <= 0 {
			return seg.Most // f is linear on the seg
		} else if !(M <= math.MaxFloat64) {
			M = seg.Slope / length2 // f has no value at its end
		}
	}
	if math.IsNaN(f) {
		return f
	}
	size := floats.Norm(seg.X, 2)
	x, g := kern.Borrow(len(seg.X)), kern.Borrow(len(seg.X))
	defer kern.Return(x)
	defer kern.Return(g)
	for ; ; M *= 2 {
		γ := min(seg.Most, seg.Slope/(M*length2)) // γ_k = min{−∇f(w_{k−1})ᵀd/(M‖d‖²), γ_max}
		floats.AddScaledTo(*x, seg.X, -γ, seg.D)
		fall := γ * (seg.Slope - γ*M*length2/2)
		seen, enough := fall > 1e-13*math.Abs(f) && γ*math.Sqrt(length2) > 1e-13*size, false
		if seen {
			enough = o.Value(*x) <= f-fall // f(w_{k−1} + γ_k d) ≤ f(w_{k−1}) + γ_k∇f(w_{k−1})ᵀd + γ_k²M‖d‖²/2
		} else {
			o.Grad(*g, *x)
			enough = !(floats.Dot(*g, seg.D) < seg.Slope-γ*M*length2)
		}
		if enough && (seen || r.L == 0) {
			r.L = M // L_k = M
		}
		if enough {
			return γ
		}
	}
}

// Identify writes the type alone: L is a state.
func (r *Backtracking) Identify(id *fwopt.Identity) { id.Of(r) }
