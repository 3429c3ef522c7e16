package fwset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"github.com/projection-free/fwlab/fwopt/fwid"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// TraceNorm is the trace-norm ball Ω = {w ∈ R^{H×M} : ‖w‖_* ≤ Tau} of Section
// 2.1, where ‖w‖_* is the sum of the singular values. Its centre is 0, its
// diameter 2·Tau, and its vertices are Tau·u·vᵀ for unit vectors u and v.
//
// A vector x of the domain holds the matrix feature by feature: x[j·H+l] is
// w_{lj}, the weight of feature j for class l. View shows it as a mat.Matrix.
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

func (b TraceNorm) check(v ...[]float64) {
	if b.H < 1 || b.M < 1 {
		panic(fmt.Sprintf("fwset: a TraceNorm ball of %d x %d matrices", b.H, b.M))
	}
	checkBall("a TraceNorm ball", b.H*b.M, "Tau", b.Tau)
	checkLen(b.H*b.M, v...)
}

// Dim returns H·M.
func (b TraceNorm) Dim() int {
	b.check()
	return b.H * b.M
}

// Shape returns H and M.
func (b TraceNorm) Shape() (h, m int) { return b.H, b.M }

// View returns the H × M matrix w that x holds. It copies nothing: it changes
// when x changes.
func (b TraceNorm) View(x []float64) mat.Matrix {
	b.check(x)
	return mat.NewDense(b.M, b.H, x).T()
}

// Diameter returns 2·Tau.
func (b TraceNorm) Diameter() float64 {
	b.check()
	return 2 * b.Tau
}

// Argmin computes dst = −τ·u_1·v_1ᵀ, with the top singular pair of g, to the
// accuracy of ArgminVertex with tol = 0 and always from the same start.
func (b TraceNorm) Argmin(dst, g []float64) {
	v := vertices.Get().(*Vertex)
	defer vertices.Put(v)
	b.check(dst)
	b.ArgminVertex(v, g, 0, nil)
	v.Dense(dst)
}

// vertices holds some that are free, so that Argmin allocates no vector.
var vertices = sync.Pool{New: func() any { return new(Vertex) }}

// ArgminVertex computes v = −τ·u·vᵀ with ⟨g, v⟩ ≤ −τσ_1 + slack, where σ_1 is the
// largest singular value of g and −τσ_1 the minimum over Ω. What is certain: v
// has rank one and trace norm τ up to rounding, and its one factor is g's image of the
// other, so that ⟨g, v⟩ = −τ‖gᵀu‖ (or the same with the factors exchanged).
//
// If s = min(H, M) ≤ 64, u is an eigenvector of the s × s Gram matrix of g, from
// a full eigen-decomposition. Then the slack is certain; it covers rounding only,
// (s+L)·2⁻⁵²·τσ_1 with L = max(H, M), and tol and warm are not used. The cost is
// s²L/2 multiplications; features whose gradient is zero cost almost nothing if
// H ≤ M.
//
// If s > 64, u comes from the Lanczos method on the Gram matrix, not formed, at
// 2sL multiplications a step and at most 512 steps; 5 to 20 are usual, a random
// matrix of order 1000 takes 80. It stops at slack ≤ tol, or at 1e-6·τσ_1 if
// tol ≤ 0. After 512 steps the slack is about 2e-4·τσ_1 in the worst case; below
// 1e-8·τσ_1 it may stay larger than tol, because of rounding.
//
// The start is a random vector plus the last u, kept in warm, of the same length.
// The upper bound on σ_1 behind the slack needs only the random half: whatever g
// is, it fails with probability at most 1e-6 over the draw of that vector, which
// must not depend on g. So a last u that is orthogonal to the answer, or of
// another problem, does no harm, and a top singular value that hides behind others
// is not missed because a residual looks small. The last u saves no steps, for to
// show that nothing is larger takes as many; but the answer is better than its
// slack.
//
// If g holds a NaN or an infinity, v = 0 and the slack is +Inf.
func (b TraceNorm) ArgminVertex(v *Vertex, g []float64, tol float64, warm *Warm) (slack float64) {
	b.check(g)
	if slack, ok := b.argmin(v, g, tol, warm); ok {
		return slack
	}
	top := maxAbs(g)
	if !(top > 0) || math.IsInf(top, 1) {
		v.SetSparse(len(g), 0)
		if top == 0 {
			return 0
		}
		return math.Inf(1)
	}
	c := unit(top)
	p := kern.Borrow(len(g))
	defer kern.Return(p)
	floats.ScaleTo(*p, c, g)
	slack, _ = b.argmin(v, *p, tol*c, warm)
	return slack / c
}

// argmin reports not ok, and has done nothing, if ‖g‖ is out of range.
func (b TraceNorm) argmin(v *Vertex, g []float64, tol float64, warm *Warm) (slack float64, ok bool) {
	if min(b.H, b.M) <= gramMax {
		if slack, ok := b.argminGram(v, g); ok {
			return slack, true
		}
	}
	if !inRange(floats.Dot(g, g)) {
		return 0, false
	}
	return b.argminLanczos(v, g, tol, warm), true
}

// inRange reports whether a matrix of this squared norm is far from overflow and
// underflow, in all that is computed here.
func inRange(norm2 float64) bool { return norm2 > 1e-100 && norm2 < 1e100 }

// rounding is the relative accuracy to which the kernels know σ_1.
func (b TraceNorm) rounding() float64 { return float64(b.H+b.M) * 0x1p-52 }

// argminGram reports not ok if ‖g‖ is out of range.
func (b TraceNorm) argminGram(v *Vertex, g []float64) (slack float64, ok bool) {
	s := min(b.H, b.M)
	p := kern.Borrow(s*s + s)
	defer kern.Return(p)
	gram, u := (*p)[:s*s], (*p)[s*s:]
	kern.Gram(gram, g, b.M, b.H)
	trace := 0.0
	for i := range u {
		trace += gram[i*s+i]
	}
	if !inRange(trace) {
		return 0, false
	}
	lambda, ok := kern.TopEigen(gram, u)
	if !ok {
		return 0, false
	}
	left, right := v.SetRankOne(b.H, b.M)
	sigma := kern.TopPair(left, right, g, b.M, b.H, u, -b.Tau)
	return b.Tau * max(0, math.Sqrt(lambda)*(1+b.rounding())-sigma), true
}

func (b TraceNorm) argminLanczos(v *Vertex, g []float64, tol float64, warm *Warm) (slack float64) {
	s := min(b.H, b.M)
	p := kern.Borrow(s + kern.GramScratch(b.M, b.H))
	defer kern.Return(p)
	u, t := (*p)[:s], (*p)[s:]
	var fixed rand.PCG // the same start every time
	var last []float64
	src := &fixed
	if warm != nil {
		src, last = &warm.RNG, warm.V
	}
	rng := rand.New(src)
	for i := range u {
		u[i] = rng.NormFloat64()
	}
	toSphere(u, u, 1)
	// The component of a random unit vector along a given one is less than c with
	// probability below c·√(2s/π). With the last u added, which is as long, the
	// random part is at least half of the start.
	c := lmoFail * math.Sqrt(math.Pi/2/float64(s))
	if n := norm2(last); len(last) == s && n > 0 && !math.IsInf(n, 1) {
		floats.AddScaled(u, 1/n, last)
		toSphere(u, u, 1)
		c /= 2
	}
	gram := func(y, q []float64) { kern.MulGram(y, g, b.M, b.H, q, t) }
	upper, _ := kern.Lanczos(u, gram, c, func(sigma float64) float64 {
		if tol > 0 {
			return 0.99*tol/b.Tau - b.rounding()*sigma
		}
		return lmoTol * sigma
	})
	if warm != nil {
		warm.V = append(warm.V[:0], u...)
	}
	left, right := v.SetRankOne(b.H, b.M)
	sigma := kern.TopPair(left, right, g, b.M, b.H, u, -b.Tau)
	return b.Tau * max(0, math.Sqrt(upper)*(1+b.rounding())-sigma)
}

// Project computes the projection dst = Σ_i max(0, σ_i − θ)·u_i·v_iᵀ, where the
// σ_i, u_i, v_i are the singular values and vectors of x and θ projects the σ_i
// onto the l1 ball of radius τ.
//
// Without SVD it takes σ_i² and the u_i from the s × s Gram matrix of x, with
// s = min(H, M) and L = max(H, M): about 3s²L/2 multiplications and one
// eigen-decomposition of order s. This squares the condition number. A σ_i has the
// absolute error ε·σ_1²/σ_i, where ε ≈ s·2⁻⁵², so that dst has an error of about
// ε·σ_1²/θ: near rounding if much of x is cut off, as after a gradient step. For
// an x that is only just outside (θ < √ε·σ_1) it is up to √ε·σ_1, about 1e-7·σ_1;
// σ_i < √ε·σ_1 are taken for zeros.
//
// With SVD it takes a thin singular value decomposition of x, accurate to
// rounding, which is six to ten times slower on 20 × 62,061 or 53 × 47,236, about
// as fast on square matrices, and allocates memory for its factors. Use it to
// check the other one, or where 7 digits are too few.
//
// A point counts as inside if its computed norm is at most τ(1 + 1e-12). If x
// holds a NaN or an infinity, dst is all NaN.
func (b TraceNorm) Project(dst, x []float64) {
	b.check(dst, x)
	if !inRange(floats.Dot(x, x)) {
		top := maxAbs(x)
		switch {
		case math.IsNaN(top) || math.IsInf(top, 1):
			for i := range dst {
				dst[i] = math.NaN()
			}
		case top == 0 || top*float64(len(x)) <= b.Tau: // ‖x‖_* ≤ Σ|x_i|
			copy(dst, x)
		default:
			c := unit(top)
			tau := max(b.Tau*c, 1e-290) // as good as 0 beside c·x
			floats.ScaleTo(dst, c, x)
			TraceNorm{b.H, b.M, tau, b.SVD}.Project(dst, dst)
			floats.Scale(b.Tau/tau, dst)
		}
		return
	}
	if b.SVD {
		b.projectSVD(dst, x)
		return
	}
	s := min(b.H, b.M)
	p := kern.Borrow(3*s*s + s)
	defer kern.Return(p)
	u, v, f, sigma := (*p)[:s*s], (*p)[s*s:2*s*s], (*p)[2*s*s:3*s*s], (*p)[3*s*s:]
	if !b.gramValues(u, sigma, x) {
		b.projectSVD(dst, x)
		return
	}
	if floats.Sum(sigma) <= b.Tau*(1+1e-12) {
		copy(dst, x)
		return
	}
	// F = Σ_i f_i u_i u_iᵀ with f_i = max(0, σ_i − θ)/σ_i
	b.shrink(sigma)
	for i := range v {
		v[i] = u[i] * sigma[i%s]
	}
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, general(s, s, v), general(s, s, u), 0, general(s, s, f))
	kern.MulSmall(dst, x, b.M, b.H, f)
}

// shrink replaces the singular values σ_i by f_i = max(0, σ_i − θ)/σ_i, the
// factors by which the projection shortens them.
func (b TraceNorm) shrink(sigma []float64) {
	top, theta := threshold(sigma, b.Tau)
	for i, x := range sigma {
		if d := x - top - theta; d > 0 {
			sigma[i] = d / x
		} else {
			sigma[i] = 0
		}
	}
}

// gramValues fills sigma with the singular values of x, ascending, and u with
// the singular vectors of its shorter side, vector i in column i, both from the
// Gram matrix. It reports whether the eigenvalue iteration converged.
func (b TraceNorm) gramValues(u, sigma, x []float64) bool {
	kern.Gram(u, x, b.M, b.H)
	if !kern.Eigen(u, sigma) {
		return false
	}
	s := len(sigma)
	noise := float64(s) * 0x1p-52 * sigma[s-1] // an eigenvalue below it may be 0
	for i, x := range sigma {
		if x < noise {
			x = 0
		}
		sigma[i] = math.Sqrt(x)
	}
	return true
}

func (b TraceNorm) projectSVD(dst, x []float64) {
	svd := b.factorize(x, mat.SVDThin)
	sigma := svd.Values(nil)
	if floats.Sum(sigma) <= b.Tau*(1+1e-12) {
		copy(dst, x)
		return
	}
	f := append([]float64(nil), sigma...)
	b.shrink(f)
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	for i := range b.M {
		row := u.RawRowView(i)
		for k := range row {
			row[k] *= f[k] * sigma[k]
		}
	}
	mat.NewDense(b.M, b.H, dst).Mul(&u, v.T())
}

// factorize decomposes x, seen as an M × H matrix.
func (b TraceNorm) factorize(x []float64, kind mat.SVDKind) *mat.SVD {
	var svd mat.SVD
	if !svd.Factorize(mat.NewDense(b.M, b.H, x), kind) {
		panic("fwset: a singular value decomposition did not converge")
	}
	return &svd
}

// Gauge returns ‖x‖_*/τ. It takes the singular values from where Project does:
// without SVD they are known to about 1e-7·σ_1, more exactly as Project says.
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
	sigma := (*p)[s*s:]
	if b.SVD || !b.gramValues((*p)[:s*s], sigma, x) {
		b.factorize(x, mat.SVDNone).Values(sigma)
	}
	return floats.Sum(sigma) / b.Tau
}

// Identify says the shape, the radius and whether SVD is set.
func (b TraceNorm) Identify(id *fwid.Identity) {
	id.Of(b).Int(b.H, b.M).Float(b.Tau)
	if b.SVD {
		id.Text("SVD")
	}
}

func general(rows, cols int, data []float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
}
