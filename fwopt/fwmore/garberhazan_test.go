package fwmore_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwinst"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
)

// inSimplex draws a point of a simplex with some coordinates at 0.
func inSimplex(r *rand.Rand, s fwset.Simplex) []float64 {
	x := make([]float64, s.D)
	for sum := 0.; sum == 0; sum = floats.Sum(x) {
		for j := range x {
			if x[j] = 0; r.IntN(3) > 0 {
				x[j] = r.ExpFloat64()
			}
		}
	}
	floats.Scale(s.R/floats.Sum(x), x)
	return x
}

// moveMass is the local optimisation on the simplex, as plain as can be: as long
// as there is mass to move, it goes from the worst coordinate that has some to
// the best one. The best is the first, ties among the worst go by index.
func moveMass(s fwset.Simplex, g, x []float64, r float64) []float64 {
	p, left := slices.Clone(x), math.Min(s.R, r*math.Sqrt(float64(s.D))/2)
	best := 0
	for j := range g {
		if g[j] < g[best] {
			best = j
		}
	}
	for {
		worst := -1
		for j := range g {
			if p[j] > 0 && g[j] > g[best] && (worst < 0 || g[j] > g[worst]) {
				worst = j
			}
		}
		if worst < 0 || left <= 0 {
			return p
		}
		part := math.Min(p[worst], left)
		p[worst] -= part
		p[best] += part
		left -= part
	}
}

// The answer is the one of the naive construction, ties included, in the simplex, and as far as
// ρr from x at most; TestDomain asks whether it is good enough.
func TestArgminLocal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	tightest := 0. // the largest ‖p − x‖/ρr
	for range 3000 {
		s := fwset.Simplex{D: 1 + rng.IntN(9), R: math.Exp(rng.NormFloat64())}
		x, g := inSimplex(rng, s), make([]float64, s.D)
		for j := range g {
			if g[j] = rng.NormFloat64(); rng.IntN(4) == 0 {
				g[j] = math.Round(g[j]) // ties
			}
		}
		r := s.R * math.Exp(3*rng.NormFloat64()-2)
		p := slices.Repeat([]float64{math.NaN()}, s.D)
		s.ArgminLocal(p, g, x, r)
		far := floats.Distance(p, x, 2)
		tightest = max(tightest, far/(s.Rho()*r))
		if e := floats.Distance(p, moveMass(s, g, x, r), math.Inf(1)); !(e <= 1e-12*s.R) ||
			s.Gauge(p) > 1+1e-12 || far > s.Rho()*r+1e-14*s.R {
			t.Fatalf("%+v, g %v, x %v, r %g: %v is %g off, at distance %g", s, g, x, r, p, e, far)
		}
	}
	if tightest < 1-1e-12 {
		t.Errorf("‖p − x‖ is at most %g of ρr: ρ is too large", tightest)
	}
}

// Step by step against the naive one, with the accounts, and under the bound, for
// 20 seeds; at the end the bound is 1e−7 of what it was.
func TestGarberHazan(t *testing.T) {
	for seed := range uint64(20) {
		d, mu := []int{5, 12, 20}[seed%3], []float64{1, 4}[seed%2]
		p, omega := fwinst.IllSimplex(d, 1, mu, seed), fwset.Simplex{D: d, R: 1}
		D, rho := math.Sqrt2, math.Sqrt(float64(d)/2)
		constants := fwopt.Constants{L: 1, D: D, Alpha: 1 / mu, Rho: rho}
		o := fwopt.NewOracle(p.F, omega, seed)
		w0 := make([]float64, d)
		w0[d-1] = 1
		w, H := slices.Clone(w0), D*D/2
		for s := range fwmore.GarberHazanStronglyConvex(constants).Steps(o, w0) {
			r := math.Sqrt(2 * mu * H) // H_{k−1} = (α/2)r²
			g := make([]float64, d)
			for j := range g {
				g[j] = math.Pow(mu, -float64(j)/float64(d-1)) * (w[j] - p.WStar[j])
			}
			gamma := 1 / (2 * mu * rho * rho)
			w = comb(1-gamma, w, gamma, moveMass(omega, g, w, r))
			H *= 1 - gamma + mu*rho*rho*gamma*gamma
			if e := norm(sub(s.X, w)); e > 1e-10 {
				t.Fatalf("seed %d, step %d: %g off", seed, s.K, e)
			}
			if want := (fwopt.Calls{Exact: s.K, Linear: s.K}); o.Calls != want {
				t.Fatalf("seed %d, step %d: %+v", seed, s.K, o.Calls)
			}
			bound := constants.BoundGarberHazan(s.K)
			if math.Abs(bound-H) > 1e-10*H {
				t.Fatalf("seed %d, step %d: the bound is %g, want %g", seed, s.K, bound, H)
			}
			if gap := p.Excess(s.X); gap > bound+1e-30 {
				t.Fatalf("seed %d, step %d: f − f* = %g, bound %g", seed, s.K, gap, bound)
			}
			if bound < 1e-7 {
				break
			}
			copy(w, s.X) // rounding decides ties near the end
		}
	}
}
