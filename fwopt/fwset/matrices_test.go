package fwset_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// What Argmin gives is a rotation, also where g has no full rank.
func TestRotationsRotate(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	for k := range 600 {
		n := 2 + k%5
		if k%70 == 0 {
			n = 64 + k/70
		}
		g, x := fwset.Normal(rng, n*n), mat.NewDense(n, n, nil)
		if k%3 == 0 {
			clear(g[n:])
		}
		fwset.Rotations{N: n}.Argmin(x.RawMatrix().Data, g)
		var one mat.Dense
		one.Mul(x.T(), x)
		for i := range n {
			one.Set(i, i, one.At(i, i)-1)
		}
		if off := mat.Norm(&one, 2); !(off <= 1e-13) || math.Abs(mat.Det(x)-1) > 1e-13 {
			t.Fatalf("%d, g = %v: %v has determinant %g and is %g off", k, g, x, mat.Det(x), off)
		}
	}
}

// On matrices of a known spectrum, beyond the order from which Lanczos is used: the slack
// is honest and within the tolerance, the vertex is in Ω, warm starts or not, even if the
// least eigenvalue is close to others.
func TestSpectraplexSlack(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	var warm fwset.Warm
	for k := range 60 {
		n := []int{5, 64, 65, 90}[k%4]
		b := fwset.Spectraplex{N: n, R: math.Exp(rng.NormFloat64())}
		lambda := fwset.Normal(rng, n)
		if k%3 == 0 {
			slices.Sort(lambda)
			lambda[1] = lambda[0] + 1e-7
		}
		g := fwset.Symmetric(rng, lambda)
		for i := range n { // an antisymmetric part does not count
			for j := range i {
				x := rng.NormFloat64()
				g[i*n+j] += x
				g[j*n+i] -= x
			}
		}
		scale := math.Pow(10, float64(k%5)*60-120)
		floats.Scale(scale, g)
		least := b.R * scale * floats.Min(lambda)
		for _, tol := range []float64{0, 1e-3, 1e-9} {
			var v fwset.Vertex
			var w *fwset.Warm
			if k%2 == 0 {
				w = &warm
			}
			slack := b.ArgminVertex(&v, g, tol*b.R*scale, w)
			rounding := 1e-12 * b.R * scale
			if x := v.Dot(g); !(x <= least+slack+rounding && x >= least-rounding) {
				t.Errorf("N = %d, tol %g: %g with slack %g, want %g", n, tol, x, slack, least)
			}
			if want := max(tol, 1e-12) * b.R * scale; tol > 0 && slack > want {
				t.Errorf("N = %d, tol %g: slack %g, want %g", n, tol, slack, want)
			}
			x := make([]float64, n*n)
			if v.Dense(x); b.Gauge(x) > 1+1e-12 {
				t.Errorf("N = %d: gauge 1 %+g", n, b.Gauge(x)-1)
			}
		}
	}
}

// Against all permutations, with many ties, with numbers that are no whole ones and huge
// ones.
func TestBirkhoffByPermutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for k := range 3000 {
		b := fwset.Birkhoff{N: 1 + rng.IntN(6)}
		g := fwset.Normal(rng, b.Dim())
		for i := range g {
			switch k % 3 {
			case 1:
				g[i] = math.Round(g[i])
			case 2:
				g[i] *= 1e308 / 4
			}
		}
		scale := math.Pow(2, -float64(k%3/2*1000))
		least := math.Inf(1)
		var all func(j, used int, sum float64)
		all = func(j, used int, sum float64) {
			if j == b.N {
				least = min(least, sum)
			}
			for i := range b.N {
				if used>>i&1 == 0 && j < b.N {
					all(j+1, used|1<<i, sum+g[j*b.N+i]*scale)
				}
			}
		}
		all(0, 0, 0)
		v := make([]float64, len(g))
		b.Argmin(v, g)
		x := floats.Dot(v, floats.ScaleTo(make([]float64, len(g)), scale, g))
		if !(x <= least+1e-14*floats.Norm(g, 1)*scale) || b.Gauge(v) != 1 && least != 0 {
			t.Fatalf("%v: %v has %g, the best %g", g, v, x, least)
		}
	}
}

// The projection's own conditions, in many small cases, for Newton steps alone would go in circles in
// one of these, and at sizes where nothing can be gone through: the sums are 1, and no permutation is
// nearer, which an assignment tells.
func TestBirkhoffProjectByAssignment(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	check := func(b fwset.Birkhoff, x []float64) {
		t.Helper()
		p, v, size := make([]float64, len(x)), make([]float64, len(x)), 1+floats.Norm(x, inf)
		b.Project(p, x)
		if g := b.Gauge(p); !(g <= 1+1e-13*size) {
			t.Fatalf("N = %d, %v: gauge 1 %+g", b.N, x, g-1)
		}
		floats.SubTo(x, p, x) // p − x
		b.Argmin(v, x)
		if gap := floats.Dot(x, p) - floats.Dot(x, v); !(gap <= 1e-12*float64(b.N)*size*size) {
			t.Fatalf("N = %d: a step from the projection to a permutation gains %g", b.N, gap)
		}
	}
	for range 20000 {
		b := fwset.Birkhoff{N: 2 + rng.IntN(7)}
		x := fwset.Normal(rng, b.Dim())
		check(b, mapped(x, func(v float64) float64 { return v * math.Exp(2*rng.NormFloat64()) }))
	}
	for _, n := range []int{1, 2, 5, 20, 60, 150} {
		for _, scale := range []float64{0, 1e-3, 0.1, 1, 100, 1e6} {
			x := fwset.Normal(rng, n*n)
			floats.Scale(scale, x)
			check(fwset.Birkhoff{N: n}, x)
		}
	}
}
