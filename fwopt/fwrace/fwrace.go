// Package fwrace is the race of Section 5: six methods on a multiclass logistic loss
// under a trace-norm bound, their free constants tuned, from several seeds; what the
// paper says of it, judged; and what one of its open choices changes at a time. On your
// own data, in a notebook:
//
//	set, err := fwdata.ReadFile("mine.svm")
//	…
//	race := fwrace.New(set.UnitRows().Logistic(), 50)
//	race.Run = fwnb.Run // kept, with a display, under the Stop button
//	a, err := race.Go()
//	…
//	fwnb.Table(fwrace.Verdicts(fwrace.Currencies()[0], a)...)
//	fwnb.Table(fwrace.Constants(a)...)
//	fwplot.Show(fwplot.Traces(fwrate.Seconds, fwplot.Excess(a.Star), a.Lines()...))
//
// What comes out is an Archive, which holds all runs and the tuning, and goes into a file
// from which all tables and figures come again without a run.
package fwrace

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Race is a race to be run. New sets all its fields; change what should be otherwise.
type Race struct {
	Name     string // whose archive it is, as "claims: news20"
	Data     string // the name of the data, on figures and tables: F's
	F        *fwsum.Logistic
	Omega    fwset.TraceNorm
	W0       []float64    // where all begin; w_0 of Algorithms 1 and 2, outside of all accounts
	Budget   fwopt.Budget // of a run; fwrate.Tune gives a share of it to the first rounds
	Seeds    int          // of the race; the tuning has others
	Fewer    int          // seeds of the tuning, and of what one change does
	Grid     []float64    // of the constants, rising by one factor; fwrate.Tune lets it grow
	Accuracy float64      // to which f* is certified, as a share of the duality gap at w_0
	Epochs   int          // whole epochs that STORC makes at least, within 20 times the Budget's seconds
	Changes  []string     // what is changed, one at a time; nil for none; New has all

	Run func(o *fwopt.Oracle, m fwopt.Method, b fwopt.Budget) *fwopt.Trace // as fwnb.Run
}

// New returns the race on f over the trace-norm ball of radius tau: 20 seconds a run, five
// seeds, three for the tuning on 2⁻¹⁶, 2⁻¹², …, 2¹², and all changes. A short run is one
// with another Budget, say fwopt.Budget{Steps: 60, Linear: 500}: give a limit to Linear or
// Seconds, for STORC with a small constant takes a million linear optimisations a step.
func New(f *fwsum.Logistic, tau float64) *Race {
	r := &Race{Name: f.Name, Data: f.Name, F: f, Seeds: 5, Fewer: 3, Grid: Powers(-16, 12, 4), Accuracy: 1e-6,
		Epochs: 3, Budget: fwopt.Budget{Seconds: 20}, Changes: allChanges()}
	r.Omega.H, r.Omega.M = f.Shape()
	r.Omega.Tau = tau
	r.W0 = fwopt.NewOracle(f, r.Omega, 0).Start()
	r.Run = func(o *fwopt.Oracle, m fwopt.Method, b fwopt.Budget) *fwopt.Trace {
		return fwopt.Run(context.Background(), o, m, b)
	}
	return r
}

// Powers returns 2^from, …, 2^to, in steps of step in the exponent. It panics unless
// step is positive.
func Powers(from, to, step int) (grid []float64) {
	if step < 1 {
		panic(need.Linef("fwrace: powers of 2 in steps of %d", step))
	}
	for e := from; e <= to; e += step {
		grid = append(grid, math.Exp2(float64(e)))
	}
	return grid
}

var errInterrupted = errors.New("fwrace: interrupted: what is done is kept if Run keeps it; run it again " +
	"to go on")

// Go certifies f*, tunes each method's constant, and runs the race and its changes. It
// returns an error if a run was interrupted. Each run has one processor, so that seconds
// are worth the same to all. Each constant is tuned on the Grid, and then at a quarter to four times
// its best. With the numbers of New that takes as long as about 400 runs of the Budget, 230 without
// changes; more where a grid grows.
//
// It panics if the Budget cannot be divided (see fwrate.Tune), if there are no seeds, or if
// a change is none of New's.
func (r *Race) Go() (*Archive, error) {
	r.check()
	a := r.archive()
	gap, slack := fwopt.DualityGap(r.F, r.Omega, r.W0)
	first := r.one(entry{method: "FISTA"}, constants{}, 0, // its certificate gives f*
		fwopt.Budget{Tolerance: r.Accuracy * (gap + slack), Every: 1.05})
	if first.Status == fwopt.Interrupted {
		return nil, errInterrupted
	}
	a.Traces = append(a.Traces, first)
	base := map[string]constants{}
	for _, e := range entries {
		c, err := r.enter(a, e, r.Seeds, constants{1, 1})
		if err != nil {
			return nil, err
		}
		base[e.String()] = c
	}
	for _, name := range r.Changes {
		for _, method := range changed(name) {
			e := entry{method, name}
			if _, err := r.enter(a, e, r.Fewer, base[method]); err != nil {
				return nil, err
			}
		}
	}
	return a.settle(), nil
}

func (r *Race) check() {
	if r.Seeds < 1 || r.Fewer < 1 {
		panic(need.Linef("fwrace: %d seeds, and %d for the tuning, want at least one of each", r.Seeds,
			r.Fewer))
	}
	if strings.ContainsAny(r.Name+r.Data, "|\n") {
		panic(need.Linef("fwrace: the name %q or the data %q has a stroke or a line's end, which an "+
			"archive has between its fields", r.Name, r.Data))
	}
	for _, name := range r.Changes {
		changed(name)
	}
}

// enter tunes what is free in e and runs it. c are the constants of the base case.
func (r *Race) enter(a *Archive, e entry, seeds int, c constants) (constants, error) {
	for _, name := range e.free() {
		grid, at := r.Grid, c.at(name)
		if e.change != "" && len(grid) > 1 { // around that of the base case
			q := grid[1] / grid[0]
			grid = []float64{*at / q, *at, *at * q}
		}
		try := func(grid []float64) (*fwrate.Tuning, error) {
			one := func(x float64, seed uint64, b fwopt.Budget) *fwopt.Trace {
				*at = x
				return r.one(e, c, tuning+seed, b)
			}
			return fwrate.Tune(grid, r.Fewer, r.Budget, one)
		}
		found, err := try(grid)
		if err != nil {
			return c, errInterrupted
		}
		if x := found.Best; len(grid) > 1 && !math.IsNaN(x) { // the grid is coarse: a last time around its best
			fine, err := try([]float64{x / 4, x / 2, x, 2 * x, 4 * x})
			if err != nil {
				return c, errInterrupted
			}
			fine.Rounds, fine.Spent = slices.Concat(found.Rounds, fine.Rounds), found.Spent+fine.Spent
			found = fine
		}
		if *at = found.Best; math.IsNaN(found.Best) { // all diverged
			*at = found.Rounds[0][0].C
		}
		a.tunings = append(a.tunings, tuned{e, name, found})
	}
	for seed := range seeds {
		tr := r.one(e, c, uint64(seed+1), r.Budget)
		if tr.Status == fwopt.Interrupted {
			return c, errInterrupted
		}
		a.Traces = append(a.Traces, tr)
	}
	return c, nil
}

// one makes one run on one processor. A run of STORC goes on until the epochs are whole.
func (r *Race) one(e entry, c constants, seed uint64, b fwopt.Budget) *fwopt.Trace {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	b.NoW = true
	run := func(b fwopt.Budget) *fwopt.Trace {
		f, omega := fwopt.FiniteSum(r.F), r.Omega
		if e.change == drawnSingly {
			f = &singly{r.F}
		}
		omega.SVD = e.change == bySVD
		m := e.make(c, r.F.Smoothness(), omega.Diameter())
		return r.Run(fwopt.NewOracle(f, omega, seed).From(r.W0), m, b)
	}
	tr := run(b)
	if e.sliding() && b.Seconds > 0 && seed < tuning && tr.Status == fwopt.Done &&
		tr.Last().Calls.Exact <= r.Epochs {
		tr = run(fwopt.Budget{Exact: r.Epochs + 1, Seconds: 20 * b.Seconds, Every: b.Every, NoW: true})
	}
	t := *tr
	t.Method, t.Data = e.String(), r.Data
	return &t
}

// tuning is added to the seeds of the tuning, so that the race has none of them.
const tuning = 100
