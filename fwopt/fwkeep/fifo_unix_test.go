//go:build unix

package fwkeep_test

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

// A FIFO in the place of a file is not waited for. Here writers come to its other end, so that
// one who reads it gets an empty file.
func TestKeepFIFO(t *testing.T) {
	over := make(chan struct{})
	var writers sync.WaitGroup
	var fifos []string
	unread(t, "a FIFO", func(path string) error {
		fifo := filepath.Join(t.TempDir(), "fifo")
		if err := os.Remove(path); err != nil {
			return err
		}
		if err := syscall.Mkfifo(fifo, 0o666); err != nil {
			return err
		}
		fifos = append(fifos, fifo)
		writers.Add(1)
		go func() {
			defer writers.Done()
			for {
				f, err := os.OpenFile(fifo, os.O_WRONLY, 0) // waits for a reader
				if err != nil {
					return
				}
				f.Close()
				select {
				case <-over:
					return
				default:
				}
			}
		}()
		return os.Link(fifo, path)
	}, "")
	close(over)
	for _, fifo := range fifos {
		f, err := os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
	}
	writers.Wait()
}
