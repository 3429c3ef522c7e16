package fwroad_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwroad"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
)

func TestFlows(t *testing.T) {
	arcs, from, to := layers(3, 3)
	conform(t,
		fwroad.NewFlows(arcs, []fwroad.Demand{{From: from, To: to, Flow: 3}, {From: 1, To: to, Flow: 2},
			{From: from, To: 4, Flow: 0.5}}, 0),
		fwroad.NewFlows([]fwroad.Arc{{From: 0, To: 1}}, []fwroad.Demand{{From: 0, To: 1, Flow: 7}}, 0))
	circle := []fwroad.Arc{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 0}}
	make1 := func(d fwroad.Demand, thru int) func() {
		return func() { fwroad.NewFlows(circle, []fwroad.Demand{{From: 0, To: 1, Flow: 1}, d}, thru) }
	}
	f := fwroad.NewFlows(circle, []fwroad.Demand{{From: 0, To: 2, Flow: 1}}, 0)
	x, nan := make([]float64, 3), math.NaN()
	panics(t, map[string]func(){
		"a network of 0 arcs":                         func() { fwroad.NewFlows(nil, nil, 0) },
		"a network without demands":                   func() { fwroad.NewFlows(circle, nil, 0) },
		"a demand of -1 from node 0 to node 2":        make1(fwroad.Demand{From: 0, To: 2, Flow: -1}, 0),
		"a demand of NaN":                             make1(fwroad.Demand{From: 0, To: 2, Flow: nan}, 0),
		"a demand from node 2 to itself":              make1(fwroad.Demand{From: 2, To: 2, Flow: 1}, 0),
		"a demand from node 0 to node 3 in a network": make1(fwroad.Demand{From: 0, To: 3, Flow: 1}, 0),
		"no path leads from node 0 to node 2":         make1(fwroad.Demand{From: 0, To: 2, Flow: 1}, 2),
		"arc 0 leads from node 0 to -2": func() {
			fwroad.NewFlows([]fwroad.Arc{{From: 0, To: -2}}, nil, 0)
		},
		"a cost of -1 on arc 1, from node 1 to":     func() { f.Argmin(x, []float64{1, -1, 1}) },
		"NaN in the costs of a network, at place 2": func() { f.Argmin(x, []float64{1, 1, math.NaN()}) },
		"a vector of length 2":                      func() { f.Argmin(x[:2], x) },
	})
}

// Against distances by Floyd & Warshall's plain triple loop, in networks with circles,
// parallel arcs and nodes that are ends only, where costs may be 0: the flow is as short,
// and leaves and enters the nodes as the demands say, without passing an end. A demand that
// no path meets is found wherever it stands.
func TestFlowsByAllPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for range 2000 {
		n, thru := 2+rng.IntN(8), rng.IntN(3)
		var arcs []fwroad.Arc
		for range 1 + rng.IntN(4*n) {
			arcs = append(arcs, fwroad.Arc{From: rng.IntN(n), To: rng.IntN(n)})
		}
		g := make([]float64, len(arcs))
		for k := range g {
			g[k] = float64(rng.IntN(8))
		}
		dist := make([]float64, n*n)
		for i := range dist {
			dist[i] = math.Inf(1)
		}
		for k, a := range arcs {
			if i := a.From*n + a.To; a.From != a.To {
				dist[i] = min(dist[i], g[k])
			}
		}
		for m := thru; m < n; m++ {
			for i := range n {
				for j := range n {
					dist[i*n+j] = min(dist[i*n+j], dist[i*n+m]+dist[m*n+j])
				}
			}
		}
		var demands []fwroad.Demand
		want, net, ends := 0.0, make([]float64, n), make([]float64, n)
		for range 12 {
			u, v := rng.IntN(n), rng.IntN(n)
			q := float64(1 + rng.IntN(9))
			one := fwroad.Demand{From: u, To: v, Flow: q}
			if d := dist[u*n+v]; math.IsInf(d, 1) && u != v {
				says := small.Panics(func() {
					fwroad.NewFlows(arcs, append(slices.Clone(demands), one), thru)
				})
				if !strings.Contains(says, fmt.Sprintf(" node %d to node %d", u, v)) {
					t.Fatalf("%v, %v and %v, %d: %q", arcs, demands, one, thru, says)
				}
			} else if u != v {
				demands = append(demands, one)
				want += q * d
				net[u], net[v] = net[u]-q, net[v]+q
				ends[u] += q // what may leave an end
			}
		}
		if demands == nil {
			continue
		}
		f := fwroad.NewFlows(arcs, demands, thru)
		v := make([]float64, len(arcs))
		if f.Argmin(v, g); floats.Dot(g, v) != want && floats.Max(g) > 0 || floats.Min(v) < 0 {
			t.Fatalf("%v, %v, %d, g = %v: %v costs %g, want %g",
				arcs, demands, thru, g, v, floats.Dot(g, v), want)
		}
		for k, a := range arcs {
			net[a.From] += v[k]
			net[a.To] -= v[k]
			ends[a.From] -= v[k]
		}
		for u := range n {
			if net[u] != 0 || u < thru && ends[u] != 0 {
				t.Fatalf("%v, %v, %d, g = %v: %v keeps %g at node %d and passes %g through it",
					arcs, demands, thru, g, v, net[u], u, -ends[u])
			}
		}
	}
}

// The same bits on any number of processors, though each adds up what it has done; and what
// the demands make one by one.
func TestFlowsOnManyProcessors(t *testing.T) {
	_, arcs, demands := streets(20, 1)
	g := normals(rand.New(rand.NewPCG(20, 1)), len(arcs))
	for k, x := range g {
		g[k] = 1 + math.Abs(x)
	}
	f := fwroad.NewFlows(arcs, demands, 0)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one, many, sum := make([]float64, len(g)), make([]float64, len(g)), make([]float64, len(g))
	f.Argmin(one, g)
	runtime.GOMAXPROCS(4)
	for i, d := range demands {
		if i < 5 {
			if f.Argmin(many, g); !slices.Equal(one, many) {
				t.Fatalf("%g off", floats.Distance(one, many, 1))
			}
		}
		fwroad.NewFlows(arcs, []fwroad.Demand{d}, 0).Argmin(many, g)
		floats.Add(sum, many)
	}
	if e := floats.Distance(one, sum, math.Inf(1)); e > 1e-9 {
		t.Errorf("%g off the flows of each demand alone", e)
	}
}

func ExampleFlows() {
	// A long way round, 0 → 1 → 2, and a straight road, 0 → 2.
	arcs := []fwroad.Arc{{From: 0, To: 1}, {From: 1, To: 2}, {From: 0, To: 2}}
	f := fwroad.NewFlows(arcs, []fwroad.Demand{{From: 0, To: 2, Flow: 100}, {From: 1, To: 2, Flow: 10}}, 0)
	v := make([]float64, f.Dim())
	f.Argmin(v, []float64{5, 5, 12}) // the costs of the arcs
	fmt.Println(v)
	// Output: [100 110 0]
}
