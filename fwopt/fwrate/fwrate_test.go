package fwrate

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/projection-free/fwlab/fwopt/internal/small"
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
		if !strings.HasPrefix(msg, "fwrate: seed 5: stop here\n") ||
			!strings.Contains(msg, "fwrate_test.go") {
			t.Errorf("%d workers: %q", workers, msg)
		}
		if msg := small.Panics(func() {
			Seeds(3, func(seed uint64) int {
				runtime.Goexit()
				return 0
			})
		}); !strings.HasPrefix(msg, "fwrate: seed 1: ") {
			t.Errorf("%d workers: %q after Goexit", workers, msg)
		}
	}
	if msg := small.Panics(func() { Seeds(0, one) }); msg != "fwrate: 0 seeds, want at least 1" {
		t.Error(msg)
	}
}

// What is done when the context ends is returned, in the order of the seeds; what is at
// work then is left out, and nothing else is begun.
func TestUntil(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, workers := range []int{1, 2, 7} {
		runtime.GOMAXPROCS(workers)
		ctx, stop := context.WithCancel(context.Background())
		var counts []int
		var begun atomic.Int64
		got := Until(ctx, 500, func(seeds int) { counts = append(counts, seeds) },
			func(ctx context.Context, seed uint64) uint64 {
				begun.Add(1)
				switch {
				case seed == 20:
					stop()
					panic("cut short")
				case seed > 20: // at work when it ends: some are done, some are not
					<-ctx.Done()
					if seed%2 == 0 {
						runtime.Goexit()
					}
				}
				return 10 * seed
			})
		var want []uint64
		for seed := range uint64(begun.Load()) {
			if seed++; seed < 20 || seed > 20 && seed%2 == 1 {
				want = append(want, 10*seed)
			}
		}
		if !slices.Equal(got, want) || begun.Load() >= 500 {
			t.Errorf("%d workers, %d seeds begun: %v, want %v", workers, begun.Load(), got, want)
		}
		for i, n := range counts {
			if n != i+1 || len(counts) != len(got) {
				t.Errorf("%d workers: counted %v of %d", workers, counts, len(got))
				break
			}
		}
	}
	ended, stop := context.WithCancel(context.Background())
	stop()
	if got := Until(ended, 3, nil, func(context.Context, uint64) int {
		t.Error("begun after the end")
		return 1
	}); len(got) != 0 {
		t.Errorf("%v", got)
	}
}
