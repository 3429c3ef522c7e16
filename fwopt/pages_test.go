package fwopt_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

type cell struct {
	Type    string   `json:"cell_type"`
	Source  []string `json:"source"`
	Outputs []output `json:"outputs"`
	Count   *int     `json:"execution_count"`
}

// output is what a cell shows, by MIME type.
type output struct {
	Data map[string]any `json:"data"`
}

func (c cell) figure() bool {
	return slices.ContainsFunc(c.Outputs, func(o output) bool { return o.Data["image/png"] != nil })
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
	for i, file := range files {
		cells := readPage(t, file)
		checkPage(t, filepath.Base(file), cells)
		if way := neighbours(files, i); !slices.Contains(cells[0].Source, way+"\n") {
			t.Errorf("%s: its first cell has no line %s", file, way)
		}
		checkCard(t, filepath.Base(file), cells)
		checkCounts(t, filepath.Base(file), cells)
	}
}

// checkCounts: a page is committed as it ran, once, from top to bottom.
func checkCounts(t errorer, name string, cells []cell) {
	n := 0
	for _, c := range cells {
		if c.Type != "code" {
			continue
		}
		if n++; c.Count == nil || *c.Count != n {
			t.Errorf("%s: its code cell %d was not the %d. to run: make notebooks WRITE=1", name, n, n)
			return
		}
	}
}

// checkCard: a page begins with its verdict, three numbers and what to do, and its first figure
// is on the first screens.
func checkCard(t errorer, name string, cells []cell) {
	card := strings.Join(cells[0].Source, "")
	for _, part := range []string{"**Verdict", "**In practice"} {
		if !strings.Contains(card, part) {
			t.Errorf("%s: its first cell has no %s**", name, part)
		}
	}
	if n := strings.Count(card, "\n| ") - 1; n != 3 {
		t.Errorf("%s: %d numbers in its first cell, want 3", name, n)
	}
	if at := slices.IndexFunc(cells, cell.figure); at > 5 {
		t.Errorf("%s: its first figure is in cell %d, want one of the first six", name, at+1)
	}
}

// neighbours is the line that leads from a page to those before and after it.
func neighbours(files []string, i int) string {
	link := func(form string, file string) string {
		name := filepath.Base(file)
		number, _, _ := strings.Cut(name, "-")
		return fmt.Sprintf(form, number, name)
	}
	way := []string{"[all pages](README.md)"}
	if i > 0 {
		way = append([]string{link("[← %s](%s)", files[i-1])}, way...)
	}
	if i+1 < len(files) {
		way = append(way, link("[%s →](%s)", files[i+1]))
	}
	return strings.Join(way, " · ")
}

func checkPage(t errorer, name string, cells []cell) {
	checkCaptions(t, name, cells)
	if n := len(codeOf(cells)); n > 25 {
		t.Errorf("%s: %d code cells, more than 25: merge some, or make it two pages", name, n)
	}
	var lengths []int
	for i, c := range cells {
		text := strings.Join(c.Source, "")
		if c.Type == "markdown" {
			checkBoxes(t, name, text)
			checkSides(t, name, text)
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

// codeOf is the text of each code cell.
func codeOf(cells []cell) (code []string) {
	for _, c := range cells {
		if c.Type == "code" {
			code = append(code, strings.Join(c.Source, ""))
		}
	}
	return code
}

type errorer interface {
	Errorf(format string, args ...any)
}

// A caption stands under its figure, and begins the text there.
var caption = regexp.MustCompile(`(?m)^\*\*Figure (\d+)\.\*\*`)

// checkCaptions: those of a page count 1, 2, …, each stands right under a cell that runs something, and each figure has one.
func checkCaptions(t errorer, name string, cells []cell) {
	n := 0
	for i, c := range cells {
		text := strings.Join(c.Source, "")
		for _, m := range caption.FindAllStringSubmatchIndex(text, -1) {
			n++
			if got := text[m[2]:m[3]]; got != fmt.Sprint(n) {
				t.Errorf("%s: figure %s is the %d. with a caption", name, got, n)
			}
			if c.Type != "markdown" || m[0] != 0 || i == 0 || !strings.Contains("\n"+strings.Join(cells[i-1].Source, ""), "\n%%\n") {
				t.Errorf("%s: the caption of figure %d is not right under a cell that runs", name, n)
			}
		}
		if c.figure() && (i+1 == len(cells) || cells[i+1].Type != "markdown" || !caption.MatchString(strings.Join(cells[i+1].Source, ""))) {
			t.Errorf("%s: no caption right under the figure of the cell that begins with %q", name, text[:min(len(text), 60)])
		}
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
		for _, l := range strings.Split(m[2], "\n") {
			if n := utf8.RuneCountInString(strings.ReplaceAll(l, "\t", "    ")); n > 90 {
				t.Errorf("%s: %d columns, more than a box has (90): %s", name, n, l)
			}
		}
	}
}

var (
	sideHead = regexp.MustCompile(`\|\s*\[[^]]*\]\(\.\./(fwopt/[a-z0-9/]+\.go)\)\s*\|\s*$`)
	sideRule = regexp.MustCompile(`^\|[\s:|-]+\|\s*$`)
	sideCode = regexp.MustCompile("`([^`]+)`")
)

// checkSides: of a table whose last column has a file of Go at its head, each piece of code in that column is a line of the
// file, up to indentation and the comment at its end, and they stand in the file's order.
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
				at := slices.IndexFunc(rest, func(l string) bool { return l == want || strings.HasPrefix(l, want+" //") })
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

func (f *found) Errorf(format string, args ...any) { *f = append(*f, format) }

// The checks see what they are there for.
func TestPageFaults(t *testing.T) {
	text := cell{Type: "markdown", Source: []string{"A sentence."}}
	setup := cell{Type: "code", Source: []string{"import \"fmt\""}}
	code := func(lines ...string) cell { return cell{Type: "code", Source: []string{strings.Join(lines, "\n")}} }
	caption := func(n int) cell {
		return cell{Type: "markdown", Source: []string{fmt.Sprintf("**Figure %d.** A line.", n)}}
	}
	figure := code("%%", "x()")
	figure.Outputs = []output{{map[string]any{"text/plain": "x"}}, {map[string]any{"image/png": "iVBO"}}}
	const wide = "if !(fx > fy+floats.Dot(g, d)+a.L/2*floats.Dot(d, d)+1e-14*math.Abs(fy)) || math.IsInf(a.L, 1) {"
	side := func(file string, rows ...string) []cell {
		return []cell{{Type: "markdown", Source: []string{"| box | [" + file + "](../fwopt/" + file + ") |\n|:--|:--|\n" + strings.Join(rows, "\n")}}}
	}
	long := slices.Repeat([]string{"x()"}, 26)
	for what, cells := range map[string][]cell{
		"caption not in order": {text, setup, text, code("%%", "x()"), caption(2)},
		"caption under text":   {text, caption(1)},
		"caption in a text":    {text, setup, text, code("%%", "x()"), {Type: "markdown", Source: []string{"A sentence.\n\n**Figure 1.** It."}}},
		"figure at the end":    {text, setup, text, figure},
		"figure over a text":   {text, setup, text, figure, text},
		"too many cells":       append([]cell{text, setup}, slices.Repeat([]cell{text, code("x()")}, 25)...),
		"long setup":           {text, code(long[:5]...)},
		"long cell":            {text, setup, text, code("x()"), text, code(long...)},
		"wide cell":            {text, setup, text, code(strings.Repeat("x", 79))},
		"no text":              {text, setup, code("x()")},
		"long cells":           {text, setup, text, code(long[:9]...), text, code(long[:9]...)},
		"box not in file":      {{Type: "markdown", Source: []string{"```go\n// from fwopt/svrf.go\nfor ever {\n```"}}},
		"box too wide":         {{Type: "markdown", Source: []string{"```go\n// from fwopt/fwmore/fista.go\n" + wide + "\n```"}}},
		"box of no file":       {{Type: "markdown", Source: []string{"```go\n// from fwopt/nosuch.go\nfor {\n```"}}},
		"side not in file":     side("svrf.go", "| | `for ever {` |"),
		"side out of order":    side("svrf.go", "| | `a.K = k` |", "| | `o.Argmin(&v, g)` |"),
		"side twice":           side("svrf.go", "| | `o.Argmin(&v, g)` |", "| | `o.Argmin(&v, g)` |"),
		"side cut short":       side("svrf.go", "| | `o.Argmin(&v,` |"),
		"side of no file":      side("nosuch.go", "| | `for {` |"),
		"side without a line":  side("svrf.go", "| 7 | |"),
		"side with a norm":     side("svrf.go", `| $\|x\|$ | `+"`a.K = k` |"),
	} {
		var f found
		if checkPage(&f, "a page", cells); len(f) != 1 {
			t.Errorf("%s: %d errors, want 1: %q", what, len(f), f)
		}
	}
	card := cell{Type: "markdown", Source: []string{"# A\n", "**Verdict.** Seen.\n\n| number |\n|--|\n| 1 |\n| 2 |\n| 3 |\n\n**In practice.** Do."}}
	short := cell{Type: "markdown", Source: []string{"**Verdict.** Seen.\n\n| number |\n|--|\n| 1 |\n| 2 |\n"}}
	for want, cells := range map[int][]cell{
		0: {card, setup, text, code("x()"), text, figure},
		1: {card, setup, text, code("x()"), text, code("x()"), figure},
		2: {short, setup, text, figure},
		3: {text, setup, text, figure},
	} {
		var f found
		if checkCard(&f, "a page", cells); len(f) != want {
			t.Errorf("%d errors, want %d: %q", len(f), want, f)
		}
	}
	one, two := 1, 2
	for want, counts := range [][]*int{{&one, &two}, {&one, nil}, {&two, &one}} {
		var f found
		if checkCounts(&f, "a page", []cell{{Type: "code", Count: counts[0]}, text, {Type: "code", Count: counts[1]}}); len(f) != min(want, 1) {
			t.Errorf("counts %d: %q", want, f)
		}
	}
	var f found
	if checkPage(&f, "a page", []cell{text, setup, text, figure, caption(1), code("%%", "x()"), caption(2), code("x()"),
		{Type: "markdown", Source: []string{"```go\n// from fwopt/svrf.go\nt, k := a.T, a.K+1\n  o.VRGrad(g, a.X, a.X0, a.Grad0, a.M(t, k)) // ∇̃_k, mean of m_k ∇̃f(x_{k−1}; x_0)\n```"}}}); len(f) != 0 {
		t.Errorf("a good page: %q", f)
	}
}

// TestExperimentsAreOne: what two of the pages on Figure 1 declare, they declare in the same words, but for
// numbers and the names of the sets.
func TestExperimentsAreOne(t *testing.T) {
	vary := regexp.MustCompile(`news20|rcv1|aloi|\b\d[\d_]*(\.\d+)?(e-?\d+)?\b`)
	first, shared := map[string][2]string{}, 0
	for _, page := range []string{"10-experiments-news20", "11-experiments-rcv1", "12-experiments-aloi"} {
		code := codeOf(readPage(t, "../notebooks/"+page+".ipynb"))
		for _, text := range code[1:] { // but for the setup cell
			for name, text := range declared(t, text) {
				text = vary.ReplaceAllString(text, "#")
				was, ok := first[name]
				if !ok {
					first[name] = [2]string{page, text}
				} else if shared++; text != was[1] {
					t.Errorf("%s declares %s otherwise than %s:\n%s", page, name, was[0], text)
				}
			}
		}
	}
	if shared < 10 {
		t.Errorf("%d declarations in common: this test must follow the pages", shared)
	}
}

// declared is what a cell declares above its %%, each by its first name.
func declared(t *testing.T, cell string) map[string]string {
	top, _, _ := strings.Cut("package p\n"+cell, "\n%%")
	file, err := parser.ParseFile(token.NewFileSet(), "", top, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v:\n%s", err, top)
	}
	all := map[string]string{}
	for _, d := range file.Decls {
		name := ""
		switch d := d.(type) {
		case *ast.FuncDecl:
			name = d.Name.Name
		case *ast.GenDecl:
			switch s := d.Specs[0].(type) {
			case *ast.ValueSpec:
				name = s.Names[0].Name
			case *ast.TypeSpec:
				name = s.Name.Name
			}
		}
		all[name] = top[d.Pos()-1 : d.End()-1]
	}
	return all
}

// TestForgotten: a cell with statements and without its %% is what the pages for newcomers say that it is. GoNB reads a cell
// by go/parser; docker/run_notebooks.py has GoNB itself say it.
func TestForgotten(t *testing.T) {
	const message = "expected declaration, found "
	files, _ := filepath.Glob("../notebooks/[0-9]*.ipynb")
	tried := 0
	for _, file := range files {
		for _, text := range codeOf(readPage(t, file)) {
			decls, run, ok := strings.Cut("\n"+text, "\n%%\n")
			if !ok {
				continue
			}
			tried++
			_, err := parser.ParseFile(token.NewFileSet(), "", "package main\n"+decls+"\n"+run, parser.SkipObjectResolution)
			if err == nil || !strings.Contains(err.Error(), message) {
				t.Errorf("%s: without its %%%% a cell says %v:\n%s", file, err, text)
			}
		}
	}
	if tried < 100 {
		t.Errorf("%d cells: this test must follow the pages", tried)
	}
	for file, want := range map[string]string{
		"00-quickstart.ipynb":              "`%%`; where that is forgotten, Go says `" + message + "…`",
		"assignments/source/ps0/ps0.ipynb": "Go says `" + message + "x`, and that is how a forgotten `%%` shows",
	} {
		said := false
		for _, c := range readPage(t, "../notebooks/"+file) {
			said = said || strings.Contains(strings.Join(c.Source, ""), want)
		}
		if !said {
			t.Errorf("%s does not say %s", file, want)
		}
	}
}
