package fwkeep_test

import (
	"context"
	"fmt"
	"iter"
	"math"
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
	"gonum.org/v1/gonum/floats"
)

// averaged is a method of one's own, SFW on an average of the gradients so far.
type averaged struct {
	Gamma func(k int) float64
	Rho   float64
	Rule  fwrule  // of one's own, too
	Beta  float64 // from step 21 on, and Identify forgets it
	Bend  func(k int, g []float64)

	K    int
	Warm bool
	W, D []float64
}

type fwrule interface{ Scale(k int) float64 }

type halving struct{ Every int }

func (h halving) Scale(k int) float64 { return math.Pow(0.5, float64(k/h.Every)) }

func newAveraged() *averaged { return &averaged{Gamma: rate, Rho: 0.5, Rule: halving{10}, Warm: true} }

func rate(k int) float64 { return 2 / float64(k+1) }

func (a *averaged) Identify(id *fwopt.Identity) {
	id.Of(a).Float(a.Rho)
	for _, k := range id.Steps(nil) {
		id.Float(a.Gamma(k), a.Rule.Scale(k))
	}
}

func (a *averaged) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	if a.K == 0 {
		a.D = make([]float64, len(w0))
	}
	g, v := make([]float64, len(w0)), fwopt.Vertex{}
	return stepping(&a.K, &a.W, w0, func(k int) bool {
		o.StochasticGrad(g, a.W, k)
		if a.Bend != nil {
			a.Bend(k, g)
		}
		if k > 20 {
			floats.AddScaled(g, a.Beta, a.W)
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
		return true
	})
}

// stepping yields the steps from k on that do makes of the iterate, as long as it makes them.
func stepping(k *int, w *[]float64, w0 []float64, do func(k int) bool) iter.Seq[fwopt.Step] {
	return func(yield func(fwopt.Step) bool) {
		if *k == 0 {
			*w = slices.Clone(w0)
		}
		for do(*k + 1) {
			*k++
			if !yield(fwopt.Step{T: 1, K: *k, X: *w}) {
				return
			}
		}
	}
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

var bg = context.Background()

// kept is Keep with the seed 3, keep with no error.
func kept(ctx context.Context, dir string, f fwopt.FiniteSum, omega fwopt.Domain, m fwopt.Method,
	b fwopt.Budget) (*fwopt.Trace, error) {
	return fwkeep.Keep(ctx, dir, fwopt.NewOracle(f, omega, 3), m, b)
}

func keep(t testing.TB, ctx context.Context, dir string, f fwopt.FiniteSum, omega fwopt.Domain,
	m fwopt.Method,
	b fwopt.Budget) *fwopt.Trace {
	t.Helper()
	tr, err := kept(ctx, dir, f, omega, m, b)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// run is fwopt.Run with the seed 3.
func run(f fwopt.FiniteSum, omega fwopt.Domain, m fwopt.Method, b fwopt.Budget) *fwopt.Trace {
	return fwopt.Run(bg, fwopt.NewOracle(f, omega, 3), m, b)
}

func files(dir, pattern string) []string {
	list, _ := filepath.Glob(filepath.Join(dir, pattern))
	return list
}

// longer looks longer at what is kept, as a busy machine needs.
func longer(t *testing.T) {
	fwkeep.Replay(time.Minute)
	t.Cleanup(func() { fwkeep.Replay(200 * time.Millisecond) })
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

// mute is a rule that says nothing of itself.
type mute struct{ Step0 float64 }

func (r mute) Step(_ *fwopt.Oracle, k int, _ fwopt.Segment) float64 { return r.Step0 / float64(k+1) }

// A run with a part that has no identity is made, not kept, and its note names the part.
func TestKeepWithoutIdentity(t *testing.T) {
	f, simplex := small.Problem()
	n, sfw, b := 0, fwopt.SFWExperiments, fwopt.Budget{Steps: 5}
	for want, c := range map[string]struct {
		f     fwopt.FiniteSum
		omega fwopt.Domain
		m     fwopt.Method
		b     fwopt.Budget
	}{
		"fwkeep_test.nameless has no method Identify": {f, nameless{8}, sfw(), b},
		"fwkeep_test.inherits has only the Identify of the fwset.L2Ball in it": {f,
			inherits{fwset.L2Ball{D: 8, R: 1}}, sfw(), b},
		"fwkeep_test.ridge has only the Identify of the fwsum.LeastSquares in it": {
			ridge{f.(*fwsum.LeastSquares)}, simplex, sfw(), b},
		"fwkeep_test.override has only the Identify of the fwopt.SFW in it": {f, simplex, override{sfw()}, b},
		"Identify of fwkeep_test.silent does not say whose it is: begin it with id.Of": {f,
			silent{round{8, 1}}, sfw(), b},
		"Identify of fwkeep_test.panics panics: a slip": {f, panics{round{8, 1}}, sfw(), b},
		"two calls of Identify of fwkeep_test.changes say two things": {f,
			changes{round{8, 1}, &n}, sfw(), b},
		"fwopt.MethodFunc has no method Identify": {f, simplex,
			fwopt.MethodFunc(sfw().Steps), b},
		"fwkeep_test.mute has no method Identify": {f, simplex,
			&fwopt.FW{Rule: mute{1}}, b},
		"Budget.Record and Budget.Excess are functions": {f, simplex, &fwopt.FW{},
			fwopt.Budget{Record: fwopt.Geometric(2, 8)}},
	} {
		dir, said := t.TempDir(), 0
		c.b.Watch = func(tr *fwopt.Trace, now fwopt.Point) {
			if now.Step == 1 && strings.HasPrefix(tr.Note, "not kept: "+want) {
				said++ // where the run is announced
			}
		}
		tr := keep(t, bg, dir, c.f, c.omega, c.m, c.b)
		if said != 1 || len(files(dir, "*")) > 0 || tr.Status != fwopt.Done && c.b.Steps > 0 {
			t.Errorf("%v, %d files, note %q, want %q", tr.Status, len(files(dir, "*")), tr.Note, want)
		}
	}
}

// A method that is edited so that it keeps its state in local variables must not go
// on from a checkpoint that it wrote before.
type turned struct{ In averaged }

func (a *turned) Identify(id *fwopt.Identity) { id.Of(a) }
func (a *turned) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	if !turnedLocal {
		return a.In.Steps(o, w0)
	}
	return newAveraged().Steps(o, w0)
}

var turnedLocal bool

// A schedule may panic, or be no number, at a step that comes late.
func TestKeepLateFaults(t *testing.T) {
	f, omega := small.Problem()
	table := make([]float64, 70)
	for k := range table {
		table[k] = 2 / float64(k+2)
	}
	for want, gamma := range map[string]func(k int) float64{
		"index out of range [70]": func(k int) float64 { return table[k-1] },
		"γ = NaN": func(k int) float64 {
			return 2/float64(k+1) + math.Sqrt(float64(70-k)) - math.Sqrt(float64(70-k))
		},
	} {
		dir := t.TempDir()
		call := func(gamma func(k int) float64, steps int) (fault string) {
			defer func() {
				if r := recover(); r != nil {
					fault = fmt.Sprint(r)
				}
			}()
			m := fwopt.SFWExperiments()
			m.Gamma = gamma
			if tr := keep(t, bg, dir, f, omega, m, fwopt.Budget{Steps: steps}); tr.Status != fwopt.Done {
				return tr.Note
			}
			return ""
		}
		for i, c := range []struct {
			gamma func(k int) float64
			steps int
			fault string
		}{ // it fails each time, leaves nothing that lies, and does not get the run of the mended one
			{gamma, 90, want}, {gamma, 90, want}, {gamma, 70, ""}, {rate, 90, ""}, {gamma, 90, want},
		} {
			fault := call(c.gamma, c.steps)
			if (fault == "") != (c.fault == "") || !strings.Contains(fault, c.fault) {
				t.Errorf("call %d: %q, want %q", i, fault, c.fault)
			}
		}
	}
}

func TestKeepEditedState(t *testing.T) {
	longer(t)
	f, omega := small.Problem()
	dir, b := t.TempDir(), fwopt.Budget{Steps: 60}
	fresh := func() *turned { return &turned{*newAveraged()} }
	ctx, stopping := small.StopAfter(30, b)
	keep(t, ctx, dir, f, omega, fresh(), stopping)
	if len(files(dir, "*.ckpt")) != 1 {
		t.Fatal("no checkpoint: the test tests nothing")
	}
	turnedLocal = true
	defer func() { turnedLocal = false }()
	if tr, err := fwkeep.Keep(bg, dir, fwopt.NewOracle(f, omega, 3), fresh(), b); tr != nil || err == nil ||
		!strings.Contains(err.Error(), "turned") {
		t.Errorf("a method that lost its state: %v, %v", tr, err)
	}
}

// What is kept of another version of this package is not taken up.
func TestKeepAnotherVersion(t *testing.T) {
	longer(t)
	f, omega := own(t)
	b, dir := fwopt.Budget{Steps: 50, NoW: true}, t.TempDir()
	ctx, stopping := small.StopAfter(20, b)
	keep(t, ctx, dir, f, omega, newAveraged(), stopping)
	for i, version := range []uint64{7, 7, 8} { // what is kept is a checkpoint, this version's trace, another one's
		defer fwkeep.SetVersion(version)()
		want := "run anew: what was kept is of another version of fwopt, Go or gonum"
		if i == 1 {
			want = ""
		}
		if tr := keep(t, bg, dir, f, omega, newAveraged(), b); tr.Note != want || len(files(dir, "*")) != 1 {
			t.Errorf("call %d of another version: %q, %v", i, tr.Note, files(dir, "*"))
		}
	}
}

// Two programs that make the same run at once, one of which is stopped after the
// other has finished, leave one trace; its checkpoint goes with the next look.
func TestKeepOrphan(t *testing.T) {
	f, omega := small.Problem()
	dir, b := t.TempDir(), fwopt.Budget{Steps: 40}
	ctx, cancel := context.WithCancel(bg)
	stopping := b
	stopping.Watch = func(_ *fwopt.Trace, now fwopt.Point) {
		if now.Step == 20 {
			keep(t, bg, dir, f, omega, fwopt.SVRFTheorem1(), b) // the other one
			cancel()
		}
	}
	f2, _ := small.Problem()
	keep(t, ctx, dir, f2, omega, fwopt.SVRFTheorem1(), stopping)
	if len(files(dir, "*.trace")) != 1 || len(files(dir, "*.ckpt")) != 1 {
		t.Fatalf("files %v", files(dir, "*"))
	}
	keep(t, bg, dir, f, omega, fwopt.SVRFTheorem1(), b)
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
	first := keep(t, bg, dir, f, omega, newAveraged(), b)
	start := time.Now()
	again := keep(t, bg, dir, f, omega, newAveraged(), b)
	if spent := time.Since(start); again.Last().Seconds != first.Last().Seconds ||
		spent < 200*time.Millisecond || spent > 1800*time.Millisecond {
		t.Errorf("looked for %v, or run again", spent)
	}
}
