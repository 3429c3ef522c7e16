package fwopt

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/hash"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// Run runs m from w_0 = o.Start() within the budget and returns what was recorded. If the context is
// cancelled the run ends after the step at work, or within its inner loop, with the last iterate in the
// trace. Recording changes nothing of the run: same seed, same bits.
//
// Run panics if m or o has run already, if w0 is seen to be outside of Ω, unless m is [Free], and if an f or Ω of
// your own is seen to break its contract: see [Identity]. It asks such parts questions first, for 0.1 seconds or,
// if they are expensive, about four linear optimisations, two gradients, two values and 1,000 gradients of terms.
func Run(ctx context.Context, o *Oracle, m Method, b Budget) *Trace {
	return NewRunner(o, m, b).Run(ctx)
}

// Runner is a run at work, of which fwkeep writes the State to a file. Others call Run.
type Runner struct {
	Oracle      *Oracle
	Method      Method
	Budget      Budget
	W0          []float64
	Trace       *Trace             // so far
	Stepped     func() (more bool) // if set, called after each step
	Interrupted func()             // if set, called where the context ends the run, before the last record

	state State
	first float64   // the share of the budget that w_0 has spent
	start uint64    // a hash of w0, which no method may write to
	g, v  []float64 // scratch of records
}

// State is where a run is after a whole step: with the exported fields of its method, all that
// decides how it goes on. It shares memory with the run.
type State struct {
	Now     Point     // the last whole step
	X       []float64 // its iterate
	Next    int       // the step to record next
	Points  []Point   // Trace.Points and Monitor
	Monitor Calls
	Calls   Calls      // the Oracle's
	RNG     []byte     // the Oracle's
	Warm    fwset.Warm // the Oracle's
	Eye     fwset.Warm // that of the records
}

// NewRunner returns a run that has not begun, but for w_0 = o.Start(). It panics as Run does.
func NewRunner(o *Oracle, m Method, b Budget) *Runner {
	b.check()
	if ident.IsNil(m) {
		panic(need.Linef("fwopt: a run needs a method, this %T is nil", m))
	}
	if b.DualityGap && leaves(m) {
		panic(need.Linef("fwopt: the iterates of %s may leave Ω, where a duality gap may be negative and bounds "+
			"nothing: leave out Budget.DualityGap and Tolerance", name(m)))
	}
	if o == nil || o.rng == nil {
		panic(need.Line("fwopt: an Oracle is made by NewOracle"))
	}
	if o.used {
		panic(need.Line("fwopt: this Oracle has served a run; make a new one for a new run"))
	}
	o.used = true
	shared := o.work(1)
	defer o.work(-1)
	checkParts(o.F, o.Omega, o.w0, shared, leaves(m))
	r := &Runner{Oracle: o, Method: m, Budget: b}
	r.state = State{Next: 1, Now: nowhere()}
	r.state.Eye.RNG = o.Warm.RNG
	start := time.Now()
	w0 := o.Start()
	if o.w0 == nil {
		r.state.Now.Seconds = time.Since(start).Seconds()
	}
	r.W0, r.state.X, r.start = w0, w0, hash.Floats(w0)
	r.mark()
	r.state.Now.Calls = o.Calls
	r.first = b.Share(r.state.Now)
	r.Trace = &Trace{Method: name(m), Data: name(o.F), Kernel: Kernel(), Seed: o.Seed,
		NonConvex: o.bent()}
	return r
}

// atWork counts the runs that are at work on each of the readers' own parts.
var atWork = struct {
	sync.Mutex
	runs map[any]int
}{runs: map[any]int{}}

// work notes that a run begins to work on o's parts, by = 1, or ends to, −1, and reports whether
// another one is at work on them, too.
func (o *Oracle) work(by int) (shared bool) {
	atWork.Lock()
	defer atWork.Unlock()
	for _, part := range []any{o.F, o.Omega} {
		if ident.Untested(part) == nil {
			continue
		}
		key := ident.Key(part)
		atWork.runs[key] += by
		shared = shared || atWork.runs[key] > 1
		if atWork.runs[key] == 0 {
			delete(atWork.runs, key)
		}
	}
	return shared
}

// Twin returns a run that goes on from r's State, on a copy m of its method, without Watch or W.
func (r *Runner) Twin(m Method) (*Runner, error) {
	b, o := r.Budget, r.Oracle
	b.Watch, b.NoW = nil, true
	t := &Runner{Oracle: NewOracle(o.F, o.Omega, o.Seed), Method: m, Budget: b, W0: r.W0, first: r.first,
		start: r.start,
		Trace: &Trace{Method: r.Trace.Method, Data: r.Trace.Data, Kernel: r.Trace.Kernel, Seed: r.Trace.Seed,
			NonConvex: r.Trace.NonConvex}}
	t.Oracle.used = true
	return t, t.Resume(r.State())
}

// State returns where the run is. It is valid until the next step.
func (r *Runner) State() State {
	s := r.state
	s.Points, s.Monitor = r.Trace.Points, r.Trace.Monitor
	return s
}

// Resume takes a run that has not begun to a State; the exported fields of Method must be those of then.
func (r *Runner) Resume(s State) error {
	r.state = s
	r.state.RNG = slices.Clone(s.RNG) // for the run writes to them
	r.state.Warm.V, r.state.Warm.P = slices.Clone(s.Warm.V), slices.Clone(s.Warm.P)
	r.state.Eye.V = slices.Clone(s.Eye.V)
	r.Trace.Points, r.Trace.Monitor = slices.Clone(s.Points), s.Monitor
	return r.restore()
}

// mark notes what of the oracle decides the rest of the run.
func (r *Runner) mark() {
	o, s := r.Oracle, &r.state
	s.Calls = o.Calls
	s.RNG, _ = o.RNG.AppendBinary(s.RNG[:0]) // never fails
	s.Warm.RNG = o.Warm.RNG
	s.Warm.V = append(s.Warm.V[:0], o.Warm.V...)
	s.Warm.P = append(s.Warm.P[:0], o.Warm.P...)
}

// restore takes the oracle back to the mark.
func (r *Runner) restore() error {
	o, s := r.Oracle, &r.state
	o.Calls = s.Calls
	o.Warm.RNG = s.Warm.RNG
	o.Warm.V = append(o.Warm.V[:0], s.Warm.V...)
	o.Warm.P = append(o.Warm.P[:0], s.Warm.P...)
	return o.RNG.UnmarshalBinary(s.RNG)
}

// name returns what x calls itself, or else its type.
func name(x any) string {
	if s, ok := x.(fmt.Stringer); ok {
		return s.String()
	}
	return fmt.Sprintf("%T", x)
}

// Run takes the run from where it is to its end, once.
func (r *Runner) Run(ctx context.Context) *Trace {
	given("the context of a run", ctx == nil)
	r.Oracle.work(1)
	defer r.Oracle.work(-1)
	tr := r.Trace
	if r.state.Now.Step == 0 && len(tr.Points) == 0 && r.Budget.Record == nil {
		r.record() // w_0
	}
	r.status(ctx)
	if tr.Status == Running {
		r.steps(ctx)
	}
	if tr.Status == Interrupted && r.Interrupted != nil {
		r.Interrupted() // before the last record, which an uninterrupted run does not make
	}
	if !r.recorded() {
		r.record()
		if tr.Status == Done { // what the last record shows comes first
			r.status(ctx)
		}
	}
	if hash.Floats(r.W0) != r.start {
		panic(need.Linef("fwopt: %s writes to w0, which is the caller's: copy it", name(r.Method)))
	}
	if o, p := r.Oracle, r.state.Now; o.broken != "" {
		tr.Note += fmt.Sprintf("; %s, after step %d (t = %d, k = %d)", o.broken, p.Step, p.T, p.K)
	}
	if why := r.still(); why != "" {
		tr.Doubt = fmt.Sprintf("f has not moved in %d steps, %s", r.state.Now.Step, why)
	}
	if more := tr.Remarks(); more != "" {
		tr.Note += "; " + more
	}
	tr.Note = strings.TrimPrefix(tr.Note, "; ")
	if !r.Budget.NoW {
		tr.W = slices.Clone(r.state.X)
	}
	return tr
}

func (r *Runner) steps(ctx context.Context) {
	o, b, now := r.Oracle, &r.Budget, &r.state.Now
	start := time.Now()
	spent := func() float64 { return now.Seconds + time.Since(start).Seconds() }
	o.stalled = false
	polled, whole := false, uint64(0) // whether the method has inner loops, and a hash of the last iterate if so
	defer func() { o.halt = nil }()
	o.halt = func() bool {
		polled = true
		return ctx.Err() != nil || b.Seconds > 0 && spent() >= b.Seconds || b.Linear > 0 &&
			o.Calls.Linear >= b.Linear
	}
	for s := range r.Method.Steps(o, r.W0) {
		if now.Step == 0 && (s.T > 1 || s.K > 1) {
			panic(need.Linef("fwopt: this %s has run already, for its first step is t = %d, k = %d; make a "+
				"new one for a new run", name(r.Method), s.T, s.K))
		}
		at := nowhere()
		at.Step, at.T, at.K, at.Calls, at.Seconds, at.Bound = now.Step+1, s.T, s.K, o.Calls, spent(),
			now.Bound
		if s.Bound != 0 {
			at.Bound = s.Bound
		}
		*now, r.state.X = at, s.X
		if polled {
			whole = hash.Floats(s.X)
		}
		o.stalled = false
		r.mark()
		last := r.recordIf(s)
		if b.Watch != nil {
			r.Trace.W = s.X
			b.Watch(r.Trace, *now)
			r.Trace.W = nil
		}
		if r.status(ctx); last && (r.Trace.Status == Running || r.Trace.Status == Interrupted) {
			r.Trace.Status = Done
		}
		if r.Stepped != nil && !r.Stepped() || r.Trace.Status != Running {
			return
		}
		start = time.Now()
	}
	// the method ended within a step, which does not count
	if whole != 0 && whole != hash.Floats(r.state.X) {
		panic(need.Linef("fwopt: %s ended within a step and has changed its iterate there: its fields must "+
			"be those of the last whole step", name(r.Method)))
	}
	halted := o.halt()
	_ = r.restore() // its bytes are our own
	switch {
	case o.broken != "":
		r.status(ctx)
	case o.stalled:
		r.Trace.Status = Stalled
	case ctx.Err() != nil:
		r.Trace.Status = Interrupted
	case halted:
		r.Trace.Status = Done
	default:
		r.Trace.Status = Ended
	}
}

// status ends the run if a limit is reached.
func (r *Runner) status(ctx context.Context) {
	b, to := &r.Budget, &r.Trace.Status
	switch p := r.state.Now; {
	case r.Oracle.broken != "":
		*to = Diverged
	case math.IsInf(p.F, 0) || r.recorded() && (math.IsNaN(p.F) || b.DualityGap && math.IsNaN(p.DualityGap) ||
		b.Excess != nil && !finite(p.Excess)):
		*to = Diverged
	case b.Tolerance > 0 && p.DualityGap+p.Slack <= b.Tolerance:
		*to = Converged
	case b.Share(p) >= 1:
		*to = Done
	case ctx.Err() != nil:
		*to = Interrupted
	case b.Share(p) > r.first || b.Record != nil:
	case b.Tolerance == 0 && p.Step >= 1000:
		*to = Endless
	case b.Tolerance > 0 && r.recorded() && (p.Slack > b.Tolerance && p.DualityGap <= p.Slack ||
		r.standing()):
		*to = Stalled
	}
}

// recorded reports whether the last step is in the trace.
func (r *Runner) recorded() bool {
	return len(r.Trace.Points) > 0 && r.Trace.Last().Step == r.state.Now.Step
}

// standing reports whether the best duality gap has stood for 15 of 16 steps, as it
// does where rounding hides what is left of it.
func (r *Runner) standing() bool {
	best, at := math.Inf(1), 0
	for _, p := range r.Trace.Points {
		if g := p.DualityGap + p.Slack; g < best {
			best, at = g, p.Step
		}
	}
	step := r.state.Now.Step
	return step >= 1000 && step >= 16*at
}

// recordIf records a step if it is one to record, and reports whether it is the last.
func (r *Runner) recordIf(s Step) (last bool) {
	now, record := r.state.Now.Step, false
	if r.Budget.Record != nil {
		record, last = r.Budget.Record(s)
	} else if record = now >= r.state.Next; record {
		r.state.Next = max(now+1, int(min(math.Ceil(float64(now)*r.Budget.Every), 1<<62)))
	}
	if record {
		r.record()
	}
	return last
}

// record adds the last whole step to the trace.
func (r *Runner) record() {
	f, now, x, b := r.Oracle.F, &r.state.Now, r.state.X, &r.Budget
	now.F = f.Value(x)
	if b.Excess != nil {
		now.Excess = b.Excess(x)
	}
	if b.DualityGap {
		if r.g == nil {
			r.g, r.v = make([]float64, len(x)), make([]float64, len(x))
		}
		f.Grad(r.g, x, Batch{})
		r.Trace.Monitor.Exact++
		r.gap(0)
		if left := b.Tolerance - now.DualityGap; b.Tolerance > 0 && left > 0 && now.Slack > left {
			r.gap(left / 2) // only the slack hides that Tolerance is reached
		}
	}
	r.Trace.Monitor.Exact++ // f reads all n terms
	r.Trace.Points = append(r.Trace.Points, *now)
}

// gap computes the duality gap of the last step, to a slack of tol, from its gradient.
func (r *Runner) gap(tol float64) {
	now := &r.state.Now
	now.DualityGap, now.Slack = gapOf(r.Oracle.Omega, r.state.X, r.g, r.v, tol, &r.state.Eye)
	r.Trace.Monitor.Linear++
	if size := floats.Norm(r.g, 2) * (1 + floats.Norm(r.state.X, 2)); now.DualityGap+now.Slack < -1e-6*size {
		panic(need.Linef("fwopt: the point of step %d is outside of Ω: its duality gap is %.3g, which is "+
			"less than 0", now.Step, now.DualityGap))
	}
}
