package fwopt

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// again says why the code may not be that of what was kept. Where it is one's own, it
// makes the start of the run on a copy of the method, and tries whether that can go
// on from its state.
func (k *keeper) again(ctx context.Context, version uint64, points []Point, first []uint64) (why string, err error) {
	const changed = "run anew: the code of f, Ω or the method has changed, or Identify leaves something out: "
	if version != codeVersion() {
		return "run anew: what was kept is of another version of fwopt, Go or gonum", nil
	}
	if k.known {
		return "", nil
	}
	m, o, err := k.twin()
	if err != nil {
		return "", err
	}
	r := &run{o: o, m: m, b: k.b, w0: k.w0, x: k.w0, start: k.start, next: 1, now: k.now, eye: Warm{RNG: k.eye.RNG}, tr: &Trace{}}
	r.b.Watch = nil
	start, began := &keeper{run: r, proven: k.proven}, time.Now()
	r.stepped = func() bool {
		if at := r.now.Step; at <= len(first) && hash(r.x) != first[at-1] {
			why = fmt.Sprintf("%sthe iterate of step %d is another one", changed, at)
			return false
		}
		return start.prove(ctx) && time.Since(began) < replay
	}
	r.loop(context.WithoutCancel(ctx)) // it is short, and half of it would prove nothing
	if start.refused != nil || why != "" {
		return why, start.refused
	}
	k.proven = start.proven
	for i, p := range r.tr.Points {
		if i >= len(points) || p.Step != points[i].Step { // the last record of either, out of turn
			break
		}
		if !equal(p, points[i]) {
			return fmt.Sprintf("%sat step %d f was %v and is now %v", changed, p.Step, points[i].F, p.F), nil
		}
	}
	return "", nil
}

// replay is how long the start of a run is made once more, but for its last step; a
// variable for the tests.
var replay = 200 * time.Millisecond

func sameBits(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }

// equal reports whether two points are the same but for the time.
func equal(p, q Point) bool {
	return p.Step == q.Step && p.T == q.T && p.K == q.K && p.Calls == q.Calls &&
		sameBits(p.F, q.F) && sameBits(p.Gap, q.Gap) && sameBits(p.Slack, q.Slack)
}

// trial is what must be equal if two methods made the same step.
type trial struct {
	t, k  int
	x     uint64 // a hash of the iterate
	calls Calls
}

func newTrial(s Step, o *Oracle) trial {
	return trial{s.T, s.K, hash(s.X), o.Calls}
}

// prove lets a copy of the method go on from the state after the first step, and
// refuses the method if that step is not the one that the run makes.
func (k *keeper) prove(ctx context.Context) (ok bool) {
	switch {
	case k.proven:
	case k.tried > 0 && k.tried+1 == k.now.Step:
		if k.proven = k.next1 == newTrial(Step{k.now.T, k.now.K, k.x}, k.o); !k.proven {
			k.refused = fmt.Errorf("fwopt: %T cannot go on from its state, for the step that a copy makes after step %d is not that of the run: keep all that it needs from step to step in exported fields, or use Run", k.m, k.tried)
		}
	case k.now.Step == k.began.Step+1 && k.began.Step > 0 && k.now.T == 1 && k.now.K == 1:
		k.refused = fmt.Errorf("fwopt: %T began anew where it was to go on after step %d: keep all that it needs from step to step in exported fields, or use Run", k.m, k.began.Step)
	default:
		k.refused = k.try(ctx)
	}
	return k.refused == nil
}

// try makes one step on a copy of the method and the oracle. One that was halted says
// nothing, and is tried again after the next step.
func (k *keeper) try(ctx context.Context) (err error) {
	if _, err := checkState(k.m); err != nil {
		return err
	}
	m, o, err := k.twin()
	if err != nil {
		return err
	}
	halted := false
	o.halt = func() bool {
		halted = halted || ctx.Err() != nil || k.b.Linear > 0 && o.Calls.Linear >= k.b.Linear || k.o.Halted()
		return halted
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("fwopt: %T panics when it goes on from its state after step %d: %v: keep all that it needs from step to step in exported fields, or use Run", k.m, k.now.Step, r)
		}
	}()
	k.tried, k.next1 = k.now.Step, trial{}
	for s := range m.Steps(o, k.w0) {
		k.next1 = newTrial(s, o)
		break
	}
	if halted {
		k.tried = 0
	}
	return nil
}

// twin returns a copy of the method and the oracle after the last whole step.
func (k *keeper) twin() (Method, *Oracle, error) {
	state, err := encodeState(k.m)
	if err != nil {
		return nil, nil, err
	}
	m, err := twin(k.m, state)
	o := NewOracle(k.o.F, k.o.Omega, k.o.seed)
	return m, o, errors.Join(err, k.mark.restore(o))
}
