package fwrate

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// panics returns what f panics with, "" if it does not.
func panics(f func()) (message string) {
	defer func() {
		if p := recover(); p != nil {
			message = fmt.Sprint(p)
		}
	}()
	f()
	return ""
}

func TestSeeds(t *testing.T) {
	want := make([]float64, 23)
	one := func(seed uint64) float64 {
		r, s := rand.New(rand.NewPCG(seed, 0)), 0.
		for range 1000 * (seed % 3) { // some take longer
			s += r.NormFloat64()
		}
		return s + float64(seed)
	}
	for i := range want {
		want[i] = one(uint64(i + 1))
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, workers := range []int{1, 2, 7, 40} {
		runtime.GOMAXPROCS(workers)
		if got := Seeds(len(want), one); !slices.Equal(got, want) {
			t.Errorf("%d workers: %v, want %v", workers, got, want)
		}
		// of several that panic, the lowest
		msg := panics(func() {
			Seeds(50, func(seed uint64) int {
				if seed%5 == 0 {
					panic("stop here")
				}
				return 0
			})
		})
		if !strings.HasPrefix(msg, "fwrate: seed 5: stop here\n") || !strings.Contains(msg, "fwrate_test.go") {
			t.Errorf("%d workers: %q", workers, msg)
		}
		if msg := panics(func() { Seeds(3, func(seed uint64) int { runtime.Goexit(); return 0 }) }); !strings.HasPrefix(msg, "fwrate: seed 1: ") {
			t.Errorf("%d workers: %q after Goexit", workers, msg)
		}
	}
	if msg := panics(func() { Seeds(0, one) }); msg != "fwrate: 0 seeds, want at least 1" {
		t.Error(msg)
	}
}
