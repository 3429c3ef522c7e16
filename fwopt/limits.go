package fwopt

import (
	"math"

	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Budget says how far a run goes and what it records. A limit of 0 is no limit,
// but one must be set. The run ends after the first step that reaches a limit;
// an inner loop that passes the limit of Linear or Seconds gives up its step.
// Tolerance is looked at when a step is recorded. A limit that the method never
// comes nearer to, such as Projections with one that projects nothing, ends the run
// as Endless; with no other limit a Tolerance below what can be known, or one where
// the best gap has not fallen for 15 of 16 steps, ends it as Stalled.
type Budget struct {
	Steps       int
	Exact       int     // Calls.Exact, w_0's included
	Stochastic  int     // Calls.Stochastic
	Linear      int     // Calls.Linear
	Projections int     // Calls.Projections
	Seconds     float64 // inside the method; recording does not count
	Tolerance   float64 // of duality gap + slack; also turns DualityGap on, and asks for a slack that is small enough

	// Every is the ratio of the numbers of steps of two records, above 1; 0
	// stands for 1.1. A record costs one pass over the n terms.
	Every float64
	// Record, if set, says in the place of Every which steps are recorded, and which
	// one is the last of the run. It is not asked about w_0, which is then left out.
	// As it may end the run at any step, such a run is never Endless. EpochEnds and
	// Geometric make one.
	Record func(s Step) (record, last bool)
	// DualityGap records the duality gap too, for one exact gradient and one
	// linear optimisation a record, in Trace.Monitor.
	DualityGap bool
	// Excess, if set, is recorded too: f(w) − f(w*), as only a problem that knows its
	// optimum computes it without cancellation.
	Excess func(w []float64) float64
	// NoW leaves the last iterate out of the trace: it is most of a file.
	NoW bool
	// Watch, if set, is called after each step, with the clock stopped. The F of
	// now is NaN unless it was recorded. There tr.W is the iterate, the method's own
	// vector: copy it to keep it. Watch must not change the trace or the iterate.
	Watch func(tr *Trace, now Point)
}

// EpochEnds is a Budget.Record: the end of each epoch, up to epoch last. N is the
// method's own N_t; a run panics if it is not. What is measured within an epoch
// misleads: SVRF begins each with γ_1 = 1 and leaves its snapshot.
func EpochEnds(N func(t int) int, last int) func(s Step) (record, last bool) {
	positiveInt("the last epoch", last)
	given("EpochEnds: N", N == nil)
	return func(s Step) (bool, bool) {
		n := N(s.T)
		if s.K > n || s.T > last {
			panic(need.Linef("fwopt: step k = %d of epoch %d, where N_%d = %d and the last epoch is %d: N is not the method's", s.K, s.T, s.T, n, last))
		}
		return s.K == n, s.K == n && s.T == last
	}
}

// Geometric is a Budget.Record: k = ⌈ratio^j⌉, j = 0, 1, …, and step last, of a
// method without epochs. It panics if the ratio is not above 1.
func Geometric(ratio float64, last int) func(s Step) (record, last bool) {
	positiveInt("the last step", last)
	if !(ratio > 1) || math.IsInf(ratio, 1) {
		panic(need.Linef("fwopt: ratio %g, want a number above 1", ratio))
	}
	power := func(k int) float64 { return math.Floor(math.Log(float64(k))/math.Log(ratio) + 1e-12) }
	return func(s Step) (bool, bool) {
		if s.T > 1 || s.K < 1 {
			panic(need.Linef("fwopt: Geometric counts the k of a method without epochs; here t = %d, k = %d", s.T, s.K))
		}
		return s.K == 1 || s.K == last || power(s.K) > power(s.K-1), s.K == last
	}
}

func positiveInt(what string, n int) {
	if n < 1 {
		panic(need.Linef("fwopt: %s is %d, want at least 1", what, n))
	}
}

// Share returns how much of the budget is spent at p: 0 at the start, 1 or more
// when a limit is reached. Tolerance and Record are not looked at.
func (b Budget) Share(p Point) float64 {
	share := 0.
	for _, l := range []struct{ spent, limit float64 }{
		{float64(p.Step), float64(b.Steps)},
		{float64(p.Calls.Exact), float64(b.Exact)},
		{float64(p.Calls.Stochastic), float64(b.Stochastic)},
		{float64(p.Calls.Linear), float64(b.Linear)},
		{float64(p.Calls.Projections), float64(b.Projections)},
		{p.Seconds, b.Seconds},
	} {
		if l.limit > 0 {
			share = max(share, l.spent/l.limit)
		}
	}
	return share
}

func (b *Budget) check() {
	limits := 0.
	for _, l := range []struct {
		name  string
		limit float64
	}{
		{"Steps", float64(b.Steps)}, {"Exact", float64(b.Exact)}, {"Stochastic", float64(b.Stochastic)},
		{"Linear", float64(b.Linear)}, {"Projections", float64(b.Projections)}, {"Seconds", b.Seconds}, {"Tolerance", b.Tolerance},
	} {
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
		panic(need.Line("fwopt: Budget.Every = +Inf records nothing on the way, so that nobody sees whether Tolerance is reached"))
	}
	b.DualityGap = b.DualityGap || b.Tolerance > 0
}
