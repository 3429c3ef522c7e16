package fwplot

import (
	"image/color"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// stroked is what a drawing strokes with its own lines: colour, width and path.
type stroked struct {
	color color.Color
	width vg.Length
	path  vg.Path
}

func strokes(m *roadMap, lo, hi float64) (all []stroked) {
	var rec recorder.Canvas
	p := titled("")
	p.HideAxes()
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = lo, hi, lo, hi
	m.Plot(draw.NewCanvas(&rec, 100, 100), p)
	var now stroked
	for _, a := range rec.Actions {
		switch a := a.(type) {
		case *recorder.SetColor:
			now.color = a.Color
		case *recorder.SetLineWidth:
			now.width = a.Width
		case *recorder.Stroke:
			now.path = a.Path
			all = append(all, now)
		}
	}
	return all
}

// Each road is right of its direction by half of its width and a little, as wide as the root
// of its flow says, in the colour of its fullness, and the fuller ones are drawn later.
func TestRoads(t *testing.T) {
	x, y := []float64{0, 10, 10, 0}, []float64{0, 0, 10, 10}
	m := &roadMap{x, y, []Road{
		{0, 1, 100, 1.5},  // east: below
		{1, 0, 24, 0.49},  // west: above
		{1, 2, 25, 0.5},   // north: to the right
		{2, 1, 0, 0},      // south: to the left
		{0, 2, 100, 1},    // a diagonal
		{3, 3, 100, 1.49}, // nowhere: not drawn
	}, 100}
	r := vg.Length(math.Sqrt(0.5))
	want := []struct {
		colour, wide int
		a, b         vg.Point // in units of 10 of the canvas, and so much off
		dx, dy       vg.Length
	}{
		{0, 0, vg.Point{X: 100, Y: 100}, vg.Point{X: 100, Y: 0}, -1, 0},
		{0, 1, vg.Point{X: 100, Y: 0}, vg.Point{X: 0, Y: 0}, 0, 1},
		{1, 2, vg.Point{X: 100, Y: 0}, vg.Point{X: 100, Y: 100}, 1, 0},
		{2, 3, vg.Point{X: 0, Y: 0}, vg.Point{X: 100, Y: 100}, r, -r},
		{3, 3, vg.Point{X: 0, Y: 0}, vg.Point{X: 100, Y: 0}, 0, -1},
	}
	got := strokes(m, 0, 10)
	if len(got) != len(want) {
		t.Fatalf("%d strokes, want %d: %v", len(got), len(want), got)
	}
	for i, w := range want {
		g := got[i]
		width := vg.Points(0.4 + 0.8*float64(w.wide))
		off := width/2 + 0.2
		if g.color != fullness[w.colour].color || math.Abs(float64(g.width-width)) > 1e-12 ||
			len(g.path) != 2 {
			t.Errorf("stroke %d: %v, %g wide, %d pieces; want %v, %g", i, g.color, g.width, len(g.path),
				fullness[w.colour].color, width)
			continue
		}
		for j, at := range []vg.Point{w.a, w.b} {
			d := g.path[j].Pos.Sub(at.Add(vg.Point{X: off * w.dx, Y: off * w.dy}))
			if math.Hypot(float64(d.X), float64(d.Y)) > 1e-9 {
				t.Errorf("stroke %d: end %d at %v, %v off", i, j, g.path[j].Pos, d)
			}
		}
	}
}

// In a print in grey each colour is darker than the last.
func TestFullnessInGrey(t *testing.T) {
	last := 1.0
	for _, c := range fullness {
		l := luminance(shares(c.color))
		if l > last-0.05 {
			t.Errorf("%s has the luminance %.2f, and the one before %.2f", c.name, l, last)
		}
		last = l
	}
}

// The colours are named beside the map from above, without a leader, and once beside two; nobody's
// flow draws, too.
func TestRoadNames(t *testing.T) {
	town := func(name string) *plot.Plot {
		return Roads(name, []float64{0, 1}, []float64{0, 3}, []Road{{0, 1, 0, 0}})
	}
	svg, last := string(bundle(town("a town")).SVG), 1e9
	for _, c := range fullness {
		sty := text.Style{Font: sans(nameSize), Handler: plot.DefaultTextHandler}
		top, _, _ := strings.Cut(wrap(c.name, sty, keyWidth), "\n")
		m := regexp.MustCompile(`y="-([0-9.]+)"[^>]*>` + top + "<").FindStringSubmatch(svg)
		if m == nil {
			t.Fatalf("no name %q", c.name)
		}
		y, _ := strconv.ParseFloat(m[1], 64)
		if y = -y; y >= last {
			t.Errorf("%q is not above the one before", c.name)
		}
		last = y
	}
	if n := strings.Count(svg, "stroke-width:0.5"); n != 0 {
		t.Errorf("%d thin lines: leaders to the names of colours", n)
	}
	if n := strings.Count(string(Grid([]*plot.Plot{town("a"), town("b")}).SVG), ">over 1.5 ×<"); n != 1 {
		t.Errorf("beside two maps the names stand %d times, want once", n)
	}
}
