package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// rate reports how much of something the fastest call of f does in a second, in units of
// 1e9: the others may have had to share the processor.
func rate(b *testing.B, amount int, unit string, f func()) {
	best := time.Duration(math.MaxInt64)
	for b.Loop() {
		start := time.Now()
		f()
		best = min(best, time.Since(start))
	}
	b.ReportMetric(float64(amount)/float64(best.Nanoseconds()), unit)
}

// The products that are bound by the rate of FMA, each of two operations.
func BenchmarkProducts(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range [][3]int{{1000, 1000, 1000}, {128, 128, 128}, {1000, 20, 1000}, {20, 1000, 1000},
		{62061, 20, 20}} {
		m, n, k := s[0], s[1], s[2]
		x, y, c := randomVector(rng, m*k), randomVector(rng, k*n), randomVector(rng, m*n)
		for i, name := range []string{"AB", "A'B", "AB'", "A'B'"} {
			tA, tB := i&1 != 0, i&2 != 0
			lda, ldb := k, n
			if tA {
				lda = m
			}
			if tB {
				ldb = k
			}
			b.Run(fmt.Sprintf("Mul/%dx%dx%d/%s", m, n, k, name), func(b *testing.B) {
				rate(b, 2*m*n*k, "GFLOP/s", func() { Mul(c, n, x, lda, tA, y, ldb, tB, m, n, k, 1, 0) })
			})
		}
	}
	for _, s := range [][2]int{{62061, 20}, {47236, 53}, {128, 1000}, {1000, 128}, {1000, 1000},
		{2000, 2000}} {
		rows, cols := s[0], s[1]
		small := min(rows, cols)
		a, f, dst := randomVector(rng, rows*cols), randomVector(rng, small*small), make([]float64, rows*cols)
		b.Run(fmt.Sprintf("Gram/%dx%d", rows, cols), func(b *testing.B) {
			rate(b, rows*cols*(small+1), "GFLOP/s", func() { Gram(f, a, rows, cols) })
		})
		b.Run(fmt.Sprintf("MulSmall/%dx%d", rows, cols), func(b *testing.B) {
			rate(b, 2*rows*cols*small, "GFLOP/s", func() { MulSmall(dst, a, rows, cols, f) })
		})
	}
}

// Those that are bound by how fast a matrix is read; the bytes are those of the matrix,
// once.
func BenchmarkReads(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, s := range [][2]int{{62061, 20}, {47236, 53}, {128, 1000}, {1000, 128}, {200, 200}, {500, 500},
		{1000, 1000}, {2000, 2000}} {
		rows, cols := s[0], s[1]
		name := fmt.Sprintf("/%dx%d", rows, cols)
		a, x, y := randomVector(rng, rows*cols), randomVector(rng, cols), randomVector(rng, rows)
		q, z, t := randomVector(rng, min(rows, cols)), make([]float64, min(rows, cols)),
			make([]float64, GramScratch(rows, cols))
		run := func(what string, bytes int, f func()) {
			b.Run(what+name, func(b *testing.B) { rate(b, bytes, "GB/s", f) })
		}
		run("MulVec", 8*rows*cols, func() { MulVec(y, a, cols, x) })
		run("MulTransVec", 8*rows*cols, func() { MulTransVec(x, a, cols, y) })
		run("MulGram", 8*rows*cols, func() { MulGram(z, a, rows, cols, q, t) })
		run("TopPair", 8*rows*cols, func() { TopPair(x, y, a, rows, cols, q, 1) })
		if rows == cols {
			run("SymMul", 4*rows*(rows+1), func() { SymMul(y, a, rows, rows, x) })
		}
	}
}
