package fwnb

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// A cell that dies of a panic of the library shows its line and the places in the cell, in the form in which
// GoNB finds them; one that dies of the reader's own mistake shows the runtime's stack, as any other program.
func TestStack(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "cell")
	if out, err := exec.Command("go", "build", "-o", bin, "./testdata/cell").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	source := must(filepath.Abs("testdata/cell/main.go"))
	text := must(os.ReadFile(source))
	lines := strings.Split(string(text), "\n")
	place := func(mode, mark string) string { // the line with this comment, after the case of this mode
		at := max(0, slices.Index(lines, fmt.Sprintf("\tcase %q:", mode)))
		for i := at; ; i++ {
			if strings.HasSuffix(lines[i], "// "+mark) {
				return fmt.Sprintf("\t%s:%d", source, i+1)
			}
		}
	}
	const line = "panic: fwrate: an f* between 1 and 0: record duality gaps for the lower bound"
	for _, c := range []struct {
		mode, first string
		most        int // lines of a cell
		places      []string
	}{
		{"ours", line, 3, []string{place("", "ours"), place("ours", "ours, called")}},
		{"goroutine", line, 3, []string{place("", "ours"), place("goroutine", "ours, called")}},
		{"seeds", "panic: fwrate: seed ", 6, []string{place("", "ours"), place("seeds", "ours, called")}},
		{"mine", "panic: runtime error: index out of range [2] with length 2", 99,
			[]string{place("", "the reader's"), place("mine", "the reader's, called"),
				"\ngoroutine 1 [running]"}},
		{"mine in seeds", "panic: fwrate: seed ", 99, []string{"index out of range [2] with length 2",
			"\ngoroutine ", place("", "the reader's"), place("mine in seeds", "the reader's, called")}},
		{"recovered", "panic: runtime error: index out of range", 99,
			[]string{place("recovered", "the reader's, called"), "\ngoroutine 1 [running]"}},
		{"on the way", "panic: runtime error: index out of range", 99,
			[]string{place("on the way", "the reader's, called"), "\ngoroutine 1 [running]", line}},
		{"again", line, 99, []string{place("", "ours"), "\ngoroutine 1 [running]"}},
	} {
		for _, isCell := range []bool{true, false} {
			cmd := exec.Command(bin, c.mode)
			cmd.Env = append(os.Environ(), protocol.GONB_PIPE_ENV+"=")
			if isCell {
				cmd.Env = append(cmd.Env, protocol.GONB_PIPE_ENV+"="+filepath.Join(t.TempDir(), "pipe"))
			}
			out, err := cmd.CombinedOutput()
			said := string(out)
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 2 {
				t.Errorf("%s: ended with %v, want status 2", c.mode, err)
			}
			if rest, ok := strings.CutPrefix(said, "deferred\n"); ok {
				said = rest
			} else if c.mode != "goroutine" && c.mode != "recovered" {
				t.Errorf("%s: the deferred call is missing: %q", c.mode, said)
			}
			n := strings.Count(said, "\n")
			if c.mode != "recovered" && !strings.HasPrefix(said, c.first) ||
				!strings.Contains(said, c.first) || isCell && n > c.most || !isCell &&
				(n < 6 || !strings.Contains(said, "\ngoroutine ")) {
				t.Errorf("%s, a cell: %v: %d lines:\n%s", c.mode, isCell, n, said)
			}
			if strings.HasSuffix(c.mode, "seeds") && !isCell &&
				!strings.Contains(said, "runtime/debug.Stack") {
				t.Errorf("%s: without the stack of the seed:\n%s", c.mode, said)
			}
			for _, p := range c.places {
				if !strings.Contains(said, p) {
					t.Errorf("%s, a cell: %v: no %q in\n%s", c.mode, isCell, p, said)
				}
			}
		}
	}
}
