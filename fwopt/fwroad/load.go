package fwroad

import (
	"errors"
	"fmt"
	"strings"

	"github.com/projection-free/fwlab/datasets"
	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// LoadNetwork returns the registry's road network of that name: "SiouxFalls", "Anaheim"
// or "Chicago-Sketch", with what its toll and length cost. It looks for its files, say
// SiouxFalls_net.tntp, as
//
//	$FWLAB_DATA/FILE, $FWLAB_DATA/NAME/FILE, $FWLAB_DATA/traffic/FILE,
//	$FWLAB_DATA/traffic/NAME/FILE, FILE in fwdata.CacheDir,
//
// and checks their SHA-256. The best known flows and the coordinates may be missing. A
// network whose links or demands are nowhere gives an error that wraps fwdata.ErrNotHere; a file
// other than the registry describes gives an error that names it.
func LoadNetwork(name string) (*Network, error) {
	e, ok := datasets.LookupNetwork(name)
	if !ok {
		var names []string
		for _, e := range datasets.Networks() {
			names = append(names, e.Name)
		}
		return nil, fmt.Errorf("fwroad: no network %q in the registry (%s): "+
			"files of your own go in by ReadNetwork", name, strings.Join(names, ", "))
	}
	paths, texts, err := fwdata.NetworkFiles(e)
	if err != nil {
		return nil, err
	}
	return build(e, paths, texts)
}

// build reads the network from what its files hold, from the files themselves where a text is nil.
func build(e datasets.Network, paths [4]string, texts [4][]byte) (*Network, error) {
	n := &Network{Source: paths[0]}
	for i, read := range []func(*tntp){n.readLinks, n.readTrips, n.readFlow, n.readNodes} {
		if paths[i] == "" {
			continue
		}
		if err := parse(texts[i], paths[i], read); err != nil {
			return nil, err
		}
	}
	n.Name, n.Best = e.Name, e.Best
	return n.Weigh(e.Toll, e.Length), nil
}

// Assignment is the problem of a network: Beckmann's sum over its Flows.
type Assignment struct {
	*Network
	F     *Beckmann
	Omega *Flows
	W0    []float64 // all on the shortest ways of empty roads
}

// Assign returns the Assignment of LoadNetworkOrGrid(name, 1), and panics where a file is damaged.
func Assign(name string) *Assignment {
	n, err := LoadNetworkOrGrid(name, 1)
	if err != nil {
		panic(need.Line(err.Error()))
	}
	p := &Assignment{n, n.Beckmann(), n.Flows(), make([]float64, len(n.Arcs))}
	g := make([]float64, len(p.W0))
	p.F.Grad(g, p.W0, fwopt.Batch{})
	p.Omega.Argmin(p.W0, g)
	return p
}

// LoadNetworkOrGrid returns LoadNetwork(name), or a grid of about its size when it is not
// on this machine. A damaged file is an error all the same.
func LoadNetworkOrGrid(name string, seed uint64) (*Network, error) {
	n, err := LoadNetwork(name)
	if e, known := datasets.LookupNetwork(name); known && errors.Is(err, fwdata.ErrNotHere) {
		return grid(name, e.Grid[0], e.Grid[1], e.Grid[2], seed), nil
	}
	return n, err
}
