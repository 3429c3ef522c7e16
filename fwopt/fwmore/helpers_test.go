package fwmore_test

import (
	"math"

	"github.com/projection-free/fwlab/fwopt/fwsum"
)

func dot(a, b []float64) (s float64) {
	for j := range a {
		s += a[j] * b[j]
	}
	return s
}
func norm(a []float64) float64 { return math.Sqrt(dot(a, a)) }
func comb(a float64, x []float64, b float64, y []float64) []float64 {
	z := make([]float64, len(x))
	for j := range z {
		z[j] = a*x[j] + b*y[j]
	}
	return z
}
func sub(x, y []float64) []float64 { return comb(1, x, -1, y) }

// rows is a small instance: four rows of two numbers.
func rows() *fwsum.LeastSquares {
	x := &fwsum.Sparse{
		N: 4, M: 2,
		Ptr: []int{0, 1, 2, 4, 6},
		Col: []int32{0, 1, 0, 1, 0, 1},
		Val: []float64{1, 1, 1, 1, 1, -1},
	}
	return fwsum.NewLeastSquares(x, []float64{1, 0.5, 1, 0.5})
}
