package kern

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// gflops reports the rate of f, which does so many products and sums.
func gflops(b *testing.B, flops int, f func()) {
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(flops)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
}

func BenchmarkMul(b *testing.B) {
	for _, s := range [][3]int{{1000, 1000, 1000}, {2000, 2000, 2000}, {128, 128, 128}, {1000, 20, 1000}, {1000, 1000, 20}, {20, 1000, 1000}, {62061, 20, 20}} {
		m, n, k := s[0], s[1], s[2]
		rng := rand.New(rand.NewPCG(1, 2))
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
			b.Run(fmt.Sprintf("%dx%dx%d/%s", m, n, k, name), func(b *testing.B) {
				gflops(b, 2*m*n*k, func() { Mul(c, n, x, lda, tA, y, ldb, tB, m, n, k, 1, 0) })
			})
		}
	}
}
