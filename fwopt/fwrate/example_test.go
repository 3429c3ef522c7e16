package fwrate_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
)

// spread is f_i(w) = ½ Σ_j H_ij (w_j − 1/d)², H_ij ∈ {0, 1} with mean ½, on the
// probability simplex. Its minimiser is the centre and f* = 0. A point made of
// K vertices has f ≥ (1/K − 1/d)/4: some 1/ε linear optimisations are needed.
func spread(d, n int) *fwsum.Quadratic {
	r := rand.New(rand.NewPCG(1, 1))
	h, c := make([]float64, n*d), make([]float64, n*d)
	for j := range n * d {
		h[j], c[j] = float64(r.IntN(2)), 1/float64(d)
		if i := j - n*d/2; i >= 0 { // in pairs, so that the mean is exact
			h[j] = 1 - h[i]
		}
	}
	return fwsum.NewQuadratic(d, h, c)
}

// Theorem 1 says that SVRF needs O(1/ε) linear optimisations. Measured it is:
func ExampleLaw_Measure() {
	f, omega := spread(4096, 2), fwset.Simplex{D: 4096, R: 1}
	w0 := make([]float64, 4096) // a vertex: line 3 of the algorithm would happen on w*
	w0[0] = 1
	runs := fwrate.Seeds(4, func(seed uint64) []fwopt.Point {
		m := fwopt.SVRFTheorem1()
		return fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, seed).From(w0), m,
			fwopt.Budget{Record: fwopt.EpochEnds(m.N, 7), Excess: f.Excess}).Complete()
	})
	law := fwrate.Law{
		Count: fwrate.Linear,
		Power: 1,
		Bound: func(p fwopt.Point) float64 { return fwopt.Constants{L: 1, D: math.Sqrt2}.BoundEpoch(p.T) },
	}
	r, err := law.Measure(runs)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("below the bound:", r.Ratio < 1)
	fmt.Println(r)
	// Output:
	// below the bound: true
	// linear optimisations: 1.027 (no spread) for t = 2–7, 0.951 (no spread) for t = 4–7
}

// The constant c of SGD's rate c/√k, on a quadratic over a simplex. In a notebook run
// is fwnb.Run, and fwplot.Tuning draws what was tried.
func ExampleTune() {
	f, omega, w0 := spread(16, 2), fwset.Simplex{D: 16, R: 1}, make([]float64, 16)
	w0[0] = 1
	run := func(c float64, seed uint64, b fwopt.Budget) *fwopt.Trace {
		return fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, seed).From(w0),
			fwopt.SGDExperiments(c), b)
	}
	t, err := fwrate.Tune([]float64{0.01, 0.1, 1, 10, 100}, 3, fwopt.Budget{Steps: 64}, run)
	fmt.Println(t.Best, t.Spent, t.Doubts, err)
	for _, p := range t.Rounds[1] { // the second round, on the whole budget
		fmt.Printf("%g: %.2g\n", p.C, p.Median)
	}
	t, _ = fwrate.Tune([]float64{0.01, 0.1}, 3, fwopt.Budget{Steps: 64}, run) // too small: the grid grows
	fmt.Println(t.Best, len(t.Rounds[0]), t.Doubts)
	// Output:
	// 10 16.5 [] <nil>
	// 1: 2.7e-08
	// 10: 0
	// 100: 0.02
	// 10 6 []
}
