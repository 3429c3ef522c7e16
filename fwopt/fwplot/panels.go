package fwplot

import (
	"image/color"
	"math"
	"slices"
	"strings"

	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// layout is a figure to be drawn, once for each format: rows of panels, in which a strip
// under a plot is in a row of its own.
type layout struct {
	width, height  int
	alt            string
	rows           [][]panel
	tall           []float64 // of each row: its share of the height
	keys           []*key
	title, note    string // above the figure, and below what does not fit into a line there
	heading, small text.Style
}

// panel is a copy of a plot without title and labels, which the layout places itself: on a
// logarithmic axis gonum keeps room for a label where it is not.
type panel struct {
	*plot.Plot                          // nil where there is none
	words                        string // of the title
	title, x, y                  string // what is written around it, in lines
	titleStyle, xStyle, yStyle   text.Style
	left, right, bottom, top     vg.Length // between its canvas and its data
	onLeft, onBottom, onTop, gap vg.Length // room for what is written, and for what is above
}

const (
	columnGap, rowGap, stripGap = 12, 12, 5
	stripShare                  = 0.3 // the height of a strip, in that of a plot
	quarter                     = math.Pi / 2
)

// widths and texts are the width, and the size of the text, of a figure with so many plots in a row.
var (
	widths = [...]int{figWidth, 680, 840}
	texts  = [...]float64{1, 1.12, 1.25}
)

func newLayout(rows [][]*plot.Plot) *layout {
	all := slices.Concat(rows...)
	cols := longest(rows)
	l := &layout{width: widths[cols-1], height: figHeight}
	scale := texts[cols-1]
	inner := vg.Points(0.75*float64(l.width) - 2*margin)
	l.heading, l.small = scaled(all[0].Title.TextStyle, scale), scaled(all[0].X.Tick.Label, scale)
	l.heading.XAlign, l.small.XAlign = draw.XLeft, draw.XLeft
	shared := !slices.ContainsFunc(all, func(p *plot.Plot) bool { return p.Title.Text != all[0].Title.Text })
	if shared {
		l.title, l.note = headline(all[0].Title.Text, l.heading, l.small, inner)
	}
	strips := 0
	for _, row := range rows {
		panels, under := make([]panel, cols), make([]panel, cols)
		hasStrip := false
		for j, p := range row {
			k := keyOf(p)
			if k != nil {
				if k.scale = scale; cols == 3 || k.isMap() {
					k.silent = silent(row[j:])
				}
				l.keys = append(l.keys, k)
			}
			panels[j] = newPanel(p, cols, scale, inner, shared)
			if j > 0 && p.Y.Label.Text != "" && p.Y.Label.Text == row[0].Y.Label.Text && p.Y.Scale == row[0].Y.Scale {
				panels[j].y = ""
				shareRange(panels[:j], panels[j])
			}
			if k != nil && k.strip != nil {
				hasStrip = true
				under[j] = newStrip(k.strip, &panels[j], cols, scale, inner)
				l.keys = append(l.keys, keyOf(k.strip))
			}
		}
		l.rows, l.tall = append(l.rows, panels), append(l.tall, 1)
		if hasStrip {
			l.rows, l.tall = append(l.rows, under), append(l.tall, stripShare)
			strips++
		}
	}
	l.describe(all)
	l.makeRoom()
	points := vg.Length(0)
	if len(all) > 1 {
		points = vg.Points(0.75*262*scale)*vg.Length(len(rows)) + l.above() - vg.Points(0.75*figHeight)
	}
	points += vg.Points(0.75*90*scale)*vg.Length(strips) + l.below() + l.spread(vg.Points(0.75*200*scale))
	l.height += 2 * int(points/1.5+0.5)
	return l
}

// longest returns the length of the longest row.
func longest(rows [][]*plot.Plot) (cols int) {
	for _, row := range rows {
		if len(row) == 0 || len(row) > 3 {
			panic(need.Linef("fwplot: a row of %d plots", len(row)))
		}
		cols = max(cols, len(row))
	}
	if cols == 0 {
		panic(need.Line("fwplot: no plots"))
	}
	return cols
}

// headline returns the line over a figure, and what stands below it if a title is longer
// than that: what follows its first colon, broken into lines.
func headline(title string, heading, small text.Style, width vg.Length) (line, note string) {
	if heading.Width(title) > width {
		if head, rest, ok := strings.Cut(title, ": "); ok {
			return wrap(head, heading, width), wrap(rest, small, width)
		}
	}
	return wrap(title, heading, width), ""
}

// silent returns the names that the first plot of a row of three need not say, as the one
// to its right has all of them for lines of the same style.
func silent(row []*plot.Plot) (names []string) {
	if len(row) < 2 || keyOf(row[1]) == nil {
		return nil
	}
	next := keyOf(row[1]).entries
	for _, e := range keyOf(row[0]).entries {
		if !slices.ContainsFunc(next, func(o entry) bool {
			return o.name == e.name && o.style.Color == e.style.Color && o.style.Width == e.style.Width && slices.Equal(o.style.Dashes, e.style.Dashes)
		}) {
			return nil
		}
		names = append(names, e.name)
	}
	return names
}

// newPanel returns the panel of p among cols in a row of a width, its title left out if all share it.
func newPanel(p *plot.Plot, cols int, scale float64, width vg.Length, shared bool) panel {
	q := panel{Plot: new(plot.Plot), y: p.Y.Label.Text}
	*q.Plot = *p
	q.titleStyle, q.xStyle, q.yStyle = scaled(p.Title.TextStyle, 0.92*scale), scaled(p.X.Label.TextStyle, scale), scaled(p.Y.Label.TextStyle, scale)
	q.titleStyle.XAlign = draw.XLeft
	width = width/vg.Length(cols) - 20 // of the data and the names, about
	q.x = wrap(p.X.Label.Text, q.xStyle, width-20)
	if !shared {
		q.words = p.Title.Text
		q.title = wrap(q.words, q.titleStyle, width)
	}
	for _, a := range []*plot.Axis{&q.X, &q.Y} {
		a.Tick.Label = scaled(a.Tick.Label, scale)
		a.Label.Text = ""
	}
	if t, ok := q.X.Tick.Marker.(ticks); ok && cols > 1 {
		t.max = 3
		q.X.Tick.Marker = t
	}
	q.Title.Text = ""
	if q.BackgroundColor == color.White {
		q.BackgroundColor = nil // the card is white already
	}
	return q
}

// newStrip returns the panel of a strip under another one, which leaves it the numbers and
// the label of their axis.
func newStrip(p *plot.Plot, above *panel, cols int, scale float64, width vg.Length) panel {
	keyOf(p).scale = scale
	q := newPanel(p, cols, scale, width, true)
	q.x = above.x
	q.X.Min, q.X.Max, q.X.Tick.Marker = above.X.Min, above.X.Max, above.X.Tick.Marker
	above.x, above.X.Tick.Marker = "", silentTicks{above.X.Tick.Marker}
	return q
}

func scaled(sty text.Style, by float64) text.Style {
	sty.Font.Size *= vg.Length(by)
	return sty
}

// shareRange gives a panel and those to its left, of the same scale, one vertical range.
func shareRange(lefts []panel, q panel) {
	q.Y.Min, q.Y.Max = min(lefts[0].Y.Min, q.Y.Min), max(lefts[0].Y.Max, q.Y.Max)
	for _, left := range lefts {
		if left.Y.Scale == q.Y.Scale {
			left.Y.Min, left.Y.Max = q.Y.Min, q.Y.Max
		}
	}
}

// describe writes the sentence for who cannot see the figure.
func (l *layout) describe(all []*plot.Plot) {
	ends := make([]string, len(all))
	for i, p := range all {
		if ends[i] = ending(p); l.title == "" && p.Title.Text != "" {
			ends[i] = p.Title.Text + ": " + ends[i]
		}
	}
	l.alt = strings.Join(ends, "; ") + "."
	if l.title != "" {
		l.alt = all[0].Title.Text + ": " + l.alt
	}
	l.alt = strings.ReplaceAll(l.alt, "\n", " ")
}

// makeRoom keeps room for what is written around the panels, the same in a row and in a
// column, and the gaps between them.
func (l *layout) makeRoom() {
	for i, row := range l.rows {
		var bottom, top vg.Length
		for j := range row {
			q := &row[j]
			if q.Plot == nil {
				continue
			}
			if q.x != "" {
				bottom = max(bottom, rise(q.x, q.xStyle)+q.X.Label.Padding)
			}
			if q.title != "" {
				top = max(top, rise(q.title, q.titleStyle)+q.Title.Padding)
			}
			if q.y != "" {
				q.onLeft = rise(q.y, q.yStyle) + q.Y.Label.Padding
			}
		}
		gap := vg.Length(0)
		if i > 0 {
			if gap = rowGap; l.tall[i] < 1 {
				gap = stripGap
			}
		}
		for j := range row {
			row[j].onBottom, row[j].onTop, row[j].gap = bottom, top, gap
		}
	}
}

// spread makes each row so much taller than usual, the height of its data about, that names on a
// vertical axis stand apart, and returns by how much all do.
func (l *layout) spread(usual vg.Length) (more vg.Length) {
	for i, row := range l.rows {
		need := usual
		for _, q := range row {
			if q.Plot == nil {
				continue
			}
			if names, ok := q.Y.Tick.Marker.(plot.ConstantTicks); ok {
				need = max(need, 1.25*q.Y.Tick.Label.Font.Size*vg.Length(len(names)))
			}
		}
		l.tall[i] *= float64(need / usual)
		more += need - usual
	}
	return more
}

// above and below return the heights of the title and of the note.
func (l *layout) above() vg.Length {
	if l.title == "" {
		return 0
	}
	return rise(l.title, l.heading) + 6
}

func (l *layout) below() vg.Length {
	if l.note == "" {
		return 0
	}
	return rise(l.note, l.small) + 4
}

// place returns where the data of each panel are. Those of a column are as wide, and those
// of a row as tall as its share; between them there is room for axes, names and texts.
func (l *layout) place(c draw.Canvas) [][]vg.Rectangle {
	cols := len(l.rows[0])
	share := 0.0
	for _, t := range l.tall {
		share += t
	}
	lefts, rights := make([]vg.Length, cols), make([]vg.Length, cols)
	bottoms, tops := make([]vg.Length, len(l.rows)), make([]vg.Length, len(l.rows))
	full := c.Size()
	width, height := full.X-columnGap*vg.Length(cols-1), full.Y
	for i, row := range l.rows {
		for j := range row {
			q := &row[j]
			bottoms[i], tops[i] = max(bottoms[i], q.onBottom), max(tops[i], q.onTop)
			if q.Plot != nil {
				try := draw.Crop(c, 0, -full.X*vg.Length(1-1/float64(cols)), 0, -full.Y*vg.Length(1-l.tall[i]/share))
				d := q.DataCanvas(try)
				q.left, q.right, q.bottom, q.top = d.Min.X-try.Min.X, try.Max.X-d.Max.X, d.Min.Y-try.Min.Y, try.Max.Y-d.Max.Y
				lefts[j], rights[j] = max(lefts[j], q.left+q.onLeft), max(rights[j], q.right)
				bottoms[i], tops[i] = max(bottoms[i], q.bottom+q.onBottom), max(tops[i], q.top+q.onTop)
			}
		}
		height -= bottoms[i] + tops[i] + row[0].gap
	}
	for j := range lefts {
		width -= lefts[j] + rights[j]
	}
	out := make([][]vg.Rectangle, len(l.rows))
	y := c.Max.Y
	for i, row := range l.rows {
		x := c.Min.X
		y -= row[0].gap + tops[i]
		h := height * vg.Length(l.tall[i]/share)
		for j := range row {
			x += lefts[j]
			w := width / vg.Length(cols)
			out[i] = append(out[i], vg.Rectangle{Min: vg.Point{X: x, Y: y - h}, Max: vg.Point{X: x + w, Y: y}})
			x += w + rights[j] + columnGap
		}
		y -= h + bottoms[i]
	}
	return out
}

func (l *layout) draw(c draw.Canvas) {
	inner := draw.Crop(c, 0, 0, l.below(), -l.above())
	data := l.place(inner)
	if l.rewrap(data) {
		l.makeRoom()
		data = l.place(inner)
	}
	if l.title != "" {
		write(c, l.title, l.heading, vg.Point{X: c.Min.X, Y: c.Max.Y})
	}
	if l.note != "" {
		write(c, l.note, l.small, vg.Point{X: c.Min.X, Y: c.Min.Y + l.below() - 4})
	}
	for i, row := range l.rows {
		left := make([]vg.Length, len(row)) // the least of each column, so that labels are in line
		for j := range row {
			for _, r := range l.rows {
				left[j] = max(left[j], r[j].left)
			}
		}
		for j, q := range row {
			if q.Plot == nil {
				continue
			}
			at := data[i][j]
			if k := keyOf(q.Plot); k != nil && k.square {
				squared(q.Plot, at)
			}
			q.Draw(around(q.Plot, c, at))
			if q.x != "" {
				sty := q.xStyle
				sty.XAlign = draw.XCenter
				write(c, q.x, sty, vg.Point{X: (at.Min.X + at.Max.X) / 2, Y: at.Min.Y - q.bottom - q.X.Label.Padding})
			}
			if q.y != "" {
				sty := q.yStyle
				sty.Rotation, sty.XAlign = quarter, draw.XCenter
				write(c, q.y, sty, vg.Point{X: at.Min.X - left[j] - q.Y.Label.Padding - rise(q.y, sty), Y: (at.Min.Y + at.Max.Y) / 2})
			}
			if q.title != "" {
				write(c, q.title, q.titleStyle, vg.Point{X: at.Min.X, Y: at.Max.Y + q.Title.Padding + rise(q.title, q.titleStyle)})
			}
		}
	}
}

// around returns the canvas on which the data of p are at a rectangle.
func around(p *plot.Plot, c draw.Canvas, at vg.Rectangle) draw.Canvas {
	out := draw.Canvas{Canvas: c.Canvas, Rectangle: at}
	for range 3 { // what sticks out depends a little on the width
		d := p.DataCanvas(out)
		out.Min = out.Min.Add(at.Min.Sub(d.Min))
		out.Max = out.Max.Add(at.Max.Sub(d.Max))
	}
	return out
}

// squared widens one range of p so that a unit is as long on both axes, at a rectangle.
func squared(p *plot.Plot, at vg.Rectangle) {
	size := at.Size()
	unit := max((p.X.Max-p.X.Min)/float64(size.X), (p.Y.Max-p.Y.Min)/float64(size.Y))
	for _, a := range []struct {
		axis *plot.Axis
		long vg.Length
	}{{&p.X, size.X}, {&p.Y, size.Y}} {
		mid, half := (a.axis.Min+a.axis.Max)/2, unit*float64(a.long)/2
		a.axis.Min, a.axis.Max = mid-half, mid+half
	}
}
