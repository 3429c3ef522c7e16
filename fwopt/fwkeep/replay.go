package fwkeep

import (
	"context"
	"fmt"
	"math/bits"
	"time"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/hash"
)

// again says why the code may not be that of what was kept. Where it is one's own, it
// makes the start of the run on a copy of the method, and tries whether that can go
// on from its state.
func (k *keeper) again(ctx context.Context, version uint64, points []fwopt.Point, first []uint64) (
	why string, err error) {
	const changed = "run anew: the code of f, Ω or the method has changed, or Identify leaves something out: "
	if version != k.version {
		return "run anew: what was kept is of another version of fwopt, Go or gonum", nil
	}
	if k.known {
		return "", nil
	}
	r, err := k.twin()
	if err != nil {
		return "", err
	}
	start, began := &keeper{run: r, fresh: k.fresh, proven: k.proven}, time.Now()
	r.Stepped = func() bool {
		now := r.State()
		if at := now.Now.Step; at <= len(first) && hash.Floats(now.X) != first[at-1] {
			why = fmt.Sprintf("%sthe iterate of step %d is another one", changed, at)
			return false
		}
		return start.prove(ctx) && time.Since(began) < replay
	}
	r.Run(context.WithoutCancel(ctx)) // it is short, and half of it would prove nothing
	if start.refused != nil || why != "" {
		return why, start.refused
	}
	k.wentOn = start.wentOn
	for i, p := range r.Trace.Points {
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

// same reports whether two numbers are, as gob keeps them: without the sign of a zero.
func same(x, y float64) bool { return x == y || x != x && y != y }

// equal reports whether two points are the same but for the time.
func equal(p, q fwopt.Point) bool {
	return p.Step == q.Step && p.T == q.T && p.K == q.K && p.Calls == q.Calls &&
		same(p.F, q.F) && same(p.DualityGap, q.DualityGap) && same(p.Slack, q.Slack)
}

// made returns a hash of what must be equal if two methods made the same step.
func made(s fwopt.State) uint64 {
	return hash.Text(hash.Floats(s.X), fmt.Sprint(s.Now.T, s.Now.K, s.Calls))
}

// prove lets a copy of the method go on from the state after steps 1, 2, 4, 8, …, and after
// others for a hundredth of the run, and refuses the method where the copy's steps are not
// those that the run makes.
func (k *keeper) prove(ctx context.Context) (ok bool) {
	if k.proven {
		return true
	}
	s, m := k.run.State(), k.run.Method
	now := s.Now
	if len(k.ahead) > 0 {
		k.wentOn = k.ahead[0] == made(s)
		if k.ahead = k.ahead[1:]; !k.wentOn {
			k.refused = fmt.Errorf("fwkeep: %T cannot go on from its state: a copy that takes it up after "+
				"step %d makes another step %d than the run; keep all that it needs from step to step in "+
				"exported fields, or use Run; if it is in a variable outside of Steps, the copy has "+
				"changed it, and this run is not that of Run either", m, k.tried, now.Step)
			return false
		}
	}
	switch {
	case now.Step == k.began.Step+1 && k.began.Step > 0 && now.T == 1 && now.K == 1:
		k.refused = fmt.Errorf("fwkeep: %T began anew where it was to go on after step %d: keep all that "+
			"it needs from step to step in exported fields, or use Run", m, k.began.Step)
	case len(k.ahead) == 0 && (now.Step >= k.due || time.Duration(now.Seconds*1e7) > k.spent):
		k.refused = k.try(ctx)
	}
	return k.refused == nil
}

// try makes a step on a copy of the run, and as many more as it has made while that takes
// no more than replay, or a hundredth of the run, in all. A copy that was halted says
// nothing, and is tried again after the next step.
func (k *keeper) try(ctx context.Context) (err error) {
	r, err := k.twin()
	if err != nil {
		return err
	}
	now, began := k.run.State().Now, time.Now()
	at, most := now.Step, max(replay, time.Duration(now.Seconds*1e7))-k.spent
	defer func() { k.spent += time.Since(began) }()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("fwkeep: %T panics when it goes on from its state after step %d: %v: keep all "+
				"that it needs from step to step in exported fields, or use Run", k.run.Method, at, p)
		}
	}()
	k.tried, k.due = at, 1<<bits.Len(uint(at)) // the next power of two
	r.Stepped = func() bool {
		k.ahead = append(k.ahead, made(r.State()))
		return len(k.ahead) < at && time.Since(began) < most
	}
	switch r.Run(ctx); {
	case len(k.ahead) > 0:
	case r.Trace.Status == fwopt.Interrupted || r.Trace.Status == fwopt.Done:
		k.due = 0
	default:
		k.ahead = []uint64{0} // it makes no step, where the run does
	}
	return nil
}

// twin returns a copy of the run after its last whole step.
func (k *keeper) twin() (*fwopt.Runner, error) {
	state, err := k.state()
	if err != nil {
		return nil, err
	}
	m := fresh(k.fresh)
	if err := decodeState(m, state); err != nil {
		return nil, err
	}
	return k.run.Twin(m)
}
