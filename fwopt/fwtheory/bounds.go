// Package fwtheory holds what the theorems promise: the bounds on f(w) − f(w*), or on
// its expectation, of the methods of package fwopt with the parameters of the
// constructor that each names. L is the smoothness of the f_i (of f for BoundFW, BoundAway and
// BoundGarberHazan), D the diameter of Ω, G a bound on the ‖∇f_i(w)‖, alpha the strong
// convexity of f. Where a bound is not the paper's own, its proof stands on the page
// that is named.
package fwtheory

import (
	"fmt"
	"math"
)

// BoundFW returns 2LD²/(k+2), the bound on f(w_k) − f(w*) of FWOpenLoop, FWSafe and
// FWLineSearch, k ≥ 1 (Jaggi, ICML 2013, Theorem 1).
func BoundFW(L, D float64, k int) float64 { return 2 * L * D * D / float64(k+2) }

// BoundSFW returns 4LD²/(k+2), the bound of Theorem 3 on E f(w_k) − f(w*) of
// SFWTheorem3, k ≥ 1. Within an epoch of SVRFTheorem1 it bounds E f(x_k) − f(w*),
// k ≥ 1 (Lemma 2).
func BoundSFW(L, D float64, k int) float64 { return 4 * L * D * D / float64(k+2) }

// BoundEpoch returns LD²/2^{t+1}, the bound of Theorems 1 and 2 on E f(w_t) − f(w*) of
// SVRF and STORC at the end of epoch t, that of STORCBeyond and STORCBeyondStrong
// (notebooks/09-beyond) and that of SCGSStronglyConvex (notebooks/06-previous-work); at
// t = 0 it is that of the w_0 of line 3.
func BoundEpoch(L, D float64, t int) float64 { return L * D * D / math.Exp2(float64(t+1)) }

// BoundSCGS returns LD² (6/(k+2)² + 9/(2(k+1)(k+2))), the bound on E f(y_k) − f(w*) of
// SCGSConvex, k ≥ 1 (notebooks/06-previous-work, by the proof of Lemma 3).
func BoundSCGS(L, D float64, k int) float64 {
	q := float64(k + 2)
	return L * D * D * (6/(q*q) + 4.5/(q*float64(k+1)))
}

// BoundOnlineFW returns (LD²/2 + GD + 4.2GD√d)/√(k+1), a bound on E f(x_{k+1}) − f(w*)
// of OnlineFWSmooth in dimension d, k ≥ 0 (notebooks/06b-online-fw). So ε costs
// d(LD²+GD)²/ε² linear optimisations, up to a constant, and half the square of that
// many stochastic gradients, as in Table 2.
func BoundOnlineFW(L, D, G float64, d, k int) float64 {
	return (L*D*D/2 + G*D + 4.2*G*D*math.Sqrt(float64(d))) / math.Sqrt(float64(k+1))
}

// BoundOnlineFWLinear returns 4.2GD/k^{1/4}, a bound on E f(w_k) − f(w*) of
// OnlineFWLipschitz, k ≥ 1 (notebooks/06b-online-fw). So ε costs G⁴D⁴/ε⁴ stochastic
// gradients and as many linear optimisations, up to a constant, as in Table 2.
func BoundOnlineFWLinear(D, G float64, k int) float64 {
	return 4.2 * G * D / math.Sqrt(math.Sqrt(float64(k)))
}

// BoundGarberHazan returns (LD²/2)(1 − 1/(4μρ²))^k with μ = L/alpha, the bound on
// f(w_k) − f(w*) of GarberHazanStronglyConvex, k ≥ 0 (notebooks/06c-local-steps): 4μρ²
// steps for each factor e. It panics unless 0 < alpha ≤ L and rho ≥ 1.
func BoundGarberHazan(L, D, alpha, rho float64, k int) float64 {
	if !(alpha > 0 && alpha <= L && rho >= 1) {
		panic(fmt.Sprintf("fwtheory: alpha = %g, L = %g and rho = %g, want 0 < alpha ≤ L and rho ≥ 1", alpha, L, rho))
	}
	return L * D * D / 2 * math.Pow(1-1/(4*(L/alpha)*rho*rho), float64(k))
}

// BoundAway returns (LD²/2)(1 − (α/4L)(δ/D)²)^{k/2}, the bound on f(w_k) − f(w*) of AwayFW
// and BlendedPairwise, with the safe step or a line search, k ≥ 0, where delta is the
// pyramidal width of the polytope and w_0 is Oracle.Start's (Lacoste-Julien & Jaggi, NIPS
// 2015, Theorem 1; the proof for BlendedPairwise is at its type). With Backtracking it holds
// with 2L for L. It panics unless 0 < alpha ≤ L and 0 < delta ≤ D.
func BoundAway(L, D, alpha, delta float64, k int) float64 {
	if !(alpha > 0 && alpha <= L && delta > 0 && delta <= D) {
		panic(fmt.Sprintf("fwtheory: alpha = %g, L = %g, delta = %g and D = %g, want 0 < alpha ≤ L and 0 < delta ≤ D", alpha, L, delta, D))
	}
	return L * D * D / 2 * math.Pow(1-alpha/(4*L)*(delta/D)*(delta/D), float64(k)/2)
}
