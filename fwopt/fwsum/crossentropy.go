package fwsum

import (
	"math"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

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
