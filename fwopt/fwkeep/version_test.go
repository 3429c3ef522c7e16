package fwkeep

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// Keeps a run of 5 steps in the folder that it is given, and prints how many it made.
const kept = `package main

import (
	"context"
	"fmt"
	"os"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
)

func main() {
	f, made := fwsum.NewEntryLoss(3, []float64{1, 2, 3}), 0
	b := fwopt.Budget{Steps: 5, Watch: func(_ *fwopt.Trace, now fwopt.Point) { made = now.Step }}
	_, err := fwkeep.Keep(context.Background(), os.Args[1],
		fwopt.NewOracle(f, fwset.L1Ball{D: 3, R: 1}, 1), &fwopt.FW{}, b)
	fmt.Print(made, " steps, ", err)
}
`

// A program of another arithmetic, or with another gonum, never takes up what was kept.
func TestKeepAcrossBuilds(t *testing.T) {
	if testing.Short() || runtime.GOARCH != "amd64" {
		t.Skip("it compiles gonum four times, for amd64")
	}
	dir := t.TempDir()
	source, mod := filepath.Join(dir, "main.go"), filepath.Join(dir, "replaced.mod")
	if err := os.WriteFile(source, []byte(kept), 0o666); err != nil {
		t.Fatal(err)
	}
	goCommand := func(level string, args ...string) string {
		cmd := exec.Command("go", args...)
		cmd.Env = append(os.Environ(), "GOAMD64="+level, "GOFLAGS=", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	root := filepath.Dir(goCommand("v1", "env", "GOMOD"))
	for from, to := range map[string]string{"go.mod": "replaced.mod", "go.sum": "replaced.sum"} {
		text, err := os.ReadFile(filepath.Join(root, from))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, to), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	goCommand("v1", "mod", "edit", "-replace=gonum.org/v1/gonum="+goCommand("v1", "list", "-m", "-f",
		"{{.Dir}}", "gonum.org/v1/gonum"), mod)
	for _, c := range []struct {
		name, level string
		flags       []string
		want        string
	}{
		{"v1", "v1", nil, "5 steps, <nil>"},
		{"v1 again", "v1", nil, "0 steps, <nil>"},
		{"v3", "v3", nil, "5 steps, <nil>"},
		{"noasm", "v1", []string{"-tags=noasm"}, "5 steps, <nil>"},
		{"safe, which leaves out as much", "v1", []string{"-tags=safe"}, "0 steps, <nil>"},
		{"gonum from a folder", "v1", []string{"-modfile=" + mod}, "5 steps, <nil>"},
		{"the same again", "v1", []string{"-modfile=" + mod}, "0 steps, <nil>"},
		{"the same, another program", "v1", []string{"-modfile=" + mod, "-ldflags=-s"}, "5 steps, <nil>"},
	} {
		program := filepath.Join(dir, "program")
		goCommand(c.level, append(append([]string{"build", "-o", program}, c.flags...), source)...)
		out, err := exec.Command(program, filepath.Join(dir, "runs")).CombinedOutput()
		if strings.Contains(string(out), "microarchitecture support") { // of the Go runtime, where the processor is older
			t.Logf("%s: %s", c.name, out)
		} else if err != nil || string(out) != c.want {
			t.Errorf("%s: %s, %v, want %s", c.name, out, err, c.want)
		}
	}
}

// Of modules only gonum counts, and only where a folder stands for it.
func TestGonumFromAFolder(t *testing.T) {
	const path = "gonum.org/v1/gonum"
	for _, c := range []struct {
		m    debug.Module
		want bool
	}{
		{debug.Module{Path: path, Version: "v0.17.0"}, false},
		{debug.Module{Path: path, Version: "(devel)"}, true},
		{debug.Module{Path: path, Version: "v0.17.0", Replace: &debug.Module{Path: "../gonum",
			Version: "(devel)"}}, true},
		{debug.Module{Path: path, Version: "v0.17.0", Replace: &debug.Module{Path: "../gonum"}}, true},
		{debug.Module{Path: path, Version: "v0.17.0", Replace: &debug.Module{Path: "example.org/gonum",
			Version: "v0.17.1"}}, false},
		{debug.Module{Path: "gonum.org/v1/plot", Version: "(devel)"}, false},
	} {
		if got := isFolder(&c.m); got != c.want {
			t.Errorf("%+v: %v", c.m, got)
		}
	}
	if a, b := program(), program(); len(a) < 1<<20 || a != b {
		t.Errorf("this program has %d and %d bytes", len(a), len(b))
	}
}
