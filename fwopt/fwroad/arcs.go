package fwroad

import (
	"math"

	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Arc leads from one node to another. Nodes are numbered from 0.
type Arc struct{ From, To int }

// star is a network in forward-star form: the arcs that leave node u are first[u] to
// first[u+1] − 1, arc k leads to head[k] and is number arc[k] of those given.
type star struct {
	first, head, arc []int32
}

// newStar sorts arcs by the node where they begin, or end if backward, in their order
// otherwise. It panics if a node has a negative number.
func newStar(nodes int, arcs []Arc, backward bool) star {
	s := star{make([]int32, nodes+1), make([]int32, len(arcs)), make([]int32, len(arcs))}
	ends := func(a Arc) (from, to int) {
		if backward {
			return a.To, a.From
		}
		return a.From, a.To
	}
	for _, a := range arcs {
		from, _ := ends(a)
		s.first[from+1]++
	}
	for u := range nodes {
		s.first[u+1] += s.first[u]
	}
	next := append([]int32(nil), s.first...)
	for k, a := range arcs {
		from, to := ends(a)
		s.head[next[from]], s.arc[next[from]] = int32(to), int32(k)
		next[from]++
	}
	return s
}

// out returns the places of the arcs that leave u.
func (s star) out(u int) (lo, hi int) { return int(s.first[u]), int(s.first[u+1]) }

// countNodes returns the number of nodes, 1 more than the largest. It panics if there is
// no arc, or too many, or if a number is negative.
func countNodes(what string, arcs []Arc, others ...int) (nodes int) {
	if len(arcs) == 0 || len(arcs) > math.MaxInt32 {
		panic(need.Linef("fwroad: %s of %d arcs", what, len(arcs)))
	}
	for k, a := range arcs {
		if a.From < 0 || a.To < 0 {
			panic(need.Linef("fwroad: %s whose arc %d leads from node %d to %d; nodes are numbered from 0",
				what, k, a.From, a.To))
		}
		nodes = max(nodes, a.From+1, a.To+1)
	}
	for _, u := range others {
		if u < 0 {
			panic(need.Linef("fwroad: %s with node %d; nodes are numbered from 0", what, u))
		}
		nodes = max(nodes, u+1)
	}
	if nodes > math.MaxInt32-1 {
		panic(need.Linef("fwroad: %s of %d nodes", what, nodes))
	}
	return nodes
}

// reach marks the nodes to which arcs lead from u. It goes on from a node if pass says so.
func (s star) reach(u int, pass func(u int) bool) (seen []bool) {
	seen = make([]bool, len(s.first)-1)
	seen[u] = true
	todo := []int{u}
	for len(todo) > 0 {
		u := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !pass(u) {
			continue
		}
		for lo, hi := s.out(u); lo < hi; lo++ {
			if v := int(s.head[lo]); !seen[v] {
				seen[v] = true
				todo = append(todo, v)
			}
		}
	}
	return seen
}

// sorted returns the nodes in an order in which all arcs rise, and a node on a cycle, or
// −1 if there is none.
func (s star) sorted() (order []int32, cycle int) {
	n := len(s.first) - 1
	into := make([]int32, n)
	for _, v := range s.head {
		into[v]++
	}
	for u := range n {
		if into[u] == 0 {
			order = append(order, int32(u))
		}
	}
	for k := 0; k < len(order); k++ {
		for lo, hi := s.out(int(order[k])); lo < hi; lo++ {
			v := s.head[lo]
			if into[v]--; into[v] == 0 {
				order = append(order, v)
			}
		}
	}
	cycle = -1
	for u := range n {
		if into[u] > 0 {
			cycle = u // on a cycle, or behind one
		}
	}
	return order, cycle
}

func identifyArcs(id *ident.Identity, arcs []Arc) {
	id.Int(len(arcs))
	for _, a := range arcs {
		id.Int(a.From, a.To)
	}
}
