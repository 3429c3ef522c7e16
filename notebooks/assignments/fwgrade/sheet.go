package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Bytes of a notebook, and of a solution cell.
const (
	maxNotebook = 256 << 20
	maxCell     = 256 << 10
)

// A cell of code.
type cell struct {
	id              string
	grade, solution bool
	points          float64
	parts           []part // of a check
	own             bool   // a student's, not the sheet's
	decls           string // the lines above %%, special commands blank
	body            string // the lines below %%, at their height
	ignored         string // what of it is no Go, in words
}

// A sheet is the teacher's notebook, its cells sorted.
type sheet struct {
	dir       string
	metadata  json.RawMessage
	helpers   []cell // the setup, the helpers, what is declared above pictures and checks
	solutions []cell
	checks    []cell
}

func readSheet(file string) (*sheet, error) {
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	cells, metadata, notes, err := readNotebook(file)
	if err != nil {
		return nil, err
	}
	if len(notes) > 0 {
		return nil, fmt.Errorf("%s: %s", file, strings.Join(notes, "; "))
	}
	s, seen := &sheet{dir: dir, metadata: metadata}, map[string]bool{}
	for i, c := range cells {
		if c.own = c.id == ""; c.own {
			c.id = fmt.Sprintf("cell-%d", i+1)
		}
		if seen[c.id] {
			return nil, fmt.Errorf("%s: two cells with grade_id %s", file, c.id)
		}
		seen[c.id] = true
		if c.solution {
			s.solutions = append(s.solutions, c)
			continue
		}
		s.helpers = append(s.helpers, c)
		if c.grade {
			s.checks = append(s.checks, c)
		}
	}
	if len(s.solutions) == 0 || len(s.checks) == 0 {
		return nil, fmt.Errorf("%s: no solution cells or no check cells (nbgrader metadata)", file)
	}
	return s, nil
}

// readSolutions takes what the sheet asks for from a submission.
func readSolutions(file string, s *sheet) (solutions []cell, notes []string, err error) {
	cells, _, notes, err := readNotebook(file)
	if err != nil {
		return nil, nil, err
	}
	for _, want := range s.solutions {
		n := 0
		for _, c := range cells {
			if c.id != want.id {
				continue
			}
			if n++; len(c.decls) > maxCell {
				return nil, notes, fmt.Errorf("%s: cell %s has %d bytes, more than %d", filepath.Base(file),
					c.id, len(c.decls), maxCell)
			}
			if c.ignored != "" {
				notes = append(notes, fmt.Sprintf("cell %s: %s", c.id, c.ignored))
			}
			solutions = append(solutions, c)
		}
		switch n {
		case 0:
			notes = append(notes, fmt.Sprintf("cell %s is missing (deleted, or its metadata changed)",
				want.id))
		case 1:
		default:
			notes = append(notes, fmt.Sprintf("cell %s is there %d times: of two functions of one name "+
				"the later counts", want.id, n))
		}
	}
	if len(solutions) == 0 {
		return nil, notes, fmt.Errorf("%s: none of the cells to be graded is there: is it the right sheet?",
			filepath.Base(file))
	}
	return solutions, notes, nil
}

// readNotebook gives a notebook's code cells, and any cells marked as solution
// even if they were turned into text. A malformed cell is a note.
func readNotebook(file string) (cells []cell, metadata json.RawMessage, notes []string, err error) {
	name := filepath.Base(file)
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxNotebook+1))
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	var book struct {
		Cells    []json.RawMessage
		Metadata json.RawMessage
	}
	switch {
	case err != nil:
	case len(data) == 0:
		err = fmt.Errorf("%s: no bytes in it", name)
	case len(data) > maxNotebook:
		err = fmt.Errorf("%s: more than %d MB", name, maxNotebook>>20)
	case !utf8.Valid(data):
		err = fmt.Errorf("%s: not UTF-8", name)
	default:
		if err = json.Unmarshal(data, &book); err != nil {
			err = fmt.Errorf("%s: not a notebook: %v", name, err)
		}
	}
	if err != nil {
		return nil, nil, nil, err
	}
	for i, raw := range book.Cells {
		c, ok, err := readCell(raw)
		if err != nil {
			notes = append(notes, fmt.Sprintf("cell %d is malformed: %v", i+1, err))
		} else if ok {
			cells = append(cells, c)
		}
	}
	return cells, book.Metadata, notes, nil
}

var gradeID = regexp.MustCompile(`^[A-Za-z0-9_-]*$`)

func readCell(raw json.RawMessage) (c cell, ok bool, err error) {
	var j struct {
		Type     string `json:"cell_type"`
		Source   *lines
		Metadata struct {
			Nbgrader *struct {
				ID       string `json:"grade_id"`
				Grade    bool
				Solution bool
				Points   float64
			}
		}
	}
	if err := json.Unmarshal(raw, &j); err != nil {
		return c, false, err
	}
	if n := j.Metadata.Nbgrader; n != nil {
		c.id, c.grade, c.solution, c.points = n.ID, n.Grade, n.Solution, n.Points
	}
	// A text with points is graded by hand.
	if j.Type != "code" && (!c.solution || c.grade) {
		return c, false, nil
	}
	if !gradeID.MatchString(c.id) {
		return c, false, errors.New("its grade_id has other characters than A-Z a-z 0-9 _ -")
	}
	if j.Source == nil {
		return c, false, errors.New("it has no source")
	}
	c.split(string(*j.Source))
	return c, true, nil
}

// split sorts a cell's lines as the kernel does.
func (c *cell) split(text string) {
	var decls, body strings.Builder
	to := &decls
	ignored := []string{}
	for _, line := range strings.Split(text, "\n") {
		command := strings.TrimPrefix(line, "//gonb:")
		word, _, _ := strings.Cut(strings.TrimSpace(command), " ")
		switch {
		case to == nil: // a shell script, or a file
		case word == "%%" || word == "%main":
			to = &body
			ignored = append(ignored, "what follows "+word+" is a program of your own, which is not graded")
			body.WriteString(strings.Repeat("\n", strings.Count(decls.String(), "\n")))
			line = ""
		case strings.HasPrefix(command, "%%"):
			to = nil
			ignored = append(ignored, "what follows "+word+" is not graded")
		case strings.HasPrefix(command, "%"), strings.HasPrefix(command, "!"):
			ignored = append(ignored, "the command "+word+" is not run")
			line = ""
		case strings.HasPrefix(line, "package "):
			line = ""
		}
		if to != nil {
			to.WriteString(line + "\n")
		}
	}
	c.decls, c.body, c.ignored = decls.String(), body.String(), strings.Join(ignored, "; ")
}
