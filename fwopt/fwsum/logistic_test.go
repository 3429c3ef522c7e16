package fwsum_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func ExampleLogistic() {
	// Four examples with two features each, of two classes.
	x := &fwsum.Sparse{N: 4, M: 2,
		Ptr: []int{0, 1, 3, 4, 6},
		Col: []int32{0, 0, 1, 1, 0, 1},
		Val: []float64{1, 0.8, 0.6, 1, 0.6, 0.8},
	}
	f := fwsum.NewLogistic(x, []int{0, 0, 1, 1}, 2)

	w, g := make([]float64, f.Dim()), make([]float64, f.Dim())
	f.Grad(g, w, fwopt.Batch{}) // the exact gradient at w = 0
	gamma := 20.0
	floats.AddScaled(w, -gamma, g)

	fmt.Printf("f(0) = %.4f, f(w) = %.4f\n", f.Value(make([]float64, f.Dim())), f.Value(w))
	fmt.Printf("w = %.3v\n", mat.Formatted(f.Matrix(w), mat.Prefix("    ")))
	fmt.Println("predicted", f.Predict(w, x), "errors", f.ErrorRate(w, x, []int{0, 0, 1, 0}))
	// Output:
	// f(0) = 0.6931, f(w) = 0.1329
	// w = ⎡ 3  -3⎤
	//     ⎣-3   3⎦
	// predicted [0 0 1 1] errors 0.25
}

// One sum serves many goroutines, each with batches of its own, with the bits that each would
// get alone on one processor; of few columns, of few rows, in blocks, from a w of few numbers.
func TestBitsOfManyGoroutines(t *testing.T) {
	const n, many = 4000, 3
	logistic, x, _ := randomLogistic(11, n, 200, 7, 9)
	wide, _, _ := randomLogistic(11, n, 1500, 7, 15)
	blocks, _, _ := randomLogistic(11, 300, 20, 8000, 2)
	targets := normals(rand.New(rand.NewPCG(1, 1)), n)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, f := range []sum{logistic, wide, blocks, fwsum.NewLeastSquares(x, targets),
		fwsum.NewHuber(x, targets, 0.5),
		fwsum.NewLeastSquares(x.Dense(), targets), fwsum.NewRowSum(x.Dense(), 3, threeScores{})} {
		if testing.Short() && f.Dim() > 1e5 { // a minute under the race detector
			continue
		}
		// what goroutine k asks for, and gets
		ask := func(k int) (got []float64) {
			n, rng := f.Len(), rand.New(rand.NewPCG(3, uint64(k)))
			w, w0, few := normals(rng, f.Dim()), normals(rng, f.Dim()), make([]float64, f.Dim())
			few[rng.IntN(f.Dim())], few[rng.IntN(f.Dim())] = 1, 2
			got = append(make([]float64, f.Dim()), f.Value(w))
			f.Curve(got[:f.Dim()], w, w0)
			if f.Dim() < 1e5 { // else it takes seconds
				got = append(got, f.LineSearch(w, w0))
			}
			if f == sum(logistic) {
				for _, l := range logistic.Predict(w, x) {
					got = append(got, float64(l))
				}
			}
			for _, b := range []fwopt.Batch{{}, drawn(rng, n, 1+k), drawn(rng, n, n/20*(1+k)),
				drawn(rng, n, n/2+k), drawn(rng, n, 2*n)} {
				g, s, d := make([]float64, f.Dim()), make([]float64, f.Dim()), slices.Clone(w0)
				f.Grad(g, w, b)
				f.Grad(s, few, b)
				f.AddGradDiff(d, w, w0, b)
				got = slices.Concat(got, g, s, d)
			}
			return got
		}
		var want [many][]float64
		runtime.GOMAXPROCS(1)
		for k := range many {
			want[k] = ask(k)
		}
		for _, procs := range []int{2, 8} {
			runtime.GOMAXPROCS(procs)
			var got [many][]float64
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
					t.Errorf("%T, %d threads: goroutine %d of %d has other bits than alone", f, procs, k,
						many)
				}
			}
		}
	}
}

// A small batch leaves alone what it does not reach.
func TestSmallBatchTouchesItsRows(t *testing.T) {
	f, x, _ := randomLogistic(4, 300, 50, 6, 5)
	rng := rand.New(rand.NewPCG(9, 9))
	b := drawn(rng, 300, 2)
	reached := map[int32]bool{}
	for _, i := range b.Index {
		col, _ := x.Row(i)
		for _, j := range col {
			reached[j] = true
		}
	}
	// NaN where the batch does not look must not be seen, and must stay
	w, w0, dst := normals(rng, f.Dim()), normals(rng, f.Dim()), normals(rng, f.Dim())
	for k := range w {
		if !reached[int32(k/6)] {
			w[k], w0[k], dst[k] = math.NaN(), math.Inf(1), math.NaN()
		}
	}
	f.AddGradDiff(dst, w, w0, b)
	for k, x := range dst {
		if math.IsNaN(x) == reached[int32(k/6)] {
			t.Fatalf("feature %d: %g, reached: %t", k/6, x, reached[int32(k/6)])
		}
	}
}

// What a call allocates does not grow with n, d or the batch.
func TestObjectivesDoNotAllocate(t *testing.T) {
	f, x, _ := randomLogistic(4, 3000, 2000, 6, 10)
	ls, huber := fwsum.NewLeastSquares(x, make([]float64, 3000)),
		fwsum.NewHuber(x, make([]float64, 3000), 0.1)
	for _, f := range []sum{f, ls, huber, fwsum.NewEntryLoss(3500, make([]float64, 3000))} {
		rng := rand.New(rand.NewPCG(9, 9))
		w, v, g := normals(rng, f.Dim()), normals(rng, f.Dim()), make([]float64, f.Dim())
		batches := []fwopt.Batch{{}, drawn(rng, 3000, 100), drawn(rng, 3000, 1400), drawn(rng, 3000, 5000)}
		round := func() {
			for _, b := range batches {
				f.Grad(g, w, b)
				f.AddGradDiff(g, w, v, b)
			}
			f.Value(w)
			f.LineSearch(w, v)
			f.Curve(g, w, v)
		}
		least := uint64(math.MaxUint64) // of ten rounds: a collection or another processor costs one of them more
		for range 10 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			round()
			runtime.ReadMemStats(&after)
			least = min(least, after.TotalAlloc-before.TotalAlloc)
		}
		if least > 16000 { // the goroutines; a vector of scores has 24,000
			t.Errorf("%T: %d bytes a round of 11 calls", f, least)
		}
	}
}

// A small batch allocates nothing at all: a step of SGD is one.
func TestSmallBatchDoesNotAllocate(t *testing.T) {
	f, _, _ := randomLogistic(4, 300, 50, 6, 5)
	rng := rand.New(rand.NewPCG(9, 9))
	w, v, g, b := normals(rng, f.Dim()), normals(rng, f.Dim()), make([]float64, f.Dim()), drawn(rng, 300, 9)
	if n := testing.AllocsPerRun(100, func() { f.Grad(g, w, b); f.AddGradDiff(g, w, v, b) }); n > 0 {
		t.Errorf("a batch of 9 allocates %g times", n)
	}
}

// Blocks of few rows of a wide matrix do not cost a pointer per column each.
func TestColumnsTakeLinearMemory(t *testing.T) {
	const n, m, h = 60, 500_000, 1 << 19
	x := &fwsum.Sparse{N: n, M: m, Ptr: make([]int, n+1), Col: make([]int32, n), Val: make([]float64, n)}
	for i := range n {
		x.Ptr[i+1], x.Col[i], x.Val[i] = i+1, int32(i), 1
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fwsum.NewLogistic(x, make([]int, n), h)
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 3*8*m {
		t.Errorf("%d bytes for %d columns and %d nonzeros", bytes, m, n)
	}
}
