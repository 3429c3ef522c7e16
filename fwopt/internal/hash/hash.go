// Package hash makes hashes of 64 bits, from numbers and text.
package hash

import "math"

// Mix adds numbers to the hash h, each by the finaliser of SplitMix64 (Steele, Lea &
// Flood, OOPSLA 2014), in which every bit comes to bear on every other.
func Mix(h uint64, xs ...uint64) uint64 {
	for _, x := range xs {
		h = (h ^ x) + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}

// Text adds a string to the hash h.
func Text(h uint64, s string) uint64 {
	h = Mix(h, uint64(len(s)))
	for i := range len(s) {
		h = Mix(h, uint64(s[i]))
	}
	return h
}

// Floats returns a hash of the bits of x.
func Floats(x []float64) (h uint64) {
	for _, v := range x {
		h = Mix(h, math.Float64bits(v))
	}
	return h
}
