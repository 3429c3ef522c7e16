package fwset_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
)

// Linear optimisations with ties, at the ends of the numbers, and with a radius there.
func TestArgminsOfExtremes(t *testing.T) {
	s, l1, l2 := fwset.Simplex{D: 4, R: 3}, fwset.L1Ball{D: 3, R: 2}, fwset.L2Ball{D: 2, R: 5}
	for _, c := range []struct {
		set     fwset.Domain
		g, want []float64
	}{
		{s, []float64{3, 1, 2, 1}, []float64{0, 3, 0, 0}}, // the first of two
		{s, []float64{5, 5, 5, 5}, []float64{3, 0, 0, 0}},
		{s, []float64{0, 0, 0, 0}, []float64{0.75, 0.75, 0.75, 0.75}},
		{s, []float64{0, 0, 0, 1e-320}, []float64{3, 0, 0, 0}},
		{s, []float64{1e308, -1e308, 0, 0}, []float64{0, 3, 0, 0}},
		{l1, []float64{1, -3, 3}, []float64{0, 2, 0}}, // the first of two
		{l1, []float64{0, 0, 1e-320}, []float64{0, 0, -2}},
		{l1, []float64{0, 0, 0}, []float64{0, 0, 0}},
		{l2, []float64{3e-300, -4e-300}, []float64{-3, 4}},
		{l2, []float64{3e307, -4e307}, []float64{-3, 4}},
		{fwset.KSparse{D: 4, K: 2, R: 1}, []float64{2, -1, 1, 1}, []float64{-1, 1, 0, 0}},
		{fwset.KSparse{D: 3, K: 2, R: 1}, []float64{0, 0, -1e-320}, []float64{0, 0, 1}},
		{fwset.GroupBall{Size: []int{1, 2}, R: 5}, []float64{-5, 3, 4}, []float64{5, 0, 0}},
		{fwset.Box{Lo: []float64{1, 1}, Hi: []float64{2, 4}}, []float64{1e-320, 0}, []float64{1, 2.5}},
		{fwset.Hull{Points: [][]float64{{1, 0}, {0, 1}}}, []float64{1, 1}, []float64{1, 0}},
		{fwset.Hull{Points: [][]float64{{1, 0}, {0, 1}}}, []float64{0, 0}, []float64{0.5, 0.5}},
		{fwset.Product{plainBall{2}, fwset.Simplex{D: 2, R: 1}}, []float64{3, 4, 1, -1},
			[]float64{-1.2, -1.6, 0, 1}},
		// 2 outputs, 3 inputs, column by column
		{fwset.OneToRMS(2, 3, 1), []float64{3, 4, 0, 0, 0, -1e-320},
			[]float64{-0.6 * math.Sqrt2, -0.8 * math.Sqrt2, 0, 0, 0, math.Sqrt2}},
		{fwset.RMSToMax(2, 4, 6), []float64{1e308, 3, -1e308, 0, 1e308, 4, 1e308, 0},
			[]float64{-1.5, -1.8, 1.5, 0, -1.5, -2.4, -1.5, 0}},
		{fwset.OneToMax(2, 3, 6), []float64{1, -2, 0, 1e-320, -1e308, 3}, []float64{-2, 2, 0, -2, 2, -2}},
		{fwset.RMSToRMS(2, 8, 6), []float64{1e9, 0, 0, -1e-3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
			[]float64{-3, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		{fwset.RMS(4, 3), []float64{0, 2, 0, 0}, []float64{0, -6, 0, 0}},
		{fwset.Rotations{N: 1}, []float64{-1e308}, []float64{1}},
		{fwset.Rotations{N: 1}, []float64{0}, []float64{1}},
		{fwset.TraceNorm{H: 2, M: 2, Tau: 1e300}, []float64{1e-40, 0, 0, 1e-41}, []float64{-1e300, 0, 0, 0}},
		{fwset.TraceNorm{H: 2, M: 2, Tau: 1e-300}, []float64{1e40, 0, 0, 1e39}, []float64{-1e-300, 0, 0, 0}},
		{fwset.TraceNorm{H: 2, M: 2, Tau: 3}, []float64{1e-320, 0, 0, 0}, []float64{-3, 0, 0, 0}},
		// a matrix that could not be written out
		{fwset.NewCompletion(1<<20, 1<<14, at(0, 1<<14-1, 1<<20-1, 0, 7, 7), 2), []float64{0, -3, 0},
			[]float64{0, 2, 0}},
	} {
		got := floats.ScaleTo(make([]float64, len(c.g)), 9, c.g)
		c.set.Argmin(got, c.g)
		if off := floats.Distance(got, c.want, inf); !(off <= 1e-14*floats.Norm(c.want, inf)) {
			t.Errorf("%T: Argmin(%v) = %v, want %v", c.set, c.g, got, c.want)
		}
		var v fwset.Vertex
		if fwset.Argmin(c.set, &v, c.g, 0, nil); v.Dot(c.g) != floats.Dot(got, c.g) {
			t.Errorf("%T: %v as a vertex, %v by Argmin", c.set, v, got)
		}
	}
}

// Projections, as these are in closed form, near overflow and underflow and far away.
func TestProjectionsOfExtremes(t *testing.T) {
	check := func(set fwset.Projector, x, want []float64) {
		t.Helper()
		got := make([]float64, len(x))
		if set.Project(got, x); !(floats.Distance(got, want, inf) <= 1e-12*floats.Norm(want, inf)) {
			t.Errorf("%+v: %v becomes %v, want %v", set, x, got, want)
		}
	}
	check(fwset.L1Ball{D: 2, R: 1.7e308}, []float64{1.7e308, 1.6e308}, []float64{0.9e308, 0.8e308})
	check(fwset.Simplex{D: 2, R: 1.7e308}, []float64{1.7e308, 1.6e308}, []float64{0.9e308, 0.8e308})
	check(fwset.L1Ball{D: 3, R: 1}, []float64{1e308, -1e308, 1.7e308}, []float64{0, 0, 1}) // of infinite sum
	for _, c := range []float64{1e-300, 1e-150, 1, 1e12, 1e150, 1e300} {
		check(fwset.L1Ball{D: 3, R: c}, []float64{-3 * c, 2.5 * c, c}, []float64{-0.75 * c, 0.25 * c, 0})
		check(fwset.L2Ball{D: 2, R: 5 * c}, []float64{30 * c, -40 * c}, []float64{3 * c, -4 * c})
		check(fwset.L2Ball{D: 2, R: 5}, []float64{30 * c, -40 * c}, []float64{min(3, 30*c), max(-4, -40*c)})
		for _, svd := range []bool{false, true} {
			check(fwset.TraceNorm{H: 2, M: 3, Tau: c, SVD: svd}, []float64{c, 0, 0, c / 2, 0, 0},
				[]float64{0.75 * c, 0, 0, 0.25 * c, 0, 0})
			if far := []float64{c, 0, 0, c / 10, 0, 0}; c >= 1 {
				check(fwset.TraceNorm{H: 2, M: 3, Tau: 1e-40, SVD: svd}, far, []float64{1e-40, 0, 0, 0, 0, 0})
			}
		}
	}
	for n := 2; n < 8; n++ { // a reflection is as near to n rotations
		for _, size := range []float64{1, 1e6, 1e9, 1e12, 1e17, 1e100, 1e300, math.MaxFloat64} {
			x, want := make([]float64, n*n), make([]float64, n*n)
			for i := range n {
				x[i*(n+1)], want[i*(n+1)] = size, float64(n-2)/float64(n)
			}
			x[0], want[0] = -x[0], -want[0]
			check(fwset.Rotations{N: n}, x, want)
		}
	}
	for _, x := range []float64{-1e308, -1, 0, 0.5, 1, 3} { // SO(1) is {1}
		check(fwset.Rotations{N: 1}, []float64{x}, []float64{1})
	}
}

// Gauges and diameters in closed form.
func TestGauges(t *testing.T) {
	b, l2 := fwset.Box{Lo: []float64{-1, 2, 0}, Hi: []float64{3, 2, 0}}, fwset.L2Ball{D: 2, R: 5}
	trace, spectral := fwset.TraceNorm{H: 2, M: 2, Tau: 2}, fwset.SpectralNorm{H: 1, M: 2, R: 5}
	for _, c := range []struct {
		set  fwset.Gauged
		x    []float64
		want float64
	}{
		{b, []float64{1, 2, 0}, 0}, {b, []float64{3, 2, 0}, 1}, {b, []float64{0, 2, 0}, 0.5},
		{b, []float64{-3, 2, 0}, 2}, {b, []float64{1, 3, 0}, 1.5}, {b, []float64{1, 2, 1e-9}, inf},
		{l2, []float64{3e-300, 4e-300}, 1e-300}, {l2, []float64{3e300, 4e300}, 1e300},
		{fwset.TraceNorm{H: 2, M: 2, Tau: 2, SVD: true}, []float64{0, 3e-300, 1e-300, 0}, 2e-300},
		{trace, []float64{0, 3e300, 1e300, 0}, 2e300}, {trace, []float64{0, inf, 1, 0}, inf},
		{fwset.Simplex{D: 2, R: 2}, []float64{4, -1}, 2}, {fwset.Birkhoff{N: 2}, []float64{2, -1, 0, 1}, 2.5},
		{spectral, []float64{3, 4}, 1}, {spectral, []float64{3, -inf}, inf},
		{fwset.Spectraplex{N: 2, R: 2}, []float64{1, 2, -2, 1}, 1 + math.Sqrt2}, // ‖x − xᵀ‖/2 = 2√2
		{fwset.Rotations{N: 1}, []float64{0.5}, 1.5}, {fwset.Rotations{N: 2}, []float64{2, 0, 0, -2}, 6},
		{fwset.Rotations{N: 3}, []float64{1, 0, 0, 0, 1, 0, 0, 0, -1}, 3},
		{fwset.Product{b, fwset.L2Ball{D: 1, R: 5}}, []float64{0, 2, 0, 4}, 0.8},
	} {
		if got := c.set.Gauge(c.x); !(math.Abs(got-c.want) <= 1e-14*c.want) && got != c.want {
			t.Errorf("%+v: Gauge(%v) = %g, want %g", c.set, c.x, got, c.want)
		}
	}
	if d := (fwset.Box{Lo: []float64{-8e307, 0}, Hi: []float64{8e307, 1}}).Diameter(); d != 1.6e308 {
		t.Errorf("diameter %g of a huge box", d)
	}
	for set, want := range map[fwset.Bounded]float64{
		fwset.Simplex{D: 1, R: 1}: 0, fwset.Birkhoff{N: 1}: 0, fwset.Rotations{N: 1}: 0,
		fwset.Spectraplex{N: 1, R: 1}: 0,
		fwset.Rotations{N: 3}:         math.Sqrt(8), fwset.Birkhoff{N: 2}: 2,
	} {
		if d := set.Diameter(); math.Abs(d-want) > 1e-15*want {
			t.Errorf("%+v: diameter %g, want %g", set, d, want)
		}
	}
}

// A point whose sum is the radius up to rounding stays, or comes nearer: nothing grows.
func TestL1BallAtItsBoundary(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for range 20000 {
		x := make([]float64, 2+rng.IntN(20))
		for j := range x {
			x[j] = math.Round(rng.Float64()*1000) / 10 * math.Pow(10, -3*float64(rng.IntN(2)))
		}
		x[rng.IntN(len(x))] = 1000
		b := fwset.L1Ball{D: len(x), R: floats.Sum(x) * (1 + float64(rng.IntN(9)-4)*0x1p-53)}
		got := make([]float64, len(x))
		b.Project(got, x)
		for j := range x {
			if math.Abs(got[j]) > math.Abs(x[j]) {
				t.Fatalf("%v with R = %.17g becomes %v", x, b.R, got)
			}
		}
	}
}

// What makes x large and moves no projection: multiples of 2^-8 are added without rounding.
func TestProjectionsOfMovedPoints(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 7))
	for range 1000 {
		size := math.Pow(2, float64(rng.IntN(40)))
		same := func(set fwset.Projector, x, y []float64) {
			p, q := make([]float64, len(x)), make([]float64, len(x))
			set.Project(p, x)
			set.Project(q, y)
			if d := floats.Distance(p, q, 2); !(d <= 1e-12*float64(len(x))) {
				t.Fatalf("%+v, numbers moved by %g: the projection is %g off", set, size, d)
			}
		}
		n := 1 + rng.IntN(6)
		x, y, move := make([]float64, n*n), make([]float64, n*n), fwset.Normal(rng, 2*n)
		for k := range x {
			x[k] = math.Round(256*rng.NormFloat64()) / 256
			y[k] = x[k] + math.Round(size*move[k%n]) + math.Round(size*move[n+k/n]) // rows and columns
		}
		same(fwset.Birkhoff{N: n}, x, y)
		d := 2 + rng.IntN(20)
		x, y = make([]float64, d), make([]float64, d)
		for j := range x {
			x[j] = 2 + math.Round(256*rng.Float64())/256
			y[j] = x[j] + math.Round(size)
		}
		same(fwset.KSparse{D: d, K: 1 + rng.IntN(d-1), R: 1}, x, y) // with K = D the sum binds nothing
	}
}
