package fwrate

import (
	"runtime"
	"time"

	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// SecondsOf is how many seconds a call of f takes on one processor: the median of three means,
// each over so many calls that they take 30 ms by CPU. A first call is not timed, so that what
// lies in the cache is f's own. Threads of f run on one processor meanwhile.
func SecondsOf(f func()) float64 {
	need.Given("fwrate", "SecondsOf: f", f == nil)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	f()
	var all []float64
	for range 3 {
		began, n := CPU(), 0
		for ; n == 0 || CPU()-began < 30*time.Millisecond; n++ {
			f()
		}
		all = append(all, (CPU()-began).Seconds()/float64(n))
	}
	return median(all)
}
