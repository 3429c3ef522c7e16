package fwrate

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// falling returns a run of 8 epochs with a gap of gap·2^−t and 4^t samples.
func falling(gap float64) (run []fwopt.Point) {
	for t := 1; t <= 8; t++ {
		gap /= 2
		run = append(run, fwopt.Point{T: t, Excess: gap,
			Calls: fwopt.Calls{Stochastic: 1 << (2 * t), Linear: 1 << t}})
	}
	return run
}

// The rate of runs is that of their law, their means are the numbers written out, and their
// cell is a row under its heading.
func TestRuns(t *testing.T) {
	r := Runs{Name: "SVRF", Draws: [][][]fwopt.Point{{falling(1), falling(3)}, {falling(2), falling(6)}}}
	if got := r.Gaps(); got[0] != 1.5 || got[7] != 3./256 {
		t.Errorf("gaps %g", got)
	}
	linear := func(q fwopt.Point) float64 { return float64(q.Calls.Linear) }
	if got, want := r.Mean(linear), []float64{2, 4, 8, 16, 32, 64, 128, 256}; !slices.Equal(got, want) {
		t.Errorf("mean: %v, want %v", got, want)
	}
	bound := func(q fwopt.Point) float64 { return math.Exp2(4 - float64(q.T)) }
	got := r.Rate(Stochastic, 2, bound)
	want, err := Law{Count: Stochastic, Power: 2, Bound: bound}.Measure(r.Draws...)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) || math.Abs(got.Late.Slope-2) > 1e-12 {
		t.Errorf("rate %v, want %v; %v", got, want, err)
	}
	cells, row := map[string]string{}, Cell{"SVRF, stochastic", "MSC", "visible", got}.Row()
	for i, h := range CellHead("stochastic") {
		cells[h] = row[i]
	}
	for h, want := range map[string]string{"stochastic": "SVRF, stochastic", "theory": "2",
		"windows":   "t = 3–8, 5–8",
		"gap/bound": "0.19", "problem": "MSC", "runs": "4", "verdict": "visible"} {
		if cells[h] != want || len(cells) != len(row) {
			t.Errorf("%s: %q, want %q, in %q", h, cells[h], want, row)
		}
	}
	if len(Head()) != 6 {
		t.Errorf("CellHead has changed Head: %q", Head())
	}
	for what, call := range map[string]func(){
		"three epochs have a rate": func() {
			Runs{"SVRF", [][][]fwopt.Point{{falling(1)[:3]}},
				nil}.Rate(Linear, 1, bound)
		},
		"no runs have a rate":        func() { Runs{Name: "SVRF"}.Rate(Linear, 1, bound) },
		"no runs have a mean gap":    func() { Runs{Name: "SVRF"}.Gaps() },
		"a draw of none has a count": func() { Runs{"SVRF", [][][]fwopt.Point{{}}, nil}.Mean(linear) },
		"runs that differ have means": func() {
			Runs{"SVRF", [][][]fwopt.Point{{falling(1), falling(1)[1:]}},
				nil}.Gaps()
		},
	} {
		if msg := small.Panics(call); !strings.HasPrefix(msg, "fwrate: SVRF: ") {
			t.Errorf("%s: panic %q", what, msg)
		}
	}
}

// Means first, and then the largest: the largest of all would be 9, 8.
func TestLargest(t *testing.T) {
	runs := [][][]float64{{{1, 8, 0}, {9, 0, math.NaN()}}, {{3, 0, 0.5}, {1, 2, 1}}}
	if got, want := Largest(runs), []float64{5, 4, 0.25}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
