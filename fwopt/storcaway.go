package fwopt

import (
	"iter"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// STORCAway is STORC whose line 11 takes away steps, as AwayFW does, from argmin_{v∈Ω} ∇̃_kᵀv; for
// polytopes. The theorems hold as they are. At a pyramidal width δ step k takes at most 2 + 2⌈8(D/δ)² max(0,
// ln(β_kD²/η_{t,k}))⌉ linear optimisations, where STORC's grow as β_kD²/η_{t,k}: g(u) − min g ≤ β_kD²/2 at
// the start, g has condition number 1, a gap is at most D√(2β_k(g(u) − min g)), and at most every second
// step drops a vertex.
type STORCAway struct{ STORC }

func (a *STORCAway) String() string { return "STORC, away steps" }

// Identify writes the parameters at each step.
func (a *STORCAway) Identify(id *Identity) { a.say(id.Of(a)) }

// Steps runs it, with one linear optimisation a step more than STORC.
func (a *STORCAway) Steps(o *Oracle, w0 []float64) iter.Seq[Step] {
	if a.Memory.Size != 0 {
		panic(need.Line("fwopt: STORCAway takes away steps and has no Memory; a STORC has one"))
	}
	inner := NewCondG(len(w0), nil)
	inner.s = new(fwset.ActiveSet)
	return a.steps(o, w0, inner)
}
