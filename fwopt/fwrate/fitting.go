package fwrate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

type estimator int

const (
	byExcess estimator = iota
	byHit
	byBound
)

const resamples = 2000

func (l Law) rate(by estimator, draws [][][]fwopt.Point) (*Rate, error) {
	draws = withoutStart(draws)
	if err := l.check(by, draws); err != nil {
		return nil, err
	}
	runs, seeds := slices.Concat(draws...), len(draws[0])
	r := &Rate{Law: l, Runs: len(runs)}
	if l.Bound == nil {
		r.Ratio = math.NaN()
	} else {
		for i, m := range mean(l.pairs(byExcess, runs), nil) {
			bound := l.Bound(runs[0][i])
			r.Schedule = append(r.Schedule, Pair{bound, m.Count})
			r.Ratio = max(r.Ratio, m.Excess/bound)
		}
	}
	table := l.pairs(by, runs)
	r.Mean = mean(table, nil)
	r.Least, r.Most = slices.Clone(table[0]), slices.Clone(table[0])
	for _, row := range table {
		for i, p := range row {
			r.Least[i] = Pair{min(r.Least[i].Excess, p.Excess), min(r.Least[i].Count, p.Count)}
			r.Most[i] = Pair{max(r.Most[i].Excess, p.Excess), max(r.Most[i].Count, p.Count)}
		}
	}
	long, late, err := windows(len(r.Mean))
	if err != nil {
		return nil, err
	}

	rng := rand.New(rand.NewPCG(1, 0))
	longs, lates := make([]float64, resamples), make([]float64, resamples)
	w := make([]float64, len(runs)) // how often each is in the sample
	for i := range resamples {
		clear(w)
		for range draws {
			d := rng.IntN(len(draws))
			for range seeds {
				w[d*seeds+rng.IntN(seeds)]++
			}
		}
		sample := mean(table, w)
		longs[i], lates[i] = l.slope(sample[long:]), l.slope(sample[late:])
	}
	units := seeds
	if len(draws) > 1 {
		units = len(draws)
		for d := range draws {
			r.Draws = append(r.Draws, l.slope(mean(table[d*seeds:(d+1)*seeds], nil)[long:]))
		}
	}
	r.Long, r.Late = r.fit(by, long, units, longs), r.fit(by, late, units, lates)
	near := func(p, q fwopt.Point) bool { return math.Abs(p.Excess-q.Excess) <= 1e-9*q.Excess }
	alike := !slices.ContainsFunc(runs, func(run []fwopt.Point) bool {
		return !slices.EqualFunc(run, runs[0], near)
	})
	for _, f := range []*Fit{&r.Long, &r.Late} {
		f.alike = alike && by != byBound // whose gaps no run has made
		f.Window = r.window(by, f.From, runs[0])
		if !finite(f.Slope) || !finite(f.Lo) || !finite(f.Hi) || l.Bound != nil && !finite(f.Schedule) {
			return nil, fmt.Errorf("fwrate: no line through %s: the gaps there, or the bounds, are the same",
				f.Window)
		}
	}
	return r, nil
}

// window names the points from one on, as "t = 3–8", "k = 30–80" or "ε = 0.35–0.062".
func (r *Rate) window(by estimator, from int, run []fwopt.Point) string {
	if by == byHit {
		return "ε = " + number(r.Mean[from].Excess, 2) + "–" + number(r.Mean[len(r.Mean)-1].Excess, 2)
	}
	p, q := run[from], run[len(run)-1]
	if p.T < q.T {
		return fmt.Sprintf("t = %d–%d", p.T, q.T)
	}
	return fmt.Sprintf("k = %d–%d", p.K, q.K)
}

// withoutStart leaves w_0 out, of which no theorem speaks.
func withoutStart(draws [][][]fwopt.Point) [][][]fwopt.Point {
	out := make([][][]fwopt.Point, len(draws))
	for d, runs := range draws {
		for _, run := range runs {
			if len(run) > 0 && run[0].T == 0 {
				run = run[1:]
			}
			out[d] = append(out[d], run)
		}
	}
	return out
}

// fit returns the line through Mean[from:], given the slopes of the samples of
// so many units.
func (r *Rate) fit(by estimator, from, units int, slopes []float64) Fit {
	x, y := r.axes(r.Mean[from:])
	f := Fit{From: from, R2: 1, log: r.Power == 0}
	f.Intercept, f.Slope = line(x, y)
	f.Lo, f.Hi = f.Slope, f.Slope
	if floats.Max(y) > floats.Min(y) { // else a line it is
		f.R2 = stat.RSquared(x, y, nil, f.Intercept, f.Slope)
	}
	if units > 1 {
		slices.Sort(slopes)
		q := tail(units)
		f.Lo, f.Hi = stat.Quantile(q, stat.LinInterp, slopes, nil),
			stat.Quantile(1-q, stat.LinInterp, slopes, nil)
	}
	lo, hi := from, len(r.Schedule)
	if by == byHit && r.Bound != nil { // the checkpoints around the counts of the window
		first, last := r.Mean[from].Count, r.Mean[len(r.Mean)-1].Count
		lo = max(1, slices.IndexFunc(r.Schedule, func(p Pair) bool { return p.Count > first })) - 1
		hi = 1 + slices.IndexFunc(r.Schedule, func(p Pair) bool { return p.Count >= last })
	}
	if f.Schedule = math.NaN(); r.Bound != nil {
		f.Schedule = r.slope(r.Schedule[lo:max(lo, hi)])
	}
	if by != byBound {
		f.Coarse = r.coarse(f)
	}
	return f
}

// coarse says between what the slope of f is if f* is off by as much as Within, or "".
func (r *Rate) coarse(f Fit) string {
	if r.Within == 0 {
		return ""
	}
	lo, hi := f.Slope, f.Slope
	for _, off := range []float64{-r.Within, r.Within} {
		moved := slices.Clone(r.Mean[f.From:])
		for i := range moved {
			if moved[i].Excess += off; moved[i].Excess <= 0 {
				return "the gaps may be 0"
			}
		}
		slope := r.slope(moved)
		lo, hi = min(lo, slope), max(hi, slope)
	}
	if max(hi-f.Slope, f.Slope-lo) <= math.Abs(f.Slope)/20 {
		return ""
	}
	return f.Number(lo) + " to " + f.Number(hi)
}

// Above returns the points of the traces with Excess set to f − f*, where all that is
// known of f* is that it is between low, as LowerBound returns it, and high, the least f
// that was ever seen: f* is taken in the middle, and may be off by within, which is
// Law.Within. The traces are left as they are.
func Above(low, high float64, traces ...*fwopt.Trace) (runs [][]fwopt.Point, within float64) {
	if !(low <= high) || math.IsInf(low, -1) || math.IsInf(high, 1) {
		panic(need.Linef("fwrate: an f* between %g and %g: record duality gaps for the lower bound", low,
			high))
	}
	given(traces)
	for _, tr := range traces {
		run := slices.Clone(tr.Points)
		for i := range run {
			run[i].Excess = run[i].F - (low/2 + high/2)
		}
		runs = append(runs, run)
	}
	return runs, high/2 - low/2
}

// pairs returns what is averaged over the runs: of each run its points.
func (l Law) pairs(by estimator, runs [][]fwopt.Point) [][]Pair {
	out := make([][]Pair, len(runs))
	var eps []float64
	if by == byHit {
		first, last := math.Inf(1), 0.
		for _, run := range runs {
			lowest := math.Inf(1)
			for _, p := range run {
				lowest = min(lowest, p.Excess)
			}
			first, last = min(first, run[0].Excess), max(last, lowest)
		}
		for j := 1.; first*math.Pow(2, -j/2) >= last; j++ {
			eps = append(eps, first*math.Pow(2, -j/2))
		}
	}
	for i, run := range runs {
		for _, e := range eps {
			k := slices.IndexFunc(run, func(p fwopt.Point) bool { return p.Excess <= e })
			out[i] = append(out[i], Pair{e, l.Count.Of(run[k])})
		}
		for _, p := range run {
			switch by {
			case byExcess:
				out[i] = append(out[i], Pair{p.Excess, l.Count.Of(p)})
			case byBound:
				out[i] = append(out[i], Pair{l.Bound(p), l.Count.Of(p)})
			}
		}
	}
	return out
}

// mean returns the weighted mean of the rows; a nil w has 1 for each.
func mean(table [][]Pair, w []float64) []Pair {
	if w == nil {
		w = slices.Repeat([]float64{1}, len(table))
	}
	out := make([]Pair, len(table[0]))
	total := floats.Sum(w)
	for i := range out {
		for r, row := range table {
			out[i].Excess += w[r] * row[i].Excess
			out[i].Count += w[r] * row[i].Count
		}
		out[i].Excess /= total
		out[i].Count /= total
	}
	return out
}

// axes returns the coordinates in which the law is a line.
func (l Law) axes(points []Pair) (x, y []float64) {
	x, y = make([]float64, len(points)), make([]float64, len(points))
	for i, p := range points {
		x[i], y[i] = -math.Log(p.Excess), p.Count
		if l.Power > 0 {
			y[i] = math.Log(p.Count)
		}
	}
	return x, y
}

// slope returns that of the line through points.
func (l Law) slope(points []Pair) float64 {
	_, slope := line(l.axes(points))
	return slope
}

// line returns the line of least squares; NaN if the points have none.
func line(x, y []float64) (intercept, slope float64) {
	if len(x) == 0 || floats.Max(x)-floats.Min(x) < 1e-9 {
		return math.NaN(), math.NaN()
	}
	return stat.LinearRegression(x, y, nil, false)
}

// tail returns Φ(−√(n/(n−1)) t), with the 97.5 % quantile t of Student's law of
// n−1 degrees of freedom: what to cut off a bootstrap distribution at each end.
func tail(n int) float64 {
	free := float64(n - 1)
	t := distuv.StudentsT{Sigma: 1, Nu: free}.Quantile(0.975)
	return distuv.UnitNormal.CDF(-math.Sqrt(float64(n)/free) * t)
}

func (l Law) check(by estimator, draws [][][]fwopt.Point) error {
	switch {
	case l.Bound == nil && by == byBound:
		panic(need.Line("fwrate: Scheduled goes by the bound, and this Law has none: set Law.Bound, " +
			"or take Measure"))
	case l.Count.Of == nil:
		panic(need.Line("fwrate: a Law without a Count, as Stochastic"))
	case !(l.Within >= 0) || math.IsInf(l.Within, 1):
		panic(need.Linef("fwrate: a Law with f* known within %g, want a number from 0 on", l.Within))
	case !(l.Power >= 0):
		panic(need.Linef("fwrate: a Law of power %g, want a positive number, or 0 for a logarithm", l.Power))
	case len(draws) == 0 || len(draws[0]) == 0 || len(draws[0][0]) == 0:
		return errors.New("fwrate: there are no points")
	}
	want := draws[0][0]
	for d, runs := range draws {
		if len(runs) != len(draws[0]) {
			return fmt.Errorf("fwrate: draw %d has %d seeds, draw 1 has %d", d+1, len(runs), len(draws[0]))
		}
		for s, run := range runs {
			if len(run) != len(want) {
				return fmt.Errorf("fwrate: draw %d, seed %d has %d checkpoints, the first run has %d", d+1,
					s+1, len(run), len(want))
			}
			for i, p := range run {
				where := func(format string, a ...any) error {
					return fmt.Errorf("fwrate: draw %d, seed %d, checkpoint %d (t = %d, k = %d): %s", d+1,
						s+1, i+1, p.T, p.K, fmt.Sprintf(format, a...))
				}
				count, bound := l.Count.Of(p), 1.0
				if l.Bound != nil {
					bound = l.Bound(p)
				}
				switch {
				case p.T != want[i].T || p.K != want[i].K:
					return where("the first run has t = %d, k = %d there", want[i].T, want[i].K)
				case !(p.Excess > 0) || !finite(p.Excess):
					return where("excess %g, want a positive number; is Budget.Excess set?", p.Excess)
				case !(bound > 0) || !finite(bound):
					return where("bound %g, want a positive number", bound)
				case count <= 0:
					return where("%g %v", count, l.Count)
				}
			}
		}
	}
	return nil
}
