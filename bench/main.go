// Bench races fwlab against numpy, scipy, numba, copt and AequilibraE, in turn, on the same data, and
// measures what the machine could do. `make bench` runs it; README.md says what it
// writes.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// bench is one run.
type bench struct {
	dir    string // of the data that both sides read
	python string
	linked string // a program with gonum on OpenBLAS, or none
	only   string
	quick  bool // wrong results fail, seconds mean nothing
	rounds int
	rows   []row

	versions map[string]string
}

func main() {
	b := &bench{versions: map[string]string{}}
	out := flag.String("out", "", "the folder of the tables, bench/results unless the run is short")
	flag.StringVar(&b.dir, "data", "bench/.data", "the folder of the data")
	flag.StringVar(&b.python, "python", "bench/.venv/bin/python", "a Python with the peers")
	flag.StringVar(&b.linked, "netlib", "", "the program of bench/netlib, if OpenBLAS is here")
	flag.StringVar(&b.only, "only", "", "only the items whose names begin so, as P5a,P6")
	flag.BoolVar(&b.quick, "short", false, "check that both sides agree, on small cases; seconds mean nothing")
	only := flag.Bool("profile", false, "only say where our own time goes, by function")
	flag.IntVar(&b.rounds, "rounds", 7, "turns of each side, at least 5")
	flag.Parse()
	if b.rounds = max(b.rounds, 5); b.quick {
		b.rounds = 1
	}
	if *out == "" && !b.quick {
		*out = "bench/results"
	}
	if err := b.run(*out, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (b *bench) run(out string, profileOnly bool) error {
	var err error
	if b.dir, err = filepath.Abs(b.dir); err != nil {
		return err
	}
	if err := os.MkdirAll(b.dir, 0o777); err != nil {
		return err
	}
	items := b.items()
	if profileOnly {
		return b.profile(items, out)
	}
	for _, threads := range []int{1, 2} {
		if threads > runtime.NumCPU() {
			fmt.Println("one processor here: nothing is measured on two threads")
			break
		}
		if err := b.race(threads, items); err != nil {
			return err
		}
	}
	runtime.GOMAXPROCS(1)
	roof, err := b.roof()
	if err != nil {
		return err
	}
	growth := b.growth()
	switch {
	case out == "" || b.only != "" && b.rows == nil:
		return nil
	case b.only != "":
		return b.update(out)
	}
	if err := b.write(out, roof, growth); err != nil {
		return err
	}
	return b.profile(items, out)
}

// items are all that is raced, in the order of the tables. Only what is wanted is made.
func (b *bench) items() (all []item) {
	short, n := 1, 5000
	if b.quick {
		short, n = 10, 500
	}
	for _, group := range []struct {
		name string
		make func() []item
	}{
		{"P1", func() []item { return b.runItems("P1 l1, dense", b.soft(), 1, 2000/short) }},
		{"P2", func() []item { return b.runItems("P2 l1, sparse", b.words(), 100, 200/short) }},
		{"P3", func() []item { return b.traceItems(b.multi("multi", n, 200, 50), 200/short) }},
		{"P5a", b.sumItems},
		{"P5", b.spectralItems},
		{"P6", func() []item { return b.methodItems(b.news20()) }},
		{"P7", b.assignItems},
		{"P8", b.trafficItems},
		{"P9", b.projectionItems},
	} {
		for _, p := range strings.Split(b.only, ",") {
			if strings.HasPrefix(p, group.name) || strings.HasPrefix(group.name, p) {
				all = append(all, group.make()...)
				break
			}
		}
	}
	return all
}

// wanted reports whether an item is to be run.
func (b *bench) wanted(name string) bool {
	for _, p := range strings.Split(b.only, ",") {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}
