package fwplot

import (
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/plot"
)

// Series is a line for Lines: points (X[i], Y[i]) in order of X.
type Series struct {
	Name string // of a method, for its style; any other is grey beside methods
	X, Y []float64
}

// Lines draws any lines in the style of Traces, with dots at the points: the
// final loss against a tuned factor, or a cost against a shape. Points that are
// NaN or infinite, or not positive on a logarithmic axis, are left out. Lines
// panics if X and Y of a series differ in length or X falls.
func Lines(title, xlabel, ylabel string, logx, logy bool, series ...Series) *plot.Plot {
	p := newPlot(title, xlabel, ylabel, logx, logy)
	var lines []line
	var names []string
	for _, s := range series {
		if len(s.X) != len(s.Y) {
			panic(need.Linef("fwplot: %q has %d abscissas and %d values", s.Name, len(s.X), len(s.Y)))
		}
		l := line{name: s.Name, dots: true}
		for i, x := range s.X {
			if i > 0 && x < s.X[i-1] {
				panic(need.Linef("fwplot: the abscissas of %q fall from %g to %g", s.Name, s.X[i-1], x))
			}
			y := s.Y[i]
			if finite(x) && finite(y) && (!logx || x > 0) && (!logy || y > 0) {
				l.xy, l.last = append(l.xy, xy{x, y}), y
			}
		}
		lines, names = append(lines, l), append(names, s.Name)
	}
	for i, s := range assign(names) {
		lines[i].style = s
	}
	addLines(p, lines, false)
	return p
}
