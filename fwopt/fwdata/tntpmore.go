package fwdata

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/projection-free/fwlab/fwopt/fwset"
)

// readFlow reads a NAME_flow.tntp, in any order.
func (n *Network) readFlow(r io.Reader, name string) error {
	t := newTNTP(r, name)
	if s, err := t.next(); err != nil {
		return err
	} else if words := strings.Fields(strings.ToLower(s)); len(words) < 3 || words[0] != "from" || words[1] != "to" || words[2] != "volume" {
		return t.fail("%q where the names of the columns should be, From To Volume Cost", clip(s))
	}
	left := map[fwset.Arc][]int{} // parallel links in their order
	for k, a := range n.Arcs {
		left[a] = append(left[a], k)
	}
	flow, rows := make([]float64, len(n.Arcs)), 0
	err := t.cells("From, To and Volume", func(words []string) (err error) {
		var a fwset.Arc
		if a.From, err = t.node("From", words[0], n.Nodes); err != nil {
			return err
		}
		if a.To, err = t.node("To", words[1], n.Nodes); err != nil {
			return err
		}
		k := left[a]
		if len(k) == 0 {
			return t.fail("a flow from node %d to node %d, between which the network has no link, or no other one", a.From+1, a.To+1)
		}
		left[a] = k[1:]
		if flow[k[0]], err = t.number("Volume", words[2]); err != nil {
			return err
		}
		if flow[k[0]] < 0 {
			return t.fail("a flow of %g from node %d to node %d, which may not be negative", flow[k[0]], a.From+1, a.To+1)
		}
		rows++
		return nil
	})
	if err != nil {
		return err
	}
	if rows < len(flow) {
		return t.fail("flows of %d links, and the network has %d: is the file cut off?", rows, len(flow))
	}
	n.Flow = flow
	return nil
}

// readNodes reads a NAME_node.tntp, or GeoJSON.
func (n *Network) readNodes(r io.Reader, name string) error {
	b := unmarked(r)
	x, y := make([]float64, n.Nodes), make([]float64, n.Nodes)
	found := make([]bool, n.Nodes)
	if head, _ := b.Peek(1); string(head) == "{" {
		return n.readGeoJSON(b, name, x, y, found)
	}
	t := newTNTP(b, name)
	if s, err := t.next(); err != nil {
		return err
	} else if !strings.HasPrefix(strings.ToLower(s), "node") {
		return t.fail("%q where the names of the columns should be, Node X Y", clip(s))
	}
	err := t.cells("Node, X and Y", func(words []string) error {
		u, err := t.node("Node", words[0], n.Nodes)
		if err != nil {
			return err
		}
		if x[u], err = t.number("X", words[1]); err != nil {
			return err
		}
		if y[u], err = t.number("Y", words[2]); err != nil {
			return err
		}
		found[u] = true
		return nil
	})
	if err != nil {
		return err
	}
	return n.place(name, x, y, found)
}

// place takes the coordinates, if no node is without them.
func (n *Network) place(name string, x, y []float64, found []bool) error {
	if u := slices.Index(found, false); u >= 0 {
		return fmt.Errorf("fwdata: %s: at its end node %d is still missing: is the file cut off?", name, u+1)
	}
	n.X, n.Y = x, y
	return nil
}

func (n *Network) readGeoJSON(r io.Reader, name string, x, y []float64, found []bool) error {
	var all struct {
		Features []struct {
			Properties struct{ ID int }
			Geometry   struct{ Coordinates []float64 }
		}
	}
	if err := json.NewDecoder(r).Decode(&all); err != nil {
		return fmt.Errorf("fwdata: %s: %w: is this GeoJSON of points, and whole?", name, err)
	}
	for i, f := range all.Features {
		u, at := f.Properties.ID-1, f.Geometry.Coordinates
		if u < 0 || u >= n.Nodes || len(at) < 2 {
			return fmt.Errorf("fwdata: %s: feature %d has id %d and %d coordinates: want an id from 1 to %d, and two", name, i+1, u+1, len(at), n.Nodes)
		}
		x[u], y[u], found[u] = at[0], at[1], true
	}
	return n.place(name, x, y, found)
}
