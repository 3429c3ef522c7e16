package fwsum_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/fwtest"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
)

func ExampleEntryLoss() {
	// Of three numbers the first two are known to be 1 and 3; the third is to be predicted.
	f := fwsum.NewEntryLoss(3, []float64{1, 3})
	g := make([]float64, 3)
	f.Grad(g, []float64{2, 3, 9}, fwopt.Batch{})
	fmt.Println(f.Value([]float64{2, 3, 9}), g)
	// Output: 0.25 [0.5 0 0]
}

// LeastSquares with the rows of the identity matrix is the same sum.
func TestEntryLoss(t *testing.T) {
	for _, c := range []struct{ n, d int }{{1, 1}, {1, 4}, {6, 6}, {40, 57}, {70_000, 80_000}} {
		rng := rand.New(rand.NewPCG(17, 7))
		b := normals(rng, c.n)
		x := &fwsum.Sparse{N: c.n, M: c.d, Ptr: make([]int, c.n+1), Col: make([]int32, c.n), Val: slices.Repeat([]float64{1}, c.n)}
		for k := range c.n {
			x.Ptr[k+1], x.Col[k] = k+1, int32(k)
		}
		f, same := fwsum.NewEntryLoss(c.d, b), fwsum.NewLeastSquares(x, b)
		w, v := normals(rng, c.d), normals(rng, c.d)
		if f.Dim() != c.d || f.Len() != c.n || f.Smoothness() != same.Smoothness() {
			t.Errorf("%+v: d = %d, n = %d, L = %g", c, f.Dim(), f.Len(), f.Smoothness())
		}
		if got, want := f.Value(w), same.Value(w); !(math.Abs(got-want) <= 1e-13*want) {
			t.Errorf("%+v: f = %.17g, want %.17g", c, got, want)
		}
		for _, end := range [][]float64{v, w, append(b[:c.n:c.n], v[c.n:]...)} {
			if got, want := f.LineSearch(w, end), same.LineSearch(w, end); !(math.Abs(got-want) <= 1e-13) {
				t.Errorf("%+v: γ = %.17g, want %.17g", c, got, want)
			}
		}
		got, want := make([]float64, c.d), make([]float64, c.d)
		for _, batch := range []fwopt.Batch{{}, drawn(rng, c.n, 1), drawn(rng, c.n, 9), drawn(rng, c.n, c.n)} {
			f.Grad(got, w, batch)
			if same.Grad(want, w, batch); !floats.EqualApprox(got, want, 1e-15) {
				t.Errorf("%+v, %d terms: another gradient", c, len(batch.Index))
			}
			f.AddGradDiff(got, w, v, batch)
			if same.AddGradDiff(want, w, v, batch); !floats.EqualApprox(got, want, 1e-14) {
				t.Errorf("%+v, %d terms: another difference of gradients", c, len(batch.Index))
			}
		}
		f.Curve(got, w, v)
		if same.Curve(want, w, v); !floats.EqualApprox(got, want, 1e-15) {
			t.Errorf("%+v: another ∇²f", c)
		}
		if c.d < 100 {
			fwtest.TestFiniteSum(t, f)
		}
	}
	if !math.IsNaN(fwsum.NewEntryLoss(1, []float64{1}).LineSearch([]float64{math.NaN()}, []float64{1})) {
		t.Error("a line search from no number")
	}
}

func TestEntryLossPanics(t *testing.T) {
	f := fwsum.NewEntryLoss(2, []float64{1})
	for want, call := range map[string]func(){
		"0 observed numbers of a vector of 3": func() { fwsum.NewEntryLoss(3, nil) },
		"2 observed numbers of a vector of 1": func() { fwsum.NewEntryLoss(1, []float64{1, 2}) },
		"target 1 is NaN":                     func() { fwsum.NewEntryLoss(2, []float64{1, math.NaN()}) },
		"w has length 1, want 2":              func() { f.Value([]float64{1}) },
		"v has length 3":                      func() { f.LineSearch([]float64{1, 1}, make([]float64, 3)) },
		"a batch with term 1 of a sum of 1": func() {
			f.Grad(make([]float64, 2), make([]float64, 2), fwopt.Batch{Index: []int{1}, Weight: []float64{1}})
		},
	} {
		if r := small.Panics(call); !strings.HasPrefix(r, "fwsum: ") || !strings.Contains(r, want) {
			t.Errorf("%q, want %q", r, want)
		}
	}
}

// What decides a run is in the identity.
func TestEntryLossIdentity(t *testing.T) {
	seen := map[uint64]int{}
	for i, f := range []*fwsum.EntryLoss{fwsum.NewEntryLoss(2, []float64{1, 2}), fwsum.NewEntryLoss(3, []float64{1, 2}), fwsum.NewEntryLoss(2, []float64{2, 1}), fwsum.NewEntryLoss(2, []float64{1})} {
		h := ident.New(f, 0).Hash()
		if k, same := seen[h]; same {
			t.Errorf("sums %d and %d say the same", k, i)
		}
		seen[h] = i
	}
}
