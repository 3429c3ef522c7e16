package fwset_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
)

// After a million moves the weights still add up to 1, are positive, belong to
// different atoms and make up the point; and each move leads where it says.
func TestActiveSetAMillionMoves(t *testing.T) {
	const d = 6
	moves := 1_000_000
	if testing.Short() {
		moves = 50_000
	}
	rng := rand.New(rand.NewPCG(1, 1))
	omega := fwset.Simplex{D: d, R: 1}
	var s fwset.ActiveSet
	var v fwset.Vertex
	x, g, plain := make([]float64, d), make([]float64, d), make([]float64, d)
	x[2] = 1
	v.Pack(x)
	s.Start(&v)
	drops, across := 0, 0
	for n := range moves {
		for j := range g {
			g[j] = rng.NormFloat64()
		}
		copy(plain, x)
		size := 1.0 // of the move
		least, most, low, high := s.Ends(g)
		for i := range s.Atom {
			if c := s.Atom[i].Dot(g); c < low || c > high || i == least && c > low || i == most && c < high {
				t.Fatalf("move %d: the ends are %d and %d, %g and %g, and atom %d has %g",
					n, least, most, low, high, i, c)
			}
		}
		if u, _ := s.Choose(g); rng.IntN(3) == 0 {
			gamma := s.Weight[u] * rng.Float64()
			if rng.IntN(4) == 0 {
				gamma = s.Weight[u]
				across++
			}
			plain[s.Atom[u].Index[0]] -= gamma
			if omega.ArgminVertex(&v, g, 0, nil); rng.IntN(3) == 0 {
				v.Set(&s.Atom[rng.IntN(len(s.Atom))])
			}
			plain[v.Index[0]] += gamma
			at, atoms, full := slices.Clone(s.Atom[u].Index), len(s.Atom), gamma == s.Weight[u]
			s.Across(x, u, &v, gamma)
			left := slices.ContainsFunc(s.Atom, func(a fwset.Vertex) bool { return a.Index[0] == at[0] })
			if full && left && at[0] != v.Index[0] || len(s.Atom) > atoms+1 {
				t.Fatalf("move %d, with all the weight of atom %d: %d atoms, %d before", n, u, len(s.Atom),
					atoms)
			}
		} else if len(s.Atom) > 1 && rng.IntN(2) == 0 {
			gamma := s.Most(u) * rng.Float64()
			if rng.IntN(4) == 0 {
				gamma = s.Most(u)
				drops++
			}
			at := s.Atom[u].Index[0]
			floats.Scale(1+gamma, plain)
			plain[at] -= gamma
			size += gamma
			s.Away(x, u, gamma)
		} else {
			omega.ArgminVertex(&v, g, 0, nil)
			gamma := rng.Float64()
			v.Lerp(plain, gamma)
			s.Toward(x, &v, gamma)
		}
		if off := floats.Distance(x, plain, 2); off > 4e-15*size*d {
			t.Fatalf("move %d leads to %g, which is %g off", n, x, off)
		}
		if n%1000 == 0 || n == moves-1 {
			if sum := floats.Sum(s.Weight); math.Abs(sum-1) > 1e-15*d || len(s.Weight) != len(s.Atom) ||
				floats.Min(s.Weight) <= 0 {
				t.Fatalf("after %d moves the weights are %g, of sum 1 %+g", n, s.Weight, sum-1)
			}
			y := make([]float64, d)
			for i := range s.Atom {
				s.Atom[i].AddTo(y, s.Weight[i])
				for k := range i {
					if s.Atom[i].Equal(&s.Atom[k]) {
						t.Fatalf("after %d moves an atom is there twice", n)
					}
				}
			}
			if floats.Distance(x, y, 2) > 1e-14 {
				t.Fatalf("after %d moves the point is %g, its atoms make up %g", n, x, y)
			}
		}
	}
	if drops < moves/40 || across < moves/20 {
		t.Errorf("only %d drops, %d of them across", drops+across, across)
	}
}

// A step that leaves Ω, or that nobody can make, or from weights that somebody has written to, is
// named and changes nothing.
func TestActiveSetBadSteps(t *testing.T) {
	var s fwset.ActiveSet
	var u, v fwset.Vertex
	x := []float64{1, 0}
	u.Pack(x)
	s.Start(&u)
	v.Pack([]float64{0, 1})
	from := func(weight ...float64) func() {
		var s fwset.ActiveSet
		if len(weight) > 0 {
			s.Start(&u)
		}
		s.Weight = weight
		return func() { s.Toward(x, &v, 0.25) }
	}
	bad := map[string]func(){
		"0 atoms with 0 weights, which add up to 0, want 1; begin with Start": from(),
		"of 1 atoms with 1 weights, which add up to 0.5, want 1":              from(0.5),
		"of 1 atoms with 1 weights, which add up to 1.00001, want 1":          from(1 + 1e-5),
		"of 1 atoms with 1 weights, which add up to NaN, want 1":              from(nan),
		"of 1 atoms with 2 weights, which add up to 1, want 1":                from(0.5, 0.5),
		"γ = 2, want 0 to 1":       func() { s.Toward(x, &v, 2) },
		"γ = -0.5, want 0 to 1":    func() { s.Toward(x, &v, -0.5) },
		"γ = NaN, want 0 to 1":     func() { s.Toward(x, &v, nan) },
		"away from atom 0 of 1":    func() { s.Away(x, 0, 0.5) },
		"away from atom -1 of 1":   func() { s.Away(x, -1, 0.5) },
		"across from atom 1 of 1":  func() { s.Across(x, 1, &v, 0.5) },
		"across from atom -1 of 1": func() { s.Across(x, -1, &v, 0.5) },
		"γ = 1.5, want 0 to 1":     func() { s.Across(x, 0, &v, 1.5) },
	}
	for want, call := range bad {
		panics(t, want, []func(){call})
	}
	s.Toward(x, &v, 0.25)
	panics(t, "γ = 0.5, want 0 to 0.3333", []func(){func() { s.Away(x, 1, 0.5) }})
	if !slices.Equal(x, []float64{0.75, 0.25}) {
		t.Errorf("the point is now %g", x)
	}
	// the same matrix with both factors negated is one atom
	v = fwset.Vertex{D: 2, U: []float64{-1}, V: []float64{0, -1}}
	if s.Toward(x, &v, 0.25); len(s.Atom) != 2 {
		t.Errorf("%d atoms", len(s.Atom))
	}
	a, b := fwset.Vertex{D: 2, U: []float64{2}, V: []float64{1, 3}}, fwset.Vertex{D: 2, U: []float64{-2},
		V: []float64{-1, -3}}
	if !a.Equal(&b) {
		t.Error("not Equal up to the sign of both factors")
	}
	a, b = fwset.Vertex{D: 4, Index: []int{1, 3}, Value: []float64{0, 5}}, fwset.Vertex{D: 4,
		Index: []int{3}, Value: []float64{5}}
	if !a.Equal(&b) || !b.Equal(&a) {
		t.Error("not Equal beside a number that is 0")
	}
	forms := []fwset.Vertex{a, b, {D: 4, Value: []float64{0, 0, 0, 5}},
		{D: 4, U: []float64{0, 5}, V: []float64{0, 1}}}
	for i := range forms { // of one vector are one atom
		s.Start(&forms[i])
		for k := range forms {
			if s.Toward(make([]float64, 4), &forms[k], 0.25); len(s.Atom) != 1 {
				t.Errorf("%+v and %+v are %d atoms", forms[i], forms[k], len(s.Atom))
			}
		}
	}
}
