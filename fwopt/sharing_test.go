package fwopt_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
)

// One sum serves many goroutines, each with batches of its own, with the bits that
// each would get alone.
func TestSumsServeManyGoroutines(t *testing.T) {
	logistic, x, _ := randomLogistic(11, 600, 200, 7, 9)
	for _, f := range []interface {
		fwopt.FiniteSum
		fwopt.Differ
		fwopt.LineSearcher
	}{logistic, fwopt.NewLeastSquares(x, normals(rand.New(rand.NewPCG(1, 1)), 600))} {
		// what goroutine k asks for, and gets
		ask := func(k int) (got []float64) {
			rng := rand.New(rand.NewPCG(3, uint64(k)))
			for round := range 5 {
				w, w0 := normals(rng, f.Dim()), normals(rng, f.Dim())
				got = append(got, f.Value(w), f.LineSearch(w, w0))
				for _, b := range []fwopt.Batch{{}, drawn(rng, 600, 1+k), drawn(rng, 600, 20*(1+k)+round), drawn(rng, 600, 300+k)} {
					g, d := make([]float64, f.Dim()), slices.Clone(w0)
					f.Grad(g, w, b)
					f.AddGradDiff(d, w, w0, b)
					got = append(append(got, g...), d...)
				}
			}
			return got
		}
		const many = 8
		var want, got [many][]float64
		for k := range many {
			want[k] = ask(k)
		}
		var wg sync.WaitGroup
		for k := range many {
			wg.Add(1)
			go func() {
				defer wg.Done()
				got[k] = ask(k)
			}()
		}
		wg.Wait()
		for k := range many {
			if !slices.EqualFunc(got[k], want[k], func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }) {
				t.Errorf("%T: goroutine %d of %d has other bits than alone", f, k, many)
			}
		}
	}
}
