package fwkeep_test

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
)

// holds is a method with a state of any type.
type holds[T any] struct {
	A T
	K int
	W []float64
}

func (a *holds[T]) Identify(id *fwopt.Identity) { id.Of(a) }
func (a *holds[T]) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	return stepping(&a.K, &a.W, w0, func(int) bool { return true })
}

// states that a checkpoint would lose.
type (
	hidden struct{ g []float64 }
	locals struct{ K float64 }      // keeps its iterate in Steps
	valued struct{ holds[float64] } // not a pointer
	twins  struct {
		K    int
		A, W []float64 // one vector
	}
	beside struct {
		rand.PCG
		N int
	}
)

func (a *locals) Identify(id *fwopt.Identity) { id.Of(a) }
func (a *locals) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	return fwopt.SFWExperiments().Steps(o, w0)
}
func (a valued) Identify(id *fwopt.Identity) { id.Of(a) }
func (a valued) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	return a.holds.Steps(o, w0)
}
func (a *twins) Identify(id *fwopt.Identity) { id.Of(a) }
func (a *twins) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	return stepping(&a.K, &a.W, w0, func(int) bool { a.A = a.W[2:]; return true })
}

// by is a rule that is a function, noisy one with an encoding that leaves its function out.
type (
	by    struct{ F func(k int) float64 }
	noisy struct {
		rand.PCG
		F func(k int) float64
	}
)

func (r by) Step(_ *fwopt.Oracle, k int, _ fwopt.Segment) float64     { return r.F(k) }
func (r *noisy) Step(_ *fwopt.Oracle, k int, _ fwopt.Segment) float64 { return r.F(k) }
func (r by) Identify(id *fwopt.Identity)                              { id.Of(r) }
func (r *noisy) Identify(id *fwopt.Identity)                          { id.Of(r) }

// swapped puts another rule into its place at step 5.
type swapped struct {
	fwopt.FW
	Other fwopt.StepRule
}

func (a *swapped) Identify(id *fwopt.Identity) { id.Of(a) }
func (a *swapped) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	return func(yield func(fwopt.Step) bool) {
		for s := range a.FW.Steps(o, w0) {
			if s.K == 5 {
				a.Rule = a.Other
			}
			if !yield(s) {
				return
			}
		}
	}
}

// A state that a checkpoint would lose is refused, at the latest where one would be written, by the
// name of its field; before that the run is that of Run.
func TestKeepRefuses(t *testing.T) {
	f, omega := small.Problem()
	over := func(c float64) func(k int) float64 { return func(k int) float64 { return c / float64(k+1) } }
	for _, c := range []struct {
		m    fwopt.Method
		want string
		late int // the step at which it is seen
	}{
		{&locals{}, "*fwkeep_test.locals", 2},
		{valued{}, "fwkeep_test.valued has no fields to keep its state in", 0},
		{&holds[hidden]{A: hidden{g: []float64{1}}}, "would lose the field A.g, which is unexported", 0},
		{&holds[[]hidden]{}, "would lose the field A.g, which is unexported", 0},
		{&holds[*float64]{}, "would lose the field A, a ptr", 0},
		{&holds[map[string]int]{}, "would lose the field A, a map", 0},
		{&holds[chan int]{}, "would lose the field A, a chan", 0},
		{&holds[[]any]{}, "would lose the field A, a interface", 0},
		{&holds[[]func()]{}, "would lose the field A, a func", 0},
		{&holds[beside]{}, "would lose the field A.PCG, whose encoding leaves out the other fields", 0},
		{&twins{}, "would lose that two fields share memory", 1},
		{&fwopt.FW{Rule: &noisy{F: over(1)}}, "would lose the field Rule.PCG", 0},
		{&swapped{FW: fwopt.FW{Rule: by{over(1)}}, Other: by{over(2)}}, "would lose its rules", 7},
		{&swapped{FW: fwopt.FW{Rule: by{over(1)}}, Other: fwopt.OpenLoop{}}, "would lose its rules", 7},
	} {
		dir, steps := t.TempDir(), 0
		ctx, b := small.StopAfter(7, fwopt.Budget{Steps: 9})
		watch := b.Watch
		b.Watch = func(tr *fwopt.Trace, now fwopt.Point) { steps = now.Step; watch(tr, now) }
		tr, err := fwkeep.Keep(ctx, dir, fwopt.NewOracle(f, omega, 1), c.m, b)
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), "fwkeep: ") || !strings.Contains(err.Error(), "or use Run") ||
			steps > c.late || (tr != nil) != (steps > 2) || len(files(dir, "*")) > 0 {
			t.Errorf("%T: after %d steps %v, files %v, want %q", c.m, steps, err, files(dir, "*"), c.want)
		}
	}
}

// vertex holds the answer of an ℓ1 ball.
func vertex(x float64) fwopt.Method {
	m := new(holds[fwset.Vertex])
	fwset.L1Ball{D: 8, R: 1}.ArgminVertex(&m.A, []float64{0, x, 0, 0, 0, 0, 0, 0}, 0, nil)
	return m
}

// minusZero is a sum whose value is −0, which a file gives back as 0.
type minusZero struct{ fwopt.FiniteSum }

func (minusZero) Value([]float64) float64       { return math.Copysign(0, -1) }
func (m minusZero) Tested() any                 { return m } // else the start of the run finds it
func (m minusZero) Identify(id *fwopt.Identity) { id.Of(m).Part(m.FiniteSum) }

// What a checkpoint keeps: the sign of a zero, an empty slice apart from none, arrays and structs.
func TestKeepState(t *testing.T) {
	f, omega := small.Problem()
	for _, fresh := range []func() fwopt.Method{
		func() fwopt.Method { return &holds[float64]{A: math.Copysign(0, -1)} },
		func() fwopt.Method { return &holds[[]float64]{A: []float64{}} },
		func() fwopt.Method { return &holds[[]float64]{} },
		func() fwopt.Method { return &holds[[2][]float32]{A: [2][]float32{{1}, {2, 3}}} },
		func() fwopt.Method { return &holds[rand.PCG]{A: *rand.NewPCG(1, 2)} },
		func() fwopt.Method { return &holds[struct{ B, C complex128 }]{} },
		func() fwopt.Method { return vertex(0) }, // an empty sparse one
		func() fwopt.Method { return vertex(1) },
	} {
		dir := t.TempDir()
		said := func(m fwopt.Method) string {
			return fmt.Sprintf("%#v", reflect.ValueOf(m).Elem().Field(0).Interface())
		}
		for _, stop := range []int{2, 3, 5, 9} {
			m := fresh()
			ctx, b := small.StopAfter(stop, fwopt.Budget{Steps: 9})
			if tr := keep(t, ctx, dir, minusZero{f}, omega, m, b); tr.Last().Step != stop || tr.Note != "" ||
				said(m) != said(fresh()) {
				t.Errorf("%T: %v, %q, %s, want %s", m, tr.Last(), tr.Note, said(m), said(fresh()))
			}
		}
	}
}

// late is SFW with the sum of its gradients in a local variable, d, which matters only from step From on,
// or in each step that Every divides.
type late struct {
	From, Every int

	K int
	W []float64
}

func (a *late) Identify(id *fwopt.Identity) { id.Of(a) }

func (a *late) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	g, d, v := make([]float64, len(w0)), make([]float64, len(w0)), fwopt.Vertex{}
	return stepping(&a.K, &a.W, w0, func(k int) bool {
		o.StochasticGrad(g, a.W, k)
		floats.Add(d, g)
		if k >= a.From && k%a.Every == 0 {
			copy(g, d)
			g[0] += 3 * d[1] // so that another vertex is best
		}
		o.Argmin(&v, g)
		v.Lerp(a.W, rate(k))
		return true
	})
}

// A state that is kept in a local variable and matters late is found all the same: the
// run itself is right, it cannot be kept, and nothing is left to go on from.
func TestKeepLateState(t *testing.T) {
	longer(t)
	f, omega := small.Problem()
	for _, c := range [][2]int{{3, 1}, {4, 1}, {5, 1}, {9, 1}, {17, 1}, {60, 1}, {1, 3}, {1, 7}, {1, 10}} {
		for _, stop := range []int{0, 90} {
			dir, b := t.TempDir(), fwopt.Budget{Steps: 120}
			want := fwopt.Run(bg, fwopt.NewOracle(f, omega, 3), &late{From: c[0], Every: c[1]}, b)
			ctx := bg
			if stop > 0 {
				ctx, b = small.StopAfter(stop, b)
			}
			tr, err := fwkeep.Keep(ctx, dir, fwopt.NewOracle(f, omega, 3), &late{From: c[0], Every: c[1]}, b)
			name := fmt.Sprintf("from step %d, each %d, stopped after %d", c[0], c[1], stop)
			if err == nil || !strings.Contains(err.Error(), "*fwkeep_test.late cannot go on from its state") {
				t.Errorf("%s: %v", name, err)
			}
			if left := files(dir, "*"); len(left) > 0 {
				t.Errorf("%s: %v is left", name, left)
			}
			if tr != nil && stop == 0 && !slices.Equal(tr.W, want.W) {
				t.Errorf("%s: the run ends at another w", name)
			}
			if tr == nil && c[0] > 3 {
				t.Errorf("%s: no trace", name)
			}
		}
	}
}
