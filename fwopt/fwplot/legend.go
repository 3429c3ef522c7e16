package fwplot

import (
	"reflect"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legend names, over the panels, the lines that several of a row have in common, each after a sample.
type legend struct {
	lines []series
	names []words
	at    []vg.Point // of each sample, from the left end and the top
	tall  vg.Length
}

const (
	sampleLong = 18
	sampleGap  = 4  // between a sample and its name
	nameGap    = 14 // between a name and the next sample
)

// has reports whether one of all has the name and the style of e.
func has(all []series, e series) bool {
	return slices.ContainsFunc(all, func(o series) bool {
		return o.name == e.name && reflect.DeepEqual(o.style, e.style)
	})
}

// share leaves the names of plot j of a row that others have, too, to the legend, and those of colours, as
// beside a map, to the last one.
func (l *legend) share(row []*plot.Plot, j int) {
	k, others := keyOf(row[j]), row
	if k.isMap() {
		others = row[j+1:]
	}
	for _, e := range k.entries {
		if e.name == "" || !slices.ContainsFunc(others, func(p *plot.Plot) bool {
			return keyOf(p) != nil && keyOf(p) != k && has(keyOf(p).entries, e)
		}) {
			continue
		}
		k.silent = append(k.silent, e.name)
		if !k.isMap() && !has(l.lines, e) {
			l.lines, l.names = append(l.lines, e), append(l.names, k.words(e.name, e.style.Color))
		}
	}
}

// flow places the names one after the other, in lines of a width.
func (l *legend) flow(width vg.Length) {
	var at vg.Point
	for _, n := range l.names {
		w := sampleLong + sampleGap + n.sty.Width(n.text)
		if at.X > 0 && at.X+w > width {
			at = vg.Point{Y: at.Y + n.tall()}
		}
		l.at = append(l.at, at)
		l.tall = at.Y + n.tall() + 6
		at.X += w + nameGap
	}
}

// write writes the legend with its left upper corner at from.
func (l *legend) write(c draw.Canvas, from vg.Point) {
	for i, s := range l.lines {
		x, top := from.X+l.at[i].X, from.Y-l.at[i].Y
		a := vg.Point{X: x, Y: top - l.names[i].tall()/2}
		b := vg.Point{X: x + sampleLong, Y: a.Y}
		if len(s.xy) > 1 {
			c.StrokeLines(s.style, []vg.Point{a, b})
		}
		c.DrawGlyph(s.glyph(), a.Add(b).Scale(0.5))
		l.names[i].write(c, vg.Point{X: b.X + sampleGap, Y: top})
	}
}
