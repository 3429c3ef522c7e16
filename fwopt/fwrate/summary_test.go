package fwrate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwtest/small"
)

// Each bound is below min f, the best one is that of the point that has it, and a run
// that is long comes near.
func TestLowerBound(t *testing.T) {
	nan := math.NaN()
	none := &fwopt.Trace{Points: []fwopt.Point{{F: 1, DualityGap: nan}, {F: nan, DualityGap: 1}}}
	some := &fwopt.Trace{Points: []fwopt.Point{{F: 4, DualityGap: 3, Slack: 0.5}, {F: 3, DualityGap: 1.5, Slack: 0.125}, {F: 2, DualityGap: 1}, {F: 1, DualityGap: nan}}}
	if got := LowerBound(none); !math.IsInf(got, -1) {
		t.Errorf("a bound of %g out of nothing", got)
	}
	if got := LowerBound(none, some, none); got != 1.375 {
		t.Errorf("%g, want 1.375", got)
	}

	f, omega := small.Problem()
	run := func(m fwopt.Method, seed uint64, steps int) *fwopt.Trace {
		b := fwopt.Budget{Steps: steps, DualityGap: true}
		return fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, seed), m, nil, b)
	}
	long := run(fwopt.FWLineSearch(), 1, 20000)
	for seed := range uint64(5) {
		tr := run(fwopt.SVRFTheorem1(), seed, 50)
		low := LowerBound(tr)
		for _, p := range append(tr.Points, long.Points...) {
			if !(low <= p.F) {
				t.Errorf("seed %d: the bound %g is above f = %g", seed, low, p.F)
			}
		}
	}
	if best := LowerBound(long); long.Last().F-best > 1e-3*math.Abs(best) {
		t.Errorf("after 20,000 steps f = %g and the bound is %g", long.Last().F, best)
	}
}

func TestSummary(t *testing.T) {
	nan := math.NaN()
	end := func(method string, status fwopt.Status, f, gap float64, samples int) *fwopt.Trace {
		return &fwopt.Trace{Method: method, Data: "digits", Status: status, Points: []fwopt.Point{{F: 9, DualityGap: 9},
			{Step: 7, F: f, DualityGap: gap, Slack: 0.25, Calls: fwopt.Calls{Stochastic: samples, Linear: 8}, Seconds: 0.5}}}
	}
	got := Summary(end("SVRF", fwopt.Done, 3, 0.5, 20), end("SFW", fwopt.Done, 5, nan, 12_345_678), end("SVRF", fwopt.Done, 1, 1, 20), end("SVRF", fwopt.Stalled, 2, 2, 20))
	want := [][]string{
		{"method", "data", "runs", "f", "range of f", "duality gap", "steps", "stochastic", "linear", "seconds"},
		{"SVRF", "digits", "2 done, 1 stalled: an accuracy cannot be reached", "2", "1 to 3", "1.25", "7", "20", "8", "0.5"},
		{"SFW", "digits", "1 done", "5", "", "", "7", "1.2346e7", "8", "0.5"},
	}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Summary(&fwopt.Trace{Method: "SVRF"}); fmt.Sprint(got) != "[[method runs] [SVRF 1 running]]" {
		t.Errorf("%q", got)
	}
	own := end("SVRF", fwopt.Done, nan, nan, 5)
	own.Data = "rcv1"
	if got := Summary(own, end("SVRF", fwopt.Done, 1, 1, 5)); len(got) != 3 || got[1][1] != "rcv1" || got[1][3] != "" {
		t.Errorf("%q", got)
	}
}
