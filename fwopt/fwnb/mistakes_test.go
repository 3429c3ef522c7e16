package fwnb

import (
	"context"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// Bad arguments are answered in words of ours, in a notebook and elsewhere.
func TestMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	f, omega := small.Problem()
	tr := &fwopt.Trace{Points: []fwopt.Point{at(0), at(1)}}
	b := fwopt.Budget{Steps: 3}
	for _, isNotebook := range []bool{true, false} {
		set(t, isNotebook, !isNotebook)
		for name, c := range map[string][]any{
			"Columns":         {Columns, 3, []string{"a", "b"}, []string{"x", "y"}, []float64{1, 2}},
			"Markdown":        {Markdown, "text"},
			"NewProgress":     {NewProgress, "title"},
			"Pick":            {Pick[int], 1, 2},
			"Progress.Count":  {(*Progress).Count, NewProgress("title"), 1, 2},
			"Progress.Done":   {(*Progress).Done, NewProgress("title")},
			"Progress.Update": {(*Progress).Update, NewProgress("title"), tr, at(1), 0.5},
			"Runs":            {Runs, "SVRF", 2, 1, func(context.Context, uint64, uint64) []fwopt.Point { return []fwopt.Point{at(1)} }},
			"Record.Num":      {Record.Num, Record{"a": "1"}, "a"},
			"Row":             {Row, 3, 0.5, "text"},
			"Run, o":          {func(o *fwopt.Oracle) { Run(o, &fwopt.FW{}, b) }, fwopt.NewOracle(f, omega, 1)},
			"Run, m":          {func(m fwopt.Method) { Run(fwopt.NewOracle(f, omega, 1), m, b) }, &fwopt.FW{}},
			"Run":             {func(w0 []float64, b fwopt.Budget) { Run(fwopt.NewOracle(f, omega, 1).From(w0), &fwopt.FW{}, b) }, nil, b},
			"Seeds":           {Seeds[int], "title", 2, func(context.Context, uint64) int { return 1 }},
			"Figure.Show":     {Figure.Show, Figure{PNG: []byte{1}, SVG: []byte("<svg/>"), Width: 1, Height: 1, Alt: "alt"}},
			"Table":           {Table, []string{"a"}, []string{"1"}},
		} {
			for _, bad := range small.Mistakes(c[0], c[1:]...) {
				t.Errorf("%s: %s", name, bad)
			}
		}
	}
}
