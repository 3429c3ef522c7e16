// Command campaign makes the runs of page 18c that are not in a folder yet, on two processors, and then their
// archive:
//
//	go run ./fwopt/fwrace/campaign FOLDER ARCHIVE [part of a problem's name]
//
// It may be killed at any time, and goes on where it was. FWLAB_DATA names the folder of news20 and omniglot.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"

	"github.com/projection-free/fwlab/fwopt/fwrace"
)

func main() {
	args := os.Args[1:]
	switch {
	case len(args) == 2 && args[0] == "-race": // in a process of its own, for its seconds
		for _, p := range fwrace.Problems() {
			if p.Name == args[1] {
				end(p.Race("."))
			}
		}
	case len(args) == 2 || len(args) == 3:
		raced := race(args[0], append(args, "")[2])
		missing, err := fwrace.Collect(args[0], args[1])
		end(err)
		end(raced)
		fmt.Printf("%s: all but %q\n", args[1], missing)
	default:
		end(fmt.Errorf("usage: campaign FOLDER ARCHIVE [part of a problem's name]"))
	}
}

// race makes the runs of problems, each in a process of its own with one processor, two at a time.
func race(dir, part string) (err error) {
	self, err := os.Executable()
	end(errors.Join(err, os.MkdirAll(dir, 0o777)))
	queue, mu, all := make(chan string), sync.Mutex{}, sync.WaitGroup{}
	for range 2 {
		all.Add(1)
		go func() {
			defer all.Done()
			for name := range queue {
				c := exec.Command(self, "-race", name)
				c.Dir = dir // where the runs that give f* are kept, too
				c.Env, c.Stderr = append(os.Environ(), "GOMAXPROCS=1"), os.Stderr
				failed := c.Run()
				mu.Lock()
				fmt.Println(name, c.ProcessState, "after", c.ProcessState.UserTime())
				if failed != nil {
					err = fmt.Errorf("campaign: %s: %w", name, failed)
				}
				mu.Unlock()
			}
		}()
	}
	for _, p := range fwrace.Problems() {
		if strings.Contains(p.Name, part) {
			queue <- p.Name
		}
	}
	close(queue)
	all.Wait()
	return err
}

func end(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
