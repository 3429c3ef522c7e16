package fwset

import (
	"math"

	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// Hull is the convex hull of given points, Ω = conv{p_1, …, p_n}, with their mean for
// its centre. A linear optimisation costs n inner products; a projection is a quadratic
// programme over n weights and is not given.
type Hull struct {
	Points [][]float64 // all of one length; they must not change while the set is in use
}

func (b Hull) check(v ...[]float64) {
	if len(b.Points) == 0 || len(b.Points[0]) == 0 {
		panic(need.Line("fwset: a Hull of no points, or of points of length 0"))
	}
	for i, p := range b.Points {
		if len(p) != len(b.Points[0]) {
			panic(need.Linef("fwset: a Hull of points of length %d and, point %d, %d",
				len(b.Points[0]), i, len(p)))
		}
	}
	need.Len("fwset", len(b.Points[0]), v...)
}

// Dim returns the points' length. It panics unless they are finite and of one length.
func (b Hull) Dim() int {
	b.check()
	for i, p := range b.Points {
		for j, x := range p {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				panic(need.Linef("fwset: a Hull with %g in coordinate %d of point %d", x, j, i))
			}
		}
	}
	return len(b.Points[0])
}

// Argmin computes dst, the point with the least ⟨g, p⟩, the first one if there are
// several. If g = 0 it is the mean of the points.
func (b Hull) Argmin(dst, g []float64) {
	if b.check(dst, g); maxAbs(g) == 0 {
		clear(dst)
		for _, p := range b.Points {
			floats.AddScaled(dst, 1/float64(len(b.Points)), p)
		}
		return
	}
	best, least := b.Points[0], math.Inf(1)
	for _, p := range b.Points {
		if x := floats.Dot(g, p); x < least {
			best, least = p, x
		}
	}
	copy(dst, best)
}

// ArgminVertex is Argmin, sparse if half of the point or more is 0. It is exact.
func (b Hull) ArgminVertex(v *Vertex, g []float64, _ float64, _ *Warm) float64 {
	b.check(g)
	x := kern.Borrow(len(g))
	defer kern.Return(x)
	b.Argmin(*x, g)
	v.Pack(*x)
	return 0
}

// Diameter returns the largest distance of two points. It costs n²/2 distances.
func (b Hull) Diameter() (far float64) {
	b.check()
	for i, p := range b.Points {
		for _, q := range b.Points[:i] {
			far = max(far, floats.Distance(p, q, 2))
		}
	}
	return far
}

// Identify writes the points.
func (b Hull) Identify(id *ident.Identity) {
	id.Of(b).Int(len(b.Points))
	for _, p := range b.Points {
		id.Float(p...)
	}
}
