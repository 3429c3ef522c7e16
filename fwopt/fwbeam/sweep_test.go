package main

import (
	"context"
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
	base := problem{Ball: "tracenorm", Tau: 5, Steps: 60}
	elements, err := grid(base, "svrf,storc", "experiments", "1,0.01", 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(elements) != 6 { // SVRF has no L
		t.Fatalf("%d runs, want 6: %v", len(elements), elements)
	}
	runs := t.TempDir()
	e := *embedded()
	two := 2
	e.jobs = &two
	when := map[string]time.Time{}
	for turn := range 2 {
		if err := e.each(context.Background(), &sweepFn{dir, runs}, elements); err != nil {
			t.Fatal(err)
		}
		traces, _ := filepath.Glob(filepath.Join(runs, "*.trace"))
		if len(traces) != 6 {
			t.Fatalf("turn %d: %v", turn, traces)
		}
		for _, path := range traces {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if turn == 1 && info.ModTime() != when[path] {
				t.Errorf("%s was made again", path)
			}
			when[path] = info.ModTime()
		}
	}
	found := false
	want := inMemory(t, dir, problem{"storc", "experiments", 0.01, "tracenorm", 5, 2, 60})
	for path := range when {
		tr, err := fwkeep.LoadTrace(path)
		if err != nil {
			t.Fatal(err)
		}
		found = found || tr.Seed == 2 && tr.Last().F == want.Last().F && tr.Last().Calls == want.Last().Calls
	}
	if !found {
		t.Error("no run of the sweep is that of STORC, scale 0.01, seed 2")
	}
	for _, bad := range [][3]string{{"sgd", "experiments", "1"}, {"svrf", "often", "1"}, {"storc", "experiments", "x"}, {"storc", "experiments", "0"}} {
		if _, err := grid(base, bad[0], bad[1], bad[2], 1); err == nil {
			t.Errorf("%v is a sweep", bad)
		}
	}
	if err := e.each(context.Background(), &sweepFn{t.TempDir(), runs}, elements[:1]); err == nil || !strings.Contains(err.Error(), "no shards in") {
		t.Error(err)
	}
}

// A size is read as it is written, and nonsense is an error.
func TestSize(t *testing.T) {
	for text, want := range map[string]int{"1GiB": 1 << 30, "512MiB": 512 << 20, "1.5 KiB": 1536, "2e9": 2e9, "17": 17} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "x", "-1", "0", "1 GB", "NaN", "1e30"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
	if size(1536) != "1.5 KiB" || size(1<<30) != "1 GiB" || size(5) != "5 B" {
		t.Error(size(1536), size(1<<30), size(5))
	}
}
