package fwsum

import (
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"gonum.org/v1/gonum/floats"
)

// A curved is a loss that knows its second derivatives.
type curved interface {
	// Curve sets d = c∇²ℓ_i(s)d, and may write over s.
	Curve(i int, s, d []float64, c float64)
}

// bySlopes takes differences of gradients for the second derivatives of a loss.
type bySlopes struct{ Loss }

func (l bySlopes) Curve(i int, s, d []float64, c float64) {
	size := floats.Norm(d, 2)
	if size == 0 {
		return
	}
	step := 6e-6 * max(1, floats.Norm(s, 2)) / size // the third root of the rounding
	back := kern.Borrow(len(s))
	defer kern.Return(back)
	floats.AddScaledTo(*back, s, -step, d)
	floats.AddScaled(s, step, d)
	l.Grad(i, s, c/(2*step))
	l.Grad(i, *back, c/(2*step))
	floats.SubTo(d, s, *back) // c(∇ℓ_i(s + εd) − ∇ℓ_i(s − εd))/2ε
}

// Curve computes dst = ∇²f(w)d = (1/n) Σ_i (∇²ℓ_i(w e_i) d e_i) e_iᵀ, where d is a matrix
// as w is. Where a loss has no second derivative, as on an edge of Huber's, it takes one of
// a side. It costs two forward passes and one backward pass, one and a half times the exact
// gradient. A loss of one's own without a Curve, see Loss, is asked for two gradients a
// row, whose difference has about nine digits. dst must not overlap w or d.
func (f *RowSum) Curve(dst, w, d []float64) {
	f.checkLen("dst", dst)
	f.checkLen("w", w)
	f.checkLen("d", d)
	loss, ok := f.loss.(curved)
	if !ok {
		loss = bySlopes{f.loss}
	}
	t := f.borrow()
	defer f.giveBack(t)
	f.back.all(dst, t, true, func(p []float64, lo, n int) {
		s := kern.Borrow(len(p))
		defer kern.Return(s)
		f.x.scores(*s, w, f.h, lo, n, nil)
		f.x.scores(p, d, f.h, lo, n, nil)
		for r := range n {
			loss.Curve(lo+r, (*s)[r*f.h:(r+1)*f.h], p[r*f.h:(r+1)*f.h], 1/float64(f.n))
		}
	})
}
