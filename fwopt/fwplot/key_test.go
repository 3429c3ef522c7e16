package fwplot

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// Names that panels share stand once.
func TestNames(t *testing.T) {
	lines := func(names ...string) *plot.Plot {
		var s []Series
		for i, n := range names {
			s = append(s, Series{n, []float64{1, 10}, []float64{1, float64(10 + i)}})
		}
		return Lines("", "x", "y", true, true, s...)
	}
	for what, c := range map[string]struct {
		rows [][]*plot.Plot
		name string
		want int // how often the name stands there
	}{
		"one":               {[][]*plot.Plot{{lines("SVRF")}}, "SVRF", 1},
		"two":               {[][]*plot.Plot{{lines("SVRF", "SFW"), lines("SVRF", "SFW")}}, "SVRF", 1},
		"two rows":          {[][]*plot.Plot{{lines("SVRF")}, {lines("SVRF")}}, "SVRF", 1},
		"three alike":       {[][]*plot.Plot{{lines("FW"), lines("FW"), lines("FW", "SFW")}}, "FW", 1},
		"one more at first": {[][]*plot.Plot{{lines("FW", "SFW"), lines("FW"), lines("FW")}}, "FW", 1},
		"its own name":      {[][]*plot.Plot{{lines("FW", "SFW"), lines("FW"), lines("FW")}}, "SFW", 1},
		"far right":         {[][]*plot.Plot{{lines("FW"), lines("SGD"), lines("FW")}}, "FW", 1},
		"another style":     {[][]*plot.Plot{{lines("a", "b"), lines("b", "a"), lines("b", "a")}}, "a", 2},
		"none alike":        {[][]*plot.Plot{{lines("SVRF"), lines("SGD"), lines("SFW")}}, "SVRF", 1},
	} {
		f := Grid(c.rows...)
		if n := strings.Count(string(f.SVG), ">"+c.name+"<"); n != c.want {
			t.Errorf("%s: the name stands there %d times, want %d", what, n, c.want)
		}
		for _, p := range slices.Concat(c.rows...) {
			if k := keyOf(p); k.silent != nil || k.scale != 1 {
				t.Errorf("%s: a plot is changed by being drawn: %+v", what, k)
			}
		}
	}
}

// The names of a panel are over the figure if others have a third of them and samples tell them apart, and else
// at its lines.
func TestShare(t *testing.T) {
	for over, own := range map[int][]string{2: {"a", "b", "c", "d", "e"}, 6: {"a", "b", "c", "d"}} {
		var row []*plot.Plot
		for _, names := range [][]string{{"SVRF", "STORC"}, append(own, "SVRF", "STORC")} {
			var s []Series
			for _, n := range names {
				s = append(s, Series{n, []float64{1, 2}, []float64{1, 2}})
			}
			row = append(row, Lines("", "x", "y", true, true, s...))
		}
		if n := len(newLayout([][]*plot.Plot{row}).legend.names); n != over {
			t.Errorf("beside %q, %d names over the panels, want %d", own, n, over)
		}
	}
	var row []*plot.Plot
	for range 2 {
		p := Lines("", "x", "y", true, true, Series{"SVRF", []float64{1, 2}, []float64{1, 2}})
		for _, name := range []string{"m = 1", "m = 100"} { // in one style
			Theory(p, name, func(float64) float64 { return 1 })
		}
		row = append(row, p)
	}
	if n := len(newLayout([][]*plot.Plot{row}).legend.names); n != 0 {
		t.Errorf("%d names over the panels, after samples that do not differ", n)
	}
}

// A name that panels share has a sample of their line, and no leader; no name is broken within a formula.
func TestLegend(t *testing.T) {
	count := func(panels int) (lines, leaders int) {
		var row []*plot.Plot
		for range panels {
			row = append(row, Lines("", "x", "y", true, true,
				Series{"SVRF", []float64{1, 10}, []float64{1, 10}},
				Series{"Momentum SFW, m = 123456", []float64{1, 3}, []float64{9, 7}}))
		}
		svg := string(Grid(row).SVG)
		if panels == 1 && !strings.Contains(svg, ">m = 123456<") {
			t.Error("a name is broken within a formula")
		}
		r, g, b, _ := Style("SVRF").Color.RGBA()
		lines = len(segments(svg, fmt.Sprintf("#%02X%02X%02X", r>>8, g>>8, b>>8)))
		return lines, strings.Count(svg, "stroke-dasharray:1,2")
	}
	lines, leaders := count(1)
	if n, l := count(3); n != 3*lines+1 || leaders != 1 || l != 0 {
		t.Errorf("%d lines and %d leaders, of a panel alone %d and %d", n, l, lines, leaders)
	}
	point := Lines("", "x", "y", true, true, Series{"SFW", []float64{2}, []float64{2}})
	line := Lines("", "x", "y", true, true, Series{"SFW", []float64{1, 10}, []float64{1, 10}})
	paths := func(rows ...[]*plot.Plot) int { return strings.Count(string(Grid(rows...).SVG), "<path") }
	first := paths([]*plot.Plot{line}, []*plot.Plot{point})
	if last := paths([]*plot.Plot{point}, []*plot.Plot{line}); last != first {
		t.Errorf("a point, then a line: %d paths, the other way %d", last, first)
	}
}

// segments returns the first two points of each line with a stroke in an SVG.
func segments(svg, stroke string) (all [][4]float64) {
	line := regexp.MustCompile(`d="M([-0-9.]+),([-0-9.]+)L([-0-9.]+),([-0-9.]+)[^"]*" ` +
		`style="fill:none;stroke:` + stroke)
	for _, m := range line.FindAllStringSubmatch(svg, -1) {
		var v [4]float64
		fmt.Sscan(strings.Join(m[1:], " "), &v[0], &v[1], &v[2], &v[3])
		all = append(all, v)
	}
	return all
}

// A leader begins where its line ends in the view, in the colour of the line: at its last
// point, or where it goes out through the lower edge, half the way along.
func TestLeaders(t *testing.T) {
	p := Lines("", "x", "y", false, true,
		Series{"SVRF", []float64{0, 4}, []float64{1, 1e-8}},
		Series{"STORC", []float64{0, 1}, []float64{1, 1e-2}},
		Series{"SFW", []float64{0, 4}, []float64{1, 1e-1}})
	p.X.Min, p.X.Max, p.Y.Min = 0, 4, 1e-4
	svg := string(Grid([]*plot.Plot{p}).SVG)
	leader := func(method string) (v [4]float64) { // where it begins, and where to
		c := readable(Style(method).Color)
		r, g, b, _ := c.RGBA()
		all := segments(svg, fmt.Sprintf(`#%02X%02X%02X;stroke-width:0.5`, r>>8, g>>8, b>>8))
		return append(all, v)[0]
	}
	var left, low, wide float64
	for _, v := range segments(svg, "#333333") {
		if v[1] == v[3] && v[2]-v[0] > wide { // the frame's lower edge
			left, low, wide = v[0], v[1], v[2]-v[0]
		}
	}
	if v := leader("SVRF"); math.Abs(v[0]-left-wide/2) > 2 || math.Abs(v[1]-low) > 2 || v[2] < left+wide-2 {
		t.Errorf("of a line that goes out at %g, %g: %g", left+wide/2, low, v)
	}
	if v := leader("STORC"); math.Abs(v[0]-4-left-wide/4) > 2 || v[1] < low+20 || v[3] != v[1] ||
		v[2] < left+wide-2 {
		t.Errorf("of a line that ends at %g: %g", left+wide/4, v)
	}
	if v := leader("SFW"); v != [4]float64{} {
		t.Errorf("of a line that ends at its name: %g", v)
	}
}

// A long title is one line over the figure, and the rest of it stands below.
func TestHeadline(t *testing.T) {
	const head, rest = "news20 (generated)",
		"median and range of 5 seeds, of one run: range of nearby points; values under 1e−12 left out"
	p := Lines(head+": "+rest, "x", "y", true, true, Series{"SVRF", []float64{1, 10}, []float64{1, 10}})
	short := Lines(head, "x", "y", true, true, Series{"SVRF", []float64{1, 10}, []float64{1, 10}})
	f, g := Grid([]*plot.Plot{p}), Grid([]*plot.Plot{short})
	if s := string(f.SVG); !strings.Contains(s, ">"+head+"<") ||
		!strings.Contains(s, ">median and range of 5 seeds, of one run") || !strings.Contains(f.Alt, rest) {
		t.Errorf("the title, or its rest, is missing; alt %q", f.Alt)
	}
	if f.Height <= g.Height || g.Height != figHeight {
		t.Errorf("heights %d, %d: want room for the rest", f.Height, g.Height)
	}
}

// A parameter gets darker with its value, and is told from it by nothing else.
func TestRamp(t *testing.T) {
	s := assign([]string{"m = 128", "SVRF", "m = 2", "m = 8", "m = 1e−3", "n = 5", "n = 6", "m"})
	for _, pair := range [][2]int{{4, 2}, {2, 3}, {3, 0}} {
		a, b := luminance(shares(s[pair[0]].Color)), luminance(shares(s[pair[1]].Color))
		if !(a > b+0.05) {
			t.Errorf("lightness %.3f, then %.3f", a, b)
		}
	}
	if s[0].Dashes != nil || s[1].Color != Style("SVRF").Color {
		t.Errorf("%+v", s[:2])
	}
	for _, i := range []int{5, 6, 7} { // two values are no ramp
		if s[i].Color != grey {
			t.Errorf("%d: %+v", i, s[i])
		}
	}
}

// Lines of which none is a method's have colours that no method has and that differ, the same as
// long as the figure has more of them; beside a method they are grey, as one alone is.
func TestNoMethods(t *testing.T) {
	names := []string{"disk", "l1 ball", "simplex", "box"}
	s := assign(names)
	for i, a := range s {
		for _, m := range methods() {
			if a.Color == Style(m.Name).Color {
				t.Errorf("%s has the colour of %s", names[i], m.Name)
			}
		}
		for j, b := range s[:i] {
			if a.Color == b.Color || a.Color == grey {
				t.Errorf("%s and %s: %v", names[i], names[j], a.Color)
			}
		}
		if i > 0 && assign(names[:i+1])[i].Color != a.Color {
			t.Errorf("%s: another colour among %d than among %d", names[i], i+1, len(names))
		}
	}
	for _, s := range assign([]string{"disk", "SVRF", "simplex"}) {
		if s.Color != grey && s.Color != Style("SVRF").Color {
			t.Errorf("beside SVRF: %v", s.Color)
		}
	}
	if Style("disk").Color != grey {
		t.Errorf("one alone: %v", Style("disk").Color)
	}
}

// An upper bound forbids what is above and a lower one what is below, wherever the data are.
func TestBoundForbids(t *testing.T) {
	p := Lines("", "x", "y", true, true, Series{"FW", []float64{1, 10, 100}, []float64{1, 0.1, 0.01}})
	Bound(p, "upper", func(x float64) float64 { return 4 / x })
	LowerBound(p, "lower", func(x float64) float64 { return 0.5 / x })
	Theory(p, "theory", func(x float64) float64 { return 2 / x })
	Bound(p, "broken", func(x float64) float64 { return 0.3 / x })
	var got []vg.Point
	for _, l := range keyOf(p).behind {
		got = append(got, l.shade)
	}
	if want := []vg.Point{{Y: 1e4}, {Y: -1e4}, {}, {Y: 1e4}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if f := bundle(p); strings.Count(string(f.SVG), "fill:#767676;fill-opacity") != 3 {
		t.Error("not all that is forbidden is shaded")
	}
	if k := keyOf(p); k.entries[3].style.Dashes != nil || math.Abs(k.entries[3].last*p.X.Max-2) > 1e-9 {
		t.Errorf("%+v", k.entries[3])
	}
}
