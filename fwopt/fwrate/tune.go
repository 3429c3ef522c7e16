package fwrate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Tuning is what Tune or TuneTwo has found.
type Tuning struct {
	Best   float64   // the value with the least median in the last round; NaN before there is one
	Second float64   // the value of the second constant with it; 0 from Tune
	Rounds [][]Tried // what was left of the grid in each round, in its order
	Spent  float64   // in whole budgets
	Doubts []string  // what speaks against Best; empty if nothing does
}

// Tried is what became of one value of the constant, or of one pair of values, in a round.
type Tried struct {
	C, Second           float64        // Second is 0 from Tune
	Share               float64        // of the whole budget that each run had
	Median, Least, Most float64        // over the seeds, of the last f; +Inf for a run that diverged
	Traces              []*fwopt.Trace // one a seed
}

// Tune looks for the best value of a method's one free constant, by halving. Each
// round tries what is left of the grid on the seeds 1, …, seeds and keeps the better
// half, three values at least; a run has twice the budget of one in the round before,
// and in the last round the whole of b. What is compared is the median over the seeds
// of the last f. Where values tie, within 1e-9 of what the best has gained, as they do where
// all have come to the accuracy of the optimum, the one that came so low with the least share of
// its budget is the better. Where the best is at an end of the grid, and no tie is left, Tune adds two
// values there, in the ratio of the last two, and starts again; no run is made twice. It
// does so three times at most.
//
// run makes one run within the budget that it is given: by fwnb.Run, so that it is
// kept, or by fwopt.Run. The runs follow one another, so that seconds are worth the
// same to all. If one is interrupted Tune returns what was tried and an error.
//
// Doubts tells where Best is not to be trusted: a grid of one value; the best at an end
// of the grid, beyond which a better one may be; a tie with one that came so low within 1/20 of
// the same share, as records are apart; a best that stalls, whose median f falls in the last half of the
// budget by less than 1/1000 of what it has gained, while its duality gap, or its f above
// the least that any run saw, is over 1/100 of the first, or while it has gained nothing;
// no value at which most runs did not diverge, where Best is NaN.
//
// Tune panics if the grid is empty or does not rise from above 0, if seeds < 1, if run is
// nil, or if b cannot be divided: it has a Record, or no limit but Tolerance.
func Tune(grid []float64, seeds int, b fwopt.Budget, run func(c float64, seed uint64,
	b fwopt.Budget) *fwopt.Trace) (*Tuning, error) {
	need.Given("fwrate", "Tune: run", run == nil)
	return tune([2][]float64{grid, {0}}, seeds, b, func(c pair, seed uint64, b fwopt.Budget) *fwopt.Trace {
		return run(c[0], seed, b)
	})
}

// TuneTwo is Tune of two constants: it tries each value of one grid with each of the second, and adds
// to a grid at an end of which the best is.
func TuneTwo(grid, second []float64, seeds int, b fwopt.Budget, run func(c, second float64, seed uint64,
	b fwopt.Budget) *fwopt.Trace) (*Tuning, error) {
	need.Given("fwrate", "TuneTwo: run", run == nil)
	checkTune(second, seeds, b)
	return tune([2][]float64{grid, second}, seeds, b, func(c pair, seed uint64, b fwopt.Budget) *fwopt.Trace {
		return run(c[0], c[1], seed, b)
	})
}

// pair is a value of each constant; of one constant the second is 0.
type pair [2]float64

func (p *Tried) pair() pair { return pair{p.C, p.Second} }

// String returns "2", or "2, 0.5" of two constants.
func (p pair) String() string {
	if p[1] == 0 {
		return fmt.Sprintf("%g", p[0])
	}
	return fmt.Sprintf("%g, %g", p[0], p[1])
}

func tune(grids [2][]float64, seeds int, b fwopt.Budget,
	run func(c pair, seed uint64, b fwopt.Budget) *fwopt.Trace) (*Tuning, error) {
	checkTune(grids[0], seeds, b)
	type key struct {
		pair
		share float64
		seed  int
	}
	made, spent := map[key]*fwopt.Trace{}, 0.0
	one := func(c pair, share float64, seed int) *fwopt.Trace { // nil if it is interrupted
		k := key{c, share, seed}
		if made[k] == nil {
			tr := run(c, uint64(seed), part(b, share))
			if tr == nil || tr.Status == fwopt.Interrupted {
				return nil
			}
			made[k] = tr
			spent += share
		}
		return made[k]
	}
	for grown := 0; ; grown++ {
		var left []pair
		for _, c := range grids[0] {
			for _, second := range grids[1] {
				left = append(left, pair{c, second})
			}
		}
		t, err := halve(left, seeds, b, one)
		t.Spent = spent
		if err != nil {
			return t, err
		}
		best, ties := t.best(b)
		larger, grew := grids, false
		for i, c := range best.pair() {
			if g := grow(grids[i], c); g != nil {
				larger[i], grew = g, true
			}
		}
		if !grew || grown == 3 || len(ties) > 0 || math.IsInf(best.Median, 1) {
			t.judge(grids, b)
			return t, nil
		}
		grids = larger
	}
}

// halve makes the rounds.
func halve(left []pair, seeds int, b fwopt.Budget,
	one func(c pair, share float64, seed int) *fwopt.Trace) (*Tuning, error) {
	sizes := []int{len(left)}
	for n := len(left); n > 3; {
		n = max(3, (n+1)/2)
		sizes = append(sizes, n)
	}
	t := &Tuning{Best: math.NaN()}
	for round, size := range sizes {
		if round > 0 {
			left = better(t.Rounds[round-1], size, b)
		}
		t.Rounds = append(t.Rounds, nil)
		for _, c := range left {
			p := Tried{C: c[0], Second: c[1], Share: math.Exp2(float64(round + 1 - len(sizes)))}
			for seed := 1; seed <= seeds; seed++ {
				tr := one(c, p.Share, seed)
				if tr == nil {
					return t, fmt.Errorf("fwrate: interrupted in round %d of %d, at the value %v and "+
						"seed %d: what was tried before is in the Tuning", round+1, len(sizes), c, seed)
				}
				p.Traces = append(p.Traces, tr)
			}
			p.summarise()
			t.Rounds[round] = append(t.Rounds[round], p)
		}
	}
	return t, nil
}

// grow returns a grid with two values more at the end where the best is; nil if it is at none.
func grow(grid []float64, best float64) []float64 {
	n := len(grid)
	switch {
	case n < 2:
		return nil
	case best == grid[0]:
		q := best / grid[1]
		grid = append([]float64{neat(best * q * q), neat(best * q)}, grid...)
	case best == grid[n-1]:
		q := best / grid[n-2]
		grid = append(slices.Clone(grid), neat(best*q), neat(best*q*q))
	default:
		return nil
	}
	if grid[0] == 0 || math.IsInf(grid[n+1], 1) {
		return nil
	}
	return grid
}

// neat takes the last bits away where few digits say the rest, so that 0.8·0.1 is 0.08.
func neat(x float64) float64 {
	if y, _ := strconv.ParseFloat(fmt.Sprintf("%.12g", x), 64); math.Abs(x-y) <= 1e-15*x {
		return y
	}
	return x
}

func checkTune(grid []float64, seeds int, b fwopt.Budget) {
	if len(grid) == 0 || seeds < 1 {
		panic(need.Linef("fwrate: Tune of %d values on %d seeds, want at least one of each", len(grid),
			seeds))
	}
	for i, c := range grid {
		if !(c > 0) || math.IsInf(c, 1) || i > 0 && !(c > grid[i-1]) {
			panic(need.Linef("fwrate: a grid that does not rise from above 0: %v; sort it", grid))
		}
	}
	if b.Record != nil || b.Steps+b.Exact+b.Stochastic+b.Linear+b.Projections == 0 && b.Seconds == 0 {
		panic(need.Line("fwrate: Tune divides its budget: give it a limit other than Tolerance, " +
			"and no Record"))
	}
}

// part returns a share of the budget, at least 1 of what is counted.
func part(b fwopt.Budget, share float64) fwopt.Budget {
	for _, limit := range []*int{&b.Steps, &b.Exact, &b.Stochastic, &b.Linear, &b.Projections} {
		*limit = int(math.Ceil(share * float64(*limit)))
	}
	b.Seconds *= share
	return b
}

// better returns the better values of a round, in order.
func better(round []Tried, size int, b fwopt.Budget) (left []pair) {
	for _, p := range ranked(round, b)[:size] {
		left = append(left, p.pair())
	}
	slices.SortFunc(left, func(p, q pair) int { return slices.Compare(p[:], q[:]) })
	return left
}

// A standing is how low a value came, within the tie, and the median share of the budget when it was so low.
type standing struct {
	Tried
	low, soon float64
}

// ranked returns a round, the best value first.
func ranked(round []Tried, b fwopt.Budget) (all []standing) {
	least := slices.MinFunc(round, func(p, q Tried) int { return cmp.Compare(p.Median, q.Median) })
	level := least.Median + 1e-9*max(0, least.gained())
	for _, p := range round {
		s := standing{p, p.Median, math.Inf(1)}
		if p.Median <= level {
			var shares []float64
			for _, tr := range p.Traces {
				i := slices.IndexFunc(tr.Points, func(q fwopt.Point) bool { return q.F <= level })
				if i >= 0 {
					shares = append(shares, b.Share(tr.Points[i]))
				} else {
					shares = append(shares, math.Inf(1))
				}
			}
			s.low, s.soon = level, median(shares)
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(p, q standing) int {
		return cmp.Or(cmp.Compare(p.low, q.low), cmp.Compare(p.soon, q.soon))
	})
	return all
}

// summarise computes the median and the range.
func (p *Tried) summarise() {
	var f []float64
	for _, tr := range p.Traces {
		last := tr.Last().F
		if tr.Status == fwopt.Diverged || !finite(last) {
			last = math.Inf(1)
		}
		f = append(f, last)
	}
	p.Median, p.Least, p.Most = median(f), slices.Min(f), slices.Max(f)
}

// best returns the best of the last round, and the values that cannot be told from it.
func (t *Tuning) best(b fwopt.Budget) (best Tried, ties []pair) {
	all := ranked(t.Rounds[len(t.Rounds)-1], b)
	for _, p := range all[1:] {
		if p.low == all[0].low && p.soon <= 1.05*all[0].soon {
			ties = append(ties, p.pair())
		}
	}
	return all[0].Tried, ties
}

// gained returns how far the median is below the first f.
func (p *Tried) gained() float64 {
	return middleOf(p.Traces, start, loss) - p.Median
}

// judge writes down the best of the last round, and what speaks against it.
func (t *Tuning) judge(grids [2][]float64, b fwopt.Budget) {
	best, ties := t.best(b)
	if math.IsInf(best.Median, 1) {
		t.doubt("half of the runs diverged, or more, at each value of the last round")
		return
	}
	t.Best, t.Second = best.C, best.Second
	for i, c := range best.pair() {
		which, grid := [2]string{"value", "second value"}[i], grids[i]
		switch {
		case c == 0: // of Tune
		case len(grid) == 1:
			t.doubt("the grid has one value, so nothing was compared")
		case c == grid[0]:
			t.doubt("the best %s, %g, is the smallest of the grid: try smaller ones", which, c)
		case c == grid[len(grid)-1]:
			t.doubt("the best %s, %g, is the largest of the grid: try larger ones", which, c)
		}
	}
	for _, c := range ties {
		t.doubt("%v does as well as %v to nine digits, and as soon: take a smaller budget to tell them apart",
			c, best.pair())
	}
	t.still(best, b)
}

// still doubts a best that has come to rest far from an optimum.
func (t *Tuning) still(best Tried, b fwopt.Budget) {
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
	still := fmt.Sprintf("f stalls in the last half of the budget at the best value, %v, ", best.pair())
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

// median returns the mean of the two in the middle where there are two, and NaN of nothing.
func median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(x))
	return s[(len(s)-1)/2]/2 + s[len(s)/2]/2
}
