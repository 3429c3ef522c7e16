package fwopt

import (
	"fmt"
	"math"
)

// BoundFW returns 2LD²/(k+2), Jaggi's bound on f(w_k) − f(w*) of FW, k ≥ 1.
func BoundFW(L, D float64, k int) float64 { return 2 * L * D * D / float64(k+2) }

// BoundSFW returns 4LD²/(k+2), the bound of the theorem of Appendix B on
// E f(w_k) − f(w*) of SFWTheorem3, k ≥ 1. Within an epoch of SVRFTheorem1 it
// bounds E f(x_k) − f(w*), k ≥ 1 (Lemma 2).
func BoundSFW(L, D float64, k int) float64 { return 4 * L * D * D / float64(k+2) }

// BoundEpoch returns LD²/2^{t+1}, the bound of Theorems 1 and 2 on
// E f(w_t) − f(w*) of SVRF and STORC at the end of epoch t, and the bound of
// SCGSStronglyConvex; at t = 0 it is that of the w_0 of line 3.
func BoundEpoch(L, D float64, t int) float64 { return L * D * D / math.Exp2(float64(t+1)) }

// BoundSCGS returns LD² (6/(k+2)² + 9/(2(k+1)(k+2))), the bound on
// E f(y_k) − f(w*) of SCGSConvex, k ≥ 1.
//
// It follows from the proof of Lemma 3 (Appendix C) with Γ_k = 6/(k(k+1)(k+2)):
// γ_sβ_s/Γ_s = 2L s(s+1)/(s+2) grows, so the distances add up to at most
// γ_kβ_kD²/2 = 6LD²/(k+2)². With γ_s/Γ_s = s(s+1)/2 the accuracies η_s give
// Γ_k Σ LD²/2 = 3LD²/((k+1)(k+2)), and the variances, σ²/m_s ≤ L²D²/(s+2)³ over
// 2(β_s − Lγ_s) = 2L/(s+2), at most half of that.
func BoundSCGS(L, D float64, k int) float64 {
	q := float64(k + 2)
	return L * D * D * (6/(q*q) + 4.5/(q*float64(k+1)))
}

// condition returns μ = L/α, and panics unless it is at least 1.
func condition(L, alpha float64) (mu float64) {
	if mu = positive("L", L) / positive("alpha", alpha); mu < 1 {
		panic(fmt.Sprintf("fwopt: alpha = %g is above L = %g", alpha, L))
	}
	return mu
}

// positive panics unless x is a positive number, and returns it.
func positive(name string, x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		panic(fmt.Sprintf("fwopt: %s = %g, want a positive number", name, x))
	}
	return x
}
