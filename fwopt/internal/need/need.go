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

// Given panics if a schedule of a method is nil.
func Given(pkg, schedule string, isNil bool) {
	if isNil {
		panic(Linef("%s: %s is nil", pkg, schedule))
	}
}

// Len panics unless each vector has length d.
func Len(pkg string, d int, vectors ...[]float64) {
	for _, x := range vectors {
		if len(x) != d {
			panic(Linef("%s: a vector of length %d, not %d", pkg, len(x), d))
		}
	}
}

// Batch panics unless index and weight are a batch of terms of a sum of n.
func Batch(pkg string, index []int, weight []float64, n int) {
	if len(index) != len(weight) {
		panic(Linef("%s: a batch of %d terms with %d weights", pkg, len(index), len(weight)))
	}
	for _, i := range index {
		if i < 0 || i >= n {
			panic(Linef("%s: a batch with term %d of a sum of %d", pkg, i, n))
		}
	}
}

// Finite panics unless all numbers are finite, and reports whether all are 0.
func Finite(pkg, what string, x []float64) (zero bool) {
	zero = true
	for k, x := range x {
		if x != 0 {
			if zero = false; x-x != 0 {
				panic(Linef("%s: %g in %s, at place %d", pkg, x, what, k))
			}
		}
	}
	return zero
}
