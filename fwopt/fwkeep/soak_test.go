package fwkeep_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
	"github.com/projection-free/fwlab/fwopt/fwroad"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// soak is the share of 1,000 kills and 2,000 damages that TestSoak makes: make soak
// sets it to 1.
var soak = flag.Float64("soak", 0.02, "the share of 1,000 kills and 2,000 damages that TestSoak makes")

// A soaked run is one of a method on one of two problems.
type soaked struct {
	method string
	wide   bool
	seed   uint64
}

func (s soaked) keep(t testing.TB, ctx context.Context, dir string, b fwopt.Budget) (*fwopt.Trace, error) {
	f, omega := small.Problem()
	m := small.Methods()[s.method]
	b.Steps, b.DualityGap = 40, true
	if s.wide {
		f, omega = small.Wide()
		b.Steps = 12
	}
	switch s.method {
	case "own":
		f, omega = own(t)
		m = newAveraged()
	case "PathGP":
		f, omega = small.Network()
		m = &fwroad.PathGP{}
	}
	return fwkeep.Keep(ctx, dir, fwopt.NewOracle(f, omega, s.seed), m, b)
}

// iterative are the methods whose runs are short enough on the wide problem.
var iterative = []string{"FW", "SFW", "SCGSx", "SVRFx", "STORCx", "Online-FW", "Online-FW, linearised",
	"AwayFWls"}

// soakedRuns are those of all methods of the package, and of one's own parts.
func soakedRuns() (runs []soaked) {
	runs = append(runs, soaked{"own", false, 100}, soaked{"PathGP", false, 101})
	for i, name := range slices.Sorted(maps.Keys(small.Methods())) {
		runs = append(runs, soaked{name, false, uint64(i)})
		if slices.Contains(iterative, name) {
			runs = append(runs, soaked{name, true, uint64(i)})
		}
	}
	return runs
}

// Programs that are killed at any instant, one or two in a folder, and files that
// are flipped, cut, zeroed or longer, never give another result than an undisturbed
// run, and never a panic.
func TestSoak(t *testing.T) {
	if dir := os.Getenv("FWOPT_SOAK"); dir != "" {
		soakChild(t, dir)
		return
	}
	if testing.Short() {
		t.Skip("programs that are started and killed")
	}
	runs, rng := soakedRuns(), rand.New(rand.NewPCG(7, 7))
	truth := map[soaked]string{}
	for _, s := range runs {
		tr, err := s.keep(t, bg, t.TempDir(), fwopt.Budget{})
		if err != nil {
			t.Fatal(err)
		}
		truth[s] = small.Bits(tr)
	}
	var resumed, read int
	kills, first := int(1000**soak), firstFile(t)
	for i := range kills {
		s, dir := runs[i%len(runs)], t.TempDir()
		for range 3 { // the kills of one folder follow each other
			children := make([]*exec.Cmd, 1+rng.IntN(2))
			for c := range children {
				children[c] = startChild(t, dir, i%len(runs), rng.Uint64())
			}
			time.Sleep(time.Duration((0.75 + 3*rng.Float64()) * float64(first)))
			for _, cmd := range children {
				cmd.Process.Kill()
				cmd.Wait()
			}
			if rng.IntN(2) == 0 {
				break
			}
		}
		at := 0
		tr, err := s.keep(t, bg, dir, fwopt.Budget{Watch: func(_ *fwopt.Trace, now fwopt.Point) {
			if at == 0 {
				at = now.Step
			}
		}})
		switch {
		case err != nil:
			t.Errorf("kill %d, %v: %v", i, s, err)
		case small.Bits(tr) != truth[s]:
			t.Errorf("kill %d, %v: another result", i, s)
		case at == 0:
			read++
		case at > 1:
			resumed++
		}
	}
	t.Logf("%d kills: %d runs read back, %d went on", kills, read, resumed)
	if kills >= 100 && (resumed == 0 || read == 0) { // of fewer, chance decides
		t.Error("no run was read back, or none went on: the kills tested nothing")
	}
	soakDamage(t, runs, truth, rng)
}

// soakChild makes a run again and again, in pieces, until it is killed.
func startChild(t *testing.T, dir string, run int, seed uint64) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^TestSoak$")
	cmd.Env = append(os.Environ(), "FWOPT_SOAK="+dir, fmt.Sprintf("FWOPT_SOAK_RUN=%d %d", run, seed))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// firstFile returns how long it takes here until a child has written a file, so that
// the kills come while one works, on a busy machine too.
func firstFile(t *testing.T) time.Duration {
	dir, began := t.TempDir(), time.Now()
	cmd := startChild(t, dir, 0, 1)
	for len(files(dir, "*")) == 0 && time.Since(began) < 10*time.Second {
		time.Sleep(time.Millisecond)
	}
	cmd.Process.Kill()
	cmd.Wait()
	return time.Since(began)
}

func soakChild(t *testing.T, dir string) {
	var i int
	var seed uint64
	fmt.Sscan(os.Getenv("FWOPT_SOAK_RUN"), &i, &seed)
	s, rng := soakedRuns()[i], rand.New(rand.NewPCG(seed, 1))
	fwkeep.PersistEvery(time.Duration(rng.IntN(3000)) * time.Microsecond)
	for {
		ctx, b := small.StopAfter(1+rng.IntN(60), fwopt.Budget{})
		if tr, err := s.keep(t, ctx, dir, b); err == nil && tr.Status == fwopt.Done && rng.IntN(3) == 0 {
			for _, path := range files(dir, "*.trace") {
				os.Remove(path)
			}
		}
	}
}

// soakDamage damages traces and checkpoints and asks for the run.
func soakDamage(t *testing.T, runs []soaked, truth map[soaked]string, rng *rand.Rand) {
	kinds := []string{"a bit flipped", "cut", "512 bytes zeroed", "longer"}
	noticed, same := map[string]int{}, map[string]int{}
	total := int(2000 * *soak)
	for i := range total {
		s, dir, kind := runs[i/2%len(runs)], t.TempDir(), kinds[rng.IntN(len(kinds))]
		ctx, b := small.StopAfter([]int{8, 1000}[i%2], fwopt.Budget{})
		if _, err := s.keep(t, ctx, dir, b); err != nil {
			t.Fatal(err)
		}
		path := files(dir, "*")[0]
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		bad, at := slices.Clone(whole), rng.IntN(len(whole))
		switch kind {
		case "a bit flipped":
			bad[at] ^= 1 << rng.IntN(8)
		case "cut":
			bad = bad[:at]
		case "512 bytes zeroed":
			clear(bad[at:min(len(bad), at+512)])
		case "longer":
			bad = append(bad, make([]byte, 1+rng.IntN(512))...)
		}
		os.WriteFile(path, bad, 0o666)
		func() {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("%v, %s: panic %v", s, kind, r)
				}
			}()
			switch tr, err := s.keep(t, bg, dir, fwopt.Budget{}); {
			case err != nil && tr == nil && strings.Contains(err.Error(), path) &&
				strings.Contains(err.Error(), "remove it"):
				noticed[kind]++
			case err == nil && slices.Equal(bad, whole) && small.Bits(tr) == truth[s]:
				same[kind]++ // nothing but zeros was zeroed
			case err != nil:
				t.Errorf("%v, %s: %v", s, kind, err)
			default:
				t.Errorf("%v, %s at %d of %d bytes: not noticed", s, kind, at, len(whole))
			}
		}()
	}
	for _, kind := range kinds {
		t.Logf("%-16s %4d damages noticed, %d changed nothing", kind, noticed[kind], same[kind])
	}
}
