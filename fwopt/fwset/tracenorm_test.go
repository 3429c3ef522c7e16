package fwset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// withValues returns an h × m matrix, laid out as TraceNorm does, with the
// singular values s and random singular vectors. No code of tracenorm.go is used.
func withValues(rng *rand.Rand, h, m int, s []float64) []float64 {
	x := make([]float64, h*m)
	u, v := orthonormal(rng, h, len(s)), orthonormal(rng, m, len(s))
	for i, c := range s {
		for j := range m {
			for l := range h {
				x[j*h+l] += c * u[i][l] * v[i][j]
			}
		}
	}
	return x
}

// orthonormal returns k random orthonormal vectors in R^n.
func orthonormal(rng *rand.Rand, n, k int) [][]float64 {
	var q [][]float64
	for len(q) < k {
		x := make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		for range 2 {
			for _, p := range q {
				floats.AddScaled(x, -floats.Dot(p, x), p)
			}
		}
		floats.Scale(1/floats.Norm(x, 2), x)
		q = append(q, x)
	}
	return q
}

func singular(t testing.TB, b TraceNorm, x []float64) []float64 {
	var svd mat.SVD
	if !svd.Factorize(mat.NewDense(b.M, b.H, x), mat.SVDNone) {
		t.Fatal("no SVD")
	}
	return svd.Values(nil)
}

// checkLMO holds an answer to g against the singular values of g and returns
// its relative error.
func checkLMO(t *testing.T, b TraceNorm, g, dst []float64, slack float64) float64 {
	t.Helper()
	best := -b.Tau * singular(t, b, g)[0]
	got := floats.Dot(g, dst)
	eps := 1e-12 * math.Abs(best)
	if math.IsNaN(got) || got < best-eps {
		t.Fatalf("⟨g, v⟩ = %.17g is below the minimum %.17g", got, best)
	}
	if !(slack >= 0) || got > best+slack+eps {
		t.Fatalf("⟨g, v⟩ = %.17g is more than the slack %g above the minimum %.17g", got, slack, best)
	}
	s := singular(t, b, dst)
	if math.Abs(s[0]-b.Tau) > 1e-13*b.Tau || (len(s) > 1 && s[1] > 1e-13*b.Tau) {
		t.Fatalf("the singular values of v begin with %g, want τ = %g and zeros", s[:min(3, len(s))], b.Tau)
	}
	return (got - best) / math.Abs(best)
}

// Both paths, both orientations, all kinds of spectra.
func TestTraceNormLMO(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, sh := range [][2]int{{1, 1}, {1, 7}, {7, 1}, {2, 3}, {3, 2}, {5, 5}, {4, 600}, {600, 4}, {20, 301}, {70, 90}, {90, 70}, {66, 1100}, {1100, 66}, {130, 130}} {
		h, m := sh[0], sh[1]
		k := min(h, m)
		spectra := map[string][]float64{
			"generic":   make([]float64, k),
			"rank one":  {3},
			"all tied":  make([]float64, k),
			"clustered": make([]float64, k),
			"decaying":  make([]float64, k),
		}
		for i := range k {
			spectra["generic"][i] = 1 / (1 + float64(i))
			spectra["all tied"][i] = 2
			spectra["clustered"][i] = 1 - 1e-7*float64(i)
			spectra["decaying"][i] = math.Pow(0.3, float64(min(i, 500)))
		}
		for name, s := range spectra {
			g := withValues(rng, h, m, s)
			b := TraceNorm{H: h, M: m, Tau: 2.5}
			dst := make([]float64, len(g))
			run := func(path string, tol, slackTol float64, f func() float64) {
				t.Run(fmt.Sprintf("%dx%d/%s/%s", h, m, name, path), func(t *testing.T) {
					for i := range dst {
						dst[i] = math.NaN()
					}
					slack := f()
					if err := checkLMO(t, b, g, dst, slack); err > tol || slack > slackTol*b.Tau*s[0] {
						t.Errorf("relative error %g with relative slack %g, want at most %g and %g", err, slack/b.Tau/s[0], tol, slackTol)
					}
				})
			}
			run("gram", 1e-12, 1e-11, func() float64 {
				var ok bool
				slack := out(dst, func(v *Vertex) (slack float64) { slack, ok = b.argminGram(v, g); return slack })
				if !ok {
					t.Error("no convergence")
				}
				return slack
			})
			run("lanczos", 1e-6, 1e-6, func() float64 { return out(dst, func(v *Vertex) float64 { return b.argminLanczos(v, g, 0, nil) }) })
			run("lanczos 1e-10", 1e-10, 1e-8, func() float64 {
				return out(dst, func(v *Vertex) float64 { return b.argminLanczos(v, g, 1e-10*b.Tau*s[0], nil) })
			})
			run("lanczos 1e-2", 1e-2, 1e-2, func() float64 {
				return out(dst, func(v *Vertex) float64 { return b.argminLanczos(v, g, 1e-2*b.Tau*s[0], new(Warm)) })
			})
		}
	}
}

// A warm start that is orthogonal to the matrix, or to the answer, or is no
// vector of this problem, must not matter.
func TestTraceNormWarm(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 150
	b := TraceNorm{H: n, M: n + 10, Tau: 1}
	u, v := orthonormal(rng, n, 6), orthonormal(rng, n+10, 5)
	g := make([]float64, n*(n+10))
	sigma := []float64{1 + 1e-4, 1, 0.9, 0.5, 0.1}
	for i, c := range sigma {
		for j := range n + 10 {
			floats.AddScaled(g[j*n:j*n+n], c*v[i][j], u[i])
		}
	}
	nan := slices.Repeat([]float64{math.NaN()}, n)
	for name, start := range map[string][]float64{
		"the answer": u[0], "the second": u[1], "in the kernel": u[5], "none": nil, "zero": make([]float64, n),
		"of other length": {1, 2}, "NaN": nan, "huge": slices.Repeat([]float64{1e308}, n), "tiny": slices.Repeat([]float64{5e-324}, n),
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
					t.Errorf("lead %g, tol %g: value %.12g, slack %g, want %.12g", lead, tol, got, slack, s[0])
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

func TestTraceNormExtremes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, sh := range [][2]int{{3, 5}, {5, 3}, {80, 100}, {100, 80}} {
		b := TraceNorm{H: sh[0], M: sh[1], Tau: 3}
		n := b.Dim()
		dst := slices.Repeat([]float64{7}, n)
		g := make([]float64, n)
		if slack := out(dst, func(v *Vertex) float64 { return b.ArgminVertex(v, g, 0, nil) }); slack != 0 || floats.Norm(dst, 1) != 0 {
			t.Errorf("%v: g = 0 gives slack %g and a point of norm %g, want the centre", sh, slack, floats.Norm(dst, 1))
		}
		for _, c := range []float64{1e-320, 1e-300, 1e-160, 1e-100, 1e-50, 1, 1e50, 1e100, 1e160, 1e300} {
			clear(g)
			g[n/2] = -c
			slack := out(dst, func(v *Vertex) float64 { return b.ArgminVertex(v, g, 0, nil) })
			if math.Abs(dst[n/2]-3) > 1e-12 || math.Abs(floats.Norm(dst, 1)-3) > 1e-9 || !(slack <= 3e-6*c) {
				t.Errorf("%v: one entry −%g: answer %g there, l1 norm %g, slack %g", sh, c, dst[n/2], floats.Norm(dst, 1), slack)
			}
			for i := range g {
				g[i] = rng.NormFloat64()
			}
			want := make([]float64, n)
			b.Argmin(want, g)
			floats.Scale(c, g)
			slack = out(dst, func(v *Vertex) float64 { return b.ArgminVertex(v, g, 0, nil) })
			if c > 1e-310 && (!floats.EqualApprox(dst, want, 1e-4) || !(slack <= 3e-6*c*100)) {
				t.Errorf("%v: the scale %g changes the answer, slack %g", sh, c, slack)
			}
		}
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			g[1] = bad
			if slack := out(dst, func(v *Vertex) float64 { return b.ArgminVertex(v, g, 0, new(Warm)) }); !math.IsInf(slack, 1) || floats.Norm(dst, 1) != 0 {
				t.Errorf("%v: an entry %g gives slack %g", sh, bad, slack)
			}
		}
	}
}

// Steps of Frank-Wolfe towards a matrix of low rank: there the top singular
// values tie, power iteration stops converging, and a wrong LMO shows as a
// negative duality gap.
func TestTraceNormGapNeverNegative(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	for _, sh := range [][2]int{{10, 30}, {70, 80}} {
		b := TraceNorm{H: sh[0], M: sh[1], Tau: 1}
		target := withValues(rng, b.H, b.M, []float64{0.7, 0.6, 0.5, 0.4})
		x, g, v := make([]float64, b.Dim()), make([]float64, b.Dim()), make([]float64, b.Dim())
		warm := new(Warm)
		b.Argmin(x, floats.ScaleTo(g, -1, target))
		best := math.Inf(1)
		for k := 1; k <= 300; k++ {
			floats.SubTo(g, x, target)
			slack := out(v, func(v *Vertex) float64 { return b.ArgminVertex(v, g, 0, warm) })
			gap := floats.Dot(g, x) - floats.Dot(g, v)
			if gap < -slack-1e-14 {
				t.Fatalf("%v: step %d: duality gap %g with slack %g", sh, k, gap, slack)
			}
			best = min(best, gap)
			// exact line search on ½‖x − target‖²
			d := floats.SubTo(make([]float64, len(x)), v, x)
			gamma := max(0, min(1, gap/floats.Dot(d, d)))
			lerp(x, gamma, v)
		}
		if best > 1e-2 {
			t.Errorf("%v: gap %g after 300 steps", sh, best)
		}
	}
}

// The projection of a matrix with known singular values has them projected, and
// the same singular vectors; the multiplier is found by bisection here.
func TestTraceNormProject(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 11))
	for _, sh := range [][2]int{{1, 1}, {1, 9}, {9, 1}, {4, 6}, {6, 4}, {5, 5}, {20, 300}, {300, 20}, {21, 300}, {110, 120}, {120, 110}} {
		h, m := sh[0], sh[1]
		k := min(h, m)
		for _, tau := range []float64{1e-3, 0.5, 2} {
			for _, svd := range []bool{false, true} {
				s := make([]float64, k)
				for i := range s {
					s[i] = 1 / (1 + float64(i))
				}
				seed := rng.Uint64()
				x := withValues(rand.New(rand.NewPCG(seed, 1)), h, m, s)
				lo, hi := 0.0, 1.0
				for range 100 {
					theta, sum := (lo+hi)/2, 0.0
					for _, c := range s {
						sum += max(0, c-theta)
					}
					if sum > tau {
						lo = theta
					} else {
						hi = theta
					}
				}
				for i := range s {
					s[i] = max(0, s[i]-hi)
				}
				want := withValues(rand.New(rand.NewPCG(seed, 1)), h, m, s)
				b := TraceNorm{H: h, M: m, Tau: tau, SVD: svd}
				got := make([]float64, len(x))
				b.Project(got, x)
				if d := floats.Distance(got, want, 2); d > 1e-12 {
					t.Errorf("%dx%d τ=%g SVD=%t: the projection is off by %g", h, m, tau, svd, d)
				}
				if g := b.Gauge(got); floats.Sum(s) > tau*(1-1e-9) && math.Abs(g-1) > 1e-11 {
					t.Errorf("%dx%d τ=%g SVD=%t: gauge %.15g of a projection, want 1", h, m, tau, svd, g)
				}
				again := slices.Clone(got)
				b.Project(again, again)
				if !slices.Equal(got, again) {
					t.Errorf("%dx%d τ=%g SVD=%t: a point of Ω moves", h, m, tau, svd)
				}
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
	x := withValues(rng, h, m, s)
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

func TestTraceNormProjectExtremes(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 15))
	for _, svd := range []bool{false, true} {
		for _, c := range []float64{1e-310, 1e-300, 1e-150, 1, 1e150, 1e300} {
			x := withValues(rng, 4, 6, []float64{1, 0.5, 0.25})
			want := make([]float64, len(x))
			TraceNorm{4, 6, 1, svd}.Project(want, x)
			floats.Scale(c, x)
			got := make([]float64, len(x))
			b := TraceNorm{4, 6, c, svd}
			b.Project(got, x)
			if g := b.Gauge(got); math.Abs(g-1) > 1e-7 {
				t.Errorf("SVD %t, scale %g: gauge %g", svd, c, g)
			}
			floats.Scale(1/c, got)
			if c > 1e-305 && !floats.EqualApprox(got, want, 1e-9) {
				t.Errorf("SVD %t: the scale %g changes the projection", svd, c)
			}
		}
		x := withValues(rng, 4, 6, []float64{1, 0.5, 0.25})
		floats.Scale(1e300, x)
		b := TraceNorm{4, 6, 1e-40, svd}
		b.Project(x, x)
		if g := b.Gauge(x); math.Abs(g-1) > 1e-7 {
			t.Errorf("SVD %t: far outside a small ball: gauge %g", svd, g)
		}
		x[3] = math.NaN()
		b.Project(x, x)
		if !math.IsNaN(x[0]) || !math.IsNaN(b.Gauge(x)) {
			t.Errorf("SVD %t: a NaN is lost", svd)
		}
		x[3] = math.Inf(1)
		if !math.IsInf(b.Gauge(x), 1) && !math.IsNaN(b.Gauge(x)) {
			t.Errorf("SVD %t: an infinity has gauge %g", svd, b.Gauge(x))
		}
	}
}

// The bits do not depend on the number of processors, on what dst held, nor on
// whether the scratch space is fresh.
func TestTraceNormSameBits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, sh := range [][2]int{{7, 9000}, {9000, 7}, {100, 3000}, {3000, 100}, {130, 140}} {
		b := TraceNorm{H: sh[0], M: sh[1], Tau: 2}
		g := gaussian(3, b.Dim())
		for j := 0; j < b.M; j += 3 { // some features are zero
			clear(g[j*b.H : j*b.H+b.H])
		}
		var first [2][]float64
		for _, procs := range []int{1, 2, 3, 8} {
			runtime.GOMAXPROCS(procs)
			v, p := slices.Repeat([]float64{math.NaN()}, len(g)), make([]float64, len(g))
			warm := &Warm{RNG: *rand.NewPCG(1, 2)}
			out(v, func(v *Vertex) float64 { return b.ArgminVertex(v, g, 0, warm) })
			out(v, func(v *Vertex) float64 { return b.ArgminVertex(v, g, 0, warm) })
			b.Project(p, g)
			if first[0] == nil {
				first = [2][]float64{v, p}
			}
			if !slices.Equal(v, first[0]) || !slices.Equal(p, first[1]) {
				t.Errorf("%v: %d processors give other bits than one", sh, procs)
			}
		}
	}
}

func TestTraceNormAllocs(t *testing.T) {
	for _, sh := range [][2]int{{20, 5000}, {128, 300}} {
		b := TraceNorm{H: sh[0], M: sh[1], Tau: 2}
		g, dst := gaussian(4, b.Dim()), make([]float64, b.Dim())
		warm := new(Warm)
		out(dst, func(v *Vertex) float64 { return b.ArgminVertex(v, g, 0, warm) })
		const calls = 20
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range calls {
			out(dst, func(v *Vertex) float64 { return b.ArgminVertex(v, g, 0, warm) })
		}
		runtime.ReadMemStats(&after)
		if n := (after.TotalAlloc - before.TotalAlloc) / calls; n > 50_000 {
			t.Errorf("%v: %d bytes a call", sh, n)
		}
	}
}

// lerp does x = (1−γ)x + γv.
func lerp(x []float64, gamma float64, v []float64) {
	floats.Scale(1-gamma, x)
	floats.AddScaled(x, gamma, v)
}

// out writes out what argmin fills, and returns its slack.
func out(dst []float64, argmin func(v *Vertex) float64) (slack float64) {
	var v Vertex
	slack = argmin(&v)
	v.Check(len(dst))
	v.Dense(dst)
	return slack
}
