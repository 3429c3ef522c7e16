package fwplot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/projection-free/fwlab/fwopt/fwrate"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Rate draws a measured rate of a method on a problem: its count against 1/gap,
// both on logarithmic axes, or for a logarithmic law the count on a linear one.
// It is Direct; for the intervals and the long window see fwrate.Rate.Row.
//
// Dots are means over the runs, with bars as long as the range of the runs. In
// the method's own style is the line that was fitted in the late window, over
// that window, with its slope. What the theorem promises is dashed in grey. A
// triangle has the theory's exponent.
func Rate(problem, method string, r *fwrate.Rate) *plot.Plot {
	log, of := r.Power > 0, "slope "
	if !log {
		of = "for a factor e "
	}
	title := problem + ", one run"
	if r.Runs > 1 {
		title = fmt.Sprintf("%s, %d runs", problem, r.Runs)
	}
	p := newPlot(title, "1/gap", r.Count.String(), true, log)

	own := Style(method)
	dots := line{name: method, dots: true, style: draw.LineStyle{Color: own.Color}}
	fit := line{name: fmt.Sprintf("%s%s, %s", of, r.Late.Number(r.Late.Slope), strings.ReplaceAll(r.Late.Window, " = ", "=")), style: own}
	bound := line{name: "bound", style: boundStyle}
	add := func(l *line, at fwrate.Pair) {
		l.xy, l.last = append(l.xy, xy{1 / at.Excess, at.Count}), at.Count
	}
	for _, b := range r.Schedule {
		add(&bound, b)
	}
	for i, m := range r.Mean {
		add(&dots, m)
		lo, hi := r.Least[i], r.Most[i]
		bar := draw.LineStyle{Color: own.Color, Width: vg.Points(1)}
		p.Add(path(bar, xy{1 / hi.Excess, m.Count}, xy{1 / lo.Excess, m.Count}), path(bar, xy{1 / m.Excess, lo.Count}, xy{1 / m.Excess, hi.Count}))
	}
	window := slices.SortedFunc(slices.Values(r.Mean[r.Late.From:]), func(p, q fwrate.Pair) int { return cmp.Compare(q.Excess, p.Excess) })
	add(&fit, fitted(r, window[0]))
	add(&fit, fitted(r, window[len(window)-1]))
	addLines(p, []line{dots, fit, bound}, false)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = limits(r)
	if log {
		a, b, c := beside(r)
		p.X.Max = max(p.X.Max, b.x*math.Pow(p.X.Max/p.X.Min, 0.1)) // room for the number
		p.Add(path(draw.LineStyle{Color: ink, Width: vg.Points(0.8)}, a, b, c, a),
			note(p, "1", xy{math.Sqrt(a.x * b.x), a.y}, 0, -12, draw.XCenter),
			note(p, fmt.Sprintf("%g", r.Power), xy{c.x, math.Sqrt(b.y * c.y)}, 4, -4, draw.XLeft))
	}
	return Direct(p)
}

// fitted returns the point of the fitted line at the gap of m.
func fitted(r *fwrate.Rate, m fwrate.Pair) fwrate.Pair {
	return fwrate.Pair{Excess: m.Excess, Count: back(r.Power > 0, r.Late.Intercept-r.Late.Slope*math.Log(m.Excess))}
}

// limits returns the limits of the axes that show all of a rate.
func limits(r *fwrate.Rate) (x0, x1, y0, y1 float64) {
	var xs, ys span
	for _, m := range slices.Concat(r.Mean, r.Least, r.Most, r.Schedule) {
		xs.add(1 / m.Excess)
		ys.add(m.Count)
	}
	for _, m := range r.Mean[r.Late.From:] {
		ys.add(fitted(r, m).Count)
	}
	x0, x1 = logRange(xs.lo, xs.hi)
	if y0, y1 = linRange(ys.lo, ys.hi); r.Power > 0 {
		y0, y1 = logRange(ys.lo, ys.hi)
	}
	return x0, x1, y0, y1
}

// beside returns a triangle with the theory's exponent as its slope, at half the
// height of the late window and to the right of all that is drawn there: its
// left end, its right angle and its upper end.
func beside(r *fwrate.Rate) (a, b, c xy) {
	x0, x1, y0, y1 := limits(r)
	width, height := math.Log(x1/x0), math.Log(y1/y0)
	leg := min(0.16*width, 0.25*height/r.Power)
	first, last := r.Mean[r.Late.From], r.Mean[len(r.Mean)-1]
	y := (math.Log(first.Count)+math.Log(last.Count))/2 - r.Power*leg/2
	x := math.Log(x0)
	clear := func(p, q fwrate.Pair) { // the hypotenuse is to the right of the segment
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
	for i, s := range r.Schedule[1:] {
		clear(r.Schedule[i], s)
	}
	for i, m := range r.Mean[r.Late.From+1:] {
		clear(fitted(r, r.Mean[r.Late.From+i]), fitted(r, m))
	}
	x += 0.05 * width
	return xy{math.Exp(x), math.Exp(y)}, xy{math.Exp(x + leg), math.Exp(y)}, xy{math.Exp(x + leg), math.Exp(y + r.Power*leg)}
}

// note returns a short text, so many points to the right of and above at.
func note(p *plot.Plot, s string, at xy, right, up float64, align draw.XAlignment) *plotter.Labels {
	sty := letters(p.Legend.TextStyle, 9, ink)
	sty.XAlign = align
	return &plotter.Labels{XYs: plotter.XYs{{X: at.x, Y: at.y}}, Labels: []string{s}, TextStyle: []text.Style{sty},
		Offset: vg.Point{X: vg.Points(right), Y: vg.Points(up)}}
}

// path returns the line through points, which are finite.
func path(style draw.LineStyle, points ...xy) *plotter.Line {
	l := &plotter.Line{LineStyle: style}
	for _, q := range points {
		l.XYs = append(l.XYs, plotter.XY{X: q.x, Y: q.y})
	}
	return l
}
