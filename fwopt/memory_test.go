package fwopt_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
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
		fwset.Simplex{D: h * m, R: 1}, fwset.L1Ball{D: h * m, R: 2}, fwset.L2Ball{D: h * m, R: 1}, fwset.TraceNorm{H: h, M: m, Tau: 2, SVD: true},
		fwset.Box{Lo: slices.Repeat([]float64{-1}, h*m), Hi: slices.Repeat([]float64{0.5}, h*m)},
	} {
		for _, size := range []int{1, 2, 3, 8, 40} {
			beta := func(k int) float64 { return 6 / float64(k) }
			eta := func(k int) float64 { return math.Max(1e-5, math.Pow(0.5, float64(k))) }
			one := func(int) int { return 1 }
			a := &fwopt.SCGS{Gamma: func(k int) float64 { return 2 / float64(k+1) }, Beta: beta, Eta: eta, M: one, Memory: fwopt.Memory{Size: size}}
			o := fwopt.NewOracle(f, omega, 1)
			z, g, p, d := make([]float64, h*m), make([]float64, h*m), make([]float64, h*m), make([]float64, h*m)
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
					t.Fatalf("%T, %d vertices, step %d: a duality gap of %g for η = %g", omega, size, k, gap, eta(k))
				}
				omega.(fwset.Projector).Project(p, p)
				if far := floats.Distance(p, a.X, 2); beta(k)/2*far*far > eta(k)*(1+1e-9) {
					t.Fatalf("%T, %d vertices, step %d: %g from the minimiser, η = %g", omega, size, k, far, eta(k))
				}
				if out := omega.(fwset.Gauged).Gauge(a.X); out > 1+1e-9 {
					t.Fatalf("%T, %d vertices, step %d: x is outside: %g", omega, size, k, out)
				}
				if len(a.Memory.Atom) > size {
					t.Fatalf("%d vertices in a memory of %d", len(a.Memory.Atom), size)
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

// It is there to save linear optimisations: with the vertices of a simplex all in
// memory, and where the minimisers lie inside a face, hundreds of times.
func TestMemorySaves(t *testing.T) {
	f, omega := small.Problem()
	linear := func(size int) int {
		m := fwopt.SCGSExperiments(fwopt.Constants{L: 20, D: math.Sqrt2})
		m.Beta = func(int) float64 { return 50 }
		m.Eta = func(int) float64 { return 1e-4 }
		m.Memory.Size = size
		tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m, fwopt.Budget{Steps: 30})
		if tr.Status != fwopt.Done {
			t.Fatalf("%d vertices: %v", size, tr.Status)
		}
		return tr.Last().Calls.Linear
	}
	plain, three, all := linear(0), linear(3), linear(8)
	t.Logf("30 steps: %d linear optimisations, %d with 3 vertices, %d with 8", plain, three, all)
	if three > plain || 50*all > plain {
		t.Errorf("30 steps take %d linear optimisations, %d with 3 vertices, %d with 8", plain, three, all)
	}
}

// A set that is small for its distance from 0 leaves few digits to the products of its
// vertices; line 11 reaches its η with a memory where it does without one.
func TestMemoryFarFromZero(t *testing.T) {
	const d = 10
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 5))
		scale, c, omega := make([]float64, d), make([]float64, d), fwset.Box{Lo: make([]float64, d), Hi: make([]float64, d)}
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
			tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m, fwopt.Budget{Steps: 40})
			if tr.Status != fwopt.Done {
				t.Errorf("seed %d, %d vertices: %v after %d steps", seed, size, tr.Status, tr.Last().Step)
			}
		}
	}
}

// Where two runs differ in their memory only, they are two runs.
func TestMemoryIdentity(t *testing.T) {
	said := map[string]bool{}
	for _, size := range []int{0, 1, 2} {
		a, b := fwopt.SCGSExperiments(fwopt.Constants{L: 1, D: 1}), fwopt.STORCExperiments(fwopt.Constants{L: 1, D: 1})
		a.Memory.Size, b.Memory.Size = size, size
		ia, ib := ident.New(a, 5), ident.New(b, 5)
		said[fmt.Sprint(ia.Hash())], said[fmt.Sprint(ib.Hash())] = true, true
	}
	if len(said) != 6 {
		t.Errorf("6 methods have %d identities", len(said))
	}
}
