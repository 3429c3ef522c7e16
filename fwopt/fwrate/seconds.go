package fwrate

import (
	"math"
	"runtime"
	"time"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Repeat makes a run so many times, and returns its points with the seconds of all of them: of
// each piece from point to point the least that any run took, added up. The runs are the same
// but for their seconds, and what else the machine does only ever adds. It panics if times < 1,
// or if the runs have other steps.
func Repeat(times int, run func() []fwopt.Point) (all []fwopt.Point) {
	need.Given("fwrate", "Repeat: run", run == nil)
	if times < 1 {
		panic(need.Linef("fwrate: a run repeated %d times", times))
	}
	var spent []float64 // of each piece
	var steps []int
	for i := range times {
		all = run()
		if i > 0 && len(all) != len(spent) {
			panic(need.Linef("fwrate: repeated run %d has %d points, the first %d: they must be the "+
				"same but for their seconds", i+1, len(all), len(spent)))
		}
		last := 0.0
		for k, q := range all {
			if i == 0 {
				spent, steps = append(spent, math.Inf(1)), append(steps, q.Step)
			}
			if q.Step != steps[k] {
				panic(need.Linef("fwrate: repeated run %d has step %d for point %d, the first %d: they "+
					"must be the same but for their seconds", i+1, q.Step, k, steps[k]))
			}
			spent[k] = min(spent[k], q.Seconds-last)
			last = q.Seconds
		}
	}
	total := 0.0
	for k := range all {
		total += spent[k]
		all[k].Seconds = total
	}
	return all
}

// SecondsOf is how many seconds a call of f takes on one processor: the median of three means,
// each over so many calls that they take 30 ms by CPU or more. A first call is not timed, so that what
// lies in the cache is f's own. Threads of f run on one processor meanwhile.
func SecondsOf(f func()) float64 {
	need.Given("fwrate", "SecondsOf: f", f == nil)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	f()
	var all []float64
	for range 3 {
		began, n := CPU(), 0
		for more := 1; n == 0 || CPU()-began < 30*time.Millisecond; more *= 2 { // CPU takes a µs
			for range more {
				f()
			}
			n += more
		}
		all = append(all, (CPU()-began).Seconds()/float64(n))
	}
	return median(all)
}
