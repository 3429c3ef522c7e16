// Package fwkeep keeps runs of package fwopt in files: a finished run is read back, an interrupted one goes on to the
// same bits, and what was edited in between runs anew. Traces are written and read as CSV.
package fwkeep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/file"
	"github.com/projection-free/fwlab/fwopt/internal/hash"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Keep is Run that leaves files in the folder dir, so that the next program, such as the next cell of a
// notebook, finds the run again:
//
//   - a finished run is read from its file, if all that decides it is the same: data, domain, method and
//     parameters, w0, seed, budget and [Kernel];
//   - an interrupted run goes on where it stopped, to the same bits as one that was not; it is saved when it
//     is interrupted and every 20 seconds before that;
//   - any other run is run, and kept if it reaches its budget.
//
// The parts say by themselves what decides them: see [fwopt.Identity]. A run with a part that does not is run
// anew each time; Trace.Note names the part. The exported fields of a fresh method count without being
// said, functions by their values at the steps that the run made, so that a checkpoint serves all that
// begin as it did. The budget is a part of a run: one that may want more asks for more from the start.
//
// Code may change under the same words. Of that of this package a file holds a hash. With a part of your
// own Keep makes the start of the run that it finds once more, for 0.2 seconds and at least one step, and
// compares bits. Where they differ the run is run anew, and Trace.Note tells why. A change that shows only
// later it cannot see: say a version in Identify, by id.Text.
//
// If a checkpoint would lose a part of the method's state, its exported fields, or if a copy that takes it
// up after step 1, 2, 4, 8, … does not make the next steps of the run, Keep returns an error with the
// type, the field and the remedy; no trace at steps 1 and 2, where the run ends, or where it had gone on
// from such a state.
//
// A file is whole at any instant, has a checksum, and two programs may use one folder. An error in writing
// is returned along with the trace. A file that is damaged or of another format is an error, with a nil trace,
// and is left as it is; one that cannot be read counts as none, Trace.Note records it, and a new one takes
// its place. Watch is called for the steps that are new.
func Keep(ctx context.Context, dir string, o *fwopt.Oracle, m fwopt.Method, b fwopt.Budget) (
	*fwopt.Trace, error) {
	need.Given("fwkeep", "the context of a run", ctx == nil)
	r := fwopt.NewRunner(o, m, b)
	ids, why := identities(r)
	if why != "" {
		r.Trace.Note = "not kept: " + why // where Watch sees it
		return r.Run(ctx), nil
	}
	state, err := encodeState(m)
	if err != nil {
		return nil, err
	}
	spec := specOf(r, ids, state)
	k := &keeper{run: r, dir: dir, spec: spec, fresh: fresh(m), saved: time.Now(),
		version: codeVersion(slices.Concat(ids[0].Types(), ids[1].Types(), ids[2].Types())),
		owner:   new(ident.Identity).Schedules(m, 1000),
		known:   !slices.ContainsFunc(ids[:], ident.Identity.Foreign), proven: ident.Untested(m) == nil,
		base: fmt.Sprintf("%s-%s-seed%d-%08x", slug(cmp.Or(r.Trace.Data, "data")), slug(r.Trace.Method),
			o.Seed, uint32(hash.Text(0, spec)))}
	failed := os.MkdirAll(dir, 0o777)
	if failed == nil {
		_, failed = os.ReadDir(dir) // may it be read?
	}
	if failed == nil {
		file.Sweep(filepath.Join(dir, k.base))
		if tr, err := k.find(ctx); tr != nil || err != nil {
			return tr, err
		}
		r.Stepped, r.Interrupted = func() bool { return k.step(ctx) }, k.save
	}
	tr := r.Run(ctx)
	at := r.State().Now.Step
	if k.refused != nil && (at <= k.began.Step+2 || k.lost && k.began.Step > 0) {
		return nil, k.refused
	}
	tr.Spec = fmt.Sprintf("%s; schedules %016x to step %d", spec, k.walk(at), at)
	if failed == nil && !k.lost {
		failed = k.finish()
	}
	if failed != nil {
		failed = fmt.Errorf("fwkeep: the run is not kept: %w", failed)
	}
	return tr, errors.Join(k.refused, failed)
}

// identities asks f, Ω and the method what they are, without schedules, or says why
// one of them, or the budget, has no identity.
func identities(r *fwopt.Runner) (ids [3]ident.Identity, why string) {
	if b := r.Budget; b.Record != nil || b.Excess != nil {
		return ids, "Budget.Record and Budget.Excess are functions, of which nobody can tell two apart"
	}
	for i, part := range []any{r.Oracle.F, r.Oracle.Omega, r.Method} {
		ids[i] = ident.New(part, 0)
		if why = cmp.Or(why, ids[i].Why()); why == "" && ids[i] != ident.New(part, 0) {
			why = fmt.Sprintf("two calls of Identify of %T say two things", part)
		}
	}
	return ids, why
}

// specOf writes out all that decides the run, but for the schedules.
func specOf(r *fwopt.Runner, ids [3]ident.Identity, state []byte) string {
	b, o, s := r.Budget, r.Oracle, r.State()
	b.Watch = nil
	warm, _ := s.Warm.RNG.MarshalBinary() // never fails
	var start ident.Identity
	start.Float(r.W0...).Float(s.Warm.V...).Float(s.Warm.P...).Text(string(warm)).Text(string(s.RNG))
	start.Text(string(state)).Text(rules(r.Method)) // parameters that Identify may leave out, or a state
	return fmt.Sprintf("f %T %s n %d d %d %016x; Ω %T %016x; method %T %016x; start %016x, seed %d, calls "+
		"%+v; budget %+v; kernel %s",
		o.F, r.Trace.Data, o.F.Len(), o.F.Dim(), ids[0].Hash(), o.Omega, ids[1].Hash(),
		r.Method, ids[2].Hash(), start.Hash(), o.Seed, s.Calls, b, r.Trace.Kernel)
}

// A keeper does the files of one run.
type keeper struct {
	run       *fwopt.Runner
	dir, base string
	spec      string         // all that decides the run, but for the schedules
	version   uint64         // of the code of this package on which it stands
	owner     uint64         // the schedules at the first 1,000 steps, made or not: whose a checkpoint is
	walked    ident.Identity // the schedules as far as they were asked for

	path   string        // the checkpoint that is there of this run, or ""
	began  fwopt.Point   // where this program took it up
	saved  time.Time     // when the last checkpoint was due
	fresh  fwopt.Method  // as it was before the run
	known  bool          // the version of this package covers all code of the run
	proven bool          // fwtest has passed the method: no copy need go on from its state
	tried  int           // the step after which a copy went on
	due    int           // the step after which the next one does; 0 before the first
	ahead  []uint64      // the steps that it made, and the run has not yet
	wentOn bool          // a copy has gone where the run went
	spent  time.Duration // on copies
	first  []uint64      // hashes of the first iterates, where code is one's own

	refused error // the method cannot be saved
	lost    bool  // a copy of it went elsewhere than the run
	failed  error // the last checkpoint could not be written
}

// find returns the kept trace of the run, or takes the run to where its furthest
// checkpoint was written, or does nothing.
func (k *keeper) find(ctx context.Context) (*fwopt.Trace, error) {
	for _, path := range slices.Concat(k.files(".trace"), k.files(".ckpt")) {
		rec, err := load(path)
		if k.none(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		steps, points := rec.soFar()
		if rec.Spec != k.spec || rec.Walk != k.walk(steps) {
			continue
		}
		why, err := k.again(ctx, rec.Version, points, rec.First)
		switch tr := rec.Trace; {
		case err != nil:
			return nil, err
		case why != "":
			k.run.Trace.Note = why
			continue
		case tr != nil:
			k.clear()
			k.run.Oracle.Calls, tr.Note = tr.Last().Calls, tr.Remarks()
			return tr, nil
		}
		if err = k.run.Resume(*rec.State); err == nil {
			err = decodeState(k.run.Method, rec.Method)
		}
		if err != nil {
			return nil, unusable(path, err)
		}
		if k.began, k.first = rec.Now, rec.First; rec.Owner == k.owner {
			k.path = path
		}
		break
	}
	return nil, nil
}

// none reports whether a file that was looked for is not there, or as good as not there,
// which the note says.
func (k *keeper) none(err error) bool {
	if errors.Is(err, errUnread) {
		k.run.Trace.Note = "run anew: " + strings.TrimPrefix(err.Error(), "fwkeep: ")
		return true
	}
	return errors.Is(err, fs.ErrNotExist)
}

// walk returns the hash of the schedules at the first steps.
func (k *keeper) walk(steps int) uint64 { return k.walked.Schedules(k.run.Method, steps) }

// name returns the file of the run when it has made so many steps.
func (k *keeper) name(steps int, end string) string {
	return filepath.Join(k.dir, fmt.Sprintf("%s-%d-%08x%s", k.base, steps, uint32(k.walk(steps)), end))
}

// files returns the files of runs that have begun as this one does, those of the most steps first.
func (k *keeper) files(end string) (paths []string) {
	steps := map[int]bool{}
	all, _ := os.ReadDir(k.dir) // none, if it cannot be read
	for _, f := range all {
		rest, ours := strings.CutPrefix(f.Name(), k.base)
		var n int
		if _, err := fmt.Sscanf(rest, "-%d-", &n); ours && err == nil && n >= 0 {
			steps[n] = true
		}
	}
	for _, n := range slices.Sorted(maps.Keys(steps)) { // rising, for walk
		if _, err := os.Stat(k.name(n, end)); err == nil {
			paths = append(paths, k.name(n, end))
		}
	}
	slices.Reverse(paths)
	return paths
}

// persistEvery is how much work a killed run can lose; a variable for the tests.
var persistEvery = 20 * time.Second

// step is called after each step. It writes a checkpoint when one is due.
func (k *keeper) step(ctx context.Context) (more bool) {
	now := k.run.State()
	if !k.known && now.Now.Step == len(k.first)+1 && len(k.first) < 1000 {
		k.first = append(k.first, hash.Floats(now.X))
	}
	if k.run.Trace.Last().Step == now.Now.Step {
		k.walk(now.Now.Step) // while the schedules are those of the step
	}
	if k.refused != nil {
		return true // a run from w_0 that is not kept is right all the same
	}
	if !k.prove(ctx) {
		k.forget() // nothing can go on from it
		k.lost = true
		return k.began.Step == 0 && now.Now.Step > 2
	}
	if time.Since(k.saved) > persistEvery {
		k.save()
		k.saved = time.Now()
	}
	return k.refused == nil
}

// record adds to a record what tells the run that has made so many steps.
func (k *keeper) record(steps int, rec record) record {
	rec.Spec, rec.Version, rec.Walk, rec.First = k.spec, k.version, k.walk(steps), k.first
	return rec
}

// save writes a checkpoint, if the method has gone on from one.
func (k *keeper) save() {
	if !k.proven && !k.wentOn || k.refused != nil {
		return
	}
	method, err := k.state()
	if k.refused = err; err != nil {
		return
	}
	now := k.run.State()
	path := k.name(now.Now.Step, ".ckpt")
	k.failed = k.record(now.Now.Step, record{State: &now, Method: method, Owner: k.owner}).save(path)
	if k.failed == nil && k.path != path {
		k.forget()
		k.path = path
	}
}

// forget removes the run's checkpoint.
func (k *keeper) forget() {
	if k.path != "" {
		os.Remove(k.path)
		k.path = ""
	}
}

// finish writes the trace of a run that has reached its budget.
func (k *keeper) finish() error {
	tr, at := k.run.Trace, k.run.State().Now.Step
	switch {
	case tr.Status == fwopt.Interrupted:
		if k.path == "" && k.failed == nil && k.refused == nil {
			k.run.Trace.Note = "not saved: it was interrupted before its second step, which tries out " +
				"whether a checkpoint serves"
		}
		return k.failed
	case tr.Status != fwopt.Done && tr.Status != fwopt.Converged:
		tr.Note = strings.TrimSuffix(fmt.Sprintf("not kept: it did not reach its budget (%v); %s", tr.Status,
			tr.Note), "; ")
		return nil
	case k.walk(at) != new(ident.Identity).Schedules(k.run.Method, at):
		k.run.Trace.Note = "not kept: a parameter has changed while it ran"
		return nil
	}
	err := k.record(at, record{Trace: tr}).save(k.name(at, ".trace"))
	if err == nil {
		k.clear()
	}
	return err
}

// clear removes the checkpoints of a run whose trace is kept: its own, and what
// another program that made the same run at the same time has left.
func (k *keeper) clear() {
	for _, path := range k.files(".ckpt") {
		if rec, err := load(path); err == nil && rec.Spec == k.spec && rec.Owner == k.owner {
			os.Remove(path)
		}
	}
}

var unfit = regexp.MustCompile(`[^0-9A-Za-z._]`)

// slug makes s fit for a part of a file name.
func slug(s string) string {
	s = strings.TrimLeft(unfit.ReplaceAllString(s, "-"), "-.")
	return s[:min(len(s), 60)]
}
