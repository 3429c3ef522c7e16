package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Each wall that this machine has keeps a solution from files, from other
// programs and from its own program; the last resort says what it is.
func TestWalls(t *testing.T) {
	j := mustJudge(t, sheetCells)
	look := with(map[string]string{"t-mean": mean + `	_, e1 := os.ReadDir("/")
	_, e2 := os.ReadFile("/etc/passwd")
	_, e3 := os.StartProcess("/bin/true", nil, &os.ProcAttr{})
	e4 := os.WriteFile("x", nil, 0o600)
	e5 := os.Mkdir("/x", 0o700)
	fmt.Println("kept:", e1 != nil, e2 != nil, e3 != nil, e4 != nil, e5 != nil, "alone:", os.Getpid() == 1,
		"sees", os.Environ())
` + goodSum})
	cells, _, err := readSolutions(write(t, t.TempDir(), notebook(look)), j.sheet)
	if err != nil {
		t.Fatal(err)
	}
	child, _, err := j.child(t.Context(), j.sheet, cells)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir()) // the last resort lets it write
	for i, w := range append(walls(), lastResort) {
		r := runner{parent: j.check, child: child, dir: j.sheet.dir, seed: 1, walls: []wall{w}}
		passed, report, seconds, err := r.run(t.Context(), "t-mean-check", "", 8*time.Second)
		if err != nil {
			t.Logf("wall %d is not to be had here: %v", i, err)
			continue
		}
		want := "kept: true true true true true alone: true sees [GOMAXPROCS=2]"
		switch {
		case !w.root:
			want = "kept: false false false false"
		case w.attr.Cloneflags == 0:
			want = "kept: true true true true true alone: false sees [GOMAXPROCS=2]"
		}
		if !passed || !strings.Contains(report, want) || r.note != w.note {
			t.Errorf("wall %d: passed %v, note %q, report %s", i, passed, r.note, report)
		}
		t.Logf("wall %d: %.3f s", i, seconds)
	}
}

// Stopped while it compiles or runs, by Ctrl-C or without a chance, it leaves no program behind.
func TestStop(t *testing.T) {
	if args := os.Getenv("FWGRADE_ARGS"); args != "" {
		os.Args = append([]string{"fwgrade"}, strings.Split(args, "|")...)
		main()
		return
	}
	dir, err := os.MkdirTemp(".", "_stop") // in the module
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	sheet := write(t, dir, notebook(with(map[string]string{"t-argmin": argmin + "\tfor {\n\t}\n}"})))
	const subreaper = 36 // PR_SET_CHILD_SUBREAPER: who is left behind becomes this test's
	if _, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, subreaper, 1, 0, 0, 0, 0); e != 0 {
		t.Fatal(e)
	}
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		for _, sign := range []string{"parent/go.mod", "child.bin"} {
			tmp := t.TempDir()
			cmd := exec.Command(os.Args[0], "-test.run=^TestStop$")
			cmd.Env = append(os.Environ(), "FWGRADE_ARGS=-limit|60s|-source|"+sheet+"|"+sheet, "TMPDIR="+tmp)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for range 600 {
				if files, _ := filepath.Glob(filepath.Join(tmp, "fwgrade*", sign)); len(files) > 0 {
					break
				}
				time.Sleep(100 * time.Millisecond)
			}
			time.Sleep(300 * time.Millisecond)
			began := time.Now()
			cmd.Process.Signal(sig)
			if err := cmd.Wait(); err == nil {
				t.Errorf("%v at %s: no error", sig, sign)
			}
			for {
				pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
				if err == syscall.ECHILD {
					break
				}
				if time.Since(began) > 10*time.Second {
					t.Fatalf("%v at %s: programs left behind", sig, sign)
				}
				if pid == 0 {
					time.Sleep(20 * time.Millisecond)
				}
			}
			t.Logf("%v at %s: all gone after %.2f s", sig, sign, time.Since(began).Seconds())
			if left, _ := os.ReadDir(tmp); sig == syscall.SIGINT && len(left) > 0 {
				t.Errorf("%v at %s: files left behind: %v", sig, sign, left)
			}
		}
	}
}
