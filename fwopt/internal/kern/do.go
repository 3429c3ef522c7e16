package kern

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Do calls f(lo, hi) for the pieces of grain numbers into which it cuts
// 0, …, n−1, on all processors. The pieces depend on n and grain only, so that
// results do not depend on the number of processors as long as each piece
// writes what no other one reads or writes. If f panics on another goroutine
// the program ends: check arguments before.
func Do(n, grain int, f func(lo, hi int)) {
	pieces := (n + grain - 1) / grain
	workers := min(runtime.GOMAXPROCS(0), pieces)
	if workers <= 1 {
		for lo := 0; lo < n; lo += grain {
			f(lo, min(lo+grain, n))
		}
		return
	}
	var next atomic.Int64
	work := func() {
		for {
			lo := int(next.Add(1)-1) * grain
			if lo >= n {
				return
			}
			f(lo, min(lo+grain, n))
		}
	}
	var wg sync.WaitGroup
	wg.Add(workers - 1)
	for range workers - 1 {
		go func() {
			defer wg.Done()
			work()
		}()
	}
	work()
	wg.Wait()
}
