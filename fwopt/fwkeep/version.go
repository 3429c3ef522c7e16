package fwkeep

import (
	"crypto/rand"
	"os"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/hash"
)

// codeVersion is fwopt.Version and, where a folder stands in for gonum, a hash of this
// program, for the folder may be edited under its name. It is a variable for the tests.
var codeVersion = func(types []string) uint64 { return hash.Mix(fwopt.Version(types...), arithmetic()) }

var arithmetic = sync.OnceValue(func() uint64 {
	info, ok := debug.ReadBuildInfo()
	if !ok || !slices.ContainsFunc(info.Deps, isFolder) {
		return 0
	}
	return hash.Text(0, program())
})

// isFolder reports whether a module is gonum from a folder, by replace or in a workspace.
func isFolder(m *debug.Module) bool {
	if m.Path != "gonum.org/v1/gonum" {
		return false
	}
	if m.Replace != nil {
		m = m.Replace
	}
	return m.Version == "" || m.Version == "(devel)"
}

// program returns this program's file; if it cannot be read, what equals nothing.
func program() string {
	if path, err := os.Executable(); err == nil {
		if text, err := os.ReadFile(path); err == nil {
			return string(text)
		}
	}
	return rand.Text()
}
