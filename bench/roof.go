package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
)

// mark adds a line to roofline.csv: what the machine can do with so many bytes, at a rate in unit, or what a
// kernel does, as a share of its bound.
func (b *bench) mark(kind, name string, size int, rate float64, unit string, seconds float64, bound string) {
	b.add("roofline", kind, name, size, rate, unit, seconds, bound)
	fmt.Printf("%-10s %-34s %10.1f MB %10.3g ms %8.2f %s %s\n",
		kind, name, float64(size)/1e6, 1e3*seconds, rate, unit, bound)
}

// roof measures reads and updates by size, the rate of FMA and of random rows, and the
// kernels against them.
func (b *bench) roof() error {
	if !roofs || !b.wanted("roofline") {
		return nil
	}
	t := b.seconds(func() { fmas(100_000) })
	peak := 80e5 / t
	b.mark("roof", "FMA, AVX2", 0, peak/1e9, "GFLOP/s", t, "")
	if has("avx512f") {
		t := b.seconds(func() { fmasWide(100_000) })
		peak = max(peak, 160e5/t)
		b.mark("roof", "FMA, AVX-512", 0, 160e-4/t, "GFLOP/s", t, "")
	}
	for size := 16 << 10; size <= 128<<20; size *= 2 {
		r, u := b.readRate(size), b.updateRate(size)
		b.mark("roof", "read", size, r/1e9, "GB/s", float64(size)/r, "")
		b.mark("roof", "update", size, u/1e9, "GB/s", 2*float64(size)/u, "")
	}
	for _, h := range []int{4, 8, 20, 40, 80} {
		const m = 60000
		idx := make([]int32, 1_000_000)
		rng := rand.New(rand.NewPCG(1, 2))
		for k := range idx {
			idx[k] = int32(rng.IntN(m))
		}
		t := b.rowTime(make([]float64, m*h), h, idx)
		rate := float64(8*h*len(idx)) / t / 1e9
		b.mark("roof", fmt.Sprintf("random rows, h = %d", h), 8*m*h, rate, "GB/s", t, "")
	}
	b.kernels(peak)
	return b.ownKernels(peak)
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
func (b *bench) kernels(peak float64) {
	// passes are over so many bytes, that is size.
	kernel := func(name string, size int, f func(), flops, passes float64, rate func(int) float64) {
		t := b.seconds(f)
		bound, why := flops/peak, "FMA"
		if m := passes * float64(size) / rate(size); m > bound {
			bound, why = m, "memory"
		}
		b.mark("kernel", name, size, bound/t, "of bound", t, why)
	}
	news := b.news20()
	x := news.x.(*fwsum.Sparse)
	f := news.logistic()
	g := make([]float64, len(news.w))
	forward, backward := b.passTimes(x, news.h)
	rows := func(name string, bound float64, run func()) {
		t := b.seconds(run)
		b.mark("kernel", name, 16*len(x.Col)*news.h, bound/t, "of bound", t, "random rows")
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
		kernel("gap and length of a step, "+shape(h, m), size, func() { v.Gap(a, dst) },
			6*k*long, 2, b.readRate)
		kernel("step to a vertex, "+shape(h, m), size, func() { v.Lerp(dst, 0.1) }, 4*k*long, 2, b.updateRate)
		if k > 64 {
			continue
		}
		find := func() { ball.ArgminVertex(&v, a, 0, nil) }
		kernel("linear optimisation, "+shape(h, m), size, find, k*k*long, 2, b.readRate)
		kernel("projection, "+shape(h, m), size, func() { ball.Project(dst, a) }, 3*k*k*long, 3, b.readRate)
	}
	y, z := fill(8<<20), fill(8<<20)
	kernel("x = (1-γ)x + γv, dense", 16<<20, func() { fwopt.Lerp(y, 0.1, z) }, 0, 1.5, b.updateRate)
	ball, x1 := fwset.L1Ball{D: 47236, R: 100}, normals(13, 47236, 1)
	y1 := make([]float64, 47236)
	kernel("projection onto an l1 ball, 47,236", 8*47236, func() { ball.Project(y1, x1) }, 0, 4, b.updateRate)
	dense := b.multi("large", 10000, 784, 10)
	fd := dense.logistic()
	gd := make([]float64, len(dense.w))
	grad := func() { fd.Grad(gd, dense.w, fwopt.Batch{}) }
	kernel("dense gradient 10,000 x 784, h = 10", 8*10000*784, grad, 4*10000*784*10, 2, b.readRate)
}

// A line of a kernel's own benchmark, as
// BenchmarkReads/MulVec/1000x20-2  100  9000 ns/op  17.8 GB/s
var benchLine = regexp.MustCompile(
	`^Benchmark(?:Products|Reads)/(\S+?)(?:-\d+)?\s.*?([\d.]+) ns/op.*?([\d.]+) (GFLOP/s|GB/s)`)

// ownKernels runs the benchmarks of the dense kernels, which only tests can reach, and
// holds them against the rate of FMA, or of reading a matrix of that size.
func (b *bench) ownKernels(peak float64) error {
	time := "20ms"
	if b.quick {
		time = "1x"
	}
	out, err := exec.Command("go", "test", "./fwopt/internal/kern", "-run", "^$",
		"-bench", "^Benchmark(Products|Reads)$", "-benchtime", time, "-cpu", "1").CombinedOutput()
	if err != nil {
		return fmt.Errorf("the kernels' benchmarks: %w\n%s", err, out)
	}
	for _, line := range strings.Split(string(out), "\n") {
		f := benchLine.FindStringSubmatch(line)
		if f == nil {
			continue
		}
		ns, _ := strconv.ParseFloat(f[2], 64)
		rate, _ := strconv.ParseFloat(f[3], 64)
		name := strings.Replace(f[1], "/", " ", 1)
		if f[4] == "GFLOP/s" {
			b.mark("kernel", name, 0, 1e9*rate/peak, "of bound", 1e-9*ns, "FMA")
			continue
		}
		var rows, cols int
		if _, err := fmt.Sscanf(f[1][strings.Index(f[1], "/")+1:], "%dx%d", &rows, &cols); err != nil {
			return fmt.Errorf("a benchmark of no shape: %s", line)
		}
		size := 8 * rows * cols
		b.mark("kernel", name, size, 1e9*rate/b.readRate(size), "of bound", 1e-9*ns, "memory")
	}
	return nil
}

// has reports whether the processor has the instructions that Linux calls so.
func has(flag string) bool { return strings.Contains(readText("/proc/cpuinfo"), " "+flag+" ") }

// machine names the processor.
func machine() string {
	model := regexp.MustCompile(`model name\s*: (.*)`)
	if m := model.FindStringSubmatch(readText("/proc/cpuinfo")); m != nil {
		return strings.TrimSpace(m[1])
	}
	return "unknown processor"
}
