package fwopt_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

type errorer interface {
	Errorf(format string, args ...any)
}

// notebook is a page, as Jupyter keeps it.
type notebook struct {
	Cells []struct {
		ID       string
		Type     string `json:"cell_type"`
		Metadata struct {
			Jupyter struct {
				Folded bool `json:"source_hidden"`
			}
		}
		Source  []string
		Outputs []struct {
			Text []string
			Data map[string]any
		}
	}
}

// notebooks reads all pages, by the path of their files.
func notebooks(t *testing.T) map[string]notebook {
	t.Helper()
	files, _ := filepath.Glob("../notebooks/*.ipynb")
	all := map[string]notebook{}
	for _, file := range files {
		var page notebook
		data, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(data, &page)
		}
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all[file] = page
	}
	return all
}

// TestPages: what a page shows of the code is in the code. That a page runs is the business of
// make notebooks, and that its links lead somewhere that of make site-check; what else a page
// should be make report says.
func TestPages(t *testing.T) {
	pages, boxes := notebooks(t), 0
	for file, page := range pages {
		for _, c := range page.Cells {
			if text := strings.Join(c.Source, ""); c.Type == "markdown" {
				boxes += len(box.FindAllString(text, -1))
				checkBoxes(t, file, text)
				checkSides(t, file, text)
			}
		}
	}
	if boxes < 6 {
		t.Errorf("%d boxes on %d pages: this test must follow the pages", boxes, len(pages))
	}
}

// TestLessons: a lesson is as short as a lesson may be, its figure comes first and moves, three exercises end it, and the
// words for verdicts are those of lesson 7 alone.
func TestLessons(t *testing.T) {
	lessons := 0
	for file, page := range notebooks(t) {
		if name := filepath.Base(file); strings.HasPrefix(name, "lesson-") {
			lessons++
			checkLesson(t, name, page)
		}
	}
	if lessons != 8 {
		t.Errorf("%d lessons, want 8", lessons)
	}
}

var verdict = regexp.MustCompile(`\*\*(forced|visible|needed by this method|set by the schedule|bound only|unmeasured)\b`)

func checkLesson(t errorer, name string, page notebook) {
	words, lines, before, starters := 0, 0, 0, 0
	drawn, exercises := false, false
	for _, c := range page.Cells {
		text := strings.Join(c.Source, "")
		if c.Type == "markdown" {
			words += len(strings.Fields(text))
			exercises = exercises || strings.Contains(text, "## Exercises")
			if m := verdict.FindString(text); m != "" && !strings.HasPrefix(name, "lesson-7") {
				t.Errorf("%s: the verdict %s belongs to lesson 7", name, m)
			}
			continue
		}
		if !c.Metadata.Jupyter.Folded {
			lines += len(c.Source)
		}
		if exercises {
			starters++
		}
		for _, o := range c.Outputs {
			if _, moves := o.Data["application/vnd.vegalite.v5+json"]; moves && !drawn {
				drawn, before = true, words
			}
		}
	}
	if words > 1200 {
		t.Errorf("%s: %d words, more than 1,200", name, words)
	}
	if lines > 60 {
		t.Errorf("%s: %d lines of Go in view, more than 60", name, lines)
	}
	if !drawn || before > 150 {
		t.Errorf("%s: %d words before a figure that moves, more than 150, or there is none", name, before)
	}
	if starters < 3 {
		t.Errorf("%s: %d cells to begin the exercises with, want 3", name, starters)
	}
}

var box = regexp.MustCompile("(?s)```go\n// from (fwopt/[a-z0-9/]+\\.go)\n(.*?)\n```")

// checkBoxes: a block of Go that says which file it is from is in that file, up to indentation.
func checkBoxes(t errorer, name, text string) {
	for _, m := range box.FindAllStringSubmatch(text, -1) {
		file, err := os.ReadFile(filepath.Join("..", m[1]))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !strings.Contains(flat(string(file)), flat(m[2])) {
			t.Errorf("%s: this is not in %s as it stands:\n%s", name, m[1], m[2])
		}
	}
}

var (
	sideHead = regexp.MustCompile(`\|\s*\[[^]]*\]\(\.\./(fwopt/[a-z0-9/]+\.go)\)\s*\|\s*$`)
	sideRule = regexp.MustCompile(`^\|[\s:|-]+\|\s*$`)
	sideCode = regexp.MustCompile("`([^`]+)`")
)

// checkSides: of a table whose last column has a file of Go at its head, each piece of code in that column
// is a line of the file, up to indentation and the comment at its end, and they stand in the file's order.
func checkSides(t errorer, name, text string) {
	lines := strings.Split(text, "\n")
	for i := 0; i+1 < len(lines); i++ {
		m := sideHead.FindStringSubmatch(lines[i])
		if m == nil || !sideRule.MatchString(lines[i+1]) {
			continue
		}
		file, err := os.ReadFile(filepath.Join("..", m[1]))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		rest, shown := strings.Split(flat(string(file)), "\n"), 0
		for i += 2; i < len(lines) && strings.HasPrefix(lines[i], "|"); i++ {
			if strings.Contains(lines[i], `\|`) {
				t.Errorf(`%s: \| in a table is a bar in JupyterLab and two signs on the site: write \lVert, or leave the line of Go out: %s`, name, lines[i])
			}
			row := strings.TrimRight(lines[i], " |")
			for _, c := range sideCode.FindAllStringSubmatch(row[strings.LastIndex(row, "|")+1:], -1) {
				want := strings.Join(strings.Fields(c[1]), " ")
				at := slices.IndexFunc(rest, func(l string) bool {
					return l == want || strings.HasPrefix(l, want+" //")
				})
				if shown++; at < 0 {
					t.Errorf("%s: this is no line of %s below those of the rows above: %s", name, m[1], want)
				} else {
					rest = rest[at+1:]
				}
			}
		}
		if shown == 0 {
			t.Errorf("%s: a table beside %s that shows no line of it", name, m[1])
		}
	}
}

// flat is text without the indentation and the alignment of comments.
func flat(text string) string {
	var b strings.Builder
	for _, l := range strings.Split(text, "\n") {
		b.WriteString(strings.Join(strings.Fields(l), " ") + "\n")
	}
	return b.String()
}

type found []string

func (f *found) Errorf(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }

// The checks see what they are there for.
func TestPageFaults(t *testing.T) {
	side := func(file string, rows ...string) string {
		return "| box | [" + file + "](../fwopt/" + file + ") |\n|:--|:--|\n" + strings.Join(rows, "\n")
	}
	for what, text := range map[string]string{
		"": "```go\n// from fwopt/svrf.go\nt, k := a.T, a.K+1\n  o.VRGrad(g, a.X, a.X0, " +
			"a.Grad0, a.M(t, k)) // ∇̃_k, mean of m_k ∇̃f(x_{k−1}; x_0)\n```",
		"box not in file":     "```go\n// from fwopt/svrf.go\nfor ever {\n```",
		"box of no file":      "```go\n// from fwopt/nosuch.go\nfor {\n```",
		"side not in file":    side("svrf.go", "| | `for ever {` |"),
		"side out of order":   side("svrf.go", "| | `a.K = k` |", "| | `o.Argmin(&v, g)` |"),
		"side twice":          side("svrf.go", "| | `o.Argmin(&v, g)` |", "| | `o.Argmin(&v, g)` |"),
		"side cut short":      side("svrf.go", "| | `o.Argmin(&v,` |"),
		"side of no file":     side("nosuch.go", "| | `for {` |"),
		"side without a line": side("svrf.go", "| 7 | |"),
		"side with a norm":    side("svrf.go", `| $\|x\|$ | `+"`a.K = k` |"),
	} {
		var f found
		checkBoxes(&f, "a page", text)
		checkSides(&f, "a page", text)
		if (len(f) == 0) != (what == "") || len(f) > 1 {
			t.Errorf("%s: %q", what, f)
		}
	}
}

// A lesson that breaks a rule is told, and one that does not is not.
func TestLessonFaults(t *testing.T) {
	const good = `{"cells": [{"cell_type": "markdown", "source": ["# Title"]},
		{"cell_type": "code", "source": ["a\n", "b"],
			"outputs": [{"data": {"application/vnd.vegalite.v5+json": {}}}]},
		{"cell_type": "markdown", "source": ["## Exercises\n", "One."]},
		{"cell_type": "code", "source": ["1"]},
		{"cell_type": "code", "source": ["2"]}, {"cell_type": "code", "source": ["3"]}]}`
	for what, change := range map[string][2]string{
		"":                           {"", ""},
		"1205 words":                 {"One.", strings.Repeat("word ", 1201)},
		"65 lines of Go in view":     {`"2"`, strings.Repeat(`"2\n", `, 60) + `"2"`},
		"203 words before a figure":  {"# Title", "# " + strings.Repeat("word ", 202)},
		"or there is none":           {"vegalite", "other"},
		"the verdict **forced":       {"One.", "It is **forced**."},
		"2 cells to begin the exerc": {`{"cell_type": "code", "source": ["2"]},`, ""},
	} {
		var f found
		var page notebook
		if err := json.Unmarshal([]byte(strings.Replace(good, change[0], change[1], 1)), &page); err != nil {
			t.Fatal(what, err)
		}
		checkLesson(&f, "lesson-1-x.ipynb", page)
		if (len(f) == 0) != (what == "") || len(f) > 0 && !strings.Contains(f[0], what) {
			t.Errorf("%q: %q", what, f)
		}
	}
}
