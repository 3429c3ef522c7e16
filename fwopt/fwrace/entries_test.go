package fwrace

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
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
		thousand: {constants{1, 1}, 1000, 1, 1, 1},
		falling:  {constants{1, 1}, 100, 1, 1, 1. / 16},
		apart:    {constants{1. / 4, 3}, 100, 1. / 4, 3. / 4, 3. / 4},
	} {
		a := entry{"STORC", name}.make(c.c, L, D).(*fwopt.STORC)
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
		e    entry
		seed uint64
		want bool
	}{
		"STORC":       {entry{"STORC", ""}, 1, true},
		"changed":     {entry{"STORC", thousand}, 1, true},
		"of a tuning": {entry{"STORC", ""}, tuning + 1, false},
		"adaptive":    {entry{"STORC", adaptive}, 1, false},
		"SVRF":        {entry{"SVRF", ""}, 1, false},
	} {
		tr := r.one(c.e, constants{1. / 16, 1}, c.seed, b)
		if got := tr.Last().Step >= 3*50; got != c.want {
			t.Errorf("%s: %d steps", name, tr.Last().Step)
		}
	}
}
