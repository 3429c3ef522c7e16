package fwsum_test

import (
	"context"
	"fmt"
	"math"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"gonum.org/v1/gonum/floats"
)

// squaredHinge is a loss of one's own, ℓ_i(s) = ½max(0, 1 − y_i s)² with y_i = ±1.
type squaredHinge struct{ y []float64 }

func (l squaredHinge) miss(i int, s []float64) float64 { return max(0, 1-l.y[i]*s[0]) }

func (l squaredHinge) Value(i int, s []float64) float64   { return l.miss(i, s) * l.miss(i, s) / 2 }
func (l squaredHinge) Grad(i int, s []float64, c float64) { s[0] = -c * l.y[i] * l.miss(i, s) }
func (l squaredHinge) Smoothness() float64                { return 1 }

// ripple is 1 − cos(s − y_i), which is not convex and declares it.
type ripple struct{ y []float64 }

func (l ripple) Value(i int, s []float64) float64       { return 1 - math.Cos(s[0]-l.y[i]) }
func (l ripple) Grad(i int, s []float64, c float64)     { s[0] = c * math.Sin(s[0]-l.y[i]) }
func (l ripple) Curve(i int, s, d []float64, c float64) { d[0] *= c * math.Cos(s[0]-l.y[i]) }
func (ripple) Smoothness() float64                      { return 1 }
func (ripple) Lipschitz() float64                       { return 1 }
func (ripple) NonConvex() bool                          { return true }

// named is squaredHinge with an identity.
type named struct{ squaredHinge }

func (l named) Identify(id *fwopt.Identity) { id.Of(l).Float(l.y...) }

// ownLogistic is the multiclass logistic loss as a reader would write it.
type ownLogistic struct{ y []int }

func (l ownLogistic) Value(i int, s []float64) float64 { return floats.LogSumExp(s) - s[l.y[i]] }
func (l ownLogistic) Grad(i int, s []float64, c float64) {
	z := floats.LogSumExp(s)
	s[l.y[i]] = math.Inf(-1)
	for k, x := range s {
		s[k] = c * math.Exp(x-z)
	}
	s[l.y[i]] = -floats.Sum(s)
}
func (l ownLogistic) Smoothness() float64   { return 0.5 }
func (l ownLogistic) Lipschitz() float64    { return math.Sqrt2 }
func (l ownLogistic) Class(s []float64) int { return floats.MaxIdx(s) }

// ownCurved says its second derivatives, too.
type ownCurved struct{ ownLogistic }

func (l ownCurved) Curve(i int, s, d []float64, c float64) {
	z := floats.LogSumExp(s)
	for k, x := range s {
		s[k] = math.Exp(x - z)
	}
	mean := floats.Dot(s, d)
	for k := range d {
		d[k] = c * s[k] * (d[k] - mean)
	}
}

// threeScores is ½‖s − i‖², the same number i in each of three scores.
type threeScores struct{}

func (threeScores) Value(i int, s []float64) (sum float64) {
	for _, x := range s {
		sum += (x - float64(i)) * (x - float64(i)) / 2
	}
	return sum
}
func (threeScores) Grad(i int, s []float64, c float64) {
	for l := range s {
		s[l] = c * (s[l] - float64(i))
	}
}
func (threeScores) Smoothness() float64 { return 1 }

// A loss of one's own, and STORC on it.
func ExampleRowSum() {
	x := &fwsum.Sparse{N: 4, M: 2, // four examples of two features
		Ptr: []int{0, 1, 3, 4, 6},
		Col: []int32{0, 0, 1, 1, 0, 1},
		Val: []float64{1, 0.8, 0.6, 1, 0.6, 0.8},
	}
	f := fwsum.NewRowSum(x, 1, squaredHinge{[]float64{1, 1, -1, -1}})
	omega := fwset.L2Ball{D: 2, R: 1}
	m := fwmore.STORCBeyond(fwopt.Constants{L: f.Smoothness(), D: omega.Diameter()})
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m,
		fwopt.Budget{Tolerance: 1e-3, Steps: 1000})
	fmt.Printf("%v: f = %.3f at %.2f, L = %.0f\n", tr.Status, tr.Last().F, tr.W, f.Smoothness())
	// Output:
	// converged: f = 0.206 at [0.71 -0.71], L = 1
}
