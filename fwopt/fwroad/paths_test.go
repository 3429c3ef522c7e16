package fwroad_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwroad"
	"gonum.org/v1/gonum/floats"
)

// layers is a network of that many layers of equal width, each node with arcs to all of
// the next, between a first and a last node.
func layers(n, width int) (arcs []fwroad.Arc, from, to int) {
	to = n*width + 1
	node := func(l, i int) int { return 1 + l*width + i }
	for i := range width {
		arcs = append(arcs, fwroad.Arc{From: 0, To: node(0, i)}, fwroad.Arc{From: node(n-1, i), To: to})
		for l := 1; l < n; l++ {
			for k := range width {
				arcs = append(arcs, fwroad.Arc{From: node(l-1, i), To: node(l, k)})
			}
		}
	}
	return arcs, 0, to
}

func TestPaths(t *testing.T) {
	conform(t,
		fwroad.NewPaths([]fwroad.Arc{{From: 0, To: 1}}, 0, 1),
		fwroad.NewPaths([]fwroad.Arc{{From: 5, To: 2}, {From: 5, To: 2}, {From: 5, To: 3}, {From: 3, To: 2},
			{From: 2, To: 0}, {From: 1, To: 5}, {From: 4, To: 4}}, 5, 2),
		fwroad.NewPaths(layers(4, 3)))
	p := fwroad.NewPaths(layers(2, 2))
	x := make([]float64, p.Dim())
	panics(t, map[string]func(){
		"a path polytope of 0 arcs": func() { fwroad.NewPaths(nil, 0, 1) },
		"from node 2 to itself": func() {
			fwroad.NewPaths([]fwroad.Arc{{From: 0, To: 1}}, 2, 2)
		},
		"no path leads from node 1 to node 0": func() {
			fwroad.NewPaths([]fwroad.Arc{{From: 0, To: 1}}, 1, 0)
		},
		"no path leads from node 0 to node 7": func() {
			fwroad.NewPaths([]fwroad.Arc{{From: 0, To: 1}}, 0, 7)
		},
		"arc 0 leads from node -1 to 1": func() {
			fwroad.NewPaths([]fwroad.Arc{{From: -1, To: 1}}, 0, 1)
		},
		"a cycle, at node 1 or before": func() {
			fwroad.NewPaths([]fwroad.Arc{{From: 0, To: 1}, {From: 1, To: 1}}, 0, 1)
		},
		"NaN in the costs of a path polytope, at pl": func() {
			p.Argmin(x, append([]float64{math.NaN()}, x[1:]...))
		},
		"a vector of length 3": func() { p.Argmin(x[:3], x) },
	})
}

// Flow on arcs that lie on no path counts, even in a circle.
func TestPathsGauge(t *testing.T) {
	arcs := []fwroad.Arc{{From: 0, To: 1}, {From: 1, To: 2}, {From: 3, To: 4}, {From: 4, To: 3}}
	p := fwroad.NewPaths(arcs, 0, 2)
	for _, c := range []struct {
		x    []float64
		want float64
	}{{[]float64{1, 1, 0, 0}, 1}, {[]float64{1, 1, 0.5, 0.5}, 2}, {[]float64{1, 0.5, 0, 0}, 2},
		{[]float64{-1, -1, 0, 0}, 7}} {
		if got := p.Gauge(c.x); got != c.want {
			t.Errorf("Gauge(%v) = %g, want %g", c.x, got, c.want)
		}
	}
}

// Against all paths of small networks, with arcs that are parallel and arcs on no path:
// the least one, and the largest distance of two.
func TestPathsByAllPaths(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for tried := 0; tried < 500; {
		n := 2 + rng.IntN(6)
		name := rng.Perm(n) // arcs rise in another order than that of the numbers
		var arcs []fwroad.Arc
		for range 1 + rng.IntN(12) {
			if u, v := rng.IntN(n), rng.IntN(n); u < v {
				arcs = append(arcs, fwroad.Arc{From: name[u], To: name[v]})
			}
		}
		var paths [][]float64
		var walk func(u int, w []float64)
		walk = func(u int, w []float64) {
			if u == name[n-1] {
				paths = append(paths, append([]float64(nil), w...))
				return
			}
			for k, a := range arcs {
				if a.From == u {
					w[k] = 1
					walk(a.To, w)
					w[k] = 0
				}
			}
		}
		if walk(name[0], make([]float64, len(arcs))); len(paths) == 0 {
			continue
		}
		tried++
		p := fwroad.NewPaths(arcs, name[0], name[n-1])
		g, v, far := normals(rng, len(arcs)), make([]float64, len(arcs)), 0.0
		p.Argmin(v, g)
		for i, w := range paths {
			if floats.Dot(g, w) < floats.Dot(g, v) {
				t.Fatalf("%v, g = %v: %v, but %v is shorter", arcs, g, v, w)
			}
			for _, u := range paths[:i] {
				far = max(far, floats.Distance(u, w, 2))
			}
		}
		if d := p.Diameter(); math.Abs(d-far) > 1e-12 {
			t.Fatalf("%v: diameter %g, want %g", arcs, d, far)
		}
	}
}

func ExamplePaths() {
	// 0 → 1 → 3 and 0 → 2 → 3
	p := fwroad.NewPaths([]fwroad.Arc{{From: 0, To: 1}, {From: 0, To: 2}, {From: 1, To: 3}, {From: 2, To: 3}},
		0, 3)
	v := make([]float64, 4)
	p.Argmin(v, []float64{1, 2, 5, 3})
	fmt.Println(v, p.Diameter())
	// Output: [0 1 0 1] 2
}
