package fwplot_test

import (
	"fmt"
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwinst"
	"github.com/projection-free/fwlab/fwopt/fwplot"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"gonum.org/v1/plot"
)

// run makes a trace whose f − 0.25 falls as k^-rate.
func run(method string, seed uint64, rate float64) *fwopt.Trace {
	tr := &fwopt.Trace{Method: method, Data: "digits", Seed: seed}
	for k := range 200 {
		tr.Points = append(tr.Points, fwopt.Point{
			Step:    k,
			Calls:   fwopt.Calls{Stochastic: 100 * k, Linear: k},
			Seconds: 0.01 * float64(k),
			F:       0.25 + float64(1+seed)*math.Pow(float64(k+1), -rate),
			Excess:  math.NaN(),
		})
	}
	return tr
}

// One call draws runs; the result is a plot to go on with. A bound is a dashed line with a name; what it
// forbids is shaded.
func ExampleTraces() {
	p := fwplot.Traces(fwrate.Steps, fwplot.Excess(0.25),
		run("SVRF", 0, 2), run("SVRF", 1, 2), run("SVRF", 2, 2))
	fwplot.Bound(p, "8/(k+2)", func(k float64) float64 { return 8 / (k + 2) })
	p.Title.Text += "; τ = 50"
	fmt.Println(fwplot.Grid([]*plot.Plot{p}).Alt)
	// Output:
	// digits: median and range of 3 seeds; τ = 50: f(w) − f* against steps ends at SVRF 5e−5, 8/(k+2) 0.0398.
}

// The same runs against three things.
func ExampleGrid() {
	var row []*plot.Plot
	for _, x := range []fwrate.Count{fwrate.Seconds, fwrate.Stochastic, fwrate.Linear} {
		row = append(row, fwplot.Traces(x, fwplot.Excess(0.25), run("SVRF", 0, 2), run("SFW", 0, 1)))
	}
	f := fwplot.Grid(row) // fwplot.Show(row...) shows it in a notebook, fwplot.Stack(row...) one below the other
	fmt.Println(f.Width, f.Height, len(f.PNG) < 100_000, len(f.SVG) < 100_000)
	// Output:
	// 840 388 true true
}

// How much faster one side is than the other, item by item.
func ExampleRatios() {
	p := fwplot.Ratios("theirs / ours", "times as fast",
		fwplot.Ratio{Name: "gradient", Mid: 1.8, Least: 1.6, Most: 2.1},
		fwplot.Ratio{Name: "projection", Mid: 0.8, Least: 0.7, Most: 0.9})
	f := fwplot.Grid([]*plot.Plot{p})
	fmt.Println(f.Width, f.Height, f.Alt)
	// Output:
	// 576 346 theirs / ours: times as fast, row by row.
}

// A measured rate beside its bound, with the theory's exponent.
func ExampleRate() {
	var runs [][]fwopt.Point
	for seed := range 3 {
		var run []fwopt.Point
		for t := 1; t <= 8; t++ {
			gap := math.Exp2(-float64(t)) / float64(9+(seed+t)%3)
			run = append(run, fwopt.Point{T: t, Calls: fwopt.Calls{Stochastic: 100 << (2 * t)}, Excess: gap})
		}
		runs = append(runs, run)
	}
	law := fwrate.Law{Count: fwrate.Stochastic, Power: 2,
		Bound: func(p fwopt.Point) float64 { return fwopt.Constants{L: 1, D: 1}.BoundEpoch(p.T) }}
	r, err := law.Measure(runs)
	if err != nil {
		fmt.Println(err)
		return
	}
	p := fwplot.Rate("MSC", "SVRF", r)
	fmt.Println(p.Title.Text)
	fmt.Println(r.Long)
	// Output:
	// MSC
	// 2.000 [1.929, 2.032]
}

// A step of Frank-Wolfe on your own domain, with level lines, a gradient and the steps of a run:
// fwplot.Show(s.Plot).
func ExampleScene() {
	f, omega := fwsum.NewQuadratic(2, nil, []float64{0.2, 0.1}), fwinst.Polygon{{-1, 0}, {1, 0}, {0, 1}}
	s := fwplot.NewScene("a triangle", omega, []float64{1, 0}, []float64{0, 1})
	s.Levels(f.Value, 8)
	s.Mark("w*", f.Center)
	way := [][]float64{{0, 1}}
	for step := range (&fwopt.FW{Rule: fwopt.LineSearch{}}).Steps(fwopt.NewOracle(f, omega, 1), way[0]) {
		if way = append(way, slices.Clone(step.X)); step.K == 20 {
			break
		}
	}
	s.Path("FW", way...)
	s.Arrow("−grad f", way[0], []float64{0.05, -0.25})
	s.Step("FW", way[0], []float64{1, 0}, 0.5)
	fmt.Println(fwplot.Grid([]*plot.Plot{s.Plot}).Alt)
	// Output:
	// a triangle: a picture of FW.
}

// A figure with a slider for a number of points; Show displays it.
func ExampleMoving() {
	fig := fwplot.Moving(func(v []float64) []*plot.Plot {
		l := fwplot.Series{Name: "FW"}
		for k := 1.; k <= v[0]; k++ {
			l.X, l.Y = append(l.X, k), append(l.Y, 1/k)
		}
		return []*plot.Plot{fwplot.Lines(fmt.Sprint(v[0], " steps"), "step", "gap", true, true, l)}
	}, fwplot.Slider{Name: "steps", Min: 10, Max: 100, Step: 10, Start: 50})
	fmt.Println(fig.Alt, len(fig.Vega) > 0)
	// Output:
	// 50 steps: gap against step ends at FW 0.02. true
}

// What a race cost, between its checkpoints too: the line for Lines, and a value on it.
func ExampleCosts() {
	var run []fwopt.Point
	for t := 1; t <= 8; t++ {
		run = append(run, fwopt.Point{T: t, Excess: math.Exp2(-float64(t)),
			Calls: fwopt.Calls{Stochastic: 1 << (2 * t)}})
	}
	race := fwrate.Runs{Name: "SVRF", Draws: [][][]fwopt.Point{{run}}}
	samples := fwplot.Costs(race, fwrate.Stochastic)
	p := fwplot.Lines("MSC", "1/gap", "samples", true, true, samples)
	fmt.Println(fwplot.Grid([]*plot.Plot{p}).Alt)
	fmt.Printf("samples for a gap of a hundredth: %.0f\n", samples.At(100))
	// Output:
	// MSC: samples against 1/gap ends at SVRF 65500.
	// samples for a gap of a hundredth: 10000
}

// A map of two roads, one of them over its capacity: fwplot.Show(p).
func ExampleRoads() {
	longitude, latitude := []float64{-96.77, -96.71}, []float64{43.61, 43.60}
	for i := range longitude {
		longitude[i] *= math.Cos(43.6 * math.Pi / 180) // a degree of longitude is shorter
	}
	p := fwplot.Roads("two roads", longitude, latitude, []fwplot.Road{
		{From: 0, To: 1, Flow: 4500, Full: 0.4}, {From: 1, To: 0, Flow: 900, Full: 1.2}})
	fmt.Println(fwplot.Grid([]*plot.Plot{p}).Alt)
	// Output:
	// two roads: a picture of less than half full, half full, over capacity, over 1.5 × capacity.
}
