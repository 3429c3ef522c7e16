package fwopt_test

import (
	"go/ast"
	"go/parser"
	"go/scanner"
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

const fwlab = "github.com/projection-free/fwlab/"

// list is what go list says of packages, by their paths in fwlab.
func list(t *testing.T, what string, packages ...string) map[string][]string {
	args := append([]string{"list", "-f", "{{.ImportPath}} {{join " + what + ` " "}}`}, packages...)
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	of := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		of[strings.TrimPrefix(f[0], fwlab)] = f[1:]
	}
	return of
}

// TestRooms: solving, drawing, notebook display and downloading are apart, because what a package imports,
// also through others, is linked into every cell that uses it (a plot costs a cell 0.1 s, net/http 0.35 s).
func TestRooms(t *testing.T) {
	// May a package, named from fwlab on, stand on this import? Those not named here may not.
	heavy := []struct {
		path string
		may  []string
	}{
		{"gonum.org/v1/plot", []string{"fwopt/fwplot", "fwopt/fwrace"}},
		{fwlab + "fwopt/fwplot", []string{"fwopt/fwplot", "fwopt/fwrace"}},
		{fwlab + "fwopt/fwnb", []string{"fwopt/fwplot", "fwopt/fwrace"}},
		{"github.com/janpfeifer/gonb", []string{"fwopt/fwnb", "fwopt/fwplot", "fwopt/fwrace"}},
		{"net/http", []string{"fwopt/fwfetch"}},
		{fwlab + "fwopt/fwfetch", []string{"fwopt/fwfetch"}},
	}

	seen := list(t, ".Deps", fwlab+"...")
	for pkg, deps := range seen {
		for _, h := range heavy {
			for _, d := range deps {
				if within(d, h.path) &&
					!slices.ContainsFunc(h.may, func(may string) bool { return within(pkg, may) }) {
					t.Errorf("%s stands on %s", pkg, d)
				}
			}
		}
	}
	for _, pkg := range []string{"fwopt", "fwopt/fwinst", "fwopt/fwrate", "fwopt/fwdata", "fwopt/fwfetch",
		"fwopt/fwplot", "fwopt/fwnb"} {
		if seen[pkg] == nil {
			t.Errorf("no package %s: this test must follow a new name", pkg)
		}
	}
}

// ring1 is what one reads for the paper.
var ring1 = map[string]bool{"fwopt": true, "fwopt/fwset": true, "fwopt/fwsum": true, "fwopt/fwkeep": true,
	"fwopt/fwrate": true,
	"fwopt/fwinst": true, "fwopt/fwtest": true, "fwopt/fwnb": true, "fwopt/fwplot": true}

// TestArrows: a room stands on those of lower floors only, so that a reader may take them one by one, and
// none of the paper's ring on one beyond it.
func TestArrows(t *testing.T) {
	floor := map[string]int{}
	for n, rooms := range []string{
		"datasets fwopt/internal/file fwopt/internal/hash fwopt/internal/kern fwopt/internal/need fwopt/internal/num fwopt/internal/sample",
		"fwopt/internal/ident fwopt/internal/eigen",
		"fwopt/fwset",
		"fwopt",
		"fwopt/fwsum fwopt/fwmore fwopt/fwkeep fwopt/fwrate fwopt/fwinst fwopt/fwmin",
		"fwopt/fwtest fwopt/fwdata fwopt/fwnb",
		"fwopt/fwplot",
		"fwopt/fwroad",
		"fwopt/internal/small fwopt/fwrace fwopt/fwverify fwopt/fwfetch fwopt/fwlab",
		"fwopt/fwrace/campaign",
	} {
		for _, room := range strings.Fields(rooms) {
			floor[room] = n
		}
	}
	for room, imports := range list(t, ".Imports", fwlab+"fwopt/...", fwlab+"datasets") {
		at, known := floor[room]
		if !known {
			t.Errorf("%s has no floor", room)
		}
		for _, path := range imports {
			if path, ours := strings.CutPrefix(path, fwlab); ours && floor[path] >= at {
				t.Errorf("%s, on floor %d, stands on %s, on floor %d", room, at, path, floor[path])
			}
			if second := map[string]bool{"fwopt/fwmin": true, "fwopt/fwmore": true, "fwopt/fwdata": true,
				"fwopt/fwroad": true, "fwopt/fwrace": true}; ring1[room] {
				if path, _ := strings.CutPrefix(path, fwlab); second[path] {
					t.Errorf("%s, of the paper's ring, stands on %s", room, path)
				}
			}
			if path == fwlab+"fwopt/internal/eigen" && room != "fwopt/fwset" {
				t.Errorf("%s imports %s, which is the sets' alone", room, path)
			}
			if room == "fwopt" && slices.Contains([]string{"os", "reflect", "encoding/gob", "encoding/csv"},
				path) {
				t.Errorf("%s imports %s", room, path)
			}
		}
	}
}

func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, dir+"/")
}

// eachFile hands each Go file under dir to see, but for tests and the folders of these names.
func eachFile(t *testing.T, dir string, but []string, see func(path, text string)) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(but, d.Name()):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		see(path, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestPanics: what the library panics with is a need.Line, of which a cell shows no stack. Apart are rooms
// that stand below need or in no cell, and the kernels.
func TestPanics(t *testing.T) {
	plain, lines := regexp.MustCompile(`panic\((fmt\.Sprintf\()?"fw`), 0
	eachFile(t, ".", []string{"internal", "fwbeam", "fwverify", "testdata"}, func(path, text string) {
		if plain.MatchString(text) {
			t.Errorf("%s: a panic with a string: take need.Line or need.Linef", path)
		}
		lines += strings.Count(text, "panic(need.Line")
	})
	if lines < 150 {
		t.Errorf("%d panics", lines)
	}
}

// Exported names are ASCII, so that everybody can type them; Σ, as a capital, would be exported.
func TestExportedNamesAreASCII(t *testing.T) {
	seen := 0
	eachFile(t, "..", []string{".git", ".venv", "node_modules", "runs", "testdata"}, func(path, text string) {
		var s scanner.Scanner
		s.Init(token.NewFileSet().AddFile("", 1, len(text)), []byte(text), nil, 0)
		for _, tok, name := s.Scan(); tok != token.EOF; _, tok, name = s.Scan() {
			if tok != token.IDENT || !token.IsExported(name) {
				continue
			}
			if seen++; strings.IndexFunc(name, func(r rune) bool { return r > 127 }) >= 0 {
				t.Errorf("%s: %s is exported, and not ASCII", path, name)
			}
		}
	})
	if seen < 1000 {
		t.Errorf("only %d names: this test must follow the tree", seen)
	}
}

// TestFiles: the files of this package in the order in which one may read them. A file that names
// what is declared further down looks up; five may.
func TestFiles(t *testing.T) {
	order := strings.Fields(`common version constants oracle method trace limits step follow
		parts partssum condg memory sfw svrf storc storcaway fw scgs scgsstrong sgd svrg
		registry gap run doc`)
	declared, files := map[string]int{}, []*ast.File{}
	for i, name := range order {
		file, err := parser.ParseFile(token.NewFileSet(), name+".go", nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
		for name := range file.Scope.Objects {
			declared[name] = i
		}
	}
	up := map[string]bool{}
	for i, file := range files {
		for _, id := range file.Unresolved { // in this file
			if at, ours := declared[id.Name]; ours && at > i {
				up[order[i]+" names what is in "+order[at]] = true
			}
		}
	}
	if len(up) > 5 {
		t.Errorf("%d files look up: %q", len(up), slices.Sorted(maps.Keys(up)))
	}
	if all, _ := filepath.Glob("*[^t].go"); len(all) != len(order) {
		t.Errorf("%d files, %d of them in the order", len(all), len(order))
	}
}
