package fwset_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
)

// Against all corners, and for the projection all points of the grid that has
// in every coordinate the two bounds and x itself if it is between them.
func TestBoxByCorners(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 200 {
		d := 1 + rng.IntN(6)
		b := fwset.Box{Lo: randomPoint(rng, d), Hi: randomPoint(rng, d)}
		for j := range d {
			b.Lo[j], b.Hi[j] = min(b.Lo[j], b.Hi[j]), max(b.Lo[j], b.Hi[j])
		}
		g := randomPoint(rng, d)
		c := closest{x: randomPoint(rng, d)}
		best, v := math.Inf(1), make([]float64, d)
		grid := 1
		for range d {
			grid *= 3
		}
		for k := range grid {
			for j, f := 0, k; j < d; j, f = j+1, f/3 {
				v[j] = []float64{b.Lo[j], b.Hi[j], c.x[j]}[f%3]
			}
			if b.Gauge(v) <= 1 {
				c.offer(v)
				best = min(best, floats.Dot(g, v))
			}
		}
		checkNearest(t, b, &c)
		b.Argmin(v, g)
		if x := floats.Dot(g, v); math.Abs(x-best) > 1e-12*(1+math.Abs(best)) {
			t.Errorf("⟨g, Argmin(g)⟩ = %g, the best corner has %g", x, best)
		}
	}
}

func TestBoxGauge(t *testing.T) {
	b := fwset.Box{Lo: []float64{-1, 2, 0}, Hi: []float64{3, 2, 0}}
	for _, tc := range []struct {
		x    []float64
		want float64
	}{
		{[]float64{1, 2, 0}, 0},
		{[]float64{3, 2, 0}, 1},
		{[]float64{0, 2, 0}, 0.5},
		{[]float64{-3, 2, 0}, 2},
		{[]float64{1, 3, 0}, 1.5},
		{[]float64{1, 2, 1e-9}, math.Inf(1)},
	} {
		if got := b.Gauge(tc.x); got != tc.want {
			t.Errorf("Gauge(%v) = %g, want %g", tc.x, got, tc.want)
		}
	}
	if d := (fwset.Box{Lo: []float64{-8e307, 0}, Hi: []float64{8e307, 1}}).Diameter(); d != 1.6e308 {
		t.Errorf("diameter %g of a huge box", d)
	}
}

func ExampleBox() {
	b := fwset.Box{Lo: []float64{0, 0}, Hi: []float64{1, 3}}
	v, p := make([]float64, 2), make([]float64, 2)
	b.Argmin(v, []float64{1, -1})
	b.Project(p, []float64{0.5, 4})
	fmt.Println(v, p)
	// Output: [0 3] [0.5 3]
}
