package fwmore

import "github.com/projection-free/fwlab/fwopt"

// STORCBeyond is STORC with the parameters of a theorem beyond the paper: γ_k, β_k,
// η_{t,k} and N_t of cases (a) and (b) of Theorem 2 with m_{t,k} = 800 N_t give
// E f(w_t) − f(w*) ≤ Constants.BoundEpoch(t), if every f_i is convex and L-smooth
// on R^d, D is the Euclidean diameter, and f(w_0) − f(w*) ≤ LD²/2, as for case (a), but
// whatever ∇f(w*) is, and without a G. So O(LD²/ε) stochastic gradients are enough for
// any such f. The proof stands in notebooks/fewer-samples.
func STORCBeyond(c fwopt.Constants) *fwopt.STORC { return beyond(fwopt.STORCTheorem2a(c)) }

// STORCBeyondStrong has parameters of the theorem behind STORCBeyond for an f that is
// also α-strongly convex on Ω: those of STORCTheorem2c with m_{t,k} = 800 N_t in place
// of 5600 N_t μ, and its bound. So O(μ ln(LD²/ε)) stochastic gradients are enough, for
// O(μ² ln(LD²/ε)). It panics if α > L. The proof stands in notebooks/fewer-samples.
func STORCBeyondStrong(c fwopt.Constants) *fwopt.STORC {
	return beyond(fwopt.STORCTheorem2c(c))
}

// beyond gives m its batches.
func beyond(m *fwopt.STORC) *fwopt.STORC {
	N := m.N
	m.M = func(t, _ int) int { return 800 * N(t) }
	return m
}
