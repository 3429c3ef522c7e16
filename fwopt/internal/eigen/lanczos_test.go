package eigen

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

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
			diagonal := make([]float64, n)
			for i := range diagonal {
				diagonal[i] = f(i, n) * f(i, n)
			}
			mul := times(diagonal)
			for _, lead := range []float64{1, 1e-3, 1e-8} { // the size of the leading component
				u := unitVector(rng, n)
				u[0] *= lead
				floats.Scale(1/floats.Norm(u, 2), u)
				for _, tol := range []float64{1e-2, 1e-6, 1e-10} {
					v := append([]float64(nil), u...)
					upper, steps := Lanczos(v, mul, math.Abs(u[0]),
						func(sigma float64) float64 { return tol * sigma })
					theta := seen(mul, v)
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
	diagonal := make([]float64, n)
	for i := range diagonal {
		diagonal[i] = (1 + math.Cos(math.Pi*float64(i)/n)) / 2
	}
	mul, u := times(diagonal), unitVector(rng, n)
	c := 1e-6 * math.Sqrt(math.Pi/2/n)
	upper, steps := Lanczos(u, mul, c, func(float64) float64 { return 0 })
	theta := seen(mul, u)
	if steps != maxSteps || upper < 1 || theta > 1+1e-13 || upper > theta*(1+4e-4) {
		t.Errorf("λ_1 = 1 in [%.12g, %.12g] after %d steps", theta, upper, steps)
	}
}

// times returns the product with a diagonal matrix.
func times(diagonal []float64) func(y, q []float64) {
	return func(y, q []float64) { floats.MulTo(y, diagonal, q) }
}

// seen returns ⟨u, Bu⟩.
func seen(mul func(y, q []float64), u []float64) float64 {
	y := make([]float64, len(u))
	mul(y, u)
	return floats.Dot(u, y)
}

// A start in the kernel of the matrix, which a random start is not: an answer
// all the same, and soon.
func TestLanczosZero(t *testing.T) {
	u := []float64{0, 1, 0}
	upper, steps := Lanczos(u, times([]float64{1, 0, 0}), 1e-3, func(float64) float64 { return 0 })
	if math.IsNaN(upper) || steps > 3 || floats.HasNaN(u) {
		t.Errorf("upper = %g after %d steps, u = %v", upper, steps, u)
	}
}

// Where a step is dear it stops after the first one that will do, and not only after each
// fourth one; the bound holds as before.
func TestLanczosStopsAtOnce(t *testing.T) {
	saved := 0
	for _, q := range []float64{0.5, 0.9, 0.96, 0.98, 0.99} {
		var took [2]int
		for i, s := range []int{dear - 1, dear} {
			diagonal := make([]float64, s)
			for j := range diagonal {
				diagonal[j] = math.Pow(q, float64(j))
			}
			u, c := slices.Repeat([]float64{1 / math.Sqrt(float64(s))}, s), 0.01/float64(s)
			upper, steps := Lanczos(u, times(diagonal), c,
				func(sigma float64) float64 { return 1e-4 * sigma })
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
