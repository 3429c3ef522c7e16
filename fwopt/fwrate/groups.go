package fwrate

import (
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Groups returns the traces by Method and Data, in order of appearance: a group is the seeds
// of one method on one problem. A run that is given twice, to the same points but for their
// seconds, counts once. Groups panics if a trace is nil, or if two of a group have the same
// Seed and are not the same run, as with another constant: it says how to name them apart.
func Groups(traces ...*fwopt.Trace) (groups [][]*fwopt.Trace) {
	given(traces)
next:
	for i, tr := range traces {
		at := slices.IndexFunc(groups, func(g []*fwopt.Trace) bool { return g[0].Method == tr.Method && g[0].Data == tr.Data })
		if at < 0 {
			at, groups = len(groups), append(groups, nil)
		}
		for _, before := range groups[at] {
			if before.Seed != tr.Seed || len(before.Points) == 0 || len(tr.Points) == 0 { // without points it is no run
				continue
			}
			if !sameRun(before, tr) {
				panic(need.Linef("fwrate: traces %d and %d are both %q from seed %d, but other runs: they are no seeds of one method. Name them apart, as by tr.Method = %q, or, if the seeds differ, set the Seed of each",
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
	number := func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }
	return (a.Spec == b.Spec || a.Spec == "" || b.Spec == "") && slices.EqualFunc(a.Points, b.Points, func(p, q fwopt.Point) bool {
		return p.Step == q.Step && p.T == q.T && p.K == q.K && p.Calls == q.Calls && number(p.F, q.F) && number(p.Excess, q.Excess) &&
			number(p.DualityGap, q.DualityGap) && number(p.Slack, q.Slack) && number(p.Bound, q.Bound)
	})
}
