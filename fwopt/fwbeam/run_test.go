package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"gonum.org/v1/gonum/floats"
)

var problems = []problem{
	{"fw", "experiments", 1, "trace", 5, 1, 12},
	{"sfw", "experiments", 1, "l1", 5, 2, 40},
	{"sfw", "theorem", 1, "trace", 5, 2, 30},
	{"svrf", "experiments", 1, "trace", 5, 3, 230},
	{"svrf", "theorem", 1, "l1", 5, 3, 50},
	{"storc", "experiments", 0.01, "trace", 5, 4, 170},
	{"storc", "theorem", 0.1, "trace", 5, 4, 30},
	{"fista", "experiments", 0.1, "trace", 5, 1, 20},
	{"fista", "theorem", 1, "l1", 5, 1, 20},
	{"svrg", "experiments", 0.5, "trace", 5, 6, 170},
}

// A run over shards is the run in memory on the same draws: the same accounts, and f to rounding.
func TestRunInMemory(t *testing.T) {
	dir, _ := small(t, 900)
	for _, p := range problems {
		got, want := newJob(t, dir, p).mustRun(t), inMemory(t, dir, p)
		g, w := got.Last(), want.Last()
		if got.Status != fwopt.Done || g.Calls != w.Calls || g.T != w.T || g.K != w.K {
			t.Errorf("%+v: %v, %+v, want %+v", p, got.Status, g, w)
		}
		if off := math.Abs(g.F-w.F) / w.F; !(off <= 1e-12) {
			t.Errorf("%+v: f = %v, in memory %v: off by %.1e", p, g.F, w.F, off)
		}
		if off := math.Abs(g.DualityGap - w.DualityGap); !(off <= 1e-9) {
			t.Errorf("%+v: gap %v, in memory %v", p, g.DualityGap, w.DualityGap)
		}
	}
}

// sameBits fails unless two runs have the same bits.
func sameBits(t *testing.T, what string, a, b *fwopt.Trace) {
	t.Helper()
	p, q := a.Last(), b.Last()
	if !slices.Equal(a.W, b.W) || p.F != q.F || p.Calls != q.Calls || p.DualityGap != q.DualityGap ||
		p.Step != q.Step {
		t.Errorf("%s: f = %v after step %d, %+v; and %v after %d, %+v", what, p.F, p.Step, p.Calls, q.F,
			q.Step, q.Calls)
	}
}

// The bits are those of one worker, whatever the workers do first, and if each does all twice.
func TestRunBits(t *testing.T) {
	dir, _ := small(t, 500)
	for _, p := range problems {
		one := newJob(t, dir, p)
		one.engine = local(1)
		want := one.mustRun(t)
		for _, workers := range []int{2, 8} {
			j := newJob(t, dir, p)
			j.engine = func(ctx context.Context, p *pass, ts []task) error {
				return errors.Join(local(workers)(ctx, p, ts),
					local(3)(ctx, p, append(slices.Clone(ts), ts...)))
			}
			sameBits(t, fmt.Sprintf("%+v, %d workers", p, workers), want, j.mustRun(t))
			if left, _ := os.ReadDir(j.work); len(left) > 0 {
				t.Errorf("left in the folder of passes: %v", left)
			}
		}
	}
}

// A pass that fails, whichever, is an error with its cause; the run goes on to the same bits,
// and a finished one is read.
func TestRunGoesOn(t *testing.T) {
	dir, _ := small(t, 900)
	lost := errors.New("the machine is lost")
	for _, p := range problems {
		whole, all := newJob(t, dir, p), 0
		whole.engine = before(local(2), func(n int) error { all = n; return nil })
		want := whole.mustRun(t)
		for _, fail := range []int{1, 4, all - 1, all} {
			j := newJob(t, dir, p)
			j.engine = before(local(2), func(n int) error {
				if n == fail {
					return lost
				}
				return nil
			})
			tr, err := j.run(context.Background())
			if !errors.Is(err, lost) || !strings.Contains(err.Error(), "the same command goes on") ||
				tr != nil && tr.Status != fwopt.Interrupted {
				t.Fatalf("%+v: pass %d of %d failed: %+v, %v", p, fail, all, tr, err)
			}
			saved, _ := filepath.Glob(filepath.Join(j.runs, "*.ckpt"))
			if fail == all-1 && len(saved) != 1 && p.Method != "fista" { // whose passes fail within a step
				t.Errorf("%+v: after pass %d of %d failed there are the checkpoints %v", p, fail, all, saved)
			}
			j.engine = local(2)
			again := j.mustRun(t)
			sameBits(t, fmt.Sprintf("%+v after pass %d of %d failed", p, fail, all), want, again)
			if again.Note != "" {
				t.Errorf("%+v: %s", p, again.Note)
			}
		}
	}
}

// The same command goes on after what can be mended, and is not said to after what cannot.
func TestMended(t *testing.T) {
	for text, want := range map[string]bool{
		"the machine is lost": true,
		"rpc error: code = Unavailable desc = connection refused":                  true,
		"shard-00000.bin is not the shard of the manifest: run fwbeam shard again": false,
		"rpc error: code = Unimplemented desc = unknown service":                   false,
	} {
		err := (&job{}).mended(errors.New(text)).Error()
		if !strings.Contains(err, text) || strings.Contains(err, "the same command goes on") != want {
			t.Error(err)
		}
	}
}

// A run that is kept is read back, to the bits.
func TestRunKept(t *testing.T) {
	dir, _ := small(t, 900)
	j, said := newJob(t, dir, problem{"svrf", "experiments", 1, "l1", 5, 3, 120}), new(strings.Builder)
	j.progress = said
	want := j.mustRun(t)
	if strings.Contains(said.String(), "goes on") {
		t.Errorf("a new run said:\n%s", said)
	}
	j.engine = func(context.Context, *pass, []task) error { return errors.New("a pass") }
	got := j.mustRun(t) // without one
	sameBits(t, "read back", want, got)
	j.engine = local(2)
	notes, _ := filepath.Glob(filepath.Join(j.runs, "finished-*"))
	if len(notes) != 1 || os.Remove(notes[0]) != nil {
		t.Fatal(notes)
	}
	sameBits(t, "read back where fwbeam does not know of it", want, j.mustRun(t))
	if files, _ := filepath.Glob(filepath.Join(j.runs, "*.trace")); len(files) != 1 || got.Note != "" {
		t.Errorf("%v, %q", files, got.Note)
	}
	other, _ := small(t, 500)
	j.shards = other
	if again := j.mustRun(t); slices.Equal(again.W, want.W) {
		t.Error("other shards have the same bits, so that nobody can tell whether this was made anew")
	}
	if files, _ := filepath.Glob(filepath.Join(j.runs, "*.trace")); len(files) != 2 {
		t.Errorf("with other shards: %v", files)
	}
	j.problem.Seed++
	if again := j.mustRun(t); again.Last().F == want.Last().F {
		t.Error("another seed has the same f")
	}
}

// A run that is stopped within an epoch, where the rows must be brought again.
func TestRunStopped(t *testing.T) {
	dir, _ := small(t, 900)
	for _, p := range problems {
		want := newJob(t, dir, p).mustRun(t)
		j := newJob(t, dir, p)
		ctx, cancel := context.WithCancel(context.Background())
		n := 0
		j.engine = func(ctx context.Context, p *pass, ts []task) error {
			err := local(2)(ctx, p, ts)
			if n++; n == 3 {
				cancel() // seen after the next step
			}
			return err
		}
		tr, err := j.run(ctx)
		if tr == nil || tr.Status != fwopt.Interrupted {
			t.Fatalf("%+v: stopped: %+v, %v", p, tr, err)
		}
		at := tr.Last().Step
		j.engine = local(2)
		said := new(strings.Builder)
		j.progress = said
		again := j.mustRun(t)
		sameBits(t, fmt.Sprintf("%+v, stopped", p), want, again)
		step := 0
		if _, on, ok := strings.Cut(said.String(), "goes on from step "); ok {
			fmt.Sscan(on, &step)
		}
		if strings.Contains(said.String(), "NaN") || strings.Count(said.String(), "goes on from step") != 1 ||
			step < 1 || step != at {
			t.Errorf("%+v: stopped after step %d, then said:\n%s", p, at, said)
		}
	}
}

// What does not fit is refused with the reason before the first pass.
func TestRefused(t *testing.T) {
	dir, _ := small(t, 900)
	for _, c := range []struct {
		p      problem
		memory int
		want   string
	}{
		{problem{"fw-linesearch", "experiments", 1, "l1", 5, 1, 10}, 1 << 30,
			"looks at all rows again in each step"},
		{problem{"sagfw", "experiments", 1, "l1", 5, 1, 10}, 1 << 30, "a number for each of the n rows"},
		{problem{"adaptivestorc", "experiments", 1, "l1", 5, 1, 10}, 1 << 30, "depend on the iterate"},
		{problem{"sgd", "experiments", 1, "l1", 5, 1, 10}, 1 << 30, "no method"},
		{problem{"svrf", "experiments", 1, "l3", 5, 1, 10}, 1 << 30, "want l1, l2, trace, simplex or box"},
		{problem{"svrf", "experiments", 1, "l1", 0, 1, 10}, 1 << 30, "--radius 0"},
		{problem{"storc", "experiments", -1, "l1", 5, 1, 10}, 1 << 30, "--scale -1"},
		{problem{"svrf", "experiments", 1, "l1", 5, 1, 0}, 1 << 30, "--steps 0"},
		{problem{"svrf", "experiments", 1, "l1", 5, 1, 10}, 1000, "raise --memory"},
		{problem{"svrf", "theorem", 1, "l1", 5, 1, 20}, 64<<20 + 8*vectors*120 + 400*244,
			"by step 2 of epoch 1 it draws 480 rows, and a driver of 64 MiB may hold 400: --method svrf " +
				"--schedule experiments fits"},
		{problem{"sfw", "experiments", 1, "l1", 5, 1, 60}, 64<<20 + 8*vectors*120 + 400*244,
			"by step 21 of epoch 1 it draws 441 rows"},
	} {
		j := newJob(t, dir, c.p)
		j.memory = c.memory
		j.engine = func(context.Context, *pass, []task) error { return errors.New("a pass") }
		if _, err := j.run(context.Background()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.p, err, c.want)
		}
	}
}

// The table of passes has one row for each, with counts that add up.
func TestPassTable(t *testing.T) {
	dir, _ := small(t, 900)
	j := newJob(t, dir, problem{"svrf", "experiments", 1, "l1", 5, 1, 200})
	passes := 0
	j.engine = before(local(2), func(n int) error { passes = n; return nil })
	j.mustRun(t)
	tables, _ := filepath.Glob(filepath.Join(j.runs, "passes-*.csv"))
	if len(tables) != 1 {
		t.Fatal(tables)
	}
	b := must(os.ReadFile(tables[0]))
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if passes != 7 || len(lines) != 8 { // x, w_0, …, w_4, and w after step 1, which each run records
		t.Errorf("%d passes, want 7; the table:\n%s", passes, b)
	}
	for _, want := range []string{"step", ",50,2,2550,51,3775,", ",100,3,10100,101,6275,"} {
		if !strings.Contains(string(b), want) {
			t.Errorf("no %q in\n%s", want, b)
		}
	}
}

// A run removes what a driver that was killed has left, and nothing else.
func TestClean(t *testing.T) {
	dir, _ := small(t, 3000)
	dead := exec.Command("true")
	ok(t, dead.Run())
	gone := func(name string) string { // the name that the dead process would have taken
		return strings.Replace(name, "-"+strconv.Itoa(os.Getpid())+"-", "-"+strconv.Itoa(dead.Process.Pid)+
			"-", 1)
	}
	j := newJob(t, dir, problem{"svrf", "experiments", 1, "l1", 5, 1, 2})
	host, _ := os.Hostname()
	left := gone(own("run"))
	stay := []string{own("run"), strings.Replace(gone(own("run")), host, host+"-2", 1),
		strings.Replace(gone(own("run")), host, "other", 1), gone(own("shards")), "run-" + host}
	for _, name := range append([]string{left}, stay...) {
		ok(t, os.MkdirAll(filepath.Join(j.work, name, "pass-000001"), 0o777))
	}
	j.mustRun(t)
	entries := must(os.ReadDir(j.work))
	var have []string
	for _, e := range entries {
		have = append(have, e.Name())
	}
	if slices.Sort(stay); !slices.Equal(have, stay) {
		t.Errorf("there is %v, want %v", have, stay)
	}
}

// From 17 shards on workers add up the parts of a branch, each in the order of its shards, and the driver the
// branches. A branch that is damaged or missing is named.
func TestBranches(t *testing.T) {
	ctx := context.Background()
	for shards, want := range map[int]int{1: 1, 16: 16, 17: 4, 20: 4, 25: 5, 200: 14} {
		p := &pass{Parts: shards, Grad: true}
		if n := len(p.tops()); n != want {
			t.Errorf("%d shards: the driver adds up %d, want %d", shards, n, want)
		}
	}
	dir, m := small(t, 300)
	p := &pass{Commit: commit(), Shards: dir, Work: t.TempDir(), N: m.Rows, Parts: len(m.Shards),
		M: m.Features, H: len(m.Labels), Grad: true}
	w := make([]float64, m.dim())
	for j := range w {
		w[j] = math.Sin(float64(j))
	}
	ok(t, writeSealed(ctx, p.wFile(), appendFloats(nil, w)))
	ok(t, local(2)(ctx, p, m.tasks()))
	grad := make([]float64, len(w))
	f, read, err := p.gather(ctx, grad)
	ok(t, err)
	var sum, left, all float64
	total := make([]float64, len(w))
	for g := range 4 {
		sum = 0
		branch := make([]float64, len(w))
		for k := 5 * g; k < 5*g+5; k++ {
			a := newAdder(p.M, make([]float64, len(w)))
			ok(t, a.add(ctx, p.partFile(k)))
			sum, left = sum+a.f, left+float64(a.read)
			floats.Add(branch, a.grad)
		}
		all += sum
		floats.Add(total, branch)
	}
	if f != all/float64(p.N) || !slices.Equal(grad, total) || float64(read) > left/4 {
		t.Errorf("f = %v, want %v; %d bytes of %g", f, all/float64(p.N), read, left)
	}
	for _, wrong := range []func(path string) error{
		func(path string) error { return os.WriteFile(path, []byte("sum of something else"), 0o666) },
		os.Remove,
	} {
		ok(t, wrong(p.sumFile(2)))
		if _, _, err := p.gather(ctx, grad); err == nil || !strings.Contains(err.Error(), "sum-00002") {
			t.Error(err)
		}
	}
}
