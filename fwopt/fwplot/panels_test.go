package fwplot

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwnb"
	"gonum.org/v1/plot"
)

var placed = regexp.MustCompile(
	`<text textLength="([^"]+)" x="([^"]+)" y="-([^"]+)" transform="scale\(1, -1\)"\s+` +
		`style="[^"]*font-size:([^p]+)px[^>]*>([^<]*)<`)

// Long titles side by side and many names below one another: no text is on another or leaves the figure.
func TestTextsApart(t *testing.T) {
	titled := func(title string) *plot.Plot {
		return Lines(title, "seconds", "gap", false, false, Series{"SVRF", []float64{1, 2}, []float64{1, 2}})
	}
	named := func(n int) *plot.Plot {
		p := Lines("ratios", "times as fast", "", false, false)
		var names plot.ConstantTicks
		for i := range n {
			label := fmt.Sprintf("item %d, in some words", i)
			names = append(names, plot.Tick{Value: float64(i), Label: label})
		}
		p.Y.Tick.Marker, p.Y.Min, p.Y.Max = names, -0.7, float64(n)-0.3
		return p
	}
	three := []*plot.Plot{titled("news20: median and range of 5 seeds"),
		titled("rcv1 (generated): median and range of 5 seeds"),
		titled("omniglot: median and range of nearby points")}
	var wide []*plot.Plot // what stands left of their data
	for _, title := range []string{"rcv1 (generated): median and range of 5 seeds",
		"rcv1: median and range of 3 to 5 seeds", "short"} {
		wide = append(wide, Lines(title, "x", "f(w) − f*", true, true,
			Series{"SVRG, SVD", []float64{1, 1e3}, []float64{1, 1e-5}}))
	}
	var ends []Series // close to each other
	for i, n := range []string{"SVRF", "STORC", "SFW", "SGD"} {
		ends = append(ends, Series{n, []float64{1, 10}, []float64{1, 10 + 1e-3*float64(i)}})
	}
	var shared []Series // more than a line of names
	for i := range 12 {
		name := fmt.Sprintf("a method of a long name, %d", i)
		shared = append(shared, Series{name, []float64{1, 10}, []float64{1, 10}})
	}
	for what, f := range map[string]fwnb.Figure{
		"wide axes":   Grid(wide),
		"two of them": Grid(wide[:2]),
		"close ends":  bundle(Lines("", "x", "y", false, false, ends...)),
		"shared names": Grid([]*plot.Plot{Lines("a", "x", "y", true, true, shared...),
			Lines("b", "x", "y", true, true, shared...)}),
		"two titles":   Grid(three[:2]),
		"three titles": Grid(three),
		"few names":    bundle(named(5)),
		"many names":   bundle(named(30)),
		"two rows":     Grid([]*plot.Plot{named(25)}, []*plot.Plot{named(9)}),
	} {
		type box struct {
			x0, x1, y0, y1 float64
			text           string
		}
		var boxes []box
		for _, m := range placed.FindAllStringSubmatch(string(f.SVG), -1) {
			var long, x, y, size float64
			fmt.Sscan(strings.Join(m[1:5], " "), &long, &x, &y, &size)
			b := box{x, x + long, y, y + 0.7*size, m[5]}
			if b.x0 < 0 || b.x1 > 0.75*float64(f.Width) || b.y0 < 0 || b.y1 > 0.75*float64(f.Height) {
				t.Errorf("%s: %q leaves the figure", what, b.text)
			}
			for _, o := range boxes {
				if b.x0 < o.x1 && o.x0 < b.x1 && b.y0 < o.y1 && o.y0 < b.y1 {
					t.Errorf("%s: %q is on %q", what, b.text, o.text)
				}
			}
			boxes = append(boxes, b)
		}
		if len(boxes) < 10 {
			t.Errorf("%s: %d texts", what, len(boxes))
		}
	}
	if f := bundle(named(5)); f.Height != figHeight {
		t.Errorf("%d pixels high, want %d as ever where names have room", f.Height, figHeight)
	}
}

// What panels next to each other share is written at the left, and what those below each other share at the bottom.
func TestShared(t *testing.T) {
	gap := func(label string) *plot.Plot {
		return Lines("", "steps", label, false, true, Series{"FW", []float64{1, 2}, []float64{1, 1e-3}})
	}
	fell := Rate("MSC", "SFW", rates()["far"])
	for what, c := range map[string]struct {
		rows [][]*plot.Plot
		want map[string]int // how often a text stands there
	}{
		"alike": {[][]*plot.Plot{{gap("a"), gap("a")}, {gap("a"), gap("a")}},
			map[string]int{"a": 2, "steps": 2, "1e−2": 2}},
		"other labels": {[][]*plot.Plot{{gap("a"), gap("b")}}, map[string]int{"a": 1, "b": 1, "1e−2": 2}},
		"apart": {[][]*plot.Plot{{gap("a"), gap("b"), gap("a")}},
			map[string]int{"a": 1, "b": 1, "1e−2": 3}},
		"strips": {[][]*plot.Plot{{fell}, {fell}}, map[string]int{"1/gap": 1}},
	} {
		svg := string(Grid(c.rows...).SVG)
		for text, want := range c.want {
			if n := strings.Count(svg, ">"+text+"<"); n != want {
				t.Errorf("%s: %q stands there %d times, want %d", what, text, n, want)
			}
		}
	}
}
