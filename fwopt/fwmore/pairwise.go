package fwmore

import (
	"iter"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// PairwiseFW is pairwise Frank-Wolfe, Algorithm 2 of Lacoste-Julien & Jaggi, "On the
// global linear convergence of Frank-Wolfe optimization variants", NIPS 2015. It keeps
// w_k as Σ_{v∈S} α_v v, as AwayFW does, and moves weight from one vertex to another:
//
//	Initialize S = {w_0}, α_{w_0} = 1.
//	for k = 1, 2, … do
//	    Compute v_k = argmin_{v∈Ω} ∇f(w_{k−1})ᵀv.
//	    Compute u_k = argmax_{u∈S} ∇f(w_{k−1})ᵀu.
//	    d = v_k − u_k, γ_max = α_{u_k}
//	    Compute γ_k = argmin_{γ∈[0,γ_max]} f(w_{k−1} + γd).
//	    Set w_k = w_{k−1} + γ_k d; update α and drop from S what has weight 0.
//	end for
//
// The Rule chooses γ_k. LineSearch and Short are those of the paper; Backtracking needs
// no L.
//
// On a polytope of pyramidal width δ an L-smooth and α-strongly convex f has
// f(w_k) − f(w*) ≤ (1 − (α/L)(δ/D)²) (f(w_{k−1}) − f(w*)) in each step with γ_k < γ_max,
// and f never goes up: ∇f(w_{k−1})ᵀ(u_k − v_k) = g has f(w_{k−1}) − f(w*) ≤ g²/(2αδ²) (their
// Theorem 3), and such a step takes g²/(2LD²) off. Of the steps with γ_k = γ_max, which
// swap one vertex for another or drop one, only a very large bound is known, (3|V|! + 1)k
// steps in all for k others and |V| vertices (their Theorem 1); BlendedPairwise has none
// that swap. What holds for w_0 in AwayFW holds here, too.
type PairwiseFW struct {
	Rule fwopt.StepRule

	K          int             // steps done
	W          []float64       // w_k
	DualityGap float64         // at w_{k−1}, which the step found on its way
	S          fwset.ActiveSet // the active vertices and their weights α
	Scores     []float64       // those of w_k, where a fwopt.Follower keeps them up
}

func (a *PairwiseFW) String() string { return "PairwiseFW" }

// Identify writes the rule.
func (a *PairwiseFW) Identify(id *fwopt.Identity) { id.Of(a).Part(a.Rule) }

// Tested returns a, or what in it fwtest has not passed: see fwopt.Identity.
func (a *PairwiseFW) Tested() any { return ident.First(a, a.Rule) }

// Steps runs PairwiseFW. A step counts one exact gradient and one linear optimisation,
// and what the rule counts: one exact gradient more for a line search. Apart from them
// it costs as much as three passes over the numbers of the active vertices.
func (a *PairwiseFW) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	need.Given("fwmore", "PairwiseFW.Rule", ident.IsNil(a.Rule))
	var v fwopt.Vertex
	g, d, end := begin(a.K, &a.W, &a.S, w0)
	at := o.Follow(&a.Scores)
	return func(yield func(fwopt.Step) bool) {
		for { // for k = 1, 2, …
			k := a.K + 1
			at.Grad(g, a.W, k)              // ∇f(w_{k−1})
			o.Argmin(&v, g)                 // v_k = argmin_{v∈Ω} ∇f(w_{k−1})ᵀv
			u, _ := a.S.Choose(g)           // u_k = argmax_{u∈S} ∇f(w_{k−1})ᵀu
			a.DualityGap, _ = v.Gap(g, a.W) // ∇f(w_{k−1})ᵀ(w_{k−1} − v_k)
			γ := across(at, &a.S, a.W, g, u, &v, d, end).Step(a.Rule, o, k)
			at.Move(γ)
			a.S.Across(a.W, u, &v, γ) // w_k = w_{k−1} + γ_k (v_k − u_k)
			a.K = k
			if !yield(fwopt.Step{T: 1, K: k, X: a.W}) {
				return
			}
		}
	}
}

// across is the seg from x on which the weight of atom u goes to v. d and end are memory.
func across(at *fwopt.Follower, s *fwset.ActiveSet, x, g []float64, u int, v *fwopt.Vertex,
	d, end []float64) fwopt.Segment {
	s.Atom[u].Dense(d)
	v.From(d, d) // −d = u − v
	return at.Along(segment(x, d, end, floats.Dot(g, d), s.Weight[u]), &s.Atom[u], v)
}
