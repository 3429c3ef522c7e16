package fwopt

import "github.com/projection-free/fwlab/fwopt/internal/need"

// condition returns μ = L/α, and panics unless it is at least 1.
func condition(L, alpha float64) (mu float64) { return need.Condition("fwopt", L, alpha) }

// positive returns x, and panics unless it is a positive number.
func positive(name string, x float64) float64 { return need.Positive("fwopt", name, x) }

// given panics if a schedule of a method is nil.
func given(schedule string, isNil bool) { need.Given("fwopt", schedule, isNil) }
