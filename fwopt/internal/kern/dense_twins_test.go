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
	if n > 0 && h*n*k < 1<<22 { // on one processor
		add(fmt.Sprint("Scores ", k), draw(n*h), func(t *task) {
			w, lent := LayOut(t.in[1], k, h)
			Scores(t.out, t.in[0], w, n, k, h)
			Return(lent)
		}, draw(n*k), draw(k*h))
		add(fmt.Sprint("AddBack ", k), draw(k*h), func(t *task) { AddBack(t.out, t.in[0], t.in[1], n, k, h) },
			draw(n*k), draw(n*h))
	}
	if h > 3000 || n > 3000 {
		return all // a symmetric matrix of that order is too large
	}
	v := draw(n)
	for i := range v {
		if i/4%3 == 0 { // fours of zeros, which are left out
			v[i] = 0
		}
	}
	if n > 0 {
		lda := h + rng.IntN(3)
		add("MulVec", draw(n), func(t *task) { MulVec(t.out, t.in[0], lda, t.in[1]) }, draw(size(n, h, lda)),
			draw(h))
		add("MulTransVec", draw(h), func(t *task) { MulTransVec(t.out, t.in[0], lda, t.in[1]) },
			draw(size(n, h, lda)), v)
		add("SymMul", draw(h), func(t *task) { SymMul(t.out, t.in[0], lda, h, t.in[1]) },
			draw(size(h, h, lda)), draw(h))
		all = append(all, shortSide(rng, h, n, draw)...)
	}
	return all
}

// shortSide draws arguments for the kernels that see a matrix from its shorter side.
func shortSide(rng *rand.Rand, rows, cols int, draw func(int) []float64) []*task {
	small := min(rows, cols)
	if rng.IntN(2) == 0 {
		rows, cols = cols, rows
	}
	a := draw(rows * cols)
	for j := range rows {
		if rng.IntN(8) == 0 { // a row of zeros
			clear(a[j*cols : (j+1)*cols])
		}
	}
	x, f := draw(small), draw(small*small)
	return []*task{
		{name: "Gram", out: draw(small * small), in: [3][]float64{a},
			run: func(t *task) { Gram(t.out, t.in[0], rows, cols) }},
		{name: "MulSmall", out: draw(rows * cols), in: [3][]float64{a, f},
			run: func(t *task) { MulSmall(t.out, t.in[0], rows, cols, t.in[1]) }},
		{name: "MulSmall in place", out: draw(rows * cols), in: [3][]float64{f},
			run: func(t *task) { MulSmall(t.out, t.out, rows, cols, t.in[0]) }},
		{name: "MulGram", out: draw(small), in: [3][]float64{a, x}, run: func(t *task) {
			MulGram(t.out, t.in[0], rows, cols, t.in[1], make([]float64, GramScratch(rows, cols)))
		}},
		{name: "TopPair", out: draw(rows + cols + 1), in: [3][]float64{a, x}, run: func(t *task) {
			t.out[rows+cols] = TopPair(t.out[:cols:cols], t.out[cols:rows+cols:rows+cols], t.in[0], rows,
				cols, t.in[1], -1.5)
		}},
	}
}
