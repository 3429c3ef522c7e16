package eigen

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func TestEigen(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, s := range []int{1, 2, 5, 40} {
		b := make([]float64, s*s)
		kern.Gram(b, randomVector(rng, 50*s), 50, s)
		v, w := append([]float64(nil), b...), make([]float64, s)
		if !Eigen(v, w) {
			t.Fatal("no convergence")
		}
		for i := range s {
			for p := range s { // (B v_i)_p = w_i v_ip
				x := 0.0
				for q := range s {
					x += b[p*s+q] * v[q*s+i]
				}
				if math.Abs(x-w[i]*v[p*s+i]) > 1e-12*w[s-1] {
					t.Fatalf("order %d: vector %d is no eigenvector", s, i)
				}
			}
			if i > 0 && w[i] < w[i-1] {
				t.Fatalf("order %d: eigenvalues descend", s)
			}
		}
	}
}

// The tridiagonal pieces against a full decomposition.
func TestTridiagonal(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		n := 1 + rng.IntN(30)
		al, be := make([]float64, n), make([]float64, n)
		scale := math.Pow(10, 200*rng.Float64()-100)
		full := mat.NewSymDense(n, nil)
		for i := range n {
			al[i] = scale * rng.Float64()
			be[i] = scale * math.Pow(10, -12*rng.Float64())
			full.SetSym(i, i, al[i])
			if i > 0 {
				full.SetSym(i, i-1, be[i-1])
			}
		}
		var eig mat.EigenSym
		if !eig.Factorize(full, true) {
			t.Fatal("no convergence")
		}
		want := eig.Values(nil)[n-1]
		d, x := make([]float64, n), make([]float64, n)
		theta := topTri(al, be[:n-1], d)
		if math.Abs(theta-want) > 1e-14*want {
			t.Fatalf("n = %d: largest eigenvalue %.17g, want %.17g", n, theta, want)
		}
		vecTri(x, theta, al, be, d)
		floats.Scale(1/floats.Norm(x, 2), x)
		var y mat.VecDense
		y.MulVec(full, mat.NewVecDense(n, x))
		y.AddScaledVec(&y, -theta, mat.NewVecDense(n, x))
		if r := mat.Norm(&y, 2); r > 1e-13*theta {
			t.Fatalf("n = %d: residual %g of the eigenvector of %g", n, r, theta)
		}
	}
}

// With the true component of the start, the bounds hold without any
// probability: θ ≤ λ_1 ≤ upper, and upper − θ is what was asked for. Diagonal
// matrices, so that λ_1 and its vector are known.
func TestLanczosBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	spectra := map[string]func(i, n int) float64{
		"even":     func(i, n int) float64 { return 1 - float64(i)/float64(n) },
		"tied":     func(i, n int) float64 { return 1 - float64(i/5)/float64(n) },
		"all tied": func(i, n int) float64 { return 1 },
		"close pair": func(i, n int) float64 {
			return 1 - 1e-9*float64(min(i, 1)) - 0.5*float64(max(0, i-1))/float64(n)
		},
		"one leads":   func(i, n int) float64 { return 1 / float64(1+9*min(i, 1)) },
		"decaying":    func(i, n int) float64 { return math.Pow(0.7, float64(i)) },
		"one nonzero": func(i, n int) float64 { return float64(max(0, 1-i)) },
	}
	for name, f := range spectra {
		for _, n := range []int{1, 2, 3, 7, 100, 300} {
			a := make([]float64, n*n)
			for i := range n {
				a[i*n+i] = f(i, n)
			}
			for _, lead := range []float64{1, 1e-3, 1e-8} { // the size of the leading component
				u := unitVector(rng, n)
				u[0] *= lead
				floats.Scale(1/floats.Norm(u, 2), u)
				for _, tol := range []float64{1e-2, 1e-6, 1e-10} {
					v := append([]float64(nil), u...)
					upper, steps := Lanczos(v, gramOf(a, n, n), math.Abs(u[0]),
						func(sigma float64) float64 { return tol * sigma })
					y := plainMulDiag(a, n, v)
					theta := floats.Dot(v, y)
					if steps > min(n, maxSteps) {
						t.Fatalf("%s %d: %d steps", name, n, steps)
					}
					if upper < 1-1e-13 || theta > 1+1e-13 {
						t.Errorf("%s %d, start %g, tol %g: λ_1 = 1 is not in [%.17g, %.17g]", name, n, lead,
							tol, theta, upper)
					}
					if math.Sqrt(upper) > math.Sqrt(theta)*(1+tol)+0x1p-50/math.Abs(u[0])+1e-13 {
						t.Errorf("%s %d, start %g, tol %g: √λ_1 in [%.12g, %.12g] after %d steps", name, n,
							lead, tol,
							math.Sqrt(theta), math.Sqrt(upper), steps)
					}
					if e := math.Abs(floats.Norm(v, 2) - 1); e > 1e-14 {
						t.Errorf("%s %d: |‖u‖ − 1| = %g", name, n, e)
					}
				}
			}
		}
	}
}

// The most steps are enough for 4e-4·θ on the spectrum that is hardest for them:
// the extrema of a Chebyshev polynomial.
func TestLanczosGivesUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	const n = 700
	a := make([]float64, n*n)
	for i := range n {
		a[i*n+i] = math.Cos(math.Pi / 2 * float64(i) / n) // its square is (1 + cos)/2
	}
	u := unitVector(rng, n)
	c := 1e-6 * math.Sqrt(math.Pi/2/n)
	upper, steps := Lanczos(u, gramOf(a, n, n), c, func(float64) float64 { return 0 })
	theta := floats.Dot(u, plainMulDiag(a, n, u))
	if steps != maxSteps || upper < 1 || theta > 1+1e-13 || upper > theta*(1+4e-4) {
		t.Errorf("λ_1 = 1 in [%.12g, %.12g] after %d steps", theta, upper, steps)
	}
	t.Logf("λ_1 = 1 in [%.12g, %.12g] after %d steps", theta, upper, steps)
}

func plainMulDiag(a []float64, n int, x []float64) []float64 {
	y := make([]float64, n)
	for i := range y {
		y[i] = a[i*n+i] * a[i*n+i] * x[i]
	}
	return y
}

// A start in the kernel of the matrix, which a random start is not: an answer
// all the same, and soon.
func TestLanczosZero(t *testing.T) {
	u := []float64{0, 1, 0}
	upper, steps := Lanczos(u, gramOf([]float64{1, 0, 0, 0, 0, 0, 0, 0, 0}, 3, 3), 1e-3,
		func(float64) float64 { return 0 })
	if math.IsNaN(upper) || steps > 3 || floats.HasNaN(u) {
		t.Errorf("upper = %g after %d steps, u = %v", upper, steps, u)
	}
}

// gramOf returns the product with a Gram matrix.
func gramOf(a []float64, rows, cols int) func(y, q []float64) {
	t := make([]float64, kern.GramScratch(rows, cols))
	return func(y, q []float64) { kern.MulGram(y, a, rows, cols, q, t) }
}

// Any symmetric positive semidefinite matrix will do, as a product alone: here that of
// a path's Laplacian, whose eigenvalues are 2 − 2cos(jπ/n).
func TestLanczosOfAProduct(t *testing.T) {
	for _, n := range []int{2, 3, 10, 90, 700} {
		laplacian := func(y, q []float64) {
			for i, x := range q {
				y[i] = 2 * x
				if i == 0 || i == n-1 {
					y[i] = x
				}
				if i > 0 {
					y[i] -= q[i-1]
				}
				if i < n-1 {
					y[i] -= q[i+1]
				}
			}
		}
		want := 2 - 2*math.Cos(float64(n-1)*math.Pi/float64(n))
		u := unitVector(rand.New(rand.NewPCG(uint64(n), 1)), n)
		upper, _ := Lanczos(u, laplacian, 1e-8, func(sigma float64) float64 { return 1e-4 * sigma })
		y := make([]float64, n)
		laplacian(y, u)
		if θ := floats.Dot(u, y); θ > want*(1+1e-12) || upper < want*(1-1e-12) || upper > want*(1+1e-3) {
			t.Errorf("n = %d: %.9g ≤ λ ≤ %.9g, and λ = %.9g", n, θ, upper, want)
		}
	}
}

// Where a step is dear it stops after the first one that will do, and not only after each
// fourth one; the bound holds as before.
func TestLanczosStopsAtOnce(t *testing.T) {
	saved := 0
	for _, q := range []float64{0.5, 0.9, 0.96, 0.98, 0.99} {
		var took [2]int
		for i, s := range []int{dear - 1, dear} {
			mul := func(y, x []float64) {
				for j := range y {
					y[j] = math.Pow(q, float64(j)) * x[j]
				}
			}
			u, c := make([]float64, s), 0.01/float64(s)
			for j := range u {
				u[j] = 1 / math.Sqrt(float64(s))
			}
			upper, steps := Lanczos(u, mul, c, func(sigma float64) float64 { return 1e-4 * sigma })
			if !(upper >= 1-1e-14 && upper <= 1+3e-4) {
				t.Errorf("order %d, q = %g: λ is at most %.10g, want 1 and a little", s, q, upper)
			}
			took[i] = steps
		}
		if took[1] > took[0] || took[1] <= took[0]-4 {
			t.Errorf("q = %g: %d steps of order %d, %d of order %d", q, took[0], dear-1, took[1], dear)
		}
		saved += took[0] - took[1]
	}
	if saved == 0 {
		t.Error("no step is saved")
	}
}
