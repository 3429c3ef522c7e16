package fwsum_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/fwtest"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
)

// A scalarLoss is one of the losses of one score, by its definition: the value and
// the slope at the score s for the target y.
type scalarLoss struct {
	sum          func(x fwsum.Features, y []float64) *fwsum.RowSum
	target       func(rng *rand.Rand) float64
	value, slope func(s, y float64) float64
	beta, g      float64 // bounds on the curvature and the slope
}

func scalarLosses() map[string]scalarLoss {
	const delta, width = 0.7, 0.4
	return map[string]scalarLoss{
		"binary logistic": {
			sum:    fwsum.NewBinaryLogistic,
			target: func(rng *rand.Rand) float64 { return max(0, min(1, 2*rng.Float64()-0.5)) },
			value:  func(s, y float64) float64 { return math.Log(1+math.Exp(s)) - y*s },
			slope:  func(s, y float64) float64 { return 1/(1+math.Exp(-s)) - y },
			beta:   0.25, g: 1,
		},
		"Huber": {
			sum:    func(x fwsum.Features, y []float64) *fwsum.RowSum { return fwsum.NewHuber(x, y, delta) },
			target: func(rng *rand.Rand) float64 { return rng.NormFloat64() },
			value: func(s, y float64) float64 { // min_u ½u² + δ|s − y − u|
				u := math.Copysign(min(math.Abs(s-y), delta), s-y)
				return u*u/2 + delta*math.Abs(s-y-u)
			},
			slope: func(s, y float64) float64 { return math.Copysign(min(math.Abs(s-y), delta), s-y) },
			beta:  1, g: delta,
		},
		"smooth hinge": {
			sum: func(x fwsum.Features, y []float64) *fwsum.RowSum {
				labels := make([]int, len(y))
				for i := range y {
					labels[i] = int(y[i])
				}
				return fwsum.NewSmoothHinge(x, labels, width)
			},
			target: func(rng *rand.Rand) float64 { return float64(rng.IntN(2)) },
			value: func(s, y float64) float64 { // max_{0≤t≤1} t(1 − a) − δt²/2
				u := 1 - (2*y-1)*s
				t := max(0, min(1, u/width))
				return t*u - width*t*t/2
			},
			slope: func(s, y float64) float64 { return (1 - 2*y) * max(0, min(1, (1-(2*y-1)*s)/width)) },
			beta:  1 / width, g: 1,
		},
	}
}

func TestLossesAgainstNaive(t *testing.T) {
	for name, l := range scalarLosses() {
		for _, c := range []struct{ n, m, k int }{{1, 3, 2}, {40, 7, 3}, {60, 90, 8}, {3000, 50, 5}} {
			rng := rand.New(rand.NewPCG(1, uint64(c.n)))
			x, y := sparseRows(rng, c.n, c.m, c.k), make([]float64, c.n)
			for i := range y {
				y[i] = l.target(rng)
			}
			f := l.sum(x, y)
			if c.n < 1000 {
				fwtest.TestFiniteSum(t, f)
			}
			top := 0.0
			for i := range c.n {
				_, val := x.Row(i)
				top = max(top, floats.Norm(val, 2))
			}
			if d := math.Abs(f.Smoothness() - l.beta*top*top); d > 1e-14*f.Smoothness() {
				t.Errorf("%s: L = %g, want %g", name, f.Smoothness(), l.beta*top*top)
			}
			if d := math.Abs(f.Lipschitz() - l.g*top); d > 1e-14*f.Lipschitz() {
				t.Errorf("%s: G = %g, want %g", name, f.Lipschitz(), l.g*top)
			}
			for _, b := range []fwopt.Batch{{}, drawn(rng, c.n, 1+c.n/5), drawn(rng, c.n, 2*c.n)} {
				w := normals(rng, c.m)
				value, grad, size := 0.0, make([]float64, c.m), 0.0
				for i, weight := range b.All(c.n) {
					col, val := x.Row(i)
					s := 0.0
					for k, j := range col {
						s += val[k] * w[j]
					}
					value += weight * l.value(s, y[i])
					for k, j := range col {
						grad[j] += weight * l.slope(s, y[i]) * val[k]
						size += math.Abs(weight * val[k])
					}
				}
				if got := f.Value(w); b.Index == nil && math.Abs(got-value) > 1e-13*(1+value) {
					t.Errorf("%s, %+v: f = %.17g, want %.17g", name, c, got, value)
				}
				got := make([]float64, c.m)
				f.Grad(got, w, b)
				if d := floats.Distance(got, grad, math.Inf(1)); d > 1e-14*size {
					t.Errorf("%s, %+v, batch of %d: the gradient is off by %g", name, c, len(b.Index), d)
				}
			}
		}
	}
}

// one returns the value and the slope of a loss of one row at the score s.
func one(f *fwsum.RowSum, s float64) (value, slope float64) {
	g := make([]float64, 1)
	f.Grad(g, []float64{s}, fwopt.Batch{})
	return f.Value([]float64{s}), g[0]
}

// unit is a single row whose score is w.
func unit() *fwsum.Sparse {
	return &fwsum.Sparse{N: 1, M: 1, Ptr: []int{0, 1}, Col: []int32{0}, Val: []float64{1}}
}

func TestLossesInClosedForm(t *testing.T) {
	cross := func(y float64) *fwsum.RowSum { return fwsum.NewBinaryLogistic(unit(), []float64{y}) }
	huber := func(b, delta float64) *fwsum.RowSum { return fwsum.NewHuber(unit(), []float64{b}, delta) }
	hinge := func(y int, delta float64) *fwsum.RowSum { return fwsum.NewSmoothHinge(unit(), []int{y}, delta) }
	for _, c := range []struct {
		name            string
		f               *fwsum.RowSum
		s, value, slope float64
	}{
		{"p = ½", cross(0.3), 0, math.Ln2, 0.2},
		{"p = ¾", cross(0.5), math.Log(3), math.Log(4) - math.Log(3)/2, 0.25},
		{"p = ¼", cross(1), -math.Log(3), math.Log(4), -0.75},
		{"a sure hit keeps its digits", cross(1), 50, math.Exp(-50), -math.Exp(-50)},
		{"and of the other class", cross(0), -50, math.Exp(-50), math.Exp(-50)},
		{"far above", cross(0), 1e300, 1e300, 1},
		{"far above, a hit", cross(1), 1e300, 0, 0},
		{"far above, a share", cross(0.25), 1e300, 0.75e300, 0.75},
		{"far below", cross(1), -1e300, 1e300, -1},
		{"far below, a hit", cross(0), -1e300, 0, 0},

		{"near", huber(2, 3), 4, 2, 2},
		{"at δ", huber(2, 3), 5, 4.5, 3},
		{"beyond δ", huber(2, 3), 10, 3*8 - 4.5, 3},
		{"beyond −δ", huber(2, 3), -10, 3*12 - 4.5, -3},
		{"a hit", huber(2, 3), 2, 0, 0},
		{"far off", huber(2, 3), 1e300, 3e300, 3},
		{"far off below", huber(-2, 0.5), -1e300, 0.5e300, -0.5},

		{"at the corner", hinge(1, 0.5), 1, 0, 0},
		{"a hit", hinge(1, 0.5), 7, 0, 0},
		{"in the round", hinge(1, 0.5), 0.75, 0.0625, -0.5},
		{"the end of the round", hinge(1, 0.5), 0.5, 0.25, -1},
		{"a miss", hinge(1, 0.5), -3, 3.75, -1},
		{"a miss of the other class", hinge(0, 0.5), 3, 3.75, 1},
		{"a hit of the other class", hinge(0, 0.5), -1.5, 0, 0},
		{"far off", hinge(0, 0.5), 1e300, 1e300, 1},
		{"far off, a hit", hinge(1, 0.5), 1e300, 0, 0},
		{"a round as wide as that", hinge(0, 1e300), 1e299, 0.5e298, 0.1},
	} {
		value, slope := one(c.f, c.s)
		if !(math.Abs(value-c.value) <= 4e-15*c.value) || !(math.Abs(slope-c.slope) <= 4e-15*math.Abs(c.slope)) {
			t.Errorf("%s: ℓ(%g) = %.17g with slope %.17g, want %.17g and %.17g", c.name, c.s, value, slope, c.value, c.slope)
		}
	}
}

// No finite score overflows, and what is not a number is seen.
func TestLossesAtExtremes(t *testing.T) {
	for name, l := range scalarLosses() {
		rng := rand.New(rand.NewPCG(9, 9))
		x, y := sparseRows(rng, 20, 6, 3), make([]float64, 20)
		for i := range y {
			y[i] = l.target(rng)
		}
		f := l.sum(x, y)
		w, g := normals(rng, 6), make([]float64, 6)
		for _, scale := range []float64{0, 1e-300, 1e-10, 1e6, 1e100, 1e300, -1e300} {
			v := floats.ScaleTo(make([]float64, 6), scale, w)
			f.Grad(g, v, fwopt.Batch{})
			if value := f.Value(v); !(value >= 0) || math.IsInf(value, 0) || !(floats.Norm(g, 2) <= f.Lipschitz()) {
				t.Errorf("%s, scale %g: f = %g, ‖∇f‖ = %g", name, scale, value, floats.Norm(g, 2))
			}
			if gamma := f.LineSearch(v, w); !(gamma >= 0 && gamma <= 1) {
				t.Errorf("%s, scale %g: γ = %g", name, scale, gamma)
			}
		}
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			v := floats.ScaleTo(make([]float64, 6), 1, w)
			v[2] = bad
			if value := f.Value(v); !math.IsNaN(value) && !math.IsInf(value, 1) {
				t.Errorf("%s: f = %g with %g among the weights", name, value, bad)
			}
			if gamma := f.LineSearch(w, v); !math.IsNaN(gamma) {
				t.Errorf("%s: line search towards %g gives %g", name, bad, gamma)
			}
		}
	}
}

// Two classes with labels: the multiclass loss at weights 0 for class 0.
func TestBinaryLogisticIsLogistic(t *testing.T) {
	two, x, y := randomLogistic(5, 80, 12, 2, 4)
	targets := make([]float64, 80)
	for i := range y {
		targets[i] = float64(y[i])
	}
	f := fwsum.NewBinaryLogistic(x, targets)
	w := normals(rand.New(rand.NewPCG(1, 1)), 12)
	w2, g, g2 := make([]float64, 24), make([]float64, 12), make([]float64, 24)
	for j := range w {
		w2[2*j+1] = w[j]
	}
	if got, want := f.Value(w), two.Value(w2); math.Abs(got-want) > 1e-14*want {
		t.Errorf("f = %.17g, of two classes %.17g", got, want)
	}
	f.Grad(g, w, fwopt.Batch{})
	two.Grad(g2, w2, fwopt.Batch{})
	for j := range g {
		if math.Abs(g[j]-g2[2*j+1]) > 1e-15 {
			t.Errorf("feature %d: gradient %.17g, of two classes %.17g", j, g[j], g2[2*j+1])
		}
	}
}

// Keep tells the losses apart, by their kind, their targets and their parameter.
func TestKeepTellsLossesApart(t *testing.T) {
	x, y, labels := rowsOf(1), []float64{0, 1, 1}, []int{0, 1, 1}
	specs := map[string]int{}
	for i, f := range []fwopt.FiniteSum{
		fwsum.NewLeastSquares(x, y),
		fwsum.NewBinaryLogistic(x, y), fwsum.NewBinaryLogistic(x, []float64{0, 1, 0}), fwsum.NewBinaryLogistic(rowsOf(2), y),
		fwsum.NewHuber(x, y, 1), fwsum.NewHuber(x, y, 2), fwsum.NewHuber(x, []float64{0, 1, 0}, 1),
		fwsum.NewSmoothHinge(x, labels, 1), fwsum.NewSmoothHinge(x, labels, 2), fwsum.NewSmoothHinge(x, []int{0, 1, 0}, 1),
	} {
		tr, err := fwkeep.Keep(context.Background(), t.TempDir(), fwopt.NewOracle(f, fwset.Simplex{D: 3, R: 1}, 1), &fwopt.FW{Rule: fwopt.LineSearch{}}, fwopt.Budget{Steps: 2})
		if err != nil {
			t.Fatal(err)
		}
		if k, ok := specs[tr.Spec]; ok || tr.Note != "" {
			t.Errorf("sum %d has the spec of sum %d, %q; note %q", i, k, tr.Spec, tr.Note)
		}
		specs[tr.Spec] = i
	}
}

func TestLossesPanic(t *testing.T) {
	x := rowsOf(1)
	for want, call := range map[string]func(){
		"fwsum: 2 targets for 3 rows":                        func() { fwsum.NewBinaryLogistic(x, []float64{0, 1}) },
		"fwsum: target 1 is 1.5, want 0 to 1":                func() { fwsum.NewBinaryLogistic(x, []float64{0, 1.5, 1}) },
		"fwsum: target 2 is -1, want 0 to 1":                 func() { fwsum.NewBinaryLogistic(x, []float64{0, 1, -1}) },
		"fwsum: target 0 is NaN":                             func() { fwsum.NewBinaryLogistic(x, []float64{math.NaN(), 1, 1}) },
		"fwsum: the data is nil, want a *Sparse or a *Dense": func() { fwsum.NewBinaryLogistic(nil, []float64{0}) },
		"fwsum: 4 targets for 3 rows":                        func() { fwsum.NewHuber(x, make([]float64, 4), 1) },
		"fwsum: target 1 is +Inf":                            func() { fwsum.NewHuber(x, []float64{0, math.Inf(1), 0}, 1) },
		"fwsum: delta = 0, want a positive number":           func() { fwsum.NewHuber(x, make([]float64, 3), 0) },
		"fwsum: delta = +Inf, want a positive number":        func() { fwsum.NewHuber(x, make([]float64, 3), math.Inf(1)) },
		"fwsum: delta = NaN, want a positive number":         func() { fwsum.NewSmoothHinge(x, make([]int, 3), math.NaN()) },
		"fwsum: delta = -1, want a positive number":          func() { fwsum.NewSmoothHinge(x, make([]int, 3), -1) },
		"fwsum: example 1 has label -1, want 0 to 1":         func() { fwsum.NewSmoothHinge(x, []int{1, -1, 1}, 1) },
		"fwsum: example 2 has label 2, want 0 to 1":          func() { fwsum.NewSmoothHinge(x, []int{1, 1, 2}, 1) },
		"fwsum: 2 labels for 3 examples":                     func() { fwsum.NewSmoothHinge(x, []int{1, 1}, 1) },
		"fwsum: row 2 of the data has the value NaN":         func() { fwsum.NewSmoothHinge(nanRow(), []int{1, 1, 1}, 1) },
		"fwsum: w has length 2, want 3":                      func() { fwsum.NewHuber(x, make([]float64, 3), 1).Value(make([]float64, 2)) },
	} {
		if got := small.Panics(call); got != want {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
}

func nanRow() *fwsum.Sparse {
	x := rowsOf(1)
	x.Val[2] = math.NaN()
	return x
}
