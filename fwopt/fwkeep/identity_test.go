package fwkeep_test

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
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

// averaged is a method of one's own, SFW on an average of the gradients so far.
type averaged struct {
	Gamma func(k int) float64
	Rho   float64
	Rule  fwrule // of one's own, too
	bend  func(k int, g []float64)

	K    int
	Warm bool
	W, D []float64
}

type fwrule interface{ Scale(k int) float64 }

type halving struct{ Every int }

func (h halving) Scale(k int) float64 { return math.Pow(0.5, float64(k/h.Every)) }

func newAveraged() *averaged {
	return &averaged{Gamma: func(k int) float64 { return 2 / float64(k+1) }, Rho: 0.5, Rule: halving{10}, Warm: true}
}

func (a *averaged) Identify(id *fwopt.Identity) {
	id.Of(a).Float(a.Rho)
	for _, k := range id.Steps(nil) {
		id.Float(a.Gamma(k), a.Rule.Scale(k))
	}
}

func (a *averaged) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	if a.K == 0 {
		a.W, a.D = slices.Clone(w0), make([]float64, len(w0))
	}
	g, v := make([]float64, len(w0)), fwopt.Vertex{}
	return func(yield func(fwopt.Step) bool) {
		for {
			k := a.K + 1
			o.StochasticGrad(g, a.W, k)
			if a.bend != nil {
				a.bend(k, g)
			}
			rho := a.Rho * a.Rule.Scale(k)
			if a.Warm { // a flag that turns from true to false
				rho, a.Warm = 1, false
			}
			for j := range a.D {
				a.D[j] += rho * (g[j] - a.D[j])
			}
			o.Argmin(&v, a.D)
			v.Lerp(a.W, a.Gamma(k))
			a.K = k
			if !yield(fwopt.Step{T: 1, K: k, X: a.W}) {
				return
			}
		}
	}
}

// exported is averaged without its unexported field.
type exported struct {
	Gamma func(k int) float64
	Rho   float64
	Rule  fwrule
	Bend  func(k int, g []float64)

	K    int
	Warm bool
	W, D []float64
}

func (a *exported) Identify(id *fwopt.Identity) {
	id.Of(a)
	(*averaged)(nil).identify(id, a.Gamma, a.Rho, a.Rule)
}

func (*averaged) identify(id *fwopt.Identity, gamma func(k int) float64, rho float64, rule fwrule) {
	id.Float(rho)
	for _, k := range id.Steps(nil) {
		id.Float(gamma(k), rule.Scale(k))
	}
}

func (a *exported) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	return func(yield func(fwopt.Step) bool) {
		m := averaged{a.Gamma, a.Rho, a.Rule, a.Bend, a.K, a.Warm, a.W, a.D}
		for s := range m.Steps(o, w0) {
			a.K, a.Warm, a.W, a.D = m.K, m.Warm, m.W, m.D
			if !yield(s) {
				return
			}
		}
	}
}

func newExported() *exported {
	m := newAveraged()
	return &exported{Gamma: m.Gamma, Rho: m.Rho, Rule: m.Rule, Warm: true}
}

// shifted is a sum of one's own: a ridge on top of one of the package's.
type shifted struct {
	*fwsum.LeastSquares
	Lambda float64
	err    float64 // a slip in Grad, from step to step of this test
}

func (f shifted) Identify(id *fwopt.Identity) { id.Of(f).Float(f.Lambda).Part(f.LeastSquares) }
func (f shifted) Value(w []float64) float64 {
	s := f.LeastSquares.Value(w)
	for _, x := range w {
		s += f.Lambda / 2 * x * x
	}
	return s
}
func (f shifted) Grad(dst, w []float64, b fwopt.Batch) {
	f.LeastSquares.Grad(dst, w, b)
	for j, x := range w {
		dst[j] += (f.Lambda + f.err) * x
	}
}
func (f shifted) AddGradDiff(dst, w, w0 []float64, b fwopt.Batch) {
	f.LeastSquares.AddGradDiff(dst, w, w0, b)
	for j, x := range w {
		dst[j] += (f.Lambda + f.err) * (x - w0[j])
	}
}

// round is a set of one's own.
type round struct {
	D int
	R float64
}

func (b round) Dim() int                    { return b.D }
func (b round) Identify(id *fwopt.Identity) { id.Of(b).Int(b.D).Float(b.R) }
func (b round) Argmin(dst, g []float64)     { fwset.L2Ball{D: b.D, R: b.R}.Argmin(dst, g) }

// own is a problem and a method that are all one's own.
func own(t testing.TB) (shifted, round) {
	f, _ := small.Problem()
	return shifted{f.(*fwsum.LeastSquares), 0.1, 0}, round{8, 0.7}
}

func keep(t testing.TB, ctx context.Context, dir string, f fwopt.FiniteSum, omega fwopt.Domain, m fwopt.Method, b fwopt.Budget) *fwopt.Trace {
	t.Helper()
	tr, err := fwkeep.Keep(ctx, dir, fwopt.NewOracle(f, omega, 3), m, b)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func files(dir, pattern string) []string {
	list, _ := filepath.Glob(filepath.Join(dir, pattern))
	return list
}

// A set, a sum, a method and a step rule of one's own are kept, interrupted and
// resumed like ours.
func TestKeepOwnParts(t *testing.T) {
	f, omega := own(t)
	b, dir, bg := fwopt.Budget{Steps: 60}, t.TempDir(), context.Background()
	want := small.Bits(fwopt.Run(bg, fwopt.NewOracle(f, omega, 3), newExported(), b))
	for _, stop := range []int{2, 3, 10, 41, 59} {
		ctx, stopping := small.StopAfter(stop, b)
		if tr := keep(t, ctx, dir, f, omega, newExported(), stopping); tr.Last().Step != stop || tr.Note != "" {
			t.Fatalf("stopped at %d, want %d (%s)", tr.Last().Step, stop, tr.Note)
		}
		if n := len(files(dir, "*")); n != 1 {
			t.Errorf("stopped at %d: %d files", stop, n)
		}
	}
	first := keep(t, bg, dir, f, omega, newExported(), b)
	again := keep(t, bg, dir, f, omega, newExported(), b)
	if small.Bits(first) != want || small.Bits(again) != want || first.Last().Seconds != again.Last().Seconds || first.Note+again.Note != "" {
		t.Errorf("interrupted, the run is not the same, or was run twice (%q, %q)", first.Note, again.Note)
	}
	if n := len(files(dir, "*")); n != 1 {
		t.Errorf("%d files, want one trace", n)
	}
}

// Whatever a reader edits between two calls, the old result does not come back;
// what he does not edit does.
func TestKeepSeesEdits(t *testing.T) {
	defer fwkeep.Replay(200 * time.Millisecond)
	fwkeep.Replay(time.Minute)
	f, omega := own(t)
	dir, bg, b := t.TempDir(), context.Background(), fwopt.Budget{Steps: 50}
	data := func(change func(val, b []float64)) fwopt.FiniteSum {
		x, y := small.Data()
		change(x.Val, y)
		return shifted{fwsum.NewLeastSquares(x, y), 0.1, 0}
	}
	m := func(edit func(m *exported)) *exported {
		m := newExported()
		edit(m)
		return m
	}
	fresh := newExported
	for _, c := range []struct {
		name  string
		f     fwopt.FiniteSum
		omega fwopt.Domain
		m     fwopt.Method
		b     fwopt.Budget
		seed  uint64
		note  string
	}{
		{"nothing", f, omega, fresh(), b, 3, ""},
		{"a value of the data", data(func(v, _ []float64) { v[7] += 1e-9 }), omega, fresh(), b, 3, ""},
		{"a target", data(func(_, y []float64) { y[0] = math.Nextafter(y[0], 9) }), omega, fresh(), b, 3, ""},
		{"a parameter of the loss", shifted{f.LeastSquares, 0.11, 0}, omega, fresh(), b, 3, ""},
		{"the set", f, round{8, 0.71}, fresh(), b, 3, ""},
		{"a schedule, late", f, omega, m(func(m *exported) {
			m.Gamma = func(k int) float64 {
				if k == 50 {
					return 0
				}
				return 2 / float64(k+1)
			}
		}), b, 3, ""},
		{"the rule", f, omega, m(func(m *exported) { m.Rule = halving{11} }), b, 3, ""},
		{"a parameter", f, omega, m(func(m *exported) { m.Rho = 0.6 }), b, 3, ""},
		{"the budget", f, omega, fresh(), fwopt.Budget{Steps: 49}, 3, ""},
		{"the records", f, omega, fresh(), fwopt.Budget{Steps: 50, Every: 2}, 3, ""},
		{"the seed", f, omega, fresh(), b, 4, ""},
		// under the same words
		{"the code of the loss", shifted{f.LeastSquares, 0.1, 1e-9}, omega, fresh(), b, 3, "run anew"},
		{"the code of the method", f, omega, m(func(m *exported) { m.Bend = func(k int, g []float64) { g[1] *= 1.001 } }), b, 3, "run anew"},
	} {
		want := fwopt.Run(bg, fwopt.NewOracle(c.f, c.omega, c.seed), copyOf(c.m), c.b)
		before := keep(t, bg, dir, f, omega, newExported(), b) // as it was before the edit
		got, err := fwkeep.Keep(bg, dir, fwopt.NewOracle(c.f, c.omega, c.seed), copyOf(c.m), c.b)
		if err != nil || small.Bits(got) != small.Bits(want) || !strings.HasPrefix(got.Note, c.note) || c.note == "" && got.Note != "" {
			t.Errorf("%s was edited: f = %v, want %v; %v, %q", c.name, got.Last().F, want.Last().F, err, got.Note)
		}
		again, err := fwkeep.Keep(bg, dir, fwopt.NewOracle(c.f, c.omega, c.seed), copyOf(c.m), c.b)
		if err != nil || again.Last().Seconds != got.Last().Seconds || again.Note != "" {
			t.Errorf("%s was edited, then nothing: run again (%v, %q)", c.name, err, again.Note)
		}
		if c.name == "nothing" && got.Last().Seconds != before.Last().Seconds {
			t.Error("nothing was edited: run again")
		}
		if c.note != "" && c.f == fwopt.FiniteSum(f) { // back to the old code, which must not get the new one's run
			if tr := keep(t, bg, dir, f, omega, newExported(), b); small.Bits(tr) != small.Bits(before) {
				t.Errorf("%s was edited and edited back: f = %v, want %v", c.name, tr.Last().F, before.Last().F)
			}
		}
	}
}

func copyOf(m fwopt.Method) fwopt.Method {
	c := *m.(*exported)
	return &c
}

// inherits embeds a set that has an identity and overrides what it does.
type inherits struct{ fwset.L2Ball }

func (b inherits) Argmin(dst, g []float64) { clear(dst); dst[0] = b.R }

// The identities that do not count, and what is said of them.
type (
	silent  struct{ round }
	panics  struct{ round }
	changes struct {
		round
		n *int
	}
	nameless struct{ d int }
)

func (silent) Identify(*fwopt.Identity)       {}
func (panics) Identify(*fwopt.Identity)       { panic("a slip") }
func (c changes) Identify(id *fwopt.Identity) { *c.n++; id.Of(c).Int(*c.n) }
func (n nameless) Dim() int                   { return n.d }
func (n nameless) Argmin(dst, g []float64)    { fwset.L2Ball{D: n.d, R: 1}.Argmin(dst, g) }

type override struct{ *fwopt.SFW }

func TestKeepWithoutIdentity(t *testing.T) {
	f, simplex := small.Problem()
	n := 0
	for want, c := range map[string]struct {
		f     fwopt.FiniteSum
		omega fwopt.Domain
		m     fwopt.Method
	}{
		"fwkeep_test.nameless has no method Identify":                                  {f, nameless{8}, fwopt.SFWExperiments()},
		"fwkeep_test.inherits has only the Identify of the fwset.L2Ball in it":         {f, inherits{fwset.L2Ball{D: 8, R: 1}}, fwopt.SFWExperiments()},
		"fwkeep_test.ridge has only the Identify of the fwsum.LeastSquares in it":      {ridge{f.(*fwsum.LeastSquares)}, simplex, fwopt.SFWExperiments()},
		"fwkeep_test.override has only the Identify of the fwopt.SFW in it":            {f, simplex, override{fwopt.SFWExperiments()}},
		"Identify of fwkeep_test.silent does not say whose it is: begin it with id.Of": {f, silent{round{8, 1}}, fwopt.SFWExperiments()},
		"Identify of fwkeep_test.panics panics: a slip":                                {f, panics{round{8, 1}}, fwopt.SFWExperiments()},
		"two calls of Identify of fwkeep_test.changes say two things":                  {f, changes{round{8, 1}, &n}, fwopt.SFWExperiments()},
		"fwopt.MethodFunc has no method Identify":                                      {f, simplex, fwopt.MethodFunc(fwopt.SFWExperiments().Steps)},
	} {
		dir := t.TempDir()
		b := fwopt.Budget{Steps: 5}
		said := 0
		b.Watch = func(tr *fwopt.Trace, now fwopt.Point) {
			if now.Step == 1 && strings.HasPrefix(tr.Note, "not kept: "+want) {
				said++ // where the run is announced
			}
		}
		tr := keep(t, context.Background(), dir, c.f, c.omega, c.m, b)
		if tr.Status != fwopt.Done || said != 1 || len(files(dir, "*")) > 0 {
			t.Errorf("%v, %d files, note %q, want %q", tr.Status, len(files(dir, "*")), tr.Note, want)
		}
	}
}

// A method that is edited so that it keeps its state in local variables must not go
// on from a checkpoint that it wrote before.
type turned struct{ In exported }

func (a *turned) Identify(id *fwopt.Identity) { id.Of(a) }
func (a *turned) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	if !turnedLocal {
		return a.In.Steps(o, w0)
	}
	return newExported().Steps(o, w0)
}

var turnedLocal bool

// A schedule may panic, or be no number, at a step that comes late.
func TestKeepLateFaults(t *testing.T) {
	f, omega := small.Problem()
	bg, b := context.Background(), fwopt.Budget{Steps: 90}
	table := make([]float64, 70)
	for k := range table {
		table[k] = 2 / float64(k+2)
	}
	for name, gamma := range map[string]func(k int) float64{
		"panics": func(k int) float64 { return table[k-1] },
		"is NaN": func(k int) float64 { return 2/float64(k+1) + math.Sqrt(float64(70-k)) - math.Sqrt(float64(70-k)) },
	} {
		dir := t.TempDir()
		call := func(gamma func(k int) float64, b fwopt.Budget) (tr *fwopt.Trace, fault string) {
			defer func() {
				if r := recover(); r != nil {
					fault = fmt.Sprint(r)
				}
			}()
			m := fwopt.SFWExperiments()
			m.Gamma = gamma
			tr, err := fwkeep.Keep(bg, dir, fwopt.NewOracle(f, omega, 3), m, b)
			if err != nil {
				t.Fatal(err)
			}
			return tr, ""
		}
		for range 2 { // it says so each time, and leaves nothing that lies
			if _, fault := call(gamma, b); !strings.Contains(fault, "index out of range [70]") && !strings.Contains(fault, "γ = NaN") {
				t.Errorf("a schedule that %s at k = 71: %q", name, fault)
			}
		}
		if tr, fault := call(gamma, fwopt.Budget{Steps: 70}); fault != "" || tr.Status != fwopt.Done {
			t.Errorf("a schedule that %s at k = 71, 70 steps: %s", name, fault)
		}
		whole := func(k int) float64 { return 2 / float64(k+1) }
		if tr, fault := call(whole, b); fault != "" || tr.Status != fwopt.Done {
			t.Errorf("the schedule mended: %s", fault)
		}
		if _, fault := call(gamma, b); fault == "" {
			t.Errorf("a schedule that %s got the mended one's run", name)
		}
	}
}

func TestKeepEditedState(t *testing.T) {
	defer fwkeep.Replay(200 * time.Millisecond)
	fwkeep.Replay(time.Minute)
	f, omega := small.Problem()
	dir, b := t.TempDir(), fwopt.Budget{Steps: 60}
	fresh := func() *turned { return &turned{*newExported()} }
	ctx, stopping := small.StopAfter(30, b)
	keep(t, ctx, dir, f, omega, fresh(), stopping)
	if len(files(dir, "*.ckpt")) != 1 {
		t.Fatal("no checkpoint: the test tests nothing")
	}
	turnedLocal = true
	defer func() { turnedLocal = false }()
	if tr, err := fwkeep.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 3), fresh(), b); tr != nil || err == nil || !strings.Contains(err.Error(), "turned") {
		t.Errorf("a method that lost its state: %v, %v", tr, err)
	}
}

// Any damage to a file is an error that names it; none is a result.
func TestKeepDamage(t *testing.T) {
	f, omega := small.Problem()
	b, bg := fwopt.Budget{Steps: 30}, context.Background()
	rng := rand.New(rand.NewPCG(1, 1))
	for _, stop := range []int{9, 99} {
		dir := t.TempDir()
		call := func() (*fwopt.Trace, error) {
			return fwkeep.Keep(bg, dir, fwopt.NewOracle(f, omega, 3), fwopt.SVRFTheorem1(), b)
		}
		ctx, stopping := small.StopAfter(stop, b)
		keep(t, ctx, dir, f, omega, fwopt.SVRFTheorem1(), stopping)
		path := files(dir, "*")[0]
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 200 {
			bad := slices.Clone(whole)
			switch at := rng.IntN(len(bad)); i % 4 {
			case 0, 1:
				bad[at] ^= 1 << rng.IntN(8)
			case 2:
				bad = bad[:at]
			case 3:
				end := min(len(bad), at+512)
				if !slices.ContainsFunc(bad[at:end], func(c byte) bool { return c != 0 }) {
					continue
				}
				clear(bad[at:end])
			}
			os.WriteFile(path, bad, 0o666)
			if tr, err := call(); tr != nil || err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "remove it to run anew") {
				t.Fatalf("damage %d of %s: %v", i, path, err)
			}
		}
		os.WriteFile(path, whole, 0o666)
		if tr, err := call(); err != nil || tr.Status != fwopt.Done {
			t.Errorf("mended: %v", err)
		}
	}
}

// What the replay compares: the points alone where the iterate is not kept, the
// iterate where f does not show the difference.
func TestKeepSeesCode(t *testing.T) {
	defer fwkeep.Replay(200 * time.Millisecond)
	fwkeep.Replay(time.Minute)
	f, omega := own(t)
	bg, bent := context.Background(), newExported()
	bent.Bend = func(k int, g []float64) { g[1] *= 1.001 }
	b, dir := fwopt.Budget{Steps: 50, NoW: true}, t.TempDir()
	first := keep(t, bg, dir, f, omega, newExported(), b)
	if tr := keep(t, bg, dir, f, omega, bent, b); tr.Last().F == first.Last().F || !strings.HasPrefix(tr.Note, "run anew: the code of f, Ω or the method has changed, or Identify leaves something out: the iterate of step ") {
		t.Errorf("the code of the method was edited: %v, %q", tr.Last().F, tr.Note)
	}
	x, y := small.Data()
	x.M = 9 // no row has the last column
	wider := fwsum.NewLeastSquares(x, y)
	b.NoW = false
	for i, v := range []float64{0, 1e-3} {
		fixed = v
		w0 := []float64{1, 0, 0, 0, 0, 0, 0, 0, 0}
		tr, err := fwkeep.Keep(bg, dir, fwopt.NewOracle(wider, even{9}, 3).From(w0), fwopt.SFWExperiments(), b)
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 && (tr.W[8] == 0 || !strings.HasSuffix(tr.Note, "the iterate of step 1 is another one")) {
			t.Errorf("the code of the set was edited: %v, %q", tr.W[8], tr.Note)
		}
	}
	fixed = 0
	// another version of this package
	dir = t.TempDir()
	ctx, stopping := small.StopAfter(20, b)
	keep(t, ctx, dir, f, omega, newExported(), stopping)
	defer fwkeep.SetVersion(7)()
	for i, want := range []string{"run anew: what was kept is of another version", ""} {
		if tr := keep(t, bg, dir, f, omega, newExported(), b); !strings.HasPrefix(tr.Note, want) || want == "" && tr.Note != "" {
			t.Errorf("call %d of another version: %q", i, tr.Note)
		}
		if n := len(files(dir, "*")); n != 1 {
			t.Errorf("call %d of another version: %d files", i, n)
		}
	}
	fwkeep.SetVersion(8)
	if tr := keep(t, bg, dir, f, omega, newExported(), b); !strings.HasPrefix(tr.Note, "run anew: what was kept is of another version") {
		t.Errorf("a trace of another version: %q", tr.Note)
	}
}

// fixed is what even puts into the last coordinate, which f does not read: a slip
// that no value of f shows.
var fixed float64

// even is a set of one's own.
type even struct{ D int }

func (b even) Dim() int                    { return b.D }
func (b even) Identify(id *fwopt.Identity) { id.Of(b).Int(b.D) }
func (b even) Argmin(dst, g []float64) {
	fwset.Simplex{D: b.D - 1, R: 1}.Argmin(dst[:b.D-1], g[:b.D-1])
	if dst[b.D-1] = 0; g[b.D-1] <= 0 { // all from 0 to fixed are as good
		dst[b.D-1] = fixed
	}
}

// Two runs that differ in where a snapshot is taken, and in nothing else.
func TestKeepEpochs(t *testing.T) {
	f, omega := small.Problem()
	dir, b := t.TempDir(), fwopt.Budget{Steps: 45}
	for _, n := range []int{50, 40, 50, 60} { // 60 is no other run than 50, up to step 45
		fresh := func() *fwopt.SVRG {
			m := fwopt.SVRGExperiments(0.01)
			m.N = func(int) int { return n }
			return m
		}
		want := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 3), fresh(), b)
		if tr := keep(t, context.Background(), dir, f, omega, fresh(), b); small.Bits(tr) != small.Bits(want) {
			t.Errorf("N = %d: f = %v, want %v", n, tr.Last().F, want.Last().F)
		}
	}
}

// Two programs that make the same run at once, one of which is stopped after the
// other has finished, leave one trace; its checkpoint goes with the next look.
func TestKeepOrphan(t *testing.T) {
	f, omega := small.Problem()
	dir, b := t.TempDir(), fwopt.Budget{Steps: 40}
	ctx, cancel := context.WithCancel(context.Background())
	stopping := b
	stopping.Watch = func(_ *fwopt.Trace, now fwopt.Point) {
		if now.Step == 20 {
			keep(t, context.Background(), dir, f, omega, fwopt.SVRFTheorem1(), b) // the other one
			cancel()
		}
	}
	f2, _ := small.Problem()
	keep(t, ctx, dir, f2, omega, fwopt.SVRFTheorem1(), stopping)
	if len(files(dir, "*.trace")) != 1 || len(files(dir, "*.ckpt")) != 1 {
		t.Fatalf("files %v", files(dir, "*"))
	}
	keep(t, context.Background(), dir, f, omega, fwopt.SVRFTheorem1(), b)
	if left := files(dir, "*"); len(left) != 1 {
		t.Errorf("files %v", left)
	}
}

// What is run again to be sure costs about 0.2 seconds.
func TestKeepLooksShortly(t *testing.T) {
	if testing.Short() {
		t.Skip("two seconds of waiting")
	}
	f, omega := own(t)
	dir, b := t.TempDir(), fwopt.Budget{Seconds: 2}
	first := keep(t, context.Background(), dir, f, omega, newExported(), b)
	start := time.Now()
	again := keep(t, context.Background(), dir, f, omega, newExported(), b)
	if spent := time.Since(start); again.Last().Seconds != first.Last().Seconds || spent < 200*time.Millisecond || spent > 1800*time.Millisecond {
		t.Errorf("looked for %v, or run again", spent)
	}
}
