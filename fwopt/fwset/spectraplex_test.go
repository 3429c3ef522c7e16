package fwset_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
)

func TestSpectraplex(t *testing.T) {
	conform(t, fwset.Spectraplex{N: 1, R: 2}, fwset.Spectraplex{N: 2, R: 1}, fwset.Spectraplex{N: 7, R: 1e6}, fwset.Spectraplex{N: 66, R: 1e-3})
	b, x := fwset.Spectraplex{N: 2, R: 1}, make([]float64, 4)
	panics(t, map[string]func(){
		"of 0 x 0 matrices":    func() { fwset.Spectraplex{R: 1}.Dim() },
		"R = -1":               func() { fwset.Spectraplex{N: 2, R: -1}.Dim() },
		"a vector of length 1": func() { b.Project(x, x[:1]) },
	})
	if b.Project(x, []float64{math.NaN(), 1, 1, 1}); !math.IsNaN(x[1]) || !math.IsNaN(b.Gauge(x)) {
		t.Errorf("%v, of gauge %g, for the projection of a NaN", x, b.Gauge(x))
	}
	var v fwset.Vertex
	if s := b.ArgminVertex(&v, []float64{math.NaN(), 1, 1, 1}, 0, nil); !math.IsInf(s, 1) || v.Value[0] != 0.5 {
		t.Errorf("slack %g, %v for a NaN", s, v)
	}
}

// spectrum returns a symmetric matrix with these eigenvalues.
func spectrum(rng *rand.Rand, lambda []float64) []float64 {
	n := len(lambda)
	s := make([]float64, n*n)
	for i, l := range lambda {
		s[i*n+i] = l
	}
	for range 4 * n { // rotations of planes
		i, k := rng.IntN(n), rng.IntN(n)
		if i == k {
			continue
		}
		sin, cos := math.Sincos(rng.Float64() * 2 * math.Pi)
		for l := range n {
			a, b := s[l*n+i], s[l*n+k]
			s[l*n+i], s[l*n+k] = cos*a-sin*b, sin*a+cos*b
		}
		for l := range n {
			a, b := s[i*n+l], s[k*n+l]
			s[i*n+l], s[k*n+l] = cos*a-sin*b, sin*a+cos*b
		}
	}
	return s
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
		lambda := normal(rng, n)
		if k%3 == 0 {
			slices.Sort(lambda)
			lambda[1] = lambda[0] + 1e-7
		}
		g := spectrum(rng, lambda)
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

// The projection of a matrix of known spectrum has the spectrum's projection.
func TestSpectraplexProjectBySpectrum(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 2))
	for range 200 {
		n := 1 + rng.IntN(8)
		b := fwset.Spectraplex{N: n, R: math.Exp(rng.NormFloat64())}
		lambda, seed := normal(rng, n), rng.Uint64()
		x := spectrum(rand.New(rand.NewPCG(seed, 0)), lambda)
		p, got := make([]float64, n), make([]float64, n*n)
		fwset.Simplex{D: n, R: b.R}.Project(p, lambda)
		want := spectrum(rand.New(rand.NewPCG(seed, 0)), p)
		if b.Project(got, x); floats.Distance(got, want, 2) > 1e-12*(1+b.R) {
			t.Fatalf("%+v: %v becomes %v, want %v", b, x, got, want)
		}
	}
}

func ExampleSpectraplex() {
	b := fwset.Spectraplex{N: 2, R: 4}
	v := make([]float64, 4)
	b.Argmin(v, []float64{0, 1, 1, 0})
	fmt.Printf("%.3f\n", v)
	// Output: [2.000 -2.000 -2.000 2.000]
}
