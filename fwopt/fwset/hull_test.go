package fwset_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwset"
)

func TestHull(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	var b fwset.Hull
	for range 20 {
		b.Points = append(b.Points, normal(rng, 5))
	}
	conform(t, b, fwset.Hull{Points: b.Points[:1]}, fwset.Hull{Points: [][]float64{{0, 0, 1}, {0, 2, 0}, {0, 0, 0}}})
	x := make([]float64, 2)
	panics(t, map[string]func(){
		"a Hull of no points":                    func() { fwset.Hull{}.Dim() },
		"or of points of length 0":               func() { fwset.Hull{Points: [][]float64{{}}}.Dim() },
		"points of length 2 and, point 1, 3":     func() { fwset.Hull{Points: [][]float64{{1, 2}, {1, 2, 3}}}.Argmin(x, x) },
		"a Hull with NaN in coordinate 1 of poi": func() { fwset.Hull{Points: [][]float64{{1, math.NaN()}}}.Dim() },
		"a vector of length 2":                   func() { b.Argmin(x, x) },
	})
}

func ExampleHull() {
	b := fwset.Hull{Points: [][]float64{{0, 0}, {4, 0}, {0, 3}}}
	v := make([]float64, 2)
	b.Argmin(v, []float64{-1, -2})
	fmt.Println(v, b.Diameter())
	// Output: [0 3] 5
}
