package fwplot

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// key names the lines to the right of the data, each in its colour and at the height of its end, with a thin
// leader where the name is elsewhere. It also keeps what Grid must know of a plot, which finds its way
// through gonum as the plot's text handler.
type key struct {
	text.Handler
	view
	entries []series   // whose points, if a name is not that of a colour alone, as beside a map
	behind  []series   // bounds and predictions, which are drawn before the data
	strip   *plot.Plot // to be drawn under the plot, along the same axis
	square  bool       // one unit is as long on both axes
}

// view is how a figure shows a plot.
type view struct {
	tol    vg.Length // how much the lines may be simplified
	scale  float64   // of the names
	silent []string  // names that stand elsewhere
}

var plain = view{tol: vg.Points(0.1), scale: 1}

// isMap reports whether the names are those of colours, as beside a map.
func (k *key) isMap() bool { return len(k.entries) > 0 && len(k.entries[0].xy) == 0 }

func keyOf(p *plot.Plot) *key {
	k, _ := p.TextHandler.(*key)
	return k
}

// newKey gives p a key.
func newKey(p *plot.Plot) *key {
	k := &key{Handler: p.TextHandler, view: plain}
	p.TextHandler = k // gonum draws by the handlers of the styles
	p.Add(k)
	return k
}

const (
	keyGap   = 9  // between the data and the names
	keyWidth = 78 // longer names are wrapped, and where panels are narrow shorter ones, too
)

// spoken returns the entries that are written, and how.
func (k *key) spoken() (entries []series, names []words) {
	for _, e := range k.entries {
		if e.name != "" && !slices.Contains(k.silent, e.name) {
			w := k.words(e.name, e.style.Color)
			w.text = wrap(w.text, w.sty, vg.Points(keyWidth/k.scale))
			entries, names = append(entries, e), append(names, w)
		}
	}
	return entries, names
}

// words returns a name of what is drawn in a colour.
func (k *key) words(name string, of color.Color) words {
	sty := text.Style{Color: readable(of), Font: sans(nameSize * k.scale), Handler: k.Handler}
	return words{name, sty, 0}
}

// GlyphBoxes keeps space at the right, by claiming a glyph at the right edge.
func (k *key) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	var w vg.Length
	_, names := k.spoken()
	for _, n := range names {
		w = max(w, n.sty.Width(n.text))
	}
	if w == 0 {
		return nil
	}
	return []plot.GlyphBox{{X: 1, Rectangle: vg.Rectangle{Max: vg.Point{X: w + keyGap + 2}}}}
}

// Plot implements plot.Plotter.
func (k *key) Plot(c draw.Canvas, p *plot.Plot) {
	drawing(k.behind).Plot(c, p)
	entries, names := k.spoken()
	ends := make([]vg.Point, len(names))
	centre, height := make([]float64, len(names)), make([]float64, len(names))
	for i, e := range entries {
		ends[i] = e.leaves(c, p)
		centre[i], height[i] = float64(ends[i].Y), float64(names[i].tall())+1
	}
	for i, y := range spread(centre, height, float64(c.Min.Y), float64(c.Max.Y)) {
		name, end := names[i], ends[i]
		at := vg.Point{X: c.Max.X + keyGap, Y: vg.Length(y)}
		early := end.X < c.Max.X-12
		if off := at.Y - end.Y; !k.isMap() && (off*off > 9 || early) {
			from, edge := vg.Point{X: min(end.X+4, c.Max.X), Y: end.Y}, vg.Point{X: c.Max.X, Y: end.Y}
			thin := draw.LineStyle{Color: name.sty.Color, Width: vg.Points(0.5)}
			if early { // a solid one would look like data
				thin.Dashes = []vg.Length{vg.Points(1), vg.Points(2)}
			}
			if early && (end.Y < c.Min.Y+1 || end.Y > c.Max.Y-1) { // not along the edge
				from, edge.Y = end, at.Y
			}
			c.StrokeLines(thin, []vg.Point{from, edge, {X: at.X - 2, Y: at.Y}})
		}
		name.write(c, vg.Point{X: at.X, Y: at.Y + name.tall()/2})
	}
}

// leaves returns where a line ends in the view: at its last point, or where it goes out before.
func (s series) leaves(c draw.Canvas, p *plot.Plot) vg.Point {
	trX, trY := p.Transforms(&c)
	var way []vg.Point
	for _, q := range s.xy {
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

// spread moves labels with the given centres and heights apart, as little as can be in squares,
// so that they do not overlap and lie within [lo, hi]. If they cannot all fit, they begin at lo.
func spread(centre, height []float64, lo, hi float64) []float64 {
	order, out := make([]int, len(centre)), make([]float64, len(centre))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(centre[a], centre[b]) })
	// With out the height of all labels below, z = centre − out must not fall:
	// a regression that pools neighbours which do.
	type block struct{ sum, n float64 }
	var blocks []block
	total := 0.0
	for _, o := range order {
		out[o] = total + height[o]/2
		total += height[o]
		blocks = append(blocks, block{centre[o] - out[o], 1})
		for b := len(blocks) - 1; b > 0 && blocks[b-1].sum*blocks[b].n > blocks[b].sum*blocks[b-1].n; b-- {
			blocks[b-1].sum += blocks[b].sum
			blocks[b-1].n += blocks[b].n
			blocks = blocks[:b]
		}
	}
	for _, b := range blocks {
		for _, o := range order[:int(b.n)] {
			out[o] += max(lo, min(b.sum/b.n, hi-total))
		}
		order = order[int(b.n):]
	}
	return out
}

// tag is a short text beside the first point of a series.
type tag struct {
	text   string
	dx, dy float64 // from the point to the text's nearest edge and to its middle, in points
	middle bool    // of the text is dx from the point
	bare   bool    // without the white behind it
}

// tagged returns a text so many points to the right of a point, its middle so many above;
// one to the left ends there.
func tagged(s string, at xy, dx, dy float64, of draw.LineStyle) series {
	return series{style: of, xy: []xy{at}, tag: tag{text: s, dx: dx, dy: dy}}
}

// write writes the tag of a point in the size of the names, where the point is in view.
func (t tag) write(c draw.Canvas, k *key, of color.Color, at vg.Point) {
	w := k.words(t.text, of)
	pt := vg.Point{X: at.X + vg.Points(t.dx), Y: at.Y + vg.Points(t.dy)}
	if pt.X < c.Min.X-1 || pt.X > c.Max.X+1 || pt.Y < c.Min.Y-1 || pt.Y > c.Max.Y+1 {
		return
	}
	wide, half := w.sty.Width(w.text), w.sty.Font.Size/2
	switch {
	case t.middle:
		w.sty.XAlign = draw.XCenter
	case t.dx < 0:
		w.sty.XAlign = draw.XRight
		pt.X = max(pt.X, c.Min.X+2+wide)
	}
	if !t.bare {
		low := vg.Point{X: pt.X + wide*vg.Length(w.sty.XAlign) - 1, Y: pt.Y - half}
		box := vg.Rectangle{Min: low, Max: low.Add(vg.Point{X: wide + 2, Y: 2 * half})}
		c.SetColor(paper)
		c.Fill(box.Path())
	}
	w.write(c, vg.Point{X: pt.X, Y: pt.Y + w.tall()/2})
}

// words are a text in lines, with some room beside it.
type words struct {
	text string
	sty  text.Style
	pad  vg.Length
}

const leading = 1.15 // of lines, in sizes of the font

// tall returns the height, with the room.
func (w words) tall() vg.Length {
	if w.text == "" {
		return 0
	}
	return leading*w.sty.Font.Size*vg.Length(1+strings.Count(w.text, "\n")) + w.pad
}

// write writes the text with its top at pt, aligned as the style says. If it is rotated by a
// quarter turn, its top is its left edge.
func (w words) write(c draw.Canvas, pt vg.Point) {
	if w.text == "" {
		return
	}
	w.sty.YAlign = draw.YBottom
	sin, cos := math.Sincos(w.sty.Rotation)
	for i, row := range strings.Split(w.text, "\n") {
		// letters, without what hangs below them, are 0.72 high; and gonum puts
		// the base line one size less the ascent above where it is asked to
		down := (leading*(vg.Length(i)+0.5)+0.36+1)*w.sty.Font.Size - w.sty.FontExtents().Ascent
		c.FillText(w.sty, vg.Point{X: pt.X + down*vg.Length(sin), Y: pt.Y - down*vg.Length(cos)}, row)
	}
}

// wrap breaks a text at spaces where it would be wider than width.
func wrap(s string, sty text.Style, width vg.Length) string {
	var rows []string
	for _, row := range strings.Split(s, "\n") {
		now := ""
		for _, word := range strings.Fields(strings.ReplaceAll(row, " = ", "\x00=\x00")) { // no break there
			word = strings.ReplaceAll(word, "\x00", " ")
			if longer := strings.TrimSpace(now + " " + word); now == "" || sty.Width(longer) <= width {
				now = longer
			} else {
				rows, now = append(rows, now), word
			}
		}
		rows = append(rows, now)
	}
	return strings.Join(rows, "\n")
}
