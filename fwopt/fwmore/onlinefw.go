package fwmore

import (
	"iter"
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// OnlineFW is Online Frank-Wolfe (Hazan & Kale, "Projection-free online
// learning", ICML 2012, Algorithm 1) where the loss of each round is a sample of
// the sum, the first Online-FW row of Table 2. With x_1 = w_0:
//
//	for k = 1, 2, … do
//	    Draw i_k uniformly from {1, …, n}, and let F_k = (1/k) Σ_{s≤k} f_{i_s}.
//	    Compute v_k = argmin_{v∈Ω} ∇F_k(x_k)ᵀv.
//	    Compute x_{k+1} = (1 − γ_k) x_k + γ_k v_k.
//	end for
//
// The samples so far are kept as a list of the terms that came and how often
// each did. So a round costs O(min{k, n}) gradients, though it counts k, and
// memory is O(min{k, n}).
type OnlineFW struct {
	Gamma func(k int) float64 // γ_k

	K     int       // rounds done
	X     []float64 // x_{k+1}
	Index []int     // the terms among the first k samples, in rising order
	Count []float64 // how often each came; the sum is k
}

// OnlineFWSmooth has γ_k = k^{−1/2}, which needs no constants of f. If the f_i are
// convex, L-smooth and G-Lipschitz on a domain of diameter D in dimension d, then
// E f(x_{k+1}) − f(w*) ≤ Constants.BoundOnlineFW(d, k), as
// notebooks/earlier-methods proves.
func OnlineFWSmooth() *OnlineFW { return &OnlineFW{Gamma: rootStep} }

// rootStep is γ_k = k^{−1/2}.
func rootStep(k int) float64 { return 1 / math.Sqrt(float64(k)) }

func (a *OnlineFW) String() string { return "Online-FW" }

// Identify writes the parameters at each step.
func (a *OnlineFW) Identify(id *fwopt.Identity) {
	id.Of(a)
	for _, k := range id.Steps(nil) {
		id.Float(a.Gamma(k))
	}
}

// Steps runs Online Frank-Wolfe; the iterate is x_{k+1}. Round k counts k
// stochastic gradients and one linear optimisation.
func (a *OnlineFW) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	need.Given("fwmore", "OnlineFW.Gamma", a.Gamma == nil)
	if a.K == 0 {
		a.X = append(a.X[:0], w0...)
	}
	g, v, weight := make([]float64, len(w0)), fwopt.Vertex{}, []float64(nil)
	return func(yield func(fwopt.Step) bool) {
		for { // for k = 1, 2, …
			k := a.K + 1
			a.keep(o.Sample(1)) // draw i_k
			weight = append(weight[:0], a.Count...)
			floats.Scale(1/float64(k), weight)
			b := fwopt.Batch{Index: a.Index, Weight: weight}
			o.GradOf(g, a.X, b, k)  // ∇F_k(x_k), F_k = (1/k) Σ_{s≤k} f_{i_s}
			o.Argmin(&v, g)         // v_k = argmin_{v∈Ω} ∇F_k(x_k)ᵀv
			v.Lerp(a.X, a.Gamma(k)) // x_{k+1} = (1−γ_k) x_k + γ_k v_k
			a.K = k
			if !yield(fwopt.Step{T: 1, K: k, X: a.X}) {
				return
			}
		}
	}
}

// keep adds a batch to the samples so far.
func (a *OnlineFW) keep(b fwopt.Batch) {
	for j, i := range b.Index {
		at, found := slices.BinarySearch(a.Index, i)
		if !found {
			a.Index, a.Count = slices.Insert(a.Index, at, i), slices.Insert(a.Count, at, 0)
		}
		a.Count[at] += b.Weight[j]
	}
}

// OnlineFWLinear is Online Frank-Wolfe on linearised, regularised losses (Hazan &
// Kale, ICML 2012), the second Online-FW row of Table 2, whose f_i need not be
// smooth: ∇f_i may be any subgradient. With x_1 = w_0:
//
//	for k = 1, 2, … do
//	    Compute ∇̃_k, a sample of ∇f_i(x_k).
//	    Let F_k(x) = (1/k) Σ_{s≤k} ∇̃_sᵀx + σ_k‖x − x_1‖².
//	    Compute v_k = argmin_{v∈Ω} ∇F_k(x_k)ᵀv.
//	    Compute x_{k+1} = (1 − γ_k) x_k + γ_k v_k.
//	    Set w_k = (1/k) Σ_{s≤k} x_s.
//	end for
type OnlineFWLinear struct {
	Gamma func(k int) float64 // γ_k
	Sigma func(k int) float64 // σ_k, the weight of the regulariser

	K     int       // rounds done
	W     []float64 // w_k, the average iterate
	X, X1 []float64 // x_{k+1}, x_1
	Sum   []float64 // Σ_{s≤k} ∇̃_s
}

// OnlineFWLipschitz has the parameters for convex, G-Lipschitz f_i on a domain of
// diameter D: γ_k = k^{−1/2} and σ_k = (G/D) k^{−1/4} give
// E f(w_k) − f(w*) ≤ Constants.BoundOnlineFWLinear(k), for any number of rounds;
// the mean of σ_1 … σ_k for σ_k keeps the bound. Both proofs are in
// notebooks/earlier-methods. Theorem 7.3 of Hazan, "Introduction to Online Convex
// Optimization" (2nd ed.), is the like for a number of rounds that is known.
func OnlineFWLipschitz(c fwopt.Constants) *OnlineFWLinear {
	c.BoundOnlineFWLinear(1) // panics where a constant is missing
	r := c.G / c.D
	return &OnlineFWLinear{
		Gamma: rootStep,
		Sigma: func(k int) float64 { return r / math.Sqrt(math.Sqrt(float64(k))) },
	}
}

func (a *OnlineFWLinear) String() string { return "Online-FW, linearised" }

// Identify writes the parameters at each step.
func (a *OnlineFWLinear) Identify(id *fwopt.Identity) {
	id.Of(a)
	for _, k := range id.Steps(nil) {
		id.Float(a.Gamma(k), a.Sigma(k))
	}
}

// Steps runs Online Frank-Wolfe on linearised losses; the iterate is the average
// w_k. A round counts one stochastic gradient and one linear optimisation.
func (a *OnlineFWLinear) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	need.Given("fwmore", "OnlineFWLinear.Gamma", a.Gamma == nil)
	need.Given("fwmore", "OnlineFWLinear.Sigma", a.Sigma == nil)
	if a.K == 0 {
		a.X, a.X1 = append(a.X[:0], w0...), append(a.X1[:0], w0...)
		a.W, a.Sum = make([]float64, len(w0)), make([]float64, len(w0))
	}
	g, v := make([]float64, len(w0)), fwopt.Vertex{}
	return func(yield func(fwopt.Step) bool) {
		for { // for k = 1, 2, …
			k := a.K + 1
			o.StochasticGrad(g, a.X, 1)        // ∇̃_k, a sample of ∇f_i(x_k)
			fwopt.Lerp(a.W, 1/float64(k), a.X) // w_k = (1/k) Σ_{s≤k} x_s
			floats.Add(a.Sum, g)               // Σ_{s≤k} ∇̃_s
			σ := a.Sigma(k)
			for j, s := range a.Sum {
				g[j] = s/float64(k) + 2*σ*(a.X[j]-a.X1[j]) // ∇F_k(x_k), its two terms
			}
			o.Argmin(&v, g)         // v_k = argmin_{v∈Ω} ∇F_k(x_k)ᵀv
			v.Lerp(a.X, a.Gamma(k)) // x_{k+1} = (1−γ_k) x_k + γ_k v_k
			a.K = k
			if !yield(fwopt.Step{T: 1, K: k, X: a.W}) {
				return
			}
		}
	}
}
