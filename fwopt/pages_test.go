package fwopt_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPages: what a page shows of the code is in the code. That a page runs is the business of
// make notebooks, and that its links lead somewhere that of make site-check; what else a page
// should be make report says.
func TestPages(t *testing.T) {
	files, _ := filepath.Glob("../notebooks/[0-9]*.ipynb")
	boxes := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var page struct {
			Cells []struct {
				Type   string `json:"cell_type"`
				Source []string
			}
		}
		if err := json.Unmarshal(data, &page); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, c := range page.Cells {
			if text := strings.Join(c.Source, ""); c.Type == "markdown" {
				boxes += len(box.FindAllString(text, -1))
				checkBoxes(t, file, text)
				checkSides(t, file, text)
			}
		}
	}
	if boxes < 8 {
		t.Errorf("%d boxes on %d pages: this test must follow the pages", boxes, len(files))
	}
}

var box = regexp.MustCompile("(?s)```go\n// from (fwopt/[a-z0-9/]+\\.go)\n(.*?)\n```")

// checkBoxes: a block of Go that says which file it is from is in that file, up to indentation.
func checkBoxes(t *testing.T, name, text string) {
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

// checkSides: of a table whose last column has a file of Go at its head, each piece of code in that column is a line of the
// file, up to indentation and the comment at its end, and they stand in the file's order.
func checkSides(t *testing.T, name, text string) {
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
