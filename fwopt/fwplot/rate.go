package fwplot

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Rate draws a measured rate of a method on a problem: its count against 1/gap,
// both on logarithmic axes, or for a logarithmic law the count on a linear one. The
// intervals and the long window are for a table: fwrate.Rate.Row.
//
// Dots are means over the runs, with bars as long as the range of the runs. In
// the method's own style is the line that was fitted in the late window, over
// that window, with its slope. A grey line has the theory's slope. What the theorem's
// bound forbids is shaded; if that is far off, as much of it as leaves the dots most of
// the width, and nothing without a Bound. Grid adds a strip below: the slopes from each dot to the next,
// which show whether the window has settled, and the theory's as a grey line.
func Rate(problem, method string, r *fwrate.Rate) *plot.Plot {
	if r == nil || len(r.Mean) == 0 {
		panic(need.Line("fwplot: a Rate that is nil or has no points: Law.Measure makes one, or says in an error why not"))
	}
	log, own := r.Power > 0, Style(method)
	p := newPlot(problem, "1/gap", r.Count.String(), true, log)
	x0, x1, y0, y1 := limits(r)

	dots := line{name: method, dots: true, style: draw.LineStyle{Color: own.Color}}
	bound := line{style: boundStyle, forbids: left}
	add := func(l *line, at fwrate.Pair) {
		l.xy, l.last = append(l.xy, xy{1 / at.Excess, at.Count}), at.Count
	}
	for _, b := range r.Schedule {
		add(&bound, b)
	}
	p.Add(&drawing{[]line{bound}, keyOf(p)})
	bar := draw.LineStyle{Color: own.Color, Width: vg.Points(1)}
	for i, m := range r.Mean {
		add(&dots, m)
		lo, hi := r.Least[i], r.Most[i]
		p.Add(path(bar, xy{1 / hi.Excess, m.Count}, xy{1 / lo.Excess, m.Count}), path(bar, xy{1 / m.Excess, lo.Count}, xy{1 / m.Excess, hi.Count}))
	}
	addLines(p, []line{dots}, false)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = x0, x1, y0, y1

	window := slices.SortedFunc(slices.Values(r.Mean[r.Late.From:]), func(p, q fwrate.Pair) int { return cmp.Compare(q.Excess, p.Excess) })
	a, b := fitted(r, window[0]), fitted(r, window[len(window)-1])
	p.Add(path(own, xy{1 / a.Excess, a.Count}, xy{1 / b.Excess, b.Count}))
	if slope := onLine(r); log {
		a, b := beside(r)
		p.X.Max = max(p.X.Max, b.x*math.Pow(p.X.Max/p.X.Min, 0.02))
		p.Add(path(theoryStyle, a, b), tagged(p, fmt.Sprintf("theory %g", r.Power), a, 4, -6, theoryStyle), beforeFit(p, r, slope, own))
	} else {
		i := lateMiddle(r)
		p.Add(tagged(p, slope, xy{max(1/r.Least[i].Excess, 1/r.Mean[i].Excess), r.Mean[i].Count}, 9, -5, own))
	}
	if n := len(bound.xy); n > 1 && math.Log(bound.xy[n-1].x/p.X.Min) > 0.14*math.Log(p.X.Max/p.X.Min) {
		p.Add(tagged(p, "bound", xy{p.X.Min, bound.xy[n-1].y}, 4, -8, boundStyle))
	}
	keyOf(p).strip = localSlopes(own, r)
	return p
}

// onLine writes the slope of the late window as it stands at the line; the table has more digits.
func onLine(r *fwrate.Rate) string {
	if r.Power > 0 {
		return minus(fmt.Sprintf("%.2f", r.Late.Slope))
	}
	return number(r.Late.Slope, 3)
}

// beforeFit returns a text to the left of the middle of the late window, and of its bars.
func beforeFit(p *plot.Plot, r *fwrate.Rate, s string, own draw.LineStyle) *tag {
	i := lateMiddle(r)
	return tagged(p, s, xy{min(1/r.Most[i].Excess, 1/fitted(r, r.Mean[i]).Excess), r.Mean[i].Count}, -9, 4, own)
}

func lateMiddle(r *fwrate.Rate) int { return (r.Late.From + len(r.Mean) - 1) / 2 }

// localSlopes draws the slopes between the dots, in the middle of the two.
func localSlopes(own draw.LineStyle, r *fwrate.Rate) *plot.Plot {
	p := newPlot("", "", "slope", true, false)
	if r.Power == 0 {
		p.Y.Label.Text = "per factor e"
	}
	p.Y.Tick.Marker = ticks{max: 3}
	l := line{dots: true, style: draw.LineStyle{Color: own.Color, Width: vg.Points(1.2)}}
	lo, hi := r.Late.Slope, r.Late.Slope
	if r.Power > 0 {
		lo, hi = min(lo, r.Power), max(hi, r.Power)
		p.Add(path(theoryStyle, xy{1e-300, r.Power}, xy{1e300, r.Power}))
	}
	var ys span
	ys.add(lo - 0.25*hi)
	ys.add(hi + 0.25*hi)
	for i, s := range r.Local() {
		if !finite(s) {
			continue
		}
		l.xy = append(l.xy, xy{1 / math.Sqrt(r.Mean[i].Excess*r.Mean[i+1].Excess), s})
		if s > lo-hi && s < 2*hi { // a line may leave the strip
			ys.add(s)
		}
	}
	slices.SortStableFunc(l.xy, func(a, b xy) int { return cmp.Compare(a.x, b.x) })
	p.Y.Min, p.Y.Max = linRange(ys.lo, ys.hi)
	k := keyOf(p)
	k.lines = append(k.lines, l)
	p.Add(&drawing{k.lines, k})
	return p
}

// fitted returns the point of the fitted line at the gap of m.
func fitted(r *fwrate.Rate, m fwrate.Pair) fwrate.Pair {
	return fwrate.Pair{Excess: m.Excess, Count: back(r.Power > 0, r.Late.Intercept-r.Late.Slope*math.Log(m.Excess))}
}

// limits returns the limits of the axes that show all that was measured, and of the bound
// what is less than 0.6 of their width to the left.
func limits(r *fwrate.Rate) (x0, x1, y0, y1 float64) {
	var xs, ys, bound span
	for _, m := range slices.Concat(r.Mean, r.Least, r.Most) {
		xs.add(1 / m.Excess)
		ys.add(m.Count)
	}
	for _, m := range r.Mean[r.Late.From:] {
		ys.add(fitted(r, m).Count)
	}
	for _, b := range r.Schedule {
		bound.add(1 / b.Excess)
	}
	if least := xs.lo * math.Pow(max(10, xs.hi/xs.lo), -0.6); bound.hi > least {
		xs.add(max(bound.lo, least))
		xs.add(bound.hi)
	}
	x0, x1 = logRange(xs.lo, xs.hi)
	if y0, y1 = linRange(ys.lo, ys.hi); r.Power > 0 {
		y0, y1 = logRange(ys.lo, ys.hi)
	}
	return x0, x1, y0, y1
}

// beside returns the ends of a line with the theory's exponent as its slope, at half the
// height of the late window and to the right of all that is drawn there.
func beside(r *fwrate.Rate) (a, b xy) {
	x0, x1, y0, y1 := limits(r)
	width, height := math.Log(x1/x0), math.Log(y1/y0)
	leg := min(0.3*width, 0.45*height/r.Power)
	first, last := r.Mean[r.Late.From], r.Mean[len(r.Mean)-1]
	y := (math.Log(first.Count)+math.Log(last.Count))/2 - r.Power*leg/2
	y = min(y, math.Log(last.Count)-r.Power*leg-0.07*height) // under the leader to the name of the dots
	x := math.Log(x0)
	clear := func(p, q fwrate.Pair) { // the line is to the right of the segment
		const n = 64
		for i := range n + 1 {
			t := float64(i) / n
			up := mix(math.Log(p.Count), math.Log(q.Count), t) - y
			if up > -0.1*height && up < r.Power*leg+0.05*height {
				x = max(x, -mix(math.Log(p.Excess), math.Log(q.Excess), t)-min(max(up/r.Power, 0), leg))
			}
		}
	}
	for i, lo := range r.Least {
		tip := fwrate.Pair{Excess: lo.Excess, Count: r.Mean[i].Count}
		clear(tip, fwrate.Pair{Excess: r.Mean[i].Excess, Count: lo.Count})
		clear(tip, fwrate.Pair{Excess: r.Mean[i].Excess, Count: r.Most[i].Count})
	}
	for i := range len(r.Schedule) - 1 {
		clear(r.Schedule[i], r.Schedule[i+1])
	}
	for i, m := range r.Mean[r.Late.From+1:] {
		clear(fitted(r, r.Mean[r.Late.From+i]), fitted(r, m))
	}
	x += 0.05 * width
	return xy{math.Exp(x), math.Exp(y)}, xy{math.Exp(x + leg), math.Exp(y + r.Power*leg)}
}

// path returns the line through points, which are finite.
func path(style draw.LineStyle, points ...xy) *plotter.Line {
	l := &plotter.Line{LineStyle: style}
	for _, q := range points {
		l.XYs = append(l.XYs, plotter.XY{X: q.x, Y: q.y})
	}
	return l
}
