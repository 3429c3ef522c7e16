package fwopt_test

import (
	"context"
	"fmt"
	"iter"
	"math"
	"path/filepath"
	"reflect"
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

// The duality gap of an iterate is not negative, up to the slack of its record.
func TestGapsOfIterates(t *testing.T) {
	f, omega := small.Problem()
	for name, m := range small.Methods() {
		tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 3), m, fwopt.Budget{Steps: 100, Every: 1.0001, DualityGap: true})
		for _, p := range tr.Points {
			if !(p.DualityGap+p.Slack >= 0) {
				t.Errorf("%s: step %d has gap %g, slack %g", name, p.Step, p.DualityGap, p.Slack)
			}
		}
	}
}

// A run with a warm start that is interrupted goes on to the same bits; so does one
// that is interrupted before its first step. TestMethods interrupts the others.
func TestResumeWarm(t *testing.T) {
	f, omega := small.Wide()
	names := []string{"STORCx", "AwayFWls", "FW", "SFW", "SCGSx", "SVRFx", "Online-FW", "Online-FW, linearised", "SCGSmem", "STORCmem"}
	if testing.Short() {
		names = names[:2]
	}
	for _, name := range names {
		resume(t, name, f, omega, fwopt.Budget{Steps: 16, DualityGap: true})
	}
}

// So does one whose projection has a warm start, which is part of its state.
func TestResumeWarmProjection(t *testing.T) {
	const n, m, h = 40, 510, 500
	y := make([]int, n)
	for i := range y {
		y[i] = i % 12
	}
	f, omega := fwsum.NewLogistic(small.Rows(n, m), y, h), fwset.TraceNorm{H: h, M: m, Tau: 1e-3}
	b := fwopt.Budget{Steps: 16}
	r := fwopt.NewRunner(fwopt.NewOracle(f, omega, 7), small.Methods()["SGD"], b)
	r.Run(context.Background())
	if len(r.State().Warm.P) == 0 {
		t.Fatal("the projections of this run keep nothing: it cannot fail")
	}
	resume(t, "SGD", f, omega, b)
}

func resume(t *testing.T, name string, f fwopt.FiniteSum, omega fwopt.Domain, b fwopt.Budget) {
	whole := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 7), small.Methods()[name], b)
	dir := t.TempDir()
	stopped, cancel := context.WithCancel(context.Background())
	cancel() // stopped before the first step
	if _, err := fwkeep.Keep(stopped, dir, fwopt.NewOracle(f, omega, 7), small.Methods()[name], b); err != nil {
		t.Fatal(err)
	}
	for _, stop := range []int{1, 6, 7, 14, 15} {
		ctx, stopping := small.StopAfter(stop, b)
		tr, err := fwkeep.Keep(ctx, dir, fwopt.NewOracle(f, omega, 7), small.Methods()[name], stopping)
		if err != nil {
			t.Fatal(err)
		}
		if tr.Status != fwopt.Interrupted || tr.Last().Step != stop {
			t.Fatalf("%s: stopped at step %d with status %q, want step %d", name, tr.Last().Step, tr.Status, stop)
		}
	}
	for pass := range 2 { // the second pass reads the memo
		tr, err := fwkeep.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 7), small.Methods()[name], b)
		if err != nil {
			t.Fatal(err)
		}
		if small.Bits(tr) != small.Bits(whole) {
			t.Errorf("%s, pass %d: six times interrupted, the run is not the same:\n%s\n%s", name, pass, small.Bits(tr), small.Bits(whole))
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
	f, omega := small.Problem()
	fresh := func() fwopt.Method {
		m := fwopt.SCGSExperiments(fwopt.Constants{L: 20, D: math.Sqrt2})
		m.Beta = func(int) float64 { return 50 } // the inner optima lie inside faces: slow
		m.Eta = func(int) float64 { return 1e-6 }
		return m
	}
	b := fwopt.Budget{Steps: 30}
	whole := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), fresh(), b)
	if whole.Last().Calls.Linear < 1000 {
		t.Fatalf("only %d linear optimisations: the inner loops are too short for this test", whole.Last().Calls.Linear)
	}
	dir, cut, times := t.TempDir(), 0, 200
	if testing.Short() {
		times = 40
	}
	for range times {
		ctx, cancel := context.WithTimeout(context.Background(), 500*time.Microsecond)
		tr, err := fwkeep.Keep(ctx, dir, fwopt.NewOracle(f, omega, 1), fresh(), b)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if tr.Status == fwopt.Done {
			break
		}
		cut++
	}
	tr, err := fwkeep.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 1), fresh(), b)
	if err != nil || small.Bits(tr) != small.Bits(whole) {
		t.Errorf("after %d interrupts the run is not the same (%v)", cut, err)
	}
	if cut == 0 {
		t.Error("no interrupt hit: the test tested nothing")
	}
	// the limit of linear optimisations is seen inside the loop, too
	o := fwopt.NewOracle(f, omega, 1)
	tr = fwopt.Run(context.Background(), o, fresh(), fwopt.Budget{Linear: 500})
	if tr.Status != fwopt.Done || tr.Last().Calls.Linear > 500 || o.Calls != tr.Last().Calls {
		t.Errorf("with 500 linear optimisations: %v after %d, the oracle at %+v", tr.Status, tr.Last().Calls.Linear, o.Calls)
	}
}

// An η that cannot be reached ends the run with a status.
func TestStall(t *testing.T) {
	f, omega := small.Problem()
	for _, eta := range []float64{0, 1e-300} {
		m := fwopt.STORCTheorem2a(fwopt.Constants{L: 20, D: math.Sqrt2})
		inner := m.Eta
		m.Eta = func(t, k int) float64 {
			if t == 2 && k == 3 {
				return eta
			}
			return inner(t, k)
		}
		tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m, fwopt.Budget{Steps: 100})
		if tr.Status != fwopt.Stalled || tr.Last().T != 2 || tr.Last().K != 2 {
			t.Errorf("η = %g: %v at t %d, k %d, want stalled at 2, 2", eta, tr.Status, tr.Last().T, tr.Last().K)
		}
	}
}

// vague is a domain whose linear optimisation never gets better than slack 0.01.
type vague struct{ fwset.Simplex }

func (v vague) ArgminVertex(to *fwset.Vertex, g []float64, tol float64, _ *fwset.Warm) float64 {
	v.Argmin(to.SetDense(len(g)), g)
	return 0.01
}

// blind is a sum whose gradients are no numbers.
type blind struct{ fwopt.FiniteSum }

func (f blind) Tested() any { return f } // else the start of the run finds it

func (blind) Grad(dst, _ []float64, _ fwopt.Batch) { dst[0] = math.NaN() }

// An inner loop whose linear optimisation is less exact than η must not believe
// its duality gap, and must not go on for ever. Nor must it on a NaN.
func TestStallOnSlack(t *testing.T) {
	f, omega := small.Problem()
	for eta, want := range map[float64]fwopt.Status{0.009: fwopt.Stalled, 0.02: fwopt.Done} {
		m := fwopt.SCGSExperiments(fwopt.Constants{L: 20, D: math.Sqrt2})
		m.Eta = func(int) float64 { return eta }
		tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, vague{omega.(fwset.Simplex)}, 1), m,
			fwopt.Budget{Steps: 5, Linear: 10000, DualityGap: true})
		if tr.Status != want {
			t.Errorf("η = %g: %v, want %v", eta, tr.Status, want)
		}
		if tr.Last().Slack < 0.01 {
			t.Errorf("the slack of the linear optimisation is not in the trace: %g", tr.Last().Slack)
		}
	}
	m := fwopt.SCGSExperiments(fwopt.Constants{L: 20, D: math.Sqrt2})
	o := fwopt.NewOracle(blind{f}, omega, 1)
	start := time.Now()
	if tr := fwopt.Run(context.Background(), o.From(append([]float64{1}, make([]float64, f.Dim()-1)...)), m, fwopt.Budget{Steps: 5}); tr.Status != fwopt.Stalled || time.Since(start) > 10*time.Second {
		t.Errorf("a gradient of NaN: %v after %v", tr.Status, time.Since(start))
	}
}

func TestBudgets(t *testing.T) {
	f, omega := small.Problem()
	run := func(m fwopt.Method, b fwopt.Budget) *fwopt.Trace {
		return fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m, b)
	}
	if c := run(&fwopt.FW{}, fwopt.Budget{Exact: 10}).Last().Calls; c.Exact != 10 {
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
	tr = run(&fwopt.FW{Rule: fwopt.LineSearch{}}, fwopt.Budget{Tolerance: 0.3})
	if p := tr.Last(); tr.Status != fwopt.Converged || !(p.DualityGap+p.Slack <= 0.3) {
		t.Errorf("Gap 0.3: %v at gap %g", tr.Status, p.DualityGap)
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
		p.DualityGap, q.DualityGap, p.Excess, q.Excess = 0, 0, 0, 0
		if p != q {
			t.Fatalf("step %d differs: %+v, %+v", i, p, q)
		}
	}
}

func TestRunDoesNotWriteW0(t *testing.T) {
	f, omega := small.Problem()
	for name, m := range small.Methods() {
		w0 := make([]float64, f.Dim())
		w0[2] = 1
		fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1).From(w0), m, fwopt.Budget{Steps: 5})
		if w0[2] != 1 || w0[0] != 0 {
			t.Errorf("%s wrote to the caller's w0", name)
		}
	}
}

func TestBudgetPanics(t *testing.T) {
	f, omega := small.Problem()
	for _, b := range []fwopt.Budget{{}, {Steps: -1}, {Seconds: -1}, {Seconds: math.NaN()}, {Steps: 1, Every: 1}, {Steps: 1, Every: 0.5}, {Tolerance: -1}} {
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.HasPrefix(fmt.Sprint(r), "fwopt: ") {
					t.Errorf("%+v: panic %v", b, r)
				}
			}()
			fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), fwopt.SFWExperiments(), b)
		}()
	}
}

// What the last record shows comes before the spent budget.
func TestLastRecordDecides(t *testing.T) {
	f, omega := small.Problem()
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), &fwopt.FW{Rule: fwopt.LineSearch{}},
		fwopt.Budget{Steps: 19, Every: 100, Tolerance: 0.2})
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
	if tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), late, fwopt.Budget{Steps: 19, Every: 100}); tr.Status != fwopt.Diverged {
		t.Errorf("%v, want diverged", tr.Status)
	}
}

func TestMethodPanics(t *testing.T) {
	f, omega := small.Problem()
	used := fwopt.SVRFTheorem1()
	run := func(m fwopt.Method) {
		fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m, fwopt.Budget{Steps: 3, Every: math.Inf(1)})
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
	f, omega := small.Problem()
	m := fwopt.SFWExperiments()
	m.M = func(int) int { return math.MaxInt/2 + 2 }
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m, fwopt.Budget{Steps: 9, Stochastic: math.MaxInt})
	if p := tr.Last(); p.Calls.Stochastic != math.MaxInt || p.Step != 2 || tr.Status != fwopt.Done {
		t.Errorf("%v after %d steps, %d stochastic gradients", tr.Status, p.Step, p.Calls.Stochastic)
	}
}

// The state of a method is all in exported fields: gob finds no other field.
func TestStateIsExported(t *testing.T) {
	for name, m := range small.Methods() {
		v := reflect.TypeOf(m).Elem()
		for i := range v.NumField() {
			if !v.Field(i).IsExported() {
				t.Errorf("%s keeps state in the unexported field %s", name, v.Field(i).Name)
			}
		}
	}
}

// Budget.Gap is reached whether the linear optimisation is a closed form (an order
// of at most 64) or iterative, down to where rounding hides it.
func TestGapIsReached(t *testing.T) {
	for _, h := range []int{64, 65} {
		c := make([]float64, h*h)
		for i := range h { // singular values all the way down
			c[i*h+i] = 1 - float64(i)/float64(h)
		}
		c[0] = 3 // the nearest point of the unit ball is the vertex e_1e_1ᵀ
		f, omega := fwsum.NewQuadratic(h*h, nil, c), fwset.TraceNorm{H: h, M: h, Tau: 1}
		for _, gap := range []float64{1e-3, 1e-7, 1e-9} {
			tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), &fwopt.FW{}, fwopt.Budget{Tolerance: gap, Steps: 100})
			if tr.Status != fwopt.Converged || tr.Last().Step > 3 {
				t.Errorf("H = %d, Gap = %g: %v after %d steps, gap %g, slack %g", h, gap, tr.Status, tr.Last().Step, tr.Last().DualityGap, tr.Last().Slack)
			}
		}
		tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), &fwopt.FW{}, fwopt.Budget{Tolerance: 1e-18})
		if tr.Status != fwopt.Stalled || tr.Last().Step > 10 {
			t.Errorf("H = %d, a Gap below rounding: %v after %d steps", h, tr.Status, tr.Last().Step)
		}
	}
}

// A limit that cannot be reached ends the run.
func TestEndless(t *testing.T) {
	f, omega := small.Problem()
	for name, b := range map[string]fwopt.Budget{
		"projections": {Projections: 5},
		"exact":       {Exact: 50},
	} {
		tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), fwopt.SFWExperiments(), b)
		if tr.Status != fwopt.Endless || tr.Last().Step != 1000 {
			t.Errorf("%s: %v after %d steps", name, tr.Status, tr.Last().Step)
		}
	}
	// but one that comes nearer every 2,000 steps is reached
	rare := fwopt.SVRFTheorem1()
	rare.M = func(int, int) int { return 1 }
	rare.N = func(int) int { return 2000 }
	if tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), rare, fwopt.Budget{Exact: 4}); tr.Status != fwopt.Done || tr.Last().Calls.Exact != 4 {
		t.Errorf("an exact gradient every 2,000 steps: %v after %+v", tr.Status, tr.Last().Calls)
	}
}

// What is nil is named, also where it has a type.
func TestNil(t *testing.T) {
	f, omega := small.Problem()
	for want, run := range map[string]func(){
		"fwopt: a run needs a method, this *fwopt.SVRF is nil": func() {
			fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), (*fwopt.SVRF)(nil), fwopt.Budget{Steps: 1})
		},
		"fwopt: a run needs a method, this <nil> is nil": func() {
			fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), nil, fwopt.Budget{Steps: 1})
		},
		"fwopt: a run needs a method, this fwopt.MethodFunc is nil": func() {
			fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), fwopt.MethodFunc(nil), fwopt.Budget{Steps: 1})
		},
		"fwopt: an Oracle needs both f and Ω; f is *fwsum.Logistic": func() { fwopt.NewOracle((*fwsum.Logistic)(nil), omega, 1) },
		"fwopt: an Oracle needs both f and Ω; f is *fwsum.LeastSq":  func() { fwopt.NewOracle(f, nil, 1) },
		"fwsum: the data is nil":                                    func() { fwsum.NewLogistic(nil, nil, 2) },
		"fwsum: the data is nil,":                                   func() { fwsum.NewLeastSquares(nil, nil) },
	} {
		func() {
			defer func() {
				if r := fmt.Sprint(recover()); !strings.HasPrefix(r, want) {
					t.Errorf("panic %q, want %q", r, want)
				}
			}()
			run()
		}()
	}
}

// Watch sees each iterate, and the trace keeps none of them but the last.
func TestWatchSeesTheIterate(t *testing.T) {
	f, omega := small.Problem()
	for name, m := range small.Methods() {
		w0 := fwopt.NewOracle(f, omega, 1).Start()
		var want [][]float64
		for s := range m.Steps(fwopt.NewOracle(f, omega, 3), w0) {
			if want = append(want, slices.Clone(s.X)); len(want) == 20 {
				break
			}
		}
		for _, noW := range []bool{false, true} {
			var got [][]float64
			b := fwopt.Budget{Steps: 20, NoW: noW, Watch: func(tr *fwopt.Trace, now fwopt.Point) {
				got = append(got, slices.Clone(tr.W))
			}}
			tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 3).From(w0), small.Methods()[name], b)
			if !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("%s: Watch saw other iterates than the steps", name)
			}
			if noW && tr.W != nil || !noW && !slices.Equal(tr.W, want[19]) {
				t.Errorf("%s: NoW is %v, and the trace has W = %v", name, noW, tr.W)
			}
		}
	}
}

// Outside of Ω the duality gap may be below 0, and would end a run as converged.
func TestRunOutside(t *testing.T) {
	f := fwsum.NewQuadratic(3, nil, []float64{-1, -2, -3})
	leaves := fwopt.MethodFunc(func(*fwopt.Oracle, []float64) iter.Seq[fwopt.Step] {
		return func(yield func(fwopt.Step) bool) { yield(fwopt.Step{T: 1, K: 1, X: make([]float64, 3)}) }
	})
	message := small.Panics(func() {
		fwopt.Run(context.Background(), fwopt.NewOracle(f, fwset.Simplex{D: 3, R: 1}, 1).From([]float64{0, 0, 1}), leaves, fwopt.Budget{Tolerance: 1e-6})
	})
	if want := "fwopt: the point of step 1 is outside of Ω: its duality gap is -1, which is less than 0"; message != want {
		t.Errorf("%q, want %q", message, want)
	}
}
