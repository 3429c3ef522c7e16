// Command fwverify checks the paper's inequalities, those of its statements and
// those inside its proofs, and the ones of the methods around it, on the problems
// of fwinst:
//
//	go run ./fwopt/fwverify [-scale x]
//
// Each is checked wherever it applies: a statement about a point or a step at
// every point and step, a statement about an expectation on the mean over the
// seeds. A mini-batch's variance is computed exactly, given the
// past, from all n terms; nothing of that is sampled.
//
// One row is one statement. Its slack is bound/measured where that is least: 1
// is an inequality that was attained, and with 1000 no wrong constant within a
// factor of 1000 would have been seen. The exit status is 1 if any is violated.
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"text/tabwriter"

	"github.com/projection-free/fwlab/fwopt/fwinst"
	"github.com/projection-free/fwlab/fwopt/fwrate"
)

// scale multiplies every bound: below 1 it plants a wrong constant in each.
var scale = 1.0

// statement is one row of the table.
type statement struct {
	name       string
	instances  int     // on which it was looked at
	last       string  // of these
	worst      string  // the one where it is tightest
	count      int     // how often it was looked at
	ratio      float64 // the largest measured/bound; −1 before the first one
	violations int
	exact      bool // it says "=", and has no ratio
}

// effort says how much is done.
type effort struct {
	seeds     int // runs behind a mean
	pairs     int // random points or pairs of points
	steps     int // of a method without epochs
	epochs    int // of SVRF; the others have as many or one more
	instances []*fwinst.Instance
}

// full is what the command does.
func full() effort {
	return effort{seeds: 24, pairs: 4000, steps: 200, epochs: 5, instances: []*fwinst.Instance{
		fwinst.Simplex(256, 16, 1),
		fwinst.Face(64, 16, 1, 1),
		fwinst.MSC(8, 0.5),
		fwinst.MSL(16, 16, 0.25, 1),
		fwinst.NoisyBox(8, 16, 1),
		fwinst.NoisySimplex(32, 16, 1, 1),
		fwinst.IllBox(6, 16, 20, 1),
		fwinst.IllSimplex(16, 16, 8, 1),
		fwinst.IllBox(2, 1, 1, 1),
		fwinst.Zigzag(),
		fwinst.Product(fwinst.Simplex(32, 4, 1), fwinst.MSC(5, 0.5)),
		fwinst.Product(fwinst.Simplex(24, 4, 1), fwinst.MSL(16, 4, 0.25, 1)),
		fwinst.Product(fwinst.Product(fwinst.Simplex(24, 4, 1), fwinst.MSC(3, 1)),
			fwinst.MSL(16, 2, 0.25, 1)),
		fwinst.Product(fwinst.Product(fwinst.Simplex(16, 4, 1), fwinst.IllBox(4, 4, 8, 1)),
			fwinst.NoisyBox(3, 2, 1)),
	}}
}

// verify makes all checks.
func verify(e effort) *ledger {
	l := newLedger("arithmetic")
	constants(l)
	l.instance = "logistic loss"
	logistic(l, e)
	l.instance = "matrix completion"
	completion(l, e)
	for _, p := range e.instances {
		l.instance = p.Name
		for _, check := range []func(*ledger, *fwinst.Instance, effort){
			assumptions, properties, lemma1, baseCase, // lemmas.go
			frankWolfe, garberHazan, onlineFW, sfw, svrf, // theorems.go
			awayFW, pairwiseFW, blended, conjugate, // active.go
			scgs, scgsStrong, storcA, storcB, storcC, // sliding.go
			beyond, beyondStrong, // beyond.go
			noise,                // noise.go
			universal, certified, // universal.go
			fresh, // fresh.go
		} {
			check(l, p, e)
		}
	}
	return l
}

func main() {
	flag.Float64Var(&scale, "scale", 1, "multiply every bound by this, to see which wrong constants are seen")
	flag.Parse()
	if verify(full()).report(os.Stdout) > 0 {
		os.Exit(1)
	}
}

// report prints the table and returns how many violations there are.
func (l *ledger) report(to io.Writer) (violations int) {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "statement\tinstance\tchecks\tmeasured/bound\tslack\tviolations")
	total, loose := 0, 0
	for _, c := range l.rows {
		instance := c.worst
		if c.instances > 1 {
			instance = fmt.Sprintf("%d, worst %s", c.instances, c.worst)
		}
		ratio, slack := fmt.Sprintf("%.3g", c.ratio), fmt.Sprintf("%.3g", 1/c.ratio)
		if c.exact {
			if ratio, slack = "=", "="; c.instances > 1 {
				instance = fmt.Sprint(c.instances)
			}
		} else if c.ratio < 0.05 {
			loose++
			slack += " loose"
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%d\n", c.name, instance, c.count, ratio, slack, c.violations)
		total += c.count
		violations += c.violations
	}
	w.Flush()
	fmt.Fprintf(to, "%d statements, %d checks, %d violations; %d are loose: a constant 20 times smaller "+
		"would not have been seen\n", len(l.rows), total, violations, loose)
	return violations
}

// ledger is the statements in the order in which they first came, and what they are looked at on.
type ledger struct {
	instance string
	rows     []*statement
	at       map[string]*statement
}

func newLedger(instance string) *ledger {
	return &ledger{instance: instance, at: map[string]*statement{}}
}

// see counts checks of a statement, of which ratio is the largest measured/bound.
func (l *ledger) see(name string, count int, ratio float64) *statement {
	c := l.at[name]
	if c == nil {
		c = &statement{name: name, ratio: -1, worst: l.instance}
		l.at[name], l.rows = c, append(l.rows, c)
	}
	if c.last != l.instance {
		c.last, c.instances = l.instance, c.instances+1
	}
	c.count += count
	if ratio > c.ratio {
		c.ratio, c.worst = ratio, l.instance
	}
	return c
}

// most checks that got ≤ bound, up to rounding: a relative 1e-9.
func (l *ledger) most(name string, got, bound float64) {
	ratio := 0.0
	if !(got <= 0 && bound >= 0) {
		if ratio = got / bound; !(bound > 0) || math.IsNaN(ratio) {
			ratio = math.Inf(1)
		}
	}
	c := l.see(name, 1, ratio)
	if !(ratio <= scale*(1+1e-9)) {
		c.violations++
	}
}

// sum checks that the terms add up to at most 0: what is positive among them is
// measured, the rest is the bound.
func (l *ledger) sum(name string, terms ...float64) {
	got, bound := 0.0, 0.0
	for _, t := range terms {
		got, bound = got+max(0, t), bound+max(0, -t)
	}
	l.most(name, got, bound)
}

// equal checks that got = want, with a tolerance of tol.
func (l *ledger) equal(name string, got, want, tol float64) {
	c := l.see(name, 1, -1)
	c.exact = true
	if !(math.Abs(got-want) <= tol) {
		c.violations++
	}
}

// row is what a run measured in one step; what it holds is up to the check.
type row [10]float64

// mean calls one with each seed and returns the means of the rows, which all
// runs have the same number of. What the runs check themselves goes to l.
func (l *ledger) mean(seeds int, one func(l *ledger, seed uint64) []row) []row {
	type run struct {
		rows []row
		l    *ledger
	}
	var mean []row
	for _, r := range fwrate.Seeds(seeds, func(seed uint64) run {
		own := newLedger(l.instance)
		return run{one(own, seed), own}
	}) {
		for _, c := range r.l.rows {
			to := l.see(c.name, c.count, c.ratio)
			to.violations += c.violations
			to.exact = c.exact
		}
		if mean == nil {
			mean = make([]row, len(r.rows))
		}
		for i, x := range r.rows {
			for q := range x {
				mean[i][q] += x[q] / float64(seeds)
			}
		}
	}
	return mean
}
