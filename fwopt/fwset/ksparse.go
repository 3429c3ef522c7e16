package fwset

import (
	"math"
	"slices"
	"sort"

	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// KSparse is the k-sparse polytope, the hull of the vectors with K numbers ±R and zeros
// elsewhere: Ω = {w ∈ R^D : max_j |w_j| ≤ R, Σ_j |w_j| ≤ K·R}, with centre 0 and
// diameter 2R√K. With K = 1 it is an L1Ball, with K = D a Box. A linear optimisation
// costs O(D log K) at worst and O(D) as a rule, a projection O(D log D).
type KSparse struct {
	D int     // dimension, at least 1
	K int     // how many numbers of a vertex are not 0, from 1 to D
	R float64 // their size, positive
}

func (b KSparse) check(v ...[]float64) int {
	checkBall("a KSparse polytope", b.D, "R", b.R, v...)
	if b.K < 1 || b.K > b.D {
		panic(need.Linef("fwset: a KSparse polytope with K = %d, want 1 to D = %d", b.K, b.D))
	}
	return b.D
}

// Dim returns D.
func (b KSparse) Dim() int { return b.check() }

// Argmin computes dst_j = −R·sign(g_j) for the K largest |g_j|, the first ones if there
// are several, and 0 elsewhere. Where g_j = 0, too, it is 0.
func (b KSparse) Argmin(dst, g []float64) { argmin(dst, g, b.ArgminVertex) }

// ArgminVertex is Argmin as a sparse vertex. It is exact.
func (b KSparse) ArgminVertex(v *Vertex, g []float64, _ float64, _ *Warm) float64 {
	b.check(g)
	index, _ := v.SetSparse(b.D, b.K)
	for j := range index {
		index[j] = j
	}
	// The heap's first is the least of the best: of the smallest |g_j|, the last j.
	less := func(i, j int) bool {
		x, y := math.Abs(g[i]), math.Abs(g[j])
		return x < y || x == y && i > j
	}
	for i := b.K/2 - 1; i >= 0; i-- {
		sink(index, i, less)
	}
	for j := b.K; j < b.D; j++ {
		if less(index[0], j) {
			index[0] = j
			sink(index, 0, less)
		}
	}
	slices.Sort(index)
	n := 0
	for _, j := range index {
		if g[j] != 0 && !math.IsNaN(g[j]) {
			index[n] = j
			n++
		}
	}
	index, value := v.SetSparse(b.D, n)
	for k, j := range index {
		value[k] = -math.Copysign(b.R, g[j])
	}
	return 0
}

// sink moves heap[i] down to where no child is less.
func sink(heap []int, i int, less func(i, j int) bool) {
	for {
		c := 2*i + 1
		if c >= len(heap) {
			return
		}
		if c+1 < len(heap) && less(heap[c+1], heap[c]) {
			c++
		}
		if !less(heap[c], heap[i]) {
			return
		}
		heap[i], heap[c] = heap[c], heap[i]
		i = c
	}
}

// Project computes dst_j = sign(x_j)·min{R, max{0, |x_j| − θ}} with the least θ ≥ 0 for
// which Σ_j |dst_j| ≤ K·R.
func (b KSparse) Project(dst, x []float64) {
	b.check(dst, x)
	if b.Gauge(x) <= 1 {
		copy(dst, x)
		return
	}
	p := kern.Borrow(b.D)
	defer kern.Return(p)
	for j, v := range x {
		(*p)[j] = math.Abs(v)
	}
	top, up := 0.0, 0.0
	if most := float64(b.K) * b.R; mass(*p, 0, b.R) > most {
		top, up = level(*p, b.R, most)
	}
	for j, v := range x {
		dst[j] = math.Copysign(min(b.R, max(0, math.Abs(v)-top+up)), v)
	}
}

// mass returns Σ_j min{r, max{0, y_j − θ}}.
func mass(y []float64, theta, r float64) (sum float64) {
	for _, v := range y {
		sum += min(r, max(0, v-theta))
	}
	return sum
}

// level sorts y and returns the θ = top − up for which mass is most, which is less than with
// a θ below all y_j. Bisection finds top, the least y_j ≥ θ; below it mass is linear between
// bends where a number gets to r. Only differences of the y_j are added up, so that no digit
// is lost where they are far larger than r.
func level(y []float64, r, most float64) (top, up float64) {
	slices.Sort(y)
	y = y[sort.Search(len(y)-1, func(a int) bool { return !(mass(y, y[a], r) > most) }):]
	top = y[0]
	sum, n := 0.0, 0 // of the y_j − top that up does not bring to r
	for n < len(y) && (n == 0 || y[n]-top < r) {
		sum += y[n] - top
		n++
	}
	for {
		up = (most - float64(len(y)-n)*r - sum) / float64(n)
		if n == 1 || y[n-1]-top+up <= r {
			return top, up
		}
		n--
		sum -= y[n] - top
	}
}

// Diameter returns 2R√K.
func (b KSparse) Diameter() float64 {
	b.check()
	return 2 * b.R * math.Sqrt(float64(b.K))
}

// Gauge returns the larger of max_j |x_j|/R and Σ_j |x_j|/(K·R).
func (b KSparse) Gauge(x []float64) float64 {
	b.check(x)
	sum := 0.0
	for _, v := range x {
		sum += math.Abs(v)
	}
	return max(maxAbs(x)/b.R, sum/b.R/float64(b.K))
}

// Identify writes the dimension, the number and the size.
func (b KSparse) Identify(id *ident.Identity) { id.Of(b).Int(b.D, b.K).Float(b.R) }
