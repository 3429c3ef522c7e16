package fwopt

import (
	"iter"
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
// the method is as valid, and from the step on that drops w_0 the theorem holds
// again. On a set with infinitely many vertices S may grow with every step.
type AwayFW struct {
	L float64 // smoothness of f, for the safe step; 0 for a line search

	K   int       // steps done
	W   []float64 // w_k
	Gap float64   // the duality gap at w_{k−1}, which the step found on its way
	S   activeSet // the vertices S.V and their weights S.Alpha
}

// AwayFWSafe is AwayFW with the safe step for an L-smooth f.
func AwayFWSafe(L float64) *AwayFW { return &AwayFW{L: positive("L", L)} }

// AwayFWLineSearch is AwayFW with exact line search.
func AwayFWLineSearch() *AwayFW { return &AwayFW{} }

func (a *AwayFW) String() string { return "AwayFW" }

// Steps runs AwayFW. A step counts one exact gradient and one linear
// optimisation, and one exact gradient more for a line search; beside them it
// costs as much as three passes over the non-zeros of the active vertices.
func (a *AwayFW) Steps(o *Oracle, w0 []float64) iter.Seq[Step] {
	if a.K == 0 {
		a.W = append(a.W[:0], w0...)
		a.S.start(w0)
	}
	s := vectors(4, len(w0))
	g, v, d, far := s[0], s[1], s[2], s[3]
	search := func(slope, most float64) float64 { // γ_k = argmin_{γ∈[0,γ_max]} f(w_{k−1} + γd)
		if a.L > 0 {
			return most * shortStep(most*slope, most*most*a.L*floats.Dot(d, d)) // min{γ_max, slope/(L‖d‖²)}
		}
		// A segment that ends at γ_max = 1e-12 is one of which rounding sees nothing.
		c := max(1, most)
		floats.AddScaledTo(far, a.W, c, d)
		return min(most, c*o.LineSearch(a.W, far))
	}
	return func(yield func(Step) bool) {
		for { // for k = 1, 2, …
			o.Grad(g, a.W)                        // ∇f(w_{k−1})
			o.Argmin(v, g)                        // v_k = argmin_{v∈Ω} ∇f(w_{k−1})ᵀv
			floats.SubTo(d, v, a.W)               // d = v_k − w_{k−1}
			a.Gap = -floats.Dot(g, d)             // max_{v∈Ω} ∇f(w_{k−1})ᵀ(w_{k−1} − v)
			a.S.step(a.W, g, v, d, a.Gap, search) // towards v_k or away from u_k: w_k = w_{k−1} + γ_k d
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

	dot []float64 // scratch of step
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
// makes d = w − u. It returns γ, which search chooses from [0, most], given d and
// the slope −gᵀd.
func (s *activeSet) step(w, g, v, d []float64, gap float64, search func(slope, most float64) float64) (gamma float64) {
	u := 0 // argmax_{u∈S} gᵀu
	s.dot = s.dot[:0]
	for i, q := range s.V {
		if s.dot = append(s.dot, q.dot(g)); s.dot[i] > s.dot[u] {
			u = i
		}
	}
	away := 0.0 // gᵀ(u − w)
	for i, α := range s.Alpha {
		away += α * (s.dot[u] - s.dot[i])
	}
	if gap >= away {
		if gamma = search(gap, 1); gamma == 0 { // γ_max = 1
			return 0
		}
		floats.Scale(1-gamma, s.Alpha)
		i := s.find(v)
		s.Alpha[i] += gamma // α_v = (1−γ)α_v + γ, the others (1−γ)α_i
	} else {
		// w − u = Σ_{i≠u} α_i(v_i − u) and 1 − α_u = Σ_{i≠u} α_i: as differences they
		// would be rounding alone where α_u is almost 1, and γ_max is large there
		clear(d)
		rest := 0.0
		for i, q := range s.V {
			if i != u {
				q.addTo(d, s.Alpha[i])
				rest += s.Alpha[i]
			}
		}
		s.V[u].addTo(d, -rest)
		αu := s.Alpha[u]
		most := αu / rest // γ_max = α_u/(1−α_u)
		if gamma = search(away, most); gamma == 0 {
			return 0
		}
		floats.Scale(1+gamma, s.Alpha)
		s.Alpha[u] = αu - gamma*rest // α_u = (1+γ)α_u − γ, the others (1+γ)α_i
		if gamma == most {
			s.Alpha[u] = 0 // a drop step, whatever rounding says
		}
	}
	n := 0
	for i, α := range s.Alpha {
		if α <= 0x1p-500 { // nothing to w, and γ_max² stays finite
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
