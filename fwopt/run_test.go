package fwopt_test

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"iter"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/projection-free/fwlab/fwopt"
)

// problem is a small instance of the package's own parts, so that Keep keeps
// it: least squares over the unit simplex.
func problem(t testing.TB) (fwopt.FiniteSum, fwopt.Domain) {
	f, _ := instance(5, 30, 8, 2)
	x := &fwopt.Sparse{N: 30, M: 8, Ptr: []int{0}}
	for i := range f.a {
		for j, v := range f.a[i] {
			x.Col, x.Val = append(x.Col, int32(j)), append(x.Val, v)
		}
		x.Ptr = append(x.Ptr, len(x.Val))
	}
	return fwopt.NewLeastSquares(x, f.b), fwopt.Simplex{D: 8, R: 1}
}

// wide is a small instance with an iterative linear optimisation, whose warm
// start and random numbers are part of a run: a logistic loss over a trace-norm
// ball, with more classes and features than the Gram matrix is used for.
func wide() (fwopt.FiniteSum, fwopt.Domain) {
	const n, m, h = 120, 90, 80
	x := randomRows(n, m)
	y := make([]int, n)
	for i := range y {
		y[i] = i % h
	}
	return fwopt.NewLogistic(x, y, h), fwopt.TraceNorm{H: h, M: m, Tau: 0.7}
}

// methods makes one fresh method of each kind.
func methods() map[string]fwopt.Method {
	const L, D, G = 20, math.Sqrt2, 30
	return map[string]fwopt.Method{
		"FW":    fwopt.FWOpenLoop(),
		"FWls":  fwopt.FWLineSearch(),
		"SFW":   fwopt.SFWExperiments(),
		"SCGS":  fwopt.SCGSConvex(L, D, G),
		"SVRF":  fwopt.SVRFTheorem1(),
		"SVRFx": fwopt.SVRFExperiments(),
		"STORC": fwopt.STORCTheorem2b(L, D, G),
		"SGD":   fwopt.SGDExperiments(0.01),
		"SVRG":  fwopt.SVRGExperiments(0.01),
		"FISTA": &fwopt.FISTA{L: 1},

		"SCGSx":  fwopt.SCGSExperiments(0.1, D),
		"STORCx": fwopt.STORCExperiments(0.1, D),

		"SCGSs": fwopt.SCGSStronglyConvex(L, D, 2, G),
		"OFW":   fwopt.OnlineFWSmooth(),
		"OFWl":  fwopt.OnlineFWLipschitz(D, G),
		"GH":    fwopt.GarberHazanStronglyConvex(L, D, 2, 2),

		"AwayFW":    fwopt.AwayFWSafe(L),
		"AwayFWls":  fwopt.AwayFWLineSearch(),
		"STORCaway": away(fwopt.STORCBeyond(L, D)),
	}
}

func away(m *fwopt.STORC) *fwopt.STORC {
	m.Away = true
	return m
}

// bits writes out all that must not differ between two runs.
func bits(tr *fwopt.Trace) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %v %x\n", tr.Method, tr.Status, tr.W)
	for _, p := range tr.Points {
		p.Seconds = 0
		fmt.Fprintf(&b, "%d %d %d %+v %x %x %x\n", p.Step, p.T, p.K, p.Calls, p.F, p.Gap, p.Slack)
	}
	return b.String()
}

// Recording more often must change nothing but the records.
func TestObservingDoesNotChangeTheRun(t *testing.T) {
	f, omega := problem(t)
	for name := range methods() {
		run := func(every float64, gap bool) *fwopt.Trace {
			return fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 3), methods()[name], nil,
				fwopt.Budget{Steps: 100, Every: every, DualityGap: gap})
		}
		coarse, fine := run(50, false), run(1.0001, true)
		if fmt.Sprintf("%x", coarse.W) != fmt.Sprintf("%x", fine.W) || coarse.Last().Calls != fine.Last().Calls {
			t.Errorf("%s: recording every step changed the run", name)
		}
		if len(fine.Points) != 101 || len(coarse.Points) > 5 {
			t.Errorf("%s: %d and %d records, want 101 and at most 5", name, len(fine.Points), len(coarse.Points))
		}
		for _, p := range fine.Points {
			if !(p.Gap+p.Slack >= 0) || !(p.F >= fine.Last().F-10) {
				t.Errorf("%s: step %d has gap %g, slack %g, f %g", name, p.Step, p.Gap, p.Slack, p.F)
			}
		}
		if again := run(1.0001, true); bits(again) != bits(fine) {
			t.Errorf("%s: the same seed gave other bits", name)
		}
	}
}

// stopAfter is a budget whose Watch cancels the context after that many steps.
func stopAfter(steps int, b fwopt.Budget) (context.Context, fwopt.Budget) {
	ctx, cancel := context.WithCancel(context.Background())
	b.Watch = func(_ *fwopt.Trace, now fwopt.Point) {
		if now.Step == steps {
			cancel()
		}
	}
	return ctx, b
}

// A run that is interrupted after any step goes on to the same bits.
func TestResumeToTheSameBits(t *testing.T) {
	f, omega := problem(t)
	b := fwopt.Budget{Steps: 75, DualityGap: true}
	for name := range methods() {
		resume(t, name, f, omega, b)
	}
	f, omega = wide()
	b.Steps = 16
	for _, name := range []string{"FW", "SFW", "SCGSx", "SVRFx", "STORCx", "OFW", "OFWl", "AwayFWls"} {
		resume(t, name, f, omega, b)
	}
}

func resume(t *testing.T, name string, f fwopt.FiniteSum, omega fwopt.Domain, b fwopt.Budget) {
	whole := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 7), methods()[name], nil, b)
	dir := t.TempDir()
	stopped, cancel := context.WithCancel(context.Background())
	cancel() // stopped before the first step
	if _, err := fwopt.Keep(stopped, dir, fwopt.NewOracle(f, omega, 7), methods()[name], nil, b); err != nil {
		t.Fatal(err)
	}
	for _, stop := range []int{1, 6, 7, 14, 15, 23, 50, 51, 74} {
		if stop >= b.Steps {
			break
		}
		ctx, stopping := stopAfter(stop, b)
		tr, err := fwopt.Keep(ctx, dir, fwopt.NewOracle(f, omega, 7), methods()[name], nil, stopping)
		if err != nil {
			t.Fatal(err)
		}
		if tr.Status != fwopt.Interrupted || tr.Last().Step != stop {
			t.Fatalf("%s: stopped at step %d with status %q, want step %d", name, tr.Last().Step, tr.Status, stop)
		}
	}
	for pass := range 2 { // the second pass reads the memo
		tr, err := fwopt.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 7), methods()[name], nil, b)
		if err != nil {
			t.Fatal(err)
		}
		if bits(tr) != bits(whole) {
			t.Errorf("%s, pass %d: ten times interrupted, the run is not the same:\n%s\n%s", name, pass, bits(tr), bits(whole))
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(files) != 1 || !strings.HasSuffix(files[0], ".trace") {
		t.Errorf("%s left the files %v", name, files)
	}
}

// A run in an inner loop that is told to stop gives up the step, and the step
// is done again when the run goes on.
func TestInterruptInsideTheInnerLoop(t *testing.T) {
	f, omega := problem(t)
	fresh := func() fwopt.Method {
		m := fwopt.SCGSExperiments(20, math.Sqrt2)
		m.Beta = func(int) float64 { return 50 } // the inner optima lie inside faces: slow
		m.Eta = func(int) float64 { return 1e-6 }
		return m
	}
	b := fwopt.Budget{Steps: 30}
	whole := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), fresh(), nil, b)
	if whole.Last().Calls.Linear < 1000 {
		t.Fatalf("only %d linear optimisations: the inner loops are too short for this test", whole.Last().Calls.Linear)
	}
	dir, cut := t.TempDir(), 0
	for range 200 {
		ctx, cancel := context.WithTimeout(context.Background(), 500*time.Microsecond)
		tr, err := fwopt.Keep(ctx, dir, fwopt.NewOracle(f, omega, 1), fresh(), nil, b)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if tr.Status == fwopt.Done {
			break
		}
		cut++
	}
	tr, err := fwopt.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 1), fresh(), nil, b)
	if err != nil || bits(tr) != bits(whole) {
		t.Errorf("after %d interrupts the run is not the same (%v)", cut, err)
	}
	if cut == 0 {
		t.Error("no interrupt hit: the test tested nothing")
	}
	// the limit of linear optimisations is seen inside the loop, too
	o := fwopt.NewOracle(f, omega, 1)
	tr = fwopt.Run(context.Background(), o, fresh(), nil, fwopt.Budget{Linear: 500})
	if tr.Status != fwopt.Done || tr.Last().Calls.Linear > 500 || o.Calls != tr.Last().Calls {
		t.Errorf("with 500 linear optimisations: %v after %d, the oracle at %+v", tr.Status, tr.Last().Calls.Linear, o.Calls)
	}
}

// An η that cannot be reached ends the run with a status.
func TestStall(t *testing.T) {
	f, omega := problem(t)
	for _, eta := range []float64{0, 1e-300} {
		m := fwopt.STORCTheorem2a(20, math.Sqrt2)
		inner := m.Eta
		m.Eta = func(t, k int) float64 {
			if t == 2 && k == 3 {
				return eta
			}
			return inner(t, k)
		}
		tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m, nil, fwopt.Budget{Steps: 100})
		if tr.Status != fwopt.Stalled || tr.Last().T != 2 || tr.Last().K != 2 {
			t.Errorf("η = %g: %v at t %d, k %d, want stalled at 2, 2", eta, tr.Status, tr.Last().T, tr.Last().K)
		}
	}
}

// vague is a domain whose linear optimisation never gets better than slack 0.01.
type vague struct{ fwopt.Simplex }

func (v vague) ArgminWarm(dst, g []float64, tol float64, _ *fwopt.Warm) float64 {
	v.Argmin(dst, g)
	return 0.01
}

// blind is a sum whose gradients are no numbers.
type blind struct{ fwopt.FiniteSum }

func (blind) Grad(dst, _ []float64, _ fwopt.Batch) { dst[0] = math.NaN() }

// An inner loop whose linear optimisation is less exact than η must not believe
// its duality gap, and must not go on for ever. Nor must it on a NaN.
func TestStallOnSlack(t *testing.T) {
	f, omega := problem(t)
	for eta, want := range map[float64]fwopt.Status{0.009: fwopt.Stalled, 0.02: fwopt.Done} {
		m := fwopt.SCGSExperiments(20, math.Sqrt2)
		m.Eta = func(int) float64 { return eta }
		tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, vague{omega.(fwopt.Simplex)}, 1), m, nil,
			fwopt.Budget{Steps: 5, Linear: 10000, DualityGap: true})
		if tr.Status != want {
			t.Errorf("η = %g: %v, want %v", eta, tr.Status, want)
		}
		if tr.Last().Slack < 0.01 {
			t.Errorf("the slack of the linear optimisation is not in the trace: %g", tr.Last().Slack)
		}
	}
	m := fwopt.SCGSExperiments(20, math.Sqrt2)
	o := fwopt.NewOracle(blind{f}, omega, 1)
	start := time.Now()
	if tr := fwopt.Run(context.Background(), o, m, append([]float64{1}, make([]float64, f.Dim()-1)...), fwopt.Budget{Steps: 5}); tr.Status != fwopt.Stalled || time.Since(start) > 10*time.Second {
		t.Errorf("a gradient of NaN: %v after %v", tr.Status, time.Since(start))
	}
}

// A full disk costs neither the run nor what was there.
func TestKeepOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=40k", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("cannot mount a small disk here: %s", out)
	}
	defer exec.Command("umount", dir).Run()
	f, omega := problem(t)
	b := fwopt.Budget{Steps: 30}
	if _, err := fwopt.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 1), fwopt.SFWExperiments(), nil, b); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	os.WriteFile(filepath.Join(dir, "filler"), make([]byte, 1<<20), 0o666) // as much as there is room for
	tr, err := fwopt.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 2), fwopt.SFWExperiments(), nil, b)
	if err == nil || tr == nil || tr.Status != fwopt.Done || !strings.Contains(err.Error(), "not kept") {
		t.Errorf("on a full disk: %v, %v", tr, err)
	}
	after, _ := filepath.Glob(filepath.Join(dir, "*.t*"))
	if len(after) != len(files) {
		t.Errorf("before the disk was full %v, after %v", files, after)
	}
	if tr, err := fwopt.LoadTrace(files[0]); err != nil || tr.Status != fwopt.Done {
		t.Errorf("the trace that was there: %v", err)
	}
}

func TestBudgets(t *testing.T) {
	f, omega := problem(t)
	run := func(m fwopt.Method, b fwopt.Budget) *fwopt.Trace {
		return fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m, nil, b)
	}
	if c := run(fwopt.FWOpenLoop(), fwopt.Budget{Exact: 10}).Last().Calls; c.Exact != 10 {
		t.Errorf("Exact 10: %+v", c)
	}
	if c := run(fwopt.SFWExperiments(), fwopt.Budget{Stochastic: 100}).Last().Calls; c.Stochastic < 100 || c.Stochastic-49 >= 100 {
		t.Errorf("Stochastic 100: %+v", c)
	}
	if c := run(fwopt.SFWExperiments(), fwopt.Budget{Linear: 10}).Last().Calls; c.Linear != 10 {
		t.Errorf("Linear 10: %+v", c)
	}
	if c := run(fwopt.SGDExperiments(1), fwopt.Budget{Projections: 10}).Last().Calls; c.Projections != 10 {
		t.Errorf("Projections 10: %+v", c)
	}
	start := time.Now()
	tr := run(fwopt.SFWExperiments(), fwopt.Budget{Seconds: 0.05})
	if s := tr.Last().Seconds; tr.Status != fwopt.Done || s < 0.05 || time.Since(start) > 10*time.Second {
		t.Errorf("Seconds 0.05: %v after %g s", tr.Status, s)
	}
	tr = run(fwopt.FWLineSearch(), fwopt.Budget{Gap: 0.3})
	if p := tr.Last(); tr.Status != fwopt.Converged || !(p.Gap+p.Slack <= 0.3) {
		t.Errorf("Gap 0.3: %v at gap %g", tr.Status, p.Gap)
	}
	once := fwopt.MethodFunc(func(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
		return func(yield func(fwopt.Step) bool) { yield(fwopt.Step{T: 1, K: 1, X: w0}) }
	})
	if tr := run(once, fwopt.Budget{Steps: 10}); tr.Status != fwopt.Ended || tr.Last().Step != 1 {
		t.Errorf("a method of one step: %v after %d", tr.Status, tr.Last().Step)
	}
	nan := fwopt.MethodFunc(func(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
		return func(yield func(fwopt.Step) bool) {
			x := make([]float64, len(w0))
			x[0] = math.NaN()
			for yield(fwopt.Step{T: 1, K: 1, X: x}) {
			}
		}
	})
	if tr := run(nan, fwopt.Budget{Steps: 10}); tr.Status != fwopt.Diverged || tr.Last().Step != 1 {
		t.Errorf("a method that gives NaN: %v after %d", tr.Status, tr.Last().Step)
	}
	// with seconds, two runs agree up to the common step
	a := run(fwopt.SVRFTheorem1(), fwopt.Budget{Seconds: 0.01, Every: 1.0001})
	b := run(fwopt.SVRFTheorem1(), fwopt.Budget{Seconds: 0.03, Every: 1.0001})
	for i := range min(len(a.Points), len(b.Points)) {
		p, q := a.Points[i], b.Points[i]
		p.Seconds, q.Seconds = 0, 0
		p.Gap, q.Gap = 0, 0
		if p != q {
			t.Fatalf("step %d differs: %+v, %+v", i, p, q)
		}
	}
}

func TestRunDoesNotWriteW0(t *testing.T) {
	f, omega := problem(t)
	for name, m := range methods() {
		w0 := make([]float64, f.Dim())
		w0[2] = 1
		fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m, w0, fwopt.Budget{Steps: 5})
		if w0[2] != 1 || w0[0] != 0 {
			t.Errorf("%s wrote to the caller's w0", name)
		}
	}
}

// What Keep must not mix up.
func TestKeepTellsRunsApart(t *testing.T) {
	f, omega := problem(t)
	dir := t.TempDir()
	n := 0
	keep := func(f fwopt.FiniteSum, omega fwopt.Domain, seed uint64, m fwopt.Method, w0 []float64, b fwopt.Budget) *fwopt.Trace {
		t.Helper()
		tr, err := fwopt.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, seed), m, w0, b)
		if err != nil {
			t.Fatal(err)
		}
		files, _ := filepath.Glob(filepath.Join(dir, "*.trace"))
		n++
		if len(files) != n {
			t.Errorf("run %d: %d files", n, len(files))
		}
		return tr
	}
	w0 := make([]float64, 8)
	w0[1] = 1
	b := fwopt.Budget{Steps: 3}
	other := fwopt.SFWExperiments()
	other.M = func(k int) int { return k*k + k/4000 } // differs from k = 4000 only
	small := fwopt.SFWExperiments()
	small.M = func(k int) int { return k }
	keep(f, omega, 1, fwopt.SFWExperiments(), nil, b)
	keep(f, omega, 1, other, nil, b)
	keep(f, omega, 1, small, nil, b)
	keep(f, omega, 2, fwopt.SFWExperiments(), nil, b)
	keep(f, omega, 1, fwopt.SFWExperiments(), w0, b)
	keep(f, omega, 1, fwopt.SFWExperiments(), nil, fwopt.Budget{Steps: 4})
	keep(f, fwopt.Simplex{D: 8, R: 2}, 1, fwopt.SFWExperiments(), nil, b)
	keep(f, omega, 1, fwopt.SGDExperiments(1), nil, b)
	keep(f, omega, 1, fwopt.SVRGExperiments(1), nil, b)
	keep(f, omega, 1, fwopt.SVRGExperiments(2), nil, b)
	// a method, a sum or a domain of one's own is run and not kept
	own := fwopt.MethodFunc(fwopt.SFWExperiments().Steps)
	tr, err := fwopt.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 1), own, nil, b)
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); err != nil || tr.Status != fwopt.Done || len(files) != n {
		t.Errorf("an own method: %v, %v, files %d", err, tr.Status, len(files))
	}
	defer func() {
		if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), "has run already") {
			t.Errorf("a method that has run: panic %v", r)
		}
	}()
	fwopt.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 1), other, nil, fwopt.Budget{Steps: 9})
}

func TestKeepBadFiles(t *testing.T) {
	f, omega := problem(t)
	b := fwopt.Budget{Steps: 30}
	keep := func(dir string, stop int) (*fwopt.Trace, error) {
		ctx, b := stopAfter(stop, b)
		return fwopt.Keep(ctx, dir, fwopt.NewOracle(f, omega, 1), fwopt.SVRFTheorem1(), nil, b)
	}
	only := func(dir, pattern string) string {
		t.Helper()
		files, _ := filepath.Glob(filepath.Join(dir, pattern))
		if len(files) != 1 {
			t.Fatalf("%d files %s", len(files), pattern)
		}
		return files[0]
	}
	for _, stop := range []int{5, 99} { // a checkpoint, a trace
		dir := t.TempDir()
		if _, err := keep(dir, stop); err != nil {
			t.Fatal(err)
		}
		path := only(dir, "*")
		whole, _ := os.ReadFile(path)
		for _, bad := range [][]byte{nil, whole[:1], whole[:len(whole)/2], whole[:len(whole)-1], []byte("hello"), bytes.Repeat([]byte{0xff}, 100)} {
			os.WriteFile(path, bad, 0o666)
			tr, err := keep(dir, 99)
			if err == nil || tr != nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "remove it") {
				t.Errorf("%s cut to %d bytes: %v", path, len(bad), err)
			}
			if now, _ := os.ReadFile(path); !bytes.Equal(now, bad) {
				t.Errorf("%s was changed", path)
			}
		}
	}
	// a checkpoint of another run under this name
	dir, dir2 := t.TempDir(), t.TempDir()
	if _, err := keep(dir, 5); err != nil {
		t.Fatal(err)
	}
	ctx, b2 := stopAfter(5, fwopt.Budget{Steps: 31})
	if _, err := fwopt.Keep(ctx, dir2, fwopt.NewOracle(f, omega, 1), fwopt.SVRFTheorem1(), nil, b2); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(only(dir2, "*.ckpt"))
	os.WriteFile(only(dir, "*.ckpt"), data, 0o666)
	if _, err := keep(dir, 99); err == nil || !strings.Contains(err.Error(), "another run") {
		t.Errorf("a checkpoint of another run: %v", err)
	}
	// a trace of another run under this name: not taken for this one
	dir3 := t.TempDir()
	if _, err := keep(dir3, 99); err != nil {
		t.Fatal(err)
	}
	other, _ := fwopt.LoadTrace(only(dir3, "*.trace"))
	other.Spec, other.Seed = "another", 77
	fwopt.SaveTrace(only(dir3, "*.trace"), other)
	if tr, err := keep(dir3, 99); err != nil || tr.Seed != 1 {
		t.Errorf("a trace of another run: %v, %v", tr.Seed, err)
	}
	// another version
	var old bytes.Buffer
	gob.NewEncoder(&old).Encode(99)
	os.WriteFile(only(dir, "*.ckpt"), old.Bytes(), 0o666)
	if _, err := keep(dir, 99); err == nil || !strings.Contains(err.Error(), "format 99") {
		t.Errorf("a checkpoint of another version: %v", err)
	}
	// a folder that cannot be written: a file stands in its place
	blocked := filepath.Join(t.TempDir(), "runs")
	os.WriteFile(blocked, nil, 0o666)
	if tr, err := keep(blocked, 99); err == nil || tr == nil || tr.Status != fwopt.Done {
		t.Errorf("no folder: %v", err)
	}
}

// Programs that are killed at any instant leave whole files.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("FWOPT_KILL_DIR"); dir != "" { // the child
		f, omega := problem(t)
		for seed := range uint64(1000) {
			ctx, b := stopAfter(20, fwopt.Budget{Steps: 40})
			fwopt.Keep(ctx, dir, fwopt.NewOracle(f, omega, seed%3), fwopt.SVRFTheorem1(), nil, b)
			if seed%5 == 4 {
				files, _ := filepath.Glob(filepath.Join(dir, "*.trace"))
				for _, p := range files {
					os.Remove(p)
				}
			}
		}
		return
	}
	dir := t.TempDir()
	f, omega := problem(t)
	seen := 0
	for i := range 25 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), "FWOPT_KILL_DIR="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(20+7*i) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		for seed := range uint64(3) {
			ctx, b := stopAfter(0, fwopt.Budget{Steps: 40})
			tr, err := fwopt.Keep(ctx, dir, fwopt.NewOracle(f, omega, seed), fwopt.SVRFTheorem1(), nil, b)
			if err != nil {
				t.Fatalf("after kill %d: %v", i, err)
			}
			seen += tr.Last().Step
		}
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) == 0 || seen == 0 {
		t.Error("the killed programs left nothing: the test tested nothing")
	}
}

func TestTwoProgramsOneFolder(t *testing.T) {
	f, omega := problem(t)
	dir := t.TempDir()
	b := fwopt.Budget{Steps: 300}
	want := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), fwopt.SVRFTheorem1(), nil, b)
	got := make(chan string, 8)
	for range 8 {
		go func() {
			f, omega := problem(t)
			tr, err := fwopt.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 1), fwopt.SVRFTheorem1(), nil, b)
			if err != nil {
				got <- err.Error()
				return
			}
			got <- bits(tr)
		}()
	}
	for range 8 {
		if g := <-got; g != bits(want) {
			t.Error("a run beside others is not the same:", g[:min(200, len(g))])
		}
	}
}

func TestBudgetPanics(t *testing.T) {
	f, omega := problem(t)
	for _, b := range []fwopt.Budget{{}, {Steps: -1}, {Seconds: -1}, {Seconds: math.NaN()}, {Steps: 1, Every: 1}, {Steps: 1, Every: 0.5}, {Gap: -1}} {
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.HasPrefix(fmt.Sprint(r), "fwopt: ") {
					t.Errorf("%+v: panic %v", b, r)
				}
			}()
			fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), fwopt.SFWExperiments(), nil, b)
		}()
	}
}

// ridge is a sum of one's own that embeds one of the package's.
type ridge struct{ *fwopt.LeastSquares }

func TestKeepDoesNotKeepAnEmbeddingSum(t *testing.T) {
	f, omega := problem(t)
	dir := t.TempDir()
	o := fwopt.NewOracle(ridge{f.(*fwopt.LeastSquares)}, omega, 1)
	if _, err := fwopt.Keep(context.Background(), dir, o, fwopt.SFWExperiments(), nil, fwopt.Budget{Steps: 3}); err != nil {
		t.Fatal(err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) > 0 {
		t.Errorf("kept %v", files)
	}
}

// The calls that an oracle has made before are part of what Keep knows.
func TestKeepKnowsTheOracle(t *testing.T) {
	f, omega := problem(t)
	dir := t.TempDir()
	b := fwopt.Budget{Steps: 3}
	used := fwopt.NewOracle(f, omega, 1)
	w0 := used.Start()
	a, _ := fwopt.Keep(context.Background(), dir, used, fwopt.SFWExperiments(), w0, b)
	c, _ := fwopt.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 1), fwopt.SFWExperiments(), w0, b)
	if a.Last().Calls.Exact != 1 || c.Last().Calls.Exact != 0 {
		t.Errorf("exact gradients %d and %d, want 1 and 0", a.Last().Calls.Exact, c.Last().Calls.Exact)
	}
}

// What the last record shows comes before the spent budget.
func TestLastRecordDecides(t *testing.T) {
	f, omega := problem(t)
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), fwopt.FWLineSearch(), nil,
		fwopt.Budget{Steps: 19, Every: 100, Gap: 0.2})
	if tr.Status != fwopt.Converged || len(tr.Points) != 3 {
		t.Errorf("%v, %d records", tr.Status, len(tr.Points))
	}
	late := fwopt.MethodFunc(func(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
		return func(yield func(fwopt.Step) bool) {
			x := make([]float64, len(w0))
			for k := 1; yield(fwopt.Step{T: 1, K: k, X: x}); k++ {
				x[0] = math.Inf(1)
			}
		}
	})
	if tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), late, nil, fwopt.Budget{Steps: 19, Every: 100}); tr.Status != fwopt.Diverged {
		t.Errorf("%v, want diverged", tr.Status)
	}
}

func TestMethodPanics(t *testing.T) {
	f, omega := problem(t)
	used := fwopt.SVRFTheorem1()
	run := func(m fwopt.Method) {
		fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m, nil, fwopt.Budget{Steps: 3, Every: math.Inf(1)})
	}
	run(used)
	none := fwopt.SVRGExperiments(1)
	none.N = func(int) int { return 0 }
	for want, m := range map[string]fwopt.Method{
		"fwopt: this SVRF has run already": used,
		"fwopt: SVRF.Gamma is nil":         &fwopt.SVRF{},
		"fwopt: N_1 = 0":                   none,
	} {
		func() {
			defer func() {
				if r := fmt.Sprint(recover()); !strings.HasPrefix(r, want) {
					t.Errorf("panic %q, want %q", r, want)
				}
			}()
			run(m)
		}()
	}
}

// An account that is full stays full, and a budget sees it.
func TestAccountSaturates(t *testing.T) {
	f, omega := problem(t)
	m := fwopt.SFWExperiments()
	m.M = func(int) int { return math.MaxInt/2 + 2 }
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m, nil, fwopt.Budget{Steps: 9, Stochastic: math.MaxInt})
	if p := tr.Last(); p.Calls.Stochastic != math.MaxInt || p.Step != 2 || tr.Status != fwopt.Done {
		t.Errorf("%v after %d steps, %d stochastic gradients", tr.Status, p.Step, p.Calls.Stochastic)
	}
}

// The state of a method is all in exported fields: gob finds no other field.
func TestStateIsExported(t *testing.T) {
	for name, m := range methods() {
		v := reflect.TypeOf(m).Elem()
		for i := range v.NumField() {
			if !v.Field(i).IsExported() {
				t.Errorf("%s keeps state in the unexported field %s", name, v.Field(i).Name)
			}
		}
	}
}
