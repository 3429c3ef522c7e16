package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
)

// program's digest: fwkeep makes the start of a kept run once more, in passes, for the code
// of a sum that is not its own may have changed, and this says that it has not.
var digest = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return fmt.Sprintf("%x", h.Sum(nil)), err
})

// finishedFile is where the run's trace is written down, once this very program has made
// all of it; "" if the program cannot be read.
func (j *job) finishedFile(m *manifest) string {
	self, err := digest()
	if err != nil {
		return ""
	}
	all := sha256.Sum256(fmt.Appendf(nil, "%s %s %s %+v", self, fwopt.Kernel(), m.Digest, j.problem))
	return filepath.Join(j.runs, fmt.Sprintf("finished-%x", all[:12]))
}

// finished returns the trace that this program has kept of the run, or nil.
func (j *job) finished(m *manifest) *fwopt.Trace {
	b, err := os.ReadFile(j.finishedFile(m))
	if err != nil {
		return nil
	}
	name, spec, _ := strings.Cut(string(b), "\n")
	if tr, err := fwkeep.LoadTrace(filepath.Join(j.runs, name)); err == nil && tr.Spec == spec {
		return tr
	}
	return nil // fwkeep.Keep says what is wrong
}

// finish writes down which trace is that of the run; without it only time is lost.
func (j *job) finish(m *manifest, tr *fwopt.Trace) {
	path, kept := j.finishedFile(m), traceFile(j.runs, tr)
	if path == "" || tr.Status != fwopt.Done || strings.HasPrefix(tr.Note, "not ") || kept == "" {
		return
	}
	writeFile(context.Background(), path, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s\n%s", filepath.Base(kept), tr.Spec)
		return err
	})
}
