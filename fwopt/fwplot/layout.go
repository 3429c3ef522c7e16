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
	width, height int
	alt           string
	rows          [][]panel
	tall          []float64 // of each row: its share of the height
	keys          []*key
	title, note   words // above the figure, and below what does not fit into a line there
	legend        legend
}

// panel is a copy of a plot without title and labels, which the layout places itself: on a
// logarithmic axis gonum keeps room for a label where it is not.
type panel struct {
	*plot.Plot               // nil where there is none
	title, x, y              words
	left, right, bottom, top vg.Length    // between its canvas and its data
	at                       vg.Rectangle // where its data are
}

const (
	columnGap, rowGap, stripGap = 16, 10, 5
	stripShare                  = 0.3 // the height of a strip, in that of a plot
)

// widths and texts are the width, and the size of the text, of a figure with so many plots in a row.
var (
	widths = [...]int{figWidth, 680, 840}
	texts  = [...]float64{1, 1.12, 1.25}
)

func newLayout(rows [][]*plot.Plot) *layout {
	all, cols := slices.Concat(rows...), 0
	for _, row := range rows {
		if len(row) == 0 || len(row) > 3 {
			panic(need.Linef("fwplot: a row of %d plots", len(row)))
		}
		cols = max(cols, len(row))
	}
	if cols == 0 {
		panic(need.Line("fwplot: no plots"))
	}
	l := &layout{width: widths[cols-1], height: figHeight}
	scale := texts[cols-1]
	first := all[0].Title.Text
	shared := !slices.ContainsFunc(all, func(p *plot.Plot) bool { return p.Title.Text != first })
	if shared {
		l.headline(first, all[0], scale)
	}
	strips := 0
	for _, row := range rows {
		panels, under := make([]panel, cols), make([]panel, cols)
		for j, p := range row {
			panels[j] = newPanel(p, cols, scale, shared)
			k := keyOf(p)
			if k == nil {
				continue
			}
			l.keys, k.scale = append(l.keys, k), scale
			if k.strip != nil {
				keyOf(k.strip).scale = scale
				l.keys = append(l.keys, keyOf(k.strip))
				under[j] = newPanel(k.strip, cols, scale, true)
				panels[j].leave(&under[j])
			}
		}
		shareRange(row, panels)
		l.rows, l.tall = append(l.rows, panels), append(l.tall, 1)
		if slices.ContainsFunc(under, func(q panel) bool { return q.Plot != nil }) {
			l.rows, l.tall = append(l.rows, under), append(l.tall, stripShare)
			strips++
		}
	}
	l.legend.share(rows)
	l.shareLabels()
	l.describe(all)
	points := vg.Length(0)
	if len(all) > 1 {
		points = vg.Points(0.75*262*scale)*vg.Length(len(rows)) + l.title.tall() - vg.Points(0.75*figHeight)
	}
	l.legend.flow(vg.Points(legendWide * scale))
	points += vg.Points(0.75*90*scale)*vg.Length(strips) + l.note.tall() + l.legend.tall
	points += l.stretch(vg.Points(0.75 * 200 * scale))
	l.height += 2 * int(points/1.5+0.5)
	return l
}

// headline sets the line over a figure, and what stands below it if a title is longer than
// that: what follows its first colon, broken into lines.
func (l *layout) headline(title string, p *plot.Plot, scale float64) {
	width := vg.Points(0.75*float64(l.width) - 2*margin)
	l.title, l.note = newWords(title, p.Title.TextStyle, scale, 6), newWords("", p.X.Tick.Label, scale, 4)
	l.title.sty.XAlign, l.note.sty.XAlign = draw.XLeft, draw.XLeft
	if head, rest, ok := strings.Cut(title, ": "); ok && l.title.sty.Width(title) > width {
		l.title.text, l.note.text = head, wrap(rest, l.note.sty, width)
	}
	l.title.text = wrap(l.title.text, l.title.sty, width)
}

func newWords(s string, sty text.Style, scale float64, pad vg.Length) words {
	sty.Font.Size *= vg.Length(scale)
	return words{s, sty, pad}
}

// newPanel returns the panel of p among cols in a row, without its title if all share it.
func newPanel(p *plot.Plot, cols int, scale float64, shared bool) panel {
	own := *p
	q := panel{Plot: &own, title: newWords(p.Title.Text, p.Title.TextStyle, 0.92*scale, p.Title.Padding)}
	if q.title.sty.XAlign = draw.XLeft; shared {
		q.title.text = ""
	}
	if q.Title.Text = ""; q.BackgroundColor == color.White {
		q.BackgroundColor = nil // the card is white already
	}
	for _, a := range []struct {
		*plot.Axis
		words *words
	}{{&q.X, &q.x}, {&q.Y, &q.y}} {
		*a.words = newWords(a.Label.Text, a.Label.TextStyle, scale, a.Label.Padding)
		a.words.sty.XAlign = draw.XCenter
		a.Label.Text = ""
		a.Tick.Label.Font.Size *= vg.Length(scale)
	}
	q.y.sty.Rotation = math.Pi / 2
	if t, ok := q.X.Tick.Marker.(ticks); ok && cols > 1 {
		t.max = 3
		q.X.Tick.Marker = t
	}
	return q
}

// leave leaves the numbers and the label of the horizontal axis to a strip below.
func (q *panel) leave(strip *panel) {
	strip.x, q.x.text = q.x, ""
	strip.X.Min, strip.X.Max, strip.X.Tick.Marker = q.X.Min, q.X.Max, q.X.Tick.Marker
	q.X.Tick.Marker = unnumbered(q.X.Tick.Marker)
}

// unnumbered are the marks of t, without numbers.
func unnumbered(t plot.Ticker) plot.Ticker {
	return plot.TickerFunc(func(lo, hi float64) []plot.Tick {
		marks := slices.Clone(t.Ticks(lo, hi))
		for i := range marks {
			marks[i].Label = ""
		}
		return marks
	})
}

// shareRange gives the panels with the vertical label of the first, and its scale, one range, one
// label, and the numbers to the left of all that follow each other.
func shareRange(row []*plot.Plot, panels []panel) {
	var same []*panel
	var ys span
	for j, p := range row {
		y, first := p.Y, row[0].Y
		if y.Label.Text != "" && y.Label.Text == first.Label.Text && y.Scale == first.Scale {
			same = append(same, &panels[j])
			ys.add(y.Min, y.Max)
		}
	}
	for j, q := range same {
		if q.Y.Min, q.Y.Max = ys.lo, ys.hi; j > 0 {
			q.y.text = ""
			if q == &panels[j] {
				q.Y.Tick.Marker = unnumbered(q.Y.Tick.Marker)
			}
		}
	}
}

// shareLabels leaves a horizontal label to the last of the panels below each other that have it.
func (l *layout) shareLabels() {
	for j := range l.rows[0] {
		below := ""
		for _, row := range slices.Backward(l.rows) {
			switch x := &row[j].x; x.text {
			case below:
				x.text = ""
			case "":
			default:
				below = x.text
			}
		}
	}
}

// describe writes the sentence for who cannot see the figure.
func (l *layout) describe(all []*plot.Plot) {
	var ends []string
	for _, p := range all {
		end := ending(p)
		if l.title.text == "" && p.Title.Text != "" {
			end = p.Title.Text + ": " + end
		}
		ends = append(ends, end)
	}
	l.alt = strings.Join(ends, "; ") + "."
	if l.title.text != "" {
		l.alt = all[0].Title.Text + ": " + l.alt
	}
	l.alt = strings.ReplaceAll(l.alt, "\n", " ")
}

// stretch makes each row so much taller than usual, the height of its data about, that names on
// a vertical axis stand apart, and returns by how much all do.
func (l *layout) stretch(usual vg.Length) (more vg.Length) {
	for i, row := range l.rows {
		need := usual
		for _, q := range row {
			if q.Plot != nil {
				names, _ := q.Y.Tick.Marker.(plot.ConstantTicks)
				need = max(need, 1.25*q.Y.Tick.Label.Font.Size*vg.Length(len(names)))
			}
		}
		l.tall[i] *= float64(need / usual)
		more += need - usual
	}
	return more
}

// place finds where the data of each panel are. Those of a column are as wide, and those of a
// row as tall as its share; between them there is room for axes, names and texts.
func (l *layout) place(c draw.Canvas) {
	cols, share := len(l.rows[0]), 0.0
	for _, t := range l.tall {
		share += t
	}
	width, height := c.Size().X-columnGap*vg.Length(cols-1), c.Size().Y
	lefts, rights := make([]vg.Length, cols), make([]vg.Length, cols)
	for i, row := range l.rows {
		size := vg.Point{X: c.Size().X / vg.Length(cols), Y: c.Size().Y * vg.Length(l.tall[i]/share)}
		for j := range row {
			if q := &row[j]; q.Plot != nil {
				d := q.DataCanvas(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Max: size}})
				q.left, q.right, q.bottom, q.top = d.Min.X, size.X-d.Max.X, d.Min.Y, size.Y-d.Max.Y
				lefts[j], rights[j] = max(lefts[j], q.left+q.y.tall()), max(rights[j], q.right)
			}
		}
	}
	for j := range cols {
		width -= lefts[j] + rights[j]
	}
	width /= vg.Length(cols)
	bottoms, tops := make([]vg.Length, len(l.rows)), make([]vg.Length, len(l.rows))
	for i, row := range l.rows {
		for j := range row {
			q := &row[j] // a title ends where the names do, and a label may stick out on both sides
			q.title.text = wrap(q.title.text, q.title.sty, width+q.right)
			q.x.text = wrap(q.x.text, q.x.sty, width+2*min(lefts[j], rights[j]))
			bottoms[i], tops[i] = max(bottoms[i], q.bottom+q.x.tall()), max(tops[i], q.top+q.title.tall())
		}
		switch {
		case l.tall[i] < 1:
			tops[i] += stripGap
		case i > 0:
			tops[i] += rowGap
		}
		height -= bottoms[i] + tops[i]
	}
	y := c.Max.Y
	for i, row := range l.rows {
		x, tall := c.Min.X, height*vg.Length(l.tall[i]/share)
		y -= tops[i] + tall
		for j := range row {
			x += lefts[j]
			row[j].at = vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + width, Y: y + tall}}
			x += width + rights[j] + columnGap
		}
		y -= bottoms[i]
	}
}

func (l *layout) draw(c draw.Canvas) {
	l.place(draw.Crop(c, 0, 0, l.note.tall(), -l.title.tall()-l.legend.tall))
	l.title.write(c, vg.Point{X: c.Min.X, Y: c.Max.Y})
	l.legend.write(c, vg.Point{X: c.Min.X, Y: c.Max.Y - l.title.tall()})
	l.note.write(c, vg.Point{X: c.Min.X, Y: c.Min.Y + l.note.tall() - l.note.pad})
	for _, row := range l.rows {
		for j, q := range row {
			if q.Plot == nil {
				continue
			}
			at, left := q.at, vg.Length(0) // the labels of a column are in line
			for _, r := range l.rows {
				left = max(left, r[j].left)
			}
			if k := keyOf(q.Plot); k != nil && k.square {
				squared(q.Plot, at)
			}
			on := draw.Canvas{Canvas: c.Canvas, Rectangle: at}
			for range 3 { // what sticks out depends a little on the width
				d := q.DataCanvas(on)
				on.Min = on.Min.Add(at.Min.Sub(d.Min))
				on.Max = on.Max.Add(at.Max.Sub(d.Max))
			}
			q.Draw(on)
			mid := at.Min.Add(at.Max).Scale(0.5)
			q.title.write(c, vg.Point{X: at.Min.X, Y: at.Max.Y + q.title.tall()})
			q.x.write(c, vg.Point{X: mid.X, Y: at.Min.Y - q.bottom - q.x.pad})
			q.y.write(c, vg.Point{X: at.Min.X - left - q.y.tall(), Y: mid.Y})
		}
	}
}

// squared widens one range of p so that a unit is as long on both axes, at a rectangle.
func squared(p *plot.Plot, at vg.Rectangle) {
	size := at.Size()
	unit := max((p.X.Max-p.X.Min)/float64(size.X), (p.Y.Max-p.Y.Min)/float64(size.Y))
	for _, a := range []struct {
		*plot.Axis
		long vg.Length
	}{{&p.X, size.X}, {&p.Y, size.Y}} {
		mid, half := (a.Min+a.Max)/2, unit*float64(a.long)/2
		a.Min, a.Max = mid-half, mid+half
	}
}
