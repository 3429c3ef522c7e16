package fwdata

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/projection-free/fwlab/fwopt/fwset"
)

// readTrips reads a NAME_trips.tntp.
func (n *Network) readTrips(r io.Reader, name string) error {
	t := newTNTP(r, name)
	tags, err := t.head()
	if err != nil {
		return err
	}
	if tags["NUMBER OF LINKS"] != "" {
		return t.fail("the head above has <NUMBER OF LINKS>, as that of a network: give the file of the links first and that of the trips second")
	}
	zones, err := t.count(tags, "NUMBER OF ZONES")
	if err != nil {
		return err
	}
	if zones != n.Zones {
		return t.fail("%d zones, and the network has %d: are the two files of one network?", zones, n.Zones)
	}
	p := trip{tntp: t, n: n, from: -1, begun: make([]bool, zones), seen: make([]int, zones)}
	if err := t.rows(p.row); err != nil {
		return err
	}
	if text, ok := tags["TOTAL OD FLOW"]; ok {
		total, err := t.number("<TOTAL OD FLOW> of the head", text)
		if err != nil {
			return err
		}
		if math.Abs(p.total-total) > 1e-3*math.Abs(total) {
			return t.fail("trips add up to %g, and <TOTAL OD FLOW> of the head is %g: is the file cut off? If it is whole, mend the head", p.total, total)
		}
	}
	if len(n.Demands) == 0 {
		return t.fail("no trips from one zone to another: is the file cut off?")
	}
	if i := fwset.Unmet(n.Arcs, n.Demands, n.Thru); i >= 0 {
		t.line = p.lines[i]
		d := n.Demands[i]
		why := "no way leads there: add a link, or leave the trips out"
		if fwset.Unmet(n.Arcs, n.Demands[i:i+1], 0) < 0 {
			why = fmt.Sprintf("all ways there lead through an end, for nodes below %d, the <FIRST THRU NODE> of %s, are ends only", n.Thru+1, n.Source)
		}
		return t.fail("%g trips from zone %d to zone %d, and %s", d.Flow, d.From+1, d.To+1, why)
	}
	return nil
}

// trip reads the rows of demands.
type trip struct {
	*tntp
	n     *Network
	from  int // the origin, −1 before the first
	begun []bool
	seen  []int // the origins, from 1 on, of the last trips to a zone
	total float64
	lines []int // of the demands
}

// row reads "Origin k", or "zone : trips; zone : trips; …".
func (p *trip) row(s string) (err error) {
	if words := strings.Fields(s); strings.EqualFold(words[0], "origin") && len(words) == 2 {
		if p.from, err = p.node("an origin", words[1], p.n.Zones); err != nil {
			return err
		}
		if p.begun[p.from] {
			return p.fail("origin %d comes a second time: put its trips together", p.from+1)
		}
		p.begun[p.from] = true
		return nil
	}
	if p.from < 0 {
		return p.fail("%q where Origin and a number should be: is this a file of trips?", clip(s))
	}
	s, whole := strings.CutSuffix(s, ";")
	if !whole {
		return p.fail("no ; at the end: is the line cut off?")
	}
	for _, pair := range strings.Split(s, ";") {
		zone, flow, ok := strings.Cut(pair, ":")
		if !ok {
			return p.fail("%q where zone : trips should be", clip(pair))
		}
		to, err := p.node("a destination", strings.TrimSpace(zone), p.n.Zones)
		if err != nil {
			return err
		}
		q, err := p.number("the number of trips", strings.TrimSpace(flow))
		if err != nil {
			return err
		}
		switch {
		case q < 0:
			return p.fail("%g trips from zone %d to zone %d, which may not be negative", q, p.from+1, to+1)
		case p.seen[to] == p.from+1:
			return p.fail("trips from zone %d to zone %d come a second time: add them up", p.from+1, to+1)
		}
		p.seen[to] = p.from + 1
		p.total += q
		switch {
		case to == p.from:
			p.n.Within += q
		case q > 0:
			p.n.Demands = append(p.n.Demands, fwset.Demand{From: p.from, To: to, Flow: q})
			p.lines = append(p.lines, p.line)
		}
	}
	return nil
}
