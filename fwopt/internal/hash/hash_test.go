package hash

import (
	"math"
	"testing"
)

// Flips of single bits and of pairs of them never cancel in two numbers that follow
// each other.
func TestMix(t *testing.T) {
	seen := map[uint64][2]uint64{}
	flips := []uint64{0}
	for i := range 64 {
		flips = append(flips, 1<<i, 1<<i|1<<((i+32)%64))
	}
	for _, a := range flips {
		for _, b := range flips {
			h := Mix(7, math.Float64bits(2)^a, math.Float64bits(1)^b)
			if was, ok := seen[h]; ok && was != [2]uint64{a, b} {
				t.Fatalf("flips %x and %x have one hash", was, [2]uint64{a, b})
			}
			seen[h] = [2]uint64{a, b}
		}
	}
}
