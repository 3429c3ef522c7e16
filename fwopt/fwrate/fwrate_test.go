package fwrate

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwtest/small"
)

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
		msg := small.Panics(func() {
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
		if msg := small.Panics(func() { Seeds(3, func(seed uint64) int { runtime.Goexit(); return 0 }) }); !strings.HasPrefix(msg, "fwrate: seed 1: ") {
			t.Errorf("%d workers: %q after Goexit", workers, msg)
		}
	}
	if msg := small.Panics(func() { Seeds(0, one) }); msg != "fwrate: 0 seeds, want at least 1" {
		t.Error(msg)
	}
}
