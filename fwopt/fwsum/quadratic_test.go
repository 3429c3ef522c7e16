package fwsum_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/fwtest"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
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

func TestLeastSquares(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct{ n, m, k int }{{1, 2, 1}, {40, 7, 3}, {500, 60, 9}} {
		x := sparseRows(rng, c.n, c.m, c.k)
		b := normals(rng, c.n)
		f := fwsum.NewLeastSquares(x, b)
		a := mat.NewDense(c.n, c.m, nil)
		for i := range c.n {
			col, val := x.Row(i)
			for k, j := range col {
				a.Set(i, int(j), val[k])
			}
		}
		w, v := normals(rng, c.m), normals(rng, c.m)
		residual := func(w []float64) *mat.VecDense {
			r := mat.NewVecDense(c.n, nil)
			r.MulVec(a, mat.NewVecDense(c.m, w))
			r.SubVec(r, mat.NewVecDense(c.n, b))
			return r
		}
		r := residual(w)
		want := mat.Dot(r, r) / 2 / float64(c.n)
		if got := f.Value(w); math.Abs(got-want) > 1e-13*want {
			t.Errorf("%+v: f = %.15g, want %.15g", c, got, want)
		}
		var g mat.VecDense
		g.MulVec(a.T(), r)
		got := make([]float64, c.m)
		f.Grad(got, w, fwopt.Batch{})
		floats.Scale(float64(c.n), got)
		if !floats.EqualApprox(got, g.RawVector().Data, 1e-12) {
			t.Errorf("%+v: n∇f = %.15g, want %.15g", c, got, g.RawVector().Data)
		}
		q := residual(v)
		q.SubVec(q, r)
		gamma := max(0, min(1, -mat.Dot(r, q)/mat.Dot(q, q)))
		if got := f.LineSearch(w, v); math.Abs(got-gamma) > 1e-14 {
			t.Errorf("%+v: γ = %.17g, want %.17g", c, got, gamma)
		}
		fwtest.TestFiniteSum(t, f)
	}
}

// spreadQuadratic draws curvatures of very different sizes, some of them zero.
func spreadQuadratic(seed uint64, n, d int) *fwsum.Quadratic {
	rng := rand.New(rand.NewPCG(seed, 2))
	h, c := make([]float64, n*d), normals(rng, n*d)
	for i := range h {
		if rng.IntN(3) > 0 {
			h[i] = math.Exp(2 * rng.NormFloat64())
		}
	}
	return fwsum.NewQuadratic(d, h, c)
}

func TestQuadratic(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, f := range []*fwsum.Quadratic{
		spreadQuadratic(1, 1, 1), spreadQuadratic(2, 30, 5),
		fwsum.NewQuadratic(4, nil, normals(rng, 60)), fwsum.NewQuadratic(2, []float64{5, 1}, []float64{1, 0}),
	} {
		fwtest.TestFiniteSum(t, f)

		g := make([]float64, f.Dim())
		f.Grad(g, f.Center, fwopt.Batch{})
		if floats.Norm(g, 2) != 0 || f.Value(f.Center) != f.Min || f.Excess(f.Center) != 0 {
			t.Errorf("at Center ∇f = %g, f = %g, Min = %g", g, f.Value(f.Center), f.Min)
		}
		// f(w) ≥ Min + α/2·‖w − Center‖², and the clipped Center is best in a box
		clipped := slices.Clone(f.Center)
		for j, x := range clipped {
			clipped[j] = max(0, min(0.1, x))
		}
		for range 100 {
			w := normals(rng, f.Dim())
			if low := f.Convexity() / 2 * math.Pow(floats.Distance(w, f.Center, 2), 2); f.Excess(w) < low*(1-1e-12) {
				t.Errorf("α = %g: f − min f = %g at w, want at least %g", f.Convexity(), f.Excess(w), low)
			}
			for j := range w {
				w[j] = 0.1 * rng.Float64()
			}
			if f.Value(w) < f.Value(clipped) {
				t.Errorf("f = %g at %g in the box, below %g at the clipped centre", f.Value(w), w, f.Value(clipped))
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

// The value by the definition, term by term.
func TestQuadraticAgainstNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, d = 7, 3
	h, c, w := make([]float64, n*d), normals(rng, n*d), normals(rng, d)
	for i := range h {
		h[i] = rng.Float64()
	}
	want := 0.0
	for i := range n {
		for j := range d {
			want += h[i*d+j] * (w[j] - c[i*d+j]) * (w[j] - c[i*d+j]) / 2 / n
		}
	}
	if got := fwsum.NewQuadratic(d, h, c).Value(w); math.Abs(got-want) > 1e-14 {
		t.Errorf("f = %.15g, want %.15g", got, want)
	}
}

// Where all curvatures are equal, variance reduction leaves no variance.
func TestQuadraticVarianceReduced(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	f := fwsum.NewQuadratic(4, nil, normals(rng, 60))
	w, w0 := normals(rng, 4), normals(rng, 4)
	want, got := make([]float64, 4), make([]float64, 4)
	f.Grad(want, w, fwopt.Batch{})
	f.Grad(got, w0, fwopt.Batch{})
	f.AddGradDiff(got, w, w0, fwopt.Batch{Index: []int{3}, Weight: []float64{1}})
	if !floats.EqualApprox(got, want, 1e-14) {
		t.Errorf("the variance-reduced gradient is %g, want %g", got, want)
	}
}

func TestSquarePanics(t *testing.T) {
	x := &fwsum.Sparse{N: 2, M: 1, Ptr: []int{0, 1, 2}, Col: []int32{0, 0}, Val: []float64{1, 2}}
	f := fwsum.NewQuadratic(2, nil, make([]float64, 6))
	two, three := make([]float64, 2), make([]float64, 3)
	for want, call := range map[string]func(){
		"fwsum: 1 targets for 2 rows":                                     func() { fwsum.NewLeastSquares(x, []float64{1}) },
		"fwsum: target 1 is NaN":                                          func() { fwsum.NewLeastSquares(x, []float64{1, math.NaN()}) },
		"fwsum: a quadratic in dimension 2 of 0 curvatures and 3 centres": func() { fwsum.NewQuadratic(2, nil, three) },
		"fwsum: a quadratic in dimension 0 of 0 curvatures and 3 centres": func() { fwsum.NewQuadratic(0, nil, three) },
		"fwsum: a quadratic in dimension 1 of 2 curvatures and 3 centres": func() { fwsum.NewQuadratic(1, two, three) },
		"fwsum: curvature 1 is -1: not convex":                            func() { fwsum.NewQuadratic(1, []float64{0, -1}, two) },
		"fwsum: curvature 0 is +Inf":                                      func() { fwsum.NewQuadratic(1, []float64{math.Inf(1), 1}, two) },
		"fwsum: centre 1 is NaN":                                          func() { fwsum.NewQuadratic(1, nil, []float64{1, math.NaN()}) },
		"fwsum: w has length 3, want 2":                                   func() { f.Value(three) },
		"fwsum: dst has length 3, want 2":                                 func() { f.Grad(three, two, fwopt.Batch{}) },
		"fwsum: a batch with term 3 of a sum of 3":                        func() { f.Grad(two, two, fwopt.Batch{Index: []int{3}, Weight: two[:1]}) },
	} {
		if got := small.Panics(call); got != want {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
}
