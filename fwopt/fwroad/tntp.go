package fwroad

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/projection-free/fwlab/fwopt/internal/file"
)

// ReadNetwork reads a network and its demands from two files in the TNTP form of
// "Transportation Networks for Research": NAME_net.tntp and NAME_trips.tntp. Lengths and
// tolls cost nothing until Weigh. Trips that end where they begin are added up in Within.
// An error names the file, the line and a remedy: if a file is cut off or has other
// columns, if the two are swapped, if a number makes no sense, or if a demand has no way to
// go. A byte order mark, as some editors put before UTF-8, is passed over in all these files.
func ReadNetwork(net, trips string) (*Network, error) {
	n := &Network{Name: strings.TrimSuffix(strings.TrimSuffix(filepath.Base(net), ".tntp"), "_net"), Source: net}
	if err := inFile(net, n.readLinks); err != nil {
		return nil, err
	}
	if err := inFile(trips, n.readTrips); err != nil {
		return nil, err
	}
	return n, nil
}

// ReadFlow reads the best known flows of the links, NAME_flow.tntp, into Flow. Columns
// are From, To, Volume and Cost. It changes nothing if it returns an error.
func (n *Network) ReadFlow(path string) error { return inFile(path, n.readFlow) }

// ReadNodes reads the coordinates of the nodes into X and Y, from a table of node, x and y
// or from GeoJSON. It changes nothing if it returns an error.
func (n *Network) ReadNodes(path string) error { return inFile(path, n.readNodes) }

func inFile(path string, read func(r io.Reader, name string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("fwroad: %w", err)
	}
	defer f.Close()
	return read(f, path)
}

// maxNodes bounds what a damaged head can make a program allocate.
const maxNodes = 2_000_000

// tntp reads lines without their comments, after the head.
type tntp struct {
	name   string
	line   int
	scan   *bufio.Scanner
	column []string // the names of the columns, from the first comment that has some
}

// maxRow bounds a line, in bytes.
const maxRow = 1 << 20

func newTNTP(r io.Reader, name string) *tntp {
	t := &tntp{name: name, scan: bufio.NewScanner(file.Unmarked(r))}
	t.scan.Buffer(nil, maxRow)
	return t
}

func (t *tntp) fail(format string, a ...any) error {
	return fmt.Errorf("fwroad: %s: line %d: %s", t.name, max(t.line, 1), fmt.Sprintf(format, a...))
}

// next returns the next line that is neither empty nor a comment, or "" at the end.
func (t *tntp) next() (string, error) {
	for t.scan.Scan() {
		t.line++
		s := strings.TrimSpace(t.scan.Text())
		if rest, comment := strings.CutPrefix(s, "~"); comment {
			words := strings.Fields(strings.ToLower(strings.TrimRight(rest, "; \t")))
			if slices.Contains(words, "init_node") {
				t.column = words
			}
		} else if s != "" {
			return s, nil
		}
	}
	if err := t.scan.Err(); err != nil {
		t.line++
		return "", t.fail("%v: is this a TNTP file?", err)
	}
	return "", nil
}

// rows hands the lines that are left to do.
func (t *tntp) rows(do func(s string) error) error {
	for {
		s, err := t.next()
		if err != nil || s == "" {
			return err
		}
		if err := do(s); err != nil {
			return err
		}
	}
}

// cells hands do the columns of each row that is left, at least the three of want.
func (t *tntp) cells(want string, do func(words []string) error) error {
	return t.rows(func(s string) error {
		words := strings.Fields(strings.TrimRight(s, "; \t"))
		if len(words) < 3 {
			return t.fail("%d columns, want %s: is the line cut off?", len(words), want)
		}
		return do(words)
	})
}

// head reads the lines <NAME> value up to <END OF METADATA>.
func (t *tntp) head() (map[string]string, error) {
	tags := map[string]string{}
	for {
		s, err := t.next()
		if err != nil {
			return nil, err
		}
		tag, value, ok := strings.Cut(strings.TrimPrefix(s, "<"), ">")
		if !ok || s[0] != '<' {
			return nil, t.fail("%q where a line <NAME> value or <END OF METADATA> should be: is this a TNTP file, and whole?", clip(s))
		}
		if tag = strings.ToUpper(strings.TrimSpace(tag)); tag == "END OF METADATA" {
			return tags, nil
		}
		tags[tag] = strings.TrimSpace(value)
	}
}

// count returns a whole number of the head, at least 1.
func (t *tntp) count(tags map[string]string, tag string) (int, error) {
	text, ok := tags[tag]
	if !ok {
		return 0, t.fail("the head above has no <%s>: add it", tag)
	}
	k, err := strconv.Atoi(text)
	if err != nil || k < 1 || k > maxNodes {
		return 0, t.fail("<%s> of the head above is %q, which should be a whole number from 1 to %d", tag, clip(text), maxNodes)
	}
	return k, nil
}

// number reads a finite number.
func (t *tntp) number(what, text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, t.fail("%s is %q, which should be a finite number", what, clip(text))
	}
	return x, nil
}

// node reads the number of a node, and returns it from 0 on.
func (t *tntp) node(what, text string, most int) (int, error) {
	u, err := strconv.Atoi(text)
	if err != nil || u < 1 || u > most {
		return 0, t.fail("%s is %q, which should be a whole number from 1 to %d, as the head says", what, clip(text), most)
	}
	return u - 1, nil
}

// clip is the beginning of a text that may be long.
func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

// columns are those of a net file without names; needed are those that are read.
var columns = []string{"init_node", "term_node", "capacity", "length", "free_flow_time", "b", "power", "speed", "toll", "link_type"}

const needed = "init_node term_node capacity length free_flow_time b power toll"

// readLinks reads a NAME_net.tntp.
func (n *Network) readLinks(r io.Reader, name string) error {
	t := newTNTP(r, name)
	tags, err := t.head()
	if err != nil {
		return err
	}
	if tags["NUMBER OF NODES"] == "" && tags["NUMBER OF LINKS"] == "" && tags["NUMBER OF ZONES"] != "" {
		return t.fail("the head above has neither <NUMBER OF NODES> nor <NUMBER OF LINKS>, as that of trips: give the file of the links first and that of the trips second")
	}
	var links, first int
	for i, to := range []*int{&n.Zones, &n.Nodes, &first, &links} {
		if *to, err = t.count(tags, []string{"NUMBER OF ZONES", "NUMBER OF NODES", "FIRST THRU NODE", "NUMBER OF LINKS"}[i]); err != nil {
			return err
		}
	}
	if n.Thru = first - 1; n.Zones > n.Nodes || n.Thru > n.Nodes {
		return t.fail("the head above has %d zones, %d nodes and first thru node %d: there cannot be more zones than nodes, or a first thru node that is none", n.Zones, n.Nodes, first)
	}
	err = t.rows(func(s string) error {
		if len(n.Arcs) == links {
			return t.fail("one more than the %d links that the head says: mend its <NUMBER OF LINKS>, or leave out what is not of this network", links)
		}
		return n.readLink(t, s)
	})
	if err != nil {
		return err
	}
	if len(n.Arcs) < links {
		return t.fail("%d links, and the head says %d: is the file cut off?", len(n.Arcs), links)
	}
	return nil
}

// readLink reads a row.
func (n *Network) readLink(t *tntp, s string) error {
	names := t.column
	if names == nil {
		names = columns
	}
	row, whole := strings.CutSuffix(s, ";")
	words := strings.Fields(row)
	if !whole || len(words) != len(names) {
		return t.fail("%d columns, the last of which should end with ; and which should be %s: is the line cut off?", len(words), strings.Join(names, ", "))
	}
	value := map[string]string{}
	for i, name := range names {
		value[name] = words[i]
	}
	x := map[string]float64{}
	for _, name := range strings.Fields(needed) {
		text, ok := value[name]
		if !ok {
			return t.fail("no column %s among %s: name the columns, ~ %s ;, in the order in which they stand", name, strings.Join(names, ", "), strings.Join(columns, " "))
		}
		var err error
		if x[name], err = t.number(name, text); err != nil {
			return err
		}
	}
	from, err := t.node("init_node", value["init_node"], n.Nodes)
	if err != nil {
		return err
	}
	to, err := t.node("term_node", value["term_node"], n.Nodes)
	if err != nil {
		return err
	}
	l := Link{Free: x["free_flow_time"], Capacity: x["capacity"], B: x["b"], Power: x["power"]}
	if why := l.Fault(); why != "" {
		return t.fail("the link from %d to %d has %s: mend it, or leave the link out", from+1, to+1, why)
	}
	if x["length"] < 0 || x["toll"] < 0 {
		return t.fail("the link from %d to %d has length %g and toll %g, which may not be negative", from+1, to+1, x["length"], x["toll"])
	}
	n.Arcs, n.Links = append(n.Arcs, Arc{From: from, To: to}), append(n.Links, l)
	n.Toll, n.Length = append(n.Toll, x["toll"]), append(n.Length, x["length"])
	return nil
}

// readFlow reads a NAME_flow.tntp, in any order.
func (n *Network) readFlow(r io.Reader, name string) error {
	t := newTNTP(r, name)
	if s, err := t.next(); err != nil {
		return err
	} else if words := strings.Fields(strings.ToLower(s)); len(words) < 3 || words[0] != "from" || words[1] != "to" || words[2] != "volume" {
		return t.fail("%q where the names of the columns should be, From To Volume Cost", clip(s))
	}
	left := map[Arc][]int{} // parallel links in their order
	for k, a := range n.Arcs {
		left[a] = append(left[a], k)
	}
	flow, rows := make([]float64, len(n.Arcs)), 0
	err := t.cells("From, To and Volume", func(words []string) (err error) {
		var a Arc
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
	b := file.Unmarked(r)
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
		return fmt.Errorf("fwroad: %s: at its end node %d is still missing: is the file cut off?", name, u+1)
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
		return fmt.Errorf("fwroad: %s: %w: is this GeoJSON of points, and whole?", name, err)
	}
	for i, f := range all.Features {
		u, at := f.Properties.ID-1, f.Geometry.Coordinates
		if u < 0 || u >= n.Nodes || len(at) < 2 {
			return fmt.Errorf("fwroad: %s: feature %d has id %d and %d coordinates: want an id from 1 to %d, and two", name, i+1, u+1, len(at), n.Nodes)
		}
		x[u], y[u], found[u] = at[0], at[1], true
	}
	return n.place(name, x, y, found)
}

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
	if i := Unmet(n.Arcs, n.Demands, n.Thru); i >= 0 {
		t.line = p.lines[i]
		d := n.Demands[i]
		why := "no way leads there: add a link, or leave the trips out"
		if Unmet(n.Arcs, n.Demands[i:i+1], 0) < 0 {
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
			p.n.Demands = append(p.n.Demands, Demand{From: p.from, To: to, Flow: q})
			p.lines = append(p.lines, p.line)
		}
	}
	return nil
}
