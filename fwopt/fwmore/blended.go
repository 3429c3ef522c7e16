package fwmore

import (
	"iter"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// BlendedPairwise is the blended pairwise conditional gradient method of Tsuji, Tanaka &
// Pokutta, "Pairwise conditional gradients without swap steps and sparser kernel herding",
// ICML 2022. It moves weight between active vertices only, as long as that promises more
// than a new one, and so has fewer of them than PairwiseFW, and no step that swaps two:
//
//	Initialize S = {w_0}, α_{w_0} = 1.
//	for k = 1, 2, … do
//	    Compute u_k = argmax_{u∈S} ∇f(w_{k−1})ᵀu and s_k = argmin_{s∈S} ∇f(w_{k−1})ᵀs.
//	    Compute v_k = argmin_{v∈Ω} ∇f(w_{k−1})ᵀv.
//	    if ∇f(w_{k−1})ᵀ(u_k − s_k) ≥ ∇f(w_{k−1})ᵀ(w_{k−1} − v_k) then
//	        d = s_k − u_k, γ_max = α_{u_k}
//	    else
//	        d = v_k − w_{k−1}, γ_max = 1
//	    end if
//	    Compute γ_k = argmin_{γ∈[0,γ_max]} f(w_{k−1} + γd).
//	    Set w_k = w_{k−1} + γ_k d; update α and drop from S what has weight 0.
//	end for
//
// The Rule chooses γ_k. LineSearch and Short are those of the paper; Backtracking needs
// no L.
//
// On a polytope of pyramidal width δ, an L-smooth and α-strongly convex f has
// f(w_k) − f(w*) ≤ (1 − (α/4L)(δ/D)²)^{k/2} (f(w_0) − f(w*)), if w_0 is a vertex, for with
// the g of the direction taken g ≥ ½∇f(w_{k−1})ᵀ(u_k − v_k), so that f(w_{k−1}) − f(w*) ≤
// 2g²/(αδ²), and g²/(2LD²) comes off, in a step to v_k with γ_k = 1 even half of f(w_{k−1}) −
// f(w*), unless u_k is dropped. There are no more drops than steps to a v_k. What holds
// for another w_0 in AwayFW holds here, too.
type BlendedPairwise struct {
	Rule fwopt.StepRule

	K          int             // steps done
	W          []float64       // w_k
	DualityGap float64         // at w_{k−1}, which the step found on its way
	S          fwset.ActiveSet // the active vertices and their weights α
	Scores     []float64       // those of w_k, where a fwopt.Follower keeps them up
}

func (a *BlendedPairwise) String() string { return "BlendedPairwise" }

// Identify writes the rule.
func (a *BlendedPairwise) Identify(id *fwopt.Identity) { id.Of(a).Part(a.Rule) }

// Tested returns a, or what in it fwtest has not passed: see fwopt.Identity.
func (a *BlendedPairwise) Tested() any { return ident.First(a, a.Rule) }

// Steps runs BlendedPairwise. A step counts one exact gradient and one linear
// optimisation, and what the rule counts: one exact gradient more for a line search.
// Apart from them it costs as much as three passes over the numbers of the active vertices.
func (a *BlendedPairwise) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	need.Given("fwmore", "BlendedPairwise.Rule", ident.IsNil(a.Rule))
	var v fwopt.Vertex
	g, d, end := begin(a.K, &a.W, &a.S, w0)
	at := o.Follow(&a.Scores)
	return func(yield func(fwopt.Step) bool) {
		for { // for k = 1, 2, …
			k := a.K + 1
			at.Grad(g, a.W, k)               // ∇f(w_{k−1})
			s, u, least, most := a.S.Ends(g) // s_k = argmin_{s∈S} ∇f(w_{k−1})ᵀs, u_k = argmax_{u∈S} ∇f(w_{k−1})ᵀu
			o.Argmin(&v, g)                  // v_k = argmin_{v∈Ω} ∇f(w_{k−1})ᵀv
			v.From(d, a.W)                   // −d = w_{k−1} − v_k
			a.DualityGap = floats.Dot(g, d)  // ∇f(w_{k−1})ᵀ(w_{k−1} − v_k)
			if most-least >= a.DualityGap {
				γ := across(at, &a.S, a.W, g, u, &a.S.Atom[s], d, end).Step(a.Rule, o, k)
				at.Move(γ)
				a.S.Across(a.W, u, &a.S.Atom[s], γ) // w_k = w_{k−1} + γ_k (s_k − u_k)
			} else {
				γ := at.Along(segment(a.W, d, end, a.DualityGap, 1), nil, &v).Step(a.Rule, o, k)
				at.Move(γ)
				a.S.Toward(a.W, &v, γ) // w_k = (1−γ_k) w_{k−1} + γ_k v_k
			}
			a.K = k
			if !yield(fwopt.Step{T: 1, K: k, X: a.W}) {
				return
			}
		}
	}
}
