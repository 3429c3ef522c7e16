package fwmin

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
)

// constraints are Rx ≤ rhs.
type constraints struct {
	n    int // the length of x
	row  [][]float64
	rhs  []float64
	name []string
}

// add adds sign times the rows of a matrix.
func (c *constraints) add(name string, a mat.Matrix, b []float64, sign float64) {
	if ident.IsNil(a) {
		if len(b) > 0 {
			panic(need.Linef("fwmin: %d right-hand sides without a matrix %s", len(b), name))
		}
		return
	}
	rows, cols := a.Dims()
	if c.n == 0 {
		c.n = cols
	}
	if cols != c.n || rows != len(b) {
		panic(need.Linef("fwmin: %s is %d x %d, with %d right-hand sides and %d coordinates", name, rows,
			cols,
			len(b), c.n))
	}
	need.Finite("fwmin", "the right-hand sides of "+name, b)
	for i := range rows {
		r := mat.Row(nil, i, a)
		need.Finite("fwmin", fmt.Sprintf("row %d of %s", i, name), r)
		floats.Scale(sign, r)
		c.row, c.rhs = append(c.row, r), append(c.rhs, sign*b[i])
		c.name = append(c.name, fmt.Sprintf("row %d of %s", i, name))
	}
}

// bounds returns a copy of x, or infinite bounds for nil.
func (c *constraints) bounds(name string, x []float64, sign int) []float64 {
	if x == nil {
		return slices.Repeat([]float64{math.Inf(sign)}, c.n)
	}
	need.Len("fwmin", c.n, x)
	for j, v := range x {
		if math.IsNaN(v) || math.IsInf(v, -sign) {
			panic(need.Linef("fwmin: %s[%d] = %g", name, j, v))
		}
	}
	return slices.Clone(x)
}

// extend returns the polytope, with bounds that the set has by itself where lo or hi are infinite.
func (c *constraints) extend(lo, hi []float64) (p *Polytope, err error) {
	far := 1.
	for _, x := range slices.Concat(c.rhs, lo, hi) {
		if !math.IsInf(x, 0) {
			far = max(far, math.Abs(x))
		}
	}
	for _, scale := range []float64{1e3, 1e6, 1e9} {
		l, h, open := slices.Clone(lo), slices.Clone(hi), false
		for j := range l {
			open = open || math.IsInf(l[j], -1) || math.IsInf(h[j], 1)
			l[j], h[j] = max(l[j], -scale*far), min(h[j], scale*far)
		}
		if p, err = c.polytope(l, h); err == nil && open {
			if err = p.shrink(lo, hi, l, h); err == nil {
				p, err = c.polytope(l, h)
			}
		}
		if err == nil || !open {
			break
		}
	}
	return p, err
}

// shrink sets l and h to what p proves where lo or hi are infinite; an error tells where it goes on for ever.
func (p *Polytope) shrink(lo, hi, l, h []float64) error {
	rim := [2][]float64{slices.Clone(l), slices.Clone(h)}
	for j := range lo {
		for side, given := range [2]float64{lo[j], hi[j]} {
			if !math.IsInf(given, 0) {
				continue
			}
			g := make([]float64, len(lo))
			g[j] = float64(1 - 2*side)
			x, _, slack, err := p.solve(g)
			if err != nil {
				return err
			}
			if name := [2]string{"lo", "hi"}[side]; math.Abs(x[j]-rim[side][j]) < 1e-6*p.size[j] {
				return fmt.Errorf("fwmin: the set is unbounded: coordinate %d reaches %g; give NewPolytope a finite "+
					"%s[%d], so far off that the minimiser is within", j, rim[side][j], name, j)
			}
			x[j] -= g[j] * (slack + 1e-9*(1+math.Abs(x[j]))) // rounding must cut nothing off
			[2][]float64{l, h}[side][j] = x[j]
		}
	}
	return nil
}

// polytope returns the set within finite bounds, without what these imply.
func (c *constraints) polytope(lo, hi []float64) (*Polytope, error) {
	p := &Polytope{lo: slices.Clone(lo), size: make([]float64, c.n)}
	floats.SubTo(p.size, hi, lo)
	for side := range 2 {
		for j := range c.n {
			r := make([]float64, c.n)
			r[j] = float64(1 - 2*side)
			p.row, p.rhs = append(p.row, r), append(p.rhs, float64(1-side)) // y_j ≤ 1, −y_j ≤ 0
			p.name = append(p.name, fmt.Sprintf("%s[%d]", [2]string{"hi", "lo"}[side], j))
		}
	}
	for i, r := range c.row {
		y := floats.MulTo(make([]float64, c.n), r, p.size)
		rhs, most := c.rhs[i]-floats.Dot(r, lo), 0.
		for _, v := range y {
			most += max(0, v)
		}
		if most > rhs { // else it holds wherever lo and hi do
			large := floats.Norm(y, math.Inf(1))
			if large == 0 {
				return nil,
					fmt.Errorf("fwmin: the set is empty: %s cannot hold, by %g, where lo and hi do; loosen it",
						c.name[i], -rhs)
			}
			floats.Scale(1/large, y)
			p.row, p.rhs, p.name = append(p.row, y), append(p.rhs, rhs/large), append(p.name, c.name[i])
		}
	}
	p.dual = mat.NewDense(c.n, len(p.row), nil)
	for i, r := range p.row {
		p.dual.SetCol(i, r)
	}
	_, _, _, err := p.solve(make([]float64, c.n))
	if err == lp.ErrUnbounded {
		err = c.empty(lo, hi)
	}
	return p, err
}

// empty says which constraints contradict each other: those that keep t up in min t, Rx ≤ rhs + t, 0 ≤ t.
func (c *constraints) empty(lo, hi []float64) error {
	e, far := &constraints{n: c.n + 1, rhs: c.rhs, name: c.name}, 1.
	for i, r := range c.row {
		e.row = append(e.row, append(slices.Clone(r), -1))
		far = max(far, 2*(floats.Dot(r, lo)-c.rhs[i]))
	}
	p, err := e.polytope(append(slices.Clone(lo), 0), append(slices.Clone(hi), far))
	if err != nil {
		return err
	}
	g := make([]float64, e.n)
	g[c.n] = 1
	x, λ, _, err := p.solve(g)
	if err != nil {
		return err
	}
	var who []string
	for i, name := range p.name {
		if λ[i] > 1e-9 && !slices.Contains(who, name) {
			who = append(who, name)
		}
	}
	return fmt.Errorf("fwmin: the set is empty: %s contradict each other, by %.3g; loosen one of them",
		strings.Join(who, ", "), x[c.n])
}
