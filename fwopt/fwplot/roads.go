package fwplot

import (
	"image/color"
	"math"

	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Road is a line of Roads, from one node to another.
type Road struct {
	From, To int
	Flow     float64 // not negative; the line is as wide as its root
	Full     float64 // the share of the capacity, not negative, which is the line's colour
}

// fullness is the colours of roads, each darker than the last, so that a print in grey has the order, too.
var fullness = []struct {
	name  string
	from  float64
	color color.RGBA
}{
	{"less than half full", 0, rgb(0xBEBEBE)},
	{"half full", 0.5, rgb(0x56B4E9)},
	{"over capacity", 1, rgb(0xD55E00)},
	{"over 1.5 × capacity", 1.5, rgb(0x7A0A0A)},
}

const roadWidths = 4

// Roads draws a map: each road next to the line from node to node, on the right of its direction, in one of
// four widths by its flow, and in the colour of how full it is. Fuller ones are above. x and y place the
// nodes, in one unit on both axes: multiply longitudes in degrees by the cosine of the latitude first. For
// about 3,000 roads the SVG has 80 KB, and of more it is as much larger. Roads panics if there is no road,
// or if one has a node that is nowhere, or a number that is negative or not finite.
func Roads(title string, x, y []float64, roads []Road) *plot.Plot {
	if len(roads) == 0 {
		panic(need.Line("fwplot: a map without roads"))
	}
	var ends []xy
	most := 0.0
	for i, r := range roads {
		if !(r.Flow >= 0 && r.Full >= 0 && finite(r.Flow) && finite(r.Full)) {
			panic(need.Linef("fwplot: road %d has flow %g and is %g full: "+
				"want finite numbers that are not negative", i, r.Flow, r.Full))
		}
		for _, u := range []int{r.From, r.To} {
			if u < 0 || u >= min(len(x), len(y)) || !finite(x[u]) || !finite(y[u]) {
				panic(need.Linef("fwplot: road %d ends at node %d, "+
					"which the %d and %d coordinates do not place", i, u, len(x), len(y)))
			}
			ends = append(ends, xy{x[u], y[u]})
		}
		most = max(most, r.Flow)
	}
	p := titled(title)
	p.HideAxes()
	frame(p, ends, 0.02) // room for the widest lines
	p.Add(&roadMap{x, y, roads, most})
	k := newKey(p)
	k.square = true
	for _, c := range fullness { // their names, from the top right corner down
		k.entries = append(k.entries, series{name: c.name, style: draw.LineStyle{Color: c.color}})
	}
	return p
}

// roadMap draws roads, of which the largest flow is most.
type roadMap struct {
	x, y  []float64
	roads []Road
	most  float64
}

// Plot implements plot.Plotter. Roads of one colour and width are one path: the SVG is small.
func (m *roadMap) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	at := func(u int) vg.Point { return vg.Point{X: trX(m.x[u]), Y: trY(m.y[u])} }
	paths := make([][roadWidths]vg.Path, len(fullness))
	width := func(i int) vg.Length { return vg.Points(0.4 + 0.8*float64(i)) }
	for _, r := range m.roads {
		wide, colour := 0, 0
		if m.most > 0 {
			wide = min(int(roadWidths*math.Sqrt(r.Flow/m.most)), roadWidths-1)
		}
		for colour+1 < len(fullness) && r.Full >= fullness[colour+1].from {
			colour++
		}
		from, to, path := at(r.From), at(r.To), &paths[colour][wide]
		d := to.Sub(from)
		if long := length(d); long > 0 { // on the right of the way
			off := vg.Point{X: d.Y, Y: -d.X}.Scale((width(wide)/2 + 0.2) / long)
			path.Move(from.Add(off))
			path.Line(to.Add(off))
		}
	}
	for colour, byWidth := range paths {
		for wide, path := range byWidth {
			if len(path) > 0 {
				c.SetLineStyle(draw.LineStyle{Color: fullness[colour].color, Width: width(wide)})
				c.Stroke(path)
			}
		}
	}
}
