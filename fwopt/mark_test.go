package fwopt_test

import (
	"go/parser"
	"go/token"
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
