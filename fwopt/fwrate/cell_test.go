package fwrate

import (
	"math"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
)

// A row under its heading, column by column.
func TestCell(t *testing.T) {
	r := Runs{Name: "SVRF", Draws: [][][]fwopt.Point{{falling(1), falling(3)}}}
	c := Cell{"SVRF, stochastic", "MSC", "visible", r.Rate(Stochastic, 2, func(q fwopt.Point) float64 { return math.Exp2(4 - float64(q.T)) })}
	head, row := CellHead("stochastic"), c.Row()
	if len(head) != len(row) {
		t.Fatalf("%d columns under %d headings: %q, %q", len(row), len(head), row, head)
	}
	want := map[string]string{"stochastic": "SVRF, stochastic", "theory": "2", "windows": "t = 3–8, 5–8", "gap/bound": "0.12",
		"problem": "MSC", "runs": "2", "verdict": "visible"}
	for i, h := range head {
		if w, ok := want[h]; ok && row[i] != w {
			t.Errorf("%s: %q, want %q", h, row[i], w)
		}
		delete(want, h)
	}
	if len(want) > 0 {
		t.Errorf("no columns %v", want)
	}
	if !slices.Equal(Head(), []string{"", "theory", "long window", "late window", "schedule", "draws"}) {
		t.Errorf("CellHead has changed Head: %q", Head())
	}
}
