package fwplot

import (
	"math"
	"slices"
)

const (
	columns = 200  // a line has at most so many points, one for every two of the figure's
	gridMax = 8192 // places where a median over seeds is computed
)

// axes are the coordinates in which a figure is straight: logarithms or values.
type axes struct{ logx, logy bool }

func (a axes) x(v float64) float64 { return forth(a.logx, v) }
func (a axes) y(v float64) float64 { return forth(a.logy, v) }

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

// summarise returns the line of one method: the run itself if there is one, and
// else the pointwise median of the runs with their range or their 10 and 90 %
// quantiles. Points with x < cut or y < floor are left out. Between its points
// a run is the straight segment that the axes show.
func summarise(runs [][]xy, a axes, cut, floor float64, quantiles bool) (l line) {
	if len(runs) == 1 {
		for _, p := range runs[0] {
			if p.x >= cut && p.y >= floor {
				l.xy = append(l.xy, p)
			}
		}
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
			y := math.Inf(-1) // stands for: lower than all that is drawn
			if p.y >= floor {
				y = a.y(p.y)
			}
			q = append(q, xy{a.x(p.x), y})
			grid = append(grid, a.x(p.x))
		}
		if len(q) > 0 {
			own = append(own, q)
			starts, ends = append(starts, q[0].x), append(ends, q[len(q)-1].x)
		}
	}
	if len(own) == 0 {
		return l
	}
	slices.Sort(ends)
	last := ends[len(ends)/2]
	first := min(max(slices.Max(starts), forth(a.logx, cut)), last)
	slices.Sort(grid)
	grid = slices.Compact(grid)
	i, _ := slices.BinarySearch(grid, first)
	j, _ := slices.BinarySearch(grid, last)
	grid = grid[i : j+1]

	at := make([]int, len(own)) // where each run is among its points
	vs := make([]float64, len(own))
	qlo, qhi := 0.0, 1.0
	if quantiles {
		qlo, qhi = 0.1, 0.9
	}
	every := 1 + len(grid)/gridMax
	for i, x := range grid {
		if i%every != 0 && i < len(grid)-1 {
			continue
		}
		for s, q := range own {
			for at[s]+1 < len(q) && q[at[s]+1].x <= x {
				at[s]++
			}
			vs[s] = interpolate(q, at[s], x)
		}
		slices.Sort(vs)
		mid := quantile(vs, 0.5)
		if math.IsInf(mid, -1) {
			continue
		}
		l.xy = append(l.xy, xy{back(a.logx, x), back(a.logy, mid)})
		l.lo = append(l.lo, back(a.logy, quantile(vs, qlo))) // exp(−∞) = 0
		l.hi = append(l.hi, back(a.logy, quantile(vs, qhi)))
	}
	return l
}

// interpolate returns the value at x of the segment that begins at q[i], and
// the last value after the last point.
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

// quantile returns the q-quantile of the sorted values: linear between order
// statistics, as in numpy.
func quantile(sorted []float64, q float64) float64 {
	h := q * float64(len(sorted)-1)
	i := min(int(h), len(sorted)-1)
	return mix(sorted[i], sorted[min(i+1, len(sorted)-1)], h-float64(i))
}

// condense returns l with at most one point in each column of the figure, whose
// horizontal range is xs and vertical range ys: the median of the values there,
// with a band as wide as all of them. The first point stays as it is, and the
// line goes as far as l. It reports whether l jitters within columns rather than
// just moves.
func condense(l line, a axes, xs, ys span) (out line, jitters bool) {
	out = line{name: l.name, style: l.style, last: l.xy[len(l.xy)-1].y}
	x0, width := a.x(xs.lo), (a.x(xs.hi)-a.x(xs.lo))/columns
	col := func(i int) int {
		if i == 0 {
			return -1
		}
		return min(int((a.x(l.xy[i].x)-x0)/width), columns-1)
	}
	var in []float64
	for i := 0; i < len(l.xy); {
		j := i + 1
		for j < len(l.xy) && col(j) == col(i) {
			j++
		}
		in = in[:0]
		lo, hi := math.Inf(1), math.Inf(-1)
		for k := i; k < j; k++ {
			in = append(in, l.xy[k].y)
			if l.lo != nil {
				lo, hi = min(lo, l.lo[k]), max(hi, l.hi[k])
			}
		}
		slices.Sort(in)
		if l.lo == nil {
			lo, hi = in[0], in[len(in)-1]
			spread := a.y(hi) - a.y(lo)
			if drift := math.Abs(a.y(l.xy[j-1].y) - a.y(l.xy[i].y)); spread > 0.02*(a.y(ys.hi)-a.y(ys.lo)) && drift < spread/2 {
				jitters = true
			}
		}
		x := l.xy[(i+j-1)/2].x
		if j == len(l.xy) {
			x = l.xy[j-1].x
		}
		out.xy = append(out.xy, xy{x, in[(j-i)/2]})
		out.lo, out.hi = append(out.lo, lo), append(out.hi, hi)
		i = j
	}
	if l.lo == nil && !jitters {
		out.lo, out.hi = nil, nil
	}
	return out, jitters
}
