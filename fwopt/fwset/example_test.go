package fwset_test

import (
	"context"
	"fmt"
	"math"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
)

func ExampleSimplex() {
	s := fwset.Simplex{D: 3, R: 1}
	v, p := make([]float64, 3), make([]float64, 3)
	s.Argmin(v, []float64{2, -1, 0})
	s.Project(p, []float64{1, 0.5, -2})
	fmt.Println(v, p, s.Gauge(p))
	// Output: [0 1 0] [0.75 0.25 0] 1
}

func ExampleL1Ball() {
	b := fwset.L1Ball{D: 3, R: 10}
	v, p := make([]float64, 3), make([]float64, 3)
	b.Argmin(v, []float64{2, -7, 0})
	b.Project(p, []float64{10, -6, 1})
	fmt.Println(v, p, b.Diameter())
	// Output: [0 10 0] [7 -3 0] 20
}

func ExampleL2Ball() {
	b := fwset.L2Ball{D: 2, R: 5}
	v, p := make([]float64, 2), make([]float64, 2)
	b.Argmin(v, []float64{3, -4})
	b.Project(p, []float64{6, 8})
	fmt.Println(v, p)
	// Output: [-3 4] [3 4]
}

func ExampleBox() {
	b := fwset.Box{Lo: []float64{0, 0}, Hi: []float64{1, 3}}
	v, p := make([]float64, 2), make([]float64, 2)
	b.Argmin(v, []float64{1, -1})
	b.Project(p, []float64{0.5, 4})
	fmt.Println(v, p)
	// Output: [0 3] [0.5 3]
}

func ExampleTraceNorm() {
	// 2 classes, 3 features; the gradient has the singular values 4 and 3.
	b := fwset.TraceNorm{H: 2, M: 3, Tau: 10}
	g := []float64{
		0, 4, // feature 0, classes 0 and 1
		3, 0, // feature 1
		0, 0,
	}
	v := make([]float64, b.Dim())
	b.Argmin(v, g)
	fmt.Printf("%.3f, of norm %.3f\n", v[1], b.Gauge(v)*b.Tau) // of feature 0 and class 1
	// Output: -10.000, of norm 10.000
}

func ExampleKSparse() {
	b := fwset.KSparse{D: 4, K: 2, R: 1}
	v := make([]float64, 4)
	b.Argmin(v, []float64{3, -1, 0.5, 2})
	fmt.Println(v)
	b.Project(v, []float64{3, -1, 0.5, 0})
	fmt.Println(v)
	// Output:
	// [-1 0 0 -1]
	// [1 -0.75 0.25 0]
}

func ExampleGroupBall() {
	b := fwset.GroupBall{Size: []int{2, 2}, R: 5}
	v := make([]float64, 4)
	b.Argmin(v, []float64{1, 1, 3, -4})
	fmt.Println(v)
	// Output: [0 0 -3 4]
}

func ExampleHull() {
	b := fwset.Hull{Points: [][]float64{{0, 0}, {4, 0}, {0, 3}}}
	v := make([]float64, 2)
	b.Argmin(v, []float64{-1, -2})
	fmt.Println(v, b.Diameter())
	// Output: [0 3] 5
}

func ExampleSpectralNorm() {
	b := fwset.SpectralNorm{H: 2, M: 2, R: 1}
	p := make([]float64, 4)
	b.Project(p, []float64{3, 0, 0, -0.5})
	fmt.Println(p, b.Gauge(p))
	// Output: [1 0 0 -0.5] 1
}

// The balls of a network with 3 inputs, 2 hidden numbers and 2 scores, with biases in the first layer, and a start
// on their boundary.
func ExampleRMSToRMS() {
	omega := fwset.Product{fwset.RMSToRMS(2, 3, 1), fwset.RMS(2, 1), fwset.OneToMax(2, 2, 4)}
	w := fwset.RandomVertex(omega, 1)
	fmt.Printf("%.2f %.2f\n%.3f\n", w[6:8], w[8:], omega.Gauge(w))
	// Output:
	// [1.41 -0.07] [-2.00 2.00 2.00 -2.00]
	// 1.000
}

func ExampleSpectraplex() {
	b := fwset.Spectraplex{N: 2, R: 4}
	v := make([]float64, 4)
	b.Argmin(v, []float64{0, 1, 1, 0})
	fmt.Printf("%.3f\n", v)
	// Output: [2.000 -2.000 -2.000 2.000]
}

func ExampleRotations() {
	b := fwset.Rotations{N: 2}
	r := make([]float64, 4)
	b.Argmin(r, []float64{0, -1, 1, 0}) // the quarter turn that takes e_1 to e_2 and e_2 to −e_1
	for i := range r {
		r[i] += 0 // no −0
	}
	fmt.Println(r)
	// Output: [0 1 -1 0]
}

func ExampleBirkhoff() {
	b := fwset.Birkhoff{N: 2}
	v := make([]float64, 4)
	b.Argmin(v, []float64{4, 1, 3, 2}) // columns (4, 1) and (3, 2)
	fmt.Println(v)
	b.Project(v, []float64{1, 0.5, 0, 0})
	fmt.Println(v)
	// Output:
	// [0 1 1 0]
	// [0.625 0.375 0.375 0.625]
}

func ExampleNewCompletion() {
	// Two users like what a third one does not; what does the last one say of item 2?
	var known []fwset.Entry
	for k := range 8 {
		known = append(known, fwset.Entry{Row: k / 3, Col: k % 3})
	}
	asked := fwset.Entry{Row: 2, Col: 2}
	omega := fwset.NewCompletion(3, 3, append(known, asked), 3*math.Sqrt(3))
	f := fwsum.NewEntryLoss(9, []float64{2, 2, -2, 2, 2, -2, -1, -1})
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), &fwopt.FW{Rule: fwopt.LineSearch{}},
		fwopt.Budget{Steps: 500})
	fmt.Printf("f = %.3f, predicted %.2f\n", tr.Last().F, tr.W[8])
	// Output: f = 0.000, predicted 1.00
}

// The answer to a linear function on a trace-norm ball is kept as two vectors.
func ExampleVertex() {
	omega := fwset.TraceNorm{H: 2, M: 3, Tau: 5}
	g := []float64{1, 0, 0, 0, 0, 0} // the entry of row 0 and column 0
	var v fwset.Vertex
	omega.ArgminVertex(&v, g, 0, nil)
	fmt.Println(len(v.U), len(v.V), v.Dot(g))
	x := make([]float64, 6)
	v.Lerp(x, 0.5) // half of the way from 0
	fmt.Printf("%.1f\n", x[0])
	// Output:
	// 2 3 -5
	// -2.5
}
