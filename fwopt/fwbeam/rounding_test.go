package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"gonum.org/v1/gonum/floats"
)

var onebit = flag.Bool("onebit", false,
	"TestOneBit: all data of the README's table, with news20 if it is there: a quarter of an hour")

// How rounding grows, as the README says: one bit of one number of w_0 is another, and after
// 300 steps the iterate has moved; so has that of shards, whose sums are rounded in another
// order. The draws are the same.
func TestOneBit(t *testing.T) {
	sets, seeds, balls := []*fwdata.Set{loaded(t, "digits")}, 1, []string{"trace"}
	if *onebit {
		sets = append(sets, fwdata.Twin("digits", 1), fwdata.TwinN("news20", 2000, 1), loaded(t, "news20"))
		seeds, balls = 2, append(balls, "l1")
	}
	for k, set := range sets {
		set = set.UnitRows()
		for _, p := range []problem{{Method: "fw", Scale: 1}, {Method: "sfw", Scale: 1},
			{Method: "svrf", Scale: 1}, {Method: "storc", Scale: 1}, {Method: "storc", Scale: 0x1p-12}} {
			p.Schedule, p.Radius, p.Steps = "experiments", 50, 300
			var w, f [3]float64 // in the trace norm's ball, in the ℓ₁ ball, of shards
			for seed := range seeds {
				p.Seed = uint64(seed + 1)
				for i := range balls {
					p.Ball = balls[i]
					w0 := start(t, set, p)
					at := 0
					for j, x := range w0 {
						if math.Abs(x) > math.Abs(w0[at]) {
							at = j
						}
					}
					other := slices.Clone(w0)
					other[at] = math.Nextafter(w0[at], 0) // inside Ω
					grown(t, &w[i], &f[i], inSet(t, set, p, w0), inSet(t, set, p, other))
				}
				if k > 0 {
					continue
				}
				p.Ball = "trace"
				dir := t.TempDir()
				ok(t, cutFile(&writer{ctx: context.Background(), dir: dir}, fileOf(t, set), 300, 0, false))
				grown(t, &w[2], &f[2], inMemory(t, dir, p), newJob(t, dir, p).mustRun(t))
			}
			for i, what := range []string{"one bit, trace norm", "one bit, ℓ₁ ball", "shards, trace norm"} {
				if i < len(balls) || i == 2 && k == 0 {
					t.Logf("%s, %s, scale %.2g; %s: w moves by %.0e of its norm, f by %.0e of itself",
						set.Name, p.Method, p.Scale, what, w[i], f[i])
				}
			}
			switch {
			case p.Method == "svrf" && k == 0 && min(w[0], w[2]) < 1e-9:
				t.Errorf("SVRF: w moves by %.0e only, and the README says more", w)
			case p.Scale == 1 && (slices.Max(w[:]) > 0.1 || slices.Max(f[:]) > 2e-3):
				t.Errorf("%s: w moves by %.0e and f by %.0e, and the README says less", p.Method, w, f)
			}
		}
	}
}

func loaded(t *testing.T, name string) *fwdata.Set {
	set, err := fwdata.Load(name)
	if errors.Is(err, fwdata.ErrNotHere) {
		t.Skip(err)
	}
	ok(t, err)
	return set
}

// start is where a run begins.
func start(t *testing.T, set *fwdata.Set, p problem) []float64 {
	f := set.Logistic()
	omega, _, err := p.parts(set.H(), set.M(), f.Smoothness())
	ok(t, err)
	return fwopt.NewRunner(fwopt.NewOracle(f, omega, p.Seed), &fwopt.FW{}, fwopt.Budget{Steps: 1}).W0
}

// grown raises w to ‖a − b‖/‖a‖ of the iterates, and f to the same of f.
func grown(t *testing.T, w, f *float64, a, b *fwopt.Trace) {
	t.Helper()
	*w = max(*w, floats.Distance(a.W, b.W, 2)/floats.Norm(a.W, 2))
	*f = max(*f, math.Abs(a.Last().F-b.Last().F)/a.Last().F)
	x, y := a.Last().Calls, b.Last().Calls
	if a.Method == "STORC" { // its inner steps end by a gap
		x.Linear = y.Linear
	}
	if x != y {
		t.Errorf("%s: accounts %+v and %+v", a.Method, x, y)
	}
}

// news20 in 16 shards: SVRF and STORC end where the run in memory does, on the same draws, to
// rounding, with the same accounts; and with the same bits for 1, 2 and 8 workers and on Beam.
func TestNews20(t *testing.T) {
	dir := t.TempDir()
	found := false
	for _, path := range []string{"news20.bz2", "news20/news20.bz2"} {
		path = filepath.Join(os.Getenv("FWLAB_DATA"), path)
		if _, err := os.Stat(path); err == nil {
			found = true
			ok(t, cutFile(&writer{ctx: context.Background(), dir: dir}, path, 996, 62061, true))
			break
		}
	}
	if !found {
		t.Skip("no news20 in FWLAB_DATA")
	}
	steps, engines := 110, map[string]maker{"2": local(2), "8": local(8), "Beam": on(2)}
	if testing.Short() {
		steps, engines = 55, map[string]maker{"Beam": on(2)}
	}
	for _, p := range []problem{
		{"svrf", "experiments", 1, "trace", 50, 1, steps},
		{"storc", "experiments", 0x1p-12, "trace", 50, 1, steps},
	} {
		j := newJob(t, dir, p)
		j.engine = local(1)
		one, want := j.mustRun(t), inMemory(t, dir, p)
		g, w := one.Last(), want.Last()
		off := math.Abs(g.F-w.F) / w.F
		t.Logf("%s: f = %v, in memory %v, off by %.1e; %+v", p.Method, g.F, w.F, off, g.Calls)
		if !(off <= 1e-12) || g.Calls != w.Calls || one.Status != fwopt.Done {
			t.Errorf("%s: f = %v, %+v; in memory %v, %+v: off by %.1e", p.Method, g.F, g.Calls, w.F, w.Calls,
				off)
		}
		for name, engine := range engines {
			j := newJob(t, dir, p)
			j.engine = engine
			sameBits(t, fmt.Sprintf("%s, %s workers", p.Method, name), one, j.mustRun(t))
		}
	}
}
