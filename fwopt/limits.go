package fwopt

import (
	"math"

	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Budget is how far a run goes and what it records. A limit of 0 is none, but one must be set. The run ends
// after the first step that reaches a limit; an inner loop that passes that of Linear or Seconds gives up
// its step. A limit that never comes nearer ends the run as Endless; a Tolerance, looked at when a step is
// recorded, that is out of reach, or without progress for 15 of 16 steps, as Stalled.
type Budget struct {
	Steps       int
	Exact       int     // Calls.Exact, w_0's included
	Stochastic  int     // Calls.Stochastic
	Linear      int     // Calls.Linear
	Projections int     // Calls.Projections
	Seconds     float64 // inside the method; recording does not count
	Tolerance   float64 // of duality gap + slack; turns DualityGap on

	Every float64 // ratio of the steps of two records, above 1; 0: 1.1; a record costs a pass over f
	// Record, if set, decides in place of Every which steps are recorded, w_0 not among them, and which
	// is the last: see EpochEnds and Geometric. Such a run is never Endless.
	Record     func(s Step) (record, last bool)
	DualityGap bool                      // record it, for one exact gradient and linear optimisation each
	Excess     func(w []float64) float64 // if set, recorded: f(w) − f(w*), without cancellation
	NoW        bool                      // leave the last iterate out of the trace, and its file
	// Watch, if set, is called after each step, with the clock stopped. The F of now is NaN unless
	// recorded; tr.W is the iterate, the method's own vector: copy it to keep it. Change neither.
	Watch func(tr *Trace, now Point)
}

// EpochEnds is a Budget.Record: the ends of epochs 1 to last, as points within an epoch mislead. N
// is the method's own N_t; a run panics if it is not.
func EpochEnds(N func(t int) int, last int) func(s Step) (record, last bool) {
	positiveInt("the last epoch", last)
	given("EpochEnds: N", N == nil)
	return func(s Step) (bool, bool) {
		n := N(s.T)
		if s.K > n || s.T > last {
			panic(need.Linef("fwopt: step k = %d of epoch %d, where N_%d = %d and the last epoch is %d: N "+
				"is not the method's", s.K, s.T, s.T, n, last))
		}
		return s.K == n, s.K == n && s.T == last
	}
}

// Geometric is a Budget.Record of a method without epochs: k = ⌈ratio^j⌉, j = 0, 1, …, and step
// last. It panics unless ratio > 1.
func Geometric(ratio float64, last int) func(s Step) (record, last bool) {
	positiveInt("the last step", last)
	if !(ratio > 1) || math.IsInf(ratio, 1) {
		panic(need.Linef("fwopt: ratio %g, want a number above 1", ratio))
	}
	power := func(k int) float64 { return math.Floor(math.Log(float64(k))/math.Log(ratio) + 1e-12) }
	return func(s Step) (bool, bool) {
		if s.T > 1 || s.K < 1 {
			panic(need.Linef("fwopt: Geometric counts the k of a method without epochs; here t = %d, k = %d",
				s.T, s.K))
		}
		return s.K == 1 || s.K == last || power(s.K) > power(s.K-1), s.K == last
	}
}

func positiveInt(what string, n int) {
	if n < 1 {
		panic(need.Linef("fwopt: %s is %d, want at least 1", what, n))
	}
}

// Share returns how much of the budget is spent at p: 1 or more at a limit. It ignores Tolerance and Record.
func (b Budget) Share(p Point) float64 {
	share := 0.
	for _, l := range b.limits(p) {
		if l.limit > 0 {
			share = max(share, l.spent/l.limit)
		}
	}
	return share
}

type limit struct {
	name         string
	spent, limit float64
}

// limits are those of b, with what is spent at p, of Tolerance nothing.
func (b *Budget) limits(p Point) [7]limit {
	return [7]limit{
		{"Steps", float64(p.Step), float64(b.Steps)},
		{"Exact", float64(p.Calls.Exact), float64(b.Exact)},
		{"Stochastic", float64(p.Calls.Stochastic), float64(b.Stochastic)},
		{"Linear", float64(p.Calls.Linear), float64(b.Linear)},
		{"Projections", float64(p.Calls.Projections), float64(b.Projections)},
		{"Seconds", p.Seconds, b.Seconds},
		{"Tolerance", 0, b.Tolerance},
	}
}

func (b *Budget) check() {
	limits := 0.
	for _, l := range b.limits(Point{}) {
		if !(l.limit >= 0) {
			panic(need.Linef("fwopt: Budget.%s = %g, want a positive limit or 0 for none", l.name, l.limit))
		}
		limits += l.limit
	}
	if limits == 0 && b.Record == nil {
		panic(need.Line("fwopt: a Budget without a limit would run for ever"))
	}
	if b.Every == 0 {
		b.Every = 1.1
	}
	if !(b.Every > 1) {
		panic(need.Linef("fwopt: Budget.Every = %g, want a ratio above 1", b.Every))
	}
	if b.Tolerance > 0 && b.Record == nil && math.IsInf(b.Every, 1) {
		panic(need.Line("fwopt: Budget.Every = +Inf records nothing on the way, so that nobody sees " +
			"whether Tolerance is reached"))
	}
	b.DualityGap = b.DualityGap || b.Tolerance > 0
}
