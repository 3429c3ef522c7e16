package fwsum

import (
	"math"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

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
