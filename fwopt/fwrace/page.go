package fwrace

import (
	"errors"
	"image/color"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwnb"
	"github.com/projection-free/fwlab/fwopt/fwplot"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Page is a page with races on data of its own, as notebooks/claims: how long they are, in full and
// in short, and where their archives are.
type Page struct {
	Name    string  // of the page
	Rows    int     // of a set in short runs; in full it has all
	Seconds float64 // of a run
	Short   float64 // of a short run
	Every   float64 // by this factor the steps of two records grow
}

// Load returns the set of that name, or where it is not on this machine its generated stand-in with so
// many rows. It panics where the set's file cannot be read.
func (p Page) Load(name string, twinRows int) *fwdata.Set {
	set, err := fwdata.Load(name)
	if errors.Is(err, fwdata.ErrNotHere) {
		set, err = fwdata.TwinN(name, twinRows, 1), nil
	}
	if err != nil {
		panic(need.Line(err.Error()))
	}
	if share := float64(p.Rows) / float64(set.N()); !fwnb.Full() && share < 1 {
		set, _ = set.Split(share, 1)
	}
	return set.UnitRows()
}

// Race returns Section 5 on a set, with τ = 50: New, with what the page chooses. In short it has two
// seeds, is tuned on one and on a coarse grid, and has few records: it shows that the code runs, and no
// more. Its data say so on every figure.
func (p Page) Race(set *fwdata.Set, name string) *Race {
	r := New(set.Logistic(), 50)
	r.Name, r.Run = p.Name+": "+name, fwnb.Run
	r.Budget = fwopt.Budget{Seconds: p.Seconds, Every: p.Every}
	if !fwnb.Full() {
		r.Data += ", short runs"
		r.Budget = fwopt.Budget{Seconds: p.Short, Every: 1.5}
		r.Seeds, r.Fewer, r.Grid, r.Accuracy, r.Epochs = 2, 1, Powers(-14, 10, 6), 1e-3, 0
	}
	return r
}

// Run makes a race and leaves its archive in races/, or of short runs in runs/. In full it does
// nothing where the archive is: take it away to race anew. It shows what went wrong.
func (p Page) Run(r *Race) {
	_, name, _ := strings.Cut(r.Name, ": ")
	if strings.Contains(r.Data, "generated") {
		name += "-generated"
	}
	file := fwnb.Pick("runs/", "races/") + name + ".csv"
	if _, err := os.Stat(file); err == nil && fwnb.Full() {
		fwnb.Markdown(file + " is here: take it away, and this cell races")
		return
	}
	a, err := r.Go()
	if err == nil {
		err = a.Save(file)
	}
	if err != nil {
		fwnb.Markdown(err.Error())
	}
}

// Read opens archives of the page: of the set itself, or where that is not in this clone of its
// generated stand-in, or of short runs here. It shows which are not here, and panics where one cannot be
// read.
func (p Page) Read(names ...string) (all []*Archive) {
	for _, name := range names {
		a, err := Open(p.Name+": "+name, "races/"+name+".csv", "races/"+name+"-generated.csv",
			"runs/"+name+".csv", "runs/"+name+"-generated.csv")
		switch {
		case err == nil:
			all = append(all, a)
		case errors.Is(err, fs.ErrNotExist):
			fwnb.Markdown(err.Error())
		default:
			panic(need.Line(err.Error()))
		}
	}
	return all
}

// Calls are linear optimisations, or projections of the methods that project.
var Calls = fwrate.Count{Label: "linear optimisations, or projections", Of: func(q fwopt.Point) float64 {
	return float64(q.Calls.Linear + q.Calls.Projections)
}}

// Plot draws f − f* of some runs against what they have spent, down to a tenth of the last level
// that is judged.
func (a *Archive) Plot(x fwrate.Count, runs ...*fwopt.Trace) *plot.Plot {
	p := fwplot.Traces(x, fwplot.Excess(a.Star), runs...)
	p.Y.Min = max(a.Within, levels[len(levels)-1]/10*(a.First-a.Star))
	return p
}

// draw draws the squares.
func (c choices) draw() *plot.Plot {
	p := fwplot.Lines("", "made otherwise", "", false, false)
	p.Add(c)
	down := slices.Clone(c.sentences)
	slices.Reverse(down)
	p.NominalY(down...)
	var names []string
	for _, name := range c.changes {
		if i := strings.LastIndex(name, " "); len(name) > 8 && i > 0 { // in two lines
			name = name[:i] + "\n" + name[i+1:]
		}
		names = append(names, name)
	}
	p.NominalX(names...)
	p.X.Min, p.X.Max = -0.5, float64(len(c.changes))-0.5
	p.Y.Min, p.Y.Max = -0.5, float64(len(down))-0.5
	return p
}

// shades are the colours of the effects.
var shades = [...]color.Color{same: color.White, others: color.RGBA{0xf2, 0xc1, 0x4e, 0xff},
	turns: color.RGBA{0x9e, 0x1b, 0x32, 0xff}}

// Plot makes choices a plot.Plotter.
func (c choices) Plot(on draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&on)
	edge := draw.LineStyle{Color: color.Gray{0x77}, Width: vg.Points(0.5)}
	for i, row := range c.effects {
		for j, all := range row {
			side := 0.8 * (x(1) - x(0)) / vg.Length(max(4, len(all)))
			for k, e := range all {
				at := vg.Point{X: x(float64(j)) + side*(vg.Length(k)-vg.Length(len(all))/2),
					Y: y(float64(len(c.effects)-1-i)) - side/2}
				box := vg.Rectangle{Min: at, Max: at.Add(vg.Point{X: 0.85 * side, Y: 0.85 * side})}
				on.SetColor(shades[e])
				on.Fill(box.Path())
				on.StrokeLines(edge, []vg.Point{box.Min, {X: box.Max.X, Y: box.Min.Y}, box.Max,
					{X: box.Min.X, Y: box.Max.Y}, box.Min})
			}
		}
	}
}
