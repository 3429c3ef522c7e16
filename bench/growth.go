package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
)

// growing is a line of growth.csv: one size of one kernel.
type growing struct {
	kernel, in  string  // what grows
	from, size  int     // of that: the smallest, and this one
	seconds     float64 // of one call
	memory      float64 // the seconds that its memory traffic takes at that size, up to a constant
	exponent    float64 // of seconds over the sizes
	net         float64 // of seconds after division by what a byte costs at that size
	want, slack float64 // the exponent of the doc comment, and how much more is allowed
}

// growth measures five doublings of n, nonzeros, m, h and rank.
func (b *bench) growth() (all []growing) {
	if !roofs || !b.wanted("growth") {
		return nil
	}
	// one adds a kernel: make returns the work at a size, its seconds if memory alone
	// counted, and the bytes or rows behind them.
	one := func(kernel, in string, from int, want float64, make func(size int) (f func(), memory, traffic float64)) {
		first := len(all)
		doublings := 5
		if b.quick {
			doublings = 1
		}
		var logs, times, nets []float64
		for i := 0; i <= doublings; i++ {
			size := from << i
			f, memory, traffic := make(size)
			g := growing{kernel: kernel, in: in, from: from, size: size, seconds: b.seconds(f), memory: memory, want: want, slack: 0.1}
			logs, times = append(logs, math.Log(float64(size))), append(times, math.Log(g.seconds))
			nets = append(nets, math.Log(g.seconds*traffic/memory))
			all = append(all, g)
		}
		for i := first; i < len(all); i++ {
			all[i].exponent, all[i].net = slope(logs, times), slope(logs, nets)
		}
		g := all[first]
		fmt.Printf("growth     %-20s in %-10s exponent %.2f, after division by bandwidth %.2f (want %.0f)\n", kernel, in, g.exponent, g.net, want)
	}
	const h, m, n, row = 20, 20000, 4000, 80
	sum := func(n, m, h, row int) (func(), float64, float64) {
		x := randomRows(n, m, row)
		f := fwsum.NewLogistic(x, make([]int, n), h)
		w, g := normals(1, m*h, 0.1), make([]float64, m*h)
		forward, backward := b.passTimes(x, h)
		return func() { f.Grad(g, w, fwopt.Batch{}) }, forward + backward, float64(n * row * h)
	}
	one("exact gradient", "n", 1000, 1, func(s int) (func(), float64, float64) { return sum(s, m, h, row) })
	one("exact gradient", "nonzeros", 10, 1, func(s int) (func(), float64, float64) { return sum(n, m, h, s) })
	one("exact gradient", "h", 4, 1, func(s int) (func(), float64, float64) { return sum(n, m, s, row) })
	argmin := func(h, m int) (func(), float64, float64) {
		ball, a := fwset.TraceNorm{H: h, M: m, Tau: 50}, normals(2, h*m, 1)
		var v fwset.Vertex
		size := 8 * h * m
		return func() { ball.ArgminVertex(&v, a, 0, nil) }, float64(size) / b.readRate(size), float64(size)
	}
	one("linear optimisation", "m", 2000, 1, func(s int) (func(), float64, float64) { return argmin(20, s) })
	one("linear optimisation", "h", 2, 2, func(s int) (func(), float64, float64) { return argmin(s, 20000) })
	step := func(h, m int) (func(), float64, float64) {
		f, _, _ := argmin(h, m)
		f()
		ball, a, x := fwset.TraceNorm{H: h, M: m, Tau: 50}, normals(2, h*m, 1), make([]float64, h*m)
		var v fwset.Vertex
		ball.ArgminVertex(&v, a, 0, nil)
		size := 8 * h * m
		return func() { v.Lerp(x, 0.1) }, 2 * float64(size) / b.updateRate(size), float64(size)
	}
	one("step to a vertex", "m", 2000, 1, func(s int) (func(), float64, float64) { return step(20, s) })
	project := func(h, m, rank int) (func(), float64, float64) {
		a := lowRank(h, m, rank)
		ball, dst := fwset.TraceNorm{H: h, M: m, Tau: 0.9 * fwset.TraceNorm{H: h, M: m, Tau: 1}.Gauge(a)}, make([]float64, h*m)
		size := 8 * h * m
		return func() { ball.Project(dst, a) }, 3 * float64(size) / b.readRate(size), float64(size)
	}
	one("projection", "m", 2000, 1, func(s int) (func(), float64, float64) { return project(20, s, 20) })
	one("projection 500 x 500", "rank", 5, 1, func(s int) (func(), float64, float64) { return project(500, 500, s) })
	return all
}

// slope is that of the line of least squares through the points.
func slope(x, y []float64) float64 {
	n, sx, sy, sxx, sxy := float64(len(x)), 0., 0., 0., 0.
	for i := range x {
		sx, sy, sxx, sxy = sx+x[i], sy+y[i], sxx+x[i]*x[i], sxy+x[i]*y[i]
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// randomRows is a matrix with so many nonzeros a row, at random.
func randomRows(n, m, row int) *fwsum.Sparse {
	rng := rand.New(rand.NewPCG(3, 4))
	x := &fwsum.Sparse{N: n, M: m, Ptr: []int{0}}
	for range n {
		for k := range row { // one in each of so many equal parts of the columns
			lo, hi := k*m/row, (k+1)*m/row
			x.Col, x.Val = append(x.Col, int32(lo+rng.IntN(hi-lo))), append(x.Val, 1/math.Sqrt(float64(row)))
		}
		x.Ptr = append(x.Ptr, len(x.Col))
	}
	return x
}

// lowRank is a Gaussian matrix of this rank, and a little of all others.
func lowRank(h, m, rank int) []float64 {
	a := normals(5, h*m, 1e-4)
	u, v := normals(6, h*rank, 1), normals(7, m*rank, 1)
	var x fwset.Vertex
	for r := range rank {
		left, right := x.SetRankOne(h, m)
		copy(left, u[r*h:(r+1)*h])
		copy(right, v[r*m:(r+1)*m])
		x.AddTo(a, 1)
	}
	return a
}
