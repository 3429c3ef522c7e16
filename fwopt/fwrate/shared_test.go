package fwrate_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
)

// Seeds that share one sum measure what seeds with a copy each do, on any number of
// processors.
func TestSeedsShareOneSum(t *testing.T) {
	const n, m, h = 400, 30, 4
	logistic := func() *fwsum.Logistic {
		rng := rand.New(rand.NewPCG(1, 2))
		x, y := &fwsum.Sparse{N: n, M: m, Ptr: []int{0}}, make([]int, n)
		for i := range y {
			for j := rng.IntN(5); j < m; j += 1 + rng.IntN(9) {
				x.Col, x.Val = append(x.Col, int32(j)), append(x.Val, rng.NormFloat64())
			}
			x.Ptr, y[i] = append(x.Ptr, len(x.Val)), rng.IntN(h)
		}
		return fwsum.NewLogistic(x, y, h)
	}
	measure := func(procs int, sum func() *fwsum.Logistic) [][]fwopt.Point {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		return fwrate.Seeds(6, func(seed uint64) []fwopt.Point {
			f, method := sum(), fwopt.SVRFExperiments()
			o := fwopt.NewOracle(f, fwset.TraceNorm{H: h, M: m, Tau: 5}, seed)
			b := fwopt.Budget{Record: fwopt.EpochEnds(method.N, 4), Excess: f.Value}
			points := fwopt.Run(context.Background(), o, method, b).Complete()
			for i := range points {
				points[i].Seconds, points[i].DualityGap = 0, 0 // the one differs, the other is not recorded
			}
			return points
		})
	}
	want := measure(1, logistic)
	one := logistic()
	for _, procs := range []int{1, 2} {
		for i, got := range measure(procs, func() *fwsum.Logistic { return one }) {
			if !slices.Equal(got, want[i]) {
				t.Errorf("seed %d with one sum for all, on %d processors: %v, with a copy %v", i+1, procs, got, want[i])
			}
		}
	}
}
