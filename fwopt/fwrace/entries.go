package fwrace

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Entry is who takes part: a method of Section 5, and what of it is changed, "" for nothing.
type Entry struct{ Method, Change string }

// String returns "STORC", or "STORC, m = 1000": the Method of its traces.
func (e Entry) String() string {
	if e.Change == "" {
		return e.Method
	}
	return e.Method + ", " + e.Change
}

// entry is the opposite of String.
func entry(name string) Entry {
	method, change, _ := strings.Cut(name, ", ")
	return Entry{method, change}
}

// The choices that Section 5 leaves open, each made otherwise, and AdaptiveSTORC, which
// takes η from its certified gap.
const (
	SVD      = "SVD"           // SGD and SVRG project by a thin singular value decomposition
	Singly   = "drawn singly"  // a batch of m > n samples computes m terms, not one for each row
	Thousand = "m = 1000"      // of STORC
	Falling  = "η falling"     // η_{t,k} halves with each epoch
	Apart    = "β and η apart" // each has its own constant
	NoReset  = "k not reset"   // STORC's k goes on at a snapshot, as SVRF's does
	Adaptive = "adaptive"      // fwmore.AdaptiveSTORC
)

// allChanges returns the changes, in the order of a table.
func allChanges() (names []string) {
	for _, c := range changes {
		names = append(names, c.name)
	}
	return names
}

var changes = []struct {
	name string
	of   []string // the methods that it changes
}{
	{SVD, []string{"SGD", "SVRG"}},
	{Singly, []string{"SFW", "SCGS"}},
	{Thousand, []string{"STORC"}},
	{Falling, []string{"STORC"}},
	{Apart, []string{"STORC"}},
	{NoReset, []string{"STORC"}},
}

// changed returns the methods that a change changes, and panics if there is none of that name.
func changed(name string) []string {
	for _, c := range changes {
		if c.name == name {
			return c.of
		}
	}
	panic(need.Linef("fwrace: no change %q; there are %q", name, allChanges()))
}

// constants are c of SGD or c′ of SVRG, or s, with which L is multiplied in the formulas
// of SCGS and STORC; and r, with which η is multiplied beside that.
type constants [2]float64

// free returns which constants of e are tuned, in this order.
func (e Entry) free() []int {
	switch {
	case e.Change == Adaptive || e.Change == SVD || e.Change == Singly || e.Method == "SFW" ||
		e.Method == "SVRF":
		return nil
	case e.Change == Apart:
		return []int{1, 0}
	}
	return []int{0}
}

// sliding reports whether e is STORC with the epochs of Section 5.
func (e Entry) sliding() bool { return e.Method == "STORC" && e.Change != Adaptive }

// storc is STORC of Section 5 with a change.
func storc(change string, c constants, L, D float64) fwopt.Method {
	if change == Adaptive {
		return fwmore.NewAdaptiveSTORC()
	}
	a := fwopt.STORCExperiments(fwopt.Constants{L: c[0] * L, D: D})
	eta := a.Eta
	a.Eta = func(t, k int) float64 { return c[1] * eta(t, k) }
	switch change {
	case Thousand:
		a.M = func(int, int) int { return 1000 }
	case Falling:
		a.Eta = func(t, k int) float64 { return c[1] * eta(t, k) / math.Exp2(float64(min(t, 60)-1)) }
	case NoReset:
		return &endless{STORC: *a}
	}
	return a
}

// terms returns the gradients ∇f_i that e has computed at p, of a sum of n: for a batch of
// m samples min(m, n), twice that where it is variance-reduced, and n for an exact gradient.
func (e Entry) terms(n int, p fwopt.Point) float64 {
	exact := float64(n) * float64(p.Calls.Exact)
	power, times := 0, 1.0
	switch e.Method {
	case "SFW":
		power = 2
	case "SCGS":
		power = 3
	case "SVRF":
		power, times = 1, 2
	}
	if power == 0 || e.Change == Singly {
		if e.Change == Adaptive || e.Change == Singly || p.Step == 0 {
			return exact + float64(p.Calls.Stochastic)
		}
		m := p.Calls.Stochastic / p.Step // constant, 2m where variance-reduced
		if e.Method == "STORC" || e.Method == "SVRG" {
			n *= 2
		}
		return exact + float64(p.Step)*float64(min(m, n))
	}
	sum := 0.0
	for k := 1; k <= p.Step; k++ {
		sum += min(math.Pow(float64(k), float64(power)), float64(n))
	}
	return exact + times*sum
}

// Tuning is what became of the constant of an entry.
type Tuning struct {
	Entry
	Constant string // "c", "c′", "s" or "r"
	*fwrate.Tuning
}

// Name returns "STORC: s", or "STORC, m = 1000: s".
func (t *Tuning) Name() string { return t.Entry.String() + ": " + t.Constant }

// Above returns the tuning with f − f* in the place of f, for fwplot.Tuning.
func (t *Tuning) Above(star float64) *fwrate.Tuning {
	u := *t.Tuning
	u.Rounds = nil
	for _, round := range t.Rounds {
		round = slices.Clone(round)
		for i := range round {
			p := &round[i]
			p.Median, p.Least, p.Most = p.Median-star, p.Least-star, p.Most-star
		}
		u.Rounds = append(u.Rounds, round)
	}
	return &u
}

// constant names those of an entry.
func (e Entry) constant(free int) string {
	switch {
	case free == 1:
		return "r"
	case e.Method == "SGD":
		return "c"
	case e.Method == "SVRG":
		return "c′"
	}
	return "s"
}

// set puts the best value in its place.
func (t *Tuning) set(c *constants) {
	at := 0
	if t.Constant == "r" {
		at = 1
	}
	if c[at] = t.Best; math.IsNaN(t.Best) { // all diverged
		c[at] = t.Rounds[0][0].C
	}
}

// judge takes what was found. Where several values end as well as the best, to nine digits
// of what it has gained, as they do where all have reached the accuracy of f*, it takes the
// one that was ahead in the round before, and doubts it only if none was.
func judge(e Entry, free int, found *fwrate.Tuning) *Tuning {
	t := &Tuning{Entry: e, Constant: e.constant(free), Tuning: found}
	if len(found.Rounds) < 2 || math.IsNaN(found.Best) {
		return t
	}
	last, before := found.Rounds[len(found.Rounds)-1], found.Rounds[len(found.Rounds)-2]
	best := last[slices.IndexFunc(last, func(p fwrate.Tried) bool { return p.C == found.Best })]
	alike := 1e-9 * (best.Traces[0].Points[0].F - best.Median)
	earlier := func(c float64) float64 {
		return before[slices.IndexFunc(before, func(q fwrate.Tried) bool { return q.C == c })].Median
	}
	var tied []float64
	for _, p := range last {
		if p.Median-best.Median <= alike {
			tied = append(tied, p.C)
			if earlier(p.C) < earlier(found.Best) {
				found.Best = p.C
			}
		}
	}
	found.Doubts = nil
	first := found.Rounds[0]
	if found.Best == first[0].C || found.Best == first[len(first)-1].C {
		found.Doubts = append(found.Doubts, fmt.Sprintf("the best value, %g, is at an end of the grid",
			found.Best))
	}
	for _, c := range tied {
		if c != found.Best && earlier(c)-earlier(found.Best) <= alike {
			found.Doubts = append(found.Doubts,
				fmt.Sprintf("%g does as well as %g, with half of the budget, too", c, found.Best))
		}
	}
	return t
}
