package fwopt

import (
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// AwayFW is Frank-Wolfe with away steps, Algorithm 1 of Lacoste-Julien & Jaggi,
// "On the global linear convergence of Frank-Wolfe optimization variants", NIPS
// 2015. It knows w_k as Σ_{v∈S} α_v v, a mean of the active vertices S:
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
// If L is set, γ_k is the safe step min{γ_max, −∇fᵀd/(L‖d‖²)}, else the
// minimiser, found by the objective (a LineSearcher). That looks as far as
// 2w_{k−1} − u_k, which may lie outside Ω; like the paper it takes f to be convex
// on R^d.
//
// On a polytope of pyramidal width δ (Theorem 1 there), an L-smooth and
// α-strongly convex f has f(w_k) − f(w*) ≤ (1 − (α/4L)(δ/D)²)^{k/2} (f(w_0) − f(w*)),
// if w_0 is a vertex, as Oracle.Start's is. Any other w_0 ∈ Ω is taken for one:
// the method is as valid, but slower until a step drops w_0; from there on, with
// s vertices left, the theorem holds with (k−s+1)/2 for k/2. On a set with
// infinitely many vertices S may grow with every step.
type AwayFW struct {
	L float64 // smoothness of f, for the safe step; 0 for a line search

	K          int       // steps done
	W          []float64 // w_k
	DualityGap float64   // the duality gap at w_{k−1}, which the step found on its way
	S          activeSet // the vertices S.V and their weights S.Alpha
}

// AwayFWSafe is AwayFW with the safe step for an L-smooth f.
func AwayFWSafe(L float64) *AwayFW { return &AwayFW{L: positive("L", L)} }

// AwayFWLineSearch is AwayFW with exact line search.
func AwayFWLineSearch() *AwayFW { return &AwayFW{} }

func (a *AwayFW) String() string { return "AwayFW" }

// Identify says the L of the step.
func (a *AwayFW) Identify(id *Identity) { id.Of(a).Float(a.L) }

// Steps runs AwayFW. A step counts one exact gradient and one linear
// optimisation, and one exact gradient more for a line search; beside them it
// costs as much as three passes over the non-zeros of the active vertices.
func (a *AwayFW) Steps(o *Oracle, w0 []float64) iter.Seq[Step] {
	if a.L != 0 {
		positive("L", a.L)
	}
	if a.K == 0 {
		a.W = append(a.W[:0], w0...)
		a.S.start(w0)
	}
	s := vectors(4, len(w0))
	g, v, d, far := s[0], s[1], s[2], s[3]
	search := func(slope float64) float64 { // argmin_{γ∈[0,1]} f(w_{k−1} + γd)
		if a.L > 0 {
			return shortStep(slope, a.L*floats.Dot(d, d))
		}
		floats.AddTo(far, a.W, d) // not γ_max d: if that is tiny, rounding hides that f goes down
		return o.LineSearch(a.W, far)
	}
	return func(yield func(Step) bool) {
		for { // for k = 1, 2, …
			o.Grad(g, a.W)                               // ∇f(w_{k−1})
			o.Argmin(v, g)                               // v_k = argmin_{v∈Ω} ∇f(w_{k−1})ᵀv
			floats.SubTo(d, v, a.W)                      // d = v_k − w_{k−1}
			a.DualityGap = -floats.Dot(g, d)             // max_{v∈Ω} ∇f(w_{k−1})ᵀ(w_{k−1} − v)
			a.S.step(a.W, g, v, d, a.DualityGap, search) // towards v_k or away from u_k: w_k = w_{k−1} + γ_k d
			a.K++
			if !yield(Step{T: 1, K: a.K, X: a.W}) {
				return
			}
		}
	}
}

// activeSet is a point w = Σ_i Alpha[i] V[i] of Ω. What it drops it keeps the
// memory of, beyond the length of V.
type activeSet struct {
	Alpha []float64 // the weights α, positive, of sum 1
	V     []vertex  // the active vertices, no two the same
}

// vertex is a vector as its non-zeros, which are few on the simplex, the ℓ1 ball
// and the like.
type vertex struct {
	Index []int32 // ascending
	Value []float64
}

func (v vertex) dot(g []float64) (sum float64) {
	for k, j := range v.Index {
		sum += v.Value[k] * g[j]
	}
	return sum
}

// addTo does w += c·v.
func (v vertex) addTo(w []float64, c float64) {
	for k, j := range v.Index {
		w[j] += c * v.Value[k]
	}
}

// start makes w the only active vertex.
func (s *activeSet) start(w []float64) {
	s.Alpha, s.V = s.Alpha[:0], s.V[:0]
	s.find(w)
	s.Alpha[0] = 1
}

// find returns the place of v in s, at the end and with weight 0 if it is new.
func (s *activeSet) find(v []float64) int {
	n := len(s.V)
	s.V = slices.Grow(s.V, 1)[:n+1]
	p := &s.V[n]
	nnz := 0
	for _, x := range v {
		if x != 0 {
			nnz++
		}
	}
	p.Index, p.Value = slices.Grow(p.Index[:0], nnz), slices.Grow(p.Value[:0], nnz)
	for j, x := range v {
		if x != 0 {
			p.Index, p.Value = append(p.Index, int32(j)), append(p.Value, x)
		}
	}
	for i, q := range s.V[:n] {
		if slices.Equal(q.Value, p.Value) && slices.Equal(q.Index, p.Index) {
			s.V = s.V[:n]
			return i
		}
	}
	s.Alpha = append(s.Alpha, 0)
	return n
}

// step does one step of Algorithm 1 from w, the point of s, where g is the
// gradient, v = argmin_{v∈Ω} gᵀv, d = v − w and gap = −gᵀd. In an away step it
// makes d = w − u. search returns the minimiser along d in [0, 1], given the slope
// −gᵀd. It returns γ.
//
// That is far enough, as γ_max < 1 in an away step: gap ≥ α_u gᵀ(u − v) and
// gᵀ(u − w) ≤ (1 − α_u) gᵀ(u − v), so the second is the larger only if α_u < ½.
func (s *activeSet) step(w, g, v, d []float64, gap float64, search func(slope float64) float64) (gamma float64) {
	u, gu := 0, math.Inf(-1) // u = argmax_{u∈S} gᵀu
	for i, q := range s.V {
		if gq := q.dot(g); gq > gu {
			u, gu = i, gq
		}
	}
	if back := gu - floats.Dot(g, w); len(s.V) == 1 || !(back > gap) {
		gamma = search(gap) // γ_max = 1
		floats.Scale(1-gamma, s.Alpha)
		i := s.find(v)
		s.Alpha[i] += gamma // α_v = (1−γ)α_v + γ, the others (1−γ)α_i
	} else {
		copy(d, w)
		s.V[u].addTo(d, -1)                   // d = w − u
		most := s.Alpha[u] / (1 - s.Alpha[u]) // γ_max = α_u/(1−α_u)
		gamma = min(most, search(back))
		floats.Scale(1+gamma, s.Alpha)
		s.Alpha[u] -= gamma // α_u = (1+γ)α_u − γ, the others (1+γ)α_i
		if gamma == most {
			s.Alpha[u] = 0 // a drop step, whatever rounding says
		}
	}
	n := 0
	for i, α := range s.Alpha { // drop what has weight 0
		if α <= 0 {
			continue
		}
		s.Alpha[n] = α
		s.V[n], s.V[i] = s.V[i], s.V[n]
		n++
	}
	s.Alpha, s.V = s.Alpha[:n], s.V[:n]
	floats.Scale(1/floats.Sum(s.Alpha), s.Alpha)
	clear(w) // w = Σ_i α_i v_i anew: nothing drifts
	for i, q := range s.V {
		q.addTo(w, s.Alpha[i])
	}
	return gamma
}
