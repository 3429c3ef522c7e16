package main

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwinst"
	"github.com/projection-free/fwlab/fwopt/fwroad"
	"github.com/projection-free/fwlab/fwopt/internal/sample"
	"gonum.org/v1/gonum/floats"
)

// spy is the sum of an instance. It notes what a method asks it in a step.
type spy struct {
	f     fwopt.FiniteSum
	m     int       // m_k
	z, z0 []float64 // where the stochastic gradients were taken, and the snapshot; nil if none
	tilde []float64 // the answer, ∇̃_k

	before []float64 // the answer before that

	// noise, if set, is the norm of the noise in the next answer, in place of that
	// of a batch: the most that a condition on the variance allows.
	noise func() float64
	rng   *rand.Rand
}

func (s *spy) Tested() any                       { return s } // it would note what the checks ask
func (s *spy) Dim() int                          { return s.f.Dim() }
func (s *spy) Len() int                          { return s.f.Len() }
func (s *spy) Value(w []float64) float64         { return s.f.Value(w) }
func (s *spy) LineSearch(w, v []float64) float64 { return s.f.(fwopt.LineSearcher).LineSearch(w, v) }

func (s *spy) Curve(dst, w, d []float64) { s.f.(fwroad.Curver).Curve(dst, w, d) }

func (s *spy) SampleBatch(b *fwopt.Batch, m int, rng *rand.Rand) {
	s.m, s.rng = m, rng
	if f, ok := s.f.(fwopt.Sampler); ok {
		f.SampleBatch(b, m, rng)
		return
	}
	b.Index, b.Weight = sample.Uniform(b.Index[:0], b.Weight[:0], rng, m, s.f.Len())
}

func (s *spy) Grad(dst, w []float64, b fwopt.Batch) {
	if b.Index == nil {
		s.f.Grad(dst, w, b)
		return
	}
	s.f.Grad(dst, w, s.but(b))
	s.answer(dst, w, nil)
}

func (s *spy) AddGradDiff(dst, w, w0 []float64, b fwopt.Batch) {
	s.f.(fwopt.Differ).AddGradDiff(dst, w, w0, s.but(b))
	s.answer(dst, w, w0)
}

// but is the whole sum where noise stands for the batch.
func (s *spy) but(b fwopt.Batch) fwopt.Batch {
	if s.noise != nil {
		return fwopt.Batch{}
	}
	return b
}

func (s *spy) answer(dst, w, w0 []float64) {
	if s.noise != nil {
		u := make([]float64, len(dst))
		for j := range u {
			u[j] = s.rng.NormFloat64()
		}
		floats.AddScaled(dst, s.noise()/floats.Norm(u, 2), u)
	}
	s.z, s.z0, s.before, s.tilde = slices.Clone(w), slices.Clone(w0), s.tilde, slices.Clone(dst)
}

// start returns where a run on p begins: at W0 or at that of line 3.
func start(p *fwinst.Instance) []float64 { return fwopt.NewOracle(p.F, p.Omega, 1).From(p.W0).Start() }

// watch runs m on p and calls each after every step, until that returns false, with
// what was spent so far, the start not included.
func watch(p *fwinst.Instance, m fwopt.Method, s *spy, seed uint64,
	each func(now fwopt.Step, spent fwopt.Calls) bool) {
	s.f = p.F
	o := fwopt.NewOracle(s, p.Omega, seed).From(start(p))
	step := func(now fwopt.Step) (record, last bool) { return false, !each(now, o.Calls) }
	fwopt.Run(context.Background(), o, m, fwopt.Budget{Record: step, NoW: true}).Complete()
}

// variance returns E‖∇̃f(w; w0) − ∇f(w)‖² over the uniform i, exactly, in O(nd); w0 =
// nil stands for plain stochastic gradients.
func variance(f fwopt.FiniteSum, w, w0 []float64) (v float64) {
	mean, u := make([]float64, len(w)), make([]float64, len(w))
	diff := func(dst []float64, b fwopt.Batch) {
		if w0 == nil {
			f.Grad(dst, w, b)
			return
		}
		clear(dst)
		f.(fwopt.Differ).AddGradDiff(dst, w, w0, b)
	}
	diff(mean, fwopt.Batch{})
	for i := range f.Len() {
		diff(u, only(i))
		floats.Sub(u, mean)
		v += floats.Dot(u, u) / float64(f.Len())
	}
	return v
}

// only is the batch of one term.
func only(i int) fwopt.Batch { return fwopt.Batch{Index: []int{i}, Weight: []float64{1}} }

// grad returns Σ_j Weight[j] ∇f_{Index[j]}(w).
func grad(f fwopt.FiniteSum, w []float64, b fwopt.Batch) []float64 {
	g := make([]float64, len(w))
	f.Grad(g, w, b)
	return g
}

// mix returns (1−γ)a + γb, for any γ, rounded as fwopt.Lerp rounds.
func mix(a []float64, gamma float64, b []float64) []float64 {
	c := slices.Clone(a)
	floats.Scale(1-gamma, c)
	floats.AddScaled(c, gamma, b)
	return c
}

// minus returns a − b.
func minus(a, b []float64) []float64 { return floats.SubTo(make([]float64, len(a)), a, b) }

// dist returns ‖a − b‖, dist2 its square.
func dist(a, b []float64) float64  { return floats.Distance(a, b, 2) }
func dist2(a, b []float64) float64 { d := dist(a, b); return d * d }

// wolfe returns max_{v∈Ω} ⟨g, w − v⟩.
func wolfe(omega fwopt.Domain, g, w []float64) float64 {
	v := make([]float64, len(w))
	omega.Argmin(v, g)
	return floats.Dot(g, minus(w, v))
}

// point returns a random point of Ω: a vertex, a mean of a few, or one of these
// drawn near w*.
func point(p *fwinst.Instance, r *rand.Rand) []float64 {
	vertex := func() []float64 {
		g, v := make([]float64, len(p.WStar)), make([]float64, len(p.WStar))
		for j := range g {
			g[j] = r.NormFloat64()
		}
		p.Omega.Argmin(v, g)
		return v
	}
	w := vertex()
	for range r.IntN(4) {
		fwopt.Lerp(w, r.Float64(), vertex())
	}
	if r.IntN(3) == 0 {
		fwopt.Lerp(w, 1-r.Float64()*r.Float64(), p.WStar)
	}
	return w
}
