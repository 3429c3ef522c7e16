package fwset_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
)

// The projection of a point outside is the nearest of the projections onto the
// planes of all faces, one for each vector of signs, that lie in the ball.
func TestL1ProjectByFaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	outside := 0
	for range 300 {
		b := fwset.L1Ball{D: 1 + rng.IntN(6), R: math.Exp(2 * rng.NormFloat64())}
		c := closest{x: randomPoint(rng, b.D)}
		if floats.Norm(c.x, 1) <= b.R {
			c.offer(c.x)
		} else {
			outside++
		}
		faces := 1
		for range b.D {
			faces *= 3
		}
		v, sign := make([]float64, b.D), make([]float64, b.D)
		for face := range faces {
			sum, n := 0.0, 0.0
			for j, f := 0, face; j < b.D; j, f = j+1, f/3 {
				sign[j] = float64(f%3 - 1)
				sum += sign[j] * c.x[j]
				n += math.Abs(sign[j])
			}
			inside := n > 0
			for j, s := range sign {
				v[j] = 0
				if s != 0 {
					v[j] = c.x[j] - s*(sum-b.R)/n
					inside = inside && v[j]*s >= -1e-15
				}
			}
			if inside {
				c.offer(v)
			}
		}
		checkNearest(t, b, &c)
	}
	if outside < 100 {
		t.Errorf("only %d of the points were outside", outside)
	}
}

func TestL1ProjectFar(t *testing.T) {
	b := fwset.L1Ball{D: 3, R: 1}
	for _, c := range []float64{1e-300, 1, 1e12, 1e300} {
		b.R = c
		got := make([]float64, 3)
		b.Project(got, []float64{-3 * c, 2.5 * c, 1 * c})
		floats.Scale(1/c, got)
		if !floats.EqualApprox(got, []float64{-0.75, 0.25, 0}, 1e-14) {
			t.Errorf("scale %g: %v", c, got)
		}
	}
	b.R = 1
	got := make([]float64, 3)
	b.Project(got, []float64{1e308, -1e308, 1.7e308}) // the l1 norm is infinite
	if !floats.EqualApprox(got, []float64{0, 0, 1}, 1e-14) {
		t.Errorf("far outside: %v", got)
	}
}

func TestL1Argmin(t *testing.T) {
	b := fwset.L1Ball{D: 3, R: 2}
	for _, tc := range []struct{ g, want []float64 }{
		{[]float64{1, -3, 2}, []float64{0, 2, 0}},
		{[]float64{1, -3, 3}, []float64{0, 2, 0}}, // the first of two
		{[]float64{0, 0, 1e-320}, []float64{0, 0, -2}},
		{[]float64{0, 0, 0}, []float64{0, 0, 0}},
	} {
		got := []float64{9, 9, 9}
		if b.Argmin(got, tc.g); !floats.Equal(got, tc.want) {
			t.Errorf("Argmin(%v) = %v, want %v", tc.g, got, tc.want)
		}
	}
}

func ExampleL1Ball() {
	b := fwset.L1Ball{D: 3, R: 10}
	v, p := make([]float64, 3), make([]float64, 3)
	b.Argmin(v, []float64{2, -7, 0})
	b.Project(p, []float64{10, -6, 1})
	fmt.Println(v, p, b.Diameter())
	// Output: [0 10 0] [7 -3 0] 20
}
