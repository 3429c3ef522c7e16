//go:build unix

package fwkeep_test

import (
	"os"
	"syscall"
	"testing"
	"time"
)

// A FIFO in the place of a file is not waited for.
func TestKeepFIFO(t *testing.T) {
	defer time.AfterFunc(time.Minute, func() { panic("a FIFO is waited for") }).Stop()
	unread(t, "a FIFO", func(path string) error {
		if err := os.Remove(path); err != nil {
			return err
		}
		return syscall.Mkfifo(path, 0o666)
	}, "")
}
