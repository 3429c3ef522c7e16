package fwset

import (
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// ActiveSet is a point x = Σ_i Weight[i] Atom[i] of Ω, as the methods keep it that
// take weight from vertices again, by away steps or pairwise steps. Choose finds the
// atom to take it from, Toward, Away and Across move the point. It is all exported, so
// that it can be a part of a method's state.
type ActiveSet struct {
	Atom   []Vertex  // no two the same; what was dropped has its memory kept beyond the length
	Weight []float64 // positive, of sum 1
	Age    int       // moves since x was last added up from the atoms
	Key    []uint64  // the same for atoms that are Equal, 0 for one of rank one; made anew where there is none
}

// Start makes v the only atom.
func (s *ActiveSet) Start(v *Vertex) {
	s.Atom, s.Weight = slices.Grow(s.Atom[:0], 1)[:1], append(s.Weight[:0], 1)
	s.Age, s.Key = 0, nil
	s.Atom[0].Set(v)
}

// Choose returns the place of the atom u = argmax ⟨g, u⟩, and ⟨g, u⟩.
func (s *ActiveSet) Choose(g []float64) (u int, most float64) {
	_, u, _, most = s.Ends(g)
	return u, most
}

// Ends returns the places of the atoms argmin ⟨g, v⟩ and argmax ⟨g, u⟩, and what these are.
func (s *ActiveSet) Ends(g []float64) (v, u int, least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	p := kern.Borrow(len(s.Atom))
	defer kern.Return(p)
	Dots(*p, s.Atom, g)
	for i, c := range *p {
		if c < least {
			v, least = i, c
		}
		if c > most {
			u, most = i, c
		}
	}
	return v, u, least, most
}

// Most returns the longest step away from atom u that stays in Ω: γ = α_u/(1 − α_u).
func (s *ActiveSet) Most(u int) float64 { return s.Weight[u] / (1 - s.Weight[u]) }

// Toward moves the point to x = (1−γ)x + γv. It costs a pass over v, and at times one over the atoms.
// It panics if γ is not in [0, 1].
func (s *ActiveSet) Toward(x []float64, v *Vertex, gamma float64) {
	s.check()
	checkStep(gamma, 1)
	floats.Scale(1-gamma, s.Weight)
	s.Weight[s.place(v)] += gamma // α_v = (1−γ)α_v + γ, the others (1−γ)α_i
	v.Lerp(x, gamma)
	s.settle(x)
}

// place returns where v is among the atoms, the last one with weight 0 if it is new.
func (s *ActiveSet) place(v *Vertex) int {
	if len(s.Key) != len(s.Atom) {
		s.Key = s.Key[:0]
		for i := range s.Atom {
			s.Key = append(s.Key, s.Atom[i].key())
		}
	}
	key := v.key()
	for i, k := range s.Key {
		if (k == key || k == 0 || key == 0) && s.Atom[i].Equal(v) {
			return i
		}
	}
	i := len(s.Atom)
	s.Atom, s.Weight, s.Key = slices.Grow(s.Atom, 1)[:i+1], append(s.Weight, 0), append(s.Key, key)
	s.Atom[i].Set(v)
	return i
}

// Away moves the point to x = (1+γ)x − γu, where u is an atom. With γ = Most(u) it
// drops u. It panics if u is no atom or the only one, or if γ is not in [0, Most(u)].
func (s *ActiveSet) Away(x []float64, u int, gamma float64) {
	if s.check(); u < 0 || u >= len(s.Atom) || len(s.Atom) == 1 {
		panic(need.Linef("fwset: a step away from atom %d of %d, want one of two or more", u, len(s.Atom)))
	}
	most := s.Most(u)
	checkStep(gamma, most)
	floats.Scale(1+gamma, s.Weight)
	s.Weight[u] -= gamma // α_u = (1+γ)α_u − γ, the others (1+γ)α_i
	if gamma == most {
		s.Weight[u] = 0 // whatever rounding says
	}
	s.Age = 99 // what is off in x would grow by 1 + γ
	s.settle(x)
}

// Across moves the point to x = x + γ(v − u), where u is an atom, whose weight γ goes to
// v, which may be an atom. With γ = Weight[u] it drops u. It costs as much as Toward.
// It panics if u is no atom, or if γ is not in [0, Weight[u]].
func (s *ActiveSet) Across(x []float64, u int, v *Vertex, gamma float64) {
	if s.check(); u < 0 || u >= len(s.Atom) {
		panic(need.Linef("fwset: a step across from atom %d of %d", u, len(s.Atom)))
	}
	checkStep(gamma, s.Weight[u])
	i := s.place(v)
	s.Weight[u] -= gamma // α_u = α_u − γ
	s.Weight[i] += gamma // α_v = α_v + γ
	s.Atom[u].AddTo(x, -gamma)
	v.AddTo(x, gamma)
	s.settle(x)
}

// check panics unless the weights are those of a mean, as every move leaves them.
func (s *ActiveSet) check() {
	if sum := floats.Sum(s.Weight); len(s.Weight) != len(s.Atom) || !(math.Abs(sum-1) <= 1e-9) {
		panic(need.Linef("fwset: an ActiveSet of %d atoms with %d weights, which add up to %g, want 1; "+
			"begin with Start", len(s.Atom), len(s.Weight), sum))
	}
}

func checkStep(gamma, most float64) {
	if !(gamma >= 0 && gamma <= most) {
		panic(need.Linef("fwset: a step of γ = %g, want 0 to %g", gamma, most))
	}
}

// settle drops what has weight 0. Then, and at every hundredth move, it adds up x anew, so that nothing drifts.
func (s *ActiveSet) settle(x []float64) {
	n, keyed := 0, len(s.Key) == len(s.Atom)
	for i, α := range s.Weight {
		if α <= 0 {
			continue
		}
		if n < i {
			s.Weight[n] = α
			s.Atom[n], s.Atom[i] = s.Atom[i], s.Atom[n]
			if keyed {
				s.Key[n] = s.Key[i]
			}
		}
		n++
	}
	dropped := n < len(s.Atom)
	s.Atom, s.Weight = s.Atom[:n], s.Weight[:n]
	if keyed {
		s.Key = s.Key[:n]
	}
	floats.Scale(1/floats.Sum(s.Weight), s.Weight)
	if s.Age++; dropped || s.Age == 100 {
		s.Age = 0
		clear(x)
		Sum(x, 0, x, s.Weight, s.Atom)
	}
}
