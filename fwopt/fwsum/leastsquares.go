package fwsum

import "github.com/projection-free/fwlab/fwopt"

// LeastSquares is f_i(w) = ½(⟨a_i, w⟩ − b_i)², where a_i is row i of a matrix. Its
// line search is exact after one Newton step, and L = max_i ‖a_i‖². One LeastSquares
// serves many runs at once.
type LeastSquares struct {
	*RowSum // Name, Value, Grad, AddGradDiff, LineSearch, Smoothness, …
}

// NewLeastSquares returns the sum over the rows of a and the numbers b. It
// keeps both, which must not change any more, and a copy of a by columns. It
// panics if a is not well formed, if b has another length than a has rows, or
// if either holds a NaN or an infinity.
func NewLeastSquares(a Features, b []float64) *LeastSquares {
	f := &LeastSquares{newRowSum(a, 1, &squareLoss{b})}
	checkTargets(a, b)
	return f
}

// Identify says the data. It costs O(n + nonzeros).
func (f *LeastSquares) Identify(id *fwopt.Identity) { id.Of(f).Part(f.RowSum) }

// squareLoss is ℓ_i(s) = ½(s − b_i)².
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
