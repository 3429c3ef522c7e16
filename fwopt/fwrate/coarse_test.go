package fwrate

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// An f* that is off bends the slope, and the fit says how far; between its two ends is
// the slope that the true f* gives. Here f* = 1, f − f* is 2^−t/10, the last one 2e-4, and the
// count 4^t, so that the slope is 2, and the trace knows only f.
func TestCoarse(t *testing.T) {
	tr := &fwopt.Trace{}
	for t := 1; t <= 9; t++ {
		tr.Points = append(tr.Points, fwopt.Point{T: t, K: 8, F: 1 + 0.1*math.Exp2(-float64(t)),
			Excess: math.NaN(),
			Calls:  fwopt.Calls{Stochastic: 1 << (2 * t)}})
	}
	for _, c := range []struct {
		low, high, times float64 // times: what Within is of what Above returns
		long, late       bool    // is the fit in doubt?
	}{
		{1, 1, 1, false, false},
		{1 - 1e-6, 1 + 1e-6, 1, false, false},
		{1 - 4e-5, 1 + 4e-5, 1, false, true}, // off by a fifth of the last gap
		{1 - 2e-5, 1 + 8e-5, 1, true, true},
		{1 - 2e-4, 1 + 1e-4, 1, true, true},
		{1 - 1.5e-4, 1 + 1e-4, 3, true, true}, // the last gap may be 0
	} {
		runs, within := Above(c.low, c.high, tr)
		if want := (c.high - c.low) / 2; math.Abs(within-want) > 1e-15 {
			t.Fatalf("within %g, want %g", within, want)
		}
		r := measured(Law{Count: Stochastic, Power: 2, Bound: law.Bound,
			Within: c.times * within}.Measure(runs))
		row := strings.Join(r.Row("a run"), ";")
		for f, want := range map[*Fit]bool{&r.Long: c.long, &r.Late: c.late} {
			if said := f.String(); (f.Coarse != "") != want ||
				strings.Contains(said, "f* too coarse: "+f.Coarse) != want ||
				!strings.Contains(row, said) || (f.Coarse == "the gaps may be 0") != (c.times == 3) {
				t.Errorf("f* in [%g, %g]: %q in %q, %v", c.low, c.high, f.Coarse, f, row)
			}
			var lo, hi float64
			if n, _ := fmt.Sscanf(f.Coarse, "%g to %g", &lo, &hi); n == 2 &&
				!(lo <= 2.001 && 1.999 <= hi && lo <= f.Slope && f.Slope <= hi) {
				t.Errorf("f* in [%g, %g]: slope %g, said to be between %s", c.low, c.high, f.Slope, f.Coarse)
			}
		}
		if !math.IsNaN(tr.Points[0].Excess) {
			t.Error("Above writes to the trace")
		}
	}
	for _, bad := range [][2]float64{{2, 1}, {math.Inf(-1), 1}, {math.NaN(), 1}, {0, math.Inf(1)}} {
		msg := small.Panics(func() { Above(bad[0], bad[1], tr) })
		if !strings.HasPrefix(msg, "fwrate: an f* between") {
			t.Errorf("%v: %q", bad, msg)
		}
	}
}
