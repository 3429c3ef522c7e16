package fwkeep_test

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
)

// adaptive is a step rule of one's own with a state: the short step with an L that it
// finds by itself (Pedregosa, Negiar, Askari & Jaggi, AISTATS 2020).
type adaptive struct {
	Up float64 // by what L grows where it was too small

	L float64 // the last one, the state
}

func (r *adaptive) Step(o *fwopt.Oracle, _ int, seg fwopt.Segment) float64 {
	if r.L == 0 {
		r.L = 1e-3
	}
	f, x := o.Value(seg.X), make([]float64, len(seg.X))
	for r.L *= 0.9; ; r.L *= r.Up {
		bend := r.L * floats.Dot(seg.D, seg.D)
		gamma := min(seg.Most, max(0, seg.Slope)/bend)
		floats.AddScaledTo(x, seg.X, -gamma, seg.D)
		if o.Value(x) <= f-gamma*seg.Slope+gamma*gamma*bend/2+1e-14*math.Abs(f) {
			return min(1, gamma)
		}
	}
}

func (r *adaptive) Identify(id *fwopt.Identity) { id.Of(r).Float(r.Up) }

// mute is a rule that says nothing of itself.
type mute struct{ Step0 float64 }

func (r mute) Step(_ *fwopt.Oracle, k int, _ fwopt.Segment) float64 { return r.Step0 / float64(k+1) }

// A rule with a state is kept with it: a run that was interrupted anywhere goes on to
// the bits of one that was not, in FW and in AwayFW.
func TestKeepRules(t *testing.T) {
	f, omega := small.Problem()
	for name, fresh := range map[string]func(up float64) fwopt.Method{
		"FW":     func(up float64) fwopt.Method { return &fwopt.FW{Rule: &adaptive{Up: up}} },
		"AwayFW": func(up float64) fwopt.Method { return &fwmore.AwayFW{Rule: &adaptive{Up: up}} },
	} {
		b := fwopt.Budget{Steps: 30, DualityGap: true}
		whole := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), fresh(2), b)
		for _, at := range []int{2, 3, 17, 29} {
			dir := t.TempDir()
			ctx, watched := small.StopAfter(at, b)
			tr, err := fwkeep.Keep(ctx, dir, fwopt.NewOracle(f, omega, 1), fresh(2), watched)
			if err != nil || tr.Status != fwopt.Interrupted {
				t.Fatalf("%s: %v, %v", name, tr, err)
			}
			steps := 0
			b := b
			b.Watch = func(*fwopt.Trace, fwopt.Point) { steps++ }
			tr, err = fwkeep.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 1), fresh(2), b)
			if err != nil || small.Bits(tr) != small.Bits(whole) || steps != 30-at {
				t.Fatalf("%s from step %d: %v, %d steps, note %q", name, at, err, steps, tr.Note)
			}
			other, err := fwkeep.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 1), fresh(3), b)
			if err != nil || slices.Equal(other.W, whole.W) || steps != 60-at {
				t.Fatalf("%s: another parameter of the rule had the first one's run: %v, %d steps", name, err, steps)
			}
		}
	}
	dir := t.TempDir()
	tr, err := fwkeep.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 1), &fwopt.FW{Rule: mute{1}}, fwopt.Budget{Steps: 5})
	if err != nil || !strings.Contains(tr.Note, "not kept: fwkeep_test.mute has no method Identify") {
		t.Errorf("%v, note %q", err, tr.Note)
	}
	// a run that records by a function cannot be told from others
	tr, err = fwkeep.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 1), &fwopt.FW{}, fwopt.Budget{Record: fwopt.Geometric(2, 8)})
	if err != nil || len(files(dir, "*")) > 0 || !strings.Contains(tr.Note, "Budget.Record") {
		t.Errorf("%v, note %q", err, tr.Note)
	}
}

// What a rule may not give is said with its name.
func TestRulesBadInput(t *testing.T) {
	f, omega := small.Problem()
	for _, c := range []struct {
		m    fwopt.Method
		want string
	}{
		{&fwopt.FW{Rule: mute{math.NaN()}}, "fwopt: the step rule fwkeep_test.mute gives γ_1 = NaN, want a step in [0, 1]"},
		{&fwopt.FW{Rule: mute{3}}, "fwopt: the step rule fwkeep_test.mute gives γ_1 = 1.5, want a step in [0, 1]"},
		{&fwmore.AwayFW{Rule: mute{-1}}, "fwopt: the step rule fwkeep_test.mute gives γ_1 = -0.5, want a step in [0, 1]"},
		{&fwmore.AwayFW{}, "fwmore: AwayFW.Rule is nil"},
	} {
		func() {
			defer func() {
				if r := fmt.Sprint(recover()); r != c.want {
					t.Errorf("%v, want %q", r, c.want)
				}
			}()
			fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), c.m, fwopt.Budget{Steps: 3})
		}()
	}
}

// minusZero is a sum whose value is −0.
type minusZero struct{ fwopt.FiniteSum }

func (minusZero) Value([]float64) float64       { return math.Copysign(0, -1) }
func (m minusZero) Tested() any                 { return m } // else the start of the run finds it
func (m minusZero) Identify(id *fwopt.Identity) { id.Of(m).Part(m.FiniteSum) }

// A file does not know the sign of a zero, and the run is found all the same.
func TestKeepMinusZero(t *testing.T) {
	f, omega := small.Problem()
	dir := t.TempDir()
	for range 2 {
		tr, err := fwkeep.Keep(context.Background(), dir, fwopt.NewOracle(minusZero{f}, omega, 1), fwopt.SFWExperiments(), fwopt.Budget{Steps: 5})
		if err != nil || tr.Note != "" {
			t.Errorf("%v, note %q", err, tr.Note)
		}
	}
}

// vertexed has a vertex for its state.
type vertexed struct {
	K int
	V fwset.Vertex
}

func (a *vertexed) Identify(id *fwopt.Identity) { id.Of(a) }
func (a *vertexed) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	return func(yield func(fwopt.Step) bool) {
		x, g := make([]float64, len(w0)), make([]float64, len(w0))
		for {
			clear(g)
			if a.K%3 > 0 { // 0, whose answer on an ℓ1 ball is an empty sparse vertex
				g[a.K%len(g)] = 1
			}
			o.Argmin(&a.V, g)
			a.V.Dense(x)
			a.K++
			if !yield(fwopt.Step{T: 1, K: a.K, X: x}) {
				return
			}
		}
	}
}

func TestKeepAVertex(t *testing.T) {
	f, _ := small.Problem()
	omega := fwset.L1Ball{D: 8, R: 1}
	for at := 2; at < 8; at++ {
		dir := t.TempDir()
		for _, stop := range []int{at, 9} {
			ctx, b := small.StopAfter(stop, fwopt.Budget{Steps: 9})
			if tr, err := fwkeep.Keep(ctx, dir, fwopt.NewOracle(f, omega, 1), new(vertexed), b); err != nil || tr.Last().Step != stop {
				t.Fatalf("%v, %v", tr.Last(), err)
			}
		}
	}
}
