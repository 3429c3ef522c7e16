package fwmore

import (
	"math"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Beyond is what the proof behind STORCBeyond and STORCBeyondStrong claims of a run, step by
// step, for sums with L = 1 (notebooks/fewer-samples). gap is f − f*, and δ_k is the error of the
// gradient in step k, of epoch t.
type Beyond struct {
	D     float64             // the diameter of Ω
	N     func(t int) int     // the steps of an epoch
	Dt2   func(t int) float64 // D_t², at least E‖y_0 − w*‖²
	Near  float64             // Step 1: E‖x_k − w*‖² ≤ Near·D_t²
	Step3 float64             // (s+1)² E gap(z_s) ≤ Step3·D_t², s ≥ 2
	Start float64             // (s+1)² E gap(y_0) ≤ Start·D_t², s ≤ N_t
}

// Batch returns the c with which Step 4 needs m_{t,k} = cN_t samples, by Lemma 1; the methods
// have 800.
func (b Beyond) Batch() float64 { return 6 * (2*b.Step3 + b.Start) }

// NewBeyond is case (i), of any smooth f: N_t and D_t of STORCBeyond. It panics unless D ≥ 0.
func NewBeyond(c fwopt.Constants) Beyond {
	D := c.D
	if !(D >= 0) {
		panic(need.Linef("fwmore: a domain of diameter %g", D))
	}
	N := func(t int) int { return int(math.Ceil(math.Exp2(float64(t)/2 + 2))) }
	return Beyond{D: D, N: N, Dt2: func(int) float64 { return D * D }, Near: 1, Step3: 24, Start: 25}
}

// NewBeyondStrong is case (ii), of a strongly convex f with μ = L/α: N_t and D_t of
// STORCBeyondStrong. It panics unless D ≥ 0 and 0 < α ≤ L.
func NewBeyondStrong(c fwopt.Constants) Beyond {
	b, D, mu := NewBeyond(c), c.D, c.Mu()
	N := int(math.Ceil(math.Sqrt(32*mu) * (1 - 1e-12))) // an N that is a whole number but for rounding is that number
	b.N = func(int) int { return N }
	b.Dt2 = func(t int) float64 { return mu * D * D / math.Exp2(float64(t-1)) }
	b.Near, b.Step3, b.Start = 8./3, 50, 32
	return b
}

// BeyondStep is what a run has in one step.
type BeyondStep struct {
	X2    float64 // ‖x_k − w*‖²
	Slope float64 // ∇f(y_k)ᵀ(x_k − w*)
	GapY  float64 // gap(y_k)
	GapZ  float64 // gap(z_k)
	Noise float64 // E‖δ_k‖², given z_k and y_0
}

// BeyondClaims names what Beyond.Shares returns, in order.
var BeyondClaims = [6]string{"Step 1: E‖x_k − w*‖²", "Step 1: E gap(y_k), Lemma 3",
	"Step 2: E ∇f(y_k)ᵀ(x_k − w*)",
	"Step 3: E gap(z_s)", "Step 4: E‖δ_s‖²", "theorem: E gap(w_t)"}

// Shares returns the six quantities of step k of epoch t, each over what is claimed of its mean:
// the claim holds where the mean is at most 1. Those of which nothing is claimed are 0, Step 3
// in the first step and the theorem's bound before the last one.
func (b Beyond) Shares(t, k int, q BeyondStep) []float64 {
	N, s, D2 := float64(b.N(t)), float64(k), b.Dt2(t)
	of := make([]float64, len(BeyondClaims))
	of[0] = q.X2 / (b.Near * D2)
	of[1] = q.GapY / D2 * s * (s + 1) / 8
	of[2] = q.Slope / D2 / (2/(N*s) + 1.5*b.Near/s + 1/(3*N*(s+1)))
	if k > 1 {
		of[3] = q.GapZ / D2 * (s + 1) * (s + 1) / b.Step3
	}
	of[4] = q.Noise / D2 * N * (s + 1) * (s + 1)
	if k == b.N(t) {
		of[5] = q.GapY / (b.D * b.D / math.Exp2(float64(t+1))) // BoundEpoch
	}
	return of
}
