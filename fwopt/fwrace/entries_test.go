package fwrace

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/fwset"
)

// Each run has the sum, the set, the method and the seed that its entry says, and the race
// none of the seeds of the tuning.
func TestRuns(t *testing.T) {
	r := digits(t)
	r.Budget, r.Grid = fwopt.Budget{Steps: 2, Linear: 50}, []float64{0.1, 1, 10}
	run, seeds := r.Run, map[string]map[uint64]bool{}
	r.Run = func(o *fwopt.Oracle, m fwopt.Method, b fwopt.Budget) *fwopt.Trace {
		_, one := o.F.(*singly)
		_, apart := m.(*endless)
		key := fmt.Sprint(m)
		for name, is := range map[string]bool{" SVD": o.Omega.(fwset.TraceNorm).SVD, " singly": one,
			" endless": apart} {
			if is { // never two at once
				key += name
			}
		}
		if s, ok := m.(*fwopt.STORC); ok {
			key += fmt.Sprintf(" m %d", s.M(1, 1))
		}
		if seeds[key] == nil {
			seeds[key] = map[uint64]bool{}
		}
		seeds[key][o.Seed] = true
		return run(o, m, b)
	}
	r.mustGo(t)
	race, tuned, changed := []uint64{1, 2, 3}, []uint64{1, 2, 3, 101, 102}, []uint64{1, 2}
	want := map[string][]uint64{
		"FISTA":           {0},
		"SFW":             race,
		"SVRF":            race,
		"SCGS":            tuned,
		"SGD":             tuned,
		"SVRG":            tuned,
		"STORC, adaptive": race,
		"SGD SVD":         changed,
		"SVRG SVD":        changed,
		"SFW singly":      changed,
		"SCGS singly":     changed,
		"STORC m 100":     tuned,
		"STORC m 1000":    {1, 2, 101, 102},
		"STORC endless":   {1, 2, 101, 102},
	}
	for key, s := range want {
		var got []uint64
		for seed := range seeds[key] {
			got = append(got, seed)
		}
		if slices.Sort(got); !slices.Equal(got, s) {
			t.Errorf("%s: seeds %d, want %d", key, got, s)
		}
	}
	if len(seeds) != len(want) {
		t.Errorf("%d kinds of runs, want %d: %v", len(seeds), len(want), seeds)
	}
}

// The changes of STORC are those that their names say, and no others.
func TestChangesOfSTORC(t *testing.T) {
	const L, D = 2.0, 3.0
	plain := fwopt.STORCExperiments(fwopt.Constants{L: L, D: D})
	for name, c := range map[string]struct {
		c           constants
		m           int
		beta        float64 // over that of Section 5
		eta1, etat5 float64 // the same, in epochs 1 and 5
	}{
		"":       {constants{1, 1}, 100, 1, 1, 1},
		"s":      {constants{1. / 4, 1}, 100, 1. / 4, 1. / 4, 1. / 4},
		Thousand: {constants{1, 1}, 1000, 1, 1, 1},
		Falling:  {constants{1, 1}, 100, 1, 1, 1. / 16},
		Apart:    {constants{1. / 4, 3}, 100, 1. / 4, 3. / 4, 3. / 4},
	} {
		a := storc(name, c.c, L, D).(*fwopt.STORC)
		for _, k := range []int{1, 7, 50} {
			if a.M(2, k) != c.m || a.N(2) != 50 || a.Gamma(k) != plain.Gamma(k) ||
				a.Beta(k) != c.beta*plain.Beta(k) ||
				math.Abs(a.Eta(1, k)/plain.Eta(1, k)-c.eta1) > 1e-12 ||
				math.Abs(a.Eta(5, k)/plain.Eta(5, k)-c.etat5) > 1e-12 {
				t.Errorf("%q, k = %d: m %d, β %g, η %g and %g", name, k, a.M(2, k), a.Beta(k), a.Eta(1, k),
					a.Eta(5, k))
			}
		}
	}
}

// A run of STORC goes on until its epochs are whole; one of the tuning, or of another
// method, does not.
func TestEpochs(t *testing.T) {
	r := digits(t)
	b := fwopt.Budget{Seconds: 0.5, Steps: 1}
	for name, c := range map[string]struct {
		e    Entry
		seed uint64
		want bool
	}{
		"STORC":       {Entry{"STORC", ""}, 1, true},
		"changed":     {Entry{"STORC", Thousand}, 1, true},
		"of a tuning": {Entry{"STORC", ""}, tuning + 1, false},
		"adaptive":    {Entry{"STORC", Adaptive}, 1, false},
		"SVRF":        {Entry{"SVRF", ""}, 1, false},
	} {
		tr := r.one(c.e, constants{1. / 16, 1}, c.seed, b)
		if got := tr.Last().Step >= 3*50; got != c.want {
			t.Errorf("%s: %d steps", name, tr.Last().Step)
		}
	}
}

// Of values that end alike the one that was ahead in the round before is taken.
func TestTies(t *testing.T) {
	trace := func(f float64) []*fwopt.Trace { return []*fwopt.Trace{{Points: []fwopt.Point{{F: 1}, {F: f}}}} }
	tried := func(c, f float64) fwrate.Tried { return fwrate.Tried{C: c, Median: f, Traces: trace(f)} }
	for name, c := range map[string]struct {
		before, last [3]float64
		want         float64
		doubts       []string
	}{
		"no tie": {[3]float64{0.3, 0.2, 0.1}, [3]float64{0.01, 0, 0.02}, 2, nil},
		"a tie":  {[3]float64{0.3, 0.1, 0.2}, [3]float64{0.01, 1e-13, 0}, 2, nil},
		"all alike": {[3]float64{0.1, 0.2, 0.3}, [3]float64{0, 0, 0}, 1,
			[]string{"the best value, 1, is at an end of the grid"}},
		"not quite alike": {[3]float64{0.1, 0.2, 0.3}, [3]float64{1e-8, 1e-8, 0}, 3,
			[]string{"the best value, 3, is at an end of the grid"}},
		"before, too": {[3]float64{0.1, 0.1, 0.3}, [3]float64{1e-8, 0, 0}, 2, nil},
		"all the time": {[3]float64{0.2, 0.1, 0.1}, [3]float64{1e-8, 0, 0}, 2,
			[]string{"3 does as well as 2, with half of the budget, too"}},
	} {
		found := &fwrate.Tuning{Rounds: make([][]fwrate.Tried, 2), Doubts: []string{"of Tune"}}
		for i := range 3 {
			found.Rounds[0] = append(found.Rounds[0], tried(float64(i+1), c.before[i]))
			found.Rounds[1] = append(found.Rounds[1], tried(float64(i+1), c.last[i]))
			if i == 0 || c.last[i] < c.last[int(found.Best)-1] {
				found.Best = float64(i + 1)
			}
		}
		if got := judge(Entry{"SVRG", ""}, 0, found); got.Best != c.want || got.Constant != "c′" {
			t.Errorf("%s: %g, want %g", name, got.Best, c.want)
		} else if !slices.Equal(got.Doubts, c.doubts) {
			t.Errorf("%s: %q, want %q", name, got.Doubts, c.doubts)
		}
	}
}
