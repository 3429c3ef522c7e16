package fwsum_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/fwtest"
	"gonum.org/v1/gonum/floats"
)

func ExampleQuadratic() {
	// f(w) = ¼‖w − (2, 0)‖² + ¼‖w − (0, 1)‖² over the box [0, ½]².
	f := fwsum.NewQuadratic(2, nil, []float64{2, 0, 0, 1})
	fmt.Println("free minimiser", f.Center, "with f =", f.Min)
	w := []float64{min(0.5, f.Center[0]), min(0.5, f.Center[1])}
	fmt.Println("in the box    ", w, "with f =", f.Value(w))
	// Output:
	// free minimiser [1 0.5] with f = 0.625
	// in the box     [0.5 0.5] with f = 0.75
}

// The minimiser, the constants and each method by the definition, with curvatures of very
// different sizes, some of them zero.
func TestQuadratic(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	spread := func(n int) []float64 {
		h := normals(rng, n)
		for i := range h {
			if h[i] = math.Exp(2 * h[i]); rng.IntN(3) == 0 {
				h[i] = 0
			}
		}
		return h
	}
	for _, c := range []struct {
		d    int
		h, c []float64
	}{
		{1, []float64{0.3}, normals(rng, 1)}, {5, spread(150), normals(rng, 150)},
		{4, nil, normals(rng, 60)}, {2, []float64{5, 1}, []float64{1, 0}},
	} {
		f, ones := fwsum.NewQuadratic(c.d, c.h, c.c), c.h
		fwtest.TestFiniteSum(t, f)
		if c.h == nil {
			ones = slices.Repeat([]float64{1}, len(c.c))
		}
		defined{f, func(g, w []float64, i int, by float64) (value float64) {
			for j := range w {
				h, u := ones[i*c.d+j], w[j]-c.c[i*c.d+j]
				g[j] += by * h * u
				value += h * u * u / 2
			}
			return value
		}, slices.Max(ones), 0}.defines(t, fmt.Sprint("quadratic ", c.d), normals(rng, c.d),
			normals(rng, c.d), rng)

		g := make([]float64, f.Dim())
		f.Grad(g, f.Center, fwopt.Batch{})
		if floats.Norm(g, 2) != 0 || f.Value(f.Center) != f.Min || f.Excess(f.Center) != 0 {
			t.Errorf("at Center ∇f = %g, f = %g, Min = %g", g, f.Value(f.Center), f.Min)
		}
		// the clipped Center is best in a box
		clipped := slices.Clone(f.Center)
		for j, x := range clipped {
			clipped[j] = max(0, min(0.1, x))
		}
		for range 100 {
			w := make([]float64, f.Dim())
			for j := range w {
				w[j] = 0.1 * rng.Float64()
			}
			if f.Value(w) < f.Value(clipped) {
				t.Errorf("f = %g at %g in the box, below %g at the clipped centre", f.Value(w), w,
					f.Value(clipped))
			}
		}
		// G on a ball
		const radius = 3.0
		for i := range f.Len() {
			for k := range 2 * f.Dim() { // the ends of the axes
				w := make([]float64, f.Dim())
				w[k/2] = radius * float64(1-k%2*2)
				f.Grad(g, w, fwopt.Batch{Index: []int{i}, Weight: []float64{1}})
				if got := floats.Norm(g, 2); got > f.Lipschitz(radius)*(1+1e-12) {
					t.Errorf("‖∇f_%d‖ = %g, G = %g", i, got, f.Lipschitz(radius))
				}
			}
		}
	}
}

// Four points in the plane, all of whose numbers are kept.
func ExampleDense() {
	x := &fwsum.Dense{N: 4, M: 2, Val: []float64{0, 0, 0, 1, 1, 0, 1, 1}}
	f := fwsum.NewLeastSquares(x, []float64{0, 1, 2, 3})
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, fwset.L2Ball{D: 2, R: 3}, 1),
		&fwopt.FW{Rule: fwopt.LineSearch{}}, fwopt.Budget{Tolerance: 1e-6})
	fmt.Printf("w = (%.3f, %.3f), f = %.6f\n", tr.W[0], tr.W[1], tr.Last().F)
	// Output: w = (2.000, 1.000), f = 0.000000
}

func ExampleEntryLoss() {
	// Of three numbers the first two are known to be 1 and 3; the third is to be predicted.
	f := fwsum.NewEntryLoss(3, []float64{1, 3})
	g := make([]float64, 3)
	f.Grad(g, []float64{2, 3, 9}, fwopt.Batch{})
	fmt.Println(f.Value([]float64{2, 3, 9}), g)
	// Output: 0.25 [0.5 0 0]
}

// An outlier pulls the line of least squares away, and Huber's hardly.
func ExampleNewHuber() {
	b := []float64{0, 1, 2, 3, 4, 50}
	x := &fwsum.Dense{N: 6, M: 2, Val: []float64{1, 0, 1, 1, 1, 2, 1, 3, 1, 4, 1, 5}}
	omega := fwset.Box{Lo: []float64{-20, -20}, Hi: []float64{20, 20}}
	for _, f := range []fwopt.FiniteSum{fwsum.NewLeastSquares(x, b), fwsum.NewHuber(x, b, 0.1)} {
		tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1),
			&fwmore.AwayFW{Rule: fwopt.LineSearch{}}, fwopt.Budget{Tolerance: 1e-6, Steps: 10000})
		fmt.Printf("%v: %.2f + %.2f·x\n", tr.Status, tr.W[0], tr.W[1])
	}
	// Output:
	// converged: -8.57 + 7.43·x
	// converged: -0.04 + 1.03·x
}
