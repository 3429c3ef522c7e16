// Package fwset holds the sets Ω that methods without projections work on, and what
// such a method asks of a set: the [Vertex] where a linear function is least.
//
// What a [Domain] can do besides Argmin is found by type assertion: one of your own needs
// none of the other interfaces here, and fwtest.TestDomain checks those that it has. If it
// embeds a set of this package and overrides Argmin, it must override ArgminVertex, Project
// and the rest as well.
//
// All sets of this package answer to g = 0 with their centre, hold no state between
// calls and are safe for concurrent use. They panic if a vector has the wrong length
// or a field makes no sense. If g holds a NaN or an infinity the answer is some point
// of the set.
package fwset

import (
	"math"
	"math/rand/v2"
	"sync"

	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Domain is a compact convex set Ω, known by its linear optimisation.
type Domain interface {
	Dim() int                // d
	Argmin(dst, g []float64) // dst = argmin_{v∈Ω} ⟨g, v⟩; if g = 0, any point of Ω
}

// A Projector is a Domain with a Euclidean projection.
type Projector interface {
	// Project computes dst = argmin_{v∈Ω} ‖v − x‖. dst may be x itself. A
	// point that is in Ω is copied bit for bit.
	Project(dst, x []float64)
}

// A WarmProjector is a Projector whose projection is iterative.
type WarmProjector interface {
	// ProjectWarm is Project up to rounding. What it learns for the next call goes to
	// warm, which may be nil: then the call starts from nothing, to the bits of Project.
	ProjectWarm(dst, x []float64, warm *Warm)
}

// A Bounded is a Domain that returns its Euclidean diameter
// D = max_{v,w∈Ω} ‖v − w‖, the D of the paper's theorems.
type Bounded interface {
	Diameter() float64
}

// A Gauged is a Domain that can tell how far outside a point is.
type Gauged interface {
	// Gauge(x) ≤ 1 if and only if x is in Ω, and it grows continuously on the
	// way out. Test membership up to rounding by Gauge(x) ≤ 1+1e-9.
	//
	// For a set with an interior it is the least t ≥ 0 for which c + (x−c)/t is
	// in Ω, where c is the centre: a norm divided by the radius. A flat set like
	// the simplex is all boundary; there it is 1 + the relative violation.
	Gauge(x []float64) float64
}

// A LocalLinear is a Domain with a linear optimisation near a point, up to a
// factor ρ in the distance (Garber & Hazan's local linear optimisation oracle).
type LocalLinear interface {
	// ArgminLocal computes, for an x ∈ Ω and an r ≥ 0, a dst ∈ Ω with
	// ‖dst − x‖ ≤ ρr and ⟨g, dst⟩ ≤ ⟨g, v⟩ for all v ∈ Ω with ‖v − x‖ ≤ r.
	ArgminLocal(dst, g, x []float64, r float64)
	Rho() float64 // ρ, at least 1
}

// A VertexDomain is a Domain that answers in the form in which a vertex is small, or
// whose linear optimisation is iterative, or both.
type VertexDomain interface {
	// ArgminVertex fills v with a vertex of ⟨g, v⟩ ≤ min_{u∈Ω} ⟨g, u⟩ + slack. An
	// iterative one tries for slack ≤ tol, or the set's own tolerance if tol ≤ 0, and
	// returns the slack that it reached, which may be more. What it learns for the next
	// call goes to warm, which may be nil: then the call starts from nothing, like
	// Argmin. An exact one uses neither and returns 0.
	ArgminVertex(v *Vertex, g []float64, tol float64, warm *Warm) (slack float64)
}

// Argmin fills v with omega's answer, as a Vertex if it has one, to an accuracy of tol,
// and returns the slack. A v that is no vector of omega's dimension is a panic.
func Argmin(omega Domain, v *Vertex, g []float64, tol float64, warm *Warm) (slack float64) {
	d, ok := omega.(VertexDomain)
	if !ok {
		omega.Argmin(v.SetDense(len(g)), g)
		return 0
	}
	slack = d.ArgminVertex(v, g, tol, warm)
	v.Check(len(g))
	return slack
}

// A MatrixShaped is a Domain of h × m matrices, which stand in a vector feature by feature:
// number j·h+l is in row l and column j.
type MatrixShaped interface {
	Shape() (h, m int)
}

// A Polytope is a polytope that returns its pyramidal width δ (Lacoste-Julien & Jaggi, NIPS
// 2015), on which the rates of away steps rest.
type Polytope interface {
	Width() float64 // δ; 0 if it is unknown
}

// Warm is what an iterative linear optimisation or projection keeps from call to call.
// It belongs to a run, not to the Domain. The zero Warm is ready for use. To save
// one with gob, encode a pointer: the methods of rand.PCG need it.
type Warm struct {
	V   []float64 // the last answer, in the domain's own form
	P   []float64 // of the last projection, in the domain's own form
	RNG rand.PCG  // draws the random part of a start
}

// argmin is the Argmin of a set that has this ArgminVertex. It allocates no vector.
func argmin(dst, g []float64, argminVertex func(*Vertex, []float64, float64, *Warm) float64) {
	v := vertices.Get().(*Vertex)
	defer vertices.Put(v)
	argminVertex(v, g, 0, nil)
	v.Dense(dst)
}

// vertices holds some that are free.
var vertices = sync.Pool{New: func() any { return new(Vertex) }}

// checkShape panics unless h × m is a shape and the vectors v hold such matrices. It returns h·m.
func checkShape(name string, h, m int, v ...[]float64) int {
	if h < 1 || m < 1 {
		panic(need.Linef("fwset: %s of %d x %d matrices", name, h, m))
	}
	need.Len("fwset", h*m, v...)
	return h * m
}

// checkBall panics unless d is a dimension, r a radius and the vectors v have d numbers. It
// returns d.
func checkBall(name string, d int, field string, r float64, v ...[]float64) int {
	if d < 1 {
		panic(need.Linef("fwset: %s of dimension %d", name, d))
	}
	if !(r > 0) || math.IsInf(r, 1) {
		panic(need.Linef("fwset: %s with %s = %g, which must be positive and finite", name, field, r))
	}
	need.Len("fwset", d, v...)
	return d
}
