package kern

import (
	"math"
	"math/rand/v2"
	"runtime"
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
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
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
		got := slices.Clone(c)
		if beta == 0 {
			for i := range m {
				copy(got[i*ldc:i*ldc+n], rubbish(n))
			}
		}
		one := slices.Clone(got)
		runtime.GOMAXPROCS(2)
		Mul(got, ldc, a, lda, tA, b, ldb, tB, m, n, k, alpha, beta)
		runtime.GOMAXPROCS(1)
		if Mul(one, ldc, a, lda, tA, b, ldb, tB, m, n, k, alpha, beta); !slices.EqualFunc(got, one, same) {
			t.Fatalf("%d x %d x %d, %t, %t: two processors have other bits", m, n, k, tA, tB)
		}
		for i := range m {
			for j := range n {
				s := 0.0
				for l := range k {
					s += at(a, lda, tA, i, l) * at(b, ldb, tB, l, j)
				}
				c[i*ldc+j] = beta*c[i*ldc+j] + alpha*s
			}
		}
		for i, x := range got {
			if !(math.Abs(x-c[i]) <= 1e-12) {
				t.Fatalf("%d x %d x %d, %t, %t: number %d is %g, want %g", m, n, k, tA, tB, i, x, c[i])
			}
		}
	}
}

func TestSymmetric(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for n := range 72 {
		if n >= 70 {
			n += 400
		}
		lda := n + rng.IntN(3)
		a, x, y := randomVector(rng, n*lda), randomVector(rng, n), rubbish(n)
		two := rubbish(n)
		runtime.GOMAXPROCS(2)
		SymMul(two, a, lda, n, x)
		runtime.GOMAXPROCS(1)
		if SymMul(y, a, lda, n, x); !slices.Equal(y, two) {
			t.Fatalf("SymMul %d: two processors have other bits", n)
		}
		for i := range n {
			want := 0.0
			for j := range n {
				want += a[max(i, j)*lda+min(i, j)] * x[j]
			}
			if !(math.Abs(y[i]-want) <= 1e-12) {
				t.Fatalf("SymMul %d: number %d is %g, want %g", n, i, y[i], want)
			}
		}
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
