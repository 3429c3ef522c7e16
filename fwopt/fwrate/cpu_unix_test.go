package fwrate

import (
	"testing"
	"time"
)

// A sleep takes no time on the processors, and work does. A call has the mean of those that fill
// 30 ms, and the median of three such means: one that is slow once does not count.
func TestSecondsOf(t *testing.T) {
	spin := func(d time.Duration) {
		for began := CPU(); CPU()-began < d; {
		}
	}
	began := CPU()
	time.Sleep(100 * time.Millisecond)
	if d := CPU() - began; d < 0 || d > 50*time.Millisecond {
		t.Errorf("%v of a sleep of 100 ms", d)
	}
	wall := time.Now()
	spin(20 * time.Millisecond)
	if d := time.Since(wall); d < 15*time.Millisecond {
		t.Errorf("20 ms of one thread in %v", d)
	}
	if s := SecondsOf(func() { spin(time.Millisecond) }); s < 0.001 || s > 0.0015 {
		t.Errorf("%g s of 1 ms", s)
	}
	if s := SecondsOf(func() {}); s > 1e-7 {
		t.Errorf("%g s of nothing, to which the clock adds", s)
	}
	calls := 0
	s := SecondsOf(func() {
		if calls++; calls == 1 || calls == 3 {
			spin(200 * time.Millisecond)
		}
		spin(40 * time.Millisecond)
	})
	if calls != 4 || s < 0.04 || s > 0.06 {
		t.Errorf("%g s of 40 ms in %d calls", s, calls)
	}
}
