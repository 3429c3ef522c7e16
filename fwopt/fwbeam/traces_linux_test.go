package main

import (
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwrate"
)

var traces = flag.String("traces", "",
	"TestTraces: the folder of notebooks/large-data's traces, to measure them anew: ten minutes on a machine that does nothing else, and 5 GB on its disk for a while")

// TestTraces measures what notebooks/large-data shows. Without -traces it does so on small sets, without
// Beam and into a folder that is removed, so that it still works and the sums are right. Where
// flink/flink.sh has started it, it measures passes on that Flink alone.
func TestTraces(t *testing.T) {
	x := &tracer{dir: *traces, full: *traces != "", engine: on}
	if !x.full {
		x.dir, x.engine = t.TempDir(), local
	} else if err := os.MkdirAll(x.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if endpoint := os.Getenv("FLINK"); endpoint != "" {
		x.flink = true
		make := standingFlink(t, endpoint)
		x.engine = func(int) maker { return make }
		t.Run("growth", x.growth)
		return
	}
	t.Run("growth", x.growth)
	t.Run("race", x.race)
	t.Run("reference", x.reference)
	t.Run("rivals", x.rivals)
	x.machine(t)
}

// tracer writes the traces into a folder.
type tracer struct {
	dir    string
	full   bool
	flink  bool
	engine func(pipelines int) maker
}

// standingFlink is an engine on a Flink, whose workers are a pool's.
func standingFlink(t *testing.T, endpoint string) maker {
	port := must(freePort())
	workers := program("pool", fmt.Sprintf("--port=%d", port))
	ok(t, workers.Start())
	t.Cleanup(func() {
		workers.Process.Signal(syscall.SIGTERM)
		workers.Wait()
	})
	for name, value := range map[string]string{"endpoint": endpoint, "parallelism": "2",
		"environment_type": "EXTERNAL", "environment_config": fmt.Sprintf("localhost:%d", port)} {
		ok(t, flag.Set(name, value))
	}
	runner, jobs, limit := "universal", 1, time.Minute
	e := &engine{runner: &runner, jobs: &jobs, limit: &limit, progress: io.Discard}
	ok(t, e.start(0))
	return e.pass
}

func (x *tracer) pick(small, full int) int {
	if x.full {
		return full
	}
	return small
}

// write writes a table.
func (x *tracer) write(t *testing.T, name string, rows [][]string) {
	t.Helper()
	f := must(os.Create(filepath.Join(x.dir, name+".csv")))
	out := csv.NewWriter(f)
	out.WriteAll(rows) // and flush
	ok(t, out.Error())
	ok(t, f.Close())
}

// row is a line of a table.
func row(cells ...any) (line []string) {
	for _, c := range cells {
		if s, ok := c.(float64); ok {
			c = fmt.Sprintf("%.6g", s)
		}
		line = append(line, fmt.Sprint(c))
	}
	return line
}

// place is generated data in so many shards, in a folder of its own.
type place struct {
	generated
	what   string
	shards int
	dir    string
	m      *manifest
}

func (p *place) cut(t *testing.T) {
	ctx := context.Background()
	w := &writer{ctx: ctx, dir: p.dir}
	err := p.write(w, (p.n+p.shards-1)/p.shards)
	if err == nil {
		p.m, err = open(ctx, p.dir)
	}
	if err != nil {
		t.Error(err)
	} else if len(p.m.Shards) != p.shards {
		t.Errorf("%d shards, want %d", len(p.m.Shards), p.shards)
	}
}

// growth measures passes over more rows, over more shards, over next to no rows, and in memory.
func (x *tracer) growth(t *testing.T) {
	of := func(n int) generated {
		return generated{n: n, m: x.pick(100, 100_000), classes: 2, nonzeros: x.pick(5, 50), seed: 1}
	}
	news20 := generated{n: 16, m: x.pick(50, 62_061), classes: 20, nonzeros: x.pick(5, 80), seed: 1}
	all := []*place{{what: "overhead", generated: of(16), shards: 16}, {what: "overhead", generated: news20,
		shards: 16}}
	for k := range 4 {
		all = append(all, &place{what: "rows", generated: of(x.pick(160, 250_000) << k), shards: 16})
	}
	for k := range 7 {
		all = append(all, &place{what: "shards", generated: of(x.pick(320, 500_000)), shards: 1 << k})
	}
	var cuts sync.WaitGroup
	for k := range 2 {
		cuts.Go(func() {
			for _, p := range all[k*len(all)/2 : (k+1)*len(all)/2] {
				p.dir = t.TempDir()
				p.cut(t)
			}
		})
	}
	if cuts.Wait(); t.Failed() {
		return
	}
	syscall.Sync() // or the disk is busy while passes are timed
	passes := [][]string{row("what", "n", "shards", "features", "classes", "nonzeros", "stored", "pipelines",
		"turn", "seconds", "cpu", "bytes")}
	memory := [][]string{row("what", "n", "features", "classes", "nonzeros", "threads", "turn", "load",
		"value", "seconds")}
	for _, p := range all {
		passes = append(passes, x.passes(t, p, 2)...)
		if p.what == "rows" && !x.flink {
			passes = append(passes, x.passes(t, p, 1)...)
			memory = append(memory, x.memory(t, p)...)
		}
	}
	if x.flink {
		x.write(t, "growth-flink", passes)
		return
	}
	x.write(t, "growth", passes)
	x.write(t, "memory", memory)
}

// passes times passes; the first one, of turn 0, also reads the shards from the disk and
// makes what later ones find.
func (x *tracer) passes(t *testing.T, p *place, pipelines int) (lines [][]string) {
	s := &sum{m: p.m, dir: p.dir, work: t.TempDir(), engine: x.engine(pipelines), ctx: context.Background()}
	last := report{}
	s.passed = func(r report) { last = r }
	stored := int64(0)
	for _, one := range p.m.Shards {
		stored += one.Bytes
	}
	w := make([]float64, p.m.dim())
	turns := x.pick(2, 9)
	if x.flink {
		turns = 5
	}
	for turn := range turns {
		w[0]++
		began := fwrate.CPU()
		ok(t, s.pass(w))
		lines = append(lines, row(p.what, p.n, p.shards, p.m.Features, p.classes, p.nonzeros, stored,
			pipelines, turn, last.Seconds, (fwrate.CPU()-began).Seconds(), last.Bytes))
	}
	return lines
}

// memory times f and ∇f of the same rows in memory, on one thread and on two.
func (x *tracer) memory(t *testing.T, p *place) (lines [][]string) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	defer debug.FreeOSMemory()
	began := time.Now()
	set := must(whole(context.Background(), p.dir))
	load := time.Since(began).Seconds()
	f := set.Logistic()
	w, dst := make([]float64, f.Dim()), make([]float64, f.Dim())
	for threads := 1; threads <= 2; threads++ {
		runtime.GOMAXPROCS(threads)
		for turn := range x.pick(2, 6) {
			w[0]++
			began := time.Now()
			f.Value(w)
			value := time.Since(began).Seconds()
			f.Grad(dst, w, fwopt.Batch{})
			lines = append(lines, row("memory", p.n, p.m.Features, p.classes, p.nonzeros, threads, turn, load,
				value, time.Since(began).Seconds()))
		}
	}
	kept.set, kept.digest = nil, ""
	return lines
}

// off is how far apart f may be here and there: where singular values are nearly equal a
// rounding decides which vertex is taken, and steps add that up.
func (x *tracer) off() float64 {
	if x.full {
		return 1e-6
	}
	return 1e-12
}

// contest is the set of the race.
func (x *tracer) contest(t *testing.T) (dir string) {
	p := &place{generated: generated{n: x.pick(1600, 200_000), m: x.pick(200, 20_000), classes: x.pick(3, 10),
		nonzeros: x.pick(5, 50), seed: 1}, shards: 16, dir: t.TempDir()}
	if p.cut(t); t.Failed() {
		t.FailNow()
	}
	return p.dir
}

// label names a method and, if it is not that of the experiments, its schedule.
func label(p problem) string {
	if p.Schedule == "experiments" {
		return p.Method
	}
	return p.Method + " " + p.Schedule
}

// table reads the one table of passes in a folder of runs, without its heading.
func table(t *testing.T, runs string) [][]string {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(runs, "passes-*.csv"))
	if len(files) != 1 {
		t.Fatalf("%q, want one table of passes", files)
	}
	f := must(os.Open(files[0]))
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil || len(lines) < 2 || lines[0][7] != "step" {
		t.Fatal(err, lines)
	}
	return lines[1:]
}

// race runs four methods over the same shards, and in memory: the same f and accounts.
func (x *tracer) race(t *testing.T) {
	dir := x.contest(t)
	syscall.Sync()
	tried := [][]string{row("method", "scale", "steps", "seed", "f")}
	tune := func(p problem, steps int) problem { // on other draws
		best := math.Inf(1)
		for e := 0; e <= 14; e += 2 {
			q := p
			q.Scale, q.Seed, q.Steps = math.Exp2(-float64(e)), 2, steps
			f := inMemory(t, dir, q).Last().F
			tried = append(tried, row(label(q), fmt.Sprint(q.Scale), q.Steps, q.Seed, f))
			if f < best {
				best, p.Scale = f, q.Scale
			}
		}
		return p
	}
	alone := [][]string{row("method", "scale", "steps", "seconds", "f", "gap", "exact", "stochastic",
		"linear")}
	race := [][]string{row("method", "step", "exact", "stochastic", "linear", "draws", "rows", "bytes",
		"seconds", "elapsed", "f", "gap")}
	for _, q := range []problem{
		{"fw", "experiments", 1, "trace", 50, 1, x.pick(12, 400)},
		{"sfw", "experiments", 1, "trace", 50, 1, x.pick(30, 300)},
		{"svrf", "experiments", 1, "trace", 50, 1, x.pick(60, 3000)},
		tune(problem{"storc", "experiments", 1, "trace", 50, 1, x.pick(60, 2000)}, x.pick(60, 2000)),
		tune(problem{"storc", "theorem", 1, "trace", 50, 1, x.pick(14, 426)}, x.pick(14, 65)), // to the ends of epochs 10 and 5
	} {
		here := inMemory(t, dir, q).Last()
		j := newJob(t, dir, q)
		j.engine = x.engine(2)
		there := j.mustRun(t).Last()
		if off := math.Abs(there.F-here.F) / here.F; there.Calls != here.Calls || !(off <= x.off()) {
			t.Errorf("%+v: f = %v, %+v, in memory %v, %+v", q, there.F, there.Calls, here.F, here.Calls)
		}
		alone = append(alone, row(label(q), fmt.Sprint(q.Scale), q.Steps, here.Seconds, fmt.Sprint(here.F),
			here.DualityGap+here.Slack, here.Calls.Exact, here.Calls.Stochastic, here.Calls.Linear))
		for _, l := range table(t, j.runs) {
			race = append(race, append(row(label(q)), l[7:]...)) // the rest is that of the set
		}
	}
	x.write(t, "tuning", tried)
	x.write(t, "alone", alone)
	x.write(t, "race", race)
}

// reference looks for f* of the race's set with exact gradients and projections, in memory
// from where SVRF ends: f − gap of any iterate is below f*, whatever found it.
func (x *tracer) reference(t *testing.T) {
	dir := x.contest(t)
	q := problem{"svrf", "experiments", 1, "trace", 50, 1, x.pick(60, 3000)}
	from := inMemory(t, dir, q)
	set := must(whole(context.Background(), dir))
	f := set.Logistic()
	omega, _, err := q.parts(set.H(), set.M(), f.Smoothness())
	ok(t, err)
	o := fwopt.NewOracle(f, omega, 1)
	tr := fwopt.Run(context.Background(), o.From(from.W), &fwmore.FISTA{L: 1e-3},
		fwopt.Budget{Steps: x.pick(30, 200), DualityGap: true, Every: 1.2})
	least, lower := math.Inf(1), math.Inf(-1)
	for _, q := range tr.Points {
		least, lower = min(least, q.F), max(lower, q.F-q.DualityGap-q.Slack)
	}
	if !(lower < least && least <= from.Last().F) {
		t.Errorf("f* from %v to %v, where SVRF ends at %v", lower, least, from.Last().F)
	}
	x.write(t, "reference", [][]string{row("what", "value"), row("f* at least", fmt.Sprint(lower)),
		row("f* at most", fmt.Sprint(least)), row("steps of FISTA", tr.Last().Step)})
}

// rivals runs what a reader with one machine would take, FISTA and SVRG, on the race's set in
// memory, and writes after how many passes over the rows which f is known. They begin at w = 0.
// SVRG's rate is tuned on other draws, FISTA's fixed L on these rows, by its first half. Then come
// forms of the race's methods that fwbeam has not: Frank-Wolfe with a line search, of one pass a step
// if the scores of all rows are kept; SVRF with the epochs of the fewest passes to 1e-3; and STORC without
// constants, each batch of which is a pass, for what it finds decides how large the next one is.
func (x *tracer) rivals(t *testing.T) {
	set := must(whole(context.Background(), x.contest(t)))
	f := set.Logistic()
	q := problem{"fw", "experiments", 1, "trace", 50, 1, 1}
	omega, _, err := q.parts(set.H(), set.M(), f.Smoothness())
	ok(t, err)
	run := func(m fwopt.Method, seed uint64, record func(s fwopt.Step) (record, last bool)) *fwopt.Trace {
		o := fwopt.NewOracle(f, omega, seed).From(make([]float64, f.Dim()))
		return fwopt.Run(context.Background(), o, m, fwopt.Budget{Record: record})
	}
	svrg := func(rate float64, seed uint64, epochs int) *fwopt.Trace {
		m := fwopt.SVRGExperiments(rate)
		return run(m, seed, fwopt.EpochEnds(m.N, epochs))
	}
	fista := func(m *fwmore.FISTA, steps int) *fwopt.Trace {
		return run(m, 1, func(s fwopt.Step) (record, last bool) { return true, s.K == steps })
	}
	fixed := func(rate float64, steps int) *fwopt.Trace {
		return fista(&fwmore.FISTA{L: 1 / rate, Fixed: true}, steps)
	}
	tune := func(tried func(rate float64) *fwopt.Trace) (rate float64) {
		const first, last = -2, 12 // exponents of the grid
		best := math.Inf(1)
		for e := first; e <= last; e += 2 {
			if f := tried(math.Exp2(float64(e))).Last().F; f < best {
				rate, best = math.Exp2(float64(e)), f
			}
		}
		if x.full && (rate == math.Exp2(first) || rate == math.Exp2(last)) {
			t.Errorf("the best rate, %v, is at an end of the grid", rate)
		}
		return rate
	}
	out := [][]string{row("method", "constant", "passes", "f")}
	add := func(name, constant string, tr *fwopt.Trace, more int) {
		for _, p := range tr.Points[1:] {
			out = append(out, row(name, constant, p.Calls.Exact+more, fmt.Sprint(p.F)))
		}
	}
	adaptive := fista(&fwmore.FISTA{L: 1e-3}, x.pick(8, 40))
	add("fista", "–", adaptive, 0)
	star := adaptive.Last().F
	rate := tune(func(rate float64) *fwopt.Trace { return fixed(rate, x.pick(4, 20)) })
	add("fista fixed", fmt.Sprint(1/rate), fixed(rate, x.pick(8, 40)), 1) // f is one more pass
	rate = tune(func(rate float64) *fwopt.Trace { return svrg(rate, 2, x.pick(2, 5)) })
	add("svrg", fmt.Sprint(rate), svrg(rate, 1, x.pick(4, 20)), 1) // seen by the next
	searching := &fwopt.FW{Rule: fwopt.LineSearch{}}
	add("fw line search", "–", run(searching, 1, func(s fwopt.Step) (record, last bool) {
		return true, s.K == x.pick(8, 120)
	}), 1)
	longest, least, fewest := 0, (*fwopt.Trace)(nil), math.Inf(1)
	for N := 50; ; N *= 2 {
		m := fwopt.SVRFExperiments()
		m.N = func(int) int { return N }
		tr, passes := run(m, 1, fwopt.EpochEnds(m.N, x.pick(2, max(1, 4000/N)))), math.Inf(1)
		for _, p := range tr.Points {
			if p.F <= star+1e-3 {
				passes = float64(p.Calls.Exact + 1)
				break
			}
		}
		if least != nil && passes >= fewest {
			break
		}
		longest, least, fewest = N, tr, passes
	}
	add("svrf longer", fmt.Sprint(longest), least, 1)
	tr := run(fwmore.NewAdaptiveSTORC(), 1, func(s fwopt.Step) (record, last bool) {
		return true, s.T > x.pick(2, 12)
	})
	for i := range tr.Points {
		tr.Points[i].Calls.Exact += tr.Points[i].Step
	}
	add("storc adaptive", "–", tr, 0)
	x.write(t, "rivals", out)
}

// machine says where and when, and what of.
func (x *tracer) machine(t *testing.T) {
	processor := "unknown"
	text, _ := os.ReadFile("/proc/cpuinfo")
	if m := regexp.MustCompile(`model name\s*: (.*)`).FindSubmatch(text); m != nil {
		processor = string(m[1])
	}
	x.write(t, "machine", [][]string{row("what", "value"), row("processor", processor),
		row("processors", runtime.NumCPU()),
		row("system", runtime.GOOS+"/"+runtime.GOARCH), row("Go", runtime.Version()),
		row("Apache Beam", beamVersion(t)),
		row("kernels", fwopt.Kernel()), row("date", time.Now().UTC().Format(time.DateOnly))})
}

// beamVersion is that of the module.
func beamVersion(t *testing.T) string {
	text, err := os.ReadFile("go.mod")
	m := regexp.MustCompile(`apache/beam/sdks/v2 (\S+)`).FindSubmatch(text)
	if err != nil || m == nil {
		t.Fatal("no version of Beam in go.mod: ", err)
	}
	return string(m[1])
}
