package fwsum_test

import (
	"context"
	"fmt"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
)

// line returns n rows with a column of ones and a column of x = 0, 1, …, n−1.
func line(n int) *fwsum.Sparse {
	x := &fwsum.Sparse{N: n, M: 2, Ptr: []int{0}}
	for i := range n {
		x.Col, x.Val = append(x.Col, 0, 1), append(x.Val, 1, float64(i))
		x.Ptr = append(x.Ptr, len(x.Val))
	}
	return x
}

// How often something happens at x = 0, 1, 2, 3, fitted within a box.
func ExampleNewBinaryLogistic() {
	f := fwsum.NewBinaryLogistic(line(4), []float64{0.1, 0.2, 0.5, 1})
	omega := fwset.Box{Lo: []float64{-5, -5}, Hi: []float64{5, 5}}
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), &fwmore.AwayFW{Rule: fwopt.LineSearch{}}, fwopt.Budget{Tolerance: 1e-6, Steps: 1000})
	fmt.Printf("%v: f = %.4f at %.3f; L = %.1f, G = %.2f\n", tr.Status, tr.Last().F, tr.W, f.Smoothness(), f.Lipschitz())
	// Output:
	// converged: f = 0.4186 at [-3.056 1.787]; L = 2.5, G = 3.16
}

// An outlier pulls the line of least squares away, and Huber's hardly.
func ExampleNewHuber() {
	x, b := line(6), []float64{0, 1, 2, 3, 4, 50}
	omega := fwset.Box{Lo: []float64{-20, -20}, Hi: []float64{20, 20}}
	for _, f := range []fwopt.FiniteSum{fwsum.NewLeastSquares(x, b), fwsum.NewHuber(x, b, 0.1)} {
		tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), &fwmore.AwayFW{Rule: fwopt.LineSearch{}}, fwopt.Budget{Tolerance: 1e-6, Steps: 10000})
		fmt.Printf("%v: %.2f + %.2f·x\n", tr.Status, tr.W[0], tr.W[1])
	}
	// Output:
	// converged: -8.57 + 7.43·x
	// converged: -0.04 + 1.03·x
}

// A support vector machine with the corner of its hinge rounded off.
func ExampleNewSmoothHinge() {
	f := fwsum.NewSmoothHinge(line(4), []int{0, 0, 1, 1}, 0.5)
	omega := fwset.Box{Lo: []float64{-2, -2}, Hi: []float64{2, 2}}
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), &fwmore.AwayFW{Rule: fwopt.LineSearch{}}, fwopt.Budget{Tolerance: 1e-6, Steps: 1000})
	fmt.Printf("%v: f = %.3f, the border is at x = %.2f\n", tr.Status, tr.Last().F, -tr.W[0]/tr.W[1])
	// Output:
	// converged: f = 0.050, the border is at x = 1.43
}
