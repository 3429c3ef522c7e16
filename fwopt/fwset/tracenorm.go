package fwset

import (
	"math"

	"github.com/projection-free/fwlab/fwopt/internal/eigen"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// TraceNorm is the trace-norm ball Ω = {w ∈ R^{H×M} : ‖w‖_* ≤ Tau} of Section
// 2.1, where ‖w‖_* is the sum of the singular values. Its centre is 0, its
// diameter 2·Tau, and its vertices are Tau·u·vᵀ for unit vectors u and v.
//
// A vector x of the domain holds the matrix feature by feature: x[j·H+l] is
// w_{lj}, the weight of feature j for class l.
type TraceNorm struct {
	H, M int     // rows (classes) and columns (features) of w
	Tau  float64 // radius τ, positive
	SVD  bool    // Project and Gauge use a thin SVD, see Project
}

// Up to this order the linear optimisation decomposes the Gram matrix. At 64 x
// 1000 that takes as long as Lanczos does (1.1 ms; 0.5 to 1.5 ms by the spectrum),
// at 128 x 1000 twice to eight times as long.
const gramMax = 64

const (
	lmoTol  = 1e-6 // Argmin's tolerance, relative to σ_1
	lmoFail = 1e-6 // probability that a reported slack is wrong
)

func (b TraceNorm) check(v ...[]float64) int {
	const name = "a TraceNorm ball"
	return checkBall(name, checkShape(name, b.H, b.M), "Tau", b.Tau, v...)
}

// Dim returns H·M.
func (b TraceNorm) Dim() int { return b.check() }

// Shape returns H and M.
func (b TraceNorm) Shape() (h, m int) { return b.H, b.M }

// Diameter returns 2·Tau.
func (b TraceNorm) Diameter() float64 {
	b.check()
	return 2 * b.Tau
}

// Argmin computes dst = −τ·u_1·v_1ᵀ, with the top singular pair of g, to the
// accuracy of ArgminVertex with tol = 0 and always from the same start.
func (b TraceNorm) Argmin(dst, g []float64) { argmin(dst, g, b.ArgminVertex) }

// ArgminVertex computes v = −τ·u·vᵀ with ⟨g, v⟩ ≤ −τσ_1 + slack, where σ_1 is the
// largest singular value of g and −τσ_1 the minimum over Ω. What is certain: v
// has rank one and trace norm τ up to rounding, and ⟨g, v⟩ = −τ‖gᵀu‖, or −τ‖gv‖.
//
// If s = min(H, M) ≤ 64, u is an eigenvector of the s × s Gram matrix of g, from
// a full eigen-decomposition. Then the slack is certain; it covers rounding only,
// (s+L)·2⁻⁵²·τσ_1 with L = max(H, M), and tol and warm are not used. The cost is
// s²L/2 multiplications; features whose gradient is zero cost almost nothing if H ≤ M.
//
// If s > 64, u comes from the Lanczos method on the Gram matrix, not formed, at
// 2sL multiplications a step and at most 512 steps; 5 to 20 are usual, a random
// matrix of order 1000 takes 80. If s ≤ 128, the Gram matrix is formed after s/20 steps. It stops at slack ≤ tol, or at 1e-6·τσ_1 if
// tol ≤ 0. After 512 steps the slack is about 2e-4·τσ_1 in the worst case; below
// 1e-8·τσ_1 it may stay larger than tol, because of rounding.
//
// The start is a random vector plus the last u, kept in warm, of the same length. The upper
// bound on σ_1 behind the slack needs the random half alone: whatever g is, it fails with
// probability at most 1e-6 over the draw of that vector, which must not depend on g. So a last
// u of another problem does no harm. It saves no steps, for to show that nothing is larger takes
// as many, but the answer is better than its slack.
//
// If g holds a NaN or an infinity, v = 0 and the slack is +Inf.
func (b TraceNorm) ArgminVertex(v *Vertex, g []float64, tol float64, warm *Warm) (slack float64) {
	b.check(g)
	if min(b.H, b.M) <= gramMax {
		if slack, ok := b.argminGram(v, g); ok {
			return slack
		}
	}
	if inRange(floats.Dot(g, g)) {
		return b.argminLanczos(v, g, tol, warm)
	}
	return atUnit(v, g, func(y []float64, c float64) float64 { return b.ArgminVertex(v, y, tol*c, warm) })
}

// atUnit asks for the answer v to c·g, whose squares are in range, and returns the slack for g. Of a g that is 0
// or not finite the answer is 0.
func atUnit(v *Vertex, g []float64, answer func(y []float64, c float64) (slack float64)) float64 {
	top := maxAbs(g)
	if !(top > 0) || math.IsInf(top, 1) {
		return v.toZero(len(g), top)
	}
	c := unit(top)
	p := kern.Borrow(len(g))
	defer kern.Return(p)
	return answer(floats.ScaleTo(*p, c, g), c) / c
}

// toZero makes v = 0, the answer to a gradient of d numbers that is 0 or, as its largest
// one, top, says, not finite, and returns the slack.
func (v *Vertex) toZero(d int, top float64) (slack float64) {
	v.SetSparse(d, 0)
	if top == 0 {
		return 0
	}
	return math.Inf(1)
}

// inRange reports whether a matrix of this squared norm is far from overflow and
// underflow, in all that is computed here.
func inRange(norm2 float64) bool { return norm2 > 1e-100 && norm2 < 1e100 }

// rounding is the relative accuracy to which the kernels know σ_1.
func (b TraceNorm) rounding() float64 { return float64(b.H+b.M) * 0x1p-52 }

// argminGram reports not ok, and has done nothing, if ‖g‖ is out of range.
func (b TraceNorm) argminGram(v *Vertex, g []float64) (slack float64, ok bool) {
	s := min(b.H, b.M)
	p := kern.Borrow(s*s + s)
	defer kern.Return(p)
	gram, u := (*p)[:s*s], (*p)[s*s:]
	kern.Gram(gram, g, b.M, b.H)
	if !inRange(mat.NewDense(s, s, gram).Trace()) {
		return 0, false
	}
	lambda, ok := eigen.TopEigen(gram, u)
	if !ok {
		return 0, false
	}
	left, right := v.SetRankOne(b.H, b.M)
	sigma := kern.TopPair(left, right, g, b.M, b.H, u, -b.Tau)
	return b.Tau * max(0, math.Sqrt(lambda)*(1+b.rounding())-sigma), true
}

func (b TraceNorm) argminLanczos(v *Vertex, g []float64, tol float64, warm *Warm) (slack float64) {
	s := min(b.H, b.M)
	scratch, order := s+kern.GramScratch(b.M, b.H), 0
	if s <= 2*gramMax {
		order = s
	}
	p := kern.Borrow(scratch + order*order)
	defer kern.Return(p)
	u, t, formed := (*p)[:s], (*p)[s:scratch], (*p)[scratch:]
	steps := 0
	gram := func(y, q []float64) {
		steps++
		first := s/20 + 1 // to form the matrix costs as much as s/16 steps
		if order == 0 || steps < first {
			kern.MulGram(y, g, b.M, b.H, q, t)
			return
		}
		if steps == first {
			kern.Gram(formed, g, b.M, b.H)
		}
		kern.MulVec(y, formed, s, q)
	}
	upper := topGram(u, gram, b.Tau, tol, b.rounding(), warm)
	left, right := v.SetRankOne(b.H, b.M)
	sigma := kern.TopPair(left, right, g, b.M, b.H, u, -b.Tau)
	return b.Tau * max(0, math.Sqrt(upper)*(1+b.rounding())-sigma)
}

// Gauge returns ‖x‖_*/τ. It takes the singular values from where Project does:
// without SVD they are known to about 1e-7·σ_1, see Project for more.
func (b TraceNorm) Gauge(x []float64) float64 {
	b.check(x)
	if !inRange(floats.Dot(x, x)) {
		top := maxAbs(x)
		if !(top > 0) || math.IsInf(top, 1) {
			return top
		}
		c := unit(top)
		p := kern.Borrow(len(x))
		defer kern.Return(p)
		floats.ScaleTo(*p, c, x)
		return TraceNorm{b.H, b.M, 1, b.SVD}.Gauge(*p) / c / b.Tau
	}
	s := min(b.H, b.M)
	p := kern.Borrow(s*s + s)
	defer kern.Return(p)
	gram, sigma := (*p)[:s*s], (*p)[s*s:]
	if !b.SVD {
		kern.Gram(gram, x, b.M, b.H)
	}
	values := func(lambda []float64) int { roots(sigma, lambda); return 0 }
	if b.SVD || !eigen.EigenLargest(gram, sigma, values) {
		decompose(b.M, b.H, x, mat.SVDNone).Values(sigma)
	}
	return floats.Sum(sigma) / b.Tau
}

// Identify writes the shape, the radius and whether SVD is set.
func (b TraceNorm) Identify(id *ident.Identity) {
	id.Of(b).Int(b.H, b.M).Float(b.Tau)
	if b.SVD {
		id.Text("SVD")
	}
}

func general(rows, cols int, data []float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
}
