// Package need panics on arguments that cannot be meant, with the prefix of the package
// that was called.
package need

import (
	"fmt"
	"math"
	"os"
	"strings"
)

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

// Memory panics if n·h numbers do not fit in what the machine, or its container, has left, as far as Linux tells.
func Memory(pkg, what string, n, h int) {
	left, used := 0x1p47, 0. // no more addresses than that
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		if _, after, ok := strings.Cut(string(text), "MemAvailable:"); ok && scan(after, &used) {
			left = 1024 * used
		}
	}
	max, err := os.ReadFile("/sys/fs/cgroup/memory.max")
	now, none := os.ReadFile("/sys/fs/cgroup/memory.current")
	if limit := 0.; err == nil && none == nil && scan(string(max), &limit) && scan(string(now), &used) {
		left = min(left, limit-used)
	}
	if bytes := 8 * float64(n) * float64(h); bytes > left {
		panic(Linef("%s: %.3g GB for %s, and there are %.3g GB left", pkg, bytes/1e9, what, left/1e9))
	}
}

func scan(s string, x *float64) bool { _, err := fmt.Sscan(s, x); return err == nil }
