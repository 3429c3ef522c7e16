package fwinst

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Run makes one run of m from W0 and returns its counts and its gap, f(w) − f*, at the
// checkpoints, as fwopt.EpochEnds or fwopt.Geometric names them. Same seed, same bits. Beside
// the run it costs an Excess, O(d), a checkpoint; no w is kept. It panics if ctx ends the run,
// as [fwopt.Trace.Complete] does: fwrate.Until and fwnb.Runs leave such a run out.
func (p *Instance) Run(ctx context.Context, m fwopt.Method, seed uint64,
	at func(s fwopt.Step) (record, last bool)) []fwopt.Point {
	need.Given("fwinst", "the Instance", p == nil)
	b := fwopt.Budget{Record: at, Excess: p.Excess, NoW: true}
	return fwopt.Run(ctx, fwopt.NewOracle(p.F, p.Omega, seed).From(p.W0), m, b).Complete()
}

// Inside returns a random point of Ω: five vertices in random directions, mixed at random.
func Inside(omega fwopt.Domain, r *rand.Rand) []float64 {
	w, v, g := make([]float64, omega.Dim()), make([]float64, omega.Dim()), make([]float64, omega.Dim())
	for k := range 5 {
		for j := range g {
			g[j] = r.NormFloat64()
		}
		omega.Argmin(v, g)
		fwopt.Lerp(w, math.Pow(r.Float64(), float64(k)), v)
	}
	return w
}
