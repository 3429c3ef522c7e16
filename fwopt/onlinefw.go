package fwopt

import (
	"iter"
	"math"
	"slices"

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
// E f(x_{k+1}) − f(w*) ≤ BoundOnlineFW(L, D, G, d, k), where the derivation stands.
// The step is from memory of Hazan & Kale; the derivation is not theirs.
func OnlineFWSmooth() *OnlineFW { return &OnlineFW{Gamma: rootStep} }

// rootStep is γ_k = k^{−1/2}.
func rootStep(k int) float64 { return 1 / math.Sqrt(float64(k)) }

// BoundOnlineFW returns (LD²/2 + GD + 4.2GD√d)/√(k+1), a bound on
// E f(x_{k+1}) − f(w*) of OnlineFWSmooth, k ≥ 0. So ε costs d(LD²+GD)²/ε² linear
// optimisations, up to a constant, and half the square of that many stochastic
// gradients, as in Table 2.
//
// Let h_k = F_k(x_k) − min_Ω F_k and C = LD²/2 + GD; then h_k ≤ C/√k. As f_{i_1} is
// G-Lipschitz, h_1 ≤ GD. The step on the L-smooth F_k leaves it within
// (1−γ_k)h_k + γ_k²LD²/2 of its minimum, and (k+1)F_{k+1} = kF_k + f_{i_{k+1}}, so
//
//	(k+1)h_{k+1} ≤ k(1−γ_k)h_k + LD²/2 + GD ≤ C(√k − 1) + C ≤ C√(k+1).
//
// F_k is not f, and x_k depends on the samples. Let S_k be the maximum over Ω of
// s(x) = (f−F_k)(x) − (f−F_k)(w*); then f(x_k) − f(w*) ≤ h_k + S_k. Between points at
// distance r, s differs by a mean of k independent numbers of mean 0, each in an
// interval of length 2Gr: it is sub-Gaussian with parameter G²r²/k (Hoeffding).
// Cover Ω, from the single point w* on, by at most (1+2^{j+1})^d balls of radius
// D2^{−j}, j = 0, 1, …, and go from each centre to the nearest one of the level
// above, at distance D2^{1−j}: the expected maxima of the levels add up to
//
//	E S_k ≤ Σ_{j≥1} 2D2^{−j} G √(2d ln(1+2^{j+1})/k) = 4.16GD√(d/k).
func BoundOnlineFW(L, D, G float64, d, k int) float64 {
	return (L*D*D/2 + G*D + 4.2*G*D*math.Sqrt(float64(d))) / math.Sqrt(float64(k+1))
}

func (a *OnlineFW) String() string { return "Online-FW" }

// Identify says the schedules at each step.
func (a *OnlineFW) Identify(id *Identity) {
	id.Of(a)
	for _, k := range id.Steps(nil) {
		id.Float(a.Gamma(k))
	}
}

// Steps runs Online Frank-Wolfe; the iterate is x_{k+1}. Round k counts k
// stochastic gradients and one linear optimisation.
func (a *OnlineFW) Steps(o *Oracle, w0 []float64) iter.Seq[Step] {
	given("OnlineFW.Gamma", a.Gamma == nil)
	if a.K == 0 {
		a.X = append(a.X[:0], w0...)
	}
	g, v, weight := make([]float64, len(w0)), Vertex{}, []float64(nil)
	return func(yield func(Step) bool) {
		for { // for k = 1, 2, …
			k := a.K + 1
			a.keep(o.Sample(1)) // draw i_k
			weight = append(weight[:0], a.Count...)
			floats.Scale(1/float64(k), weight)
			o.GradOf(g, a.X, Batch{a.Index, weight}, k) // ∇F_k(x_k), F_k = (1/k) Σ_{s≤k} f_{i_s}
			o.Argmin(&v, g)                             // v_k = argmin_{v∈Ω} ∇F_k(x_k)ᵀv
			v.Lerp(a.X, a.Gamma(k))                     // x_{k+1} = (1−γ_k) x_k + γ_k v_k
			a.K = k
			if !yield(Step{T: 1, K: k, X: a.X}) {
				return
			}
		}
	}
}

// keep adds a batch to the samples so far.
func (a *OnlineFW) keep(b Batch) {
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
// E f(w_k) − f(w*) ≤ BoundOnlineFWLinear(D, G, k), where the derivation stands. They
// are from memory of Hazan & Kale; the derivation is not theirs.
func OnlineFWLipschitz(D, G float64) *OnlineFWLinear {
	r := positive("G", G) / positive("D", D)
	return &OnlineFWLinear{
		Gamma: rootStep,
		Sigma: func(k int) float64 { return r / math.Sqrt(math.Sqrt(float64(k))) },
	}
}

// BoundOnlineFWLinear returns 4.2GD/k^{1/4}, a bound on E f(w_k) − f(w*) of
// OnlineFWLipschitz, k ≥ 1. So ε costs G⁴D⁴/ε⁴ stochastic gradients and as many
// linear optimisations, up to a constant, as in Table 2.
//
// By convexity k(E f(w_k) − f(w*)) ≤ E Σ_{s≤k} ∇̃_sᵀ(x_s − w*), as x_s does not depend on
// sample s. Let Φ_s = F_s/σ_s = θ_s Σ_{r≤s} ∇̃_rᵀx + ‖x − x_1‖² with θ_s = (D/G)s^{−3/4},
// and x*_s its minimiser over Ω, which minimises the first s losses and the weight
// 1/θ_s of ‖x − x_1‖². That weight grows, so by induction on k (follow the leader who
// knows the next loss)
//
//	Σ_{s≤k} ∇̃_sᵀ(x*_s − w*) ≤ ‖w* − x_1‖²/θ_k ≤ GDk^{3/4}.
//
// The rest is at most GΣ‖x_s − x*_s‖ ≤ GΣ√h_s, where h_s = Φ_s(x_s) − Φ_s(x*_s), since Φ_s
// is 2-strongly convex. It is also 2-smooth, and Φ_{s+1} − Φ_s is linear with a slope of
// at most (θ_s − θ_{s+1})sG + θ_{s+1}G ≤ (7/4)D(s+1)^{−3/4}. So
//
//	h_{s+1} ≤ (1−γ_s)h_s + γ_s²D² + (7/4)D(s+1)^{−3/4} √h_{s+1}.
//
// With h_1 ≤ D²/4 this keeps √h_s ≤ cDs^{−1/4} for c = 2.4: the step asks for
// c²(1 − √s(1−√(s/(s+1)))) ≥ (7/4)cs/(s+1) + 1, where c = 2.363 is enough at s = 9 and less
// elsewhere. As Σ_{s≤k} s^{−1/4} ≤ (4/3)k^{3/4}, the sum is at most (1 + 4c/3)GDk^{3/4}.
func BoundOnlineFWLinear(D, G float64, k int) float64 {
	return 4.2 * G * D / math.Sqrt(math.Sqrt(float64(k)))
}

func (a *OnlineFWLinear) String() string { return "Online-FW, linearised" }

// Identify says the schedules at each step.
func (a *OnlineFWLinear) Identify(id *Identity) {
	id.Of(a)
	for _, k := range id.Steps(nil) {
		id.Float(a.Gamma(k), a.Sigma(k))
	}
}

// Steps runs Online Frank-Wolfe on linearised losses; the iterate is the average
// w_k. A round counts one stochastic gradient and one linear optimisation.
func (a *OnlineFWLinear) Steps(o *Oracle, w0 []float64) iter.Seq[Step] {
	given("OnlineFWLinear.Gamma", a.Gamma == nil)
	given("OnlineFWLinear.Sigma", a.Sigma == nil)
	if a.K == 0 {
		a.X, a.X1 = append(a.X[:0], w0...), append(a.X1[:0], w0...)
		a.W, a.Sum = make([]float64, len(w0)), make([]float64, len(w0))
	}
	g, v := make([]float64, len(w0)), Vertex{}
	return func(yield func(Step) bool) {
		for { // for k = 1, 2, …
			k := a.K + 1
			o.StochasticGrad(g, a.X, 1)  // ∇̃_k, a sample of ∇f_i(x_k)
			Lerp(a.W, 1/float64(k), a.X) // w_k = (1/k) Σ_{s≤k} x_s
			floats.Add(a.Sum, g)         // Σ_{s≤k} ∇̃_s
			σ := a.Sigma(k)
			for j, s := range a.Sum {
				g[j] = s/float64(k) + 2*σ*(a.X[j]-a.X1[j]) // ∇F_k(x_k) = (1/k) Σ ∇̃_s + 2σ_k(x_k − x_1)
			}
			o.Argmin(&v, g)         // v_k = argmin_{v∈Ω} ∇F_k(x_k)ᵀv
			v.Lerp(a.X, a.Gamma(k)) // x_{k+1} = (1−γ_k) x_k + γ_k v_k
			a.K = k
			if !yield(Step{T: 1, K: k, X: a.W}) {
				return
			}
		}
	}
}
