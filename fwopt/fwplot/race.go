package fwplot

import (
	"math"

	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/plot"
)

// Epochs draws the mean gaps of races on a logarithmic axis, at their checkpoints, which are
// the ends of epochs.
func Epochs(title string, races ...fwrate.Race) *plot.Plot {
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

// Costs is the mean of a count, or of another axis, against 1/(mean gap), for Lines: a point
// a checkpoint. Where the mean gap rises Lines cannot draw it.
func Costs(r fwrate.Race, y Axis) Series {
	s := Series{r.Name, r.Gaps(), r.Mean(y.Of)}
	for i, gap := range s.X {
		s.X[i] = 1 / gap
	}
	return s
}

// At returns the value at x, between two points by a line of the logarithms: a power of x is
// met exactly. It is NaN where the series does not come to x.
func (s Series) At(x float64) float64 {
	if len(s.X) != len(s.Y) {
		panic(need.Linef("fwplot: %q has %d abscissas and %d values", s.Name, len(s.X), len(s.Y)))
	}
	for i := 1; i < len(s.X); i++ {
		if s.X[i-1] <= x && x <= s.X[i] {
			t := math.Log(x/s.X[i-1]) / math.Log(s.X[i]/s.X[i-1])
			return math.Exp((1-t)*math.Log(s.Y[i-1]) + t*math.Log(s.Y[i]))
		}
	}
	return math.NaN()
}
