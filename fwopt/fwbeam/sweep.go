package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
)

// sweepFn makes one run of a sweep in the memory of a worker, and writes a line of it into
// a file of the folder Said, for the driver. A run that is kept is only read, so that an
// element may be tried again.
type sweepFn struct{ Shards, Runs, Said string }

// element is one run of a sweep.
type element struct {
	K int // which of the sweep's it is
	problem
}

func init() { register.DoFn2x2[context.Context, string, string, error](&sweepFn{}) }

// ProcessElement makes the run that text, an element in JSON, describes.
func (s *sweepFn) ProcessElement(ctx context.Context, text string) (string, error) {
	var e element
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return "", err
	}
	tr, err := e.keep(ctx, s.Shards, s.Runs)
	if err != nil {
		return "", err
	}
	return "", writeFile(ctx, s.saidFile(e.K), func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s %s, scale %g, seed %d: f %.9g, %s\n", e.Method, e.Schedule, e.Scale,
			e.Seed, tr.Last().F, traceFile(s.Runs, tr))
		return err
	})
}

func (s *sweepFn) saidFile(k int) string { return join(s.Said, fmt.Sprintf("run-%06d", k)) }

// traceFile returns the file in which a run is kept, or why it is not.
func traceFile(runs string, tr *fwopt.Trace) string {
	paths, _ := filepath.Glob(filepath.Join(runs, fmt.Sprintf("*-seed%d-*.trace", tr.Seed)))
	for _, path := range paths {
		if other, err := fwkeep.LoadTrace(path); err == nil && other.Spec == tr.Spec {
			return path
		}
	}
	return tr.Note
}

// keep makes a run on all shards in memory.
func (p *problem) keep(ctx context.Context, shards, runs string) (*fwopt.Trace, error) {
	set, err := whole(ctx, shards)
	if err != nil {
		return nil, err
	}
	f := set.Logistic()
	omega, method, err := p.parts(set.H(), set.M(), f.Smoothness())
	if err != nil {
		return nil, err
	}
	o, b := fwopt.NewOracle(f, omega, p.Seed), fwopt.Budget{Steps: p.Steps, DualityGap: true}
	tr, err := fwkeep.Keep(ctx, runs, o, method, b)
	if err == nil && tr.Status != fwopt.Done {
		err = fmt.Errorf("%+v: %v", *p, tr.Status)
	}
	return tr, err
}

// kept is the set that this process has read last.
var kept struct {
	sync.Mutex
	digest string
	set    *fwdata.Set
}

// whole reads all shards of a folder as one set.
func whole(ctx context.Context, dir string) (*fwdata.Set, error) {
	m, err := open(ctx, dir)
	if err != nil {
		return nil, err
	}
	kept.Lock()
	defer kept.Unlock()
	if kept.digest == m.Digest {
		return kept.set, nil
	}
	var parts []*fwdata.Set
	for _, t := range m.tasks() {
		s, err := load(ctx, dir, &t)
		if err != nil {
			return nil, err
		}
		parts = append(parts, s)
	}
	kept.digest, kept.set = m.Digest, together(parts)
	kept.set.Name, kept.set.Generated, kept.set.Digest = m.Name, m.Generated, m.Digest
	return kept.set, nil
}

// sweepCommand is the command sweep: its lists are methods, schedules, scales and seeds,
// and it makes the run of each combination.
func sweepCommand(ctx context.Context, f *flag.FlagSet, args []string) error {
	var base problem
	base.flags(f)
	fn := &sweepFn{}
	f.StringVar(&fn.Shards, "shards", "",
		"the folder that fwbeam shard has written; each worker holds all of it")
	f.StringVar(&fn.Runs, "runs", "runs", "the folder of kept runs, which all workers see")
	methods := f.String("methods", "svrf,storc", "a list of methods")
	schedules := f.String("schedules", "experiments", "a list of values for --schedule of run")
	scales := f.String("scales", "1", "a list of scales; SFW and SVRF have no L and are run once")
	seeds := f.Int("seeds", 5, "runs from the seeds 1 to this")
	e := newEngine(f)
	f.Parse(args)
	if fn.Shards == "" || f.NArg() > 0 {
		return fmt.Errorf("fwbeam sweep needs --shards, a folder; %q is left over", f.Args())
	}
	if err := unsaid(f, "method", "schedule", "scale", "seed"); err != nil {
		return err
	}
	elements, err := grid(base, *methods, *schedules, *scales, *seeds)
	if err != nil {
		return err
	}
	if _, err := open(ctx, fn.Shards); err != nil {
		return err
	}
	defer e.stop()
	if err := e.start(0); err != nil {
		return err
	}
	fmt.Fprintf(e.progress, "%d runs\n", len(elements))
	return e.sweep(ctx, fn, elements)
}

// unsaid returns an error if a flag was given for which a sweep has a list.
func unsaid(f *flag.FlagSet, names ...string) (err error) {
	f.Visit(func(given *flag.Flag) {
		if slices.Contains(names, given.Name) {
			err = fmt.Errorf("--%s is of fwbeam run: a sweep has --%ss", given.Name, given.Name)
		}
	})
	return err
}

// sweep makes runs, those that fail once more, and writes the line of each when it is kept.
func (e *engine) sweep(ctx context.Context, fn *sweepFn, elements []element) error {
	if err := os.MkdirAll(fn.Runs, 0o777); err != nil {
		return err
	}
	clean(fn.Runs, ".sweep")
	fn.Said = join(fn.Runs, own(".sweep"))
	if err := os.Mkdir(fn.Said, 0o777); err != nil {
		return err
	}
	defer os.RemoveAll(fn.Said)
	all, left := len(elements), slices.Clone(elements)
	said := func() { // the lines of what is kept since
		left = slices.DeleteFunc(left, func(one element) bool {
			b, err := os.ReadFile(fn.saidFile(one.K))
			if err == nil {
				e.progress.Write(b)
			}
			return err == nil
		})
	}
	err := e.twice(ctx, "the sweep", func(ctx context.Context, alive func()) error {
		var texts []string
		for _, one := range left {
			b, _ := json.Marshal(one) // numbers and strings
			texts = append(texts, string(b))
		}
		over := make(chan error, 1)
		go func() { over <- e.each(ctx, texts, 1, by(fn)) }()
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		var last time.Time
		for {
			select {
			case err := <-over:
				said()
				return err
			case <-tick.C:
				said()
				if info, err := os.Stat(fn.Runs); err == nil && !info.ModTime().Equal(last) {
					last = info.ModTime() // of a run or a checkpoint more
					alive()
				}
			}
		}
	})
	if err == nil || forGood(err) {
		return err
	}
	return fmt.Errorf("%d of %d runs are kept in %s; the same command goes on with those left: %w",
		all-len(left), all, fn.Runs, err)
}

// grid returns the runs of a sweep, each once.
func grid(base problem, methods, schedules, scales string, seeds int) (elements []element, err error) {
	seen := map[problem]bool{}
	for _, base.Method = range strings.Split(methods, ",") {
		for _, base.Schedule = range strings.Split(schedules, ",") {
			for _, text := range strings.Split(scales, ",") {
				if base.Scale, err = strconv.ParseFloat(text, 64); err != nil {
					return nil, fmt.Errorf("--scales %q: %w", scales, err)
				}
				if free := base.Method + " " + base.Schedule; free == "svrf experiments" ||
					free == "sfw experiments" || base.Method == "fw" || free == "svrf theorem" {
					base.Scale = 1
				}
				if _, _, err := base.parts(1, 1, 1); err != nil {
					return nil, err
				}
				for seed := range seeds {
					base.Seed = uint64(seed + 1)
					if !seen[base] {
						seen[base] = true
						elements = append(elements, element{len(elements), base})
					}
				}
			}
		}
	}
	return elements, nil
}
