package kern

import (
	"fmt"
	"math/rand/v2"
)

// denseTasks draws arguments for the kernels of dense matrices, of about h by n.
func denseTasks(rng *rand.Rand, h, n, rare int) (all []*task) {
	draw := func(k int) []float64 { return numbers(rng, k, rare) }
	add := func(name string, out []float64, run func(t *task), in ...[]float64) {
		k := &task{name: name, out: out, run: run}
		copy(k.in[:], in)
		all = append(all, k)
	}
	m, k := h, 1+rng.IntN(40)
	if rng.IntN(30) == 0 {
		k += 500
	}
	lda, ldb, ldc := k+rng.IntN(3), n+rng.IntN(3), n+rng.IntN(3)
	beta := []float64{0, 1, -0.5}[rng.IntN(3)]
	tA, tB := rng.IntN(2) == 0, rng.IntN(2) == 0
	size := func(rows, cols, ld int) int { return max((rows-1)*ld+cols, 0) }
	sa, sb := size(m, k, lda), size(k, n, ldb)
	if tA {
		lda = m + rng.IntN(3)
		sa = size(k, m, lda)
	}
	if tB {
		ldb = k + rng.IntN(3)
		sb = size(n, k, ldb)
	}
	if n > 0 {
		add(fmt.Sprint("Mul ", tA, tB, beta, k), draw(size(m, n, ldc)), func(t *task) {
			Mul(t.out, ldc, t.in[0], lda, tA, t.in[1], ldb, tB, m, n, k, -0.7, beta)
		}, draw(sa), draw(sb))
	}
	return all
}
