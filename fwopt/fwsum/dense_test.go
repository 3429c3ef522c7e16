package fwsum_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
)

// A sum over a Dense has the values and gradients of one over the same matrix as a Sparse,
// up to rounding.
func TestDenseIsSparse(t *testing.T) {
	for _, c := range []struct{ n, m, h, k int }{
		{1, 1, 2, 1}, {3, 5, 2, 2}, {40, 7, 3, 4}, {700, 33, 11, 20}, {300, 1201, 5, 600}, {40, 9, 1, 5}, {900, 64, 1, 64}, {2000, 30, 1, 8}, {5000, 12, 20, 8},
	} {
		rng := rand.New(rand.NewPCG(uint64(c.n), uint64(c.h)))
		x := sparseRows(rng, c.n, c.m, c.k)
		d := x.Dense()
		var sums [2]*fwsum.RowSum
		if c.h > 1 {
			y := make([]int, c.n)
			for i := range y {
				y[i] = rng.IntN(c.h)
			}
			f, g := fwsum.NewLogistic(x, y, c.h), fwsum.NewLogistic(d, y, c.h)
			sums = [2]*fwsum.RowSum{f.RowSum, g.RowSum}
			if w := normals(rng, f.Dim()); !slices.Equal(f.Predict(w, x), g.Predict(w, d)) || f.ErrorRate(w, d, y) != f.ErrorRate(w, x, y) {
				t.Errorf("%+v: the predictions differ", c)
			}
		} else {
			b := normals(rng, c.n)
			sums = [2]*fwsum.RowSum{fwsum.NewLeastSquares(x, b).RowSum, fwsum.NewLeastSquares(d, b).RowSum}
		}
		w, w0 := normals(rng, sums[0].Dim()), normals(rng, sums[0].Dim())
		for _, batch := range []fwopt.Batch{{}, drawn(rng, c.n, 1), drawn(rng, c.n, 1+c.n/5), drawn(rng, c.n, 2*c.n)} {
			var out [2][]float64
			for i, f := range sums {
				g, diff := make([]float64, f.Dim()), slices.Clone(w)
				f.Grad(g, w, batch)
				f.AddGradDiff(diff, w, w0, batch)
				out[i] = slices.Concat(g, diff, []float64{f.Value(w), f.LineSearch(w, w0), f.Smoothness()})
			}
			if far := floats.Distance(out[0], out[1], math.Inf(1)); far > 1e-12*floats.Norm(out[0], math.Inf(1)) {
				t.Errorf("%+v, a batch of %d: %g off", c, len(batch.Index), far)
			}
		}
	}
}

// The scores of a w of few numbers come from its columns alone: the gradient is that of the
// same data as a Dense, and of two processors to the bits of one.
func TestSparseIterate(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	const n, m = 3000, 400
	x, b := sparseRows(rng, n, m, 12), normals(rng, n)
	f, g := fwsum.NewLeastSquares(x, b), fwsum.NewLeastSquares(x.Dense(), b)
	for _, many := range []int{0, 1, 5, 60, 300} {
		w, w0 := make([]float64, m), normals(rng, m)
		for range many {
			w[rng.IntN(m)] = rng.NormFloat64()
		}
		for _, batch := range []fwopt.Batch{{}, drawn(rng, n, 2*n)} {
			got, want, two := make([]float64, m), make([]float64, m), make([]float64, m)
			f.AddGradDiff(got, w, w0, batch)
			g.AddGradDiff(want, w, w0, batch)
			if far := floats.Distance(got, want, math.Inf(1)); far > 1e-13*floats.Norm(want, math.Inf(1)) {
				t.Errorf("%d numbers: a difference off by %g", many, far)
			}
			f.Grad(got, w, batch)
			g.Grad(want, w, batch)
			if far := floats.Distance(got, want, math.Inf(1)); far > 1e-13*floats.Norm(want, math.Inf(1)) {
				t.Errorf("%d numbers: off by %g", many, far)
			}
			before := runtime.GOMAXPROCS(1)
			f.Grad(two, w, batch)
			runtime.GOMAXPROCS(before)
			if !slices.Equal(got, two) {
				t.Errorf("%d numbers: other bits on one processor", many)
			}
		}
	}
}

// The same run, to the same iterates.
func TestDenseRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	x := sparseRows(rng, 200, 30, 12)
	y := make([]int, 200)
	for i := range y {
		y[i] = rng.IntN(5)
	}
	var traces [2]*fwopt.Trace
	for i, data := range []fwsum.Features{x, x.Dense()} {
		o := fwopt.NewOracle(fwsum.NewLogistic(data, y, 5), fwset.TraceNorm{H: 5, M: 30, Tau: 3}, 1)
		traces[i] = fwopt.Run(context.Background(), o, fwopt.SVRFTheorem1(), fwopt.Budget{Steps: 40})
	}
	if far := floats.Distance(traces[0].W, traces[1].W, math.Inf(1)); far > 1e-9 {
		t.Errorf("the runs differ by %g", far)
	}
}

func TestDenseBadInput(t *testing.T) {
	for want, x := range map[string]fwsum.Features{
		"not a dense matrix: 2 x 3, 5 values":  &fwsum.Dense{N: 2, M: 3, Val: make([]float64, 5)},
		"not a dense matrix: 0 x 3, 0 values":  &fwsum.Dense{M: 3},
		"not a dense matrix: 2 x -1, 0 values": &fwsum.Dense{N: 2, M: -1},
		"row 1 of the data has the value NaN":  &fwsum.Dense{N: 2, M: 2, Val: []float64{1, 2, 3, math.NaN()}},
		"row 0 of the data has the value +Inf": &fwsum.Dense{N: 1, M: 1, Val: []float64{math.Inf(1)}},
		"the data is nil":                      (*fwsum.Dense)(nil),
	} {
		if got := small.Panics(func() { fwsum.NewLeastSquares(x, []float64{1, 2}) }); !strings.HasPrefix(got, "fwsum: "+want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := small.Panics(func() { fwsum.NewLogistic(nil, nil, 2) }); !strings.Contains(got, "the data is nil") {
		t.Error(got)
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

// What w and w0 share cancels to the bit, also where the scores of a sparse w are made
// from its columns.
func TestAddGradDiffOfOnePoint(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	a := &fwsum.Sparse{N: 3, M: 40, Ptr: []int{0}}
	for range a.N {
		for j := range a.M {
			a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, rng.NormFloat64())
		}
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	w, g := make([]float64, a.M), make([]float64, a.M)
	for j := range 9 {
		w[j] = rng.NormFloat64()
	}
	fwsum.NewLeastSquares(a, make([]float64, a.N)).AddGradDiff(g, w, w, fwopt.Batch{})
	for j, x := range g {
		if x != 0 {
			t.Fatalf("number %d is %g", j, x)
		}
	}
}
