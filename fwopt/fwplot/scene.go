package fwplot

import (
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Scene is a picture of a domain and of what happens in it: level lines, points, paths, gradients, steps
// and noise. Its Plot is for Show, Grid and Moving. X.Min, X.Max, Y.Min and Y.Max are what is in view, and a
// unit is as long on both axes. A domain of any dimension is seen from a direction, as a shadow.
type Scene struct {
	*plot.Plot
	key *key

	x, y []float64 // orthonormal directions, that go right and up
	at   []float64 // a point of the domain
	rim  []xy      // the outline, counter-clockwise
}

// corners is the number of vertices up to which an outline is that of a polytope.
const corners = 32

// NewScene returns a picture of omega, seen so that the directions x and y of R^d, made orthonormal, go
// right and up. The outline is found by the linear optimisation alone, in 720 directions. It panics if x
// and y are not two directions of R^d.
func NewScene(title string, omega fwopt.Domain, x, y []float64) *Scene {
	need.Given("fwplot", "the domain of a Scene", omega == nil)
	d := omega.Dim()
	if len(x) != d || len(y) != d {
		panic(need.Linef("fwplot: directions of lengths %d and %d, want %d", len(x), len(y), d))
	}
	s := &Scene{Plot: titled(title), x: make([]float64, d), y: make([]float64, d), at: make([]float64, d)}
	s.HideAxes()
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
	frame(s.Plot, s.rim, 0.06)
	return s
}

// frame sets the ranges of p to those of points, with so much more as a share of the longer.
func frame(p *plot.Plot, points []xy, more float64) {
	xs, ys := spans(points)
	pad := more * max(xs.hi-xs.lo, ys.hi-ys.lo)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = xs.lo-pad, xs.hi+pad, ys.lo-pad, ys.hi+pad
}

// outline asks for the vertices in all directions and draws the shadow of their hull.
func (s *Scene) outline(omega fwopt.Domain) {
	const directions = 720
	g, v := make([]float64, len(s.x)), make([]float64, len(s.x))
	near := func(p, q xy) bool { return math.Hypot(p.x-q.x, p.y-q.y) < 1e-9*(1+math.Hypot(p.x, p.y)) }
	n := 0.0
	for i := range directions { // no edge of a usual domain is at a right angle to one
		sin, cos := math.Sincos(2 * math.Pi * (float64(i) + 0.5) / directions)
		floats.ScaleTo(g, -cos, s.x)
		floats.AddScaled(g, -sin, s.y)
		omega.Argmin(v, g)
		if p := s.see(v); len(s.rim) == 0 || !near(p, s.rim[len(s.rim)-1]) {
			s.rim = append(s.rim, p)
			floats.Add(s.at, v)
			n++
		}
	}
	if k := len(s.rim); k > 1 && near(s.rim[0], s.rim[k-1]) {
		s.rim = s.rim[:k-1]
	}
	floats.Scale(1/n, s.at) // a mean of vertices is in the domain
	line := series{style: stroke(0x333333, 1.2), fill: rgb(0xF3F5F8), radius: 2}
	line.xy = append(slices.Clone(s.rim), s.rim[0])
	if len(s.rim) <= corners {
		line.dots = draw.CircleGlyph{}
	}
	put(s.Plot, line)
}

func (s *Scene) check() {
	if s == nil || s.Plot == nil {
		panic(need.Line("fwplot: a Scene is made by NewScene"))
	}
}

// see returns where a point is in the picture.
func (s *Scene) see(w []float64) xy {
	s.check()
	if len(w) != len(s.x) {
		panic(need.Linef("fwplot: a point of length %d, want %d", len(w), len(s.x)))
	}
	return xy{floats.Dot(s.x, w), floats.Dot(s.y, w)}
}

// way returns the line through points of R^d.
func (s *Scene) way(style draw.LineStyle, points ...[]float64) series {
	l := series{style: style}
	for _, w := range points {
		l.add(s.see(w))
	}
	return l
}

// solid returns the style of a method without its dashes.
func solid(method string, width float64) draw.LineStyle {
	return draw.LineStyle{Color: Style(method).Color, Width: vg.Points(width)}
}

// Levels draws n level lines of f, denser where f is small, in what is in view of a domain of two
// dimensions. It calls f about 26,000 times.
func (s *Scene) Levels(f func(w []float64) float64, n int) {
	s.check()
	need.Given("fwplot", "Levels: f", f == nil)
	for _, line := range s.contours(f, n) {
		put(s.Plot, series{style: stroke(0xB9BEC6, 0.7), xy: line})
	}
}

// Edge draws a thin line through points of R^d: an edge of the body that is no part of its outline.
func (s *Scene) Edge(points ...[]float64) { put(s.Plot, s.way(stroke(0x333333, 0.6), points...)) }

// Path draws the way of a method through points of R^d, in its colour, with a dot at each point and its
// name at the end; solid, or in dashes if a path has that colour already.
func (s *Scene) Path(method string, points ...[]float64) {
	l := s.way(solid(method, 1.2), points...)
	for _, e := range s.key.entries {
		if e.style.Color == l.style.Color {
			l.style.Dashes = []vg.Length{vg.Points(4), vg.Points(2)}
		}
	}
	l.name, l.radius, l.dots = method, 2.2, shapes[len(s.key.entries)%len(shapes)]
	if n := len(l.xy); n > 0 {
		put(s.Plot, l)
		l.xy = l.xy[n-1:] // its name is where it ends, though that is not in view
		s.key.entries = append(s.key.entries, l)
	}
}

// Mark draws a cross at a point, as w*, with a name.
func (s *Scene) Mark(name string, w []float64) {
	mark := dot(strong{}, 4.5, stroke(0x333333, 0), s.see(w))
	mark.tag = tag{text: name, dx: 7, dy: 7}
	put(s.Plot, mark)
}

// strong is a draw.CrossGlyph that is seen on the dots of a path.
type strong struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (strong) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	line, r := draw.LineStyle{Color: sty.Color, Width: vg.Points(1.5)}, sty.Radius
	for _, v := range []vg.Point{{X: r, Y: r}, {X: r, Y: -r}} {
		c.StrokeLines(line, []vg.Point{at.Sub(v), at.Add(v)})
	}
}

// Arrow draws an arrow from w along a vector of R^d, in the colour of a method if the name begins with one,
// with the name at its tip.
func (s *Scene) Arrow(name string, w, along []float64) {
	from, v := s.see(w), s.see(along)
	l := series{style: solid(name, 1.6), xy: []xy{from, {from.x + v.x, from.y + v.y}}, arrow: true}
	put(s.Plot, l)
	n := max(math.Hypot(v.x, v.y), 1e-300)
	tip := tagged(name, l.xy[1], 5*v.x/n, 10*v.y/n, l.style)
	tip.tag.bare, tip.tag.middle = true, math.Abs(v.x) < 0.6*n
	put(s.Plot, tip)
}

// Step draws a step of Frank-Wolfe: a ring at the vertex v, dashes from w to it, and an arrow over the part
// gamma that is gone.
func (s *Scene) Step(method string, w, v []float64, gamma float64) {
	l := s.way(stroke(0x777777, 0.8, 3, 2), w, v)
	from, to := l.xy[0], l.xy[1]
	tip := xy{mix(from.x, to.x, gamma), mix(from.y, to.y, gamma)}
	own := solid(method, 2.2)
	put(s.Plot, l, dot(draw.RingGlyph{}, 4.5, own, to), series{style: own, xy: []xy{from, tip}, arrow: true})
}

// Noise draws the ellipse of one standard deviation about a point, in every direction, of a random vector,
// given by values that it takes with the same probability; in the colour of a method if the name begins
// with one. Of the mean of m samples it is as large as of values divided by √m.
func (s *Scene) Noise(name string, about []float64, values ...[]float64) {
	own := solid(name, 1)
	put(s.Plot, series{style: own, xy: s.ellipse(about, values), fill: faint(own.Color)})
}

// ellipse returns the points of the ellipse that Noise draws.
func (s *Scene) ellipse(about []float64, values [][]float64) (rim []xy) {
	at, share := s.see(about), 1/float64(len(values))
	var mean xy
	for _, v := range values {
		p := s.see(v)
		mean.x, mean.y = mean.x+p.x*share, mean.y+p.y*share
	}
	var a, b, c float64 // the covariance [a b; b c]
	for _, v := range values {
		p := s.see(v)
		x, y := p.x-mean.x, p.y-mean.y
		a, b, c = a+x*x*share, b+x*y*share, c+y*y*share
	}
	for i := range 73 { // the point where the outer normal is (cos, sin)
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / 72)
		u := xy{a*cos + b*sin, b*cos + c*sin}
		far := math.Sqrt(max(u.x*cos+u.y*sin, 1e-12*(a+c), 1e-300)) // flat ones have no such point
		rim = append(rim, xy{at.x + u.x/far, at.y + u.y/far})
	}
	return rim
}
