package fwrate

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
)

// falling returns a run of 8 epochs with a gap of gap·2^−t and 4^t samples.
func falling(gap float64) (run []fwopt.Point) {
	for t := 1; t <= 8; t++ {
		gap /= 2
		run = append(run, fwopt.Point{T: t, Excess: gap, Calls: fwopt.Calls{Stochastic: 1 << (2 * t), Linear: 1 << t}})
	}
	return run
}

// The rate of a race is that of its law, and its means are those of the numbers written out.
func TestRace(t *testing.T) {
	r := Runs{Name: "STORC", Draws: [][][]fwopt.Point{{falling(1), falling(3)}, {falling(2), falling(6)}}}
	for i, gap := range r.Gaps() {
		if want := 3 / float64(int(2)<<i); gap != want {
			t.Errorf("gap %d: %g, want %g", i, gap, want)
		}
	}
	if got, want := r.Mean(func(q fwopt.Point) float64 { return float64(q.Calls.Linear) }), []float64{2, 4, 8, 16, 32, 64, 128, 256}; !slices.Equal(got, want) {
		t.Errorf("mean: %v, want %v", got, want)
	}
	bound := func(q fwopt.Point) float64 { return math.Exp2(4 - float64(q.T)) }
	got := r.Rate(Stochastic, 2, bound)
	want, err := Law{Count: Stochastic, Power: 2, Bound: bound}.Measure(r.Draws...)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) || len(got.Draws) != 2 || got.Runs != 4 || got.Power != 2 {
		t.Errorf("rate %v, want %v, of two draws with two runs; %v", got, want, err)
	}
	if math.Abs(got.Late.Slope-2) > 1e-12 {
		t.Errorf("slope %g, want 2", got.Late.Slope)
	}
}

func TestRacePanics(t *testing.T) {
	bound := func(q fwopt.Point) float64 { return 1 }
	for what, call := range map[string]func(){
		"three epochs have a rate": func() { Runs{Name: "SVRF", Draws: [][][]fwopt.Point{{falling(1)[:3]}}}.Rate(Linear, 1, bound) },
		"no runs have a rate":      func() { Runs{Name: "SVRF"}.Rate(Linear, 1, bound) },
		"no runs have a mean gap":  func() { Runs{Name: "SVRF"}.Gaps() },
		"a draw of none has a count": func() {
			Runs{Name: "SVRF", Draws: [][][]fwopt.Point{{}}}.Mean(func(q fwopt.Point) float64 { return 1 })
		},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "fwrate: SVRF: ") {
					t.Errorf("%s: panic %q", what, got)
				}
			}()
			call()
		}()
	}
}

// Means first, and then the largest: the largest of all would be 9, 8.
func TestLargest(t *testing.T) {
	runs := [][][]float64{{{1, 8, 0}, {9, 0, math.NaN()}}, {{3, 0, 0.5}, {1, 2, 1}}}
	if got, want := Largest(runs), []float64{5, 4, 0.25}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
