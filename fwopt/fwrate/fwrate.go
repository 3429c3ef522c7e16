// Package fwrate measures rates: how the counts of a method grow as its gap
// f(w) − f(w*) falls, to be held against a theorem.
//
//	p := fwinst.Simplex(32768, 8, 1)
//	runs := fwrate.Seeds(10, func(seed uint64) []fwopt.Point {
//		m, o := fwopt.SVRFTheorem1(), fwopt.NewOracle(p.F, p.Omega, seed)
//		b := fwopt.Budget{Record: fwopt.EpochEnds(m.N, 7), Excess: p.Excess, NoW: true}
//		return fwopt.Run(ctx, o.From(p.W0), m, b).Complete()
//	})
//	law := fwrate.Law{Count: fwrate.Linear, Power: 1,
//		Bound: func(q fwopt.Point) float64 { return p.BoundEpoch(q.T) }}
//	rate, err := law.Measure(runs)
//	fmt.Println(rate, err)
//
// In a notebook fwnb.Draws makes such runs in one call, and Runs.Rate measures them.
//
// A count that is prescribed follows its theorem whatever the iterates
// do. So each slope comes with an interval over the seeds, in two windows that
// are chosen beforehand, and next to the slope that is prescribed.
package fwrate

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/projection-free/fwlab/fwopt/internal/need"
)

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Seeds returns one(1), …, one(n), computed by GOMAXPROCS goroutines. What they
// share must be safe for that, as the sums and domains of fwopt are; each makes its
// own Oracle and Method. The result does not depend on how many there are. If a call
// panics, Seeds panics with the value and stack of the lowest seed that did.
func Seeds[T any](n int, one func(seed uint64) T) []T {
	need.Given("fwrate", "the function of a seed", one == nil)
	return Until(context.Background(), n, nil, func(_ context.Context, seed uint64) T { return one(seed) })
}

// Until is Seeds that a context ends: no seed is begun then, and one at work that
// panics, as Trace.Complete does in a run that was cut short, is left out. It returns
// the results of the seeds that are done, in their order, so that nothing done is lost.
// If done is not nil it is called after each of them, by one goroutine at a time, with
// how many there are. fwnb.Runs is Until under the Stop button.
func Until[T any](ctx context.Context, n int, done func(seeds int),
	one func(ctx context.Context, seed uint64) T) []T {
	if n < 1 {
		panic(need.Linef("fwrate: %d seeds, want at least 1", n))
	}
	need.Given("fwrate", "the context", ctx == nil)
	need.Given("fwrate", "the function of a seed", one == nil)
	all, ok, failed := make([]T, n), make([]bool, n), make([]need.Line, n)
	var begun atomic.Int64
	var stop atomic.Bool
	var wg sync.WaitGroup
	var mu sync.Mutex
	ready := 0
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			i := n
			defer func() {
				if i < n && !ok[i] { // also where one called runtime.Goexit, with nothing to recover
					why := recover()
					if ctx.Err() == nil {
						failed[i] = need.Again(fmt.Sprintf("fwrate: seed %d", i+1), why)
					}
					stop.Store(true)
				}
			}()
			for !stop.Load() && ctx.Err() == nil {
				if i = int(begun.Add(1)) - 1; i >= n {
					return
				}
				all[i] = one(ctx, uint64(i+1))
				ok[i] = true
				if done != nil {
					mu.Lock()
					ready++
					done(ready)
					mu.Unlock()
				}
			}
		}()
	}
	wg.Wait()
	for _, f := range failed { // the lowest: all below it were begun before it, and have ended
		if f != "" {
			panic(f)
		}
	}
	var out []T
	for i, x := range all {
		if ok[i] {
			out = append(out, x)
		}
	}
	return out
}
