package fwplot

import (
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// line is one line of a figure. Where lo and hi are not nil, they are the edges
// of its band.
type line struct {
	name    string
	style   draw.LineStyle
	xy      []xy
	lo, hi  []float64
	last    float64 // the value to be told, where xy is condensed
	dots    bool    // mark the points, if they are few
	forbids side    // of it that is shaded
}

// side is a side of a line.
type side int

const (
	neither side = iota
	above
	below
	left
)

// newPlot returns an empty plot with the house's axes, grid and type.
func newPlot(title, xlabel, ylabel string, logx, logy bool) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Title.Padding = vg.Points(6)
	p.Title.TextStyle = letters(p.Title.TextStyle, titleSize, ink)
	p.Legend.TextStyle = letters(p.Legend.TextStyle, nameSize, ink) // the reader’s; ours is the key
	p.Legend.Top, p.Legend.Left = true, true
	for _, a := range []struct {
		axis  *plot.Axis
		label string
		log   bool
	}{{&p.X, xlabel, logx}, {&p.Y, ylabel, logy}} {
		a.axis.Label.Text = a.label
		a.axis.Label.TextStyle = letters(a.axis.Label.TextStyle, labelSize, ink)
		a.axis.Label.Padding = vg.Points(3)
		a.axis.LineStyle.Color = ink
		a.axis.Padding = 0
		a.axis.Tick.Label = letters(a.axis.Tick.Label, tickSize, ink)
		a.axis.Tick.LineStyle.Color = ink
		a.axis.Tick.Length = vg.Points(4)
		a.axis.Tick.Marker = ticks{log: a.log, max: 7}
		if a.log {
			a.axis.Scale = logScale{}
		}
	}
	g := plotter.NewGrid()
	g.Horizontal = draw.LineStyle{Color: pale, Width: vg.Points(0.5)}
	g.Vertical = g.Horizontal
	p.Add(g)
	newKey(p)
	return p
}

// unframed returns a plot without axes, of which a unit is as long on both: a domain or a map.
func unframed(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Title.Padding = vg.Points(6)
	p.Title.TextStyle = letters(p.Title.TextStyle, titleSize, ink)
	p.HideAxes()
	p.X.Padding, p.Y.Padding = 0, 0
	return p
}

// addLines draws the lines on p, under the limits that show them all. If widen
// is set, only the vertical range changes, and they are drawn behind what is there.
func addLines(p *plot.Plot, lines []line, widen bool) {
	_, logx := p.X.Scale.(logScale)
	_, logy := p.Y.Scale.(logScale)
	var xs, ys span
	for _, l := range lines {
		for i, q := range l.xy {
			xs.add(q.x)
			ys.add(q.y)
			if l.lo != nil {
				ys.add(l.hi[i])
				if !logy || l.lo[i] >= Floor {
					ys.add(l.lo[i])
				}
			}
		}
	}
	if ys.n > 0 {
		lo, hi := linRange(ys.lo, ys.hi)
		if logy {
			lo, hi = logRange(ys.lo, ys.hi)
		}
		p.Y.Min, p.Y.Max = min(p.Y.Min, lo), max(p.Y.Max, hi)
		if !widen {
			p.X.Min, p.X.Max = xs.lo, xs.hi
			switch dots := lines[0].dots; {
			case logx && (dots || xs.hi < 10*xs.lo):
				p.X.Min, p.X.Max = logRange(xs.lo, xs.hi)
			case dots:
				p.X.Min, p.X.Max = linRange(xs.lo, xs.hi)
			case xs.lo == xs.hi:
				p.X.Min, p.X.Max = 0, 2*xs.hi // not 0: such runs are not drawn
			}
		}
	} else if !widen { // nothing to show: an empty frame
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
		if logx {
			p.X.Min = 0.1
		}
		if logy {
			p.Y.Min = 0.1
		}
	}
	k := keyOf(p)
	if k == nil { // a plot made elsewhere
		k = newKey(p)
	}
	for _, l := range lines {
		if len(l.xy) > 0 {
			k.entries = append(k.entries, entry{l.name, l.style, l.xy, l.last})
		}
	}
	k.lines = append(k.lines, lines...)
	if widen {
		k.behind = append(k.behind, lines...)
		return
	}
	p.Add(&drawing{lines, k})
}

// drawing draws lines, all the bands first.
type drawing struct {
	lines []line
	key   *key
}

// Plot implements plot.Plotter.
func (d *drawing) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	tr := func(x, y float64) vg.Point { return vg.Point{X: trX(x), Y: trY(y)} }
	for _, l := range d.lines {
		if l.forbids != neither && len(l.xy) > 1 {
			forbidden(c, l, tr)
		}
		if l.lo == nil || len(l.xy) < 2 {
			continue
		}
		var up, down []vg.Point
		for i, q := range l.xy {
			up = append(up, tr(q.x, l.hi[i]))
			lo := tr(q.x, l.lo[i])
			lo.Y = max(lo.Y, c.Min.Y) // a band that goes under all that is drawn
			down = append(down, lo)
		}
		up, down = simplify(up, d.key.tol), simplify(down, d.key.tol)
		slices.Reverse(down)
		r, g, b, _ := l.style.Color.RGBA()
		c.FillPolygon(color.NRGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 51}, c.ClipPolygonXY(append(up, down...)))
	}
	for i, l := range d.lines {
		ps := make([]vg.Point, len(l.xy))
		for j, q := range l.xy {
			ps[j] = tr(q.x, q.y)
		}
		if len(ps) > 1 {
			c.StrokeLines(l.style, c.ClipLinesXY(simplify(ps, d.key.tol))...)
		}
		if l.dots && (len(ps) <= manyDots || l.style.Width == 0) || len(ps) == 1 {
			for _, q := range ps {
				c.DrawGlyph(draw.GlyphStyle{Color: l.style.Color, Radius: vg.Points(2.5), Shape: shapes[i%len(shapes)]}, q)
			}
		}
	}
}

// forbidden shades what is on a side of a line.
func forbidden(c draw.Canvas, l line, tr func(x, y float64) vg.Point) {
	var ps []vg.Point
	for _, q := range l.xy {
		ps = append(ps, tr(q.x, q.y))
	}
	first, last := ps[0], ps[len(ps)-1]
	switch l.forbids {
	case above:
		first.Y, last.Y = c.Max.Y, c.Max.Y
	case below:
		first.Y, last.Y = c.Min.Y, c.Min.Y
	case left:
		first.X, last.X = c.Min.X, c.Min.X
	}
	c.FillPolygon(shade, c.ClipPolygonXY(append(ps, last, first)))
}

// manyDots is how many dots a line may have; of more than that one would see a band, unless there is no line.
const manyDots = 30

// shapes mark the points of a line where points are marked.
var shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}}

// simplify returns the points of a line from which it departs by no more than
// tol: of each column as wide as tol the first, the lowest, the highest and the
// last, and of these what Douglas and Peucker keep. The horizontal coordinates
// must not fall.
func simplify(ps []vg.Point, tol vg.Length) []vg.Point {
	var cols []vg.Point
	for i := 0; i < len(ps); {
		j, lo, hi := i, i, i
		for j < len(ps) && ps[j].X < ps[i].X+tol {
			if ps[j].Y < ps[lo].Y {
				lo = j
			}
			if ps[j].Y > ps[hi].Y {
				hi = j
			}
			j++
		}
		four := []int{i, min(lo, hi), max(lo, hi), max(i, j-1)}
		for _, k := range slices.Compact(four) {
			cols = append(cols, ps[k])
		}
		i = max(j, i+1)
	}
	if len(cols) < 3 {
		return cols
	}
	keep := make([]bool, len(cols))
	keep[0], keep[len(cols)-1] = true, true
	for stack := [][2]int{{0, len(cols) - 1}}; len(stack) > 0; {
		a, b := stack[len(stack)-1][0], stack[len(stack)-1][1]
		stack = stack[:len(stack)-1]
		far, at := tol, -1
		for i := a + 1; i < b; i++ {
			if d := distance(cols[i], cols[a], cols[b]); d > far {
				far, at = d, i
			}
		}
		if at >= 0 {
			keep[at] = true
			stack = append(stack, [2]int{a, at}, [2]int{at, b})
		}
	}
	n := 0
	for i, p := range cols {
		if keep[i] {
			cols[n] = p
			n++
		}
	}
	return cols[:n]
}

// distance returns how far p is from the segment ab.
func distance(p, a, b vg.Point) vg.Length {
	d, q := b.Sub(a), p.Sub(a)
	t := vg.Length(0)
	if n := d.Dot(d); n > 0 {
		t = min(max(q.Dot(d)/n, 0), 1)
	}
	q = q.Sub(d.Scale(t))
	return vg.Length(math.Hypot(float64(q.X), float64(q.Y)))
}

// rise returns the height of a text.
func rise(s string, sty text.Style) vg.Length {
	return leading * sty.Font.Size * vg.Length(1+strings.Count(s, "\n"))
}

const leading = 1.15 // of lines, in sizes of the font

// write writes a text whose top is at pt, aligned as the style says. If it is
// rotated by a quarter turn, its top is its left edge.
func write(c draw.Canvas, s string, sty text.Style, pt vg.Point) {
	sty.YAlign = draw.YBottom
	sin, cos := math.Sincos(sty.Rotation)
	for i, row := range strings.Split(s, "\n") {
		// letters, without what hangs below them, are 0.72 high; and gonum puts
		// the base line one size less the ascent above where it is asked to
		down := (leading*(vg.Length(i)+0.5)+0.36+1)*sty.Font.Size - sty.FontExtents().Ascent
		c.FillText(sty, vg.Point{X: pt.X + down*vg.Length(sin), Y: pt.Y - down*vg.Length(cos)}, row)
	}
}

// wrap breaks a text at spaces where it would be wider than width.
func wrap(s string, sty text.Style, width vg.Length) string {
	var out strings.Builder
	for i, row := range strings.Split(s, "\n") {
		if i > 0 {
			out.WriteByte('\n')
		}
		var now string
		for _, word := range strings.Fields(row) {
			switch {
			case now == "":
				now = word
			case sty.Width(now+" "+word) <= width:
				now += " " + word
			default:
				out.WriteString(now + "\n")
				now = word
			}
		}
		out.WriteString(now)
	}
	return out.String()
}

// rewrap breaks each title anew that is wider than its panel, from where the data begin to
// where the names end, and reports whether there was one.
func (l *layout) rewrap(data [][]vg.Rectangle) (changed bool) {
	for i, row := range l.rows {
		for j := range row {
			q := &row[j]
			if room := data[i][j].Size().X + q.right; q.title != "" && q.titleStyle.Width(q.title) > room {
				q.title, changed = wrap(q.words, q.titleStyle, room), true
			}
		}
	}
	return changed
}
