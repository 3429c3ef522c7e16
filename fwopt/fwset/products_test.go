package fwset_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
)

// plainBall is somebody's own set, which can do nothing but Argmin.
type plainBall struct{ d int }

func (b plainBall) Dim() int { return b.d }
func (b plainBall) Argmin(dst, g []float64) {
	fwset.L2Ball{D: b.d, R: 2}.Argmin(dst, g)
}

// Two iterative factors have the warm starts and the slack that each has by itself.
func TestProduct(t *testing.T) {
	one, other := fwset.TraceNorm{H: 66, M: 67, Tau: 1}, fwset.TraceNorm{H: 70, M: 65, Tau: 3}
	p := fwset.Product{one, fwset.Simplex{D: 5, R: 1}, other}
	rng := rand.New(rand.NewPCG(8, 8))
	warm := &fwset.Warm{RNG: *rand.NewPCG(1, 2)}
	alone := [2]fwset.Warm{}
	for round := range 4 {
		g := fwset.Normal(rng, p.Dim())
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
			t.Fatalf("round %d: slack %g, want %g + %g; %g off", round, slack, s1, s2, floats.Distance(x, y,
				2))
		}
		if len(warm.V) != 3+66+65 {
			t.Fatalf("round %d: %d numbers are kept", round, len(warm.V))
		}
	}
	// a warm start of another problem does no harm
	for _, v := range [][]float64{{1e9}, {-1}, {math.NaN(), 1}, {3, 1}, {0, 0, 0, 0, 0, 0}} {
		var w fwset.Vertex
		p.ArgminVertex(&w, fwset.Normal(rng, p.Dim()), 1e-3, &fwset.Warm{V: v})
	}
}

// The widths are the distances of a face from the hull of the other vertices, least
// over all faces, which Peña and Rodríguez show the pyramidal width to be. Here all
// faces are gone through, by the directions in which they lie, and each distance is a minimum
// over two simplices: nothing of it is the package's.
func TestWidths(t *testing.T) {
	least := func(vs [][]float64) float64 {
		d, seen, least := len(vs[0]), map[string]bool{}, math.Inf(1)
		for k := range int(math.Pow(3, float64(d))) {
			g := make([]float64, d)
			for j := range g {
				g[j] = float64(k%3 - 1)
				k /= 3
			}
			most := math.Inf(-1)
			for _, v := range vs {
				most = max(most, floats.Dot(g, v))
			}
			var in, out [][]float64
			for _, v := range vs {
				if floats.Dot(g, v) == most {
					in = append(in, v)
				} else {
					out = append(out, v)
				}
			}
			if face := fmt.Sprint(in); len(out) > 0 && !seen[face] {
				seen[face], least = true, min(least, hullDistance(in, out))
			}
		}
		return least
	}
	check := func(set fwset.Polytope, want float64) {
		t.Helper()
		if w := set.Width(); math.Abs(w-want) > 1e-6 {
			t.Errorf("%+v: width %.9g, want %.9g", set, w, want)
		}
	}
	unit := func(d, j int, x float64) []float64 {
		v := make([]float64, d)
		v[j] = x
		return v
	}
	for d := 1; d <= 6; d++ {
		var simplex, cross [][]float64
		for j := range d {
			simplex, cross = append(simplex, unit(d, j, 1)), append(cross, unit(d, j, 1), unit(d, j, -1))
		}
		if d > 1 {
			check(fwset.Simplex{D: d, R: 1}, least(simplex))
			check(fwset.Simplex{D: d, R: 3}, 3*least(simplex))
		}
		if d <= 4 {
			check(fwset.L1Ball{D: d, R: 1}, least(cross))
			check(fwset.L1Ball{D: d, R: 3}, 3*least(cross))
		}
	}
	for _, hi := range [][]float64{{1}, {1, 1}, {1, 3}, {1, 1, 1}, {0.5, 2, 1}} {
		var corners [][]float64
		for c := range 1 << len(hi) {
			v := make([]float64, len(hi))
			for j := range v {
				v[j] = hi[j] * float64(c>>j&1)
			}
			corners = append(corners, v)
		}
		check(fwset.Box{Lo: make([]float64, len(hi)), Hi: hi}, least(corners))
	}
	check(fwset.Box{Lo: []float64{1}, Hi: []float64{1}}, 0) // a point
	check(fwset.Simplex{D: 1, R: 1}, 0)
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
