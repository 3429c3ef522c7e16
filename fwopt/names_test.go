package fwopt_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// Exported names are ASCII, so that everybody can type them; Σ, as a capital, would be exported.
func TestExportedNamesAreASCII(t *testing.T) {
	seen := 0
	for _, name := range exportedNames(t, "..") {
		if seen++; strings.IndexFunc(name, func(r rune) bool { return r > 127 }) >= 0 {
			t.Errorf("%s is exported, and not ASCII", name)
		}
	}
	if seen < 1000 {
		t.Errorf("only %d names: this test must follow the tree", seen)
	}
}

// exportedNames are those at the top of the files under dir but for tests, and those of
// fields, methods and parameters.
func exportedNames(t *testing.T, dir string) (names []string) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && path != dir && (name[0] == '.' || name[0] == '_' || name == "testdata" || name == "node_modules" || name == "runs"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.IsExported() {
				names = append(names, path+": "+id.Name)
			}
			_, body := n.(*ast.BlockStmt)
			return !body
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
