package fwplot

import (
	"math"

	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Ratio is a row of Ratios: how often one goes into the other.
type Ratio struct {
	Name        string
	Mid         float64 // as a median
	Least, Most float64 // its range; both 0 for none
	Goal        float64 // what was asked for; 0 for nothing
}

// Ratios draws ratios one below the other: a black stroke for each, on a blue line over its
// range, and a longer grey stroke for its goal; one without a range is a dot with a grey line
// to it from 1. The axis is logarithmic, so that twice as much
// and half as much are equally far from the grey line at 1, and has at least 0.5 to 20 of it.
// Ratios panics if a number is not positive, a Goal apart, or Mid is not in its range.
func Ratios(title, xlabel string, rows ...Ratio) *plot.Plot {
	p := newPlot(title, xlabel, "", true, false)
	last := float64(len(rows) - 1)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0.5, 20, -0.7, last+0.7
	p.Add(path(draw.LineStyle{Color: grey, Width: vg.Points(0.75)}, xy{1, p.Y.Min}, xy{1, p.Y.Max}))
	var names plot.ConstantTicks
	for i, r := range rows {
		single := r.Least == 0 && r.Most == 0
		if single {
			r.Least, r.Most = r.Mid, r.Mid
		}
		if !(0 < r.Least && r.Least <= r.Mid && r.Mid <= r.Most && r.Most <= math.MaxFloat64 && r.Goal >= 0) {
			panic(need.Linef("fwplot: %s: the ratio %g in %g to %g, the goal %g", r.Name, r.Mid, r.Least, r.Most, r.Goal))
		}
		y := last - float64(i)
		names = append(names, plot.Tick{Value: y, Label: r.Name})
		upright := func(x, tall float64, c uint32) *plotter.Line {
			return path(stroke(c, 1.5), xy{x, y - tall}, xy{x, y + tall})
		}
		if single {
			dot := draw.GlyphStyle{Color: ink, Radius: 3, Shape: draw.CircleGlyph{}}
			p.Add(path(draw.LineStyle{Color: grey, Width: 2}, xy{1, y}, xy{r.Mid, y}),
				&plotter.Scatter{XYs: plotter.XYs{{X: r.Mid, Y: y}}, GlyphStyle: dot})
		} else {
			p.Add(path(stroke(0x0072B2, 1.5), xy{r.Least, y}, xy{r.Most, y}), upright(r.Mid, 0.2, 0x000000))
		}
		least, most := r.Least, r.Most
		if r.Goal > 0 {
			p.Add(upright(r.Goal, 0.4, 0x999999))
			least, most = min(least, r.Goal), max(most, r.Goal)
		}
		p.X.Min, p.X.Max = min(p.X.Min, least/1.2), max(p.X.Max, 1.2*most)
	}
	p.Y.Tick.Marker = names
	return p
}
