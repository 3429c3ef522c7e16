package fwroad_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwroad"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"
)

func TestFlows(t *testing.T) {
	arcs, from, to := layers(3, 3)
	conform(t,
		fwroad.NewFlows(arcs, []fwroad.Demand{{From: from, To: to, Flow: 3}, {From: 1, To: to, Flow: 2}, {From: from, To: 4, Flow: 0.5}}, 0),
		fwroad.NewFlows([]fwroad.Arc{{From: 0, To: 1}}, []fwroad.Demand{{From: 0, To: 1, Flow: 7}}, 0))
	circle := []fwroad.Arc{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 0}}
	make1 := func(d fwroad.Demand, thru int) func() {
		return func() { fwroad.NewFlows(circle, []fwroad.Demand{{From: 0, To: 1, Flow: 1}, d}, thru) }
	}
	f := fwroad.NewFlows(circle, []fwroad.Demand{{From: 0, To: 2, Flow: 1}}, 0)
	x := make([]float64, 3)
	panics(t, map[string]func(){
		"a network of 0 arcs":                         func() { fwroad.NewFlows(nil, nil, 0) },
		"a network without demands":                   func() { fwroad.NewFlows(circle, nil, 0) },
		"a demand of -1 from node 0 to node 2":        make1(fwroad.Demand{From: 0, To: 2, Flow: -1}, 0),
		"a demand of NaN":                             make1(fwroad.Demand{From: 0, To: 2, Flow: math.NaN()}, 0),
		"a demand from node 2 to itself":              make1(fwroad.Demand{From: 2, To: 2, Flow: 1}, 0),
		"a demand from node 0 to node 3 in a network": make1(fwroad.Demand{From: 0, To: 3, Flow: 1}, 0),
		"no path leads from node 0 to node 2":         make1(fwroad.Demand{From: 0, To: 2, Flow: 1}, 2),
		"arc 0 leads from node 0 to -2":               func() { fwroad.NewFlows([]fwroad.Arc{{From: 0, To: -2}}, nil, 0) },
		"a cost of -1 on arc 1, from node 1 to":       func() { f.Argmin(x, []float64{1, -1, 1}) },
		"NaN in the costs of a network, at place 2":   func() { f.Argmin(x, []float64{1, 1, math.NaN()}) },
		"a vector of length 2":                        func() { f.Argmin(x[:2], x) },
	})
}

// Which demands can be met, against the plain closure of the arcs that may be passed.
func TestUnmet(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	met, not := 0, 0
	for range 2000 {
		n, thru := 2+rng.IntN(7), rng.IntN(4)
		arcs := []fwroad.Arc{{From: n - 1, To: 0}}
		for range rng.IntN(4 * n) {
			arcs = append(arcs, fwroad.Arc{From: rng.IntN(n), To: rng.IntN(n)})
		}
		var demands []fwroad.Demand
		for range 4 {
			demands = append(demands, fwroad.Demand{From: rng.IntN(n), To: rng.IntN(n + 1), Flow: 1})
		}
		want := -1
		for i, d := range demands {
			there := map[int]bool{d.From: true}
			for range n {
				for _, a := range arcs {
					if there[a.From] && (a.From >= thru || a.From == d.From) {
						there[a.To] = true
					}
				}
			}
			if !there[d.To] {
				want = i
				break
			}
		}
		if got := fwroad.Unmet(arcs, demands, thru); got != want {
			t.Fatalf("%v, %v, %d: demand %d, want %d", arcs, demands, thru, got, want)
		}
		if want < 0 {
			met++
		} else {
			not++
		}
	}
	if met < 100 || not < 100 {
		t.Errorf("%d met, %d not", met, not)
	}
}

// Against distances by Floyd & Warshall's plain triple loop, in networks with circles,
// parallel arcs and nodes that are ends only, where costs may be 0: the flow is as short,
// and leaves and enters the nodes as the demands say, without passing an end.
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
			if d := dist[u*n+v]; u != v && !math.IsInf(d, 1) {
				q := float64(1 + rng.IntN(9))
				demands = append(demands, fwroad.Demand{From: u, To: v, Flow: q})
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
			t.Fatalf("%v, %v, %d, g = %v: %v costs %g, want %g", arcs, demands, thru, g, v, floats.Dot(g, v), want)
		}
		for k, a := range arcs {
			net[a.From] += v[k]
			net[a.To] -= v[k]
			ends[a.From] -= v[k]
		}
		for u := range n {
			if net[u] != 0 || u < thru && ends[u] != 0 {
				t.Fatalf("%v, %v, %d, g = %v: %v keeps %g at node %d and passes %g through it", arcs, demands, thru, g, v, net[u], u, -ends[u])
			}
		}
	}
}

// grid is a square of nodes with arcs both ways between neighbours, demands between some,
// and costs.
func grid(side int) (arcs []fwroad.Arc, demands []fwroad.Demand, g []float64) {
	rng := rand.New(rand.NewPCG(uint64(side), 1))
	for u := range side * side {
		if u%side > 0 {
			arcs = append(arcs, fwroad.Arc{From: u, To: u - 1}, fwroad.Arc{From: u - 1, To: u})
		}
		if u >= side {
			arcs = append(arcs, fwroad.Arc{From: u, To: u - side}, fwroad.Arc{From: u - side, To: u})
		}
		for range 20 {
			if v := rng.IntN(side * side); u%5 == 0 && u != v {
				demands = append(demands, fwroad.Demand{From: u, To: v, Flow: rng.Float64()})
			}
		}
	}
	for range arcs {
		g = append(g, 1+rng.Float64())
	}
	return arcs, demands, g
}

// The same bits on any number of processors, though each adds up what it has done.
func TestFlowsOnManyProcessors(t *testing.T) {
	arcs, demands, g := grid(30)
	f := fwroad.NewFlows(arcs, demands, 0)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one, many := make([]float64, len(g)), make([]float64, len(g))
	f.Argmin(one, g)
	runtime.GOMAXPROCS(4)
	for range 5 {
		if f.Argmin(many, g); !slices.Equal(one, many) {
			t.Fatalf("%g off", floats.Distance(one, many, 1))
		}
	}
	clear(many) // the flows from each origin alone make up the whole
	alone := make([]float64, len(g))
	for i := 0; i < len(demands); {
		k := i
		for i < len(demands) && demands[i].From == demands[k].From {
			i++
		}
		fwroad.NewFlows(arcs, demands[k:i], 0).Argmin(alone, g)
		floats.Add(many, alone)
	}
	if e := floats.Distance(one, many, math.Inf(1)); e > 1e-9 {
		t.Errorf("%g off the flows from each origin alone", e)
	}
}

func TestFlowsIdentity(t *testing.T) {
	arcs := []fwroad.Arc{{From: 2, To: 1}, {From: 1, To: 0}, {From: 2, To: 0}}
	d := []fwroad.Demand{{From: 2, To: 1, Flow: 1}, {From: 2, To: 0, Flow: 1}}
	seen := map[uint64]int{}
	for i, f := range []*fwroad.Flows{
		fwroad.NewFlows(arcs, d, 0), fwroad.NewFlows(arcs, d, 1), fwroad.NewFlows(arcs, d[:1], 0), fwroad.NewFlows(arcs[:2], d, 0),
		fwroad.NewFlows(arcs, []fwroad.Demand{d[0], {From: 2, To: 0, Flow: 2}}, 0), fwroad.NewFlows(arcs, []fwroad.Demand{d[0], d[0]}, 0),
	} {
		h := ident.New(f, 0).Hash()
		if k, same := seen[h]; same {
			t.Errorf("sets %d and %d say the same", k, i)
		}
		seen[h] = i
	}
}

// All origins' trees and the flow on them, beside gonum's trees alone.
func BenchmarkFlows(b *testing.B) {
	arcs, demands, g := grid(20)
	b.Run("Argmin", func(b *testing.B) {
		f := fwroad.NewFlows(arcs, demands, 0)
		var v fwset.Vertex
		for b.Loop() {
			f.ArgminVertex(&v, g, 0, nil)
		}
	})
	b.Run("gonum", func(b *testing.B) {
		net := simple.NewWeightedDirectedGraph(0, math.Inf(1))
		for k, a := range arcs {
			net.SetWeightedEdge(simple.WeightedEdge{F: simple.Node(a.From), T: simple.Node(a.To), W: g[k]})
		}
		for b.Loop() {
			for i, d := range demands {
				if i == 0 || d.From != demands[i-1].From {
					path.DijkstraFrom(simple.Node(d.From), net)
				}
			}
		}
	})
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
