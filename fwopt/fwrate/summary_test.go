package fwrate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// The best bound is that of the point that has it.
func TestLowerBound(t *testing.T) {
	nan := math.NaN()
	none := &fwopt.Trace{Points: []fwopt.Point{{F: 1, DualityGap: nan}, {F: nan, DualityGap: 1}}}
	some := &fwopt.Trace{Points: []fwopt.Point{{F: 4, DualityGap: 3, Slack: 0.5},
		{F: 3, DualityGap: 1.5, Slack: 0.125}, {F: 2, DualityGap: 1}, {F: 1, DualityGap: nan}}}
	if got := LowerBound(none); !math.IsInf(got, -1) {
		t.Errorf("a bound of %g out of nothing", got)
	}
	if got := LowerBound(none, some, none); got != 1.375 {
		t.Errorf("%g, want 1.375", got)
	}
}

func TestSummary(t *testing.T) {
	nan := math.NaN()
	seed := uint64(0)
	end := func(method string, status fwopt.Status, f, gap float64, samples int) *fwopt.Trace {
		seed++
		return &fwopt.Trace{Method: method, Data: "digits", Seed: seed, Status: status,
			Points: []fwopt.Point{{F: 9, DualityGap: 9},
				{Step: 7, F: f, DualityGap: gap, Slack: 0.25,
					Calls:   fwopt.Calls{Stochastic: samples, Linear: 8},
					Seconds: 0.5}}}
	}
	got := Summary(end("SVRF", fwopt.Done, 3, 0.5, 20), end("SFW", fwopt.Done, 5, nan, 12_345_678),
		end("SVRF", fwopt.Done, 1, 1, 20), end("SVRF", fwopt.Stalled, 2, 2, 20))
	want := [][]string{
		{"method", "data", "runs", "f", "range of f", "duality gap", "steps", "stochastic", "linear",
			"seconds"},
		{"SVRF", "digits", "2 done, 1 stalled: an accuracy cannot be reached", "2", "1 to 3", "1.25", "7",
			"20", "8", "0.5"},
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
	if got := Summary(own, end("SVRF", fwopt.Done, 1, 1, 5)); len(got) != 3 || got[1][1] != "rcv1" ||
		got[1][3] != "" {
		t.Errorf("%q", got)
	}
}

// Seeds of one method are a group; other constants with the same seed are a panic that says how
// to name them apart, and the same run twice is one.
func TestGroups(t *testing.T) {
	f, omega := small.Problem()
	run := func(c float64, seed uint64) *fwopt.Trace {
		return fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, seed), fwopt.SGDExperiments(c),
			fwopt.Budget{Steps: 20, DualityGap: true})
	}
	one, two, other := run(0.1, 1), run(0.1, 2), run(0.01, 1)
	again, svrf := run(0.1, 1), fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1),
		fwopt.SVRFExperiments(), fwopt.Budget{Steps: 20})
	got := Groups(one, svrf, two, again, one)
	if len(got) != 2 || !slices.Equal(got[0], []*fwopt.Trace{one, two}) ||
		!slices.Equal(got[1], []*fwopt.Trace{svrf}) {
		t.Errorf("%v", got)
	}
	if rows := Summary(one, again, two); len(rows) != 2 || rows[1][1] != "2 done" {
		t.Errorf("%q", rows)
	}
	want := `fwrate: traces 2 and 3 are both "SGD" from seed 1, but other runs`
	for name, call := range map[string]func(){
		"Groups": func() { Groups(two, one, other) }, "Summary": func() { Summary(two, one, other) }} {
		msg := small.Panics(call)
		if !strings.HasPrefix(msg, want) || !strings.Contains(msg, `apart, as by tr.Method = "SGD, `) {
			t.Errorf("%s: %q", name, msg)
		}
	}
	other.Method = "SGD, c = 0.01"
	if rows := Summary(two, one, other); len(rows) != 3 || rows[1][1] != "2 done" || rows[2][1] != "1 done" {
		t.Errorf("%q", rows)
	}
	// what is kept knows more than its points: two constants by which nothing has changed yet
	again.Spec, one.Spec = "a", "b"
	if small.Panics(func() { Groups(one, again) }) == "" {
		t.Error("other constants are taken for the same run")
	}
	// a run that was stopped before it began has no seed
	stopped := func() *fwopt.Trace {
		return &fwopt.Trace{Method: "SGD", Data: "digits",
			Status: fwopt.Interrupted}
	}
	if rows := Summary(stopped(), stopped()); rows[1][2] != "2 interrupted" {
		t.Errorf("%q", rows)
	}
}
