package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwroad"
	"gonum.org/v1/gonum/floats"
)

// trafficItems are P8: the equilibrium of a road network until the duality gap is a share
// of what all drivers together spend, by the same method on both sides, and by paths against
// their bfw, for AequilibraE has no method by paths. As that allows answers that differ, the
// objectives are compared to that share; flows of theirs that lose vehicles are refused.
func (b *bench) trafficItems() (all []item) {
	names := []string{"SiouxFalls", "Anaheim", "Chicago-Sketch", "Chicago-Sketch"}
	if b.quick {
		names = []string{"SiouxFalls", "Anaheim", "SiouxFalls"}
	}
	for i, name := range names {
		n, err := fwroad.LoadNetworkOrGrid(name, 1)
		if err != nil {
			panic(err)
		}
		if i == len(names)-1 {
			n = oddPowers(n)
		}
		path := b.saveNetwork(n)
		for _, of := range []struct {
			name, theirs string
			gap          float64
		}{{"bfw", "bfw", 1e-4}, {"bfw", "bfw", 1e-5}, {"cfw", "cfw", 1e-4},
			{"PathGP against bfw", "bfw", 1e-4}, {"PathGP against bfw", "bfw", 1e-5}} {
			if b.quick {
				of.gap *= 10
			}
			all = append(all, item{name: fmt.Sprintf("P8 %s, %s to %.0e", n.Name, of.name, of.gap),
				peer: "traffic", rounds: 5, tol: of.gap,
				args: map[string]any{"path": path, "zones": n.Zones, "nodes": n.Nodes, "thru": n.Thru,
					"algorithm": of.theirs, "gap": of.gap},
				start: func() side { return startTraffic(n, of.name, of.gap) }})
		}
	}
	return all
}

// oddPowers returns the network with powers from 3.15 to 5.35 in turn, none of them a whole number.
func oddPowers(n *fwroad.Network) *fwroad.Network {
	odd := *n
	odd.Name = n.Name + ", odd powers"
	odd.Links = slices.Clone(n.Links)
	for k := range odd.Links {
		odd.Links[k].Power = 3.15 + float64(k%23)/10
	}
	return &odd
}

// saveNetwork writes the links and demands for the other side.
func (b *bench) saveNetwork(n *fwroad.Network) (path string) {
	path = filepath.Join(dir, strings.ReplaceAll(n.Name, " ", "-"))
	var links, demands []float64
	for k, a := range n.Arcs {
		l := n.Links[k]
		links = append(links, float64(a.From), float64(a.To), l.Free, l.Capacity, l.B, l.Power, l.Fixed)
	}
	for _, d := range n.Demands {
		demands = append(demands, float64(d.From), float64(d.To), d.Flow)
	}
	writeNumbers(path+".links", links)
	writeNumbers(path+".demands", demands)
	return path
}

// startTraffic is a run to a relative gap from the flows of empty roads, as theirs.
func startTraffic(n *fwroad.Network, method string, gap float64) side {
	f, omega := n.Beckmann(), n.Flows()
	w := make([]float64, f.Dim())
	work := func() {
		bi, con, paths := &fwroad.BiconjugateFW{}, &fwroad.ConjugateFW{}, &fwroad.PathGP{}
		var m fwopt.Method = bi
		least := &bi.DualityGap
		switch method {
		case "cfw":
			m, least = con, &con.DualityGap
		case "PathGP against bfw":
			m, least = paths, &paths.DualityGap
		}
		g, start := make([]float64, f.Dim()), make([]float64, f.Dim())
		f.Grad(g, start, fwopt.Batch{})
		omega.Argmin(start, g)
		f.Grad(g, start, fwopt.Batch{})
		spent := floats.Dot(g, start) // ∇f(w)ᵀw
		for s := range m.Steps(fwopt.NewOracle(f, omega, 1), start) {
			if *least <= gap*spent { // at the iterate before
				copy(w, s.X)
				return
			}
			f.Grad(g, s.X, fwopt.Batch{})
			spent = floats.Dot(g, s.X)
		}
	}
	return side{work, func() []float64 { return []float64{f.Value(w)} }}
}
