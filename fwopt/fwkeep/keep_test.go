package fwkeep_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"hash/crc64"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// A full disk costs neither the run nor what was there.
func TestKeepOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=40k", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("cannot mount a small disk here: %s", out)
	}
	defer exec.Command("umount", dir).Run()
	f, omega := small.Problem()
	b := fwopt.Budget{Steps: 30}
	if _, err := fwkeep.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 1), fwopt.SFWExperiments(), b); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	os.WriteFile(filepath.Join(dir, "filler"), make([]byte, 1<<20), 0o666) // as much as there is room for
	tr, err := fwkeep.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 2), fwopt.SFWExperiments(), b)
	if err == nil || tr == nil || tr.Status != fwopt.Done || !strings.Contains(err.Error(), "not kept") {
		t.Errorf("on a full disk: %v, %v", tr, err)
	}
	after, _ := filepath.Glob(filepath.Join(dir, "*.t*"))
	if len(after) != len(files) {
		t.Errorf("before the disk was full %v, after %v", files, after)
	}
	if tr, err := fwkeep.LoadTrace(files[0]); err != nil || tr.Status != fwopt.Done {
		t.Errorf("the trace that was there: %v", err)
	}
}

// What Keep must not mix up.
func TestKeepTellsRunsApart(t *testing.T) {
	f, omega := small.Problem()
	dir := t.TempDir()
	n := 0
	keep := func(f fwopt.FiniteSum, omega fwopt.Domain, seed uint64, m fwopt.Method, w0 []float64, b fwopt.Budget) *fwopt.Trace {
		t.Helper()
		tr, err := fwkeep.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, seed).From(w0), m, b)
		if err != nil {
			t.Fatal(err)
		}
		files, _ := filepath.Glob(filepath.Join(dir, "*.trace"))
		n++
		if len(files) != n {
			t.Errorf("run %d: %d files", n, len(files))
		}
		return tr
	}
	w0 := make([]float64, 8)
	w0[1] = 1
	b := fwopt.Budget{Steps: 3}
	small := fwopt.SFWExperiments()
	small.M = func(k int) int { return k }
	keep(f, omega, 1, fwopt.SFWExperiments(), nil, b)
	keep(f, omega, 1, small, nil, b)
	keep(f, omega, 2, fwopt.SFWExperiments(), nil, b)
	keep(f, omega, 1, fwopt.SFWExperiments(), w0, b)
	keep(f, omega, 1, fwopt.SFWExperiments(), nil, fwopt.Budget{Steps: 4})
	keep(f, fwset.Simplex{D: 8, R: 2}, 1, fwopt.SFWExperiments(), nil, b)
	keep(f, omega, 1, fwopt.SGDExperiments(1), nil, b)
	keep(f, omega, 1, fwopt.SVRGExperiments(1), nil, b)
	keep(f, omega, 1, fwopt.SVRGExperiments(2), nil, b)
	// a method, a sum or a domain of one's own is run and not kept
	own := fwopt.MethodFunc(fwopt.SFWExperiments().Steps)
	tr, err := fwkeep.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 1), own, b)
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); err != nil || tr.Status != fwopt.Done || len(files) != n {
		t.Errorf("an own method: %v, %v, files %d", err, tr.Status, len(files))
	}
	defer func() {
		if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), "has run already") {
			t.Errorf("a method that has run: panic %v", r)
		}
	}()
	used := fwopt.SFWExperiments()
	keep(f, omega, 3, used, nil, b)
	fwkeep.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 1), used, fwopt.Budget{Steps: 9})
}

// Two schedules that differ late, at a step beyond any that are looked at ahead of
// the run, called in turn: each gets its own run each time.
func TestKeepLateSchedules(t *testing.T) {
	f, omega := small.Problem()
	phase := func(end int) *fwopt.SFW { // a constant step up to k = end
		m := fwopt.SFWExperiments()
		m.M = func(int) int { return 5 }
		m.Gamma = func(k int) float64 {
			if k <= end {
				return 0.1
			}
			return 2 / float64(k+1)
		}
		return m
	}
	for _, c := range []struct{ a, b, steps int }{{66, 95, 95}, {1200, 1300, 1250}} {
		dir, b := t.TempDir(), fwopt.Budget{Steps: c.steps}
		for i, end := range []int{c.a, c.b, c.a, c.b} {
			want := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), phase(end), b)
			got, err := fwkeep.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 1), phase(end), b)
			if err != nil || small.Bits(got) != small.Bits(want) || got.Note != "" {
				t.Errorf("call %d, a constant step up to %d: f = %v, want %v (%v, %s)", i, end, got.Last().F, want.Last().F, err, got.Note)
			}
		}
		if files, _ := filepath.Glob(filepath.Join(dir, "*.trace")); len(files) != 2 {
			t.Errorf("two schedules left %d traces", len(files))
		}
		// the same with checkpoints from where they already differ
		dir = t.TempDir()
		last := c.steps - 1
		for i, end := range []int{c.a, c.b, c.a, c.b} {
			ctx, stopping := small.StopAfter(last, b)
			if i > 1 {
				ctx, stopping = context.Background(), b
			}
			want := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), phase(end), b)
			begun := 0
			watch := stopping.Watch
			stopping.Watch = func(tr *fwopt.Trace, now fwopt.Point) {
				if begun == 0 {
					begun = now.Step
				}
				if watch != nil {
					watch(tr, now)
				}
			}
			got, err := fwkeep.Keep(ctx, dir, fwopt.NewOracle(f, omega, 1), phase(end), stopping)
			if err != nil || i > 1 && (small.Bits(got) != small.Bits(want) || begun != c.steps) || i < 2 && begun != 1 {
				t.Errorf("call %d, a constant step up to %d, interrupted: from step %d, f = %v, want %v (%v)", i, end, begun, got.Last().F, want.Last().F, err)
			}
		}
		// that differ only where neither has been: one run
		got, err := fwkeep.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 1), phase(c.b), fwopt.Budget{Steps: c.a})
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := fwkeep.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 1), phase(c.a), fwopt.Budget{Steps: c.a}); c.a > 1000 && again.Last().Seconds != got.Last().Seconds {
			t.Error("two runs of the same steps were both run")
		}
	}
}

func TestKeepBadFiles(t *testing.T) {
	f, omega := small.Problem()
	b := fwopt.Budget{Steps: 30}
	keep := func(dir string, stop int) (*fwopt.Trace, error) {
		ctx, b := small.StopAfter(stop, b)
		return fwkeep.Keep(ctx, dir, fwopt.NewOracle(f, omega, 1), fwopt.SVRFTheorem1(), b)
	}
	only := func(dir, pattern string) string {
		t.Helper()
		files, _ := filepath.Glob(filepath.Join(dir, pattern))
		if len(files) != 1 {
			t.Fatalf("%d files %s", len(files), pattern)
		}
		return files[0]
	}
	for _, stop := range []int{5, 99} { // a checkpoint, a trace
		dir := t.TempDir()
		if _, err := keep(dir, stop); err != nil {
			t.Fatal(err)
		}
		path := only(dir, "*")
		whole, _ := os.ReadFile(path)
		for _, bad := range [][]byte{nil, whole[:1], whole[:len(whole)/2], whole[:len(whole)-1], []byte("hello"), bytes.Repeat([]byte{0xff}, 100)} {
			os.WriteFile(path, bad, 0o666)
			tr, err := keep(dir, 99)
			if err == nil || tr != nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "remove it") {
				t.Errorf("%s cut to %d bytes: %v", path, len(bad), err)
			}
			if now, _ := os.ReadFile(path); !bytes.Equal(now, bad) {
				t.Errorf("%s was changed", path)
			}
		}
	}
	// a checkpoint of another run under this name
	dir, dir2 := t.TempDir(), t.TempDir()
	if _, err := keep(dir, 5); err != nil {
		t.Fatal(err)
	}
	ctx, b2 := small.StopAfter(5, fwopt.Budget{Steps: 31})
	if _, err := fwkeep.Keep(ctx, dir2, fwopt.NewOracle(f, omega, 1), fwopt.SVRFTheorem1(), b2); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(only(dir2, "*.ckpt"))
	mine := only(dir, "*.ckpt")
	os.WriteFile(mine, data, 0o666)
	want := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), fwopt.SVRFTheorem1(), b)
	if tr, err := keep(dir, 99); err != nil || small.Bits(tr) != small.Bits(want) {
		t.Errorf("a checkpoint of another run: %v", err)
	}
	// a trace of another run under this name: not taken for this one
	dir3 := t.TempDir()
	if _, err := keep(dir3, 99); err != nil {
		t.Fatal(err)
	}
	other, _ := fwkeep.LoadTrace(only(dir3, "*.trace"))
	other.Spec, other.Seed = "another", 77
	fwkeep.SaveTrace(only(dir3, "*.trace"), other)
	if tr, err := keep(dir3, 99); err != nil || tr.Seed != 1 {
		t.Errorf("a trace of another run: %v, %v", tr.Seed, err)
	}
	// other formats: the first one, which was gob alone, and one to come
	var old bytes.Buffer
	e := gob.NewEncoder(&old)
	e.Encode(1)
	e.Encode(fwopt.Trace{Method: "SFW", W: []float64{1, 2}})
	next := bytes.Replace(data, []byte("fwlab run\x03"), []byte("fwlab run\x04"), 1)
	next = binary.LittleEndian.AppendUint64(next[:len(next)-8], crc64.Checksum(next[:len(next)-8], crc64.MakeTable(crc64.ECMA)))
	dir4 := t.TempDir()
	if _, err := keep(dir4, 5); err != nil {
		t.Fatal(err)
	}
	for want, text := range map[string][]byte{"format 1,": old.Bytes(), "format 4,": next} {
		os.WriteFile(only(dir4, "*"), text, 0o666)
		if tr, err := keep(dir4, 99); tr != nil || err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "remove it") {
			t.Errorf("a checkpoint of %s: %v", want, err)
		}
		if tr, err := fwkeep.LoadTrace(only(dir4, "*")); tr != nil || err == nil {
			t.Errorf("a trace of %s: %v", want, err)
		}
	}
	os.WriteFile(only(dir4, "*"), data, 0o666)
	if _, err := fwkeep.LoadTrace(only(dir4, "*")); err == nil || !strings.Contains(err.Error(), "a checkpoint where a trace is wanted") {
		t.Errorf("a checkpoint as a trace: %v", err)
	}
	// a folder that cannot be written: a file stands in its place
	blocked := filepath.Join(t.TempDir(), "runs")
	os.WriteFile(blocked, nil, 0o666)
	if tr, err := keep(blocked, 99); err == nil || tr == nil || tr.Status != fwopt.Done {
		t.Errorf("no folder: %v", err)
	}
}

// A disk that fills in the middle of a run, and one that has room again before its
// end: the run goes on, and at its end either is kept or says that it is not.
func TestKeepWhileTheDiskFills(t *testing.T) {
	defer fwkeep.PersistEvery(20 * time.Second)
	fwkeep.PersistEvery(0)
	f, omega := small.Problem()
	want := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), fwopt.SVRFTheorem1(), fwopt.Budget{Steps: 60})
	for _, again := range []bool{false, true} {
		dir := t.TempDir()
		if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", dir).CombinedOutput(); err != nil {
			t.Skipf("cannot mount a small disk here: %s", out)
		}
		defer exec.Command("umount", dir).Run()
		filler := filepath.Join(dir, "filler")
		b := fwopt.Budget{Steps: 60, Watch: func(_ *fwopt.Trace, now fwopt.Point) {
			switch {
			case now.Step == 20:
				os.WriteFile(filler, make([]byte, 1<<20), 0o666)
			case now.Step == 50 && again:
				os.Remove(filler)
			}
		}}
		tr, err := fwkeep.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 1), fwopt.SVRFTheorem1(), b)
		if tr == nil || small.Bits(tr) != small.Bits(want) || (err == nil) != again || err != nil && !strings.Contains(err.Error(), "no space left") {
			t.Errorf("room again: %v; %v", again, err)
		}
		left := files(dir, "*.tmp")
		old := files(dir, "*.ckpt")
		if again && len(old) > 0 || !again && len(old) != 1 || len(left) > 0 {
			t.Errorf("room again: %v; left %v", again, append(left, old...))
		}
		os.Remove(filler)
		if tr, err := fwkeep.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 1), fwopt.SVRFTheorem1(), fwopt.Budget{Steps: 60}); err != nil || small.Bits(tr) != small.Bits(want) {
			t.Errorf("room again: %v; the next call: %v", again, err)
		}
	}
}

// Programs with schedules that differ late end in one folder at the same instant.
func TestLateSchedulesOneFolder(t *testing.T) {
	f, omega := small.Problem()
	dir, b := t.TempDir(), fwopt.Budget{Steps: 1100, Every: 10}
	call := func(end int) (string, error) {
		m := fwopt.SFWExperiments()
		m.M = func(int) int { return 2 }
		m.Gamma = func(k int) float64 { return 1 / float64(1+min(k, end)) }
		f, omega := small.Problem()
		tr, err := fwkeep.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 1), m, b)
		if err != nil {
			return "", err
		}
		return small.Bits(tr), nil
	}
	want := map[int]string{}
	for end := 1080; end < 1088; end++ {
		m := fwopt.SFWExperiments()
		m.M = func(int) int { return 2 }
		m.Gamma = func(k int) float64 { return 1 / float64(1+min(k, end)) }
		want[end] = small.Bits(fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m, b))
	}
	for range 2 {
		var wg sync.WaitGroup
		for end := range want {
			wg.Add(1)
			go func() {
				defer wg.Done()
				if got, err := call(end); err != nil || got != want[end] {
					t.Errorf("a step that stays from k = %d on: another result, or %v", end, err)
				}
			}()
		}
		wg.Wait()
		if n := len(files(dir, "*")); n != len(want) {
			t.Errorf("%d files, want %d traces", n, len(want))
		}
	}
}

func TestTwoProgramsOneFolder(t *testing.T) {
	f, omega := small.Problem()
	dir := t.TempDir()
	b := fwopt.Budget{Steps: 300}
	want := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), fwopt.SVRFTheorem1(), b)
	got := make(chan string, 8)
	for range 8 {
		go func() {
			f, omega := small.Problem()
			tr, err := fwkeep.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 1), fwopt.SVRFTheorem1(), b)
			if err != nil {
				got <- err.Error()
				return
			}
			got <- small.Bits(tr)
		}()
	}
	for range 8 {
		if g := <-got; g != small.Bits(want) {
			t.Error("a run beside others is not the same:", g[:min(200, len(g))])
		}
	}
}

// ridge is a sum of one's own that embeds one of the package's.
type ridge struct{ *fwsum.LeastSquares }

func TestKeepDoesNotKeepAnEmbeddingSum(t *testing.T) {
	f, omega := small.Problem()
	dir := t.TempDir()
	o := fwopt.NewOracle(ridge{f.(*fwsum.LeastSquares)}, omega, 1)
	if _, err := fwkeep.Keep(context.Background(), dir, o, fwopt.SFWExperiments(), fwopt.Budget{Steps: 3}); err != nil {
		t.Fatal(err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) > 0 {
		t.Errorf("kept %v", files)
	}
}

// The calls that an oracle has made before are part of what Keep knows.
func TestKeepKnowsTheOracle(t *testing.T) {
	f, omega := small.Problem()
	dir := t.TempDir()
	b := fwopt.Budget{Steps: 3}
	used := fwopt.NewOracle(f, omega, 1)
	w0 := used.Start()
	a, _ := fwkeep.Keep(context.Background(), dir, used.From(w0), fwopt.SFWExperiments(), b)
	c, _ := fwkeep.Keep(context.Background(), dir, fwopt.NewOracle(f, omega, 1).From(w0), fwopt.SFWExperiments(), b)
	if a.Last().Calls.Exact != 1 || c.Last().Calls.Exact != 0 {
		t.Errorf("exact gradients %d and %d, want 1 and 0", a.Last().Calls.Exact, c.Last().Calls.Exact)
	}
}
