package fwrate

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// Bad arguments are answered in words of ours.
func TestMistakes(t *testing.T) {
	f, omega := small.Problem()
	m := func() fwopt.Method { return &fwopt.FW{} }
	b := fwopt.Budget{Steps: 3, DualityGap: true}
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m(), b)
	runs := synthetic(2, 8, 2, 0.05, rand.New(rand.NewPCG(1, 1)))
	rate, err := law.Measure(runs)
	if err != nil {
		t.Fatal(err)
	}
	one := func(ctx context.Context, seed uint64) int { return int(seed) }
	run := func() []fwopt.Point { return runs[0] }
	race := Runs{Name: "SVRF", Draws: [][][]fwopt.Point{runs}}
	for name, c := range map[string][]any{
		"Above":         {Above, 0.0, 1.0, tr},
		"CellHead":      {CellHead, "name"},
		"Cell.Row":      {Cell.Row, Cell{"SVRF", "p", "a", rate}},
		"Terms":         {Terms, 3},
		"Count.String":  {Count.String, Stochastic},
		"Groups":        {Groups, tr},
		"Largest":       {Largest, [][][]float64{{{1, 2}, {2, 3}}, {{1, 2}, {2, 3}}}},
		"Law.FirstHit":  {Law.FirstHit, law, runs},
		"Law.Measure":   {Law.Measure, law, runs},
		"Law.Scheduled": {Law.Scheduled, law, runs},
		"LowerBound":    {LowerBound, tr},
		"Runs.Gaps":     {Runs.Gaps, race},
		"Runs.Mean":     {Runs.Mean, race, func(q fwopt.Point) float64 { return 1 }},
		"Runs.Rate":     {Runs.Rate, race, Stochastic, 2.0, law.Bound},
		"Rate.Local":    {(*Rate).Local, rate},
		"Rate.Row":      {(*Rate).Row, rate, "SVRF"},
		"Rate.String":   {(*Rate).String, rate},
		"Repeat":        {Repeat, 2, run},
		"SecondsOf":     {SecondsOf, func() {}},
		"Seeds":         {Seeds[int], 2, func(seed uint64) int { return 1 }},
		"Summary":       {Summary, tr},
		"Tune": {Tune, []float64{1, 2, 4}, 1, fwopt.Budget{Steps: 2},
			func(c float64, _ uint64, _ fwopt.Budget) *fwopt.Trace { return tr }},
		"TuneTwo": {TuneTwo, []float64{1, 2}, []float64{1, 2}, 1, fwopt.Budget{Steps: 2},
			func(c, d float64, _ uint64, _ fwopt.Budget) *fwopt.Trace { return tr }},
		"Until": {Until[int], context.Background(), 2, nil, one},
	} {
		for _, bad := range small.Mistakes(c[0], c[1:]...) {
			t.Errorf("%s: %s", name, bad)
		}
	}
}
