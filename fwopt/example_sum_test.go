package fwopt_test

import (
	"context"
	"fmt"
	"math"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
)

// logCosh is f(w) = (1/n) Σ ln cosh(a_iᵀw − b_i), a regression that forgives outliers.
type logCosh struct {
	A [][]float64 // a_i
	B []float64   // b_i
}

func (f logCosh) Dim() int { return len(f.A[0]) }
func (f logCosh) Len() int { return len(f.A) }

// Value does not overflow: ln cosh r = |r| + ln(1 + e^(−2|r|)) − ln 2.
func (f logCosh) Value(w []float64) (sum float64) {
	for i, a := range f.A {
		r := math.Abs(floats.Dot(a, w) - f.B[i])
		sum += r + math.Log1p(math.Exp(-2*r)) - math.Ln2
	}
	return sum / float64(len(f.A))
}

// Grad is a weighted sum of the gradients tanh(a_iᵀw − b_i) a_i.
func (f logCosh) Grad(dst, w []float64, batch fwopt.Batch) {
	clear(dst)
	for i, weight := range batch.All(len(f.A)) {
		floats.AddScaled(dst, weight*math.Tanh(floats.Dot(f.A[i], w)-f.B[i]), f.A[i])
	}
}

// Identify lets fwkeep.Keep tell two of them apart.
func (f logCosh) Identify(id *fwopt.Identity) {
	id.Of(f).Float(f.B...)
	for _, a := range f.A {
		id.Float(a...)
	}
}

// A sum of one's own, with an outlier in its third row. fwtest.TestFiniteSum
// tests one.
func ExampleFiniteSum() {
	f := logCosh{[][]float64{{1, 0}, {0, 1}, {1, 1}, {1, -1}, {1, 1}}, []float64{1, 0, 50, 1, 1}}
	omega := fwset.L1Ball{D: 2, R: 2}
	o := fwopt.NewOracle(f, omega, 1)
	tr := fwopt.Run(context.Background(), o, fwopt.SVRFExperiments(), fwopt.Budget{Steps: 500})
	fmt.Printf("w = %.1f, f = %.2f, %d exact gradients\n", tr.W, tr.Last().F, tr.Last().Calls.Exact)
	// Output:
	// w = [1.4 0.4], f = 9.59, 11 exact gradients
}
