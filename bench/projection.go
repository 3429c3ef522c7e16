package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwroad"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
)

// projectionItems are P9, and no race: our linear optimisation over the flows of a network,
// and the projection onto the same set as a quadratic programme. That both have the same
// set is seen from the projected point: ours is found by linear optimisations alone.
func (b *bench) projectionItems() (all []item) {
	for _, name := range []string{"SiouxFalls", "Anaheim"} {
		n, err := fwroad.LoadNetworkOrGrid(name, 1)
		if err != nil {
			panic(err)
		}
		all = append(all, b.beside(roadFlows(n), name != "SiouxFalls"))
	}
	for _, reach := range []int{20, 3} {
		all = append(all, b.beside(trackFlows(reach), reach == 20))
	}
	return all
}

// flowSet is a set of flows of several goods. A flow is seen as w, its sums at n places.
type flowSet struct {
	name  string
	omega fwopt.Domain
	f     fwopt.FiniteSum // ‖w − p‖²/2n
	p     []float64
	vars  []float64 // of each good on each arc it may take: the good, the arc's ends, the place in w or −1
	needs []float64 // good, node, and what stays there, negative where it comes from
}

func (s *flowSet) take(good int, a fwroad.Arc, place int) {
	s.vars = append(s.vars, float64(good), float64(a.From), float64(a.To), float64(place))
}

func (s *flowSet) need(good, node int, flow float64) {
	s.needs = append(s.needs, float64(good), float64(node), flow)
}

// roadFlows are those of a road network, a good for each origin. p = 0: a flow in a circle
// is in no hull of ways, and the nearest to 0 has none.
func roadFlows(n *fwroad.Network) *flowSet {
	p := make([]float64, len(n.Arcs))
	s := &flowSet{name: n.Name, omega: n.Flows(), p: p, f: fwsum.NewEntryLoss(len(p), p)}
	from := map[int]bool{}
	for _, d := range n.Demands {
		s.need(d.From, d.To, d.Flow)
		s.need(d.From, d.From, -d.Flow)
		if from[d.From] {
			continue
		}
		from[d.From] = true
		for k, a := range n.Arcs {
			if a.From == d.From || a.From >= n.Thru {
				s.take(d.From, a, k)
			}
		}
	}
	return s
}

// trackFlows are the tracks of notebooks/video: a path for each of five videos, from one of the 20
// boxes of a frame to one of the next that is at most reach places away. w has the boxes.
func trackFlows(reach int) *flowSet {
	const n = 20
	s := &flowSet{name: fmt.Sprintf("video, reach %d", reach)}
	var omega fwset.Product
	x := &fwsum.Sparse{}
	boxes, into := 0, [][]int32{}
	for good, frames := range []int{8, 7, 7, 4, 7} {
		var arcs []fwroad.Arc
		add := func(from, to, box int) {
			if box >= 0 {
				into[box] = append(into[box], int32(x.M))
			}
			arcs = append(arcs, fwroad.Arc{From: from, To: to})
			s.take(good, arcs[len(arcs)-1], box)
			x.M++
		}
		into = append(into, make([][]int32, n*frames)...)
		end := 1 + n*frames
		for i := range n {
			add(0, 1+i, boxes+i)
		}
		for j := range n * (frames - 1) {
			for i := max(0, j%n-reach); i <= min(n-1, j%n+reach); i++ {
				next := (j/n+1)*n + i
				add(1+j, 1+next, boxes+next)
			}
		}
		for j := n * (frames - 1); j < n*frames; j++ {
			add(1+j, end, -1)
		}
		s.need(good, end, 1)
		s.need(good, 0, -1)
		omega = append(omega, fwroad.NewPaths(arcs, 0, end))
		boxes += n * frames
	}
	x.Ptr = []int{0}
	for _, col := range into {
		x.Col = append(x.Col, col...)
		x.Ptr = append(x.Ptr, len(x.Col))
	}
	x.N = boxes
	for range x.Col {
		x.Val = append(x.Val, 1)
	}
	s.omega, s.p = omega, normals(1, boxes, 0.3)
	s.f = fwsum.NewLeastSquares(x, s.p)
	return s
}

// beside is the item of a set.
func (b *bench) beside(s *flowSet, long bool) item {
	path := filepath.Join(dir, "flows-"+strings.NewReplacer(" ", "", ",", "-").Replace(s.name))
	writeNumbers(path+".vars", s.vars)
	writeNumbers(path+".needs", s.needs)
	writeNumbers(path+".point", s.p)
	return item{name: "P9 " + s.name, peer: "project onto flows", rounds: 5, tol: 1e-4, long: long,
		args: map[string]any{"path": path},
		start: func() side {
			w, v := fwopt.NewOracle(s.f, s.omega, 1).Start(), fwopt.Vertex{}
			o := fwopt.NewOracle(s.f, s.omega, 1).From(w)
			tr := fwopt.Run(context.Background(), o, &fwroad.BiconjugateFW{},
				fwopt.Budget{Tolerance: 1e-5 * s.f.Value(w), Steps: 20_000})
			g := make([]float64, len(w))
			s.f.Grad(g, tr.W, fwopt.Batch{})
			work := func() { fwset.Argmin(s.omega, &v, g, 0, nil) }
			return side{work, func() []float64 { return []float64{s.f.Value(tr.W)} }}
		}}
}
