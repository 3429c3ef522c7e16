package fwsum_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/fwtest"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
)

// ownLogistic is the multiclass logistic loss as a reader would write it.
type ownLogistic struct{ y []int }

func (l ownLogistic) Value(i int, s []float64) float64 { return floats.LogSumExp(s) - s[l.y[i]] }
func (l ownLogistic) Grad(i int, s []float64, c float64) {
	z := floats.LogSumExp(s)
	s[l.y[i]] = math.Inf(-1)
	for k, x := range s {
		s[k] = c * math.Exp(x-z)
	}
	s[l.y[i]] = -floats.Sum(s)
}
func (l ownLogistic) Smoothness() float64 { return 0.5 }
func (l ownLogistic) Lipschitz() float64  { return math.Sqrt2 }

// ownCurved says its second derivatives, too.
type ownCurved struct{ ownLogistic }

func (l ownCurved) Curve(i int, s, d []float64, c float64) {
	z := floats.LogSumExp(s)
	for k, x := range s {
		s[k] = math.Exp(x - z)
	}
	mean := floats.Dot(s, d)
	for k := range d {
		d[k] = c * s[k] * (d[k] - mean)
	}
}

func TestOwnLoss(t *testing.T) {
	for _, c := range []struct{ n, m, h, k int }{{1, 3, 2, 2}, {40, 17, 5, 4}, {300, 90, 3, 8}} {
		if c.n > 100 && testing.Short() {
			continue
		}
		ours, x, y := randomLogistic(8, c.n, c.m, c.h, c.k)
		f := fwsum.NewRowSum(x, c.h, ownLogistic{y})
		fwtest.TestFiniteSum(t, f)
		if f.Smoothness() != ours.Smoothness() || math.Abs(f.Lipschitz()-ours.Lipschitz()) > 1e-14*f.Lipschitz() {
			t.Errorf("%+v: L = %g and G = %g, ours %g and %g", c, f.Smoothness(), f.Lipschitz(), ours.Smoothness(), ours.Lipschitz())
		}
		rng := rand.New(rand.NewPCG(1, 1))
		w, v, g, want := normals(rng, f.Dim()), normals(rng, f.Dim()), make([]float64, f.Dim()), make([]float64, f.Dim())
		if got, want := f.Value(w), ours.Value(w); math.Abs(got-want) > 1e-14*want {
			t.Errorf("%+v: f = %.17g, ours %.17g", c, got, want)
		}
		for _, b := range []fwopt.Batch{{}, drawn(rng, c.n, 1+c.n/5), drawn(rng, c.n, 2*c.n)} {
			f.Grad(g, w, b)
			ours.Grad(want, w, b)
			if d := floats.Distance(g, want, 2); d > 1e-13*floats.Norm(want, 2) {
				t.Errorf("%+v, batch of %d: gradients are off by %g", c, len(b.Index), d)
			}
		}
		for tol, f := range map[float64]*fwsum.RowSum{1e-8: f, 1e-13: fwsum.NewRowSum(x, c.h, ownCurved{ownLogistic{y}})} {
			f.Curve(g, w, v)
			ours.Curve(want, w, v)
			if d := floats.Distance(g, want, 2); d > tol*floats.Norm(want, 2) {
				t.Errorf("%+v: the products with ∇²f are off by %g", c, d)
			}
		}
		if got, want := f.LineSearch(w, v), ours.LineSearch(w, v); math.Abs(got-want) > 1e-11*want {
			t.Errorf("%+v: γ = %.17g, ours %.17g", c, got, want)
		}
	}
}

// The line search without a second derivative, where the scores of all rows do not
// fit into one block.
func TestOwnLossInBlocks(t *testing.T) {
	ours, x, y := randomLogistic(3, 30, 20, 1<<16, 2) // a block has 16 rows
	f := fwsum.NewRowSum(x, 1<<16, ownLogistic{y})
	rng := rand.New(rand.NewPCG(1, 1))
	w, v := normals(rng, f.Dim()), normals(rng, f.Dim())
	if got, want := f.LineSearch(w, v), ours.LineSearch(w, v); !(want > 0 && want < 1 && math.Abs(got-want) <= 1e-11*want) {
		t.Errorf("γ = %.17g, ours %.17g", got, want)
	}
}

func TestRowSumConstants(t *testing.T) {
	x := &fwsum.Sparse{N: 2, M: 2, Ptr: []int{0, 2, 3}, Col: []int32{0, 1, 0}, Val: []float64{3, 4, 1}}
	f := fwsum.NewRowSum(x, 1, squaredHinge{[]float64{1, -1}})
	if f.Smoothness() != 25 || !math.IsInf(f.Lipschitz(), 1) {
		t.Errorf("L = %g, G = %g, want 25 and +Inf", f.Smoothness(), f.Lipschitz())
	}
	f.Name = "mine"
	if fmt.Sprint(f) != "mine" {
		t.Errorf("a sum named mine prints as %v", f)
	}
}

// named is squaredHinge with an identity.
type named struct{ squaredHinge }

func (l named) Identify(id *fwopt.Identity) { id.Of(l).Float(l.y...) }

// Keep knows a sum by its data and its loss, and by nothing less.
func TestKeepKnowsTheLoss(t *testing.T) {
	dir, x := t.TempDir(), rowsOf(3)
	run := func(f fwopt.FiniteSum) *fwopt.Trace {
		tr, err := fwkeep.Keep(context.Background(), dir, fwopt.NewOracle(f, fwset.Simplex{D: 3, R: 1}, 1), &fwopt.FW{Rule: fwopt.LineSearch{}}, fwopt.Budget{Steps: 3})
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	hinge := func(y ...float64) fwsum.Loss { return named{squaredHinge{y}} }
	specs := map[string]bool{}
	for _, f := range []fwopt.FiniteSum{
		fwsum.NewRowSum(x, 1, hinge(1, 1, -1)), fwsum.NewRowSum(x, 1, hinge(1, 1, 1)), fwsum.NewRowSum(rowsOf(2), 1, hinge(1, 1, -1)),
		fwsum.NewLeastSquares(x, []float64{1, 1, -1}), fwsum.NewLeastSquares(x, []float64{1, 1, 1}),
	} {
		tr := run(f)
		if tr.Note != "" || specs[tr.Spec] || tr.Spec == "" {
			t.Errorf("%T: kept as %q, note %q", f, tr.Spec, tr.Note)
		}
		specs[tr.Spec] = true
	}
	if tr := run(fwsum.NewRowSum(x, 1, hinge(1, 1, -1))); !specs[tr.Spec] {
		t.Error("the same sum, made again, is not known")
	}
	if tr := run(fwsum.NewRowSum(x, 1, squaredHinge{[]float64{1, 1, -1}})); !strings.Contains(tr.Note, "squaredHinge has no method Identify") {
		t.Errorf("a loss without an identity: %q", tr.Note)
	}
	if tr := run(struct{ *fwsum.RowSum }{fwsum.NewRowSum(x, 1, hinge(1, 1, -1))}); !strings.Contains(tr.Note, "has only the Identify of") {
		t.Errorf("a sum that embeds a RowSum: %q", tr.Note)
	}
}

// rowsOf returns the rows e_1, …, e_3 with a value on the diagonal.
func rowsOf(value float64) *fwsum.Sparse {
	return &fwsum.Sparse{N: 3, M: 3, Ptr: []int{0, 1, 2, 3}, Col: []int32{0, 1, 2}, Val: slices.Repeat([]float64{value}, 3)}
}

func TestRowSumPanics(t *testing.T) {
	x := rowsOf(1)
	for want, call := range map[string]func(){
		"fwsum: a RowSum of 0 scores and the loss fwsum_test.squaredHinge, want at least one score and a loss": func() { fwsum.NewRowSum(x, 0, squaredHinge{}) },
		"fwsum: a RowSum of 1 scores and the loss <nil>, want at least one score and a loss":                   func() { fwsum.NewRowSum(x, 1, nil) },
		"fwsum: the data is nil, want a *Sparse or a *Dense":                                                   func() { fwsum.NewRowSum(nil, 1, squaredHinge{}) },
		"fwsum: the loss of row 1 is NaN where the scores are 0":                                               func() { fwsum.NewRowSum(x, 1, squaredHinge{[]float64{1, math.NaN(), 1}}) },
		"runtime error: index out of range [2] with length 2":                                                  func() { fwsum.NewRowSum(x, 1, squaredHinge{[]float64{1, 1}}) },
	} {
		if got := small.Panics(call); got != want {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
}
