package kern

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
)

var shapes = [][2]int{{1, 1}, {1, 5}, {5, 1}, {3, 3}, {7, 4}, {4, 7}, {300, 20}, {20, 300}, {2500, 21},
	{21, 2500}, {5001, 3}, {3, 5001},
	{97, 97}, {300, 130}, {130, 300}, {513, 100}, {100, 513}}

// random returns a rows × cols matrix; some of its rows are zero.
func random(rng *rand.Rand, rows, cols int) []float64 {
	a := make([]float64, rows*cols)
	for j := range rows {
		if rng.IntN(3) == 0 && rows > 5 {
			continue
		}
		for l := range cols {
			a[j*cols+l] = rng.NormFloat64()
		}
	}
	return a
}

// The plain twins.

func plainGram(a []float64, rows, cols int) []float64 {
	s := min(rows, cols)
	b := make([]float64, s*s)
	for p := range s {
		for q := range s {
			if cols <= rows {
				for j := range rows {
					b[p*s+q] += a[j*cols+p] * a[j*cols+q]
				}
			} else {
				for l := range cols {
					b[p*s+q] += a[p*cols+l] * a[q*cols+l]
				}
			}
		}
	}
	return b
}

func plainMulSmall(a []float64, rows, cols int, f []float64) []float64 {
	s := min(rows, cols)
	b := make([]float64, rows*cols)
	for j := range rows {
		for l := range cols {
			for k := range s {
				if cols <= rows {
					b[j*cols+l] += a[j*cols+k] * f[k*s+l]
				} else {
					b[j*cols+l] += f[j*s+k] * a[k*cols+l]
				}
			}
		}
	}
	return b
}

func plainMulGram(a []float64, rows, cols int, q []float64) []float64 {
	s := min(rows, cols)
	b, y := plainGram(a, rows, cols), make([]float64, s)
	for i := range y {
		for k := range s {
			y[i] += b[i*s+k] * q[k]
		}
	}
	return y
}

func plainRankOne(a []float64, rows, cols int, u []float64, c float64) (dst []float64, sigma float64) {
	t := make([]float64, max(rows, cols))
	for j := range rows {
		for l := range cols {
			if cols <= rows {
				t[j] += a[j*cols+l] * u[l]
			} else {
				t[l] += a[j*cols+l] * u[j]
			}
		}
	}
	for _, x := range t {
		sigma += x * x
	}
	sigma = math.Sqrt(sigma)
	dst = make([]float64, rows*cols)
	if sigma == 0 {
		return dst, 0
	}
	for j := range rows {
		for l := range cols {
			if cols <= rows {
				dst[j*cols+l] = c * t[j] / sigma * u[l]
			} else {
				dst[j*cols+l] = c * t[l] / sigma * u[j]
			}
		}
	}
	return dst, sigma
}

func unitVector(rng *rand.Rand, n int) []float64 {
	u := make([]float64, n)
	for i := range u {
		u[i] = rng.NormFloat64()
	}
	floats.Scale(1/floats.Norm(u, 2), u)
	return u
}

func rubbish(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }

// hold compares with the plain twin and holds the bits against those of one
// processor.
func hold(t *testing.T, what string, rows, cols int, want []float64, tol float64, f func() []float64) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first []float64
	for _, procs := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(procs)
		got := f()
		for i := range want {
			if !(math.Abs(got[i]-want[i]) <= tol) {
				t.Fatalf("%s %dx%d: number %d is %.17g, want %.17g", what, rows, cols, i, got[i], want[i])
			}
		}
		if first == nil {
			first = got
		}
		if !slices.Equal(got, first) {
			t.Fatalf("%s %dx%d: %d processors give other bits", what, rows, cols, procs)
		}
	}
}

func TestDense(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, sh := range shapes {
		rows, cols := sh[0], sh[1]
		s := min(rows, cols)
		a := random(rng, rows, cols)
		kept := slices.Clone(a)
		tol := 1e-13 * float64(rows+cols)

		hold(t, "Gram", rows, cols, plainGram(a, rows, cols), tol, func() []float64 {
			b := rubbish(s * s)
			Gram(b, a, rows, cols)
			return b
		})
		q := unitVector(rng, s)
		hold(t, "MulGram", rows, cols, plainMulGram(a, rows, cols, q), 10*tol, func() []float64 {
			y := rubbish(s)
			MulGram(y, a, rows, cols, q, rubbish(GramScratch(rows, cols)))
			return y
		})
		want, sigma := plainRankOne(a, rows, cols, q, -3)
		hold(t, "TopPair", rows, cols, append(want, sigma), tol, func() []float64 {
			dst := rubbish(rows * cols)
			u, v := rubbish(cols), rubbish(rows)
			sigma := TopPair(u, v, a, rows, cols, q, -3)
			Outer(dst, u, v)
			return append(dst, sigma)
		})
		f := random(rng, s, s)
		for i := range s {
			for k := range i {
				f[i*s+k] = f[k*s+i]
			}
		}
		hold(t, "MulSmall", rows, cols, plainMulSmall(a, rows, cols, f), tol, func() []float64 {
			dst := rubbish(rows * cols)
			MulSmall(dst, a, rows, cols, f)
			return dst
		})
		if !slices.Equal(a, kept) {
			t.Fatalf("%dx%d: A was written to", rows, cols)
		}
		hold(t, "MulSmall in place", rows, cols, plainMulSmall(a, rows, cols, f), tol, func() []float64 {
			dst := slices.Clone(a)
			MulSmall(dst, dst, rows, cols, f)
			return dst
		})
	}
	for _, sh := range [][2]int{{400, 3}, {3, 400}} {
		dst := rubbish(1200)
		u, v := rubbish(sh[1]), rubbish(sh[0])
		s := TopPair(u, v, make([]float64, 1200), sh[0], sh[1], []float64{1, 0, 0}, 5)
		if Outer(dst, u, v); s != 0 || slices.Max(dst) != 0 {
			t.Errorf("TopPair of the zero matrix: σ = %g, largest entry %g", s, slices.Max(dst))
		}
	}
}

// Rows of zeros are left out: the bits are those of a matrix without them.
func TestGramZeros(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 40))
	const cols, kept, piece = 13, 50, 10 * panel
	a, b := make([]float64, pieces*piece*cols), randomVector(rng, kept*cols)
	for j := range kept { // all in the first piece
		copy(a[rng.IntN(piece/kept)*cols+j*(piece/kept)*cols:], b[j*cols:(j+1)*cols])
	}
	got, want := make([]float64, cols*cols), make([]float64, cols*cols)
	Gram(got, a, pieces*piece, cols)
	Gram(want, b, kept, cols)
	if !slices.Equal(got, want) {
		t.Error("other bits than without the zeros")
	}
}

func TestBorrow(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 64, 65, 1000} {
		p := Borrow(n)
		if len(*p) != n {
			t.Fatalf("Borrow(%d) has length %d", n, len(*p))
		}
		Return(p)
		if q := Borrow(n); len(*q) != n {
			t.Fatalf("the second Borrow(%d) has length %d", n, len(*q))
		}
	}
}
