package fwplot

import (
	"fmt"
	"math"
	"strings"

	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// Tuning draws how sensitive a method is to the constant that was tuned: f at the end against its value, on
// a logarithmic axis where f > 0. A line is a round of fwrate.Tune, the median over the seeds with their
// range as its band; that over the whole budget is in the method's own style, the others are thin. A value
// at which a run diverged is left out. Of two constants the axis has the first, each with its best second.
func Tuning(method string, t *fwrate.Tuning) *plot.Plot {
	if t == nil {
		panic(need.Line("fwplot: a Tuning that is nil: fwrate.Tune makes one"))
	}
	lines, positive := rounds(method, t)
	title := "best: " + number(t.Best, 4)
	if t.Second > 0 {
		title += ", " + number(t.Second, 4)
	}
	if len(t.Doubts) > 0 {
		title += ", in doubt"
	}
	p := newPlot(title, "value of the constant", "f at the end", true, positive)
	show(p, lines, true)
	return p
}

// rounds returns the line of each round, and whether all that is drawn is positive.
func rounds(method string, t *fwrate.Tuning) (lines []series, positive bool) {
	least := math.Inf(1)
	for _, round := range t.Rounds {
		l := series{name: method}
		if share := round[0].Share; share < 1 {
			l.name = fmt.Sprintf("1/%g of the budget", 1/share)
		}
		for _, p := range round {
			if !finite(p.Most) {
				continue
			}
			if n := len(l.xy); n > 0 && l.xy[n-1].x == p.C { // of two constants
				if l.xy[n-1].y <= p.Median {
					continue
				}
				l.xy, l.lo, l.hi = l.xy[:n-1], l.lo[:n-1], l.hi[:n-1]
			}
			l.add(xy{p.C, p.Median})
			l.lo, l.hi = append(l.lo, p.Least), append(l.hi, p.Most)
			least = min(least, p.Least)
		}
		if len(l.xy) > 0 {
			lines = append(lines, l)
		}
	}
	styled(lines)
	for i, l := range lines {
		if l.name != method {
			lines[i].style.Width = 1
		}
	}
	return lines, len(lines) > 0 && least > 0
}

// rows draws series one below the other, with names on the vertical axis, and a grey line at 1.
func rows(p *plot.Plot, names []plot.Tick, all []series, low, high float64) {
	p.Y.Tick.Marker, p.Y.Min, p.Y.Max = plot.ConstantTicks(names), low, high
	put(p, append([]series{{style: stroke(0x777777, 1), xy: []xy{{1, low}, {1, high}}}}, all...)...)
}

// Ratio is a row of Ratios: how often one goes into the other.
type Ratio struct {
	Name        string
	Mid         float64 // as a median
	Least, Most float64 // its range; both 0 for none
}

// Ratios draws ratios one below the other: a black stroke for each, on a blue line over its range; one
// without a range is a dot with a grey line to it from 1. The axis is logarithmic, so that twice and half
// as much are equally far from the grey line at 1, and has at least 0.5 to 20 of it. Ratios panics if a
// number is not positive or Mid is not in its range.
func Ratios(title, xlabel string, all ...Ratio) *plot.Plot {
	p := newPlot(title, xlabel, "", true, false)
	p.X.Min, p.X.Max = 0.5, 20
	var names []plot.Tick
	var drawn []series
	last := float64(len(all) - 1)
	for i, r := range all {
		single, y := r.Least == 0 && r.Most == 0, last-float64(i)
		if single {
			r.Least, r.Most = r.Mid, r.Mid
		}
		if !(0 < r.Least && r.Least <= r.Mid && r.Mid <= r.Most && r.Most <= math.MaxFloat64) {
			panic(need.Linef("fwplot: %s: the ratio %g in %g to %g", r.Name, r.Mid, r.Least, r.Most))
		}
		names = append(names, plot.Tick{Value: y, Label: r.Name})
		line := func(c uint32, width float64, a, b xy) {
			drawn = append(drawn, series{style: stroke(c, width), xy: []xy{a, b}})
		}
		if single {
			line(0x777777, 2, xy{1, y}, xy{r.Mid, y})
			drawn = append(drawn, dot(draw.CircleGlyph{}, 3, stroke(0x333333, 0), xy{r.Mid, y}))
		} else {
			line(0x0072B2, 1.5, xy{r.Least, y}, xy{r.Most, y})
			line(0x000000, 1.5, xy{r.Mid, y - 0.2}, xy{r.Mid, y + 0.2})
		}
		p.X.Min, p.X.Max = min(p.X.Min, r.Least/1.2), max(p.X.Max, 1.2*r.Most)
	}
	rows(p, names, drawn, -0.7, last+0.7)
	return p
}

// Slopes draws measured slopes over their theorems’, one cell below the other, in groups by these
// verdicts: that of the long window as a dot, that of the late one as a ring, each with its interval, and
// the prescribed ones, where there is a bound, as crosses. The grey line is at 1, and the axis has
// at least 0.5 to 1.4 of it, so that two such figures compare. Of a logarithm, what a factor e costs is over
// what it costs by the bound alone. Slopes panics at a logarithmic law without a Bound.
func Slopes(cells []fwrate.Cell, verdicts ...string) *plot.Plot {
	const title = "● long window and 95 % interval, ○ last half, × prescribed"
	p := newPlot(title, "slope / theory’s", "", false, false)
	var names []plot.Tick
	var drawn []series
	xs, y := span{n: 1, lo: 0.5, hi: 1.4}, 0.0
	for _, v := range verdicts {
		names = append(names, plot.Tick{Value: y, Label: strings.ToUpper(v)})
		for _, c := range cells {
			if c.Verdict != v {
				continue
			}
			if c.Rate == nil {
				panic(need.Linef("fwplot: %s on %s has no Rate:"+
					" Law.Measure makes one, or tells in an error why not", c.Name, c.On))
			}
			by := c.Power
			if by == 0 {
				if c.Bound == nil {
					panic(need.Linef("fwplot: %s on %s is a logarithmic law without a Bound,"+
						" over which its slope could be drawn", c.Name, c.On))
				}
				by = c.Long.Schedule
			}
			y--
			names = append(names, plot.Tick{Value: y, Label: c.Name + " · " + c.On})
			drawn = append(drawn, slope(c.Long, by, y+0.2, draw.CircleGlyph{}, &xs)...)
			drawn = append(drawn, slope(c.Late, by, y-0.2, draw.RingGlyph{}, &xs)...)
		}
		y--
	}
	p.X.Min, p.X.Max = linRange(xs.lo, xs.hi)
	rows(p, names, drawn, y+0.4, 0.6)
	return p
}

// slope returns a mark with its interval, and a cross for the schedule.
func slope(f fwrate.Fit, by, y float64, shape draw.GlyphDrawer, xs *span) []series {
	bar := series{style: stroke(0x333333, 1), xy: []xy{{f.Lo / by, y}, {f.Hi / by, y}}}
	mark := dot(shape, 2.5, stroke(0x333333, 0), xy{f.Slope / by, y})
	cross := dot(draw.CrossGlyph{}, 2, mark.style, xy{f.Schedule / by, y})
	for _, x := range []float64{f.Lo, f.Hi, f.Slope, f.Schedule} {
		if finite(x) {
			xs.add(x / by)
		}
	}
	return []series{bar, mark, cross}
}
