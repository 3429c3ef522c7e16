package fwopt

import (
	"embed"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/projection-free/fwlab/fwopt/internal/hash"
)

// The code that decides the course of a run: this package, fwsum, fwmore and what they stand on, but
// for tests, whose names end in t.go (TestVersion holds that no other one does).
//
//go:embed *[^t].go fwmore/*[^t].go fwroad/*[^t].go fwset/*[^t].go fwsum/*[^t].go internal/hash/*[^t].go internal/file/*[^t].go internal/ident/*[^t].go internal/kern/*[^t].go internal/kern/*.s internal/need/*[^t].go internal/num/*[^t].go internal/sample/*[^t].go
var sources embed.FS

var version struct {
	sync.Once
	hash uint64
}

// Version returns a hash of the code that decides a run's course, of this package, of
// fwsum, fwmore and what they stand on, without comments, and of the versions of Go and gonum, or of
// what go.mod puts in gonum's place: a folder counts by its path, not by what is in it. It costs
// about a millisecond, once. A program that does not call it does not link the sources.
func Version() uint64 {
	version.Do(func() { version.hash = hashSources() })
	return version.hash
}

func hashSources() (h uint64) {
	for _, dir := range []string{".", "fwmore", "fwroad", "fwset", "fwsum", "internal/file", "internal/hash", "internal/ident", "internal/kern", "internal/need", "internal/num", "internal/sample"} {
		files, _ := sources.ReadDir(dir) // in the order of their names
		for _, f := range files {
			if text, err := sources.ReadFile(strings.TrimPrefix(dir+"/"+f.Name(), "./")); err == nil {
				h = hash.Text(h, code(string(text)))
			}
		}
	}
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

// gonum names what stands as gonum: its version and, where go.mod replaces it, by what.
func gonum(d *debug.Module) string {
	if d.Replace == nil {
		return d.Version
	}
	return d.Version + " => " + d.Replace.Path + " " + d.Replace.Version
}

// code returns a Go file without its comments, and with one space for each run of
// white space outside of quotes.
func code(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		rest, n := text[i:], 1
		switch {
		case strings.HasPrefix(rest, "//"):
			if n = strings.IndexByte(rest, '\n'); n < 0 {
				n = len(rest)
			}
			rest = " "
		case strings.HasPrefix(rest, "/*"):
			if n = strings.Index(rest, "*/") + 2; n < 2 {
				n = len(rest)
			}
			rest = " "
		case rest[0] == '`' || rest[0] == '"' || rest[0] == '\'':
			for n < len(rest) && rest[n] != rest[0] {
				if rest[n] == '\\' && rest[0] != '`' {
					n++
				}
				n++
			}
			n = min(n+1, len(rest))
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			rest = " "
		}
		if s := rest[:min(n, len(rest))]; s != " " || !strings.HasSuffix(b.String(), " ") {
			b.WriteString(s)
		}
		i += n
	}
	return b.String()
}
