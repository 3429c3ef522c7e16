package fwplot

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"image"
	"image/color"
	imagedraw "image/draw"
	"image/png"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/projection-free/fwlab/fwopt/fwnb"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

const (
	figWidth, figHeight = 576, 346 // 6 by 3.6 inches
	margin              = 2        // in points
	maxBytes            = 100_000
)

// Show displays plots in the notebook, side by side, up to three.
func Show(panels ...*plot.Plot) { Grid(panels).Show() }

// Stack displays plots in the notebook, below each other.
func Stack(panels ...*plot.Plot) { Grid(slices.Collect(slices.Chunk(panels, 1))...).Show() }

// Grid draws plots as one figure, row by row, up to three in a row; one by itself is 6 inches wide. The
// PNG, at 192 dots an inch or fewer, and the SVG, which names fonts of the same metrics, have less than
// 100 KB each: lines lose what a pixel does not show, and more if it takes that. It costs about 50 ms. For
// another size or format use Save of a plot, which has no strip under a Rate.
//
// Of a title longer than the figure is wide, what follows its first colon goes below. A title that all
// share is written once. Plots in a row with the vertical label of the first share it and its range. The
// names of a plot are over the figure, after samples, if these differ and other plots have a third of them for
// lines that look alike, or, of colours of maps, next to the last in a row. A horizontal label is below the
// last of the plots in a column that have it. Grid panics if a plot is nil, or if a row is empty or has more
// than three plots.
func Grid(rows ...[]*plot.Plot) fwnb.Figure {
	need.Given("fwplot", "a plot of a figure", slices.Contains(slices.Concat(rows...), nil))
	l := newLayout(rows)
	for _, k := range l.keys {
		defer func() { k.view = plain }()
	}
	w, h := vg.Points(0.75*float64(l.width)), vg.Points(0.75*float64(l.height))
	on := func(c vg.CanvasSizer) {
		card := draw.New(c)
		card.SetColor(color.White)
		card.Fill(card.Rectangle.Path())
		l.draw(draw.Crop(card, margin, -margin, margin, -margin))
	}
	f := fwnb.Figure{Width: l.width, Height: l.height, Alt: l.alt}
	for tol := plain.tol; tol < 5; tol *= 2 {
		for _, k := range l.keys {
			k.tol = tol
		}
		c := vgsvg.New(w, h)
		on(c)
		var b bytes.Buffer
		c.WriteTo(&b) // a Buffer has no errors
		if f.SVG = finish(b.Bytes(), l.alt); len(f.SVG) < maxBytes {
			break
		}
	}
	for _, dpi := range []int{192, 144, 96} {
		c := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dpi))
		on(c)
		var b bytes.Buffer
		png.Encode(&b, paletted(c.Image().(*image.RGBA)))
		if f.PNG = b.Bytes(); len(f.PNG) < maxBytes {
			break
		}
	}
	return f
}

// ending says what p shows and where its lines end.
func ending(p *plot.Plot) string {
	var names, ends []string
	if k := keyOf(p); k != nil {
		for _, e := range k.entries {
			names, ends = append(names, e.name), append(ends, e.name+" "+number(e.last, 3))
		}
	}
	switch x, y := p.X.Label.Text, p.Y.Label.Text; {
	case x == "" && y == "": // a domain
		return strings.TrimSuffix("a picture of "+strings.Join(names, ", "), " of ")
	case y == "": // rows with names
		return x + ", row by row"
	case len(ends) == 0:
		return y + " against " + x
	default:
		return y + " against " + x + " ends at " + strings.Join(ends, ", ")
	}
}

// fonts are Liberation Sans and others of its metrics.
const fonts = "Liberation Sans,Arial,Helvetica,sans-serif"

// textElement finds the text of an SVG, its size and its letters.
var textElement = regexp.MustCompile(
	`<text [^>]*font-family:Liberation Sans;[^>]*font-size:([0-9.]+)px[^>]*>([^<]*)</text>`)

// finish names fonts of the same metrics for where Liberation Sans is missing, fixes the length
// of each text for where these are missing too, and gives the SVG its text for screen readers.
func finish(svg []byte, alt string) []byte {
	svg = textElement.ReplaceAllFunc(svg, func(e []byte) []byte {
		m := textElement.FindSubmatch(e)
		size, _ := strconv.ParseFloat(string(m[1]), 64)
		sty := text.Style{Font: sans(size), Handler: plot.DefaultTextHandler}
		w := sty.Width(html.UnescapeString(string(m[2])))
		return fmt.Appendf(nil, `<text textLength="%.1f"%s`, w.Points(), e[len("<text"):])
	})
	return []byte(strings.NewReplacer(
		"font-family:Liberation Sans", "font-family:"+fonts,
		";font-variant:normal;font-weight:normal;font-style:normal", "",
		"<svg ", `<svg role="img" aria-label="`+html.EscapeString(alt)+`" `).Replace(string(svg)))
}

// paletted returns the image in its most frequent colours; for the rest, which are few pixels
// on the edges of lines, in the nearest.
func paletted(img *image.RGBA) *image.Paletted {
	const colours = 128
	count, b := make(map[color.RGBA]int), img.Bounds()
	for y := range b.Max.Y {
		for x := range b.Max.X {
			count[img.RGBAAt(x, y)]++
		}
	}
	rank := func(c color.RGBA) int { return int(c.R)<<16 | int(c.G)<<8 | int(c.B) }
	all := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(rank(a), rank(b)))
	})
	var pal color.Palette
	for _, c := range all[:min(len(all), colours)] {
		pal = append(pal, c)
	}
	out := image.NewPaletted(b, pal)
	imagedraw.Draw(out, b, img, b.Min, imagedraw.Src)
	return out
}
