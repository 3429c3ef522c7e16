package fwroad

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	ownGeo   = `{"features": [{"properties": {"id": 4}, "geometry": {"coordinates": [1, 2]}},
	{"properties": {"id": 1}, "geometry": {"coordinates": [0, 1.5, 9]}},
	{"properties": {"id": 2}, "geometry": {"coordinates": [2, -1]}},
	{"properties": {"id": 3}, "geometry": {"coordinates": [1, 0]}}]}`
)

// own reads a network as ReadNetwork does two files, own_net.tntp and own_trips.tntp.
func own(net, trips string) (*Network, error) {
	paths := [4]string{"own_net.tntp", "own_trips.tntp"}
	return build(datasets.Network{Name: "own"}, paths, [4][]byte{[]byte(net), []byte(trips)})
}

func mustOwn(t *testing.T) *Network {
	n, err := own(ownNet, ownTrips)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestReadNetwork(t *testing.T) {
	// Columns in another order, and some more.
	lines := strings.Split(ownNet, "\n")
	for i, l := range lines {
		if l = strings.TrimSpace(l); i > 6 && l != "" && !strings.HasPrefix(l, "~ a") {
			name, l := strings.CutPrefix(strings.TrimSuffix(l, ";"), "~")
			w := append(strings.Fields(name), "more")
			w[0], w[2] = w[2], w[0]
			if lines[i] = strings.Join(w, " ") + ";"; l {
				lines[i] = "~" + lines[i]
			}
		}
	}
	const mark = "\ufeff"
	for _, net := range []string{ownNet, mark + ownNet, strings.Join(lines, "\n"),
		strings.Replace(ownNet, "init_node", "Init node", 1)} { // the last one without names of columns
		n, err := own(net, ownTrips)
		if err != nil {
			t.Fatal(err)
		}
		if n.Nodes != 4 || n.Zones != 2 || n.Thru != 2 || n.Within != 3.5 || n.Generated ||
			!slices.Equal(n.Arcs, []Arc{{0, 2}, {2, 1}, {0, 3}, {3, 1}}) ||
			!slices.Equal(n.Links, []Link{{6, 100, 0.15, 4, 0}, {5, 200, 0, 0, 0}, {7, 100, 0.15, 4, 0},
				{8, 100, 1, 1.5, 0}}) ||
			!slices.Equal(n.Toll, []float64{0, 3, 0, 0}) ||
			!slices.Equal(n.Length, []float64{2.5, 1, 2, 2}) ||
			!slices.Equal(n.Demands, []Demand{{0, 1, 150}}) {
			t.Errorf("%q: %+v", net, n)
		}
		m := n.Weigh(2, 0.5)
		if m.Links[1].Fixed != 6.5 || m.Links[0].Fixed != 1.25 || n.Links[1].Fixed != 0 {
			t.Errorf("%+v and %+v", m.Links, n.Links)
		}
	}
	if n, err := own(ownNet, mark+ownTrips); err != nil || len(n.Demands) != 1 {
		t.Errorf("a mark before the trips: %+v, %v", n, err)
	}
}

// Flows and coordinates, as they are and after a byte order mark; and what is wrong with
// others, which change nothing.
func TestReadFlowAndNodes(t *testing.T) {
	n := mustOwn(t)
	path := filepath.Join(t.TempDir(), "own_flow.tntp")
	if err := n.ReadFlow(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if err := os.WriteFile(path, []byte(ownFlow), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := n.ReadFlow(path); err != nil || n.Flow[0] != 100.5 {
		t.Errorf("%v, %v", n.Flow, err)
	}
	if err := n.ReadNodes(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("flows for nodes: %v", err)
	}
	read := func(text string, do func(*tntp)) error { return parse([]byte(text), "f", do) }
	for _, mark := range []string{"", "\ufeff"} {
		n.Flow = nil
		err := read(mark+ownFlow, n.readFlow)
		if err != nil || !slices.Equal(n.Flow, []float64{100.5, 100.5, 49.5, 49.5}) {
			t.Errorf("%v, %v", n.Flow, err)
		}
		for _, text := range []string{ownNodes, ownGeo} {
			n.X, n.Y = nil, nil
			err := read(mark+text, n.readNodes)
			if got := fmt.Sprint(n.X, n.Y, err); got != "[0 2 1 1] [1.5 -1 0 2] <nil>" {
				t.Error(got)
			}
		}
	}
	const head, nodes = "From To Volume\n", "Node X Y\n"
	for _, c := range []struct {
		do         func(*tntp)
		text, want string
	}{
		{n.readFlow, "", `line 1: "" where the names of the columns`},
		{n.readFlow, "1 3 100 0\n", "where the names of the columns should be"},
		{n.readFlow, head + "1 3 5\n", "line 2: flows of 1 links, and the network has 4"},
		{n.readFlow, ownFlow + "1 3 5\n",
			"line 6: a flow from node 1 to node 3, between which the network has no link, or no"},
		{n.readFlow, head + "1 2 5\n", "line 2: a flow from node 1 to node 2, between which"},
		{n.readFlow, head + "1 3\n", "line 2: 2 columns, want From, To and Volume: is the line cut off?"},
		{n.readFlow, head + "1 9 5\n",
			`line 2: To is "9", which should be a whole number from 1 to 4, as in the head`},
		{n.readFlow, head + "1 3 -5\n", "line 2: a flow of -5"},
		{n.readFlow, head + "1 3 x\n", `line 2: Volume is "x"`},
		{n.readNodes, nodes + "1 2 3\n", "node 2 is still missing"},
		{n.readNodes, nodes + "5 2 3\n", `line 2: Node is "5"`},
		{n.readNodes, nodes + "1 nan 2\n", `line 2: X is "nan", which should be a finite number`},
		{n.readNodes, "1 2 3\n", "names of the columns"},
		{n.readNodes, `{"features": [`, "is this GeoJSON of points, and whole?"},
		{n.readNodes, `{"features": [{"properties": {"id": 4}}]}`, "feature 1 has id 4 and 0 coordinates"},
		{n.readNodes, `{}`, "node 1 is still missing"},
	} {
		err := read(c.text, c.do)
		if err == nil || !strings.HasPrefix(err.Error(), "fwroad: f: ") ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
	if n.Flow == nil || n.X[1] != 2 {
		t.Errorf("an error changed %v or %v", n.Flow, n.X)
	}
}

// Bad input: an error with the file, the line and what to do.
func TestReadNetworkErrors(t *testing.T) {
	for _, c := range []struct{ file, old, new, want string }{
		{"net", "\t1\t3\t100", "\t1\t3\t0",
			"line 9: the link from 1 to 3 has capacity 0, which must be positive: mend it"},
		{"net", "\t2.5\t6\t", "\t2.5\tNaN\t",
			`line 9: free_flow_time is "NaN", which should be a finite number`},
		{"net", "\t2.5\t6\t", "\t2.5\t1e999\t", `line 9: free_flow_time is "1e999"`},
		{"net", "\t2.5\t6\t", "\t-2.5\t6\t", "line 9: the link from 1 to 3 has length -2.5"},
		{"net", "\t1\t3\t100", "\t1\t5\t100",
			`line 9: term_node is "5", which should be a whole number from 1 to 4`},
		{"net", "\t1\t3\t100", "\t0\t3\t100", `line 9: init_node is "0"`},
		{"net", "\t1\t3\t100", "\t1\t3",
			"line 9: 9 columns, the last of which should end with ; and which should be init_node, term_node"},
		{"net", "\t1\t;\n\t3", "\t1\n\t3", "line 9: 10 columns, the last of which should end with ;"},
		{"net", "\tb\tpower", "\talpha\tpower", "line 9: no column b among init_node"},
		{"net", "\t4\t2\t100\t2\t8\t1\t1.5\t0\t0\t1;\n", "",
			"line 12: 3 links, and 4 in the head: is the file cut off?"},
		{"net", "<NUMBER OF LINKS> 4", "<NUMBER OF LINKS> 3",
			"line 13: one more than the 3 links in the head: mend its <NUMBER OF LINKS>, or leave out"},
		{"net", "1.5\t0\t0\t1;\n", "1.5\t0\t0\t1;\nOrigin 1\n", "line 14: one more than the 4 links"},
		{"net", ownNet, ownTrips,
			"own_net.tntp: line 3: the head above has neither <NUMBER OF NODES> nor <NUMBER OF LINKS>, as " +
				"that of trips: give the file of the links first"},
		{"net", ownNet, "\ufeff" + ownTrips, "line 3: the head above has neither"},
		{"net", ownNet, "\ufeff", `line 1: "" where a line <NAME>`},
		{"net", "<NUMBER OF ZONES>", "\ufeff\ufeff<NUMBER OF ZONES>",
			"line 1: \"\\ufeff<NUMBER OF ZONES> 2\" where a line <NAME>"},
		{"trips", ownTrips, ownNet,
			"own_trips.tntp: line 6: the head above has <NUMBER OF LINKS>, as that of a network: give the " +
				"file of the links first"},
		{"net", "<NUMBER OF NODES> 4", "<NUMBER OF NODES> 1", "2 zones, 1 nodes"},
		{"net", "<NUMBER OF NODES> 4", "<NUMBER OF NODES> 4.5",
			`<NUMBER OF NODES> of the head above is "4.5"`},
		{"net", "<NUMBER OF NODES> 4", "<NUMBER OF NODES> 99999999",
			`<NUMBER OF NODES> of the head above is "99999999"`},
		{"net", "<FIRST THRU NODE> 3\n", "", "line 5: the head above has no <FIRST THRU NODE>: add it"},
		{"net", "<END OF METADATA>\n", "", `where a line <NAME> value or <END OF METADATA> should be`},
		{"net", ownNet, "", `own_net.tntp: line 1: "" where a line <NAME>`},
		{"net", ownNet, "1:5 2:3\n", `line 1: "1:5 2:3" where a line <NAME>`},
		{"net", ownNet, strings.Repeat("x", 1<<21),
			"line 1: bufio.Scanner: token too long: is this a TNTP file?"},
		{"trips", "<NUMBER OF ZONES> 2", "<NUMBER OF ZONES> 3",
			"3 zones, and the network has 2: are the two files of one network?"},
		{"trips", "Origin 	1\n", "",
			"line 5: \"1 :    3.5;    2 :   150.0;\" where Origin and a number should be"},
		{"trips", "150.0;", "150.", "line 6: no ; at the end: is the line cut off?"},
		{"trips", "150.0;", "15;",
			"line 8: trips add up to 18.5, and <TOTAL OD FLOW> of the head is 153.5: is the file cut off?"},
		{"trips", "150.0;", "-150.0;", "line 6: -150 trips from zone 1 to zone 2, which may not be negative"},
		{"trips", "150.0;", "NaN;", `line 6: the number of trips is "NaN"`},
		{"trips", "2 :   150.0;", "2 :   150.0; 2 : 1;",
			"line 6: trips from zone 1 to zone 2 come a second time"},
		{"trips", "2 :   150.0;", "3 :   150.0;", `line 6: a destination is "3"`},
		{"trips", "2 :   150.0;", "2 =   150.0;", "where zone : trips should be"},
		{"trips", "Origin 2", "Origin 1", "line 7: origin 1 comes a second time"},
		{"trips", "Origin 2", "Origin 7", `line 7: an origin is "7"`},
		{"trips", "<TOTAL OD FLOW> 153.5", "<TOTAL OD FLOW> much", `<TOTAL OD FLOW> of the head is "much"`},
		{"trips", "<TOTAL OD FLOW> 153.5\n<END OF METADATA>\n\nOrigin 	1\n    1 :    3.5;    2 :   150.0;",
			"<END OF METADATA>\n", "no trips from one zone to another"},
		{"trips", "Origin 2\n    1 : 0;", "Origin 2\n    1 : 0.1;",
			"line 8: 0.1 trips from zone 2 to zone 1, and no way leads there: add a link, or leave the " +
				"trips out"},
	} {
		text := map[string]string{"net": ownNet, "trips": ownTrips}
		if !strings.Contains(text[c.file], c.old) {
			t.Fatalf("no %q", c.old)
		}
		text[c.file] = strings.Replace(text[c.file], c.old, c.new, 1)
		_, err := own(text["net"], text["trips"])
		says := fmt.Sprint(err)
		if !strings.Contains(says, c.want) || !strings.HasPrefix(says, "fwroad: own_"+c.file+".tntp: line ") {
			t.Errorf("%q for %q: %v, want %q", c.new, c.old, err, c.want)
		}
	}
	// The only way leads through an end.
	net := strings.Replace(ownNet, "<FIRST THRU NODE> 3", "<FIRST THRU NODE> 4", 1)
	net = strings.Replace(net, "\t4\t2\t100", "\t2\t4\t100", 1)
	if _, err := own(net, ownTrips); !strings.Contains(fmt.Sprint(err),
		"line 6: 150 trips from zone 1 to zone 2, "+
			"and all ways there lead through an end, for nodes below 4, the <FIRST THRU NODE> of "+
			"own_net.tntp, ") {
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
		n, err := own(net, trips)
		if err != nil {
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
		parse([]byte(trips), "flow", n.readFlow)
		parse([]byte(net), "nodes", n.readNodes)
	})
}

func TestLoadNetwork(t *testing.T) {
	e := datasets.Network{Name: "own", Toll: 2, Best: 7}
	paths, texts := [4]string{"0", "1", "2", "3"}, [4][]byte{[]byte(ownNet), []byte(ownTrips),
		[]byte(ownFlow), []byte(ownNodes)}
	n, err := build(e, paths, texts)
	if err != nil || n.Best != 7 || n.Links[1].Fixed != 6 || n.Flow[0] != 100.5 || n.X[1] != 2 ||
		n.Name != "own" || n.Source != "0" {
		t.Fatalf("%+v, %v", n, err)
	}
	paths[3] = ""
	if n, err = build(e, paths, texts); err != nil || n.X != nil || n.Flow == nil {
		t.Errorf("without coordinates: %+v, %v", n, err)
	}
	if _, err := LoadNetwork("nosuch"); err == nil ||
		!strings.Contains(err.Error(), "SiouxFalls, Anaheim, Chicago-Sketch") {
		t.Errorf("no such network: %v", err)
	}
}

// The networks that stand in have the sizes of the real ones, carry their demands and are congested.
func TestGrid(t *testing.T) {
	for name, want := range map[string][4]int{"SiouxFalls": {24, 24, 76, 552},
		"Anaheim": {38, 416, 1510, 1406}, "Chicago-Sketch": {387, 933, 2864, 149382}} {
		e, _ := datasets.LookupNetwork(name)
		n := grid(name, e.Grid[0], e.Grid[1], e.Grid[2], 1)
		if got := [4]int{n.Zones, n.Nodes, len(n.Arcs), len(n.Demands)}; got != want || n.Thru != e.Grid[2] ||
			n.Name != name+" (generated)" || !n.Generated {
			t.Errorf("%v, %v: want %v", n, got, want)
		}
		if name == "Chicago-Sketch" && testing.Short() {
			continue
		}
		f, omega := n.Beckmann(), n.Flows()
		tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), &BiconjugateFW{},
			fwopt.Budget{Steps: 60, DualityGap: true})
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
}

// The numbers are the same everywhere, and written down.
func TestGridBits(t *testing.T) {
	n := grid("g", 3, 4, 5, 7)
	l, d := n.Links[3], n.Demands[2]
	ones := slices.Repeat([]float64{1}, len(n.Arcs)) // a compiler may round a sum once or twice
	got := fmt.Sprint(l.Free, l.Capacity, d, n.X[3]) +
		fmt.Sprintf(" %.12g %.12g", n.Scenarios(3, 9).Value(ones), n.Scenarios(4, 8).Value(ones))
	if want := "6.967177471773307 455 {0 3 54} 1.3982937704058287 215.704961199 215.756019657"; got != want {
		t.Errorf("%s, want %s", got, want)
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
		tr := fwopt.Run(ctx, fwopt.NewOracle(f, omega, 1), &BiconjugateFW{},
			fwopt.Budget{Steps: 1000, DualityGap: true,
				Watch: func(_ *fwopt.Trace, p fwopt.Point) {
					if p.F <= want*(1+5e-7) {
						stop()
					}
				}})
		stop()
		p := tr.Last()
		t.Logf("%s: f = %.10g after %d steps, %.2g of itself above %.10g; duality gap %.2g of f", name, p.F,
			p.Step, p.F/want-1, want, p.DualityGap/p.F)
		if e := p.F/want - 1; !(math.Abs(e) <= 1e-6) || p.F < want*(1-1e-12) ||
			p.F-p.DualityGap-p.Slack > want {
			t.Errorf("%s: f = %.16g with a duality gap of %g, published is %.16g", name, p.F, p.DualityGap,
				want)
		}
		m, g := &PathGP{}, make([]float64, f.Dim()) // to a relative gap of 1e-12
		for s := range m.Steps(fwopt.NewOracle(f, omega, 1), tr.W) {
			f.Grad(g, s.X, fwopt.Batch{})
			if m.DualityGap < 1e-12*floats.Dot(g, s.X) {
				if e := f.Value(s.X)/want - 1; math.Abs(e) > 1e-12 {
					t.Errorf("%s: by PathGP f = %.16g, published is %.16g", name, f.Value(s.X), want)
				}
				break
			}
			if s.K == 200 {
				t.Fatalf("%s: PathGP has a gap of %g after 200 steps", name, m.DualityGap)
			}
		}
	}
}

func ExampleReadNetwork() {
	dir, _ := os.MkdirTemp("", "fwlab")
	defer os.RemoveAll(dir)
	net, trips := filepath.Join(dir, "own_net.tntp"), filepath.Join(dir, "own_trips.tntp")
	os.WriteFile(net, []byte(ownNet), 0o600)
	os.WriteFile(trips, []byte(ownTrips), 0o600)

	n, err := ReadNetwork(net, trips)
	if err != nil {
		panic(err)
	}
	fmt.Println(n)
	f, minutes := n.Beckmann(), make([]float64, len(n.Arcs))
	o := fwopt.NewOracle(f, n.Flows(), 1)
	tr := fwopt.Run(context.Background(), o, &BiconjugateFW{}, fwopt.Budget{Steps: 50})
	f.Grad(minutes, tr.W, fwopt.Batch{})
	fmt.Printf("flows %.1f, minutes %.2f\n", tr.W, minutes)
	// Output:
	// own: 2 zones, 4 nodes, 4 links, 1 demands, 150 trips
	// flows [145.8 145.8 4.2 4.2], minutes [10.07 5.00 7.00 8.07]
}
