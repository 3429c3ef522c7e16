package fwrace

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwnb"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Goal is a problem whose optimum is known, and how near to it runs shall come: where
// f(w) − f(w*) is at most some shares of what it is at W0.
type Goal struct {
	Name   string
	F      fwopt.FiniteSum
	Omega  fwopt.Domain
	W0     []float64
	Excess func(w []float64) float64 // f(w) − f(w*) without cancellation, as fwinst.Instance.Excess; or nil
	Star   float64                   // f(w*), where Excess is nil
	Shares []float64                 // falling, as 0.1, 0.01, 0.001
	Linear float64                   // what a linear optimisation counts in Best, in terms
	L, D   float64                   // of f_i and Ω, for the methods that ask for them

	within float64 // Star is so near to f(w*), if it is Certified
}

// Spent is what a run had spent at a point: terms, which are its stochastic
// gradients and n for each exact one; linear optimisations and projections; seconds.
type Spent struct{ Terms, Linear, Seconds float64 }

// Never is the Spent of a share that a run did not get to, and as a limit none.
var Never = Spent{math.Inf(1), math.Inf(1), math.Inf(1)}

func (g *Goal) check() {
	need.Given("fwrace", "the Goal, or its F,", g == nil || g.F == nil)
}

// Gap returns f(w) − f(w*) at a point of a run, NaN where f was not recorded.
func (g *Goal) Gap(q fwopt.Point) float64 {
	need.Given("fwrace", "the Goal", g == nil)
	if g.Excess != nil {
		return q.Excess
	}
	return q.F - g.Star
}

// First returns f(W0) − f(w*).
func (g *Goal) First() float64 {
	need.Given("fwrace", "the Goal", g == nil)
	if g.Excess != nil {
		return g.Excess(g.W0)
	}
	g.check()
	return g.F.Value(g.W0) - g.Star
}

// Spend returns what a run had spent at a point.
func (g *Goal) Spend(q fwopt.Point) Spent {
	g.check()
	return Spent{fwrate.Terms(g.F.Len()).Of(q), Calls.Of(q), q.Seconds}
}

// Trace makes one run of m and returns its points after each of the first 20 steps, and then after
// every twentieth part of the steps done, for a pass over the terms each time that costs the run
// nothing. It ends the run at the share, or beyond the terms or linear optimisations of max.
func (g *Goal) Trace(m fwopt.Method, seed uint64, share float64, max Spent) *fwopt.Trace {
	return g.trace(m, seed, share, max, nil)
}

// trace is Trace with the Seconds of a clock of its own, if there is one, without those of the records.
func (g *Goal) trace(m fwopt.Method, seed uint64, share float64, max Spent,
	clock func() time.Duration) *fwopt.Trace {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var points []fwopt.Point
	least, step, next := share*g.First(), 0, 1
	var method, since time.Duration // inside the method; when it began to go on
	record := func(fwopt.Step) (record, last bool) {
		if step++; step < next {
			return false, false
		}
		next = int(math.Max(float64(step+1), math.Ceil(1.05*float64(step))))
		if clock != nil {
			method += clock() - since
		}
		return true, false
	}
	watch := func(_ *fwopt.Trace, q fwopt.Point) {
		gap, recorded := g.Gap(q), !math.IsNaN(q.F)
		if recorded && clock != nil {
			q.Seconds, since = method.Seconds(), clock()
		}
		if !math.IsNaN(gap) {
			points = append(points, q)
		}
		if now := g.Spend(q); gap <= least || now.Terms > max.Terms || now.Linear > max.Linear {
			stop()
		}
	}
	if clock != nil {
		since = clock()
	}
	tr := fwopt.Run(ctx, fwopt.NewOracle(g.F, g.Omega, seed).From(g.W0), m,
		fwopt.Budget{Linear: int(min(max.Linear, 1e9)) + 1,
			Record: record, Exact: 1 << 40, NoW: true, Excess: g.Excess, Watch: watch})
	tr.Data, tr.Points = g.Name, points
	return tr
}

// Run makes one run of m, up to max, and returns what was spent where each share was first seen.
func (g *Goal) Run(m fwopt.Method, seed uint64, max Spent) (at []Spent) {
	g.check()
	need.Given("fwrace", "Goal.Shares", len(g.Shares) == 0)
	at, _, _ = g.reached(g.Trace(m, seed, g.Shares[len(g.Shares)-1], max).Points, Never)
	return at
}

// reached returns what was spent where each share was first seen, the share of the last point, and what was spent
// there, of the points before the first that is beyond max.
func (g *Goal) reached(points []fwopt.Point, max Spent) (at []Spent, left float64, end Spent) {
	first := g.First()
	left = 1
	for _, q := range points {
		now, gap := g.Spend(q), g.Gap(q)
		if now.Terms > max.Terms || now.Linear > max.Linear {
			break
		}
		left, end = gap/first, now
		for len(at) < len(g.Shares) && gap <= g.Shares[len(at)]*first {
			at = append(at, now)
		}
	}
	for len(at) < len(g.Shares) {
		at = append(at, Never)
	}
	return at, left, end
}

// Reached is what runs had spent, by run and then by share.
type Reached [][]Spent

// Seeds makes n runs, from the seeds 1, …, n.
func (g *Goal) Seeds(n int, of func() fwopt.Method, max Spent) Reached {
	g.check()
	need.Given("fwrace", "Goal.Seeds: of", of == nil)
	return fwrate.Seeds(n, func(seed uint64) []Spent { return g.Run(of(), seed, max) })
}

// Best makes a run from seed 1 with each value of a grid, and returns for each share what the
// cheapest of them had spent, by terms and g.Linear times linear optimisations. That flatters the
// method: no one value need be the best for two shares.
func (g *Goal) Best(grid []float64, of func(c float64) fwopt.Method, max Spent) Reached {
	g.check()
	need.Given("fwrace", "Goal.Best: of", of == nil)
	runs := fwrate.Seeds(len(grid), func(i uint64) []Spent { return g.Run(of(grid[i-1]), 1, max) })
	all := slices.Repeat([]Spent{Never}, len(g.Shares))
	for i := range all {
		least := math.Inf(1)
		for _, run := range runs {
			if cost := run[i].Terms + g.Linear*run[i].Linear; cost < least {
				all[i], least = run[i], cost
			}
		}
	}
	return Reached{all}
}

// numbers returns a number of each run at a share.
func (r Reached) numbers(share int, of func(s Spent) float64) (x sorted) {
	for _, run := range r {
		if len(run) != len(r[0]) {
			panic(need.Line("fwrace: runs that have Reached different shares"))
		}
		x = append(x, of(run[share]))
	}
	slices.Sort(x)
	return x
}

func (r Reached) check() {
	if len(r) == 0 || len(r[0]) == 0 {
		panic(need.Line("fwrace: nothing Reached: no runs, or no shares"))
	}
}

// Times returns so many times the median terms and linear optimisations at the last share, each
// by itself, as a limit for the runs of others; of an even number of runs the upper median.
func (r Reached) Times(terms, linear float64) Spent {
	r.check()
	last := len(r[0]) - 1
	return Spent{Terms: terms * r.numbers(last, func(s Spent) float64 { return s.Terms }).median(),
		Linear: linear * r.numbers(last, func(s Spent) float64 { return s.Linear }).median()}
}

// Head is the heading of a table of Rows: the name of the problem and the shares.
func (g *Goal) Head() []string {
	need.Given("fwrace", "the Goal", g == nil)
	row := []string{g.Name}
	for _, s := range g.Shares {
		row = append(row, strings.ReplaceAll(strconv.FormatFloat(s, 'e', -1, 64), "e-0", "e−"))
	}
	return row
}

// Row is r as a row of a table, with the name of the method: at each share the medians of
// thousands of terms and of linear optimisations, with the ranges of runs that differ, or a dash
// where the median run did not get there.
func (r Reached) Row(name string) []string {
	r.check()
	row := []string{name}
	for i := range r[0] {
		t := r.numbers(i, func(s Spent) float64 { return s.Terms / 1e3 })
		l := r.numbers(i, func(s Spent) float64 { return s.Linear })
		switch {
		case math.IsInf(t.median(), 1):
			row = append(row, "–")
		case t.least() == t.most() && l.least() == l.most():
			row = append(row, fwnb.Short(t.median())+" / "+fwnb.Short(l.median()))
		default:
			cell := func(x sorted) string {
				return fmt.Sprintf("%s (%s to %s)", fwnb.Short(x.median()), fwnb.Short(x.least()),
					fwnb.Short(x.most()))
			}
			row = append(row, cell(t)+" / "+cell(l))
		}
	}
	return row
}
