package fwrace

import (
	"fmt"
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
)

// Currency is what a run is paid in.
type Currency struct {
	Name string
	of   func(e entry, n int, p fwopt.Point) float64
}

// Currencies are the three in which the paper's sentences are judged. Terms are the
// gradients ∇f_i that were computed: min(m, n) for a batch of m, twice that where it is
// variance-reduced, n for an exact gradient. Calls of Ω are linear optimisations, and
// projections, whatever each of the two may cost.
func Currencies() []Currency {
	return []Currency{
		{"seconds", func(_ entry, _ int, p fwopt.Point) float64 { return p.Seconds }},
		{"terms", func(e entry, n int, p fwopt.Point) float64 { return e.terms(n, p) }},
		{"calls of Ω", func(_ entry, _ int, p fwopt.Point) float64 { return Calls.Of(p) }},
	}
}

// levels are where the sentences are judged, and the Shares of a Goal: f(w) − f* over f(w_0) − f*.
var levels = []float64{1e-1, 1e-2, 1e-3}

// sorted are numbers of runs, the least first.
type sorted []float64

func (x sorted) least() float64 { return x[0] }
func (x sorted) most() float64  { return x[len(x)-1] }

// median returns of an even number of runs the upper of the two in the middle.
func (x sorted) median() float64 { return x[len(x)/2] }

// arrivals are when the runs of an entry came to a level: each after its lo, where it was recorded
// above it for the last time, and at its hi at the latest, where it was first recorded at or below. A
// run that never came has hi = +Inf, and lo where it ended; if it diverged lo = +Inf, too.
type arrivals struct{ lo, hi sorted }

// arrivals returns those of an entry's runs at a level.
func (a *Archive) arrivals(e entry, c Currency, level float64) (at arrivals) {
	for _, tr := range a.Traces {
		if tr.Method != e.String() {
			continue
		}
		lo, hi := 0.0, math.Inf(1)
		for _, p := range tr.Points {
			cost := c.of(e, a.N, p)
			if p.F-a.Star <= level*(a.First-a.Star) {
				hi = cost
				break
			}
			lo = cost
		}
		if f := tr.Last().F; math.IsNaN(f) || math.IsInf(f, 0) {
			lo = math.Inf(1)
		}
		at.lo, at.hi = append(at.lo, lo), append(at.hi, hi)
	}
	slices.Sort(at.lo)
	slices.Sort(at.hi)
	return at
}

// A kind is how a comparison ends.
type kind int

const (
	neither kind = iota // most runs of either did not come there
	open                // one was stopped too early to say
	tie                 // the ranges overlap
	fails               // all runs of the other came earlier
	slight              // all runs came earlier, by less than is claimed
	holds               // all runs came earlier
)

func (k kind) String() string {
	return [...]string{"neither", "open", "tie", "fails", "slightly", "holds"}[k]
}

// verdict is what becomes of "A is ahead of B" at a level in a currency.
type verdict struct {
	kind  kind
	ratio float64 // median of the later over that of the earlier, at least
	over  bool    // the later never came: the ratio is over that
	who   string  // where several were compared, by whom it fails
}

// String returns "holds, 3.1×", "holds, > 12×", "slightly, 1.4×", "slightly at least, > 1.8×",
// "fails, 2.5×", "tie", "open" or "neither".
func (v verdict) String() string {
	s := v.kind.String()
	if v.kind == slight && v.over {
		s += " at least" // the factor is not known, and may be what is claimed
	}
	if v.who != "" {
		s += ": " + v.who
	}
	switch {
	case v.kind < fails || math.IsInf(v.ratio, 0):
		return s
	case v.over:
		return fmt.Sprintf("%s, > %s×", s, number(v.ratio))
	}
	return fmt.Sprintf("%s, %s×", s, number(v.ratio))
}

// compare judges whether the runs a are ahead of the runs b: by the ranges over the seeds
// alone, and where a run came to the level between two records, in its disfavour.
func compare(a, b arrivals) verdict {
	switch {
	case len(a.hi) == 0 || len(b.hi) == 0:
		return verdict{kind: open}
	case math.IsInf(a.hi.median(), 1) && math.IsInf(b.hi.median(), 1):
		return verdict{kind: neither}
	case ahead(a, b):
		return lead(holds, a, b)
	case ahead(b, a):
		return lead(fails, b, a)
	case math.IsInf(a.hi.most(), 1) || math.IsInf(b.hi.most(), 1):
		return verdict{kind: open}
	}
	return verdict{kind: tie}
}

// ahead reports whether all runs of a were there before any of b.
func ahead(a, b arrivals) bool { return !math.IsInf(a.hi.most(), 1) && a.hi.most() <= b.lo.least() }

// lead is the verdict with by how much the median of b is later, and whether it is that of
// runs that never came.
func lead(k kind, a, b arrivals) verdict {
	if math.IsInf(b.hi.median(), 1) {
		return verdict{kind: k, ratio: b.lo.median() / a.hi.median(), over: true}
	}
	return verdict{kind: k, ratio: b.hi.median() / a.hi.median()}
}

// Reach is a table for fwnb.Table: for each entry, as "STORC, m = 1000", or without names
// for the race itself and FISTA, what it took to come to each of the levels: the median over
// the seeds, and their range. A dash stands for what most runs did not reach.
func (a *Archive) Reach(c Currency, names ...string) [][]string {
	rows := [][]string{{a.Data + ": " + c.Name}}
	for _, level := range levels {
		rows[0] = append(rows[0], number(level))
	}
	var seen []string
	for _, tr := range a.Lines(names...) {
		if slices.Contains(seen, tr.Method) {
			continue
		}
		seen = append(seen, tr.Method)
		row := []string{tr.Method}
		for _, level := range levels {
			at, cell := a.arrivals(named(tr.Method), c, level).hi, "–"
			if !math.IsInf(at.median(), 1) {
				cell = number(at.median())
				if at.least() < at.most() {
					cell += " (" + number(at.least()) + " to " + number(at.most()) + ")"
				}
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return rows
}

// number writes two digits, as 0.35, 120, 2.1e6 or 1e−3.
func number(x float64) string {
	switch {
	case math.IsInf(x, 1):
		return "never"
	case x >= 1e5 || x > 0 && x < 0.01:
		e := math.Floor(math.Log10(x))
		m := x / math.Pow(10, e)
		if m >= 9.95 {
			m, e = m/10, e+1
		}
		s := fmt.Sprintf("%.2g", m)
		if e < 0 {
			return fmt.Sprintf("%se−%g", s, -e)
		}
		return fmt.Sprintf("%se%g", s, e)
	case x >= 10:
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.2g", x)
}
