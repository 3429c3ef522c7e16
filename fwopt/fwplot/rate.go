package fwplot

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Rate draws a measured rate of a method on a problem: its count against 1/gap, both on logarithmic axes,
// or for a logarithmic law the count on a linear one. Intervals are for a table: fwrate.Rate.Row.
//
// Dots are means over the runs, with bars as long as the range of the runs. In the method's own style is
// the line that was fitted over the last half, with its slope. A grey line has the
// theory's slope. What the theorem's bound forbids is shaded; if that is far off, as much of it as leaves
// the dots most of the width. Grid adds a strip below: the slopes from each dot to the next, which show
// whether the window has settled, and the theory's as a grey line.
func Rate(problem, method string, r *fwrate.Rate) *plot.Plot {
	if r == nil || len(r.Mean) == 0 {
		panic(need.Line("fwplot: a Rate that is nil or has no points:" +
			" Law.Measure makes one, or tells in an error why not"))
	}
	log, own := r.Power > 0, Style(method)
	p := newPlot(problem, "1/gap", r.Count.String(), true, log)
	mean, least, most, bound := places(r.Mean), places(r.Least), places(r.Most), places(r.Schedule)
	thin, bars := draw.LineStyle{Color: own.Color, Width: vg.Points(1)}, []series(nil)
	for i, q := range mean {
		bars = append(bars, series{style: thin, xy: []xy{{most[i].x, q.y}, {least[i].x, q.y}}},
			series{style: thin, xy: []xy{{q.x, least[i].y}, {q.x, most[i].y}}})
	}
	put(p, series{style: boundStyle, shade: left, xy: bound})
	dots := series{name: method, style: draw.LineStyle{Color: own.Color}, dots: shapes[0], xy: mean}
	dots.last = mean[len(mean)-1].y
	reach(p, []series{dots})
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = limits(r)

	byX := func(a, b xy) int { return cmp.Compare(a.x, b.x) }
	a, b := slices.MinFunc(fit(r), byX), slices.MaxFunc(fit(r), byX)
	put(p, append(bars, dots, series{style: own, xy: []xy{a, b}})...)
	i := (r.Late.From + len(mean) - 1) / 2 // the middle of the window, beside whose bars its slope stands
	if m := mean[i]; log {
		a, b = beside(r)
		p.X.Max = max(p.X.Max, b.x*math.Pow(p.X.Max/p.X.Min, 0.02))
		put(p, series{style: theoryStyle, xy: []xy{a, b}})
		put(p, tagged(fmt.Sprintf("theory %g", r.Power), a, 4, -6, theoryStyle),
			tagged(onLine(r), xy{min(most[i].x, fit(r)[i-r.Late.From].x), m.y}, -9, 4, own))
	} else {
		put(p, tagged(onLine(r), xy{max(least[i].x, m.x), m.y}, 9, -5, own))
	}
	if n := len(bound); n > 1 && math.Log(bound[n-1].x/p.X.Min) > 0.14*math.Log(p.X.Max/p.X.Min) {
		put(p, tagged("bound", xy{p.X.Min, bound[n-1].y}, 4, -8, boundStyle))
	}
	keyOf(p).strip = localSlopes(own, r)
	return p
}

// places returns where pairs are drawn.
func places(pairs []fwrate.Pair) (out []xy) {
	for _, p := range pairs {
		out = append(out, xy{1 / p.Excess, p.Count})
	}
	return out
}

// fit returns the points of the fitted line at the gaps of the late window.
func fit(r *fwrate.Rate) (out []xy) {
	for _, m := range r.Mean[r.Late.From:] {
		count := back(r.Power > 0, r.Late.Intercept-r.Late.Slope*math.Log(m.Excess))
		out = append(out, xy{1 / m.Excess, count})
	}
	return out
}

// onLine writes the slope of the late window as it stands at the line; the table has more digits.
func onLine(r *fwrate.Rate) string {
	if r.Power > 0 {
		return minus(fmt.Sprintf("%.2f", r.Late.Slope))
	}
	return number(r.Late.Slope, 3)
}

// localSlopes draws the slopes between the dots, in the middle of the two.
func localSlopes(own draw.LineStyle, r *fwrate.Rate) *plot.Plot {
	p := newPlot("", "", "slope", true, false)
	p.Y.Tick.Marker = ticks{max: 3}
	lo, hi := r.Late.Slope, r.Late.Slope
	if r.Power > 0 {
		lo, hi = min(lo, r.Power), max(hi, r.Power)
		put(p, series{style: theoryStyle, xy: []xy{{1e-300, r.Power}, {1e300, r.Power}}})
	} else {
		p.Y.Label.Text = "per factor e"
	}
	ys := span{n: 1, lo: lo - 0.25*hi, hi: hi + 0.25*hi}
	if hi < 0 {
		ys.lo, ys.hi = ys.hi, ys.lo
	}
	l := series{style: draw.LineStyle{Color: own.Color, Width: vg.Points(1.2)}}
	for i, s := range r.Local() {
		if finite(s) {
			l.add(xy{1 / math.Sqrt(r.Mean[i].Excess*r.Mean[i+1].Excess), s})
			if s > lo-hi && s < 2*hi { // a line may leave the strip
				ys.add(s)
			}
		}
	}
	slices.SortStableFunc(l.xy, func(a, b xy) int { return cmp.Compare(a.x, b.x) })
	reach(p, []series{l})
	if len(l.xy) <= 30 {
		l.dots = shapes[0]
	}
	p.Y.Min, p.Y.Max = linRange(ys.lo, ys.hi)
	put(p, l)
	return p
}

// limits returns the limits of the axes that show all that was measured, and of the bound
// what is less than 0.6 of their width to the left.
func limits(r *fwrate.Rate) (x0, x1, y0, y1 float64) {
	xs, ys := spans(append(places(slices.Concat(r.Mean, r.Least, r.Most)), fit(r)...))
	bound, _ := spans(places(r.Schedule))
	if least := xs.lo * math.Pow(max(10, xs.hi/xs.lo), -0.6); bound.hi > least {
		xs.add(max(bound.lo, least), bound.hi)
	}
	x0, x1 = logRange(xs.lo, xs.hi)
	y0, y1 = around(r.Power > 0, ys)
	return x0, x1, y0, y1
}

// beside returns the ends of a line with the theory's exponent as its slope, at half the
// height of the late window and to the right of all that is drawn there.
func beside(r *fwrate.Rate) (a, b xy) {
	x0, x1, y0, y1 := limits(r)
	width, height := math.Log(x1/x0), math.Log(y1/y0)
	leg := min(0.3*width, 0.45*height/r.Power)
	rise := r.Power * leg
	last := math.Log(r.Mean[len(r.Mean)-1].Count)
	y := (math.Log(r.Mean[r.Late.From].Count) + last - rise) / 2
	y = min(y, last-rise-0.07*height) // under the leader to the name of the dots
	x := math.Log(x0)
	clear := func(way ...xy) { // the line is to the right of these
		const n = 64
		for i := range n * (len(way) - 1) {
			p, q, t := way[i/n], way[i/n+1], float64(i%n)/(n-1)
			up := mix(math.Log(p.y), math.Log(q.y), t) - y
			if up > -0.1*height && up < rise+0.05*height {
				x = max(x, mix(math.Log(p.x), math.Log(q.x), t)-min(max(up/r.Power, 0), leg))
			}
		}
	}
	for i, q := range places(r.Mean) {
		clear(xy{q.x, r.Least[i].Count}, xy{1 / r.Least[i].Excess, q.y}, xy{q.x, r.Most[i].Count})
	}
	clear(places(r.Schedule)...)
	clear(fit(r)...)
	x += 0.05 * width
	return xy{math.Exp(x), math.Exp(y)}, xy{math.Exp(x + leg), math.Exp(y + rise)}
}
