package fwopt_test

import (
	"github.com/projection-free/fwlab/fwopt/fwtest"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
)

// What line 11 promises, whatever it remembers: x_k ∈ Ω has a duality gap of at most η_k
// in g(x) = (β_k/2)‖x − x_{k−1}‖² + ∇̃_kᵀx. With one term ∇̃_k is ∇f(z_k); the gap is
// computed from all vertices, and by the projection of x_{k−1} − ∇̃_k/β_k, where g is
// least. With vertices of all forms, and a memory that is often too small.
func TestMemoryReachesEta(t *testing.T) {
	const h, m = 4, 5
	rng := rand.New(rand.NewPCG(4, 4))
	scale, c := make([]float64, h*m), make([]float64, h*m)
	for j := range c {
		scale[j], c[j] = 1+3*rng.Float64(), 2*rng.NormFloat64()
	}
	f := fwsum.NewQuadratic(h*m, scale, c)
	for _, omega := range []fwset.Domain{
		fwset.Simplex{D: h * m, R: 1}, fwset.L1Ball{D: h * m, R: 2}, fwset.L2Ball{D: h * m, R: 1},
		fwset.TraceNorm{H: h, M: m, Tau: 2, SVD: true},
		fwset.Box{Lo: slices.Repeat([]float64{-1}, h*m), Hi: slices.Repeat([]float64{0.5}, h*m)},
	} {
		for _, size := range []int{1, 2, 3, 8, 40} {
			beta := func(k int) float64 { return 6 / float64(k) }
			eta := func(k int) float64 { return math.Max(1e-5, math.Pow(0.5, float64(k))) }
			one := func(int) int { return 1 }
			a := &fwopt.SCGS{Gamma: func(k int) float64 { return 2 / float64(k+1) }, Beta: beta, Eta: eta,
				M: one, Memory: fwopt.Memory{Size: size}}
			o := fwopt.NewOracle(f, omega, 1)
			z, g, p, d := make([]float64, h*m), make([]float64, h*m), make([]float64, h*m),
				make([]float64, h*m)
			w0 := o.Start()
			x, y := slices.Clone(w0), slices.Clone(w0)
			steps := 0
			for s := range a.Steps(o, w0) {
				k := s.K
				copy(z, y)
				fwopt.Lerp(z, a.Gamma(k), x)
				f.Grad(g, z, fwopt.Batch{})
				for j := range d { // ∇g(x_k), and the point where g is least on all of R^d
					d[j] = g[j] + beta(k)*(a.X[j]-x[j])
					p[j] = x[j] - g[j]/beta(k)
				}
				omega.Argmin(z, d)
				if gap := floats.Dot(d, a.X) - floats.Dot(d, z); gap > eta(k)*(1+1e-9) {
					t.Fatalf("%T, %d vertices, step %d: a duality gap of %g for η = %g", omega, size, k,
						gap, eta(k))
				}
				omega.(fwset.Projector).Project(p, p)
				if far := floats.Distance(p, a.X, 2); beta(k)/2*far*far > eta(k)*(1+1e-9) {
					t.Fatalf("%T, %d vertices, step %d: %g from the minimiser, η = %g", omega, size, k, far,
						eta(k))
				}
				if out := omega.(fwset.Gauged).Gauge(a.X); out > 1+1e-9 {
					t.Fatalf("%T, %d vertices, step %d: x is outside: %g", omega, size, k, out)
				}
				if len(a.Memory.Atom) > size {
					t.Fatalf("%d vertices in a memory of %d", len(a.Memory.Atom), size)
				}
				if k%5 == 0 { // as where an epoch begins
					copy(a.X, a.Y)
				}
				x, y = slices.Clone(a.X), slices.Clone(a.Y)
				if steps++; steps == 40 {
					break
				}
			}
			if steps < 40 {
				t.Errorf("%T, %d vertices: ended after %d steps", omega, size, steps)
			}
		}
	}
}

// A set that is small for its distance from 0 leaves few digits to the products of its
// vertices; line 11 reaches its η with a memory where it does without one.
func TestMemoryFarFromZero(t *testing.T) {
	const d = 10
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 5))
		scale, c, omega := make([]float64, d), make([]float64, d),
			fwset.Box{Lo: make([]float64, d), Hi: make([]float64, d)}
		for j := range c {
			scale[j], c[j] = 1+3*rng.Float64(), 1e6+1.5*rng.NormFloat64()
			omega.Lo[j], omega.Hi[j] = 1e6-1, 1e6+1
		}
		f := fwsum.NewQuadratic(d, scale, c)
		for _, size := range []int{0, 1, 3, 32} {
			m := fwopt.SCGSExperiments(fwopt.Constants{L: 4, D: 1})
			m.Beta = func(k int) float64 { return 12 / float64(k) }
			m.Eta = func(k int) float64 { return max(1e-3, math.Pow(0.5, float64(k))) }
			m.M = func(int) int { return 1 }
			m.Memory.Size = size
			tr := run(f, omega, m, fwopt.Budget{Steps: 40})
			if tr.Status != fwopt.Done {
				t.Errorf("seed %d, %d vertices: %v after %d steps", seed, size, tr.Status, tr.Last().Step)
			}
		}
	}
}

// Every built-in method keeps the contract that fwtest.TestMethod holds a reader's own methods
// against, and spends what it is registered with.
func TestMethods(t *testing.T) {
	if testing.Short() {
		t.Skip("TestMomentum is enough")
	}
	for name, m := range small.Methods() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, omega := small.Problem()
			fwtest.TestMethod(t, func() fwopt.Method { return small.Methods()[name] }, f, omega,
				small.Calls(m))
		})
	}
}

// So does a method of one's own.
func TestMomentum(t *testing.T) {
	fwtest.TestMethod(t, func() fwopt.Method { return newMomentum() }, nil, nil,
		func(_, _ int) fwopt.Calls { return fwopt.Calls{Stochastic: 1, Linear: 1} })
}
