package fwplot

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/fwtheory"
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
			runs[s] = append(runs[s], fwopt.Point{T: t, K: 8, Excess: ratio * math.Exp2(-float64(t)) * math.Exp(noise*rng.NormFloat64()),
				Calls: fwopt.Calls{Linear: int(count * math.Exp(noise/2*rng.Float64()))}})
		}
	}
	r, err := fwrate.Law{Count: fwrate.Linear, Power: theory, Bound: func(p fwopt.Point) float64 { return math.Exp2(-float64(p.T)) }}.Measure(runs)
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

// inside reports whether q is in the triangle or within pad of it, where a
// logarithmic axis has length 1.
func inside(q, a, b, c, pad xy) bool {
	return q.x > a.x-pad.x && q.x < b.x+pad.x && q.y > a.y-pad.y && q.y < c.y+pad.y &&
		(q.y-a.y-pad.y)*(b.x-a.x) < (q.x-a.x+pad.x)*(c.y-a.y)
}

// The triangle has the theory's slope, lies on the plot with room for its
// numbers, and touches no dot, bar, fitted line or bound.
func TestRateTriangle(t *testing.T) {
	for name, r := range rates() {
		if r.Power == 0 {
			continue
		}
		p := Rate("MSC", name, r)
		at := func(q xy) xy {
			return xy{p.X.Scale.Normalize(p.X.Min, p.X.Max, q.x), p.Y.Scale.Normalize(p.Y.Min, p.Y.Max, q.y)}
		}
		a, b, c := beside(r)
		if slope := math.Log(c.y/b.y) / math.Log(b.x/a.x); math.Abs(slope-r.Power) > 1e-9 || a.y != b.y || b.x != c.x {
			t.Errorf("%s: a triangle of slope %g, want %g", name, slope, r.Power)
		}
		a, b, c = at(a), at(b), at(c)
		if !(a.x > 0 && b.x < 0.95 && a.y > 0.06 && c.y < 1) {
			t.Errorf("%s: triangle at %v, %v, %v", name, a, b, c)
		}
		check := func(what string, gap, count float64) {
			if q := at(xy{1 / gap, count}); inside(q, a, b, c, xy{0.01, 0.01}) {
				t.Errorf("%s: %s at %v in the triangle %v, %v, %v", name, what, q, a, b, c)
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
					check("bound", math.Exp(mix(math.Log(q[i].Excess), math.Log(q[i-1].Excess), u)), math.Exp(mix(math.Log(q[i].Count), math.Log(q[i-1].Count), u)))
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
		if len(k.entries) != 3 {
			t.Fatalf("%s: %+v", name, k.entries)
		}
		dots, fit, bound := k.entries[0], k.entries[1], k.entries[2]
		last := r.Mean[len(r.Mean)-1]
		if dots.name != "SVRF, "+name || dots.last != last.Count || dots.style.Width != 0 || bound.last != last.Count {
			t.Errorf("%s: %+v, %+v", name, dots, bound)
		}
		if fit.style.Color != Style("SVRF").Color || !strings.Contains(fit.name, " "+r.Late.Number(r.Late.Slope)+", t=") || !k.direct {
			t.Errorf("%s: %+v", name, fit)
		}
		if strings.HasPrefix(p.Title.Text, "MSC, one run") != (r.Runs == 1) {
			t.Errorf("%s: title %q", name, p.Title.Text)
		}
		if _, log := p.Y.Scale.(logScale); log != (r.Power > 0) || p.Y.Label.Text != "linear optimisations" {
			t.Errorf("%s: a logarithmic axis of counts: %v", name, log)
		}
		if _, log := p.X.Scale.(logScale); !log || p.X.Label.Text != "1/gap" {
			t.Errorf("%s: not a logarithmic axis of 1/gap", name)
		}
		for _, ps := range [][]fwrate.Pair{r.Mean, r.Least, r.Most, r.Schedule} {
			for _, q := range ps {
				if 1/q.Excess < p.X.Min || 1/q.Excess > p.X.Max || q.Count < p.Y.Min || q.Count > p.Y.Max {
					t.Errorf("%s: %v is not on the plot", name, q)
				}
			}
		}
		// the line ends where the least squares do
		end := math.Inf(1)
		for _, m := range r.Mean[r.Late.From:] {
			end = min(end, m.Excess)
		}
		end = r.Late.Intercept - r.Late.Slope*math.Log(end)
		if r.Power > 0 {
			end = math.Exp(end)
		}
		if math.Abs(fit.last-end) > 1e-9*end {
			t.Errorf("%s: the line ends at %g, want %g", name, fit.last, end)
		}
	}
	// real runs, of which a single one has no interval
	f := fwsum.NewQuadratic(64, nil, slices.Repeat([]float64{1. / 64}, 64))
	w0 := make([]float64, 64)
	w0[0] = 1
	run := fwopt.Run(context.Background(), fwopt.NewOracle(f, fwset.Simplex{D: 64, R: 1}, 1), fwopt.FWOpenLoop(), w0, fwopt.Budget{Record: fwopt.Geometric(1.5, 40), Excess: f.Excess}).Complete()
	r, err := fwrate.Law{Count: fwrate.Exact, Power: 1, Bound: func(p fwopt.Point) float64 { return fwtheory.BoundFW(1, math.Sqrt2, p.K) }}.Measure([][]fwopt.Point{run})
	if err != nil {
		t.Fatal(err)
	}
	p := Rate("MSC", "FW", r)
	if k := keyOf(p); !strings.HasPrefix(k.entries[1].name, "slope 0.755, k=8") || !strings.HasSuffix(k.entries[1].name, "–40") || p.Title.Text != "MSC, one run" {
		t.Errorf("%q, %+v", p.Title.Text, k.entries)
	}
}
