package fwrate

import (
	"testing"
	"time"
)

// spin works until the processors have given it so much time.
func spin(d time.Duration) {
	for began := CPU(); CPU()-began < d; {
	}
}

// A sleep takes no time on the processors, and work does, also where other work slows it.
func TestCPU(t *testing.T) {
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
}

// The mean of a call, whether one call fills the 30 ms or many do, and the median of three:
// a call that is slow once does not count.
func TestSeconds(t *testing.T) {
	for _, d := range []time.Duration{time.Millisecond, 40 * time.Millisecond} {
		if s := SecondsOf(func() { spin(d) }); s < d.Seconds() || s > 1.5*d.Seconds() {
			t.Errorf("%g s of %v", s, d)
		}
	}
	calls := 0
	s := SecondsOf(func() {
		if calls++; calls == 1 || calls == 3 {
			spin(200 * time.Millisecond)
		}
		spin(40 * time.Millisecond)
	})
	if calls != 4 || s > 0.06 {
		t.Errorf("%g s of 40 ms in %d calls", s, calls)
	}
}
