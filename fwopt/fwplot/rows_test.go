package fwplot

import (
	"math"
	"slices"
	"strings"
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
			run = append(run, fwopt.Point{T: k, Excess: math.Exp2(-float64(k)),
				Calls: fwopt.Calls{Stochastic: int(samples)}})
		}
		r := fwrate.Runs{Name: name, Draws: [][][]fwopt.Point{{run}}}
		return fwrate.Cell{Name: name, On: "MSC", Verdict: verdict, Rate: r.Rate(fwrate.Stochastic, power,
			func(q fwopt.Point) float64 { return math.Exp2(1 - float64(q.T)) })}
	}
	p := Slopes([]fwrate.Cell{cell("SVRF", "visible", 2, 1), cell("SFW", "forced", 3, 6),
		cell("STORC", "visible", 1, 1), cell("FW", "open", 1, 7)}, "forced", "visible")
	want := []string{"FORCED", "SFW · MSC", "VISIBLE", "SVRF · MSC", "STORC · MSC"}
	if got := stand(t, p); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if p.X.Min > 0.5 || p.X.Min < 0.4 || p.X.Max < 2 || p.X.Max > 3 { // 1/2, 6/3 and 1/1
		t.Errorf("axis from %g to %g, want from below 0.5 to just above 2", p.X.Min, p.X.Max)
	}
}

// The rows of Ratios stand in order from above, each with its name, and all that is drawn is in view.
func TestRatios(t *testing.T) {
	all := []Ratio{{"first", 2, 1.5, 30}, {"second", 0.9, 0.3, 1}, {"third", 1, 0.1, 1}}
	p := Ratios("theirs / ours", "times as fast", all...)
	if got, want := stand(t, p), []string{"first", "second", "third"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if p.X.Min >= 0.1 || p.X.Max <= 30 {
		t.Errorf("axis from %g to %g has not all of 0.1 to 30", p.X.Min, p.X.Max)
	}
	if p := Ratios("", "", all[1]); p.X.Min >= 0.3 || p.X.Max != 20 {
		t.Errorf("axis from %g to %g, want from below 0.3 to 20", p.X.Min, p.X.Max)
	}
	f := bundle(Ratios("", "", all[1], Ratio{Name: "a dot", Mid: 3}, Ratio{Name: "another", Mid: 0.5}))
	if strings.Count(string(f.SVG), "A3,3") != 2*2 {
		t.Error("no dots")
	}
}

// stand returns the names on the vertical axis from above; each is in view.
func stand(t *testing.T, p *plot.Plot) (names []string) {
	last := p.Y.Max
	for _, tick := range p.Y.Tick.Marker.(plot.ConstantTicks) {
		if names = append(names, tick.Label); tick.Value < p.Y.Min || tick.Value >= last {
			t.Errorf("%q at %g, below %g on an axis from %g", tick.Label, tick.Value, last, p.Y.Min)
		}
		last = tick.Value
	}
	return names
}
