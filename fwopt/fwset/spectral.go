package fwset

import (
	"math"
	"math/rand/v2"

	"github.com/projection-free/fwlab/fwopt/internal/eigen"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// SpectralNorm is the ball of the spectral norm, Ω = {w ∈ R^{H×M} : σ_1(w) ≤ R}, with
// centre 0 and diameter 2R√min(H, M). With H = M its vertices are R times the orthogonal
// matrices. A vector holds the matrix column by column, as in TraceNorm.
//
// A linear optimisation is an eigen-decomposition on the shorter side and five products of matrices, a projection
// one and three.
type SpectralNorm struct {
	H, M int     // rows and columns
	R    float64 // radius, positive
}

func (b SpectralNorm) check(v ...[]float64) int {
	const name = "a SpectralNorm ball"
	return checkBall(name, checkShape(name, b.H, b.M), "R", b.R, v...)
}

// Dim returns H·M.
func (b SpectralNorm) Dim() int { return b.check() }

// Shape returns H and M.
func (b SpectralNorm) Shape() (h, m int) { return b.H, b.M }

// Argmin computes dst = −R·UVᵀ, where g = UΣVᵀ is a thin singular value decomposition, to the accuracy of
// ArgminVertex.
func (b SpectralNorm) Argmin(dst, g []float64) { argmin(dst, g, b.ArgminVertex) }

// ArgminVertex is Argmin as a dense vertex. The slack is certain, whatever g is: it is what R times an upper
// bound on ‖g‖_*, the sum of the σ_i, leaves above −⟨g, v⟩. Mostly it is rounding, (H+M)·2⁻⁵²·R‖g‖_*; where
// some σ_i are below 10⁻⁵σ_1 it may be about 1e-10·R‖g‖_*. Tol and warm are not used. If g holds a NaN or an
// infinity, v = 0 and the slack is +Inf.
func (b SpectralNorm) ArgminVertex(v *Vertex, g []float64, _ float64, _ *Warm) (slack float64) {
	b.check(g)
	return atUnit(v, g, func(y []float64, _ float64) float64 {
		x := v.SetDense(len(y))
		slack := polar(x, y, b.M, b.H, false)
		floats.Scale(-b.R, x)
		return b.R * slack
	})
}

// Project computes dst = Σ_i min{σ_i, R}·u_i·v_iᵀ, where the σ_i, u_i, v_i are the singular
// values and vectors of x, up to 1e-10·R. A point counts as inside if σ_1 ≤ R(1 + 1e-12). If x holds a
// NaN or an infinity, dst is all NaN.
func (b SpectralNorm) Project(dst, x []float64) {
	b.check(dst, x)
	if notFinite(dst, x) {
		return
	}
	s, k := min(b.H, b.M), 0 // of the singular values the last k are above R
	buf := kern.Borrow(len(x) + s*s + 2*s)
	defer kern.Return(buf)
	y, v, w := (*buf)[:len(x)], (*buf)[len(x):][:s*s], (*buf)[len(x)+s*s:]
	lambda, sigma := w[:s], w[s:]
	c := unit(maxAbs(x))
	R := b.R * c
	kern.Gram(v, floats.ScaleTo(y, c, x), b.M, b.H)
	ok := eigen.EigenLargest(v, lambda, func(lambda []float64) int {
		for roots(sigma, lambda); k < s && sigma[s-1-k] > R; {
			k++
		}
		return k
	})
	switch top := sigma[s-1]; {
	case ok && top <= R*(1+1e-12):
		copy(dst, x)
	case ok && top <= 1024*R:
		f := sigma[s-k:]
		for i, x := range f {
			f[i] = 1 - R/x
		}
		combine(dst, y, b.H, b.M, v[:k*s], f) // Σ (σ_i − R) u_i v_iᵀ
		floats.SubTo(dst, y, dst)
		floats.Scale(1/c, dst)
	default: // squares blur the σ_i near R
		f := newFactors(b.M, b.H, x)
		for i, x := range f.sigma {
			f.sigma[i] = min(x, b.R)
		}
		f.product(dst)
	}
}

// Diameter returns 2R√min(H, M).
func (b SpectralNorm) Diameter() float64 {
	b.check()
	return 2 * b.R * math.Sqrt(float64(min(b.H, b.M)))
}

// Gauge returns σ_1/R.
func (b SpectralNorm) Gauge(x []float64) float64 {
	b.check(x)
	if top := maxAbs(x); math.IsNaN(top) || math.IsInf(top, 1) {
		return top
	}
	return decompose(b.M, b.H, x, mat.SVDNone).Values(nil)[0] / b.R
}

// Identify writes the shape and the radius.
func (b SpectralNorm) Identify(id *ident.Identity) { id.Of(b).Int(b.H, b.M).Float(b.R) }

// notFinite reports whether x holds a NaN or an infinity, and then fills dst with NaN.
func notFinite(dst, x []float64) bool {
	top := maxAbs(x)
	if !math.IsNaN(top) && !math.IsInf(top, 1) {
		return false
	}
	for k := range dst {
		dst[k] = math.NaN()
	}
	return true
}

// smaller projects an x whose sums are beyond the numbers: x/2^60 onto set, which is as much
// smaller than it was.
func smaller(dst, x []float64, set Projector) {
	floats.ScaleTo(dst, 0x1p-60, x)
	set.Project(dst, dst)
	floats.Scale(0x1p60, dst)
}

// decompose factors x, which holds a matrix row by row.
func decompose(rows, cols int, x []float64, kind mat.SVDKind) *mat.SVD {
	var svd mat.SVD
	if !svd.Factorize(mat.NewDense(rows, cols, x), kind) {
		panic(need.Line("fwset: a singular value decomposition did not converge"))
	}
	return &svd
}

// factors are those of a matrix U·diag(sigma)·Vᵀ.
type factors struct {
	u, v  mat.Dense
	sigma []float64 // descending
}

func thin(rows, cols int, x []float64) *factors {
	f, svd := new(factors), decompose(rows, cols, x, mat.SVDThin)
	f.sigma = svd.Values(nil)
	svd.UTo(&f.u)
	svd.VTo(&f.v)
	return f
}

// newFactors returns the thin factors of x, to rounding. Of equal singular values gonum's vectors
// are not orthogonal in about one case of a hundred: then it factors a random reflection of x.
func newFactors(rows, cols int, x []float64) *factors {
	f, rng := thin(rows, cols, x), rand.New(rand.NewPCG(1, 1))
	for range 20 {
		if areOrthonormal(&f.u) && areOrthonormal(&f.v) {
			return f
		}
		w := make([]float64, rows)
		for i := range w {
			w[i] = rng.NormFloat64()
		}
		toSphere(w, w, 1)
		c := unit(maxAbs(x)) // so that no product is out of range
		y := floats.ScaleTo(make([]float64, len(x)), c, x)
		reflect(mat.NewDense(rows, cols, y), w)
		f = thin(rows, cols, y)
		reflect(&f.u, w)
		floats.Scale(1/c, f.sigma)
	}
	panic(need.Line("fwset: the vectors of a singular value decomposition are not orthogonal"))
}

// reflect replaces a by (I − 2wwᵀ)a.
func reflect(a *mat.Dense, w []float64) {
	var dots mat.VecDense
	u := mat.NewVecDense(len(w), w)
	dots.MulVec(a.T(), u)
	a.RankOne(a, -2, u, &dots)
}

// areOrthonormal reports whether the columns of q are, to 1e-11.
func areOrthonormal(q *mat.Dense) bool {
	rows, cols := q.Dims()
	gram := kern.Borrow(cols * cols)
	defer kern.Return(gram)
	kern.Gram(*gram, q.RawMatrix().Data, rows, cols)
	for k, x := range *gram {
		if k%(cols+1) == 0 {
			x--
		}
		if !(math.Abs(x) <= 1e-11) {
			return false
		}
	}
	return true
}

// product computes dst = U·diag(sigma)·Vᵀ, row by row.
func (f *factors) product(dst []float64) {
	rows, _ := f.u.Dims()
	cols, _ := f.v.Dims()
	for i := range rows {
		floats.Mul(f.u.RawRowView(i), f.sigma)
	}
	mat.NewDense(rows, cols, dst).Mul(&f.u, f.v.T())
}
