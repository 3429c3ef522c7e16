package fwopt

import (
	"embed"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/projection-free/fwlab/fwopt/internal/hash"
)

// The code that decides the course of a run: this package, fwsum, fwmore and what they stand on, but
// for tests, whose names end in t.go (TestVersion holds that no other one does).
//
//go:embed *[^t].go fwmore/*[^t].go fwroad/*[^t].go fwset/*[^t].go fwsum/*[^t].go internal/eigen/*[^t].go internal/hash/*[^t].go internal/file/*[^t].go internal/ident/*[^t].go internal/kern/*[^t].go internal/kern/*.s internal/need/*[^t].go internal/num/*[^t].go internal/sample/*[^t].go
var sources embed.FS

var version struct {
	sync.Once
	tree *tree
}

// Version returns a hash of the code that decides what parts of these types do, as "fwset.Box", and of what
// any run depends on, with the versions of Go and gonum; of no types, of all code. Another method or set does
// not change it. It costs about ten milliseconds, once, and links the sources.
func Version(types ...string) uint64 {
	version.Do(func() { version.tree = newTree(sources) })
	h := version.tree.hash(types)
	minor := strings.SplitN(runtime.Version(), ".", 3) // a patch release changes no arithmetic
	h = hash.Text(h, strings.Join(minor[:min(2, len(minor))], "."))
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			if d.Path == "gonum.org/v1/gonum" {
				h = hash.Text(h, gonum(d))
			}
		}
	}
	return h
}

// A tree is the sources, and which files stand on which.
type tree struct {
	names []string            // of the files, sorted
	code  map[string]string   // of each
	by    map[string][]string // the files that declare a name, as "fwset.Box", or a method of it
}

func newTree(sources fs.FS) *tree {
	t := &tree{code: map[string]string{}, by: map[string][]string{}}
	fs.WalkDir(sources, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			text, _ := fs.ReadFile(sources, name)
			t.names, t.code[name] = append(t.names, name), code(string(text))
			group := false // of declarations
			for line := range strings.Lines(string(text)) {
				if strings.HasSuffix(line, " (\n") || line == ")\n" {
					group = line != ")\n" && !strings.HasPrefix(line, "func")
				}
				m := declared.FindStringSubmatch(line)
				if m == nil || line[0] == '\t' && !group {
					continue
				}
				if of := pkgOf(name) + "." + m[1] + m[2]; !slices.Contains(t.by[of], name) {
					t.by[of] = append(t.by[of], name)
				}
			}
		}
		return nil
	})
	return t
}

// declared finds what a file declares, the names in a group too, and of a method its type.
var declared = regexp.MustCompile(`^(?:func \((?:\w+ )?\*?(\w+)|(?:func |type |var |const |\t)(\w+))`)

func notInName(c rune) bool {
	return c != '_' && c != '.' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
}

func pkgOf(name string) string {
	if dir := path.Dir(name); dir != "." {
		return path.Base(dir)
	}
	return "fwopt"
}

// files are those on which the types stand, and of those on which any run does: the internal ones, and those
// of fwopt that are no part of a run. A file stands on all that declare a name which is in it.
func (t *tree) files(types []string) (on map[string]bool) {
	on = map[string]bool{}
	var add func(name string)
	add = func(name string) {
		if on[name] {
			return
		}
		on[name] = true
		if name == "registry.go" || strings.HasPrefix(name, "internal/") {
			return // one names all methods, the others none
		}
		for word := range strings.FieldsFuncSeq(t.code[name], notInName) {
			first, rest, _ := strings.Cut(word, ".")
			second, _, _ := strings.Cut(rest, ".")
			for _, of := range []string{pkgOf(name) + "." + first, first + "." + second} {
				for _, other := range t.by[of] {
					add(other)
				}
			}
		}
	}
	for _, name := range t.names {
		isPart := strings.Contains(t.code[name], ") Identify"+" (")
		if len(types) == 0 || strings.HasPrefix(name, "internal/") || pkgOf(name) == "fwopt" && !isPart {
			add(name)
		}
	}
	for _, of := range types {
		for _, name := range t.by[of] {
			add(name)
		}
	}
	return on
}

func (t *tree) hash(types []string) (h uint64) {
	on := t.files(types)
	for _, name := range t.names {
		if on[name] {
			h = hash.Text(hash.Text(h, name), t.code[name])
		}
	}
	return h
}

// gonum names what stands as gonum: its version and, where go.mod replaces it, by what.
func gonum(d *debug.Module) string { return fmt.Sprint(d.Version, d.Replace) }

// code returns the tokens of a Go file, without comments and, but around names, without white space.
func code(text string) string {
	var (
		b     strings.Builder
		s     scanner.Scanner
		after token.Token
	)
	s.Init(token.NewFileSet().AddFile("", 1, len(text)), []byte(text), nil, 0)
	for _, tok, lit := s.Scan(); tok != token.EOF; _, tok, lit = s.Scan() {
		if tok != token.PERIOD && after != token.PERIOD { // fwset.Box is one word
			b.WriteByte(' ')
		}
		if after = tok; lit == "" {
			lit = tok.String()
		}
		b.WriteString(lit)
	}
	return b.String()
}
