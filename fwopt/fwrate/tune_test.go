package fwrate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// ended is a trace that begins at f = 1 and ends at f.
func ended(f float64) *fwopt.Trace {
	return &fwopt.Trace{Status: fwopt.Done, Points: []fwopt.Point{{F: 1}, {Step: 1, F: f}}}
}

// powers are 2^from, …, 2^to.
func powers(from, to int) (grid []float64) {
	for k := from; k <= to; k++ {
		grid = append(grid, math.Exp2(float64(k)))
	}
	return grid
}

// wild is how far off seed 2 is: so far at 8, the best value, that its mean is no good.
func wild(c float64) float64 { return map[bool]float64{true: 0.9, false: 0.4}[c == 8] }

// A method whose end is (log₂ c − 3)², less with more steps, and noise by the seed.
func bowl(asked *[]string) func(c float64, seed uint64, b fwopt.Budget) *fwopt.Trace {
	return func(c float64, seed uint64, b fwopt.Budget) *fwopt.Trace {
		*asked = append(*asked, fmt.Sprintf("%g/%d/%d/%g", c, seed, b.Steps, b.Seconds))
		return ended(math.Pow(math.Log2(c)-3, 2)/100 + 1/float64(b.Steps) + []float64{0, wild(c), 0.001}[seed-1])
	}
}

func TestTune(t *testing.T) {
	var asked []string
	got, err := Tune(powers(-4, 8), 3, fwopt.Budget{Steps: 801, Seconds: 4}, bowl(&asked))
	if err != nil || got.Best != 8 || len(got.Doubts) != 0 {
		t.Fatalf("best %g, %q, %v", got.Best, got.Doubts, err)
	}
	// 13 values, 7, 4, 3; an eighth, a quarter, half, all of the budget
	if want := 3 * (13./8 + 7./4 + 4./2 + 3); got.Spent != want {
		t.Errorf("spent %g budgets, want %g", got.Spent, want)
	}
	if len(asked) != 3*27 || asked[0] != "0.0625/1/101/0.5" || asked[1] != "0.0625/2/101/0.5" || asked[80] != "16/3/801/4" {
		t.Errorf("%d runs: %q", len(asked), asked)
	}
	var left [][]float64
	for _, round := range got.Rounds {
		var cs []float64
		for _, p := range round {
			cs = append(cs, p.C)
			if want := math.Pow(math.Log2(p.C)-3, 2)/100 + 1/math.Ceil(801*p.Share); len(p.Traces) != 3 ||
				math.Abs(p.Least-want) > 1e-12 || math.Abs(p.Median-want-0.001) > 1e-12 || math.Abs(p.Most-want-wild(p.C)) > 1e-12 {
				t.Errorf("%+v", p)
			}
		}
		left = append(left, cs)
	}
	if want := [][]float64{powers(-4, 8), powers(0, 6), powers(1, 4), powers(2, 4)}; !slices.EqualFunc(left, want, slices.Equal) {
		// 2^1 and 2^5 end at the same median: the smaller one stays
		t.Errorf("rounds of %v, want %v", left, want)
	}
	if rows := got.Rows(); len(rows) != 14 || len(rows[0]) != 6 || rows[1][2] != "–" || rows[8][0] != "8" || rows[8][4] == "–" {
		t.Errorf("%q", rows)
	}
}

// What speaks against the best is said, and nothing else.
func TestTuneDoubts(t *testing.T) {
	steps := fwopt.Budget{Steps: 100}
	for name, c := range map[string]struct {
		grid []float64
		end  func(c float64) float64
		want string // the only doubt
	}{
		"in the middle":     {powers(0, 6), func(c float64) float64 { return 0.5 + math.Abs(c-8)/100 }, ""},
		"one value":         {[]float64{2}, func(c float64) float64 { return 0.5 }, "the grid has one value"},
		"at the low end":    {powers(0, 6), func(c float64) float64 { return c / 100 }, "the best value, 0.015625, is the smallest of the grid"},
		"at the high end":   {powers(0, 6), func(c float64) float64 { return 1 / c }, "the best value, 4096, is the largest of the grid"},
		"two values":        {powers(0, 1), func(c float64) float64 { return 0.5 / c }, "the best value, 128, is the largest"},
		"a tie by rounding": {powers(0, 2), func(c float64) float64 { return []float64{0, 0.9, 0.1, 0, 0.1 + 1e-11}[int(c)] }, "4 does as well as 2 to nine digits"},
		"all diverged":      {powers(0, 4), func(c float64) float64 { return math.NaN() }, "half of the runs diverged"},
		"half of it diverge": {powers(0, 4), func(c float64) float64 {
			return map[bool]float64{true: math.Inf(1), false: 0.5 + math.Abs(c-2)/100}[c > 4]
		}, ""},
	} {
		got, err := Tune(c.grid, 2, steps, func(x float64, _ uint64, b fwopt.Budget) *fwopt.Trace { return ended(c.end(x)) })
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if said := strings.Join(got.Doubts, "; "); !strings.HasPrefix(said, c.want) || len(got.Doubts) > 1 || (c.want == "") != (said == "") {
			t.Errorf("%s: %q, want %q", name, said, c.want)
		}
	}
}

// The grid grows by two values at the end where the best is, as often as it takes and three
// times at most, and no run is made twice.
func TestTuneGrows(t *testing.T) {
	for name, c := range map[string]struct {
		grid  []float64
		best  float64
		tried []float64
	}{
		"up":      {powers(0, 1), 8, powers(0, 5)},
		"down":    {[]float64{800, 8000}, 8, []float64{0.8, 8, 80, 800, 8000}[:]},
		"up once": {powers(0, 3), 8, powers(0, 5)},
		"inside":  {powers(1, 5), 8, powers(1, 5)},
	} {
		made := map[string]bool{}
		got, err := Tune(c.grid, 2, fwopt.Budget{Steps: 1024}, func(x float64, seed uint64, b fwopt.Budget) *fwopt.Trace {
			key := fmt.Sprint(x, seed, b.Steps)
			if made[key] {
				t.Errorf("%s: %s is run twice", name, key)
			}
			made[key] = true
			return ended(math.Pow(math.Log2(x)-3, 2) / 1000)
		})
		var tried []float64
		for _, p := range got.Rounds[0] {
			tried = append(tried, p.C)
		}
		if err != nil || got.Best != c.best || len(got.Doubts) > 0 || name != "down" && !slices.Equal(tried, c.tried) {
			t.Errorf("%s: best %g of %v, %q, %v", name, got.Best, tried, got.Doubts, err)
		}
		if name == "down" && !slices.Equal(tried, []float64{0.08, 0.8, 8, 80, 800, 8000}) { // not 0.08000000000000002
			t.Errorf("down: %v", tried)
		}
	}
	got, err := Tune(powers(-32, -31), 1, fwopt.Budget{Steps: 8}, func(x float64, _ uint64, _ fwopt.Budget) *fwopt.Trace {
		return ended(math.Abs(math.Log2(x)+30) / 100)
	})
	if err != nil || got.Best != math.Exp2(-30) { // to the last bit
		t.Errorf("best %g, want %g, %v", got.Best, math.Exp2(-30), err)
	}
	// a tie at the end does not grow
	runs := 0
	got, _ = Tune(powers(0, 2), 1, fwopt.Budget{Steps: 8}, func(float64, uint64, fwopt.Budget) *fwopt.Trace { runs++; return ended(0.5) })
	if runs != 3 || len(got.Doubts) != 3 {
		t.Errorf("%d runs, %q", runs, got.Doubts)
	}
}

// A best that has come to rest far from an optimum is doubted; one that is slow, or there, is not.
func TestTuneStill(t *testing.T) {
	nan := math.NaN()
	run := func(gap float64, fs ...float64) *fwopt.Trace { // at w_0, a quarter, half, three quarters and the end
		tr := &fwopt.Trace{Status: fwopt.Done}
		for i, f := range fs {
			tr.Points = append(tr.Points, fwopt.Point{Step: 25 * i, F: f, DualityGap: nan})
		}
		tr.Points[0].DualityGap, tr.Points[4].DualityGap = 10, gap
		return tr
	}
	for name, c := range map[string]struct {
		best, other *fwopt.Trace
		want        string
	}{
		"slow":             {run(5, 1, 0.9, 0.85, 0.83, 0.82), run(5, 1, 1, 1, 0.9, 0.9), ""},
		"there, by gap":    {run(0.05, 1, 0.5, 0.1, 0.1, 0.1), run(5, 1, 1, 1, 0.9, 0.9), ""},
		"there, unknown":   {run(nan, 1, 0.5, 0.1, 0.1, 0.1), run(nan, 1, 1, 1, 0.9, 0.9), ""},
		"gap":              {run(0.5, 1, 0.5, 0.1, 0.1, 0.1), run(5, 1, 1, 1, 0.9, 0.9), "where the duality gap is 5 % of the first"},
		"another was less": {run(nan, 1, 0.5, 0.1, 0.1, 0.1), run(nan, 1, 0.2, 0.05, 0.1, 0.2), "5.3 % of its first distance above the least f that a run saw"},
		"itself was less":  {run(nan, 1, 0.05, 0.1, 0.1, 0.1), run(nan, 1, 1, 1, 0.9, 0.9), "5.3 % of its first distance"},
		"never moved":      {run(nan, 1, 1, 1, 1, 1), run(nan, 1, 2, 2, 2, 2), "and is no less than where the run began"},
	} {
		got, err := Tune([]float64{1, 2, 3}, 3, fwopt.Budget{Steps: 100}, func(x float64, _ uint64, b fwopt.Budget) *fwopt.Trace {
			if x == 2 {
				return c.best
			}
			return c.other
		})
		said := strings.Join(got.Doubts, "; ")
		if err != nil || got.Best != 2 || !strings.Contains(said, c.want) || (c.want == "") != (said == "") || c.want != "" && !strings.HasPrefix(said, "f stands still in the last half of the budget at the best value, 2, ") {
			t.Errorf("%s: best %g, %q, want %q", name, got.Best, said, c.want)
		}
	}
}

// With the L of f itself in the place of s·L, STORC of Section 5 makes steps of nothing; it is doubted.
func TestTuneStillSTORC(t *testing.T) {
	f, omega := small.Problem()
	L := f.(interface{ Smoothness() float64 }).Smoothness()
	tune := func(m func(c float64) fwopt.Method, grid ...float64) []string {
		got, err := Tune(grid, 2, fwopt.Budget{Steps: 400, DualityGap: true}, func(c float64, seed uint64, b fwopt.Budget) *fwopt.Trace {
			return fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, seed), m(c), b)
		})
		if err != nil {
			t.Fatal(err)
		}
		return got.Doubts
	}
	storc := tune(func(c float64) fwopt.Method { return fwopt.STORCExperiments(fwopt.Constants{L: c * L, D: math.Sqrt2}) }, 1, 1.5, 2)
	if said := strings.Join(storc, "; "); !strings.Contains(said, "stands still") {
		t.Errorf("STORC: %q", said)
	}
	if said := strings.Join(tune(func(c float64) fwopt.Method { return fwopt.SGDExperiments(c) }, 0.01, 0.1, 1), "; "); strings.Contains(said, "stands still") {
		t.Errorf("SGD: %q", said)
	}
}

// Two constants: each value of one with each of the other, and the grid grows on the side where the best is.
func TestTuneTwo(t *testing.T) {
	runs := 0
	bowl := func(c, d float64, seed uint64, b fwopt.Budget) *fwopt.Trace {
		runs++
		return ended(math.Pow(math.Log2(c)-3, 2)/1000 + math.Pow(math.Log2(d)+2, 2)/1000 + []float64{0, 0.4, 0.001}[seed-1])
	}
	got, err := TuneTwo(powers(1, 5), powers(-1, 1), 3, fwopt.Budget{Steps: 1024}, bowl)
	if err != nil || got.Best != 8 || got.Second != 0.25 || len(got.Doubts) > 0 {
		t.Errorf("best %g and %g, %q, %v", got.Best, got.Second, got.Doubts, err)
	}
	if n := len(got.Rounds[0]); n != 25 { // 5 × 3, and two more of the second
		t.Errorf("%d pairs", n)
	}
	rows := got.Rows()
	if head := strings.Join(rows[0][:2], ", "); head != "value, second value" || len(rows) != 26 || len(rows[1]) != len(rows[0]) {
		t.Errorf("%q", rows[:2])
	}
	i := slices.IndexFunc(rows, func(r []string) bool { return r[0] == "8" && r[1] == "0.25" })
	if i < 0 || rows[i][len(rows[i])-2] != "0.001" {
		t.Errorf("%q", rows[i])
	}
	got, _ = TuneTwo(powers(2, 4), powers(0, 2), 1, fwopt.Budget{Steps: 8}, func(c, d float64, _ uint64, _ fwopt.Budget) *fwopt.Trace {
		return ended(math.Abs(math.Log2(c)-3)/100 + 1/(1+d))
	})
	if said := strings.Join(got.Doubts, "; "); said != "the best second value, 256, is the largest of the grid: try larger ones" {
		t.Errorf("%q", said)
	}
	_, err = TuneTwo(powers(2, 4), powers(0, 2), 1, fwopt.Budget{Steps: 8}, func(c, d float64, _ uint64, _ fwopt.Budget) *fwopt.Trace { return nil })
	if err == nil || !strings.Contains(err.Error(), "at the value 4, 1 and seed 1") {
		t.Errorf("%v", err)
	}
}

// Stop loses nothing that is done.
func TestTuneInterrupted(t *testing.T) {
	runs := 0
	got, err := Tune(powers(0, 5), 2, fwopt.Budget{Linear: 7}, func(c float64, seed uint64, b fwopt.Budget) *fwopt.Trace {
		if runs++; runs == 15 {
			return &fwopt.Trace{Status: fwopt.Interrupted}
		}
		return ended(1 / c)
	})
	if err == nil || !strings.Contains(err.Error(), "in round 2 of 2, at the value 16 and seed 1") {
		t.Errorf("%v", err)
	}
	if len(got.Rounds) != 2 || len(got.Rounds[0]) != 6 || len(got.Rounds[1]) != 1 || !math.IsNaN(got.Best) {
		t.Errorf("%+v", got)
	}
	if rows := got.Rows(); len(rows) != 7 {
		t.Errorf("%q", rows)
	}
}

func TestTunePanics(t *testing.T) {
	run := func(c float64, _ uint64, b fwopt.Budget) *fwopt.Trace { return ended(c) }
	steps := fwopt.Budget{Steps: 10}
	for want, f := range map[string]func(){
		"fwrate: Tune of 0 values":          func() { Tune(nil, 1, steps, run) },
		"fwrate: Tune of 1 values on 0":     func() { Tune([]float64{1}, 0, steps, run) },
		"fwrate: a grid that does not rise": func() { Tune([]float64{1, 1}, 1, steps, run) },
		"fwrate: a grid that does not":      func() { Tune([]float64{0, 1}, 1, steps, run) },
		"fwrate: a grid that":               func() { Tune([]float64{1, math.NaN()}, 1, steps, run) },
		"fwrate: Tune: run is nil":          func() { Tune([]float64{1}, 1, steps, nil) },
		"fwrate: TuneTwo: run is nil":       func() { TuneTwo([]float64{1}, []float64{1}, 1, steps, nil) },
		"fwrate: a grid that does not rise from above 0: [2 1]": func() {
			TuneTwo([]float64{1}, []float64{2, 1}, 1, steps, func(c, d float64, _ uint64, _ fwopt.Budget) *fwopt.Trace { return nil })
		},
		"fwrate: Tune divides its budget: ": func() { Tune([]float64{1}, 1, fwopt.Budget{Tolerance: 1}, run) },
		"fwrate: Tune divides its budget": func() {
			Tune([]float64{1}, 1, fwopt.Budget{Steps: 5, Record: fwopt.Geometric(2, 8)}, run)
		},
	} {
		if msg := small.Panics(f); !strings.HasPrefix(msg, want) {
			t.Errorf("%q, want %q", msg, want)
		}
	}
}
