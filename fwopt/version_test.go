package fwopt

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/projection-free/fwlab/fwopt/internal/ident"
)

// The kernel is what this test was built for: with GOAMD64=v3, for ARM, with -tags noasm.
func TestKernel(t *testing.T) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		t.Fatal("no build information")
	}
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	want := runtime.GOARCH
	if set["GOAMD64"] >= "v3" || slices.Contains([]string{"arm64", "loong64", "ppc64", "ppc64le", "riscv64",
		"s390x"}, want) {
		want += "+fma"
	}
	tags := strings.Split(set["-tags"], ",")
	if runtime.GOARCH == "amd64" && (slices.Contains(tags, "noasm") || slices.Contains(tags, "safe")) {
		want += "+noasm"
	}
	if got := Kernel(); got != want {
		t.Errorf("%q, want %q: built with %v", got, want, set)
	}
}

// What go.mod puts in gonum's place is another version.
func TestVersionOfGonum(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range []debug.Module{
		{Version: "v0.17.0"}, {Version: "v0.16.0"}, {Version: "(devel)"},
		{Version: "v0.17.0", Replace: &debug.Module{Path: "../gonum", Version: "(devel)"}},
		{Version: "v0.17.0", Replace: &debug.Module{Path: "../other", Version: "(devel)"}},
		{Version: "v0.17.0", Replace: &debug.Module{Path: "example.org/gonum", Version: "v0.17.0"}},
		{Version: "v0.17.0", Replace: &debug.Module{Path: "example.org/gonum", Version: "v0.17.1"}},
	} {
		if name := gonum(&m); seen[name] {
			t.Errorf("%q is two things", name)
		} else {
			seen[name] = true
		}
	}
}

// All files of code count for the version, and no test does.
func TestVersionSources(t *testing.T) {
	n := 0
	for _, dir := range []string{".", "fwmore", "fwroad", "fwset", "fwsum", "internal/eigen", "internal/file",
		"internal/hash", "internal/ident", "internal/kern", "internal/need", "internal/num",
		"internal/sample"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.[gs]*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			text, err := sources.ReadFile(filepath.ToSlash(path))
			if isTest := strings.HasSuffix(path, "_test.go"); isTest == (err == nil) {
				t.Errorf("%s: a test: %v, counts for the version: %v; name it so that it does not end in t.go", path, isTest, err == nil)
			}
			if disk, _ := os.ReadFile(path); err == nil && string(disk) != string(text) {
				t.Errorf("%s is not what was compiled", path)
			}
			n++
		}
	}
	if n < 40 {
		t.Errorf("only %d files", n)
	}
	if dirs, _ := filepath.Glob("internal/*"); len(dirs) != 9 {
		t.Errorf("the folders are %v: the version must follow, small apart, which is for tests", dirs)
	}
}

// Comments and white space do not change code; all else does.
func TestVersionCode(t *testing.T) {
	const a = "x := \"a // b\" + `c /* d */` + string('\\'') // e\n/* f */ y := 1 / 2\n"
	for text, same := range map[string]bool{
		strings.Replace(a, " // e", "", 1):             true,
		strings.Replace(a, "f", "other words", 1):      true,
		strings.Replace(a, "\n", "\n\n\t", 1):          true,
		strings.Replace(a, "a //", "a  //", 1):         false,
		strings.Replace(a, "d */", "d  */", 1):         false,
		strings.Replace(a, "1 / 2", "1 / 3", 1):        false,
		strings.Replace(a, "'\\''", "'\\'' + '\"'", 1): false,
	} {
		if (code(text) == code(a)) != same {
			t.Errorf("%q and %q: same %v, want %v", code(a), code(text), !same, same)
		}
	}
	if Version() == 0 {
		t.Error("no version")
	}
}

// What a run with some parts stands on: its own files, and those that declare what is in them.
func TestVersionOfParts(t *testing.T) {
	const set = "type %s struct{}\nfunc (b %s) Identify(id *ident.Identity) {}\n"
	part := func(name string) string { return strings.ReplaceAll(set, "%s", name) }
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"run.go":               "func Run() { fwset.Argmin() }\n",
		"registry.go":          "var all = []any{&FW{}, &SVRF{}}\n",
		"fw.go":                part("FW"),
		"svrf.go":              part("SVRF") + "func (a *SVRF) Steps() { fwset.Shift(2) }\n",
		"internal/kern/dot.go": "func Dot() {}\n",
		"fwset/domain.go":      "func Argmin() {\n\tx := 1\n}\n",
		"fwset/box.go":         part("Box") + "func (b Box) Argmin() { b.clip(limit) }\n",
		"fwset/boxmore.go":     "func (b *Box) clip(x int) {}\n",
		"fwset/limits.go":      "const (\n\tlimit = 1\n)\n",
		"fwset/ball.go":        part("Ball") + "func (b Ball) x() { x := 1 }\n",
		"fwset/shift.go":       "func Shift(k int) {}\n",
	} {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	parts := map[string]string{"fwset.Box": "fwset/box.go fwset/boxmore.go fwset/limits.go",
		"fwset.Ball": "fwset/ball.go",
		"fwopt.FW":   "fw.go", "fwopt.SVRF": "svrf.go fwset/shift.go", "main.mine": ""}
	all := "run.go registry.go internal/kern/dot.go fwset/domain.go"
	was := newTree(files)
	for name, file := range files {
		old := file.Data
		file.Data = append([]byte("var new = 1\n"), old...)
		now := newTree(files)
		for of, on := range parts {
			want := slices.Contains(strings.Fields(on+" "+all), name)
			if got := now.hash([]string{of}) != was.hash([]string{of}); got != want {
				t.Errorf("%s has changed: another version for %s: %v, want %v", name, of, got, want)
			}
		}
		if now.hash(nil) == was.hash(nil) {
			t.Errorf("%s has changed, and is the version of all", name)
		}
		file.Data = old
	}
	files["fwset/new.go"] = &fstest.MapFile{Data: []byte(part("New"))}
	if now := newTree(files); now.hash([]string{"fwset.Box"}) != was.hash([]string{"fwset.Box"}) ||
		now.hash(nil) == was.hash(nil) {
		t.Error("a new set is another version of the old ones, or none of all")
	}
	// of the real sources: each part stands on its own file, few on another's
	tree := newTree(sources)
	for _, m := range Methods() {
		id := ident.New(m.New(Constants{L: 1, D: 1, G: 1, Alpha: 1, Sigma: 1, Rho: 1, Width: 1}), 0)
		on := tree.files(id.Types())
		own := 0
		for name := range on {
			if slices.Contains([]string{"fwopt", "fwmore", "fwroad"}, pkgOf(name)) &&
				strings.Contains(tree.code[name], ") Identify"+" (") {
				own++
			}
		}
		if own--; own < 1 || own > 3 { // step.go serves all
			t.Errorf("%s stands on %d files of methods", m.Name, own)
		}
	}
}
