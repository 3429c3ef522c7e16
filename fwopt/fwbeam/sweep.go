package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
)

// sweepFn makes one run of a sweep in the memory of a worker. A run that is kept is only
// read, so that an element may be tried again.
type sweepFn struct{ Shards, Runs string }

func init() { register.DoFn2x1[context.Context, string, error](&sweepFn{}) }

// ProcessElement makes the run that text, a problem in JSON, says.
func (s *sweepFn) ProcessElement(ctx context.Context, text string) error {
	var p problem
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return err
	}
	_, err := p.keep(ctx, s.Shards, s.Runs)
	return err
}

// keep makes a run on all shards in memory.
func (p *problem) keep(ctx context.Context, shards, runs string) (*fwopt.Trace, error) {
	set, err := whole(ctx, shards)
	if err != nil {
		return nil, err
	}
	f := set.Logistic()
	omega, D, err := p.omega(set.H(), set.M())
	if err != nil {
		return nil, err
	}
	method, err := p.method(f.Smoothness(), D)
	if err != nil {
		return nil, err
	}
	tr, err := fwkeep.Keep(ctx, runs, fwopt.NewOracle(f, omega, p.Seed), method, nil, fwopt.Budget{Steps: p.Steps, DualityGap: true})
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
	if kept.digest == m.digest {
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
	kept.digest, kept.set = m.digest, together(parts)
	kept.set.Name, kept.set.Generated, kept.set.Digest = m.Name, m.Generated, m.digest
	return kept.set, nil
}

// sweepCommand is the command sweep: its lists are methods, schedules, scales and seeds,
// and it makes the run of each combination.
func sweepCommand(ctx context.Context, f *flag.FlagSet, args []string) error {
	var base problem
	base.flags(f)
	fn := &sweepFn{}
	f.StringVar(&fn.Shards, "shards", "", "the folder that fwbeam shard has written; each worker holds all of it")
	f.StringVar(&fn.Runs, "runs", "runs", "the folder of kept runs, which all workers see")
	methods := f.String("methods", "svrf,storc", "a list of methods")
	schedules := f.String("schedules", "experiments", "a list of schedules")
	scales := f.String("scales", "1", "a list of scales; SFW and SVRF have no L and are run once")
	seeds := f.Int("seeds", 5, "runs from the seeds 1 to this")
	e := newEngine(f)
	f.Parse(args)
	if fn.Shards == "" || f.NArg() > 0 {
		return fmt.Errorf("fwbeam sweep needs --shards, a folder; %q is left over", f.Args())
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
	fmt.Fprintf(os.Stderr, "%d runs\n", len(elements))
	return e.each(ctx, fn, elements)
}

// grid returns the runs of a sweep, each once.
func grid(base problem, methods, schedules, scales string, seeds int) (elements []string, err error) {
	seen := map[string]bool{}
	for _, base.Method = range strings.Split(methods, ",") {
		for _, base.Schedule = range strings.Split(schedules, ",") {
			for _, text := range strings.Split(scales, ",") {
				if base.Scale, err = strconv.ParseFloat(text, 64); err != nil {
					return nil, fmt.Errorf("--scales %q: %w", scales, err)
				}
				if free := base.Method + " " + base.Schedule; free == "svrf experiments" || free == "sfw experiments" || base.Method == "fw" || free == "svrf theorem" {
					base.Scale = 1
				}
				if _, err := base.method(1, 1); err != nil {
					return nil, err
				}
				for seed := range seeds {
					base.Seed = uint64(seed + 1)
					b, _ := json.Marshal(base) // numbers and strings
					if !seen[string(b)] {
						seen[string(b)] = true
						elements = append(elements, string(b))
					}
				}
			}
		}
	}
	return elements, nil
}
