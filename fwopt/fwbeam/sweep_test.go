package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/projection-free/fwlab/fwopt/fwkeep"
)

// A sweep leaves a kept run for each combination, those of plain runs, and makes none twice.
func TestSweep(t *testing.T) {
	dir, _ := small(t, 900)
	base := problem{Ball: "trace", Radius: 5, Steps: 60}
	elements := must(grid(base, "svrf,storc", "experiments", "1,0.01", 2))
	if len(elements) != 6 { // SVRF has no L
		t.Fatalf("%d runs, want 6: %v", len(elements), elements)
	}
	runs := t.TempDir()
	e := *embedded()
	two := 2
	e.jobs = &two
	said := new(strings.Builder)
	e.progress = said
	when := map[string]time.Time{}
	for turn := range 2 {
		ok(t, e.sweep(context.Background(), &sweepFn{Shards: dir, Runs: runs}, elements))
		traces, _ := filepath.Glob(filepath.Join(runs, "*.trace"))
		if len(traces) != 6 {
			t.Fatalf("turn %d: %v", turn, traces)
		}
		for _, path := range traces {
			info := must(os.Stat(path))
			if turn == 1 && info.ModTime() != when[path] {
				t.Errorf("%s was made again", path)
			}
			when[path] = info.ModTime()
		}
	}
	lines := strings.SplitAfter(said.String(), "\n")
	if len(lines) != 13 {
		t.Errorf("%d lines of two sweeps with 6 runs each:\n%s", len(lines)-1, said)
	}
	for path := range when {
		if n := strings.Count(said.String(), ", "+path+"\n"); n != 2 {
			t.Errorf("%d lines of %s", n, path)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(runs, ".sweep-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	found := false
	want := inMemory(t, dir, problem{"storc", "experiments", 0.01, "trace", 5, 2, 60})
	for path := range when {
		tr := must(fwkeep.LoadTrace(path))
		found = found || tr.Seed == 2 && tr.Last().F == want.Last().F &&
			tr.Last().Calls == want.Last().Calls &&
			strings.Contains(said.String(), fmt.Sprintf("storc experiments, scale 0.01, seed 2: f %.9g, %s\n",
				tr.Last().F, path))
	}
	if !found {
		t.Error("no run of the sweep is that of STORC, scale 0.01, seed 2")
	}
	for _, bad := range [][3]string{{"sgd", "experiments", "1"}, {"svrf", "often", "1"},
		{"storc", "experiments", "x"}, {"storc", "experiments", "0"}} {
		if _, err := grid(base, bad[0], bad[1], bad[2], 1); err == nil {
			t.Errorf("%v is a sweep", bad)
		}
	}
}

// A run of a sweep that fails is made once more, and without those that are kept; if it
// fails again the error says how many are.
func TestSweepTwice(t *testing.T) {
	dir, _ := small(t, 3000)
	elements := must(grid(problem{Ball: "l1", Radius: 5, Steps: 20}, "sfw", "experiments", "1", 2))
	shard := filepath.Join(dir, "shard-00001.bin")
	b := must(os.ReadFile(shard))
	e, said := *embedded(), new(strings.Builder)
	e.progress = said
	kept.digest = ""
	ok(t, os.Remove(shard))
	runs := t.TempDir()
	err := e.sweep(context.Background(), &sweepFn{Shards: dir, Runs: runs}, elements)
	if err == nil || !strings.Contains(err.Error(), "0 of 2 runs are kept in "+runs+
		"; the same command goes on with those left: twice: ") ||
		!strings.Contains(err.Error(), "a shard is missing") ||
		strings.Count(said.String(), "the sweep is made once more: ") != 1 {
		t.Errorf("%v, said:\n%s", err, said)
	}
	e.progress = writerFunc(func(line []byte) (int, error) { // once the sweep says that it is made once more
		return len(line), os.WriteFile(shard, b, 0o666)
	})
	ok(t, os.RemoveAll(shard))
	if err := e.sweep(context.Background(), &sweepFn{Shards: dir, Runs: runs}, elements); err != nil {
		t.Error("a sweep that fails once: ", err)
	}
	if traces, _ := filepath.Glob(filepath.Join(runs, "*.trace")); len(traces) != 2 {
		t.Error(traces)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// A flag for which a sweep has a list is refused.
func TestSweepFlags(t *testing.T) {
	dir, _ := small(t, 3000)
	for _, flag := range []string{"--method=svrf", "--schedule=theorem", "--scale=2", "--seed=3"} {
		out, err := program("sweep", "--shards", dir, "--runs", t.TempDir(), "--steps=2", "--seeds=1",
			flag).CombinedOutput()
		name, _, _ := strings.Cut(flag, "=")
		if want := name + " is of fwbeam run: a sweep has " + name + "s"; err == nil ||
			!strings.Contains(string(out), want) {
			t.Errorf("%s: %v: %s", flag, err, out)
		}
	}
}
