package fwsum

import (
	"math"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// Weighted returns the sum over the same rows in which that of row i counts c_i times,
//
//	f(w) = (1/n) Σ c_i ℓ_i(w e_i)
//
// with max_i c_i times the L and G. It shares the data with f, and keeps c, which must not change any more. It
// panics if c has a wrong length, a number that is negative or not finite, or only zeros.
func (f *RowSum) Weighted(c []float64) *RowSum {
	if len(c) != f.n {
		panic(need.Linef("fwsum: %d weights for %d rows", len(c), f.n))
	}
	checkFinite("the weight of row", c)
	if floats.Min(c) < 0 || floats.Max(c) == 0 {
		panic(need.Linef("fwsum: weights of rows from %g to %g, want none below 0, and one above", floats.Min(c),
			floats.Max(c)))
	}
	g := *f
	g.loss = &weighted{f.loss, c}
	return &g
}

// weighted is c_iℓ_i.
type weighted struct {
	Loss
	c []float64
}

func (l *weighted) Value(i int, s []float64) float64 {
	if l.c[i] == 0 {
		return 0
	}
	return l.c[i] * l.Loss.Value(i, s)
}

func (l *weighted) Grad(i int, s []float64, c float64) { l.Loss.Grad(i, s, c*l.c[i]) }

func (l *weighted) Curve(i int, s, d []float64, c float64) {
	loss, ok := l.Loss.(curved)
	if !ok {
		loss = bySlopes{l.Loss}
	}
	loss.Curve(i, s, d, c*l.c[i])
}

func (l *weighted) Smoothness() float64 { return floats.Max(l.c) * l.Loss.Smoothness() }

func (l *weighted) Lipschitz() float64 {
	if inner, ok := l.Loss.(interface{ Lipschitz() float64 }); ok {
		return floats.Max(l.c) * inner.Lipschitz()
	}
	return math.Inf(1)
}

func (l *weighted) NonConvex() bool {
	inner, ok := l.Loss.(fwopt.NonConvex)
	return ok && inner.NonConvex()
}

func (l *weighted) Identify(id *fwopt.Identity) { id.Of(l).Part(l.Loss).Float(l.c...) }

// Tested returns l, or its loss if fwtest has not passed that: see fwopt.Identity.
func (l *weighted) Tested() any { return ident.First(l, l.Loss) }
