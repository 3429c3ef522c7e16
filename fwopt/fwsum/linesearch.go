package fwsum

import (
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"github.com/projection-free/fwlab/fwopt/internal/num"
	"gonum.org/v1/gonum/floats"
)

// A liner is a loss that knows both derivatives of ℓ_i(s + γd) by γ. It saves the
// line search some steps.
type liner interface {
	line(i int, s, d []float64, gamma float64) (d1, d2 float64)
}

// LineSearch returns the γ ∈ [0, 1] that minimises f((1−γ)w + γv), to about 12
// digits, of a fwopt.NonConvex loss one where the slope is 0 or at an end; NaN if f is not
// a number there. It costs two forward passes, and O(nh) for each of about ten steps, a
// handful for Logistic and LeastSquares; if the scores of all rows are too many to keep, each
// step costs the two passes.
func (f *RowSum) LineSearch(w, v []float64) float64 {
	checkLen(f.Dim(), "w v", w, v)
	h, held := f.h, -1
	p, q := kern.Borrow(f.block*h), kern.Borrow(f.block*h) // the scores of a block, and their slopes by γ
	defer kern.Return(p)
	defer kern.Return(q)
	w, lentW := f.x.layOut(w, h)
	defer kern.Return(lentW)
	v, lentV := f.x.layOut(v, h)
	defer kern.Return(lentV)
	return f.search(func(lo, n int) (_, _ []float64) {
		if held != lo {
			held = lo
			kern.Do(n, f.rowGrain, func(a, b int) {
				p, q := (*p)[a*h:b*h], (*q)[a*h:b*h]
				f.x.scores(p, w, h, lo+a, b-a, nil)
				f.x.scores(q, v, h, lo+a, b-a, nil)
				floats.Sub(q, p)
			})
		}
		return *p, *q
	})
}

// SearchAt returns the γ ∈ [0, 1] that minimises f at the scores s + γq, as LineSearch does but without the passes.
func (f *RowSum) SearchAt(s, q, _ []float64, _ float64) float64 {
	checkLen(f.n*f.h, "s q", s, q)
	return f.search(func(lo, n int) (_, _ []float64) { return s[lo*f.h:], q[lo*f.h:] })
}

// search minimises f over γ, where block has the scores of n rows from lo on, and their slopes by γ.
func (f *RowSum) search(block func(lo, n int) (p, q []float64)) float64 {
	line, _ := f.loss.(liner)
	slope := func(gamma float64) (d1, d2 float64) {
		for lo := 0; lo < f.n; lo += f.block {
			n := min(f.block, f.n-lo)
			p, q := block(lo, n)
			a, b := f.sum(n, func(from, to int) (d1, d2 float64) {
				h := f.h
				g := kern.Borrow(h)
				defer kern.Return(g)
				for r := from; r < to; r++ {
					s, d := p[r*h:(r+1)*h], q[r*h:(r+1)*h]
					if line != nil {
						a, b := line.line(lo+r, s, d, gamma)
						d1, d2 = d1+a, d2+b
						continue
					}
					floats.AddScaledTo(*g, s, gamma, d)
					f.loss.Grad(lo+r, *g, 1)
					d1 += floats.Dot(*g, d)
				}
				return d1, d2
			})
			d1, d2 = d1+a, d2+b
		}
		return d1, d2
	}
	if line != nil {
		return num.MinimizeByNewton(slope)
	}
	return num.MinimizeBySlope(func(gamma float64) float64 {
		d1, _ := slope(gamma)
		return d1
	})
}

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
// gradient. Your own loss without a Curve, see Loss, is asked for two gradients a
// row, whose difference has about nine digits. dst must not overlap w or d.
func (f *RowSum) Curve(dst, w, d []float64) {
	checkLen(f.Dim(), "dst w d", dst, w, d)
	loss, ok := f.loss.(curved)
	if !ok {
		loss = bySlopes{f.loss}
	}
	w, lentW := f.x.layOut(w, f.h)
	defer kern.Return(lentW)
	d, lentD := f.x.layOut(d, f.h)
	defer kern.Return(lentD)
	f.back.all(dst, true, func(p []float64, lo, n int) {
		s := kern.Borrow(len(p))
		defer kern.Return(s)
		f.x.scores(*s, w, f.h, lo, n, nil)
		f.x.scores(p, d, f.h, lo, n, nil)
		for r := range n {
			loss.Curve(lo+r, (*s)[r*f.h:(r+1)*f.h], p[r*f.h:(r+1)*f.h], 1/float64(f.n))
		}
	})
}
