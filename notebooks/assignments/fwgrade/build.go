package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// wireFiles is package wire without its tests, whose names end in t.go.
//
//go:embed wire/*[^t].go
var wireFiles embed.FS

// What compiling may take: the checks, with the library on a new machine; one solution, without each cell
// that is at fault.
const (
	checksTime   = 10 * time.Minute
	solutionTime = 2 * time.Minute
)

// A builder makes the two programs in a folder of its own.
type builder struct {
	dir, root string // root is the project's
	project   string // its go.mod
	gomod     string // the solution's
	gosum     []byte // the project's
	asked     []asked
}

var (
	moduleLine = regexp.MustCompile(`(?m)^module (\S+)`)
	gonumLine  = regexp.MustCompile(`(?m)^\s*(gonum\.org/v1/gonum v\S+)`)
	goLine     = regexp.MustCompile(`(?m)^go (\S+)`)
)

// moduleOf is the root of the module that a file lies in.
func moduleOf(file string) (string, error) {
	dir, err := filepath.Abs(file)
	for err == nil && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
	}
	return "", fmt.Errorf("%s lies in no Go module: put it into a clone of the project", file)
}

func newBuilder(root string) (*builder, error) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return nil, err
	}
	gonum, version := gonumLine.FindSubmatch(mod), goLine.FindSubmatch(mod)
	if gonum == nil || version == nil || !moduleLine.Match(mod) {
		return nil, fmt.Errorf("%s/go.mod names no module, no version of Go, or none of gonum", root)
	}
	dir, err := os.MkdirTemp("", "fwgrade")
	if err != nil {
		return nil, err
	}
	own := fmt.Sprintf("module grade\n\ngo %s\n\nrequire %s\n", version[1], gonum[1])
	return &builder{dir: dir, root: root, project: string(mod), gomod: own, gosum: sum}, nil
}

func (b *builder) close() { os.RemoveAll(b.dir) }

// parent builds the checks, with the project as it is.
func (b *builder) parent(ctx context.Context, s *sheet) (string, error) {
	files, list, err := parentFiles(s)
	if err != nil {
		return "", fmt.Errorf("the sheet: %w", err)
	}
	b.asked = list
	// No workspace: that would read the go.mod of modules the project is built without, from the network.
	mod := moduleLine.ReplaceAllString(b.project, "module grade") +
		fmt.Sprintf("\nrequire %s v0.0.0\n\nreplace %[1]s => %q\n",
			moduleLine.FindStringSubmatch(b.project)[1], filepath.ToSlash(b.root))
	bin, out, err := b.build(ctx, "parent", checksTime, mod, files)
	if err != nil {
		return "", fmt.Errorf("the sheet's checks do not compile: %w\n%s", err, out)
	}
	return bin, nil
}

// child builds the solution. A cell that does not compile is left out, and the others are judged.
func (b *builder) child(ctx context.Context, s *sheet, solutions []cell) (
	bin string, notes []string, err error) {
	bad, began := map[string]string{}, time.Now()
	for {
		var out string
		var fault cellError
		files, err := childFiles(s, solutions, b.asked, bad)
		switch {
		case errors.As(err, &fault):
			out = err.Error()
		case err != nil:
			return "", nil, fmt.Errorf("the sheet: %w", err)
		default:
			left := max(time.Second, solutionTime-time.Since(began))
			bin, out, err = b.build(ctx, "child", left, b.gomod, files)
			if err == nil || ctx.Err() != nil {
				return bin, notes, err
			}
		}
		before := len(bad)
		for _, c := range solutions {
			own := regexp.MustCompile("(?m)^"+c.id+":.*").FindAllString(out, -1)
			if bad[c.id] == "" && own != nil {
				bad[c.id] = "does not compile:\n" + shorten(strings.Join(own, "\n"))
				notes = append(notes, fmt.Sprintf("cell %s %s", c.id, bad[c.id]))
			}
		}
		if len(bad) > before {
			continue
		}
		why := "the cells do not compile together, and none is judged: " + shorten(out)
		for _, c := range solutions { // no cell is named: all are left out
			if bad[c.id] == "" {
				bad[c.id] = why
			}
		}
		if len(bad) == before {
			return "", nil, fmt.Errorf("an empty solution does not compile: %w\n%s", err, out)
		}
		notes = append(notes, why)
	}
}

// shorten leaves what a reader needs of a compiler's words: some compilers end with all their stacks.
func shorten(s string) string {
	lines := strings.SplitAfterN(s, "\n", 11)
	s = strings.Join(lines[:min(len(lines), 10)], "")
	if len(s) > 1000 {
		s = strings.ToValidUTF8(s[:1000], "") + " …"
	}
	return strings.TrimSpace(s)
}

func (b *builder) build(ctx context.Context, name string, limit time.Duration, gomod string,
	files map[string][]byte) (bin, out string, err error) {
	dir := filepath.Join(b.dir, name)
	err = errors.Join(os.RemoveAll(dir), os.MkdirAll(filepath.Join(dir, "wire"), 0o700))
	files["go.mod"], files["go.sum"] = []byte(gomod), b.gosum
	wire, _ := wireFiles.ReadDir("wire") // embedded, so there are no errors
	for _, f := range wire {
		files["wire/"+f.Name()], _ = wireFiles.ReadFile("wire/" + f.Name())
	}
	for f, text := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, f), text, 0o600))
	}
	if err != nil {
		return "", "", err
	}
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	bin = filepath.Join(b.dir, name+".bin")
	out, err = compile(ctx, dir, bin)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		out += fmt.Sprintf("no end of compiling after %v\n", limit)
	}
	out = strings.ReplaceAll(out, dir+"/", "")
	out = regexp.MustCompile(`(?m)^(# .*|\./)\n?`).ReplaceAllString(out, "")
	return bin, out[:min(len(out), 8192)], err
}
