package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"gonum.org/v1/gonum/stat"
)

// load is the work of a kernel at a size, its seconds if memory alone counted, up to a constant, and the
// bytes or rows behind them.
type load struct {
	f               func()
	memory, traffic float64
}

// growth measures five doublings of n, nonzeros, m, h and rank.
func (b *bench) growth() {
	if !roofs || !b.wanted("growth") {
		return
	}
	doublings := 5
	if b.quick {
		doublings = 1
	}
	// one adds a kernel, whose doc comment wants this exponent, or 0.1 more; net is the one after division by
	// what a byte costs at each size.
	one := func(kernel, in string, from int, want float64, make func(size int) load) {
		var logs, times, nets, memories []float64
		for i := range doublings + 1 {
			l := make(from << i)
			seconds := math.Log(b.seconds(l.f))
			logs, times = append(logs, math.Log(float64(from<<i))), append(times, seconds)
			nets, memories = append(nets, seconds+math.Log(l.traffic/l.memory)), append(memories, l.memory)
		}
		_, exponent := stat.LinearRegression(logs, times, nil, false)
		_, net := stat.LinearRegression(logs, nets, nil, false)
		for i, memory := range memories {
			b.add("growth", kernel, in, from, from<<i, i == doublings, math.Exp(times[i]), memory,
				exponent, net, want, 0.1)
		}
		fmt.Printf("growth     %-20s in %-10s exponent %.2f, after division by bandwidth %.2f (want %.0f)\n",
			kernel, in, exponent, net, want)
	}
	const h, m, n, row = 20, 20000, 4000, 80
	sum := func(n, m, h, row int) load {
		x := randomRows(n, m, row)
		f := fwsum.NewLogistic(x, make([]int, n), h)
		w, g := normals(1, m*h, 0.1), make([]float64, m*h)
		forward, backward := b.passTimes(x, h)
		return load{func() { f.Grad(g, w, fwopt.Batch{}) }, forward + backward, float64(n * row * h)}
	}
	one("exact gradient", "n", 1000, 1, func(s int) load { return sum(s, m, h, row) })
	one("exact gradient", "nonzeros", 10, 1, func(s int) load { return sum(n, m, h, s) })
	one("exact gradient", "h", 4, 1, func(s int) load { return sum(n, m, s, row) })
	passes := func(n, size int, rate func(int) float64, f func()) load {
		return load{f, float64(n*size) / rate(size), float64(size)}
	}
	argmin := func(h, m int) load {
		ball, a, v := fwset.TraceNorm{H: h, M: m, Tau: 50}, normals(2, h*m, 1), fwset.Vertex{}
		return passes(1, 8*h*m, b.readRate, func() { ball.ArgminVertex(&v, a, 0, nil) })
	}
	one("linear optimisation", "m", 2000, 1, func(s int) load { return argmin(20, s) })
	one("linear optimisation", "h", 2, 2, func(s int) load { return argmin(s, 20000) })
	one("step to a vertex", "m", 2000, 1, func(m int) load {
		d, x, v := 20*m, make([]float64, 20*m), fwset.Vertex{}
		fwset.TraceNorm{H: 20, M: m, Tau: 50}.ArgminVertex(&v, normals(2, d, 1), 0, nil)
		return passes(2, 8*d, b.updateRate, func() { v.Lerp(x, 0.1) })
	})
	project := func(h, m, rank int) load {
		a := lowRank(h, m, rank)
		ball, dst := fwset.TraceNorm{H: h, M: m, Tau: 1}, make([]float64, h*m)
		ball.Tau = 0.9 * ball.Gauge(a)
		return passes(3, 8*h*m, b.readRate, func() { ball.Project(dst, a) })
	}
	one("projection", "m", 2000, 1, func(s int) load { return project(20, s, 20) })
	one("projection 500 x 500", "rank", 5, 1, func(s int) load { return project(500, 500, s) })
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
