package fwplot

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/plot"
)

// Bad arguments are answered in words of ours.
func TestMistakes(t *testing.T) {
	tr, rate, x, y := trace("SVRF", 3, 2, 1), rates()["plain"], []float64{1, 0}, []float64{0, 1}
	square := fwset.Box{Lo: []float64{0, 0}, Hi: []float64{1, 1}}
	scene := func() *Scene { return NewScene("a square", square, x, y) }
	tuning, err := fwrate.Tune([]float64{1, 2, 4}, 1, fwopt.Budget{Steps: 4},
		func(c float64, _ uint64, b fwopt.Budget) *fwopt.Trace {
			return &fwopt.Trace{Status: fwopt.Done, Points: []fwopt.Point{{F: 1},
				{Step: b.Steps, F: (c - 2) * (c - 2) / 10}}}
		})
	if err != nil {
		t.Fatal(err)
	}
	p, double := Traces(fwrate.Steps, Loss(), tr), func(x float64) float64 { return 2 * x }
	race := fwrate.Runs{Name: "SVRF", Draws: [][][]fwopt.Point{{{{T: 1, Excess: 1}, {T: 2, Excess: 0.5}}}}}
	for name, c := range map[string][]any{
		"Bound":      {Bound, p, "bound", double},
		"Costs":      {Costs, race, fwrate.Linear},
		"Epochs":     {Epochs, "title", race},
		"Grid":       {Grid, []*plot.Plot{p, p}},
		"LowerBound": {LowerBound, p, "least", double},
		"Lines":      {Lines, "title", "x", "y", true, true, Series{"FW", []float64{1, 2}, []float64{2, 1}}},
		"Moving": {Moving, func([]float64) []*plot.Plot { return []*plot.Plot{p} },
			Slider{"k", 0, 2, 1, 0}},
		"NewScene": {NewScene, "title", square, x, y},
		"Rate":     {Rate, "simplex", "SVRF", rate},
		"Ratios":   {Ratios, "title", "x", Ratio{"a", 1, 0.5, 2}},
		"Roads":    {Roads, "title", []float64{0, 1}, []float64{0, 1}, []Road{{From: 0, To: 1, Flow: 0.5}}},
		"Arrow":    {(*Scene).Arrow, scene(), "SVRF", x, y},
		"Edge":     {(*Scene).Edge, scene(), x, y},
		"Levels":   {(*Scene).Levels, scene(), func(w []float64) float64 { return w[0] }, 3},
		"Mark":     {(*Scene).Mark, scene(), "w*", x},
		"Noise":    {(*Scene).Noise, scene(), "SVRF", x, y, x},
		"Path":     {(*Scene).Path, scene(), "SVRF", x, y},
		"Step":     {(*Scene).Step, scene(), "SVRF", x, y, 0.5},
		"At":       {Series.At, Series{"SVRF", []float64{1, 2}, []float64{2, 1}}, 1.5},
		"Slopes":   {Slopes, []fwrate.Cell{{Name: "SVRF", On: "simplex", Verdict: "a", Rate: rate}}, "a"},
		"Style":    {Style, "SVRF"},
		"Theory":   {Theory, p, "theory", double},
		"Traces":   {Traces, fwrate.Steps, Loss(), tr},
		"Tuning":   {Tuning, "SGD", tuning},
	} {
		for _, bad := range small.Mistakes(c[0], c[1:]...) {
			t.Errorf("%s: %s", name, bad)
		}
	}
}

// So are the other mistakes of a reader.
func TestPanics(t *testing.T) {
	s, p := NewScene("", disc{2}, []float64{1, 0}, []float64{0, 1}), Traces(fwrate.Steps, Loss())
	x, y, nan := []float64{0, 1, math.NaN()}, []float64{0, 3, 1}, math.NaN()
	roads := func(roads ...Road) func() { return func() { Roads("", x, y, roads) } }
	ratio := func(mid, least, most float64) func() {
		return func() { Ratios("", "", Ratio{"a", mid, least, most}) }
	}
	lines := func(x ...float64) func() {
		return func() { Lines("", "", "", false, false, Series{"a", x, []float64{1, 1}}) }
	}
	moving := func(at func(v []float64) []*plot.Plot, lo, hi, step, start float64) func() {
		return func() { Moving(at, Slider{"k", lo, hi, step, start}) }
	}
	one := func(v []float64) []*plot.Plot { return slices.Repeat([]*plot.Plot{p}, int(v[0])) }
	for _, c := range []struct {
		want string
		do   func()
	}{
		{"trace 2 of 2 is nil", func() { Traces(fwrate.Steps, Loss(), trace("SVRF", 1), nil) }},
		{`"a" has 1 abscissas and 2 values`, lines(1)},
		{`the abscissas of "a" fall from 2 to 1`, lines(2, 1)},
		{"no plots", func() { Grid() }},
		{"a row of 0 plots", func() { Grid(nil) }},
		{"a row of 4 plots", func() { Grid([]*plot.Plot{p, p, p, p}) }},
		{`the slider "k" goes from 0 by 0 to 1, and begins at 0`, moving(one, 0, 1, 0, 0)},
		{`the slider "k" goes from 1 by 1 to 1, and begins at 1`, moving(one, 1, 1, 1, 1)},
		{`the slider "k" goes from 0 by 1 to 2, and begins at 3`, moving(one, 0, 2, 1, 3)},
		{`the slider "k" goes from 0 by 1 to 500, and begins at 0`, moving(one, 0, 500, 1, 0)},
		{`the slider "k" goes from 0 by 1 to +Inf`, moving(one, 0, math.Inf(1), 1, 0)},
		{`the slider "k" goes from 0 by NaN to 1`, moving(one, 0, 1, nan, 0)},
		{"2 plots, and 1 before, at [2]", moving(one, 1, 2, 1, 1)},
		{"a row of 0 plots", moving(one, 0, 0.4, 0.2, 0)},
		{"a Tuning that is nil", func() { Tuning("SGD", nil) }},
		{"a Rate that is nil", func() { Rate("simplex", "SVRF", nil) }},
		{"SVRF on simplex has no Rate",
			func() { Slopes([]fwrate.Cell{{Name: "SVRF", On: "simplex", Verdict: "a"}}, "a") }},
		{"directions of lengths 2 and 3, want 2",
			func() { NewScene("", disc{2}, []float64{1, 0}, make([]float64, 3)) }},
		{"x and y are not two directions",
			func() { NewScene("", disc{2}, []float64{1, 0}, []float64{2, 0}) }},
		{"x and y are not two directions",
			func() { NewScene("", disc{2}, make([]float64, 2), []float64{0, 1}) }},
		{"a point of length 3, want 2", func() { s.Mark("w", make([]float64, 3)) }},
		{"a Scene is made by NewScene", func() { new(Scene).Edge([]float64{0}) }},
		{"a map without roads", roads()},
		{"road 1 has flow -1 and is 0 full: want finite numbers that are not negative",
			roads(Road{0, 1, 0, 0}, Road{1, 0, -1, 0})},
		{"road 0 has flow NaN and is 0 full: want finite numbers", roads(Road{0, 1, nan, 0})},
		{"road 0 has flow 1 and is +Inf full: want finite numbers", roads(Road{0, 1, 1, math.Inf(1)})},
		{"road 0 ends at node 3, which the 3 and 3 coordinates do not place", roads(Road{0, 3, 1, 0})},
		{"road 0 ends at node -1, which", roads(Road{-1, 1, 1, 0})},
		{"road 0 ends at node 2, which", roads(Road{0, 2, 1, 0})},
		{"road 0 ends at node 1, which the 3 and 1 coordinates",
			func() { Roads("", x, y[:1], []Road{{0, 1, 1, 0}}) }},
		{"a: the ratio 2 in 3 to 4", ratio(2, 3, 4)},
		{"a: the ratio 5 in 3 to 4", ratio(5, 3, 4)},
		{"a: the ratio 0 in 0 to 0", ratio(0, 0, 0)},
		{"a: the ratio 1 in 1 to +Inf", ratio(1, 1, math.Inf(1))},
		{"a: the ratio NaN in 1 to 1", ratio(nan, 1, 1)},
	} {
		if got := small.Panics(c.do); !strings.HasPrefix(got, "fwplot: "+c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
