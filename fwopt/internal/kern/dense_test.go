package kern

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
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

func unitVector(rng *rand.Rand, n int) []float64 {
	u := make([]float64, n)
	for i := range u {
		u[i] = rng.NormFloat64()
	}
	floats.Scale(1/floats.Norm(u, 2), u)
	return u
}

func rubbish(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }

// hold compares with what is wanted, and the bits with those of one processor.
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
	for _, sh := range append(shapes, [2]int{300, 2000}) {
		rows, cols := sh[0], sh[1]
		s := min(rows, cols)
		a := random(rng, rows, cols)
		kept := slices.Clone(a)
		tol := 1e-13 * float64(rows+cols)
		var tall mat.Matrix = mat.NewDense(rows, cols, a)
		if cols > rows {
			tall = tall.T()
		}
		mul := func(x, y mat.Matrix) mat.Matrix {
			z := new(mat.Dense)
			z.Mul(x, y)
			return z
		}
		check := func(what string, tol float64, want mat.Matrix, f func() []float64) {
			t.Helper()
			if cols > rows {
				want = want.T()
			}
			hold(t, what, rows, cols, mat.DenseCopyOf(want).RawMatrix().Data, tol, f)
		}

		gram := mul(tall.T(), tall)
		check("Gram", tol, gram, func() []float64 {
			b := rubbish(s * s)
			Gram(b, a, rows, cols)
			return b
		})
		q := unitVector(rng, s)
		u := mat.NewDense(s, 1, q)
		check("MulGram", 10*tol, mul(gram, u), func() []float64 {
			y := rubbish(s)
			MulGram(y, a, rows, cols, q, rubbish(GramScratch(rows, cols)))
			return y
		})
		image := mul(tall, u)
		length := mat.Norm(image, 2)
		scaled := floats.ScaleTo(make([]float64, s), -3/length, q)
		check("TopPair", tol, mul(image, mat.NewDense(1, s, scaled)),
			func() []float64 {
				dst := rubbish(rows * cols)
				u, v := rubbish(cols), rubbish(rows)
				if sigma := TopPair(u, v, a, rows, cols, q, -3); !(math.Abs(sigma-length) <= tol) {
					t.Fatalf("TopPair %dx%d: σ = %.17g, want %.17g", rows, cols, sigma, length)
				}
				Outer(dst, u, v)
				return dst
			})
		f := random(rng, s, s)
		for i := range s {
			for k := range i {
				f[i*s+k] = f[k*s+i]
			}
		}
		product := mul(tall, mat.NewDense(s, s, f))
		check("MulSmall", tol, product, func() []float64 {
			dst := rubbish(rows * cols)
			MulSmall(dst, a, rows, cols, f)
			return dst
		})
		if !slices.Equal(a, kept) {
			t.Fatalf("%dx%d: A was written to", rows, cols)
		}
		check("MulSmall in place", tol, product, func() []float64 {
			dst := slices.Clone(a)
			MulSmall(dst, dst, rows, cols, f)
			return dst
		})
		long := randomVector(rng, max(rows, cols))
		for i := range long {
			if i/8%2 == 0 {
				long[i] = 0
			}
		}
		there, back := mul(tall, u), mul(tall.T(), mat.NewDense(len(long), 1, long))
		byRows, byCols := MulVec, MulTransVec
		if cols > rows {
			byRows, byCols = byCols, byRows
		}
		check("A times a short vector", 1e-11, there, func() []float64 {
			d := rubbish(len(long))
			byRows(d, a, cols, q)
			return d
		})
		check("A times a long one", 1e-11, back, func() []float64 {
			d := rubbish(s)
			byCols(d, a, cols, long)
			return d
		})
	}
	none := rubbish(3)
	MulVec(nil, nil, 3, none)
	if MulTransVec(none, nil, 3, nil); !slices.Equal(none, make([]float64, 3)) {
		t.Errorf("no rows add up to %g", none)
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
