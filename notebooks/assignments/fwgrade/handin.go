package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const module = "github.com/projection-free/fwlab"

// handIn tells whether the cells of a notebook that are graded compile without a
// student's own; an error names what they lack. The notebook is its own sheet.
func handIn(ctx context.Context, name string) (string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return "", fmt.Errorf("%s is not here: the sheet has to have this name when you hand it in: %w", filepath.Base(name), err)
	}
	s, err := readSheet(name)
	if err != nil {
		return "", err
	}
	s.helpers = slices.DeleteFunc(s.helpers, func(c cell) bool { return c.own })
	cells, notes, err := readSolutions(name, s)
	if err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, goTool(), "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return "", fmt.Errorf("where %s is, is not known here: run the first cell of the sheet: %w", module, err)
	}
	b, err := newBuilder(strings.TrimSpace(string(out)))
	if err != nil {
		return "", err
	}
	defer b.close()
	_, bad, err := b.child(ctx, s, cells)
	if err != nil {
		return "", err
	}
	text := []string{fmt.Sprintf("%s, as it was saved at %s:", filepath.Base(name), info.ModTime().Format("15:04:05"))}
	for _, c := range cells {
		if strings.Contains(c.decls, "// YOUR CODE HERE") {
			text = append(text, fmt.Sprintf("cell %s is as it was handed out", c.id))
		}
	}
	text = append(text, notes...)
	if len(bad) > 0 {
		text = append(append(text, bad...), "Grading sees the cells that say YOUR CODE HERE and no others: move what they need into them, save, and run this cell again.")
		return "", errors.New(strings.Join(text, "\n"))
	}
	return strings.Join(append(text, "the cells that are graded compile by themselves"), "\n"), nil
}
