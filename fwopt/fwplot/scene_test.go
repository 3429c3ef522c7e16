package fwplot

import (
	"math"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot/vg"
)

// disc is a domain of a reader's own.
type disc struct{ d int }

func (b disc) Dim() int { return b.d }
func (b disc) Argmin(dst, g []float64) {
	floats.ScaleTo(dst, -1/floats.Norm(g, 2), g)
}

var (
	r2      = math.Sqrt(0.5)
	square  = fwset.Box{Lo: []float64{-1, -1}, Hi: []float64{1, 1}}
	upright = []float64{1, 0, 0, 1} // directions of the symmetric 2 × 2 matrices
	apart   = []float64{1, 0, 0, -1}
	cross   = []float64{0, 1, 1, 0}
)

// The outline is that of the body: corners where it has them, and of the trace ball, a
// cylinder of radius and half height 1/√2, a square from the side and a circle from above.
func TestOutline(t *testing.T) {
	ball, corner := fwset.TraceNorm{H: 2, M: 2, Tau: 1}, []xy{{1, 1}, {-1, 1}, {-1, -1}, {1, -1}}
	for what, c := range map[string]struct {
		omega fwopt.Domain
		x, y  []float64
		want  []xy    // its corners
		r     float64 // or its radius
	}{
		"square": {square, []float64{1, 0}, []float64{0, 1}, corner, 0},
		"simplex": {fwset.Simplex{D: 3, R: 1}, []float64{-1, 1, 0}, []float64{-1, -1, 2},
			[]xy{{r2, -1 / math.Sqrt(6)}, {0, 2 / math.Sqrt(6)}, {-r2, -1 / math.Sqrt(6)}}, 0},
		"oblique":       {square, []float64{3, 0}, []float64{5, 2}, corner, 0},
		"own disc":      {disc{2}, []float64{1, 0}, []float64{0, 1}, nil, 1},
		"ball's shadow": {disc{5}, []float64{1, 2, 0, 0, 1}, []float64{0, 1, 3, 1, 0}, nil, 1},
		"trace, side":   {ball, apart, upright, []xy{{r2, r2}, {-r2, r2}, {-r2, -r2}, {r2, -r2}}, 0},
		"trace, above":  {ball, apart, cross, nil, r2},
	} {
		s := NewScene("", c.omega, c.x, c.y)
		for _, p := range s.rim {
			if c.want == nil && math.Abs(math.Hypot(p.x, p.y)-c.r) > 1e-9 {
				t.Fatalf("%s: %v is not on the circle of radius %g", what, p, c.r)
			}
			if c.want != nil &&
				!slices.ContainsFunc(c.want, func(q xy) bool { return math.Hypot(p.x-q.x, p.y-q.y) < 1e-9 }) {
				t.Errorf("%s: a corner at %v, want one of %v", what, p, c.want)
			}
			if p.x < s.X.Min || p.x > s.X.Max || p.y < s.Y.Min || p.y > s.Y.Max {
				t.Errorf("%s: %v is not in view", what, p)
			}
		}
		if n := len(s.rim); c.want != nil && n != len(c.want) || c.want == nil && n < 700 {
			t.Errorf("%s: %d points of the outline", what, n)
		}
		if q := s.see(s.at); c.want == nil && math.Hypot(q.x, q.y) > 0.01 {
			t.Errorf("%s: middle at %v", what, q)
		}
	}
}

// Each point of a level line is in the domain and has its level, and there are n levels;
// on the simplex of R³, too, where f is asked on the simplex's plane alone.
func TestLevels(t *testing.T) {
	for what, c := range map[string]struct {
		omega fwopt.Domain
		x, y  []float64
	}{
		"square":  {square, []float64{1, 0}, []float64{0, 1}},
		"simplex": {fwset.Simplex{D: 3, R: 1}, []float64{-1, 1, 0}, []float64{-1, -1, 2}},
		"disc":    {disc{2}, []float64{1, 0}, []float64{0, 1}},
	} {
		s := NewScene("", c.omega, c.x, c.y)
		center := slices.Clone(s.at)
		center[0] += 0.2
		f := func(w []float64) float64 {
			if what == "simplex" && math.Abs(floats.Sum(w)-1) > 1e-9 {
				t.Fatalf("f is asked at %v", w)
			}
			d := floats.Distance(w, center, 2)
			return d * d
		}
		lines := s.contours(f, 5)
		levels := map[float64]int{}
		for _, l := range lines {
			for _, p := range l {
				w := slices.Clone(s.at)
				b := s.see(s.at)
				floats.AddScaled(w, p.x-b.x, s.x)
				floats.AddScaled(w, p.y-b.y, s.y)
				q := s.see(center)
				levels[math.Round(200*(math.Hypot(p.x-q.x, p.y-q.y)))/200]++
				for i, a := range s.rim {
					b := s.rim[(i+1)%len(s.rim)]
					if out := (b.x-a.x)*(p.y-a.y) - (b.y-a.y)*(p.x-a.x); out < -1e-9 {
						t.Fatalf("%s: %v is outside", what, p)
					}
				}
			}
		}
		if len(levels) < 4 || len(levels) > 2*5 || len(lines) > 20 {
			t.Errorf("%s: %d lines at the distances %v, want 5 circles", what, len(lines), levels)
		}
	}
}

// The ellipse is that of the covariance: its support in a direction u is √(uᵀCu).
func TestNoise(t *testing.T) {
	s := NewScene("", disc{2}, []float64{1, 0}, []float64{0, 1})
	values := [][]float64{{2, 1}, {-1, 0.5}, {0.5, -2}, {0.1, 0.3}}
	for _, p := range s.ellipse([]float64{0, 0}, [][]float64{{0.1, 0.3}, {-0.1, -0.3}, {0.1, 0.3},
		{-0.1, -0.3}}) {
		if math.Abs(p.y-3*p.x) > 1e-9 || math.Abs(p.x) > 0.1+1e-9 { // of a line it is a segment
			t.Errorf("%v", p)
		}
	}
	rim := s.ellipse([]float64{0.3, 0.1}, values)
	for a := 0.0; a < 6.3; a += 0.1 {
		sin, cos := math.Sincos(a)
		var sum, square float64
		for _, v := range values {
			p := cos*v[0] + sin*v[1]
			sum, square = sum+p/4, square+p*p/4
		}
		want, got := math.Sqrt(square-sum*sum), 0.0
		for _, p := range rim {
			got = max(got, cos*(p.x-0.3)+sin*(p.y-0.1))
		}
		if math.Abs(got-want) > 2e-3*want {
			t.Errorf("direction %.1f: %g, want %g", a, got, want)
		}
	}
}

// A unit is as long on both axes, whatever the figure's shape.
func TestSquared(t *testing.T) {
	s := NewScene("", square, []float64{1, 0}, []float64{0, 1})
	for _, at := range []vg.Point{{X: 300, Y: 100}, {X: 100, Y: 300}} {
		p := *s.Plot
		squared(&p, vg.Rectangle{Max: at})
		ux, uy := (p.X.Max-p.X.Min)/float64(at.X), (p.Y.Max-p.Y.Min)/float64(at.Y)
		if math.Abs(ux-uy) > 1e-12 || p.X.Min > s.X.Min || p.X.Max < s.X.Max || p.Y.Min > s.Y.Min ||
			p.Y.Max < s.Y.Max {
			t.Errorf("x from %g to %g, y from %g to %g", p.X.Min, p.X.Max, p.Y.Min, p.Y.Max)
		}
	}
}
