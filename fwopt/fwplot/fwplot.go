// Package fwplot draws runs: loss, f − f* or duality gap against steps, any of the paper’s counts, or
// seconds, with a median and a band over seeds; measured rates; domains with what a method does in them;
// and maps of roads.
//
// Every figure is a gonum *plot.Plot, to go on with; Show and Grid turn plots into a PNG and an SVG that
// look alike. Lines have their names at their ends, or, where panels share them, above these, and over a
// figure there is one line of words: numbers are for the table below it. A method has the same colour and
// dash in every figure. A solid line is SVRF or a STORC, dashes are other projection-free methods, dots are
// projected, grey is none of the paper’s methods; a variant next to its method has the same colour in other
// dashes. Three lines or more whose names differ in a number at their end alone, as "m = 8", are a
// parameter: from light to dark. Where no line is a method's the colours are no method's either.
package fwplot

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	floor       = 1e-12 // the least value drawn of a Curve that is always logarithmic: rounding decides below
	manyDecades = 100   // the ratio from which on an axis becomes logarithmic
)

// Curve is what is drawn of a run.
type Curve struct {
	Label string                      // of the axis
	Log   bool                        // always logarithmic, from 1e−12 up
	Of    func(p fwopt.Point) float64 // NaN where the point has no value
}

// Loss is f(w). Its axis is logarithmic if f > 0 and the values span two decades.
func Loss() Curve {
	return Curve{Label: "f(w)", Of: func(p fwopt.Point) float64 { return p.F }}
}

// Excess is f(w) − f*, on a logarithmic axis. Take f* from a long run whose own duality gap is known; an f*
// that is too large shows as a note in the title.
func Excess(fstar float64) Curve {
	return Curve{Label: "f(w) − f*", Log: true, Of: func(p fwopt.Point) float64 { return p.F - fstar }}
}

// DualityGap is the recorded duality gap, on a logarithmic axis. Points without one are passed over.
func DualityGap() Curve {
	return Curve{Label: "duality gap", Log: true, Of: func(p fwopt.Point) float64 { return p.DualityGap }}
}

// Traces draws the traces, one line for each Method, in the method's own style.
//
// Traces with the same Method and Data are seeds of one method, by fwrate.Groups, which panics where two
// have the same seed and another constant: name these apart. The line is their median and the band of the
// same colour their range, or their 10 to 90 % quantiles if every method with seeds has ten. A run that
// ended early keeps its last value, and the line ends where half of the runs do. Where points are denser
// than a figure can show, the line is their median and the band as wide as all of them.
//
// The horizontal axis is logarithmic if its values span two decades; points at zero (w_0) are then left
// out, and seconds begin at a 10,000th of the last. Values that are NaN or infinite are never drawn. A
// method without anything to draw, as projections, is named in the label of the axis. The title is the
// name of the data, as "news20 (generated)", and explains what lines and bands are and what was left out.
//
// The cost is O(points · log points). Traces panics if a trace is nil.
func Traces(x fwrate.Count, y Curve, traces ...*fwopt.Trace) *plot.Plot {
	need.Given("fwplot", "the Of of the axis "+x.Label, x.Of == nil)
	need.Given("fwplot", "the Of of the curve "+y.Label, y.Of == nil)
	groups, datas := collect(x, y, traces)
	all := survey(x, y, groups)
	var (
		lines    []series
		drawn    []xy
		nox, noy []string // who spent nothing of x, who has no value
	)
	for _, g := range groups {
		if len(datas) > 1 && g.data != "" {
			g.name += " on " + g.data
		}
		l := summarise(g.runs, all)
		l.name = g.name
		switch {
		case len(l.xy) > 0:
			lines, drawn = append(lines, l), append(drawn, l.xy...)
		case g.counted:
			noy = append(noy, g.name)
		default:
			nox = append(nox, g.name)
		}
	}
	xs, ys := spans(drawn)
	for i, l := range lines {
		var j bool
		lines[i], j = condense(l, all.axes, xs, ys)
		all.jitters = all.jitters || j
	}
	styled(lines)
	none := func(label string, names []string) string {
		if len(names) == 0 {
			return label
		}
		return label + " (" + strings.Join(names, ", ") + ": none)"
	}
	title := all.title(datas, len(lines) == 0)
	p := newPlot(title, none(x.Label, nox), none(y.Label, noy), all.logx, all.logy)
	show(p, lines, false)
	return p
}

// surveyed is what all runs of a figure decide.
type surveyed struct {
	axes
	cut, least   float64 // the least x and y to be drawn
	seeds        span    // of the methods that have several
	quantiles    bool    // each of these has ten
	jitters      bool    // lines stand for several points of a run
	under, below bool    // values were left out; negative ones
}

// survey looks at all values of all runs.
func survey(x fwrate.Count, y Curve, groups []*group) surveyed {
	s := surveyed{cut: math.Inf(-1), least: math.Inf(-1), quantiles: true}
	if y.Log {
		s.least = floor
	}
	var xs, ys span
	for _, g := range groups {
		if n := len(g.runs); n > 1 {
			s.seeds.add(float64(n))
			s.quantiles = s.quantiles && n >= 10
		}
		for _, p := range slices.Concat(g.runs...) {
			if xs.add(p.x); p.y >= s.least {
				ys.add(p.y)
			} else {
				s.under, s.below = true, s.below || p.y < -floor
			}
		}
	}
	s.logx = xs.pos > 0 && xs.hi >= manyDecades*xs.pos
	s.logy = y.Log || ys.lo > 0 && ys.hi >= manyDecades*ys.lo
	if s.logx {
		if s.cut = xs.pos; x.Label == fwrate.Seconds.Label {
			s.cut = max(s.cut, xs.hi/1e4)
		}
	}
	return s
}

// title returns the names of the data, and what is to be said of the lines.
func (s *surveyed) title(datas []string, empty bool) string {
	var notes []string
	say := func(when bool, note string) {
		if when {
			notes = append(notes, note)
		}
	}
	how, of, nearby := "range", fmt.Sprint(s.seeds.lo), ""
	if s.quantiles {
		how = "10–90 %"
	}
	if s.seeds.hi > s.seeds.lo {
		of += fmt.Sprintf(" to %g", s.seeds.hi)
	}
	if s.jitters {
		nearby = ", of one run: range of nearby points"
	}
	say(s.seeds.n > 0, "median and "+how+" of "+of+" seeds"+nearby)
	say(s.seeds.n == 0 && s.jitters, "median and range of nearby points")
	say(s.below, "negative values left out")
	say(s.under && !s.below, "values under "+number(floor, 1)+" left out")
	say(empty, "nothing to draw")
	parts := []string{strings.Join(datas, ", "), strings.Join(notes, "; ")}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ": ")
}

// Bound draws an upper bound y ≤ f(x) over the plot's horizontal range, dashed in grey, shades all above,
// and widens the vertical range to show it. Where f is not a number that the axis can show nothing is drawn.
func Bound(p *plot.Plot, name string, f func(x float64) float64) {
	behind(p, name, f, boundStyle, above)
}

// LowerBound draws a lower bound y ≥ f(x) as Bound does an upper one: all below is shaded.
func LowerBound(p *plot.Plot, name string, f func(x float64) float64) {
	behind(p, name, f, boundStyle, below)
}

// Theory draws a prediction y = f(x) as Bound does a bound, as a grey line.
func Theory(p *plot.Plot, name string, f func(x float64) float64) {
	behind(p, name, f, theoryStyle, vg.Point{})
}

// behind draws y = f(x) over the plot's horizontal range, behind the data.
func behind(p *plot.Plot, name string, f func(x float64) float64, style draw.LineStyle, forbids vg.Point) {
	need.Given("fwplot", "the plot of "+name, p == nil)
	need.Given("fwplot", "the function "+name, f == nil)
	const n = 256
	log := isLog(p.X)
	l := series{name: name, style: style, shade: forbids}
	for i := range n + 1 {
		x := back(log, mix(forth(log, p.X.Min), forth(log, p.X.Max), float64(i)/n))
		x = min(max(x, p.X.Min), p.X.Max)
		if y := f(x); finite(x) && finite(y) && (!isLog(p.Y) || y >= floor) {
			l.add(xy{x, y})
		}
	}
	reach(p, []series{l})
	keyOf(p).behind = append(keyOf(p).behind, l)
}

// group is the runs of one method.
type group struct {
	name, data string
	counted    bool // the horizontal coordinate leaves zero
	runs       [][]xy
}

// collect sorts the traces into groups and keeps of each the finite points, the last of several at one x.
func collect(x fwrate.Count, y Curve, traces []*fwopt.Trace) (groups []*group, datas []string) {
	for i, tr := range traces {
		if tr == nil {
			panic(need.Linef("fwplot: trace %d of %d is nil", i+1, len(traces)))
		}
	}
	for _, seeds := range fwrate.Groups(traces...) {
		g := &group{name: seeds[0].Method, data: seeds[0].Data}
		if groups = append(groups, g); g.data != "" && !slices.Contains(datas, g.data) {
			datas = append(datas, g.data)
		}
		for _, tr := range seeds {
			var run []xy
			for _, p := range tr.Points {
				q, n := xy{x.Of(p), y.Of(p)}, len(run)
				g.counted = g.counted || q.x > 0
				if !finite(q.x) || !finite(q.y) || q.x < 0 || n > 0 && q.x < run[n-1].x {
					continue
				}
				if n > 0 && q.x == run[n-1].x {
					run = run[:n-1]
				}
				run = append(run, q)
			}
			if len(run) > 0 && run[len(run)-1].x > 0 {
				g.runs = append(g.runs, run)
			}
		}
	}
	return groups, datas
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
