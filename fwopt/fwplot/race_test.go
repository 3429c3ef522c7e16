package fwplot

import (
	"bytes"
	"math"
	"reflect"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
)

func TestRaceSeries(t *testing.T) {
	at := func(t int, gap float64, samples, exact int) fwopt.Point {
		return fwopt.Point{T: t, Excess: gap, Calls: fwopt.Calls{Stochastic: samples, Exact: exact}}
	}
	r := fwrate.Runs{Name: "SVRF", Draws: [][][]fwopt.Point{
		{{at(1, 0.5, 10, 1), at(2, 0.125, 100, 2)}}, {{at(1, 1.5, 30, 1), at(2, 0.375, 300, 2)}}}}
	got, want := bundle(Epochs("MSC", r)),
		bundle(Lines("MSC", "epoch t", "gap", false, true, Series{"SVRF", []float64{1, 2},
			[]float64{1, 0.25}}))
	if !bytes.Equal(got.SVG, want.SVG) || len(got.SVG) == 0 {
		t.Errorf("Epochs draws %s, want %s", got.Alt, want.Alt)
	}
	if got, want := Costs(r, fwrate.Stochastic), (Series{"SVRF", []float64{1, 4},
		[]float64{20, 200}}); !reflect.DeepEqual(got, want) {
		t.Errorf("Costs: %v, want %v", got, want)
	}
	if got, want := Costs(r, fwrate.Terms(1000)).Y, []float64{1020, 2200}; !reflect.DeepEqual(got, want) {
		t.Errorf("terms: %v, want %v", got, want)
	}
}

func TestSeriesAt(t *testing.T) {
	cube := Series{X: []float64{1, 2, 5, 10}, Y: []float64{1, 8, 125, 1000}}
	for _, x := range []float64{1, 1.5, 2, 3, 7, 10} {
		if got := cube.At(x); math.Abs(got/(x*x*x)-1) > 1e-12 {
			t.Errorf("at %g: %g, want %g", x, got, x*x*x)
		}
	}
	for _, x := range []float64{0.9, 10.1, math.NaN()} {
		if got := cube.At(x); !math.IsNaN(got) {
			t.Errorf("at %g, which is outside: %g", x, got)
		}
	}
}

// A race runs each method from the same start, tells two of one name apart, and draws the gap it has.
func TestRace(t *testing.T) {
	t.Chdir(t.TempDir())
	f, omega := fwsum.NewQuadratic(2, nil, []float64{0.2, 0.1}), fwset.Simplex{D: 2, R: 1}
	r := Race(f, omega, fwopt.Budget{Steps: 3, DualityGap: true}, &fwopt.FW{Rule: fwopt.LineSearch{}},
		&fwopt.FW{})
	if p := r.Plot(); r.Terms != f.Len() || p.Y.Label.Text != DualityGap().Label ||
		len(keyOf(p).entries) != 2 {
		t.Errorf("%d terms, %q, %+v", r.Terms, p.Y.Label.Text, keyOf(p).entries)
	}
	if a, b := r.Traces[0], r.Traces[1]; b.Method != a.Method+", 2" || len(a.Points) < 2 ||
		a.Points[0].F != b.Points[0].F {
		t.Errorf("%q and %q from %v and %v", a.Method, b.Method, a.Points, b.Points)
	}
	r.Show()
}
