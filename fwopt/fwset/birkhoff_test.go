package fwset_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
)

func TestBirkhoff(t *testing.T) {
	conform(t, fwset.Birkhoff{N: 1}, fwset.Birkhoff{N: 2}, fwset.Birkhoff{N: 3}, fwset.Birkhoff{N: 7})
	b, x := fwset.Birkhoff{N: 2}, make([]float64, 4)
	panics(t, map[string]func(){
		"of 0 x 0 matrices":                               func() { fwset.Birkhoff{}.Dim() },
		"a vector of length 3":                            func() { b.Project(x, x[:3]) },
		"NaN in the matrix of an assignment, at place 2":  func() { b.Argmin(x, []float64{1, 2, math.NaN(), 0}) },
		"+Inf in the matrix of an assignment, at place 0": func() { b.Argmin(x, []float64{math.Inf(1), 2, 1, 0}) },
	})
}

// Against all permutations, with many ties, with numbers that are no whole ones and huge
// ones.
func TestBirkhoffByPermutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for k := range 3000 {
		b := fwset.Birkhoff{N: 1 + rng.IntN(6)}
		g := normal(rng, b.Dim())
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
		if x := floats.Dot(v, floats.ScaleTo(make([]float64, len(g)), scale, g)); !(x <= least+1e-14*floats.Norm(g, 1)*scale) || b.Gauge(v) != 1 && least != 0 {
			t.Fatalf("%v: %v has %g, the best %g", g, v, x, least)
		}
	}
}

// Newton steps alone would go in circles in one of these.
func TestBirkhoffProjectConverges(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	for range 20000 {
		n := 2 + rng.IntN(7)
		x, p, size := normal(rng, n*n), make([]float64, n*n), 1.0
		for i := range x {
			x[i] *= math.Exp(2 * rng.NormFloat64())
			size = max(size, math.Abs(x[i]))
		}
		fwset.Birkhoff{N: n}.Project(p, x)
		if g := (fwset.Birkhoff{N: n}).Gauge(p); !(g <= 1+1e-13*size) {
			t.Fatalf("N = %d, %v: gauge 1 %+g", n, x, g-1)
		}
	}
}

// The projection's own conditions at sizes where nothing can be gone through: the sums
// are 1, and no permutation is nearer, which an assignment tells.
func TestBirkhoffProjectByAssignment(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	for _, n := range []int{1, 2, 5, 20, 60, 150} {
		for _, scale := range []float64{0, 1e-3, 0.1, 1, 100, 1e6} {
			b := fwset.Birkhoff{N: n}
			x := normal(rng, n*n)
			floats.Scale(scale, x)
			p, v := make([]float64, n*n), make([]float64, n*n)
			b.Project(p, x)
			if g := b.Gauge(p); !(g <= 1+1e-13*float64(n)*(1+scale)) {
				t.Errorf("N = %d, x about %g: gauge 1 %+g", n, scale, g-1)
			}
			floats.SubTo(x, p, x) // p − x
			b.Argmin(v, x)
			if gap := floats.Dot(x, p) - floats.Dot(x, v); !(gap <= 1e-12*float64(n)*(1+scale)*(1+scale)) {
				t.Errorf("N = %d, x about %g: a step to a permutation gains %g", n, scale, gap)
			}
		}
	}
}

// A linear optimisation and a projection of random matrices.
func BenchmarkBirkhoff(b *testing.B) {
	for _, n := range []int{100, 300, 1000} {
		set := fwset.Birkhoff{N: n}
		rng := rand.New(rand.NewPCG(4, 6))
		g, dst := normal(rng, n*n), make([]float64, n*n)
		var v fwset.Vertex
		b.Run(fmt.Sprint("Argmin ", n), func(b *testing.B) {
			for b.Loop() {
				set.ArgminVertex(&v, g, 0, nil)
			}
		})
		b.Run(fmt.Sprint("Project ", n), func(b *testing.B) {
			for b.Loop() {
				set.Project(dst, g)
			}
		})
	}
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
