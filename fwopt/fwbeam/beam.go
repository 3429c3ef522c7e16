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
}

func newEngine(f *flag.FlagSet) *engine {
	return &engine{
		runner: f.String("runner", "prism", "prism, which runs in this process unless --endpoint is given, or universal, for any other at --endpoint"),
		jobs:   f.Int("jobs", min(8, runtime.NumCPU()), "pipelines that share out the shards of a pass: Prism gives each one worker; for other runners 1"),
		limit:  f.Duration("patience", 10*time.Minute, "a pass that takes longer is made anew, once: a worker that dies before it has a connection ends no pipeline of Prism's"),
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
	beam.Init()
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil))) // what goes wrong comes back as an error
	log.SetLogger(quiet{})
	if e.temp, err = os.MkdirTemp("", "fwbeam-*"); err != nil {
		return err
	}
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
	conn, err := net.DialTimeout("tcp", *jobopts.Endpoint, 5*time.Second)
	if err != nil {
		return fmt.Errorf("no runner answers at --endpoint %s: %w", *jobopts.Endpoint, err)
	}
	if kind := strings.ToLower(*jobopts.EnvironmentType); *jobopts.WorkerBinary == "" && (kind == "process" || kind == "external") {
		// the workers have this program: nothing of 80 MB is sent in each pass
		*jobopts.WorkerBinary = filepath.Join(e.temp, "none")
		err = os.WriteFile(*jobopts.WorkerBinary, nil, 0o600)
	}
	return errors.Join(err, conn.Close())
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

// quiet logs nothing: Beam says each step of each pipeline.
type quiet struct{}

func (quiet) Log(context.Context, log.Severity, int, string) {}

// shardFn does the work of a pass on one shard.
type shardFn struct{ Pass pass }

func init() { register.DoFn2x1[context.Context, string, error](&shardFn{}) }

// ProcessElement does the work on the shard that text, a task in JSON, names.
func (f *shardFn) ProcessElement(ctx context.Context, text string) error {
	var t task
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return err
	}
	return f.Pass.do(ctx, &t)
}

// pass makes a pass, and once more if it fails, for a worker may have died; all that it
// writes is the same then.
func (e *engine) pass(ctx context.Context, p *pass, ts []task) error {
	elements := make([]string, len(ts))
	for k := range ts {
		b, err := json.Marshal(ts[k])
		if err != nil {
			return err
		}
		elements[k] = string(b)
	}
	try := func() error {
		ctx, cancel := context.WithTimeoutCause(ctx, *e.limit, fmt.Errorf("longer than --patience %v", *e.limit))
		defer cancel()
		err := e.each(ctx, &shardFn{*p}, elements)
		if err != nil && ctx.Err() != nil {
			err = errors.Join(context.Cause(ctx), err)
		}
		return err
	}
	err := try()
	if err == nil || ctx.Err() != nil {
		return err
	}
	if again := try(); again != nil {
		return fmt.Errorf("twice: %w", again)
	}
	return nil
}

// each lets fn process the elements, in as many pipelines as there are jobs.
func (e *engine) each(ctx context.Context, fn any, elements []string) error {
	jobs := min(*e.jobs, len(elements))
	failed := make([]error, jobs)
	var all sync.WaitGroup
	for k := range jobs {
		all.Go(func() {
			mine := elements[k*len(elements)/jobs : (k+1)*len(elements)/jobs]
			p, s := beam.NewPipelineWithRoot()
			beam.ParDo0(s, fn, beam.Reshuffle(s, beam.CreateList(s, mine)))
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
		return errors.New("want a command before the flags: shard, run, sweep or prism")
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
	if _, err := prism.CreateJobServer(ctx, prism.Options{Port: *port}); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "Prism: --endpoint localhost:%d\n", *port)
	<-ctx.Done()
	return nil
}
