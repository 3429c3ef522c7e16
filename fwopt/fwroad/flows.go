package fwroad

import (
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// Demand is a flow that goes from one node to another, over as many paths as it likes.
type Demand struct {
	From, To int
	Flow     float64 // positive
}

// Flows is the set of the flows over a network that meet given demands: a vector has the
// sum of all flows on each arc. Ω is the hull of the all-or-nothing flows, in which each
// demand takes one path without a circle. Make one with NewFlows.
//
// An arc takes any flow: there are no capacities, with which a linear optimisation would be a
// linear programme that ties all demands together. What a road network's file calls the
// capacity of an arc is a number in its travel time, and so in f.
//
// A linear optimisation is a shortest-path tree for each node where demands begin, on all
// processors if there is enough to do: 11 µs, 0.5 ms and 14 ms on networks of 24, 416 and
// 933 nodes with 24, 38 and 386 origins, on one, half of what a heap takes and a hundredth of what
// gonum's graph/path does. A projection is a quadratic programme with a
// variable for each origin and arc, 2,000 and 15,000 times as expensive on the first two, and is
// not given; nor are a gauge and a diameter, for to tell whether a sum of flows is one
// takes a linear programme.
type Flows struct {
	arcs    []Arc
	demands []Demand // by origin
	thru    int
	out     star
	sorted  []int32 // the nodes in an order in which arcs rise; nil if there are circles
	origin  []int   // demands[origin[i]:origin[i+1]] begin in one node
}

// NewFlows returns the set of the flows over arcs that meet the demands. Nodes below thru
// are ends only: a path may begin or end there, and not lead through. Arcs may be parallel.
// It panics if a demand leads nowhere, to itself or from where no path begins, or is not
// positive and finite.
func NewFlows(arcs []Arc, demands []Demand, thru int) *Flows {
	f := &Flows{arcs: slices.Clone(arcs), demands: slices.Clone(demands), thru: thru}
	nodes := countNodes("a network", arcs)
	f.out = newStar(nodes, arcs, false)
	if order, cycle := f.out.sorted(); cycle < 0 {
		f.sorted = order
	}
	if len(demands) == 0 {
		panic(need.Line("fwroad: a network without demands"))
	}
	slices.SortStableFunc(f.demands, func(a, b Demand) int { return a.From - b.From })
	for i, d := range f.demands {
		switch {
		case !(d.Flow > 0) || math.IsInf(d.Flow, 1):
			panic(need.Linef("fwroad: a demand of %g from node %d to node %d, which "+
				"must be positive and finite; leave out those of 0",
				d.Flow, d.From, d.To))
		case d.From == d.To:
			panic(need.Linef("fwroad: a demand from node %d to itself", d.From))
		case min(d.From, d.To) < 0 || max(d.From, d.To) >= nodes:
			panic(need.Linef("fwroad: a demand from node %d to node %d in a network of nodes 0 to %d",
				d.From, d.To, nodes-1))
		}
		if i == 0 || d.From != f.demands[i-1].From {
			f.origin = append(f.origin, i)
		}
	}
	if i := f.out.unmet(f.demands, thru); i >= 0 {
		d := f.demands[i]
		panic(need.Linef("fwroad: no path leads from node %d to node %d, "+
			"between which there is a demand of %g; nodes below %d are ends only", d.From, d.To, d.Flow,
			thru))
	}
	f.origin = append(f.origin, len(demands))
	return f
}

// unmet returns the first of the demands that no path meets, or −1. It costs a search for
// each origin, if the demands are in the order of the origins.
func (s star) unmet(demands []Demand, thru int) int {
	var seen []bool
	for i, d := range demands {
		if i == 0 || d.From != demands[i-1].From {
			seen = s.reach(d.From, func(u int) bool { return u >= thru || u == d.From })
		}
		if !seen[d.To] {
			return i
		}
	}
	return -1
}

// Dim returns the number of arcs.
func (f *Flows) Dim() int { return len(f.arcs) }

// Argmin computes dst, the all-or-nothing flow with the least ⟨g, dst⟩: each demand on a
// shortest path, of the shortest ones always the same. If g = 0 each takes a path of the
// fewest arcs. It panics if g holds a NaN or an infinity, or a negative number, unless the
// network has no circle: with one, a shortest path without circles would be hard to find.
func (f *Flows) Argmin(dst, g []float64) {
	need.Len("fwroad", len(f.arcs), dst, g)
	p := kern.Borrow(len(g))
	defer kern.Return(p)
	cost := *p // in the order of f.out
	f.price(cost, g)
	origins := len(f.origin) - 1
	grain := 1 + 20000/len(g) // origins a piece, some 0.1 ms
	if grain >= origins {
		clear(dst)
		f.load(dst, cost, 0, origins)
		return
	}
	pieces := (origins + grain - 1) / grain
	q := kern.Borrow(pieces * len(g))
	defer kern.Return(q)
	clear(*q)
	kern.Do(origins, grain, func(lo, hi int) {
		i := lo / grain
		f.load((*q)[i*len(g):(i+1)*len(g)], cost, lo, hi)
	})
	clear(dst)
	for i := range pieces { // in order, whoever was done first
		floats.Add(dst, (*q)[i*len(g):(i+1)*len(g)])
	}
}

// price puts the costs g of the arcs in the order of f.out, 1 for each if g = 0, and panics as
// Argmin does.
func (f *Flows) price(cost, g []float64) (zero bool) {
	zero = need.Finite("fwroad", "the costs of a network", g)
	for k, a := range f.out.arc {
		x := g[a]
		if x < 0 && f.sorted == nil {
			panic(need.Linef("fwroad: a cost of %g on arc %d, from node %d to node %d, "+
				"of a network with circles", x, a, f.arcs[a].From, f.arcs[a].To))
		}
		if zero {
			x = 1
		}
		cost[k] = x
	}
	return zero
}

// ArgminVertex is Argmin, sparse if half of the arcs or more carry nothing. It is exact,
// on whole numbers without rounding.
func (f *Flows) ArgminVertex(v *fwset.Vertex, g []float64, _ float64, _ *fwset.Warm) float64 {
	need.Len("fwroad", len(f.arcs), g)
	p := kern.Borrow(len(g))
	defer kern.Return(p)
	f.Argmin(*p, g)
	v.Pack(*p)
	return 0
}

// load adds to flow the demands of some origins, each on a shortest path.
func (f *Flows) load(flow, cost []float64, lo, hi int) {
	t := newTree(len(f.out.first) - 1)
	for i := lo; i < hi; i++ {
		demands := f.demands[f.origin[i]:f.origin[i+1]]
		origin := demands[0].From
		f.grow(t, cost, origin)
		clear(t.need)
		for _, d := range demands {
			t.need[d.To] += d.Flow
		}
		t.drain(flow, f.out.arc, origin)
	}
}

// tree is the shortest-path tree of an origin, node by node.
type tree struct {
	dist, need   []float64 // from the origin; what flows in at the node
	last, tail   []int32   // the last arc on the way, in forward-star order, and where it begins
	kids         []int32   // arcs of the tree that leave the node
	seen, queued []bool    // by search
	fresh, again []int32   // its queues
}

func newTree(n int) *tree {
	return &tree{dist: make([]float64, n), need: make([]float64, n), last: make([]int32, n),
		tail: make([]int32, n), kids: make([]int32, n), seen: make([]bool, n), queued: make([]bool, n)}
}

// grow makes t the shortest-path tree of an origin, where the costs are in the order of f.out.
func (f *Flows) grow(t *tree, cost []float64, origin int) {
	for u := range t.dist {
		t.dist[u], t.last[u] = math.Inf(1), -1
	}
	t.dist[origin] = 0
	if f.sorted != nil {
		f.relax(t, cost, origin)
	} else {
		f.search(t, cost, origin)
	}
}

// relax goes through the nodes of a network without circles.
func (f *Flows) relax(t *tree, cost []float64, origin int) {
	for _, u := range f.sorted {
		if x := t.dist[u]; !math.IsInf(x, 1) && (int(u) >= f.thru || int(u) == origin) {
			for k := f.out.first[u]; k < f.out.first[u+1]; k++ {
				if v := f.out.head[k]; x+cost[k] < t.dist[v] {
					t.dist[v], t.last[v], t.tail[v] = x+cost[k], k, u
				}
			}
		}
	}
}

// search corrects labels until all are right, by two queues: a node that was seen before
// comes before all that were not (Pallottino, Networks 14, 1984). On roads a node is
// looked at little more than once, and no heap is needed.
func (f *Flows) search(t *tree, cost []float64, origin int) {
	clear(t.seen)
	t.fresh, t.again = append(t.fresh[:0], int32(origin)), t.again[:0]
	first, second := 0, 0 // in fresh and in again
	for first < len(t.fresh) || second < len(t.again) {
		var u int32
		if second < len(t.again) {
			u = t.again[second]
			second++
		} else {
			u, t.again, second = t.fresh[first], t.again[:0], 0
			first++
		}
		t.seen[u], t.queued[u] = true, false
		if int(u) < f.thru && int(u) != origin {
			continue
		}
		for k := f.out.first[u]; k < f.out.first[u+1]; k++ {
			v, y := f.out.head[k], t.dist[u]+cost[k]
			if !(y < t.dist[v]) {
				continue
			}
			t.dist[v], t.last[v], t.tail[v] = y, k, u
			switch {
			case t.queued[v]:
			case t.seen[v]:
				t.again = append(t.again, v)
			default:
				t.fresh = append(t.fresh, v)
			}
			t.queued[v] = true
		}
	}
}

// drain lets what the nodes need flow to them, from the leaves of the tree to its root.
func (t *tree) drain(flow []float64, arc []int32, origin int) {
	clear(t.kids)
	for v, k := range t.last {
		if k >= 0 && v != origin {
			t.kids[t.tail[v]]++
		}
	}
	for leaf, k := range t.last {
		for v := leaf; k >= 0 && t.kids[v] == 0 && v != origin; k = t.last[v] {
			t.kids[v] = -1 // done
			x, u := t.need[v], int(t.tail[v])
			flow[arc[k]] += x
			t.need[u] += x
			t.kids[u]--
			v = u
		}
	}
}

// Identify writes the arcs, the demands and which nodes are ends only.
func (f *Flows) Identify(id *ident.Identity) {
	identifyArcs(id.Of(f), f.arcs)
	id.Int(f.thru, len(f.demands))
	for _, d := range f.demands {
		id.Int(d.From, d.To).Float(d.Flow)
	}
}
