package main

import (
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
)

// job is a run over shards.
type job struct {
	problem
	shards, runs, work string
	memory             int
	engine             func(ctx context.Context, p *pass, ts []task) error
	progress           io.Writer
}

// runCommand is the command run.
func runCommand(ctx context.Context, f *flag.FlagSet, args []string) error {
	j := &job{progress: os.Stderr}
	j.problem.flags(f)
	f.StringVar(&j.shards, "shards", "", "the folder that fwbeam shard has written")
	f.StringVar(&j.runs, "runs", "runs",
		"the folder of kept runs and of the tables of passes, of this machine")
	f.StringVar(&j.work, "work", "",
		"a folder that the driver and all workers see, for the files of a pass (default DIR/work of --shards DIR)")
	memory := f.String("memory", "1GiB", "what the driver may take")
	weights := f.String("weights", "", "write the weights to this .csv or .npy `file`, a line for each feature")
	e := newEngine(f)
	f.Parse(args)
	if j.shards == "" || f.NArg() > 0 {
		return fmt.Errorf("fwbeam run needs --shards, a folder; %q is left over", f.Args())
	}
	if *weights != "" && !strings.HasSuffix(*weights, ".csv") && !strings.HasSuffix(*weights, ".npy") {
		return fmt.Errorf("--weights %q, want a name that ends in .csv or .npy", *weights)
	}
	most, err := humanize.ParseBytes(*memory)
	if err != nil || most > math.MaxInt {
		return fmt.Errorf("--memory %q is no number of bytes such as 512MiB, 1GiB or 100MB", *memory)
	}
	j.memory = int(most)
	if j.work == "" {
		j.work = join(j.shards, "work")
	}
	defer e.stop()
	if err := e.start(j.memory); err != nil {
		return err
	}
	j.engine = e.pass
	tr, err := j.run(ctx)
	if tr != nil {
		p := tr.Last()
		fmt.Printf("%s on %s, seed %d: %v after step %d, f = %v, duality gap at most %.6g, %+v\n", tr.Method,
			tr.Data, tr.Seed, tr.Status, p.Step, p.F, p.DualityGap+p.Slack, p.Calls)
		if tr.Note != "" {
			fmt.Println(tr.Note)
		}
		if *weights != "" {
			err = errors.Join(err, j.write(*weights, tr.W))
		}
	}
	if err == nil && tr.Status == fwopt.Interrupted {
		return errors.New("stopped: the same command goes on from there")
	}
	return err
}

// write writes the weights by the numbers of the features, from 1, and the labels of the file.
func (j *job) write(path string, w []float64) error {
	m, err := open(context.Background(), j.shards)
	if err != nil {
		return err
	}
	var features, labels []string
	for k := range m.Features {
		features = append(features, strconv.Itoa(k+1))
	}
	for _, l := range m.Labels {
		labels = append(labels, strconv.Itoa(l))
	}
	return fwdata.WriteWeights(path, w, features, labels)
}

// run makes the run, or goes on with it, or returns the trace that is kept.
func (j *job) run(ctx context.Context) (tr *fwopt.Trace, err error) {
	m, err := open(ctx, j.shards)
	if err != nil {
		return nil, err
	}
	omega, method, err := j.parts(len(m.Labels), m.Features, m.Norm2/2)
	if err != nil {
		return nil, err
	}
	a := aheadOf(method)
	limit, err := rowLimit(m, j.memory)
	if err != nil {
		return nil, err
	}
	if err := a.fits(j.Steps, m.Rows, limit); err != nil {
		return nil, fmt.Errorf("%s with --schedule %s: %w, and a driver of %s may hold %d: %s", j.Method,
			j.Schedule, err, size(j.memory), limit, j.smaller(m, limit))
	}
	if tr := j.finished(m); tr != nil {
		return tr, nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	clean(j.work, "run")
	s := &sum{m: m, dir: j.shards, work: join(j.work, own("run")), engine: j.engine, ctx: ctx, limit: limit}
	defer remove(context.WithoutCancel(ctx), s.work)
	defer func() {
		switch p := recover().(type) {
		case nil:
		case broken:
			tr, err = nil, j.mended(p.error)
		default:
			panic(p)
		}
	}()
	return j.keep(cancel, s, omega, method, a)
}

// mended says how the run goes on after an error of a pass.
func (j *job) mended(err error) error {
	if forGood(err) {
		return err
	}
	return fmt.Errorf("%w; what is kept of the run is in %s: once that is mended the same command goes on "+
		"from there", err, j.runs)
}

// forGood reports whether the same command ends in the same error. That of a worker comes
// as text.
func forGood(err error) bool {
	return slices.ContainsFunc([]string{notNumber, otherProgram, "run fwbeam shard again",
		"code = Unimplemented"}, func(s string) bool { return strings.Contains(err.Error(), s) })
}

// smaller names a schedule that fits, as far as there is one.
func (j *job) smaller(m *manifest, limit int) string {
	for _, method := range []string{j.Method, "svrf", "storc"} {
		p := j.problem
		p.Method, p.Schedule = method, "experiments"
		if _, other, err := p.parts(len(m.Labels), m.Features, m.Norm2/2); err == nil {
			if a := aheadOf(other); a.fits(p.Steps, m.Rows, limit) == nil {
				return fmt.Sprintf("--method %s --schedule experiments fits; or raise --memory, or make "+
					"fewer --steps", method)
			}
		}
	}
	return "raise --memory, or make fewer --steps"
}

// keep makes the run by fwkeep.Keep. The pass at a snapshot is made after the step before
// it, where the run can be stopped and saved if the pass fails.
func (j *job) keep(cancel context.CancelCauseFunc, s *sum, omega fwopt.Domain, method fwopt.Method,
	a ahead) (*fwopt.Trace, error) {
	if err := os.MkdirAll(j.runs, 0o777); err != nil {
		return nil, err
	}
	o := fwopt.NewOracle(s, omega, j.Seed)
	s.serve(o, a)
	started, now, begun := time.Now(), fwopt.Point{}, false
	begin := func(step int) { // the passes before compare the start of the run with what is kept
		if step > 0 && !begun {
			fmt.Fprintf(j.progress, "goes on from step %d\n", step)
		}
		begun = true
	}
	s.passed = func(r report) {
		gap := math.NaN()
		if r.Grad {
			g, slack := fwopt.DualityGap(s, omega, s.w)
			gap = g + slack
		}
		now.Step = a.done()
		fmt.Fprintf(j.progress, "pass %d after step %d: %d rows brought, %.3f s", r.Pass, now.Step, r.Rows,
			r.Seconds)
		if r.Grad {
			fmt.Fprintf(j.progress, ", f %.9g, gap %.3g", r.F, gap)
		}
		fmt.Fprintln(j.progress)
		if err := j.log(s, o, r, now, time.Since(started), gap); err != nil && s.failed == nil {
			s.failed = err
		}
	}
	b := fwopt.Budget{Steps: j.Steps, DualityGap: true, Every: math.Inf(1)} // the table of passes has f on the way
	b.Watch = func(tr *fwopt.Trace, at fwopt.Point) {
		begin(at.Step - 1)
		now = at
		s.over = now.Step >= j.Steps
		if s.over {
			return // the last record makes the last pass
		}
		if err := s.prepare(now.Step, tr.W); err != nil {
			cancel(err)
		}
	}
	s.engine = func(ctx context.Context, p *pass, ts []task) error {
		if step := a.done(); step > 1 { // the record of step 1 is a pass of a new run, too
			begin(step)
		}
		return j.engine(ctx, p, ts)
	}
	tr, err := fwkeep.Keep(s.ctx, j.runs, o, method, b)
	if s.failed != nil {
		err = errors.Join(j.mended(s.failed), err)
	}
	if err == nil {
		j.finish(s.m, tr)
	}
	return tr, err
}

// log adds a pass to the table of the run's passes, which is the record of what was done:
// a pass that is made again after a stop is there twice.
func (j *job) log(s *sum, o *fwopt.Oracle, r report, now fwopt.Point, elapsed time.Duration,
	gap float64) error {
	name := fmt.Sprintf("passes-%s-%s-%s-%g-%s-%g-seed%d.csv", s.m.Digest[:8], j.Method, j.Schedule, j.Scale,
		j.Ball, j.Radius, j.Seed)
	f, err := os.OpenFile(filepath.Join(j.runs, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	out := csv.NewWriter(f)
	if at, err := f.Seek(0, io.SeekEnd); err == nil && at == 0 {
		out.Write([]string{"method", "schedule", "data", "shards", "n", "d", "seed", "step", "exact",
			"stochastic", "linear", "draws", "rows", "bytes", "seconds", "elapsed", "f", "gap"})
	}
	number := func(x float64) string {
		if math.IsNaN(x) {
			return ""
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	row := []string{j.Method, j.Schedule, s.m.Name}
	for _, k := range []int{len(s.m.Shards), s.m.Rows, s.Dim(), int(j.Seed), now.Step, o.Calls.Exact,
		o.Calls.Stochastic, o.Calls.Linear, r.Draws, r.Rows, r.Bytes} {
		row = append(row, strconv.Itoa(k))
	}
	out.Write(append(row, number(r.Seconds), number(elapsed.Seconds()), number(r.F), number(gap)))
	out.Flush()
	return errors.Join(out.Error(), f.Close())
}
