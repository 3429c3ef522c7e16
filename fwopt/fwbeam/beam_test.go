package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/projection-free/fwlab/fwopt/fwdata"
	"google.golang.org/grpc"
)

// embedded is the engine on the Prism in this process, which all tests share.
var embedded = sync.OnceValue(func() *engine {
	runner, jobs, limit := "prism", 1, time.Minute
	e := &engine{runner: &runner, jobs: &jobs, limit: &limit, progress: io.Discard}
	if err := e.start(0); err != nil {
		panic(err)
	}
	return e
})

func on(jobs int) maker {
	e := *embedded()
	e.jobs = &jobs
	return e.pass
}

// On Beam the bits are those of one goroutine, in any number of pipelines.
func TestBeamBits(t *testing.T) {
	dir, _ := small(t, 300) // 20 shards: four branches
	for _, p := range problems[3:6] {
		want := newJob(t, dir, p).mustRun(t)
		for _, jobs := range []int{1, 2, 8} {
			j := newJob(t, dir, p)
			j.engine = on(jobs)
			sameBits(t, fmt.Sprintf("%+v, %d pipelines", p, jobs), want, j.mustRun(t))
		}
	}
}

// A shard that is lost between two passes is an error that names it, and the run goes on once it is
// there again.
func TestBeamFaults(t *testing.T) {
	p := problem{"svrf", "experiments", 1, "l1", 5, 1, 200}
	dir, _ := small(t, 900)
	want := newJob(t, dir, p).mustRun(t)
	path := filepath.Join(dir, "shard-00003.bin")
	b := must(os.ReadFile(path))
	j := newJob(t, dir, p)
	j.engine = before(on(2), func(n int) error {
		if n == 5 {
			return os.Remove(path)
		}
		return nil
	})
	_, err := j.run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "a shard is missing: open "+path) {
		t.Error(err)
	}
	ok(t, os.WriteFile(path, b, 0o666))
	sameBits(t, "with the shard again", want, j.mustRun(t))
}

// program is this program as fwbeam.
func program(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "FWBEAM_MAIN=1")
	return cmd
}

// separate starts a Prism of its own, and a command that it starts workers by, and returns
// the flags of a driver.
func separate(t *testing.T) (flags []string, prism *exec.Cmd) {
	t.Helper()
	port := must(freePort())
	prism = program("prism", fmt.Sprintf("--port=%d", port))
	var log bytes.Buffer
	prism.Stderr, prism.Stdout = &log, &log
	ok(t, prism.Start())
	t.Cleanup(func() {
		prism.Process.Kill()
		prism.Wait()
		if t.Failed() {
			t.Log("prism said:\n", log.String())
		}
	})
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		conn, err := net.Dial("tcp", fmt.Sprintf("localhost:%d", port))
		if err == nil {
			conn.Close()
			break
		}
		if time.Since(began) > 20*time.Second {
			t.Fatal("Prism does not begin: ", err)
		}
	}
	return []string{"--runner=universal", fmt.Sprintf("--endpoint=localhost:%d", port),
		"--environment_type=PROCESS",
		fmt.Sprintf(`--environment_config={"command":%q}`, os.Args[0])}, prism
}

// A Prism of its own with two worker processes makes the same bits; one that is killed in a
// pass does not change them, nor does a driver that is killed and started again.
func TestSeparate(t *testing.T) {
	if testing.Short() {
		t.Skip("processes of their own, for a minute")
	}
	dir, _ := small(t, 500)
	p := problem{"svrf", "experiments", 1, "l1", 5, 1, 3000}
	want := newJob(t, dir, p).mustRun(t)
	t.Setenv("FWBEAM_MAIN", "1") // for the workers that Prism starts
	flags, _ := separate(t)
	runs := t.TempDir()
	args := append([]string{"run", "--shards", dir, "--runs", runs, "--method=svrf", "--set=l1", "--radius=5",
		"--steps=3000", "--jobs=2", "--patience=6s"}, flags...)

	drive := func(watch func(cmd *exec.Cmd)) (out string, err error) {
		cmd := program(args...)
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &said
		ok(t, cmd.Start())
		late := time.AfterFunc(4*time.Minute, func() { cmd.Process.Kill() })
		defer late.Stop()
		over := make(chan error)
		go func() { over <- cmd.Wait() }()
		for tick := time.NewTicker(20 * time.Millisecond); ; {
			select {
			case err := <-over:
				return said.String(), err
			case <-tick.C:
				watch(cmd)
			}
		}
	}
	// one worker is killed in a pass and later one before it has a connection; then the driver
	// sleeps until a checkpoint is due, however fast the machine is, and is killed after it
	killed, last := 0, time.Now()
	out, err := drive(func(cmd *exec.Cmd) {
		if killed < 2 && time.Since(last) > time.Second {
			ps := workers()
			if killed == 0 {
				time.Sleep(150 * time.Millisecond)
			}
			if len(ps) > 0 && ps[0].Kill() == nil {
				killed, last = killed+1, time.Now()
			}
			if killed == 2 {
				cmd.Process.Signal(syscall.SIGSTOP)
				time.Sleep(21 * time.Second)
				cmd.Process.Signal(syscall.SIGCONT)
			}
		}
		if saved, _ := filepath.Glob(filepath.Join(runs, "*.ckpt")); len(saved) > 0 && killed > 1 {
			cmd.Process.Kill()
		}
	})
	if err == nil || killed < 2 || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("%v, %d workers killed:\n%s", err, killed, out)
	}
	first := out
	out, err = drive(func(*exec.Cmd) {})
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	if strings.Contains(out, "after step 50:") {
		t.Errorf("the second driver began anew:\n%s", out)
	}
	sameBits(t, "separate, killed", want, onlyTrace(t, runs, out))
	t.Logf("%d workers killed; the first driver said:\n%s\nthe second:\n%s", killed, first, out)
}

// workers returns the worker processes that were started by this program's Prism.
func workers() (ps []*os.Process) {
	procs, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range procs {
		b, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(b), os.Args[0]) ||
			!strings.Contains(string(b), "--provision_endpoint") {
			continue
		}
		var pid int
		fmt.Sscanf(path, "/proc/%d/", &pid)
		if p, err := os.FindProcess(pid); err == nil {
			ps = append(ps, p)
		}
	}
	return ps
}

// A runner that does not answer is an error that names it, soon.
func TestNoRunner(t *testing.T) {
	port := must(freePort())
	dir, _ := small(t, 3000)
	began := time.Now()
	out, err := program("run", "--shards", dir, "--runner=universal", fmt.Sprintf("--endpoint=localhost:%d",
		port)).CombinedOutput()
	if err == nil || !strings.Contains(string(out),
		fmt.Sprintf("no runner answers at --endpoint localhost:%d", port)) ||
		time.Since(began) > 20*time.Second {
		t.Errorf("%v after %v: %s", err, time.Since(began), out)
	}
}

// A run that SIGTERM stops is kept, and goes on to the same bits on another runner: a separate
// Prism for which the driver is the worker.
func TestTerm(t *testing.T) {
	if testing.Short() {
		t.Skip("processes of their own, for some seconds")
	}
	dir, _ := small(t, 500)
	p := problem{"svrf", "experiments", 1, "l1", 5, 1, 600}
	want := newJob(t, dir, p).mustRun(t)
	runs := t.TempDir()
	weights := filepath.Join(runs, "w.npy")
	args := []string{"run", "--shards", dir, "--runs", runs, "--method=svrf", "--set=l1", "--radius=5",
		"--steps=600", "--weights=" + weights}
	cmd := program(args...)
	var said strings.Builder
	out := must(cmd.StderrPipe())
	ok(t, cmd.Start())
	for lines := bufio.NewScanner(out); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		if strings.HasPrefix(lines.Text(), "pass 5 ") {
			cmd.Process.Signal(syscall.SIGTERM)
		}
	}
	err := cmd.Wait()
	saved, _ := filepath.Glob(filepath.Join(runs, "*.ckpt"))
	if err == nil || cmd.ProcessState.ExitCode() != 1 || len(saved) != 1 ||
		!strings.Contains(said.String(), "the same command goes on") {
		t.Fatalf("%v, kept %v:\n%s", err, saved, said.String())
	}
	loopback := func() (all []string, prism *exec.Cmd) {
		flags, prism := separate(t)
		return append(slices.Clone(args), flags[0], flags[1], "--environment_type=LOOPBACK"), prism
	}
	all, prism := loopback()
	text, err := drive(func(_ *os.Process, line string) {
		if strings.HasPrefix(line, "pass ") {
			prism.Process.Kill() // and with it all of the cluster
		}
	}, all...)
	if err == nil || !strings.Contains(text, "the runner has gone: no runner answers at --endpoint localhost:") {
		t.Fatalf("%v:\n%s", err, text)
	}
	all, _ = loopback()
	text, err = drive(quietly, all...)
	if err != nil || !strings.Contains(text, "goes on from step ") {
		t.Fatalf("%v:\n%s", err, text)
	}
	sameBits(t, "SIGTERM, LOOPBACK", want, onlyTrace(t, runs, text))
	x := must(fwdata.ReadNPY(must(os.Open(weights)), "w"))
	if h := len(must(open(t.Context(), dir)).Labels); !slices.Equal(x.Val, want.W) || x.M != h {
		t.Errorf("%d x %d weights for %d labels are not those of the run", x.N, x.M, h)
	}
	if _, err := os.Stat(saved[0]); err == nil {
		t.Errorf("%s is left", saved[0])
	}
}

// patient is an engine without a runner, and what it says.
func patient(limit time.Duration) (*engine, *strings.Builder) {
	said := new(strings.Builder)
	return &engine{limit: &limit, progress: said}, said
}

// What waits says so, and for how long it may is in the error, whatever the runner calls it.
func TestPatience(t *testing.T) {
	defer func(m time.Duration) { minute = m }(minute)
	minute = 20 * time.Millisecond
	e, said := patient(130 * time.Millisecond)
	other := errors.New("another word")
	tries := 0
	err := e.twice(context.Background(), "pass 7", func(ctx context.Context, _ func()) error {
		if _, ok := ctx.Deadline(); ok {
			t.Error("the runner has the deadline, and may name it first")
		}
		tries++
		<-ctx.Done()
		return other
	})
	if tries != 2 || !errors.Is(err, other) ||
		!strings.Contains(err.Error(), "twice: longer than --patience 130ms") {
		t.Errorf("%d tries: %v", tries, err)
	}
	if n := strings.Count(said.String(), "pass 7 has waited 0 s for workers\n"); n < 4 || n > 14 {
		t.Errorf("%d lines of waiting:\n%s", n, said)
	}
	if strings.Count(said.String(), "pass 7 is made once more: longer than --patience 130ms\n") != 1 {
		t.Errorf("%s", said)
	}
}

// What is alive has all of its patience from there on; what is stopped is not made again.
func TestPatienceAlive(t *testing.T) {
	e, said := patient(200 * time.Millisecond)
	if err := e.twice(context.Background(), "a sweep", func(ctx context.Context, alive func()) error {
		for range 8 {
			time.Sleep(50 * time.Millisecond)
			alive()
		}
		return ctx.Err()
	}); err != nil || said.String() != "" {
		t.Errorf("%v, %s", err, said)
	}
	ctx, cancel := context.WithCancel(context.Background())
	tries := 0
	err := e.twice(ctx, "pass 1", func(ctx context.Context, _ func()) error {
		tries++
		cancel()
		<-ctx.Done()
		return errors.New("stopped")
	})
	if tries != 1 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d tries: %v", tries, err)
	}
}

// Of the streams that hand over files one is open at a time, however the one before ends;
// all others are let through.
func TestInTurn(t *testing.T) {
	const files, other = "/org.apache.beam.Staging/ReverseArtifactRetrievalService",
		"/org.apache.beam.Fn/Control"
	began, ends := make(chan string), make(chan func(), 1)
	begin := func(method string, fail error) {
		_, err := inTurn(context.Background(), nil, nil, method, func(_ context.Context, _ *grpc.StreamDesc,
			_ *grpc.ClientConn, method string, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			began <- method
			for _, o := range opts {
				if o, ok := o.(grpc.OnFinishCallOption); ok && fail == nil {
					ends <- func() { o.OnFinish(nil) }
				}
			}
			return nil, fail
		}, grpc.EmptyCallOption{})
		if !errors.Is(err, fail) {
			t.Errorf("%v, want %v", err, fail)
		}
	}
	waits := func(what string) {
		t.Helper()
		select {
		case <-began:
			t.Fatal(what, " began before its turn")
		case <-time.After(20 * time.Millisecond):
		}
	}
	for _, fail := range []error{nil, errors.New("no connection")} {
		go begin(files, nil)
		<-began
		end := <-ends
		go begin(files, fail)
		waits("the second")
		go begin(other, nil)
		if got := <-began; got != other {
			t.Fatal(got, " began, want ", other)
		}
		waits("the second")
		end()
		<-began
		if fail == nil {
			end = <-ends
			end()
			end() // is no turn of another one
		}
	}
	go begin(files, nil)
	<-began
	(<-ends)()
}

// What no pass can be made with is an error that says it, at once, and leaves nothing.
func TestRefusedFlags(t *testing.T) {
	dir, _ := small(t, 3000)
	l := must(net.Listen("tcp", "localhost:0"))
	defer l.Close()
	here := "--endpoint=" + l.Addr().String()
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--runner=flink"},
			"--runner flink is none of this program's, which are prism, PrismRunner, universal, portable, " +
				"PortableRunner: "},
		{[]string{"--runner=FlinkRunner", "--endpoint=localhost:1"}, "--runner FlinkRunner is none"},
		{[]string{"--runner=vet"}, "--runner vet is none"},
		{[]string{"--runner=PortableRunner"}, "--runner universal needs --endpoint"},
		{[]string{"--async"}, "--async cannot be"},
		{[]string{"--runner=universal", here, "--environment_type=PROCESS"}, "is no {\"command\":\"PATH\"}"},
		{[]string{"--runner=universal", here, "--environment_type=process",
			`--environment_config={"command":"/no/such/fwbeam"}`}, "/no/such/fwbeam"},
	} {
		for _, command := range []string{"run", "sweep"} {
			temp := t.TempDir()
			cmd := program(append([]string{command, "--shards", dir, "--runs", temp + "/runs",
				"--patience=5s"}, c.flags...)...)
			cmd.Env = append(cmd.Env, "TMPDIR="+temp)
			late := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
			out, err := cmd.CombinedOutput()
			late.Stop()
			if err == nil || !strings.Contains(string(out), c.want) {
				t.Errorf("%s %v: %v: %s; want %q", command, c.flags, err, out, c.want)
			}
			if left, _ := filepath.Glob(filepath.Join(temp, "fwbeam-*")); len(left) > 0 {
				t.Errorf("%s %v leaves %v", command, c.flags, left)
			}
		}
	}
	if left, _ := os.ReadDir(filepath.Join(dir, "work")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// A port that is taken is an error that names it.
func TestPrismBusy(t *testing.T) {
	l := must(net.Listen("tcp", ":0"))
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	out, err := program("prism", fmt.Sprintf("--port=%d", port)).CombinedOutput()
	if want := fmt.Sprintf("--port %d", port); err == nil || strings.Contains(string(out), "panic") ||
		!strings.Contains(string(out), want) {
		t.Errorf("%v: %s; want %q", err, out, want)
	}
}
