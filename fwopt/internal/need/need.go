// Package need panics on arguments that cannot be meant, with the prefix of the package
// that was called.
package need

import "math"

// Positive returns x, and panics unless it is positive and finite.
func Positive(pkg, name string, x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		panic(Linef("%s: %s = %g, want a positive number", pkg, name, x))
	}
	return x
}

// Condition returns μ = L/α, and panics unless it is at least 1.
func Condition(pkg string, L, alpha float64) (mu float64) {
	if mu = Positive(pkg, "L", L) / Positive(pkg, "alpha", alpha); mu < 1 {
		panic(Linef("%s: alpha = %g is above L = %g", pkg, alpha, L))
	}
	return mu
}

// Given panics if a schedule of a method is nil.
func Given(pkg, schedule string, isNil bool) {
	if isNil {
		panic(Linef("%s: %s is nil", pkg, schedule))
	}
}
