package fwtest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
)

// TestMethod checks that the methods that fresh returns, a new one at each call, keep the contract of
// [fwopt.Method] over their first 60 steps, and reports the first fault:
//
//   - t and k begin at 1 and follow each other; an iterate has length d, is finite
//     and, if Ω is Gauged, in Ω, unless the method declares itself Free; w_0 is not written;
//   - step k of epoch t counts calls(t, k), where a negative number claims nothing, as
//     for the linear optimisations of an inner loop; calls may be nil;
//   - the same seed gives the same bits, and samples are drawn by o; what is recorded
//     changes nothing;
//   - where the caller ends the loop, after any step, or o is Halted in a step, Steps
//     goes on from the last whole step when it is called again;
//   - so does a run that [fwkeep.Keep] saves, after any step from the second on;
//   - Identify writes the same for two fresh methods, and another thing if an exported
//     number changes, or an exported function, be it at the last step only.
//
// For stochastic Frank-Wolfe that is
//
//	fwtest.TestMethod(t, func() fwopt.Method { return fwopt.SFWExperiments() }, nil, nil,
//		func(_, k int) fwopt.Calls { return fwopt.Calls{Stochastic: k * k, Linear: 1} })
//
// With f and Ω nil the problem is a quadratic over a Euclidean ball, with projection
// and line search. Your own f and Ω need an Identify, too, and should be small,
// for TestMethod makes about 10,000 steps. Epochs should be shorter than 60 steps.
//
// It does not see what a method asks of f and Ω behind the back of o, unless calls
// tells how much it should have asked, and no change that leaves these steps as they are.
func TestMethod(t *testing.T, fresh func() fwopt.Method, f fwopt.FiniteSum, omega fwopt.Domain,
	calls func(t, k int) fwopt.Calls) {
	t.Helper()
	if f == nil && omega == nil {
		f, omega = quadratic()
	}
	method(t, &methodCheck{fresh: fresh, f: f, omega: omega, calls: calls, dir: t.TempDir()})
}

// quadratic has its minimum outside of Ω, and terms that differ.
func quadratic() (fwopt.FiniteSum, fwopt.Domain) {
	const n, d = 20, 6
	h, c := make([]float64, n*d), make([]float64, n*d)
	for i := range h {
		h[i] = 1 + math.Mod(float64(i)*0.6180339887, 1)
		c[i] = 3*math.Mod(float64(i)*0.7548776662, 1) - 1
	}
	return fwsum.NewQuadratic(d, h, c), fwset.L2Ball{D: d, R: 1}
}

func method(t reporter, c *methodCheck) {
	t.Helper()
	for _, check := range []func(){
		c.walks, c.seeds, c.counts, c.recording, c.breaks, c.halts, c.resume, c.identity,
	} {
		if !report(t, c.fresh(), func() { unbroken(check) }) {
			return // the others would mostly repeat it
		}
	}
}

// unbroken makes a panic, as of Run, a fault.
func unbroken(check func()) {
	defer func() {
		if r := recover(); r != nil {
			if _, found := r.(fault); !found {
				r = fault(fmt.Sprintf("it panics: %v", r))
			}
			panic(r)
		}
	}()
	check()
}

const (
	methodSteps = 60
	methodSeed  = 7
)

type methodCheck struct {
	fresh func() fwopt.Method
	f     fwopt.FiniteSum
	omega fwopt.Domain
	calls func(t, k int) fwopt.Calls
	dir   string // for Keep

	w0, w1         []float64    // what Start gives, and another point of Ω
	steps0, steps1 []shown      // from there: the point and all steps, by one loop over Steps
	trace          *fwopt.Trace // from w0, by Run with a record of each step
}

// shown is what the outside sees of a step.
type shown struct {
	t, k  int
	x     []float64
	calls fwopt.Calls
}

func (c *methodCheck) oracle() (*fwopt.Oracle, []float64) {
	o := fwopt.NewOracle(c.f, c.omega, methodSeed)
	return o, o.Start()
}

// walks makes the steps from two points, and fills in all but the trace.
func (c *methodCheck) walks() {
	o, w0 := c.oracle()
	c.w0, c.w1 = w0, make([]float64, len(w0))
	c.steps0 = c.walk(o, c.w0, "")
	g := make([]float64, len(w0))
	g[0] = 1
	c.omega.Argmin(c.w1, g)
	o = fwopt.NewOracle(c.f, c.omega, methodSeed)
	c.steps1 = c.walk(o, c.w1, "from another w0, in a second run: ")
}

// walk makes the steps from w0, each of which must be right alone.
func (c *methodCheck) walk(o *fwopt.Oracle, w0 []float64, what string) (steps []shown) {
	unwritten := kept(w0)
	gauge, _ := c.omega.(fwset.Gauged)
	if c.free() {
		gauge = nil
	}
	last := shown{0, 0, slices.Clone(w0), o.Calls}
	steps = append(steps, last)
	for s := range c.fresh().Steps(o, w0) {
		i := len(steps)
		follows := s.T == last.t+1 && s.K == 1 || s.T == last.t && s.K == last.k+1 && s.T > 0
		want(follows || i > 1,
			"%sthe first step is t = %d, k = %d, want 1 and 1; a method that has run goes on, "+
				"so a new one is needed for each run", what, s.T, s.K)
		want(follows, "%sstep %d is t = %d, k = %d, after t = %d, k = %d; k counts the steps of epoch t",
			what, i, s.T, s.K, last.t, last.k)
		want(len(s.X) == len(w0),
			"%sstep %d: X has length %d, f has dimension %d", what, i, len(s.X), len(w0))
		unwritten("%sstep %d wrote to w0, which is the caller's; begin with a copy", what, i)
		for j, x := range s.X {
			want(x-x == 0, "%sstep %d: coordinate %d of the iterate is %g", what, i, j, x)
		}
		if gauge != nil {
			r := gauge.Gauge(s.X)
			want(r <= 1+1e-9,
				"%sstep %d: the iterate %s is not in Ω, its Gauge is %.12g", what, i, show(s.X), r)
		}
		last = shown{s.T, s.K, slices.Clone(s.X), o.Calls}
		if steps = append(steps, last); i == methodSteps {
			return steps
		}
	}
	want(false, "%sends by itself, or stalls, after %d steps; want a step as long as the caller asks for one",
		what, len(steps)-1)
	return nil
}

// counts holds what the steps count against the closed form.
func (c *methodCheck) counts() {
	want(c.steps0[methodSteps].calls != c.steps0[0].calls,
		"%d steps count nothing; ask f and Ω through o only", methodSteps)
	if c.calls == nil {
		return
	}
	four := func(n fwopt.Calls) [4]int { return [4]int{n.Exact, n.Stochastic, n.Linear, n.Projections} }
	names := [4]string{"exact gradients", "stochastic gradients", "linear optimisations", "projections"}
	for i, s := range c.steps0[1:] {
		after, before := four(s.calls), four(c.steps0[i].calls)
		for j, n := range four(c.calls(s.t, s.k)) {
			got := after[j] - before[j]
			want(n < 0 || got == n, "step t = %d, k = %d counts %d %s, want %d", s.t, s.k, got, names[j], n)
		}
	}
}

// follow wants that s is step i of c.steps0.
func (c *methodCheck) follow(i int, s fwopt.Step, calls fwopt.Calls, what string) {
	step := c.steps0[i]
	want(s.T == step.t && s.K == step.k, "%sstep %d is t = %d, k = %d, want t = %d, k = %d",
		what, i, s.T, s.K, step.t, step.k)
	want(calls == step.calls, "%safter step %d the calls are %+v, want %+v", what, i, calls, step.calls)
	want(same(s.X, step.x), "%sstep %d gives %.17g, want %.17g", what, i, s.X, step.x)
}

// goOn makes the steps after step at up to step to, which must be those of c.steps0. The
// state is what m is when the caller ends the loop.
func (c *methodCheck) goOn(m fwopt.Method, o *fwopt.Oracle, at, to int, what string) (state string) {
	for s := range m.Steps(o, c.w0) {
		at++
		if c.follow(at, s, o.Calls, what); at == to {
			return fmt.Sprintf("%#v", m)
		}
	}
	want(false, "%sit ends by itself, or stalls, after step %d", what, at)
	return ""
}

// seeds makes the run once more, and looks whether it draws.
func (c *methodCheck) seeds() {
	o, _ := c.oracle()
	before := o.RNG
	c.goOn(c.fresh(), o, 0, methodSteps,
		"a second run with the same seed gives other bits; draw through o only: ")
	want(o.Calls.Stochastic == 0 || c.f.Len() == 1 || o.RNG != before,
		"it counts stochastic gradients and draws none by o, so that another seed is no other run")
}

// budget records each step.
func (c *methodCheck) budget() fwopt.Budget {
	return fwopt.Budget{Steps: methodSteps, Every: 1 + 1e-9, DualityGap: !c.free()}
}

// free reports whether the method declares that its iterates may leave Ω.
func (c *methodCheck) free() bool {
	m, ok := c.fresh().(fwopt.Free)
	return ok && m.Free()
}

func (c *methodCheck) run(m fwopt.Method, w0 []float64, b fwopt.Budget) *fwopt.Trace {
	return fwopt.Run(context.Background(), fwopt.NewOracle(c.f, c.omega, methodSeed).From(w0), m, b)
}

// recording holds runs with all records, from no w0, and with few, from another one,
// against the steps without any, and fills c.trace.
func (c *methodCheck) recording() {
	all, few := c.budget(), fwopt.Budget{Steps: methodSteps, Every: math.Inf(1)}
	seen := true // by Watch
	all.Watch = func(tr *fwopt.Trace, now fwopt.Point) { seen = seen && same(tr.W, c.steps0[now.Step].x) }
	c.trace = c.run(c.fresh(), nil, all)
	for _, run := range []struct {
		tr      *fwopt.Trace
		steps   []shown
		records int
	}{
		{c.trace, c.steps0, 1 + methodSteps},
		{c.run(c.fresh(), c.w1, few), c.steps1, 3},
	} {
		what := fmt.Sprintf("Run with %d records", len(run.tr.Points))
		for _, p := range run.tr.Points {
			s := run.steps[p.Step]
			without := fwopt.Point{Step: p.Step, T: s.t, K: s.k, Calls: s.calls, F: c.f.Value(s.x),
				DualityGap: p.DualityGap, Slack: p.Slack}
			want(samePoint(p, without),
				"%s, step %d: t = %d, k = %d, f = %.17g, %+v; without records t = %d, k = %d, "+
					"f = %.17g, %+v", what, p.Step, p.T, p.K, p.F, p.Calls, s.t, s.k, without.F, s.calls)
		}
		at := run.tr.Last().Step
		want(len(run.tr.Points) == run.records && same(run.tr.W, run.steps[at].x),
			"%s ends at step %d (%v) with %.17g; without records step %d gives %.17g",
			what, at, run.tr.Status, run.tr.W, at, run.steps[at].x)
	}
	want(seen, "Watch does not see the iterates of the steps")
}

// samePoint reports whether two points are the same but for the time.
func samePoint(p, q fwopt.Point) bool {
	return p.Step == q.Step && p.T == q.T && p.K == q.K && p.Calls == q.Calls &&
		same([]float64{p.F, p.DualityGap, p.Slack}, []float64{q.F, q.DualityGap, q.Slack})
}

// otherRun says where got is not the run expected.
func otherRun(got, expected *fwopt.Trace) string {
	for i, p := range got.Points {
		if i >= len(expected.Points) || !samePoint(p, expected.Points[i]) {
			return fmt.Sprintf("step %d has f = %.17g and %+v", p.Step, p.F, p.Calls)
		}
	}
	if len(got.Points) != len(expected.Points) || !same(got.W, expected.W) {
		return fmt.Sprintf("it ends at step %d (%v) with %.17g, not at step %d with %.17g",
			got.Last().Step, got.Status, got.W, expected.Last().Step, expected.W)
	}
	return ""
}

// breaks ends the loop after each step, and once after any.
func (c *methodCheck) breaks() {
	what := func(at int) string {
		return fmt.Sprintf("a loop over Steps that ended after step %d does not go on in another one; "+
			"keep all that a step needs of those before in the fields: ", at)
	}
	m := c.fresh()
	o, _ := c.oracle()
	for at := range methodSteps {
		state := c.goOn(m, o, at, at+1, what(at))
		want(state == fmt.Sprintf("%#v", m), "the fields change after the yield of step %d; "+
			"set them before it, for Keep may save the run inside of the loop", at+1)
	}
	for at := 1; at < methodSteps; at++ {
		m := c.fresh()
		o, _ := c.oracle()
		c.goOn(m, o, 0, at, what(at))
		c.goOn(m, o, at, methodSteps, what(at))
	}
}

// halts lets o say Halted halfway in each step with more than one linear optimisation.
func (c *methodCheck) halts() {
	const late = 100 // linear optimisations after which a step should have asked
	for i, s := range c.steps0[1:] {
		spent := s.calls.Linear - c.steps0[i].calls.Linear
		if spent < 2 {
			continue
		}
		b := fwopt.Budget{Steps: methodSteps, Linear: s.calls.Linear - spent/2}
		m, o := c.fresh(), fwopt.NewOracle(c.f, c.omega, methodSeed)
		tr := fwopt.Run(context.Background(), o, m, b)
		at := tr.Last().Step // i if m gave up the step, else i+1
		what := fmt.Sprintf("step %d, where o is Halted after %d of %d linear optimisations: ",
			i+1, spent-spent/2, spent)
		want(tr.Status == fwopt.Done && (at == i || at == i+1),
			"%sthe run ends after step %d: %v", what, at, tr.Status)
		want(at == i || spent/2 <= late, "%sSteps goes on; ask o.Halted in each turn of an inner loop", what)
		want(same(tr.W, c.steps0[at].x), "%sthe iterate is %.17g, want that of the last whole step, %.17g",
			what, tr.W, c.steps0[at].x)
		if at < methodSteps {
			c.goOn(m, o, at, methodSteps, what+"Steps does not go on from the last whole step: ")
		}
	}
}
