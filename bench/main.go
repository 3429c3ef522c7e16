// Bench races fwlab against numpy, scipy, scikit-learn, numba, copt and AequilibraE, in turn, on the same data, and
// measures what the machine could do. `make bench` runs it; README.md says what it
// writes.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
)

// bench is one run.
type bench struct {
	linked string // a program with gonum on OpenBLAS, or none
	only   string
	quick  bool // wrong results fail, seconds mean nothing
	rounds int

	tables   map[string][][]string // by file
	versions map[string]string
}

const dir = "bench/.data" // of what both sides read

func main() {
	b := &bench{rounds: 7, versions: map[string]string{}, tables: map[string][][]string{}}
	for name, columns := range map[string]string{
		"ratios": "item threads who form turns ours_s median_s min_s max_s ratio ratio_min ratio_max " +
			"forms_ms",
		"roofline": "kind name bytes rate unit seconds bound",
		"growth":   "kernel in from size last seconds memory_s exponent net want slack",
		"profile":  "item threads function share",
	} {
		b.tables[name] = [][]string{strings.Fields(columns)}
	}
	flag.StringVar(&b.linked, "netlib", "", "the program of bench/netlib, if OpenBLAS is here")
	flag.StringVar(&b.only, "only", "", "only the items whose names begin so, as P5a,P6")
	flag.BoolVar(&b.quick, "short", false, "check that both sides agree, on small cases")
	only := flag.Bool("profile", false, "only say where our own time goes, by function")
	flag.Parse()
	if b.quick {
		b.rounds = 1
	}
	if err := b.run(*only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (b *bench) run(profileOnly bool) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	items := b.items()
	if profileOnly {
		return b.profile(items)
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
	if err := b.roof(); err != nil {
		return err
	}
	b.growth()
	switch {
	case b.quick || b.only != "" && len(b.tables["ratios"]) == 1:
		return nil
	case b.only != "":
		return b.update()
	}
	if err := b.write(); err != nil {
		return err
	}
	return b.profile(items)
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
		{"P10", b.networkItems},
		{"P11", b.fitItems},
	} {
		within := func(p string) bool { return strings.HasPrefix(p, group.name) }
		if b.wanted(group.name) || slices.ContainsFunc(strings.Split(b.only, ","), within) {
			all = append(all, group.make()...)
		}
	}
	return all
}

// wanted reports whether an item is to be run.
func (b *bench) wanted(name string) bool {
	begins := func(p string) bool { return strings.HasPrefix(name, p) }
	return slices.ContainsFunc(strings.Split(b.only, ","), begins)
}
