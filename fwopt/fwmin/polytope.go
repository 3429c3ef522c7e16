package fwmin

import (
	"fmt"
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Polytope is Ω = {x : Ax ≤ b, Cx = d, lo ≤ x ≤ hi}, which NewPolytope makes. A linear optimisation is a linear
// programme, by gonum's lp.Simplex on the dual, which has a row for each coordinate of x and so is made for about
// 50 of them. Its slack is proven by the dual's solution, whatever lp.Simplex thinks of that. Where lp.Simplex
// fails four times the call panics, and Minimize returns that as an error.
type Polytope struct {
	lo, size []float64   // x = lo + size·y with y ∈ [0, 1]
	row      [][]float64 // R: Ω is Ry ≤ rhs, first y ≤ 1, then −y ≤ 0
	rhs      []float64
	name     []string   // of each
	dual     *mat.Dense // Rᵀ
}

// NewPolytope returns the set. A, C, lo and hi may be nil, and bounds infinite: how far the set extends there is
// found by two linear programmes each. It keeps none of them. An error tells that the set is empty and which
// constraints contradict each other, or that it is unbounded and where. NewPolytope panics if the lengths do not
// fit each other, or if a number is NaN.
func NewPolytope(A mat.Matrix, b []float64, C mat.Matrix, d, lo, hi []float64) (*Polytope, error) {
	c := &constraints{n: max(len(lo), len(hi))}
	c.add("A", A, b, 1)
	c.add("C", C, d, 1)
	c.add("C", C, d, -1)
	if c.n == 0 {
		panic(need.Line("fwmin: a Polytope of no constraints"))
	}
	lo, hi = c.bounds("lo", lo, -1), c.bounds("hi", hi, 1)
	for j := range lo {
		if lo[j] > hi[j] {
			return nil, fmt.Errorf("fwmin: the set is empty: coordinate %d has lo = %g and hi = %g", j,
				lo[j], hi[j])
		}
	}
	return c.extend(lo, hi)
}

// Dim returns the length of x.
func (p *Polytope) Dim() int { return len(p.lo) }

// Argmin computes dst, a vertex with the least ⟨g, v⟩.
func (p *Polytope) Argmin(dst, g []float64) {
	need.Len("fwmin", p.Dim(), dst)
	var v fwset.Vertex
	p.ArgminVertex(&v, g, 0, nil)
	v.Dense(dst)
}

// ArgminVertex is Argmin, sparse if half of the vertex or more is 0. It always does its best.
func (p *Polytope) ArgminVertex(v *fwset.Vertex, g []float64, _ float64, _ *fwset.Warm) (slack float64) {
	need.Len("fwmin", p.Dim(), g)
	need.Finite("fwmin", "a gradient", g)
	x, _, slack, err := p.solve(g)
	if err != nil {
		panic(need.Line(err.Error()))
	}
	v.Pack(x)
	return slack
}

// Gauge returns 1 in the set, and outside 1 + the largest violation of a constraint, as a share of what the
// constraint, or its coordinate, varies by within the bounds.
func (p *Polytope) Gauge(x []float64) float64 {
	need.Len("fwmin", p.Dim(), x)
	y := floats.SubTo(make([]float64, len(x)), x, p.lo)
	for j, s := range p.size {
		if s > 0 {
			y[j] /= s
		} else if y[j] != 0 {
			return 1 + math.Abs(y[j])/max(1, math.Abs(p.lo[j]))
		}
	}
	return 1 + p.off(y)
}

// Identify writes the constraints, as they are kept.
func (p *Polytope) Identify(id *ident.Identity) {
	id.Of(p).Float(p.lo...).Float(p.size...).Float(p.rhs...).Float(slices.Concat(p.row...)...)
}
