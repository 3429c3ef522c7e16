package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal" // Flink, Spark and a separate Prism
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// engine makes passes and sweeps as pipelines of Beam.
type engine struct {
	runner *string
	jobs   *int
	limit  *time.Duration
	temp   string // Beam leaves a file there for each pipeline

	progress io.Writer // lines of text
}

func newEngine(f *flag.FlagSet) *engine {
	return &engine{
		progress: os.Stderr,
		runner: f.String("runner", "prism",
			"prism, which runs in this process unless --endpoint is given, or universal, for any other at "+
				"--endpoint"),
		jobs: f.Int("jobs", min(8, runtime.NumCPU()),
			"pipelines that share out the shards of a pass: Prism gives each one worker; for other runners 1"),
		limit: f.Duration("patience", 10*time.Minute,
			"a pass that takes longer, or a sweep from which nothing comes for so long, is made anew, "+
				"once: a worker that dies before it has a connection ends no pipeline of Prism's"),
	}
}

// start makes the engine ready, with so much memory for this process, 0 for no limit.
func (e *engine) start(memory int) (err error) {
	if *e.jobs < 1 {
		return fmt.Errorf("--jobs %d, want at least 1", *e.jobs)
	}
	if memory > 0 {
		debug.SetMemoryLimit(int64(memory))
	}
	if err := e.refuse(); err != nil {
		return err
	}
	beam.Init()
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil))) // what goes wrong comes back as an error
	if e.temp, err = os.MkdirTemp("", "fwbeam-*"); err != nil {
		return err
	}
	log.SetLogger(quiet{e.temp})
	if err := os.Setenv("TMPDIR", e.temp); err != nil {
		return err
	}
	switch {
	case *e.runner == "prism" && *jobopts.Endpoint == "":
		return e.embed()
	case *e.runner == "universal" && *jobopts.Endpoint == "":
		return errors.New("--runner universal needs --endpoint, the host:port of a job service")
	case *jobopts.Endpoint == "":
		return nil // one that knows where it is
	}
	if err := answers(); err != nil {
		return err
	}
	if kind := strings.ToLower(*jobopts.EnvironmentType); *jobopts.WorkerBinary == "" &&
		(kind == "process" || kind == "external") {
		// the workers have this program: nothing of 80 MB is sent in each pass
		*jobopts.WorkerBinary = filepath.Join(e.temp, "none")
		return os.WriteFile(*jobopts.WorkerBinary, nil, 0o600)
	}
	return nil
}

// answers returns an error where nobody listens at the endpoint.
func answers() error {
	conn, err := net.DialTimeout("tcp", *jobopts.Endpoint, 5*time.Second)
	if err != nil {
		return fmt.Errorf("no runner answers at --endpoint %s: %w", *jobopts.Endpoint, err)
	}
	return conn.Close()
}

// embed starts a Prism in this process.
func (e *engine) embed() error {
	port, err := freePort()
	if err != nil {
		return err
	}
	if _, err := prism.CreateJobServer(context.Background(), prism.Options{Port: port}); err != nil {
		return err
	}
	*jobopts.Endpoint, *jobopts.EnvironmentType = fmt.Sprintf("localhost:%d", port), "loopback"
	return nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// stop removes what Beam has left.
func (e *engine) stop() { os.RemoveAll(e.temp) }

// quiet logs nothing, for Beam says each step of each pipeline, but why Beam ends this
// program, and then removes what it has left.
type quiet struct{ temp string }

func (q quiet) Log(_ context.Context, sev log.Severity, _ int, text string) {
	if sev >= log.SevFatal {
		fmt.Fprintln(os.Stderr, "fwbeam:", text)
		os.RemoveAll(q.temp)
	}
}

// shardFn does the work of a pass on one shard.
type shardFn struct{ Pass pass }

func init() { register.DoFn2x3[context.Context, string, int, string, error](&shardFn{}) }

// ProcessElement does the work on the shard that text, a task in JSON, names, and returns its branch.
func (f *shardFn) ProcessElement(ctx context.Context, text string) (int, string, error) {
	var t task
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return 0, "", err
	}
	return t.K / max(1, f.Pass.fan()), "", f.Pass.do(ctx, &t)
}

// branchFn adds up a branch, whose parts are all there then.
type branchFn struct{ Pass pass }

func init() {
	register.DoFn3x2[context.Context, int, func(*string) bool, string, error](&branchFn{})
	register.Iter1[string]()
}

// ProcessElement adds up branch g.
func (f *branchFn) ProcessElement(ctx context.Context, g int, _ func(*string) bool) (string, error) {
	return "", f.Pass.branch(ctx, g)
}

// pass makes a pass, twice if a worker dies: all that it writes is the same then.
func (e *engine) pass(ctx context.Context, p *pass, ts []task) error {
	elements := make([]string, len(ts))
	for k := range ts {
		b, _ := json.Marshal(ts[k]) // numbers and strings
		elements[k] = string(b)
	}
	return e.twice(ctx, fmt.Sprintf("pass %d", p.Number), func(ctx context.Context, _ func()) error {
		fan := p.fan()
		return e.each(ctx, elements, max(1, fan), func(s beam.Scope, mine beam.PCollection) beam.PCollection {
			done := beam.ParDo(s, &shardFn{*p}, mine)
			if fan == 0 {
				return beam.DropKey(s, done)
			}
			return beam.ParDo(s, &branchFn{*p}, beam.GroupByKey(s, done))
		})
	})
}

// vanished returns an error where nobody listens any more at the endpoint, if there is one.
func vanished() error {
	if *jobopts.Endpoint == "" {
		return nil
	}
	if err := answers(); err != nil {
		return fmt.Errorf("the runner has gone: %w: start it again, and the same command goes on", err)
	}
	return nil
}

// minute is how often one reads that something waits; a variable for the tests.
var minute = time.Minute

// twice does what it is given, within --patience, and once more if it fails. What calls
// alive, for something has come, has the patience from there on.
func (e *engine) twice(ctx context.Context, what string,
	do func(ctx context.Context, alive func()) error) error {
	try := func() error {
		// no deadline, which gRPC would see first and name by another word
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		late := time.AfterFunc(*e.limit, func() { cancel(fmt.Errorf("longer than --patience %v", *e.limit)) })
		defer late.Stop()
		began, tick, pulse := time.Now(), time.NewTicker(minute), time.NewTicker(5*time.Second)
		over := make(chan struct{})
		defer tick.Stop()
		defer pulse.Stop()
		var said sync.WaitGroup
		said.Go(func() {
			for {
				select {
				case <-tick.C:
					fmt.Fprintf(e.progress, "%s has waited %.0f s for workers\n", what,
						time.Since(began).Seconds())
				case <-pulse.C: // Beam waits on for a runner that has gone
					if gone := vanished(); gone != nil && vanished() != nil {
						cancel(gone)
					}
				case <-over:
					return
				}
			}
		})
		err := do(ctx, func() { late.Reset(*e.limit) })
		close(over)
		said.Wait()
		if err != nil && ctx.Err() != nil {
			err = errors.Join(context.Cause(ctx), err)
		}
		return err
	}
	err := try()
	if err == nil || ctx.Err() != nil {
		return err
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	fmt.Fprintf(e.progress, "%s is made once more: %s\n", what, first)
	again := try()
	if again == nil {
		return nil
	}
	if gone := vanished(); gone != nil && ctx.Err() == nil {
		return gone
	}
	return fmt.Errorf("twice: %w", again)
}

// end takes what an element's work returns. It is there for Prism v2.77.0, which waits for a
// stage without an output in a busy loop, and so takes a processor from the workers.
type end struct{}

func init() { register.DoFn1x0[string](&end{}) }

// ProcessElement does nothing.
func (*end) ProcessElement(string) {}

// stage is a part of a pipeline.
type stage = func(s beam.Scope, elements beam.PCollection) beam.PCollection

func by(fn any) stage {
	return func(s beam.Scope, elements beam.PCollection) beam.PCollection {
		return beam.ParDo(s, fn, elements)
	}
}

// each lets do process the elements, in as many pipelines as there are jobs, each with whole groups of so many.
func (e *engine) each(ctx context.Context, elements []string, group int, do stage) error {
	groups := slices.Collect(slices.Chunk(elements, group))
	jobs := min(*e.jobs, len(groups))
	failed := make([]error, jobs)
	var all sync.WaitGroup
	for k := range jobs {
		all.Go(func() {
			mine := slices.Concat(groups[k*len(groups)/jobs : (k+1)*len(groups)/jobs]...)
			p, s := beam.NewPipelineWithRoot()
			done := do(s, beam.Reshuffle(s, beam.CreateList(s, mine)))
			beam.ParDo0(s, &end{}, beam.Reshuffle(s, done))
			_, failed[k] = beam.Run(ctx, *e.runner, p)
		})
	}
	all.Wait()
	return errors.Join(failed...)
}

// work is this program as a worker: as a container or a process that a runner starts.
func work(args []string) error {
	f := flag.CommandLine
	provision := f.String("provision_endpoint", "", "where a worker asks what it is for")
	f.String("artifact_endpoint", "", "not used: the program is here")
	f.Parse(args)
	if *provision == "" {
		beam.Init() // runs the harness if --worker is set, and does not return
		return errors.New("want a command before the flags: shard, run, sweep, prism or pool")
	}
	id := strings.Trim(f.Lookup("id").Value.String(), "'") // Prism quotes it
	info, err := tools.ProvisionInfo(grpcx.WriteWorkerID(context.Background(), id), *provision)
	if err != nil {
		return fmt.Errorf("no answer at --provision_endpoint %s: %w", *provision, err)
	}
	for name, value := range map[string]string{
		"worker":           "true",
		"id":               id,
		"logging_endpoint": info.GetLoggingEndpoint().GetUrl(),
		"control_endpoint": info.GetControlEndpoint().GetUrl(),
	} {
		if err := f.Set(name, value); err != nil {
			return err
		}
	}
	beam.Init()
	return errors.New("the worker has ended")
}

// serve is the command prism: a Prism of its own, for drivers elsewhere.
func serve(ctx context.Context, f *flag.FlagSet, args []string) error {
	port := f.Int("port", 8073, "of the job service")
	f.Parse(args)
	l, err := net.Listen("tcp", fmt.Sprintf(":%d", *port)) // where Prism would panic
	if err == nil {
		err = l.Close()
	}
	if err != nil {
		return fmt.Errorf("--port %d: %w: another program has it: take another port", *port, err)
	}
	if _, err := prism.CreateJobServer(ctx, prism.Options{Port: *port}); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "Prism: --endpoint localhost:%d\n", *port)
	<-ctx.Done()
	return nil
}
