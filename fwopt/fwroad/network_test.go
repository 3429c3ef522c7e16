package fwroad

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/datasets"
	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"gonum.org/v1/gonum/floats"
)

const (
	ownNet = `<NUMBER OF ZONES> 2
<NUMBER OF NODES> 4	
<FIRST THRU NODE> 3
<NUMBER OF LINKS> 4
<ORIGINAL HEADER>~ anything ;
<END OF METADATA>

~ 	init_node	term_node	capacity	length	free_flow_time	b	power	speed	toll	link_type	;
	1	3	100	2.5	6	0.15	4	0	0	1	;
	3	2	200	1	5e0	0	0	0	3	1	;
~ a comment
	1	4	100	2	7	0.15	4	0	0	1	;
	4	2	100	2	8	1	1.5	0	0	1;
`
	ownTrips = `<NUMBER OF ZONES> 2
<TOTAL OD FLOW> 153.5
<END OF METADATA>

Origin 	1
    1 :    3.5;    2 :   150.0;
Origin 2
    1 : 0;
`
	ownFlow  = "From \tTo \tVolume \tCost\n1 3 100.5 0\n3 2 100.5 0\n4 2 49.5 0 ;\n1 4 49.5\n"
	ownNodes = "Node\tX\tY\t;\n1\t0\t1.5\t;\n2\t2\t-1\t;\n3\t1\t0 ;\n4 1 2 ;\n"
	ownGeo   = `{"features": [{"properties": {"id": 4}, "geometry": {"coordinates": [1, 2]}}, {"properties": {"id": 1}, "geometry": {"coordinates": [0, 1.5, 9]}},
	{"properties": {"id": 2}, "geometry": {"coordinates": [2, -1]}}, {"properties": {"id": 3}, "geometry": {"coordinates": [1, 0]}}]}`
)

func own(t *testing.T, net, trips string) (*Network, error) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "own_net.tntp"), []byte(net))
	write(t, filepath.Join(dir, "own_trips.tntp"), []byte(trips))
	return ReadNetwork(filepath.Join(dir, "own_net.tntp"), filepath.Join(dir, "own_trips.tntp"))
}

func mustOwn(t *testing.T) *Network {
	n, err := own(t, ownNet, ownTrips)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestReadNetwork(t *testing.T) {
	n := mustOwn(t)
	arcs := []Arc{{From: 0, To: 2}, {From: 2, To: 1}, {From: 0, To: 3}, {From: 3, To: 1}}
	links := []Link{{Free: 6, Capacity: 100, B: 0.15, Power: 4}, {Free: 5, Capacity: 200}, {Free: 7, Capacity: 100, B: 0.15, Power: 4}, {Free: 8, Capacity: 100, B: 1, Power: 1.5}}
	if n.Name != "own" || n.Nodes != 4 || n.Zones != 2 || n.Thru != 2 || n.Within != 3.5 || n.Generated ||
		!slices.Equal(n.Arcs, arcs) || !slices.Equal(n.Links, links) || !slices.Equal(n.Toll, []float64{0, 3, 0, 0}) ||
		!slices.Equal(n.Length, []float64{2.5, 1, 2, 2}) || !slices.Equal(n.Demands, []Demand{{From: 0, To: 1, Flow: 150}}) {
		t.Errorf("%+v", n)
	}
	if got, want := n.String(), "own: 2 zones, 4 nodes, 4 links, 1 demands, 150 trips"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if m := n.Weigh(2, 0.5); m.Links[1].Fixed != 6.5 || m.Links[0].Fixed != 1.25 || n.Links[1].Fixed != 0 {
		t.Errorf("%+v and %+v", m.Links, n.Links)
	}
	// Columns in another order, and some more.
	lines := strings.Split(ownNet, "\n")
	for i, l := range lines {
		if l = strings.TrimSpace(l); i > 6 && l != "" && !strings.HasPrefix(l, "~ a") {
			w := strings.Fields(strings.TrimPrefix(strings.TrimSuffix(l, ";"), "~"))
			w[0], w[2] = w[2], w[0]
			w = append(w, "more")
			lines[i] = strings.Join(w, " ") + ";"
			if strings.HasPrefix(l, "~") {
				lines[i] = "~" + lines[i]
			}
		}
	}
	m, err := own(t, strings.Join(lines, "\n"), ownTrips)
	if err != nil || !slices.Equal(m.Links, links) || !slices.Equal(m.Arcs, arcs) {
		t.Errorf("columns in another order: %+v, %v", m, err)
	}
	// Without names of columns.
	if m, err = own(t, strings.Replace(ownNet, "init_node", "Init node", 1), ownTrips); err != nil || !slices.Equal(m.Links, links) {
		t.Errorf("columns without names: %+v, %v", m, err)
	}
}

// A byte order mark at the beginning of any of the files is no part of it.
func TestByteOrderMark(t *testing.T) {
	const mark = "\ufeff"
	n, err := own(t, mark+ownNet, mark+ownTrips)
	if want := mustOwn(t); err != nil || !slices.Equal(n.Arcs, want.Arcs) || !slices.Equal(n.Links, want.Links) || !slices.Equal(n.Demands, want.Demands) {
		t.Fatalf("%+v, %v", n, err)
	}
	path := filepath.Join(t.TempDir(), "f")
	write(t, path, []byte(mark+ownFlow))
	if err := n.ReadFlow(path); err != nil || !slices.Equal(n.Flow, []float64{100.5, 100.5, 49.5, 49.5}) {
		t.Errorf("flow: %v, %v", n.Flow, err)
	}
	for _, text := range []string{ownNodes, ownGeo} {
		n.X = nil
		write(t, path, []byte(mark+text))
		if err := n.ReadNodes(path); err != nil || !slices.Equal(n.X, []float64{0, 2, 1, 1}) {
			t.Errorf("nodes: %v, %v", n.X, err)
		}
	}
}

func TestReadFlowAndNodes(t *testing.T) {
	n, dir := mustOwn(t), t.TempDir()
	path := filepath.Join(dir, "f")
	write(t, path, []byte(ownFlow))
	if err := n.ReadFlow(path); err != nil || !slices.Equal(n.Flow, []float64{100.5, 100.5, 49.5, 49.5}) {
		t.Errorf("%v, %v", n.Flow, err)
	}
	for _, text := range []string{ownNodes, ownGeo} {
		n.X, n.Y = nil, nil
		write(t, path, []byte(text))
		if err := n.ReadNodes(path); err != nil || !slices.Equal(n.X, []float64{0, 2, 1, 1}) || !slices.Equal(n.Y, []float64{1.5, -1, 0, 2}) {
			t.Errorf("%v, %v, %v", n.X, n.Y, err)
		}
	}
	for text, want := range map[string]string{
		"":                         `line 1: "" where the names of the columns`,
		"1 3 100 0\n":              "where the names of the columns should be",
		"From To Volume\n1 3 5\n":  "line 2: flows of 1 links, and the network has 4",
		ownFlow + "1 3 5\n":        "line 6: a flow from node 1 to node 3, between which the network has no link, or no",
		"From To Volume\n1 2 5\n":  "line 2: a flow from node 1 to node 2, between which",
		"From To Volume\n1 3\n":    "line 2: 2 columns",
		"From To Volume\n1 9 5\n":  `line 2: To is "9", which should be a whole number from 1 to 4`,
		"From To Volume\n1 3 -5\n": "line 2: a flow of -5",
		"From To Volume\n1 3 x\n":  `line 2: Volume is "x"`,
	} {
		write(t, path, []byte(text))
		if err := n.ReadFlow(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("flow %q: %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"Node X Y\n1 2 3\n":   "node 2 is still missing",
		"Node X Y\n5 2 3\n":   `line 2: Node is "5"`,
		"Node X Y\n1 2\n":     "line 2: 2 columns",
		"Node X Y\n1 nan 2\n": `line 2: X is "nan", which should be a finite number`,
		"1 2 3\n":             "names of the columns",
		`{"features": [`:      "is this GeoJSON of points, and whole?",
		`{"features": [{"properties": {"id": 4}}]}`: "feature 1 has id 4 and 0 coordinates",
		`{}`: "node 1 is still missing",
	} {
		write(t, path, []byte(text))
		if err := n.ReadNodes(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("nodes %q: %v, want %q", text, err, want)
		}
	}
	if n.Flow == nil || n.X[1] != 2 {
		t.Errorf("an error changed %v or %v", n.Flow, n.X)
	}
}

// Bad input: an error with the file, the line and what to do.
func TestReadNetworkErrors(t *testing.T) {
	for _, c := range []struct{ file, old, new, want string }{
		{"net", "\t1\t3\t100", "\t1\t3\t0", "line 9: the link from 1 to 3 has capacity 0, which must be positive: mend it"},
		{"net", "\t1\t3\t100", "\t1\t3\t-7", "line 9: the link from 1 to 3 has capacity -7"},
		{"net", "\t2.5\t6\t", "\t2.5\t-6\t", "line 9: the link from 1 to 3 has free-flow time -6"},
		{"net", "\t2.5\t6\t", "\t2.5\tNaN\t", `line 9: free_flow_time is "NaN", which should be a finite number`},
		{"net", "\t2.5\t6\t", "\t2.5\t1e999\t", `line 9: free_flow_time is "1e999"`},
		{"net", "\t2.5\t6\t", "\t-2.5\t6\t", "line 9: the link from 1 to 3 has length -2.5"},
		{"net", "6\t0.15", "6\t-0.15", "line 9: the link from 1 to 3 has free-flow time 6 and B = -0.15"},
		{"net", "0.15\t4", "0.15\t0.4", "line 9: the link from 1 to 3 has power 0.4"},
		{"net", "\t1\t3\t100", "\t1\t5\t100", `line 9: term_node is "5", which should be a whole number from 1 to 4`},
		{"net", "\t1\t3\t100", "\t0\t3\t100", `line 9: init_node is "0"`},
		{"net", "\t1\t3\t100", "\t1\t3", "line 9: 9 columns, the last of which should end with ; and which should be init_node, term_node"},
		{"net", "\t1\t;\n\t3", "\t1\n\t3", "line 9: 10 columns, the last of which should end with ;"},
		{"net", "\tb\tpower", "\talpha\tpower", "line 9: no column b among init_node"},
		{"net", "\t4\t2\t100\t2\t8\t1\t1.5\t0\t0\t1;\n", "", "line 12: 3 links, and the head says 4: is the file cut off?"},
		{"net", "<NUMBER OF LINKS> 4", "<NUMBER OF LINKS> 3", "line 13: one more than the 3 links that the head says: mend its <NUMBER OF LINKS>, or leave out"},
		{"net", "1.5\t0\t0\t1;\n", "1.5\t0\t0\t1;\nOrigin 1\n", "line 14: one more than the 4 links"},
		{"net", ownNet, ownTrips, "own_net.tntp: line 3: the head above has neither <NUMBER OF NODES> nor <NUMBER OF LINKS>, as that of trips: give the file of the links first"},
		{"net", ownNet, "\ufeff" + ownTrips, "line 3: the head above has neither"},
		{"net", ownNet, "\ufeff", `line 1: "" where a line <NAME>`},
		{"net", "<NUMBER OF ZONES>", "\ufeff\ufeff<NUMBER OF ZONES>", "line 1: \"\\ufeff<NUMBER OF ZONES> 2\" where a line <NAME>"},
		{"trips", ownTrips, ownNet, "own_trips.tntp: line 6: the head above has <NUMBER OF LINKS>, as that of a network: give the file of the links first"},
		{"net", "<NUMBER OF NODES> 4", "<NUMBER OF NODES> 1", "2 zones, 1 nodes"},
		{"net", "<NUMBER OF NODES> 4", "<NUMBER OF NODES> 4.5", `<NUMBER OF NODES> of the head above is "4.5"`},
		{"net", "<NUMBER OF NODES> 4", "<NUMBER OF NODES> 99999999", `<NUMBER OF NODES> of the head above is "99999999"`},
		{"net", "<FIRST THRU NODE> 3\n", "", "line 5: the head above has no <FIRST THRU NODE>: add it"},
		{"net", "<END OF METADATA>\n", "", `where a line <NAME> value or <END OF METADATA> should be`},
		{"net", ownNet, "", `own_net.tntp: line 1: "" where a line <NAME>`},
		{"net", ownNet, "1:5 2:3\n", `line 1: "1:5 2:3" where a line <NAME>`},
		{"net", ownNet, strings.Repeat("x", 1<<21), "line 1: bufio.Scanner: token too long: is this a TNTP file?"},
		{"trips", "<NUMBER OF ZONES> 2", "<NUMBER OF ZONES> 3", "3 zones, and the network has 2: are the two files of one network?"},
		{"trips", "Origin 	1\n", "", "line 5: \"1 :    3.5;    2 :   150.0;\" where Origin and a number should be"},
		{"trips", "150.0;", "150.", "line 6: no ; at the end: is the line cut off?"},
		{"trips", "150.0;", "15;", "line 8: trips add up to 18.5, and <TOTAL OD FLOW> of the head is 153.5: is the file cut off?"},
		{"trips", "150.0;", "-150.0;", "line 6: -150 trips from zone 1 to zone 2, which may not be negative"},
		{"trips", "150.0;", "NaN;", `line 6: the number of trips is "NaN"`},
		{"trips", "2 :   150.0;", "2 :   150.0; 2 : 1;", "line 6: trips from zone 1 to zone 2 come a second time"},
		{"trips", "2 :   150.0;", "3 :   150.0;", `line 6: a destination is "3"`},
		{"trips", "2 :   150.0;", "2 =   150.0;", "where zone : trips should be"},
		{"trips", "Origin 2", "Origin 1", "line 7: origin 1 comes a second time"},
		{"trips", "Origin 2", "Origin 7", `line 7: an origin is "7"`},
		{"trips", "<TOTAL OD FLOW> 153.5", "<TOTAL OD FLOW> much", `<TOTAL OD FLOW> of the head is "much"`},
		{"trips", "<TOTAL OD FLOW> 153.5\n<END OF METADATA>\n\nOrigin 	1\n    1 :    3.5;    2 :   150.0;", "<END OF METADATA>\n", "no trips from one zone to another"},
		// Nobody can leave zone 2.
		{"trips", "153.5", "160.5", ""}, {"trips", "1 : 0;", "1 : 7;", "line 8: 7 trips from zone 2 to zone 1, and no way leads there: add a link, or leave the trips out"},
	} {
		net, trips := ownNet, ownTrips
		text := &net
		if c.file == "trips" {
			text = &trips
		}
		if c.want == "" {
			continue
		}
		if c.new == "1 : 7;" {
			trips = strings.Replace(trips, "153.5", "160.5", 1)
		}
		if !strings.Contains(*text, c.old) {
			t.Fatalf("no %q", c.old)
		}
		*text = strings.Replace(*text, c.old, c.new, 1)
		if _, err := own(t, net, trips); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "own_"+c.file+".tntp: line ") {
			t.Errorf("%q for %q: %v, want %q", c.new, c.old, err, c.want)
		}
	}
	// The only way leads through an end.
	net := strings.Replace(ownNet, "<FIRST THRU NODE> 3", "<FIRST THRU NODE> 4", 1)
	net = strings.Replace(net, "\t4\t2\t100", "\t2\t4\t100", 1)
	if _, err := own(t, net, ownTrips); err == nil || !strings.Contains(err.Error(), "own_trips.tntp: line 6: 150 trips from zone 1 to zone 2, and all ways there lead through an end, for nodes below 4, the <FIRST THRU NODE> of ") {
		t.Errorf("an end on the way: %v", err)
	}
	if _, err := ReadNetwork("nosuch", "nosuch"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// FuzzReadNetwork: no input panics, and what is accepted has a flow and a finite f.
func FuzzReadNetwork(f *testing.F) {
	f.Add(ownNet, ownTrips)
	f.Add(ownNet[:300], ownTrips)
	f.Add(ownNet, ownTrips[:80])
	f.Add(ownTrips, ownNet)
	f.Add("\ufeff"+ownNet, "\ufeff"+ownTrips)
	f.Add(strings.Replace(ownNet, "LINKS> 4", "LINKS> 3", 1), ownTrips)
	f.Fuzz(func(t *testing.T, net, trips string) {
		n := &Network{Source: "net"}
		if n.readLinks(strings.NewReader(net), "net") != nil || n.readTrips(strings.NewReader(trips), "trips") != nil {
			return
		}
		omega := n.Flows()
		for _, l := range n.Links { // as large as a cost may be is no fault of the reader
			if l.Capacity < 1e-3 || l.Power > 9 || l.B > 1e9 || l.Free > 1e9 {
				return
			}
		}
		sum := n.Beckmann()
		w, g := make([]float64, len(n.Arcs)), make([]float64, len(n.Arcs))
		omega.Argmin(w, g)
		sum.Grad(g, w, fwopt.Batch{})
		if x := sum.Value(w); math.IsNaN(x) || floats.Min(g) < 0 {
			t.Errorf("f = %g, costs %v", x, g)
		}
		n.readFlow(strings.NewReader(trips), "flow")
		n.readNodes(strings.NewReader(net), "nodes")
	})
}

func TestLoadNetwork(t *testing.T) {
	e := datasets.Network{Name: "own", Toll: 2, Best: 7}
	paths, texts := [4]string{"0", "1", "2", "3"}, [4][]byte{[]byte(ownNet), []byte(ownTrips), []byte(ownFlow), []byte(ownNodes)}
	n, err := build(e, paths, texts)
	if err != nil || n.Best != 7 || n.Links[1].Fixed != 6 || n.Flow[0] != 100.5 || n.X[1] != 2 || n.Name != "own" || n.Source != "0" {
		t.Fatalf("%+v, %v", n, err)
	}
	paths[3] = ""
	if n, err = build(e, paths, texts); err != nil || n.X != nil || n.Flow == nil {
		t.Errorf("without coordinates: %+v, %v", n, err)
	}
	if _, err := LoadNetwork("nosuch"); err == nil || !strings.Contains(err.Error(), "SiouxFalls, Anaheim, Chicago-Sketch") {
		t.Errorf("no such network: %v", err)
	}
}

// The networks that stand in have the sizes of the real ones, carry their demands and are congested.
func TestGrid(t *testing.T) {
	for name, want := range map[string][4]int{"SiouxFalls": {24, 24, 76, 552}, "Anaheim": {38, 416, 1510, 1406}, "Chicago-Sketch": {387, 933, 2864, 149382}} {
		e, _ := datasets.LookupNetwork(name)
		n := Grid(name, e.Grid[0], e.Grid[1], e.Grid[2], 1)
		if got := [4]int{n.Zones, n.Nodes, len(n.Arcs), len(n.Demands)}; got != want || n.Thru != e.Grid[2] || n.Name != name+" (generated)" || !n.Generated {
			t.Errorf("%v, %v: want %v", n, got, want)
		}
		if name == "Chicago-Sketch" && testing.Short() {
			continue
		}
		f, omega := n.Beckmann(), n.Flows()
		tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), &BiconjugateFW{}, fwopt.Budget{Steps: 60, DualityGap: true})
		full, streets := 0, 0
		for k, l := range n.Links {
			if l.B > 0 {
				if streets++; tr.W[k] > l.Capacity {
					full++
				}
			}
		}
		gap := tr.Last().DualityGap / tr.Last().F
		t.Logf("%s: %d of %d streets are full, gap %.2g of f", name, full, streets, gap)
		if full*20 < streets || full*2 > streets || !(gap < 1e-2) {
			t.Errorf("%s: %d of %d streets are full, gap %.2g of f", name, full, streets, gap)
		}
	}
	for _, c := range [][3]int{{0, 5, 0}, {1, 1, 0}, {2, 2, 5}, {2, 2, 1}, {2, 2, -1}} {
		func() {
			defer func() {
				if r := fmt.Sprint(recover()); !strings.HasPrefix(r, "fwroad: a grid of") {
					t.Errorf("%v: %s", c, r)
				}
			}()
			Grid("g", c[0], c[1], c[2], 1)
		}()
	}
}

// The numbers are the same everywhere, and written down.
func TestGridBits(t *testing.T) {
	n := Grid("g", 3, 4, 5, 7)
	l, d := n.Links[3], n.Demands[2]
	f := n.Scenarios(3, 9).Value(slices.Repeat([]float64{1}, len(n.Arcs))) // whose sum a compiler may round once or twice
	got := fmt.Sprint(l.Free, l.Capacity, d, n.X[3]) + fmt.Sprintf(" %.12g", f)
	if want := "6.967177471773307 455 {0 3 54} 1.3982937704058287 215.704961199"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The laws of the days: means and ranges of the multipliers, which two values of f with
// one link and power 1 give away.
func TestScenarios(t *testing.T) {
	n := &Network{Links: []Link{{Free: 1, Capacity: 1, B: 1, Power: 1}}}
	const days = 20000
	f := n.Scenarios(days, 1)
	var free, capacity, halved float64
	g := make([]float64, 1)
	for s := range days {
		cost := func(v float64) float64 {
			f.Grad(g, []float64{v}, fwopt.Batch{Index: []int{s}, Weight: []float64{1}})
			return g[0]
		}
		t0 := cost(0)
		c := t0 / (cost(1) - t0)
		if t0 < 0.9 || t0 > 1.3*1.1 || c < 0.4-1e-9 || c > 1.2 {
			t.Fatalf("day %d: free-flow time %g, capacity %g", s, t0, c)
		}
		free += t0 / days
		capacity += c / days
		if c < 0.6 {
			halved += 1. / days // all but none of the others
		}
	}
	if math.Abs(free-1.15) > 0.005 || math.Abs(capacity-0.975) > 0.006 || math.Abs(halved-0.05) > 0.008 {
		t.Errorf("means: free-flow time %g, want 1.15; capacity %g, want 0.975; %g halved, want 0.05", free, capacity, halved)
	}
	g1, g2 := make([]float64, 1), make([]float64, 1)
	n.Scenarios(5, 1).Grad(g1, []float64{1}, fwopt.Batch{})
	if n.Scenarios(5, 2).Grad(g2, []float64{1}, fwopt.Batch{}); g1[0] == g2[0] {
		t.Error("two seeds, the same days")
	}
}

// The published values, on the real files: skipped where these are not.
func TestPublished(t *testing.T) {
	for _, name := range []string{"SiouxFalls", "Anaheim", "Chicago-Sketch"} {
		n, err := LoadNetwork(name)
		if errors.Is(err, fwdata.ErrNotHere) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		if testing.Short() && name == "Chicago-Sketch" {
			continue
		}
		f, omega := n.Beckmann(), n.Flows()
		want, known := n.Best, f.Value(n.Flow)
		if want == 0 {
			want = known
		} else if math.Abs(known-want) > 1e-12*want {
			t.Errorf("%s: f of the published flows is %.16g, published is %.16g", name, known, want)
		}
		ctx, stop := context.WithCancel(context.Background())
		tr := fwopt.Run(ctx, fwopt.NewOracle(f, omega, 1), &BiconjugateFW{}, fwopt.Budget{Steps: 1000, DualityGap: true,
			Watch: func(_ *fwopt.Trace, p fwopt.Point) {
				if p.F <= want*(1+5e-7) {
					stop()
				}
			}})
		stop()
		p := tr.Last()
		t.Logf("%s: f = %.10g after %d steps, %.2g of itself above %.10g; duality gap %.2g of f", name, p.F, p.Step, p.F/want-1, want, p.DualityGap/p.F)
		if e := p.F/want - 1; !(math.Abs(e) <= 1e-6) || p.F < want*(1-1e-12) || p.F-p.DualityGap-p.Slack > want {
			t.Errorf("%s: f = %.16g with a duality gap of %g, published is %.16g", name, p.F, p.DualityGap, want)
		}
	}
}

func ExampleReadNetwork() {
	dir, err := os.MkdirTemp("", "fwlab")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	net, trips := filepath.Join(dir, "own_net.tntp"), filepath.Join(dir, "own_trips.tntp")
	os.WriteFile(net, []byte(ownNet), 0o600)
	os.WriteFile(trips, []byte(ownTrips), 0o600)

	n, err := ReadNetwork(net, trips)
	if err != nil {
		panic(err)
	}
	fmt.Println(n)
	f := n.Beckmann()
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, n.Flows(), 1), &BiconjugateFW{}, fwopt.Budget{Steps: 50})
	minutes := make([]float64, len(n.Arcs))
	f.Grad(minutes, tr.W, fwopt.Batch{})
	fmt.Printf("flows %.1f, minutes %.2f\n", tr.W, minutes)
	// Output:
	// own: 2 zones, 4 nodes, 4 links, 1 demands, 150 trips
	// flows [145.8 145.8 4.2 4.2], minutes [10.07 5.00 7.00 8.07]
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}
