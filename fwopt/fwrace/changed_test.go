package fwrace

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwtest"
	"gonum.org/v1/gonum/floats"
)

// The endless STORC keeps a method's contract, with its counts.
func TestEndless(t *testing.T) {
	fresh := func() fwopt.Method {
		a := &endless{STORC: *fwopt.STORCExperiments(fwopt.Constants{L: 1, D: 2})}
		a.N = func(int) int { return 7 }
		return a
	}
	fwtest.TestMethod(t, fresh, nil, nil, func(t, k int) fwopt.Calls {
		c := fwopt.Calls{Stochastic: 200, Linear: -1}
		if k == 1 {
			c.Exact = 1
		}
		return c
	})
}

// It is SCGS with snapshots, written a second time: the same steps where a snapshot changes
// nothing, for a batch is the whole sum.
func TestEndlessIsSliding(t *testing.T) {
	r := digits(t)
	const L, D = 1. / 32, 40.0
	var y []float64 // y_100, where the third epoch begins
	of := func(m fwopt.Method) *fwopt.Trace {
		watch := func(tr *fwopt.Trace, now fwopt.Point) {
			if now.Step == 100 {
				y = slices.Clone(tr.W)
			}
		}
		return r.Run(fwopt.NewOracle(whole{r.F}, r.Omega, 1).From(r.W0), m,
			fwopt.Budget{Steps: 120, Linear: 5000, Watch: watch})
	}
	e := &endless{STORC: *fwopt.STORCExperiments(fwopt.Constants{L: L, D: D})}
	s := &fwopt.SCGS{Gamma: e.Gamma, Beta: e.Beta, M: func(int) int { return 1 },
		Eta: func(k int) float64 { return e.Eta(1, k) }}
	a := of(e)
	if !slices.Equal(e.Y0, y) {
		t.Error("the snapshot is not the last iterate")
	}
	b := of(s)
	if a.Last().Step <= 100 || a.Last().Step != b.Last().Step || math.Abs(a.Last().F-b.Last().F) > 1e-9 {
		t.Errorf("%d steps to %.12g, want %d to %.12g", a.Last().Step, a.Last().F, b.Last().Step, b.Last().F)
	}
	if f := of(fwopt.STORCExperiments(fwopt.Constants{L: L, D: D})).Last().F; math.Abs(f-a.Last().F) < 1e-9 {
		t.Errorf("one that is reset ends there, too: %.12g", f)
	}
}

// whole is a sum of which each batch is all of it.
type whole struct{ fwopt.FiniteSum }

func (f whole) SampleBatch(b *fwopt.Batch, _ int, _ *rand.Rand) { *b = fwopt.Batch{} }

// A batch that is drawn singly has the mean of all its samples, however large it is.
func TestSingly(t *testing.T) {
	r := digits(t)
	f := &singly{r.F}
	n, d := f.Len(), f.Dim()
	got, want := make([]float64, d), make([]float64, d)
	var b fwopt.Batch
	for _, m := range []int{1, n/2 - 2, n/2 - 1, n, 3*n + 1} {
		f.SampleBatch(&b, m, rand.New(rand.NewPCG(1, 1)))
		if len(b.Index) != m || math.Abs(floats.Sum(b.Weight)-1) > 1e-9 {
			t.Fatalf("%d terms of weight %g, want %d", len(b.Index), floats.Sum(b.Weight), m)
		}
		f.Grad(got, r.W0, b)
		r.F.Grad(want, r.W0, b)
		if e := floats.Distance(got, want, math.Inf(1)); e > 1e-12 {
			t.Errorf("m = %d: the gradient is off by %g", m, e)
		}
	}
	count := make([]int, n)
	f.SampleBatch(&b, 100*n, rand.New(rand.NewPCG(2, 1)))
	for _, i := range b.Index {
		count[i]++
	}
	chi := 0.0
	for _, c := range count {
		chi += float64((c-100)*(c-100)) / 100
	}
	if slices.Min(count) == 0 || math.Abs(chi-float64(n)) > 6*math.Sqrt(2*float64(n)) {
		t.Errorf("χ² = %g of %d rows", chi, n)
	}
}
