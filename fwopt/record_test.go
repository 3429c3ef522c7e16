package fwopt_test

import (
	"context"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// epochs is a method of N(t) steps an epoch, whose iterate is its number of
// steps, in memory that it reuses, and which costs one linear optimisation a
// step and one more an epoch.
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

func oracle() *fwopt.Oracle {
	return fwopt.NewOracle(fwsum.NewQuadratic(2, nil, []float64{0, 0}), fwset.Simplex{D: 2, R: 1}, 1)
}

// recordOf makes a run that records what record says, and of each the first number.
func recordOf(o *fwopt.Oracle, m fwopt.Method, w0 []float64, excess func(w []float64) float64, record func(fwopt.Step) (bool, bool)) *fwopt.Trace {
	return fwopt.Run(context.Background(), o.From(w0), m, fwopt.Budget{Record: record, Excess: excess, NoW: true})
}

func TestRecord(t *testing.T) {
	N := func(t int) int { return t * t }
	first := func(w []float64) float64 { return w[0] }
	steps := func(tr *fwopt.Trace) (k []int) {
		for _, p := range tr.Complete() {
			k = append(k, p.K)
		}
		return k
	}
	type point struct {
		t, k, linear int
		excess       float64
	}
	w0 := []float64{0, 1}
	var got []point
	for _, p := range recordOf(oracle(), epochs(N), w0, first, fwopt.EpochEnds(N, 4)).Complete() {
		got = append(got, point{p.T, p.K, p.Calls.Linear, p.Excess})
	}
	if want := []point{{1, 1, 2, 1}, {2, 4, 7, 5}, {3, 9, 17, 14}, {4, 16, 34, 30}}; !slices.Equal(got, want) {
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
		{10, 1000, []int{1, 10, 100, 1000}},
		{10, 1001, []int{1, 10, 100, 1000, 1001}}, // ln 1000/ln 10 is below 3
		{1.5, 12, []int{1, 2, 3, 4, 6, 8, 12}},
		{1.01, 5, []int{1, 2, 3, 4, 5}},
		{2, 1, []int{1}},
	} {
		if got := steps(recordOf(oracle(), epochs(whole), w0, first, fwopt.Geometric(c.ratio, c.last))); !slices.Equal(got, c.want) {
			t.Errorf("ratio %g: k = %v, want %v", c.ratio, got, c.want)
		}
	}
	// w_0 is the oracle's, counts, and is not recorded
	tr := recordOf(oracle(), &fwopt.FW{}, nil, first, fwopt.Geometric(2, 1))
	if p := tr.Points[0]; len(tr.Points) != 1 || p.Calls != (fwopt.Calls{Exact: 2, Linear: 2}) {
		t.Errorf("%+v", tr.Points)
	}
	m, o := fwopt.SVRFTheorem1(), oracle()
	ps := recordOf(o, m, nil, o.F.Value, fwopt.EpochEnds(m.N, 2)).Complete()
	if m.T != 2 || m.K != 30 || len(ps) != 2 || ps[1].Calls != o.Calls || ps[1].Excess != o.F.Value(m.X) {
		t.Errorf("%+v", ps)
	}
	// the last step of another limit is recorded, too, and a limit may come first
	tr = fwopt.Run(context.Background(), oracle().From(w0), epochs(whole), fwopt.Budget{Steps: 5, Record: fwopt.Geometric(2, 100)})
	if got := steps(tr); !slices.Equal(got, []int{1, 2, 4, 5}) || !math.IsNaN(tr.Last().Excess) {
		t.Errorf("with five steps %v, excess %g", got, tr.Last().Excess)
	}
}

func TestRecordPanics(t *testing.T) {
	N := func(int) int { return 3 }
	zero := func([]float64) float64 { return 0 }
	w0 := []float64{0, 1}
	short := fwopt.MethodFunc(func(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
		return func(yield func(fwopt.Step) bool) {
			yield(fwopt.Step{T: 1, K: 1, X: w0})
		}
	})
	ends := func(N func(int) int, last int) func(fwopt.Step) (bool, bool) { return fwopt.EpochEnds(N, last) }
	for _, c := range []struct {
		m      fwopt.Method
		excess func([]float64) float64
		record func(fwopt.Step) (bool, bool)
		want   string
	}{
		{epochs(N), zero, ends(func(int) int { return 2 }, 2), "fwopt: step k = 3 of epoch 1, where N_1 = 2"},
		{epochs(N), zero, ends(func(int) int { return 4 }, 2), "fwopt: step k = 1 of epoch 3, where N_3 = 4 and the last epoch is 2"},
		{epochs(N), zero, fwopt.Geometric(2, 9), "fwopt: Geometric counts the k of a method without epochs; here t = 2, k = 1"},
		{epochs(N), func(w []float64) float64 { return math.Log(6 - w[0] - 1e-9) }, ends(N, 9), "fwopt: fwopt.MethodFunc did not reach its budget: after t = 2, k = 3 it was diverged"},
		{epochs(N), func(w []float64) float64 { return math.Inf(1) }, ends(N, 9), "fwopt: fwopt.MethodFunc did not reach its budget: after t = 1, k = 3 it was diverged"},
		{short, zero, fwopt.Geometric(2, 9), "fwopt: fwopt.MethodFunc did not reach its budget: after t = 1, k = 1 it was ended by the method"},
	} {
		if msg := small.Panics(func() { recordOf(oracle(), c.m, w0, c.excess, c.record).Complete() }); !strings.HasPrefix(msg, c.want) {
			t.Errorf("%q, want %q", msg, c.want)
		}
	}
	for _, ratio := range []float64{1, 0, -2, math.NaN(), math.Inf(1)} {
		if small.Panics(func() { fwopt.Geometric(ratio, 1) }) == "" {
			t.Errorf("ratio %g", ratio)
		}
	}
	if msg := small.Panics(func() { ends(N, 0) }); !strings.HasPrefix(msg, "fwopt: the last epoch is 0") {
		t.Error(msg)
	}
}

// A run whose last recorded step is also where somebody cancels it is done; and one
// whose budget the start has spent has w_0.
func TestRecordEnds(t *testing.T) {
	for _, where := range []string{"watch", "excess"} {
		ctx, cancel := context.WithCancel(context.Background())
		b := fwopt.Budget{Record: fwopt.Geometric(2, 8), Excess: func([]float64) float64 { return 1 }}
		stop := func(step int) {
			if step == 8 {
				cancel()
			}
		}
		seen := 0
		if where == "watch" {
			b.Watch = func(_ *fwopt.Trace, now fwopt.Point) { stop(now.Step) }
		} else {
			b.Excess = func([]float64) float64 { seen++; stop(1 << (seen - 1)); return 1 }
		}
		tr := fwopt.Run(ctx, oracle(), &fwopt.FW{}, b)
		if tr.Status != fwopt.Done || len(tr.Complete()) != 4 {
			t.Errorf("cancelled in %s: %v, %d points", where, tr.Status, len(tr.Points))
		}
		cancel()
	}
	tr := fwopt.Run(context.Background(), oracle(), &fwopt.FW{}, fwopt.Budget{Exact: 1, Record: fwopt.Geometric(2, 8)})
	if tr.Status != fwopt.Done || len(tr.Complete()) != 1 || math.IsNaN(tr.Last().F) {
		t.Errorf("with a budget that the start spends: %v, %+v", tr.Status, tr.Points)
	}
	if msg := small.Panics(func() { fwopt.EpochEnds(nil, 3) }); msg != "fwopt: EpochEnds: N is nil" {
		t.Error(msg)
	}
	if msg := small.Panics(func() { (*fwopt.Trace)(nil).Complete() }); !strings.HasPrefix(msg, "fwopt: Complete of a trace that is nil") {
		t.Error(msg)
	}
}
