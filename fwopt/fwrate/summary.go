package fwrate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// LowerBound returns the best lower bound on min f that the traces prove, the largest
// f − duality gap − slack of their points, or −Inf if no duality gap was recorded. It is
// one where f is convex and all traces are of the same f and Ω. No iterate need be good
// for its bound to be: take the bounds of all methods together. It panics if f declares itself fwopt.NonConvex.
func LowerBound(traces ...*fwopt.Trace) float64 {
	given(traces)
	bound := math.Inf(-1)
	for _, tr := range traces {
		if tr.NonConvex {
			panic(need.Linef("fwrate: the f of %s on %s declares that it is not convex: no duality gap bounds it",
				tr.Method, tr.Data))
		}
		for _, p := range tr.Points {
			if b := p.F - p.DualityGap - p.Slack; b > bound { // false for NaN
				bound = b
			}
		}
	}
	return bound
}

// Summary is a table of where the traces ended, for fwnb.Table: a row for each Method
// on each Data, in order of appearance, with medians over its traces, the seeds, and
// for f the range as well. Runs with the same seed and another constant are no seeds of one
// method: see Groups. Columns with nothing in them, as projections where none was made, are
// left out. Runs that ended in different ways are counted: "4 done, 1 diverged"; what has a
// Doubt is marked.
func Summary(traces ...*fwopt.Trace) [][]string {
	rows := [][]string{{"method", "data", "runs", "f", "range of f", "duality gap", "steps",
		"exact", "stochastic", "linear", "projections", "seconds"}}
	for _, g := range Groups(traces...) {
		f, spread := over(g, loss)
		row := []string{g[0].Method, g[0].Data, ends(g), f, spread}
		gap := func(p fwopt.Point) float64 { return p.DualityGap + p.Slack }
		for _, of := range []func(p fwopt.Point) float64{gap, Steps.Of, Exact.Of, Stochastic.Of, Linear.Of,
			Projections.Of, Seconds.Of} {
			cell, _ := over(g, of)
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	for c := len(rows[0]) - 1; c > 0; c-- {
		if !slices.ContainsFunc(rows[1:], func(row []string) bool { return row[c] != "" && row[c] != "0" }) {
			for i := range rows {
				rows[i] = slices.Delete(rows[i], c, c+1)
			}
		}
	}
	return rows
}

// loss is f at a point.
func loss(p fwopt.Point) float64 { return p.F }

// start returns the first point of a trace, or one with nothing recorded.
func start(tr *fwopt.Trace) fwopt.Point {
	if len(tr.Points) == 0 {
		return tr.Last()
	}
	return tr.Points[0]
}

// valuesOf returns a number at a point of each trace, where there is one.
func valuesOf(traces []*fwopt.Trace, at func(tr *fwopt.Trace) fwopt.Point,
	of func(p fwopt.Point) float64) (values []float64) {
	for _, tr := range traces {
		if x := of(at(tr)); !math.IsNaN(x) {
			values = append(values, x)
		}
	}
	return values
}

// middleOf returns their median.
func middleOf(traces []*fwopt.Trace, at func(tr *fwopt.Trace) fwopt.Point,
	of func(p fwopt.Point) float64) float64 {
	return median(valuesOf(traces, at, of))
}

// over returns the median over the last points, and their range if they differ; "" if
// there is none.
func over(traces []*fwopt.Trace, of func(p fwopt.Point) float64) (middle, spread string) {
	values := valuesOf(traces, (*fwopt.Trace).Last, of)
	if len(values) == 0 {
		return "", ""
	}
	write := func(x float64) string {
		if math.Abs(x) < 1e6 && x == math.Trunc(x) {
			return fmt.Sprintf("%.0f", x)
		}
		return number(x, 5)
	}
	if lo, hi := slices.Min(values), slices.Max(values); lo < hi {
		spread = write(lo) + " to " + write(hi)
	}
	return write(median(values)), spread
}

// ends counts the traces by the way in which they ended.
func ends(traces []*fwopt.Trace) string {
	var all []string
	for status := fwopt.Running; status <= fwopt.Endless; status++ {
		n := 0
		for _, tr := range traces {
			if tr.Status == status {
				n++
			}
		}
		if n > 0 {
			all = append(all, fmt.Sprintf("%d %v", n, status))
		}
	}
	if slices.ContainsFunc(traces, func(tr *fwopt.Trace) bool { return tr.Doubt != "" }) {
		all = append(all, "f has not moved")
	}
	return strings.Join(all, ", ")
}

// Groups returns the traces by Method and Data, in order of appearance: a group is the seeds
// of one method on one problem. A run that is given twice, to the same points but for their
// seconds, counts once. Groups panics if a trace is nil, or if two of a group have the same
// Seed and are not the same run, as with another constant: it tells how to name them apart.
func Groups(traces ...*fwopt.Trace) (groups [][]*fwopt.Trace) {
	given(traces)
next:
	for i, tr := range traces {
		at := slices.IndexFunc(groups, func(g []*fwopt.Trace) bool {
			return g[0].Method == tr.Method &&
				g[0].Data == tr.Data
		})
		if at < 0 {
			at, groups = len(groups), append(groups, nil)
		}
		for _, before := range groups[at] {
			// without points it is no run
			if before.Seed != tr.Seed || len(before.Points) == 0 || len(tr.Points) == 0 {
				continue
			}
			if !sameRun(before, tr) {
				panic(need.Linef("fwrate: traces %d and %d are both %q from seed %d, but other runs: they "+
					"are no seeds of one method. Name them apart, as by tr.Method = %q, or, if the seeds "+
					"differ, set the Seed of each",
					1+slices.Index(traces, before), i+1, tr.Method, tr.Seed, tr.Method+", variant 2"))
			}
			continue next
		}
		groups[at] = append(groups[at], tr)
	}
	return groups
}

// given panics if a trace is nil.
func given(traces []*fwopt.Trace) {
	if i := slices.Index(traces, nil); i >= 0 {
		panic(need.Linef("fwrate: trace %d of %d is nil", i+1, len(traces)))
	}
}

// sameRun reports whether two traces are of one run, made once or twice.
func sameRun(a, b *fwopt.Trace) bool {
	if a == b {
		return true
	}
	same := func(p, q fwopt.Point) bool {
		p.Seconds, q.Seconds = 0, 0
		return fmt.Sprint(p) == fmt.Sprint(q) // so that NaN is NaN
	}
	return (a.Spec == b.Spec || a.Spec == "" || b.Spec == "") && slices.EqualFunc(a.Points, b.Points, same)
}
