package fwplot

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// layout is a figure to be drawn, once for each format. The panels are copies
// without title and labels, which it places itself: on a logarithmic axis gonum
// keeps room for a label where it is not.
type layout struct {
	width, height int
	alt           string
	panels        [][]*plot.Plot
	from          [][]*plot.Plot // what they are copies of, but for shared labels
	keys          []*key
	entries       []entry // of the key below
	legend        [][]entry
	title         string // of the figure
	heading       text.Style
	headed        vg.Length // room for it
	tiles         draw.Tiles
	foot          vg.Length
}

const rowHeight = 14 // of the key below

const panelGap = 10 // between panels, and what is written around them

func newLayout(rows [][]*plot.Plot) *layout {
	all := slices.Concat(rows...)
	cols := longest(rows)
	l := &layout{width: figWidth, height: figHeight}
	if cols > 1 {
		l.width = 652
	}
	if cols > 2 {
		l.width = 864
	}
	inner := vg.Points(0.75*float64(l.width) - 2*margin)
	each := inner/vg.Length(cols) - 8*margin // about the width of a panel's data

	shared := !slices.ContainsFunc(all, func(p *plot.Plot) bool { return p.Title.Text != all[0].Title.Text })
	if l.heading = all[0].Title.TextStyle; shared && all[0].Title.Text != "" {
		l.title = wrap(all[0].Title.Text, l.heading, inner)
		l.headed = rise(l.title, l.heading) + all[0].Title.Padding
	}
	l.tiles = draw.Tiles{Rows: len(rows), Cols: cols, PadX: panelGap, PadY: panelGap}
	for _, row := range rows {
		panels, from := make([]*plot.Plot, cols), make([]*plot.Plot, cols)
		for j, p := range row {
			if k := keyOf(p); k != nil {
				l.keys = append(l.keys, k)
			}
			q, o := panel(p, cols, each, shared)
			if j > 0 && p.Y.Label.Text == row[0].Y.Label.Text && p.Y.Scale == row[0].Y.Scale {
				o.Y.Label.Text = ""
				shareRange(panels[:j], q)
			}
			panels[j], from[j] = q, o
			l.makeRoom(o, j)
		}
		l.panels, l.from = append(l.panels, panels), append(l.from, from)
	}
	l.tiles.PadY += l.tiles.PadTop + l.tiles.PadBottom

	l.describe(all)
	if len(all) == 1 {
		return l
	}
	l.keyBelow(inner)
	points := vg.Points(0.75*262)*vg.Length(len(rows)) + l.headed + l.foot + l.tiles.PadTop
	l.height = 2 * int(points/1.5+1)
	return l
}

// longest returns the length of the longest row.
func longest(rows [][]*plot.Plot) (cols int) {
	for _, row := range rows {
		if len(row) == 0 || len(row) > 3 {
			panic(fmt.Sprintf("fwplot: a row of %d plots", len(row)))
		}
		cols = max(cols, len(row))
	}
	if cols == 0 {
		panic("fwplot: no plots")
	}
	return cols
}

// panel returns the copy of p to be drawn among cols in a row, and one that has
// the texts to be placed around it, wrapped to a width: the title only where it
// is not shared.
func panel(p *plot.Plot, cols int, width vg.Length, shared bool) (q, o *plot.Plot) {
	q, o = new(plot.Plot), new(plot.Plot)
	*q, *o = *p, *p
	if t, ok := q.X.Tick.Marker.(ticks); ok && cols > 1 {
		t.max = 5
		q.X.Tick.Marker = t
	}
	if cols > 1 {
		o.X.Label.TextStyle.Font.Size = vg.Points(9.5)
		o.Y.Label.TextStyle.Font.Size = vg.Points(9.5)
	}
	o.X.Label.Text = wrap(o.X.Label.Text, o.X.Label.TextStyle, width)
	if o.Title.Text = ""; !shared {
		o.Title.TextStyle.Font.Size = vg.Points(10.5)
		o.Title.Text = wrap(p.Title.Text, o.Title.TextStyle, width)
	}
	q.Title.Text, q.X.Label.Text, q.Y.Label.Text = "", "", ""
	if q.BackgroundColor == color.White {
		q.BackgroundColor = nil // the card is white already
	}
	return q, o
}

// shareRange gives a panel and those to its left, of the same scale, one vertical
// range.
func shareRange(lefts []*plot.Plot, q *plot.Plot) {
	q.Y.Min, q.Y.Max = min(lefts[0].Y.Min, q.Y.Min), max(lefts[0].Y.Max, q.Y.Max)
	for _, left := range lefts {
		if left.Y.Scale == q.Y.Scale {
			left.Y.Min, left.Y.Max = q.Y.Min, q.Y.Max
		}
	}
}

// makeRoom keeps room for what is placed around the panel in column j.
func (l *layout) makeRoom(o *plot.Plot, j int) {
	x, y := vg.Length(0), vg.Length(0)
	if o.X.Label.Text != "" {
		x = rise(o.X.Label.Text, o.X.Label.TextStyle) + o.X.Label.Padding
	}
	if o.Y.Label.Text != "" {
		y = rise(o.Y.Label.Text, o.Y.Label.TextStyle) + o.Y.Label.Padding
	}
	l.tiles.PadBottom = max(l.tiles.PadBottom, x)
	if j == 0 {
		l.tiles.PadLeft = max(l.tiles.PadLeft, y)
	} else {
		l.tiles.PadX = max(l.tiles.PadX, panelGap+y)
	}
	if o.Title.Text != "" {
		l.tiles.PadTop = max(l.tiles.PadTop, rise(o.Title.Text, o.Title.TextStyle)+o.Title.Padding)
	}
}

// describe writes the sentence for who cannot see the figure.
func (l *layout) describe(all []*plot.Plot) {
	ends := make([]string, len(all))
	for i, p := range all {
		ends[i] = ending(p)
	}
	l.alt = strings.Join(ends, "; ") + "."
	if l.title != "" {
		l.alt = all[0].Title.Text + ": " + l.alt
	}
	l.alt = strings.ReplaceAll(l.alt, "\n", " ")
}

// keyBelow lays out the one key of all panels, each name once.
func (l *layout) keyBelow(width vg.Length) {
	for _, k := range l.keys {
		for _, e := range k.entries {
			if !k.direct && !slices.ContainsFunc(l.entries, func(o entry) bool { return o.name == e.name }) {
				l.entries = append(l.entries, e)
			}
		}
	}
	if len(l.keys) > 0 {
		l.legend = rowsOf(l.keys[0], l.entries, width)
	}
	l.foot = vg.Length(rowHeight*len(l.legend) + 5)
}

func (l *layout) draw(c draw.Canvas) {
	if l.title != "" {
		write(c, l.title, l.heading, vg.Point{X: c.Center().X, Y: c.Max.Y})
	}
	canvases := plot.Align(l.panels, l.tiles, draw.Crop(c, 0, 0, l.foot, -l.headed))
	for i, row := range canvases {
		for j, at := range row {
			p, o := l.panels[i][j], l.from[i][j]
			if p == nil {
				continue
			}
			p.Draw(at)
			data := p.DataCanvas(at)
			if s := o.X.Label.Text; s != "" {
				write(c, s, o.X.Label.TextStyle, vg.Point{X: data.Center().X, Y: at.Min.Y - o.X.Label.Padding})
			}
			if s := o.Y.Label.Text; s != "" {
				sty := o.Y.Label.TextStyle
				sty.Rotation = math.Pi / 2
				write(c, s, sty, vg.Point{X: at.Min.X - o.Y.Label.Padding - rise(s, sty), Y: data.Center().Y})
			}
			if s := o.Title.Text; s != "" {
				sty := o.Title.TextStyle
				write(c, s, sty, vg.Point{X: data.Center().X, Y: data.Max.Y + o.Title.Padding + rise(s, sty)})
			}
		}
	}
	for i, row := range l.legend {
		k := l.keys[0]
		var w vg.Length
		for _, e := range row {
			w += k.width(e)
		}
		pt := vg.Point{X: c.Center().X - w/2, Y: c.Min.Y + rowHeight*(vg.Length(len(l.legend)-i)-0.5)}
		for _, e := range row {
			k.draw(c, e, pt, c.Max.X)
			pt.X += k.width(e)
		}
	}
}
