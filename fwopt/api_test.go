package fwopt_test

import (
	"bytes"
	"flag"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"
)

var writeAPI = flag.Bool("api", false, "TestAPI: write testdata/api.txt anew, after a change that CHANGELOG.md tells")

// TestAPI: what a reader's code can use is what testdata/api.txt lists, so that nothing goes or changes unseen.
func TestAPI(t *testing.T) {
	var all []string
	eachFile(t, ".", []string{"internal", "testdata"}, func(path, text string) {
		lines, err := exported(path, text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, lines...)
	})
	slices.Sort(all)
	all = slices.Compact(all) // a file for each architecture
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

// exported lists the exported names of a file with their types, a line each: functions, methods, types, fields, constants
// and variables; of a program none.
func exported(path, text string) (lines []string, err error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, path, text, 0)
	if err != nil || f.Name.Name == "main" {
		return nil, err
	}
	line := func(node any, before string) {
		var b bytes.Buffer
		printer.Fprint(&b, set, node)
		lines = append(lines, f.Name.Name+": "+before+strings.Join(strings.Fields(b.String()), " "))
	}
	ast.FileExports(f)
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			d.Body = nil
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
	return lines, nil
}
