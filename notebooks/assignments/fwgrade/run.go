package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
	"unicode"
)

// maxPrint is how much of what a program prints is kept.
const maxPrint = 8 << 10

// A head keeps the first bytes written to it, and counts the others.
type head struct {
	mu sync.Mutex
	b  []byte
	n  int
}

func (h *head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.b = append(h.b, p[:min(len(p), maxPrint-len(h.b))]...)
	h.n += len(p)
	return len(p), nil
}

// String is what was printed, with nothing in it that a terminal or a page takes for an order.
func (h *head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	text := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(h.b), "\uFFFD"))
	text = strings.TrimRight(text, "\n")
	if h.n > len(h.b) {
		text += fmt.Sprintf("\n[... %d bytes more]", h.n-len(h.b))
	}
	return text
}

// limits are what a part of a check may take, and all of a submission's together.
type limits struct{ part, all time.Duration }

// A runner runs checks, each with a parent and a child of its own.
type runner struct {
	parent, child, dir string
	seed               uint64
	limit              limits
	spent              time.Duration // by the parts so far
	late               []string      // where that was all
	walls              []wall        // from the highest; those that this machine refused are gone
	note               string
}

// run tells whether a part of a check is passed, with a report. An error is the machine's.
func (r *runner) run(ctx context.Context, id, part string, limit time.Duration) (passed bool, text string,
	seconds float64, err error) {
	var files [6]*os.File
	for i := 0; i < len(files); i += 2 {
		if files[i], files[i+1], err = os.Pipe(); err != nil {
			return false, "", 0, err
		}
		defer files[i].Close()
		defer files[i+1].Close()
	}
	down, toChild, fromChild, up, verdict, say := files[0], files[1], files[2], files[3], files[4], files[5]
	word := []byte(rand.Text())

	var prints, report, trouble head
	child := exec.Command("child")
	child.Env = []string{"GOMAXPROCS=2"}
	child.Stdout, child.Stderr = &prints, &prints
	if err := r.startChild(child, down, up); err != nil {
		return false, "", 0, err
	}
	defer end(child)
	began := time.Now()
	timed, stop := context.WithTimeout(ctx, limit)
	defer stop()
	parent := exec.CommandContext(timed, "parent", id)
	parent.Cancel = func() error { return kill(parent) }
	parent.Env = append(os.Environ(), fmt.Sprintf("FWLAB_SEED=%d", r.seed), "FWLAB_PART="+part)
	parent.Dir = r.dir
	parent.Stdin = bytes.NewReader(word)
	parent.Stdout, parent.Stderr = &report, &trouble
	if err := startParent(parent, r.parent, fromChild, toChild, say); err != nil {
		return false, "", 0, err
	}
	for _, f := range []*os.File{down, toChild, fromChild, up, say} {
		f.Close()
	}
	err = parent.Wait()
	seconds = time.Since(began).Seconds()
	if ctx.Err() != nil {
		return false, "", 0, ctx.Err()
	}
	late := err != nil && timed.Err() != nil
	if late {
		err = fmt.Errorf("no end after %v", limit.Round(time.Millisecond))
	}
	end(child)
	said, _ := io.ReadAll(verdict)
	passed = err == nil && bytes.Equal(said, word)
	return passed, r.words(passed, late, err, &report, &trouble, &prints), seconds, nil
}

const printed = "What your functions printed:\n"

// words are the report: what the check printed, how it ended if not well, and what the solution printed.
func (r *runner) words(passed, late bool, err error, report, trouble, prints *head) string {
	var text []string
	add := func(title, body string) {
		if body != "" {
			text = append(text, title+body)
		}
	}
	add("", report.String())
	panicked, _, _ := strings.Cut(trouble.String(), "\n\ngoroutine ") // no stack of the check's
	add("", panicked)
	switch {
	case passed:
	case err == nil:
		add("", "the check ended before its last line")
	case late:
		add("", err.Error())
	}
	add(printed, strings.ReplaceAll(prints.String(), strings.TrimSuffix(r.child, ".bin")+"/", ""))
	return strings.Join(text, "\n")
}

// startChild starts the solution behind the highest wall that there is.
func (r *runner) startChild(cmd *exec.Cmd, in, out *os.File) error {
	if r.walls == nil {
		r.walls = walls()
	}
	for {
		next := *cmd
		err := startBehind(&next, r.walls[0], r.child, in, out)
		if err == nil {
			*cmd = next
			r.note = r.walls[0].note
			return nil
		}
		if len(r.walls) == 1 {
			return fmt.Errorf("the solution's program does not start behind any wall; root in a container "+
				"needs CAP_SYS_ADMIN for it: %w", err)
		}
		r.walls = r.walls[1:]
	}
}

// end ends a program and all that it started.
func end(cmd *exec.Cmd) {
	if cmd.ProcessState == nil {
		kill(cmd)
		cmd.Wait()
	}
}
