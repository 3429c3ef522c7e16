package fwrate

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
)

// panics returns what f panics with, "" if it does not.
func panics(f func()) (message string) {
	defer func() {
		if p := recover(); p != nil {
			message = fmt.Sprint(p)
		}
	}()
	f()
	return ""
}

func TestSeeds(t *testing.T) {
	want := make([]float64, 23)
	one := func(seed uint64) float64 {
		r, s := rand.New(rand.NewPCG(seed, 0)), 0.
		for range 1000 * (seed % 3) { // some take longer
			s += r.NormFloat64()
		}
		return s + float64(seed)
	}
	for i := range want {
		want[i] = one(uint64(i + 1))
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, workers := range []int{1, 2, 7, 40} {
		runtime.GOMAXPROCS(workers)
		if got := Seeds(len(want), one); !slices.Equal(got, want) {
			t.Errorf("%d workers: %v, want %v", workers, got, want)
		}
		// of several that panic, the lowest
		msg := panics(func() {
			Seeds(50, func(seed uint64) int {
				if seed%5 == 0 {
					panic("stop here")
				}
				return 0
			})
		})
		if !strings.HasPrefix(msg, "fwrate: seed 5: stop here\n") || !strings.Contains(msg, "fwrate_test.go") {
			t.Errorf("%d workers: %q", workers, msg)
		}
		if msg := panics(func() { Seeds(3, func(seed uint64) int { runtime.Goexit(); return 0 }) }); !strings.HasPrefix(msg, "fwrate: seed 1: ") {
			t.Errorf("%d workers: %q after Goexit", workers, msg)
		}
	}
	if msg := panics(func() { Seeds(0, one) }); msg != "fwrate: 0 seeds, want at least 1" {
		t.Error(msg)
	}
}

// epochs is a method of N(t) steps an epoch, whose iterate is its number of
// steps, in memory that it reuses, and which costs one linear optimisation a
// step and one more an epoch.
func epochs(N func(t int) int) fwopt.Method {
	return fwopt.MethodFunc(func(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
		return func(yield func(fwopt.Step) bool) {
			x := slices.Clone(w0)
			for t := 1; ; t++ {
				o.Calls.Linear++
				for k := 1; k <= N(t); k++ {
					o.Calls.Linear++
					x[0]++
					if !yield(fwopt.Step{T: t, K: k, X: x}) {
						return
					}
				}
			}
		}
	})
}

func oracle() *fwopt.Oracle {
	return fwopt.NewOracle(fwopt.NewQuadratic(2, nil, []float64{0, 0}), fwopt.Simplex{D: 2, R: 1}, 1)
}

func TestRun(t *testing.T) {
	N := func(t int) int { return t * t }
	first := func(w []float64) float64 { return w[0] }
	steps := func(ps []Point) (k []int) {
		for _, p := range ps {
			k = append(k, p.K)
		}
		return k
	}
	w0 := []float64{0, 0}
	got := Run(oracle(), epochs(N), w0, first, EpochEnds(N), 4)
	want := []Point{{1, 1, fwopt.Calls{Linear: 2}, 1}, {2, 4, fwopt.Calls{Linear: 7}, 5},
		{3, 9, fwopt.Calls{Linear: 17}, 14}, {4, 16, fwopt.Calls{Linear: 34}, 30}}
	if !slices.Equal(got, want) {
		t.Errorf("epoch ends %v, want %v", got, want)
	}
	if !slices.Equal(w0, []float64{0, 0}) {
		t.Errorf("w0 is now %v", w0)
	}
	whole := func(int) int { return math.MaxInt }
	for _, c := range []struct {
		ratio float64
		last  int
		want  []int
	}{
		{2, 64, []int{1, 2, 4, 8, 16, 32, 64}},
		{2, 40, []int{1, 2, 4, 8, 16, 32, 40}},
		{10, 1000, []int{1, 10, 100, 1000}},
		{10, 1001, []int{1, 10, 100, 1000, 1001}}, // ln 1000/ln 10 is below 3
		{1.5, 12, []int{1, 2, 3, 4, 6, 8, 12}},
		{1.01, 5, []int{1, 2, 3, 4, 5}},
		{2, 1, []int{1}},
	} {
		if got := steps(Run(oracle(), epochs(whole), w0, first, Geometric(c.ratio), c.last)); !slices.Equal(got, c.want) {
			t.Errorf("ratio %g: k = %v, want %v", c.ratio, got, c.want)
		}
	}
	// the start is the oracle's, and counts
	if p := Run(oracle(), fwopt.FWOpenLoop(), nil, first, Geometric(2), 1)[0]; p.Calls != (fwopt.Calls{Exact: 2, Linear: 2}) {
		t.Errorf("%+v", p)
	}
	// the same points as a run of fwopt
	m := fwopt.SVRFTheorem1()
	o := oracle()
	ps := Run(o, m, nil, o.F.Value, EpochEnds(m.N), 2)
	if m.T != 2 || m.K != 30 || len(ps) != 2 || ps[1].Calls != o.Calls || ps[1].Gap != o.F.Value(m.X) {
		t.Errorf("%+v", ps)
	}
}

func TestRunPanics(t *testing.T) {
	N := func(int) int { return 3 }
	zero := func([]float64) float64 { return 0 }
	w0 := []float64{0, 0}
	used := fwopt.SVRFTheorem1()
	Run(oracle(), used, nil, zero, EpochEnds(used.N), 1)
	short := fwopt.MethodFunc(func(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
		return func(yield func(fwopt.Step) bool) {
			yield(fwopt.Step{T: 1, K: 1, X: w0})
		}
	})
	for _, c := range []struct {
		m    fwopt.Method
		gap  func([]float64) float64
		at   At
		last int
		want string
	}{
		{epochs(N), zero, EpochEnds(N), 0, "fwrate: the last epoch or step is 0"},
		{used, zero, EpochEnds(used.N), 2, "fwrate: this *fwopt.SVRF has run already"},
		{epochs(N), zero, EpochEnds(func(int) int { return 2 }), 2, "fwrate: step k = 3 of epoch 1, where N_1 = 2"},
		{epochs(N), zero, EpochEnds(func(int) int { return 4 }), 2, "fwrate: step k = 1 of epoch 3, where N_3 = 4 and the last epoch is 2"},
		{epochs(N), zero, Geometric(2), 9, "fwrate: Geometric counts the k of a method without epochs; here t = 2, k = 1"},
		{epochs(N), func(w []float64) float64 { return math.Log(6 - w[0] - 1e-9) }, EpochEnds(N), 9, "fwrate: fwopt.MethodFunc diverged: at t = 2, k = 3 the gap is NaN"},
		{epochs(N), func(w []float64) float64 { return math.Inf(1) }, EpochEnds(N), 9, "fwrate: fwopt.MethodFunc diverged: at t = 1, k = 3 the gap is +Inf"},
		{short, zero, Geometric(2), 9, "fwrate: fwopt.MethodFunc ended by itself after t = 1, k = 1, before 9"},
	} {
		if msg := panics(func() { Run(oracle(), c.m, w0, c.gap, c.at, c.last) }); !strings.HasPrefix(msg, c.want) {
			t.Errorf("%q, want %q", msg, c.want)
		}
	}
	for _, ratio := range []float64{1, 0, -2, math.NaN(), math.Inf(1)} {
		if panics(func() { Geometric(ratio) }) == "" {
			t.Errorf("ratio %g", ratio)
		}
	}
}
