package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// own returns a name that starts so, and that no other driver takes: it says the machine and
// the process, so that others see whether that is over.
func own(start string) string {
	host, _ := os.Hostname()
	return fmt.Sprintf("%s-%s-%d-%016x", start, host, os.Getpid(), rand.Uint64())
}

// clean removes the folders that killed drivers of this machine have left in dir. Those of
// another machine stay, for nobody sees from here whether they are over; so does what is
// in a bucket.
func clean(dir, start string) {
	host, _ := os.Hostname()
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), start+"-"+host+"-")
		id, tail, _ := strings.Cut(rest, "-")
		pid, err := strconv.Atoi(id)
		if !ok || err != nil || len(tail) != 16 || !e.IsDir() {
			continue
		}
		p, err := os.FindProcess(pid)
		if err == nil {
			err = p.Signal(syscall.Signal(0))
		}
		if errors.Is(err, os.ErrProcessDone) {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}
