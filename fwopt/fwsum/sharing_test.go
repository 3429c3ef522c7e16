package fwsum_test

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwsum"
)

// One sum serves many goroutines, each with batches of its own, with the bits that
// each would get alone on one processor.
func TestSumsServeManyGoroutines(t *testing.T) {
	const n, many = 4000, 8
	logistic, x, _ := randomLogistic(11, n, 200, 7, 9)
	targets := normals(rand.New(rand.NewPCG(1, 1)), n)
	for _, f := range []interface {
		fwopt.FiniteSum
		fwopt.Differ
		fwopt.LineSearcher
		Curve(dst, w, d []float64)
	}{logistic, fwsum.NewLeastSquares(x, targets), fwsum.NewHuber(x, targets, 0.5),
		fwsum.NewLeastSquares(x.Dense(), targets), fwsum.NewRowSum(x.Dense(), 3, threeScores{})} {
		// what goroutine k asks for, and gets
		ask := func(k int) (got []float64) {
			rng := rand.New(rand.NewPCG(3, uint64(k)))
			w, w0 := normals(rng, f.Dim()), normals(rng, f.Dim())
			got = append(make([]float64, f.Dim()), f.Value(w), f.LineSearch(w, w0))
			f.Curve(got[:f.Dim()], w, w0)
			for _, b := range []fwopt.Batch{{}, drawn(rng, n, 1+k), drawn(rng, n, 200*(1+k)), drawn(rng, n, n/2+k)} {
				g, d := make([]float64, f.Dim()), slices.Clone(w0)
				f.Grad(g, w, b)
				f.AddGradDiff(d, w, w0, b)
				got = append(append(got, g...), d...)
			}
			return got
		}
		var want, got [many][]float64
		procs := runtime.GOMAXPROCS(1)
		for k := range many {
			want[k] = ask(k)
		}
		runtime.GOMAXPROCS(procs)
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
			if !slices.Equal(got[k], want[k]) {
				t.Errorf("%T: goroutine %d of %d has other bits than alone", f, k, many)
			}
		}
	}
}

// threeScores is ½‖s − i‖², the same number i in each of three scores.
type threeScores struct{}

func (threeScores) Value(i int, s []float64) (sum float64) {
	for _, x := range s {
		sum += (x - float64(i)) * (x - float64(i)) / 2
	}
	return sum
}
func (threeScores) Grad(i int, s []float64, c float64) {
	for l := range s {
		s[l] = c * (s[l] - float64(i))
	}
}
func (threeScores) Smoothness() float64 { return 1 }
