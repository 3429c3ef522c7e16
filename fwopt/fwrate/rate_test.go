package fwrate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

var law = Law{Count: Stochastic, Power: 2, Bound: func(p fwopt.Point) float64 {
	return math.Exp2(-float64(p.T))
}}

// synthetic returns runs of n epochs whose count is 4^t and whose gap is
// c^-t exp(sd·z), with z standard normal.
func synthetic(seeds, n int, c, sd float64, rng *rand.Rand) [][]fwopt.Point {
	runs := make([][]fwopt.Point, seeds)
	for s := range runs {
		for t := 1; t <= n; t++ {
			noise := 1.0
			if sd > 0 {
				noise = math.Exp(sd * rng.NormFloat64())
			}
			runs[s] = append(runs[s], fwopt.Point{T: t, K: 8, Excess: 0.1 * math.Pow(c, -float64(t)) * noise,
				Calls: fwopt.Calls{Exact: t + 1, Stochastic: 1 << (2 * t), Linear: 1 << t}})
		}
	}
	return runs
}

// measured is a rate without an error.
func measured(r *Rate, err error) *Rate {
	if err != nil {
		panic(err)
	}
	return r
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }

// Exact power laws, and logarithmic ones, have their exact slopes.
func TestExact(t *testing.T) {
	for _, c := range []float64{1.5, 2, 3, 4} { // the gap falls by c as the count rises by 4
		runs := synthetic(1, 9, c, 0, nil)
		for i, count := range []Count{Stochastic, Linear} {
			want := math.Log(4-2*float64(i)) / math.Log(c)
			r := measured(Law{Count: count, Power: 2, Bound: law.Bound}.Measure(runs))
			for _, f := range []Fit{r.Long, r.Late} {
				if !near(f.Slope, want) || !near(f.R2, 1) || !near(f.Schedule, want*math.Log2(c)) {
					t.Errorf("c = %g, %v: %+v, want slope %g", c, count, f, want)
				}
				if x := r.Mean[5]; !near(f.Intercept-f.Slope*math.Log(x.Excess), math.Log(x.Count)) {
					t.Errorf("c = %g, %v: the line misses its points", c, count)
				}
			}
		}
		// T+1 exact gradients: 1/ln c per e-fold
		l := Law{Count: Exact, Bound: law.Bound}
		f := measured(l.Measure(runs)).Long
		if !near(f.Slope, 1/math.Log(c)) || !near(f.Schedule, 1/math.Ln2) || !near(f.R2, 1) {
			t.Errorf("c = %g: %+v", c, f)
		}
		// a count that stays where it is
		for i := range runs[0] {
			runs[0][i].Calls.Exact = 7
		}
		if f := measured(l.Measure(runs)).Long; !near(f.Slope, 0) || f.R2 != 1 {
			t.Errorf("%+v", f)
		}
	}
}

// The windows of the rule, and what they are called.
func TestWindows(t *testing.T) {
	for n, want := range map[int][2]int{7: {1, 3}, 8: {2, 4}, 10: {2, 5}, 14: {3, 7}, 100: {25, 50}} {
		if long, late, err := windows(n); [2]int{long, late} != want || err != nil {
			t.Errorf("%d points: %d, %d, %v", n, long, late, err)
		}
	}
	runs := synthetic(3, 8, 2, 0.1, rand.New(rand.NewPCG(1, 1)))
	if r := measured(law.Measure(runs)); r.Long.Window != "t = 3–8" || r.Late.Window != "t = 5–8" ||
		r.Runs != 3 {
		t.Errorf("%+v", r)
	}
	for _, run := range runs {
		for i := range run {
			run[i].T, run[i].K = 1, 10*(i+1)
		}
	}
	one := Law{Count: Stochastic, Power: 2}
	if r := measured(one.Measure(runs)); r.Long.Window != "k = 30–80" || r.Late.Window != "k = 50–80" {
		t.Errorf("%+v", r)
	}
}

// The interval has the true slope 2 about 95 times of 100.
func TestCoverage(t *testing.T) {
	for _, c := range []struct {
		repeats, draws, seeds   int
		between, within, lo, hi float64
	}{
		{200, 1, 5, 0, 0.3, 0.84, 0.96}, // too few seeds: see Measure
		{500, 1, 10, 0, 0.3, 0.90, 0.98},
		{500, 1, 20, 0, 0.3, 0.90, 0.98},
		{200, 12, 3, 0.05, 0.1, 0.90, 0.99},
	} {
		if testing.Short() {
			c.repeats, c.lo, c.hi = c.repeats/5, c.lo-0.04, 1
		}
		hits := 0.0
		for _, f := range Seeds(c.repeats, func(seed uint64) Fit {
			rng := rand.New(rand.NewPCG(seed, uint64(c.draws*c.seeds)))
			var all [][][]fwopt.Point
			for range c.draws {
				runs := synthetic(c.seeds, 8, 2, c.within, rng)
				bend := c.between * rng.NormFloat64() // a slope of the draw's own
				for _, run := range runs {
					for i := range run {
						run[i].Excess *= math.Exp(bend * float64(i-5))
					}
				}
				all = append(all, runs)
			}
			return measured(law.Measure(all...)).Long
		}) {
			if f.Lo <= 2 && 2 <= f.Hi {
				hits++
			}
			if !f.measured() || !(f.Lo < f.Slope && f.Slope < f.Hi) {
				t.Errorf("%+v", f)
			}
		}
		if got := hits / float64(c.repeats); got < c.lo || got > c.hi {
			t.Errorf("%d draws of %d seeds: the interval covers in %.3f of %d repeats", c.draws, c.seeds,
				got, c.repeats)
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
		for _, run := range draws[len(draws)-1] {
			for i := range run {
				run[i].Calls.Linear += rng.IntN(1 + run[i].Calls.Linear)
			}
		}
	}
	means := func(runs [][]fwopt.Point, i int) (gap, count float64) {
		for _, run := range runs {
			gap += run[i].Excess / float64(len(runs))
			count += float64(run[i].Calls.Linear) / float64(len(runs))
		}
		return gap, count
	}
	regress := func(runs [][]fwopt.Point, from int) float64 {
		var x, y []float64
		for i := from; i < 9; i++ {
			gap, count := means(runs, i)
			x, y = append(x, -math.Log(gap)), append(y, math.Log(count))
		}
		return stat.Covariance(x, y, nil) / stat.Variance(x, nil)
	}
	l := Law{Count: Linear, Power: 1, Bound: law.Bound}
	r, all, ratio := measured(l.Measure(draws...)), slices.Concat(draws...), 0.0
	if !near(r.Long.Slope, regress(all, 2)) || !near(r.Late.Slope, regress(all, 4)) {
		t.Errorf("%v, %v; want %g, %g", r.Long, r.Late, regress(all, 2), regress(all, 4))
	}
	for i, m := range r.Mean {
		gap, count := means(all, i)
		bound := math.Exp2(-float64(i + 1))
		ratio = max(ratio, gap/bound)
		low, high := r.Least[i], r.Most[i]
		if !near(m.Excess, gap) || !near(m.Count, count) || r.Schedule[i] != (Pair{bound, m.Count}) ||
			!(low.Excess < gap && gap < high.Excess && low.Count < count && count < high.Count) {
			t.Errorf("point %d: %v, %v, %v, schedule %v", i, low, m, high, r.Schedule[i])
		}
	}
	if !near(r.Ratio, ratio) || r.Runs != 12 || len(r.Draws) != 3 {
		t.Errorf("ratio %g, want %g; %d runs", r.Ratio, ratio, r.Runs)
	}
	for d, runs := range draws {
		alone := measured(l.Measure(runs))
		if want := regress(runs, 2); !near(r.Draws[d], want) || !near(alone.Long.Slope, want) ||
			alone.Draws != nil {
			t.Errorf("draw %d: %g, alone %+v, want %g", d, r.Draws[d], alone, want)
		}
	}
	// the bounds for the gaps
	s := measured(l.Scheduled(draws...)).Long
	if !near(s.Slope, s.Schedule) || !near(s.Slope, r.Long.Schedule) || !s.measured() {
		t.Errorf("%+v", s)
	}
}

// First hits of runs whose gap halves in steps that are known.
func TestFirstHit(t *testing.T) {
	gaps := func(g ...float64) (run []fwopt.Point) {
		for i, x := range g {
			run = append(run, fwopt.Point{T: i + 1, K: 8, Excess: x,
				Calls: fwopt.Calls{Stochastic: 10 * (i + 1)}})
		}
		return run
	}
	// ε = √½, ½, …, 1/16: from below 1, the least first gap, to what both reach
	a := gaps(1, 0.6, 0.5, 0.7, 0.2, 0.1, 0.06)
	b := gaps(2, 0.5, 0.3, 0.25, 0.1, 0.0625, 0.01)
	r := measured(law.FirstHit([][]fwopt.Point{a, b}))
	var counts []float64
	for j, p := range r.Mean {
		if counts = append(counts, p.Count); !near(p.Excess, math.Exp2(-float64(j+1)/2)) {
			t.Errorf("point %d is %v", j, p)
		}
	}
	if want := []float64{20, 25, 40, 45, 55, 55, 65, 65}; !slices.Equal(counts, want) {
		t.Errorf("%v, want %v", counts, want)
	}
	if r.Least[1].Count != 20 || r.Most[1].Count != 30 || r.Long.Window != "ε = 0.35–0.062" {
		t.Errorf("%v, %v, %q", r.Least[1], r.Most[1], r.Long.Window)
	}
	// the checkpoints about the last half, of 55 to 65, are 50, 60 and 70, where the bound halves
	if want := math.Log2(70./50) / 2; !near(r.Late.Schedule, want) {
		t.Errorf("schedule %g, want %g", r.Late.Schedule, want)
	}
	// about the long one, of 40 to 65, there is 40 too
	if want := (1.5*math.Log2(70./40) + 0.5*math.Log2(60./50)) / 5; !near(r.Long.Schedule, want) {
		t.Errorf("schedule %g, want %g", r.Long.Schedule, want)
	}
}

// Seeds that differ little hit at the same epoch ends: the interval of the first
// hits has no width, and what is printed says so.
func TestSetByTheSchedule(t *testing.T) {
	runs := synthetic(10, 7, 2.1, 0.002, rand.New(rand.NewPCG(1, 1)))
	if f := measured(law.Measure(runs)).Long; !f.measured() || !strings.HasPrefix(f.String(), "1.8") {
		t.Errorf("%v", f)
	}
	for name, by := range map[string]func(...[][]fwopt.Point) (*Rate, error){
		"first hit": law.FirstHit, "schedule": law.Scheduled} {
		r, same := measured(by(runs)), measured(by(runs, runs, runs))
		for _, fit := range []Fit{r.Long, r.Late, same.Long} {
			if fit.measured() || !strings.HasPrefix(fit.String(), "set by the schedule (") {
				t.Errorf("%s: %v", name, fit)
			}
		}
	}
	// a single run, or the same again, is not the schedule, and no interval either
	for _, alike := range [][][]fwopt.Point{runs[:1], {runs[0], runs[0], runs[0]}} {
		f := measured(law.Measure(alike)).Long
		if f.measured() || !strings.HasSuffix(f.String(), " (identical runs)") {
			t.Errorf("%v", f)
		}
		if f := measured(law.Scheduled(alike)).Long; f.String() != "set by the schedule (2.000)" {
			t.Errorf("%v", f)
		}
	}
	// two single runs of two draws are a measurement
	r := measured(law.Measure(runs[:1], runs[1:2]))
	if f := r.Long; !f.measured() || f.Lo < slices.Min(r.Draws)-1e-9 || f.Hi > slices.Max(r.Draws)+1e-9 {
		t.Errorf("%v, draws %v", f, r.Draws)
	}
}

// What cannot be fitted is named, by draw, seed and checkpoint.
func TestErrors(t *testing.T) {
	fresh := func() [][]fwopt.Point { return synthetic(3, 8, 2, 0.1, rand.New(rand.NewPCG(1, 1))) }
	one := func(change func(p *fwopt.Point)) [][][]fwopt.Point {
		bad := fresh()
		change(&bad[2][4])
		return [][][]fwopt.Point{fresh(), bad}
	}
	short, flat := fresh(), synthetic(1, 8, 1, 0, nil)
	short[1] = short[1][1:]
	const at, positive = "draw 2, seed 3, checkpoint 5 (t = 5, k = 8): ", ", want a positive number"
	for _, c := range []struct {
		draws [][][]fwopt.Point
		want  string
	}{
		{nil, "there are no points"},
		{[][][]fwopt.Point{nil}, "there are no points"},
		{[][][]fwopt.Point{{nil}}, "there are no points"},
		{one(func(p *fwopt.Point) { p.Excess = 0 }), at + "excess 0" + positive},
		{one(func(p *fwopt.Point) { p.Excess = -1e-20 }), at + "excess -1e-20" + positive},
		{one(func(p *fwopt.Point) { p.Excess = math.NaN() }), at + "excess NaN" + positive},
		{one(func(p *fwopt.Point) { p.Excess = math.Inf(1) }), at + "excess +Inf" + positive},
		{one(func(p *fwopt.Point) { p.Calls.Stochastic = 0 }), at + "0 stochastic gradients"},
		{one(func(p *fwopt.Point) { p.Calls.Stochastic = -3 }), at + "-3 stochastic gradients"},
		{one(func(p *fwopt.Point) { p.T = 20 }),
			"draw 2, seed 3, checkpoint 5 (t = 20, k = 8): the first run has t = 5, k = 8 there"},
		{[][][]fwopt.Point{fresh(), fresh()[1:]}, "draw 2 has 2 seeds, draw 1 has 3"},
		{[][][]fwopt.Point{short}, "draw 1, seed 2 has 7 checkpoints, the first run has 8"},
		{[][][]fwopt.Point{synthetic(3, 6, 2, 0.1, rand.New(rand.NewPCG(1, 1)))},
			"the later half of 6 points has 3, want at least 4"},
		{[][][]fwopt.Point{flat}, "no line through t = 3–8: "},
	} {
		if _, err := law.Measure(c.draws...); err == nil ||
			!strings.HasPrefix(err.Error(), "fwrate: "+c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	for bound, want := range map[float64]string{0: "bound 0" + positive, math.Inf(1): "bound +Inf" + positive,
		1: "or the bounds, are the same"} {
		l := Law{Count: Stochastic, Power: 2, Bound: func(fwopt.Point) float64 { return bound }}
		if _, err := l.Measure(fresh()); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	few := synthetic(3, 3, 2, 0.1, rand.New(rand.NewPCG(1, 1)))
	if _, err := law.FirstHit(few); err == nil || !strings.Contains(err.Error(), "the later half of ") {
		t.Errorf("%v", err)
	}
	for want, l := range map[string]Law{
		"fwrate: a Law with f* known within -1": {Count: Stochastic, Power: 2, Bound: law.Bound, Within: -1},
		"fwrate: a Law without a Count":         {Power: 1, Bound: law.Bound},
		"fwrate: a Law of power -1":             {Count: Stochastic, Power: -1, Bound: law.Bound},
	} {
		if got := small.Panics(func() { l.Measure(fresh()) }); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Without a bound the slopes are the same, and what would follow from it is left out.
func TestWithoutBound(t *testing.T) {
	runs := synthetic(10, 8, 2, 0.05, rand.New(rand.NewPCG(1, 1)))
	for _, power := range []float64{2, 0} {
		with, less := Law{Count: Stochastic, Power: power, Bound: law.Bound},
			Law{Count: Stochastic, Power: power}
		for name, by := range map[string]func(l Law) (*Rate, error){
			"Measure":  func(l Law) (*Rate, error) { return l.Measure(runs[:5], runs[5:]) },
			"FirstHit": func(l Law) (*Rate, error) { return l.FirstHit(runs) },
		} {
			want, got := measured(by(with)), measured(by(less))
			row, full := got.Row("SVRF"), want.Row("SVRF")
			if full[4] = "–"; !slices.Equal(row, full) || got.String() != want.String() {
				t.Errorf("%s: %q, with the bound %q", name, row, full)
			}
			if row := (Cell{"SVRF", "simplex", "", got}).Row(); row[7] != "–" ||
				strings.Contains(fmt.Sprint(row), "NaN") {
				t.Errorf("%s: %q", name, row)
			}
			if got.Schedule != nil || !math.IsNaN(got.Ratio) || !math.IsNaN(got.Long.Schedule) {
				t.Errorf("%s: %v, %g, %g", name, got.Schedule, got.Ratio, got.Long.Schedule)
			}
		}
		msg := small.Panics(func() { less.Scheduled(runs) })
		if !strings.HasPrefix(msg, "fwrate: Scheduled goes by the bound") {
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
		run = append(run, fwopt.Point{T: 1, K: 1 + k, Excess: math.Exp2(-float64(k)),
			Calls: fwopt.Calls{Stochastic: count}})
	}
	for power, want := range map[float64][]float64{2: {2, 2, 2, 2, 3, 3, 3},
		0: {3 / math.Ln2, 12 / math.Ln2, 48 / math.Ln2}} {
		got := measured(Law{Count: Stochastic, Power: power}.Measure([][]fwopt.Point{run})).Local()
		if len(got) != 7 || !floats.EqualApprox(got[:len(want)], want, 1e-12) {
			t.Errorf("power %g: %v, want %v", power, got, want)
		}
	}
}

func TestRow(t *testing.T) {
	runs := synthetic(10, 8, 2, 0.05, rand.New(rand.NewPCG(1, 1)))
	r := measured(law.Measure(runs[:5], runs[5:]))
	want := []string{"SVRF", "2", r.Long.String(), r.Late.String(), "2.000, 2.000", "no spread"}
	if row := r.Row("SVRF"); !slices.Equal(row, want) || len(row) != len(Head()) {
		t.Errorf("%q", row)
	}
	r.Draws = []float64{2.1, 1.9}
	if row := r.Row("SVRF"); row[5] != "1.900 to 2.100" {
		t.Errorf("%q", row)
	}
	row := measured(Law{Count: Stochastic, Bound: law.Bound}.Measure(runs)).Row("STORC")
	if row[1] != "ln" || row[5] != "–" || strings.ContainsAny(row[2]+row[4], "+-") ||
		!strings.HasPrefix(row[4], "1.561e4, ") {
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
		{Fit{Slope: 0.9, Lo: 0.9, Hi: 0.900002}, "0.900 (no spread)"},
		{Fit{Slope: 1.976, Lo: 1.9701, Hi: 1.9799}, "1.976 (no spread)"},
		{Fit{Slope: 1.976, Lo: 1.9701, Hi: 1.9801}, "1.976 [1.970, 1.980]"},
		{Fit{Slope: 1.4427, Lo: 1.4, Hi: 1.5, log: true}, "1.443 [1.4, 1.5]"},
		{Fit{Slope: 12345, Lo: 1e-7, Hi: 20000, log: true}, "1.234e4 [1e−7, 2e4]"},
	} {
		if got := c.f.String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
