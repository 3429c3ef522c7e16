package fwnb

import (
	"context"
	"math"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// Which seeds a draw has, and that Stop leaves whole draws alone.
func TestRace(t *testing.T) {
	set(t, false, false)
	point := func(draw, seed uint64) []fwopt.Point { return []fwopt.Point{{T: int(draw), K: int(seed)}} }
	want := [][][]fwopt.Point{{point(1, 1), point(1, 2)}, {point(2, 3), point(2, 4)}, {point(3, 5), point(3, 6)}}
	r := race(context.Background(), "SVRF", 3, 2, func(_ context.Context, draw, seed uint64) []fwopt.Point { return point(draw, seed) })
	if r.Name != "SVRF" || !reflect.DeepEqual(r.Draws, want) {
		t.Errorf("%v", r)
	}
	var begun atomic.Int64
	msg := small.Panics(func() {
		race(context.Background(), "SVRF", 1000, 1, func(context.Context, uint64, uint64) []fwopt.Point {
			begun.Add(1)
			return []fwopt.Point{{Excess: math.NaN()}}
		})
	})
	if !strings.Contains(msg, "fwnb: Runs of SVRF: the runs have no gaps") || int(begun.Load()) > runtime.GOMAXPROCS(0) {
		t.Errorf("after %d runs: %.200q", begun.Load(), msg)
	}
	ctx, stop := context.WithCancel(context.Background())
	r = race(ctx, "SVRF", 3, 2, func(ctx context.Context, draw, seed uint64) []fwopt.Point {
		if seed == 4 {
			stop()
			panic("cut short")
		}
		if seed > 4 {
			<-ctx.Done()
			panic("cut short")
		}
		return point(draw, seed)
	})
	if !reflect.DeepEqual(r.Draws, want[:1]) {
		t.Errorf("stopped in draw 2: %v", r.Draws)
	}
}
