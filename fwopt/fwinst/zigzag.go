package fwinst

import (
	"math"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Zigzag is the example of Wolfe (1970) and Canon and Cullum (1968) in the
// plane: the triangle of (−1, 0), (1, 0) and (0, 1), and f(w) = ½‖w − w*‖² for a
// point w* = (x, 0) of an edge that no step hits, x = √2 − 1. It forces 1/ε steps on
// Frank-Wolfe with line search: from the apex, W0, it turns to the two ends of
// the edge in turn, and the height y over the edge hardly falls. Two steps take it
// from y to y − 4y³/(1−x²)² + O(y⁵), so that k·(f(w_k) − f*) tends to (1−x²)²/8 = 0.0858.
//
// w* = (√2−1, 0), f* = 0, ∇f(w*) = 0, n = 1, L = LF = α = 1, D = 2, G = √2 at (−1, 0),
// σ = 0.
//
// It shows nothing of open-loop steps, which do better here, nor of samples.
func Zigzag() *Instance {
	triangle := Polygon{{-1, 0}, {1, 0}, {0, 1}}
	q := quad{name: "Zigzag()", n: 1, h: fill(2, 1), c: []float64{math.Sqrt2 - 1, 0}}
	p := newSigns(q, 0, 0, 0).instance(triangle, []float64{0, 1})
	p.G, p.GF = math.Sqrt2, math.Sqrt2 // at a vertex of the triangle
	return p
}

// Polygon is a convex polygon in the plane, by its vertices in order. Its centre
// is their mean. A call takes O(vertices), Diameter the square of that.
type Polygon [][2]float64

func (p Polygon) check(v ...[]float64) {
	if len(p) < 3 {
		panic(need.Linef("fwinst: a Polygon of %d vertices", len(p)))
	}
	need.Len("fwinst", 2, v...)
}

// Identify writes the vertices.
func (p Polygon) Identify(id *fwopt.Identity) {
	id.Of(p)
	for _, v := range p {
		id.Float(v[:]...)
	}
}

// Dim returns 2.
func (p Polygon) Dim() int { return 2 }

// Argmin computes the vertex with the least ⟨g, v⟩, the first one if there are
// several; the centre if g = 0.
func (p Polygon) Argmin(dst, g []float64) {
	p.check(dst, g)
	best, at := math.Inf(1), p.centre()
	for _, v := range p {
		if s := g[0]*v[0] + g[1]*v[1]; s < best && (g[0] != 0 || g[1] != 0) {
			best, at = s, v
		}
	}
	copy(dst, at[:])
}

func (p Polygon) centre() (c [2]float64) {
	for _, v := range p {
		c[0] += v[0] / float64(len(p))
		c[1] += v[1] / float64(len(p))
	}
	return c
}

// Project computes the nearest point: x itself if it is inside, else the nearest
// one of all sides.
func (p Polygon) Project(dst, x []float64) {
	p.check(dst, x)
	best, at := math.Inf(1), [2]float64{x[0], x[1]}
	if p.Gauge(x) > 1 {
		for k, a := range p {
			b := p[(k+1)%len(p)]
			u, v := b[0]-a[0], b[1]-a[1]
			t := min(1, max(0, ((x[0]-a[0])*u+(x[1]-a[1])*v)/(u*u+v*v)))
			q := [2]float64{a[0] + t*u, a[1] + t*v}
			if d := math.Hypot(x[0]-q[0], x[1]-q[1]); d < best {
				best, at = d, q
			}
		}
	}
	copy(dst, at[:])
}

// Diameter returns the largest distance of two vertices.
func (p Polygon) Diameter() (D float64) {
	p.check()
	for k, v := range p {
		for _, w := range p[:k] {
			D = max(D, math.Hypot(v[0]-w[0], v[1]-w[1]))
		}
	}
	return D
}

// Gauge returns the largest, over the sides, of the distance that x − c has in the
// side's direction, by that of the side.
func (p Polygon) Gauge(x []float64) (t float64) {
	p.check(x)
	c := p.centre()
	for k, a := range p {
		b := p[(k+1)%len(p)]
		u, v := b[0]-a[0], b[1]-a[1] // (v, −u) points outwards
		t = max(t, ((x[0]-c[0])*v-(x[1]-c[1])*u)/((a[0]-c[0])*v-(a[1]-c[1])*u))
	}
	return t
}
