package kern

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// The blocked products against their definitions.
func TestMul(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	at := func(a []float64, ld int, trans bool, i, j int) float64 {
		if trans {
			i, j = j, i
		}
		return a[i*ld+j]
	}
	for try := range 320 {
		most := 40
		if try >= 300 { // several blocks, and panels of B
			most = 320
		}
		m, n, k := rng.IntN(most), rng.IntN(most), rng.IntN(most)
		if try == 300 {
			m, n, k = 3, most+100, 5
		} else if try > 300 && try < 305 {
			k = deep + 5
		}
		tA, tB := rng.IntN(2) == 0, rng.IntN(2) == 0
		ldc, lda, ldb := max(n, 1)+rng.IntN(3), max(m, k)+rng.IntN(3), max(n, k)+rng.IntN(3)
		a, b, c := randomVector(rng, max(m, k)*lda), randomVector(rng, max(n, k)*ldb),
			randomVector(rng, m*ldc)
		alpha, beta := rng.NormFloat64(), []float64{0, 1, rng.NormFloat64()}[try%3]
		start := slices.Clone(c)
		for i := range m {
			for j := range n {
				s := 0.0
				for l := range k {
					s += at(a, lda, tA, i, l) * at(b, ldb, tB, l, j)
				}
				c[i*ldc+j] = beta*c[i*ldc+j] + alpha*s
			}
			if beta == 0 {
				copy(start[i*ldc:i*ldc+n], rubbish(n))
			}
		}
		hold(t, fmt.Sprint("Mul ", tA, tB, k), m, n, c, 1e-12, func() []float64 {
			got := slices.Clone(start)
			Mul(got, ldc, a, lda, tA, b, ldb, tB, m, n, k, alpha, beta)
			return got
		})
	}
}

func TestSymmetric(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	for n := range 72 {
		if n >= 70 {
			n += 400
		}
		lda := n + rng.IntN(3)
		a, x, want := randomVector(rng, n*lda), randomVector(rng, n), make([]float64, n)
		for i := range n {
			for j := range n {
				want[i] += a[max(i, j)*lda+min(i, j)] * x[j]
			}
		}
		hold(t, "SymMul", n, n, want, 1e-12, func() []float64 {
			y := rubbish(n)
			SymMul(y, a, lda, n, x)
			return y
		})
	}
}

// A product that is no task for two processors allocates nothing.
func TestMulAlloc(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 38))
	a, c := randomVector(rng, 90*50), make([]float64, 90*90)
	if n := testing.AllocsPerRun(100, func() {
		Mul(c, 50, a, 50, false, a, 50, false, 90, 50, 50, 1, 0)
	}); n > 0 {
		t.Errorf("%g allocations", n)
	}
}

// Scores are Mul's, to the bit.
func TestScores(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, m := range []int{1, 7, deep, 2*deep + 3} {
		for n := range 10 {
			for h := 2; h <= 2*TileCols+1; h++ {
				a, w := randomVector(rng, n*m), randomVector(rng, m*h)
				got, want := make([]float64, n*h), make([]float64, n*h)
				laid, lent := LayOut(w, m, h)
				Scores(got, a, laid, n, m, h)
				Return(lent)
				Mul(want, h, a, m, false, w, h, false, n, h, m, 1, 0)
				once := make([]float64, n*h)
				ScoresOnce(once, a, w, n, m, h)
				if !slices.Equal(got, want) || !slices.Equal(once, want) {
					t.Fatalf("%d rows, %d columns, %d scores: %v, want %v", n, m, h, got, want)
				}
			}
		}
	}
}
