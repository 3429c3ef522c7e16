package fwset

import (
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Rotations is the hull of the rotations SO(N), the orthogonal N × N matrices of
// determinant 1, with centre 0 but for N = 1. A vector holds the matrix column by column, as in
// TraceNorm. For N = 1 it is the point 1, for N = 2 a disc in a plane of R⁴; from N = 3 on
// it has an interior.
//
// With the singular values σ_1 ≥ … ≥ σ_N ≥ 0 of w and s = σ, but s_N = −σ_N if w turns
// round orientation, Ω is {w : σ_1 ≤ 1, s_1 + … + s_{N−1} − s_N ≤ N − 2}: s lies in the
// parity polytope, the hull of the vectors of numbers ±1 of which evenly many are −1
// (Saunderson, Parrilo & Willsky, SIAM J. Optim. 25, 2015).
//
// A projection is a full singular value decomposition, as in Kabsch's alignment of points, and so is a linear
// optimisation for a small N; for a large one it is faster, as in SpectralNorm.
type Rotations struct {
	N int // rows and columns, at least 1
}

func (b Rotations) check(v ...[]float64) int { return checkShape("Rotations", b.N, b.N, v...) }

// Dim returns N².
func (b Rotations) Dim() int { return b.check() }

// Shape returns N and N.
func (b Rotations) Shape() (h, m int) { return b.N, b.N }

// Argmin computes dst = U·diag(1, …, 1, ±1)·Vᵀ, where −g = UΣVᵀ is a singular value
// decomposition and the sign makes the determinant 1, to rounding. If g = 0, or holds a
// NaN or an infinity, it is 0, and 1 for N = 1.
func (b Rotations) Argmin(dst, g []float64) {
	if b.check(dst, g); b.N == 1 {
		dst[0] = 1
		return
	}
	if top := maxAbs(g); !(top > 0) || math.IsInf(top, 1) {
		clear(dst)
		return
	}
	if b.N >= polarMin && b.polar(dst, g) {
		return
	}
	f := newFactors(b.N, b.N, g) // g = (−U)ΣVᵀ
	turn := orientation(f)
	if b.N%2 == 1 {
		turn = -turn
	}
	for i := range f.sigma {
		f.sigma[i] = -1
	}
	f.sigma[b.N-1] *= turn
	f.product(dst)
}

// From this N on polar, even twice where the determinant is −1, takes two thirds of a singular value decomposition
// at most, and costs little where it is in vain.
const polarMin = 64

// polar is Argmin by the polar factor of −g. It reports false if that is no orthogonal matrix, as of a g that has no
// full rank.
func (b Rotations) polar(dst, g []float64) bool {
	p := kern.Borrow(len(g))
	defer kern.Return(p)
	floats.ScaleTo(*p, -unit(maxAbs(g)), g)
	for _, turned := range []bool{false, true} {
		polar(dst, *p, b.N, b.N, turned)
		if det := mat.Det(mat.NewDense(b.N, b.N, dst)); det > 0 || !(det < -0.5) {
			return det > 0.5
		}
	}
	return false
}

// orientation returns the determinant of U·Vᵀ, 1 or −1.
func orientation(f *factors) float64 {
	return math.Copysign(1, mat.Det(&f.u)*mat.Det(&f.v))
}

// Project computes dst = U·diag(p)·Vᵀ, where p is the projection of the singular values of
// x, the last one with its sign, onto the parity polytope: s cut to [−1, 1], or, where that
// breaks the second inequality, s − θ·(1, …, 1, −1) cut to [−1, 1] with the θ for which it
// is an equality. A point counts as inside if it breaks no inequality by more than 1e-12.
// If x holds a NaN or an infinity, dst is all NaN.
func (b Rotations) Project(dst, x []float64) {
	b.check(dst, x)
	if notFinite(dst, x) {
		return
	}
	if b.N == 1 {
		dst[0] = 1
		return
	}
	if maxAbs(x) > 1e300 { // singular values shall not overflow
		floats.ScaleTo(dst, 0x1p-60, x)
		x = dst
	}
	f := newFactors(b.N, b.N, x)
	y, last := f.sigma, b.N-1
	turn := orientation(f)
	y[last] *= -turn // y = (s_1, …, s_{N−1}, −s_N)
	most := float64(b.N - 2)
	if y[0] <= 1+1e-12 && cutSum(y) <= most+1e-12 {
		copy(dst, x)
		return
	}
	top, up := 0.0, 0.0 // θ = top − up
	if cutSum(y) > most {
		top, up = level(slices.Clone(y), 2, most+float64(b.N)) // of the y_i + 1, cut to [0, 2]
		up--
	}
	for i, v := range y {
		y[i] = cut(v - top + up)
	}
	y[last] *= -turn
	f.product(dst)
}

func cut(x float64) float64 { return min(1, max(-1, x)) }

// cutSum returns the sum of the y_i, cut to [−1, 1].
func cutSum(y []float64) (sum float64) {
	for _, v := range y {
		sum += cut(v)
	}
	return sum
}

// Diameter returns 2√N for an even N, 2√(N−1) for an odd one: a rotation turns round at
// most as many axes.
func (b Rotations) Diameter() float64 {
	b.check()
	return 2 * math.Sqrt(float64(b.N-b.N%2))
}

// Gauge returns the larger of σ_1 and (s_1 + … + s_{N−1} − s_N)/(N−2). With N = 2, a set
// without interior, it is 1 + max{0, σ_1 − 1} + (s_1 − s_2), with N = 1 it is 1 + |x − 1|.
func (b Rotations) Gauge(x []float64) float64 {
	b.check(x)
	if top := maxAbs(x); math.IsNaN(top) || math.IsInf(top, 1) {
		return top
	}
	if b.N == 1 {
		return 1 + math.Abs(x[0]-1)
	}
	f := newFactors(b.N, b.N, x)
	sum := -orientation(f) * f.sigma[b.N-1]
	for _, s := range f.sigma[:b.N-1] {
		sum += s
	}
	if b.N == 2 {
		return 1 + max(0, f.sigma[0]-1) + sum
	}
	return max(f.sigma[0], sum/float64(b.N-2))
}

// Identify writes N.
func (b Rotations) Identify(id *ident.Identity) { id.Of(b).Int(b.N) }
