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
	arcs     []Arc
	from, to int // nodes
	// The nodes on a path, in an order in which arcs rise, the first from, the last to;
	// those arcs by the node where they end.
	into  []int32 // arcs into[v] to into[v+1] − 1 end in node v of that order,
	tail  []int32 // begin in node tail[k] of it,
	arc   []int32 // and are number arc[k] of arcs
	order []int32 // the nodes
	used  []bool  // is the arc on a path?
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
	p := &Paths{arcs: slices.Clone(arcs), from: from, to: to, used: make([]bool, len(arcs))}
	var some []Arc
	var number []int32
	for k, a := range arcs {
		if p.used[k] = ahead[a.From] && back[a.From] && ahead[a.To] && back[a.To]; p.used[k] {
			some, number = append(some, a), append(number, int32(k))
		}
	}
	order, cycle := newStar(n, some, false).sorted()
	if cycle >= 0 {
		panic(need.Linef("fwroad: a path polytope with a cycle, at node %d or before it, "+
			"between node %d and node %d", cycle, from, to))
	}
	at := make([]int32, n)
	for _, u := range order {
		if ahead[u] && back[u] {
			at[u] = int32(len(p.order))
			p.order = append(p.order, u)
		}
	}
	ends := newStar(n, some, true)
	for _, u := range p.order {
		p.into = append(p.into, int32(len(p.tail)))
		for lo, hi := ends.out(int(u)); lo < hi; lo++ {
			p.tail, p.arc = append(p.tail, at[ends.head[lo]]), append(p.arc, number[ends.arc[lo]])
		}
	}
	p.into = append(p.into, int32(len(p.tail)))
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
	n := len(p.order)
	dist, last := make([]float64, n), make([]int32, n) // dist[0] = 0 is the beginning
	for u := 1; u < n; u++ {
		least, by := math.Inf(1), p.into[u]
		for k := p.into[u]; k < p.into[u+1]; k++ {
			if x := dist[p.tail[k]] + g[p.arc[k]]; x < least {
				least, by = x, k
			}
		}
		dist[u], last[u] = least, by
	}
	arcs := 0
	for u := n - 1; u > 0; u = int(p.tail[last[u]]) {
		arcs++
	}
	index, value := v.SetSparse(len(g), arcs)
	for u, k := n-1, 0; u > 0; u, k = int(p.tail[last[u]]), k+1 {
		index[k], value[k] = int(p.arc[last[u]]), 1
	}
	slices.Sort(index)
	return 0
}

func (p *Paths) centre(dst []float64) {
	clear(dst)
	flow := make([]float64, len(p.order))
	flow[len(flow)-1] = 1
	for u := len(flow) - 1; u > 0; u-- {
		for k := p.into[u]; k < p.into[u+1]; k++ {
			x := flow[u] / float64(p.into[u+1]-p.into[u])
			flow[p.tail[k]] += x
			dst[p.arc[k]] = x
		}
	}
}

// Diameter returns the root of how many arcs two paths can have that are on one of them
// only, by dynamic programming over pairs of nodes. It takes time for nodes × arcs and
// memory for nodes² numbers.
func (p *Paths) Diameter() float64 {
	n := len(p.order)
	most := make([]int32, n*n) // of two paths from the first node, to u and to v
	for u := 1; u < n; u++ {
		for v := range u + 1 {
			best := int32(0)
			for k := p.into[u]; k < p.into[u+1]; k++ { // the last arc to the later node
				if u > v {
					best = max(best, 1+most[int(p.tail[k])*n+v])
					continue
				}
				best = max(best, most[int(p.tail[k])*(n+1)]) // both take k
				for l := p.into[u]; l < k; l++ {
					best = max(best, 2+most[int(p.tail[k])*n+int(p.tail[l])])
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
	nodes := 0
	for _, a := range p.arcs {
		nodes = max(nodes, a.From+1, a.To+1)
	}
	net, off := make([]float64, nodes), 0.0
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

// Identify says the arcs and the two nodes.
func (p *Paths) Identify(id *ident.Identity) {
	id.Of(p).Int(p.from, p.to)
	identifyArcs(id, p.arcs)
}

func identifyArcs(id *ident.Identity, arcs []Arc) {
	id.Int(len(arcs))
	for _, a := range arcs {
		id.Int(a.From, a.To)
	}
}
