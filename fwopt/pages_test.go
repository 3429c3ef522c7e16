package fwopt_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

type cell struct {
	Type   string   `json:"cell_type"`
	Source []string `json:"source"`
}

func readPage(t *testing.T, file string) []cell {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var page struct{ Cells []cell }
	if err := json.Unmarshal(data, &page); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return page.Cells
}

// TestPages: cells that one can read, each after a sentence, and boxes that show the code as it is.
func TestPages(t *testing.T) {
	files, _ := filepath.Glob("../notebooks/[0-9]*.ipynb")
	if len(files) == 0 {
		t.Fatal("no notebooks: this test must follow a new name")
	}
	for _, file := range files {
		checkPage(t, filepath.Base(file), readPage(t, file))
	}
}

func checkPage(t errorer, name string, cells []cell) {
	var lengths []int
	for i, c := range cells {
		text := strings.Join(c.Source, "")
		if c.Type == "markdown" {
			checkBoxes(t, name, text)
			continue
		}
		lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
		if len(lengths) == 0 { // the setup cell, which is wide to be short
			if lengths = append(lengths, len(lines)); len(lines) > 4 {
				t.Errorf("%s: the setup cell has %d lines, more than 4", name, len(lines))
			}
			continue
		}
		lengths = append(lengths, len(lines))
		if len(lines) > 25 {
			t.Errorf("%s: the cell that begins with %q has %d lines, more than 25", name, lines[0], len(lines))
		}
		for _, l := range lines {
			if n := utf8.RuneCountInString(strings.ReplaceAll(l, "\t", "    ")); n > 78 {
				t.Errorf("%s: %d columns, more than 78: %s", name, n, l)
			}
		}
		if cells[i-1].Type != "markdown" {
			t.Errorf("%s: no text before the cell that begins with %q", name, lines[0])
		}
	}
	slices.Sort(lengths)
	if len(lengths) > 0 && lengths[len(lengths)/2] > 8 {
		t.Errorf("%s: half of the cells have %d lines or more, which should be at most 8", name, lengths[len(lengths)/2])
	}
}

type errorer interface {
	Errorf(format string, args ...any)
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
		for _, l := range strings.Split(m[2], "\n") {
			if n := utf8.RuneCountInString(strings.ReplaceAll(l, "\t", "    ")); n > 90 {
				t.Errorf("%s: %d columns, more than a box has (90): %s", name, n, l)
			}
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

func (f *found) Errorf(format string, args ...any) { *f = append(*f, format) }

// The checks see what they are there for.
func TestPageFaults(t *testing.T) {
	text := cell{"markdown", []string{"A sentence."}}
	setup := cell{"code", []string{"import \"fmt\""}}
	code := func(lines ...string) cell { return cell{"code", []string{strings.Join(lines, "\n")}} }
	const wide = "if !(fx > fy+floats.Dot(g, d)+a.L/2*floats.Dot(d, d)+1e-14*math.Abs(fy)) || math.IsInf(a.L, 1) {"
	long := slices.Repeat([]string{"x()"}, 26)
	for what, cells := range map[string][]cell{
		"long setup":      {text, code(long[:5]...)},
		"long cell":       {text, setup, text, code("x()"), text, code(long...)},
		"wide cell":       {text, setup, text, code(strings.Repeat("x", 79))},
		"no text":         {text, setup, code("x()")},
		"long cells":      {text, setup, text, code(long[:9]...), text, code(long[:9]...)},
		"box not in file": {{"markdown", []string{"```go\n// from fwopt/svrf.go\nfor ever {\n```"}}},
		"box too wide":    {{"markdown", []string{"```go\n// from fwopt/fwmore/fista.go\n" + wide + "\n```"}}},
		"box of no file":  {{"markdown", []string{"```go\n// from fwopt/nosuch.go\nfor {\n```"}}},
	} {
		var f found
		if checkPage(&f, "a page", cells); len(f) != 1 {
			t.Errorf("%s: %d errors, want 1: %q", what, len(f), f)
		}
	}
	var f found
	if checkPage(&f, "a page", []cell{text, setup, text, code("x()"),
		{"markdown", []string{"```go\n// from fwopt/svrf.go\nt, k := a.T, a.K+1\n  o.VRGrad(g, a.X, a.X0, a.Grad0, a.M(t, k)) // ∇̃_k, mean of m_k ∇̃f(x_{k−1}; x_0)\n```"}}}); len(f) != 0 {
		t.Errorf("a good page: %q", f)
	}
}

// TestExperimentsAreOne: what two of the pages on Figure 1 declare, they declare in the same words, but for
// numbers and the names of the sets.
func TestExperimentsAreOne(t *testing.T) {
	vary := regexp.MustCompile(`news20|rcv1|aloi|\b\d[\d_]*(\.\d+)?(e-?\d+)?\b`)
	declared := regexp.MustCompile(`^(?:func|var|const) (\w+)`)
	first, shared := map[string][2]string{}, 0
	for _, page := range []string{"10-experiments-news20", "11-experiments-rcv1", "12-experiments-aloi"} {
		cells := readPage(t, "../notebooks/"+page+".ipynb")
		if !slices.ContainsFunc(cells, func(c cell) bool { return strings.Contains(strings.Join(c.Source, ""), "fwopt/fwrace") }) {
			continue // it does not stand on the package that the others share
		}
		for _, c := range cells {
			text := vary.ReplaceAllString(strings.Join(c.Source, ""), "#")
			m := declared.FindStringSubmatch(text)
			if c.Type != "code" || m == nil {
				continue
			}
			was, ok := first[m[1]]
			if !ok {
				first[m[1]] = [2]string{page, text}
			} else if shared++; text != was[1] {
				t.Errorf("%s declares %s otherwise than %s:\n%s", page, m[1], was[0], text)
			}
		}
	}
	if shared < 10 {
		t.Errorf("%d declarations in common: this test must follow the pages", shared)
	}
}
