package fwset_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
)

// plainBall is somebody's own set, which can do nothing but Argmin.
type plainBall struct{ d int }

func (b plainBall) Dim() int { return b.d }
func (b plainBall) Argmin(dst, g []float64) {
	fwset.L2Ball{D: b.d, R: 2}.Argmin(dst, g)
}

// Two iterative factors have the warm starts and the slack that each has by itself.
func TestProduct(t *testing.T) {
	one, other := fwset.TraceNorm{H: 66, M: 67, Tau: 1}, fwset.TraceNorm{H: 70, M: 65, Tau: 3}
	p := fwset.Product{one, fwset.Simplex{D: 5, R: 1}, other}
	rng := rand.New(rand.NewPCG(8, 8))
	warm := &fwset.Warm{RNG: *rand.NewPCG(1, 2)}
	alone := [2]fwset.Warm{}
	for round := range 4 {
		g := fwset.Normal(rng, p.Dim())
		var v, a, b fwset.Vertex
		rngBefore := warm.RNG
		slack := p.ArgminVertex(&v, g, 1e-3, warm)
		// the same by hand, with one generator and a warm vector for each
		alone[0].RNG = rngBefore
		s1 := one.ArgminVertex(&a, g[:66*67], 1e-3/3, &alone[0])
		alone[1].RNG = alone[0].RNG
		s2 := other.ArgminVertex(&b, g[66*67+5:], 1e-3/3, &alone[1])
		x, y := make([]float64, p.Dim()), make([]float64, p.Dim())
		v.Dense(x)
		a.Dense(y[:66*67])
		b.Dense(y[66*67+5:])
		y[66*67+slices.Index(g[66*67:66*67+5], floats.Min(g[66*67:66*67+5]))] = 1
		if slack != s1+s2 || !(slack > 0) || !slices.Equal(x, y) || warm.RNG != alone[1].RNG {
			t.Fatalf("round %d: slack %g, want %g + %g; %g off", round, slack, s1, s2, floats.Distance(x, y,
				2))
		}
		if len(warm.V) != 3+66+65 {
			t.Fatalf("round %d: %d numbers are kept", round, len(warm.V))
		}
	}
	// a warm start of another problem does no harm
	for _, v := range [][]float64{{1e9}, {-1}, {math.NaN(), 1}, {3, 1}, {0, 0, 0, 0, 0, 0}} {
		var w fwset.Vertex
		p.ArgminVertex(&w, fwset.Normal(rng, p.Dim()), 1e-3, &fwset.Warm{V: v})
	}
}

// The widths are the distances of a face from the hull of the other vertices, least over all faces,
// which Peña and Rodríguez show the pyramidal width to be. These were found by going through all
// faces, each distance a minimum over two simplices: nothing of it is the package's.
func TestWidths(t *testing.T) {
	box := func(sides ...float64) fwset.Box { return fwset.Box{Lo: make([]float64, len(sides)), Hi: sides} }
	for _, c := range []struct {
		set  fwset.Polytope
		want float64
	}{
		{fwset.Simplex{D: 1, R: 1}, 0}, {fwset.Simplex{D: 2, R: 3}, 4.24264069},
		{fwset.Simplex{D: 3, R: 1}, 1.22474487}, {fwset.Simplex{D: 4, R: 3}, 3},
		{fwset.Simplex{D: 5, R: 1}, 0.912870929}, {fwset.Simplex{D: 6, R: 1}, 0.816496581},
		{fwset.L1Ball{D: 1, R: 3}, 6}, {fwset.L1Ball{D: 2, R: 1}, 1},
		{fwset.L1Ball{D: 3, R: 1}, 0.707106781}, {fwset.L1Ball{D: 4, R: 3}, 1.73205081},
		{box(0), 0}, {box(1), 1}, {box(1, 3, 0), 0.948683298}, {box(1, 1, 1), 0.577350269},
		{box(0.5, 2, 1), 0.43643578},
	} {
		if w := c.set.Width(); math.Abs(w-c.want) > 1e-8 {
			t.Errorf("%+v: width %.9g, want %.9g", c.set, w, c.want)
		}
	}
}
