package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/pprof"
	"time"
)

// profile says where our time goes in each item: the functions that the processor was
// found in, with their shares of the samples, taken for two seconds. It needs no peer and
// no quiet machine. The table is profile.csv.
func (b *bench) profile(items []item) error {
	for _, it := range items {
		if !b.wanted(it.name) {
			continue
		}
		it.threads = max(it.threads, 1)
		runtime.GOMAXPROCS(it.threads)
		s := it.start()
		s.work()
		lines, err := sample(s.work)
		if err != nil {
			return fmt.Errorf("%s: %w", it.name, err)
		}
		for _, l := range lines {
			b.add("profile", it.name, it.threads, l[1], l[0])
			fmt.Printf("%-36s %d  %5s %%  %s\n", it.name, it.threads, l[0], l[1])
		}
	}
	if b.only != "" || b.quick {
		return nil
	}
	return writeTable("profile", b.tables["profile"])
}

// topLine is a line of go tool pprof -top: flat, its share, the sum so far, cum, its
// share, and the function with its package.
var topLine = regexp.MustCompile(`(?m)^ *\S+s +([\d.]+)% +[\d.]+% +\S+ +[\d.]+% +(?:\S*/)?(\S+)`)

// sample returns the shares, in percent, and the names of the five functions in which
// most of the time of work is spent, those below 3 % left out.
func sample(work func()) (lines [][2]string, err error) {
	file, err := os.CreateTemp("", "fwlab-*.prof")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, err
	}
	for began := time.Now(); time.Since(began) < 2*time.Second; {
		work()
	}
	pprof.StopCPUProfile()
	if err := file.Close(); err != nil {
		return nil, err
	}
	top := exec.Command("go", "tool", "pprof", "-top", "-nodecount=5", "-nodefraction=0.03", file.Name())
	top.Stderr = os.Stderr
	text, err := top.Output()
	if err != nil {
		return nil, err
	}
	for _, m := range topLine.FindAllStringSubmatch(string(text), -1) {
		lines = append(lines, [2]string{m[1], m[2]})
	}
	if lines == nil {
		return nil, fmt.Errorf("no line to read in %q", text)
	}
	return lines, nil
}
