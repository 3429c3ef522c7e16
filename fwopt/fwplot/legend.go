package fwplot

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legend names, over the panels, the lines that several have in common, each after a sample.
type legend struct {
	lines []series
	names []words
	at    []vg.Point // of each sample, from the left end and the top
	tall  vg.Length
}

const (
	legendWide = 276 // what a telephone shows of a figure, at a scale of 1
	sampleLong = 30  // of a line
	sampleDot  = 8   // of a point
	sampleGap  = 4   // between a sample and its name
	nameGap    = 12  // between a name and the next sample
)

// alike reports whether two series have the same colour and dashes.
func alike(s, t series) bool {
	return s.style.Color == t.style.Color && slices.Equal(s.style.Dashes, t.style.Dashes)
}

// find returns where a series of the name and the look of e is among all, or −1.
func find(all []series, e series) int {
	return slices.IndexFunc(all, func(o series) bool { return o.name == e.name && alike(o, e) })
}

// share leaves to the legend the names of a panel if others have a third of them and their samples differ, and
// to the last of a row those of colours, as beside maps.
func (l *legend) share(rows [][]*plot.Plot) {
	all := slices.Concat(rows...)
	for _, row := range rows {
		for j, p := range row {
			k, others := keyOf(p), all
			switch {
			case k == nil:
				continue
			case k.isMap():
				others = row[j+1:]
			}
			named := slices.DeleteFunc(slices.Clone(k.entries), func(e series) bool { return e.name == "" })
			if twins(named) || 3*known(named, p, others) < len(named) {
				continue
			}
			for _, e := range named {
				k.silent = append(k.silent, e.name)
				if !k.isMap() {
					l.add(e, k)
				}
			}
		}
	}
}

// twins reports whether two of all have samples that do not differ.
func twins(all []series) bool {
	for i, e := range all {
		if slices.ContainsFunc(all[:i], func(o series) bool { return alike(o, e) && o.dots == e.dots }) {
			return true
		}
	}
	return false
}

// known returns how many of the named lines of p others of these plots have.
func known(named []series, p *plot.Plot, others []*plot.Plot) (n int) {
	for _, e := range named {
		if slices.ContainsFunc(others, func(o *plot.Plot) bool {
			return o != p && keyOf(o) != nil && find(keyOf(o).entries, e) >= 0
		}) {
			n++
		}
	}
	return n
}

// add has a line of a panel in the legend once, and as a line though it may be a point elsewhere.
func (l *legend) add(e series, k *key) {
	i := find(l.lines, e)
	switch {
	case i < 0:
		l.lines, l.names = append(l.lines, e), append(l.names, k.words(e.name, e.style.Color))
	case len(l.lines[i].xy) < 2:
		l.lines[i] = e
	}
}

// flow places the names one after the other, in lines of a width.
func (l *legend) flow(width vg.Length) {
	var at vg.Point
	for i, n := range l.names {
		w := l.sample(i) + sampleGap + n.sty.Width(n.text)
		if at.X > 0 && at.X+w > width {
			at = vg.Point{Y: at.Y + n.tall()}
		}
		l.at = append(l.at, at)
		l.tall = at.Y + n.tall() + 5
		at.X += w + nameGap
	}
}

// sample returns the width of a sample.
func (l *legend) sample(i int) vg.Length {
	if len(l.lines[i].xy) < 2 {
		return sampleDot
	}
	return sampleLong
}

// write writes the legend with its left upper corner at from.
func (l *legend) write(c draw.Canvas, from vg.Point) {
	for i, s := range l.lines {
		x, top := from.X+l.at[i].X, from.Y-l.at[i].Y
		a := vg.Point{X: x, Y: top - l.names[i].tall()/2}
		b := vg.Point{X: x + l.sample(i), Y: a.Y}
		if len(s.xy) > 1 {
			c.StrokeLines(s.style, []vg.Point{a, b})
		}
		c.DrawGlyph(s.glyph(), a.Add(b).Scale(0.5))
		l.names[i].write(c, vg.Point{X: b.X + sampleGap, Y: top})
	}
}
