package fwopt

import (
	"fmt"
	"math"
)

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
