package fwkeep_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// descent is a method of one's own for the tests below: FW with a rate and, if it
// sleeps, steps that are slow, so that what is begun once more does not get far.
type descent struct {
	Rate  func(k int) float64
	Beta  float64
	Sleep time.Duration

	K int
	W []float64
}

func (a *descent) Identify(id *fwopt.Identity) { // it forgets Beta
	id.Of(a)
	for _, k := range id.Steps(nil) {
		id.Float(a.Rate(k))
	}
}

func (a *descent) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	if a.K == 0 {
		a.W = slices.Clone(w0)
	}
	g, v := make([]float64, len(w0)), fwopt.Vertex{}
	return func(yield func(fwopt.Step) bool) {
		for {
			k := a.K + 1
			time.Sleep(a.Sleep)
			o.StochasticGrad(g, a.W, 3)
			if k > 20 {
				for j := range g {
					g[j] += a.Beta * a.W[j]
				}
			}
			o.Argmin(&v, g)
			v.Lerp(a.W, a.Rate(k))
			a.K = k
			if !yield(fwopt.Step{T: 1, K: k, X: a.W}) {
				return
			}
		}
	}
}

func rate(k int) float64 { return 2 / float64(k+1) }

func newDescent() *descent { return &descent{Rate: rate, Beta: 1} }

// wrapped does its work by a method of this package.
type wrapped struct{ fwopt.SFW }

func (a *wrapped) Identify(id *fwopt.Identity) { id.Of(a).Part(&a.SFW) }

// tabled has a schedule that is a table, and says a parameter after it.
type tabled struct {
	Table []float64
	Off   func() int // a parameter that no field holds
	fwopt.SFW
}

func (a *tabled) Identify(id *fwopt.Identity) {
	id.Of(a)
	for _, k := range id.Steps(nil) {
		id.Float(a.Table[k-1])
	}
	id.Int(a.Off())
}

func (a *tabled) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	a.Gamma = func(k int) float64 { return a.Table[(k-1+a.Off())%len(a.Table)] }
	a.M = func(int) int { return 2 }
	return a.SFW.Steps(o, w0)
}

// What Keep gives back is what Run gives, whatever was changed before: each pair is a
// run that is kept, and another one that is asked for.
func TestKeepNeverGivesAnother(t *testing.T) {
	t.Parallel() // much of it sleeps
	bg := context.Background()
	f, omega := own(t)
	quad := func(edit func(f *fwsum.Quadratic)) *fwsum.Quadratic {
		f := fwsum.NewQuadratic(8, nil, []float64{1, 2, 3, 4, 5, 6, 7, 8, 2, 2, 2, 2, 2, 2, 2, 2})
		edit(f)
		return f
	}
	table := make([]float64, 120)
	for k := range table {
		table[k] = rate(k + 1)
	}
	late := func(from int) func(k int) float64 {
		return func(k int) float64 {
			if k > from {
				return 0
			}
			return rate(k)
		}
	}
	box := func(lo, hi float64) fwset.Box {
		return fwset.Box{Lo: slices.Repeat([]float64{-9}, 8), Hi: append([]float64{lo, hi}, 1, 1, 1, 1, 1, 1)}
	}
	used := func() *fwopt.SVRF {
		m := fwopt.SVRFTheorem1()
		m.T, m.X = 1, []float64{0, 0, 0, 0, 0, 0, 0, 1}
		m.X0, m.Grad0 = make([]float64, 8), make([]float64, 8)
		return m
	}
	type call struct {
		f     fwopt.FiniteSum
		omega fwopt.Domain
		m     func() fwopt.Method
		b     fwopt.Budget
	}
	steps := func(n int) fwopt.Budget { return fwopt.Budget{Steps: n} }
	for name, c := range map[string][2]call{
		"a parameter that Identify forgets, late": {
			{f, omega, func() fwopt.Method { m := newDescent(); m.Sleep = 10 * time.Millisecond; return m }, steps(40)},
			{f, omega, func() fwopt.Method {
				m := newDescent()
				m.Sleep, m.Beta = 10*time.Millisecond, 5
				return m
			}, steps(40)},
		},
		"a schedule of a part, late": {
			{f, omega, func() fwopt.Method {
				m := &wrapped{*fwopt.SFWExperiments()}
				m.M, m.Gamma = func(int) int { return 2 }, late(1050)
				return m
			}, steps(1100)},
			{f, omega, func() fwopt.Method {
				m := &wrapped{*fwopt.SFWExperiments()}
				m.M, m.Gamma = func(int) int { return 2 }, late(1060)
				return m
			}, steps(1100)},
		},
		"a parameter after a table that ends": {
			{f, omega, func() fwopt.Method { return &tabled{Table: table, Off: func() int { return 0 }} }, fwopt.Budget{Steps: 120, Every: 100}},
			{f, omega, func() fwopt.Method { return &tabled{Table: table, Off: func() int { return 7 }} }, fwopt.Budget{Steps: 120, Every: 100}},
		},
		"bounds whose bits differ in the sign and in bit 31": {
			{quad(func(*fwsum.Quadratic) {}), box(2, 1), func() fwopt.Method { return &fwopt.FW{} }, steps(20)},
			{quad(func(*fwsum.Quadratic) {}), box(-2, -1.0000004768371582), func() fwopt.Method { return &fwopt.FW{} }, steps(20)},
		},
		"the minimum of a quadratic": {
			{quad(func(*fwsum.Quadratic) {}), omega, func() fwopt.Method { return &fwopt.FW{} }, steps(20)},
			{quad(func(f *fwsum.Quadratic) { f.Min += 5 }), omega, func() fwopt.Method { return &fwopt.FW{} }, steps(20)},
		},
		"a state that is set before the run": {
			{f, omega, func() fwopt.Method { return fwopt.SVRFTheorem1() }, steps(20)},
			{f, omega, func() fwopt.Method { return used() }, steps(20)},
		},
	} {
		dir := t.TempDir()
		for i, c := range []call{c[0], c[1], c[0]} {
			want := fwopt.Run(bg, fwopt.NewOracle(c.f, c.omega, 3), c.m(), c.b)
			if got := keep(t, bg, dir, c.f, c.omega, c.m(), c.b); small.Bits(got) != small.Bits(want) || got.Note != "" {
				t.Errorf("%s, call %d: f = %v, want %v, %q", name, i, got.Last().F, want.Last().F, got.Note)
			}
		}
	}
}

// Code that differs is seen where nothing is recorded, and with a context that is
// over or will be soon.
func TestKeepLooksInAnyContext(t *testing.T) {
	defer fwkeep.Replay(200 * time.Millisecond)
	fwkeep.Replay(time.Minute)
	x, y := small.Data()
	x.M = 9
	f, bg := fwsum.NewLeastSquares(x, y), context.Background()
	w0 := []float64{1, 0, 0, 0, 0, 0, 0, 0, 0}
	over, cancel := context.WithCancel(bg)
	cancel()
	for name, c := range map[string]struct {
		ctx context.Context
		b   fwopt.Budget
	}{
		"sparse records":      {bg, fwopt.Budget{Steps: 60, Every: 1000}},
		"a cancelled context": {over, fwopt.Budget{Steps: 60}},
	} {
		dir := t.TempDir()
		fixed = 0
		call := func(ctx context.Context) *fwopt.Trace {
			tr, err := fwkeep.Keep(ctx, dir, fwopt.NewOracle(f, even{9}, 3).From(w0), fwopt.SFWExperiments(), c.b)
			if err != nil {
				t.Fatal(err)
			}
			return tr
		}
		call(bg)
		fixed = 1e-3
		if tr := call(c.ctx); !strings.HasPrefix(tr.Note, "run anew") && !strings.HasPrefix(tr.Note, "not saved") {
			t.Errorf("%s: %v, %q", name, tr.Status, tr.Note)
		}
		fixed = 0
	}
}

// endless is a sliding method of one's own whose step from the second on ends only
// when it is told so; with half it gives up in the middle of its iterate.
type endless struct {
	Half bool
	K    int
	W    []float64
}

func (a *endless) Identify(id *fwopt.Identity) { id.Of(a) }
func (a *endless) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	if a.K == 0 {
		a.W = slices.Clone(w0)
	}
	var v fwopt.Vertex
	return func(yield func(fwopt.Step) bool) {
		for {
			for n := 0; ; n++ {
				if o.Halted() {
					return
				}
				o.Argmin(&v, a.W)
				if a.Half && n < 3 {
					v.Lerp(a.W, 0.1)
				}
				if a.K == 0 && n == 5 {
					break
				}
			}
			a.K++
			if !yield(fwopt.Step{T: 1, K: a.K, X: a.W}) {
				return
			}
		}
	}
}

// A step that ends only when it is halted ends under Keep as under Run, and one that
// is given up with another iterate is named.
func TestKeepHalts(t *testing.T) {
	f, omega := small.Problem()
	for _, c := range []struct {
		limit time.Duration
		b     fwopt.Budget
		want  fwopt.Status
	}{
		{time.Minute, fwopt.Budget{Linear: 500}, fwopt.Done},
		{time.Minute, fwopt.Budget{Seconds: 0.1}, fwopt.Done},
		{100 * time.Millisecond, fwopt.Budget{Steps: 9}, fwopt.Interrupted},
	} {
		start := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), c.limit)
		defer cancel()
		if tr := keep(t, ctx, t.TempDir(), f, omega, &endless{}, c.b); tr.Status != c.want || tr.Last().Step != 1 || time.Since(start) > 5*time.Second {
			t.Errorf("%+v: %v after %d steps and %v", c.b, tr.Status, tr.Last().Step, time.Since(start))
		}
	}
	defer func() {
		if r := fmt.Sprint(recover()); !strings.Contains(r, "ended within a step and has changed its iterate") {
			t.Errorf("panic %q", r)
		}
	}()
	fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), &endless{Half: true}, fwopt.Budget{Linear: 100})
}

// A schedule that changes while the run is made is found out at its end.
func TestKeepChangingSchedule(t *testing.T) {
	f, omega := small.Problem()
	for _, at := range []int{30, 1500} {
		gamma, dir := 0.5, t.TempDir()
		m := fwopt.SFWExperiments()
		m.M = func(int) int { return 1 }
		m.Gamma = func(k int) float64 { return gamma / float64(k) }
		b := fwopt.Budget{Steps: 2 * at, Watch: func(_ *fwopt.Trace, now fwopt.Point) {
			if now.Step == at {
				gamma = 0.3
			}
		}}
		if tr := keep(t, context.Background(), dir, f, omega, m, b); tr.Note != "not kept: a schedule has changed while it ran" || len(files(dir, "*")) > 0 {
			t.Errorf("changed after step %d: %q, %v", at, tr.Note, files(dir, "*"))
		}
	}
}

// slanted is a loss of one's own, with its code in a variable.
type slanted struct{ B []float64 }

var slant = 1.0

func (l slanted) Value(i int, s []float64) float64   { return slant * (s[0] - l.B[i]) * (s[0] - l.B[i]) }
func (l slanted) Grad(i int, s []float64, c float64) { s[0] = 2 * c * slant * (s[0] - l.B[i]) }
func (l slanted) Smoothness() float64                { return 2 }
func (l slanted) Identify(id *fwopt.Identity)        { id.Of(l).Float(l.B...) }

// A loss of one's own inside of a sum, a set and a method of this package: an edit of
// its code is seen.
func TestKeepSeesALoss(t *testing.T) {
	defer func() { slant = 1 }()
	x, y := small.Data()
	w0, dir := []float64{1, 0, 0, 0, 0, 0, 0, 0}, t.TempDir()
	for i, v := range []float64{1, 1, 1.5, 1.5} {
		slant = v
		f, omega := fwsum.NewRowSum(x, 1, slanted{y}), fwset.Simplex{D: 8, R: 1}
		want := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 3).From(w0), fwopt.SVRFTheorem1(), fwopt.Budget{Steps: 30})
		got, err := fwkeep.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 3).From(w0), fwopt.SVRFTheorem1(), fwopt.Budget{Steps: 30})
		if err != nil || small.Bits(got) != small.Bits(want) || strings.HasPrefix(got.Note, "run anew") != (i == 2) {
			t.Errorf("call %d: %v, f = %v, want %v, %q", i, err, got.Last().F, want.Last().F, got.Note)
		}
	}
}

// Data that is changed after its sum was made, against the rule, is not kept as the
// run of the data as it should be.
func TestKeepHalfChangedData(t *testing.T) {
	omega, dir := fwset.Simplex{D: 8, R: 1}, t.TempDir()
	w0, b := []float64{1, 0, 0, 0, 0, 0, 0, 0}, fwopt.Budget{Steps: 30}
	call := func(f fwopt.FiniteSum) string {
		tr, err := fwkeep.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 3).From(w0), &fwopt.FW{}, b)
		if err != nil {
			t.Fatal(err)
		}
		return small.Bits(tr)
	}
	x, y := small.Data()
	half := fwsum.NewLeastSquares(x, y)
	for i := range x.Val {
		x.Val[i] *= float64(i%5) - 2
	}
	call(half)
	right := fwsum.NewLeastSquares(x, y)
	want := fwopt.Run(context.Background(), fwopt.NewOracle(right, omega, 3).From(w0), &fwopt.FW{}, b)
	if call(right) != small.Bits(want) {
		t.Error("the run of data that was changed after its sum was made came back")
	}
}

// A checkpoint serves another schedule that begins as its own does, and is left to
// its owner.
func TestKeepLeavesACheckpointToItsOwner(t *testing.T) {
	f, omega := small.Problem()
	dir, b := t.TempDir(), fwopt.Budget{Steps: 60}
	call := func(end, stop int) (begun int, tr *fwopt.Trace) {
		m := fwopt.SFWExperiments()
		m.Gamma = func(k int) float64 { return rate(min(k, end)) }
		ctx, stopping := small.StopAfter(stop, b)
		watch := stopping.Watch
		stopping.Watch = func(tr *fwopt.Trace, now fwopt.Point) {
			if begun == 0 {
				begun = now.Step
			}
			watch(tr, now)
		}
		tr = keep(t, ctx, dir, f, omega, m, stopping)
		return begun, tr
	}
	call(50, 20)
	if begun, _ := call(40, 30); begun != 21 {
		t.Errorf("another schedule that begins as the first went on from step %d", begun)
	}
	if begun, _ := call(40, 99); begun != 31 {
		t.Errorf("it went on from step %d", begun)
	}
	if begun, tr := call(50, 99); begun != 21 || tr.Status != fwopt.Done {
		t.Errorf("the first went on from step %d", begun)
	}
	if left := files(dir, "*"); len(left) != 2 {
		t.Errorf("files %v", left)
	}
}

// lowered is a rule that comes to a stand.
type lowered struct{}

func (lowered) Step(_ *fwopt.Oracle, k int, _ fwopt.Segment) float64 { return max(0, rate(k)-0.01) }

// A gap that stands still above Budget.Tolerance ends a run that has no other limit.
func TestGapStandsStill(t *testing.T) {
	f, omega := small.Problem()
	m := &fwopt.FW{Rule: lowered{}}
	for _, b := range []fwopt.Budget{{Tolerance: 1e-9}, {Tolerance: 1e-9, Projections: 5}} {
		fresh := *m
		if tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), &fresh, b); tr.Status != fwopt.Stalled || tr.Last().Step < 1000 || tr.Last().Step > 10000 {
			t.Errorf("%+v: %v after %d steps", b, tr.Status, tr.Last().Step)
		}
	}
}

// A method that takes w0 for its own is named.
func TestWritingW0(t *testing.T) {
	f, omega := small.Problem()
	defer func() {
		if r := fmt.Sprint(recover()); !strings.HasPrefix(r, "fwopt: fwopt.MethodFunc writes to w0") {
			t.Errorf("panic %q", r)
		}
	}()
	m := fwopt.MethodFunc(func(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
		return func(yield func(fwopt.Step) bool) {
			for k := 1; yield(fwopt.Step{T: 1, K: k, X: w0}); k++ {
				w0[0] += 0.1
			}
		}
	})
	fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m, fwopt.Budget{Steps: 5})
}
