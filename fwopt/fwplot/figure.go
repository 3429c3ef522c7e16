package fwplot

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Figure is a drawing in two formats that look alike. Its fields are those of
// the figure that fwnb.Show takes.
type Figure struct {
	PNG           []byte // at 192 dots an inch, twice the size on the screen; fewer if it would be large
	SVG           []byte // without fonts, but with names of fonts of the same metrics
	Width, Height int    // on the screen, in pixels of 1/96 inch
	Alt           string // one sentence with the last values, for who cannot see it
}

const (
	figWidth, figHeight = 576, 346 // 6 by 3.6 inches
	margin              = 5        // in points
	maxBytes            = 60 << 10
)

// Bundle draws p, 6 by 3.6 inches, as a PNG and an SVG, each under 60 KB: lines
// are thinned to what a pixel can show, and further if it takes that. It costs
// some 50 ms. For another size or format use p.Save.
func Bundle(p *plot.Plot) Figure { return Grid([]*plot.Plot{p}) }

// Grid draws several plots as one figure, row by row, up to three in a row, as
// Bundle does, with one key below for all of them. A title that all share is
// written once. Neighbours in a row with the same vertical label share it and
// its range. Grid panics if a row is empty or has more than three plots.
func Grid(rows ...[]*plot.Plot) Figure {
	l := newLayout(rows)
	used := []uint32{0xFFFFFF} // colours that the PNG must have, and half of each
	use := func(c color.Color) {
		r, g, b, _ := c.RGBA()
		used = append(used, r>>8<<16|g>>8<<8|b>>8, (r>>8+255)/2<<16|(g>>8+255)/2<<8|(b>>8+255)/2)
	}
	use(ink)
	use(rgb(0x666666)) // the edges of letters
	for _, k := range l.keys {
		for _, e := range k.entries {
			use(e.style.Color)
			use(readable(e.style.Color))
		}
		k.hidden = len(l.entries) > 0
		defer func() { k.hidden = false }()
	}
	w, h := vg.Points(0.75*float64(l.width)), vg.Points(0.75*float64(l.height))
	inner := func(c draw.Canvas) draw.Canvas { return draw.Crop(c, margin, -margin, margin, -margin) }
	f := Figure{Width: l.width, Height: l.height, Alt: l.alt}
	for tol := vg.Points(0.1); tol < 5; tol *= 2 {
		for _, k := range l.keys {
			k.tol = tol
		}
		c := vgsvg.New(w, h)
		card := draw.New(c)
		card.SetColor(color.White)
		card.Fill(card.Rectangle.Path())
		l.draw(inner(card))
		var b bytes.Buffer
		c.WriteTo(&b) // a Buffer has no errors
		if f.SVG = finish(b.Bytes(), l.alt); len(f.SVG) < maxBytes {
			break
		}
	}
	for _, dpi := range []int{192, 144, 96} {
		c := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dpi))
		l.draw(inner(draw.New(c))) // on white by itself
		for _, colours := range []int{64, 40} {
			var b bytes.Buffer
			if err := png.Encode(&b, paletted(c.Image(), colours, used)); err != nil {
				panic("fwplot: " + err.Error()) // only for an image without pixels
			}
			if f.PNG = b.Bytes(); len(f.PNG) < maxBytes {
				return f
			}
		}
	}
	return f
}

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

func newLayout(rows [][]*plot.Plot) *layout {
	l := &layout{width: figWidth, height: figHeight}
	var all []*plot.Plot
	cols := 0
	for _, row := range rows {
		if len(row) == 0 || len(row) > 3 {
			panic(fmt.Sprintf("fwplot: a row of %d plots", len(row)))
		}
		cols = max(cols, len(row))
		all = append(all, row...)
	}
	if len(all) == 0 {
		panic("fwplot: no plots")
	}
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
	const gap = 10
	l.tiles = draw.Tiles{Rows: len(rows), Cols: cols, PadX: gap, PadY: gap}
	for _, row := range rows {
		panels, from := make([]*plot.Plot, cols), make([]*plot.Plot, cols)
		for j, p := range row {
			q, o := *p, *p
			if k := keyOf(p); k != nil {
				l.keys = append(l.keys, k)
			}
			if t, ok := q.X.Tick.Marker.(ticks); ok && cols > 1 {
				t.max = 5
				q.X.Tick.Marker = t
			}
			if cols > 1 {
				o.X.Label.TextStyle.Font.Size = vg.Points(9.5)
				o.Y.Label.TextStyle.Font.Size = vg.Points(9.5)
			}
			o.X.Label.Text = wrap(o.X.Label.Text, o.X.Label.TextStyle, each)
			if o.Title.Text = ""; !shared {
				o.Title.TextStyle.Font.Size = vg.Points(10.5)
				o.Title.Text = wrap(p.Title.Text, o.Title.TextStyle, each)
			}
			if j > 0 && p.Y.Label.Text == row[0].Y.Label.Text && p.Y.Scale == row[0].Y.Scale {
				o.Y.Label.Text = ""
				q.Y.Min, q.Y.Max = min(panels[0].Y.Min, q.Y.Min), max(panels[0].Y.Max, q.Y.Max)
				for _, left := range panels[:j] {
					if left.Y.Scale == q.Y.Scale {
						left.Y.Min, left.Y.Max = q.Y.Min, q.Y.Max
					}
				}
			}
			q.Title.Text, q.X.Label.Text, q.Y.Label.Text = "", "", ""
			if q.BackgroundColor == color.White {
				q.BackgroundColor = nil // the card is white already
			}
			panels[j], from[j] = &q, &o

			// room for what is placed around the panels
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
				l.tiles.PadX = max(l.tiles.PadX, gap+y)
			}
			if o.Title.Text != "" {
				l.tiles.PadTop = max(l.tiles.PadTop, rise(o.Title.Text, o.Title.TextStyle)+o.Title.Padding)
			}
		}
		l.panels, l.from = append(l.panels, panels), append(l.from, from)
	}
	l.tiles.PadY += l.tiles.PadTop + l.tiles.PadBottom

	ends := make([]string, len(all))
	for i, p := range all {
		ends[i] = ending(p)
	}
	l.alt = strings.Join(ends, "; ") + "."
	if l.title != "" {
		l.alt = all[0].Title.Text + ": " + l.alt
	}
	l.alt = strings.ReplaceAll(l.alt, "\n", " ")
	if len(all) == 1 {
		return l
	}
	for _, k := range l.keys {
		for _, e := range k.entries {
			if !slices.ContainsFunc(l.entries, func(o entry) bool { return o.name == e.name }) {
				l.entries = append(l.entries, e)
			}
		}
	}
	if len(l.keys) > 0 {
		l.legend = rowsOf(l.keys[0], l.entries, inner)
	}
	l.foot = vg.Length(rowHeight*len(l.legend) + 5)
	points := vg.Points(0.75*262)*vg.Length(len(rows)) + l.headed + l.foot + l.tiles.PadTop
	l.height = 2 * int(points/1.5+1)
	return l
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

// textElement finds the text of an SVG, its size and its letters.
var textElement = regexp.MustCompile(`<text [^>]*font-family:Liberation Sans;[^>]*font-size:([0-9.]+)px[^>]*>([^<]*)</text>`)

// finish names fonts of the same metrics for where Liberation Sans is missing,
// fixes the length of each text for where these are missing too, gives the SVG
// its text for screen readers, and shortens it.
func finish(svg []byte, alt string) []byte {
	svg = pathData.ReplaceAllFunc(svg, shorten)
	svg = textElement.ReplaceAllFunc(svg, func(e []byte) []byte {
		m := textElement.FindSubmatch(e)
		size, _ := strconv.ParseFloat(string(m[1]), 64)
		w := text.Style{Font: sans(size), Handler: plot.DefaultTextHandler}.Width(unescape.Replace(string(m[2])))
		return fmt.Appendf(nil, `<text textLength="%.1f"%s`, w.Points(), e[len("<text"):])
	})
	svg = bytes.ReplaceAll(svg, []byte("font-family:Liberation Sans"),
		[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif"))
	svg = bytes.ReplaceAll(svg, []byte(";font-variant:normal;font-weight:normal;font-style:normal"), nil)
	return bytes.Replace(svg, []byte("<svg "),
		[]byte(`<svg role="img" aria-label="`+html.EscapeString(alt)+`" `), 1)
}

var unescape = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">", "&#34;", `"`, "&#39;", "'")

var pathData = regexp.MustCompile(`d="M[-0-9.,ML]*Z?"`)

// shorten rewrites a path of straight lines in steps of a tenth of a point from
// one end to the next, in less than half of the bytes.
func shorten(d []byte) []byte {
	out := []byte(`d="`)
	path := strings.TrimSuffix(string(d[3:]), `"`)
	path, closed := strings.CutSuffix(path, "Z")
	var px, py int // in tenths
	for _, sub := range strings.Split(path[1:], "M") {
		for i, pt := range strings.Split(sub, "L") {
			a, b, _ := strings.Cut(pt, ",")
			x, err1 := strconv.ParseFloat(a, 64)
			y, err2 := strconv.ParseFloat(b, 64)
			if err1 != nil || err2 != nil {
				return d
			}
			qx, qy := int(math.Round(10*x)), int(math.Round(10*y))
			switch {
			case i == 0:
				out = append(out, 'M')
				out = appendTenths(out, qx)
				out = append(out, ',')
				out = appendTenths(out, qy)
			case qx == px && qy == py && i > 1:
				continue
			default:
				out = append(out, 'l')
				out = appendTenths(out, qx-px)
				if qy >= py {
					out = append(out, ',')
				}
				out = appendTenths(out, qy-py)
			}
			px, py = qx, qy
		}
	}
	if closed {
		out = append(out, 'Z')
	}
	return append(out, '"')
}

func appendTenths(b []byte, n int) []byte {
	if n < 0 {
		b, n = append(b, '-'), -n
	}
	if n >= 10 || n == 0 {
		b = strconv.AppendInt(b, int64(n/10), 10)
	}
	if n%10 != 0 {
		b = append(b, '.', byte('0'+n%10))
	}
	return b
}

// paletted returns the image in at most n colours: first the given ones, then
// the most frequent; and for the rest, which are few pixels on the edges of
// lines, the nearest.
func paletted(src image.Image, n int, first []uint32) *image.Paletted {
	img := src.(*image.RGBA)
	rgb := func(i int) uint32 {
		return uint32(img.Pix[i])<<16 | uint32(img.Pix[i+1])<<8 | uint32(img.Pix[i+2])
	}
	count := make(map[uint32]int)
	last, run := rgb(0), 0 // most pixels are like the one before
	for i := 0; i < len(img.Pix); i += 4 {
		if c := rgb(i); c != last {
			count[last] += run
			last, run = c, 0
		}
		run++
	}
	count[last] += run
	colours := slices.SortedFunc(maps.Keys(count), func(a, b uint32) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
	var pal color.Palette
	index := make(map[uint32]uint8, len(colours))
	for _, c := range append(slices.Clone(first), colours...) {
		if _, ok := index[c]; ok {
			continue
		}
		c8 := color.RGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 255}
		if len(pal) < n {
			index[c] = uint8(len(pal))
			pal = append(pal, c8)
		} else {
			index[c] = uint8(pal.Index(c8))
		}
	}
	out := image.NewPaletted(img.Bounds(), pal)
	last, now := rgb(0), index[rgb(0)]
	for i := range out.Pix {
		if c := rgb(4 * i); c != last {
			last, now = c, index[c]
		}
		out.Pix[i] = now
	}
	return out
}

// ending says what p shows and where its lines end.
func ending(p *plot.Plot) string {
	s := p.Y.Label.Text + " against " + p.X.Label.Text
	k := keyOf(p)
	if k == nil || len(k.entries) == 0 {
		return s
	}
	var ends []string
	for _, e := range k.entries {
		ends = append(ends, e.name+" "+number(e.last, 3))
	}
	return s + " ends at " + strings.Join(ends, ", ")
}

var _ text.Handler = (*key)(nil)
