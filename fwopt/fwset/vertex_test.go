package fwset_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
)

var forms = []string{"dense", "sparse", "rank one"}

// vertexOf returns a random vertex of a form, and the vector that it is, made by
// loops of this test.
func vertexOf(form string, h, m int, rng *rand.Rand) (v fwset.Vertex, x []float64) {
	x = make([]float64, h*m)
	switch form {
	case "dense":
		value := v.SetDense(h * m)
		for i := range value {
			value[i] = rng.NormFloat64()
			x[i] = value[i]
		}
	case "sparse":
		n := rng.IntN(h*m + 1)
		index, value := v.SetSparse(h*m, n)
		for k, i := range slices.Sorted(slices.Values(rng.Perm(h * m)[:n])) {
			index[k], value[k] = i, rng.NormFloat64()
			x[i] = value[k]
		}
	default:
		u, w := v.SetRankOne(h, m)
		for l := range u {
			u[l] = rng.NormFloat64()
		}
		for j := range w {
			if w[j] = rng.NormFloat64(); rng.IntN(3) == 0 {
				w[j] = 0
			}
			for l := range u {
				x[j*h+l] = u[l] * w[j]
			}
		}
	}
	return v, x
}

// What is done with a Vertex is done with the vector that it is, to the same bits: each
// product and each sum rounded on its own, also where a compiler would fuse them.
func TestVertex(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	var reused fwset.Vertex // takes up each form after any other
	for range 300 {
		for _, form := range forms {
			h, m := 1+rng.IntN(30), 1+rng.IntN(20)
			if rng.IntN(20) == 0 {
				m = 4000 // more than one piece of parallel work
			}
			if rng.IntN(60) == 0 {
				h, m = 70_000, 1
			}
			v, x := vertexOf(form, h, m, rng)
			reused.Set(&v)
			for what, v := range map[string]*fwset.Vertex{form: &v, form + ", a copy": &reused} {
				v.Check(h * m)
				y := fwset.Normal(rng, h*m)
				same := func(call string, got, want []float64) {
					t.Helper()
					if !slices.Equal(got, want) {
						t.Fatalf("%s, %d x %d: %s is %g off", what, h, m, call, floats.Distance(got, want,
							math.Inf(1)))
					}
				}
				got := fwset.Normal(rng, h*m)
				v.Dense(got)
				same("Dense", got, x)
				for _, gamma := range []float64{0, 1, rng.Float64()} {
					got, want := slices.Clone(y), slices.Clone(y)
					if gamma == 1 {
						got = slices.Repeat([]float64{math.NaN()}, h*m) // it is not read
					}
					v.Lerp(got, gamma)
					fwopt.Lerp(want, gamma, x)
					same(fmt.Sprintf("Lerp by %g", gamma), got, want)
					v.LerpTo(got, y, gamma)
					same(fmt.Sprintf("LerpTo by %g", gamma), got, want)
				}
				v.From(got, y)
				same("From", got, floats.SubTo(make([]float64, h*m), y, x))
				g := fwset.Normal(rng, h*m)
				slope, length2 := v.Gap(g, y)
				size := floats.Norm(g, 2) * floats.Norm(got, 2)
				if far := math.Abs(slope - floats.Dot(g, got)); far > 1e-13*size {
					t.Fatalf("%s, %d x %d: the slope of Gap is %g off", what, h, m, far)
				}
				if want := floats.Dot(got, got); math.Abs(length2-want) > 1e-13*want {
					t.Fatalf("%s, %d x %d: the length of Gap is %g, want %g", what, h, m, length2, want)
				}
				got = slices.Clone(y)
				v.From(got, got)
				same("From in place", got, floats.SubTo(make([]float64, h*m), y, x))
				got = slices.Clone(y)
				v.AddTo(got, -0.3)
				want := make([]float64, h*m)
				for i := range want {
					want[i] = y[i] + float64(-0.3*x[i]) // gonum rounds once where a compiler fuses
				}
				same("AddTo", got, want)
				dot := 0.0
				for i := range x {
					dot += float64(x[i] * y[i])
				}
				if a := v.Dot(y); a != dot {
					t.Fatalf("%s: Dot is %.17g, want %.17g", what, a, dot)
				}
				var packed fwset.Vertex
				packed.Pack(x)
				if !v.Equal(&packed) || !packed.Equal(v) {
					t.Fatalf("%s: not Equal to its own numbers", what)
				}
				if x[rng.IntN(len(x))]++; true {
					packed.Pack(x)
					if v.Equal(&packed) {
						t.Fatalf("%s: Equal to another vector", what)
					}
					v.Dense(x)
				}
			}
		}
	}
}

// Products of two vertices, and of many with one vector, in and across all forms.
func TestVertexProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 10))
	for i := range 600 {
		h, m := 1+rng.IntN(30), 1+rng.IntN(20)
		if rng.IntN(20) == 0 {
			m = 4000
		}
		var vs []fwset.Vertex
		var xs [][]float64
		for k := range rng.IntN(5) {
			form := i
			if i%4 == 0 { // a set may answer with 0, or with a matrix of rank one
				form += k
			}
			v, x := vertexOf(forms[form%3], h, m, rng)
			vs, xs = append(vs, v), append(xs, x)
		}
		y := fwset.Normal(rng, h*m)
		got, sum := make([]float64, len(vs)), make([]float64, h*m)
		fwset.Dots(got, vs, y)
		fwset.Sum(sum, 2, y, got, vs)
		floats.AddScaled(sum, -2, y)
		size := 1e-12 * floats.Norm(y, 2)
		for i := range vs {
			floats.AddScaled(sum, -got[i], xs[i])
			size += 1e-12 * math.Abs(got[i]) * floats.Norm(xs[i], 2)
		}
		if far := floats.Norm(sum, 2); far > size {
			t.Fatalf("Sum of %d x %d is %g off", h, m, far)
		}
		w, z := vertexOf(forms[i/3%3], h, m, rng)
		for i := range vs {
			scale := 1e-12 * floats.Norm(xs[i], 2)
			if want := floats.Dot(xs[i], y); math.Abs(got[i]-want) > scale*floats.Norm(y, 2) {
				t.Fatalf("Dots of %d x %d: %g, want %g", h, m, got[i], want)
			}
			a, b, want := w.Inner(&vs[i]), vs[i].Inner(&w), floats.Dot(xs[i], z)
			if math.Abs(a-want) > scale*floats.Norm(z, 2) || math.Abs(b-want) > scale*floats.Norm(z, 2) {
				t.Fatalf("Inner of %d x %d: %g and %g, want %g", h, m, a, b, want)
			}
		}
	}
}

// wrong is a set whose answer is no vertex.
type wrong struct {
	fwset.Simplex
	answer fwset.Vertex
}

func (w wrong) ArgminVertex(v *fwset.Vertex, _ []float64, _ float64, _ *fwset.Warm) float64 {
	*v = w.answer
	return 0
}

// halfOwn embeds a set and overrides only its Argmin.
type halfOwn struct{ fwset.Simplex }

func (h halfOwn) Argmin(dst, g []float64) {
	h.Simplex.Argmin(dst, g)
	floats.Scale(2, dst)
}

// halfNear embeds a set and overrides only its Project.
type halfNear struct{ fwset.TraceNorm }

func (h halfNear) Project(dst, x []float64) {
	h.TraceNorm.Project(dst, x)
	floats.Scale(0.5, dst)
}

// begin begins a run, which looks at a set that fwtest has not passed.
func begin(f fwopt.FiniteSum, omega fwopt.Domain) {
	fwopt.NewRunner(fwopt.NewOracle(f, omega, 1), &fwopt.FW{}, fwopt.Budget{Steps: 1})
}

func TestEmbeddedSet(t *testing.T) {
	for want, omega := range map[string]fwset.Domain{
		"must override ArgminVertex, too": halfOwn{fwset.Simplex{D: 3, R: 1}},
		"must override ProjectWarm, too":  halfNear{fwset.TraceNorm{H: 1, M: 3, Tau: 1}},
	} {
		got := small.Panics(func() { begin(fwsum.NewQuadratic(3, nil, []float64{1, 2, 3}), omega) })
		if !strings.Contains(got, fmt.Sprintf("%T", omega)) || !strings.Contains(got, want) {
			t.Error(got)
		}
	}
}

// What is not a vertex is named, before a method uses it.
func TestVertexBadInput(t *testing.T) {
	type V = fwset.Vertex
	x, two, five, v := make([]float64, 3), make([]float64, 2), make([]float64, 5), new(V)
	v.SetDense(3)
	for want, bad := range map[string]V{
		"a Vertex of dimension 4, want 3":                    {D: 4, Value: make([]float64, 4)},
		"a Vertex of dimension 0, want 3":                    {},
		"index 1 after 1; the indices must rise, each once":  {D: 3, Index: []int{1, 1}, Value: two},
		"index 0 after 2; the indices must rise, each once":  {D: 3, Index: []int{2, 0}, Value: two},
		"index 3 after -1":                                   {D: 3, Index: []int{3}, Value: two[:1]},
		"with 1 indices and 2 values":                        {D: 3, Index: []int{1}, Value: two},
		"made of U with 3 numbers and V with 2":              {D: 3, U: x, V: two},
		"made of U with 3 numbers and V with 1, and 1 value": {D: 3, U: x, V: two[:1], Value: two[:1]},
	} {
		s := wrong{fwset.Simplex{D: 3, R: 1}, bad}
		panics(t, want, []func(){func() { begin(fwsum.NewQuadratic(3, nil, x), s) }})
	}
	for want, call := range map[string]func(){
		"γ = 1.5, want a step":             func() { v.Lerp(x, 1.5) },
		"γ = NaN, want a step":             func() { v.Lerp(x, nan) },
		"a vector of length 2":             func() { v.Lerp(two, 1) },
		"a vector of length 5, not 3":      func() { v.Dense(five) },
		"a vector of length 5, not":        func() { v.From(x, five) },
		"a Vertex of dimension 0 with 0":   func() { v.SetDense(0) },
		"a Vertex of dimension 3 with 4":   func() { v.SetSparse(3, 4) },
		"a Vertex of dimension 2 with -1":  func() { v.SetSparse(2, -1) },
		"a Vertex of dimension -1 with 0 ": func() { v.SetRankOne(3, -1) },
	} {
		panics(t, want, []func(){call})
	}
}
