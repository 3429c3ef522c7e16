package eigen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A symmetric test matrix, and its eigenvalues if they are known.
type sample struct {
	name  string
	a     []float64
	known []float64
}

// withSpectrum turns a diagonal matrix by random reflections.
func withSpectrum(rng *rand.Rand, w []float64) []float64 {
	n := len(w)
	a := make([]float64, n*n)
	for i, x := range w {
		a[i*n+i] = x
	}
	for range 3 {
		v := unitVector(rng, n)
		turnBy := func(x func(i int) *float64) {
			s := 0.0
			for i := range n {
				s += v[i] * *x(i)
			}
			for i := range n {
				*x(i) -= 2 * s * v[i]
			}
		}
		for j := range n {
			turnBy(func(i int) *float64 { return &a[i*n+j] })
		}
		for j := range n {
			turnBy(func(i int) *float64 { return &a[j*n+i] })
		}
	}
	for i := range n { // exactly symmetric
		for j := range i {
			a[j*n+i] = a[i*n+j]
		}
	}
	return a
}

func tridiagonal(d, e []float64) []float64 {
	n := len(d)
	a := make([]float64, n*n)
	for i, x := range d {
		a[i*n+i] = x
		if i > 0 {
			a[i*n+i-1], a[(i-1)*n+i] = e[i-1], e[i-1]
		}
	}
	return a
}

// symmetrics are the matrices of order n that the decompositions are tried on.
func symmetrics(rng *rand.Rand, n int) []sample {
	fill := func(f func(i int) float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = f(i)
		}
		return x
	}
	const glue = 21 // glued Wilkinson matrices W21+
	ones := fill(func(int) float64 { return 1 })
	of := func(name string, f func(i int) float64) sample {
		w := fill(f)
		a := withSpectrum(rng, w)
		slices.Sort(w)
		return sample{name, a, w}
	}
	gaussian := randomVector(rng, n*n)
	for i := range n {
		for j := range i {
			gaussian[j*n+i] = gaussian[i*n+j]
		}
	}
	long := mat.NewDense(n, n/3+1, randomVector(rng, (n/3+1)*n))
	var low mat.Dense
	low.Mul(long, long.T())
	cosines := fill(func(i int) float64 { return 2 - 2*math.Cos(float64(i+1)*math.Pi/float64(n+1)) })
	flat := fill(func(int) float64 { return 1 })
	if n > 0 {
		flat[n-1] = float64(1 + n)
	}
	dense := slices.Clone(gaussian) // graded: squares of its numbers underflow
	for i := range dense {
		dense[i] *= math.Pow(10, -2.1*float64(i/n+i%n))
	}
	diagonal := randomVector(rng, n)
	inOrder := slices.Clone(diagonal)
	slices.Sort(inOrder)
	return []sample{
		{"gaussian", gaussian, nil},
		{"gram of low rank", low.RawMatrix().Data, nil},
		{"1-2-1", tridiagonal(fill(func(int) float64 { return 2 }), fill(func(int) float64 { return -1 })),
			cosines},
		{"wilkinson", tridiagonal(fill(func(i int) float64 { return math.Abs(float64(i) - float64(n-1)/2) }),
			ones), nil},
		{"glued wilkinson", tridiagonal(
			fill(func(i int) float64 { return math.Abs(float64(i%glue) - glue/2) }),
			fill(func(i int) float64 {
				if i%glue == glue-1 {
					return 1e-9
				}
				return 1
			})), nil},
		{"all of ones", slices.Repeat([]float64{1}, n*n), nil},
		{"ones and a diagonal", func() []float64 {
			a := slices.Repeat([]float64{1}, n*n)
			for i := range n {
				a[i*n+i] = 2
			}
			return a
		}(), flat},
		{"diagonal", tridiagonal(diagonal, make([]float64, n)), inOrder},
		{"zero", make([]float64, n*n), make([]float64, n)},
		of("equal", func(int) float64 { return -3 }),
		of("three clusters", func(i int) float64 { return float64(i%3) + 1e-13*rng.Float64() }),
		of("two values", func(i int) float64 { return float64(i % 2) }),
		of("falling", func(i int) float64 { return 1 / float64(i+1) }),
		of("geometric", func(i int) float64 { return math.Pow(0.7, float64(i)) }),
		of("one large", func(i int) float64 { return 1 + 1e12*float64(max(0, 1-i)) }),
		{"graded and dense", dense, nil},
		{"graded", tridiagonal(fill(func(i int) float64 { return math.Pow(10, -float64(i%150)) }),
			fill(func(i int) float64 { return math.Pow(10, -float64(i%150)-0.5) })), nil},
		{"graded upwards", tridiagonal(fill(func(i int) float64 { return math.Pow(10, float64(i%150)-150) }),
			fill(func(i int) float64 { return math.Pow(10, float64(i%150)-149.5) })), nil},
	}
}

// rounding of a decomposition of order n, relative to the norm.
func roundingOf(n int) float64 { return 4 * float64(n+4) * 0x1p-52 }

// maxNorm is the largest |a_ij|, times n: at least the spectral norm.
func maxNorm(a []float64, n int) float64 {
	top := 0.0
	for _, x := range a {
		top = max(top, math.Abs(x))
	}
	return top * float64(n)
}

// checkVectors fails unless the rows of v are orthonormal eigenvectors of A for w.
func checkVectors(t *testing.T, what string, a []float64, n int, w, v []float64) {
	t.Helper()
	r := len(w)
	if r == 0 {
		return
	}
	norm := spectral(w, a, n)
	A, V := mat.NewDense(n, n, a), mat.NewDense(r, n, v[:r*n])
	var av, vv mat.Dense
	av.Mul(V, A)
	for i, x := range w {
		for j := range n {
			av.Set(i, j, av.At(i, j)-x*V.At(i, j))
		}
	}
	vv.Mul(V, V.T())
	for i := range r {
		vv.Set(i, i, vv.At(i, i)-1)
		if i > 0 && w[i] < w[i-1] {
			t.Fatalf("%s: eigenvalues descend", what)
		}
	}
	tol := roundingOf(n)
	if x := mat.Norm(&av, 2); !(x <= tol*norm) {
		t.Errorf("%s: ‖AV − VΛ‖ = %.2g·‖A‖, more than %.2g", what, x/norm, tol)
	}
	if x := mat.Norm(&vv, 2); !(x <= tol*math.Sqrt(float64(r))) {
		t.Errorf("%s: ‖VᵀV − I‖ = %.2g, more than %.2g", what, x, tol)
	}
}

// spectral is ‖A‖ if w has all eigenvalues, else more.
func spectral(w, a []float64, n int) float64 {
	if len(w) == n {
		return max(math.Abs(w[0]), math.Abs(w[n-1]))
	}
	return maxNorm(a, n)
}

func orders() []int {
	n := []int{1, 2, 3, 4, 5, 7, 8, 20, 24, 25, 31, 49, 50, 53, 97, 131}
	if !testing.Short() {
		n = append(n, 26, 48, 64, 65, 100, 128, 150, 200, 333)
	}
	return n
}

// All eigenvalues and vectors of every kind of matrix.
func TestEigenReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for _, n := range orders() {
		for _, m := range symmetrics(rng, n) {
			what := fmt.Sprintf("%s, order %d", m.name, n)
			b, w := slices.Clone(m.a), make([]float64, n)
			for i := range n { // it reads the lower triangle only
				for j := i + 1; j < n; j++ {
					b[i*n+j] = math.NaN()
				}
			}
			if !EigenLargest(b, w, func([]float64) int { return n }) {
				t.Fatalf("%s: no convergence", what)
			}
			checkVectors(t, what, m.a, n, w, b)
			norm := spectral(w, m.a, n)
			for i, x := range m.known {
				if !(math.Abs(w[i]-x) <= 2*roundingOf(n)*norm) {
					t.Fatalf("%s: eigenvalue %d is %.17g, want %.17g", what, i, w[i], x)
				}
			}
			var eig mat.EigenSym
			if n > 53 && m.name != "gaussian" {
				continue // gonum takes its time
			}
			if !eig.Factorize(mat.NewSymDense(n, m.a), true) {
				t.Fatalf("%s: gonum finds nothing", what)
			}
			for i, x := range eig.Values(nil) {
				if !(math.Abs(w[i]-x) <= 2*roundingOf(n)*norm) {
					t.Fatalf("%s: eigenvalue %d is %.17g, gonum has %.17g", what, i, w[i], x)
				}
			}
		}
	}
}

// Some of the vectors are the same bits as all of them, and so are the eigenvalues.
func TestEigenSomeReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	for _, n := range []int{1, 2, 20, 24, 25, 53, 100, 131} {
		for _, m := range symmetrics(rng, n) {
			all, w := slices.Clone(m.a), make([]float64, n)
			if !EigenLargest(all, w, func([]float64) int { return n }) {
				t.Fatal("no convergence")
			}
			for _, r := range []int{0, 1, 2, n / 3, n - 1} {
				if r > n {
					continue
				}
				what := fmt.Sprintf("%s, order %d, %d vectors", m.name, n, r)
				b, v := slices.Clone(m.a), make([]float64, n)
				ok := EigenLargest(b, v, func(v []float64) int {
					if !slices.Equal(v, w) {
						t.Errorf("%s: other eigenvalues", what)
					}
					return r
				})
				if !ok || !slices.Equal(v, w) || !slices.Equal(b[:r*n], all[(n-r)*n:]) {
					t.Fatalf("%s: not the same bits as all", what)
				}
			}
			columns := slices.Clone(m.a)
			Eigen(columns, make([]float64, n))
			for i, x := range columns {
				if x != all[i%n*n+i/n] {
					t.Fatalf("%s, order %d: other vectors in columns than in rows", m.name, n)
				}
			}
		}
	}
}

// Tridiagonal matrices with numbers of every size: every kind of deflation.
func TestEigenTridiagonalReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(45, 46))
	cases := 600
	if testing.Short() {
		cases = 150
	}
	for k := range cases {
		n := 2 + rng.IntN(120)
		d, e := make([]float64, n), make([]float64, n)
		few := 1 + rng.IntN(4)
		for i := range d {
			d[i] = float64(rng.IntN(few))
			if k%3 == 0 {
				d[i] = rng.NormFloat64()
			}
			switch e[i] = rng.NormFloat64(); rng.IntN(1 + k%4) {
			case 1:
				e[i] *= math.Pow(10, -20*rng.Float64())
			case 2:
				e[i] = 0
			case 3:
				d[i] *= math.Pow(10, -20*rng.Float64())
			}
		}
		a, w := tridiagonal(d, e), make([]float64, n)
		b := slices.Clone(a)
		if !EigenLargest(b, w, func([]float64) int { return n }) {
			t.Fatalf("case %d: no convergence", k)
		}
		checkVectors(t, fmt.Sprintf("case %d, order %d", k, n), a, n, w, b)
	}
}

// The bits depend neither on the vector kernels nor on the number of processors.
func TestEigenSameBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 48))
	for _, n := range []int{5, 53, 130, 390} {
		for _, m := range symmetrics(rng, n)[:1+50/n] {
			solve := func() (b, w []float64) {
				b, w = slices.Clone(m.a), make([]float64, 2*n+1)
				EigenLargest(b, w[:n], func([]float64) int { return n })
				u := slices.Clone(m.a)
				w[2*n], _ = TopEigen(u, w[n:2*n])
				return b, w
			}
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			b, w := solve()
			differ := func(how string) {
				if c, v := solve(); !slices.Equal(b, c) || !slices.Equal(w, v) {
					t.Fatalf("%s, order %d: other bits %s", m.name, n, how)
				}
			}
			kern.Plainly(func() { differ("plainly") })
			runtime.GOMAXPROCS(3)
			differ("on three processors")
		}
	}
}

// The largest eigenvalue from above, and a vector of it, where it is one of many too.
func TestTopEigenReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(49, 50))
	for _, n := range orders() {
		for _, m := range symmetrics(rng, n) {
			w := make([]float64, n)
			EigenLargest(slices.Clone(m.a), w, func([]float64) int { return 0 })
			if w[0] < -roundingOf(n)*w[n-1] {
				continue
			}
			b, u := slices.Clone(m.a), rubbish(n)
			lambda, ok := TopEigen(b, u)
			tol := roundingOf(n) * w[n-1]
			if !ok || !(math.Abs(lambda-w[n-1]) <= tol) {
				t.Fatalf("%s, order %d: λ = %.17g, want %.17g", m.name, n, lambda, w[n-1])
			}
			residual, norm := 0.0, 0.0
			for i := range n {
				s := -lambda * u[i]
				for j, x := range u {
					s += m.a[i*n+j] * x
				}
				residual = math.Hypot(residual, s)
				norm += u[i] * u[i]
			}
			if !(residual <= tol) || !(math.Abs(norm-1) <= roundingOf(n)) {
				t.Fatalf("%s, order %d: ‖Au − λu‖ = %.2g, ‖u‖² = %.17g", m.name, n, residual, norm)
			}
		}
	}
}

// A power of two changes nothing but the size of the eigenvalues; NaN and infinities are
// refused, wherever they are.
func TestEigenScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	for _, n := range []int{1, 3, 20, 70} {
		a, w := symmetrics(rng, n)[1].a, make([]float64, n)
		b, u := slices.Clone(a), make([]float64, n)
		EigenLargest(b, w, func([]float64) int { return n })
		lambda, _ := TopEigen(slices.Clone(a), u)
		for _, power := range []int{-960, -300, -7, 11, 300, 1010} {
			c, v := slices.Clone(a), make([]float64, n)
			for i, x := range c {
				c[i] = math.Ldexp(x, power)
			}
			top, _ := TopEigen(slices.Clone(c), v)
			if top != math.Ldexp(lambda, power) || !slices.Equal(u, v) {
				t.Errorf("order %d, times 2^%d: another top vector", n, power)
			}
			EigenLargest(c, v, func([]float64) int { return n })
			for i, x := range w {
				if v[i] != math.Ldexp(x, power) {
					t.Fatalf("order %d, times 2^%d: eigenvalue %d is %g, want %g·2^%d", n, power, i, v[i], x,
						power)
				}
			}
			if !slices.Equal(b, c) {
				t.Errorf("order %d, times 2^%d: other vectors", n, power)
			}
		}
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			for k := range 10 {
				i := k % n
				c := slices.Clone(a)
				c[i*n+rng.IntN(i+1)] = bad
				if EigenLargest(slices.Clone(c), w, func([]float64) int { return n }) ||
					Eigen(slices.Clone(c), w) {
					t.Fatalf("order %d: decomposed a matrix that holds %g", n, bad)
				}
				if _, ok := TopEigen(c, u); ok {
					t.Fatalf("order %d: a top vector of a matrix that holds %g", n, bad)
				}
			}
		}
	}
	for _, tiny := range []float64{5e-324, 0x1p-1040} {
		b, w := []float64{2 * tiny, 0, tiny, 2 * tiny}, make([]float64, 2)
		if !Eigen(b, w) || w[0] != tiny || w[1] != 3*tiny {
			t.Errorf("eigenvalues %g of (2, 1; 1, 2)·%g", w, tiny)
		}
	}
}

// What projections and linear optimisation call again and again takes no new memory.
func TestEigenDoesNotAllocate(t *testing.T) {
	for _, n := range []int{20, 53} {
		a := symmetrics(rand.New(rand.NewPCG(53, 54)), n)[1].a
		b, w := slices.Clone(a), make([]float64, n)
		if x := testing.AllocsPerRun(100, func() {
			copy(b, a)
			EigenLargest(b, w, func([]float64) int { return n })
			copy(b, a)
			TopEigen(b, w)
		}); x > 0 {
			t.Errorf("order %d: %g allocations", n, x)
		}
	}
}

func randomVector(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

func unitVector(rng *rand.Rand, n int) []float64 {
	u := randomVector(rng, n)
	floats.Scale(1/floats.Norm(u, 2), u)
	return u
}

func rubbish(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }
