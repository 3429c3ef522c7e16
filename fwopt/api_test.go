package fwopt_test

import (
	"bytes"
	"flag"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var writeAPI = flag.Bool("api", false, "TestAPI: write testdata/api.txt anew, after a change that CHANGELOG.md tells")

// TestAPI: what a reader's code can use is what testdata/api.txt lists, so that nothing goes or changes unseen.
func TestAPI(t *testing.T) {
	var all []string
	err := filepath.WalkDir(".", func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		_, own := os.Stat(filepath.Join(dir, "go.mod"))
		if own == nil || d.Name() == "internal" || d.Name() == "testdata" {
			return filepath.SkipDir
		}
		lines, err := exported(dir)
		all = append(all, lines...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	const file = "testdata/api.txt"
	if *writeAPI {
		if err := os.WriteFile(file, []byte(strings.Join(all, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	was := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, l := range was {
		if !slices.Contains(all, l) {
			t.Errorf("gone or changed: %s", l)
		}
	}
	for _, l := range all {
		if !slices.Contains(was, l) {
			t.Errorf("new: %s", l)
		}
	}
	if t.Failed() {
		t.Log("if it is meant, tell it in CHANGELOG.md and run: go test ./fwopt -run TestAPI -api")
	}
}

// exported lists the exported names of a package with their types, a line each: functions, methods, types, fields, constants
// and variables.
func exported(dir string) (lines []string, err error) {
	set := token.NewFileSet()
	var files []*ast.File
	names, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if len(files) == 0 || files[0].Name.Name == "main" {
		return nil, nil
	}
	seen := map[string]bool{}
	line := func(node any, before string) {
		var b bytes.Buffer
		printer.Fprint(&b, set, node)
		l := files[0].Name.Name + ": " + before + strings.Join(strings.Fields(b.String()), " ")
		if !seen[l] { // a file for each architecture
			seen[l] = true
			lines = append(lines, l)
		}
	}
	for _, f := range files {
		ast.FileExports(f)
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				d.Body, d.Doc = nil, nil
				line(d, "")
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						line(s, "type ")
					case *ast.ValueSpec:
						for i, name := range s.Names {
							l := &ast.ValueSpec{Names: []*ast.Ident{name}, Type: s.Type}
							if d.Tok == token.CONST && i < len(s.Values) {
								l.Values = s.Values[i : i+1]
							}
							line(l, d.Tok.String()+" ")
						}
					}
				}
			}
		}
	}
	slices.Sort(lines)
	return lines, nil
}
