// Package fwrate measures rates: how the counts of a method grow as its gap
// f(w) − f(w*) falls, to be held against a theorem.
//
//	p := fwinst.Simplex(32768, 8, 1)
//	runs := fwrate.Seeds(10, func(seed uint64) []fwrate.Point {
//		m := fwopt.SVRFTheorem1()
//		return fwrate.Run(fwopt.NewOracle(p.F, p.Omega, seed), m, p.W0, p.Gap, fwrate.EpochEnds(m.N), 7)
//	})
//	law := fwrate.Law{Count: fwrate.Linear, Power: 1,
//		Bound: func(q fwrate.Point) float64 { return fwopt.BoundEpoch(p.L, p.D, q.T) }}
//	rate, err := law.Measure(runs)
//	fmt.Println(rate, err)
//
// A count that a schedule prescribes follows its theorem whatever the iterates
// do. So each slope comes with an interval over the seeds, in two windows that
// are chosen beforehand, and beside the slope of the schedule alone.
package fwrate

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/projection-free/fwlab/fwopt"
)

// Point is what a run had spent, and its gap, at one checkpoint.
type Point struct {
	T, K  int // the step's
	Calls fwopt.Calls
	Gap   float64 // f(w) − f(w*)
}

// At says whether a step is a checkpoint, and whether it is the last one, of a
// run that goes as far as last. The last one is always a checkpoint.
type At func(s fwopt.Step, last int) (record, stop bool)

// EpochEnds has a checkpoint at the end of each epoch; last is the last epoch.
// N is the method's own N_t. A run panics if it is not. Gaps within an epoch
// mislead: SVRF begins each with γ_1 = 1 and leaves its snapshot.
func EpochEnds(N func(t int) int) At {
	return func(s fwopt.Step, last int) (record, stop bool) {
		n := N(s.T)
		if s.K > n || s.T > last {
			panic(fmt.Sprintf("fwrate: step k = %d of epoch %d, where N_%d = %d and the last epoch is %d: N is not the method's", s.K, s.T, s.T, n, last))
		}
		return s.K == n, s.K == n && s.T == last
	}
}

// Geometric has a checkpoint at k = ⌈ratio^j⌉, j = 0, 1, …, and at the last step,
// of a method without epochs. It panics if the ratio is not above 1.
func Geometric(ratio float64) At {
	if !(ratio > 1) || math.IsInf(ratio, 1) {
		panic(fmt.Sprintf("fwrate: ratio %g, want a number above 1", ratio))
	}
	power := func(k int) float64 { return math.Floor(math.Log(float64(k))/math.Log(ratio) + 1e-12) }
	return func(s fwopt.Step, last int) (record, stop bool) {
		if s.T > 1 || s.K < 1 {
			panic(fmt.Sprintf("fwrate: Geometric counts the k of a method without epochs; here t = %d, k = %d", s.T, s.K))
		}
		return s.K == 1 || s.K == last || power(s.K) > power(s.K-1), s.K == last
	}
}

// Run runs m from w0, or from o.Start() if w0 is nil, and returns a Point at
// each checkpoint, up to epoch or step last. It asks for gap(w) = f(w) − f(w*)
// at checkpoints only. It panics if m has run already, if it ends before last,
// as it does where an inner loop stalls, or if a gap is not a finite number.
func Run(o *fwopt.Oracle, m fwopt.Method, w0 []float64, gap func(w []float64) float64, at At, last int) []Point {
	if last < 1 {
		panic(fmt.Sprintf("fwrate: the last epoch or step is %d, want at least 1", last))
	}
	if w0 == nil {
		w0 = o.Start()
	}
	var points []Point
	var now fwopt.Step
	for s := range m.Steps(o, w0) {
		if now.T == 0 && (s.T > 1 || s.K > 1) {
			panic(fmt.Sprintf("fwrate: this %T has run already; make a new one for a new run", m))
		}
		record, stop := at(s, last)
		if record {
			p := Point{s.T, s.K, o.Calls, gap(s.X)}
			if !finite(p.Gap) {
				panic(fmt.Sprintf("fwrate: %T diverged: at t = %d, k = %d the gap is %g", m, s.T, s.K, p.Gap))
			}
			points = append(points, p)
		}
		if stop {
			return points
		}
		now = s
	}
	panic(fmt.Sprintf("fwrate: %T ended by itself after t = %d, k = %d, before %d; did an inner loop stall?", m, now.T, now.K, last))
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Seeds returns one(1), …, one(n), computed by GOMAXPROCS goroutines. What they
// share must be safe for that, as the sums and domains of fwopt are; each makes its
// own Oracle and Method. The result does not depend on how many there are. If a call
// panics, Seeds panics with the value and stack of the lowest seed that did.
func Seeds[T any](n int, one func(seed uint64) T) []T {
	if n < 1 {
		panic(fmt.Sprintf("fwrate: %d seeds, want at least 1", n))
	}
	out, failed := make([]T, n), make([]string, n)
	var begun atomic.Int64
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			i := 0
			ok := true
			defer func() {
				if !ok { // also where one called runtime.Goexit, with nothing to recover
					failed[i] = fmt.Sprintf("fwrate: seed %d: %v\n\n%s", i+1, recover(), debug.Stack())
					stop.Store(true)
				}
			}()
			for !stop.Load() {
				if i = int(begun.Add(1)) - 1; i >= n {
					return
				}
				ok = false
				out[i] = one(uint64(i + 1))
				ok = true
			}
		}()
	}
	wg.Wait()
	for _, f := range failed { // the lowest: all below it were begun before it, and have ended
		if f != "" {
			panic(f)
		}
	}
	return out
}
