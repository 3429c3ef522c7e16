package fwset_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
)

func TestSpectralNorm(t *testing.T) {
	conform(t, fwset.SpectralNorm{H: 1, M: 1, R: 2}, fwset.SpectralNorm{H: 3, M: 5, R: 1}, fwset.SpectralNorm{H: 6, M: 2, R: 1e6}, fwset.SpectralNorm{H: 4, M: 4, R: 1e-6})
	b, x := fwset.SpectralNorm{H: 2, M: 1, R: 1}, make([]float64, 2)
	panics(t, map[string]func(){
		"of 0 x 3 matrices":    func() { fwset.SpectralNorm{M: 3, R: 1}.Dim() },
		"R = 0":                func() { fwset.SpectralNorm{H: 2, M: 3}.Diameter() },
		"a vector of length 1": func() { b.Project(x, x[:1]) },
	})
	b.Argmin(x, []float64{math.NaN(), 1})
	if b.Gauge(x) != 0 {
		t.Errorf("%v for a NaN", x)
	}
	if b.Project(x, []float64{math.NaN(), 1}); !math.IsNaN(x[1]) || !math.IsNaN(b.Gauge(x)) {
		t.Errorf("%v, of gauge %g, for the projection of a NaN", x, b.Gauge(x))
	}
}

// The matrices that a rotation and an orthogonal basis bring to a diagonal are the ball of
// the largest number: there the projection and the gauge are a box's. What Argmin gives is
// orthogonal.
func TestSpectralNormOfDiagonals(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	for range 500 {
		h, m := 1+rng.IntN(5), 1+rng.IntN(5)
		b := fwset.SpectralNorm{H: h, M: m, R: math.Exp(rng.NormFloat64())}
		x, want, got := make([]float64, h*m), make([]float64, h*m), make([]float64, h*m)
		top := 0.0
		for k := range min(h, m) {
			x[k*h+k] = 2 * b.R * rng.NormFloat64()
			want[k*h+k] = max(-b.R, min(b.R, x[k*h+k]))
			top = max(top, math.Abs(x[k*h+k]))
		}
		turn(rng, h, m, x, want)
		if b.Project(got, x); floats.Distance(got, want, 2) > 1e-12*(top+b.R) {
			t.Fatalf("%+v: %v becomes %v, want %v", b, x, got, want)
		}
		if g := b.Gauge(x); math.Abs(g-top/b.R) > 1e-12*g {
			t.Fatalf("%+v: the gauge of %v is %g, want %g", b, x, g, top/b.R)
		}
		if h <= m {
			b.Argmin(got, normal(rng, h*m))
			for i := range h {
				for k := range h {
					sum := 0.0
					for j := range m {
						sum += got[j*h+i] * got[j*h+k] / b.R / b.R
					}
					if one := map[bool]float64{true: 1}[i == k]; math.Abs(sum-one) > 1e-13 {
						t.Fatalf("%+v: rows %d and %d of %v have the product %g", b, i, k, got, sum)
					}
				}
			}
		}
	}
}

// turn rotates the h × m matrices by the same planes' rotations, of rows and of columns.
func turn(rng *rand.Rand, h, m int, xs ...[]float64) {
	for range 3 * (h + m) {
		s, c := math.Sincos(rng.Float64() * 2 * math.Pi)
		i, k, rows := rng.IntN(h), rng.IntN(h), rng.IntN(2) == 0
		n, step := m, func(l, i int) int { return l*h + i }
		if !rows {
			i, k = rng.IntN(m), rng.IntN(m)
			n, step = h, func(l, j int) int { return j*h + l }
		}
		if i == k {
			continue
		}
		for _, x := range xs {
			for l := range n {
				a, b := x[step(l, i)], x[step(l, k)]
				x[step(l, i)], x[step(l, k)] = c*a-s*b, s*a+c*b
			}
		}
	}
}

func ExampleSpectralNorm() {
	b := fwset.SpectralNorm{H: 2, M: 2, R: 1}
	p := make([]float64, 4)
	b.Project(p, []float64{3, 0, 0, -0.5})
	fmt.Println(p, b.Gauge(p))
	// Output: [1 0 0 -0.5] 1
}
