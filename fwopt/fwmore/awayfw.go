package fwmore

import (
	"iter"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// AwayFW is Frank-Wolfe with away steps, Algorithm 1 of Lacoste-Julien & Jaggi,
// "On the global linear convergence of Frank-Wolfe optimization variants", NIPS
// 2015. It keeps w_k as Σ_{v∈S} α_v v, a mean of the active vertices S:
//
//	Initialize S = {w_0}, α_{w_0} = 1.
//	for k = 1, 2, … do
//	    Compute v_k = argmin_{v∈Ω} ∇f(w_{k−1})ᵀv.
//	    Compute u_k = argmax_{u∈S} ∇f(w_{k−1})ᵀu.
//	    if ∇f(w_{k−1})ᵀ(w_{k−1} − v_k) ≥ ∇f(w_{k−1})ᵀ(u_k − w_{k−1}) then
//	        d = v_k − w_{k−1}, γ_max = 1
//	    else
//	        d = w_{k−1} − u_k, γ_max = α_{u_k}/(1 − α_{u_k})
//	    end if
//	    Compute γ_k = argmin_{γ∈[0,γ_max]} f(w_{k−1} + γd).
//	    Set w_k = w_{k−1} + γ_k d; update α and drop from S what has weight 0.
//	end for
//
// The Rule chooses γ_k. LineSearch and Short are those of the paper, Backtracking needs no
// L. An away step has γ_max < 1, as gap ≥ α_u∇fᵀ(u − v) and ∇fᵀ(u − w) ≤ (1 − α_u)∇fᵀ(u − v):
// the second is the larger only if α_u < ½.
//
// On a polytope of pyramidal width δ (Theorem 1 there), an L-smooth and
// α-strongly convex f has f(w_k) − f(w*) ≤ (1 − (α/4L)(δ/D)²)^{k/2} (f(w_0) − f(w*)),
// if w_0 is a vertex, as Oracle.Start's is. Any other w_0 ∈ Ω is taken for one:
// the method is as valid, but slower until a step drops w_0; from there on, with
// s vertices left, the theorem holds with (k−s+1)/2 for k/2. On a set with
// infinitely many vertices S may grow with every step.
type AwayFW struct {
	Rule fwopt.StepRule

	K          int             // steps done
	W          []float64       // w_k
	DualityGap float64         // at w_{k−1}, which the step found on its way
	S          fwset.ActiveSet // the active vertices and their weights α
	Scores     []float64       // those of w_k, where a fwopt.Follower keeps them up
}

func (a *AwayFW) String() string { return "AwayFW" }

// Identify writes the rule.
func (a *AwayFW) Identify(id *fwopt.Identity) { id.Of(a).Part(a.Rule) }

// Tested returns a, or what in it fwtest has not passed: see fwopt.Identity.
func (a *AwayFW) Tested() any { return ident.First(a, a.Rule) }

// Steps runs AwayFW. A step counts one exact gradient and one linear
// optimisation, and one exact gradient more for a line search; apart from them
// it costs as much as three passes over the numbers of the active vertices.
func (a *AwayFW) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	need.Given("fwmore", "AwayFW.Rule", ident.IsNil(a.Rule))
	var v fwopt.Vertex
	g, d, end := begin(a.K, &a.W, &a.S, w0)
	at := o.Follow(&a.Scores)
	seg := func(slope, most float64) fwopt.Segment { return segment(a.W, d, end, slope, most) }
	return func(yield func(fwopt.Step) bool) {
		for { // for k = 1, 2, …
			k := a.K + 1
			at.Grad(g, a.W, k)              // ∇f(w_{k−1})
			o.Argmin(&v, g)                 // v_k = argmin_{v∈Ω} ∇f(w_{k−1})ᵀv
			u, gu := a.S.Choose(g)          // u_k = argmax_{u∈S} ∇f(w_{k−1})ᵀu
			v.From(d, a.W)                  // −d = w_{k−1} − v_k
			a.DualityGap = floats.Dot(g, d) // ∇f(w_{k−1})ᵀ(w_{k−1} − v_k)
			away := gu - floats.Dot(g, a.W) // ∇f(w_{k−1})ᵀ(u_k − w_{k−1})
			if len(a.S.Atom) == 1 || !(away > a.DualityGap) {
				γ := at.Along(seg(a.DualityGap, 1), nil, &v).Step(a.Rule, o, k)
				at.Move(γ)
				a.S.Toward(a.W, &v, γ) // w_k = (1−γ_k) w_{k−1} + γ_k v_k
			} else {
				a.S.Atom[u].From(d, a.W)
				floats.Scale(-1, d) // −d = u_k − w_{k−1}
				γ := at.Along(seg(away, a.S.Most(u)), &a.S.Atom[u], nil).Step(a.Rule, o, k)
				at.Move(γ)
				a.S.Away(a.W, u, γ) // w_k = (1+γ_k) w_{k−1} − γ_k u_k
			}
			a.K = k
			if !yield(fwopt.Step{T: 1, K: k, X: a.W}) {
				return
			}
		}
	}
}

// begin starts a run at w0, or goes on after k steps. It returns memory.
func begin(k int, w *[]float64, s *fwset.ActiveSet, w0 []float64) (g, d, end []float64) {
	if k == 0 {
		var v fwopt.Vertex
		*w = append((*w)[:0], w0...)
		v.Pack(w0)
		s.Start(&v)
	}
	return make([]float64, len(w0)), make([]float64, len(w0)), make([]float64, len(w0))
}

// segment goes from x along −d; end is memory.
func segment(x, d, end []float64, slope, most float64) fwopt.Segment {
	return fwopt.Segment{X: x, D: d, End: floats.SubTo(end, x, d), Slope: slope, Most: most}
}
