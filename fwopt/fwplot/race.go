package fwplot

import (
	"fmt"
	"math"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwnb"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"gonum.org/v1/plot"
)

// Epochs draws the mean gaps of races on a logarithmic axis, at their checkpoints, the ends of epochs.
func Epochs(title string, races ...fwrate.Runs) *plot.Plot {
	var lines []Series
	for _, r := range races {
		l := Series{Name: r.Name, Y: r.Gaps()}
		for _, q := range r.Draws[0][0] {
			l.X = append(l.X, float64(q.T))
		}
		lines = append(lines, l)
	}
	return Lines(title, "epoch t", "gap", false, true, lines...)
}

// Costs is the mean of a count against 1/(mean gap), for Lines, at the checkpoints. Where the mean gap rises
// Lines cannot draw it.
func Costs(r fwrate.Runs, y fwrate.Count) Series {
	s := Series{r.Name, r.Gaps(), r.Mean(y.Of)}
	for i, gap := range s.X {
		s.X[i] = 1 / gap
	}
	return s
}

// Raced is what Race returns: methods that have run on one problem.
type Raced struct {
	Traces []*fwopt.Trace
	Terms  int // n, of the sum
}

// Race runs methods one after the other on one problem, each from seed 1 within the budget, by fwnb.Run:
// results are kept, and Stop keeps the rest for the next time. They begin at f.First(), if f has that method
// and it is not nil, as the sums of fwinst, and else at w_0 of line 3. A method is named by its String, or
// else by its type; those of one name are told apart by a number.
//
//	fwplot.Race(f, omega, fwopt.Budget{Linear: 1000, DualityGap: true},
//		&fwopt.FW{}, fwopt.SVRFExperiments()).Show()
func Race(f fwopt.FiniteSum, omega fwopt.Domain, b fwopt.Budget, methods ...fwopt.Method) Raced {
	r := Raced{Terms: fwopt.NewOracle(f, omega, 1).F.Len()}
	times := map[string]int{}
	for _, m := range methods {
		o := fwopt.NewOracle(f, omega, 1)
		if s, ok := f.(interface{ First() []float64 }); ok {
			o.From(s.First())
		}
		tr := fwnb.Run(o, m, b)
		if times[tr.Method]++; times[tr.Method] > 1 {
			tr.Method += fmt.Sprintf(", %d", times[tr.Method])
		}
		r.Traces = append(r.Traces, tr)
	}
	return r
}

// Plot is the figure of the race: the duality gap if it was recorded, else f, against gradients of terms.
func (r Raced) Plot() *plot.Plot {
	y := Loss()
	for _, tr := range r.Traces {
		if !math.IsNaN(tr.Last().DualityGap) {
			y = DualityGap()
		}
	}
	return Traces(fwrate.Terms(r.Terms), y, r.Traces...)
}

// Show displays the figure, and below it the table of where the runs ended, fwrate.Summary.
func (r Raced) Show() {
	Show(r.Plot())
	fwnb.Table(fwrate.Summary(r.Traces...)...)
}
