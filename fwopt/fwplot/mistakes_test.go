package fwplot

import (
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
	tuning, err := fwrate.Tune([]float64{1, 2, 4}, 1, fwopt.Budget{Steps: 4}, func(c float64, _ uint64, b fwopt.Budget) *fwopt.Trace {
		return &fwopt.Trace{Status: fwopt.Done, Points: []fwopt.Point{{F: 1}, {Step: b.Steps, F: (c - 2) * (c - 2) / 10}}}
	})
	if err != nil {
		t.Fatal(err)
	}
	p, double := Traces(fwrate.Steps, Loss(), tr), func(x float64) float64 { return 2 * x }
	race := fwrate.Runs{Name: "SVRF", Draws: [][][]fwopt.Point{{{{T: 1, Excess: 1}, {T: 2, Excess: 0.5}}}}}
	for name, c := range map[string][]any{
		"Bound":      {Bound, p, "bound", double},
		"Bundle":     {bundle, p},
		"Costs":      {Costs, race, fwrate.Linear},
		"Epochs":     {Epochs, "title", race},
		"Excess":     {Excess, 1.0},
		"Grid":       {Grid, []*plot.Plot{p, p}},
		"LowerBound": {LowerBound, p, "least", double},
		"Lines":      {Lines, "title", "x", "y", true, true, Series{"SVRF", []float64{1, 2}, []float64{2, 1}}},
		"NewScene":   {NewScene, "title", square, x, y},
		"Rate":       {Rate, "simplex", "SVRF", rate},
		"Ratios":     {Ratios, "title", "x", Ratio{"a", 1, 0.5, 2, 1}},
		"Roads":      {Roads, "title", []float64{0, 1}, []float64{0, 1}, []Road{{From: 0, To: 1, Flow: 0.5}}},
		"Arrow":      {(*Scene).Arrow, scene(), "SVRF", x, y},
		"Edge":       {(*Scene).Edge, scene(), x, y},
		"Levels":     {(*Scene).Levels, scene(), func(w []float64) float64 { return w[0] }, 3},
		"Mark":       {(*Scene).Mark, scene(), "w*", x},
		"Noise":      {(*Scene).Noise, scene(), "SVRF", x, y, x},
		"Path":       {(*Scene).Path, scene(), "SVRF", x, y},
		"Slide":      {(*Scene).Slide, scene(), 1},
		"Step":       {(*Scene).Step, scene(), "SVRF", x, y, 0.5},
		"At":         {Series.At, Series{"SVRF", []float64{1, 2}, []float64{2, 1}}, 1.5},
		"Slopes":     {Slopes, []fwrate.Cell{{Name: "SVRF", On: "simplex", Verdict: "a", Rate: rate}}, "a"},
		"Style":      {Style, "SVRF"},
		"Terms":      {fwrate.Terms, 3},
		"Theory":     {Theory, p, "theory", double},
		"Traces":     {Traces, fwrate.Steps, Loss(), tr},
		"Tuning":     {Tuning, "SGD", tuning},
	} {
		for _, bad := range small.Mistakes(c[0], c[1:]...) {
			t.Errorf("%s: %s", name, bad)
		}
	}
}
