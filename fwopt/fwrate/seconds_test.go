package fwrate_test

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwinst"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// The points of RunTo are those of Run up to the first at which done says so, and as done leaves them.
func TestRunTo(t *testing.T) {
	p := fwinst.Simplex(64, 8, 1)
	b := fwopt.Budget{Steps: 50, Every: 1.3, Excess: p.Excess}
	oracle := func() *fwopt.Oracle { return fwopt.NewOracle(p.F, p.Omega, 1).From(p.W0) }
	run := fwopt.Run(context.Background(), oracle(), &fwopt.FW{}, b).Points
	run = run[1 : len(run)-1] // without w_0, and an end that was not due
	for _, level := range []float64{math.Inf(1), 0.1, 0.02, 0} {
		got := fwrate.RunTo(oracle(), &fwopt.FW{}, b, func(q *fwopt.Point, w []float64) bool {
			if f := p.F.Value(w); f != q.F {
				t.Errorf("step %d: f(w) is %g, that of the point %g", q.Step, f, q.F)
			}
			q.Excess *= 2
			return q.Excess <= 2*level
		})
		want := len(run)
		for i := len(run) - 1; i >= 0 && run[i].Excess <= level; i-- {
			want = i + 1
		}
		if len(got) != want {
			t.Fatalf("to %g: %d points, want %d", level, len(got), want)
		}
		for i, q := range got {
			if q.Step != run[i].Step || q.F != run[i].F || q.Excess != 2*run[i].Excess ||
				q.Calls != run[i].Calls {
				t.Errorf("to %g: %+v, want %+v", level, q, run[i])
			}
		}
	}
	b.Watch = func(*fwopt.Trace, fwopt.Point) {}
	if got := small.Panics(func() { fwrate.RunTo(nil, nil, b, nil) }); !strings.HasPrefix(got,
		"fwrate: RunTo with a Budget.Watch") {
		t.Error(got)
	}
}

// Of two runs with a pause each, the seconds are those of a run without.
func TestRepeat(t *testing.T) {
	runs := [][]float64{{1, 2, 13, 14}, {5, 7, 8, 8.5}, {1.5, 4, 6, 7}}
	n := 0
	got := fwrate.Repeat(len(runs), func() (all []fwopt.Point) {
		for k, s := range runs[n] {
			all = append(all, fwopt.Point{Step: 3 * k, Seconds: s, F: float64(k)})
		}
		n++
		return all
	})
	var want []fwopt.Point
	for k, s := range []float64{1, 2, 3, 3.5} { // least pieces 1, 1, 1, 0.5
		want = append(want, fwopt.Point{Step: 3 * k, Seconds: s, F: float64(k)})
	}
	if !reflect.DeepEqual(got, want) || n != 3 {
		t.Errorf("%d runs: %v, want %v", n, got, want)
	}
	for _, c := range []struct {
		runs [][]fwopt.Point
		want string
	}{
		{nil, "fwrate: a run repeated 0 times"},
		{[][]fwopt.Point{make([]fwopt.Point, 2), {{}}}, "fwrate: repeated run 2 has 1 points, the first 2"},
		{[][]fwopt.Point{{{}}, {{Step: 4}}}, "fwrate: repeated run 2 has step 4 for point 0, the first 0"},
		{[][]fwopt.Point{{{}}, {{Seconds: 4}}}, ""},
		{[][]fwopt.Point{nil, nil}, ""},
	} {
		i := -1
		got := small.Panics(func() {
			fwrate.Repeat(len(c.runs),
				func() []fwopt.Point { i++; return c.runs[i] })
		})
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
