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
// digits; NaN if f is not a number there. It costs two forward passes, and O(nh)
// for each of about ten steps, a handful for Logistic and LeastSquares; if the
// scores of all rows are too many to keep, each step costs the two passes.
func (f *RowSum) LineSearch(w, v []float64) float64 {
	f.checkLen("w", w)
	f.checkLen("v", v)
	h, held := f.h, -1
	t := f.borrow()
	defer f.giveBack(t)
	line, newton := f.loss.(liner)
	slope := func(gamma float64) (d1, d2 float64) {
		for lo := 0; lo < f.n; lo += f.block {
			n := min(f.block, f.n-lo)
			if held != lo {
				held = lo
				t.p, t.q = grow(t.p, n*h), grow(t.q, n*h)
				if !newton {
					t.u = grow(t.u, n*h)
				}
				kern.Do(n, f.rowGrain, func(a, b int) {
					p, q := t.p[a*h:b*h], t.q[a*h:b*h]
					f.x.scores(p, w, h, lo+a, b-a, nil)
					f.x.scores(q, v, h, lo+a, b-a, nil)
					floats.Sub(q, p)
				})
			}
			a, b := f.sum(t, n, func(from, to int) (d1, d2 float64) {
				for r := from; r < to; r++ {
					s, d := t.p[r*h:(r+1)*h], t.q[r*h:(r+1)*h]
					if newton {
						a, b := line.line(lo+r, s, d, gamma)
						d1, d2 = d1+a, d2+b
						continue
					}
					g := t.u[r*h : (r+1)*h]
					floats.AddScaledTo(g, s, gamma, d)
					f.loss.Grad(lo+r, g, 1)
					d1 += floats.Dot(g, d)
				}
				return d1, d2
			})
			d1, d2 = d1+a, d2+b
		}
		return d1, d2
	}
	if newton {
		return num.MinimizeByNewton(slope)
	}
	return num.MinimizeBySlope(func(gamma float64) float64 {
		d1, _ := slope(gamma)
		return d1
	})
}
