package fwsum_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"gonum.org/v1/gonum/floats"
)

// Far off and near 0 no digit is lost; what is between them TestSumsAgainstNaive has.
func TestLossesInClosedForm(t *testing.T) {
	unit := &fwsum.Dense{N: 1, M: 1, Val: []float64{1}} // a single row whose score is w
	cross := func(y float64) *fwsum.RowSum { return fwsum.NewBinaryLogistic(unit, []float64{y}) }
	huber := func(b, delta float64) *fwsum.RowSum { return fwsum.NewHuber(unit, []float64{b}, delta) }
	hinge := func(y int, delta float64) *fwsum.RowSum { return fwsum.NewSmoothHinge(unit, []int{y}, delta) }
	for _, c := range []struct {
		name            string
		f               *fwsum.RowSum
		s, value, slope float64
	}{
		{"a sure hit keeps its digits", cross(1), 50, math.Exp(-50), -math.Exp(-50)},
		{"and of the other class", cross(0), -50, math.Exp(-50), math.Exp(-50)},
		{"far above", cross(0), 1e300, 1e300, 1},
		{"far above, a hit", cross(1), 1e300, 0, 0},
		{"far above, a share", cross(0.25), 1e300, 0.75e300, 0.75},
		{"far below", cross(1), -1e300, 1e300, -1},
		{"far below, a hit", cross(0), -1e300, 0, 0},

		{"far off", huber(2, 3), 1e300, 3e300, 3},
		{"far off below", huber(-2, 0.5), -1e300, 0.5e300, -0.5},

		{"far off", hinge(0, 0.5), 1e300, 1e300, 1},
		{"far off, a hit", hinge(1, 0.5), 1e300, 0, 0},
		{"a round as wide as that", hinge(0, 1e300), 1e299, 0.5e298, 0.1},
	} {
		value, slope := c.f.Value([]float64{c.s}), []float64{0}
		c.f.Grad(slope, []float64{c.s}, fwopt.Batch{})
		if !(math.Abs(value-c.value) <= 4e-15*c.value) ||
			!(math.Abs(slope[0]-c.slope) <= 4e-15*math.Abs(c.slope)) {
			t.Errorf("%s: ℓ(%g) = %.17g with slope %.17g, want %.17g and %.17g", c.name, c.s, value, slope[0],
				c.value, c.slope)
		}
	}
}

// No finite score of a loss with a bounded gradient overflows, and what is not a number is seen.
func TestLossesAtExtremes(t *testing.T) {
	for name, l := range losses() {
		if l.h > 100 {
			continue
		}
		rng := rand.New(rand.NewPCG(9, 9))
		x, y, d := sparseRows(rng, 20, 6, 3), make([]float64, 20), 6*l.h
		for i := range y {
			y[i] = l.target(rng)
		}
		f := l.of(x, y)
		w, g := normals(rng, d), make([]float64, d)
		for _, scale := range []float64{0, 1e-300, 1e-10, 1e6, 1e100, 1e300, -1e300} {
			if l.g == 0 || l.h == 3 && math.Abs(scale) > 1e100 { // one of a reader's own
				continue
			}
			v := floats.ScaleTo(make([]float64, d), scale, w)
			f.Grad(g, v, fwopt.Batch{})
			if value := f.Value(v); !(value >= 0) || math.IsInf(value, 0) ||
				!(floats.Norm(g, 2) <= f.(interface{ Lipschitz() float64 }).Lipschitz()) {
				t.Errorf("%s, scale %g: f = %g, ‖∇f‖ = %g", name, scale, value, floats.Norm(g, 2))
			}
			if gamma := f.LineSearch(v, w); !(gamma >= 0 && gamma <= 1) {
				t.Errorf("%s, scale %g: γ = %g", name, scale, gamma)
			}
		}
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			for j := range w {
				v := slices.Clone(w)
				v[j] = bad
				if value := f.Value(v); !math.IsNaN(value) && !math.IsInf(value, 1) {
					t.Errorf("%s: f = %g with %g among the weights", name, value, bad)
				}
				f.Grad(g, v, fwopt.Batch{})
				f.AddGradDiff(g, v, w, drawn(rng, 20, 3))
				if gamma := f.LineSearch(w, v); !math.IsNaN(gamma) {
					t.Errorf("%s: line search towards %g gives %g", name, bad, gamma)
				}
			}
		}
	}
}
