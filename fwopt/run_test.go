package fwopt_test

import (
	"context"
	"iter"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

var bg = context.Background()

// run is fwopt.Run with the seed 1.
func run(f fwopt.FiniteSum, omega fwopt.Domain, m fwopt.Method, b fwopt.Budget) *fwopt.Trace {
	return fwopt.Run(bg, fwopt.NewOracle(f, omega, 1), m, b)
}

// A run with a warm start, that of a projection and of line 11 by products too, goes on to the same bits wherever it is interrupted,
// before its first step too. TestMethods interrupts the others.
func TestResumeWarm(t *testing.T) {
	const n, m, h = 40, 510, 500
	y := make([]int, n)
	for i := range y {
		y[i] = i % 12
	}
	projected := fwsum.NewLogistic(small.Rows(n, m), y, h)
	names := []string{"SGD", "STORC, adaptive", "STORCx", "AwayFWls", "FW", "SCGSx", "SVRFx",
		"Online-FW, linearised", "STORCmem"}
	if testing.Short() {
		names = names[:4]
	}
	for _, name := range names {
		f, omega := small.Wide()
		b := fwopt.Budget{Steps: 16, DualityGap: true}
		method := small.Methods()[name]
		if name == "SGD" {
			f, omega, b.DualityGap = projected, fwset.TraceNorm{H: h, M: m, Tau: 1e-3}, false
		}
		if name == "STORC, adaptive" {
			f, omega = fwsum.NewLogistic(small.Rows(n, 30), y, 12), fwset.TraceNorm{H: 12, M: 30, Tau: 5}
		}
		r := fwopt.NewRunner(fwopt.NewOracle(f, omega, 7), method, b)
		whole, dir := r.Run(bg), t.TempDir()
		if a, ok := method.(*fwmore.AdaptiveSTORC); ok && a.Memory.Weight == nil {
			t.Errorf("%s keeps no weights: it cannot fail", name)
		} else if warm := r.State().Warm; !ok && len(warm.P)+len(warm.V) == 0 {
			t.Errorf("%s keeps nothing: it cannot fail", name)
		}
		for _, stop := range []int{0, 1, 6, 7, 14, 15, 16, 99} { // the last reads the file
			ctx, stopping := small.StopAfter(stop, b)
			if stop == 0 {
				over, cancel := context.WithCancel(bg)
				cancel()
				ctx = over
			}
			tr, err := fwkeep.Keep(ctx, dir, fwopt.NewOracle(f, omega, 7), small.Methods()[name], stopping)
			switch {
			case err != nil:
				t.Fatal(err)
			case stop >= 16 && small.Bits(tr) != small.Bits(whole):
				t.Errorf("%s: six times interrupted, the run is not the same:\n%s\n%s", name,
					small.Bits(tr), small.Bits(whole))
			case stop < 16 && (tr.Status != fwopt.Interrupted || tr.Last().Step != stop):
				t.Fatalf("%s: stopped at step %d with status %q, want step %d", name, tr.Last().Step,
					tr.Status, stop)
			}
		}
		if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) != 1 ||
			!strings.HasSuffix(files[0], ".trace") {
			t.Errorf("%s left the files %v", name, files)
		}
	}
}

// countdown is a context that is cancelled when its Err has been asked n times.
type countdown struct {
	context.Context
	n int
}

func (c *countdown) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

func away(m *fwopt.STORC) *fwopt.STORCAway { return &fwopt.STORCAway{STORC: *m} }

// Interrupts at every place, those inside the inner loop included, where the step is given up and done
// again.
func TestInterruptInside(t *testing.T) {
	f, omega := small.Problem()
	storc := func(eta float64, size int) *fwopt.STORC { // the inner optima lie inside faces: slow
		m := fwopt.STORCExperiments(fwopt.Constants{L: 20, D: math.Sqrt2})
		m.Beta, m.Eta = func(int) float64 { return 50 }, func(int, int) float64 { return eta }
		m.Memory.Size = size
		return m
	}
	for name, fresh := range map[string]func() fwopt.Method{
		"plain":  func() fwopt.Method { return storc(1e-3, 0) },
		"away":   func() fwopt.Method { return away(storc(1e-9, 0)) },
		"memory": func() fwopt.Method { return storc(3e-4, 2) },
	} {
		b := fwopt.Budget{Steps: 60}
		whole := run(f, omega, fresh(), b)
		dir, inside, at := t.TempDir(), 0, 0
		for n := 1; ; n++ {
			o := fwopt.NewOracle(f, omega, 1)
			tr, err := fwkeep.Keep(&countdown{bg, n % 97}, dir, o, fresh(), b)
			if err != nil || n > 2000 {
				t.Fatalf("%s, %d interrupts: %v", name, n, err)
			}
			if tr.Status == fwopt.Done {
				if small.Bits(tr) != small.Bits(whole) {
					t.Errorf("%s: after %d interrupts, %d inside, the run is not the same", name, n, inside)
				}
				break
			}
			if tr.Status != fwopt.Interrupted || tr.Last().Step < at {
				t.Fatalf("%s: %v at step %d after step %d", name, tr.Status, tr.Last().Step, at)
			}
			if n%97 > 2 && tr.Last().Step == at {
				inside++
			}
			at = tr.Last().Step
		}
		if inside < 5 {
			t.Errorf("%s: %d interrupts inside an inner loop: the test tests little", name, inside)
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

// lowered is a rule that comes to a stand.
type lowered struct{}

func (lowered) Step(_ *fwopt.Oracle, k int, _ fwopt.Segment) float64 {
	return max(0, 2/float64(k+1)-0.01)
}

// How runs end, and where.
func TestEnds(t *testing.T) {
	f, omega := small.Problem()
	scgs := func(eta float64) fwopt.Method {
		m := fwopt.SCGSExperiments(fwopt.Constants{L: 20, D: math.Sqrt2})
		m.Eta = func(int) float64 { return eta }
		return m
	}
	late := func(eta float64) fwopt.Method { // an η that cannot be reached, at t = 2, k = 3
		m := fwopt.STORCTheorem2a(fwopt.Constants{L: 20, D: math.Sqrt2})
		inner := m.Eta
		m.Eta = func(t, k int) float64 {
			if t == 2 && k == 3 {
				return eta
			}
			return inner(t, k)
		}
		return m
	}
	search, sfw, huge, rare := fwopt.LineSearch{}, fwopt.SFWExperiments, fwopt.SFWExperiments(),
		fwopt.SVRFTheorem1()
	huge.M = func(int) int { return math.MaxInt/2 + 2 }
	rare.M, rare.N = func(int, int) int { return 1 }, func(int) int { return 2000 }
	bad := func(x float64, at int) fwopt.Method { // an iterate that is not finite from step at on
		return steps(func(yield func(fwopt.Step) bool, w0 []float64) {
			w := make([]float64, len(w0))
			for k := 1; ; k++ {
				if k == at {
					w[0] = x
				}
				if !yield(fwopt.Step{T: 1, K: k, X: w}) {
					return
				}
			}
		})
	}
	once := func() fwopt.Method {
		return steps(func(yield func(fwopt.Step) bool, w0 []float64) { yield(fwopt.Step{T: 1, K: 1, X: w0}) })
	}
	loose := vague{omega.(fwset.Simplex)}
	corner := append([]float64{1}, make([]float64, 7)...)
	for name, c := range map[string]struct {
		f         fwopt.FiniteSum
		omega     fwopt.Domain
		m         fwopt.Method
		b         fwopt.Budget
		want      fwopt.Status
		low, high int // its steps
		right     func(p fwopt.Point, c fwopt.Calls) bool
	}{
		"exact":      {f, omega, &fwopt.FW{}, fwopt.Budget{Exact: 10}, fwopt.Done, 9, 9, nil},
		"stochastic": {f, omega, sfw(), fwopt.Budget{Stochastic: 100}, fwopt.Done, 7, 7, nil},
		// Σ k² = 91, 140
		"linear": {f, omega, sfw(), fwopt.Budget{Linear: 10}, fwopt.Done, 9, 9, nil},
		"projections": {f, omega, fwopt.SGDExperiments(1), fwopt.Budget{Projections: 10}, fwopt.Done, 10,
			10, nil},
		"seconds": {f, omega, sfw(), fwopt.Budget{Seconds: 0.05}, fwopt.Done, 1, 1e6,
			func(p fwopt.Point, _ fwopt.Calls) bool { return p.Seconds >= 0.05 }},
		"tolerance": {f, omega, &fwopt.FW{Rule: search}, fwopt.Budget{Tolerance: 0.3}, fwopt.Converged, 1, 99,
			func(p fwopt.Point, _ fwopt.Calls) bool { return p.DualityGap+p.Slack <= 0.3 }},
		"one step": {f, omega, once(), fwopt.Budget{Steps: 10}, fwopt.Ended, 1, 1, nil},
		"NaN":      {f, omega, bad(math.NaN(), 1), fwopt.Budget{Steps: 10}, fwopt.Diverged, 1, 1, nil},
		// what the last record shows comes before the spent budget
		"last, infinite": {f, omega, bad(math.Inf(1), 2), fwopt.Budget{Steps: 19, Every: 100},
			fwopt.Diverged, 19, 19, nil},
		"last, converged": {f, omega, &fwopt.FW{Rule: search},
			fwopt.Budget{Steps: 19, Every: 100, Tolerance: 0.2},
			fwopt.Converged, 19, 19, nil},
		// an account that is full stays full
		"full": {f, omega, huge, fwopt.Budget{Steps: 9, Stochastic: math.MaxInt}, fwopt.Done, 2, 2,
			func(p fwopt.Point, _ fwopt.Calls) bool { return p.Calls.Stochastic == math.MaxInt }},
		// a limit that comes no nearer, and one that does every 2,000 steps
		"endless":        {f, omega, sfw(), fwopt.Budget{Projections: 5}, fwopt.Endless, 1000, 1000, nil},
		"endless, exact": {f, omega, sfw(), fwopt.Budget{Exact: 50}, fwopt.Endless, 1000, 1000, nil},
		"rare":           {f, omega, rare, fwopt.Budget{Exact: 4}, fwopt.Done, 4001, 4001, nil},
		// a gap that stands still
		"stands": {f, omega, &fwopt.FW{Rule: lowered{}}, fwopt.Budget{Tolerance: 1e-9}, fwopt.Stalled, 1000,
			9999, nil},
		"stands, with a limit": {f, omega, &fwopt.FW{Rule: lowered{}},
			fwopt.Budget{Tolerance: 1e-9, Projections: 5},
			fwopt.Stalled, 1000, 9999, nil},
		// an inner loop must not believe a duality gap that is less exact than η, nor go on for ever
		"η = 0":      {f, omega, late(0), fwopt.Budget{Steps: 100}, fwopt.Stalled, 8, 8, nil},
		"η = 1e-300": {f, omega, late(1e-300), fwopt.Budget{Steps: 100}, fwopt.Stalled, 8, 8, nil},
		"η below the slack": {f, loose, scgs(0.009), fwopt.Budget{Steps: 5, Linear: 9999, DualityGap: true},
			fwopt.Stalled, 0, 4,
			func(p fwopt.Point, _ fwopt.Calls) bool { return p.Slack >= 0.01 }},
		"η above the slack": {f, loose, scgs(0.02), fwopt.Budget{Steps: 5, Linear: 9999, DualityGap: true},
			fwopt.Done, 5, 5,
			func(p fwopt.Point, _ fwopt.Calls) bool { return p.Slack >= 0.01 }},
		"∇f is NaN": {blind{f}, omega, scgs(0.02), fwopt.Budget{Steps: 5}, fwopt.Stalled, 0, 0, nil},
	} {
		o, start := fwopt.NewOracle(c.f, c.omega, 1), time.Now()
		if c.want == fwopt.Stalled && c.high == 0 {
			o.From(corner)
		}
		tr := fwopt.Run(bg, o, c.m, c.b)
		p := tr.Last()
		if tr.Status != c.want || p.Step < c.low || p.Step > c.high || o.Calls != p.Calls ||
			time.Since(start) > 10*time.Second ||
			c.right != nil && !c.right(p, o.Calls) {
			t.Errorf("%s: %v, %+v, the oracle at %+v, want %v", name, tr.Status, p, o.Calls, c.want)
		}
	}
	// with seconds, two runs agree up to the common step
	a := run(f, omega, fwopt.SVRFTheorem1(), fwopt.Budget{Seconds: 0.01, Every: 1.0001})
	b := run(f, omega, fwopt.SVRFTheorem1(), fwopt.Budget{Seconds: 0.03, Every: 1.0001})
	for i := range min(len(a.Points), len(b.Points)) {
		if p, q := a.Points[i], b.Points[i]; p.Step != q.Step || p.F != q.F || p.Calls != q.Calls {
			t.Fatalf("step %d differs: %+v, %+v", i, p, q)
		}
	}
}

// Budget.Tolerance is reached whether the linear optimisation is a closed form (an order
// of at most 64) or iterative, down to where rounding hides it.
func TestGapIsReached(t *testing.T) {
	for _, h := range []int{64, 65} {
		c := make([]float64, h*h)
		for i := range h { // singular values all the way down
			c[i*h+i] = 1 - float64(i)/float64(h)
		}
		c[0] = 3 // the nearest point of the unit ball is the vertex e_1e_1ᵀ
		f, omega := fwsum.NewQuadratic(h*h, nil, c), fwset.TraceNorm{H: h, M: h, Tau: 1}
		for tolerance, want := range map[float64]fwopt.Status{
			1e-3: fwopt.Converged, 1e-7: fwopt.Converged, 1e-9: fwopt.Converged, 1e-18: fwopt.Stalled,
		} {
			tr := run(f, omega, &fwopt.FW{}, fwopt.Budget{Tolerance: tolerance})
			if p := tr.Last(); tr.Status != want || p.Step > 10 || want == fwopt.Converged && p.Step > 3 {
				t.Errorf("H = %d, tolerance %g: %v, %+v", h, tolerance, tr.Status, p)
			}
		}
	}
}

// A gap is not negative, up to its slack, and a run with NoW keeps no iterate. That Watch sees each is
// TestMethod's to hold.
func TestGapOfIterates(t *testing.T) {
	f, omega := small.Problem()
	for name, m := range small.Methods() {
		tr := run(f, omega, m, fwopt.Budget{Steps: 20, Every: 1.0001, DualityGap: true, NoW: true})
		for _, p := range tr.Points {
			if !(p.DualityGap+p.Slack >= 0) {
				t.Errorf("%s: step %d has gap %g, slack %g", name, p.Step, p.DualityGap, p.Slack)
			}
		}
		if tr.W != nil || len(tr.Points) != 21 {
			t.Errorf("%s: %d points, and W = %v in spite of NoW", name, len(tr.Points), tr.W)
		}
	}
}

// epochs is a method of N(t) steps an epoch, whose iterate is its number of steps, in memory that it reuses,
// and which costs one linear optimisation a step and one more an epoch.
func epochs(N func(t int) int) fwopt.Method {
	return fwopt.MethodFunc(func(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
		return func(yield func(fwopt.Step) bool) {
			x := slices.Clone(w0)
			for t := 1; ; t++ {
				o.Calls.Linear++
				for k := 1; k <= N(t); k++ {
					o.Calls.Linear++
					x[0]++
					if !yield(fwopt.Step{T: t, K: k, X: x}) {
						return
					}
				}
			}
		}
	})
}

// recorded is the oracle of runs that are recorded by a function.
func recorded() *fwopt.Oracle {
	return fwopt.NewOracle(fwsum.NewQuadratic(2, nil, []float64{0, 0}), fwset.Simplex{D: 2, R: 1}, 1)
}

// recordOf makes a run that records what record says, and of each its excess.
func recordOf(o *fwopt.Oracle, m fwopt.Method, w0 []float64, excess func(w []float64) float64,
	record func(fwopt.Step) (bool, bool)) *fwopt.Trace {
	return fwopt.Run(bg, o.From(w0), m, fwopt.Budget{Record: record, Excess: excess, NoW: true})
}

func TestRecord(t *testing.T) {
	first := func(w []float64) float64 { return w[0] }
	ks := func(tr *fwopt.Trace) (k []int) {
		for _, p := range tr.Complete() {
			k = append(k, p.K)
		}
		return k
	}
	type point struct {
		t, k, linear int
		excess       float64
	}
	w0, got, square := []float64{0, 1}, []point(nil), func(t int) int { return t * t }
	for _, p := range recordOf(recorded(), epochs(square), w0, first, fwopt.EpochEnds(square, 4)).Complete() {
		got = append(got, point{p.T, p.K, p.Calls.Linear, p.Excess})
	}
	if want := []point{{1, 1, 2, 1}, {2, 4, 7, 5}, {3, 9, 17, 14}, {4, 16, 34, 30}}; !slices.Equal(got,
		want) {
		t.Errorf("epoch ends %v, want %v", got, want)
	}
	whole := func(int) int { return math.MaxInt }
	for _, c := range []struct {
		ratio float64
		last  int
		want  []int
	}{
		{2, 64, []int{1, 2, 4, 8, 16, 32, 64}},
		{2, 40, []int{1, 2, 4, 8, 16, 32, 40}},
		{10, 1001, []int{1, 10, 100, 1000, 1001}}, // ln 1000/ln 10 is below 3
		{1.5, 12, []int{1, 2, 3, 4, 6, 8, 12}},
		{1.01, 5, []int{1, 2, 3, 4, 5}},
		{2, 1, []int{1}},
	} {
		tr := recordOf(recorded(), epochs(whole), w0, first, fwopt.Geometric(c.ratio, c.last))
		if got := ks(tr); !slices.Equal(got, c.want) {
			t.Errorf("ratio %g: k = %v, want %v", c.ratio, got, c.want)
		}
	}
	// w_0 is the oracle's, counts, and is not recorded
	tr := recordOf(recorded(), &fwopt.FW{}, nil, first, fwopt.Geometric(2, 1))
	if p := tr.Points[0]; len(tr.Points) != 1 || p.Calls != (fwopt.Calls{Exact: 2, Linear: 2}) {
		t.Errorf("%+v", tr.Points)
	}
	// the last step of another limit is recorded, too, and a limit may come first; so may one that the
	// start spends
	tr = fwopt.Run(bg, recorded().From(w0), epochs(whole),
		fwopt.Budget{Steps: 5, Record: fwopt.Geometric(2, 100)})
	if got := ks(tr); !slices.Equal(got, []int{1, 2, 4, 5}) || !math.IsNaN(tr.Last().Excess) {
		t.Errorf("with five steps %v, excess %g", got, tr.Last().Excess)
	}
	tr = fwopt.Run(bg, recorded(), &fwopt.FW{}, fwopt.Budget{Exact: 1, Record: fwopt.Geometric(2, 8)})
	if tr.Status != fwopt.Done || len(tr.Complete()) != 1 || math.IsNaN(tr.Last().F) {
		t.Errorf("with a budget that the start spends: %v, %+v", tr.Status, tr.Points)
	}
	// a run whose last recorded step is also where somebody cancels it is done
	for _, inExcess := range []bool{false, true} {
		ctx, cancel := context.WithCancel(bg)
		defer cancel()
		seen, b := 0, fwopt.Budget{Record: fwopt.Geometric(2, 8)}
		b.Excess = func([]float64) float64 {
			if seen++; inExcess && seen == 4 {
				cancel()
			}
			return 1
		}
		b.Watch = func(_ *fwopt.Trace, now fwopt.Point) {
			if !inExcess && now.Step == 8 {
				cancel()
			}
		}
		if tr := fwopt.Run(ctx, recorded(), &fwopt.FW{}, b); tr.Status != fwopt.Done ||
			len(tr.Complete()) != 4 {
			t.Errorf("cancelled in excess: %v: %v, %d points", inExcess, tr.Status, len(tr.Points))
		}
	}
}

// A run on a sum that declares itself not convex says that no theorem covers it, when it ends and when it is found
// again; it has a duality gap as any other. One on a convex sum says nothing.
func TestNoteOfNonConvex(t *testing.T) {
	x, _ := small.Data()
	y := make([]int, x.N)
	y[3], y[8] = 1, 1
	net := fwsum.NewNetwork(x.Dense(), []int{8, 3, 2}, false, fwsum.CrossEntropy(y))
	ball := fwset.Product{fwset.RMSToRMS(3, 8, 2), fwset.OneToMax(2, 3, 2)}
	convex, simplex := small.Problem()
	for _, name := range []string{"FW", "SFW", "SVRF", "Momentum SFW", "STORM-FW"} {
		b, dir := fwopt.Budget{Steps: 12, DualityGap: true}, t.TempDir()
		if tr := run(convex, simplex, small.Methods()[name], b); tr.Note != "" {
			t.Errorf("%s: %q of a convex f", name, tr.Note)
		}
		var first string
		for turn := range 2 {
			o := fwopt.NewOracle(net, ball, 1).From(fwset.RandomVertex(ball, 1))
			tr, err := fwkeep.Keep(bg, dir, o, small.Methods()[name], b)
			if err != nil || tr.Status != fwopt.Done || !(tr.Last().DualityGap > 0) {
				t.Fatalf("%s: %v, %v", name, err, tr)
			}
			if turn == 0 {
				first = tr.Note
			}
			if want := "f declares that it is not convex: no theorem"; !strings.HasPrefix(tr.Note, want) ||
				tr.Note != first {
				t.Errorf("%s, run %d: %q, want %q", name, turn+1, tr.Note, want)
			}
		}
	}
}
