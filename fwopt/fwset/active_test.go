package fwset_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/small"
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
		if least, u, low, most := s.Ends(g); low != s.Atom[least].Dot(g) || most != s.Atom[u].Dot(g) || ends(&s, g) != [2]float64{low, most} {
			t.Fatalf("move %d: the ends are %d and %d, %g and %g, want %g", n, least, u, low, most, ends(&s, g))
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
			if left := slices.ContainsFunc(s.Atom, func(a fwset.Vertex) bool { return a.Index[0] == at[0] }); full && left && at[0] != v.Index[0] || len(s.Atom) > atoms+1 {
				t.Fatalf("move %d, with all the weight of atom %d: %d atoms, %d before", n, u, len(s.Atom), atoms)
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
		if off := floats.Distance(x, plain, 2); off > 1e-15*size*d {
			t.Fatalf("move %d leads to %g, which is %g off", n, x, off)
		}
		if n%1000 == 0 || n == moves-1 {
			if sum := floats.Sum(s.Weight); math.Abs(sum-1) > 1e-15*d || len(s.Weight) != len(s.Atom) || floats.Min(s.Weight) <= 0 {
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
			if !slices.Equal(x, y) {
				t.Fatalf("after %d moves the point is %g, its atoms make up %g", n, x, y)
			}
		}
	}
	if drops < moves/40 || across < moves/20 {
		t.Errorf("only %d drops, %d of them across", drops+across, across)
	}
}

// ends returns the least and the largest ⟨g, v⟩ of the atoms.
func ends(s *fwset.ActiveSet, g []float64) [2]float64 {
	var c []float64
	for i := range s.Atom {
		c = append(c, s.Atom[i].Dot(g))
	}
	return [2]float64{slices.Min(c), slices.Max(c)}
}

// Weights that do not add up, as where somebody has written to them, are named.
func TestActiveSetBadWeights(t *testing.T) {
	var v fwset.Vertex
	if v.Pack([]float64{0, 1}); !strings.Contains(small.Panics(func() { new(fwset.ActiveSet).Toward([]float64{1, 0}, &v, 0.25) }), "begin with Start") {
		t.Error("an empty set moves")
	}
	for _, factor := range []float64{0.5, 1 + 1e-5, math.NaN()} {
		var s fwset.ActiveSet
		x := []float64{1, 0}
		v.Pack(x)
		s.Start(&v)
		s.Weight[0] *= factor
		v.Pack([]float64{0, 1})
		got := small.Panics(func() { s.Toward(x, &v, 0.25) })
		if !strings.HasPrefix(got, "fwset: an ActiveSet of 1 atoms with 1 weights, which add up to") {
			t.Errorf("weights times %g: %q", factor, got)
		}
	}
}

// A move allocates no vector once the set has had its size.
func TestActiveSetAllocNothing(t *testing.T) {
	omega := fwset.TraceNorm{H: 4, M: 500, Tau: 1}
	rng := rand.New(rand.NewPCG(5, 5))
	var s fwset.ActiveSet
	var v fwset.Vertex
	x := make([]float64, 2000)
	g := normal(rng, 2000)
	omega.ArgminVertex(&v, g, 0, nil)
	s.Start(&v)
	v.Dense(x)
	round := func() {
		copy(g, normalInto(rng, g))
		omega.ArgminVertex(&v, g, 0, nil)
		s.Toward(x, &v, 0.5)
		u, _ := s.Choose(g)
		s.Away(x, u, s.Most(u))
		normalInto(rng, g)
		omega.ArgminVertex(&v, g, 0, nil)
		s.Across(x, 0, &v, s.Weight[0]/2)
		s.Across(x, 0, &v, s.Weight[0])
	}
	for range 10 {
		round()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 {
		round()
	}
	runtime.ReadMemStats(&after)
	if b := (after.TotalAlloc - before.TotalAlloc) / 100; b > 4000 { // closures; a vector has 16 kB
		t.Errorf("%d bytes a round", b)
	}
}

func normalInto(rng *rand.Rand, x []float64) []float64 {
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// A step that leaves Ω, or that nobody can make, is named and changes nothing.
func TestActiveSetBadSteps(t *testing.T) {
	var s fwset.ActiveSet
	var v fwset.Vertex
	x := []float64{1, 0}
	v.Pack(x)
	s.Start(&v)
	v.Pack([]float64{0, 1})
	for want, call := range map[string]func(){
		"γ = 2, want 0 to 1":       func() { s.Toward(x, &v, 2) },
		"γ = -0.5, want 0 to 1":    func() { s.Toward(x, &v, -0.5) },
		"γ = NaN, want 0 to 1":     func() { s.Toward(x, &v, math.NaN()) },
		"away from atom 0 of 1":    func() { s.Away(x, 0, 0.5) },
		"away from atom -1 of 1":   func() { s.Away(x, -1, 0.5) },
		"across from atom 1 of 1":  func() { s.Across(x, 1, &v, 0.5) },
		"across from atom -1 of 1": func() { s.Across(x, -1, &v, 0.5) },
		"γ = 1.5, want 0 to 1":     func() { s.Across(x, 0, &v, 1.5) },
	} {
		if got := small.Panics(call); !strings.HasPrefix(got, "fwset: ") || !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	s.Toward(x, &v, 0.25)
	if got := small.Panics(func() { s.Away(x, 1, 0.5) }); !strings.Contains(got, "γ = 0.5, want 0 to 0.3333") {
		t.Error(got)
	}
	if !slices.Equal(x, []float64{0.75, 0.25}) {
		t.Errorf("the point is now %g", x)
	}
	// the same matrix with both factors negated is one atom
	u, w := v.SetRankOne(1, 2)
	u[0], w[0], w[1] = -1, 0, -1
	if s.Toward(x, &v, 0.25); len(s.Atom) != 2 {
		t.Errorf("%d atoms", len(s.Atom))
	}
	var a, b fwset.Vertex
	a.SetRankOne(1, 2)
	b.SetRankOne(1, 2)
	a.U[0], a.V[0], a.V[1] = 2, 1, 3
	b.U[0], b.V[0], b.V[1] = -2, -1, -3
	if !a.Equal(&b) {
		t.Error("not Equal up to the sign of both factors")
	}
	index, value := a.SetSparse(4, 2)
	index[0], index[1], value[0], value[1] = 1, 3, 0, 5
	index, value = b.SetSparse(4, 1)
	index[0], value[0] = 3, 5
	if !a.Equal(&b) || !b.Equal(&a) {
		t.Error("not Equal beside a number that is 0")
	}
}
