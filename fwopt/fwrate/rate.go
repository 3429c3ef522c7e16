package fwrate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Count is what a run has spent, of one kind: an axis of figures, and what a Law is about.
type Count struct {
	Label string
	Of    func(q fwopt.Point) float64 // grows from 0 along a run
}

func calls(label string, of func(c fwopt.Calls) int) Count {
	return Count{label, func(q fwopt.Point) float64 { return float64(of(q.Calls)) }}
}

// The counts: steps of the method, its four accounts, and the seconds spent in it.
var (
	Steps       = Count{"steps", func(q fwopt.Point) float64 { return float64(q.Step) }}
	Exact       = calls("exact gradients", func(c fwopt.Calls) int { return c.Exact })
	Stochastic  = calls("stochastic gradients", func(c fwopt.Calls) int { return c.Stochastic })
	Linear      = calls("linear optimisations", func(c fwopt.Calls) int { return c.Linear })
	Projections = calls("projections", func(c fwopt.Calls) int { return c.Projections })
	Seconds     = Count{"seconds", func(q fwopt.Point) float64 { return q.Seconds }}
)

// Terms are the gradients ∇f_i that were computed, of a sum of n terms: one for each
// stochastic gradient, and n for each exact one, which the paper counts apart.
func Terms(n int) Count {
	return Count{"term gradients (an exact one is n)", func(q fwopt.Point) float64 {
		return float64(q.Calls.Stochastic) + float64(n)*float64(q.Calls.Exact)
	}}
}

// String returns the label.
func (c Count) String() string { return c.Label }

// Law is what a theorem claims of a count up to where the mean gap is at most ε: that it is
// O((1/ε)^Power), or O(ln(1/ε)) if Power is 0. A line in ln(1/ε) is fitted to ln(count), or to the count.
type Law struct {
	Count Count
	Power float64
	Bound func(p fwopt.Point) float64 // of the mean gap at p, as Constants.BoundEpoch(p.T); nil: none

	// Within is how far off f* may be, as Above returns it; 0 where it is known. Fit.Coarse names
	// a fit that depends on it.
	Within float64
}

// Pair is an excess and the count at which it was reached.
type Pair struct{ Excess, Count float64 }

// Rate is a law measured.
type Rate struct {
	Law
	Runs        int       // over which was averaged
	Mean        []Pair    // what was fitted: means over the runs
	Least, Most []Pair    // the range over the runs, of gap and of count by itself
	Schedule    []Pair    // the bound and the mean count at each checkpoint; nil without a Bound
	Ratio       float64   // the largest mean gap over its bound, at most 1 by the theorem; NaN without one
	Long, Late  Fit       // in the two windows
	Draws       []float64 // the slope of each instance in the long window, if there are two or more
}

// Fit is the line a + Slope·ln(1/gap), fitted by least squares to the Mean[From:]
// of a Rate.
type Fit struct {
	Slope     float64 // the exponent; of a logarithmic law, the count per e-fold of 1/gap
	Intercept float64 // a
	Lo, Hi    float64 // 95 % bootstrap interval of Slope
	R2        float64 // the share of the variance that the line explains
	From      int     // the first point; the last is that of the Rate
	Window    string  // as "t = 3–8"
	Schedule  float64 // the slope that the parameters alone imply: the bound for the gap; NaN without one
	Coarse    string  // how the slope depends on Law.Within; "" if by less than a twentieth of it

	log, alike bool
}

// measured reports whether the interval has a width, of a millionth at least. If not, there was but
// one run, or all are alike where this was fitted.
func (f Fit) measured() bool { return f.Hi-f.Lo > 1e-6*(1+math.Abs(f.Slope)) }

// String returns "1.945 [1.930, 1.950]", or "1.976 (no spread)" if the interval is narrower than
// half a percent: what is not known of the slope then shows in the other window. A fit whose interval
// has no width is "set by the schedule (2.054)", or "0.990 (identical runs)" if the gaps are the same in
// all runs, as those of a method without randomness. A slope that depends on the accuracy
// of f* is followed by how much.
func (f Fit) String() string {
	if f.Coarse != "" {
		sure := f
		sure.Coarse = ""
		return fmt.Sprintf("%v (f* too coarse: %s)", sure, f.Coarse)
	}
	switch s := f.Number(f.Slope); {
	case !f.measured() && f.alike:
		return s + " (identical runs)"
	case !f.measured():
		return "set by the schedule (" + s + ")"
	case alike(f.Lo, f.Hi):
		return s + " (no spread)"
	}
	return fmt.Sprintf("%s [%s, %s]", f.Number(f.Slope), f.Number(f.Lo), f.Number(f.Hi))
}

// alike reports whether two slopes differ by less than half a percent.
func alike(lo, hi float64) bool { return hi-lo < 0.005*max(math.Abs(lo), math.Abs(hi)) }

// Number writes a slope: 1.945, or 2.069e6 in a logarithmic law.
func (f Fit) Number(slope float64) string {
	if f.log {
		return number(slope, 4)
	}
	return strings.ReplaceAll(fmt.Sprintf("%.3f", slope), "-", "−")
}

// number writes x with the given number of digits, as 0.35, 2.069e6 or 6e−7.
func number(x float64, digits int) string {
	power := strings.NewReplacer("e-0", "e−", "e+0", "e", "e+", "e", "-", "−")
	return power.Replace(fmt.Sprintf("%.*g", digits, x))
}

// Head is the heading of a table of Rows.
func Head() []string {
	return []string{"", "theory", "long window", "last half", "by formula", "instances"}
}

// Row is r as a row of a table: its name, the theory's exponent, the slopes in both windows with
// their intervals, the prescribed ones, a dash without a Bound, and the range of the slopes of
// the instances, or "no spread".
func (r *Rate) Row(name string) []string {
	r.check()
	theory, draws := fmt.Sprintf("%g", r.Power), "–"
	if r.Power == 0 {
		theory = "ln"
	}
	if len(r.Draws) > 0 {
		lo, hi := slices.Min(r.Draws), slices.Max(r.Draws)
		if draws = "no spread"; !alike(lo, hi) {
			draws = fmt.Sprintf("%s to %s", r.Long.Number(lo), r.Long.Number(hi))
		}
	}
	schedule := "–"
	if r.Bound != nil {
		schedule = r.Long.Number(r.Long.Schedule) + ", " + r.Late.Number(r.Late.Schedule)
	}
	return []string{name, theory, r.Long.String(), r.Late.String(), schedule, draws}
}

// Local returns the slopes from each checkpoint to the next: where they still move no
// window has settled. In a logarithmic law they are counts per e-fold.
func (r *Rate) Local() (slopes []float64) {
	r.check()
	x, y := r.axes(r.Mean)
	for i := range len(x) - 1 {
		slopes = append(slopes, (y[i+1]-y[i])/(x[i+1]-x[i]))
	}
	return slopes
}

// String returns the slopes of both windows.
func (r *Rate) String() string {
	r.check()
	return fmt.Sprintf("%v: %v for %s, %v for %s", r.Count, r.Long, r.Long.Window, r.Late, r.Late.Window)
}

func (r *Rate) check() {
	need.Given("fwrate", "the Rate, in the place of which there was an error,", r == nil)
}

// windows returns where the two windows of n points begin, whatever was measured. The long one
// leaves out the first quarter, rounded down, which is start-up; the late one is the later half,
// rounded up. It is an error if that has fewer than 4 points, so n must be at least 7.
func windows(n int) (long, late int, err error) {
	if long, late = n/4, n/2; n-late < 4 {
		return 0, 0, fmt.Errorf("fwrate: the later half of %d points has %d, want at least 4: "+
			"go on for longer, as by a larger Last of fwnb.Plan", n, n-late)
	}
	return long, late, nil
}

// Measure is the first choice: it fits the mean count against 1/(mean gap) at the checkpoints, over
// all runs. Each argument is the runs, one a seed, on one random instance; all have the same
// checkpoints.
//
// The intervals come from 2000 bootstrap samples: of the seeds, or, of two instances or more, of the
// instances and within these of the seeds. The percentiles are expanded (Hesterberg, The American
// Statistician 69, 2015), to be as wide for few seeds, or instances, as Student's t asks. Of simulated
// slopes they hold 95 of 100 with ten seeds and 90 with five. Same runs, same bits.
//
// It is an error if a gap, a bound or a count is not a positive number, by run and checkpoint, or if
// there are too few checkpoints for the windows.
func (l Law) Measure(draws ...[][]fwopt.Point) (*Rate, error) { return l.rate(byExcess, draws) }

// FirstHit fits, over ε, the mean of the counts at which the runs first had a gap of at most ε. The ε
// fall by √2, from below the least gap at the first checkpoint to the last that all runs hit. Where they
// hit at the same checkpoints this is set by the schedule, and named so. The rest is as in Measure.
func (l Law) FirstHit(draws ...[][]fwopt.Point) (*Rate, error) { return l.rate(byHit, draws) }

// Scheduled fits what a user of the theorem pays: for each ε that is a bound, the mean count at the
// checkpoint with that bound. Of the gaps only Rate.Ratio is left in it. It panics without a Bound. The
// rest is as in Measure.
func (l Law) Scheduled(draws ...[][]fwopt.Point) (*Rate, error) { return l.rate(byBound, draws) }
