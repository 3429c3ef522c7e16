package fwset_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
)

// The projection is x/(1+λ), with the λ ≥ 0 for which it is on the sphere:
// bisection.
func TestL2ProjectByBisection(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 100 {
		b := fwset.L2Ball{D: 1 + rng.IntN(30), R: math.Exp(2 * rng.NormFloat64())}
		c := closest{x: randomPoint(rng, b.D)}
		v := make([]float64, b.D)
		lo, hi := 0.0, floats.Norm(c.x, 2)/b.R
		for range 100 {
			lambda := (lo + hi) / 2
			if floats.Norm(floats.ScaleTo(v, 1/(1+lambda), c.x), 2) > b.R {
				lo = lambda
			} else {
				hi = lambda
			}
		}
		c.offer(floats.ScaleTo(v, 1/(1+hi), c.x))
		checkNearest(t, b, &c)
	}
}

func TestL2Extremes(t *testing.T) {
	for _, c := range []float64{1e-320, 1e-300, 1e-160, 1, 1e160, 1e300} {
		b := fwset.L2Ball{D: 2, R: 5}
		got := make([]float64, 2)
		b.Argmin(got, []float64{3 * c, -4 * c})
		if e := math.Hypot(got[0]+3, got[1]-4); e > 1e-3 || (c > 1e-310 && e > 1e-14) {
			t.Errorf("scale %g: %v, want [-3 4]", c, got)
		}
		b.Project(got, []float64{30 * c, -40 * c})
		if want := min(1, 10*c); c > 1e-310 && math.Hypot(got[0]-3*want, got[1]+4*want) > 1e-14 {
			t.Errorf("scale %g: projection %v, want %g·[3 -4]", c, got, want)
		}
		if g, want := b.Gauge([]float64{3 * c, 4 * c}), c; c > 1e-310 && math.Abs(g-want) > 1e-14*want {
			t.Errorf("scale %g: gauge %g", c, g)
		}
	}
}

func ExampleL2Ball() {
	b := fwset.L2Ball{D: 2, R: 5}
	v, p := make([]float64, 2), make([]float64, 2)
	b.Argmin(v, []float64{3, -4})
	b.Project(p, []float64{6, 8})
	fmt.Println(v, p)
	// Output: [-3 4] [3 4]
}
