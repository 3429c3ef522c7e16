package fwroad

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/projection-free/fwlab/datasets"
	"github.com/projection-free/fwlab/fwopt/internal/file"
)

// ReadNetwork reads a network and its demands from two files in the TNTP form of
// "Transportation Networks for Research": NAME_net.tntp and NAME_trips.tntp. Lengths and
// tolls cost nothing until Weigh. Trips that end where they begin are added up in Within.
// An error names the file, the line and a remedy: if a file is cut off or has other
// columns, if the two are swapped, if a number makes no sense, or if a demand has no way to
// go. A byte order mark, as some editors put before UTF-8, is passed over.
func ReadNetwork(net, trips string) (*Network, error) {
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(net), ".tntp"), "_net")
	return build(datasets.Network{Name: name}, [4]string{net, trips}, [4][]byte{})
}

// ReadFlow reads the best known flows of the links, NAME_flow.tntp, into Flow. Columns
// are From, To, Volume and Cost. It changes nothing if it returns an error.
func (n *Network) ReadFlow(path string) error { return parse(nil, path, n.readFlow) }

// ReadNodes reads the coordinates of the nodes into X and Y, from a table of node, x and y
// or from GeoJSON. It changes nothing if it returns an error.
func (n *Network) ReadNodes(path string) error { return parse(nil, path, n.readNodes) }

const (
	maxNodes = 2_000_000 // what a damaged head can make a program allocate
	maxRow   = 1 << 20   // bytes of a line
)

// tntp reads lines without their comments, after the head.
type tntp struct {
	line   int
	in     *bufio.Reader
	scan   *bufio.Scanner
	column []string // the names of the columns, from the first comment that has some
}

// fault is an error on its way from where a reader found it to parse.
type fault struct{ error }

// parse has read go through text, or through the file at path if text is nil, and returns what
// it finds wrong.
func parse(text []byte, path string, read func(t *tntp)) (err error) {
	if text == nil {
		if text, err = os.ReadFile(path); err != nil {
			return fmt.Errorf("fwroad: %w", err)
		}
	}
	t := &tntp{in: file.Unmarked(bytes.NewReader(text))}
	t.scan = bufio.NewScanner(t.in)
	t.scan.Buffer(nil, maxRow)
	defer func() {
		if p := recover(); p != nil {
			f, ours := p.(fault)
			if !ours {
				panic(p)
			}
			err = fmt.Errorf("fwroad: %s: %w", path, f.error)
		}
	}()
	read(t)
	return nil
}

func (t *tntp) fail(format string, a ...any) {
	panic(fault{fmt.Errorf("line %d: %s", max(t.line, 1), fmt.Sprintf(format, a...))})
}

// next returns the next line that is neither empty nor a comment, or "" at the end.
func (t *tntp) next() string {
	for t.scan.Scan() {
		t.line++
		s := strings.TrimSpace(t.scan.Text())
		if rest, comment := strings.CutPrefix(s, "~"); comment {
			if words := fields(strings.ToLower(rest)); slices.Contains(words, "init_node") {
				t.column = words
			}
		} else if s != "" {
			return s
		}
	}
	if err := t.scan.Err(); err != nil {
		t.line++
		t.fail("%v: is this a TNTP file?", err)
	}
	return ""
}

// fields are the words of a line without what ends it.
func fields(s string) []string { return strings.Fields(strings.TrimRight(s, "; \t")) }

// cells hands do the columns of each row that is left, at least the three of want.
func (t *tntp) cells(want string, do func(words []string)) {
	for s := t.next(); s != ""; s = t.next() {
		words := fields(s)
		if len(words) < 3 {
			t.fail("%d columns, want %s: is the line cut off?", len(words), want)
		}
		do(words)
	}
}

// head reads the lines <NAME> value up to <END OF METADATA>.
func (t *tntp) head() map[string]string {
	tags := map[string]string{}
	for {
		s := t.next()
		tag, value, ok := strings.Cut(strings.TrimPrefix(s, "<"), ">")
		if !ok || s[0] != '<' {
			t.fail("%q where a line <NAME> value or <END OF METADATA> should be: "+
				"is this a TNTP file, and whole?", clip(s))
		}
		if tag = strings.ToUpper(strings.TrimSpace(tag)); tag == "END OF METADATA" {
			return tags
		}
		tags[tag] = strings.TrimSpace(value)
	}
}

// count returns a whole number of the head, at least 1.
func (t *tntp) count(tags map[string]string, tag string) int {
	text, ok := tags[tag]
	if !ok {
		t.fail("the head above has no <%s>: add it", tag)
	}
	return t.whole("<"+tag+"> of the head above", text, maxNodes, "")
}

// whole reads a number from 1 to most.
func (t *tntp) whole(what, text string, most int, says string) int {
	k, err := strconv.Atoi(text)
	if err != nil || k < 1 || k > most {
		t.fail("%s is %q, which should be a whole number from 1 to %d%s", what, clip(text), most, says)
	}
	return k
}

// node reads the number of a node, and returns it from 0 on.
func (t *tntp) node(what, text string, most int) int {
	return t.whole(what, text, most, ", as in the head") - 1
}

// number reads a finite number.
func (t *tntp) number(what, text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		t.fail("%s is %q, which should be a finite number", what, clip(text))
	}
	return x
}

// clip is the beginning of a text that may be long.
func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

// columns are those of a net file without names; needed are those that are read.
var (
	columns = strings.Fields("init_node term_node capacity length free_flow_time b power speed toll " +
		"link_type")
	needed = strings.Fields("init_node term_node capacity length free_flow_time b power toll")
)

// readLinks reads a NAME_net.tntp.
func (n *Network) readLinks(t *tntp) {
	tags := t.head()
	if tags["NUMBER OF NODES"] == "" && tags["NUMBER OF LINKS"] == "" && tags["NUMBER OF ZONES"] != "" {
		t.fail("the head above has neither <NUMBER OF NODES> nor <NUMBER OF LINKS>, as that of trips: " +
			"give the file of the links first and that of the trips second")
	}
	n.Zones, n.Nodes = t.count(tags, "NUMBER OF ZONES"), t.count(tags, "NUMBER OF NODES")
	first, links := t.count(tags, "FIRST THRU NODE"), t.count(tags, "NUMBER OF LINKS")
	if n.Thru = first - 1; n.Zones > n.Nodes || n.Thru > n.Nodes {
		t.fail("the head above has %d zones, %d nodes and first thru node %d: "+
			"there cannot be more zones than nodes, or a first thru node that is none",
			n.Zones, n.Nodes, first)
	}
	for s := t.next(); s != ""; s = t.next() {
		if len(n.Arcs) == links {
			t.fail("one more than the %d links in the head: "+
				"mend its <NUMBER OF LINKS>, or leave out what is not of this network", links)
		}
		n.readLink(t, s)
	}
	if len(n.Arcs) < links {
		t.fail("%d links, and %d in the head: is the file cut off?", len(n.Arcs), links)
	}
}

// readLink reads a row.
func (n *Network) readLink(t *tntp, s string) {
	names := t.column
	if names == nil {
		names = columns
	}
	row, whole := strings.CutSuffix(s, ";")
	words := strings.Fields(row)
	if !whole || len(words) != len(names) {
		t.fail("%d columns, the last of which should end with ; and which should be %s: is the line cut off?",
			len(words), strings.Join(names, ", "))
	}
	value := map[string]string{}
	for i, name := range names {
		value[name] = words[i]
	}
	x := map[string]float64{}
	for _, name := range needed {
		text, ok := value[name]
		if !ok {
			t.fail("no column %s among %s: name the columns, ~ %s ;, in the order in which they stand",
				name, strings.Join(names, ", "), strings.Join(columns, " "))
		}
		x[name] = t.number(name, text)
	}
	from := t.node("init_node", value["init_node"], n.Nodes)
	to := t.node("term_node", value["term_node"], n.Nodes)
	l := Link{Free: x["free_flow_time"], Capacity: x["capacity"], B: x["b"], Power: x["power"]}
	if why := l.fault(); why != "" {
		t.fail("the link from %d to %d has %s: mend it, or leave the link out", from+1, to+1, why)
	}
	if x["length"] < 0 || x["toll"] < 0 {
		t.fail("the link from %d to %d has length %g and toll %g, which may not be negative",
			from+1, to+1, x["length"], x["toll"])
	}
	n.Arcs, n.Links = append(n.Arcs, Arc{From: from, To: to}), append(n.Links, l)
	n.Toll, n.Length = append(n.Toll, x["toll"]), append(n.Length, x["length"])
}

// readFlow reads a NAME_flow.tntp, in any order.
func (n *Network) readFlow(t *tntp) {
	s := t.next()
	words := strings.Fields(strings.ToLower(s))
	if len(words) < 3 || !slices.Equal(words[:3], []string{"from", "to", "volume"}) {
		t.fail("%q where the names of the columns should be, From To Volume Cost", clip(s))
	}
	left := map[Arc][]int{} // parallel links in their order
	for k, a := range n.Arcs {
		left[a] = append(left[a], k)
	}
	flow, rows := make([]float64, len(n.Arcs)), 0
	t.cells("From, To and Volume", func(words []string) {
		a := Arc{t.node("From", words[0], n.Nodes), t.node("To", words[1], n.Nodes)}
		k := left[a]
		if len(k) == 0 {
			t.fail("a flow from node %d to node %d, between which the network has no link, or no other one",
				a.From+1, a.To+1)
		}
		left[a] = k[1:]
		x := t.number("Volume", words[2])
		if x < 0 {
			t.fail("a flow of %g from node %d to node %d, which may not be negative", x, a.From+1, a.To+1)
		}
		flow[k[0]] = x
		rows++
	})
	if rows < len(flow) {
		t.fail("flows of %d links, and the network has %d: is the file cut off?", rows, len(flow))
	}
	n.Flow = flow
}

// readNodes reads a NAME_node.tntp, or GeoJSON.
func (n *Network) readNodes(t *tntp) {
	x, y, found := make([]float64, n.Nodes), make([]float64, n.Nodes), make([]bool, n.Nodes)
	if head, _ := t.in.Peek(1); string(head) == "{" {
		var all struct {
			Features []struct {
				Properties struct{ ID int }
				Geometry   struct{ Coordinates []float64 }
			}
		}
		if err := json.NewDecoder(t.in).Decode(&all); err != nil {
			panic(fault{fmt.Errorf("%w: is this GeoJSON of points, and whole?", err)})
		}
		for i, f := range all.Features {
			u, at := f.Properties.ID-1, f.Geometry.Coordinates
			if u < 0 || u >= n.Nodes || len(at) < 2 {
				panic(fault{fmt.Errorf("feature %d has id %d and %d coordinates: "+
					"want an id from 1 to %d, and two", i+1, u+1, len(at), n.Nodes)})
			}
			x[u], y[u], found[u] = at[0], at[1], true
		}
	} else {
		if s := t.next(); !strings.HasPrefix(strings.ToLower(s), "node") {
			t.fail("%q where the names of the columns should be, Node X Y", clip(s))
		}
		t.cells("Node, X and Y", func(words []string) {
			u := t.node("Node", words[0], n.Nodes)
			x[u], y[u], found[u] = t.number("X", words[1]), t.number("Y", words[2]), true
		})
	}
	if u := slices.Index(found, false); u >= 0 {
		panic(fault{fmt.Errorf("at its end node %d is still missing: is the file cut off?", u+1)})
	}
	n.X, n.Y = x, y
}

// readTrips reads a NAME_trips.tntp, after the links: under "Origin k" come rows of
// "zone : trips; zone : trips; …".
func (n *Network) readTrips(t *tntp) {
	tags := t.head()
	if tags["NUMBER OF LINKS"] != "" {
		t.fail("the head above has <NUMBER OF LINKS>, as that of a network: " +
			"give the file of the links first and that of the trips second")
	}
	if zones := t.count(tags, "NUMBER OF ZONES"); zones != n.Zones {
		t.fail("%d zones, and the network has %d: are the two files of one network?", zones, n.Zones)
	}
	from, total := -1, 0.0
	begun := make([]bool, n.Zones)
	seen := make([]int, n.Zones) // 1 + the origin of the last trips to a zone
	var lines []int              // of the demands
	for s := t.next(); s != ""; s = t.next() {
		if words := strings.Fields(s); strings.EqualFold(words[0], "origin") && len(words) == 2 {
			if from = t.node("an origin", words[1], n.Zones); begun[from] {
				t.fail("origin %d comes a second time: put its trips together", from+1)
			}
			begun[from] = true
			continue
		}
		if from < 0 {
			t.fail("%q where Origin and a number should be: is this a file of trips?", clip(s))
		}
		row, whole := strings.CutSuffix(s, ";")
		if !whole {
			t.fail("no ; at the end: is the line cut off?")
		}
		for pair := range strings.SplitSeq(row, ";") {
			zone, flow, ok := strings.Cut(pair, ":")
			if !ok {
				t.fail("%q where zone : trips should be", clip(pair))
			}
			to := t.node("a destination", strings.TrimSpace(zone), n.Zones)
			q := t.number("the number of trips", strings.TrimSpace(flow))
			if q < 0 {
				t.fail("%g trips from zone %d to zone %d, which may not be negative", q, from+1, to+1)
			}
			if seen[to] == from+1 {
				t.fail("trips from zone %d to zone %d come a second time: add them up", from+1, to+1)
			}
			seen[to] = from + 1
			if total += q; to == from {
				n.Within += q
			} else if q > 0 {
				n.Demands = append(n.Demands, Demand{From: from, To: to, Flow: q})
				lines = append(lines, t.line)
			}
		}
	}
	if text, ok := tags["TOTAL OD FLOW"]; ok {
		want := t.number("<TOTAL OD FLOW> of the head", text)
		if math.Abs(total-want) > 1e-3*math.Abs(want) {
			t.fail("trips add up to %g, and <TOTAL OD FLOW> of the head is %g: "+
				"is the file cut off? If it is whole, mend the head", total, want)
		}
	}
	if len(n.Demands) == 0 {
		t.fail("no trips from one zone to another: is the file cut off?")
	}
	roads := newStar(n.Nodes, n.Arcs, false)
	if i := roads.unmet(n.Demands, n.Thru); i >= 0 {
		t.line = lines[i]
		d, why := n.Demands[i], "no way leads there: add a link, or leave the trips out"
		if roads.unmet(n.Demands[i:i+1], 0) < 0 {
			why = fmt.Sprintf("all ways there lead through an end, for nodes below %d, "+
				"the <FIRST THRU NODE> of %s, are ends only", n.Thru+1, n.Source)
		}
		t.fail("%g trips from zone %d to zone %d, and %s", d.Flow, d.From+1, d.To+1, why)
	}
}
