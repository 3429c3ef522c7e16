package fwrate

import (
	"fmt"
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// best returns the best of the last round, and whether another does as well.
func (t *Tuning) best() (best *Tried, tied bool) {
	last := t.Rounds[len(t.Rounds)-1]
	for i := range last {
		if best == nil || last[i].Median < best.Median {
			best = &last[i]
		}
	}
	return best, slices.ContainsFunc(last, best.tie)
}

// tie reports whether another value does as well as p to nine digits of what p has gained.
func (p *Tried) tie(q Tried) bool {
	return q.pair() != p.pair() && q.Median-p.Median <= 1e-9*p.gained()
}

// gained returns how far the median is below the first f.
func (p *Tried) gained() float64 {
	return middleOf(p.Traces, start, loss) - p.Median
}

// judge says what the best of the last round is, and what speaks against it.
func (t *Tuning) judge(grids [2][]float64, b fwopt.Budget) {
	best, _ := t.best()
	if math.IsInf(best.Median, 1) {
		t.doubt("half of the runs diverged, or more, at each value of the last round")
		return
	}
	t.Best, t.Second = best.C, best.Second
	for i, grid := range grids {
		which := [2]string{"best value", "best second value"}[i]
		switch c := best.pair()[i]; {
		case len(grid) == 1 && c > 0:
			t.doubt("the grid has one value, so nothing was compared")
		case c > 0 && c == grid[0]:
			t.doubt("the %s, %g, is the smallest of the grid: try smaller ones", which, c)
		case c > 0 && c == grid[len(grid)-1]:
			t.doubt("the %s, %g, is the largest of the grid: try larger ones", which, c)
		}
	}
	for _, p := range t.Rounds[len(t.Rounds)-1] {
		if best.tie(p) {
			t.doubt("%v does as well as %v to nine digits: take a smaller budget to tell them apart", p.pair(), best.pair())
		}
	}
	t.still(best, b)
}

// still doubts a best that has come to rest far from an optimum.
func (t *Tuning) still(best *Tried, b fwopt.Budget) {
	half := func(tr *fwopt.Trace) fwopt.Point {
		at := start(tr)
		for _, q := range tr.Points {
			if !math.IsNaN(q.F) && b.Share(q) <= b.Share(tr.Last())/2 {
				at = q
			}
		}
		return at
	}
	if !(middleOf(best.Traces, half, loss)-best.Median <= 1e-3*best.gained()) {
		return
	}
	least := math.Inf(1)
	for _, p := range slices.Concat(t.Rounds...) {
		for _, tr := range p.Traces {
			for _, q := range tr.Points {
				if q.F < least { // false for NaN
					least = q.F
				}
			}
		}
	}
	gap := func(q fwopt.Point) float64 { return q.DualityGap + q.Slack }
	gapLeft := middleOf(best.Traces, (*fwopt.Trace).Last, gap) / middleOf(best.Traces, start, gap)
	lossLeft := (best.Median - least) / (middleOf(best.Traces, start, loss) - least)
	still := fmt.Sprintf("f stands still in the last half of the budget at the best value, %v, ", best.pair())
	switch {
	case best.gained() <= 0:
		t.doubt("%sand is no less than where the run began", still)
	case gapLeft > 0.01:
		t.doubt("%swhere the duality gap is %.2g %% of the first", still, 100*gapLeft)
	case lossLeft > 0.01:
		t.doubt("%s%.2g %% of its first distance above the least f that a run saw", still, 100*lossLeft)
	}
}

func (t *Tuning) doubt(format string, a ...any) {
	t.Doubts = append(t.Doubts, fmt.Sprintf(format, a...))
}

// median returns the mean of the two in the middle where there are two.
func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return s[(len(s)-1)/2]/2 + s[len(s)/2]/2
}

// Rows is a table of what was tried, for fwnb.Table: each value with the median of its
// last f in each round, "–" where it was no longer tried, and the range in its last.
func (t *Tuning) Rows() [][]string {
	if t == nil || len(t.Rounds) == 0 {
		panic(need.Line("fwrate: Rows of a Tuning that is nil or has no rounds: Tune makes one"))
	}
	head, two := []string{"value"}, false
	for _, p := range t.Rounds[0] {
		two = two || p.Second > 0
	}
	if two {
		head = append(head, "second value")
	}
	own := len(head)
	for _, round := range t.Rounds {
		if len(round) > 0 {
			head = append(head, fmt.Sprintf("f after %.3g of the budget", round[0].Share))
		}
	}
	rows := [][]string{append(head, "range over the seeds")}
	for _, first := range t.Rounds[0] {
		row, spread := []string{number(first.C, 4), number(first.Second, 4)}[:own], ""
		for _, round := range t.Rounds[:len(head)-own] {
			cell := "–"
			if i := slices.IndexFunc(round, func(p Tried) bool { return p.pair() == first.pair() }); i >= 0 {
				cell = number(round[i].Median, 5)
				spread = number(round[i].Least, 5) + " to " + number(round[i].Most, 5)
			}
			row = append(row, cell)
		}
		rows = append(rows, append(row, spread))
	}
	return rows
}
