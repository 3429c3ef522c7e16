package fwrate

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// halving is a run on a problem with f* = 1 whose count is 4^t where f − f* is 2^−t/10,
// so that the law is a power of 2, and its traces know only f.
func halving(epochs int) *fwopt.Trace {
	tr := &fwopt.Trace{}
	for t := 1; t <= epochs; t++ {
		tr.Points = append(tr.Points, fwopt.Point{T: t, K: 8, F: 1 + 0.1*math.Exp2(-float64(t)), Excess: math.NaN(),
			Calls: fwopt.Calls{Stochastic: 1 << (2 * t)}})
	}
	return tr
}

// An f* that is off bends the slope, and the fit says how far; between its two ends is
// the slope that the true f* gives.
func TestCoarse(t *testing.T) {
	tr := halving(9) // the last gap is 2e-4
	for _, c := range []struct {
		low, high  float64
		long, late bool // is the fit in doubt?
	}{
		{1, 1, false, false},
		{1 - 1e-6, 1 + 1e-6, false, false},
		{1 - 4e-5, 1 + 4e-5, false, true}, // off by a fifth of the last gap
		{1 - 2e-5, 1 + 8e-5, true, true},
		{1 - 2e-4, 1 + 1e-4, true, true},
	} {
		runs, within := Above(c.low, c.high, tr)
		if want := (c.high - c.low) / 2; math.Abs(within-want) > 1e-15 {
			t.Fatalf("within %g, want %g", within, want)
		}
		l := law
		l.Within = within
		r, err := l.Measure(runs)
		if err != nil {
			t.Fatal(err)
		}
		for f, want := range map[*Fit]bool{&r.Long: c.long, &r.Late: c.late} {
			if (f.Coarse != "") != want || strings.Contains(f.String(), "f* too coarse") != want || strings.Contains(strings.Join(r.Row("a run"), ";"), f.String()) != true {
				t.Errorf("f* in [%g, %g]: %q in %q, %v", c.low, c.high, f.Coarse, f, r.Row("a run"))
			}
			var lo, hi float64
			if n, _ := fmt.Sscanf(f.Coarse, "%g to %g", &lo, &hi); n == 2 && !(lo <= 2.001 && 1.999 <= hi && lo <= f.Slope && f.Slope <= hi) {
				t.Errorf("f* in [%g, %g]: slope %g, said to be between %s, is 2", c.low, c.high, f.Slope, f.Coarse)
			}
		}
	}
	// where the accuracy of f* is that of the last gap, nothing is known
	l := law
	runs, within := Above(1-1.5e-4, 1+1e-4, tr)
	l.Within = 3 * within
	if r, err := l.Measure(runs); err != nil || r.Late.Coarse != "the gaps may be 0" || !strings.Contains(r.String(), "f* too coarse: the gaps may be 0") {
		t.Errorf("%v, %v", r, err)
	}
	if runs[0][0].Excess == tr.Points[0].Excess || !math.IsNaN(tr.Points[0].Excess) {
		t.Error("Above writes to the trace")
	}
	for _, bad := range [][2]float64{{2, 1}, {math.Inf(-1), 1}, {math.NaN(), 1}, {0, math.Inf(1)}} {
		if msg := small.Panics(func() { Above(bad[0], bad[1], tr) }); !strings.HasPrefix(msg, "fwrate: an f* between") {
			t.Errorf("%v: %q", bad, msg)
		}
	}
}
