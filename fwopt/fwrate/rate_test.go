package fwrate

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
)

var law = Law{Count: Stochastic, Power: 2, Bound: func(p fwopt.Point) float64 { return math.Exp2(-float64(p.T)) }}

// synthetic returns runs of n epochs whose count is 4^t and whose gap is
// c^-t exp(sd·z), with z standard normal.
func synthetic(seeds, n int, c, sd float64, rng *rand.Rand) [][]fwopt.Point {
	runs := make([][]fwopt.Point, seeds)
	for s := range runs {
		for t := 1; t <= n; t++ {
			runs[s] = append(runs[s], fwopt.Point{T: t, K: 8, Excess: 0.1 * math.Pow(c, -float64(t)) * math.Exp(sd*rng.NormFloat64()),
				Calls: fwopt.Calls{Exact: t + 1, Stochastic: 1 << (2 * t), Linear: 1 << t}})
		}
	}
	return runs
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }

// Exact power laws, and logarithmic ones, have their exact slopes.
func TestExact(t *testing.T) {
	for _, c := range []float64{1.5, 2, 3, 4} { // the gap falls by c as the count rises by 4
		runs := synthetic(1, 9, c, 0, rand.New(rand.NewPCG(1, 1)))
		for i, count := range []Count{Stochastic, Linear} {
			l, want := law, math.Log(4-2*float64(i))/math.Log(c)
			l.Count = count
			r, err := l.Measure(runs)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range []Fit{r.Long, r.Late} {
				if !near(f.Slope, want) || !near(f.R2, 1) || !near(f.Schedule, want*math.Log2(c)) || f.Points != 9-f.From {
					t.Errorf("c = %g, %v: %+v, want slope %g", c, count, f, want)
				}
				if x := r.Mean[5]; !near(f.Intercept-f.Slope*math.Log(x.Excess), math.Log(x.Count)) {
					t.Errorf("c = %g, %v: the line misses its points", c, count)
				}
			}
		}
		// T+1 exact gradients: 1/ln c per e-fold
		l := Law{Count: Exact, Bound: law.Bound}
		r, err := l.Measure(runs)
		if err != nil {
			t.Fatal(err)
		}
		if f := r.Long; !near(f.Slope, 1/math.Log(c)) || !near(f.Schedule, 1/math.Ln2) || !near(f.R2, 1) {
			t.Errorf("c = %g: %+v", c, f)
		}
		// a count that stays where it is
		for i := range runs[0] {
			runs[0][i].Calls.Exact = 7
		}
		if r, err := l.Measure(runs); err != nil || !near(r.Long.Slope, 0) || r.Long.R2 != 1 {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

// The windows of the rule, and what they are called.
func TestWindows(t *testing.T) {
	for _, c := range []struct{ n, long, late int }{{7, 1, 3}, {8, 2, 4}, {10, 2, 5}, {14, 3, 7}, {100, 25, 50}} {
		if long, late, err := Windows(c.n); long != c.long || late != c.late || err != nil {
			t.Errorf("%d points: %d, %d, %v", c.n, long, late, err)
		}
	}
	for n := range 7 {
		if _, _, err := Windows(n); err == nil || !strings.HasPrefix(err.Error(), "fwrate: the later half of ") {
			t.Errorf("%d points: %v", n, err)
		}
	}
	runs := synthetic(3, 8, 2, 0.1, rand.New(rand.NewPCG(1, 1)))
	r, err := law.Measure(runs)
	if err != nil || r.Long.Window != "t = 3–8" || r.Late.Window != "t = 5–8" || r.Runs != 3 {
		t.Errorf("%+v, %v", r, err)
	}
	for _, run := range runs {
		for i := range run {
			run[i].T, run[i].K = 1, 10*(i+1)
		}
	}
	one := Law{Count: Stochastic, Power: 2, Bound: func(p fwopt.Point) float64 { return 1 / float64(p.K) }}
	if r, err := one.Measure(runs); err != nil || r.Long.Window != "k = 30–80" || r.Late.Window != "k = 50–80" {
		t.Errorf("%+v, %v", r, err)
	}
}

// cover returns in which share of repeats the interval has the true slope 2.
func cover(t *testing.T, repeats, draws, seeds int, between, within float64) float64 {
	hits := 0
	for _, f := range Seeds(repeats, func(seed uint64) Fit {
		rng := rand.New(rand.NewPCG(seed, uint64(draws*seeds)))
		var all [][][]fwopt.Point
		for range draws {
			runs := synthetic(seeds, 8, 2, within, rng)
			bend := between * rng.NormFloat64() // a slope of the draw's own
			for _, run := range runs {
				for i := range run {
					run[i].Excess *= math.Exp(bend * float64(i-5))
				}
			}
			all = append(all, runs)
		}
		r, err := law.Measure(all...)
		if err != nil {
			panic(err)
		}
		return r.Long
	}) {
		if f.Lo <= 2 && 2 <= f.Hi {
			hits++
		}
		if !f.Measured() || !(f.Lo < f.Slope && f.Slope < f.Hi) {
			t.Errorf("%+v", f)
		}
	}
	return float64(hits) / float64(repeats)
}

// The interval has the true slope about 95 times of 100.
func TestCoverage(t *testing.T) {
	for _, c := range []struct {
		repeats, draws, seeds int
		between, within       float64
		lo, hi                float64
	}{
		{200, 1, 5, 0, 0.3, 0.84, 0.96}, // too few seeds: see Measure
		{500, 1, 10, 0, 0.3, 0.90, 0.98},
		{500, 1, 20, 0, 0.3, 0.90, 0.98},
		{200, 12, 3, 0.05, 0.1, 0.90, 0.99},
	} {
		if testing.Short() {
			c.repeats /= 5
			c.lo, c.hi = c.lo-0.04, 1
		}
		got := cover(t, c.repeats, c.draws, c.seeds, c.between, c.within)
		t.Logf("%d draws of %d seeds: %.3f", c.draws, c.seeds, got)
		if got < c.lo || got > c.hi {
			t.Errorf("%d draws of %d seeds: the interval covers in %.3f of %d repeats", c.draws, c.seeds, got, c.repeats)
		}
	}
}

// What is averaged is the gap and the count, over all no spread; checked by a
// plain regression.
func TestMeasureByHand(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	var draws [][][]fwopt.Point
	for range 3 {
		draws = append(draws, synthetic(4, 9, 2, 0.5, rng))
	}
	for _, runs := range draws {
		for _, run := range runs {
			for i := range run {
				run[i].Calls.Linear += rng.IntN(1 + run[i].Calls.Linear)
			}
		}
	}
	regress := func(runs [][]fwopt.Point, from int) float64 {
		var n, sx, sy, sxx, sxy float64
		for i := from; i < 9; i++ {
			var gap, count float64
			for _, run := range runs {
				gap += run[i].Excess
				count += float64(run[i].Calls.Linear)
			}
			x, y := math.Log(float64(len(runs))/gap), math.Log(count/float64(len(runs)))
			n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
		}
		return (n*sxy - sx*sy) / (n*sxx - sx*sx)
	}
	l := Law{Count: Linear, Power: 1, Bound: law.Bound}
	r, err := l.Measure(draws...)
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Concat(draws...)
	if !near(r.Long.Slope, regress(all, 2)) || !near(r.Late.Slope, regress(all, 4)) {
		t.Errorf("%v, %v; want %g, %g", r.Long, r.Late, regress(all, 2), regress(all, 4))
	}
	ratio := 0.
	for i := range 9 {
		sum := 0.
		for _, run := range all {
			sum += run[i].Excess / 12
		}
		ratio = max(ratio, sum/math.Exp2(-float64(i+1)))
		if m := r.Mean[i]; !near(m.Excess, sum) || !(r.Least[i].Excess < m.Excess && m.Excess < r.Most[i].Excess && r.Least[i].Count < m.Count && m.Count < r.Most[i].Count) {
			t.Errorf("point %d: %v, %v, %v", i, r.Least[i], m, r.Most[i])
		}
		if r.Schedule[i] != (Pair{math.Exp2(-float64(i + 1)), r.Mean[i].Count}) {
			t.Errorf("schedule %v", r.Schedule[i])
		}
	}
	if !near(r.Ratio, ratio) || r.Runs != 12 || len(r.Draws) != 3 {
		t.Errorf("ratio %g, want %g; %d runs", r.Ratio, ratio, r.Runs)
	}
	for d, runs := range draws {
		if !near(r.Draws[d], regress(runs, 2)) {
			t.Errorf("draw %d: %g, want %g", d, r.Draws[d], regress(runs, 2))
		}
		alone, err := l.Measure(runs)
		if err != nil || alone.Draws != nil || !near(alone.Long.Slope, r.Draws[d]) {
			t.Errorf("draw %d: %+v, %v", d, alone, err)
		}
	}
	// the bounds for the gaps
	s, err := l.Scheduled(draws...)
	if err != nil || !near(s.Long.Slope, s.Long.Schedule) || !near(s.Long.Slope, r.Long.Schedule) || !s.Long.Measured() || s.Ratio != r.Ratio {
		t.Errorf("%+v, %v", s, err)
	}
}

// First hits of runs whose gap halves in steps that are known.
func TestFirstHit(t *testing.T) {
	gaps := func(g ...float64) (run []fwopt.Point) {
		for i, x := range g {
			run = append(run, fwopt.Point{T: i + 1, K: 8, Excess: x, Calls: fwopt.Calls{Stochastic: 10 * (i + 1)}})
		}
		return run
	}
	// ε = √½, ½, …, 1/16: from below 1, the least first gap, to what both reach
	a := gaps(1, 0.6, 0.5, 0.7, 0.2, 0.1, 0.06)
	b := gaps(2, 0.5, 0.3, 0.25, 0.1, 0.0625, 0.01)
	r, err := law.FirstHit([][]fwopt.Point{a, b})
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{20, 25, 40, 45, 55, 55, 65, 65}
	if len(r.Mean) != len(want) {
		t.Fatalf("%v", r.Mean)
	}
	for j, p := range r.Mean {
		if !near(p.Excess, math.Exp2(-float64(j+1)/2)) || p.Count != want[j] {
			t.Errorf("%v, want %g", p, want[j])
		}
	}
	if r.Least[1].Count != 20 || r.Most[1].Count != 30 || r.Long.Window != "ε = 0.35–0.062" {
		t.Errorf("%v, %v, %q", r.Least[1], r.Most[1], r.Long.Window)
	}
	// the checkpoints about the late window, of 55 to 65, are 50, 60 and 70, where the bound halves
	if want := math.Log2(70./50) / 2; !near(r.Late.Schedule, want) {
		t.Errorf("schedule %g, want %g", r.Late.Schedule, want)
	}
	// about the long one, of 40 to 65, there is 40 too
	if want := (1.5*math.Log2(70./40) + 0.5*math.Log2(60./50)) / 5; !near(r.Long.Schedule, want) {
		t.Errorf("schedule %g, want %g", r.Long.Schedule, want)
	}

	// at dense checkpoints, the slope of the law
	var runs [][]fwopt.Point
	rng := rand.New(rand.NewPCG(1, 1))
	for range 10 {
		var run []fwopt.Point
		for k := 1.; k < 1e6; k *= 1.02 {
			run = append(run, fwopt.Point{T: 1, K: len(run), Excess: math.Pow(k, -0.4) * math.Exp(0.1*rng.NormFloat64()), Calls: fwopt.Calls{Stochastic: int(100 * k)}})
		}
		runs = append(runs, run)
	}
	dense := Law{Count: Stochastic, Power: 2.5, Bound: func(p fwopt.Point) float64 { return 1 / float64(1+p.K) }}
	if r, err = dense.FirstHit(runs); err != nil || math.Abs(r.Long.Slope-2.5) > 0.03 || !r.Long.Measured() || r.Long.Hi-r.Long.Lo > 0.1 {
		t.Errorf("%+v, %v", r.Long, err)
	}
}

// Seeds that differ little hit at the same epoch ends: the interval of the first
// hits has no width, and what is printed says so.
func TestSetByTheSchedule(t *testing.T) {
	runs := synthetic(10, 7, 2.1, 0.002, rand.New(rand.NewPCG(1, 1)))
	g, err := law.Measure(runs)
	if err != nil || !g.Long.Measured() || g.Long.Lo == g.Long.Hi || !strings.HasPrefix(g.Long.String(), "1.8") {
		t.Errorf("%v, %v", g, err)
	}
	for name, f := range map[string]func(...[][]fwopt.Point) (*Rate, error){"first hit": law.FirstHit, "schedule": law.Scheduled} {
		r, err := f(runs)
		if err != nil {
			t.Fatal(err)
		}
		for _, fit := range []Fit{r.Long, r.Late} {
			if fit.Measured() || !strings.HasPrefix(fit.String(), "set by the schedule (") {
				t.Errorf("%s: %v", name, fit)
			}
		}
		if !strings.HasPrefix(r.Row("SVRF")[2], "set by") {
			t.Errorf("%s: %q", name, r.Row("SVRF"))
		}
		if r, _ = f(runs, runs, runs); r.Long.Measured() {
			t.Errorf("%s, draws that are the same: %v", name, r.Long)
		}
	}
	// a single run, or the same again, is not the schedule, and no interval either
	for _, alike := range [][][]fwopt.Point{runs[:1], {runs[0], runs[0], runs[0]}} {
		r, err := law.Measure(alike)
		if err != nil || r.Long.Measured() || !strings.HasSuffix(r.Long.String(), " (identical runs)") {
			t.Errorf("%v, %v", r, err)
		}
		if r, _ = law.Scheduled(alike); r.Long.String() != "set by the schedule (2.000)" {
			t.Errorf("%v", r.Long)
		}
	}
	// two single runs of two draws are a measurement
	if r, _ := law.Measure(runs[:1], runs[1:2]); !r.Long.Measured() || r.Long.Lo < slices.Min(r.Draws)-1e-9 || r.Long.Hi > slices.Max(r.Draws)+1e-9 {
		t.Errorf("%v, draws %v", r.Long, r.Draws)
	}
}

// Same runs, same bits.
func TestSameBits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	f := fwsum.NewQuadratic(8, []float64{0, 2, 0, 2, 0, 2, 0, 2, 2, 0, 2, 0, 2, 0, 2, 0}, slices.Repeat([]float64{0.5, 0.1}, 8))
	var want *Rate
	for _, workers := range []int{1, 2, 7} {
		runtime.GOMAXPROCS(workers)
		runs := Seeds(6, func(seed uint64) []fwopt.Point {
			o := fwopt.NewOracle(f, fwset.Simplex{D: 8, R: 1}, seed)
			b := fwopt.Budget{Record: fwopt.Geometric(1.5, 60), Excess: f.Value}
			return fwopt.Run(context.Background(), o, fwopt.SFWTheorem3(fwopt.Constants{L: 2, D: math.Sqrt2, G: 2}), b).Complete()
		})
		got, err := Law{Count: Linear, Power: 1, Bound: func(p fwopt.Point) float64 { return fwopt.Constants{L: 2, D: math.Sqrt2}.BoundSFW(p.K) }}.Measure(runs)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if got.Long != want.Long || got.Late != want.Late || !slices.Equal(got.Mean, want.Mean) {
			t.Errorf("%d workers: %v, want %v", workers, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	fresh := func() [][]fwopt.Point { return synthetic(3, 8, 2, 0.1, rand.New(rand.NewPCG(1, 1))) }
	set := func(f func(p *fwopt.Point)) func() [][][]fwopt.Point {
		return func() [][][]fwopt.Point {
			bad := fresh()
			f(&bad[2][4])
			return [][][]fwopt.Point{fresh(), bad}
		}
	}
	const at = "fwrate: draw 2, seed 3, checkpoint 5 (t = 5, k = 8): "
	for _, c := range []struct {
		draws func() [][][]fwopt.Point
		want  string
	}{
		{func() [][][]fwopt.Point { return nil }, "fwrate: there are no points"},
		{func() [][][]fwopt.Point { return [][][]fwopt.Point{nil} }, "fwrate: there are no points"},
		{func() [][][]fwopt.Point { return [][][]fwopt.Point{{nil}} }, "fwrate: there are no points"},
		{set(func(p *fwopt.Point) { p.Excess = 0 }), at + "excess 0, want a positive number"},
		{set(func(p *fwopt.Point) { p.Excess = -1e-20 }), at + "excess -1e-20, want a positive number"},
		{set(func(p *fwopt.Point) { p.Excess = math.NaN() }), at + "excess NaN, want a positive number"},
		{set(func(p *fwopt.Point) { p.Excess = math.Inf(1) }), at + "excess +Inf, want a positive number"},
		{set(func(p *fwopt.Point) { p.Calls.Stochastic = 0 }), at + "0 stochastic gradients"},
		{set(func(p *fwopt.Point) { p.Calls.Stochastic = -3 }), at + "-3 stochastic gradients"},
		{set(func(p *fwopt.Point) { p.T = 2000 }), "fwrate: draw 2, seed 3, checkpoint 5 (t = 2000, k = 8): the first run has t = 5, k = 8 there"},
		{func() [][][]fwopt.Point { return [][][]fwopt.Point{fresh(), fresh()[1:]} }, "fwrate: draw 2 has 2 seeds, draw 1 has 3"},
		{func() [][][]fwopt.Point { r := fresh(); r[1] = r[1][1:]; return [][][]fwopt.Point{r} }, "fwrate: draw 1, seed 2 has 7 checkpoints, the first run has 8"},
		{func() [][][]fwopt.Point {
			r := fresh()
			for i := range r {
				r[i] = r[i][:6]
			}
			return [][][]fwopt.Point{r}
		}, "fwrate: the later half of 6 points has 3, want at least 4"},
		{func() [][][]fwopt.Point {
			r := fresh()
			for _, run := range r {
				for i := range run {
					run[i].Excess = 0.3
				}
			}
			return [][][]fwopt.Point{r}
		}, "fwrate: no line through t = 3–8: "},
	} {
		if _, err := law.Measure(c.draws()...); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	for bound, want := range map[float64]string{0: "bound 0, want a positive number", math.Inf(1): "bound +Inf, want a positive number"} {
		l := Law{Count: Stochastic, Power: 2, Bound: func(fwopt.Point) float64 { return bound }}
		if _, err := l.Measure(fresh()); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	flat := Law{Count: Stochastic, Power: 2, Bound: func(fwopt.Point) float64 { return 1 }}
	if _, err := flat.Measure(fresh()); err == nil || !strings.Contains(err.Error(), "or the bounds, are the same") {
		t.Errorf("%v", err)
	}
	if _, err := law.FirstHit(synthetic(3, 3, 2, 0.1, rand.New(rand.NewPCG(1, 1)))); err == nil || !strings.Contains(err.Error(), "the later half of ") {
		t.Errorf("%v", err)
	}
	off := law
	off.Within = -1
	if small.Panics(func() { off.Measure(fresh()) }) == "" || small.Panics(func() { Law{Power: 1, Bound: law.Bound}.Measure(fresh()) }) == "" || small.Panics(func() { Law{Power: -1, Bound: law.Bound}.Measure(fresh()) }) == "" {
		t.Error("a law of no count, of a negative power, or within less than nothing")
	}
}

// Without a bound the slopes are the same, and what would follow from it is left out.
func TestWithoutBound(t *testing.T) {
	runs := synthetic(10, 8, 2, 0.05, rand.New(rand.NewPCG(1, 1)))
	for _, power := range []float64{2, 0} {
		with, less := Law{Count: Stochastic, Power: power, Bound: law.Bound}, Law{Count: Stochastic, Power: power}
		for name, by := range map[string]func(l Law) (*Rate, error){
			"Measure":  func(l Law) (*Rate, error) { return l.Measure(runs[:5], runs[5:]) },
			"FirstHit": func(l Law) (*Rate, error) { return l.FirstHit(runs) },
		} {
			want, err := by(with)
			got, err2 := by(less)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			if got.Long.String() != want.Long.String() || got.Late.String() != want.Late.String() || !slices.Equal(got.Draws, want.Draws) {
				t.Errorf("%s: %v, with the bound %v", name, got, want)
			}
			if row, full := got.Row("SVRF"), want.Row("SVRF"); row[4] != "–" || !slices.Equal(slices.Delete(row, 4, 5), slices.Delete(full, 4, 5)) {
				t.Errorf("%s: %q, with the bound %q", name, row, full)
			}
			if row := (Cell{"SVRF", "simplex", "", got}).Row(); row[7] != "–" || strings.Contains(strings.Join(row, " "), "NaN") {
				t.Errorf("%s: %q", name, row)
			}
			if got.Schedule != nil || !math.IsNaN(got.Ratio) || !math.IsNaN(got.Long.Schedule) {
				t.Errorf("%s: %v, %g, %g", name, got.Schedule, got.Ratio, got.Long.Schedule)
			}
		}
		if msg := small.Panics(func() { less.Scheduled(runs) }); !strings.HasPrefix(msg, "fwrate: Scheduled goes by the bound") {
			t.Errorf("%q", msg)
		}
	}
}

// The local slopes are those of the law that made the points, a bend in it included.
func TestLocal(t *testing.T) {
	var run []fwopt.Point
	for k := range 8 {
		count := 1 << (2 * k) // slope 2, and 3 from the fifth point on
		if k > 4 {
			count <<= k - 4
		}
		run = append(run, fwopt.Point{T: 1, K: 1 + k, Excess: math.Exp2(-float64(k)), Calls: fwopt.Calls{Stochastic: count}})
	}
	for power, want := range map[float64][]float64{2: {2, 2, 2, 2, 3, 3, 3}, 0: {3 / math.Ln2, 12 / math.Ln2, 48 / math.Ln2}} {
		r, err := Law{Count: Stochastic, Power: power, Bound: func(p fwopt.Point) float64 { return math.Exp2(-float64(p.K)) }}.Measure([][]fwopt.Point{run})
		if err != nil {
			t.Fatal(err)
		}
		got := r.Local()
		if len(got) != 7 || !floats.EqualApprox(got[:len(want)], want, 1e-12) {
			t.Errorf("power %g: %v, want %v", power, got, want)
		}
	}
}

func TestRow(t *testing.T) {
	runs := synthetic(10, 8, 2, 0.05, rand.New(rand.NewPCG(1, 1)))
	r, err := law.Measure(runs[:5], runs[5:])
	if err != nil {
		t.Fatal(err)
	}
	row := r.Row("SVRF")
	if len(row) != len(Head()) || row[0] != "SVRF" || row[1] != "2" || row[2] != r.Long.String() || row[3] != r.Late.String() ||
		row[4] != "2.000, 2.000" || row[5] != "alike" {
		t.Errorf("%q", row)
	}
	r.Draws = []float64{2.1, 1.9}
	if row = r.Row("SVRF"); row[5] != "1.900 to 2.100" {
		t.Errorf("%q", row)
	}
	ln := Law{Count: Stochastic, Power: 0, Bound: law.Bound}
	if r, err = ln.Measure(runs); err != nil {
		t.Fatal(err)
	}
	if row = r.Row("STORC"); row[1] != "ln" || row[5] != "–" || strings.ContainsAny(row[2]+row[4], "+-") || !strings.HasPrefix(row[4], "1.561e4, ") {
		t.Errorf("%q", row)
	}
	for _, c := range []struct {
		f    Fit
		want string
	}{
		{Fit{Slope: 1.9449, Lo: 1.9381, Hi: 1.9502}, "1.945 [1.938, 1.950]"},
		{Fit{Slope: -0.5, Lo: -0.6, Hi: -0.4}, "−0.500 [−0.600, −0.400]"},
		{Fit{Slope: 2.054, Lo: 2.054, Hi: 2.054}, "set by the schedule (2.054)"},
		{Fit{Slope: 2.054, Lo: 2.054, Hi: 2.054 + 1e-7}, "set by the schedule (2.054)"},
		{Fit{Slope: 0.99, Lo: 0.99, Hi: 0.99, alike: true}, "0.990 (identical runs)"},
		{Fit{Slope: 2.0694e6, Lo: 2.06e6, Hi: 2.08e12, log: true}, "2.069e6 [2.06e6, 2.08e12]"},
		{Fit{Slope: 0.92841, Lo: 0.92838, Hi: 0.92843}, "0.928 (runs alike)"},
		{Fit{Slope: 0.9, Lo: 0.9, Hi: 0.900002}, "0.900 (runs alike)"},
		{Fit{Slope: 1.976, Lo: 1.9701, Hi: 1.9799}, "1.976 (runs alike)"},
		{Fit{Slope: 1.976, Lo: 1.9701, Hi: 1.9801}, "1.976 [1.970, 1.980]"},
		{Fit{Slope: 2.0737e6, Lo: 2.0736e6, Hi: 2.0739e6, log: true}, "2.074e6 (runs alike)"},
		{Fit{Slope: 1.4427, Lo: 1.4, Hi: 1.5, log: true}, "1.443 [1.4, 1.5]"},
		{Fit{Slope: 12345, Lo: 1e-7, Hi: 20000, log: true}, "1.234e4 [1e−7, 2e4]"},
	} {
		if got := c.f.String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
