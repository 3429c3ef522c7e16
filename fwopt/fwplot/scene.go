package fwplot

import (
	"image/color"
	"math"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Scene is a picture of a domain and of what happens in it: level lines, points, paths,
// gradients, steps and noise. Its Plot is for Show and Grid, and Slide makes a figure of
// it with a slider over k. X.Min, X.Max, Y.Min and Y.Max are what is in view, and a unit is
// as long on both axes.
//
// A domain of any dimension is seen from a direction, as a shadow: a plane domain as it is,
// the simplex of R³ from (1, 1, 1), and the trace ball of the symmetric 2 × 2 matrices,
// which is a cylinder, from wherever it shows.
type Scene struct {
	*plot.Plot
	key *key

	x, y  []float64 // orthonormal directions, that go right and up
	at    []float64 // a point of the domain
	rim   []xy      // the outline, counter-clockwise
	lines []slid    // for Slide
	marks []slidMark
}

// slid is a line of a Scene, of which a slider shows the first k points if it is a path.
type slid struct {
	name   string
	color  color.Color
	width  float64
	xy     []xy
	path   bool
	dashed bool
}

type slidMark struct {
	name string
	at   xy
}

// corners is the number of vertices up to which an outline is that of a polytope.
const corners = 32

// NewScene returns a picture of omega, seen so that the directions x and y of R^d, made
// orthonormal, go right and up. The outline is found by the linear optimisation alone, in
// 720 directions, so that a domain of one's own needs nothing else. It panics if x and y
// are not two directions of R^d.
func NewScene(title string, omega fwopt.Domain, x, y []float64) *Scene {
	need.Given("fwplot", "the domain of a Scene", omega == nil)
	d := omega.Dim()
	if len(x) != d || len(y) != d {
		panic(need.Linef("fwplot: directions of lengths %d and %d, want %d", len(x), len(y), d))
	}
	s := &Scene{Plot: unframed(title), x: make([]float64, d), y: make([]float64, d), at: make([]float64, d)}
	floats.ScaleTo(s.x, 1/floats.Norm(x, 2), x)
	floats.AddScaledTo(s.y, y, -floats.Dot(s.x, y), s.x)
	n := floats.Norm(s.y, 2)
	if !finite(n) || !(n > 1e-9*floats.Norm(y, 2)) || floats.HasNaN(s.x) {
		panic(need.Line("fwplot: x and y are not two directions"))
	}
	floats.Scale(1/n, s.y)

	s.outline(omega)
	s.key = newKey(s.Plot) // over the fill of the outline
	s.key.square = true
	var xs, ys span
	for _, p := range s.rim {
		xs.add(p.x)
		ys.add(p.y)
	}
	pad := 0.06 * max(xs.hi-xs.lo, ys.hi-ys.lo)
	s.X.Min, s.X.Max, s.Y.Min, s.Y.Max = xs.lo-pad, xs.hi+pad, ys.lo-pad, ys.hi+pad
	return s
}

// outline asks for the vertices in all directions and draws the shadow of their hull.
func (s *Scene) outline(omega fwopt.Domain) {
	const directions = 720
	g, v := make([]float64, len(s.x)), make([]float64, len(s.x))
	n := 0.0
	for i := range directions {
		sin, cos := math.Sincos(2 * math.Pi * (float64(i) + 0.5) / directions) // no edge of a usual domain is at a right angle to it
		floats.ScaleTo(g, -cos, s.x)
		floats.AddScaled(g, -sin, s.y)
		omega.Argmin(v, g)
		p := s.see(v)
		if k := len(s.rim); k > 0 && math.Hypot(p.x-s.rim[k-1].x, p.y-s.rim[k-1].y) < 1e-9*(1+math.Hypot(p.x, p.y)) {
			continue
		}
		s.rim = append(s.rim, p)
		floats.Add(s.at, v)
		n++
	}
	if k := len(s.rim); k > 1 && math.Hypot(s.rim[0].x-s.rim[k-1].x, s.rim[0].y-s.rim[k-1].y) < 1e-9 {
		s.rim = s.rim[:k-1]
	}
	floats.Scale(1/n, s.at) // a mean of vertices is in the domain
	closed := append(append([]xy{}, s.rim...), s.rim[0])
	s.Add(&shape{xy: closed, fill: rgb(0xF3F5F8), line: stroke(0x333333, 1.2)})
	s.lines = append(s.lines, slid{color: ink, width: 1.2, xy: closed})
	if len(s.rim) <= corners {
		s.Add(&shape{xy: s.rim, dots: draw.GlyphStyle{Color: ink, Radius: vg.Points(2), Shape: draw.CircleGlyph{}}})
	}
}

func (s *Scene) check() {
	if s == nil || s.key == nil {
		panic(need.Line("fwplot: a Scene is made by NewScene"))
	}
}

// see returns where a point is in the picture.
func (s *Scene) see(w []float64) xy {
	if len(w) != len(s.x) {
		panic(need.Linef("fwplot: a point of length %d, want %d", len(w), len(s.x)))
	}
	return xy{floats.Dot(s.x, w), floats.Dot(s.y, w)}
}

// Levels draws level lines of f in the domain, so many, denser where f is small, over what
// is in view. It is for a domain of two dimensions, which the picture shows whole, and
// calls f some 26,000 times.
func (s *Scene) Levels(f func(w []float64) float64, n int) {
	s.check()
	need.Given("fwplot", "Levels: f", f == nil)
	thin := stroke(0xB9BEC6, 0.7)
	for _, seg := range s.contours(f, n) {
		s.Add(&shape{xy: seg, line: thin})
		s.lines = append(s.lines, slid{color: thin.Color, width: 0.7, xy: seg})
	}
}

// Edge draws a thin line through points of R^d: an edge of the body that is no part of its
// outline.
func (s *Scene) Edge(points ...[]float64) {
	s.check()
	sh := &shape{line: stroke(0x333333, 0.6)}
	for _, w := range points {
		sh.xy = append(sh.xy, s.see(w))
	}
	s.Add(sh)
	s.lines = append(s.lines, slid{color: ink, width: 0.6, xy: sh.xy})
}

// Path draws the way of a method through points of R^d, thin and in its colour, with a dot
// at each point and its name at the end; solid, or in dashes if a path has that colour already.
func (s *Scene) Path(method string, points ...[]float64) {
	s.check()
	own := Style(method)
	own.Dashes, own.Width = nil, vg.Points(1.2)
	for _, e := range s.key.entries {
		if e.style.Color == own.Color {
			own.Dashes = []vg.Length{vg.Points(4), vg.Points(2)}
		}
	}
	sh := &shape{line: own, dots: draw.GlyphStyle{Color: own.Color, Radius: vg.Points(2.2), Shape: shapes[len(s.key.entries)%len(shapes)]}}
	for _, w := range points {
		sh.xy = append(sh.xy, s.see(w))
	}
	if len(sh.xy) == 0 {
		return
	}
	s.Add(sh)
	end := sh.xy[len(sh.xy)-1]
	s.key.entries = append(s.key.entries, entry{method, own, []xy{end}, end.y})
	s.lines = append(s.lines, slid{method, own.Color, 1.5, sh.xy, true, own.Dashes != nil})
}

// Mark draws a cross at a point, as w*, with a name.
func (s *Scene) Mark(name string, w []float64) {
	s.check()
	at := s.see(w)
	s.Add(&shape{xy: []xy{at}, dots: draw.GlyphStyle{Color: ink, Radius: vg.Points(4), Shape: draw.CrossGlyph{}}}, tagged(s.Plot, name, at, 7, 7, stroke(0x333333, 1)))
	s.marks = append(s.marks, slidMark{name, at})
}

// Arrow draws an arrow from w along a vector of R^d, in the colour of a method if the name
// begins with one, with the name at its tip, if any.
func (s *Scene) Arrow(name string, w, along []float64) {
	s.check()
	from, v := s.see(w), s.see(along)
	tip := xy{from.x + v.x, from.y + v.y}
	sty := Style(name)
	sty.Dashes, sty.Width = nil, vg.Points(1.6)
	s.Add(&shape{xy: []xy{from, tip}, line: sty, arrow: true})
	if name != "" {
		s.Add(beyond(s.Plot, name, tip, v, sty))
	}
}

// beyond returns a text beyond the tip of an arrow along v.
func beyond(p *plot.Plot, s string, tip, v xy, sty draw.LineStyle) *tag {
	n := max(math.Hypot(v.x, v.y), 1e-300)
	t := tagged(p, s, tip, 5*v.x/n, 10*v.y/n, sty)
	if t.bare = true; math.Abs(v.x) < 0.6*n {
		t.style.XAlign = draw.XCenter
	}
	return t
}

// Step draws a step of Frank-Wolfe: a ring at the vertex v, dashes from w to it, and an
// arrow over the part gamma that is gone.
func (s *Scene) Step(method string, w, v []float64, gamma float64) {
	s.check()
	from, to := s.see(w), s.see(v)
	sty := Style(method)
	sty.Dashes, sty.Width = nil, vg.Points(2.2)
	tip := xy{mix(from.x, to.x, gamma), mix(from.y, to.y, gamma)}
	s.Add(&shape{xy: []xy{from, to}, line: stroke(0x777777, 0.8, 3, 2)},
		&shape{xy: []xy{to}, dots: draw.GlyphStyle{Color: sty.Color, Radius: vg.Points(4.5), Shape: draw.RingGlyph{}}},
		&shape{xy: []xy{from, tip}, line: sty, arrow: true})
}

// Noise draws the ellipse of one standard deviation about a point, in every direction, of
// a random vector, given by values that it takes with the same probability; in the colour
// of a method if the name begins with one. Of the mean of m samples it is as large as of
// values divided by √m.
func (s *Scene) Noise(name string, about []float64, values ...[]float64) {
	s.check()
	sty := Style(name)
	sh := &shape{xy: s.ellipse(about, values), line: stroke(0, 1), fill: faint(sty.Color)}
	sh.line.Color = sty.Color
	s.Add(sh)
}

// ellipse returns the points of the ellipse that Noise draws.
func (s *Scene) ellipse(about []float64, values [][]float64) (rim []xy) {
	at := s.see(about)
	var mean xy
	for _, v := range values {
		p := s.see(v)
		mean.x += p.x / float64(len(values))
		mean.y += p.y / float64(len(values))
	}
	var a, b, c float64 // the covariance [a b; b c]
	for _, v := range values {
		p := s.see(v)
		x, y := p.x-mean.x, p.y-mean.y
		a, b, c = a+x*x/float64(len(values)), b+x*y/float64(len(values)), c+y*y/float64(len(values))
	}
	angle := 0.5 * math.Atan2(2*b, a-c)
	mid, off := (a+c)/2, math.Hypot((a-c)/2, b)
	long, short := math.Sqrt(mid+off), math.Sqrt(max(0, mid-off)) // the principal axes
	sin, cos := math.Sincos(angle)
	for i := range 73 {
		u, v := math.Sincos(2 * math.Pi * float64(i) / 72)
		rim = append(rim, xy{at.x + long*cos*v - short*sin*u, at.y + long*sin*v + short*cos*u})
	}
	return rim
}

// faint returns a colour through which one sees.
func faint(c color.Color) color.Color {
	r, g, b, _ := c.RGBA()
	return color.NRGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 51}
}

// shape is a line, a polygon or dots of a Scene, clipped to what is in view.
type shape struct {
	xy    []xy
	line  draw.LineStyle
	fill  color.Color // of the polygon, if not nil
	dots  draw.GlyphStyle
	arrow bool
}

// Plot implements plot.Plotter.
func (s *shape) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	ps := make([]vg.Point, len(s.xy))
	for i, q := range s.xy {
		ps[i] = vg.Point{X: trX(q.x), Y: trY(q.y)}
	}
	if s.fill != nil {
		c.FillPolygon(s.fill, c.ClipPolygonXY(ps))
	}
	if n := len(ps); s.arrow && n > 1 {
		v := ps[n-1].Sub(ps[n-2])
		if long := vg.Length(math.Hypot(float64(v.X), float64(v.Y))); long > 0.5 {
			const head = 7
			u, tip := v.Scale(1/long), ps[n-1]
			side := vg.Point{X: -u.Y, Y: u.X}.Scale(head * 0.4)
			base := tip.Sub(u.Scale(min(head, long)))
			c.FillPolygon(s.line.Color, c.ClipPolygonXY([]vg.Point{tip, base.Add(side), base.Sub(side)}))
			ps[n-1] = base
		}
	}
	if len(ps) > 1 && s.line.Width > 0 {
		c.StrokeLines(s.line, c.ClipLinesXY(ps)...)
	}
	for _, q := range ps {
		c.DrawGlyph(s.dots, q)
	}
}
