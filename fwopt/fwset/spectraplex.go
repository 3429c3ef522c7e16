package fwset

import (
	"math"

	"github.com/projection-free/fwlab/fwopt/internal/eigen"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// Spectraplex is Ω = {w ∈ R^{N×N} symmetric : w ⪰ 0, tr w = R}. Its vertices are R·qqᵀ for
// unit vectors q, its centre is R/N times the identity, its diameter R√2. A vector holds
// the whole matrix, column by column: N² numbers. Of a g that is not symmetric only the
// symmetric part S = (g + gᵀ)/2 counts.
//
// A linear optimisation is an eigenvector of the least eigenvalue of S, a projection a full
// eigen-decomposition: O(N³) against N² for each step of the Lanczos method.
type Spectraplex struct {
	N int     // rows and columns, at least 1
	R float64 // the trace, positive
}

func (b Spectraplex) check(v ...[]float64) int {
	const name = "a Spectraplex"
	return checkBall(name, checkShape(name, b.N, b.N), "R", b.R, v...)
}

// Dim returns N².
func (b Spectraplex) Dim() int { return b.check() }

// Shape returns N and N.
func (b Spectraplex) Shape() (h, m int) { return b.N, b.N }

// Argmin computes dst = R·qqᵀ, with an eigenvector q of the least eigenvalue of S, to the
// accuracy of ArgminVertex with tol = 0 and always from the same start.
func (b Spectraplex) Argmin(dst, g []float64) { argmin(dst, g, b.ArgminVertex) }

// ArgminVertex computes v = R·qqᵀ, of rank one, with ⟨g, v⟩ ≤ R·λ_min(S) + slack, where
// R·λ_min(S) is the minimum over Ω.
//
// If N ≤ 64, q comes from a full eigen-decomposition. Then the slack is certain; it covers
// rounding only, 2N·2⁻⁵²·R‖S‖, and tol and warm are not used. Else q comes from the Lanczos
// method on cI − S, where c ≥ ‖S‖ is the smaller of the Frobenius norm and the largest row sum of
// absolute values, at N² multiplications a step and at most 512 steps. It stops at slack ≤ tol, or
// at 1e-6·R·c if tol ≤ 0. The start, what warm keeps and the chance that a slack is wrong, 1e-6,
// are those of [TraceNorm].
//
// If S = 0 or N = 1, v is the centre; it is, with a slack of +Inf, if g holds a NaN or an infinity.
func (b Spectraplex) ArgminVertex(v *Vertex, g []float64, tol float64, warm *Warm) (slack float64) {
	b.check(g)
	p := kern.Borrow(len(g))
	defer kern.Return(p)
	s := *p
	top := maxAbs(g)
	if math.IsNaN(top) || math.IsInf(top, 1) {
		b.centre(v)
		return math.Inf(1)
	}
	c := unit(top) // so that no square overflows or underflows
	floats.ScaleTo(s, c, g)
	b.symmetric(s)
	if top = maxAbs(s); top == 0 || b.N == 1 {
		b.centre(v)
		return 0
	}
	u, w := v.SetRankOne(b.N, b.N)
	var bound float64 // on −λ_min, from above
	if b.N <= gramMax {
		bound = b.eigen(u, w, s)
	} else {
		bound = b.lanczos(u, s, tol*c/b.R, warm)
	}
	q := kern.Borrow(b.N)
	defer kern.Return(q)
	b.times(*q, s, u)
	slack = b.R * max(0, floats.Dot(u, *q)+bound) / c
	floats.Scale(math.Sqrt(b.R), u) // both factors, so that v is symmetric to the bit
	copy(w, u)
	return slack
}

func (b Spectraplex) centre(v *Vertex) {
	index, value := v.SetSparse(b.N*b.N, b.N)
	for i := range index {
		index[i], value[i] = i*(b.N+1), b.R/float64(b.N)
	}
}

// symmetric replaces s by (s + sᵀ)/2 and returns the norm of the other part.
func (b Spectraplex) symmetric(s []float64) (other float64) {
	for i := range b.N {
		for j := range i {
			x, y := s[i*b.N+j], s[j*b.N+i]
			m := x/2 + y/2
			s[i*b.N+j], s[j*b.N+i] = m, m
			other = math.Hypot(other, (x/2-y/2)*math.Sqrt2)
		}
	}
	return other
}

// times computes y = Sq.
func (b Spectraplex) times(y, s, q []float64) {
	blas64.Gemv(blas.NoTrans, 1, general(b.N, b.N, s), blas64.Vector{N: b.N, Data: q, Inc: 1}, 0,
		blas64.Vector{N: b.N, Data: y, Inc: 1})
}

// eigen fills u with the unit eigenvector of the least eigenvalue λ of s and returns −λ and
// a little more.
func (b Spectraplex) eigen(u, w, s []float64) (bound float64) {
	p := kern.Borrow(len(s))
	defer kern.Return(p)
	copy(*p, s)
	if !eigen.Eigen(*p, w) {
		panic(need.Line("fwset: an eigen-decomposition did not converge"))
	}
	for i := range u {
		u[i] = (*p)[i*b.N]
	}
	return -w[0] + 2*float64(b.N)*0x1p-52*max(-w[0], w[b.N-1])
}

// lanczos fills u with nearly such an eigenvector and returns an upper bound on −λ.
func (b Spectraplex) lanczos(u, s []float64, tol float64, warm *Warm) (bound float64) {
	c, rows := floats.Norm(s, 2), 0.0
	for i := range b.N {
		rows = max(rows, floats.Norm(s[i*b.N:(i+1)*b.N], 1))
	}
	c = min(c, rows) * (1 + float64(b.N)*0x1p-52)
	rounding := 2 * float64(b.N) * 0x1p-52 * c
	if tol > 0 {
		tol = max(0, 0.99*tol-rounding)
	} else {
		tol = lmoTol * c
	}
	shifted := func(y, q []float64) {
		b.times(y, s, q)
		for i := range y {
			y[i] = c*q[i] - y[i]
		}
	}
	upper := lanczos(u, shifted, warm, func(sigma float64) float64 { // λ_1 ≤ θ + tol
		return tol / (sigma + math.Sqrt(sigma*sigma+tol))
	})
	return upper - c + rounding
}

// Project computes dst = Σ_i p_i·q_i·q_iᵀ, where the λ_i and q_i are those of the symmetric
// part of x, and p is the projection of λ onto a simplex. A point counts as inside if its
// Gauge is at most 1 + 1e-12. If x holds a NaN or an infinity, dst is all NaN.
func (b Spectraplex) Project(dst, x []float64) {
	b.check(dst, x)
	if notFinite(dst, x) {
		return
	}
	if maxAbs(x) > 1e300 {
		smaller(dst, x, Spectraplex{b.N, b.R * 0x1p-60})
		return
	}
	p := kern.Borrow(2*len(x) + b.N)
	defer kern.Return(p)
	q, z, lambda := (*p)[:len(x)], (*p)[len(x):2*len(x)], (*p)[2*len(x):]
	if b.decompose(q, lambda, x) <= 1e-12 {
		copy(dst, x)
		return
	}
	Simplex{b.N, b.R}.Project(lambda, lambda)
	for i := range b.N { // z = q·√p, so that dst = zzᵀ
		for k, l := range lambda {
			z[i*b.N+k] = q[i*b.N+k] * math.Sqrt(l)
		}
	}
	blas64.Syrk(blas.NoTrans, 1, general(b.N, b.N, z), 0,
		blas64.Symmetric{N: b.N, Stride: b.N, Data: dst, Uplo: blas.Upper})
	for i := range b.N {
		for j := range i {
			dst[i*b.N+j] = dst[j*b.N+i]
		}
	}
}

// decompose fills q and lambda with the eigenvectors, in columns, and the eigenvalues of
// the symmetric part of x, ascending, and returns by how much x is outside, beside R.
func (b Spectraplex) decompose(q, lambda, x []float64) (off float64) {
	copy(q, x)
	off = b.symmetric(q)
	if !eigen.Eigen(q, lambda) {
		panic(need.Line("fwset: an eigen-decomposition did not converge"))
	}
	trace := 0.0
	for _, l := range lambda {
		trace += l
		off += max(0, -l)
	}
	return (off + math.Abs(trace-b.R)) / b.R
}

// Diameter returns R√2, and 0 if N = 1.
func (b Spectraplex) Diameter() float64 {
	if b.check(); b.N == 1 {
		return 0
	}
	return b.R * math.Sqrt2
}

// Gauge returns 1 + (|tr x − R| + Σ max{0, −λ_i} + ‖x − xᵀ‖/2)/R with the eigenvalues λ_i
// of x's symmetric part. Ω has no interior, so it is never below 1.
func (b Spectraplex) Gauge(x []float64) float64 {
	b.check(x)
	if top := maxAbs(x); math.IsNaN(top) || math.IsInf(top, 1) {
		return top
	}
	p := kern.Borrow(len(x) + b.N)
	defer kern.Return(p)
	return 1 + b.decompose((*p)[:len(x)], (*p)[len(x):], x)
}

// Identify writes N and the trace.
func (b Spectraplex) Identify(id *ident.Identity) { id.Of(b).Int(b.N).Float(b.R) }
