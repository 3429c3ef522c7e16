package fwopt

import (
	"slices"

	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"gonum.org/v1/gonum/floats"
)

// Follower keeps up the scores s = Xw of an iterate w that a method moves by a vertex or two a step, where F is a
// Scorer. The gradient is then ∇f from s, half a pass or less, and a line search takes no pass. For a quadratic
// as fwdata.Video, whose scores are Aw, it is O(d) and what the vertices touch of A.
//
// Scores are added up anew by a pass every 100 steps, for rounding. Where F is no Scorer, has more than 2²² scores, or
// is a reader's own type that has not passed fwtest (see Identity), a Follower asks F itself.
type Follower struct {
	o *Oracle
	f Scorer // nil: ask F itself
	s *[]float64
	q []float64 // −Xd of the step at work
	x Vertex    // memory
}

const fresh = 100 // steps from a pass to the next

// Follow returns the Follower of a run of o. s is where a method keeps the scores, a part of its state.
func (o *Oracle) Follow(s *[]float64) *Follower {
	t := &Follower{o: o, s: s}
	f, ok := o.F.(Scorer)
	if !ok || o.looks && ident.Foreign(o.F) {
		return t
	}
	if h, _ := f.Shape(); float64(h)*float64(o.F.Len()) <= 1<<22 {
		t.f, t.q = f, make([]float64, h*o.F.Len())
	}
	return t
}

// Grad computes dst = ∇f(w) for step k, by GradAt, or by a pass where the scores are added up anew. It counts one
// exact gradient.
func (t *Follower) Grad(dst, w []float64, k int) {
	if t.f == nil {
		t.o.Grad(dst, w)
		return
	}
	if k%fresh == 1 || len(*t.s) != len(t.q) {
		*t.s = slices.Grow((*t.s)[:0], len(t.q))[:len(t.q)]
		clear(*t.s)
		t.x.Pack(w)
		t.f.AddScores(*t.s, 1, &t.x) // s = Xw
	}
	t.o.Calls.Exact++
	t.f.GradAt(dst, *t.s)
	t.o.look(dst, "the exact gradient")
}

// Along tells seg of the scores on the way from u to v, where nil stands for w itself, by AddScores of each, or of
// u − v where both are sparse.
func (t *Follower) Along(seg Segment, u, v *Vertex) Segment {
	if t.f == nil {
		return seg
	}
	clear(t.q)
	seg.Scores, seg.Along = *t.s, t.q
	if u != nil && v != nil && len(u.Index) > 0 && len(v.Index) > 0 { // what they share is no work
		t.x.Pack(seg.D)
		t.f.AddScores(t.q, -1, &t.x)
		return seg
	}
	add := func(c float64, v *Vertex) {
		if v == nil {
			floats.AddScaled(t.q, c, *t.s)
		} else {
			t.f.AddScores(t.q, c, v)
		}
	}
	add(1, v)
	add(-1, u) // q = Xv − Xu
	return seg
}

// Move follows w to w + γ(v − u), with the u and v of Along, in O(scores).
func (t *Follower) Move(gamma float64) {
	if t.f != nil {
		floats.AddScaled(*t.s, gamma, t.q)
	}
}
