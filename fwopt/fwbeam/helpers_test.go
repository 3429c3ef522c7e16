package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
)

// TestMain lets the tests' program be fwbeam itself, for tests with other processes.
func TestMain(m *testing.M) {
	if os.Getenv("FWBEAM_MAIN") != "" {
		main()
		return
	}
	code := m.Run()
	if temp := os.Getenv("TMPDIR"); strings.HasPrefix(filepath.Base(temp), "fwbeam-") {
		os.RemoveAll(temp) // of the engine that the tests share
	}
	os.Exit(code)
}

// small writes generated shards, of so many rows each, into a folder.
func small(t *testing.T, rows int) (dir string, m *manifest) {
	t.Helper()
	dir = t.TempDir()
	g := &generated{n: 6000, m: 40, classes: 3, nonzeros: 5, seed: 1}
	ok(t, g.write(&writer{ctx: context.Background(), dir: dir}, rows))
	return dir, must(open(context.Background(), dir))
}

// inMemory is a problem on the shards, put together in memory, as a plain Run.
func inMemory(t *testing.T, dir string, p problem) *fwopt.Trace {
	t.Helper()
	return inSet(t, must(whole(context.Background(), dir)), p, nil)
}

// inSet is a problem on a set in memory, as a plain Run from w0.
func inSet(t *testing.T, set *fwdata.Set, p problem, w0 []float64) *fwopt.Trace {
	t.Helper()
	f := set.Logistic()
	omega, method, err := p.parts(set.H(), set.M(), f.Smoothness())
	ok(t, err)
	b := fwopt.Budget{Steps: p.Steps, DualityGap: true, Every: math.Inf(1)}
	return fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, p.Seed).From(w0), method, b)
}

// maker makes a pass.
type maker = func(context.Context, *pass, []task) error

// before has do look at the number of each pass, before a maker makes it.
func before(make maker, do func(pass int) error) maker {
	passes := 0
	return func(ctx context.Context, p *pass, ts []task) error {
		passes++
		if err := do(passes); err != nil {
			return err
		}
		return make(ctx, p, ts)
	}
}

// local is an engine without Beam: so many goroutines, each with every so many-th shard,
// from the last one down, and then one for the branches.
func local(workers int) maker {
	return func(ctx context.Context, p *pass, ts []task) error {
		errs := make([]error, workers)
		var all sync.WaitGroup
		for k := range workers {
			all.Go(func() {
				for i := len(ts) - 1 - k; i >= 0 && errs[k] == nil; i -= workers {
					errs[k] = p.do(ctx, &ts[i])
				}
			})
		}
		all.Wait()
		for g := len(p.tops()) - 1; g >= 0 && p.fan() > 0; g-- {
			errs = append(errs, p.branch(ctx, g))
		}
		return errors.Join(errs...)
	}
}

// newJob is a job of a test, on the local engine.
func newJob(t *testing.T, dir string, p problem) *job {
	return &job{problem: p, shards: dir, runs: t.TempDir(), work: filepath.Join(t.TempDir(), "work"),
		memory: 1 << 30, engine: local(2), progress: io.Discard}
}

func (j *job) mustRun(t *testing.T) *fwopt.Trace {
	t.Helper()
	return must(j.run(context.Background()))
}

// file writes a set as LIBSVM text.
func fileOf(t *testing.T, s *fwdata.Set) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "own.svm")
	f := must(os.Create(path))
	ok(t, errors.Join(s.Write(f), f.Close()))
	return path
}

// onlyTrace is the only run in a folder; said is what its driver wrote.
func onlyTrace(t *testing.T, runs, said string) *fwopt.Trace {
	t.Helper()
	traces, _ := filepath.Glob(filepath.Join(runs, "*.trace"))
	if len(traces) != 1 {
		t.Fatalf("%v:\n%s", traces, said)
	}
	return must(fwkeep.LoadTrace(traces[0]))
}

// must is for what a test needs and does not test.
func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// drive runs fwbeam and calls saw with each line that it writes; it returns all of them.
func drive(saw func(driver *os.Process, line string), args ...string) (string, error) {
	cmd := program(args...)
	out := &lines{saw: func(line string) { saw(cmd.Process, line) }}
	cmd.Stdout, cmd.Stderr = out, out
	late := time.AfterFunc(5*time.Minute, func() { cmd.Process.Kill() })
	defer late.Stop()
	err := cmd.Run()
	return out.all.String(), err
}

type lines struct {
	all bytes.Buffer
	saw func(line string)
}

func (l *lines) Write(b []byte) (int, error) {
	l.all.Write(b)
	for line := range strings.Lines(string(b)) {
		l.saw(line)
	}
	return len(b), nil
}

func quietly(*os.Process, string) {}
