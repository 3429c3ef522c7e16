package fwset

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Reflected returns an h × m matrix, laid out as TraceNorm does, with the singular values s,
// ascending or not: a diagonal between products of a few random reflections.
func Reflected(rng *rand.Rand, h, m int, s []float64) []float64 {
	x := make([]float64, h*m)
	for i, c := range s {
		x[i*h+i] = c
	}
	for range 3 {
		mirror(x, direction(rng, h), direction(rng, m))
	}
	return x
}

// Symmetric returns a symmetric matrix with these eigenvalues.
func Symmetric(rng *rand.Rand, lambda []float64) []float64 {
	n := len(lambda)
	x := make([]float64, n*n)
	for i, c := range lambda {
		x[i*n+i] = c
	}
	for range 3 {
		u := direction(rng, n)
		mirror(x, u, u)
	}
	return x
}

// mirror reflects the columns of x by u and its rows by v.
func mirror(x, u, v []float64) {
	a, w := mat.NewDense(len(v), len(u), x), mat.NewVecDense(len(u), u)
	reflect(a, v)
	var dots mat.VecDense
	dots.MulVec(a, w)
	a.RankOne(a, -2, &dots, w)
}

// Normal returns n random numbers.
func Normal(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// direction returns a random unit vector.
func direction(rng *rand.Rand, n int) []float64 {
	u := Normal(rng, n)
	toSphere(u, u, 1)
	return u
}

// orthonormal returns n random orthonormal vectors.
func orthonormal(rng *rand.Rand, n int) [][]float64 {
	return slices.Collect(slices.Chunk(Reflected(rng, n, n, slices.Repeat([]float64{1}, n)), n))
}

// Singular returns the singular values of x, by gonum.
func Singular(h, m int, x []float64) []float64 {
	var svd mat.SVD
	if !svd.Factorize(mat.NewDense(m, h, x), mat.SVDNone) {
		panic("no decomposition")
	}
	return svd.Values(nil)
}

// checkLMO holds an answer to g against the singular values of g and returns
// its relative error.
func checkLMO(t *testing.T, b TraceNorm, g, dst []float64, slack float64) float64 {
	t.Helper()
	best := -b.Tau * Singular(b.H, b.M, g)[0]
	got := floats.Dot(g, dst)
	eps := 1e-12 * math.Abs(best)
	if math.IsNaN(got) || got < best-eps {
		t.Fatalf("⟨g, v⟩ = %.17g is below the minimum %.17g", got, best)
	}
	if !(slack >= 0) || got > best+slack+eps {
		t.Fatalf("⟨g, v⟩ = %.17g is more than the slack %g above the minimum %.17g", got, slack, best)
	}
	s := Singular(b.H, b.M, dst)
	if math.Abs(s[0]-b.Tau) > 1e-13*b.Tau || (len(s) > 1 && s[1] > 1e-13*b.Tau) {
		t.Fatalf("the singular values of v begin with %g, want τ = %g and zeros", s[:min(3, len(s))], b.Tau)
	}
	return (got - best) / math.Abs(best)
}

// Both paths, both orientations, all kinds of spectra.
func TestTraceNormLMO(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, sh := range [][2]int{{1, 1}, {1, 7}, {7, 1}, {2, 3}, {3, 2}, {5, 5}, {4, 600}, {600, 4}, {20, 301},
		{70, 90}, {90, 70}, {66, 1100}, {1100, 66}, {130, 130}} {
		b := TraceNorm{H: sh[0], M: sh[1], Tau: 2.5}
		dst := make([]float64, b.H*b.M)
		for name, f := range map[string]func(i int) float64{
			"generic":   func(i int) float64 { return 1 / (1 + float64(i)) },
			"rank one":  func(i int) float64 { return 3 * max(0, 1-float64(i)) },
			"all tied":  func(int) float64 { return 2 },
			"clustered": func(i int) float64 { return 1 - 1e-7*float64(i) },
			"decaying":  func(i int) float64 { return math.Pow(0.3, float64(min(i, 500))) },
		} {
			s := make([]float64, min(b.H, b.M))
			for i := range s {
				s[i] = f(i)
			}
			g, top := Reflected(rng, b.H, b.M, s), b.Tau*s[0]
			check := func(path string, tol, slackTol float64, argmin func(v *Vertex) float64) {
				slack := out(dst, argmin)
				if err := checkLMO(t, b, g, dst, slack); err > tol || slack > slackTol*top {
					t.Errorf("%v, %s, %s: relative error %g with relative slack %g, want at most %g and %g",
						sh, name, path, err, slack/top, tol, slackTol)
				}
			}
			check("gram", 1e-12, 1e-11, func(v *Vertex) float64 {
				slack, ok := b.argminGram(v, g)
				if !ok {
					t.Error("no convergence")
				}
				return slack
			})
			lanczos := func(tol float64, warm *Warm) func(v *Vertex) float64 {
				return func(v *Vertex) float64 { return b.argminLanczos(v, g, tol*top, warm) }
			}
			check("lanczos", 1e-6, 1e-6, lanczos(0, nil))
			check("lanczos 1e-10", 1e-10, 1e-8, lanczos(1e-10, nil))
			check("lanczos 1e-2", 1e-2, 1e-2, lanczos(1e-2, new(Warm)))
		}
	}
}

// A warm start that is orthogonal to the matrix, or to the answer, or is no
// vector of this problem, must not matter.
func TestTraceNormWarm(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 150
	b := TraceNorm{H: n, M: n + 10, Tau: 1}
	u, v := orthonormal(rng, n), orthonormal(rng, n+10)
	g := make([]float64, n*(n+10))
	sigma := []float64{1 + 1e-4, 1, 0.9, 0.5, 0.1}
	for i, c := range sigma {
		for j := range n + 10 {
			floats.AddScaled(g[j*n:j*n+n], c*v[i][j], u[i])
		}
	}
	nan := slices.Repeat([]float64{math.NaN()}, n)
	alone := func(x float64) []float64 { return append([]float64{x}, make([]float64, n-1)...) }
	for name, start := range map[string][]float64{
		"the answer": u[0], "the second": u[1], "in the kernel": u[5], "none": nil,
		"zero":            make([]float64, n),
		"of other length": {1, 2}, "NaN": nan, "huge": slices.Repeat([]float64{1e308}, n),
		"tiny":   slices.Repeat([]float64{5e-324}, n),
		"1e-310": alone(1e-310), "1e-200": alone(1e-200), "1e200": alone(1e200),
		"infinite": alone(math.Inf(1)),
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(20) {
				warm := &Warm{V: slices.Clone(start), RNG: *rand.NewPCG(seed, 0)}
				dst := make([]float64, len(g))
				slack := out(dst, func(v *Vertex) float64 { return b.ArgminVertex(v, g, 0, warm) })
				if got := -floats.Dot(g, dst); got < sigma[0]-slack-1e-12 || slack > 1e-6*sigma[0] {
					t.Fatalf("seed %d: value %.12g with slack %g, want %.12g", seed, got, slack, sigma[0])
				}
				if warm.RNG == *rand.NewPCG(seed, 0) {
					t.Fatal("no random numbers of the Warm were used")
				}
				if len(warm.V) != n || math.Abs(floats.Dot(warm.V, u[0])) < 0.99 {
					t.Fatalf("the next start is not the answer")
				}
			}
		})
	}
}

// The promise behind the slack, on the matrix that is worst for it: one
// singular value just above a tied crowd. A method that trusts its residual
// misses it most of the time.
func TestTraceNormSlackIsHonest(t *testing.T) {
	const n = 200
	s := slices.Repeat([]float64{1}, n)
	for i := range s {
		s[i] -= 0.3 * float64(i) / n // fills the interval below the top
	}
	for _, lead := range []float64{1e-3, 1e-5, 1e-8} {
		s[0] = 1 + lead
		g := make([]float64, n*n) // diagonal: no SVD is needed to know it
		for i, c := range s {
			g[i*n+i] = c
		}
		b := TraceNorm{H: n, M: n, Tau: 1}
		dst := make([]float64, n*n)
		for seed := range uint64(10) {
			warm := &Warm{V: make([]float64, n), RNG: *rand.NewPCG(seed, 7)}
			warm.V[1] = 1 // the second singular vector
			for _, tol := range []float64{1e-2, 1e-4, 1e-6, 1e-9} {
				slack := out(dst, func(v *Vertex) float64 { return b.ArgminVertex(v, g, tol, warm) })
				got := -floats.Dot(g, dst)
				if got > s[0]*(1+1e-12) || got < s[0]-slack-1e-12 {
					t.Errorf("lead %g, tol %g: value %.12g, slack %g, want %.12g", lead, tol, got, slack,
						s[0])
				}
				if slack > tol {
					t.Errorf("lead %g, tol %g: slack %g", lead, tol, slack)
				}
				clear(warm.V)
				warm.V[1] = 1
			}
		}
	}
}

// What the doc comment says about the error of the Gram projection.
func TestTraceNormGramAccuracy(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 13))
	const h, m = 20, 200
	eps := h * 0x1p-52
	s := make([]float64, h)
	for i := range s {
		s[i] = math.Pow(10, -0.75*float64(i)) // condition number 1e14
	}
	x := Reflected(rng, h, m, s)
	worst := 0.0
	for _, theta := range []float64{1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 1e-10, 1e-13} {
		tau := 0.0
		for _, c := range s {
			tau += max(0, c-theta)
		}
		a, b := make([]float64, h*m), make([]float64, h*m)
		TraceNorm{h, m, tau, false}.Project(a, x)
		TraceNorm{h, m, tau, true}.Project(b, x)
		d := floats.Distance(a, b, 2)
		if limit := min(eps/theta+eps, math.Sqrt(eps)); d > limit {
			t.Errorf("θ = %g: the two projections differ by %g, want at most %g", theta, d, limit)
		}
		worst = max(worst, d)
	}
	if worst < 1e-11 {
		t.Errorf("the Gram projection is never off by more than %g: the comment is out of date", worst)
	}
	exact := floats.Sum(s)
	if g := (TraceNorm{h, m, 1, true}).Gauge(x); math.Abs(g-exact) > 1e-13 {
		t.Errorf("gauge %.16g by SVD, want %.16g", g, exact)
	}
	if g := (TraceNorm{h, m, 1, false}).Gauge(x); math.Abs(g-exact) > 1e-6 {
		t.Errorf("gauge %.16g by the Gram matrix, want %.16g", g, exact)
	}
}

// out writes out what argmin fills, and returns its slack.
func out(dst []float64, argmin func(v *Vertex) float64) (slack float64) {
	var v Vertex
	slack = argmin(&v)
	v.Check(len(dst))
	v.Dense(dst)
	return slack
}

// Of equal singular values: gonum's own right factors of these three are off by 0.005 to
// 0.03.
func TestEqualSingularValues(t *testing.T) {
	for _, seed := range []uint64{77, 613, 862} {
		rng := rand.New(rand.NewPCG(seed, 0))
		b := SpectralNorm{H: 145, M: 157, R: 1}
		g, v, p := Normal(rng, b.Dim()), make([]float64, b.Dim()), make([]float64, b.Dim())
		b.Argmin(v, g)
		floats.ScaleTo(g, 2, v)
		b.Project(p, g)
		if d := floats.Distance(p, v, 2); d > 1e-12 {
			t.Errorf("spectral norm, seed %d: off by %g", seed, d)
		}
		q := TraceNorm{H: b.H, M: b.M, Tau: 145, SVD: true}
		q.Project(p, g)
		if d := floats.Distance(p, v, 2); d > 1e-11 {
			t.Errorf("trace norm, seed %d: off by %g", seed, d)
		}
	}
}
