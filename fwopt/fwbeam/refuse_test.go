package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

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
