package fwrate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
)

// Tuning is what Tune has found.
type Tuning struct {
	Best   float64   // the value with the least median in the last round; NaN before there is one
	Rounds [][]Tried // what was left of the grid in each round, in its order
	Spent  float64   // in whole budgets
	Doubts []string  // what speaks against Best; empty if nothing does
}

// Tried is what became of one value of the constant in a round.
type Tried struct {
	C                   float64
	Share               float64        // of the whole budget that each run had
	Median, Least, Most float64        // over the seeds, of the last f; +Inf for a run that diverged
	Traces              []*fwopt.Trace // one a seed
}

// Tune looks for the best value of a method's one free constant, by halving. Each
// round tries what is left of the grid on the seeds 1, …, seeds and keeps the better
// half, three values at least; a run has twice the budget of one in the round before,
// and in the last round the whole of b. What is compared is the median over the seeds
// of the last f.
//
// run makes one run within the budget that it is given: by fwnb.Run, so that it is
// kept, or by fwopt.Run. The runs follow one another, so that seconds are worth the
// same to all. If one is interrupted Tune returns what was tried and an error.
//
// Doubts says where Best is not to be trusted: a grid of one value; the best at an end
// of the grid, beyond which a better one may be; a tie, where another value comes
// within 1e-9 of what the best has gained, so that rounding or the accuracy of an
// optimum decides; no value at which most runs did not diverge, where Best is NaN.
//
// Tune panics if the grid is empty or does not rise from above 0, if seeds < 1, or if b
// cannot be divided: it has a Record, or no limit but Tolerance.
func Tune(grid []float64, seeds int, b fwopt.Budget, run func(c float64, seed uint64, b fwopt.Budget) *fwopt.Trace) (*Tuning, error) {
	checkTune(grid, seeds, b)
	sizes := []int{len(grid)}
	for n := len(grid); n > 3; {
		n = max(3, (n+1)/2)
		sizes = append(sizes, n)
	}
	t, left := &Tuning{Best: math.NaN()}, slices.Clone(grid)
	for round, size := range sizes {
		share := math.Exp2(float64(round + 1 - len(sizes)))
		if round > 0 {
			left = better(t.Rounds[round-1], size)
		}
		t.Rounds = append(t.Rounds, nil)
		for _, c := range left {
			p := Tried{C: c, Share: share}
			for seed := range seeds {
				tr := run(c, uint64(seed+1), part(b, share))
				if tr == nil || tr.Status == fwopt.Interrupted {
					return t, fmt.Errorf("fwrate: interrupted in round %d of %d, at the value %g and seed %d: what was tried before is in the Tuning", round+1, len(sizes), c, seed+1)
				}
				p.Traces = append(p.Traces, tr)
				t.Spent += share
			}
			p.summarise()
			t.Rounds[round] = append(t.Rounds[round], p)
		}
	}
	t.judge(grid)
	return t, nil
}

func checkTune(grid []float64, seeds int, b fwopt.Budget) {
	if len(grid) == 0 || seeds < 1 {
		panic(fmt.Sprintf("fwrate: Tune of %d values on %d seeds, want at least one of each", len(grid), seeds))
	}
	for i, c := range grid {
		if !(c > 0) || math.IsInf(c, 1) || i > 0 && !(c > grid[i-1]) {
			panic(fmt.Sprintf("fwrate: a grid that does not rise from above 0: %v", grid))
		}
	}
	if b.Record != nil || b.Steps+b.Exact+b.Stochastic+b.Linear+b.Projections == 0 && b.Seconds == 0 {
		panic("fwrate: Tune divides its budget: give it a limit other than Tolerance, and no Record")
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

// better returns the values of the least medians, in order.
func better(round []Tried, size int) (left []float64) {
	round = slices.Clone(round)
	slices.SortStableFunc(round, func(p, q Tried) int { return cmp.Compare(p.Median, q.Median) })
	for _, p := range round[:size] {
		left = append(left, p.C)
	}
	slices.Sort(left)
	return left
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

// judge finds the best of the last round, and what speaks against it.
func (t *Tuning) judge(grid []float64) {
	last := t.Rounds[len(t.Rounds)-1]
	best := slices.MinFunc(last, func(p, q Tried) int { return cmp.Compare(p.Median, q.Median) })
	if math.IsInf(best.Median, 1) {
		t.doubt("half of the runs diverged, or more, at each value of the last round")
		return
	}
	t.Best = best.C
	switch at := slices.Index(grid, best.C); {
	case len(grid) == 1:
		t.doubt("the grid has one value, so nothing was compared")
	case at == 0:
		t.doubt("the best value, %g, is the smallest of the grid: try smaller ones", best.C)
	case at == len(grid)-1:
		t.doubt("the best value, %g, is the largest of the grid: try larger ones", best.C)
	}
	gained := best.Traces[0].Points[0].F - best.Median
	for _, p := range last {
		if p.C != best.C && p.Median-best.Median <= 1e-9*gained {
			t.doubt("%g does as well as %g to nine digits: take a smaller budget to tell them apart", p.C, best.C)
		}
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
	head := []string{"value"}
	for _, round := range t.Rounds {
		if len(round) > 0 {
			head = append(head, fmt.Sprintf("f after %.3g of the budget", round[0].Share))
		}
	}
	rows := [][]string{append(head, "range over the seeds")}
	for _, first := range t.Rounds[0] {
		row, spread := []string{number(first.C, 4)}, ""
		for _, round := range t.Rounds[:len(head)-1] {
			cell := "–"
			if i := slices.IndexFunc(round, func(p Tried) bool { return p.C == first.C }); i >= 0 {
				cell = number(round[i].Median, 5)
				spread = number(round[i].Least, 5) + " to " + number(round[i].Most, 5)
			}
			row = append(row, cell)
		}
		rows = append(rows, append(row, spread))
	}
	return rows
}
