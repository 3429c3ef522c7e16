package fwplot

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"
)

// The rows stand in order from above, each with its name, and all that is drawn is in view.
func TestRatios(t *testing.T) {
	rows := []Ratio{{"first", 2, 1.5, 30, 3}, {"second", 0.9, 0.3, 1, 0}, {"third", 1, 1, 1, 0.1}}
	p := Ratios("theirs / ours", "times as fast", rows...)
	var names []string
	above := math.Inf(1)
	for _, tick := range p.Y.Tick.Marker.(plot.ConstantTicks) {
		names = append(names, tick.Label)
		if tick.Value >= above || tick.Value <= p.Y.Min || tick.Value >= p.Y.Max {
			t.Errorf("%q at %g, the one before at %g, on an axis from %g to %g", tick.Label, tick.Value, above, p.Y.Min, p.Y.Max)
		}
		above = tick.Value
	}
	if want := []string{"first", "second", "third"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	if p.X.Min >= 0.1 || p.X.Max <= 30 {
		t.Errorf("axis from %g to %g has not all of 0.1 to 30", p.X.Min, p.X.Max)
	}
	if p := Ratios("", "", rows[1:2]...); p.X.Min >= 0.3 || p.X.Max != 20 {
		t.Errorf("axis from %g to %g, want from below 0.3 to 20", p.X.Min, p.X.Max)
	}
	if f := Grid([]*plot.Plot{p}); len(f.PNG) == 0 || len(f.SVG) == 0 {
		t.Error("nothing drawn")
	}
	if f := bundle(Ratios("", "", rows[1], Ratio{Name: "a dot", Mid: 3}, Ratio{Name: "another", Mid: 0.5})); strings.Count(string(f.SVG), "A3,3") != 2*2 {
		t.Error("no dots")
	}
	for _, r := range []Ratio{{"", 2, 3, 4, 0}, {"", 5, 3, 4, 0}, {"", 0, 0, 0, 0}, {"", 1, 1, math.Inf(1), 0}, {"", 1, 1, 1, -1}, {"", math.NaN(), 1, 1, 0}} {
		func() {
			defer func() {
				if e := fmt.Sprint(recover()); len(e) < 9 || e[:8] != "fwplot: " {
					t.Errorf("%+v: %v", r, e)
				}
			}()
			Ratios("", "", r)
		}()
	}
}
