// Command campaign makes the runs of notebooks/untuned-data, or with -nets those of notebooks/muon, that are not in a folder yet, on two
// processors, and then their archive:
//
//	go run ./fwopt/fwrace/campaign [-nets] FOLDER ARCHIVE [part of a problem's name]
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
	part := map[string]func(dir string) error{}
	var names []string
	for _, p := range fwrace.Problems() {
		names, part[p.Name] = append(names, p.Name), p.Race
	}
	var nets []string
	for _, p := range fwrace.NetRaces() {
		nets, part[p.String()] = append(nets, p.String()), p.Race
	}
	switch {
	case len(args) == 2 && args[0] == "-race": // in a process of its own, for its seconds
		end(part[args[1]]("."))
	case len(args) > 2 && args[0] == "-nets":
		raced := race(nets, args[1], append(args, "")[3])
		missing, err := fwrace.CollectNets(args[1], args[2])
		end(errors.Join(raced, err))
		fmt.Printf("%s: all but %q\n", args[2], missing)
	case len(args) == 2 || len(args) == 3:
		raced := race(names, args[0], append(args, "")[2])
		missing, err := fwrace.Collect(args[0], args[1])
		end(err)
		end(raced)
		fmt.Printf("%s: all but %q\n", args[1], missing)
	default:
		end(fmt.Errorf("usage: campaign FOLDER ARCHIVE [part of a problem's name]"))
	}
}

// race makes the runs of problems, each in a process of its own with one processor, two at a time.
func race(names []string, dir, part string) (err error) {
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
	for _, name := range names {
		if strings.Contains(name, part) {
			queue <- name
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
