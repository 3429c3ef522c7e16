package fwplot

import (
	"math"
	"slices"
)

const columns = 200 // a line has at most so many points, one for every two of the figure's

// axes are the coordinates in which a figure is straight: logarithms or values.
type axes struct{ logx, logy bool }

func forth(log bool, v float64) float64 {
	if log {
		return math.Log(v)
	}
	return v
}

func back(log bool, v float64) float64 {
	if log {
		return math.Exp(v)
	}
	return v
}

// summarise returns the line of one method: the run itself if there is one, and else the pointwise median of
// the runs with their range or their 10 and 90 % quantiles. Points with x < a.cut or y < a.least are left
// out. Between its points a run is the straight segment that the axes show.
func summarise(runs [][]xy, a surveyed) (l series) {
	if len(runs) == 1 {
		out := func(p xy) bool { return p.x < a.cut || p.y < a.least }
		l.xy = slices.DeleteFunc(slices.Clone(runs[0]), out)
		return l
	}
	var own [][]xy // in the coordinates of the axes
	var starts, ends, grid []float64
	for _, r := range runs {
		var q []xy
		for _, p := range r {
			if a.logx && p.x <= 0 {
				continue
			}
			x, y := forth(a.logx, p.x), math.Inf(-1) // lower than all that is drawn
			if p.y >= a.least {
				y = forth(a.logy, p.y)
			}
			q, grid = append(q, xy{x, y}), append(grid, x)
		}
		own = append(own, q) // its last x is positive
		starts, ends = append(starts, q[0].x), append(ends, q[len(q)-1].x)
	}
	if len(own) == 0 {
		return l
	}
	slices.Sort(ends)
	slices.Sort(grid)
	last := ends[len(ends)/2]
	first := min(max(slices.Max(starts), forth(a.logx, a.cut)), last)
	qlo, qhi := 0.0, 1.0
	if a.quantiles {
		qlo, qhi = 0.1, 0.9
	}
	at, vs := make([]int, len(own)), make([]float64, len(own)) // where each run is, and its value
	for _, x := range slices.Compact(grid) {
		if x < first || x > last {
			continue
		}
		for s, q := range own {
			for at[s]+1 < len(q) && q[at[s]+1].x <= x {
				at[s]++
			}
			vs[s] = interpolate(q, at[s], x)
		}
		slices.Sort(vs)
		if mid := quantile(vs, 0.5); mid > math.Inf(-1) {
			l.xy = append(l.xy, xy{back(a.logx, x), back(a.logy, mid)})
			l.lo = append(l.lo, back(a.logy, quantile(vs, qlo))) // exp(−∞) = 0
			l.hi = append(l.hi, back(a.logy, quantile(vs, qhi)))
		}
	}
	return l
}

// interpolate returns the value at x of the segment that begins at q[i], and the last value after the last.
func interpolate(q []xy, i int, x float64) float64 {
	if i+1 == len(q) || x <= q[i].x {
		return q[i].y
	}
	return mix(q[i].y, q[i+1].y, (x-q[i].x)/(q[i+1].x-q[i].x))
}

// mix is (1−t)a + tb, also where a or b is −∞.
func mix(a, b, t float64) float64 {
	if t == 0 {
		return a
	}
	return (1-t)*a + t*b
}

// quantile returns the q-quantile of the sorted values: linear between order statistics, as in numpy.
func quantile(sorted []float64, q float64) float64 {
	h := q * float64(len(sorted)-1)
	i := min(int(h), len(sorted)-1)
	return mix(sorted[i], sorted[min(i+1, len(sorted)-1)], h-float64(i))
}

// condense returns l with at most one point in each column of a figure with the ranges xs and ys: the median
// of the values there, with a band as wide as all of them. The first and the last point stay as they are. It
// reports whether l jitters within columns rather than just moves.
func condense(l series, a axes, xs, ys span) (out series, jitters bool) {
	n := len(l.xy)
	out = series{name: l.name, last: l.xy[n-1].y}
	x0, y := forth(a.logx, xs.lo), func(v float64) float64 { return forth(a.logy, v) }
	width := (forth(a.logx, xs.hi) - x0) / columns
	col := func(i int) int {
		if i == 0 {
			return -1
		}
		return min(int((forth(a.logx, l.xy[i].x)-x0)/width), columns-1)
	}
	for i, j := 0, 1; i < n; i = j {
		for j = i + 1; j < n && col(j) == col(i); j++ {
		}
		var in []float64
		for _, p := range l.xy[i:j] {
			in = append(in, p.y)
		}
		slices.Sort(in)
		lo, hi := in[0], in[len(in)-1]
		if l.lo != nil {
			lo, hi = slices.Min(l.lo[i:j]), slices.Max(l.hi[i:j])
		} else if spread := y(hi) - y(lo); spread > 0.02*(y(ys.hi)-y(ys.lo)) {
			jitters = jitters || math.Abs(y(l.xy[j-1].y)-y(l.xy[i].y)) < spread/2
		}
		at := xy{l.xy[(i+j-1)/2].x, in[(j-i)/2]}
		if j == n {
			at = l.xy[j-1]
		}
		out.xy = append(out.xy, at)
		out.lo, out.hi = append(out.lo, lo), append(out.hi, hi)
	}
	if l.lo == nil && !jitters {
		out.lo, out.hi = nil, nil
	}
	return out, jitters
}

// span is the range of the values added to it, and the least positive one.
type span struct {
	n           int
	lo, hi, pos float64
}

func (s *span) add(values ...float64) {
	for _, v := range values {
		if s.n == 0 {
			s.lo, s.hi = v, v
		}
		s.n++
		s.lo, s.hi = min(s.lo, v), max(s.hi, v)
		if v > 0 && (s.pos == 0 || v < s.pos) {
			s.pos = v
		}
	}
}

// spans returns the ranges of points.
func spans(points []xy) (xs, ys span) {
	for _, p := range points {
		xs.add(p.x)
		ys.add(p.y)
	}
	return xs, ys
}
