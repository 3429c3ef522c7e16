package fwmin_test

import (
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt/fwmin"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// problem is one of those of testdata/solve.py, written a second time.
type problem struct {
	f      func(x []float64) float64
	grad   func(g, x []float64)
	a, c   [][]float64
	b, d   []float64
	lo, hi []float64 // nil where the set has bounds of its own
}

func (p problem) polytope() (*fwmin.Polytope, error) {
	return fwmin.NewPolytope(matrix(p.a), p.b, matrix(p.c), p.d, p.lo, p.hi)
}

func matrix(rows [][]float64) mat.Matrix {
	if len(rows) == 0 {
		return nil
	}
	return mat.NewDense(len(rows), len(rows[0]), slices.Concat(rows...))
}

func all(n int, v float64) []float64 { return slices.Repeat([]float64{v}, n) }

// squares is Σ_i t_i^p_i, t = Tx − s.
func squares(t [][]float64, s []float64, power ...float64) (func(x []float64) float64, func(g, x []float64)) {
	return func(x []float64) (sum float64) {
			for i, r := range t {
				sum += math.Pow(floats.Dot(r, x)-s[i], power[i])
			}
			return sum
		}, func(g, x []float64) {
			clear(g)
			for i, r := range t {
				floats.AddScaled(g, power[i]*math.Pow(floats.Dot(r, x)-s[i], power[i]-1), r)
			}
		}
}

// quadratic is xᵀQx/2 + qᵀx + c.
func quadratic(Q [][]float64, q []float64, c float64) (func(x []float64) float64, func(g, x []float64)) {
	return func(x []float64) float64 {
			sum := c + floats.Dot(q, x)
			for i, r := range Q {
				sum += x[i] * floats.Dot(r, x) / 2
			}
			return sum
		}, func(g, x []float64) {
			for i, r := range Q {
				g[i] = floats.Dot(r, x) + q[i]
			}
		}
}

// hockSchittkowski are the convex problems over polytopes, by their numbers.
func hockSchittkowski() map[string]problem {
	c52, d52 := [][]float64{{1, 3, 0, 0, 0}, {0, 0, 1, 1, -2}, {0, 1, 0, 0, -1}}, make([]float64, 3)
	ps := map[string]problem{
		"hs3": {lo: []float64{-20, 0}, hi: all(2, 20)},
		"hs4": {f: func(x []float64) float64 { return math.Pow(x[0]+1, 3)/3 + x[1] },
			grad: func(g, x []float64) { g[0], g[1] = (x[0]+1)*(x[0]+1), 1 },
			lo:   []float64{1, 0}, hi: all(2, 10)},
		"hs21": {a: [][]float64{{-10, 1}}, b: []float64{-10}, lo: []float64{2, -50}, hi: all(2, 50)},
		"hs28": {c: [][]float64{{1, 2, 3}}, d: []float64{1}, lo: all(3, -10), hi: all(3, 10)},
		"hs35": {a: [][]float64{{1, 1, 2}}, b: []float64{3}, lo: make([]float64, 3)},
		"hs48": {c: [][]float64{{1, 1, 1, 1, 1}, {0, 0, 1, -2, -2}}, d: []float64{5, -3}, lo: all(5, -10),
			hi: all(5, 10)},
		"hs49": {c: [][]float64{{1, 1, 1, 4, 0}, {0, 0, 1, 0, 5}}, d: []float64{7, 6}, lo: all(5, -10),
			hi: all(5, 10)},
		"hs50": {c: [][]float64{{1, 2, 3, 0, 0}, {0, 1, 2, 3, 0}, {0, 0, 1, 2, 3}}, d: all(3, 6), lo: all(5,
			-10),
			hi: all(5, 10)},
		"hs51": {c: c52, d: []float64{4, 0, 0}, lo: all(5, -10), hi: all(5, 10)},
		"hs52": {c: c52, d: d52, lo: all(5, -10), hi: all(5, 10)},
		"hs53": {c: c52, d: d52, lo: all(5, -10), hi: all(5, 10)},
		"hs76": {a: [][]float64{{1, 2, 1, 1}, {3, 1, 2, -1}, {0, -1, -4, 0}}, b: []float64{5, 4, -1.5},
			lo: make([]float64, 4)},
		"hs86": {a: [][]float64{{16, -2, 0, -1, 0}, {0, 2, 0, -0.4, -2}, {3.5, 0, -2, 0, 0}, {0, 2, 0, 4, 1},
			{0, 9, 2, -1, 2.8}, {-2, 0, 4, 0, 0}, {1, 1, 1, 1, 1}, {1, 2, 3, 2, 1}, {-1, -2, -3, -4, -5},
			{-1, -1, -1, -1, -1}}, b: []float64{40, 2, 0.25, 4, 4, 1, 40, 60, -5, -1}, lo: make([]float64,
			5)},
		"hs112": {c: [][]float64{{1, 2, 2, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0, 1, 2, 1, 1, 0, 0, 0},
			{0, 0, 1, 0, 0, 0, 1, 1, 2, 1}}, d: []float64{2, 1, 1}, lo: all(10, 1e-6), hi: all(10, 2)},
		"hs118": {lo: append([]float64{8, 43, 3}, make([]float64, 12)...),
			hi: append([]float64{21, 57, 16}, slices.Repeat([]float64{90, 120, 60}, 4)...)},
		"hs224": {a: [][]float64{{-1, -3}, {1, 3}, {-1, -1}, {1, 1}}, b: []float64{0, 18, 0, 8}, lo: all(2,
			0), hi: all(2, 6)},
		"hs268": {a: [][]float64{{1, 1, 1, 1, 1}, {-10, -10, 3, -5, -4}, {8, -1, 2, 5, -3}, {-8, 1, -2, -5,
			3},
			{4, 2, -3, 5, -1}}, b: []float64{5, -20, 40, -11, 30}, lo: all(5, -10), hi: all(5, 10)},
	}
	set := func(name string) func(f func([]float64) float64, grad func(g, x []float64)) {
		return func(f func([]float64) float64, grad func(g, x []float64)) {
			p := ps[name]
			p.f, p.grad = f, grad
			ps[name] = p
		}
	}
	set("hs3")(quadratic([][]float64{{2e-5, -2e-5}, {-2e-5, 2e-5}}, []float64{0, 1}, 0))
	set("hs21")(quadratic([][]float64{{0.02, 0}, {0, 2}}, make([]float64, 2), -100))
	set("hs28")(squares([][]float64{{1, 1, 0}, {0, 1, 1}}, make([]float64, 2), 2, 2))
	set("hs35")(quadratic([][]float64{{4, 2, 2}, {2, 4, 0}, {2, 0, 2}}, []float64{-8, -6, -4}, 9))
	set("hs48")(squares([][]float64{{1, 0, 0, 0, 0}, {0, 1, -1, 0, 0}, {0, 0, 0, 1, -1}}, []float64{1, 0,
		0}, 2, 2, 2))
	set("hs49")(squares([][]float64{{1, -1, 0, 0, 0}, {0, 0, 1, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 1}},
		[]float64{0, 1, 1, 1}, 2, 2, 4, 6))
	set("hs50")(squares([][]float64{{1, -1, 0, 0, 0}, {0, 1, -1, 0, 0}, {0, 0, 1, -1, 0}, {0, 0, 0, 1, -1}},
		make([]float64, 4), 2, 2, 4, 2))
	t51, s51 := [][]float64{{1, -1, 0, 0, 0}, {0, 1, 1, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 1}},
		[]float64{0, 2, 1, 1}
	set("hs51")(squares(t51, s51, 2, 2, 2, 2))
	set("hs52")(squares(append([][]float64{{4, -1, 0, 0, 0}}, t51[1:]...), s51, 2, 2, 2, 2))
	set("hs53")(squares(t51, s51, 2, 2, 2, 2))
	set("hs76")(quadratic([][]float64{{2, 0, -1, 0}, {0, 1, 0, 0}, {-1, 0, 2, 1}, {0, 0, 1, 1}},
		[]float64{-1, -3, 1, -1}, 0))

	f, grad := quadratic([][]float64{{60, -40, -20, 64, -20}, {-40, 78, -12, -62, 64}, {-20, -12, 20, -12,
		-20},
		{64, -62, -12, 78, -40}, {-20, 64, -20, -40, 60}}, []float64{-15, -27, -36, -18, -12}, 0)
	cubes := []float64{4, 8, 10, 6, 2}
	set("hs86")(func(x []float64) float64 {
		sum := f(x)
		for j, c := range cubes {
			sum += c * x[j] * x[j] * x[j]
		}
		return sum
	}, func(g, x []float64) {
		grad(g, x)
		for j, c := range cubes {
			g[j] += 3 * c * x[j] * x[j]
		}
	})

	c112 := []float64{-6.089, -17.164, -34.054, -5.914, -24.721, -14.986, -24.1, -10.708, -26.662, -22.179}
	set("hs112")(func(x []float64) (sum float64) {
		for j, c := range c112 {
			sum += x[j] * (c + math.Log(x[j]/floats.Sum(x)))
		}
		return sum
	}, func(g, x []float64) {
		for j, c := range c112 {
			g[j] = c + math.Log(x[j]/floats.Sum(x))
		}
	})

	Q, p := make([][]float64, 15), ps["hs118"]
	for j := range Q {
		Q[j] = make([]float64, 15)
		Q[j][j] = []float64{2e-4, 2e-4, 3e-4}[j%3]
	}
	row := func(least float64, at map[int]float64) {
		r := make([]float64, 15)
		for j, v := range at {
			r[j] = v
		}
		p.a, p.b = append(p.a, r), append(p.b, least)
	}
	for j := 3; j < 15; j++ {
		row([]float64{6, 7, 6}[j%3], map[int]float64{j: 1, j - 3: -1})
		row(7, map[int]float64{j: -1, j - 3: 1})
	}
	for k, least := range []float64{60, 50, 70, 85, 100} {
		row(-least, map[int]float64{3 * k: -1, 3*k + 1: -1, 3*k + 2: -1})
	}
	ps["hs118"] = p
	set("hs118")(quadratic(Q, slices.Repeat([]float64{2.3, 1.7, 2.2}, 5), 0))
	set("hs224")(quadratic([][]float64{{4, 0}, {0, 2}}, []float64{-48, -40}, 0))
	set("hs268")(quadratic([][]float64{{20394, -24908, -2026, 3896, 658}, {-24908, 41818, -3466, -9828, -372},
		{-2026, -3466, 3510, 2178, -348}, {3896, -9828, 2178, 3030, -44}, {658, -372, -348, -44, 54}},
		[]float64{18340, -34198, 4542, 8672, 86}, 14463))
	return ps
}

// draw is splitmix64.
type draw uint64

func (r *draw) int(lo, hi int) int {
	*r += 0x9E3779B97F4A7C15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return lo + int(((z^z>>31)>>33)%uint64(hi-lo+1))
}

func (r *draw) ints(rows, cols, lo, hi int) [][]float64 {
	a := make([][]float64, rows)
	for i := range a {
		for range cols {
			a[i] = append(a[i], float64(r.int(lo, hi)))
		}
	}
	return a
}

// programme is a random quadratic programme, of any rank.
func programme(k int) problem {
	r := draw(k)
	n := r.int(2, 30)
	M := r.ints(r.int(1, n+5), n, -5, 5)
	q, x := r.ints(1, n, -50, 50)[0], r.ints(1, n, -20, 20)[0]
	floats.Scale(0.1, x)
	p := problem{lo: all(n, -3), hi: all(n, 3)}
	p.a = r.ints(r.int(0, 2*n), n, -3, 3)
	p.c = r.ints(r.int(0, n/3), n, -3, 3)
	for i, s := range r.ints(1, len(p.a), 0, 30)[0] {
		p.b = append(p.b, floats.Dot(p.a[i], x)+s/10)
	}
	for _, row := range p.c {
		p.d = append(p.d, floats.Dot(row, x))
	}
	Q := make([][]float64, n)
	for i := range Q {
		Q[i] = make([]float64, n)
		for _, row := range M {
			floats.AddScaled(Q[i], row[i]/float64(n), row)
		}
	}
	p.f, p.grad = quadratic(Q, q, 0)
	return p
}
