package fwopt

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Keep is Run that leaves files in the folder dir, so that the next program,
// such as the next cell of a notebook, finds the run again:
//
//   - a finished run is read from its file, if all that decides it is the same:
//     data, domain, method and schedules, w0, seed, budget and [Kernel];
//   - an interrupted run goes on where it stopped, to the same bits as a run
//     that was not interrupted; it is saved when it is interrupted and every 20
//     seconds before that;
//   - any other run is run; if it reaches its budget it is kept.
//
// The parts say by themselves what decides them, those of this package and one's
// own alike: see [Identified]. A run with a part that does not is run anew each
// time, and Trace.Note says which part that is. Schedules count by their values at
// the steps that the run made, so runs that differ never share a file.
//
// Code may change under the same words. For that of this package a file holds a hash
// of it. With a part of one's own Keep makes the start of the run that it finds once
// more, on a copy of the method, for 0.2 seconds and at least one step, and compares
// bits. Where they differ the run is run anew, and Trace.Note says why. A change in
// one's own code that shows only later it cannot see: say a version in Identify, by
// id.Text.
//
// The state of a method is its exported fields. If a checkpoint would lose a part of
// it, or if a copy that takes up the state after the first step of the run does not
// make its second, Keep returns an error with the type, the field and the remedy, and
// no trace.
//
// A file is written under another name and then renamed, so it is whole at any
// instant; it has a checksum, which is looked at before anything else; and two
// programs may use one folder. An error in writing never costs a trace: it is
// returned beside it. A file of this name that is damaged or of another format is an
// error and is left as it is; the trace is then nil. Watch is called for the steps
// that are new.
func Keep(ctx context.Context, dir string, o *Oracle, m Method, w0 []float64, b Budget) (*Trace, error) {
	r := newRun(o, m, w0, b)
	ids, why := r.identities()
	if why != "" {
		r.tr.Note = "not kept: " + why
		r.loop(ctx)
		return r.tr, nil
	}
	if err := checkState(m); err != nil {
		return nil, err
	}
	r.tr.Spec = r.spec(ids)
	k := &keeper{run: r, dir: dir, saved: time.Now(), proven: !ids[2].other, known: !ids[0].other && !ids[1].other && !ids[2].other,
		base: slug(fmt.Sprintf("%s-%s-seed%d-%08x", r.tr.Data, r.tr.Method, o.seed, uint32(mixString(0, r.tr.Spec))))}
	failed := os.MkdirAll(dir, 0o777)
	if failed == nil {
		sweep(dir, k.base)
		if tr, err := k.find(ctx); tr != nil || err != nil {
			return tr, err
		}
		r.stepped, r.interrupted = k.step, func() { k.save() }
	}
	r.loop(ctx)
	if k.refused != nil {
		return nil, k.refused
	}
	if failed == nil {
		failed = k.finish()
	}
	if failed != nil {
		failed = fmt.Errorf("fwopt: the run is not kept: %w", failed)
	}
	return r.tr, failed
}

// identities asks f, Ω and the method what they are, with the schedules at the first
// steps, or says why one of them has none.
func (r *run) identities() (ids [3]Identity, why string) {
	const horizon = 1000 // steps; schedules that differ later only have one name, and several files
	for i, part := range []any{r.o.F, r.o.Omega, r.m} {
		ids[i] = identify(part, horizon)
		if ids[i].why == "" && ids[i] != identify(part, horizon) {
			ids[i].why = fmt.Sprintf("two calls of Identify of %T say two things", part)
		}
		if why == "" {
			why = ids[i].why
		}
	}
	return ids, why
}

// spec writes out all that decides the run.
func (r *run) spec(ids [3]Identity) string {
	b := r.b
	b.Watch = nil
	r.mark.set(r.o)
	warm, _ := r.mark.Warm.RNG.MarshalBinary() // never fails
	var start Identity
	start.Float(r.w0...).Float(r.mark.Warm.V...).Text(string(warm)).Text(string(r.mark.RNG))
	return fmt.Sprintf("f %T %s n %d d %d %016x%016x; Ω %T %016x%016x; method %T %016x%016x; start %016x, seed %d, calls %+v; budget %+v; kernel %s",
		r.o.F, r.tr.Data, r.o.F.Len(), r.o.F.Dim(), ids[0].fixed, ids[0].walk, r.o.Omega, ids[1].fixed, ids[1].walk,
		r.m, ids[2].fixed, ids[2].walk, start.fixed, r.o.seed, r.now.Calls, b, r.tr.Kernel)
}

// walk returns the hash of the schedules at the first steps.
func (r *run) walk(steps int) uint64 { return identify(r.m, steps).walk }

// A keeper does the files of one run.
type keeper struct {
	*run
	dir, base string

	path   string    // the checkpoint that is there of this run, or ""
	began  Point     // where this program took it up
	saved  time.Time // when the last checkpoint was due
	known  bool      // the version of this package covers all code of the run
	proven bool      // the method goes on from its state: it is ours, or a copy did
	second trial     // where the copy went

	refused error // the method cannot be saved
	failed  error // the last checkpoint could not be written
}

// trial is what must be equal if two methods made the same step.
type trial struct {
	t, k  int
	x     uint64 // a hash of the iterate
	calls Calls
}

func newTrial(s Step, o *Oracle) trial {
	var x Identity
	x.Float(s.X...)
	return trial{s.T, s.K, x.fixed, o.Calls}
}

// find returns the kept trace of the run, or takes the run to where its furthest
// checkpoint was written, or does nothing.
func (k *keeper) find(ctx context.Context) (*Trace, error) {
	for _, path := range withName(k.dir, k.base, ".trace") {
		rec, err := loadRecord(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		tr := rec.Trace
		if tr.Spec != k.tr.Spec || rec.Walk != k.walk(tr.Last().Step) {
			continue
		}
		why, err := k.again(ctx, rec.Version, tr.Points, tr.W)
		if err != nil {
			return nil, err
		}
		if why == "" {
			k.clear()
			k.o.Calls = tr.Last().Calls
			return tr, nil
		}
		k.tr.Note = why
	}
	var last *checkpoint
	for _, path := range withName(k.dir, k.base, ".ckpt") {
		c, err := loadCheckpoint(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if c.Spec == k.tr.Spec && c.Walk == k.walk(c.Now.Step) && (last == nil || c.Now.Step > last.Now.Step) {
			last, k.path = c, path
		}
	}
	if last == nil {
		return nil, nil
	}
	why, err := k.again(ctx, last.Version, last.Points, nil)
	if err != nil {
		return nil, err
	}
	if why != "" {
		k.tr.Note = why
		return nil, nil
	}
	if err := k.restore(last); err != nil {
		return nil, fmt.Errorf("fwopt: %s cannot be used: %w; remove it to run anew", k.path, err)
	}
	k.began = k.now
	return nil, nil
}

// again says why the code may not be that of what was kept. Where it is one's own, it
// makes the start of the run on a copy of the method, and tries whether that can go
// on from its state.
func (k *keeper) again(ctx context.Context, version uint64, points []Point, w []float64) (why string, err error) {
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
	r := &run{o: o, m: m, b: k.b, w0: k.w0, x: k.w0, next: 1, now: k.now, eye: Warm{RNG: k.eye.RNG}, tr: &Trace{}}
	r.b.Watch = nil
	start := &keeper{run: r, proven: k.proven}
	began := time.Now()
	r.stepped = func() bool { return start.prove() && time.Since(began) < replay }
	r.loop(ctx)
	if start.refused != nil {
		return "", start.refused
	}
	k.proven = start.proven
	for i, p := range r.tr.Points {
		if i >= len(points) || p.Step != points[i].Step { // the last record of either, out of turn
			break
		}
		if !equal(p, points[i]) {
			return fmt.Sprintf("run anew: the code of f, Ω or the method has changed: at step %d f was %v and is now %v", p.Step, points[i].F, p.F), nil
		}
	}
	if w != nil && r.tr.W != nil && r.now.Step == points[len(points)-1].Step && !slices.EqualFunc(w, r.tr.W, sameBits) {
		return "run anew: the code of f, Ω or the method has changed: the last iterate is another one", nil
	}
	return "", nil
}

// persistEvery is how much work a killed run can lose; a variable for the tests.
var persistEvery = 20 * time.Second

// replay is how long the start of a run is made once more, but for its last step; a
// variable for the tests.
var replay = 200 * time.Millisecond

func sameBits(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }

// equal reports whether two points are the same but for the time.
func equal(p, q Point) bool {
	return p.Step == q.Step && p.T == q.T && p.K == q.K && p.Calls == q.Calls &&
		sameBits(p.F, q.F) && sameBits(p.Gap, q.Gap) && sameBits(p.Slack, q.Slack)
}

// step is called after each step. It writes a checkpoint when one is due.
func (k *keeper) step() (more bool) {
	if !k.prove() {
		return false
	}
	if time.Since(k.saved) > persistEvery {
		k.save()
		k.saved = time.Now()
	}
	return k.refused == nil
}

// prove lets a copy of the method go on from the state after the first step, and
// refuses the method if that step is not the one that the run makes.
func (k *keeper) prove() (ok bool) {
	steps, ok := k.now.Step-k.began.Step, true
	switch {
	case k.proven || steps > 2:
	case steps == 1:
		if k.began.Step > 0 { // a method that begins anew shows it in t and k
			ok = k.now.T > k.began.T || k.now.T == k.began.T && k.now.K > k.began.K
		}
		k.second, k.refused = k.try()
	default:
		ok = k.second == newTrial(Step{k.now.T, k.now.K, k.x}, k.o)
		k.proven = ok
	}
	if !ok {
		k.refused = fmt.Errorf("fwopt: %T cannot go on from its state, for a step after restored ones is not that of the run: keep all that it needs from step to step in exported fields, or use Run", k.m)
	}
	return k.refused == nil
}

// try makes one step on a copy of the method and the oracle.
func (k *keeper) try() (t trial, err error) {
	if err := checkState(k.m); err != nil {
		return t, err
	}
	m, o, err := k.twin()
	if err != nil {
		return t, err
	}
	for s := range m.Steps(o, k.w0) {
		return newTrial(s, o), nil
	}
	return t, nil
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

// checkpoint is what Keep writes of an unfinished run.
type checkpoint struct {
	Spec          string
	Version, Walk uint64
	Points        []Point
	Monitor       Calls
	Now           Point
	X             []float64
	Next          int
	Mark          marker
	Eye           Warm
	Method        []byte // its state
}

func loadCheckpoint(path string) (*checkpoint, error) {
	c := new(checkpoint)
	if err := readFile(path, checkpointFile, func(d *gob.Decoder) error { return d.Decode(c) }); err != nil {
		return nil, err
	}
	return c, nil
}

// save writes a checkpoint, if the method is known to go on from one.
func (k *keeper) save() {
	if !k.proven {
		return
	}
	if k.refused = checkState(k.m); k.refused != nil {
		return
	}
	state, err := encodeState(k.m)
	if err != nil {
		k.refused = err
		return
	}
	c := &checkpoint{k.tr.Spec, codeVersion(), k.walk(k.now.Step), k.tr.Points, k.tr.Monitor, k.now, k.x, k.next, k.mark, k.eye, state}
	path := k.file(c.Walk, ".ckpt")
	if err := writeFile(path, checkpointFile, func(e *gob.Encoder) error { return e.Encode(c) }); err != nil {
		k.failed = err
		return
	}
	if k.failed = nil; k.path != "" && k.path != path {
		os.Remove(k.path)
	}
	k.path = path
}

// restore takes the run to where a checkpoint was written.
func (k *keeper) restore(c *checkpoint) error {
	k.tr.Points, k.tr.Monitor, k.now, k.x, k.next, k.eye = c.Points, c.Monitor, c.Now, c.X, c.Next, c.Eye
	if err := c.Mark.restore(k.o); err != nil {
		return err
	}
	return decodeState(k.m, c.Method)
}

// file names a file of the run by the schedules at its steps so far.
func (k *keeper) file(walk uint64, end string) string {
	return filepath.Join(k.dir, fmt.Sprintf("%s-%08x%s", k.base, uint32(walk), end))
}

// finish writes the trace of a run that has reached its budget.
func (k *keeper) finish() error {
	if k.tr.Status != Done && k.tr.Status != Converged {
		if k.tr.Status == Interrupted && k.path == "" && k.failed == nil {
			k.tr.Note = "not saved: it was interrupted before its second step"
		}
		return k.failed
	}
	note := k.tr.Note
	defer func() { k.tr.Note = note }()
	k.tr.Note = ""
	walk := k.walk(k.now.Step)
	err := saveRecord(k.file(walk, ".trace"), &record{k.tr, codeVersion(), walk})
	if err == nil {
		k.clear()
	}
	return err
}

// clear removes the checkpoints of a run whose trace is kept: its own, and what
// another program that made the same run at the same time has left.
func (k *keeper) clear() {
	for _, path := range withName(k.dir, k.base, ".ckpt") {
		if c, err := loadCheckpoint(path); err == nil && c.Spec == k.tr.Spec && c.Walk == k.walk(c.Now.Step) {
			os.Remove(path)
		}
	}
}

// slug makes s fit for a file name.
func slug(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '.', c == '_':
			return c
		}
		return '-'
	}, s)
}
