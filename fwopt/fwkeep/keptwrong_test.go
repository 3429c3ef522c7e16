package fwkeep_test

import (
	"cmp"
	"context"
	"iter"
	"math"
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

// slanted is a loss of one's own, with code that Identify cannot say.
type slanted struct {
	B    []float64
	code float64
}

func (l slanted) Value(i int, s []float64) float64   { return l.code * (s[0] - l.B[i]) * (s[0] - l.B[i]) }
func (l slanted) Grad(i int, s []float64, c float64) { s[0] = 2 * c * l.code * (s[0] - l.B[i]) }
func (l slanted) Smoothness() float64                { return 2 }
func (l slanted) Identify(id *fwopt.Identity)        { id.Of(l).Float(l.B...) }

// even is a set of one's own; its code puts a number into the last coordinate, which f does not read.
type even struct {
	D    int
	code float64
}

func (b even) Dim() int                    { return b.D }
func (b even) Identify(id *fwopt.Identity) { id.Of(b).Int(b.D) }
func (b even) Argmin(dst, g []float64) {
	fwset.Simplex{D: b.D - 1, R: 1}.Argmin(dst[:b.D-1], g[:b.D-1])
	if dst[b.D-1] = 0; g[b.D-1] <= 0 { // all from 0 to this are as good
		dst[b.D-1] = b.code
	}
}

// A call of Keep, of the problem of the package where it has no f.
type call struct {
	f     fwopt.FiniteSum
	omega fwopt.Domain
	m     func() fwopt.Method
	b     fwopt.Budget
	seed  uint64 // 3 if 0
	w0    []float64
	used  bool // the oracle has been asked for w_0
}

func (c call) oracle() *fwopt.Oracle {
	o := fwopt.NewOracle(c.f, c.omega, cmp.Or(c.seed, 3))
	if c.used {
		o.Start()
	}
	return o.From(c.w0)
}

// What Keep gives back is what Run gives, whatever was changed before, and what was not changed comes
// back: each case is a run that is kept, and how another one is asked for.
func TestKeepNeverGivesAnother(t *testing.T) {
	f, simplex := small.Problem()
	mine, ring := own(t)
	w0 := []float64{0, 1, 0, 0, 0, 0, 0, 0}
	x, y := small.Data()
	half := fwsum.NewLeastSquares(x, y) // its data are changed below, against the rule
	for i := range x.Val {
		x.Val[i] *= float64(i%5) - 2
	}
	quad := func(min float64) *fwsum.Quadratic {
		f := fwsum.NewQuadratic(8, nil, []float64{1, 2, 3, 4, 5, 6, 7, 8, 2, 2, 2, 2, 2, 2, 2, 2})
		f.Min += min
		return f
	}
	box := func(lo, hi float64) fwset.Box {
		return fwset.Box{Lo: slices.Repeat([]float64{-9}, 8), Hi: append([]float64{lo, hi}, 1, 1, 1, 1, 1, 1)}
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
	steps := func(n int) fwopt.Budget { return fwopt.Budget{Steps: n} }
	sfw := func(edit func(m *fwopt.SFW)) func() fwopt.Method {
		return func() fwopt.Method { m := fwopt.SFWExperiments(); edit(m); return m }
	}
	of := func(f fwopt.FiniteSum, omega fwopt.Domain, m func() fwopt.Method, b fwopt.Budget) call {
		return call{f: f, omega: omega, m: m, b: b}
	}
	plain := of(f, simplex, func() fwopt.Method { return fwopt.SFWExperiments() }, steps(3))
	there := plain
	there.w0 = w0
	ours := of(mine, ring, func() fwopt.Method { return newAveraged() }, steps(50))
	fw := of(quad(0), box(2, 1), func() fwopt.Method { return &fwopt.FW{} }, steps(20))
	svrg := func(rate float64, n int) func() fwopt.Method {
		return func() fwopt.Method {
			m := fwopt.SVRGExperiments(rate)
			m.N = func(int) int { return n }
			return m
		}
	}
	averaging := func(edit func(m *averaged)) func() fwopt.Method {
		return func() fwopt.Method { m := newAveraged(); edit(m); return m }
	}
	data := func(edit func(val, y []float64)) fwopt.FiniteSum {
		x, y := small.Data()
		edit(x.Val, y)
		return shifted{fwsum.NewLeastSquares(x, y), 0.1, 0}
	}
	forgets := func(beta float64) func() fwopt.Method { // slow steps, so that a look does not get far
		return averaging(func(m *averaged) {
			m.Beta, m.Bend = beta, func(int, []float64) { time.Sleep(10 * time.Millisecond) }
		})
	}
	loss := func(code float64) fwopt.FiniteSum {
		x, y := small.Data()
		return fwsum.NewRowSum(x, 1, slanted{y, code})
	}
	nine, _ := small.Data()
	nine.M = 9 // no row has the last column
	blind := call{f: fwsum.NewLeastSquares(nine, y), omega: even{9, 0}, m: plain.m, b: steps(60),
		w0: []float64{1, 8: 0}}
	sparse := blind
	sparse.b.Every = 1000
	over, cancel := context.WithCancel(bg)
	cancel()
	tables := func(off int) func() fwopt.Method {
		return func() fwopt.Method { return &tabled{Table: table, Off: func() int { return off }} }
	}
	wraps := func(from int) func() fwopt.Method {
		return func() fwopt.Method {
			m := &wrapped{*fwopt.SFWExperiments()}
			m.M, m.Gamma = func(int) int { return 2 }, late(from)
			return m
		}
	}
	started := func(edit func(m *fwopt.SVRF)) func() fwopt.Method {
		return func() fwopt.Method { m := fwopt.SVRFTheorem1(); edit(m); return m }
	}
	begun := func(m *fwopt.SVRF) {
		m.T, m.X = 1, []float64{0, 0, 0, 0, 0, 0, 0, 1}
		m.X0, m.Grad0 = make([]float64, 8), make([]float64, 8)
	}
	for _, c := range []struct {
		name string
		of   call
		edit func(c *call)
		note string
	}{
		{"nothing", ours, func(*call) {}, ""},
		{"a value of the data", ours, func(c *call) { c.f = data(func(v, _ []float64) { v[7] += 1e-9 }) },
			""},
		{"a target, by an ulp", ours, func(c *call) {
			c.f = data(func(_, y []float64) { y[0] = math.Nextafter(y[0], 9) })
		}, ""},
		{"a parameter of the sum", ours, func(c *call) { c.f = shifted{mine.LeastSquares, 0.11, 0} }, ""},
		{"the set", ours, func(c *call) { c.omega = round{8, 0.71} }, ""},
		{"a schedule, at the last step", ours, func(c *call) {
			c.m = averaging(func(m *averaged) { m.Gamma = late(49) })
		}, ""},
		{"the rule", ours, func(c *call) { c.m = averaging(func(m *averaged) { m.Rule = halving{11} }) }, ""},
		{"a parameter", ours, func(c *call) { c.m = averaging(func(m *averaged) { m.Rho = 0.6 }) }, ""},
		{"the records", ours, func(c *call) { c.b.Every = 2 }, ""},
		{"the code of the sum", ours, func(c *call) { c.f = shifted{mine.LeastSquares, 0.1, 1e-9} },
			"the iterate of step 1 is another one"},
		{"the code of the method", ours, func(c *call) {
			c.m = averaging(func(m *averaged) { m.Bend = func(k int, g []float64) { g[1] *= 1.001 } })
		}, "the iterate of step "},
		{"the code of the set", blind, func(c *call) { c.omega = even{9, 1e-3} },
			"the iterate of step 1 is another one"},
		{"the code of the set, and sparse records", sparse, func(c *call) { c.omega = even{9, 1e-3} },
			"the iterate of step 1 is another one"},
		{"the code of a loss", call{loss(1), simplex, started(func(*fwopt.SVRF) {}), steps(30), 0, w0, false},
			func(c *call) { c.f = loss(1.5) }, "at step 0 f was "},
		{"a schedule", plain,
			func(c *call) { c.m = sfw(func(m *fwopt.SFW) { m.M = func(k int) int { return k } }) }, ""},
		{"the seed", plain, func(c *call) { c.seed = 2 }, ""},
		{"w_0, or nil", plain, func(c *call) { c.w0 = w0 }, ""},
		{"w_0", there, func(c *call) { c.w0 = slices.Repeat([]float64{0.125}, 8) }, ""},
		{"what the oracle was asked", there, func(c *call) { c.used = true }, ""},
		{"the budget", plain, func(c *call) { c.b.Steps = 4 }, ""},
		{"the radius", plain, func(c *call) { c.omega = fwset.Simplex{D: 8, R: 2} }, ""},
		{"the method", plain, func(c *call) { c.m = svrg(1, 50) }, ""},
		{"the rate", of(f, simplex, svrg(1, 50), steps(3)),
			func(c *call) { c.m = svrg(2, 50) }, ""},
		{"the epochs", of(f, simplex, svrg(0.01, 50), steps(45)),
			func(c *call) { c.m = svrg(0.01, 40) }, ""},
		{"epochs beyond the end", of(f, simplex, svrg(0.01, 50), steps(45)),
			func(c *call) { c.m = svrg(0.01, 60) }, ""},
		{"a parameter that Identify forgets, late", of(mine, ring, forgets(1), steps(40)),
			func(c *call) { c.m = forgets(5) }, ""},
		{"a schedule of a part, late", of(mine, ring, wraps(1050), steps(1100)),
			func(c *call) { c.m = wraps(1060) }, ""},
		{"a parameter after a table that ends",
			of(mine, ring, tables(0), fwopt.Budget{Steps: 120, Every: 100}),
			func(c *call) { c.m = tables(7) }, ""},
		{"bounds whose bits differ in the sign and in bit 31", fw,
			func(c *call) { c.omega = box(-2, -1.0000004768371582) }, ""},
		{"the minimum of a quadratic", fw, func(c *call) { c.f = quad(5) }, ""},
		{"data that was changed in place", call{half, simplex, fw.m, steps(30), 0, w0, false},
			func(c *call) { c.f = fwsum.NewLeastSquares(x, y) }, ""},
		{"a state that is set before the run",
			of(mine, ring, started(func(*fwopt.SVRF) {}), steps(20)),
			func(c *call) { c.m = started(begun) }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(c.name, "late") { // there the look must not get so far
				longer(t)
			}
			dir, other := t.TempDir(), c.of
			c.edit(&other)
			for i, now := range []call{c.of, other, other, c.of} {
				if i == 1 && c.note != "" { // what is not to be run is compared all the same
					if tr, err := fwkeep.Keep(over, dir, now.oracle(), now.m(), now.b); err != nil ||
						tr.Status != fwopt.Interrupted {
						t.Errorf("a cancelled context: %v, %v", tr.Status, err)
					}
				}
				want := small.Bits(fwopt.Run(bg, now.oracle(), now.m(), now.b))
				got, err := fwkeep.Keep(bg, dir, now.oracle(), now.m(), now.b)
				if err != nil || small.Bits(got) != want {
					t.Errorf("call %d: another run, f = %v, %v", i, got.Last().F, err)
				}
				want = ""
				if c.note != "" && (i == 1 || i == 3) {
					want = "run anew: the code of f, Ω or the method has changed, or Identify leaves " +
						"something out: " + c.note
				}
				if !strings.HasPrefix(got.Note, want) || want == "" && got.Note != "" {
					t.Errorf("call %d: %q, want %q", i, got.Note, want)
				}
				made := 0
				now.b.Watch = func(*fwopt.Trace, fwopt.Point) { made++ }
				if fwkeep.Keep(bg, dir, now.oracle(), now.m(), now.b); made > 0 {
					t.Errorf("call %d: nothing was edited, and %d steps were made again", i, made)
				}
			}
		})
	}
}

// endless is a sliding method of one's own whose step from the second on ends only when it is told so.
type endless struct {
	K int
	W []float64
}

func (a *endless) Identify(id *fwopt.Identity) { id.Of(a) }
func (a *endless) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	var v fwopt.Vertex
	return stepping(&a.K, &a.W, w0, func(k int) bool {
		for n := 0; !o.Halted(); n++ {
			if o.Argmin(&v, a.W); k == 1 && n == 5 {
				return true
			}
		}
		return false
	})
}

// A step that ends only when it is halted ends under Keep as under Run.
func TestKeepHalts(t *testing.T) {
	f, omega := small.Problem()
	for _, c := range []struct {
		limit time.Duration
		b     fwopt.Budget
		want  fwopt.Status
	}{
		{time.Minute, fwopt.Budget{Linear: 500}, fwopt.Done},
		{time.Minute, fwopt.Budget{Seconds: 0.1}, fwopt.Done},
		{2 * time.Second, fwopt.Budget{Steps: 9}, fwopt.Interrupted},
	} {
		start := time.Now()
		ctx, cancel := context.WithTimeout(bg, c.limit)
		defer cancel()
		if tr := keep(t, ctx, t.TempDir(), f, omega, &endless{}, c.b); tr.Status != c.want ||
			tr.Last().Step != 1 || time.Since(start) > 30*time.Second {
			t.Errorf("%+v: %v after %d steps and %v", c.b, tr.Status, tr.Last().Step, time.Since(start))
		}
	}
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
		if tr := keep(t, bg, dir, f, omega, m,
			b); tr.Note != "not kept: a parameter has changed while it ran" || len(files(dir, "*")) > 0 {
			t.Errorf("changed after step %d: %q, %v", at, tr.Note, files(dir, "*"))
		}
	}
}

// A checkpoint serves another schedule that begins as its own does, and is left to its owner; where they
// already differ, each goes on from its own, be it beyond the steps that are looked at ahead of the run.
func TestKeepOwners(t *testing.T) {
	f, omega := small.Problem()
	for _, c := range []struct {
		steps int
		calls [][3]int // up to where a step is constant, where the run is stopped, where it goes on
		files int
	}{
		{60, [][3]int{{50, 20, 1}, {40, 30, 21}, {40, 99, 31}, {50, 99, 21}}, 2},
		{95, [][3]int{{66, 94, 1}, {95, 94, 1}, {66, 99, 95}, {95, 99, 95}}, 2},
		{1250, [][3]int{{1200, 1249, 1}, {1300, 1249, 1}, {1200, 9999, 1250}, {1300, 9999, 1250}}, 2},
		{1150, [][3]int{{1200, 9999, 1}, {1300, 9999, 0}}, 1}, // that differ where neither has been: one run
	} {
		dir, b := t.TempDir(), fwopt.Budget{Steps: c.steps}
		for _, now := range c.calls {
			fresh := func() *fwopt.SFW {
				m := fwopt.SFWExperiments()
				m.M = func(int) int { return 5 }
				m.Gamma = func(k int) float64 {
					if k <= now[0] {
						return 0.1
					}
					return rate(k)
				}
				return m
			}
			begun := 0
			ctx, stopping := small.StopAfter(now[1], b)
			watch := stopping.Watch
			stopping.Watch = func(tr *fwopt.Trace, at fwopt.Point) {
				if begun == 0 {
					begun = at.Step
				}
				watch(tr, at)
			}
			tr := keep(t, ctx, dir, f, omega, fresh(), stopping)
			same := now[1] < c.steps || small.Bits(tr) == small.Bits(run(f, omega, fresh(), b))
			if begun != now[2] || !same || tr.Note != "" {
				t.Errorf("%d steps, %v: from step %d, f = %v, %q", c.steps, now, begun, tr.Last().F, tr.Note)
			}
		}
		if left := files(dir, "*.trace"); len(left) != c.files {
			t.Errorf("files %v", left)
		}
	}
}
