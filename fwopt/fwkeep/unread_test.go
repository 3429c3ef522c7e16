package fwkeep_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// What is kept may be read by those whom the umask lets.
func TestKeepUmask(t *testing.T) {
	f, omega := small.Problem()
	dir := t.TempDir()
	ordinary := filepath.Join(dir, "ordinary")
	if err := os.WriteFile(ordinary, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	want, err := os.Stat(ordinary)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stopping := small.StopAfter(5, fwopt.Budget{Steps: 30})
	keep(t, ctx, dir, f, omega, fwopt.SVRFTheorem1(), stopping)
	keep(t, bg, dir, f, omega, fwopt.SVRFTheorem1(), fwopt.Budget{Steps: 20})
	for _, pattern := range []string{"*.ckpt", "*.trace"} {
		kept := files(dir, pattern)
		if len(kept) != 1 {
			t.Fatalf("%s: %v", pattern, kept)
		}
		if got, err := os.Stat(kept[0]); err != nil || got.Mode() != want.Mode() {
			t.Errorf("%s has mode %v, other files %v; %v", kept[0], got.Mode(), want.Mode(), err)
		}
	}
}

// A file that cannot be read is none: the run is made, its note names the file, and what it
// keeps takes the file's place, if that can be had.
func TestKeepUnread(t *testing.T) {
	unreadable := func(path string) error { return os.Chmod(path, 0) }
	folder := func(path string) error {
		if err := os.Remove(path); err != nil {
			return err
		}
		return os.Mkdir(path, 0o777)
	}
	unread(t, "permissions", unreadable, "")
	unread(t, "a folder", folder, "fwkeep: the run is not kept: writing ")
}

// unread makes kept files ones that cannot be read; refused is the error where a trace can
// then not be written.
func unread(t *testing.T, name string, spoil func(path string) error, refused string) {
	t.Helper()
	f, omega := small.Problem()
	b, bg := fwopt.Budget{Steps: 30}, bg
	want := fwopt.Run(bg, fwopt.NewOracle(f, omega, 3), fwopt.SVRFTheorem1(), b)
	for _, stop := range []int{9, 99} { // a checkpoint, a trace
		dir := t.TempDir()
		ctx, stopping := small.StopAfter(stop, b)
		keep(t, ctx, dir, f, omega, fwopt.SVRFTheorem1(), stopping)
		path := files(dir, "*")[0]
		if err := spoil(path); err != nil {
			t.Fatal(err)
		}
		if name == "permissions" && os.Getuid() == 0 {
			return // root may read all
		}
		if stop == 99 {
			if _, err := fwkeep.LoadTrace(path); err == nil || !strings.Contains(err.Error(), path) ||
				!strings.HasSuffix(err.Error(), "make it readable, or remove it") {
				t.Errorf("%s: LoadTrace: %v", name, err)
			}
		}
		steps := 0
		b := b
		b.Watch = func(*fwopt.Trace, fwopt.Point) { steps++ }
		tr, err := fwkeep.Keep(bg, dir, fwopt.NewOracle(f, omega, 3), fwopt.SVRFTheorem1(), b)
		if tr == nil || small.Bits(tr) != small.Bits(want) || steps != 30 ||
			!strings.HasPrefix(tr.Note, "run anew: a run cannot be read: ") ||
			!strings.Contains(tr.Note, path) {
			t.Errorf("%s, stopped at %d: %d steps, %+v, %v", name, stop, steps, tr, err)
		}
		if wrong := err != nil; wrong != (stop == 99 && refused != "") || wrong &&
			!strings.HasPrefix(err.Error(), refused+path) {
			t.Errorf("%s, stopped at %d: %v", name, stop, err)
		}
		if err != nil {
			continue
		}
		if tr := keep(t, bg, dir, f, omega, fwopt.SVRFTheorem1(), b); steps != 30 || tr.Note != "" {
			t.Errorf("%s, stopped at %d: made a second time, %q", name, stop, tr.Note)
		}
	}
}
