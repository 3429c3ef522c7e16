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

// Against all permutations, with many ties, with numbers that are no whole ones, huge ones, and products.
func TestBirkhoffByPermutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for k := range 3000 {
		b := fwset.Birkhoff{N: 1 + rng.IntN(6)}
		g, scale := fwset.Normal(rng, b.Dim()), 1.0
		x, y := fwset.Normal(rng, b.N), fwset.Normal(rng, b.N)
		for i := range g {
			switch k % 4 {
			case 1:
				g[i] = math.Round(g[i])
			case 2:
				g[i], scale = g[i]*(1e308/4), 0x1p-1000
			case 3:
				g[i] = x[i/b.N] * y[i%b.N]
			}
		}
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
		sum := floats.Dot(v, floats.ScaleTo(make([]float64, len(g)), scale, g))
		if !(sum <= least+1e-14*floats.Norm(g, 1)*scale) || b.Gauge(v) != 1 && least != 0 {
			t.Fatalf("%v: %v has %g, the best %g", g, v, sum, least)
		}
	}
}

// Where c_ij = x_i·y_j the largest x has the smallest y, and so on; where it is (x_i − y_j)² the
// largest has the largest. A number far below the others is taken, in whatever order they are.
func TestBirkhoffSorted(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 6))
	for _, n := range []int{1, 2, 7, 8, 9, 40} {
		x, y, v := fwset.Normal(rng, n), fwset.Normal(rng, n), make([]float64, n*n)
		products, squares := make([]float64, n*n), make([]float64, n*n)
		for k := range products {
			i, j := k%n, k/n
			products[k], squares[k] = x[i]*y[j], (x[i]-y[j])*(x[i]-y[j])
		}
		slices.Sort(x)
		slices.Sort(y)
		apart := floats.Distance(x, y, 2)
		slices.Reverse(y)
		for _, want := range []struct {
			g   []float64
			sum float64
		}{{products, floats.Dot(x, y)}, {squares, apart * apart}} {
			fwset.Birkhoff{N: n}.Argmin(v, want.g)
			if sum := floats.Dot(v, want.g); math.Abs(sum-want.sum) > 1e-12*float64(n) {
				t.Errorf("N = %d: %g, by sorting %g", n, sum, want.sum)
			}
			want.g[rng.IntN(n*n)] -= 100 // is taken, and what is left sorted no more
			fwset.Birkhoff{N: n}.Argmin(v, want.g)
			k := slices.Index(want.g, slices.Min(want.g))
			if v[k] != 1 {
				t.Errorf("N = %d: the least number is 100 below the others, and not taken", n)
			}
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
