package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
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

// finishedFile is a link to the run's trace, once this very program has made all of it; "" if the
// program cannot be read.
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
	tr, _ := fwkeep.LoadTrace(j.finishedFile(m)) // fwkeep.Keep names what is wrong with it
	return tr
}

// finish links the run's trace, which this program has made; without the link only time is lost.
func (j *job) finish(m *manifest, tr *fwopt.Trace) {
	link, kept := j.finishedFile(m), traceFile(j.runs, tr)
	if tr.Status == fwopt.Done && filepath.Ext(kept) == ".trace" {
		os.Remove(link)
		os.Symlink(filepath.Base(kept), link)
	}
}
