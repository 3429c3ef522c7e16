package fwroad_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwroad"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
)

// streets are a grid of side² crossings with streets both ways, and demands that fill them.
func streets(side int, seed uint64) (links []fwroad.Link, arcs []fwroad.Arc, demands []fwroad.Demand) {
	r := rand.New(rand.NewPCG(seed, 5))
	for u := range side * side {
		for _, v := range []int{u + 1, u + side} {
			if v < side*side && (v != u+1 || v%side > 0) {
				for range 2 {
					arcs = append(arcs, fwroad.Arc{From: u, To: v})
					l := fwroad.Link{Free: 1 + 2*r.Float64(), Capacity: 2 + 2*r.Float64(), B: 0.15, Power: 4}
					links = append(links, l)
					u, v = v, u
				}
			}
		}
	}
	for range 3 * side * side {
		if u, v := r.IntN(side*side), r.IntN(side*side); u != v {
			demands = append(demands, fwroad.Demand{From: u, To: v, Flow: 0.2 + r.Float64()})
		}
	}
	return links, arcs, demands
}

// conjugateStep is a step of either method from the paper's formulas, in their own form,
// from what was known before it: a target, and N and D of both weights by pairs.
func conjugateStep(w, v, s1, s2 []float64, gamma float64, known int,
	pair func(d, e []float64) float64) (s []float64) {
	q := sub(v, w)
	switch known {
	case 0:
		return v
	case 1:
		p := sub(s1, w)
		N, D, alpha := pair(p, q), pair(p, sub(v, s1)), 0.0
		if N < 0 {
			alpha = min(0.99, N/D)
		}
		return comb(alpha, s1, 1-alpha, v)
	}
	p, r := sub(s1, w), sub(comb(gamma, s1, 1-gamma, s2), w)
	mu := max(0, -pair(r, q)/pair(r, sub(s2, s1)))
	if pair(r, sub(s2, s1)) <= 0 {
		mu = 0
	}
	nu := max(0, -pair(p, q)/pair(p, p)+mu*gamma/(1-gamma))
	if nu+mu > 99 {
		nu, mu = 99*nu/(nu+mu), 99*mu/(nu+mu)
	}
	beta := 1 / (1 + nu + mu)
	return comb(1, comb(beta, v, nu*beta, s1), mu*beta, s2)
}

// Each step of whole runs against the naive one from where it began, with its counts; and
// that all kinds of steps come.
func TestConjugateAgainstNaive(t *testing.T) {
	kinds := map[string]int{}
	for seed := range uint64(20) {
		links, arcs, demands := streets(4, seed)
		for _, c := range []struct {
			f     fwopt.FiniteSum
			omega fwopt.Domain
			pair  func(w, d, e []float64) float64
		}{
			{fwroad.NewBeckmann(links), fwroad.NewFlows(arcs, demands, 0),
				func(w, d, e []float64) (sum float64) {
					for a, x := range w {
						sum += 0.6 * links[a].Free * x * x * x / math.Pow(links[a].Capacity, 4) * d[a] * e[a]
					}
					return sum
				}},
			{squares(8, seed), fwset.Simplex{D: 8, R: 3}, nil},
			{squares(8, seed), fwset.L2Ball{D: 8, R: 2}, nil},
			{squares(8, seed), fwset.Box{Lo: slices.Repeat([]float64{-1}, 8),
				Hi: slices.Repeat([]float64{1.5}, 8)}, nil},
		} {
			if c.pair == nil {
				c.pair = func(_, d, e []float64) float64 { // of a quadratic: from differences of gradients
					g, g0 := make([]float64, len(d)), make([]float64, len(d))
					c.f.Grad(g, d, fwopt.Batch{})
					c.f.Grad(g0, make([]float64, len(d)), fwopt.Batch{})
					return floats.Dot(sub(g, g0), e)
				}
			}
			conj, both := &fwroad.ConjugateFW{}, &fwroad.BiconjugateFW{}
			for _, m := range []struct {
				fwopt.Method
				most  int
				s     *[]float64
				gamma *float64
			}{{conj, 1, &conj.S, &conj.Gamma}, {both, 2, &both.S, &both.Gamma}} {
				where := fmt.Sprintf("%v, %T on %T, seed %d", m.Method, c.f, c.omega, seed)
				o := fwopt.NewOracle(c.f, c.omega, 1)
				w := o.Start()
				s1, s2, gamma, known, before := w, w, 0.0, 0, o.Calls
				for step := range m.Steps(o, w) {
					g, v := make([]float64, len(w)), make([]float64, len(w))
					c.f.Grad(g, w, fwopt.Batch{})
					c.omega.Argmin(v, g)
					gap, size := floats.Dot(g, sub(w, v)), floats.Norm(g, 2)*floats.Norm(w, 2)
					if gap < 1e-8*size+1e-9 || step.K > 100 {
						break
					}
					s := conjugateStep(w, v, s1, s2, gamma, known,
						func(d, e []float64) float64 { return c.pair(w, d, e) })
					want := fwopt.Calls{Exact: before.Exact + 2 + known, Linear: before.Linear + 1}
					if slope := floats.Dot(g, sub(w, s)); slope < 0.005*gap {
						s, known = v, 0
						kinds[m.Method.(fmt.Stringer).String()+" anew"]++
					}
					e := floats.Norm(sub(*m.s, s), 2)
					if e > 1e-10*(floats.Norm(s, 2)+floats.Norm(v, 2)) || o.Calls != want {
						t.Fatalf("%s, step %d: s is %g off; calls %+v, want %+v", where, step.K, e, o.Calls,
							want)
					}
					kinds[fmt.Sprintf("%v %d", m.Method, known)]++
					s1, s2, gamma, before = slices.Clone(*m.s), s1, *m.gamma, o.Calls
					if known = min(m.most, known+1); gamma == 1 {
						known = 0
						kinds["whole"]++
					}
					next := comb(1-gamma, w, gamma, s1)
					if e := floats.Norm(sub(step.X, next), 2); e > 1e-12*floats.Norm(next, 2) ||
						c.f.Value(step.X) > c.f.Value(w)*(1+1e-14)+1e-14 {
						t.Fatalf("%s, step %d: w is %g off, f from %g to %g", where, step.K, e, c.f.Value(w),
							c.f.Value(step.X))
					}
					d := comb(1, sub(s1, next), 0, next)
					slope := make([]float64, len(w))
					if c.f.Grad(slope, next, fwopt.Batch{}); gamma < 1 &&
						math.Abs(floats.Dot(slope, d)) >
							1e-9*floats.Norm(g, 2)*floats.Norm(d, 2)+1e-12*floats.Dot(d, d) {
						t.Fatalf("%s, step %d: a slope of %g is left", where, step.K, floats.Dot(slope, d))
					}
					w = slices.Clone(step.X) // to the bit: p = s_k − w_k is all rounding where γ_k is nearly 1
				}
			}
		}
	}
	t.Logf("steps: %v", kinds)
	for _, kind := range []string{"ConjugateFW 0", "ConjugateFW 1", "BiconjugateFW 0", "BiconjugateFW 1",
		"BiconjugateFW 2", "whole"} {
		if kinds[kind] < 20 {
			t.Errorf("%d steps %q: the test tests little", kinds[kind], kind)
		}
	}
}

// What cannot be meant is named.
func TestConjugateBadInput(t *testing.T) {
	f, omega := small.Problem()
	type bare struct{ fwopt.FiniteSum }
	type bent struct {
		fwopt.FiniteSum
		fwroad.Curver
	}
	for _, m := range []fwopt.Method{&fwroad.ConjugateFW{}, &fwroad.BiconjugateFW{}} {
		for want, f := range map[string]fwopt.FiniteSum{
			"fwroad: fwroad_test.bare has no Curve, the product with its second derivative; " +
				"use another method, as AwayFW": bare{f},
			"fwopt: fwroad_test.bent has no line search; use another StepRule, or give it one": bent{f, f.(fwroad.Curver)},
		} {
			o := fwopt.NewOracle(f, omega, 1)
			got := small.Panics(func() { fwopt.Run(context.Background(), o, m, fwopt.Budget{Steps: 3}) })
			if got != want {
				t.Errorf("panic %q, want %q", got, want)
			}
		}
	}
}

// misled says that its second derivative is another one's: of no sign, or no number. Its
// line searches are rough.
type misled struct {
	*fwsum.LeastSquares
	r    *rand.Rand
	wild float64
}

func (f misled) Curve(dst, _, _ []float64) {
	for j := range dst {
		dst[j] = f.wild * f.r.NormFloat64()
	}
}

func (f misled) LineSearch(w, v []float64) float64 {
	return min(1, f.LeastSquares.LineSearch(w, v)*(0.2+1.6*f.r.Float64()))
}

// Whatever the second derivatives are, f falls towards s_k and the methods converge as
// Frank-Wolfe does.
func TestConjugateMisled(t *testing.T) {
	for seed := range uint64(5) {
		for _, wild := range []float64{1, 1e300, 1e-300, math.Inf(1), math.NaN()} {
			f, omega := misled{squares(6, seed), rand.New(rand.NewPCG(seed, 1)), wild},
				fwset.Simplex{D: 6, R: 2}
			one, two := &fwroad.ConjugateFW{}, &fwroad.BiconjugateFW{}
			for _, m := range []struct {
				fwopt.Method
				s   *[]float64
				gap *float64
			}{{one, &one.S, &one.DualityGap}, {two, &two.S, &two.DualityGap}} {
				o := fwopt.NewOracle(f, omega, 1)
				w, g := o.Start(), make([]float64, 6)
				for s := range m.Steps(o, w) {
					f.Grad(g, w, fwopt.Batch{})
					if slope := floats.Dot(g, sub(w, *m.s)); !(slope >= 0.00499**m.gap-1e-15) ||
						math.Abs(floats.Sum(s.X)-2) > 1e-9 {
						t.Fatalf(
							"%v, seed %d, ∇²f about %g, step %d: a slope of %g where the gap is %g, at %v",
							m.Method, seed, wild, s.K, slope, *m.gap, s.X)
					}
					if w = slices.Clone(s.X); s.K == 1000 {
						break
					}
				}
				if !(*m.gap < 2e-2) {
					t.Errorf("%v, seed %d, ∇²f about %g: gap %g", m.Method, seed, wild, *m.gap)
				}
			}
		}
	}
}

// The methods on one network.
func ExampleBiconjugateFW() {
	links, arcs, demands := streets(4, 1)
	f, omega := fwroad.NewBeckmann(links), fwroad.NewFlows(arcs, demands, 0)
	fw := &fwopt.FW{Rule: fwopt.LineSearch{}}
	for _, m := range []fwopt.Method{fw, &fwroad.ConjugateFW{}, &fwroad.BiconjugateFW{}} {
		b := fwopt.Budget{Tolerance: 0.01, Steps: 1000}
		tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m, b)
		fmt.Printf("%v %v after %d steps\n", m, tr.Status, tr.Last().Step)
	}
	// Output:
	// FW converged after 449 steps
	// ConjugateFW converged after 57 steps
	// BiconjugateFW converged after 33 steps
}
