package fwplot

import (
	"math"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"gonum.org/v1/plot"
)

// What stands where: a heading a group, the cells of other verdicts left out, and room for all slopes.
func TestSlopes(t *testing.T) {
	cell := func(name, verdict string, power, slope float64) fwrate.Cell {
		var run []fwopt.Point
		for k := 1; k <= 8; k++ {
			samples := math.Pow(2, slope*float64(k))
			run = append(run, fwopt.Point{T: k, Excess: math.Exp2(-float64(k)), Calls: fwopt.Calls{Stochastic: int(samples)}})
		}
		r := fwrate.Runs{Name: name, Draws: [][][]fwopt.Point{{run}}}
		return fwrate.Cell{Name: name, On: "MSC", Verdict: verdict, Rate: r.Rate(fwrate.Stochastic, power, func(q fwopt.Point) float64 { return math.Exp2(1 - float64(q.T)) })}
	}
	p := Slopes([]fwrate.Cell{cell("SVRF", "visible", 2, 1), cell("SFW", "forced", 3, 6), cell("STORC", "visible", 1, 1), cell("FW", "open", 1, 7)}, "forced", "visible")
	var labels []string
	for _, tick := range p.Y.Tick.Marker.(plot.ConstantTicks) {
		labels = append(labels, tick.Label)
		if tick.Value < p.Y.Min || tick.Value > p.Y.Max {
			t.Errorf("%q at %g is outside of %g to %g", tick.Label, tick.Value, p.Y.Min, p.Y.Max)
		}
	}
	if want := []string{"FORCED", "SFW · MSC", "VISIBLE", "SVRF · MSC", "STORC · MSC"}; !slices.Equal(labels, want) {
		t.Errorf("%q, want %q", labels, want)
	}
	if p.X.Min > 0.5 || p.X.Min < 0.4 || p.X.Max < 2 || p.X.Max > 3 { // 1/2, 6/3 and 1/1
		t.Errorf("axis from %g to %g, want from below 0.5 to just above 2", p.X.Min, p.X.Max)
	}
	if f := Grid([]*plot.Plot{p}); len(f.PNG) == 0 || len(f.SVG) == 0 {
		t.Error("nothing drawn")
	}
}
