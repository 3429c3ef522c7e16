package fwrate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Runs is a method that has run on random instances of a problem, one at least, each with as many seeds.
// All runs have the same checkpoints. fwnb.Draws and fwnb.Runs make it, and fwplot.Epochs and
// fwplot.Costs draw it.
type Runs struct {
	Name  string            // of the method
	Draws [][][]fwopt.Point // the checkpoints of each run, by instance and by seed

	Bound func(q fwopt.Point) float64 // what its theorem promises of the mean gap at q; or nil
}

// Rate is Law.Measure of one of the counts, as a theorem with this power and bound has it, mostly
// r.Bound; a nil bound is none. It panics with the error of Measure, which is the doing of who made
// the runs.
func (r Runs) Rate(c Count, power float64, bound func(q fwopt.Point) float64) *Rate {
	rate, err := Law{Count: c, Power: power, Bound: bound}.Measure(r.Draws...)
	if err != nil {
		panic(need.Linef("fwrate: %s: %v", r.Name, err))
	}
	return rate
}

// Mean returns the mean over all runs of a number at each checkpoint, as a count. It panics if
// there are no runs, as where Stop came before the first instance was done.
func (r Runs) Mean(of func(q fwopt.Point) float64) []float64 {
	need.Given("fwrate", "Mean: of", of == nil)
	runs := slices.Concat(r.Draws...)
	if len(runs) == 0 {
		panic(need.Linef("fwrate: %s: no runs: it was stopped before an instance was done", r.Name))
	}
	mean := make([]float64, len(runs[0]))
	for i, run := range runs {
		if len(run) != len(mean) {
			panic(need.Linef("fwrate: %s: run %d has %d checkpoints, the first %d", r.Name, i+1, len(run),
				len(mean)))
		}
		for i, q := range run {
			mean[i] += of(q)
		}
	}
	for i := range mean {
		mean[i] /= float64(len(runs))
	}
	return mean
}

// Gaps returns the mean gap over all runs at each checkpoint.
func (r Runs) Gaps() []float64 {
	return r.Mean(func(q fwopt.Point) float64 { return q.Excess })
}

// Largest takes the mean over runs of each of some numbers in each step, and of the means the
// largest over all steps: runs[i][s][j] is number j of run i in step s. NaN is passed over. It is for
// claims of an expectation in every step.
func Largest(runs [][][]float64) []float64 {
	if len(runs) == 0 || len(runs[0]) == 0 {
		panic(need.Line("fwrate: Largest of no runs, or of runs without steps"))
	}
	most := make([]float64, len(runs[0][0]))
	for s := range runs[0] {
		for j := range most {
			sum := 0.0
			for i, r := range runs {
				if len(r) != len(runs[0]) || len(r[s]) != len(most) {
					panic(need.Linef("fwrate: Largest of runs that differ: run %d has other steps than the "+
						"first, or other numbers in step %d", i+1, s+1))
				}
				sum += r[s][j]
			}
			if mean := sum / float64(len(runs)); mean > most[j] {
				most[j] = mean
			}
		}
	}
	return most
}

// Cell is a cell of a table that compares methods: a count of a method on a problem,
// measured, and what is said of it. fwplot.Slopes draws many.
type Cell struct {
	Name    string // as "SVRF, stochastic"
	On      string // the problem
	Verdict string // as "set by the schedule"
	*Rate
}

// CellHead is the heading of a table of Cell.Rows; name is that of the first column.
func CellHead(name string) []string {
	return slices.Concat([]string{name, "verdict"}, Head()[1:],
		[]string{"gap/bound", "problem", "runs", "windows"})
}

// Row is the cell as a row of a table: the verdict, what its Rate's Row has, then the largest mean gap over
// its bound, a dash without one, the problem, over how many runs was averaged, and the two windows.
func (c Cell) Row() []string {
	c.check()
	_, late, _ := strings.Cut(c.Late.Window, "= ") // as 4–7 of "t = 4–7"
	ratio := "–"
	if c.Bound != nil {
		ratio = fmt.Sprintf("%.2g", c.Ratio)
	}
	return slices.Concat([]string{c.Name, c.Verdict}, c.Rate.Row(c.Name)[1:],
		[]string{ratio, c.On, fmt.Sprint(c.Runs), c.Long.Window + ", " + late})
}
