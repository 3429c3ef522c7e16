package fwopt_test

import (
	"context"
	"iter"
	"math"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// mute is a rule that says nothing of itself.
type mute struct{ Step0 float64 }

func (r mute) Step(_ *fwopt.Oracle, k int, _ fwopt.Segment) float64 { return r.Step0 / float64(k+1) }

// steps is a method of given steps.
func steps(each func(yield func(fwopt.Step) bool, w0 []float64)) fwopt.Method {
	return fwopt.MethodFunc(func(_ *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
		return func(yield func(fwopt.Step) bool) { each(yield, w0) }
	})
}

// bent is a sum that declares itself not convex.
type bent struct{ fwopt.FiniteSum }

func (bent) NonConvex() bool { return true }

// tall is a sum over n rows that nobody asks for one.
type tall struct {
	fwopt.FiniteSum
	n            int
	fwopt.Scorer // none
}

func (r tall) Len() int          { return r.n }
func (r tall) Shape() (h, m int) { return 1, r.Dim() }

// What the caller could have known is a panic that says it.
func TestRunPanics(t *testing.T) {
	type STORC = fwopt.STORC
	f, h := instance(1, 4, 3, 2)
	_, other := instance(1, 4, 2, 2)
	x, one, nan := make([]float64, 3), fwopt.Constants{L: 1, D: 1, Sigma: 1}, math.NaN()
	oracle := func() *fwopt.Oracle { return fwopt.NewOracle(f, h, 1) }
	run := func(m fwopt.Method, b fwopt.Budget) func() {
		return func() { fwopt.Run(context.Background(), oracle(), m, b) }
	}
	first := func(m fwopt.Method) func() { return run(m, fwopt.Budget{Steps: 3}) }
	budget := func(b fwopt.Budget) func() { return run(&fwopt.FW{}, b) }
	storc := func(edit func(m *STORC)) *STORC {
		m := fwopt.STORCExperiments(one)
		edit(m)
		return m
	}
	var logistic *fwsum.Logistic
	used := fwopt.SVRFTheorem1()
	first(used)()
	spent := oracle()
	fwopt.Run(context.Background(), spent, &fwopt.FW{}, fwopt.Budget{Steps: 1})
	// records at the ends of epochs of three steps
	three := func(int) int { return 3 }
	excess := func(e func(w []float64) float64, record func(fwopt.Step) (bool, bool)) func() {
		return func() { recordOf(recorded(), epochs(three), []float64{0, 1}, e, record).Complete() }
	}
	zero := func([]float64) float64 { return 0 }
	ends := func(n, last int) func(fwopt.Step) (bool, bool) {
		return fwopt.EpochEnds(func(int) int { return n }, last)
	}
	for _, c := range []struct {
		want string
		call func()
	}{
		{"fwopt: an Oracle needs both f and Ω; f is <nil>", func() { fwopt.NewOracle(nil, h, 1) }},
		{"fwopt: an Oracle needs both f and Ω; f is *fwsum.Logistic",
			func() { fwopt.NewOracle(logistic, h, 1) }},
		{"fwopt: an Oracle needs both f and Ω; f is *fwopt_test.lsq", func() { fwopt.NewOracle(f, nil, 1) }},
		{"fwopt: a run needs a method, this <nil> is nil", first(nil)},
		{"fwopt: a run needs a method, this *fwopt.SVRF is nil", first((*fwopt.SVRF)(nil))},
		{"fwopt: a run needs a method, this fwopt.MethodFunc is nil", first(fwopt.MethodFunc(nil))},
		{"fwopt: an Oracle is made by NewOracle",
			func() { fwopt.NewRunner(nil, used, fwopt.Budget{Steps: 1}) }},
		{"fwopt: an Oracle is made by NewOracle", func() { (&fwopt.Oracle{F: f, Omega: h}).Sample(1) }},
		{"fwopt: this Oracle has served a run",
			func() { fwopt.NewRunner(spent, used, fwopt.Budget{Steps: 1}) }},
		{"fwopt: this SVRF has run already", first(used)},
		{"fwopt: f has dimension 3 and Ω has dimension 2", func() { fwopt.NewOracle(f, other, 1) }},
		{"fwopt: fwopt_test.hull has no Project", func() { oracle().Project(x, x) }},
		{"fwopt: fwopt_test.hull has no ArgminLocal", func() { oracle().ArgminLocal(x, x, x, 1) }},
		{"fwopt: *fwopt_test.madeSum has no line search",
			func() { fwopt.NewOracle(kink(3), h, 1).LineSearch(x, x) }},
		{"fwopt: a batch of 0 samples", func() { oracle().Sample(0) }},
		{"fwopt: vectors of different lengths", func() { fwopt.Lerp(x, 0.5, x[:2]) }},
		{"fwopt: γ = 1.5", func() { fwopt.Lerp(x, 1.5, x) }},
		{"fwopt: γ = NaN", func() { fwopt.Lerp(x, nan, x) }},
		{"fwset: a radius of NaN", func() { fwset.Simplex{D: 3, R: 1}.ArgminLocal(x, x, x, nan) }},
		{"fwopt: c = 0", func() { fwopt.SGDExperiments(0) }},
		{"fwopt: L = -1", first(&fwopt.FW{Rule: fwopt.Short{L: -1}})},
		{"fwopt: L = -1", first(&fwmore.AwayFW{Rule: fwopt.Short{L: -1}})},
		{"fwmore: AwayFW.Rule is nil", first(&fwmore.AwayFW{})},
		{"fwopt: the step rule fwopt_test.mute gives γ_1 = NaN, want a", first(&fwopt.FW{Rule: mute{nan}})},
		{"fwopt: the step rule fwopt_test.mute gives γ_1 = 1.5, want", first(&fwopt.FW{Rule: mute{3}})},
		{"fwopt: the step rule fwopt_test.mute gives γ_1 = -0.5, want",
			first(&fwmore.AwayFW{Rule: mute{-1}})},
		{"fwopt: the bound B of STORC, adaptive, holds for a convex f alone, and fwopt_test.bent", func() {
			fwopt.Run(context.Background(), fwopt.NewOracle(bent{f}, h, 1), fwmore.NewAdaptiveSTORC(),
				fwopt.Budget{Steps: 1})
		}},
		{"fwrate: the f of FW on fwopt_test.bent declares that it is not convex", func() {
			o := fwopt.NewOracle(bent{f}, h, 1)
			fwrate.LowerBound(fwopt.Run(context.Background(), o, &fwopt.FW{}, fwopt.Budget{Steps: 1}))
		}},
		{"fwmore: SAGFW.B = 0", first(&fwmore.SAGFW{})},
		{"fwmore: SAG-FW remembers the slopes of rows, and fwopt_test.bent is no fwopt.Scorer", func() {
			(&fwmore.SAGFW{B: 1}).Steps(fwopt.NewOracle(bent{f}, h, 1), x)
		}},
		{"fwmore: SAG-FW on a sum of one term", func() {
			(&fwmore.SAGFW{B: 1}).Steps(fwopt.NewOracle(tall{bent{f}, 1, nil}, h, 1), x)
		}},
		{"fwmore: 3.6e+07 GB for the slopes of SAG-FW", func() {
			(&fwmore.SAGFW{B: 1}).Steps(fwopt.NewOracle(tall{bent{f}, 1 << 52, nil}, h, 1), x)
		}},
		{"fwopt: β = -1", first(storc(func(m *STORC) { m.Beta = func(int) float64 { return -1 } }))},
		{"fwopt: η = -1", first(storc(func(m *STORC) { m.Eta = func(_, _ int) float64 { return -1 } }))},
		{"fwopt: η = NaN", first(storc(func(m *STORC) { m.Eta = func(_, _ int) float64 { return nan } }))},
		{"fwopt: a batch of 0 samples", first(storc(func(m *STORC) {
			m.M = func(_, _ int) int { return 0 }
		}))},
		{"fwopt: N_1 = 0", first(storc(func(m *STORC) { m.N = func(int) int { return 0 } }))},
		{"fwopt: a Memory of -1 vertices", first(storc(func(m *STORC) { m.Memory.Size = -1 }))},
		{"fwopt: STORCAway takes away steps",
			first(&fwopt.STORCAway{STORC: *storc(func(m *STORC) { m.Memory.Size = 2 })})},
		{"fwopt: SVRF.Gamma is nil", first(&fwopt.SVRF{})},
		{"fwopt: fwopt.MethodFunc writes to w0", first(steps(func(yield func(fwopt.Step) bool, w0 []float64) {
			for k := 1; yield(fwopt.Step{T: 1, K: k, X: w0}); k++ {
				w0[0] += 0.1
			}
		}))},
		{"fwopt: the point of step 1 is outside of Ω: its duality gap is -1, which is less than 0", func() {
			f := fwsum.NewQuadratic(3, nil, []float64{-1, -2, -3})
			o := fwopt.NewOracle(f, fwset.Simplex{D: 3, R: 1}, 1).From([]float64{0, 0, 1})
			fwopt.Run(context.Background(), o, steps(func(yield func(fwopt.Step) bool, _ []float64) {
				yield(fwopt.Step{T: 1, K: 1, X: make([]float64, 3)})
			}), fwopt.Budget{Tolerance: 1e-6})
		}},
		{"fwopt: a Budget without a limit", budget(fwopt.Budget{})},
		{"fwopt: Budget.Steps = -1", budget(fwopt.Budget{Steps: -1})},
		{"fwopt: Budget.Seconds = -1", budget(fwopt.Budget{Seconds: -1})},
		{"fwopt: Budget.Seconds = NaN", budget(fwopt.Budget{Seconds: nan})},
		{"fwopt: Budget.Tolerance = -1", budget(fwopt.Budget{Tolerance: -1})},
		{"fwopt: Budget.Every = 1, want", budget(fwopt.Budget{Steps: 1, Every: 1})},
		{"fwopt: Budget.Every = 0.5, want", budget(fwopt.Budget{Steps: 1, Every: 0.5})},
		{"fwopt: step k = 3 of epoch 1, where N_1 = 2", excess(zero, ends(2, 2))},
		{"fwopt: step k = 1 of epoch 3, where N_3 = 4 and the last epoch is 2", excess(zero, ends(4, 2))},
		{"fwopt: Geometric counts the k of a method without epochs; here t = 2, k = 1",
			excess(zero, fwopt.Geometric(2, 9))},
		{"fwopt: fwopt.MethodFunc did not reach its budget: after t = 2, k = 3 it was diverged",
			excess(func(w []float64) float64 { return math.Log(6 - w[0] - 1e-9) }, ends(3, 9))},
		{"fwopt: fwopt.MethodFunc did not reach its budget: after t = 1, k = 3 it was diverged",
			excess(func([]float64) float64 { return math.Inf(1) }, ends(3, 9))},
		{"fwopt: the last epoch is 0", func() { ends(3, 0) }},
		{"fwopt: EpochEnds: N is nil", func() { fwopt.EpochEnds(nil, 3) }},
		{"fwopt: ratio 1, want", func() { fwopt.Geometric(1, 1) }},
		{"fwopt: ratio -2, want", func() { fwopt.Geometric(-2, 1) }},
		{"fwopt: ratio NaN, want", func() { fwopt.Geometric(nan, 1) }},
		{"fwopt: ratio +Inf, want", func() { fwopt.Geometric(math.Inf(1), 1) }},
		{"fwopt: Complete of a trace that is nil", func() { (*fwopt.Trace)(nil).Complete() }},
	} {
		if got := small.Panics(c.call); !strings.HasPrefix(got, c.want) {
			t.Errorf("panic %q, want %q", got, c.want)
		}
	}
}
