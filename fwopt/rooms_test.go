package fwopt_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestRooms: solving, drawing, notebook display and downloading are apart, because what a package imports,
// also through others, is linked into every cell that uses it (a plot costs a cell 0.1 s, net/http 0.35 s).
func TestRooms(t *testing.T) {
	const fwlab = "github.com/projection-free/fwlab/"
	// May a package, named from fwlab on, stand on this import? Those not named here may not.
	heavy := []struct {
		path string
		may  []string
	}{
		{"gonum.org/v1/plot", []string{"fwopt/fwplot", "fwopt/fwnb"}},
		{fwlab + "fwopt/fwplot", []string{"fwopt/fwnb"}},
		{fwlab + "fwopt/fwnb", nil},
		{"github.com/janpfeifer/gonb", []string{"fwopt/fwnb"}},
		{"net/http", []string{"fwopt/fwfetch"}},
		{fwlab + "fwopt/fwfetch", []string{"fwopt/fwfetch"}},
	}

	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Deps " "}}`, fwlab+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		deps := strings.Fields(line)
		pkg := strings.TrimPrefix(deps[0], fwlab)
		seen[pkg] = true
		for _, h := range heavy {
			for _, d := range deps[1:] {
				if within(d, h.path) && !slices.ContainsFunc(h.may, func(may string) bool { return within(pkg, may) }) {
					t.Errorf("%s stands on %s", pkg, d)
				}
			}
		}
	}
	for _, pkg := range []string{"fwopt", "fwopt/fwinst", "fwopt/fwrate", "fwopt/fwdata", "fwopt/fwfetch", "fwopt/fwplot", "fwopt/fwnb"} {
		if !seen[pkg] {
			t.Errorf("no package %s: this test must follow a new name", pkg)
		}
	}
}

// TestArrows: a room stands on those of lower floors only, so that a reader may take them one by one.
func TestArrows(t *testing.T) {
	floor := map[string]int{}
	for n, rooms := range []string{
		"datasets fwopt/internal/hash fwopt/internal/kern fwopt/internal/need fwopt/internal/sample",
		"fwopt/internal/ident",
		"fwopt/fwset",
		"fwopt",
		"fwopt/fwsum fwopt/fwmore fwopt/fwkeep fwopt/fwrate fwopt/fwinst",
		"fwopt/fwtest/small fwopt/fwtest fwopt/fwdata fwopt/fwplot fwopt/fwnb fwopt/fwrace fwopt/fwverify",
		"fwopt/fwfetch",
		"fwopt/fwfetch/get",
	} {
		for _, room := range strings.Fields(rooms) {
			floor[room] = n
		}
	}
	const fwlab = "github.com/projection-free/fwlab/"
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, fwlab+"fwopt/...", fwlab+"datasets").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		imports := strings.Fields(line)
		room := strings.TrimPrefix(imports[0], fwlab)
		at, known := floor[room]
		if !known {
			t.Errorf("%s has no floor", room)
		}
		for _, path := range imports[1:] {
			if path, ours := strings.CutPrefix(path, fwlab); ours && floor[path] >= at {
				t.Errorf("%s, on floor %d, stands on %s, on floor %d", room, at, path, floor[path])
			}
			if room == "fwopt" && slices.Contains([]string{"os", "reflect", "encoding/gob", "encoding/csv"}, path) {
				t.Errorf("%s imports %s", room, path)
			}
		}
	}
}

func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, dir+"/")
}

// TestPanics: what the library panics with is a need.Line, of which a cell shows no stack. Apart are rooms
// that stand below need or in no cell, and the kernels.
func TestPanics(t *testing.T) {
	plain, lines := regexp.MustCompile(`panic\((fmt\.Sprintf\()?"fw`), 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"internal", "fwbeam", "fwverify", "testdata"}, d.Name()):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for i, line := range strings.Split(string(text), "\n") {
			if plain.MatchString(line) {
				t.Errorf("%s:%d: a panic with a string: take need.Line or need.Linef", path, i+1)
			}
			lines += strings.Count(line, "panic(need.Line")
		}
		return err
	})
	if err != nil || lines < 150 {
		t.Errorf("%d panics, %v", lines, err)
	}
}

const maxFile, maxFunc = 400, 80 // lines

// TestLimits: files and functions that one can take in. Tests are apart: their tables and naive code are long.
func TestLimits(t *testing.T) {
	// A file by its name, a function as "fwopt/run.go: Run", and why: a table, say.
	apart := map[string]string{}

	files, long := 0, map[string]int{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != ".." && (name[0] == '.' || name[0] == '_' || name == "testdata" || name == "node_modules" || name == "runs"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		name, _ = filepath.Rel("..", path)
		return tooLong(long, filepath.ToSlash(name), text)
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 50 {
		t.Fatalf("%d files: this test must follow the tree", files)
	}
	for what, n := range long {
		if apart[what] == "" {
			t.Errorf("%s: %d lines; a file may have %d, a function %d: cut it where a part has a name of its own", what, n, maxFile, maxFunc)
		}
	}
	for what := range apart {
		if long[what] == 0 {
			t.Errorf("%s is not too long: strike it from the list in TestLimits", what)
		}
	}
}

// tooLong adds a Go file, and each of its functions, to what is too long, with the lines that it has.
func tooLong(long map[string]int, name string, text []byte) error {
	if n := bytes.Count(text, []byte("\n")); n > maxFile {
		long[name] = n
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	line := func(p token.Pos) int { return fset.Position(p).Line }
	for _, d := range file.Decls {
		ast.Inspect(d, func(n ast.Node) bool {
			what := name
			switch f := n.(type) {
			case *ast.FuncDecl:
				what += ": " + f.Name.Name
			case *ast.FuncLit:
				what += fmt.Sprintf(": func in line %d", line(f.Pos()))
			default:
				return true
			}
			if lines := line(n.End()) - line(n.Pos()) + 1; lines > maxFunc {
				long[what] = lines
			}
			return false // a function in another one is shorter
		})
	}
	return nil
}

// The check sees what it is there for.
func TestLimitFaults(t *testing.T) {
	fn := func(head string, lines int) string {
		return head + " {\n" + strings.Repeat("\tx()\n", lines-2) + "}\n"
	}
	for what, f := range map[string]struct {
		text string
		want map[string]int
	}{
		"as long as may be":   {fn("func f()", 80) + strings.Repeat("// A line.\n", 400-1-80), map[string]int{}},
		"a long file":         {strings.Repeat("// A line.\n", 400), map[string]int{"a.go": 401}},
		"a long function":     {fn("func f()", 81), map[string]int{"a.go: f": 81}},
		"a long method":       {fn("func (T) m()", 90), map[string]int{"a.go: m": 90}},
		"a long literal":      {fn("var v = func()", 81), map[string]int{"a.go: func in line 2": 81}},
		"with a long comment": {strings.Repeat("// A line.\n", 80) + fn("func f()", 80), map[string]int{}},
	} {
		long := map[string]int{}
		if err := tooLong(long, "a.go", []byte("package a\n"+f.text)); err != nil || !maps.Equal(long, f.want) {
			t.Errorf("%s: %v, want %v (%v)", what, long, f.want, err)
		}
	}
}
