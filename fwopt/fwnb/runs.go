package fwnb

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Runs makes the runs of a method on random instances of a problem, so many seeds on each, as fwrate.Until does,
// with one progress display. Both count from 1, and the seeds go on from instance to instance: with two on each,
// instance 3 has the seeds 5 and 6. The Stop button (or Ctrl-C) leaves the instances that have all their runs; the
// rest of the cell goes on with these. Nothing is written to a file. Runs panics at the end of the first run
// that has no gaps, and does not wait for the rest. In one the run is made, as by fwinst.Instance.Run:
//
//	fwnb.Runs("SVRF", 5, 1, func(ctx context.Context, draw, seed uint64) []fwopt.Point {
//		m := fwopt.SVRFTheorem1()
//		return fwinst.Simplex(4096, 8, draw).Run(ctx, m, seed, fwopt.EpochEnds(m.N, 7))
//	})
func Runs(name string, draws, each int,
	one func(ctx context.Context, draw, seed uint64) []fwopt.Point) fwrate.Runs {
	need.Given("fwnb", "Runs: the function of a run", one == nil)
	if draws < 1 || each < 1 {
		panic(need.Linef("fwnb: Runs of %d draws with %d seeds each, want at least one of each", draws, each))
	}
	type run struct {
		draw   uint64
		points []fwopt.Point
	}
	n := draws * each
	runs := counted(name, n, func(ready func(runs int)) []run {
		return fwrate.Until(interrupt(), n, ready, func(ctx context.Context, seed uint64) run {
			draw := 1 + (seed-1)/uint64(each)
			points := one(ctx, draw, seed)
			if slices.ContainsFunc(points, func(q fwopt.Point) bool { return math.IsNaN(q.Excess) }) {
				panic(need.Linef("fwnb: Runs of %s: the runs have no gaps f(w) − f(w*), "+
					"of which rates are made: set Budget.Excess", name))
			}
			return run{draw, points}
		})
	})
	if len(runs) < n {
		note(fmt.Sprintf("%s: stopped with %d of %d seeds done; what follows is of these",
			name, len(runs), n))
	}
	all := make([][][]fwopt.Point, draws)
	for _, r := range runs {
		all[r.draw-1] = append(all[r.draw-1], r.points)
	}
	whole := slices.DeleteFunc(all, func(runs [][]fwopt.Point) bool { return len(runs) < each })
	return fwrate.Runs{Name: name, Draws: whole}
}

// counted shows how many of n runs are ready until do returns, or panics.
func counted[T any](title string, n int, do func(ready func(runs int)) T) T {
	var runs atomic.Int64
	p, tick := newProgress(title), time.NewTicker(pause)
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			select {
			case <-tick.C:
				p.count(int(runs.Load()), n)
			case <-quit:
				return
			}
		}
	}()
	defer func() {
		tick.Stop()
		close(quit)
		<-gone
		p.done()
	}()
	return do(func(ready int) { runs.Store(int64(ready)) })
}
