package fwplot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwnb"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// race returns traces like those of a race: six methods, their seeds, gaps from 3 to 1e-6 and much noise.
func race(seeds int) (traces []*fwopt.Trace) {
	for i, m := range []struct {
		name  string
		rate  float64
		steps int
		per   fwopt.Calls // of step k: Stochastic is times k for SFW and SCGS
	}{
		{"SVRF", 1.5, 2000, fwopt.Calls{Stochastic: 200, Linear: 1}},
		{"STORC", 2, 600, fwopt.Calls{Stochastic: 200, Linear: 20}},
		{"SCGS", 1.1, 400, fwopt.Calls{Stochastic: 10, Linear: 20}},
		{"SFW", 0.8, 3000, fwopt.Calls{Stochastic: 10, Linear: 1}},
		{"SVRG", 2.4, 750, fwopt.Calls{Stochastic: 200, Projections: 1}},
		{"SGD", 1, 850, fwopt.Calls{Stochastic: 100, Projections: 1}},
	} {
		for s := range seeds {
			r := rand.New(rand.NewPCG(uint64(s), uint64(i)))
			tr := &fwopt.Trace{Method: m.name, Data: "news20 (generated)", Seed: uint64(s)}
			samples := 0
			for k := range m.steps {
				gap := 3 * math.Pow(float64(k+1), -m.rate) * math.Exp(0.3*r.NormFloat64())
				p := fwopt.Point{Step: k, F: 0.3 + gap, DualityGap: math.NaN(),
					Seconds: float64(k) * 60 / float64(m.steps) * (1 + 0.1*r.Float64()),
					Calls: fwopt.Calls{Exact: (k + 49) / 50, Stochastic: samples, Linear: k * m.per.Linear,
						Projections: k * m.per.Projections}}
				if k%7 == 0 {
					p.DualityGap = 2 * gap
				}
				tr.Points = append(tr.Points, p)
				if samples += m.per.Stochastic; m.per.Stochastic == 10 {
					samples += 10 * k * k
				}
			}
			traces = append(traces, tr)
		}
	}
	return traces
}

// trace returns a trace with the given values at steps 0, 1, ...
func trace(method string, f ...float64) *fwopt.Trace {
	tr := &fwopt.Trace{Method: method}
	for k, v := range f {
		tr.Points = append(tr.Points, fwopt.Point{Step: k, Calls: fwopt.Calls{Stochastic: 100 * k},
			Seconds: float64(k) / 8, F: v, DualityGap: v})
	}
	return tr
}

// figures returns the figures that all must hold for, odd ones included.
func figures() map[string]fwnb.Figure {
	rs := race(5)
	nan, inf := math.NaN(), math.Inf(1)
	all := map[string]fwnb.Figure{"none": bundle(Traces(fwrate.Steps, Loss()))}
	for _, c := range []struct {
		name string
		x    fwrate.Count
		y    Curve
		of   *fwopt.Trace
	}{
		{"empty", fwrate.Steps, Loss(), &fwopt.Trace{Method: "SVRF"}},
		{"start", fwrate.Steps, Loss(), trace("SVRF", 1)},
		{"one", fwrate.Steps, Excess(0), trace("SVRF", nan, nan, 1e-3)},
		{"equal", fwrate.Steps, Excess(0), trace("SVRF", 1e-3, 1e-3, 1e-3)},
		{"flat", fwrate.Steps, Loss(), trace("SVRF", 0, 0, 0)},
		{"zero", fwrate.Steps, Excess(0), trace("SVRF", 0, 0, 0)},
		{"below", fwrate.Steps, Excess(0), trace("SFW", 1, 0, -1)},
		{"bad", fwrate.Seconds, DualityGap(), trace("SVRF", nan, inf, -inf, nan)},
		{"huge", fwrate.Steps, Loss(), trace("SVRF", 1e300, 1, math.MaxFloat64)},
		{"tiny", fwrate.Steps, Loss(), trace("SVRF", 5e-324, 1e-323, 1e-300, 1e-310)},
		{"decade", fwrate.Steps, Excess(0), trace("SVRF", 3.2, 3.1, 2.2)},
		{"close", fwrate.Steps, Loss(), trace("SVRF", 1, 1+1e-15, 1)},
		{"negative", fwrate.Steps, Loss(), trace("SVRF", -1e6, -2e6, -2.5e6)},
	} {
		all[c.name] = bundle(Traces(c.x, c.y, c.of))
	}
	all["lines"] = bundle(Lines("t", "x", "y", true, true, Series{"none", nil, nil},
		Series{"SGD", []float64{0, 1, 2}, []float64{1, -1, nan}}))
	g := map[string]*plot.Plot{}
	for _, x := range allAxes {
		for name, c := range map[string]Curve{"loss": Loss(), "gap": Excess(0.3), "duality": DualityGap()} {
			if name != "gap" && x.Label != fwrate.Stochastic.Label { // enough is enough
				continue
			}
			p := Traces(x, c, rs...)
			if all[name+" against "+x.Label] = bundle(p); name == "gap" {
				g[x.Label] = p
			}
		}
	}
	three := []*plot.Plot{g[fwrate.Seconds.Label], g[fwrate.Stochastic.Label], g[fwrate.Linear.Label]}
	all["grid3"] = Grid(three)
	all["grid2x2"] = Grid(three[:2], []*plot.Plot{three[2], Traces(fwrate.Steps, Loss(), rs...)})
	all["grid of odd rows"] = Grid([]*plot.Plot{g[fwrate.Steps.Label]},
		[]*plot.Plot{Traces(fwrate.Steps, Loss()), g[fwrate.Exact.Label]})
	long := trace("SGD", make([]float64, 200000)...)
	r := rand.New(rand.NewPCG(1, 2))
	for k := range long.Points {
		long.Points[k].F = r.ExpFloat64()
	}
	for name, r := range rates() {
		all["rate "+name] = bundle(Rate("MSC", name, r))
	}
	all["rates"] = Grid([]*plot.Plot{Rate("MSC", "SVRF", rates()["ln"]), Rate("MSC", "SFW", rates()["far"]),
		Rate("MSC", "STORC", rates()["over"])})
	p := Traces(fwrate.Steps, Excess(0), long, long, trace("my own", 3, 2, 1))
	Bound(p, "a bound with a name that takes more than one row", func(x float64) float64 { return 1e5 / x })
	all["long"] = bundle(p)
	return all
}

func TestFigures(t *testing.T) {
	if testing.Short() {
		t.Skip("it draws some thirty figures")
	}
	for name, f := range figures() {
		if len(f.PNG) >= maxBytes || len(f.SVG) >= maxBytes {
			t.Errorf("%s: %d bytes of PNG, %d of SVG", name, len(f.PNG), len(f.SVG))
		}
		img, err := png.DecodeConfig(bytes.NewReader(f.PNG))
		if err != nil {
			t.Fatal(name, err)
		}
		if img.Width < f.Width || img.Width*f.Height != img.Height*f.Width {
			t.Errorf("%s: PNG of %d x %d pixels for %d x %d", name, img.Width, img.Height, f.Width, f.Height)
		}
		if strings.Contains(name, "against") && img.Width != 2*f.Width {
			t.Errorf("%s: PNG not at 192 dpi", name)
		}
		for d := xml.NewDecoder(bytes.NewReader(f.SVG)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(name, err)
			}
		}
		s := string(f.SVG)
		size := fmt.Sprintf(` width="%gpt" height="%gpt"`, 0.75*float64(f.Width), 0.75*float64(f.Height))
		if !strings.Contains(s, size) {
			t.Errorf("%s: an SVG without%s", name, size)
		}
		fonts, long := strings.Count(s, "Liberation Sans,Arial,Helvetica,sans-serif"),
			strings.Count(s, "<text textLength=")
		if n := strings.Count(s, "<text "); n == 0 || n != fonts || n != long {
			t.Errorf("%s: text without other fonts or length", name)
		}
		if strings.Contains(s, "NaN") || strings.Contains(s, "Inf") || strings.Contains(s, "@font-face") {
			t.Errorf("%s: NaN, Inf or a font in the SVG", name)
		}
		if strings.Contains(name, "against") &&
			(!strings.Contains(s, ">news20 (generated): median and range of 5 seeds<") ||
				!strings.Contains(f.Alt, "(generated)")) {
			t.Errorf("%s: the title does not say that the data is generated; alt %q", name, f.Alt)
		}
		if strings.ContainsAny(f.Alt, "\n-") || !strings.HasSuffix(f.Alt, ".") {
			t.Errorf("%s: alt %q", name, f.Alt)
		}
	}
}

// Drawing twice gives the same bytes, and Grid leaves the plots as they were.
func TestFigureAgain(t *testing.T) {
	p, q := Traces(fwrate.Steps, Excess(0.3), race(2)...), Traces(fwrate.Seconds, Excess(0.3), race(2)...)
	save := func() string {
		c, err := p.WriterTo(400, 300, "svg")
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		c.WriteTo(&b)
		return b.String()
	}
	before, saved := bundle(p), save()
	Grid([]*plot.Plot{p, q})
	if !strings.Contains(saved, ">STORC<") || save() != saved {
		t.Error("a plot changes when it is drawn in a grid")
	}
	if !reflect.DeepEqual(bundle(p), before) {
		t.Error("a figure changes when it is drawn again")
	}
}

// What the figure says in numbers is what the run ended with; of a domain, which has no axes, it
// says whose paths are in it.
func TestAlt(t *testing.T) {
	tr := trace("SVRF", 3, 1, 0.5)
	tr.Data = "digits"
	p := Traces(fwrate.Stochastic, Excess(0.25), tr, trace("SFW", 1, 0.5))
	Bound(p, "bound", func(x float64) float64 { return 100 / x })
	noisy := trace("SGD", make([]float64, 9999)...)
	for k := range noisy.Points {
		noisy.Points[k].F = 1 + float64(k*k%97)
	}
	noisy.Points[9998].F = 123 // the last value, the highest
	scene := func(title string) *Scene {
		return NewScene(title, fwset.Simplex{D: 3, R: 1}, []float64{1, -1, 0}, []float64{-1, -1, 2})
	}
	a, b := scene("before"), scene("after")
	b.Path("FW", []float64{1, 0, 0}, []float64{0, 1, 0})
	for want, f := range map[string]fwnb.Figure{
		"digits: f(w) − f* against stochastic gradients ends at SVRF 0.25, SFW 0.25, bound 0.5.": bundle(p),
		"median and range of nearby points: f(w) − f* against steps ends at SGD 123.": bundle(
			Traces(fwrate.Steps, Excess(0), noisy)),
		"before: a picture; after: a picture of FW.": Grid(
			[]*plot.Plot{a.Plot, b.Plot}),
		"after: a picture of FW.": bundle(b.Plot),
	} {
		if f.Alt != want {
			t.Errorf("%q, want %q", f.Alt, want)
		}
	}
}

func TestNotes(t *testing.T) {
	seeds := func(n int) (out []*fwopt.Trace) {
		for seed := range n {
			out = append(out, trace("SVRF", 3, 2, 1))
			out[seed].Seed = uint64(seed)
		}
		return out
	}
	three, zero, other := trace("SVRF", 3, 2, 1), trace("SVRF", 3, 2, 0), trace("SGD", 3, 2, 1)
	other.Data = "rcv1"
	second := *other
	second.Seed = 1
	named := trace("SGD", 3, 2, 1)
	named.Data = "digits"
	for _, c := range []struct {
		p           *plot.Plot
		title, x, y string
	}{
		{Traces(fwrate.Steps, Excess(0), three), "", "steps", "f(w) − f*"},
		{Traces(fwrate.Steps, Excess(0), seeds(9)...), "median and range of 9 seeds", "steps", "f(w) − f*"},
		{Traces(fwrate.Steps, Excess(0), seeds(10)...), "median and 10–90 % of 10 seeds", "steps",
			"f(w) − f*"},
		{Traces(fwrate.Steps, Loss(), append(seeds(10), other, &second)...),
			"rcv1: median and range of 2 to 10 seeds", "steps", "f(w)"},
		{Traces(fwrate.Steps, Excess(0), zero), "values under 1e−12 left out", "steps", "f(w) − f*"},
		{Traces(fwrate.Steps, Excess(1.5), three), "negative values left out", "steps", "f(w) − f*"},
		{Traces(fwrate.Exact, Loss(), three, trace("SFW", 3, 2)), "nothing to draw",
			"exact gradients (SVRF, SFW: none)", "f(w)"},
		{Traces(fwrate.Steps, Loss()), "nothing to draw", "steps", "f(w)"},
		{Traces(fwrate.Steps, DualityGap(), three, trace("SFW", math.NaN(), math.NaN())), "", "steps",
			"duality gap (SFW: none)"},
		{Traces(fwrate.Steps, Loss(), other, named), "rcv1, digits", "steps", "f(w)"},
	} {
		if c.p.Title.Text != c.title || c.p.X.Label.Text != c.x || c.p.Y.Label.Text != c.y {
			t.Errorf("%q, %q, %q; want %q, %q, %q", c.p.Title.Text, c.p.X.Label.Text, c.p.Y.Label.Text,
				c.title, c.x, c.y)
		}
	}
	k := keyOf(Traces(fwrate.Steps, Loss(), other, named))
	if len(k.entries) != 2 || k.entries[0].name != "SGD on rcv1" || k.entries[1].name != "SGD on digits" {
		t.Errorf("entries %+v", k.entries)
	}
}

// The scale is logarithmic from two decades on, and only of positive values.
func TestScales(t *testing.T) {
	from := func(first, step float64, n int) *fwopt.Trace {
		v := make([]float64, n+1)
		for k := range v {
			v[k] = first + step*float64(k)
		}
		return trace("SVRF", v...)
	}
	for _, c := range []struct {
		p    *plot.Plot
		x, y bool
	}{
		{Traces(fwrate.Steps, Loss(), from(1, 1, 99)), false, true},
		{Traces(fwrate.Steps, Loss(), from(2, 1, 100)), true, false},
		{Traces(fwrate.Steps, Loss(), from(3, -1, 5)), false, false},
		{Traces(fwrate.Steps, Excess(0), from(3, -1, 5)), false, true},
	} {
		if isLog(c.p.X) != c.x || isLog(c.p.Y) != c.y {
			t.Errorf("logarithmic: x %v, y %v", isLog(c.p.X), isLog(c.p.Y))
		}
	}
	p := Traces(fwrate.Seconds, Loss(), &fwopt.Trace{Points: []fwopt.Point{{F: 1}, {Seconds: 1e-9, F: 2},
		{Seconds: 2e-3, F: 1}, {Seconds: 10, F: 3}}})
	if p.X.Min != 2e-3 || p.X.Max != 10 || p.Y.Max > 3.2 {
		t.Errorf("seconds from %g to %g", p.X.Min, p.X.Max)
	}
	// a bound widens the vertical range only
	p = Traces(fwrate.Steps, Excess(0), trace("SVRF", 3, 2, 1))
	Bound(p, "bound", func(x float64) float64 {
		if x > 1 {
			return -1
		}
		return 1000 / x // infinite at 0
	})
	if p.X.Min != 0 || p.X.Max != 2 || p.Y.Min > 1 || p.Y.Min < 0.5 || p.Y.Max < 1000 ||
		math.IsInf(p.Y.Max, 0) {
		t.Errorf("x from %g to %g, y from %g to %g", p.X.Min, p.X.Max, p.Y.Min, p.Y.Max)
	}
}

func checkTicks(t *testing.T, tk ticks, lo, hi float64) (labels int) {
	t.Helper()
	ts := tk.Ticks(lo, hi)
	if len(ts) > 60 {
		t.Errorf("%+v from %g to %g: %d ticks", tk, lo, hi, len(ts))
	}
	if tk.log {
		lo, hi = logLimits(lo, hi)
	}
	last := math.Inf(-1)
	for _, k := range ts {
		if !(k.Value > last) || k.Value < lo || k.Value > hi {
			t.Errorf("%+v from %g to %g: tick at %g after %g", tk, lo, hi, k.Value, last)
		}
		last = k.Value
		if k.Label != "" {
			labels++
			v, err := strconv.ParseFloat(strings.ReplaceAll(k.Label, "−", "-"), 64)
			off := math.Abs(v-k.Value) > 1e-9*(math.Abs(v)+hi-lo) && v > 0x1p-1000
			if err != nil || off || strings.Contains(k.Label, "-") {
				t.Errorf("%+v from %g to %g: %q at %.17g", tk, lo, hi, k.Label, k.Value)
			}
			if len(k.Label) > 12 && !(hi-lo < 1e-4*math.Abs(hi)) {
				t.Errorf("%+v from %g to %g: long label %q", tk, lo, hi, k.Label)
			}
		}
	}
	if labels > tk.max {
		t.Errorf("%+v from %g to %g: %d labels", tk, lo, hi, labels)
	}
	return labels
}

func TestTicks(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range [][2]float64{{0, 0}, {0, 1}, {-1, 1}, {1, 1}, {2, 1}, {5e-324, 1e-323},
		{5e-324, math.MaxFloat64}, {-math.MaxFloat64, math.MaxFloat64},
		{1, 1 + 1e-15}, {1e16, 1e16 + 2}, {-inf, inf}, {1, inf}, {nan, 1}, {1, nan}, {nan, nan}} {
		checkTicks(t, ticks{log: true, max: 7}, c[0], c[1])
		checkTicks(t, ticks{max: 7}, c[0], c[1])
	}
}

func TestTickLabels(t *testing.T) {
	for _, c := range []struct {
		log    bool
		lo, hi float64
		want   string
	}{
		{true, 1e-5, 2, "1e−5 1e−4 1e−3 1e−2 1e−1 1"},
		{true, 1e-6, 2, "1e−6 1e−5 1e−4 1e−3 1e−2 1e−1 1"},
		{true, 0.009, 1200, "0.01 0.1 1 10 100 1000"},
		{true, 1e-12, 3, "1e−12 1e−10 1e−8 1e−6 1e−4 1e−2 1"},
		{true, 1, 1e12, "1 1e2 1e4 1e6 1e8 1e10 1e12"},
		{true, 20, 2000, "20 50 100 200 500 1000 2000"},
		{true, 4e-4, 3e-3, "5e−4 1e−3 2e−3"},
		{true, 2.1, 4.3, "2.5 3.0 3.5 4.0"},
		{false, 0, 100, "0 20 40 60 80 100"},
		{false, 0.31, 0.36, "0.31 0.32 0.33 0.34 0.35 0.36"},
		{false, -1e6, 2e6, "−1e6 −5e5 0 5e5 1e6 1.5e6 2e6"},
		{false, 0, 1e-4, "0 2e−5 4e−5 6e−5 8e−5 1e−4"},
	} {
		var got []string
		for _, k := range (ticks{log: c.log, max: 7}).Ticks(c.lo, c.hi) {
			if k.Label != "" {
				got = append(got, k.Label)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("from %g to %g: %s, want %s", c.lo, c.hi, s, c.want)
		}
	}
}

// The limits show all values, with at least two labels.
func TestRanges(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for range 20000 {
		lo := math.Pow(10, 30*r.Float64()-15)
		hi := lo * math.Pow(10, 6*max(0, r.Float64()-0.2))
		if r.IntN(3) == 0 {
			lo = times([]int{1, 2, 5}[r.IntN(3)], r.IntN(10)-5)
			hi = max(lo, times([]int{1, 2, 5}[r.IntN(3)], r.IntN(10)-5))
		}
		for _, tk := range []ticks{{true, 7}, {true, 5}, {false, 7}, {false, 5}} {
			a, b := around(tk.log, span{lo: lo, hi: hi})
			if !(a < lo && hi < b) || tk.log && b/a > 20*hi/lo || checkTicks(t, tk, a, b) < 2 {
				t.Fatalf("%+v: [%g, %g] in [%g, %g], %d labels", tk, lo, hi, a, b, checkTicks(t, tk, a, b))
			}
		}
	}
	if a, b := linRange(0, 3); a != 0 || b <= 3 {
		t.Errorf("loss from %g to %g", a, b)
	}
}

func TestLogScale(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, lim := range [][2]float64{{1e-3, 10}, {0, 1}, {-1, 1}, {-1, -1}, {0, 0}, {1, 1}, {nan, nan},
		{inf, -inf}, {0, 5e-324}} {
		for _, x := range []float64{-1, 0, 5e-324, 1, 1e300, nan, -inf} {
			if v := (logScale{}).Normalize(lim[0], lim[1], x); !finite(v) || v < -1 {
				t.Errorf("%g on [%g, %g]: %g", x, lim[0], lim[1], v)
			}
		}
	}
	for x, want := range map[float64]float64{1e-3: 0, 1e-2: 0.25, 0.1: 0.5, 10: 1, 100: 1.25} {
		if v := (logScale{}).Normalize(1e-3, 10, x); math.Abs(v-want) > 1e-12 {
			t.Errorf("%g: %g, want %g", x, v, want)
		}
	}
}

// Median and band against quantiles of all runs, computed one place at a time.
func TestBand(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for trial := range 200 {
		ax, n := axes{trial%2 == 0, trial%4 < 2}, 2+r.IntN(12)
		runs, own := make([][]xy, n), make([][]xy, n) // own in the coordinates of the axes
		var starts, ends []float64
		for s := range runs {
			x := r.Float64()
			for range 2 + r.IntN(30) {
				x += 0.1 + r.Float64()
				p := xy{x, math.Exp(5 * r.NormFloat64())}
				runs[s] = append(runs[s], p)
				own[s] = append(own[s], xy{forth(ax.logx, p.x), forth(ax.logy, p.y)})
			}
			starts, ends = append(starts, runs[s][0].x), append(ends, x)
		}
		quantiles := trial%3 == 0
		l := summarise(runs, surveyed{axes: ax, least: math.Inf(-1), quantiles: quantiles})
		for i, p := range l.xy {
			vs := make([]float64, n)
			x := forth(ax.logx, p.x)
			for s, q := range own {
				j := slices.IndexFunc(q, func(q xy) bool { return q.x > x })
				switch {
				case j < 0:
					vs[s] = q[len(q)-1].y
				case j == 0:
					vs[s] = q[0].y
				default:
					a, b := q[j-1], q[j]
					vs[s] = a.y + (x-a.x)/(b.x-a.x)*(b.y-a.y)
				}
			}
			slices.Sort(vs)
			at := func(share float64) float64 { // linear in the ranks
				h := share * float64(n-1)
				low := min(int(h), n-2)
				return back(ax.logy, vs[low]+(h-float64(low))*(vs[low+1]-vs[low]))
			}
			lo, hi := at(0), at(1)
			if quantiles {
				lo, hi = at(0.1), at(0.9)
			}
			for _, c := range [][2]float64{{p.y, at(0.5)}, {l.lo[i], lo}, {l.hi[i], hi}} {
				if tol := 1e-9 * c[1]; math.Abs(c[0]-c[1]) > tol && (ax.logy || math.Abs(c[0]-c[1]) > 1e-8) {
					t.Fatalf("trial %d at %g: %g, want %g", trial, p.x, c[0], c[1])
				}
			}
		}
		slices.Sort(ends) // the line begins where all runs have begun and ends where half have ended
		first, last, end := l.xy[0].x, l.xy[len(l.xy)-1].x, ends[n/2]
		if math.Abs(first-min(slices.Max(starts), end)) > 1e-9 || math.Abs(last-end) > 1e-9 {
			t.Fatalf("from %g to %g, runs from %g to %g", first, last, starts, ends)
		}
	}
}

// A run that reaches zero counts as the lowest, though it cannot be drawn.
func TestBandWithZeros(t *testing.T) {
	runs := [][]xy{{{1, 1}, {2, 0}}, {{1, 1}, {2, 1e-6}}, {{1, 1}, {2, 1e-2}}}
	l := summarise(runs, surveyed{axes: axes{false, true}, cut: math.Inf(-1), least: floor})
	if n := len(l.xy); n != 2 || math.Abs(l.xy[1].y-1e-6) > 1e-18 || l.lo[1] != 0 ||
		math.Abs(l.hi[1]-1e-2) > 1e-12 {
		t.Errorf("%+v", l)
	}
	runs[1][1].y = 0 // most of them: no line
	if l = summarise(runs, surveyed{axes: axes{false, true}, cut: math.Inf(-1),
		least: floor}); len(l.xy) != 1 {
		t.Errorf("%+v", l)
	}
}

func TestCondense(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	var l series
	for k := range 50000 {
		l.add(xy{float64(k + 1), math.Exp(r.NormFloat64())})
	}
	xs, ys := spans(l.xy)
	ax := axes{true, true}
	out, jitters := condense(l, ax, xs, ys)
	if !jitters || len(out.xy) > columns+1 || len(out.xy) < columns/2 {
		t.Errorf("%d points, jitters %v", len(out.xy), jitters)
	}
	if out.xy[0] != l.xy[0] || out.xy[len(out.xy)-1] != l.xy[49999] || out.last != l.xy[49999].y {
		t.Errorf("from %v to %v, last %g", out.xy[0], out.xy[len(out.xy)-1], out.last)
	}
	lowest, highest := slices.Min(out.lo), slices.Max(out.hi)
	if lowest != ys.lo || highest != ys.hi {
		t.Errorf("band from %g to %g of values from %g to %g", lowest, highest, ys.lo, ys.hi)
	}
	// the median of log-normal noise is 1, whatever its mean
	for _, p := range out.xy[150 : len(out.xy)-1] {
		if p.y < 0.7 || p.y > 1.4 {
			t.Errorf("median %g at %g", p.y, p.x)
		}
	}
	// a smooth run has no band, and a short one stays as it is
	for k := range l.xy {
		l.xy[k].y = 1 / l.xy[k].x
	}
	if out, jitters = condense(l, ax, xs, ys); jitters || out.lo != nil {
		t.Error("a smooth run jitters")
	}
	out, jitters = condense(l, axes{false, true}, xs, ys)
	if jitters || out.xy[0] != l.xy[0] || out.xy[1].y > 0.1 {
		t.Errorf("a steep run jitters %v or begins with %v", jitters, out.xy[:2])
	}
	short := series{xy: []xy{{1, 3}, {2, 1}, {5, 2}, {50000, 1}}}
	if out, _ = condense(short, ax, xs, ys); !slices.Equal(out.xy, short.xy) {
		t.Errorf("%v", out.xy)
	}
}

// No point is farther from the line that is left than it may be.
func TestSimplify(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for trial := range 300 {
		const tol = 0.5
		ps := make([]vg.Point, 1+r.IntN(400))
		x := vg.Length(0)
		for i := range ps {
			if trial%3 > 0 { // else all at one place
				x += vg.Length(r.ExpFloat64()) / 5
			}
			ps[i] = vg.Point{X: x, Y: vg.Length(5 * r.NormFloat64())}
		}
		out := simplify(ps, tol)
		if out[0] != ps[0] || out[len(out)-1] != ps[len(ps)-1] || len(ps) > 300 && len(out) == len(ps) {
			t.Fatalf("from %v to %v, %d points of %d", out[0], out[len(out)-1], len(out), len(ps))
		}
		for _, p := range ps {
			d := distance(p, out[0], out[0])
			for i := 1; i < len(out); i++ {
				d = min(d, distance(p, out[i-1], out[i]))
			}
			if d > tol {
				t.Fatalf("trial %d: a point is %g off", trial, float64(d))
			}
		}
	}
}

// No feasible placement is nearer to the wanted one.
func TestSpread(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	const lo, hi = 0.0, 100.0
	for range 3000 {
		n, free := 1+r.IntN(8), hi-lo
		c, h := make([]float64, n), make([]float64, n)
		for i := range c {
			if c[i], h[i] = 100*r.Float64(), 1+10*r.Float64(); i > 0 && r.IntN(4) == 0 {
				c[i] = c[i-1]
			}
			free -= h[i]
		}
		slices.Sort(c)
		y, edge := spread(c, h, lo, hi), lo
		for i := range y { // apart, in order, inside
			if y[i]-h[i]/2 < edge-1e-9 || y[i]+h[i]/2 > hi+1e-9 {
				t.Fatalf("centres %v, heights %v: %v", c, h, y)
			}
			edge = y[i] + h[i]/2
		}
		for range 20 { // another: gaps at random, then a step from y towards it
			at, room, s, more := lo, free, r.Float64(), 0.0
			for i := range y {
				g := room * r.Float64() / 2
				room -= g
				z := y[i] + s*(at+g+h[i]/2-y[i])
				more += (z-c[i])*(z-c[i]) - (y[i]-c[i])*(y[i]-c[i])
				at += g + h[i]
			}
			if more < -1e-9 {
				t.Fatalf("centres %v, heights %v: %v costs %g too much", c, h, y, -more)
			}
		}
	}
	for want, got := range map[[3]float64][]float64{
		{4.5, 13.5, 22.5}: spread([]float64{5, 5, 5}, []float64{9, 9, 9}, 0, 10), // no room
		{50, 10, 30}:      spread([]float64{50, 10, 30}, []float64{9, 9, 9}, lo, hi),
	} {
		if !slices.Equal(got, want[:]) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

var allAxes = []fwrate.Count{fwrate.Steps, fwrate.Exact, fwrate.Stochastic, fwrate.Linear, fwrate.Projections,
	fwrate.Seconds, fwrate.Terms(100)}

// The font has every letter of ours: what it lacks vanishes without a word.
func TestGlyphs(t *testing.T) {
	used := "0123456789.e− SVRFSTORC (generated): median and range of 10–90 % seeds nearby points; " +
		"negative values under left out none"
	for _, x := range allAxes {
		used += x.Label
	}
	used += Loss().Label + Excess(0).Label + DualityGap().Label + "∗²·′"
	face := plot.DefaultTextHandler.Cache().Lookup(sans(9), 9).Face
	for _, r := range used {
		if i, err := face.GlyphIndex(nil, r); (err != nil || i == 0) && !unicode.IsSpace(r) && r != '∗' {
			t.Errorf("no glyph for %q", r)
		}
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.31: "0.31", 3.217e-5: "3.22e−5", 1e-12: "1e−12",
		120: "120", 98765: "98800", 1.234e6: "1.23e6", -2e-7: "−2e−7", 1e300: "1e300"} {
		if got := number(v, 3); got != want {
			t.Errorf("%g: %s, want %s", v, got, want)
		}
	}
}

// Runs with the same seed are no seeds of one method, and the same run twice is one line.
func TestTracesNameApart(t *testing.T) {
	one, other := trace("SGD", 3, 2, 1), trace("SGD", 3, 2, 2)
	msg := small.Panics(func() { Traces(fwrate.Steps, Loss(), one, other) })
	if !strings.HasPrefix(msg, `fwrate: traces 1 and 2 are both "SGD"`) {
		t.Errorf("%q", msg)
	}
	other.Method = "SGD, c = 0.1"
	for want, p := range map[int]*plot.Plot{1: Traces(fwrate.Steps, Loss(), one, one),
		2: Traces(fwrate.Steps, Loss(), one, other)} {
		if p.Title.Text != "" || len(keyOf(p).entries) != want {
			t.Errorf("%q, %d lines, want %d", p.Title.Text, len(keyOf(p).entries), want)
		}
	}
}

// A line for each round, its band the range over the seeds; what diverged is left out. Of two constants the
// axis has the first, each with its best second.
func TestTuning(t *testing.T) {
	one := func(end func(c float64) float64) *fwrate.Tuning {
		got, err := fwrate.Tune([]float64{1, 2, 4, 8}, 2, fwopt.Budget{Steps: 10},
			func(c float64, seed uint64, b fwopt.Budget) *fwopt.Trace {
				points := []fwopt.Point{{F: 1}, {F: end(c) * float64(seed)}}
				return &fwopt.Trace{Status: fwopt.Done, Points: points}
			})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	two, err := fwrate.TuneTwo([]float64{1, 2, 4}, []float64{1, 2, 4}, 1, fwopt.Budget{Steps: 10},
		func(c, d float64, seed uint64, b fwopt.Budget) *fwopt.Trace {
			return &fwopt.Trace{Status: fwopt.Done, Points: []fwopt.Point{{F: 1},
				{Step: b.Steps, F: math.Abs(c-2)/10 + math.Abs(d-2)/20}}}
		})
	if err != nil {
		t.Fatal(err)
	}
	four := map[float64]float64{1: 0.5, 2: 0x1p-10, 4: 0.25, 8: 0x1p1023}
	for title, c := range map[string]struct {
		tuning *fwrate.Tuning
		want   []series
		log    bool
	}{
		"best: 2": {one(func(c float64) float64 { return four[c] }), []series{{name: "1/2 of the budget",
			xy: []xy{{1, 0.75}, {2, 0x1.8p-10}, {4, 0.375}}}, {name: "SGD",
			xy: []xy{{1, 0.75}, {2, 0x1.8p-10}, {4, 0.375}},
			lo: []float64{0.5, 0x1p-10, 0.25}, hi: []float64{1, 0x1p-9, 0.5}}}, true},
		"best: 512, in doubt": {one(func(c float64) float64 { return 1 / c }), nil, true}, // grows no more
		"best: NaN, in doubt": {one(func(float64) float64 { return math.NaN() }), []series{}, false},
		"best: 2, 2": {two, []series{{xy: []xy{{1, 0.1}, {2, 0}, {4, 0.2}}, lo: []float64{0.1, 0, 0.2}},
			{}, {}}, false},
	} {
		p := Tuning("SGD", c.tuning)
		if p.Title.Text != title || isLog(p.Y) != c.log {
			t.Errorf("%q, logarithmic: %v; want %q, %v", p.Title.Text, isLog(p.Y), title, c.log)
		}
		lines, _ := rounds("SGD", c.tuning)
		if c.want != nil && len(lines) != len(c.want) || len(lines) != len(keyOf(p).entries) {
			t.Fatalf("%s: %d lines, %d names, want %d", title, len(lines), len(keyOf(p).entries), len(c.want))
		}
		for i, w := range c.want {
			if l := lines[i]; w.name != "" && l.name != w.name || w.xy != nil && !slices.Equal(l.xy, w.xy) ||
				w.lo != nil && !slices.Equal(l.lo, w.lo) || w.hi != nil && !slices.Equal(l.hi, w.hi) {
				t.Errorf("%s: line %d is %+v, want %+v", title, i, l, w)
			}
		}
	}
}

// bundle is the figure of one plot.
func bundle(p *plot.Plot) fwnb.Figure { return Grid([]*plot.Plot{p}) }
