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

// TestMethod checks that the methods that fresh returns, a new one at each call,
// keep the contract of [fwopt.Method] over their first 60 steps, and reports the
// first fault:
//
//   - t and k begin at 1 and follow each other; an iterate has length d, is finite
//     and, if Ω is Gauged, in Ω; w_0 is not written;
//   - step k of epoch t counts calls(t, k), where a negative number says nothing, as
//     for the linear optimisations of an inner loop; calls may be nil;
//   - the same seed gives the same bits, and samples are drawn by o; what is recorded
//     changes nothing;
//   - where the caller ends the loop, after any step, or o is Halted in a step, Steps
//     goes on from the last whole step when it is called again;
//   - so does a run that [fwkeep.Keep] saves, after any step from the second on;
//   - Identify says the same of two fresh methods, and another thing if an exported
//     number changes, or an exported schedule, be it at the last step only.
//
// For stochastic Frank-Wolfe that is
//
//	fwtest.TestMethod(t, func() fwopt.Method { return fwopt.SFWExperiments() }, nil, nil,
//		func(_, k int) fwopt.Calls { return fwopt.Calls{Stochastic: k * k, Linear: 1} })
//
// With f and Ω nil the problem is a quadratic over a Euclidean ball, with projection
// and line search. f and Ω of one's own need an Identify, too, and should be small,
// for TestMethod makes some 10,000 steps. Epochs should be shorter than 60 steps.
//
// It does not see what a method asks of f and Ω behind the back of o, unless calls
// says how much it should have asked, and no change that leaves these steps as they are.
func TestMethod(t *testing.T, fresh func() fwopt.Method, f fwopt.FiniteSum, omega fwopt.Domain, calls func(t, k int) fwopt.Calls) {
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
	for _, check := range []func() string{c.walks, c.seeds, c.counts, c.recording, c.breaks, c.halts, c.resume} {
		if fault := caught(check); fault != "" {
			t.Errorf("%T: %s", c.fresh(), fault)
			return // the others would mostly repeat it
		}
	}
}

// caught is a check for which a panic, as of Run, is a fault.
func caught(check func() string) (fault string) {
	defer func() {
		if r := recover(); r != nil {
			fault = fmt.Sprintf("it panics: %v", r)
		}
	}()
	return check()
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
func (c *methodCheck) walks() (fault string) {
	o, w0 := c.oracle()
	c.w0, c.w1 = w0, make([]float64, len(w0))
	if c.steps0, fault = c.walk(o, c.w0); fault != "" {
		return fault
	}
	g := make([]float64, len(w0))
	g[0] = 1
	c.omega.Argmin(c.w1, g)
	if c.steps1, fault = c.walk(fwopt.NewOracle(c.f, c.omega, methodSeed), c.w1); fault != "" {
		return "from another w0, in a second run: " + fault
	}
	return ""
}

// walk makes the steps from w0 and says what is wrong with one that is alone.
func (c *methodCheck) walk(o *fwopt.Oracle, w0 []float64) (steps []shown, fault string) {
	start := slices.Clone(w0)
	gauge, _ := c.omega.(fwset.Gauged)
	last := shown{0, 0, start, o.Calls}
	steps = append(steps, last)
	for s := range c.fresh().Steps(o, w0) {
		i, j := len(steps), bad(s.X)
		follows := s.T == last.t+1 && s.K == 1 || s.T == last.t && s.K == last.k+1 && s.T > 0
		switch {
		case !follows && i == 1:
			return nil, fmt.Sprintf("the first step is t = %d, k = %d, want 1 and 1; a method that has run goes on, so a new one is needed for each run", s.T, s.K)
		case !follows:
			return nil, fmt.Sprintf("step %d is t = %d, k = %d, after t = %d, k = %d; k counts the steps of epoch t", i, s.T, s.K, last.t, last.k)
		case len(s.X) != len(w0):
			return nil, fmt.Sprintf("step %d: X has length %d, f has dimension %d", i, len(s.X), len(w0))
		case !same(w0, start):
			return nil, fmt.Sprintf("step %d wrote to w0, which is the caller's; begin with a copy", i)
		case j >= 0:
			return nil, fmt.Sprintf("step %d: coordinate %d of the iterate is %g", i, j, s.X[j])
		}
		if gauge != nil {
			if r := gauge.Gauge(s.X); !(r <= 1+1e-9) {
				return nil, fmt.Sprintf("step %d: the iterate %s is not in Ω, its Gauge is %.12g", i, show(s.X), r)
			}
		}
		last = shown{s.T, s.K, slices.Clone(s.X), o.Calls}
		if steps = append(steps, last); i == methodSteps {
			return steps, ""
		}
	}
	return nil, fmt.Sprintf("ends by itself, or stalls, after %d steps; want a step as long as the caller asks for one", len(steps)-1)
}

// counts holds what the steps count against the closed form.
func (c *methodCheck) counts() string {
	if c.steps0[methodSteps].calls == c.steps0[0].calls {
		return fmt.Sprintf("%d steps count nothing; ask f and Ω through o only", methodSteps)
	}
	if c.calls == nil {
		return ""
	}
	for i, s := range c.steps0[1:] {
		want, before := c.calls(s.t, s.k), c.steps0[i].calls
		for _, n := range []struct {
			what                string
			after, before, want int
		}{
			{"exact gradients", s.calls.Exact, before.Exact, want.Exact},
			{"stochastic gradients", s.calls.Stochastic, before.Stochastic, want.Stochastic},
			{"linear optimisations", s.calls.Linear, before.Linear, want.Linear},
			{"projections", s.calls.Projections, before.Projections, want.Projections},
		} {
			if got := n.after - n.before; n.want >= 0 && got != n.want {
				return fmt.Sprintf("step t = %d, k = %d counts %d %s, want %d", s.t, s.k, got, n.what, n.want)
			}
		}
	}
	return ""
}

// differs says where s is not step i of c.steps0.
func (c *methodCheck) differs(i int, s fwopt.Step, calls fwopt.Calls) string {
	want := c.steps0[i]
	switch {
	case s.T != want.t || s.K != want.k:
		return fmt.Sprintf("step %d is t = %d, k = %d, want t = %d, k = %d", i, s.T, s.K, want.t, want.k)
	case calls != want.calls:
		return fmt.Sprintf("after step %d the calls are %+v, want %+v", i, calls, want.calls)
	case !same(s.X, want.x):
		return fmt.Sprintf("step %d gives %.17g, want %.17g", i, s.X, want.x)
	}
	return ""
}

// goOn makes the steps after step at up to step to, and says where they are not
// those of c.steps0, and what m is when the caller ends the loop.
func (c *methodCheck) goOn(m fwopt.Method, o *fwopt.Oracle, at, to int) (state, fault string) {
	for s := range m.Steps(o, c.w0) {
		at++
		if fault = c.differs(at, s, o.Calls); fault != "" || at == to {
			return fmt.Sprintf("%#v", m), fault
		}
	}
	return "", fmt.Sprintf("it ends by itself, or stalls, after step %d", at)
}

// seeds makes the run once more, and looks whether it draws.
func (c *methodCheck) seeds() string {
	o, _ := c.oracle()
	before := o.RNG
	if _, fault := c.goOn(c.fresh(), o, 0, methodSteps); fault != "" {
		return "a second run with the same seed gives other bits; draw through o only: " + fault
	}
	if o.Calls.Stochastic > 0 && c.f.Len() > 1 && o.RNG == before {
		return "it counts stochastic gradients and draws none by o, so that another seed is no other run"
	}
	return ""
}

// budget records each step.
func budget() fwopt.Budget {
	return fwopt.Budget{Steps: methodSteps, Every: 1 + 1e-9, DualityGap: true}
}

func (c *methodCheck) run(m fwopt.Method, w0 []float64, b fwopt.Budget) *fwopt.Trace {
	return fwopt.Run(context.Background(), fwopt.NewOracle(c.f, c.omega, methodSeed).From(w0), m, b)
}

// recording holds runs with all records, from no w0, and with few, from another one,
// against the steps without any, and fills c.trace.
func (c *methodCheck) recording() string {
	all, few := budget(), fwopt.Budget{Steps: methodSteps, Every: math.Inf(1)}
	all.Watch = func(*fwopt.Trace, fwopt.Point) {}
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
			want := fwopt.Point{Step: p.Step, T: s.t, K: s.k, Calls: s.calls, F: c.f.Value(s.x), DualityGap: p.DualityGap, Slack: p.Slack}
			if !samePoint(p, want) {
				return fmt.Sprintf("%s, step %d: t = %d, k = %d, f = %.17g, %+v; without records t = %d, k = %d, f = %.17g, %+v",
					what, p.Step, p.T, p.K, p.F, p.Calls, want.T, want.K, want.F, want.Calls)
			}
		}
		if p := run.tr.Last(); len(run.tr.Points) != run.records || !same(run.tr.W, run.steps[p.Step].x) {
			return fmt.Sprintf("%s ends at step %d (%v) with %.17g; without records step %d gives %.17g", what, p.Step, run.tr.Status, run.tr.W, p.Step, run.steps[p.Step].x)
		}
	}
	return ""
}

// samePoint reports whether two points are the same but for the time.
func samePoint(p, q fwopt.Point) bool {
	return p.Step == q.Step && p.T == q.T && p.K == q.K && p.Calls == q.Calls && same([]float64{p.F, p.DualityGap, p.Slack}, []float64{q.F, q.DualityGap, q.Slack})
}

// otherRun says where got is not the run want.
func otherRun(got, want *fwopt.Trace) string {
	for i, p := range got.Points {
		if i >= len(want.Points) || !samePoint(p, want.Points[i]) {
			return fmt.Sprintf("step %d has f = %.17g and %+v", p.Step, p.F, p.Calls)
		}
	}
	if len(got.Points) != len(want.Points) || !same(got.W, want.W) {
		return fmt.Sprintf("it ends at step %d (%v) with %.17g, not at step %d with %.17g", got.Last().Step, got.Status, got.W, want.Last().Step, want.W)
	}
	return ""
}

// breaks ends the loop after each step, and once after any.
func (c *methodCheck) breaks() string {
	const what = "a loop over Steps that ended after step %d does not go on in another one; keep all that a step needs of those before in the fields: %s"
	m := c.fresh()
	o, _ := c.oracle()
	for at := range methodSteps {
		state, fault := c.goOn(m, o, at, at+1)
		if fault != "" {
			return fmt.Sprintf(what, at, fault)
		}
		if state != fmt.Sprintf("%#v", m) {
			return fmt.Sprintf("the fields change after the yield of step %d; set them before it, for Keep may save the run inside of the loop", at+1)
		}
	}
	for at := 1; at < methodSteps; at++ {
		m := c.fresh()
		o, _ := c.oracle()
		_, fault := c.goOn(m, o, 0, at)
		if fault == "" {
			_, fault = c.goOn(m, o, at, methodSteps)
		}
		if fault != "" {
			return fmt.Sprintf(what, at, fault)
		}
	}
	return ""
}

// halts lets o say Halted halfway in each step with more than one linear
// optimisation.
func (c *methodCheck) halts() string {
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
		what := fmt.Sprintf("step %d, where o is Halted after %d of %d linear optimisations: ", i+1, spent-spent/2, spent)
		switch {
		case tr.Status != fwopt.Done || at != i && at != i+1:
			return fmt.Sprintf("%sthe run ends after step %d: %v", what, at, tr.Status)
		case at == i+1 && spent/2 > late:
			return what + "Steps goes on; ask o.Halted in each turn of an inner loop"
		case !same(tr.W, c.steps0[at].x):
			return fmt.Sprintf("%sthe iterate is %.17g, want that of the last whole step, %.17g", what, tr.W, c.steps0[at].x)
		}
		if at == methodSteps {
			break
		}
		if _, fault := c.goOn(m, o, at, methodSteps); fault != "" {
			return what + "Steps does not go on from the last whole step: " + fault
		}
	}
	return ""
}
