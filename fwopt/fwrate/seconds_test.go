package fwrate_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwinst"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// The points of RunTo are those of Run up to the first at which done says so, and as done leaves them.
func TestRunTo(t *testing.T) {
	p := fwinst.Simplex(64, 8, 1)
	b := fwopt.Budget{Steps: 50, Every: 1.3, Excess: p.Excess}
	run := fwopt.Run(context.Background(), fwopt.NewOracle(p.F, p.Omega, 1).From(p.W0), &fwopt.FW{}, b).Points
	for _, level := range []float64{math.Inf(1), 0.1, 0.02, 0} {
		got := fwrate.RunTo(fwopt.NewOracle(p.F, p.Omega, 1).From(p.W0), &fwopt.FW{}, b, func(q *fwopt.Point, w []float64) bool {
			if f := p.F.Value(w); f != q.F {
				t.Errorf("step %d: f(w) is %g, that of the point %g", q.Step, f, q.F)
			}
			q.Excess *= 2
			return q.Excess <= 2*level
		})
		var want []fwopt.Point
		for _, q := range run {
			if q.Step == 0 || q.Step == b.Steps {
				continue // w_0, and an end that was not due
			}
			last := q.Excess <= level
			q.Excess *= 2
			if want = append(want, q); last {
				break
			}
		}
		for i := range got {
			got[i].Seconds = 0
		}
		for i := range want {
			want[i].Seconds = 0
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || len(got) == 0 {
			t.Errorf("to %g: %d points, want %d:\n%v\n%v", level, len(got), len(want), got, want)
		}
	}
	b.Watch = func(*fwopt.Trace, fwopt.Point) {}
	if got := small.Panics(func() { fwrate.RunTo(nil, nil, b, nil) }); !strings.HasPrefix(got, "fwrate: RunTo with a Budget.Watch") {
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
	other := func(points ...[]fwopt.Point) string {
		i := -1
		return small.Panics(func() { fwrate.Repeat(len(points), func() []fwopt.Point { i++; return points[i] }) })
	}
	for got, want := range map[string]string{
		other(): "fwrate: a run repeated 0 times",
		other(make([]fwopt.Point, 2), make([]fwopt.Point, 1)):      "fwrate: repeated run 2 has 1 points, the first 2",
		other(make([]fwopt.Point, 1), []fwopt.Point{{Step: 4}}):    "fwrate: repeated run 2 has step 4 for point 0, the first 0",
		other(make([]fwopt.Point, 1), []fwopt.Point{{Seconds: 4}}): "",
		other(nil, nil): "",
	} {
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The fastest of calls takes no longer than their mean, and no less than a call can; one call is
// made whatever the seconds are.
func TestFastest(t *testing.T) {
	calls := 0
	pause := func() { // the first is the slowest
		if calls++; calls == 1 {
			time.Sleep(20 * time.Millisecond)
		}
		time.Sleep(time.Millisecond)
	}
	begin := time.Now()
	got := fwrate.Fastest(0.1, pause)
	if mean := time.Since(begin).Seconds() / float64(calls); got < 0.001 || got > mean || mean*float64(calls) < 0.1 {
		t.Errorf("%g s, the fastest of %d calls of %g s in the mean", got, calls, mean)
	}
	calls = 0
	if got := fwrate.Fastest(0, pause); calls != 1 || got < 0.021 {
		t.Errorf("%d calls, %g s", calls, got)
	}
}
