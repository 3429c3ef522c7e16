package fwset_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func TestRotations(t *testing.T) {
	conform(t, fwset.Rotations{N: 1}, fwset.Rotations{N: 2}, fwset.Rotations{N: 3}, fwset.Rotations{N: 4}, fwset.Rotations{N: 5})
	b, x := fwset.Rotations{N: 2}, make([]float64, 4)
	panics(t, map[string]func(){
		"of 0 x 0 matrices":    func() { fwset.Rotations{}.Dim() },
		"a vector of length 1": func() { b.Project(x, x[:1]) },
	})
	if b.Project(x, []float64{math.NaN(), 1, 1, 1}); !math.IsNaN(x[1]) || !math.IsNaN(b.Gauge(x)) {
		t.Errorf("%v, of gauge %g, for the projection of a NaN", x, b.Gauge(x))
	}
}

// SO(1) is {1}.
func TestRotationsOfALine(t *testing.T) {
	b, x := fwset.Rotations{N: 1}, make([]float64, 1)
	for _, at := range []float64{-1e308, -1, 0, 0.5, 1, 3} {
		x[0] = -7
		if b.Argmin(x, []float64{at}); x[0] != 1 {
			t.Errorf("g = %g: a vertex %g", at, x[0])
		}
		if b.Project(x, []float64{at}); x[0] != 1 || b.Gauge(x) != 1 || b.Gauge([]float64{at}) == 1 && at != 1 {
			t.Errorf("%g becomes %g, of gauge %g", at, x[0], b.Gauge(x))
		}
	}
	if d := b.Diameter(); d != 0 {
		t.Errorf("diameter %g", d)
	}
}

// A reflection is as near to N rotations, however far out it is.
func TestRotationsOfAReflection(t *testing.T) {
	for n := 2; n < 8; n++ {
		for _, size := range []float64{1, 1e6, 1e9, 1e12, 1e17, 1e100, 1e300, math.MaxFloat64} {
			b := fwset.Rotations{N: n}
			x, p := make([]float64, n*n), make([]float64, n*n)
			want := make([]float64, n*n)
			for i := range n {
				x[i*(n+1)], want[i*(n+1)] = size, float64(n-2)/float64(n)
			}
			x[0], want[0] = -x[0], -want[0]
			if b.Project(p, x); floats.Distance(p, want, math.Inf(1)) > 1e-12 || b.Gauge(p) > 1+1e-9 {
				t.Errorf("N = %d, a reflection times %g: %v, of gauge %g, want %v", n, size, p, b.Gauge(p), want)
			}
		}
	}
}

// What Argmin gives is a rotation, also where g has no full rank.
func TestRotationsRotate(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	for k := range 600 {
		b := fwset.Rotations{N: 2 + k%5}
		g, x := normal(rng, b.Dim()), make([]float64, b.Dim())
		if k%3 == 0 {
			clear(g[b.N:])
		}
		b.Argmin(x, g)
		r := mat.NewDense(b.N, b.N, x)
		var one mat.Dense
		one.Mul(r, r.T())
		for i := range b.N {
			one.Set(i, i, one.At(i, i)-1)
		}
		if mat.Norm(&one, 2) > 1e-13 || math.Abs(mat.Det(r)-1) > 1e-13 {
			t.Fatalf("N = %d, %v: %v has determinant %g and is %g off", b.N, g, x, mat.Det(r), mat.Norm(&one, 2))
		}
	}
}

// Diagonal matrices in the hull are the hull of the signs of which evenly many are −1,
// there gone through one by one: the gauge, by bisection over the least distance to them,
// and the projection. Rotating rows and columns changes nothing.
func TestRotationsByParity(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 2))
	for k := range 120 {
		n := 2 + k%3
		var signs [][]float64
		for set := range 1 << n {
			s, even := make([]float64, n), 1.0
			for i := range s {
				s[i] = 1 - 2*float64(set>>i&1)
				even *= s[i]
			}
			if even > 0 {
				signs = append(signs, s)
			}
		}
		b := fwset.Rotations{N: n}
		d := normal(rng, n)
		far := hullDistance([][]float64{d}, signs)
		x, p := make([]float64, n*n), make([]float64, n*n)
		for i := range n {
			x[i*n+i] = d[i]
		}
		turn(rng, n, n, x)
		b.Project(p, x)
		if got := floats.Distance(p, x, 2); math.Abs(got-far) > 1e-5 {
			t.Fatalf("N = %d: diag %v is %g from the hull, and its projection %g", n, d, far, got)
		}
		if g := b.Gauge(x); (g <= 1) != (far < 1e-5) && math.Abs(g-1) > 1e-3 {
			t.Fatalf("N = %d: diag %v is %g from the hull, and its gauge is %g", n, d, far, g)
		}
	}
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
