package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
)

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
		{"svrf", "experiments", 1, "tracenorm", 50, 1, steps},
		{"storc", "experiments", 0x1p-12, "tracenorm", 50, 1, steps},
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
