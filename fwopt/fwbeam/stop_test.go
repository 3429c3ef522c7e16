package main

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

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
	args := []string{"run", "--shards", dir, "--runs", runs, "--method=svrf", "--set=l1", "--tau=5",
		"--steps=600"}
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
	args = append(args, separate(t)...)
	for i, a := range args {
		if strings.HasPrefix(a, "--environment_type=") {
			args[i] = "--environment_type=LOOPBACK"
		}
	}
	text, err := program(args[:len(args)-1]...).CombinedOutput() // without --environment_config
	if err != nil || !strings.Contains(string(text), "goes on from step ") {
		t.Fatalf("%v:\n%s", err, text)
	}
	sameBits(t, "SIGTERM, LOOPBACK", want, onlyTrace(t, runs, string(text)))
	if _, err := os.Stat(saved[0]); err == nil {
		t.Errorf("%s is left", saved[0])
	}
}
