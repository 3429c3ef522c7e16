package fwopt_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestForgottenMark: where %% is forgotten GoNB parses the cell as declarations, and the pages that a newcomer reads
// first quote what Go's parser says then.
func TestForgottenMark(t *testing.T) {
	_, err := parser.ParseFile(token.NewFileSet(), "", "package main\n\nfmt.Println(1)", 0)
	if err == nil {
		t.Fatal("a statement at the top of a file parses")
	}
	_, said, _ := strings.Cut(err.Error(), " ") // without its place
	said = strings.TrimSuffix(said, "fmt")
	for _, page := range []string{"../notebooks/00-quickstart.ipynb", "../notebooks/assignments/source/ps0/ps0.ipynb"} {
		found := false
		for _, c := range readPage(t, page) {
			text := strings.Join(c.Source, "")
			found = found || c.Type == "markdown" && strings.Contains(text, "`%%`") && strings.Contains(text, "`"+said)
		}
		if !found {
			t.Errorf("%s: no text on %%%% quotes %q", page, said)
		}
	}
}

// TestPagesSayWhatTheyRan: a page speaks of its own cells. What was run beside it nobody can look at.
func TestPagesSayWhatTheyRan(t *testing.T) {
	files, _ := filepath.Glob("../notebooks/0*.ipynb")
	more, _ := filepath.Glob("../notebooks/18*.ipynb")
	if len(files) == 0 || len(more) == 0 {
		t.Fatal("no notebooks: this test must follow a new name")
	}
	for _, file := range append(files, more...) {
		for _, c := range readPage(t, file) {
			if c.Type == "markdown" {
				if m := unseen.FindString(strings.Join(c.Source, "")); m != "" {
					t.Errorf("%s: %q", filepath.Base(file), m)
				}
			}
		}
	}
	for _, text := range []string{"in three runs of each beside this page, 250 times", "a run beside the page", "(one draw, not on this page)", "With 1,000 steps, tried first, it gave 3.06", "no method beside it, on the pages"} {
		if found := unseen.MatchString(text); found != !strings.HasPrefix(text, "no ") {
			t.Errorf("%q: found is %v", text, found)
		}
	}
}

var unseen = regexp.MustCompile(`beside th(is|e) page|not on this page|, tried first`)
