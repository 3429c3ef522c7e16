package fwrace

import (
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"gonum.org/v1/gonum/floats"
)

// singly is a sum of whose stochastic gradients each sample is computed, also where m > n and a
// row comes many times.
type singly struct{ *fwsum.Logistic }

// Identify writes the sum.
func (f *singly) Identify(id *fwopt.Identity) { id.Of(f).Part(f.Logistic) }

// SampleBatch draws m terms.
func (f *singly) SampleBatch(b *fwopt.Batch, m int, rng *rand.Rand) {
	b.Index, b.Weight = slices.Grow(b.Index[:0], m), slices.Grow(b.Weight[:0], m)
	for range m {
		b.Index = append(b.Index, rng.IntN(f.Len()))
		b.Weight = append(b.Weight, 1/float64(m))
	}
}

// Grad goes through the batch in parts that are too small for the sum to put equal rows
// together, as it does from n/2 on.
func (f *singly) Grad(dst, w []float64, batch fwopt.Batch) {
	part := max(1, f.Len()/2-1)
	if batch.Index == nil || len(batch.Index) <= part {
		f.Logistic.Grad(dst, w, batch)
		return
	}
	clear(dst)
	g := make([]float64, len(dst))
	for lo := 0; lo < len(batch.Index); lo += part {
		hi := min(lo+part, len(batch.Index))
		f.Logistic.Grad(g, w, fwopt.Batch{Index: batch.Index[lo:hi], Weight: batch.Weight[lo:hi]})
		floats.Add(dst, g)
	}
}

// endless is STORC of which a snapshot resets nothing: k goes on and x_k stays, so that γ_k,
// β_k and η_{t,k} fall for ever. Line 6 is gone, and y_0 is y_k where the epoch begins. Its
// Gamma, Beta, Eta and M are asked for the k since w_0; K is the k of the epoch.
type endless struct{ fwopt.STORC }

func (a *endless) String() string { return "STORC" }

// Identify writes the parameters at each step.
func (a *endless) Identify(id *fwopt.Identity) {
	id.Of(a)
	all := 0
	for t, k := range id.Steps(a.N) {
		all = a.before(t) + k
		id.Float(a.Gamma(all), a.Beta(all), a.Eta(t, all)).Int(a.M(t, all))
	}
}

// before returns the steps before epoch t.
func (a *endless) before(t int) (steps int) {
	for s := 1; s < t; s++ {
		steps += a.N(s)
	}
	return steps
}

// Steps runs the method; the iterate is y_k. It counts as STORC does.
func (a *endless) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	if a.T == 0 || a.T == 1 && a.K == 0 {
		a.T, a.X, a.Y = 1, append(a.X[:0], w0...), append(a.Y[:0], w0...)
		a.Y0, a.Grad0 = make([]float64, len(w0)), make([]float64, len(w0))
	}
	z, g, inner := make([]float64, len(w0)), make([]float64, len(w0)), fwopt.NewCondG(len(w0), nil)
	return func(yield func(fwopt.Step) bool) {
		for ; ; a.T, a.K = a.T+1, 0 {
			if a.K == 0 {
				copy(a.Y0, a.Y)
				o.Grad(a.Grad0, a.Y0)
			}
			for before := a.before(a.T); a.K < a.N(a.T); {
				k := before + a.K + 1
				copy(z, a.Y)
				fwopt.Lerp(z, a.Gamma(k), a.X)
				o.VRGrad(g, z, a.Y0, a.Grad0, a.M(a.T, k))
				inner.Objective(a.Beta(k), a.X, g)
				x := inner.Argmin(o, a.Eta(a.T, k))
				if x == nil {
					return
				}
				a.X = inner.Accept(x, a.X)
				fwopt.Lerp(a.Y, a.Gamma(k), a.X)
				a.K++
				if !yield(fwopt.Step{T: a.T, K: a.K, X: a.Y}) {
					return
				}
			}
		}
	}
}
