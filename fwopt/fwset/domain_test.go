package fwset_test

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwtest"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
)

func TestDomains(t *testing.T) {
	each(t, func(t *testing.T, d fwset.Domain) {
		if testing.Short() && d.Dim() > 1000 {
			t.Skip("a large one")
		}
		fwtest.TestDomain(t, d)
	})
}

// each tests all sets of the table.
func each(t *testing.T, test func(t *testing.T, d fwset.Domain)) {
	for _, s := range sets {
		for _, d := range s.some {
			t.Run(fmt.Sprintf("%s %d", s.name, d.Dim()), func(t *testing.T) { test(t, d) })
		}
	}
}

// All that a set can do, with the wrong length or a senseless field, ends in a panic that says so.
func TestDomainPanics(t *testing.T) {
	each(t, func(t *testing.T, d fwset.Domain) {
		n := d.Dim()
		for _, m := range []int{n - 1, n + 1} {
			for k := range 3 {
				v := [3][]float64{make([]float64, n), make([]float64, n), make([]float64, n)}
				v[k] = make([]float64, m)
				panics(t, fmt.Sprintf("length %d, not %d", m, n), abilities(d, v[0], v[1], v[2], k))
			}
		}
	})
	for _, s := range sets {
		for want, d := range s.bad {
			x := make([]float64, 4)
			panics(t, want, append(abilities(d, x, x, x, 0), func() { d.Dim() }))
			if b, ok := d.(fwset.Bounded); ok && !strings.Contains(fmt.Sprintf("%T", d), "Product") {
				panics(t, want, []func(){func() { b.Diameter() }})
			}
			if b, ok := d.(fwset.Polytope); ok {
				panics(t, want, []func(){func() { b.Width() }})
			}
		}
		for want, call := range s.more {
			panics(t, want, []func(){call})
		}
	}
}

// abilities are the calls of d with the vectors x, y and z that use number k of them.
func abilities(d fwset.Domain, x, y, z []float64, k int) (calls []func()) {
	if k < 2 {
		calls = append(calls, func() { d.Argmin(x, y) })
	}
	if p, ok := d.(fwset.Projector); ok && k < 2 {
		calls = append(calls, func() { p.Project(x, y) })
	}
	if b, ok := d.(fwset.Gauged); ok && k == 0 {
		calls = append(calls, func() { b.Gauge(x) })
	}
	if w, ok := d.(fwset.VertexDomain); ok && k == 0 {
		calls = append(calls, func() { w.ArgminVertex(new(fwset.Vertex), x, 0, nil) })
	}
	if l, ok := d.(fwset.LocalLinear); ok {
		calls = append(calls, func() { l.ArgminLocal(x, y, z, 1) })
	}
	return calls
}

// panics holds that each call ends in a panic of the package that says this.
func panics(t *testing.T, want string, calls []func()) {
	t.Helper()
	for i, call := range calls {
		if got := small.Panics(call); !strings.HasPrefix(got, "fwset: ") || !strings.Contains(got, want) {
			t.Errorf("call %d: %q, want fwset: … %q", i, got, want)
		}
	}
}

// The answer to a g of any size is the answer to g, and its slack grows with it; it is the centre
// if g = 0, some point of the set if g holds no number, and then the slack says that nothing is known.
func TestArgminsOfAnySize(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 5))
	each(t, func(t *testing.T, d fwset.Domain) {
		var v, want fwset.Vertex
		g, x := fwset.Normal(rng, d.Dim()), make([]float64, d.Dim())
		slack := fwset.Argmin(d, &want, g, 0, nil)
		iterative, best := slack > 0, want.Dot(g)
		want.Dense(x)
		size := floats.Norm(g, 2) * floats.Norm(x, 2)
		for _, e := range []int{-1000, -530, -400, 400, 530, 1000} {
			sg := floats.ScaleTo(make([]float64, len(g)), math.Ldexp(1, e), g)
			for _, tol := range []float64{0, math.Ldexp(1e-9*size, e)} {
				slack := math.Ldexp(fwset.Argmin(d, &v, sg, tol, nil), -e)
				if off := v.Dot(g) - best; !(math.Abs(off) <= 3e-6*size) || !(slack >= off-1e-12*size) ||
					!(slack <= max(3e-6*size, 0)) || tol > 0 && !(slack <= 1e-9*size) {
					t.Errorf("times 2^%d, tol %g: ⟨g, v⟩ is %g off, slack %g", e, tol, off, slack)
				}
			}
		}
		zero := make([]float64, len(g))
		if slack := fwset.Argmin(d, &v, zero, 0, nil); slack != 0 {
			t.Errorf("g = 0 has slack %g", slack)
		}
		d.Argmin(x, zero)
		if v.Dense(zero); !slices.Equal(x, zero) {
			t.Errorf("g = 0 gives %v, as a vertex %v", x, zero)
		}
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			if g[len(g)/2] = bad; strings.Contains(t.Name(), "birkhoff") {
				continue // it panics, as the table says
			}
			slack := fwset.Argmin(d, &v, g, 0, new(fwset.Warm))
			v.Dense(x)
			b, ok := d.(fwset.Gauged)
			if floats.HasNaN(x) || ok && !(b.Gauge(x) <= 1+1e-9) || slack != inf && (slack != 0 ||
				iterative) {
				t.Errorf("%g in g gives %v with slack %g", bad, x, slack)
			}
			p, ok := d.(fwset.Projector)
			if math.IsNaN(bad) && ok && len(g) > 1 {
				if p.Project(x, g); !floats.HasNaN(x) || b.Gauge(g) <= 1 {
					t.Errorf("a NaN becomes %v, of gauge %g", x, b.Gauge(g))
				}
			}
		}
	})
}

// A projection lies in Ω, and a linear optimisation of p − x finds nothing better than p and
// nothing worse, whatever the size of x: random, with many ties, and of numbers of many sizes.
func TestProjectionsOfAnySize(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 6))
	each(t, func(t *testing.T, d fwset.Domain) {
		set, ok := d.(interface {
			fwset.Projector
			fwset.Gauged
			fwset.Bounded
		})
		if !ok {
			return
		}
		for _, e := range []float64{0, 2, 3, 6, 9, 12, 15, 17, 20, 35, 60, 100, 200, 290, 300, 305, 308} {
			for kind := range 4 {
				x := fwset.Normal(rng, d.Dim())
				for j := range x {
					switch kind {
					case 1:
						x[j] = math.Round(x[j])
					case 2:
						x[j] *= math.Exp(3 * rng.NormFloat64())
					case 3:
						x[j] *= math.Pow(10, -e*rng.Float64())
					}
				}
				if kind == 1 {
					x[0] = 1 // not all 0
				}
				floats.Scale(1/floats.Norm(x, inf), x)
				floats.Scale(math.Pow(10, e), x)
				p, g, top := make([]float64, len(x)), make([]float64, len(x)), floats.Norm(x, inf)
				set.Project(p, x)
				gauge := set.Gauge(p)
				for j := range g {
					g[j] = p[j]/top - x[j]/top
				}
				var v fwset.Vertex
				slack := fwset.Argmin(d, &v, g, 0, nil)
				gain := floats.Dot(g, p) - v.Dot(g)
				if tol := 1e-9 * (set.Diameter() + floats.Norm(p, inf)); !(gauge <= 1+1e-9) ||
					!(math.Abs(gain) <= tol+slack) {
					t.Errorf("x about 1e%g, kind %d: gauge 1%+.2g, a vertex is nearer by %.2g", e, kind,
						gauge-1, gain)
				}
			}
		}
	})
}

// Projections and gauges are those that each row of the table finds in a way of its own.
func TestProjectionsAgainstNaive(t *testing.T) {
	cases := 1500
	if testing.Short() {
		cases /= 5
	}
	for _, s := range sets {
		rng := rand.New(rand.NewPCG(3, 5))
		for n := 0; n < cases && s.near != nil; n++ {
			c := s.near(rng)
			got, scale := make([]float64, len(c.x)), 1+floats.Norm(c.want, 2)
			if s.name != "simplex" { // which loses no digit where x is far out
				scale += floats.Norm(c.x, 2)
			}
			c.set.Project(got, c.x)
			if off := floats.Distance(got, c.want, 2); !(off <= 1e-11*scale) {
				t.Fatalf("case %d, %+v, x = %v: the projection is %v, %g off %v", n, c.set, c.x, got, off,
					c.want)
			}
			g := c.set.(fwset.Gauged)
			if x := g.Gauge(c.x); !math.IsNaN(c.gauge) && !(math.Abs(x-c.gauge) <= 1e-11*(1+c.gauge)) {
				t.Fatalf("case %d, %+v: the gauge of %v is %.17g, want %.17g", n, c.set, c.x, x, c.gauge)
			}
			if x := g.Gauge(got); !(x <= 1+1e-10) {
				t.Fatalf("case %d, %+v: a projection of gauge %.17g", n, c.set, x)
			}
		}
	}
}

func assign(g ...float64) func() {
	return func() { fwset.Birkhoff{N: 2}.Argmin(make([]float64, 4), g) }
}

// soft is v, nearer to 0 by θ.
func soft(v, θ float64) float64 { return math.Copysign(max(0, math.Abs(v)-θ), v) }

// cut is v − θ, and 0 below that.
func cut(v, θ float64) float64 { return max(0, v-θ) }

func mapped(x []float64, f func(v float64) float64) []float64 {
	y := slices.Clone(x)
	for j, v := range y {
		y[j] = f(v)
	}
	return y
}

// threshold returns the cut(x_j, θ) with the least θ ≥ least for which their sizes add up to at most
// sum, by bisection.
func threshold(x []float64, least, sum float64, cut func(v, θ float64) float64) (y []float64) {
	lo, hi := least, floats.Norm(x, inf)
	for θ := lo; ; θ = lo + (hi-lo)/2 {
		y = mapped(x, func(v float64) float64 { return cut(v, θ) })
		if most := floats.Norm(y, 1); most > sum {
			lo = θ
		} else if θ == least || hi-lo <= 1e-15*math.Abs(hi) || θ == hi {
			return y
		} else {
			hi = θ
		}
		if θ := lo + (hi-lo)/2; θ == lo || θ == hi {
			return mapped(x, func(v float64) float64 { return cut(v, hi) })
		}
	}
}

func normals(seed uint64, n, d int) (x [][]float64) {
	rng := rand.New(rand.NewPCG(seed, seed))
	for range n {
		x = append(x, fwset.Normal(rng, d))
	}
	return x
}

// randomPoint has numbers of some size, with ties and zeros.
func randomPoint(rng *rand.Rand, d int) []float64 {
	x := fwset.Normal(rng, d)
	scale := math.Exp(2 * rng.NormFloat64())
	for j := range x {
		x[j] *= scale
		if rng.IntN(5) == 0 && j > 0 {
			x[j] = x[j-1] // a tie
		}
		if rng.IntN(8) == 0 {
			x[j] = 0
		}
	}
	return x
}

// turned returns h × m matrices with these diagonals, and their rows and columns reflected alike.
func turned(rng *rand.Rand, h, m int, a, b []float64) (x, y []float64) {
	seed := rng.Uint64()
	return fwset.Reflected(rand.New(rand.NewPCG(seed, 0)), h, m, a),
		fwset.Reflected(rand.New(rand.NewPCG(seed, 0)), h, m, b)
}

// The least ⟨g, v⟩ is that of an independent solver, by Argmin and by ArgminVertex, in
// 1,000 cases for each set; exactly where all numbers are whole. And v is in the set.
func TestAgainstSolver(t *testing.T) {
	for _, s := range sets {
		if s.draw == nil {
			continue
		}
		text, err := os.ReadFile("testdata/" + s.name + ".txt")
		if err != nil {
			t.Fatalf("%v: testdata/solve.py %s writes it, once that set is in it", err, s.name)
		}
		lines := strings.Fields(string(text))
		if len(lines) != 1000 {
			t.Fatalf("%s: %d answers", s.name, len(lines))
		}
		for n, line := range lines {
			want, err := strconv.ParseFloat(line, 64)
			if err != nil {
				t.Fatal(err)
			}
			omega, g := s.draw(newDraw(s.name, n))
			dst := make([]float64, len(g))
			omega.Argmin(dst, g)
			var v fwset.Vertex
			slack := fwset.Argmin(omega, &v, g, 0, nil)
			off := s.tol*(1+math.Abs(want)) + slack
			if a, b := floats.Dot(g, dst), v.Dot(g); !(math.Abs(a-want) <= off) ||
				!(math.Abs(b-want) <= off) {
				t.Fatalf("case %d, %+v, g = %v: ⟨g, v⟩ = %.17g, as a vertex %.17g with slack %g, "+
					"the solver has %.17g",
					n, omega, g, a, b, slack, want)
			}
			if !(slack >= 0 && slack <= 1e-5*(1+math.Abs(want))) {
				t.Errorf("case %d, %+v: a slack of %g beside %g", n, omega, slack, want)
			}
			if b, ok := omega.(fwset.Gauged); ok && !(b.Gauge(dst) <= 1+1e-9) {
				t.Fatalf("case %d, %+v, g = %v: Argmin(g) has gauge %.17g", n, omega, g, b.Gauge(dst))
			}
		}
	}
}

// draw is splitmix64, which testdata/solve.py has, too.
type draw uint64

func newDraw(name string, n int) *draw {
	r := draw(n)
	for _, c := range []byte(name) {
		r = r*1099511628211 + draw(c)
	}
	return &r
}

func (r *draw) int(lo, hi int) int {
	*r += 0x9E3779B97F4A7C15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return lo + int((z^z>>31)>>33%uint64(hi-lo+1))
}

func (r *draw) ints(n, lo, hi int) []int {
	x := make([]int, n)
	for i := range x {
		x[i] = r.int(lo, hi)
	}
	return x
}

func (r *draw) floats(n, lo, hi int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(r.int(lo, hi))
	}
	return x
}

// A Warm keeps its random numbers through gob, and a Vertex its form.
func TestGob(t *testing.T) {
	a := fwset.Warm{V: []float64{1, 2.5}, RNG: *rand.NewPCG(3, 4)}
	a.RNG.Uint64()
	back := func(from, to any) {
		t.Helper()
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(from); err != nil {
			t.Fatal(err)
		}
		if err := gob.NewDecoder(&b).Decode(to); err != nil {
			t.Fatal(err)
		}
		if x, y := fmt.Sprintf("%#v", from), fmt.Sprintf("%#v", to); x != y {
			t.Errorf("%s came back as %s", x, y)
		}
	}
	back(&a, new(fwset.Warm))
	for _, form := range forms {
		v, _ := vertexOf(form, 3, 4, rand.New(rand.NewPCG(3, 3)))
		var kept fwset.Vertex
		kept.Set(&v)
		back(&kept, new(fwset.Vertex))
	}
}
