package fwplot

import (
	"strings"

	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// Slopes draws measured slopes over what their theorems say, one cell below the other, in
// groups by these verdicts: that of the long window as a dot, that of the late one as a ring,
// each with its interval, and those of the schedule alone, where there is a bound, as crosses. The grey line is at 1, and
// the axis has at least 0.5 to 1.4 of it, so that two such figures compare.
// Of a logarithm, what a factor e costs is over what it costs by the bound alone. Cells with
// another verdict are left out. Slopes panics at a logarithmic law without a Bound.
func Slopes(cells []fwrate.Cell, verdicts ...string) *plot.Plot {
	p := newPlot("● long window and 95 % interval, ○ late, × schedule", "slope / theory’s", "", false, false)
	var rows []plot.Tick
	xs := span{n: 1, lo: 0.5, hi: 1.4}
	y := 0.0
	for _, v := range verdicts {
		rows = append(rows, plot.Tick{Value: y, Label: strings.ToUpper(v)})
		for _, c := range cells {
			if c.Verdict != v {
				continue
			}
			if c.Rate == nil {
				panic(need.Linef("fwplot: %s on %s has no Rate: Law.Measure makes one, or says in an error why not", c.Name, c.On))
			}
			y--
			rows = append(rows, plot.Tick{Value: y, Label: c.Name + " · " + c.On})
			by := c.Power
			if by == 0 {
				if c.Bound == nil {
					panic(need.Linef("fwplot: %s on %s is a logarithmic law without a Bound, over which its slope could be drawn", c.Name, c.On))
				}
				by = c.Long.Schedule
			}
			slope(p, c.Long, by, y+0.2, draw.CircleGlyph{}, &xs)
			slope(p, c.Late, by, y-0.2, draw.RingGlyph{}, &xs)
		}
		y--
	}
	p.Add(path(draw.LineStyle{Color: grey, Width: 1}, xy{1, 0.6}, xy{1, y + 0.4}))
	p.Y.Tick.Marker = plot.ConstantTicks(rows)
	p.X.Min, p.X.Max = linRange(xs.lo, xs.hi)
	p.Y.Min, p.Y.Max = y+0.4, 0.6
	return p
}

// slope adds one mark with its interval, and a cross for the schedule.
func slope(p *plot.Plot, f fwrate.Fit, by, y float64, shape draw.GlyphDrawer, xs *span) {
	if finite(f.Schedule) {
		p.Add(&plotter.Scatter{XYs: plotter.XYs{{X: f.Schedule / by, Y: y}}, GlyphStyle: draw.GlyphStyle{Color: ink, Radius: 2, Shape: draw.CrossGlyph{}}})
		xs.add(f.Schedule / by)
	}
	dot := &plotter.Scatter{XYs: plotter.XYs{{X: f.Slope / by, Y: y}}, GlyphStyle: draw.GlyphStyle{Color: ink, Radius: 2.5, Shape: shape}}
	p.Add(path(draw.LineStyle{Color: ink, Width: 1}, xy{f.Lo / by, y}, xy{f.Hi / by, y}), dot)
	for _, x := range []float64{f.Lo, f.Hi, f.Slope} {
		xs.add(x / by)
	}
}
