package fwplot

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// key names the lines to the right of the data, each at the height of its end
// with a piece of the line before it, so that neither colour nor height alone
// has to tell them apart.
type key struct {
	text.Handler
	entries []entry
	tol     vg.Length // how much the lines may be simplified
	hidden  bool      // Grid has one key for all panels
	direct  bool      // see Direct
}

// Direct has p name its lines at their ends, each in its colour, in a Grid too, where
// else one key below has the names of all panels. It returns p.
func Direct(p *plot.Plot) *plot.Plot {
	if k := keyOf(p); k != nil {
		k.direct = true
	}
	return p
}

// sample returns the room for a piece of the line before its name.
func (k *key) sample() vg.Length {
	if k.direct {
		return 0
	}
	return keySample + keySpace
}

var _ text.Handler = (*key)(nil)

type entry struct {
	name  string
	style draw.LineStyle
	end   float64 // the height of its end
	last  float64 // its last value
}

func keyOf(p *plot.Plot) *key {
	k, _ := p.TextHandler.(*key)
	return k
}

const (
	keyGap    = 7  // between the data and the samples
	keySample = 22 // length of a sample
	keySpace  = 4  // between sample and name
	keyWidth  = 96 // longer names are wrapped
)

func (k *key) style(e entry) text.Style {
	return text.Style{Color: readable(e.style.Color), Font: sans(9.5), Handler: k.Handler, XAlign: draw.XLeft}
}

// GlyphBoxes keeps room at the right, by claiming a glyph at the right edge.
func (k *key) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	var w vg.Length
	for _, e := range k.entries {
		sty := k.style(e)
		w = max(w, sty.Width(wrap(e.name, sty, keyWidth)))
	}
	if k.hidden || w == 0 {
		return nil
	}
	w += keyGap + k.sample() + 2
	return []plot.GlyphBox{{X: 1, Rectangle: vg.Rectangle{Max: vg.Point{X: w}}}}
}

// Plot implements plot.Plotter.
func (k *key) Plot(c draw.Canvas, p *plot.Plot) {
	if k.hidden || len(k.entries) == 0 {
		return
	}
	_, trY := p.Transforms(&c)
	centre, height := make([]float64, len(k.entries)), make([]float64, len(k.entries))
	for i, e := range k.entries {
		centre[i] = float64(min(max(trY(e.end), c.Min.Y), c.Max.Y))
		sty := k.style(e)
		height[i] = float64(rise(wrap(e.name, sty, keyWidth), sty)) + 1
	}
	for i, y := range spread(centre, height, float64(c.Min.Y), float64(c.Max.Y)) {
		k.draw(c, k.entries[i], vg.Point{X: c.Max.X + keyGap, Y: vg.Length(y)}, keyWidth)
	}
}

// draw draws one entry, its left end and middle height at pt.
func (k *key) draw(c draw.Canvas, e entry, pt vg.Point, width vg.Length) {
	switch {
	case k.direct:
	case e.style.Width > 0:
		c.StrokeLine2(e.style, pt.X, pt.Y, pt.X+keySample, pt.Y)
	default: // dots alone
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: e.style.Color, Radius: vg.Points(2.5), Shape: shapes[0]}, vg.Point{X: pt.X + keySample/2, Y: pt.Y})
	}
	sty := k.style(e)
	s := wrap(e.name, sty, width)
	write(c, s, sty, vg.Point{X: pt.X + k.sample(), Y: pt.Y + rise(s, sty)/2})
}

// width returns the room that an entry takes in a row.
func (k *key) width(e entry) vg.Length {
	sty := k.style(e)
	return keySample + keySpace + sty.Width(e.name) + 14
}

// rowsOf breaks the entries into rows of a width.
func rowsOf(k *key, entries []entry, width vg.Length) (rows [][]entry) {
	var used vg.Length
	for _, e := range entries {
		w := k.width(e)
		if len(rows) == 0 || used+w > width {
			rows, used = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], e)
		used += w
	}
	return rows
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
	slices.SortStableFunc(order, func(a, b int) int {
		if centre[a] < centre[b] {
			return -1
		}
		if centre[a] > centre[b] {
			return 1
		}
		return 0
	})
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
