package fwplot

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

type xy struct{ x, y float64 }

// series is what every chart is made of: points in order, a line through them, dots on them
// and ranges about them.
type series struct {
	name   string         // stands at its end, if the key has it
	style  draw.LineStyle // the rest is of the same colour
	xy     []xy
	last   float64   // the value to be told, where xy is condensed
	lo, hi []float64 // the edges of its band, if it has one
	dots   draw.GlyphDrawer
	radius float64     // of a dot, if it is not 2.5 points
	fill   color.Color // of the polygon that it goes round
	shade  vg.Point    // towards where it forbids all, if anywhere
	arrow  bool        // at its end
	tag    tag         // beside its first point
}

// Whither a line forbids all, farther than any figure is wide.
var above, below, left = vg.Point{Y: 1e4}, vg.Point{Y: -1e4}, vg.Point{X: -1e4}

func (s *series) add(q xy) { s.xy, s.last = append(s.xy, q), q.y }

// shapes mark the points of a line where points are marked.
var shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}}

// dot returns a single dot.
func dot(shape draw.GlyphDrawer, radius float64, style draw.LineStyle, at xy) series {
	return series{style: style, xy: []xy{at}, dots: shape, radius: radius}
}

// titled returns an empty plot with the house's title.
func titled(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Title.Padding = vg.Points(6)
	p.Title.TextStyle = letters(p.Title.TextStyle, titleSize)
	p.X.Padding, p.Y.Padding = 0, 0
	return p
}

// newPlot returns an empty plot with the house's axes, grid and type.
func newPlot(title, xlabel, ylabel string, logx, logy bool) *plot.Plot {
	p := titled(title)
	for _, a := range []struct {
		*plot.Axis
		label string
		log   bool
	}{{&p.X, xlabel, logx}, {&p.Y, ylabel, logy}} {
		a.Label.Text = a.label
		a.Label.TextStyle = letters(a.Label.TextStyle, labelSize)
		a.Label.Padding = vg.Points(3)
		a.LineStyle.Color, a.Tick.LineStyle.Color = ink, ink
		a.Tick.Label = letters(a.Tick.Label, tickSize)
		a.Tick.Length = vg.Points(4)
		a.Tick.Marker = ticks{log: a.log, max: 7}
		if a.log {
			a.Scale = logScale{}
		}
	}
	g := plotter.NewGrid()
	g.Horizontal = draw.LineStyle{Color: pale, Width: vg.Points(0.5)}
	g.Vertical = g.Horizontal
	p.Add(g)
	newKey(p)
	return p
}

func isLog(a plot.Axis) bool {
	_, log := a.Scale.(logScale)
	return log
}

// put draws series on p, all bands and shades first. The axes stay as they are.
func put(p *plot.Plot, all ...series) { p.Add(drawing(all)) }

// show puts lines on p, with dots at the points of each that has few, under the limits that
// show them all, and their names into the key.
func show(p *plot.Plot, lines []series, dots bool) {
	for i := range lines {
		if n := len(lines[i].xy); n == 1 || dots && n <= 30 { // of more dots one would see a band
			lines[i].dots = shapes[i%len(shapes)]
		}
	}
	xs := reach(p, lines)
	switch {
	case xs.n == 0: // an empty frame
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0.1, 1, 0.1, 1
	case dots || isLog(p.X) && xs.hi < 10*xs.lo:
		p.X.Min, p.X.Max = around(isLog(p.X), xs)
	case xs.lo == xs.hi:
		p.X.Min, p.X.Max = 0, 2*xs.hi // not 0: such runs are not drawn
	default:
		p.X.Min, p.X.Max = xs.lo, xs.hi
	}
	put(p, lines...)
}

// reach widens the vertical range of p to show the lines, puts their names into the key and
// returns their horizontal range.
func reach(p *plot.Plot, lines []series) (xs span) {
	k := keyOf(p)
	if k == nil { // a plot made elsewhere
		k = newKey(p)
	}
	var drawn []xy
	var ys span
	for _, s := range lines {
		drawn = append(drawn, s.xy...)
		ys.add(s.hi...)
		for _, lo := range s.lo {
			if !isLog(p.Y) || lo >= floor {
				ys.add(lo)
			}
		}
		if len(s.xy) > 0 {
			k.entries = append(k.entries, s)
		}
	}
	xs, of := spans(drawn)
	if of.n > 0 {
		ys.add(of.lo, of.hi)
	}
	if ys.n > 0 {
		lo, hi := around(isLog(p.Y), ys)
		p.Y.Min, p.Y.Max = min(p.Y.Min, lo), max(p.Y.Max, hi)
	}
	return xs
}

// drawing draws series.
type drawing []series

// Plot implements plot.Plotter.
func (d drawing) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	k := keyOf(p)
	tol := k.tol
	at := func(q xy) vg.Point { return vg.Point{X: trX(q.x), Y: trY(q.y)} }
	lines := make([][]vg.Point, len(d))
	for i, s := range d {
		var up, down []vg.Point
		for j, q := range s.xy {
			lines[i] = append(lines[i], at(q))
			if s.lo != nil {
				up, down = append(up, at(xy{q.x, s.hi[j]})), append(down, at(xy{q.x, s.lo[j]}))
				down[j].Y = max(down[j].Y, c.Min.Y) // a band that goes under all that is drawn
			}
		}
		if len(lines[i]) < 2 {
			continue
		}
		if ps := lines[i]; s.shade != (vg.Point{}) {
			far := []vg.Point{ps[len(ps)-1].Add(s.shade), ps[0].Add(s.shade)}
			c.FillPolygon(shade, c.ClipPolygonXY(slices.Concat(ps, far)))
		}
		if s.lo != nil {
			up, down = simplify(up, tol), simplify(down, tol)
			slices.Reverse(down)
			c.FillPolygon(faint(s.style.Color), c.ClipPolygonXY(append(up, down...)))
		}
		if s.fill != nil {
			c.FillPolygon(s.fill, c.ClipPolygonXY(lines[i]))
		}
	}
	for i, s := range d {
		ps := lines[i]
		if s.arrow {
			ps[len(ps)-1] = head(c, s.style.Color, ps)
		}
		if len(ps) > 1 && s.style.Width > 0 {
			c.StrokeLines(s.style, c.ClipLinesXY(simplify(ps, tol))...)
		}
		for _, q := range ps {
			c.DrawGlyph(s.glyph(), q)
		}
		if s.tag.text != "" {
			s.tag.write(c, k, s.style.Color, ps[0])
		}
	}
}

func (s series) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: s.style.Color, Radius: vg.Points(cmp.Or(s.radius, 2.5)), Shape: s.dots}
}

// head draws the head of an arrow at the end of a line, and returns where the line ends then.
func head(c draw.Canvas, col color.Color, ps []vg.Point) vg.Point {
	const size = 7
	tip := ps[len(ps)-1]
	v := tip.Sub(ps[len(ps)-2])
	long := length(v)
	if long <= 0.5 {
		return tip
	}
	u := v.Scale(1 / long)
	side := vg.Point{X: -u.Y, Y: u.X}.Scale(size * 0.4)
	base := tip.Sub(u.Scale(min(size, long)))
	c.FillPolygon(col, c.ClipPolygonXY([]vg.Point{tip, base.Add(side), base.Sub(side)}))
	return base
}

// simplify returns the points of a line that Douglas and Peucker keep: it departs from them by
// no more than tol.
func simplify(ps []vg.Point, tol vg.Length) []vg.Point {
	if len(ps) < 3 {
		return ps
	}
	a, b, far, at := ps[0], ps[len(ps)-1], tol, 0
	for i, p := range ps[:len(ps)-1] {
		if d := distance(p, a, b); d > far {
			far, at = d, i
		}
	}
	if at == 0 {
		return []vg.Point{a, b}
	}
	return slices.Concat(simplify(ps[:at+1], tol), simplify(ps[at:], tol)[1:])
}

// distance returns how far p is from the segment ab.
func distance(p, a, b vg.Point) vg.Length {
	d, q := b.Sub(a), p.Sub(a)
	t := vg.Length(0)
	if n := d.Dot(d); n > 0 {
		t = min(max(q.Dot(d)/n, 0), 1)
	}
	return length(q.Sub(d.Scale(t)))
}

func length(v vg.Point) vg.Length { return vg.Length(math.Hypot(float64(v.X), float64(v.Y))) }

// Series is a line for Lines: points (X[i], Y[i]) in order of X.
type Series struct {
	Name string // of a method, for its style; any other is grey next to methods
	X, Y []float64
}

// check panics unless there is a value for each abscissa.
func (s Series) check() {
	if len(s.X) != len(s.Y) {
		panic(need.Linef("fwplot: %q has %d abscissas and %d values", s.Name, len(s.X), len(s.Y)))
	}
}

// Lines draws any lines in the style of Traces, with dots at the points. Points that are NaN or infinite, or
// not positive on a logarithmic axis, are left out. Lines panics if X and Y of a series differ in length or
// X falls.
func Lines(title, xlabel, ylabel string, logx, logy bool, all ...Series) *plot.Plot {
	lines := make([]series, len(all))
	for i, s := range all {
		s.check()
		lines[i].name = s.Name
		for j, x := range s.X {
			if j > 0 && x < s.X[j-1] {
				panic(need.Linef("fwplot: the abscissas of %q fall from %g to %g", s.Name, s.X[j-1], x))
			}
			if y := s.Y[j]; finite(x) && finite(y) && (!logx || x > 0) && (!logy || y > 0) {
				lines[i].add(xy{x, y})
			}
		}
	}
	styled(lines)
	p := newPlot(title, xlabel, ylabel, logx, logy)
	show(p, lines, true)
	return p
}

// At returns the value at x, between two points by a line of the logarithms. It is NaN where the series does
// not come to x.
func (s Series) At(x float64) float64 {
	s.check()
	for i := 1; i < len(s.X); i++ {
		if s.X[i-1] <= x && x <= s.X[i] {
			t := math.Log(x/s.X[i-1]) / math.Log(s.X[i]/s.X[i-1])
			return math.Exp(mix(math.Log(s.Y[i-1]), math.Log(s.Y[i]), t))
		}
	}
	return math.NaN()
}
