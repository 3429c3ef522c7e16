package fwopt_test

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
)

// momentum is a method of one's own: stochastic Frank-Wolfe with one sample a step
// and an average of the samples so far for a gradient (after Mokhtari, Hassani &
// Karbasi, JMLR 2020), that is
//
//	d_k = (1 − ρ_k) d_{k−1} + ρ_k ∇f_i(w_{k−1})
//	v_k = argmin_{v∈Ω} d_kᵀv
//	w_k = (1 − γ_k) w_{k−1} + γ_k v_k
type momentum struct {
	Gamma func(k int) float64 // γ_k
	Rho   func(k int) float64 // ρ_k

	K    int       // steps done
	W, D []float64 // w_k, d_k
}

func newMomentum() *momentum {
	return &momentum{
		Gamma: func(k int) float64 { return 2 / float64(k+1) },
		Rho:   func(k int) float64 { return math.Pow(float64(k), -2./3) },
	}
}

// Identify lets Keep know the run again.
func (a *momentum) Identify(id *fwopt.Identity) {
	id.Of(a)
	for _, k := range id.Steps(nil) {
		id.Float(a.Gamma(k), a.Rho(k))
	}
}

// Steps runs the method; a step counts one stochastic gradient and one linear
// optimisation.
func (a *momentum) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	if a.K == 0 {
		a.W, a.D = append(a.W, w0...), make([]float64, len(w0))
	}
	g, v := make([]float64, len(w0)), fwopt.Vertex{}
	return func(yield func(fwopt.Step) bool) {
		for {
			k := a.K + 1
			o.StochasticGrad(g, a.W, 1)
			fwopt.Lerp(a.D, a.Rho(k), g)
			o.Argmin(&v, a.D)
			v.Lerp(a.W, a.Gamma(k))
			a.K = k
			if !yield(fwopt.Step{T: 1, K: k, X: a.W}) {
				return
			}
		}
	}
}

// A method with its schedules and its state in exported fields. This test holds it
// against the contract:
//
//	func TestMomentum(t *testing.T) {
//		fwtest.TestMethod(t, func() fwopt.Method { return newMomentum() }, nil, nil,
//			func(t, k int) fwopt.Calls { return fwopt.Calls{Stochastic: 1, Linear: 1} })
//	}
func ExampleMethod() {
	f := fwsum.NewQuadratic(2, nil, []float64{1, 0, 0, 2}) // the mean of ½‖w − c‖² over two points c
	o := fwopt.NewOracle(f, fwset.L2Ball{D: 2, R: 1}, 1)
	tr := fwopt.Run(context.Background(), o, newMomentum(), fwopt.Budget{Steps: 20_000})
	fmt.Printf("w = %.1f after %d stochastic gradients\n", tr.W, tr.Last().Calls.Stochastic)
	// Output:
	// w = [0.4 0.9] after 20000 stochastic gradients
}
