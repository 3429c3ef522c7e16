package fwset_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
)

func TestGroupBall(t *testing.T) {
	conform(t, fwset.GroupBall{Size: []int{1}, R: 2}, fwset.GroupBall{Size: []int{3, 1, 5, 2}, R: 1}, fwset.GroupBall{Size: slices.Repeat([]int{4}, 10), R: 1e6})
	x := make([]float64, 3)
	panics(t, map[string]func(){
		"group 2 has 0 numbers": func() { fwset.GroupBall{Size: []int{3, 0}, R: 1}.Dim() },
		"of dimension 0":        func() { fwset.GroupBall{R: 1}.Dim() },
		"R = -1":                func() { fwset.GroupBall{Size: []int{3}, R: -1}.Argmin(x, x) },
		"a vector of length 3":  func() { fwset.GroupBall{Size: []int{2}, R: 1}.Gauge(x) },
	})
}

// By bisection on θ; with groups of one number it is the l1 ball.
func TestGroupBallProjectByBisection(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 6))
	for range 2000 {
		b := fwset.GroupBall{R: math.Exp(rng.NormFloat64())}
		for range 1 + rng.IntN(6) {
			b.Size = append(b.Size, 1+rng.IntN(4))
		}
		x := randomPoint(rng, b.Dim())
		got, want := make([]float64, len(x)), make([]float64, len(x))
		at := func(theta float64) (over float64) {
			k := 0
			for _, n := range b.Size {
				norm := 0.0
				for _, v := range x[k : k+n] {
					norm += v * v
				}
				norm = math.Sqrt(norm)
				over += math.Max(0, norm-theta)
				for range n {
					if want[k] = 0; norm > theta {
						want[k] = x[k] * (1 - theta/norm)
					}
					k++
				}
			}
			return over - b.R
		}
		if at(0) > 0 {
			at(root(0, floats.Norm(x, 2), at))
		}
		b.Project(got, x)
		if e := floats.Distance(got, want, 2); !(e <= 1e-11*(b.R+floats.Norm(x, 2))) {
			t.Fatalf("%+v, %v: %v, want %v", b, x, got, want)
		}
		b.Size = slices.Repeat([]int{1}, len(x))
		b.Project(got, x)
		fwset.L1Ball{D: len(x), R: b.R}.Project(want, x)
		if e := floats.Distance(got, want, 2); !(e <= 1e-11*(b.R+floats.Norm(x, 2))) {
			t.Fatalf("%+v, %v: %v, the l1 ball has %v", b, x, got, want)
		}
	}
}

func ExampleGroupBall() {
	b := fwset.GroupBall{Size: []int{2, 2}, R: 5}
	v := make([]float64, 4)
	b.Argmin(v, []float64{1, 1, 3, -4})
	fmt.Println(v)
	// Output: [0 0 -3 4]
}
