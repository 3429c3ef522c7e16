// Command fwverify checks the paper's inequalities, those of its statements and
// those inside its proofs, and the ones of the methods around it, on the problems
// of fwinst:
//
//	go run ./fwopt/fwverify [-all] [-scale x]
//
// Each is checked wherever it applies: a statement about a point or a step at
// every point and step, a statement about an expectation on the mean over the
// seeds. What it says of a mini-batch's variance is computed exactly, given the
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
	"slices"
	"text/tabwriter"

	"github.com/projection-free/fwlab/fwopt/fwinst"
	"github.com/projection-free/fwlab/fwopt/fwrate"
)

// scale multiplies every bound: below 1 it plants a wrong constant in each.
var scale = 1.0

// Check is one statement on one instance.
type Check struct {
	Name, Instance string
	Count          int     // how often it was looked at
	Worst          float64 // the largest measured/bound; 0 for a statement that says "="
	Violations     int
	Exact          bool // it says "="
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

// verify is the list of all checks.
func verify(e effort) (checks []Check) {
	add := func(l *ledger) { checks = append(checks, l.checks...) }
	l := newLedger("arithmetic")
	constants(l)
	add(l)
	l = newLedger("logistic loss")
	logistic(l, e)
	add(l)
	l = newLedger("matrix completion")
	completion(l, e)
	add(l)
	for _, p := range e.instances {
		l := newLedger(p.Name)
		for _, check := range []func(*ledger, *fwinst.Instance, effort){
			assumptions, properties, lemma1, baseCase, // lemmas.go
			frankWolfe, garberHazan, onlineFW, sfw, svrf, // theorems.go
			awayFW, pairwiseFW, blended, conjugate, // active.go
			scgs, scgsStrong, storcA, storcB, storcC, // sliding.go
			beyond, beyondStrong, // beyond.go
		} {
			check(l, p, e)
		}
		add(l)
	}
	return checks
}

func main() {
	all := flag.Bool("all", false, "one row for each statement and instance")
	flag.Float64Var(&scale, "scale", 1, "multiply every bound by this, to see which wrong constants are seen")
	flag.Parse()
	if report(os.Stdout, verify(full()), *all) > 0 {
		os.Exit(1)
	}
}

// report prints the table and returns how many violations there are. Unless all
// is set it has one row for a statement, with the instance where it is tightest.
func report(to io.Writer, checks []Check, all bool) (violations int) {
	rows, where := checks, make([]int, len(checks))
	if !all {
		rows, where = nil, nil
		for _, c := range checks {
			i := slices.IndexFunc(rows, func(r Check) bool { return r.Name == c.Name })
			if i < 0 {
				i, rows, where = len(rows), append(rows, Check{Name: c.Name, Worst: -1, Exact: c.Exact}),
					append(where, 0)
			}
			r := &rows[i]
			where[i]++
			r.Count += c.Count
			r.Violations += c.Violations
			if c.Worst > r.Worst {
				r.Worst, r.Instance = c.Worst, c.Instance
			}
		}
	}
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "statement\tinstance\tchecks\tmeasured/bound\tslack\tviolations")
	total, loose := 0, 0
	for i, c := range rows {
		ratio, slack := fmt.Sprintf("%.3g", c.Worst), fmt.Sprintf("%.3g", 1/c.Worst)
		if c.Exact {
			ratio, slack = "=", "="
		} else if c.Worst < 0.05 {
			loose++
			slack += " loose"
		}
		instance := c.Instance
		if !all && where[i] > 1 {
			if instance = fmt.Sprintf("%d, worst %s", where[i], c.Instance); c.Exact {
				instance = fmt.Sprint(where[i])
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%d\n", c.Name, instance, c.Count, ratio, slack, c.Violations)
		total += c.Count
		violations += c.Violations
	}
	w.Flush()
	fmt.Fprintf(to, "%d statements, %d checks, %d violations; %d are loose: a constant 20 times smaller "+
		"would not have been seen\n",
		len(rows), total, violations, loose)
	return violations
}

// ledger is the checks of one instance, in the order in which they first came.
type ledger struct {
	instance string
	checks   []Check
	at       map[string]int
}

func newLedger(instance string) *ledger { return &ledger{instance: instance, at: map[string]int{}} }

func (l *ledger) find(name string) *Check {
	i, ok := l.at[name]
	if !ok {
		i = len(l.checks)
		l.at[name] = i
		l.checks = append(l.checks, Check{Name: name, Instance: l.instance})
	}
	return &l.checks[i]
}

// most checks that got ≤ bound, up to rounding: a relative 1e-9.
func (l *ledger) most(name string, got, bound float64) {
	ratio := 0.0
	if !(got <= 0 && bound >= 0) {
		if ratio = got / bound; !(bound > 0) || math.IsNaN(ratio) {
			ratio = math.Inf(1)
		}
	}
	c := l.find(name)
	c.Count++
	c.Worst = max(c.Worst, ratio)
	if !(ratio <= scale*(1+1e-9)) {
		c.Violations++
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
	c := l.find(name)
	c.Exact = true
	c.Count++
	if !(math.Abs(got-want) <= tol) {
		c.Violations++
	}
}

// merge adds the checks of another ledger.
func (l *ledger) merge(from *ledger) {
	for _, c := range from.checks {
		to := l.find(c.Name)
		to.Count += c.Count
		to.Worst = max(to.Worst, c.Worst)
		to.Violations += c.Violations
		to.Exact = c.Exact
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
		l.merge(r.l)
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
