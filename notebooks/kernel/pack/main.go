// Pack writes what the kernel in the browser needs into one folder: compiler, linker, engine and the archive of
// each package, gzipped, with index.json, which has their sums. Same Go, same source, same bytes.
//
//	go run ./notebooks/kernel/pack DIR
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/projection-free/fwlab/notebooks/kernel/cells"
)

// Without -s -w there are two tables for debuggers; archives without them are smaller, too.
var flags = []string{"-trimpath", "-gcflags=all=-dwarf=false"}

// A part is a package, of Size bytes when it is gzipped.
type part struct {
	Name   string   `json:"name"`
	Size   int      `json:"size"`
	Sum    string   `json:"sum"`
	Deps   []string `json:"deps"`
	Hidden bool     `json:"hidden,omitempty"` // no cell imports it
}

type tool struct {
	File string `json:"file"`
	Size int    `json:"size"`
	Sum  string `json:"sum"`
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: pack DIR")
	}
	dir := os.Args[1]
	check(os.MkdirAll(dir, 0o755))
	temp, err := os.MkdirTemp("", "pack-")
	check(err)
	defer os.RemoveAll(temp)
	inLanes(temp)
	index := struct {
		Go       string           `json:"go"`
		Tools    map[string]tool  `json:"tools"`
		Commands map[string]tool  `json:"commands"` // what cells may "go run", by package
		Packages map[string]*part `json:"packages"`
	}{runtime.Version(), map[string]tool{}, map[string]tool{}, map[string]*part{}}

	const grade = "github.com/projection-free/fwlab/notebooks/assignments/fwgrade"
	for name, path := range map[string]string{"compile": "cmd/compile", "link": "cmd/link",
		"engine": "github.com/projection-free/fwlab/notebooks/kernel/engine", "fwgrade": grade} {
		raw := filepath.Join(dir, name+".wasm")
		run("build", "-trimpath", "-ldflags=-s -w", "-o", raw, path)
		z := squeeze(read(raw))
		check(os.Remove(raw))
		file := name + ".wasm.gz"
		check(os.WriteFile(filepath.Join(dir, file), z, 0o644))
		t := tool{file, len(z), sum(z)}
		if path == grade {
			index.Commands[path] = t
		} else {
			index.Tools[name] = t
		}
	}
	glue := read(filepath.Join(strings.TrimSpace(run("env", "GOROOT")), "lib/wasm/wasm_exec.js"))
	check(os.WriteFile(filepath.Join(dir, "wasm_exec.js"), glue, 0o644))

	var wanted []string
	const fit = `{{if not .DepsErrors}}{{if not .Error}}{{if ne .Name "main"}}{{.ImportPath}}{{end}}{{end}}{{end}}`
	for _, path := range strings.Fields(run(append([]string{"list", "-e", "-f", fit}, cells.Roots...)...)) {
		if !strings.HasPrefix(path, "vendor/") && !strings.Contains(path, "fwbeam") {
			wanted = append(wanted, path)
		}
	}
	const line = "{{if .Export}}{{.ImportPath}}\t{{.Name}}\t{{.Export}}\t{{join .Deps \" \"}}{{end}}"
	args := slices.Concat([]string{"list"}, flags, []string{"-export", "-deps", "-f", line}, wanted)
	lines := strings.Split(strings.TrimSpace(run(args...)), "\n")
	slices.Sort(lines)
	all := 0
	for _, l := range lines {
		f := strings.Split(l, "\t")
		z := squeeze(read(f[2]))
		p := &part{Name: f[1], Size: len(z), Sum: sum(z)}
		p.Deps = slices.DeleteFunc(strings.Fields(f[3]), func(d string) bool { return d == "unsafe" })
		p.Hidden = strings.HasPrefix(f[0], "vendor/") || strings.Contains("/"+f[0]+"/", "/internal/")
		index.Packages[f[0]] = p
		all += len(z)
		file := filepath.Join(dir, "packages", f[0]+".gz")
		check(os.MkdirAll(filepath.Dir(file), 0o755))
		check(os.WriteFile(file, z, 0o644))
	}
	b, err := json.Marshal(index)
	check(err)
	check(os.WriteFile(filepath.Join(dir, "index.json"), b, 0o644))
	fmt.Printf("%d packages, %.1f MB; %s\n", len(lines), float64(all)/1e6, dir)
}

// inLanes has all builds take package lanes: in place of gonum's dot.go and Sum, in a copy of the module in the folder
// temp, and of math's Exp, by an overlay, which may not be over a module.
func inLanes(temp string) {
	list := func(args ...string) string {
		return strings.TrimSpace(run(append([]string{"list", "-f", "{{.Dir}}"}, args...)...))
	}
	gonum := filepath.Join(temp, "gonum")
	check(os.CopyFS(gonum, os.DirFS(list("-m", "gonum.org/v1/gonum"))))
	put := func(to, from string, oldnew ...string) {
		text := string(read(from))
		for i := 0; i < len(oldnew); i += 2 {
			if !strings.Contains(text, oldnew[i]) {
				log.Fatalf("pack: %s has no %q", from, oldnew[i])
			}
		}
		os.Remove(to)
		check(os.WriteFile(to, []byte(strings.NewReplacer(oldnew...).Replace(text)), 0o644))
	}
	lanes, f64 := list("github.com/projection-free/fwlab/notebooks/kernel/lanes"), filepath.Join(gonum, "internal/asm/f64")
	sums := filepath.Join(lanes, "lanes.go")
	put(filepath.Join(f64, "dot.go"), sums, "\npackage lanes\n", "\npackage f64\n")
	stubs := filepath.Join(f64, "stubs_noasm.go")
	put(stubs, stubs, "\nfunc Sum(", "\nfunc sum(")
	exp := filepath.Join(temp, "exp.go")
	put(exp, filepath.Join(lanes, "exp.go"), "package lanes\n\nimport \"math\"\n", "package math\n\nconst haveArchExp = true\n",
		"func Exp(", "func archExp(", "math.", "")
	instead := map[string]string{filepath.Join(list("math"), "exp_noasm.go"): exp}
	overlay, err := json.Marshal(map[string]any{"Replace": instead})
	check(err)
	check(os.WriteFile(filepath.Join(temp, "overlay.json"), overlay, 0o644))
	root := list("-m")
	for _, file := range []string{"go.mod", "go.sum"} {
		check(os.WriteFile(filepath.Join(temp, file), read(filepath.Join(root, file)), 0o644))
	}
	mod := filepath.Join(temp, "go.mod")
	run("mod", "edit", "-replace=gonum.org/v1/gonum="+gonum, mod)
	goflags = "-modfile=" + mod + " -overlay=" + filepath.Join(temp, "overlay.json")
}

var goflags string // of all builds

func run(args ...string) string {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS="+goflags)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		log.Fatalf("go %.200q: %v", args, err)
	}
	return string(out)
}

func squeeze(b []byte) []byte {
	var z bytes.Buffer
	w, err := gzip.NewWriterLevel(&z, gzip.BestCompression)
	check(err)
	_, err = w.Write(b)
	check(err)
	check(w.Close())
	return z.Bytes()
}

func sum(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b))[:16] }

func read(path string) []byte {
	b, err := os.ReadFile(path)
	check(err)
	return b
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
