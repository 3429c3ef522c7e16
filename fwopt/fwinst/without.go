package fwinst

import (
	"math/rand/v2"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
)

// WithoutSnapshot returns the problem on which line 7 of Algorithm 1 (9 of Algorithm 2)
// takes the plain average of the m_k samples, (1/m_k) Σ ∇f_i(x_{k−1}), and all else is as
// it was: draws, steps, lengths of the epochs, restarts. What changes between a run on
// the one and a run on the other is what the snapshot does. A method without one, as
// SFW, runs as before.
//
// The counts are those with a snapshot. A method that did without would have no Exact
// but that of line 3, and half of Stochastic, for a plain sample is one gradient: so
// double M for as many samples at the same count.
func (p *Instance) WithoutSnapshot() *Instance {
	f := plain{p.sum()}
	q := *p
	q.Name, q.F = f.String(), f
	return &q
}

// plain is a sum that does not do what a Differ should. Oracle.VRGrad hands it ∇f(w_0) in
// dst.
type plain struct{ sum }

// AddGradDiff computes dst = Σ_k Weight[k] ∇f_{Index[k]}(w).
func (f plain) AddGradDiff(dst, w, _ []float64, batch fwopt.Batch) { f.Grad(dst, w, batch) }

// SampleBatch draws as the sum does.
func (f plain) SampleBatch(b *fwopt.Batch, m int, rng *rand.Rand) { draw(b, f.sum, m, rng) }

// Identify writes the sum.
func (f plain) Identify(id *fwopt.Identity) { id.Of(f).Part(f.sum) }

// Tested returns f, or what in it fwtest has not passed: see fwopt.Identity.
func (f plain) Tested() any { return ident.First(f, f.sum) }

// String returns the call that made the instance.
func (f plain) String() string { return f.base().name + ".WithoutSnapshot()" }
