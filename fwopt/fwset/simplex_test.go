package fwset_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
)

func randomPoint(rng *rand.Rand, d int) []float64 {
	x := make([]float64, d)
	scale := math.Exp(2 * rng.NormFloat64())
	for j := range x {
		x[j] = scale * rng.NormFloat64()
		if rng.IntN(5) == 0 && j > 0 {
			x[j] = x[j-1] // a tie
		}
		if rng.IntN(8) == 0 {
			x[j] = 0
		}
	}
	return x
}

// closest keeps the point nearest to x of those that it is offered.
type closest struct {
	x, best []float64
	dist    float64
}

func (c *closest) offer(v []float64) {
	if d := floats.Distance(c.x, v, 2); c.best == nil || d < c.dist {
		c.best, c.dist = append([]float64(nil), v...), d
	}
}

func checkNearest(t *testing.T, d fwset.Projector, c *closest) {
	t.Helper()
	got := make([]float64, len(c.x))
	d.Project(got, c.x)
	if e := floats.Distance(got, c.best, 2); e > 1e-11*(1+floats.Norm(c.x, 2)) {
		t.Errorf("%+v: projection of %v is %v, want %v", d, c.x, got, c.best)
	}
}

// The projection is the nearest of the projections onto the planes of all faces
// that lie in the simplex.
func TestSimplexProjectByFaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		s := fwset.Simplex{D: 1 + rng.IntN(7), R: math.Exp(rng.NormFloat64())}
		c := closest{x: randomPoint(rng, s.D)}
		v := make([]float64, s.D)
		for face := 1; face < 1<<s.D; face++ {
			sum, n := 0.0, 0.0
			for j, x := range c.x {
				if face>>j&1 == 1 {
					sum, n = sum+x, n+1
				}
			}
			inside := true
			for j, x := range c.x {
				v[j] = 0
				if face>>j&1 == 1 {
					v[j] = x - (sum-s.R)/n
					inside = inside && v[j] >= -1e-15
				}
			}
			if inside {
				c.offer(v)
			}
		}
		checkNearest(t, s, &c)
	}
}

// In higher dimension, and far outside: bisection on the multiplier. Moving x by
// the same number in all coordinates does not move its projection.
func TestSimplexProjectByBisection(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, shift := range []float64{0, 1, -1e3, 1e12} {
		s := fwset.Simplex{D: 1000, R: 3}
		y := randomPoint(rng, s.D)
		c := closest{x: make([]float64, s.D)}
		for j := range y {
			c.x[j] = y[j] + shift
			y[j] = c.x[j] - shift // what is left of it
		}
		lo, hi := floats.Min(y)-s.R, floats.Max(y)
		v := make([]float64, s.D)
		for range 200 {
			theta := (lo + hi) / 2
			for j := range v {
				v[j] = max(0, y[j]-theta)
			}
			if floats.Sum(v) > s.R {
				lo = theta
			} else {
				hi = theta
			}
		}
		got := make([]float64, s.D)
		s.Project(got, c.x)
		if !floats.EqualApprox(got, v, 1e-12) {
			t.Errorf("shift %g: off by %g", shift, floats.Distance(got, v, 2))
		}
		if g := s.Gauge(got); g > 1+1e-12 {
			t.Errorf("shift %g: gauge %.17g of a projection", shift, g)
		}
	}
}

func TestSimplexArgmin(t *testing.T) {
	s := fwset.Simplex{D: 4, R: 3}
	for _, tc := range []struct{ g, want []float64 }{
		{[]float64{3, -1, 2, 0}, []float64{0, 3, 0, 0}},
		{[]float64{3, 1, 2, 1}, []float64{0, 3, 0, 0}}, // the first of two
		{[]float64{5, 5, 5, 5}, []float64{3, 0, 0, 0}},
		{[]float64{0, 0, 0, 0}, []float64{0.75, 0.75, 0.75, 0.75}},
		{[]float64{0, 0, 0, 1e-320}, []float64{3, 0, 0, 0}},
		{[]float64{1e308, -1e308, 0, 0}, []float64{0, 3, 0, 0}},
	} {
		got := []float64{9, 9, 9, 9}
		if s.Argmin(got, tc.g); !floats.Equal(got, tc.want) {
			t.Errorf("Argmin(%v) = %v, want %v", tc.g, got, tc.want)
		}
	}
}

func ExampleSimplex() {
	s := fwset.Simplex{D: 3, R: 1}
	v, p := make([]float64, 3), make([]float64, 3)
	s.Argmin(v, []float64{2, -1, 0})
	s.Project(p, []float64{1, 0.5, -2})
	fmt.Println(v, p, s.Gauge(p))
	// Output: [0 1 0] [0.75 0.25 0] 1
}
