package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// handIn tells whether the cells of a notebook that are graded compile without a
// student's own, and have the functions that the checks call; an error names what
// they lack. The notebook is its own sheet. What it asks for is in its metadata.
func handIn(ctx context.Context, name string) (string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return "", fmt.Errorf("%s is not here: the sheet has to have this name when you hand it in: %w",
			filepath.Base(name), err)
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
	asked, err := askedOf(name, s)
	if err != nil {
		return "", err
	}
	b, err := studentBuilder(ctx)
	if err != nil {
		return "", err
	}
	defer b.close()
	b.asked = asked
	_, bad, err := b.child(ctx, s, cells)
	if err != nil {
		return "", err
	}
	if files, err := parseAll(cells); err == nil { // else that is said already, and they may have any
		have := declared(files)
		for _, a := range asked {
			if why := a.lacks(cells, have); why != "" {
				bad = append(bad, why)
			}
		}
	}
	text := []string{fmt.Sprintf("%s, as it was saved at %s:", filepath.Base(name),
		info.ModTime().Format("15:04:05"))}
	for _, c := range cells {
		if strings.Contains(c.decls, "// YOUR CODE HERE") {
			text = append(text, fmt.Sprintf("cell %s is as it was handed out", c.id))
		}
	}
	text = append(text, notes...)
	if len(bad) > 0 {
		text = append(append(text, bad...), "Grading sees the cells that say YOUR CODE HERE and no "+
			"others, and calls the functions that they were handed out with: move what they need into them, "+
			"save, and run this cell again.")
		return "", errors.New(strings.Join(text, "\n"))
	}
	return strings.Join(append(text, "the cells that are graded compile by themselves"), "\n"), nil
}

// askedOf reads what the cells of a sheet were handed out with. A sheet of
// another release may not say it.
func askedOf(name string, s *sheet) (list []asked, err error) {
	var metadata struct {
		Fwlab struct{ Stubs map[string]string }
	}
	if len(s.metadata) > 0 {
		if err := json.Unmarshal(s.metadata, &metadata); err != nil {
			return nil, fmt.Errorf("%s: its metadata are not those that were handed out: %w",
				filepath.Base(name), err)
		}
	}
	stubs := metadata.Fwlab.Stubs
	for _, id := range slices.Sorted(maps.Keys(stubs)) {
		a, _, err := ask(cell{id: id, decls: stubs[id]})
		if err != nil {
			return nil, err
		}
		list = append(list, a...)
	}
	return list, nil
}
