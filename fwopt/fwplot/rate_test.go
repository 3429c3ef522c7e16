package fwplot

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// invented returns a rate of runs whose gap is ratio times the bound with much
// noise, where the count is (1/gap)^power but for a bend.
func invented(power, theory, ratio, noise float64, seeds, n int, bend ...float64) *fwrate.Rate {
	rng := rand.New(rand.NewPCG(2, 1))
	runs := make([][]fwopt.Point, seeds)
	for s := range runs {
		for t := 1; t <= n; t++ {
			count := 100 * math.Pow(2, power*float64(t))
			for _, b := range bend {
				count *= math.Exp(-b * math.Pow(float64(t)-float64(n+1)/2, 2))
			}
			runs[s] = append(runs[s],
				fwopt.Point{T: t, K: 8,
					Excess: ratio * math.Exp2(-float64(t)) * math.Exp(noise*rng.NormFloat64()),
					Calls:  fwopt.Calls{Linear: int(count * math.Exp(noise/2*rng.Float64()))}})
		}
	}
	r, err := fwrate.Law{Count: fwrate.Linear, Power: theory,
		Bound: func(p fwopt.Point) float64 { return math.Exp2(-float64(p.T)) }}.Measure(runs)
	if err != nil {
		panic(err)
	}
	return r
}

// rates are rates of many shapes.
func rates() map[string]*fwrate.Rate {
	aside := invented(2, 2, 0.2, 0.1, 5, 8)
	aside.Late.Intercept -= 1.5 // a line to the right of its dots
	return map[string]*fwrate.Rate{
		"aside":   aside,
		"plain":   invented(2, 2, 0.2, 0.1, 5, 8),
		"exact":   invented(2, 2, 0.2, 0, 1, 8),
		"noisy":   invented(1, 1, 0.1, 0.5, 10, 12),
		"far":     invented(1, 3, 1e-6, 0.3, 10, 8), // from the bound
		"over":    invented(2, 1, 20, 0.3, 10, 8),   // the bound
		"near":    invented(2, 2, 3, 0.01, 10, 8),
		"bent":    invented(5, 5, 0.3, 0, 1, 8, 0.4),
		"steep":   invented(4, 4, 0.2, 0.3, 10, 8),
		"shallow": invented(0.3, 1, 0.2, 0.3, 10, 8),
		"half":    invented(0.5, 0.5, 0.2, 0.3, 10, 8),
		"wild":    invented(1, 2, 0.2, 2, 10, 8),
		"long":    invented(1, 1, 0.2, 0.1, 3, 40),
		"ln":      invented(0.2, 0, 0.2, 0.3, 10, 8),
	}
}

// The grey line has the theory's slope, lies on the plot, and touches no dot, bar or fitted
// line, nor the bound.
func TestRateTheory(t *testing.T) {
	for name, r := range rates() {
		if r.Power == 0 {
			continue
		}
		p := Rate("MSC", name, r)
		at := func(q xy) xy {
			return xy{p.X.Scale.Normalize(p.X.Min, p.X.Max, q.x), p.Y.Scale.Normalize(p.Y.Min, p.Y.Max, q.y)}
		}
		a, b := beside(r)
		if slope := math.Log(b.y/a.y) / math.Log(b.x/a.x); math.Abs(slope-r.Power) > 1e-9 {
			t.Errorf("%s: slope %g, want %g", name, slope, r.Power)
		}
		a, b = at(a), at(b)
		if !(a.x > 0 && b.x < 1 && a.y > 0.03 && b.y < 1) {
			t.Errorf("%s: from %v to %v", name, a, b)
		}
		check := func(what string, gap, count float64) {
			q := at(xy{1 / gap, count})
			if s := (q.y - a.y) / (b.y - a.y); s > 0 && s < 1 && q.x > mix(a.x, b.x, s)-0.01 {
				t.Errorf("%s: %s at %v on the line from %v to %v", name, what, q, a, b)
			}
		}
		for i, m := range r.Mean {
			for s := range 101 {
				u := float64(s) / 100
				check("bar", mix(r.Least[i].Excess, r.Most[i].Excess, u), m.Count)
				check("bar", m.Excess, mix(r.Least[i].Count, r.Most[i].Count, u))
				if i > r.Late.From {
					gap := math.Exp(mix(math.Log(m.Excess), math.Log(r.Mean[i-1].Excess), u))
					check("line", gap, math.Exp(r.Late.Intercept-r.Late.Slope*math.Log(gap)))
				}
				if q := r.Schedule; i > 0 {
					check("bound", math.Exp(mix(math.Log(q[i].Excess), math.Log(q[i-1].Excess), u)),
						math.Exp(mix(math.Log(q[i].Count), math.Log(q[i-1].Count), u)))
				}
			}
		}
	}
}

// What the figure says is what was measured, and all of it is on the plot.
func TestRate(t *testing.T) {
	for name, r := range rates() {
		p := Rate("MSC", "SVRF, "+name, r)
		k := keyOf(p)
		last := r.Mean[len(r.Mean)-1]
		if len(k.entries) != 1 || k.entries[0].name != "SVRF, "+name || k.entries[0].last != last.Count ||
			k.entries[0].style.Width != 0 {
			t.Fatalf("%s: %+v", name, k.entries)
		}
		f := bundle(p)
		shown := string(f.SVG)
		slope := ">" + onLine(r)
		if !strings.Contains(shown, slope+"<") ||
			strings.Contains(shown, fmt.Sprintf(">theory %g<", r.Power)) != (r.Power > 0) {
			t.Errorf("%s: no slope%s in the figure, or not the theory's", name, slope)
		}
		if strings.Contains(shown, ">per factor e<") != (r.Power == 0) || !strings.Contains(shown, ">MSC<") {
			t.Errorf("%s: the strip does not say what its slopes are, or there is no title", name)
		}
		if isLog(p.Y) != (r.Power > 0) || !isLog(p.X) || p.Y.Label.Text != "linear optimisations" ||
			p.X.Label.Text != "1/gap" {
			t.Errorf("%s: logarithmic axes: %v, %v", name, isLog(p.X), isLog(p.Y))
		}
		for _, ps := range [][]fwrate.Pair{r.Mean, r.Least, r.Most} {
			for _, q := range ps {
				if 1/q.Excess < p.X.Min || 1/q.Excess > p.X.Max || q.Count < p.Y.Min || q.Count > p.Y.Max {
					t.Errorf("%s: %v is not on the plot", name, q)
				}
			}
		}
		// of the bound what fits, and never more than the dots
		first, least := math.Inf(1), math.Inf(1)
		for _, q := range r.Least {
			first = min(first, 1/q.Excess)
		}
		for _, q := range slices.Concat(r.Mean, r.Most) {
			first = min(first, 1/q.Excess)
		}
		for _, q := range r.Schedule {
			least = min(least, 1/q.Excess)
		}
		if wide := math.Log(p.X.Max / p.X.Min); math.Log(first/p.X.Min) > 0.5*wide {
			t.Errorf("%s: the bound takes more than half of the width", name)
		} else if math.Log(first/least) < 0.3*wide && p.X.Min > least {
			t.Errorf("%s: a bound that is near is not in view", name)
		}
		// the strip has the slopes from dot to dot, between these
		strip := keyOf(k.strip).entries[0].xy
		for i, s := range r.Local() {
			x := 1 / math.Sqrt(r.Mean[i].Excess*r.Mean[i+1].Excess)
			if finite(s) && !slices.ContainsFunc(strip, func(q xy) bool {
				return q.y == s && math.Abs(q.x/x-1) < 1e-12
			}) {
				t.Errorf("%s: slope %g at %g is not in the strip %v", name, s, x, strip)
			}
		}
		if lo, hi := min(r.Late.Slope, r.Power), max(r.Late.Slope, r.Power); r.Power > 0 &&
			!(k.strip.Y.Min < lo && hi < k.strip.Y.Max) {
			t.Errorf("%s: strip from %g to %g", name, k.strip.Y.Min, k.strip.Y.Max)
		}
		if f.Height < figHeight+80 {
			t.Errorf("%s: no room for the strip", name)
		}
	}
}

// Without a bound nothing is shaded, and the rest is drawn as with one.
func TestRateWithoutBound(t *testing.T) {
	all := rates()
	for _, name := range []string{"plain", "steep", "ln"} {
		r := all[name]
		less := *r
		less.Bound, less.Schedule, less.Ratio, less.Long.Schedule, less.Late.Schedule = nil, nil, math.NaN(),
			math.NaN(), math.NaN()
		if alt := bundle(Rate("simplex", "SVRF", &less)).Alt; alt != bundle(Rate("simplex", "SVRF", r)).Alt {
			t.Errorf("%s: %q", name, alt)
		}
		count := func(r *fwrate.Rate) (shaded, dashed int) {
			svg := string(bundle(Rate("simplex", "SVRF", r)).SVG)
			return strings.Count(svg, "fill:#767676;fill-opacity"),
				strings.Count(svg, "stroke:#999999;stroke-dasharray:4,3")
		}
		shaded, dashed := count(&less)
		if s, d := count(r); shaded+dashed > 0 || name == "plain" && (s != 1 || d != 1) {
			t.Errorf("%s: shaded %d times, dashed %d; with the bound %d and %d", name, shaded, dashed, s, d)
		}
		cell := fwrate.Cell{Name: "SVRF", On: "simplex", Verdict: "a", Rate: &less}
		msg := small.Panics(func() { bundle(Slopes([]fwrate.Cell{cell}, "a")) })
		if want := "fwplot: SVRF on simplex is a logarithmic law"; strings.HasPrefix(msg,
			want) != (r.Power == 0) || r.Power > 0 && msg != "" {
			t.Errorf("%s: %q", name, msg)
		}
	}
}
