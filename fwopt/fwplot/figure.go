package fwplot

import (
	"bytes"
	"image/color"
	"image/png"
	"slices"
	"strings"

	"github.com/projection-free/fwlab/fwopt/fwnb"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

const (
	figWidth, figHeight = 576, 346 // 6 by 3.6 inches
	margin              = 5        // in points
	maxBytes            = 60_000
)

// Show displays plots in the notebook, side by side, up to three.
func Show(panels ...*plot.Plot) { Grid(panels).Show() }

// Grid draws plots as one figure, row by row, up to three in a row; one by itself is 6 inches
// wide. The PNG, at 192 dots an inch or fewer, and the SVG, without fonts but with names of
// fonts of the same metrics, have less than 60 KB each: lines are thinned to what a pixel can
// show, and further if it takes that. It costs some 50 ms. For another size or format use
// Save of a plot, which has no strip under a Rate.
//
// Of a title longer than the figure is wide, what follows its first colon stands below. A title that all share is written once. Neighbours in a row with the same vertical
// label share it and its range, and of three with the same lines, or of two maps, the last
// has their names.
// Grid panics if a plot is nil, or if a row is empty or has more than three plots.
func Grid(rows ...[]*plot.Plot) fwnb.Figure {
	need.Given("fwplot", "a plot of a figure", slices.Contains(slices.Concat(rows...), nil))
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
		defer func() { k.scale, k.silent = 1, nil }()
	}
	w, h := vg.Points(0.75*float64(l.width)), vg.Points(0.75*float64(l.height))
	inner := func(c draw.Canvas) draw.Canvas { return draw.Crop(c, margin, -margin, margin, -margin) }
	f := fwnb.Figure{Width: l.width, Height: l.height, Alt: l.alt}
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
	for _, dpi := range []int{192, 144, 120, 96} {
		c := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dpi))
		l.draw(inner(draw.New(c))) // on white by itself
		for _, colours := range []int{64, 40} {
			var b bytes.Buffer
			if err := png.Encode(&b, paletted(c.Image(), colours, used)); err != nil {
				panic(need.Line("fwplot: " + err.Error())) // only for an image without pixels
			}
			if f.PNG = b.Bytes(); len(f.PNG) < maxBytes {
				return f
			}
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
	switch s := strings.TrimPrefix(p.Y.Label.Text+" against "+p.X.Label.Text, " against "); {
	case p.X.Label.Text == "" && p.Y.Label.Text == "": // a domain
		return strings.TrimSuffix("a picture of "+strings.Join(names, ", "), " of ")
	case p.Y.Label.Text == "": // rows with names
		return p.X.Label.Text + ", row by row"
	case len(ends) == 0:
		return s
	default:
		return s + " ends at " + strings.Join(ends, ", ")
	}
}
