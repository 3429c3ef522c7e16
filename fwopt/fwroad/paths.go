package fwroad

import (
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Paths is the path polytope of an acyclic network, the hull of the paths from one node
// to another: a vector has a number for each arc, a path has 1 on its arcs and 0
// elsewhere. Ω is {w ≥ 0 : as much flows into each node as out of it, 1 from the one to
// the other}. Make one with NewPaths.
//
// A linear optimisation is a shortest path by dynamic programming, one pass over the arcs
// that lie on a path, where costs may be negative. A projection is a quadratic programme
// with a variable for each arc and is not given: for the 11,200 arcs of a video's boxes a
// general solver takes as long as 1,900 linear optimisations. No pyramidal width is known.
type Paths struct {
	arcs            []Arc
	nodes, from, to int
	used            []bool // is the arc on a path?
	// The arcs on a path by the node where they end. Its nodes are those on a path, numbered in an
	// order in which arcs rise: the first is from, the last to. arc[k] is a number in arcs.
	into star
}

// NewPaths returns the polytope of the paths over arcs between two nodes. Arcs may be
// parallel, and some may be on no path: these are 0 in all of Ω. It panics if no path
// leads from the one node to the other, if they are the same, or if there is a cycle on
// the way.
func NewPaths(arcs []Arc, from, to int) *Paths {
	n := countNodes("a path polytope", arcs, from, to)
	if from == to {
		panic(need.Linef("fwroad: a path polytope from node %d to itself", from))
	}
	all := func(int) bool { return true }
	ahead := newStar(n, arcs, false).reach(from, all)
	if !ahead[to] {
		panic(need.Linef("fwroad: no path leads from node %d to node %d", from, to))
	}
	back := newStar(n, arcs, true).reach(to, all)
	p := &Paths{arcs: slices.Clone(arcs), nodes: n, from: from, to: to, used: make([]bool, len(arcs))}
	var some []Arc
	var number []int32
	for k, a := range arcs {
		if p.used[k] = ahead[a.From] && back[a.To]; p.used[k] {
			some, number = append(some, a), append(number, int32(k))
		}
	}
	order, cycle := newStar(n, some, false).sorted()
	if cycle >= 0 {
		panic(need.Linef("fwroad: a path polytope with a cycle, at node %d or before it, "+
			"between node %d and node %d", cycle, from, to))
	}
	at, nodes := make([]int, n), 0
	for _, u := range order {
		if ahead[u] && back[u] {
			at[u] = nodes
			nodes++
		}
	}
	for k, a := range some {
		some[k] = Arc{at[a.From], at[a.To]}
	}
	p.into = newStar(nodes, some, true)
	for i, k := range p.into.arc {
		p.into.arc[i] = number[k]
	}
	return p
}

// Dim returns the number of arcs.
func (p *Paths) Dim() int { return len(p.arcs) }

// Argmin computes dst, the path with the least Σ g_k over its arcs. If g = 0 it is the
// flow that parts evenly, at each node, going backwards, over the arcs that lead there. It
// panics if g holds a NaN or an infinity.
func (p *Paths) Argmin(dst, g []float64) {
	var v fwset.Vertex
	need.Len("fwroad", len(p.arcs), dst)
	p.ArgminVertex(&v, g, 0, nil)
	v.Dense(dst)
}

// ArgminVertex is Argmin as a sparse vertex, dense if g = 0. It is exact, on whole numbers
// without rounding. It panics if g holds a NaN or an infinity.
func (p *Paths) ArgminVertex(v *fwset.Vertex, g []float64, _ float64, _ *fwset.Warm) float64 {
	need.Len("fwroad", len(p.arcs), g)
	if need.Finite("fwroad", "the costs of a path polytope", g) {
		p.centre(v.SetDense(len(g)))
		return 0
	}
	n := len(p.into.first) - 1
	dist, last := make([]float64, n), make([]int, n) // dist[0] = 0 is the beginning
	for u := 1; u < n; u++ {
		lo, hi := p.into.out(u)
		least, by := math.Inf(1), lo
		for k := lo; k < hi; k++ {
			if x := dist[p.into.head[k]] + g[p.into.arc[k]]; x < least {
				least, by = x, k
			}
		}
		dist[u], last[u] = least, by
	}
	var path []int
	for u := n - 1; u > 0; u = int(p.into.head[last[u]]) {
		path = append(path, int(p.into.arc[last[u]]))
	}
	slices.Sort(path)
	index, value := v.SetSparse(len(g), len(path))
	copy(index, path)
	for k := range value {
		value[k] = 1
	}
	return 0
}

func (p *Paths) centre(dst []float64) {
	clear(dst)
	flow := make([]float64, len(p.into.first)-1)
	flow[len(flow)-1] = 1
	for u := len(flow) - 1; u > 0; u-- {
		lo, hi := p.into.out(u)
		for k := lo; k < hi; k++ {
			x := flow[u] / float64(hi-lo)
			flow[p.into.head[k]] += x
			dst[p.into.arc[k]] = x
		}
	}
}

// Diameter returns the root of how many arcs two paths can have that are on one of them
// only, by dynamic programming over pairs of nodes. It takes time for nodes × arcs and
// memory for nodes² numbers.
func (p *Paths) Diameter() float64 {
	n := len(p.into.first) - 1
	most := make([]int32, n*n) // of two paths from the first node, to u and to v
	for u := 1; u < n; u++ {
		lo, hi := p.into.out(u)
		for v := range u + 1 {
			best := int32(0)
			for k := lo; k < hi; k++ { // the last arc to the later node
				if u > v {
					best = max(best, 1+most[int(p.into.head[k])*n+v])
					continue
				}
				best = max(best, most[int(p.into.head[k])*(n+1)]) // both take k
				for l := lo; l < k; l++ {
					best = max(best, 2+most[int(p.into.head[k])*n+int(p.into.head[l])])
				}
			}
			most[u*n+v], most[v*n+u] = best, best
		}
	}
	return math.Sqrt(float64(most[n*n-1]))
}

// Gauge returns 1 + Σ |what is lost or gained at a node| + Σ max{0, −x_k} + Σ |x_k| over
// the arcs on no path. The set has no interior, so it is never below 1.
func (p *Paths) Gauge(x []float64) float64 {
	need.Len("fwroad", len(p.arcs), x)
	net, off := make([]float64, p.nodes), 0.0
	net[p.from], net[p.to] = 1, -1
	for k, a := range p.arcs {
		if !p.used[k] {
			off += math.Abs(x[k])
		}
		net[a.From] -= x[k]
		net[a.To] += x[k]
		off += max(0, -x[k])
	}
	for _, y := range net {
		off += math.Abs(y)
	}
	return 1 + off
}

// Identify writes the arcs and the two nodes.
func (p *Paths) Identify(id *ident.Identity) {
	id.Of(p).Int(p.from, p.to)
	identifyArcs(id, p.arcs)
}
