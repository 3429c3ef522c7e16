package sample

import (
	"math/rand/v2"
	"slices"
)

// Uniform appends to index and weight a list of terms that averages m
// independent uniform draws from {0, …, n−1}: the draws themselves if m < n, else
// the terms that come, by multinomial counts, in O(n). It allocates only where
// the slices are short of min(m, n).
func Uniform(index []int, weight []float64, r *rand.Rand, m, n int) ([]int, []float64) {
	index, weight = slices.Grow(index, min(m, n)), slices.Grow(weight, min(m, n))
	if m < n {
		for range m {
			index = append(index, r.IntN(n))
			weight = append(weight, 1/float64(m))
		}
		return index, weight
	}
	left := m
	for i := range n { // the count of i, given the counts before, is binomial
		c := Binomial(r, left, 1/float64(n-i))
		if c > 0 {
			index = append(index, i)
			weight = append(weight, float64(c)/float64(m))
		}
		left -= c
	}
	return index, weight
}
