package fwset

import (
	"math"

	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
)

// L1Ball is Ω = {w ∈ R^D : Σ_j |w_j| ≤ R}, with centre 0, vertices ±R·e_j and
// diameter 2R.
type L1Ball struct {
	D int     // dimension, at least 1
	R float64 // radius, positive
}

func (b L1Ball) check(v ...[]float64) int { return checkBall("an L1Ball", b.D, "R", b.R, v...) }

// Dim returns D.
func (b L1Ball) Dim() int { return b.check() }

// Argmin computes dst = −R·sign(g_j)·e_j, where |g_j| is the largest entry, the
// first one if there are several. If g = 0 it is 0.
func (b L1Ball) Argmin(dst, g []float64) { argmin(dst, g, b.ArgminVertex) }

// ArgminVertex is Argmin as a sparse vertex. It is exact.
func (b L1Ball) ArgminVertex(v *Vertex, g []float64, _ float64, _ *Warm) float64 {
	b.check(g)
	best := 0
	for j, x := range g {
		if math.Abs(x) > math.Abs(g[best]) {
			best = j
		}
	}
	if x := g[best]; x == 0 || math.IsNaN(x) {
		v.SetSparse(b.D, 0)
	} else {
		index, value := v.SetSparse(b.D, 1)
		index[0], value[0] = best, -math.Copysign(b.R, x)
	}
	return 0
}

// Project computes dst_j = sign(x_j)·max(0, |x_j| − θ) with the θ ≥ 0 for which
// Σ_j |dst_j| = R, that is a projection of |x| onto the simplex (Duchi, Shalev-Shwartz,
// Singer and Chandra 2008), at the cost of Simplex.Project.
func (b L1Ball) Project(dst, x []float64) {
	b.check(dst, x)
	sum, top := kern.Total(x, kern.Size)
	if sum/b.R <= 1 {
		copy(dst, x)
		return
	}
	if math.IsNaN(sum) {
		top = sum
	}
	theta := shift(x, kern.Size, top, b.R)
	if top+theta <= 0 { // as rounding can make it where the sum is R but for rounding
		copy(dst, x)
		return
	}
	kern.Shrink(dst, x, kern.Size, top, theta)
}

// Diameter returns 2R.
func (b L1Ball) Diameter() float64 {
	b.check()
	return 2 * b.R
}

// Width returns the pyramidal width, R/√(D−1), and 2R if D = 1: the distance of 0 from
// a face of D−1 vertices (Peña & Rodríguez, Math. Oper. Res. 44, 2019).
func (b L1Ball) Width() float64 {
	b.check()
	if b.D == 1 {
		return 2 * b.R
	}
	return b.R / math.Sqrt(float64(b.D-1))
}

// Gauge returns Σ_j |x_j| / R.
func (b L1Ball) Gauge(x []float64) float64 {
	b.check(x)
	sum, _ := kern.Total(x, kern.Size)
	return sum / b.R
}

// Identify writes the dimension and the radius.
func (b L1Ball) Identify(id *ident.Identity) { id.Of(b).Int(b.D).Float(b.R) }
