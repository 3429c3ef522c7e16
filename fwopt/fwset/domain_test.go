package fwset_test

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwtest"
)

func TestDomains(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	lo, hi := make([]float64, 7), make([]float64, 7)
	for j := range lo {
		lo[j] = rng.NormFloat64()
		hi[j] = lo[j] + rng.ExpFloat64()
	}
	hi[3] = lo[3] // a flat side
	for _, d := range []fwopt.Domain{
		fwset.Simplex{D: 1, R: 2}, fwset.Simplex{D: 2, R: 1}, fwset.Simplex{D: 50, R: 1}, fwset.Simplex{D: 9, R: 1e-6},
		fwset.L1Ball{D: 1, R: 2}, fwset.L1Ball{D: 50, R: 1}, fwset.L1Ball{D: 9, R: 1e6},
		fwset.L2Ball{D: 1, R: 2}, fwset.L2Ball{D: 50, R: 1}, fwset.L2Ball{D: 9, R: 1e-6},
		fwset.Box{Lo: lo, Hi: hi}, fwset.Box{Lo: []float64{-1}, Hi: []float64{1}}, fwset.Box{Lo: []float64{0, 2}, Hi: []float64{0, 2}},
		fwset.TraceNorm{H: 1, M: 1, Tau: 2}, fwset.TraceNorm{H: 1, M: 9, Tau: 2}, fwset.TraceNorm{H: 9, M: 1, Tau: 2, SVD: true},
		fwset.TraceNorm{H: 5, M: 8, Tau: 3}, fwset.TraceNorm{H: 8, M: 5, Tau: 1e-3}, fwset.TraceNorm{H: 5, M: 8, Tau: 3, SVD: true},
		fwset.TraceNorm{H: 8, M: 5, Tau: 1e3, SVD: true}, fwset.TraceNorm{H: 66, M: 70, Tau: 1},
	} {
		t.Run(fmt.Sprintf("%T %d", d, d.Dim()), func(t *testing.T) { fwtest.TestDomain(t, d) })
	}
}

// All that a domain is asked with the wrong length or a senseless field ends in
// a panic that says so.
func TestDomainPanics(t *testing.T) {
	for _, d := range []fwopt.Domain{
		fwset.Simplex{D: 3, R: 1}, fwset.L1Ball{D: 3, R: 1}, fwset.L2Ball{D: 3, R: 1},
		fwset.Box{Lo: []float64{1, 2, 3}, Hi: []float64{4, 5, 6}}, fwset.TraceNorm{H: 1, M: 3, Tau: 1}, fwset.TraceNorm{H: 3, M: 1, Tau: 1, SVD: true},
	} {
		three, two := make([]float64, 3), make([]float64, 2)
		mustPanic(t, d, "length 2, not 3", func() { d.Argmin(three, two) })
		mustPanic(t, d, "length 2, not 3", func() { d.Argmin(two, three) })
		mustPanic(t, d, "length 2, not 3", func() { d.(fwset.Projector).Project(three, two) })
		mustPanic(t, d, "length 2, not 3", func() { d.(fwset.Projector).Project(two, three) })
		mustPanic(t, d, "length 2, not 3", func() { d.(fwset.Gauged).Gauge(two) })
		if l, ok := d.(fwset.LocalLinear); ok {
			mustPanic(t, d, "length 2, not 3", func() { l.ArgminLocal(three, three, two, 1) })
		}
		if w, ok := d.(fwset.VertexDomain); ok {
			mustPanic(t, d, "length 2, not 3", func() { w.ArgminVertex(new(fwset.Vertex), two, 0, nil) })
		}
	}
	nan, inf := 0.0, 1e308
	nan /= nan
	inf *= 10
	for _, r := range []float64{0, -1, nan, inf, -inf} {
		for d, want := range map[fwopt.Domain]string{
			fwset.Simplex{D: 3, R: r}:                       "Simplex with R =",
			fwset.L1Ball{D: 3, R: r}:                        "L1Ball with R =",
			fwset.L2Ball{D: 3, R: r}:                        "L2Ball with R =",
			fwset.TraceNorm{H: 1, M: 3, Tau: r}:             "Tau =",
			fwset.TraceNorm{H: 1, M: 3, Tau: r, SVD: true}:  "Tau =",
			fwset.Simplex{D: 0, R: 1}:                       "dimension 0",
			fwset.L1Ball{D: -1, R: 1}:                       "dimension -1",
			fwset.L2Ball{D: 0, R: 1}:                        "dimension 0",
			fwset.TraceNorm{H: 0, M: 3, Tau: 1}:             "0 x 3",
			fwset.TraceNorm{H: 3, M: -3, Tau: 1}:            "3 x -3",
			&fwset.Box{}:                                    "0 lower and 0 upper",
			&fwset.Box{Lo: three(0), Hi: two(1)}:            "3 lower and 2 upper",
			&fwset.Box{Lo: three(0), Hi: three(min(-1, r))}: "coordinate 0",
			&fwset.Box{Lo: three(max(r, 1)), Hi: three(0)}:  "coordinate 0",
		} {
			x := make([]float64, 3)
			mustPanic(t, d, want, func() { d.Dim() })
			if want != "dimension 0" && want != "dimension -1" {
				mustPanic(t, d, want, func() { d.Argmin(x, x) })
				mustPanic(t, d, want, func() { d.(fwset.Projector).Project(x, x) })
				mustPanic(t, d, want, func() { d.(fwset.Gauged).Gauge(x) })
				mustPanic(t, d, want, func() { d.(fwset.Bounded).Diameter() })
			}
		}
	}
}

func three(x float64) []float64 { return []float64{x, x, x} }
func two(x float64) []float64   { return []float64{x, x} }

func mustPanic(t *testing.T, d fwopt.Domain, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if s := fmt.Sprint(recover()); !strings.HasPrefix(s, "fwset: ") || !strings.Contains(s, want) {
			t.Errorf("%T: the panic says %q, want fwset: … %q", d, s, want)
		}
	}()
	f()
}

// A Warm keeps its random numbers through gob.
func TestWarmGob(t *testing.T) {
	type state struct {
		Steps int
		Warm  fwset.Warm
	}
	a := state{7, fwset.Warm{V: []float64{1, 2.5}, RNG: *rand.NewPCG(3, 4)}}
	a.Warm.RNG.Uint64()
	var buf bytes.Buffer
	if err := gob.NewEncoder(&buf).Encode(&a); err != nil {
		t.Fatal(err)
	}
	var b state
	if err := gob.NewDecoder(&buf).Decode(&b); err != nil {
		t.Fatal(err)
	}
	if b.Steps != 7 || len(b.Warm.V) != 2 || b.Warm.V[1] != 2.5 {
		t.Fatalf("got %+v, want %+v", b, a)
	}
	for range 10 {
		if x, y := a.Warm.RNG.Uint64(), b.Warm.RNG.Uint64(); x != y {
			t.Fatalf("the random numbers go on with %x, want %x", y, x)
		}
	}
}

func ExampleTraceNorm() {
	// 2 classes, 3 features; the gradient has the singular values 4 and 3.
	b := fwset.TraceNorm{H: 2, M: 3, Tau: 10}
	g := []float64{
		0, 4, // feature 0, classes 0 and 1
		3, 0, // feature 1
		0, 0,
	}
	v := make([]float64, b.Dim())
	b.Argmin(v, g)
	fmt.Printf("%.3f, of norm %.3f\n", v[1], b.Gauge(v)*b.Tau) // of feature 0 and class 1
	// Output: -10.000, of norm 10.000
}
