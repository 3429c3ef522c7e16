package fwopt

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"
)

// Budget says how far a run goes and what it records. A limit of 0 is no limit,
// but one must be set. The run ends after the first step that reaches a limit;
// an inner loop that passes the limit of Linear or Seconds gives up its step.
// Gap is looked at when a step is recorded. A limit that the method never comes
// nearer to, such as Projections with one that projects nothing, ends the run as
// Endless; with no other limit a Gap below what can be known, or one where the best
// gap has not fallen for 15 of 16 steps, ends it as Stalled.
type Budget struct {
	Steps       int
	Exact       int     // Calls.Exact, w_0's included
	Stochastic  int     // Calls.Stochastic
	Linear      int     // Calls.Linear
	Projections int     // Calls.Projections
	Seconds     float64 // inside the method; recording does not count
	Gap         float64 // duality gap + slack; also turns DualityGap on, and asks for a slack that is small enough

	// Every is the ratio of the numbers of steps of two records, above 1; 0
	// stands for 1.1. A record costs one pass over the n terms.
	Every float64
	// DualityGap records the duality gap too, for one exact gradient and one
	// linear optimisation a record, in Trace.Monitor.
	DualityGap bool
	// NoW leaves the last iterate out of the trace: it is most of a file.
	NoW bool
	// Watch, if set, is called after each step, with the clock stopped. The F of
	// now is NaN unless it was recorded. Watch must not change the trace.
	Watch func(tr *Trace, now Point)
}

// Share returns how much of the budget is spent at p: 0 at the start, 1 or more
// when a limit is reached. The limit of Gap is not looked at.
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
	for _, l := range []struct {
		name  string
		limit float64
	}{
		{"Steps", float64(b.Steps)}, {"Exact", float64(b.Exact)}, {"Stochastic", float64(b.Stochastic)},
		{"Linear", float64(b.Linear)}, {"Projections", float64(b.Projections)}, {"Seconds", b.Seconds}, {"Gap", b.Gap},
	} {
		if !(l.limit >= 0) {
			panic(fmt.Sprintf("fwopt: Budget.%s = %g, want a positive limit or 0 for none", l.name, l.limit))
		}
	}
	if b.Steps == 0 && b.Exact == 0 && b.Stochastic == 0 && b.Linear == 0 && b.Projections == 0 && b.Seconds == 0 && b.Gap == 0 {
		panic("fwopt: a Budget without a limit would run for ever")
	}
	if b.Every == 0 {
		b.Every = 1.1
	}
	if !(b.Every > 1) {
		panic(fmt.Sprintf("fwopt: Budget.Every = %g, want a ratio above 1", b.Every))
	}
	if b.Gap > 0 && math.IsInf(b.Every, 1) {
		panic("fwopt: Budget.Every = +Inf records nothing on the way, so that nobody sees whether Gap is reached")
	}
	b.DualityGap = b.DualityGap || b.Gap > 0
}

// Run runs m from w0 within the budget and returns what was recorded. If w0 is
// nil it starts from w_0 = o.Start(), which counts; another w0 must be in Ω,
// which is not checked. A cancelled context ends the
// run after the step at work, or in it if that is in an inner loop; the trace
// says so and holds the last iterate. Recording touches no account, clock,
// sampler or warm start of the run: same seed, same bits, however often. Run
// panics if m or o has run already.
func Run(ctx context.Context, o *Oracle, m Method, w0 []float64, b Budget) *Trace {
	r := newRun(o, m, w0, b)
	r.loop(ctx)
	return r.tr
}

// run is a run at work.
type run struct {
	o  *Oracle
	m  Method
	b  Budget
	w0 []float64
	tr *Trace

	start uint64 // a hash of w0, which no method may write to

	now  Point // the last whole step
	x    []float64
	next int    // the step to record next
	mark marker // the oracle after the last whole step

	eye  Warm      // monitoring's own warm start
	g, v []float64 // monitoring's scratch

	stepped     func() (more bool) // called after each step; nil for nothing
	interrupted func()             // called where the context ends the run; nil for nothing
}

// marker is what of an oracle decides the rest of a run.
type marker struct {
	Calls Calls
	RNG   []byte
	Warm  Warm
}

func (k *marker) set(o *Oracle) {
	k.Calls = o.Calls
	k.RNG, _ = o.RNG.AppendBinary(k.RNG[:0]) // never fails
	k.Warm.RNG = o.Warm.RNG
	k.Warm.V = append(k.Warm.V[:0], o.Warm.V...)
}

func (k *marker) restore(o *Oracle) error {
	o.Calls = k.Calls
	o.Warm.RNG = k.Warm.RNG
	o.Warm.V = append(o.Warm.V[:0], k.Warm.V...)
	return o.RNG.UnmarshalBinary(k.RNG)
}

func newRun(o *Oracle, m Method, w0 []float64, b Budget) *run {
	b.check()
	if isNil(m) {
		panic(fmt.Sprintf("fwopt: a run needs a method, this %T is nil", m))
	}
	if o == nil || o.rng == nil {
		panic("fwopt: an Oracle is made by NewOracle")
	}
	if o.used {
		panic("fwopt: this Oracle has served a run; make a new one for a new run")
	}
	o.used = true
	r := &run{o: o, m: m, b: b, next: 1, now: Point{F: math.NaN(), Gap: math.NaN()}}
	r.eye.RNG = o.Warm.RNG
	if w0 == nil {
		start := time.Now()
		w0 = o.Start()
		r.now.Seconds = time.Since(start).Seconds()
	}
	if len(w0) != o.F.Dim() {
		panic(fmt.Sprintf("fwopt: w0 has length %d, f has dimension %d", len(w0), o.F.Dim()))
	}
	r.w0, r.x, r.start = w0, w0, hash(w0)
	r.now.Calls = o.Calls
	r.tr = &Trace{Method: name(m), Data: name(o.F), Kernel: Kernel(), Seed: o.seed}
	return r
}

// name returns what x calls itself, or else its type.
func name(x any) string {
	if s, ok := x.(fmt.Stringer); ok {
		return s.String()
	}
	return fmt.Sprintf("%T", x)
}

// loop takes the run from where it stands to its end.
func (r *run) loop(ctx context.Context) {
	if len(r.tr.Points) == 0 {
		r.record() // w_0
	}
	r.mark.set(r.o)
	r.status(ctx)
	if r.tr.Status == Running {
		r.steps(ctx)
	}
	if r.tr.Status == Interrupted && r.interrupted != nil {
		r.interrupted() // before the last record, which an uninterrupted run does not make
	}
	if r.tr.Last().Step != r.now.Step {
		r.record()
		if r.tr.Status == Done { // what the last record shows comes first
			r.status(ctx)
		}
	}
	if hash(r.w0) != r.start {
		panic(fmt.Sprintf("fwopt: %s writes to w0, which is the caller's: copy it", name(r.m)))
	}
	if !r.b.NoW {
		r.tr.W = slices.Clone(r.x)
	}
}

func (r *run) steps(ctx context.Context) {
	start := time.Now()
	spent := func() float64 { return r.now.Seconds + time.Since(start).Seconds() }
	r.o.stalled = false
	polled, whole := false, uint64(0) // whether the method has inner loops, and a hash of the last iterate if so
	defer func() { r.o.halt = nil }()
	r.o.halt = func() bool {
		polled = true
		return ctx.Err() != nil || r.b.Seconds > 0 && spent() >= r.b.Seconds ||
			r.b.Linear > 0 && r.o.Calls.Linear >= r.b.Linear
	}
	for s := range r.m.Steps(r.o, r.w0) {
		if r.now.Step == 0 && (s.T > 1 || s.K > 1) {
			panic(fmt.Sprintf("fwopt: this %s has run already, for its first step is t = %d, k = %d; make a new one for a new run", name(r.m), s.T, s.K))
		}
		r.now = Point{Step: r.now.Step + 1, T: s.T, K: s.K, Calls: r.o.Calls, Seconds: spent(), F: math.NaN(), Gap: math.NaN()}
		r.x = s.X
		if polled {
			whole = hash(r.x)
		}
		r.o.stalled = false
		r.mark.set(r.o)
		if r.now.Step >= r.next {
			r.next = max(r.now.Step+1, int(min(math.Ceil(float64(r.now.Step)*r.b.Every), 1<<62)))
			r.record()
		}
		if r.b.Watch != nil {
			r.b.Watch(r.tr, r.now)
		}
		r.status(ctx)
		if r.stepped != nil && !r.stepped() || r.tr.Status != Running {
			return
		}
		start = time.Now()
	}
	// the method ended within a step, which does not count
	if whole != 0 && whole != hash(r.x) {
		panic(fmt.Sprintf("fwopt: %s ended within a step and has changed its iterate there: its fields must be those of the last whole step", name(r.m)))
	}
	halted := r.o.halt()
	_ = r.mark.restore(r.o) // its bytes are our own
	switch {
	case r.o.stalled:
		r.tr.Status = Stalled
	case ctx.Err() != nil:
		r.tr.Status = Interrupted
	case halted:
		r.tr.Status = Done
	default:
		r.tr.Status = Ended
	}
}

// status ends the run if a limit is reached.
func (r *run) status(ctx context.Context) {
	switch p := r.now; {
	case math.IsInf(p.F, 0) || r.recorded() && (math.IsNaN(p.F) || r.b.DualityGap && math.IsNaN(p.Gap)):
		r.tr.Status = Diverged
	case r.b.Gap > 0 && p.Gap+p.Slack <= r.b.Gap:
		r.tr.Status = Converged
	case r.b.Share(p) >= 1:
		r.tr.Status = Done
	case ctx.Err() != nil:
		r.tr.Status = Interrupted
	case r.b.Share(p) > r.b.Share(r.tr.Points[0]):
	case r.b.Gap == 0 && p.Step >= 1000:
		r.tr.Status = Endless
	case r.b.Gap > 0 && r.recorded() && (p.Slack > r.b.Gap && p.Gap <= p.Slack || r.standing()):
		r.tr.Status = Stalled
	}
}

// recorded reports whether the last step is in the trace.
func (r *run) recorded() bool { return len(r.tr.Points) > 0 && r.tr.Last().Step == r.now.Step }

// standing reports whether the best duality gap has stood for 15 of 16 steps, as it
// does where rounding hides what is left of it.
func (r *run) standing() bool {
	best, at := math.Inf(1), 0
	for _, p := range r.tr.Points {
		if g := p.Gap + p.Slack; g < best {
			best, at = g, p.Step
		}
	}
	return r.now.Step >= 1000 && r.now.Step >= 16*at
}

// record adds the last whole step to the trace.
func (r *run) record() {
	r.now.F = r.o.F.Value(r.x)
	if r.b.DualityGap {
		if r.g == nil {
			r.g, r.v = make([]float64, len(r.x)), make([]float64, len(r.x))
		}
		r.o.F.Grad(r.g, r.x, Batch{})
		r.tr.Monitor.Exact++
		r.gap(0)
		if left := r.b.Gap - r.now.Gap; r.b.Gap > 0 && left > 0 && r.now.Slack > left {
			r.gap(left / 2) // only the slack hides that Gap is reached
		}
	}
	r.tr.Monitor.Exact++ // f reads all n terms
	r.tr.Points = append(r.tr.Points, r.now)
}

// gap computes the duality gap of the last step, to a slack of tol, from its
// gradient.
func (r *run) gap(tol float64) {
	r.now.Gap, r.now.Slack = gapOf(r.o.Omega, r.x, r.g, r.v, tol, &r.eye)
	r.tr.Monitor.Linear++
}

// DualityGap returns max_{v∈Ω} ⟨∇f(w), w−v⟩ as far as it is known: the true value
// is at least gap, up to rounding, and at most gap + slack, which includes
// rounding. For a convex f and w ∈ Ω, gap + slack bounds f(w) − f(w*) from above.
// It counts nothing.
func DualityGap(f FiniteSum, omega Domain, w []float64) (gap, slack float64) {
	g := make([]float64, len(w))
	f.Grad(g, w, Batch{})
	return gapOf(omega, w, g, make([]float64, len(w)), 0, nil)
}

// gapOf returns the duality gap at w, where the gradient is g. v is scratch.
func gapOf(omega Domain, w, g, v []float64, tol float64, warm *Warm) (gap, slack float64) {
	slack = argmin(omega, v, g, tol, warm)
	size := floats.Norm(w, 2) + floats.Norm(v, 2) // w and v are in Ω up to rounding
	floats.SubTo(v, w, v)
	gap = floats.Dot(g, v)
	return gap, slack + 0x1p-52*floats.Norm(g, 2)*(math.Sqrt(float64(len(w)))*floats.Norm(v, 2)+size)
}
