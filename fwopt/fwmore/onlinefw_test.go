package fwmore_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// Along every run, not only on average, the two gaps that the bounds' derivations
// follow by induction: F_k(x_k) − min F_k ≤ (LD²/2 + GD)/√k, and
// Φ_k(x_k) − min Φ_k ≤ 2.4²D²/√k.
func TestOnlineFWInvariants(t *testing.T) {
	const d, n, rounds = 6, 20, 300
	D := 2 * math.Sqrt(d)
	for seed := range uint64(20) {
		f, omega := small.Noisy(d, n, 3, seed)
		G := f.Lipschitz(math.Sqrt(d))
		w0 := slices.Repeat([]float64{1}, d)

		// F_k is ½‖x − mean of the sampled centres‖² and a constant
		gap := func(x, centre []float64) float64 { // ½‖x − c‖² above its minimum over the box
			best := make([]float64, d)
			omega.Project(best, centre)
			s := 0.
			for j := range x {
				s += ((x[j]-centre[j])*(x[j]-centre[j]) - (best[j]-centre[j])*(best[j]-centre[j])) / 2
			}
			return s
		}
		a, o := fwmore.OnlineFWSmooth(), fwopt.NewOracle(f, omega, seed)
		x := slices.Clone(w0)
		for s := range a.Steps(o, w0) {
			k := float64(s.K)
			g := make([]float64, d) // ∇F_k(0) = −centre
			b := fwopt.Batch{Index: a.Index}
			for _, c := range a.Count {
				b.Weight = append(b.Weight, c/k)
			}
			f.Grad(g, make([]float64, d), b)
			if h, bound := gap(x, comb(-1, g, 0, g)), (D*D/2+G*D)/math.Sqrt(k); h > bound {
				t.Fatalf("seed %d, k = %d: F_k(x_k) is %g above the minimum, bound %g", seed, s.K, h, bound)
			}
			copy(x, s.X)
			if s.K == rounds {
				break
			}
		}

		l, o := fwmore.OnlineFWLipschitz(fwopt.Constants{D: D, G: G}), fwopt.NewOracle(f, omega, seed)
		x = slices.Clone(w0)
		for s := range l.Steps(o, w0) {
			k := float64(s.K)
			centre := comb(1, l.X1, -1/(2*k*l.Sigma(s.K)), l.Sum) // Φ_k = ‖x − centre‖² and a constant
			if h, bound := 2*gap(x, centre), 2.4*2.4*D*D/math.Sqrt(k); h > bound {
				t.Fatalf("seed %d, k = %d: Φ_k(x_k) is %g above the minimum, bound %g", seed, s.K, h, bound)
			}
			copy(x, l.X)
			if s.K == rounds {
				break
			}
		}
	}
}

// The numbers in the derivations of the two bounds.
func TestOnlineFWConstants(t *testing.T) {
	chain := 0.
	for j := 1; j < 200; j++ {
		chain += 2 * math.Pow(2, -float64(j)) * math.Sqrt(2*math.Log1p(math.Pow(2, float64(j+1))))
	}
	if chain > 4.16 {
		t.Errorf("the levels add up to %g GD√(d/k), want at most 4.16", chain)
	}
	worst, at := 0., 0
	for k := 1; k < 100000; k++ {
		s := float64(k)
		// the root of a c² = b c + 1
		a, b := 1-math.Sqrt(s)*(1-math.Sqrt(s/(s+1))), 1.75*s/(s+1)
		if c := (b + math.Sqrt(b*b+4*a)) / (2 * a); c > worst {
			worst, at = c, k
		}
	}
	if worst > 2.363 || at != 9 {
		t.Errorf("c = %g is needed at s = %d", worst, at)
	}
}

// Round k counts k stochastic gradients, but asks for as few as there are
// different terms.
func ExampleOnlineFW() {
	f, omega := rows(), fwset.Simplex{D: 2, R: 1}
	m := fwmore.OnlineFWSmooth()
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m, fwopt.Budget{Steps: 1000})
	fmt.Printf("w = %.2f, terms %v\n%+v\n", tr.W, m.Index, tr.Last().Calls)
	// Output:
	// w = [0.73 0.27], terms [0 1 2 3]
	// {Exact:1 Stochastic:500500 Linear:1001 Projections:0}
}

// The iterate is the average: no f_i need be smooth.
func ExampleOnlineFWLinear() {
	f, omega := rows(), fwset.Simplex{D: 2, R: 1}
	m := fwmore.OnlineFWLipschitz(fwopt.Constants{D: omega.Diameter(), G: 2})
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m, fwopt.Budget{Steps: 1000})
	fmt.Printf("w = %.2f\n%+v\n", tr.W, tr.Last().Calls)
	// Output:
	// w = [0.85 0.15]
	// {Exact:1 Stochastic:1000 Linear:1001 Projections:0}
}
