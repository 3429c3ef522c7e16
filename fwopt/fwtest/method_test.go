package fwtest

import (
	"iter"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
)

// walker is Frank-Wolfe on an average of samples, with an inner loop if Inner is
// above 1, in the plainest way, with one fault.
type walker struct {
	Fault string
	Inner int                 // linear optimisations of a step
	Rho   func(k int) float64 // the weight of the new sample
	Rate  float64             // the weight of the old point in the inner loop

	K    int
	W, D []float64
	Old  []float64 // W, with the fault that it is the same memory
}

func newWalker(fault string, inner int) *walker {
	rho := func(k int) float64 { return 1 / math.Sqrt(float64(k)) }
	return &walker{Fault: fault, Inner: inner, Rho: rho, Rate: 2}
}

// calls is what a sound step counts.
func (a *walker) calls(_, _ int) fwopt.Calls { return fwopt.Calls{Stochastic: 2, Linear: a.Inner} }

var said int // how often the fault was said

func (a *walker) Identify(id *fwopt.Identity) {
	id.Of(a).Text(a.Fault).Int(a.Inner)
	if a.Fault == "identity: changes" {
		said++
		id.Int(said)
	}
	if a.Fault != "identity: a number" {
		id.Float(a.Rate)
	}
	for _, k := range id.Steps(nil) {
		if a.Fault != "identity: a schedule" && (a.Fault != "identity: first steps" || k < 10) {
			id.Float(a.Rho(k))
		}
	}
}

func (a *walker) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	d := len(w0)
	if a.K == 0 || a.Fault == "state: begins anew" {
		a.K, a.W, a.D = 0, slices.Clone(w0), make([]float64, d)
	}
	switch {
	case a.Fault == "sound: one rate" && a.Rate != 2:
		panic("a rate of 2 is wanted")
	case a.Fault == "w0: written":
		a.W = w0
	case a.Fault == "state: a local variable":
		a.D = make([]float64, d)
	}
	since, again := 0, a.K > 0
	g, v, x, avg := make([]float64, d), fwopt.Vertex{}, make([]float64, d), make([]float64, d)
	return func(yield func(fwopt.Step) bool) {
		for {
			k := a.K + 1
			if a.Fault == "steps: ends" && k == 30 || a.Fault == "state: one loop only" && again {
				return
			}
			switch a.Fault {
			case "seed: another source":
				i, j := rand.IntN(o.F.Len()), rand.IntN(o.F.Len())
				o.GradOf(g, a.W, fwopt.Batch{Index: []int{i, j}, Weight: []float64{0.5, 0.5}}, 2)
			case "seed: one of its own":
				own := rand.New(rand.NewPCG(uint64(k), 1))
				o.GradOf(g, a.W, fwopt.Batch{Index: []int{own.IntN(o.F.Len())}, Weight: []float64{1}}, 2)
			case "counts: behind the back":
				o.F.Grad(g, a.W, o.Sample(2))
			default:
				o.StochasticGrad(g, a.W, 2)
			}
			if a.Fault == "state: shared memory" {
				if k == 1 {
					a.Old = a.W
				}
				for j, x := range a.Old {
					g[j] += x
				}
			}
			rho := a.Rho(k)
			if since++; a.Fault == "state: steps since the call" && since%20 == 0 {
				rho /= 2
			}
			if a.Fault == "state: half of the steps" && k >= 20 && 2*since == k {
				rho /= 2
			}
			if f, ok := o.F.(*counted); ok && f.values > 9 {
				rho /= 2
			}
			copy(avg, a.D)
			fwopt.Lerp(avg, rho, g)
			copy(x, a.W)
			switch a.Fault {
			case "halted: writes the iterate":
				x = a.W
			case "halted: writes the rest":
				copy(a.D, avg)
			}
			for range a.Inner {
				if a.Inner > 1 && a.Fault != "halted: never asks" && o.Halted() {
					switch a.Fault {
					case "halted: counts the step":
						a.K = k
					case "halted: stalls":
						o.Stall()
					case "halted: yields":
						a.K = k
						copy(a.W, x)
						yield(fwopt.Step{T: 1, K: k, X: a.W})
					}
					return
				}
				for j := range g {
					g[j] = avg[j] + a.Rate*(x[j]-a.W[j])
				}
				o.Argmin(&v, g)
				v.Lerp(x, 1/float64(k+2))
			}
			copy(a.W, x)
			copy(a.D, avg)
			step := fwopt.Step{T: 1, K: k, X: a.W}
			switch {
			case a.Fault == "steps: from 0":
				step.K--
			case a.Fault == "steps: from epoch 2":
				step.T++
			case k < 20:
			case a.Fault == "steps: jumps":
				step.K++
			case a.Fault == "steps: k goes on":
				step.T++
			case a.Fault == "iterate: short":
				step.X = a.W[1:]
			case a.Fault == "iterate: not a number":
				a.W[1] = math.NaN()
			case a.Fault == "iterate: outside":
				a.W[1]++
			case a.Fault == "counts: too much":
				o.Project(x, g)
			case a.Fault == "counts: too little":
				o.Calls.Linear--
			}
			if a.Fault == "state: after the yield" {
				more := yield(step)
				if a.K = k; !more {
					return
				}
				continue
			}
			if a.K = k; !yield(step) {
				return
			}
		}
	}
}

// hidden keeps its state where Keep does not see it.
type hidden struct{ *walker }

func (a *hidden) Identify(id *fwopt.Identity) { id.Of(a).Part(a.walker) }

// nameless has only the Identify of the walker.
type nameless struct{ *walker }

// numbered says which one it is.
type numbered struct {
	Walker walker
	Number int
}

func (a *numbered) Identify(id *fwopt.Identity) { id.Of(a).Part(&a.Walker).Int(a.Number) }
func (a *numbered) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	return a.Walker.Steps(o, w0)
}

// counted is a sum that counts how often its value was asked for.
type counted struct {
	fwopt.FiniteSum
	values int
}

func (f *counted) Tested() any { return f } // its calls are counted

// endless has no finite value.
type endless struct{ fwopt.FiniteSum }

func (f endless) Tested() any { return f } // else the start of the run finds it

func (endless) Value([]float64) float64 { return math.Inf(1) }

func (f *counted) Value(w []float64) float64 {
	f.values++
	return f.FiniteSum.Value(w)
}

func TestMethodFindsFaults(t *testing.T) {
	look := func(c methodCheck, want string) {
		t.Helper()
		if c.f == nil {
			c.f, c.omega = quadratic()
		}
		if c.dir == "" {
			c.dir = t.TempDir()
		}
		var r recorder
		method(&r, &c)
		expect(t, r.msgs, want)
	}
	for _, c := range []struct {
		fault string
		inner int
		want  string
	}{
		{"steps: from 0", 1, "the first step is t = 1, k = 0"},
		{"steps: from epoch 2", 1, "the first step is t = 2, k = 1"},
		{"steps: jumps", 1, "step 20 is t = 1, k = 21, after t = 1, k = 19"},
		{"steps: k goes on", 1, "step 20 is t = 2, k = 20, after t = 1, k = 19"},
		{"steps: ends", 1, "ends by itself, or stalls, after 29 steps"},
		{"iterate: short", 1, "X has length 5"},
		{"iterate: not a number", 1, "step 20: coordinate 1 of the iterate is NaN"},
		{"iterate: outside", 1, "is not in Ω"},
		{"w0: written", 1, "step 1 wrote to w0"},
		{"counts: too much", 1, "step t = 1, k = 20 counts 1 projections, want 0"},
		{"counts: too little", 3, "step t = 1, k = 20 counts 2 linear optimisations, want 3"},
		{"counts: behind the back", 1, "step t = 1, k = 1 counts 0 stochastic gradients, want 2"},
		{"seed: another source", 1, "a second run with the same seed"},
		{"seed: one of its own", 1, "draws none by o"},
		{"state: begins anew", 1, "a loop over Steps that ended after step 1"},
		{"state: a local variable", 1, "a loop over Steps that ended after step 1"},
		{"state: steps since the call", 1, "a loop over Steps that ended after step 19"},
		{"state: half of the steps", 1, "a loop over Steps that ended after step 10"},
		{"state: one loop only", 1, "it ends by itself, or stalls, after step 1"},
		{"state: shared memory", 1, "would lose that two fields share memory"},
		{"state: after the yield", 1, "the fields change after the yield of step 1"},
		{"halted: writes the iterate", 3, "ended within a step and has changed its iterate there"},
		{"halted: writes the rest", 3, "Steps does not go on from the last whole step"},
		{"halted: counts the step", 3, "Steps does not go on from the last whole step"},
		{"halted: yields", 3, "Halted after 2 of 3 linear optimisations: the iterate is"},
		{"halted: stalls", 3, "the run ends after step 0: stalled"},
		{"halted: never asks", 250, "ask o.Halted"},
		{"identity: changes", 1, "two calls of Identify of *fwtest.walker say two things"},
		{"identity: a schedule", 1, "does not say all of the field Rho: with another value Keep finds"},
		{"identity: first steps", 1, "does not say all of the field Rho: with another value at 60"},
	} {
		fresh := func() fwopt.Method { return newWalker(c.fault, c.inner) }
		look(methodCheck{fresh: fresh, calls: newWalker("", c.inner).calls}, c.want)
	}
	one, n, dir := newWalker("", 1), 0, t.TempDir()
	f, omega := quadratic()
	for _, c := range []struct {
		want  string
		fresh func(sound *walker) fwopt.Method
		check methodCheck
	}{
		{"a new one is needed", func(*walker) fwopt.Method { return one }, methodCheck{}},
		{"60 steps count nothing",
			func(*walker) fwopt.Method { return newWalker("counts: behind the back", 0) }, methodCheck{}},
		{"Run with 61 records, step 10:", func(w *walker) fwopt.Method { return w },
			methodCheck{f: &counted{FiniteSum: f}, omega: omega}},
		{"Run with 1 records ends at step 0 (diverged: f or a gradient is not finite)",
			func(w *walker) fwopt.Method { return w }, methodCheck{f: endless{f}, omega: omega}},
		{"would lose the field walker", func(w *walker) fwopt.Method { return &hidden{w} }, methodCheck{}},
		{"has only the Identify of the fwtest.walker in it",
			func(w *walker) fwopt.Method { return &nameless{w} }, methodCheck{}},
		{"fwopt.MethodFunc has no method Identify",
			func(w *walker) fwopt.Method { return fwopt.MethodFunc(w.Steps) }, methodCheck{}},
		{"does not find the run that it has saved", func(w *walker) fwopt.Method {
			n++
			return &numbered{*w, n}
		}, methodCheck{}},
		{"does not find a finished run", func(w *walker) fwopt.Method { // for it has another name then
			traces, _ := filepath.Glob(filepath.Join(dir, "2", "*.trace"))
			return &numbered{*w, len(traces)}
		}, methodCheck{dir: dir}},
	} {
		c.check.fresh = func() fwopt.Method { return c.fresh(newWalker("", 1)) }
		look(c.check, c.want)
	}
}

func TestMethodPassesSoundMethods(t *testing.T) {
	for _, c := range []struct {
		fault string
		inner int
	}{{"", 1}, {"", 3}, {"sound: one rate", 3}} {
		a := newWalker(c.fault, c.inner)
		TestMethod(t, func() fwopt.Method { return newWalker(c.fault, c.inner) }, nil, nil, a.calls)
	}
}
