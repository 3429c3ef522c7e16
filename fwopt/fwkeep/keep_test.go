package fwkeep_test

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"hash/crc64"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// Any damage to a file is an error that names it, and leaves it as it is; none is a result. Neither is a
// file of another run, or of another format.
func TestKeepBadFiles(t *testing.T) {
	f, omega := small.Problem()
	b := fwopt.Budget{Steps: 30}
	call := func(dir string, stop int, b fwopt.Budget) (*fwopt.Trace, error) {
		ctx, b := small.StopAfter(stop, b)
		return kept(ctx, dir, f, omega, fwopt.SVRFTheorem1(), b)
	}
	only := func(stop int, b fwopt.Budget) (dir, path string, text []byte) {
		dir = t.TempDir()
		if _, err := call(dir, stop, b); err != nil || len(files(dir, "*")) != 1 {
			t.Fatalf("%v, %v", err, files(dir, "*"))
		}
		path = files(dir, "*")[0]
		text, _ = os.ReadFile(path)
		return dir, path, text
	}
	want := small.Bits(run(f, omega, fwopt.SVRFTheorem1(), b))
	for _, stop := range []int{5, 99} { // a checkpoint, a trace
		dir, path, whole := only(stop, b)
		flipped, zeroed := slices.Clone(whole), slices.Clone(whole)
		flipped[len(whole)/3] ^= 4
		clear(zeroed[len(whole)/2 : len(whole)/2+50])
		// the first format was gob alone, another one may come
		var old bytes.Buffer
		e := gob.NewEncoder(&old)
		e.Encode(1)
		e.Encode(fwopt.Trace{Method: "SFW", W: []float64{1, 2}})
		next := bytes.Replace(whole, []byte("fwlab run\x03"), []byte("fwlab run\x04"), 1)
		next = next[:len(next)-8]
		next = binary.LittleEndian.AppendUint64(next, crc64.Checksum(next, crc64.MakeTable(crc64.ECMA)))
		for _, bad := range []struct {
			text []byte
			want string
		}{
			{nil, "damaged"}, {whole[:1], "damaged"}, {whole[:len(whole)/2], "damaged"},
			{whole[:len(whole)-1], "damaged"},
			{[]byte("hello"), "damaged"}, {bytes.Repeat([]byte{0xff}, 100), "damaged"},
			{flipped, "checksum is wrong"},
			{zeroed, "checksum is wrong"}, {append(whole, 0), "checksum is wrong"},
			{old.Bytes(), "format 1,"}, {next, "format 4,"},
		} {
			os.WriteFile(path, bad.text, 0o666)
			tr, err := call(dir, 99, b)
			for _, part := range []string{path, "remove it to run anew", bad.want} {
				if err == nil || tr != nil || !strings.Contains(err.Error(), part) {
					t.Errorf("%d bytes: %v, want %s", len(bad.text), err, part)
				}
			}
			if _, err := fwkeep.LoadTrace(path); err == nil {
				t.Errorf("%d bytes are a trace", len(bad.text))
			}
			if now, _ := os.ReadFile(path); !bytes.Equal(now, bad.text) {
				t.Errorf("%s was changed", path)
			}
		}
		os.WriteFile(path, whole, 0o666)
		if tr, err := call(dir, 99, b); err != nil || small.Bits(tr) != want {
			t.Errorf("mended: %v", err)
		}
		// of another run, under this name
		dir, path, _ = only(stop, b)
		_, _, other := only(stop, fwopt.Budget{Steps: 30, Every: 3})
		os.WriteFile(path, other, 0o666)
		if _, err := fwkeep.LoadTrace(path); stop == 5 &&
			!strings.Contains(fmt.Sprint(err), "a checkpoint where a trace is wanted") {
			t.Errorf("a checkpoint as a trace: %v", err)
		}
		if tr, err := call(dir, 99, b); err != nil || small.Bits(tr) != want {
			t.Errorf("a file of another run: %v", err)
		}
	}
	// a folder that cannot be written: a file stands in its place
	blocked := filepath.Join(t.TempDir(), "runs")
	os.WriteFile(blocked, nil, 0o666)
	if tr, err := call(blocked, 99, b); err == nil || tr == nil || tr.Status != fwopt.Done {
		t.Errorf("no folder: %v", err)
	}
}

// A disk that is full, fills in the middle of a run, or has room again before its end: the run goes on, at
// its end either is kept or says that it is not, and what was there stays.
func TestKeepOnAFullDisk(t *testing.T) {
	defer fwkeep.PersistEvery(20 * time.Second)
	fwkeep.PersistEvery(0)
	f, omega := small.Problem()
	want := small.Bits(run(f, omega, fwopt.SVRFTheorem1(), fwopt.Budget{Steps: 60}))
	for _, c := range []struct{ full, again int }{{0, 0}, {20, 0}, {20, 50}} {
		dir := t.TempDir()
		if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs",
			dir).CombinedOutput(); err != nil {
			t.Skipf("cannot mount a small disk here: %s", out)
		}
		defer exec.Command("umount", dir).Run()
		keep(t, bg, dir, f, omega, fwopt.SFWExperiments(), fwopt.Budget{Steps: 30})
		there, filler := files(dir, "*.trace"), filepath.Join(dir, "filler")
		fill := func() { os.WriteFile(filler, make([]byte, 1<<20), 0o666) } // as much as there is room for
		b := fwopt.Budget{Steps: 60, Watch: func(_ *fwopt.Trace, now fwopt.Point) {
			switch now.Step {
			case c.full:
				fill()
			case c.again:
				os.Remove(filler)
			}
		}}
		if c.full == 0 {
			fill()
		}
		tr, err := kept(bg, dir, f, omega, fwopt.SVRFTheorem1(), b)
		if tr == nil || small.Bits(tr) != want || (err == nil) != (c.again > 0) ||
			err != nil && (!strings.Contains(err.Error(), "no space left") ||
				!strings.Contains(err.Error(), "not kept")) {
			t.Errorf("%+v: %v", c, err)
		}
		old := 0 // the checkpoint that the full disk has left
		if c.full > 0 && c.again == 0 {
			old = 1
		}
		if left := files(dir, "*.tmp"); len(files(dir, "*.ckpt")) != old || len(left) > 0 {
			t.Errorf("%+v: left %v", c, files(dir, "*"))
		}
		if tr, err := fwkeep.LoadTrace(there[0]); err != nil || tr.Status != fwopt.Done {
			t.Errorf("the trace that was there: %v", err)
		}
		os.Remove(filler)
		if tr := keep(t, bg, dir, f, omega, fwopt.SVRFTheorem1(),
			fwopt.Budget{Steps: 60}); small.Bits(tr) != want {
			t.Errorf("%+v: the next call gives another run", c)
		}
	}
}

// Programs that make the same run, or runs of schedules that differ late, end in one folder at the same
// instant.
func TestTwoProgramsOneFolder(t *testing.T) {
	fresh := func(end int) *fwopt.SFW {
		m := fwopt.SFWExperiments()
		m.M = func(int) int { return 2 }
		m.Gamma = func(k int) float64 { return 1 / float64(1+min(k, end)) }
		return m
	}
	f, omega := small.Problem()
	dir, b, want := t.TempDir(), fwopt.Budget{Steps: 1100, Every: 10}, map[int]string{}
	for end := 1080; end < 1084; end++ {
		want[end] = small.Bits(run(f, omega, fresh(end), b))
	}
	for range 2 {
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				f, omega := small.Problem()
				end := 1080 + i/2
				if got, err := kept(bg, dir, f, omega, fresh(end), b); err != nil ||
					small.Bits(got) != want[end] {
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

// ridge is a sum of one's own that embeds one of the package's.
type ridge struct{ *fwsum.LeastSquares }
