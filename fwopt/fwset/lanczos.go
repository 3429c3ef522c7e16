package fwset

import (
	"math"
	"math/rand/v2"

	"github.com/projection-free/fwlab/fwopt/internal/eigen"
	"gonum.org/v1/gonum/floats"
)

// topGram fills u with nearly the unit eigenvector of the largest eigenvalue σ_1² of a Gram
// matrix, of which it knows the product y = Gq, and returns an upper bound on σ_1². It
// stops where τ times the bound's root is above τσ, σ² = ⟨u, Gu⟩, by at most tol, τσ·rounding
// included, or by 1e-6·τσ if tol ≤ 0. What it learns goes to warm, which may be nil.
func topGram(u []float64, gram func(y, q []float64), tau, tol, rounding float64, warm *Warm) (upper float64) {
	return lanczos(u, gram, warm, func(sigma float64) float64 {
		if tol > 0 {
			return 0.99*tol/tau - rounding*sigma
		}
		return lmoTol * sigma
	})
}

// lanczos is eigen.Lanczos from a start out of warm, which gets what the next one is to have.
func lanczos(u []float64, mul func(y, q []float64), warm *Warm,
	goal func(sigma float64) float64) (upper float64) {
	upper, _ = eigen.Lanczos(u, mul, begin(u, warm), goal)
	if warm != nil {
		warm.V = append(warm.V[:0], u...)
	}
	return upper
}

// begin fills u with the start of eigen.Lanczos, a random unit vector plus the last answer,
// if warm has one, and returns its c.
func begin(u []float64, warm *Warm) (c float64) {
	var fixed rand.PCG // the same start every time
	var last []float64
	src := &fixed
	if warm != nil {
		src, last = &warm.RNG, warm.V
	}
	rng := rand.New(src)
	for i := range u {
		u[i] = rng.NormFloat64()
	}
	toSphere(u, u, 1)
	// The component of a random unit vector along a given one is less than c with
	// probability below c·√(2s/π). With the last u added, which is as long, the
	// random part is at least half of the start.
	c = lmoFail * math.Sqrt(math.Pi/2/float64(len(u)))
	if n := norm2(last); len(u) > 1 && len(last) == len(u) && inRange(n*n) { // ±1 could cancel
		floats.AddScaled(u, 1/n, last)
		toSphere(u, u, 1)
		c /= 2
	}
	return c
}
