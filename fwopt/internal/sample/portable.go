package sample

import (
	"math/bits"
	"math/rand/v2"
)

// Portable draws from a PCG by integer arithmetic alone, so that the numbers are
// the same everywhere and in later versions of Go.
type Portable struct{ pcg *rand.PCG }

// NewPortable returns the generator of a seed and a stream.
func NewPortable(seed, stream uint64) Portable { return Portable{rand.NewPCG(seed, stream)} }

// Below returns a number in 0 … n−1, uniform up to n/2⁶⁴.
func (g Portable) Below(n int) int {
	hi, _ := bits.Mul64(g.pcg.Uint64(), uint64(n))
	return int(hi)
}

// Float returns a number in [0, 1).
func (g Portable) Float() float64 { return float64(g.pcg.Uint64()>>11) * 0x1p-53 }

// Shuffle is the Fisher-Yates shuffle.
func (g Portable) Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, g.Below(i+1))
	}
}

// Normal returns a number that is nearly normal, of mean 0 and variance 1.
func (g Portable) Normal() float64 {
	sum := -6.0
	for range 12 {
		sum += g.Float()
	}
	return sum
}

// Normals returns n numbers of Normal.
func (g Portable) Normals(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = g.Normal()
	}
	return x
}
