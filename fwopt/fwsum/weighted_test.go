package fwsum_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/fwtest"
	"gonum.org/v1/gonum/floats"
)

// A row that counts three times is three rows.
func TestWeighted(t *testing.T) {
	type weighs interface {
		Weighted(c []float64) *fwsum.RowSum
	}
	for name, l := range losses() {
		if l.h > 100 {
			continue
		}
		rng := rand.New(rand.NewPCG(2, 5))
		const n, m = 30, 7
		x, y, c := sparseRows(rng, n, m, 3), make([]float64, n), make([]float64, n)
		more, targets := &fwsum.Sparse{M: m, Ptr: []int{0}}, []float64(nil)
		for i := range y {
			y[i], c[i] = l.target(rng), float64(rng.IntN(4))
			for range int(c[i]) {
				col, val := x.Row(i)
				more.Col, more.Val, targets = append(more.Col, col...), append(more.Val, val...),
					append(targets, y[i])
				more.Ptr, more.N = append(more.Ptr, len(more.Val)), more.N+1
			}
		}
		naive := l.of(more, targets)
		share := float64(more.N) / n
		for kind, x := range map[string]fwsum.Features{"sparse": x, "dense": x.Dense()} {
			f := l.of(x, y).(weighs).Weighted(c)
			fwtest.TestFiniteSum(t, f)
			w, v := normals(rng, m*l.h), normals(rng, m*l.h)
			got, want := make([]float64, m*l.h), make([]float64, m*l.h)
			check := func(what string, got, want []float64, tol float64) {
				floats.Scale(share, want)
				if far := floats.Distance(got, want, 2); !(far <= tol*(1+floats.Norm(want, 2))) {
					t.Errorf("%s, %s: %s is off by %g", name, kind, what, far)
				}
			}
			check("f", []float64{f.Value(w)}, []float64{naive.Value(w)}, 1e-13)
			f.Grad(got, w, fwopt.Batch{})
			naive.Grad(want, w, fwopt.Batch{})
			check("the gradient", got, want, 1e-13)
			f.Curve(got, w, v)
			naive.Curve(want, w, v)
			check("the product with ∇²f", got, want, 1e-7)
			if a, b := f.LineSearch(w, v), naive.LineSearch(w, v); math.Abs(a-b) > 1e-10 {
				t.Errorf("%s, %s: γ = %g, want %g", name, kind, a, b)
			}
			plain := l.of(x, y)
			if g := l.g; f.Smoothness() != 3*plain.Smoothness() || g > 0 &&
				math.Abs(f.Lipschitz()-3*plain.(interface{ Lipschitz() float64 }).Lipschitz()) > 1e-12 ||
				f.NonConvex() != (name == "own, not convex") {
				t.Errorf("%s, %s: L = %g, G = %g", name, kind, f.Smoothness(), f.Lipschitz())
			}
			if name == "logistic" && !slices.Equal(f.Predict(w, x), plain.(predictor).Predict(w, x)) {
				t.Errorf("%s: other predictions", kind)
			}
		}
	}
	rows := rowsOf(1)
	f := fwsum.NewLeastSquares(rows, make([]float64, 3))
	for want, c := range map[string][]float64{"fwsum: 2 weights for 3 rows": {1, 2},
		"fwsum: the weight of row 1 is NaN":                                     {1, math.NaN(), 1},
		"fwsum: weights of rows from -1 to 2, want none below 0, and one above": {2, -1, 1},
		"fwsum: weights of rows from 0 to 0, want none below 0, and one above":  {0, 0, 0}} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != want {
					t.Errorf("panic %q, want %q", got, want)
				}
			}()
			f.Weighted(c)
		}()
	}
}
