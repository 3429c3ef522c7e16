package main

import (
	"encoding/binary"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
)

// data is a matrix with targets, in files for the other side.
type data struct {
	path    string
	n, m, h int
	x       fwsum.Features
	y       []float64
	w       []float64 // where the gradient is taken
}

// logistic is the sum over its rows, of h classes.
func (d data) logistic() *fwsum.Logistic {
	y := make([]int, len(d.y))
	for i, v := range d.y {
		y[i] = int(v)
	}
	return fwsum.NewLogistic(d.x, y, d.h)
}

// args are what the other side needs to know, and more.
func (d data) args(more map[string]any) map[string]any {
	a := map[string]any{"path": d.path, "n": d.n, "m": d.m}
	if d.h > 0 {
		a["h"] = d.h
	}
	maps.Copy(a, more)
	return a
}

func (b *bench) save(name string, h int, x fwsum.Features, y, w []float64) data {
	n, m := x.Size()
	d := data{filepath.Join(dir, name), n, m, h, x, y, w}
	writeNumbers(d.path+".y", y)
	writeNumbers(d.path+".w", w)
	switch x := x.(type) {
	case *fwsum.Sparse:
		ptr := make([]int64, len(x.Ptr))
		for i, p := range x.Ptr {
			ptr[i] = int64(p)
		}
		writeNumbers(d.path+".ptr", ptr)
		writeNumbers(d.path+".col", x.Col)
		writeNumbers(d.path+".val", x.Val)
	case *fwsum.Dense:
		writeNumbers(d.path+".val", x.Val)
	}
	return d
}

func writeNumbers(path string, v any) {
	b, err := binary.Append(nil, binary.LittleEndian, v)
	if err == nil {
		err = os.WriteFile(path, b, 0o666)
	}
	if err != nil {
		panic(err)
	}
}

// normals returns n independent standard normal numbers, times c.
func normals(seed uint64, n int, c float64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := make([]float64, n)
	for i := range x {
		x[i] = c * rng.NormFloat64()
	}
	return x
}

// news20 are all rows of news20, of length 1, or of its generated twin.
func (b *bench) news20() data {
	s, err := fwdata.LoadOrTwin("news20", 1)
	if err != nil {
		panic(err)
	}
	if b.quick {
		s, _ = s.Split(0.1, 1)
	}
	s = s.UnitRows()
	y := make([]float64, s.N())
	for i, l := range s.Y {
		y[i] = float64(l)
	}
	return b.save("news20", s.H(), s.X, y, normals(2, s.H()*s.M(), 5))
}

// multi is a Gaussian n × m matrix with labels by a truth of rank 5.
func (b *bench) multi(name string, n, m, h int) data {
	x := &fwsum.Dense{N: n, M: m, Val: normals(3, n*m, 1)}
	left, right, noise := normals(4, m*5, 1), normals(5, h*5, 1), normals(6, n*h, 2)
	y := make([]float64, n)
	for i := range y {
		var code [5]float64
		for j, v := range x.Row(i) {
			for k := range code {
				code[k] += v * left[5*j+k] / math.Sqrt(float64(m))
			}
		}
		best := math.Inf(-1)
		for l := range h {
			s := noise[i*h+l]
			for k, c := range code {
				s += c * right[5*l+k]
			}
			if s > best {
				best, y[i] = s, float64(l)
			}
		}
	}
	return b.save(name, h, x, y, normals(7, h*m, 0.1))
}

// soft is copt's own example: Gaussian 500 x 200, with targets anywhere in [0, 1].
func (b *bench) soft() data {
	rng := rand.New(rand.NewPCG(8, 1))
	y := make([]float64, 500)
	for i := range y {
		y[i] = rng.Float64()
	}
	return b.save("soft", 0, &fwsum.Dense{N: 500, M: 200, Val: normals(9, 500*200, 1)}, y, nil)
}

// words has the shape of rcv1: 74 words a row out of 47,236, few of them frequent.
func (b *bench) words() data {
	n, m := 20242, 47236
	if b.quick {
		n = 2000
	}
	rng := rand.New(rand.NewPCG(10, 1))
	x := &fwsum.Sparse{N: n, M: m, Ptr: []int{0}}
	truth := make([]float64, m)
	for range 200 {
		truth[cubed(rng, m)] = 10 * rng.NormFloat64()
	}
	y := make([]float64, n)
	row := map[int32]bool{}
	for i := range n {
		for clear(row); len(row) < 74; {
			row[int32(cubed(rng, m))] = true
		}
		s := 0.0
		for _, j := range slices.Sorted(maps.Keys(row)) {
			x.Col, x.Val = append(x.Col, j), append(x.Val, 1/math.Sqrt(74))
			s += truth[j] / math.Sqrt(74)
		}
		if rng.Float64() < 1/(1+math.Exp(-s)) {
			y[i] = 1
		}
		x.Ptr = append(x.Ptr, len(x.Col))
	}
	return b.save("words", 0, x, y, nil)
}

func cubed(rng *rand.Rand, m int) int {
	u := rng.Float64()
	return int(u * u * u * float64(m))
}

// smoothness returns an L of the logistic loss of two classes: λ_max(XᵀX)/4n, from above
// as far as 100 power steps find it.
func smoothness(d data) float64 {
	sum := fwsum.NewLeastSquares(d.x, make([]float64, d.n)) // its gradient is XᵀXw/n
	v, g, L := normals(11, d.m, 1), make([]float64, d.m), 0.0
	for range 100 {
		sum.Grad(g, v, fwopt.Batch{})
		L = probe(g)[0]
		for j := range v {
			v[j] = g[j] / L
		}
	}
	return 1.01 * L / 4
}

// sumItems are P5a, exact gradients and values.
func (b *bench) sumItems() (all []item) {
	news, n := b.news20(), 5000
	for t := range 2 {
		it := item{tol: 1e-9, threads: t + 1, args: news.args(nil), ownOne: t == 1}
		it.name, it.peer, it.start = "P5a gradient", "gradient", func() side { return startGradient(news) }
		all = append(all, it)
		it.name, it.peer, it.start = "P5a value", "value", func() side {
			f, v := news.logistic(), 0.0
			return side{func() { v = f.Value(news.w) }, func() []float64 { return []float64{v} }}
		}
		all = append(all, it)
	}
	if b.quick {
		n = 500
	}
	for _, d := range []data{b.multi("multi", n, 200, 50), b.multi("large", 2*n, 784, 10)} {
		all = append(all, item{name: "P5a dense " + shape(d.n, d.m), peer: "dense gradient", tol: 1e-9,
			args: d.args(nil), start: func() side { return startGradient(d) }})
	}
	return all
}

func startGradient(d data) side {
	f, g := d.logistic(), make([]float64, len(d.w))
	return side{func() { f.Grad(g, d.w, fwopt.Batch{}) }, func() []float64 { return probe(g) }}
}

// runItems are P1 and P2 by the data. Frank-Wolfe is told by its objective after the same
// steps; SVRG draws its samples on each side, and the objectives are as near as that allows.
func (b *bench) runItems(name string, d data, tau float64, steps int) []item {
	f := fwsum.NewBinaryLogistic(d.x, d.y)
	ball, L, w0 := fwset.L1Ball{D: d.m, R: tau}, smoothness(d), make([]float64, d.m)
	fw := item{name: name + ", FW", peer: "frank-wolfe", tol: 1e-9,
		args: d.args(map[string]any{"tau": tau, "L": L, "steps": steps}),
		start: func() side {
			m := func() fwopt.Method { return &fwopt.FW{Rule: fwopt.Short{L: L}} }
			return startRun(f, ball, m, w0, 1, steps)
		}}
	kept := fw // half of the passes over the data, by linearity in w
	kept.name, kept.peer = name+", FW, their scores kept", "frank-wolfe, scores kept"
	svrg := item{name: name + ", SVRG", tol: 1e-3}
	batch, per, rate, epochs := 500, 40, 1/(3*L), 5
	samples, all := 500, 2000                  // of SAG-FW: of short data as many, for the objectives to agree
	if _, dense := d.x.(*fwsum.Dense); dense { // copt's SVRG, a sample a step
		batch, per, rate, epochs = 1, d.n, 1/(4*f.Smoothness()), 20
		samples, all = 50, 10000
		svrg.peer, svrg.args = "svrg", d.args(map[string]any{"tau": tau, "rate": rate, "epochs": epochs})
	} else {
		svrg.peer = "svrg, batches"
		svrg.args = d.args(map[string]any{"tau": tau, "rate": rate, "epochs": epochs,
			"batch": batch, "steps": per})
	}
	pass := d.n / samples // copt's steps come by passes
	sag := item{name: name + ", SAG-FW", peer: "sag", tol: 1e-3,
		args: d.args(map[string]any{"tau": tau, "batch": samples, "epochs": all / pass}), start: func() side {
			m := func() fwopt.Method { return &fwmore.SAGFW{B: samples} }
			return startRun(f, ball, m, w0, 1, all/pass*pass)
		}}
	loops := sag
	loops.name, loops.peer = name+", SAG-FW, plain loops", "sag, loops"
	m := func() fwopt.Method {
		return &fwopt.SVRG{Rate: rate, M: func(int) int { return batch }, N: func(int) int { return per }}
	}
	svrg.start = func() side { return startRun(f, ball, m, w0, 1, epochs*per) }
	return []item{fw, kept, svrg, sag, loops}
}

// traceItems are P3. The rounding of a linear optimisation grows from step to step: two
// exact forms in numpy agree to 1e-12 after 50 steps and to 1e-5 after 200.
func (b *bench) traceItems(d data, steps int) []item {
	f := d.logistic()
	ball := fwset.TraceNorm{H: d.h, M: d.m, Tau: 20}
	fw := item{name: "P3 trace norm, FW", peer: "frank-wolfe, trace", tol: 1e-4,
		args: d.args(map[string]any{"tau": 20, "steps": steps}), start: func() side {
			m := func() fwopt.Method { return &fwopt.FW{} }
			return startRun(f, ball, m, make([]float64, f.Dim()), 1, steps)
		}}
	kept := fw
	kept.name, kept.peer = fw.name+", their scores kept", "frank-wolfe, trace, scores kept"
	return []item{fw, kept}
}

// startRun runs so many steps of a method from w0, again and again.
func startRun(f fwopt.FiniteSum, omega fwopt.Domain, m func() fwopt.Method, w0 []float64, seed uint64,
	steps int) side {
	w := make([]float64, f.Dim())
	work := func() {
		o, k := fwopt.NewOracle(f, omega, seed), 0
		for s := range m().Steps(o, w0) {
			if k++; k == steps {
				copy(w, s.X)
				break
			}
		}
	}
	return side{work, func() []float64 { return []float64{f.Value(w)} }}
}
