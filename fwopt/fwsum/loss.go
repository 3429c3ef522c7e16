package fwsum

import (
	"math"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Loss is ℓ_1, …, ℓ_n of a RowSum, functions of h scores, convex ones if they do not declare
// otherwise. A type with these three methods is one; it holds the targets and keeps nothing between
// calls, which come from many goroutines at once. A panic there ends the program.
//
// A loss may say more. Lipschitz() float64, a bound on all ‖∇ℓ_i(s)‖, is for
// RowSum.Lipschitz. Curve(i int, s, d []float64, c float64), which sets d = c∇²ℓ_i(s)d and
// may write over s, is for RowSum.Curve. Class is for RowSum.Predict, see Classifier.
// NonConvex() bool, a declaration that the ℓ_i are not all convex, is for what needs them so:
// see fwopt.NonConvex. Identify is for Keep, see Identified:
//
//	func (l hinge) Identify(id *fwopt.Identity) { id.Of(l).Float(l.y...) }
type Loss interface {
	Value(i int, s []float64) float64   // ℓ_i(s)
	Grad(i int, s []float64, c float64) // s = c∇ℓ_i(s), in place of the scores; c is the weight of the term
	Smoothness() float64                // β, a bound on the eigenvalues of ∇²ℓ_i(s); +Inf if there is none
}

// LeastSquares is f_i(w) = ½(⟨a_i, w⟩ − b_i)², where a_i is row i of a matrix. Its
// line search is exact after one Newton step, and L = max_i ‖a_i‖². One LeastSquares
// serves many runs at once.
type LeastSquares struct {
	*RowSum // Name, Value, Grad, AddGradDiff, LineSearch, Smoothness, …
}

// NewLeastSquares returns the sum over the rows of a and the numbers b. It
// keeps both, which must not change any more, and of a sparse a a copy by columns. It
// panics if a is not well formed, if b has a wrong length, or if either holds a NaN or an
// infinity.
func NewLeastSquares(a Features, b []float64) *LeastSquares {
	f := &LeastSquares{newRowSum(a, 1, &squareLoss{b})}
	checkTargets(a, b)
	return f
}

// Identify writes the data. It costs O(n + nonzeros).
func (f *LeastSquares) Identify(id *fwopt.Identity) { id.Of(f).Part(f.RowSum) }

type squareLoss struct{ b []float64 }

func (l *squareLoss) Value(i int, s []float64) float64 {
	return (s[0] - l.b[i]) * (s[0] - l.b[i]) / 2
}
func (l *squareLoss) Grad(i int, s []float64, c float64)     { s[0] = c * (s[0] - l.b[i]) }
func (l *squareLoss) Curve(_ int, _, d []float64, c float64) { d[0] *= c }
func (l *squareLoss) line(i int, s, d []float64, gamma float64) (d1, d2 float64) {
	return (s[0] + gamma*d[0] - l.b[i]) * d[0], d[0] * d[0]
}
func (l *squareLoss) Smoothness() float64         { return 1 }
func (l *squareLoss) Identify(id *fwopt.Identity) { id.Of(l).Float(l.b...) }

// NewHuber returns Huber's loss of the residuals r_i = ⟨e_i, w⟩ − b_i, least squares
// near 0 and δ times the absolute value far off, so that an outlier pulls with the
// force δ at most (Huber, Annals of Mathematical Statistics 35, 1964):
//
//	ℓ_i(s) = ½r_i² if |r_i| ≤ δ, else δ(|r_i| − δ/2),  r_i = s − b_i
//
// with L = max_i ‖e_i‖² and G = δ·max_i ‖e_i‖. It keeps x and b as NewRowSum does, and
// panics as it does, if b has a wrong length or holds a NaN or an infinity, or if delta
// is not a positive number.
func NewHuber(x Features, b []float64, delta float64) *RowSum {
	f := newRowSum(x, 1, &huber{b, need.Positive("fwsum", "delta", delta)})
	checkTargets(x, b)
	return f
}

type huber struct {
	b     []float64
	delta float64
}

func (l *huber) Value(i int, s []float64) float64 {
	r := math.Abs(s[0] - l.b[i])
	if r <= l.delta {
		return r * r / 2
	}
	return l.delta * (r - l.delta/2)
}

func (l *huber) Grad(i int, s []float64, c float64) {
	s[0] = c * max(-l.delta, min(l.delta, s[0]-l.b[i]))
}

func (l *huber) Curve(i int, s, d []float64, c float64) {
	if math.Abs(s[0]-l.b[i]) > l.delta {
		c = 0
	}
	d[0] *= c
}

func (l *huber) Smoothness() float64         { return 1 }
func (l *huber) Lipschitz() float64          { return l.delta }
func (l *huber) Identify(id *fwopt.Identity) { id.Of(l).Float(l.delta).Float(l.b...) }

// NewSmoothHinge returns the hinge loss of a support vector machine with its corner
// rounded off, for labels y[i] ∈ {0, 1} as Logistic has them. With the margin
// a = s for label 1 and a = −s for label 0,
//
//	ℓ_i(s) = 0 if a ≥ 1, (1−a)²/2δ if 1−δ ≤ a ≤ 1, else 1 − a − δ/2
//
// (Shalev-Shwartz & Zhang, JMLR 14, 2013; δ = 1 is that of Rennie & Srebro, 2005). It
// is at most δ/2 below the hinge max{0, 1−a}, L = max_i ‖e_i‖²/δ and G = max_i ‖e_i‖.
// It keeps x and y as NewRowSum does, and panics as it does, if y has a wrong length
// or another label, or if delta is not a positive number.
func NewSmoothHinge(x Features, y []int, delta float64) *RowSum {
	f := newRowSum(x, 1, &smoothHinge{y, need.Positive("fwsum", "delta", delta)})
	checkLabels(x, y, 2)
	return f
}

type smoothHinge struct {
	y     []int
	delta float64
}

// miss returns 1 − a and the derivative of a by s.
func (l *smoothHinge) miss(i int, s float64) (u, sign float64) {
	sign = float64(2*l.y[i] - 1)
	return 1 - sign*s, sign
}

func (l *smoothHinge) Value(i int, s []float64) float64 {
	u, _ := l.miss(i, s[0])
	if u > l.delta {
		return u - l.delta/2
	}
	u = max(0, u)
	return u / l.delta * u / 2
}

func (l *smoothHinge) Grad(i int, s []float64, c float64) {
	u, sign := l.miss(i, s[0])
	s[0] = -c * sign * max(0, min(1, u/l.delta))
}

func (l *smoothHinge) Curve(i int, s, d []float64, c float64) {
	if u, _ := l.miss(i, s[0]); u < 0 || u > l.delta {
		c = 0
	}
	d[0] *= c / l.delta
}

func (l *smoothHinge) Smoothness() float64         { return 1 / l.delta }
func (l *smoothHinge) Lipschitz() float64          { return 1 }
func (l *smoothHinge) Identify(id *fwopt.Identity) { id.Of(l).Float(l.delta).Int(l.y...) }

// NewBinaryLogistic returns the logistic loss of two classes, with one score and
// targets y[i] ∈ [0, 1], the probabilities of class 1: labels 0 and 1, or shares of
// them. It is the cross entropy (Cox, J. R. Stat. Soc. B 20, 1958)
//
//	ℓ_i(s) = log(1 + e^s) − y_i s
//
// with L = max_i ‖e_i‖²/4 and G = max_i ‖e_i‖; no finite score overflows. It keeps x
// and y as NewRowSum does, and panics as it does, if y has a wrong length, or if a
// target is outside [0, 1].
func NewBinaryLogistic(x Features, y []float64) *RowSum {
	f := newRowSum(x, 1, &crossEntropy{y})
	checkTargets(x, y)
	for i, t := range y {
		if t < 0 || t > 1 {
			panic(need.Linef("fwsum: target %d is %g, want 0 to 1", i, t))
		}
	}
	return f
}

type crossEntropy struct{ y []float64 }

func (l *crossEntropy) Value(i int, s []float64) float64 {
	return max(0, s[0]) - l.y[i]*s[0] + math.Log1p(kern.Exp(-math.Abs(s[0])))
}

func (l *crossEntropy) Grad(i int, s []float64, c float64) {
	s[0] = c * l.slope(i, s[0], kern.Exp(-math.Abs(s[0])))
}

func (l *crossEntropy) grads(lo int, s []float64, c float64) {
	e := kern.Borrow(len(s))
	defer kern.Return(e)
	kern.ExpSizes(*e, s)
	for r, e := range *e {
		s[r] = c * l.slope(lo+r, s[r], e)
	}
}

// slope is p − y_i with p = 1/(1 + e^−s), by way of the smaller one of p and 1 − p, where e
// is e^−|s|.
func (l *crossEntropy) slope(i int, s, e float64) float64 {
	if p := e / (1 + e); s <= 0 {
		return p - l.y[i]
	} else {
		return (1 - l.y[i]) - p
	}
}

func (l *crossEntropy) Curve(_ int, s, d []float64, c float64) {
	e := kern.Exp(-math.Abs(s[0]))
	d[0] *= c * e / ((1 + e) * (1 + e)) // p(1−p)
}

// Smoothness returns ¼: the second derivative is p(1−p).
func (l *crossEntropy) Smoothness() float64 { return 0.25 }

func (l *crossEntropy) Lipschitz() float64          { return 1 }
func (l *crossEntropy) Identify(id *fwopt.Identity) { id.Of(l).Float(l.y...) }
