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

// Methods of Table 2 on one problem, by name. A round of the first counts its k stochastic
// gradients, but asks for as few as there are different terms.
func ExampleOnlineFW() {
	f, omega := rows(), fwset.Simplex{D: 2, R: 1}
	c := fwopt.Constants{L: 1.5, D: omega.Diameter(), Alpha: 0.75, G: 2, Rho: omega.Rho()}
	for _, m := range []fwopt.Method{fwmore.OnlineFWSmooth(), fwmore.OnlineFWLipschitz(c),
		fwmore.GarberHazanStronglyConvex(c)} {
		tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m, fwopt.Budget{Steps: 100})
		fmt.Printf("%v: w = %.2f, %v\n", m, tr.W, tr.Last().Calls)
	}
	// Output:
	// Online-FW: w = [0.79 0.21], {1 5050 101 0}
	// Online-FW, linearised: w = [0.89 0.11], {1 100 101 0}
	// Garber-Hazan: w = [0.75 0.25], {101 0 101 0}
}
