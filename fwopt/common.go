package fwopt

import (
	"math"

	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// What several methods share.

// gamma2 is γ_k = 2/(k+1), the step of every theorem of the paper.
func gamma2(k int) float64 { return 2 / float64(k+1) }

// snapshotEvery is the number of steps between two snapshots in Section 5.
const snapshotEvery = 50

// batchSize is m_k of STORC, SGD and SVRG in Section 5.
const batchSize = 100

// length returns N_t, the steps of epoch t, and panics if there are none: such a
// method would take snapshots for ever.
func length(N func(t int) int, t int) int {
	n := N(t)
	if n < 1 {
		panic(need.Linef("fwopt: N_%d = %d, want at least 1", t, n))
	}
	return n
}

// ceil returns ⌈x⌉ as an int, at least 1. An x that is a whole number up to
// rounding, a relative 1e-12, counts as that number.
func ceil(x float64) int {
	if math.IsNaN(x) || x > 1<<53 {
		panic(need.Linef("fwopt: a parameter asks for %g samples or steps", x))
	}
	if r := math.Round(x); math.Abs(x-r) <= 1e-12*r {
		x = r
	}
	return max(1, int(math.Ceil(x)))
}

// vectors returns k vectors of length d.
func vectors(k, d int) [][]float64 {
	vs := make([][]float64, k)
	for i := range vs {
		vs[i] = make([]float64, d)
	}
	return vs
}

// positive returns x, and panics unless it is a positive number.
func positive(name string, x float64) float64 { return need.Positive("fwopt", name, x) }

// given panics if a schedule of a method is nil.
func given(schedule string, isNil bool) { need.Given("fwopt", schedule, isNil) }

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
