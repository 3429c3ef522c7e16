package fwplot

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// contours returns n level lines of f in the part of the domain that is in view or near it,
// as polylines. gonum's Contour knows rectangles only, and keeps its lines to itself.
func (s *Scene) contours(f func(w []float64) float64, n int) (lines [][]xy) {
	const cells = 160
	xs, ys := spans(s.rim)
	wide, high := s.X.Max-s.X.Min, s.Y.Max-s.Y.Min // a view gets wider to be square
	x0, x1 := max(xs.lo, s.X.Min-wide/2), min(xs.hi, s.X.Max+wide/2)
	y0, y1 := max(ys.lo, s.Y.Min-high/2), min(ys.hi, s.Y.Max+high/2)

	type node struct {
		xy
		f float64
	}
	base, w := s.see(s.at), make([]float64, len(s.at))
	var nodes [cells + 1][cells + 1]node
	var all span
	for i := range nodes {
		for j := range nodes[i] {
			p := xy{mix(x0, x1, float64(i)/cells), mix(y0, y1, float64(j)/cells)}
			floats.AddScaledTo(w, s.at, p.x-base.x, s.x)
			floats.AddScaled(w, p.y-base.y, s.y)
			v := f(w)
			if nodes[i][j] = (node{p, v}); finite(v) {
				all.add(v)
			}
		}
	}
	for k := range n {
		level := mix(all.lo, all.hi, math.Pow((float64(k)+0.5)/float64(n), 2))
		var segs [][2]xy
		cut := func(corners ...node) { // a triangle is crossed along one segment, or not at all
			var ends []xy
			for i, p := range corners {
				q := corners[(i+1)%3]
				if p.f >= level { // both triangles at an edge find the same point
					p, q = q, p
				}
				if p.f < level && q.f >= level {
					t := (level - p.f) / (q.f - p.f)
					ends = append(ends, xy{mix(p.x, q.x, t), mix(p.y, q.y, t)})
				}
			}
			if len(ends) == 2 && finite(ends[0].x+ends[1].x) {
				if a, b, ok := inside(s.rim, ends[0], ends[1]); ok {
					segs = append(segs, [2]xy{a, b})
				}
			}
		}
		for i := range cells {
			for j := range cells {
				a, b, c, d := nodes[i][j], nodes[i+1][j], nodes[i+1][j+1], nodes[i][j+1]
				cut(a, b, c)
				cut(a, c, d)
			}
		}
		lines = append(lines, joined(segs)...)
	}
	return lines
}

// inside returns the part of a segment in a convex polygon, counter-clockwise, if any.
func inside(rim []xy, a, b xy) (from, to xy, ok bool) {
	t0, t1 := 0.0, 1.0
	for i, p := range rim {
		q := rim[(i+1)%len(rim)]
		turn := func(r xy) float64 { return (q.x-p.x)*(r.y-p.y) - (q.y-p.y)*(r.x-p.x) }
		fa, fb := turn(a), turn(b)
		switch {
		case fa < 0 && fb < 0:
			return from, to, false
		case fa < 0:
			t0 = max(t0, fa/(fa-fb))
		case fb < 0:
			t1 = min(t1, fa/(fa-fb))
		}
	}
	return xy{mix(a.x, b.x, t0), mix(a.y, b.y, t0)}, xy{mix(a.x, b.x, t1), mix(a.y, b.y, t1)}, t0 < t1
}

// joined returns the polylines that segments make.
func joined(segs [][2]xy) (lines [][]xy) {
	at := map[xy][]int{} // the segments that end there
	for i, s := range segs {
		for _, end := range s {
			at[end] = append(at[end], i)
		}
	}
	used := make([]bool, len(segs))
	walk := func(line []xy) []xy { // on from its end
		for {
			end := line[len(line)-1]
			next := slices.IndexFunc(at[end], func(i int) bool { return !used[i] })
			if next < 0 {
				return line
			}
			i := at[end][next]
			used[i] = true
			if s := segs[i]; s[0] == end {
				line = append(line, s[1])
			} else {
				line = append(line, s[0])
			}
		}
	}
	for i, s := range segs {
		if !used[i] {
			line := walk([]xy{s[0]}) // one way, and from its first point the other
			slices.Reverse(line)
			lines = append(lines, walk(line))
		}
	}
	return lines
}
