package fwplot

import (
	"fmt"

	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// Tuning draws how sensitive a method is to the constant that was tuned: f at the end
// against its value, on a logarithmic axis where f > 0. A line is a round of
// fwrate.Tune, the median over the seeds with their range as its band; that of the last
// round, over the whole budget, is in the method's own style, the others are thin. A
// value at which a run diverged is left out. Of two constants the axis has the first, and
// each of its values the best of the second.
func Tuning(method string, t *fwrate.Tuning) *plot.Plot {
	if t == nil {
		panic(need.Line("fwplot: a Tuning that is nil: fwrate.Tune makes one"))
	}
	lines, ys := rounds(method, t)
	title := "best: " + number(t.Best, 4)
	if t.Second > 0 {
		title += ", " + number(t.Second, 4)
	}
	if len(t.Doubts) > 0 {
		title += ", in doubt"
	}
	p := newPlot(title, "value of the constant", "f at the end", true, ys.lo > 0)
	addLines(p, lines, false)
	return p
}

// rounds returns the line of each round, and the span of what is drawn.
func rounds(method string, t *fwrate.Tuning) (lines []line, ys span) {
	var names []string
	for _, round := range t.Rounds {
		l := line{dots: true}
		for _, p := range round {
			if !finite(p.Most) {
				continue
			}
			if n := len(l.xy); n > 0 && l.xy[n-1].x == p.C { // of two constants
				if l.xy[n-1].y <= p.Median {
					continue
				}
				l.xy, l.lo, l.hi = l.xy[:n-1], l.lo[:n-1], l.hi[:n-1]
			}
			l.xy, l.lo, l.hi, l.last = append(l.xy, xy{p.C, p.Median}), append(l.lo, p.Least), append(l.hi, p.Most), p.Median
			ys.add(p.Least)
			ys.add(p.Most)
		}
		if len(l.xy) == 0 {
			continue
		}
		name := method
		if share := round[0].Share; share < 1 {
			name = fmt.Sprintf("1/%g of the budget", 1/share)
		}
		lines, names = append(lines, l), append(names, name)
	}
	for i, s := range assign(names) {
		if names[i] != method {
			s.Width = vg.Points(1)
		}
		lines[i].name, lines[i].style = names[i], s
	}
	return lines, ys
}
