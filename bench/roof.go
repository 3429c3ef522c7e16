package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
)

// mark is a line of roofline.csv: what the machine can do, or how much of it a kernel does.
type mark struct {
	kind, name string
	size       int     // bytes that it works on
	rate       float64 // of a roof in unit; of a kernel as a share of its bound
	unit       string
	seconds    float64 // of one pass
	bound      string  // what bounds the kernel
}

// roof measures reads and updates by size, the rate of FMA and of random rows, and the
// kernels against them.
func (b *bench) roof() (all []mark, err error) {
	if !roofs || !b.wanted("roofline") {
		return nil, nil
	}
	add := func(m mark) {
		all = append(all, m)
		fmt.Printf("%-10s %-34s %10.1f MB %10.3g ms %8.2f %s %s\n", m.kind, m.name, float64(m.size)/1e6, 1e3*m.seconds, m.rate, m.unit, m.bound)
	}
	t := b.seconds(func() { fmas(100_000) })
	peak := 80e5 / t
	add(mark{"roof", "FMA, AVX2", 0, peak / 1e9, "GFLOP/s", t, ""})
	if has("avx512f") {
		t := b.seconds(func() { fmasWide(100_000) })
		peak = max(peak, 160e5/t)
		add(mark{"roof", "FMA, AVX-512", 0, 160e-4 / t, "GFLOP/s", t, ""})
	}
	for size := 16 << 10; size <= 128<<20; size *= 2 {
		r, u := b.readRate(size), b.updateRate(size)
		add(mark{"roof", "read", size, r / 1e9, "GB/s", float64(size) / r, ""})
		add(mark{"roof", "update", size, u / 1e9, "GB/s", 2 * float64(size) / u, ""})
	}
	for _, h := range []int{4, 8, 20, 40, 80} {
		const m = 60000
		idx := make([]int32, 1_000_000)
		rng := rand.New(rand.NewPCG(1, 2))
		for k := range idx {
			idx[k] = int32(rng.IntN(m))
		}
		t := b.rowTime(make([]float64, m*h), h, idx)
		add(mark{"roof", fmt.Sprintf("random rows, h = %d", h), 8 * m * h, float64(8*h*len(idx)) / t / 1e9, "GB/s", t, ""})
	}
	own, err := b.ownKernels(peak)
	for _, k := range append(b.kernels(peak), own...) {
		add(k)
	}
	return all, err
}

// seconds returns the least time of f on the processor, out of several tries, so that
// what is measured is the machine and not what else it does.
func (b *bench) seconds(f func()) float64 {
	tries, reps := 7, 1
	one, _ := clock(f)(1)
	if b.quick {
		tries = 1
	} else {
		reps = int(min(max(0.02/max(one, 1e-6), 2), 10000))
	}
	least := math.Inf(1)
	for range tries {
		t, _ := clock(f)(reps)
		least = min(least, t)
	}
	return least
}

// fill returns size bytes of memory that was written to.
func fill(size int) []float64 {
	x := make([]float64, size/8)
	for i := range x {
		x[i] = 1
	}
	return x
}

// readRate and updateRate are in bytes a second; an update reads and writes.
func (b *bench) readRate(size int) float64 {
	x := fill((size + 255) / 256 * 256)
	return float64(8*len(x)) / b.seconds(func() { readSum(&x[0], len(x)) })
}

func (b *bench) updateRate(size int) float64 {
	x := fill((size + 127) / 128 * 128)
	return 16 * float64(len(x)) / b.seconds(func() { scale(&x[0], len(x), 1) })
}

// rowTime is what it takes to read the rows idx of w, in order.
func (b *bench) rowTime(w []float64, h int, idx []int32) float64 {
	for i := range w {
		w[i] = 1
	}
	idx = append(idx[:len(idx):len(idx)], make([]int32, 24)...)
	n := len(idx) - 24
	return b.seconds(func() {
		for lo := 0; lo < n; lo += 10000 { // not long at a time, as in the kernels
			rowSum(&w[0], h, &idx[lo], min(10000, n-lo))
		}
	})
}

// passTimes are what it takes to read the rows of the two passes over sparse data.
func (b *bench) passTimes(x *fwsum.Sparse, h int) (forward, backward float64) {
	start := make([]int, x.M+1) // of each column in the data by columns
	for _, j := range x.Col {
		start[j+1]++
	}
	for j := range x.M {
		start[j+1] += start[j]
	}
	byColumn := make([]int32, len(x.Col))
	for i := range x.N {
		col, _ := x.Row(i)
		for _, j := range col {
			byColumn[start[j]] = int32(i)
			start[j]++
		}
	}
	return b.rowTime(make([]float64, x.M*h), h, x.Col), b.rowTime(make([]float64, x.N*h), h, byColumn)
}

// kernels measures what the methods are made of as a share of what bounds it: floating
// point, or the memory at that size, whichever takes longer.
func (b *bench) kernels(peak float64) (all []mark) {
	kernel := func(name string, size int, f func(), flops, bytes float64, rate func(int) float64) {
		t := b.seconds(f)
		bound, why := flops/peak, "FMA"
		if m := bytes / rate(size); m > bound {
			bound, why = m, "memory"
		}
		all = append(all, mark{"kernel", name, size, bound / t, "of bound", t, why})
	}
	news := b.news20()
	x := news.x.(*fwsum.Sparse)
	f := fwsum.NewLogistic(x, news.labels(), news.h)
	g := make([]float64, len(news.w))
	forward, backward := b.passTimes(x, news.h)
	rows := func(name string, bound float64, run func()) {
		t := b.seconds(run)
		all = append(all, mark{"kernel", name, 16 * len(x.Col) * news.h, bound / t, "of bound", t, "random rows"})
	}
	rows("news20, value", forward, func() { f.Value(news.w) })
	rows("news20, exact gradient", forward+backward, func() { f.Grad(g, news.w, fwopt.Batch{}) })
	for _, s := range [][2]int{{20, 62061}, {53, 47236}, {1000, 128}, {1000, 1000}} {
		h, m := s[0], s[1]
		ball := fwset.TraceNorm{H: h, M: m, Tau: 50}
		a, dst := normals(12, h*m, 1), make([]float64, h*m)
		size, k, long := 8*h*m, float64(min(h, m)), float64(max(h, m))
		v := fwset.Vertex{}
		ball.ArgminVertex(&v, a, 0, nil)
		kernel("gap and length of a step, "+shape(h, m), size, func() { v.Gap(a, dst) }, 6*k*long, 2*float64(size), b.readRate)
		kernel("step to a vertex, "+shape(h, m), size, func() { v.Lerp(dst, 0.1) }, 4*k*long, 2*float64(size), b.updateRate)
		if k > 64 {
			continue
		}
		kernel("linear optimisation, "+shape(h, m), size, func() { ball.ArgminVertex(&v, a, 0, nil) }, k*k*long, 2*float64(size), b.readRate)
		kernel("projection, "+shape(h, m), size, func() { ball.Project(dst, a) }, 3*k*k*long, 3*float64(size), b.readRate)
	}
	y, z := fill(8<<20), fill(8<<20)
	kernel("x = (1-γ)x + γv, dense", 16<<20, func() { fwopt.Lerp(y, 0.1, z) }, 0, 3*8<<20, b.updateRate)
	ball, x1 := fwset.L1Ball{D: 47236, R: 100}, normals(13, 47236, 1)
	y1 := make([]float64, 47236)
	kernel("projection onto an l1 ball, 47,236", 8*47236, func() { ball.Project(y1, x1) }, 0, 4*8*47236, b.updateRate)
	dense := b.multi("large", 10000, 784, 10)
	fd := fwsum.NewLogistic(dense.x, dense.labels(), dense.h)
	gd := make([]float64, len(dense.w))
	kernel("dense gradient 10,000 x 784, h = 10", 8*10000*784, func() { fd.Grad(gd, dense.w, fwopt.Batch{}) }, 4*10000*784*10, 2*8*10000*784, b.readRate)
	return all
}

// has reports whether the processor has the instructions that Linux calls so.
func has(flag string) bool { return strings.Contains(readText("/proc/cpuinfo"), " "+flag+" ") }

// machine names the processor.
func machine() string {
	for _, line := range strings.Split(readText("/proc/cpuinfo"), "\n") {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}
