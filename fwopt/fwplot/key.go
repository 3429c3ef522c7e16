package fwplot

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// key names the lines to the right of the data, each in its colour and at the height of
// its end. Where a name had to move, or a line ends before the right edge or leaves through
// another one, a thin leader in its colour goes from there to the name. It also keeps what Grid must know of a
// plot, which finds its way through gonum as the plot's text handler.
type key struct {
	text.Handler
	entries []entry
	lines   []line     // what was drawn, for Bound
	behind  []line     // bounds and predictions, which are drawn before the data
	tol     vg.Length  // how much the lines may be simplified
	scale   float64    // of the names, in a figure of this width
	silent  []string   // names that a panel further right has, too
	strip   *plot.Plot // to be drawn under the plot, along the same axis
	square  bool       // one unit is as long on both axes
}

var _ text.Handler = (*key)(nil)

type entry struct {
	name  string
	style draw.LineStyle
	way   []xy    // of the line, or its end alone; none if it names a colour, as beside a map
	last  float64 // its last value
}

// isMap reports whether the names are those of colours, as beside a map.
func (k *key) isMap() bool { return len(k.entries) > 0 && len(k.entries[0].way) == 0 }

func keyOf(p *plot.Plot) *key {
	k, _ := p.TextHandler.(*key)
	return k
}

// newKey gives p a key.
func newKey(p *plot.Plot) *key {
	k := &key{Handler: p.TextHandler, tol: vg.Points(0.1), scale: 1}
	p.TextHandler = k // gonum draws by the handlers of the styles
	p.Add(k)
	return k
}

const (
	keyGap   = 9   // between the data and the names
	keyWidth = 104 // longer names are wrapped, and where panels are narrow shorter ones, too
)

func (k *key) style(e entry) text.Style {
	return text.Style{Color: readable(e.style.Color), Font: sans(nameSize * k.scale), Handler: k.Handler, XAlign: draw.XLeft}
}

// text returns the name as it is written.
func (k *key) text(e entry) (string, text.Style) {
	sty := k.style(e)
	return wrap(e.name, sty, vg.Points(keyWidth/k.scale)), sty
}

// spoken returns the entries that are written.
func (k *key) spoken() []entry {
	return slices.DeleteFunc(slices.Clone(k.entries), func(e entry) bool { return slices.Contains(k.silent, e.name) })
}

// GlyphBoxes keeps room at the right, by claiming a glyph at the right edge.
func (k *key) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	var w vg.Length
	for _, e := range k.spoken() {
		s, sty := k.text(e)
		w = max(w, sty.Width(s))
	}
	if w == 0 {
		return nil
	}
	return []plot.GlyphBox{{X: 1, Rectangle: vg.Rectangle{Max: vg.Point{X: w + keyGap + 2}}}}
}

// Plot implements plot.Plotter.
func (k *key) Plot(c draw.Canvas, p *plot.Plot) {
	(&drawing{k.behind, k}).Plot(c, p)
	names := k.spoken()
	trX, trY := p.Transforms(&c)
	ends := make([]vg.Point, len(names))
	centre, height := make([]float64, len(names)), make([]float64, len(names))
	for i, e := range names {
		ends[i] = e.leaves(c, trX, trY)
		s, sty := k.text(e)
		centre[i], height[i] = float64(ends[i].Y), float64(rise(s, sty))+1
	}
	for i, y := range spread(centre, height, float64(c.Min.Y), float64(c.Max.Y)) {
		s, sty := k.text(names[i])
		at := vg.Point{X: c.Max.X + keyGap, Y: vg.Length(y)}
		if off := at.Y - ends[i].Y; !k.isMap() && (off*off > 9 || ends[i].X < c.Max.X-12) {
			way := []vg.Point{{X: min(ends[i].X+4, c.Max.X), Y: ends[i].Y}, {X: c.Max.X, Y: ends[i].Y}, {X: at.X - 2, Y: at.Y}}
			thin := draw.LineStyle{Color: sty.Color, Width: vg.Points(0.5)}
			if ends[i].X < c.Max.X-12 && (ends[i].Y < c.Min.Y+1 || ends[i].Y > c.Max.Y-1) { // not along the edge
				way = []vg.Point{ends[i], {X: c.Max.X, Y: at.Y}, {X: at.X - 2, Y: at.Y}}
				thin.Dashes = []vg.Length{vg.Points(1), vg.Points(2)}
			}
			c.StrokeLines(thin, way)
		}
		write(c, s, sty, vg.Point{X: at.X, Y: at.Y + rise(s, sty)/2})
	}
}

// leaves returns where a line ends in the view: at its last point, or where it goes out before.
func (e entry) leaves(c draw.Canvas, trX, trY func(float64) vg.Length) vg.Point {
	var way []vg.Point
	for _, q := range e.way {
		way = append(way, vg.Point{X: trX(q.x), Y: trY(q.y)})
	}
	if seen := c.ClipLinesXY(way); len(seen) > 0 {
		last := seen[len(seen)-1]
		return last[len(last)-1]
	}
	if len(way) == 0 {
		return c.Max // the names of colours stand from the top
	}
	end := way[len(way)-1]
	return vg.Point{X: min(max(end.X, c.Min.X), c.Max.X), Y: min(max(end.Y, c.Min.Y), c.Max.Y)}
}

// spread moves labels with the given centres and heights apart, as little as
// can be in squares, so that they do not overlap and lie within [lo, hi]. If
// they cannot all fit, they begin at lo.
func spread(centre, height []float64, lo, hi float64) []float64 {
	n := len(centre)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(centre[a], centre[b]) })
	// With off the height of all labels below, z = centre − off must not fall:
	// a regression that pools neighbours which do.
	type block struct{ sum, n float64 }
	var blocks []block
	off := make([]float64, n)
	total := 0.0
	for i, o := range order {
		off[i] = total + height[o]/2
		total += height[o]
		blocks = append(blocks, block{centre[o] - off[i], 1})
		for b := len(blocks) - 1; b > 0 && blocks[b-1].sum*blocks[b].n > blocks[b].sum*blocks[b-1].n; b-- {
			blocks[b-1].sum += blocks[b].sum
			blocks[b-1].n += blocks[b].n
			blocks = blocks[:b]
		}
	}
	out := make([]float64, n)
	i := 0
	for _, b := range blocks {
		z := max(lo, min(b.sum/b.n, hi-total))
		for range int(b.n) {
			out[order[i]] = z + off[i]
			i++
		}
	}
	return out
}

// tag is a short text beside a point of a plot.
type tag struct {
	key    *key
	text   string
	at     xy
	dx, dy float64 // from the point to the text's nearest edge and to its middle, in points
	style  text.Style
	bare   bool // without the white behind it
}

// tagged returns a text so many points to the right of a point, its middle so many above;
// one to the left ends there.
func tagged(p *plot.Plot, s string, at xy, dx, dy float64, of draw.LineStyle) *tag {
	t := &tag{key: keyOf(p), text: s, at: at, dx: dx, dy: dy}
	t.style = text.Style{Color: readable(of.Color), Handler: t.key.Handler, XAlign: draw.XLeft}
	if dx < 0 {
		t.style.XAlign = draw.XRight
	}
	return t
}

// Plot implements plot.Plotter.
func (t *tag) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	sty := t.style
	sty.Font = sans(nameSize * t.key.scale)
	pt := vg.Point{X: trX(t.at.x) + vg.Points(t.dx), Y: trY(t.at.y) + vg.Points(t.dy)}
	if pt.X < c.Min.X-1 || pt.X > c.Max.X+1 || pt.Y < c.Min.Y-1 || pt.Y > c.Max.Y+1 {
		return // what it names is not in view
	}
	w, h := sty.Width(t.text), sty.Font.Size
	left := pt.X
	switch sty.XAlign {
	case draw.XRight:
		if left -= w; left < c.Min.X+2 {
			left, pt.X = c.Min.X+2, c.Min.X+2+w
		}
	case draw.XCenter:
		left -= w / 2
	}
	if !t.bare {
		c.FillPolygon(paper, []vg.Point{{X: left - 1, Y: pt.Y - h/2}, {X: left + w + 1, Y: pt.Y - h/2}, {X: left + w + 1, Y: pt.Y + h/2}, {X: left - 1, Y: pt.Y + h/2}})
	}
	write(c, t.text, sty, vg.Point{X: pt.X, Y: pt.Y + rise(t.text, sty)/2})
}
