package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var kills = flag.Int("kills", 2, "processes of Flink that TestFlinkKills kills")

// cluster returns the flags of a driver on the Flink of flink/flink.sh, which has told where it is,
// and its folder.
func cluster(t *testing.T) (flags []string, dir string) {
	t.Helper()
	endpoint := os.Getenv("FLINK")
	if endpoint == "" {
		t.Skip("by make flink-test")
	}
	return []string{"--runner=universal", "--endpoint=" + endpoint, "--jobs=1", "--parallelism=2",
		"--environment_type=PROCESS", fmt.Sprintf(
			`--environment_config={"command":%q,"env":{"FWBEAM_MAIN":"1"}}`, os.Args[0])}, os.Getenv("FLINK_DIR")
}

var onFlink = problem{"svrf", "experiments", 1, "l1", 5, 1, 60}

func runArgs(dir, runs string, flags []string) []string {
	return append([]string{"run", "--shards", dir, "--runs", runs, "--method=svrf", "--set=l1", "--radius=5",
		fmt.Sprintf("--steps=%d", onFlink.Steps)}, flags...)
}

// Runs on Flink have the bits of one goroutine, by two TaskManagers with workers that are processes,
// and by one and by two with those of a pool, which both ask for a worker of the same name.
func TestFlinkBits(t *testing.T) {
	flags, _ := cluster(t)
	dir, _ := small(t, 300) // with branches
	want := newJob(t, dir, onFlink).mustRun(t)
	port := must(freePort())
	workers := program("pool", fmt.Sprintf("--port=%d", port))
	ok(t, workers.Start())
	defer workers.Wait()
	defer workers.Process.Signal(syscall.SIGTERM)
	pooled := []string{"--environment_type=EXTERNAL", fmt.Sprintf("--environment_config=localhost:%d", port)}
	for _, more := range [][]string{nil, append(pooled, "--parallelism=1"),
		append(pooled, "--parallelism=2")} {
		runs := t.TempDir()
		began := time.Now()
		out, err := drive(quietly, runArgs(dir, runs, append(flags, more...))...)
		if err != nil {
			t.Fatalf("%v: %v:\n%s", more, err, out)
		}
		sameBits(t, fmt.Sprint(more), want, onlyTrace(t, runs, out))
		t.Logf("%v: %.1f s\n%s", more, time.Since(began).Seconds(), out)
	}
}

// Killed in a pass, a TaskManager, a worker, the JobManager and the driver leave the bits as they
// were, or a run that the same command goes on with, and nothing else.
func TestFlinkKills(t *testing.T) {
	flags, home := cluster(t)
	dir, _ := small(t, 500)
	want := newJob(t, dir, onFlink).mustRun(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for done := 0; done < *kills; {
		runs, again := t.TempDir(), 0
		for {
			var killing sync.WaitGroup
			out, err := drive(func(driver *os.Process, line string) {
				if !strings.HasPrefix(line, "pass ") || !strings.Contains(line, " after step ") ||
					done == *kills {
					return
				}
				what, wait := done%4, time.Duration(rng.IntN(2000))*time.Millisecond
				done++
				killing.Go(func() {
					time.Sleep(wait)
					p := driver
					switch what {
					case 0:
						p = standing(home, fmt.Sprintf("taskmanager%d", 1+done%2))
					case 1:
						if ps := soon(); len(ps) > 0 {
							p = ps[0]
						}
					case 2:
						p = standing(home, "jobmanager")
					}
					t.Logf("killed %s: %v", []string{"a TaskManager", "a worker", "the JobManager",
						"the driver"}[what], p.Kill())
				})
			}, runArgs(dir, runs, flags)...)
			killing.Wait()
			if err == nil {
				sameBits(t, "after kills", want, onlyTrace(t, runs, out))
				break
			}
			if again++; !strings.Contains(err.Error(), "killed") &&
				!strings.Contains(out, "the same command goes on") {
				t.Fatalf("%v:\n%s", err, out)
			}
			if again > 9 {
				t.Fatalf("not done after %d commands:\n%s", again, out)
			}
		}
	}
	for end := time.Now().Add(time.Minute); len(workers()) > 0; time.Sleep(time.Second) {
		if time.Now().After(end) {
			t.Fatalf("%d workers are left", len(workers()))
		}
	}
	if left, _ := os.ReadDir(filepath.Join(dir, "work")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// soon are the workers that are there within five seconds.
func soon() (ps []*os.Process) {
	for end := time.Now().Add(5 * time.Second); len(ps) == 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
		ps = workers()
	}
	return ps
}

// standing is the process of that name, which flink.sh starts again when it ends.
func standing(home, name string) *os.Process {
	b := must(os.ReadFile(filepath.Join(home, name+".pid")))
	var pid int
	fmt.Sscan(string(b), &pid)
	return must(os.FindProcess(pid))
}

// A shard that is nowhere is an error with its name; what a single worker cannot read another does.
func TestFlinkShard(t *testing.T) {
	flags, _ := cluster(t)
	dir, _ := small(t, 500)
	want := newJob(t, dir, onFlink).mustRun(t)
	path := filepath.Join(dir, "shard-00003.bin")
	b := must(os.ReadFile(path))
	runs := t.TempDir()
	args := runArgs(dir, runs, flags)
	out, err := drive(func(_ *os.Process, line string) {
		if strings.HasPrefix(line, "pass 1 after") {
			os.Remove(path)
		}
	}, args...)
	if err == nil || !strings.Contains(out, "a shard is missing: open "+path) {
		t.Errorf("%v:\n%s", err, out)
	}
	ok(t, os.WriteFile(path, b, 0o666))
	if err := exec.Command("unshare", "--mount", "true").Run(); err != nil {
		t.Skip("only root hides a file from one process: ", err)
	}
	blind := filepath.Join(t.TempDir(), "worker.sh")
	ok(t, os.WriteFile(blind, fmt.Appendf(nil, `#!/bin/sh
export FWBEAM_MAIN=1
mkdir %s.once 2>/dev/null || exec %s "$@"
exec unshare --mount sh -c 'for f in %s/shard-*; do mount --bind /dev/null $f; done && exec %s "$@"' sh "$@"
`, blind, os.Args[0], dir, os.Args[0]), 0o777))
	out, err = drive(quietly, append(args, fmt.Sprintf(`--environment_config={"command":%q}`, blind))...)
	if err != nil || !strings.Contains(out, "is made once more: ") {
		t.Fatalf("%v:\n%s", err, out)
	}
	sameBits(t, "one blind worker", want, onlyTrace(t, runs, out))
}

// A worker that is made from another commit is an error that says so.
func TestOtherProgram(t *testing.T) {
	dir, m := small(t, 3000)
	err := embedded().pass(context.Background(), &pass{Number: 1, Commit: "other", Shards: dir,
		Work: t.TempDir(), N: m.Rows}, m.tasks())
	if err == nil || !strings.Contains(err.Error(), otherProgram) || !forGood(err) {
		t.Error(err)
	}
}

// What flink.sh cannot begin with is a sentence with the remedy, and no process.
func TestFlinkRefused(t *testing.T) {
	root := t.TempDir()
	jars, bin := filepath.Join(root, ".flink/lib"), filepath.Join(root, "bin")
	here := filepath.Join(root, "a/b/c")
	for _, dir := range []string{jars, bin, here} {
		ok(t, os.MkdirAll(dir, 0o777))
	}
	script := filepath.Join(here, "flink.sh")
	ok(t, os.WriteFile(script, must(os.ReadFile("flink/flink.sh")), 0o777))
	ok(t, os.WriteFile(filepath.Join(here, "jars.sha256"), fmt.Appendf(nil, "%064d  a.jar\n", 0), 0o666))
	ok(t, os.WriteFile(filepath.Join(jars, "a.jar"), []byte("damaged"), 0o666))
	java := func(version, modules string) {
		ok(t, os.WriteFile(filepath.Join(bin, "java"), fmt.Appendf(nil, `#!/bin/sh
[ "$1" = -version ] && echo 'openjdk version "%s" 2025-01-01' >&2 || echo %s
`, version, modules), 0o777))
	}
	taken := must(net.Listen("tcp", "localhost:0"))
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	for _, c := range []struct {
		version, modules string
		port, status     int
		want             string
	}{
		{"1.8.0_402", "jdk.compiler@8", port + 1, 69, "Java 8 is too old, missing or "},
		{"17.0.15", "java.base@17", port + 1, 69, "without its compiler: install"},
		{"17.0.15", "jdk.compiler@17", port, 1, fmt.Sprintf("port %d is taken: take other ones by --port", port)},
		{"11.0.2", "jdk.compiler@11", 20099, 1, "a jar is damaged or missing: remove " + jars},
	} {
		java(c.version, c.modules)
		cmd := exec.Command(script, "--port", fmt.Sprint(c.port))
		cmd.Env = append(os.Environ(), "JAVA_HOME="+root)
		out, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != c.status || !strings.Contains(string(out), c.want) {
			t.Errorf("%+v: %v: %s", c, cmd.ProcessState, out)
		}
	}
}
