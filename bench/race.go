package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/projection-free/fwlab/fwopt/fwrate"
)

// Those who take turns.
const (
	ours   = "fwlab"
	python = "Python"
	linked = "gonum on OpenBLAS"
	alone  = "fwlab on one thread"
)

// An item is one piece of work that both sides do.
type item struct {
	name    string  // as "P5b 20 x 62,061 falling"
	peer    string  // its name at the peers
	args    any     // what they need to know
	tol     float64 // of values, relative to the largest
	threads int     // 1 if 0
	rounds  int     // if fewer than of the others
	linked  bool    // also by gonum on OpenBLAS
	ownOne  bool    // of two threads: our own time on one is measured, too
	long    bool    // left out of short runs
	start   func() side
}

// side is our side of an item, ready to run: it does the work and returns numbers to
// compare with theirs, computed outside the clock.
type side struct {
	work  func()
	value func() []float64
}

// contender is who takes a turn.
type contender struct {
	who, form, forms string
	time             func(reps int) (float64, error)
	reps             int
	seconds          []float64
}

// race runs all items of so many threads.
func (b *bench) race(threads int, all []item) error {
	var items []item
	for _, it := range all {
		it.threads = max(it.threads, 1)
		if it.threads == threads && b.wanted(it.name) && !(b.quick && it.long) {
			items = append(items, it)
		}
	}
	if len(items) == 0 {
		return nil
	}
	runtime.GOMAXPROCS(threads)
	commands := map[string][]string{python: {"bench/.venv/bin/python", "-B", "bench/peer.py"}}
	if b.linked != "" {
		commands[linked] = []string{b.linked}
	}
	var peers []*peer
	for _, name := range slices.Sorted(maps.Keys(commands)) { // Python first
		p, err := startPeer(name, threads, commands[name]...)
		if err != nil {
			return fmt.Errorf("%w; `make bench` makes the environment", err)
		}
		defer p.stop()
		peers = append(peers, p)
		a, err := p.ask(request{Op: "versions"})
		if err != nil {
			return err
		}
		maps.Copy(b.versions, a.Versions)
	}
	full := !b.quick && b.only == ""
	if full && len(b.tables["ratios"]) == 1 { // nothing is raced yet
		if err := b.goOn(); err != nil {
			return err
		}
	}
	for _, it := range items {
		if b.raced(it) {
			continue
		}
		err := b.raceOne(it, peers)
		if err == nil && full {
			err = b.keep()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", it.name, err)
		}
	}
	return nil
}

func (b *bench) raceOne(it item, peers []*peer) error {
	if m, ok := it.args.(matrix); ok {
		if _, err := peers[0].ask(request{Op: "make", Args: m}); err != nil {
			return err
		}
	}
	s := it.start()
	s.work() // a warm-up, and what value looks at
	want := s.value()
	field := []*contender{{who: ours, time: clock(s.work)}}
	for _, p := range peers {
		if p.name == linked && !it.linked {
			continue
		}
		a, err := p.ask(request{Op: "prepare", Item: it.peer, Args: it.args, Tol: it.tol})
		if err != nil {
			return err
		}
		if err := agree(want, a.Value, it.tol); err != nil {
			return fmt.Errorf("fwlab and %s disagree: %w", p.name, err)
		}
		field = append(field, &contender{who: p.name, form: a.Form, forms: tried(a.Forms), time: p.time})
	}
	if it.ownOne {
		field = append(field, &contender{who: alone, time: clock(func() {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			s.work()
		})})
	}
	if err := b.turns(field, it.rounds); err != nil {
		return err
	}
	mine, _, _ := spread(field[0].seconds)
	for _, c := range field {
		var ratios []float64 // turn by turn
		for i, t := range c.seconds {
			ratios = append(ratios, t/field[0].seconds[i])
		}
		median, least, most := spread(c.seconds)
		_, low, high := spread(ratios)
		b.add("ratios", it.name, it.threads, c.who, c.form, len(c.seconds), mine, median, least, most,
			median/mine, low, high, c.forms)
		fmt.Printf("%-36s %d  %-20s %10.3f ms (%.3f to %.3f)  x %.2f (%.2f to %.2f)  %s\n",
			it.name, it.threads, c.who, 1e3*median, 1e3*least, 1e3*most, median/mine, low, high, c.forms)
	}
	return nil
}

// turns lets the contenders run in turn, each as often in a turn as 50 ms allow.
func (b *bench) turns(field []*contender, rounds int) error {
	for _, c := range field {
		t, err := c.time(1)
		if err != nil {
			return err
		}
		if c.reps = 1; !b.quick {
			c.reps = int(min(max(0.05/t, 1), 1000))
		}
	}
	if rounds == 0 || b.quick {
		rounds = b.rounds
	}
	for range rounds {
		for _, c := range field {
			t, err := c.time(c.reps)
			if err != nil {
				return err
			}
			c.seconds = append(c.seconds, t)
		}
	}
	return nil
}

func (p *peer) time(reps int) (float64, error) {
	a, err := p.ask(request{Op: "time", Reps: reps})
	return a.Seconds, err
}

// clock returns a function that times f. On one thread the time is the processor's, which
// other work on the machine disturbs less; on two it is the wall's. The peers do the same.
func clock(f func()) func(reps int) (float64, error) {
	return func(reps int) (float64, error) {
		if reps > 1 {
			f() // what lies in the cache is the item's
		}
		now := fwrate.CPU
		if runtime.GOMAXPROCS(0) > 1 {
			epoch := time.Now()
			now = func() time.Duration { return time.Since(epoch) }
		}
		began := now()
		for range reps {
			f()
		}
		return (now() - began).Seconds() / float64(reps), nil
	}
}

func spread(x []float64) (median, least, most float64) {
	x = slices.Sorted(slices.Values(x))
	n := len(x)
	return (x[(n-1)/2] + x[n/2]) / 2, x[0], x[n-1]
}

// agree reports how two answers differ, if they do by more than tol of the largest number.
func agree(a, b []float64, tol float64) error {
	if len(a) != len(b) {
		return fmt.Errorf("%d numbers and %d", len(a), len(b))
	}
	top := 0.0
	for _, x := range b {
		top = max(top, math.Abs(x))
	}
	for i := range a {
		if !(math.Abs(a[i]-b[i]) <= tol*top) {
			return fmt.Errorf("%v and %v", a, b)
		}
	}
	return nil
}

// tried lists forms and their milliseconds, the fastest first.
func tried(forms map[string]float64) string {
	faster := func(a, b string) int { return cmp.Compare(forms[a], forms[b]) }
	names := slices.SortedFunc(maps.Keys(forms), faster)
	for i, n := range names {
		names[i] = fmt.Sprintf("%s %.3g", n, 1e3*forms[n])
	}
	return strings.Join(names, "; ")
}
