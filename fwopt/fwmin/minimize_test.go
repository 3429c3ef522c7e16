package fwmin_test

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwmin"
	"gonum.org/v1/gonum/mat"
)

// The least squares of a line through four points, with a slope of at most 1 and weights from 0 to 3.
func ExampleMinimize() {
	x := mat.NewDense(4, 2, []float64{1, 0, 1, 1, 1, 2, 1, 3})
	r := mat.NewVecDense(4, nil)
	residuals := func(w []float64) *mat.VecDense {
		r.MulVec(x, mat.NewVecDense(2, w))
		r.SubVec(r, mat.NewVecDense(4, []float64{0, 1, 3, 5}))
		return r
	}
	f := func(w []float64) float64 { return mat.Dot(residuals(w), r) / 2 }
	grad := func(g, w []float64) { mat.NewVecDense(2, g).MulVec(x.T(), residuals(w)) }
	omega, err := fwmin.NewPolytope(mat.NewDense(1, 2, []float64{0, 1}), []float64{1}, nil, nil,
		[]float64{0, 0}, []float64{3, 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := fwmin.Minimize(f, grad, omega, nil)
	fmt.Printf("w = %.4f, f = %.4f, at most %.0e above the least: %v, %v\n", res.X, res.F, 1e-8,
		res.Gap < 1e-8, err)
	// Output:
	// w = [0.7500 1.0000], f = 1.3750, at most 1e-08 above the least: true, <nil>
}

// f within 1e-8 of scipy's, and below it by no more than the proven gap and scipy's own digits allow.
func TestAgainstScipy(t *testing.T) {
	text, err := os.ReadFile("testdata/values.txt")
	if err != nil {
		t.Fatal(err)
	}
	problems, lines := hockSchittkowski(), 0
	for line := range strings.Lines(string(text)) {
		var name, slsqp, trust, exact string
		if _, err := fmt.Sscan(line, &name, &slsqp, &trust, &exact); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		lines++
		t.Run(name, func(t *testing.T) {
			want := math.Inf(1)
			for _, s := range []string{slsqp, trust} {
				if v, err := strconv.ParseFloat(s, 64); err == nil && v < want {
					want = v
				}
			}
			if v, err := strconv.ParseFloat(exact, 64); err == nil && v == v {
				want = v
			}
			p, named := problems[name]
			if !named {
				var k int
				fmt.Sscanf(name, "qp%d", &k)
				if testing.Short() && k > 20 {
					t.Skip("in short, the first 20")
				}
				p = programme(k)
			}
			omega, err := p.polytope()
			if err != nil {
				t.Fatal(err)
			}
			r, err := fwmin.Minimize(p.f, p.grad, omega, nil)
			if err != nil {
				t.Fatal(err)
			}
			size := 1 + math.Abs(want)
			if off := r.F - want; !(math.Abs(off) <= 1e-8*size) {
				t.Errorf("f = %.12g, scipy has %.12g: off by %.2g", r.F, want, off)
			}
			if r.Status != fwmin.Success || !(r.Gap <= 1e-9*(1+math.Abs(r.F))) ||
				r.F-r.Gap > want+1e-12*size {
				t.Errorf("%v: f = %.12g with a gap of %.3g, where %.12g is possible", r.Status, r.F, r.Gap,
					want)
			}
			if r.F != p.f(r.X) || omega.Gauge(r.X) > 1+1e-9 {
				t.Errorf("F = %g at a point with f = %g and the gauge %g", r.F, p.f(r.X), omega.Gauge(r.X))
			}
			t.Logf("%d coordinates: %d major iterations, %d gradients, gap %.1e, %v", len(r.X),
				r.MajorIterations,
				r.GradEvaluations, r.Gap, r.Runtime)
		})
	}
	if lines != 100+len(problems) {
		t.Errorf("%d values for %d problems", lines, 100+len(problems))
	}
}
