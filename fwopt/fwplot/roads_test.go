package fwplot

import (
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/plot"
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
		if g.color != fullness[w.colour].color || math.Abs(float64(g.width-width)) > 1e-12 || len(g.path) != 2 {
			t.Errorf("stroke %d: %v, %g wide, %d pieces; want %v, %g", i, g.color, g.width, len(g.path), fullness[w.colour].color, width)
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
	last := 255.0
	for _, c := range fullness {
		grey := 0.299*float64(c.color.R) + 0.587*float64(c.color.G) + 0.114*float64(c.color.B)
		if grey > last-25 {
			t.Errorf("%s is %.0f in grey, and the one before %.0f", c.name, grey, last)
		}
		last = grey
	}
}

// The colours are named beside the map, without a leader, and in a sentence; nobody's flow draws, too.
func TestRoadNames(t *testing.T) {
	p := Roads("a town", []float64{0, 1}, []float64{0, 3}, []Road{{0, 1, 0, 0}})
	at := textsOf(t, p)
	for i, c := range fullness {
		if _, ok := at[c.name]; !ok {
			t.Errorf("no name %q", c.name)
		} else if i > 0 && at[c.name].Y <= at[fullness[i-1].name].Y {
			t.Errorf("%q is not above %q", c.name, fullness[i-1].name)
		}
	}
	f := Grid([]*plot.Plot{p})
	if want := "a town: a picture of less than half full, half full, over capacity, over 1.5 × capacity."; f.Alt != want {
		t.Errorf("alt %q, want %q", f.Alt, want)
	}
	two := Grid([]*plot.Plot{p, Roads("another", []float64{0, 1}, []float64{0, 3}, []Road{{0, 1, 0, 0}})})
	if n := strings.Count(string(two.SVG), ">half full<"); n != 1 {
		t.Errorf("beside two maps the names stand %d times, want once", n)
	}
	if n := strings.Count(string(f.SVG), "stroke-width:0.5"); n != 0 {
		t.Errorf("%d thin lines: leaders to the names of colours", n)
	}
}

func TestRoadsPanics(t *testing.T) {
	x, y := []float64{0, 1, math.NaN()}, []float64{0, 3, 1}
	for want, roads := range map[string][]Road{
		"fwplot: a map without roads": nil,
		"fwplot: road 1 has flow -1 and is 0 full: want finite numbers that are not negative": {{0, 1, 0, 0}, {1, 0, -1, 0}},
		"fwplot: road 0 has flow NaN and is 0 full: want finite numbers":                      {{0, 1, math.NaN(), 0}},
		"fwplot: road 0 has flow 1 and is +Inf full: want finite numbers":                     {{0, 1, 1, math.Inf(1)}},
		"fwplot: road 0 ends at node 3, which the 3 and 3 coordinates do not place":           {{0, 3, 1, 0}},
		"fwplot: road 0 ends at node -1, which":                                               {{-1, 1, 1, 0}},
		"fwplot: road 0 ends at node 2, which":                                                {{0, 2, 1, 0}},
	} {
		if got := small.Panics(func() { Roads("", x, y, roads) }); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := small.Panics(func() { Roads("", x, y[:1], []Road{{0, 1, 1, 0}}) }); !strings.Contains(got, "the 3 and 1 coordinates do not place") {
		t.Error(got)
	}
}
