// Package fwroad finds traffic equilibria and system optima on road networks: it reads TNTP files and has Beckmann's
// objective for them, flows and paths, Frank-Wolfe with conjugate directions, and gradient projection by paths.
package fwroad

import (
	"fmt"
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt/internal/need"
	"github.com/projection-free/fwlab/fwopt/internal/num"
	"github.com/projection-free/fwlab/fwopt/internal/sample"
)

// Network is a road network with its demands. Nodes are numbered from 0, those of the
// file from 1. Networks share storage with each other; treat them as read-only.
type Network struct {
	Name         string // as figures show it: "Anaheim", or "Anaheim (generated)" for a grid
	Nodes, Zones int    // the first Zones nodes are where demands begin and end
	Thru         int    // nodes below it are ends only: no way leads through one

	Arcs         []Arc
	Links        []Link    // what the arcs cost; Fixed is 0 but by Weigh
	Toll, Length []float64 // of the arcs, in the units of the file
	Demands      []Demand
	Within       float64 // trips that end in the zone where they begin, and use no road

	X, Y []float64 // of the nodes; nil if not known
	Flow []float64 // the best known flow of each arc; nil if not known
	Best float64   // the best known f, of Beckmann; 0 if not known

	Generated bool   // no real network: say so wherever it is shown
	Source    string // the file of the arcs; empty if there is none
}

// Flows returns the set of the flows that meet the demands.
func (n *Network) Flows() *Flows { return NewFlows(n.Arcs, n.Demands, n.Thru) }

// Beckmann returns the sum whose minimiser over Flows is the traffic equilibrium.
func (n *Network) Beckmann() *Beckmann { return NewBeckmann(n.Links) }

// Weigh returns the network with toll·Toll + length·Length for Fixed, as its link's cost
// on top of the time. It panics if a cost would be negative, or is no finite number.
func (n *Network) Weigh(toll, length float64) *Network {
	m := *n
	m.Links = slices.Clone(n.Links)
	for k := range m.Links {
		l := &m.Links[k]
		l.Fixed = float64(toll*n.Toll[k]) + float64(length*n.Length[k])
		if why := l.fault(); why != "" {
			panic(need.Linef("fwroad: %s: with weights %g of tolls and %g of lengths, link %d has %s",
				n.Name, toll, length, k, why))
		}
	}
	return &m
}

// Scenarios returns the mean of count days of the network, whose laws are these. In each
// day all free-flow times are multiplied by one number, 1 + 0.3u of the weather, and each
// by one of its own, 0.9 + 0.2u; each link has 0.8 + 0.4u of its capacity, and one in
// twenty, by chance, half of that. All u are uniform in [0, 1), and independent. The same
// seed gives the same days everywhere. It panics if count < 1.
func (n *Network) Scenarios(count int, seed uint64) *Beckmann {
	if count < 1 {
		panic(need.Linef("fwroad: %d scenarios", count))
	}
	g := sample.NewPortable(seed, 5)
	all := make([][]Link, count)
	for s := range all {
		weather := 1 + float64(0.3*g.Float())
		all[s] = slices.Clone(n.Links)
		for k := range all[s] {
			l := &all[s][k]
			l.Free *= weather * (0.9 + float64(0.2*g.Float()))
			l.Capacity *= 0.8 + float64(0.4*g.Float())
			if g.Below(20) == 0 {
				l.Capacity /= 2
			}
		}
	}
	return NewBeckmann(all...)
}

// String writes the name and the sizes, as in
// "SiouxFalls: 24 zones, 24 nodes, 76 links, 528 demands, 360,600 trips".
func (n *Network) String() string {
	trips := 0.0
	for _, d := range n.Demands {
		trips += d.Flow
	}
	k := num.Thousands
	return fmt.Sprintf("%s: %s zones, %s nodes, %s links, %s demands, %s trips", n.Name,
		k(n.Zones), k(n.Nodes), k(len(n.Arcs)), k(len(n.Demands)), k(int(math.Round(trips))))
}

// grid returns a generated network of rows × cols nodes with a link each way between
// neighbours, which stands in where a real one cannot be had. With zones = 0 all nodes are
// zones. Else zones more nodes are these, ends only, each joined to a node of the grid by a
// link each way, of 1 minute and no limit.
//
// A link takes 2 to 8 minutes when empty, and 0.15 and 4 are its B and power. The trips
// from zone to zone are proportional to the sizes of both, which differ by a factor of up
// to ten, and fall with the distance. Capacities are such that the trips, if all took a
// way with the fewest links, would fill the links to about 0.7 in the mean.
// The same seed gives the same bits everywhere.
func grid(name string, rows, cols, zones int, seed uint64) *Network {
	g, size := sample.NewPortable(seed, 6), rows*cols
	n := &Network{Name: name + " (generated)", Nodes: zones + size, Zones: zones, Thru: zones}
	if n.Generated = true; zones == 0 {
		n.Zones = n.Nodes
	}
	n.X, n.Y = make([]float64, n.Nodes), make([]float64, n.Nodes)
	places := make([]int, size) // the nodes of the grid at the zones come first
	for u := range places {
		places[u] = u
		n.X[zones+u] = float64(u%cols) + float64(0.5*g.Float())
		n.Y[zones+u] = float64(u/cols) + float64(0.5*g.Float())
	}
	street := func(u, v int) { // whose capacity is a share for now
		l := Link{Free: 2 + float64(6*g.Float()), Capacity: 0.5 + float64(1.5*g.Float()), B: 0.15, Power: 4}
		n.both(zones+u, zones+v, l)
	}
	for u := range size {
		if u%cols < cols-1 {
			street(u, u+1)
		}
		if u+cols < size {
			street(u, u+cols)
		}
	}
	streets := len(n.Arcs)
	if zones > 0 {
		g.Shuffle(size, func(i, j int) { places[i], places[j] = places[j], places[i] })
	}
	for z := range zones {
		u := zones + places[z]
		n.X[z], n.Y[z] = n.X[u]+0.25, n.Y[u]+0.25
		n.both(z, u, Link{Free: 1, Capacity: 1, Power: 4})
	}
	links := n.draw(g, places[:n.Zones], cols) // of all trips
	for k := range n.Links {
		if l := &n.Links[k]; k < streets {
			l.Capacity = math.Round(l.Capacity * (links / float64(streets) / 0.7))
		} else {
			l.Capacity = links
		}
	}
	return n
}

// both adds a link each way.
func (n *Network) both(u, v int, l Link) {
	for _, a := range []Arc{{From: u, To: v}, {From: v, To: u}} {
		n.Arcs, n.Links = append(n.Arcs, a), append(n.Links, l)
		n.Toll, n.Length = append(n.Toll, 0), append(n.Length, l.Free)
	}
}

// draw draws the demands, in whole trips, between the zones at nodes of a grid, and returns
// how many links they take in all.
func (n *Network) draw(g sample.Portable, at []int, cols int) (links float64) {
	size := make([]float64, len(at))
	for z := range size {
		u := g.Float()
		size[z] = 1 + float64(9*float64(u*u))
	}
	for i, a := range at {
		for j, b := range at {
			if i == j {
				continue
			}
			across, down := a%cols-b%cols, a/cols-b/cols
			far := max(across, -across) + max(down, -down)
			q := math.Round(100 * float64(size[i]*size[j]) / float64(1+far))
			n.Demands = append(n.Demands, Demand{From: i, To: j, Flow: q})
			links += q * float64(far)
		}
	}
	return links
}
