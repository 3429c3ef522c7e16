package fwsum

import (
	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

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
