package fwnb

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
)

// child runs a race of two methods, as a cell would, in the folder of the test.
func child() {
	x := &fwsum.Sparse{N: 2, M: 2, Ptr: []int{0, 1, 2}, Col: []int32{0, 1}, Val: []float64{1, 2}}
	f := fwsum.NewLeastSquares(x, []float64{1, 1})
	omega := fwset.L2Ball{D: 2, R: 0.3}
	b := fwopt.Budget{Steps: 300}
	b.Watch = func(_ *fwopt.Trace, now fwopt.Point) {
		if now.Step == 50 {
			fmt.Println("step 50") // now the parent interrupts, or does not
			time.Sleep(300 * time.Millisecond)
		}
	}
	methods := []fwopt.Method{fwopt.SVRFTheorem1(), fwopt.SFWExperiments()}
	if os.Getenv("FWNB_TTY") != "" {
		tty = os.Stdout
	}
	if os.Getenv("FWNB_CHILD") == "own" {
		methods = []fwopt.Method{fwopt.MethodFunc(fwopt.SVRFTheorem1().Steps)}
	}
	for _, m := range methods {
		tr := Run(fwopt.NewOracle(f, omega, 1), m, nil, b)
		fmt.Printf("%s: %v, %d points, %x\n", tr.Method, tr.Status, len(tr.Points), tr.W)
	}
}

// The Stop button: the run is saved, the rest of the cell is over at once, and
// the next execution goes on to the same bits.
func TestRunInterrupted(t *testing.T) {
	if os.Getenv("FWNB_CHILD") != "" {
		child()
		return
	}
	if runtime.GOOS == "windows" {
		t.Skip("no interrupt between processes here")
	}
	kind := "ours"
	run := func(dir string, interrupt bool) string {
		cmd := exec.Command(os.Args[0], "-test.run=^TestRunInterrupted$")
		cmd.Env, cmd.Dir = append(os.Environ(), "FWNB_CHILD="+kind), dir
		if interrupt {
			cmd.Env = append(cmd.Env, "FWNB_TTY=1")
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for s := bufio.NewScanner(out); s.Scan(); {
			if !strings.HasSuffix(s.Text(), "step 50") {
				fmt.Fprintln(&text, s.Text())
			} else if interrupt {
				cmd.Process.Signal(os.Interrupt)
			}
		}
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%v: %s", err, text.String())
		}
		return text.String()
	}
	whole := run(t.TempDir(), false)
	dir := t.TempDir()
	first := run(dir, true)
	if !strings.Contains(first, "SVRF: interrupted, ") || !strings.Contains(first, "SFW: interrupted, 0 points") {
		t.Errorf("interrupted in the first method:\n%s", first)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, Folder, "*.ckpt")); len(files) != 1 {
		t.Errorf("the checkpoints are %v, want one", files)
	}
	if second := run(dir, false); second != whole {
		t.Errorf("after an interrupt:\n%swithout:\n%s", second, whole)
	}
	if third := run(dir, false); third != whole {
		t.Errorf("from the files:\n%swithout:\n%s", third, whole)
	}
	if strings.Contains(first, "not kept") || !strings.Contains(first, "saved: run the cell again") {
		t.Errorf("interrupted, and saved:\n%s", first)
	}
	kind, dir = "own", t.TempDir()
	first = run(dir, true)
	if strings.Count(first, "not kept: fwopt.MethodFunc has no method Identify") != 1 || strings.Contains(first, "run the cell again") {
		t.Errorf("interrupted in a method without identity:\n%s", first)
	}
}

func TestPick(t *testing.T) {
	for value, want := range map[string]int{"full": 2, "short": 1, "": 1} {
		t.Setenv("FWLAB_BUDGET", value)
		if got := Pick(1, 2); got != want {
			t.Errorf("FWLAB_BUDGET=%q: %d", value, got)
		}
	}
}
