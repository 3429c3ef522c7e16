package fwset_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwtest"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
)

// plainBall is somebody's own set, which can do nothing but Argmin.
type plainBall struct{ d int }

func (b plainBall) Dim() int { return b.d }
func (b plainBall) Argmin(dst, g []float64) {
	fwset.L2Ball{D: b.d, R: 2}.Argmin(dst, g)
}

func TestProduct(t *testing.T) {
	for _, p := range []fwset.Product{
		{fwset.Simplex{D: 4, R: 1}},
		{fwset.Simplex{D: 4, R: 1}, fwset.L1Ball{D: 3, R: 2}},
		{fwset.L2Ball{D: 2, R: 3}, fwset.Box{Lo: []float64{-1, 0}, Hi: []float64{1, 2}}, fwset.Simplex{D: 3, R: 2}},
		{fwset.TraceNorm{H: 3, M: 2, Tau: 1}, fwset.Simplex{D: 3, R: 1}},
		{fwset.Product{fwset.Simplex{D: 2, R: 1}, fwset.L2Ball{D: 2, R: 1}}, fwset.L1Ball{D: 2, R: 1}},
	} {
		fwtest.TestDomain(t, p)
	}
	// by two iterative factors: warm starts and slack of each
	one, other := fwset.TraceNorm{H: 66, M: 67, Tau: 1}, fwset.TraceNorm{H: 70, M: 65, Tau: 3}
	p := fwset.Product{one, fwset.Simplex{D: 5, R: 1}, other}
	rng := rand.New(rand.NewPCG(8, 8))
	warm := &fwset.Warm{RNG: *rand.NewPCG(1, 2)}
	alone := [2]fwset.Warm{}
	for round := range 4 {
		g := normal(rng, p.Dim())
		var v, a, b fwset.Vertex
		rngBefore := warm.RNG
		slack := p.ArgminVertex(&v, g, 1e-3, warm)
		// the same by hand, with one generator and a warm vector for each
		alone[0].RNG = rngBefore
		s1 := one.ArgminVertex(&a, g[:66*67], 1e-3/3, &alone[0])
		alone[1].RNG = alone[0].RNG
		s2 := other.ArgminVertex(&b, g[66*67+5:], 1e-3/3, &alone[1])
		x, y := make([]float64, p.Dim()), make([]float64, p.Dim())
		v.Dense(x)
		a.Dense(y[:66*67])
		b.Dense(y[66*67+5:])
		y[66*67+slices.Index(g[66*67:66*67+5], floats.Min(g[66*67:66*67+5]))] = 1
		if slack != s1+s2 || !(slack > 0) || !slices.Equal(x, y) || warm.RNG != alone[1].RNG {
			t.Fatalf("round %d: slack %g, want %g + %g; %g off", round, slack, s1, s2, floats.Distance(x, y, 2))
		}
		if len(warm.V) != 3+66+65 {
			t.Fatalf("round %d: %d numbers are kept", round, len(warm.V))
		}
	}
	// a warm start of another problem does no harm
	for _, v := range [][]float64{{1e9}, {-1}, {math.NaN(), 1}, {3, 1}, {0, 0, 0, 0, 0, 0}} {
		var w fwset.Vertex
		p.ArgminVertex(&w, normal(rng, p.Dim()), 1e-3, &fwset.Warm{V: v})
	}
}

func TestProductBadInput(t *testing.T) {
	own := fwset.Product{plainBall{2}, fwset.Simplex{D: 2, R: 1}}
	x := make([]float64, 4)
	for want, call := range map[string]func(){
		"a Product of nothing":                func() { fwset.Product{}.Dim() },
		"a Product of nothing, too":           func() { fwset.Product(nil).Argmin(nil, nil) },
		"factor 2 of a Product is nil":        func() { fwset.Product{plainBall{2}, nil}.Dim() },
		"a vector of length 3":                func() { own.Argmin(x[:3], x) },
		"plainBall, a factor of a Product, h": func() { own.Project(x, x) },
		"has no Diameter":                     func() { own.Diameter() },
		"has no Gauge":                        func() { own.Gauge(x) },
	} {
		if got := small.Panics(call); !strings.HasPrefix(got, "fwset: ") || !strings.Contains(got, strings.TrimSuffix(want, ", too")) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	// what is asked of it alone works
	g := []float64{3, 4, 1, -1}
	own.Argmin(x, g)
	if want := []float64{-1.2, -1.6, 0, 1}; floats.Distance(x, want, 2) > 1e-15 {
		t.Errorf("%g, want %g", x, want)
	}
	var v fwset.Vertex
	own.ArgminVertex(&v, g, 0, nil)
	if y := make([]float64, 4); true {
		if v.Dense(y); !slices.Equal(x, y) {
			t.Errorf("as a vertex %g, want %g", y, x)
		}
	}
}

// The widths are the distances of a face from the hull of the other vertices, least
// over all faces, which Peña and Rodríguez show the pyramidal width to be. Here all
// faces are gone through, and each distance is a minimum over two simplices, found by
// cyclic projection of coordinates' pairs: nothing of it is the package's.
func TestWidths(t *testing.T) {
	cross := func(d int) (vs [][]float64, faces func(set int) bool) {
		for j := range d {
			for _, s := range []float64{1, -1} {
				v := make([]float64, d)
				v[j] = s
				vs = append(vs, v)
			}
		}
		return vs, func(set int) bool { // no two opposite vertices
			for j := range d {
				if set>>(2*j)&3 == 3 {
					return false
				}
			}
			return true
		}
	}
	unit := func(d int) (vs [][]float64, faces func(set int) bool) {
		for j := range d {
			v := make([]float64, d)
			v[j] = 1
			vs = append(vs, v)
		}
		return vs, func(int) bool { return true }
	}
	box := func(hi []float64) (vs [][]float64, faces func(set int) bool) {
		d := len(hi)
		for c := range 1 << d {
			v := make([]float64, d)
			for j := range v {
				if c>>j&1 == 1 {
					v[j] = hi[j]
				}
			}
			vs = append(vs, v)
		}
		return vs, func(set int) bool { // all vertices that agree where the set's do
			and, or, n := 1<<d-1, 0, 0
			for c := range 1 << d {
				if set>>c&1 == 1 {
					and, or, n = and&c, or|c, n+1
				}
			}
			free := 0
			for j := range d {
				free += (or &^ and) >> j & 1
			}
			return n == 1<<free
		}
	}
	type polytope struct {
		set   fwset.Polytope
		vs    [][]float64
		faces func(set int) bool
	}
	var all []polytope
	for d := 2; d <= 6; d++ {
		vs, faces := unit(d)
		all = append(all, polytope{fwset.Simplex{D: d, R: 1}, vs, faces})
	}
	for d := 1; d <= 4; d++ {
		vs, faces := cross(d)
		all = append(all, polytope{fwset.L1Ball{D: d, R: 1}, vs, faces})
	}
	for _, hi := range [][]float64{{1}, {1, 1}, {1, 3}, {1, 1, 1}, {0.5, 2, 1}} {
		vs, faces := box(hi)
		all = append(all, polytope{fwset.Box{Lo: make([]float64, len(hi)), Hi: hi}, vs, faces})
	}
	for _, p := range all {
		least := math.Inf(1)
		for set := 1; set < 1<<len(p.vs)-1; set++ {
			if !p.faces(set) {
				continue
			}
			var in, out [][]float64
			for i, v := range p.vs {
				if set>>i&1 == 1 {
					in = append(in, v)
				} else {
					out = append(out, v)
				}
			}
			least = min(least, hullDistance(in, out))
		}
		if w := p.set.Width(); math.Abs(w-least) > 1e-6 {
			t.Errorf("%+v: width %.9g, all faces give %.9g", p.set, w, least)
		}
	}
	if r := (fwset.Simplex{D: 9, R: 3}).Width() / (fwset.Simplex{D: 9, R: 1}).Width(); math.Abs(r-3) > 1e-12 {
		t.Errorf("a simplex three times as large is %g times as wide", r)
	}
	if r := (fwset.L1Ball{D: 9, R: 3}).Width() / (fwset.L1Ball{D: 9, R: 1}).Width(); math.Abs(r-3) > 1e-12 {
		t.Errorf("a ball three times as large is %g times as wide", r)
	}
	if (fwset.Box{Lo: []float64{1}, Hi: []float64{1}}).Width() != 0 || (fwset.Simplex{D: 1, R: 1}).Width() != 0 {
		t.Error("a point has a width")
	}
}

// hullDistance returns the distance of two convex hulls, by exact minimisation over
// the weights of one pair of points after the other.
func hullDistance(a, b [][]float64) float64 {
	weight := func(n int) []float64 { return slices.Repeat([]float64{1 / float64(n)}, n) }
	α, β := weight(len(a)), weight(len(b))
	diff := make([]float64, len(a[0]))
	for i, v := range a {
		floats.AddScaled(diff, α[i], v)
	}
	for i, v := range b {
		floats.AddScaled(diff, -β[i], v)
	}
	for range 3000 {
		moved := 0.0
		for s, side := range [][][]float64{a, b} {
			w, sign := [][]float64{α, β}[s], []float64{1, -1}[s]
			for i := range side {
				for k := range side {
					if i == k || w[k] == 0 {
						continue
					}
					e := floats.SubTo(make([]float64, len(diff)), side[i], side[k])
					c := min(w[k], max(-w[i], -sign*floats.Dot(e, diff)/floats.Dot(e, e)))
					w[i], w[k] = w[i]+c, w[k]-c
					floats.AddScaled(diff, sign*c, e)
					moved += math.Abs(c)
				}
			}
		}
		if moved < 1e-13 {
			break
		}
	}
	return floats.Norm(diff, 2)
}
