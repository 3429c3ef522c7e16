package fwset_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwtest"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
)

// conform runs fwtest.TestDomain on each.
func conform(t *testing.T, domains ...fwset.Domain) {
	t.Helper()
	for _, d := range domains {
		t.Run(fmt.Sprintf("%T %d", d, d.Dim()), func(t *testing.T) { fwtest.TestDomain(t, d) })
	}
}

// panics holds that each call ends in a panic that says this.
func panics(t *testing.T, calls map[string]func()) {
	t.Helper()
	for want, call := range calls {
		if got := small.Panics(call); !strings.HasPrefix(got, "fwset: ") || !strings.Contains(got, want) {
			t.Errorf("%q, want fwset: … %q", got, want)
		}
	}
}

// root returns the x in [lo, hi] up to which f is positive, by bisection.
func root(lo, hi float64, f func(x float64) float64) float64 {
	for range 200 {
		if mid := (lo + hi) / 2; f(mid) > 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

func TestKSparse(t *testing.T) {
	conform(t, fwset.KSparse{D: 1, K: 1, R: 2}, fwset.KSparse{D: 30, K: 4, R: 1}, fwset.KSparse{D: 9, K: 1, R: 1e6}, fwset.KSparse{D: 9, K: 9, R: 1e-6})
	x := make([]float64, 3)
	panics(t, map[string]func(){
		"K = 0, want 1 to D = 3":  func() { fwset.KSparse{D: 3, R: 1}.Argmin(x, x) },
		"K = 4, want 1 to D = 3":  func() { fwset.KSparse{D: 3, K: 4, R: 1}.Dim() },
		"R = NaN":                 func() { fwset.KSparse{D: 3, K: 1, R: math.NaN()}.Gauge(x) },
		"a vector of length 2":    func() { fwset.KSparse{D: 3, K: 1, R: 1}.Project(x, x[:2]) },
		"a vector of length 2, n": func() { fwset.KSparse{D: 3, K: 1, R: 1}.ArgminVertex(new(fwset.Vertex), x[:2], 0, nil) },
		"KSparse polytope of dim": func() { fwset.KSparse{K: 1, R: 1}.Diameter() },
	})
}

// By bisection on θ; and the ends of the family are the sets they are said to be.
func TestKSparseProjectByBisection(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for range 2000 {
		b := fwset.KSparse{D: 1 + rng.IntN(12), R: math.Exp(rng.NormFloat64())}
		b.K = 1 + rng.IntN(b.D)
		x, got, want := randomPoint(rng, b.D), make([]float64, b.D), make([]float64, b.D)
		at := func(theta float64) (over float64) {
			for j, v := range x {
				want[j] = math.Copysign(math.Min(b.R, math.Max(0, math.Abs(v)-theta)), v)
				over += math.Abs(want[j])
			}
			return over - float64(b.K)*b.R
		}
		if at(0) > 0 {
			at(root(0, floats.Norm(x, math.Inf(1)), at))
		}
		b.Project(got, x)
		if e := floats.Distance(got, want, 2); !(e <= 1e-11*(b.R+floats.Norm(x, 2))) {
			t.Fatalf("%+v, %v: %v, want %v", b, x, got, want)
		}
		if g := b.Gauge(got); g > 1+1e-12 {
			t.Fatalf("%+v, %v: gauge %.17g", b, x, g)
		}
		var twin fwset.Projector = fwset.L1Ball{D: b.D, R: b.R}
		b.K = 1
		if rng.IntN(2) == 0 {
			lo, hi := make([]float64, b.D), make([]float64, b.D)
			for j := range lo {
				lo[j], hi[j] = -b.R, b.R
			}
			b.K, twin = b.D, fwset.Box{Lo: lo, Hi: hi}
		}
		b.Project(got, x)
		twin.Project(want, x)
		if e := floats.Distance(got, want, 2); !(e <= 1e-11*(b.R+floats.Norm(x, 2))) {
			t.Fatalf("%+v, %v: %v, but %T has %v", b, x, got, twin, want)
		}
	}
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
