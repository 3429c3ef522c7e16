// Package fwplot draws runs: loss, f − f* or duality gap against steps, any of
// the paper’s counts, or seconds, with a median and a band over seeds; measured rates;
// domains with what a method does in them; and maps of roads.
//
// Every figure is a gonum *plot.Plot, to go on with; Show and Grid turn plots
// into a PNG and an SVG that look alike. Lines have their names at their ends, and over a
// figure there is one line of words: numbers are for the table below it. A method has the
// same colour and dash in every figure. A solid line is variance-reduced and
// projection-free, dashes are projection-free, dots are projected, grey is none of the
// paper’s methods; a variant beside its method has the same colour in other dashes. Three
// lines or more whose names differ in a number at their end alone, as "m = 8", are a parameter:
// from light to dark. Where no line is a method's the colours are no method's either.
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
	"gonum.org/v1/plot/vg/draw"
)

// Floor is the smallest value drawn of a Curve that is always logarithmic.
// Below it rounding decides; zeros and negative values are left out with the
// rest, and the title says so.
const Floor = 1e-12

// manyDecades is the ratio from which on an axis becomes logarithmic.
const manyDecades = 100

// Curve is what is drawn of a run.
type Curve struct {
	Label string                      // of the axis
	Log   bool                        // always logarithmic, from Floor up
	Of    func(p fwopt.Point) float64 // NaN where the point has no value
}

// Loss is f(w). Its axis is logarithmic if f > 0 and the values span two decades.
func Loss() Curve {
	return Curve{Label: "f(w)", Of: func(p fwopt.Point) float64 { return p.F }}
}

// Excess is f(w) − f*, on a logarithmic axis. Take f* from a long run whose own
// duality gap is known; an f* that is too large shows as a note in the title.
func Excess(fstar float64) Curve {
	return Curve{Label: "f(w) − f*", Log: true, Of: func(p fwopt.Point) float64 { return p.F - fstar }}
}

// DualityGap is the recorded duality gap, on a logarithmic axis. Points without
// one are passed over.
func DualityGap() Curve {
	return Curve{Label: "duality gap", Log: true, Of: func(p fwopt.Point) float64 { return p.DualityGap }}
}

// Traces draws the traces, one line for each Method, in the method's own style
// and with its name at the height of its end.
//
// Traces with the same Method and Data are seeds of one method, by fwrate.Groups, which
// panics where two have the same seed and another constant: name these apart. The line is
// their median and the band of the same colour their range, or their 10 to 90 %
// quantiles if every method with seeds has ten. A run that ended early keeps
// its last value, and the line ends where half of the runs do. Where points are
// denser than a figure can show, the line is their median and the band as wide
// as all of them.
//
// The horizontal axis is logarithmic if its values span two decades; points at
// zero (w_0) are then left out, and seconds begin at a 10,000th of the last.
// Values that are NaN or infinite are never drawn. A method that has nothing to
// draw, as one without projections against projections, is named in the label
// of the axis. The title is the name of the data, as "news20 (generated)", and
// says what the lines and bands are and what was left out.
//
// The cost is O(points · log points). Traces panics if a trace is nil.
func Traces(x fwrate.Count, y Curve, traces ...*fwopt.Trace) *plot.Plot {
	need.Given("fwplot", "the Of of the axis "+x.Label, x.Of == nil)
	need.Given("fwplot", "the Of of the curve "+y.Label, y.Of == nil)
	groups, datas := collect(x, y, traces)
	ax, cut, floor := scales(x, y, groups)
	said := remarks{quantiles: true}
	for _, g := range groups {
		said.look(g, y, floor)
		if len(datas) > 1 && g.data != "" {
			g.name += " on " + g.data
		}
	}
	var (
		lines    []line
		names    []string
		nox, noy []string // who spent nothing of x, who has no value
		xs, ys   span     // of what is drawn
	)
	for _, g := range groups {
		l := summarise(g.runs, ax, cut, floor, said.quantiles)
		switch {
		case len(l.xy) > 0:
			lines, names = append(lines, l), append(names, g.name)
			for _, p := range l.xy {
				xs.add(p.x)
				ys.add(p.y)
			}
		case g.counted:
			noy = append(noy, g.name)
		default:
			nox = append(nox, g.name)
		}
	}
	for i, s := range assign(names) {
		l, j := condense(lines[i], ax, xs, ys)
		l.name, l.style = names[i], s
		lines[i], said.jitters = l, said.jitters || j
	}
	said.empty = len(lines) == 0

	none := func(label string, names []string) string {
		if len(names) == 0 {
			return label
		}
		return label + " (" + strings.Join(names, ", ") + ": none)"
	}
	p := newPlot(said.title(datas), none(x.Label, nox), none(y.Label, noy), ax.logx, ax.logy)
	addLines(p, lines, false)
	return p
}

// scales returns which axes are logarithmic, judged by all values of all runs,
// and the least x and y to be drawn.
func scales(x fwrate.Count, y Curve, groups []*group) (ax axes, cut, floor float64) {
	var xs, ys span
	for _, g := range groups {
		for _, r := range g.runs {
			for _, p := range r {
				xs.add(p.x)
				if !y.Log || p.y >= Floor {
					ys.add(p.y)
				}
			}
		}
	}
	ax.logx = xs.pos > 0 && xs.hi >= manyDecades*xs.pos
	ax.logy = y.Log || ys.lo > 0 && ys.hi >= manyDecades*ys.lo
	cut, floor = math.Inf(-1), math.Inf(-1)
	if y.Log {
		floor = Floor
	}
	if ax.logx {
		cut = xs.pos
		if x.Label == fwrate.Seconds.Label {
			cut = max(cut, xs.hi/1e4)
		}
	}
	return ax, cut, floor
}

// remarks are what the title says of the lines.
type remarks struct {
	seeds        span // of the methods that have several
	quantiles    bool // each of these has ten
	jitters      bool // lines stand for several points of a run
	under, below bool // values were left out; negative ones
	empty        bool
}

// look takes notice of a method's runs.
func (s *remarks) look(g *group, y Curve, floor float64) {
	if len(g.runs) > 1 {
		s.seeds.add(float64(len(g.runs)))
		s.quantiles = s.quantiles && len(g.runs) >= 10
	}
	for _, r := range g.runs {
		for _, p := range r {
			s.under = s.under || p.y < floor
			s.below = s.below || y.Log && p.y < -Floor
		}
	}
}

// title returns the names of the data and the remarks.
func (s *remarks) title(datas []string) string {
	var notes []string
	how := "median and range"
	if s.seeds.n > 0 {
		if s.quantiles {
			how = "median and 10–90 %"
		}
		of := fmt.Sprintf("%g", s.seeds.lo)
		if s.seeds.hi > s.seeds.lo {
			of += fmt.Sprintf(" to %g", s.seeds.hi)
		}
		how += " of " + of + " seeds"
		if s.jitters {
			how += ", of one run: range of nearby points"
		}
		notes = append(notes, how)
	} else if s.jitters {
		notes = append(notes, how+" of nearby points")
	}
	if s.below {
		notes = append(notes, "negative values left out")
	} else if s.under {
		notes = append(notes, "values under "+number(Floor, 1)+" left out")
	}
	if s.empty {
		notes = append(notes, "nothing to draw")
	}
	title := strings.Join(datas, ", ")
	if len(notes) > 0 {
		if title != "" {
			title += ": "
		}
		title += strings.Join(notes, "; ")
	}
	return title
}

// Bound draws an upper bound y ≤ f(x) over the plot's horizontal range, dashed in grey, with
// its name at its end, shades what it forbids, which is all above, and widens the vertical
// range to show it. Where f is not a number that the axis can show nothing is drawn.
func Bound(p *plot.Plot, name string, f func(x float64) float64) { bound(p, name, f, above) }

// LowerBound draws a lower bound y ≥ f(x) as Bound does an upper one: all below is shaded.
func LowerBound(p *plot.Plot, name string, f func(x float64) float64) { bound(p, name, f, below) }

func bound(p *plot.Plot, name string, f func(x float64) float64, forbids side) {
	l := sampled(p, name, boundStyle, f)
	l.forbids = forbids
	addLines(p, []line{l}, true)
}

// Theory draws a prediction y = f(x) as Bound does a bound, as a grey line.
func Theory(p *plot.Plot, name string, f func(x float64) float64) {
	addLines(p, []line{sampled(p, name, theoryStyle, f)}, true)
}

// sampled returns y = f(x) over the plot's horizontal range.
func sampled(p *plot.Plot, name string, style draw.LineStyle, f func(x float64) float64) line {
	need.Given("fwplot", "the plot of "+name, p == nil)
	need.Given("fwplot", "the function "+name, f == nil)
	const n = 256
	_, logx := p.X.Scale.(logScale)
	_, logy := p.Y.Scale.(logScale)
	l := line{name: name, style: style}
	lo, hi := p.X.Min, p.X.Max
	if logx {
		lo, hi = math.Log(lo), math.Log(hi)
	}
	for i := range n + 1 {
		x := lo + (hi-lo)*float64(i)/n
		if logx {
			x = math.Exp(x)
		}
		x = min(max(x, p.X.Min), p.X.Max)
		if y := f(x); finite(x) && finite(y) && (!logy || y >= Floor) {
			l.xy, l.last = append(l.xy, xy{x, y}), y
		}
	}
	return l
}

type xy struct{ x, y float64 }

// group is the runs of one method.
type group struct {
	name, data string
	counted    bool // the horizontal coordinate leaves zero
	runs       [][]xy
}

// collect sorts the traces into groups, in order of appearance, and keeps of
// each the finite points, the last one of several at the same x.
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
			g.add(x, y, tr.Points)
		}
	}
	return groups, datas
}

// add adds the points of a run that can be drawn.
func (g *group) add(x fwrate.Count, y Curve, points []fwopt.Point) {
	var run []xy
	for _, p := range points {
		q := xy{x.Of(p), y.Of(p)}
		g.counted = g.counted || q.x > 0
		if !finite(q.x) || !finite(q.y) || q.x < 0 {
			continue
		}
		switch n := len(run); {
		case n == 0 || q.x > run[n-1].x:
			run = append(run, q)
		case q.x == run[n-1].x:
			run[n-1] = q
		}
	}
	if len(run) > 0 && run[len(run)-1].x > 0 {
		g.runs = append(g.runs, run)
	}
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// span is the range of the values added to it, and the least positive one.
type span struct {
	n           int
	lo, hi, pos float64
}

func (s *span) add(v float64) {
	if s.n == 0 {
		s.lo, s.hi = v, v
	}
	s.n++
	s.lo, s.hi = min(s.lo, v), max(s.hi, v)
	if v > 0 && (s.pos == 0 || v < s.pos) {
		s.pos = v
	}
}
