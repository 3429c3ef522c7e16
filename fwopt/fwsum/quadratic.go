package fwsum

import (
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// Quadratic is f_i(w) = ½ Σ_j H_ij (w_j − C_ij)² with H_ij ≥ 0: a sum whose
// constants and minimiser are known in closed form, on which theorems can be
// checked.
//
//	f(w) = Min + ½ Σ_j h_j (w_j − Center_j)²,  h_j = (1/n) Σ_i H_ij
//
// Its minimiser over a box is Center clipped to the box, and over any Ω, if all h_j are the
// same, the projection of Center. With H = 1 the noise is the same at all w, and variance
// reduction removes it wholly; with an H that differs from row to row it does not.
type Quadratic struct {
	Center []float64 // the unconstrained minimiser Σ_i H_ij C_ij / Σ_i H_ij; 0 where h_j = 0
	Min    float64   // f(Center)

	n    int
	h, c []float64 // n × d by rows; h is nil if all ones
	mean []float64 // h_1, …, h_d
}

// NewQuadratic returns the sum with the given H and C, each n × d by rows; a
// nil h means H = 1. It keeps both, which must not change any more. It panics
// if a length is wrong or a number is not finite, or is negative in h.
func NewQuadratic(d int, h, c []float64) *Quadratic {
	if d < 1 || len(c) == 0 || len(c)%d != 0 || h != nil && len(h) != len(c) {
		panic(need.Linef("fwsum: a quadratic in dimension %d of %d curvatures and %d centres", d, len(h),
			len(c)))
	}
	checkFinite("curvature", h)
	checkFinite("centre", c)
	for i, v := range h {
		if v < 0 {
			panic(need.Linef("fwsum: curvature %d is %g: not convex", i, v))
		}
	}
	f := &Quadratic{n: len(c) / d, h: h, c: c, Center: make([]float64, d), mean: make([]float64, d)}
	for i := range f.n {
		for j := range d {
			hij := f.curvature(i, j)
			f.mean[j] += hij
			f.Center[j] += hij * c[i*d+j]
		}
	}
	for j := range d {
		if f.mean[j] > 0 {
			f.Center[j] /= f.mean[j]
			f.mean[j] /= float64(f.n)
		}
	}
	for i := range f.n {
		for j := range d {
			u := f.Center[j] - c[i*d+j]
			f.Min += f.curvature(i, j) * u * u / 2 / float64(f.n)
		}
	}
	return f
}

func (f *Quadratic) curvature(i, j int) float64 {
	if f.h == nil {
		return 1
	}
	return f.h[i*len(f.mean)+j]
}

// Dim returns d.
func (f *Quadratic) Dim() int { return len(f.mean) }

// Len returns n.
func (f *Quadratic) Len() int { return f.n }

// Value returns f(w) = Min + Excess(w), in O(d).
func (f *Quadratic) Value(w []float64) float64 { return f.Min + f.Excess(w) }

// Excess returns ½ Σ_j h_j (w_j − Center_j)², in O(d): f(w) − f(Center) without
// cancellation.
func (f *Quadratic) Excess(w []float64) float64 {
	checkLen(len(f.mean), "w", w)
	sum := 0.0
	for j, x := range w {
		u := x - f.Center[j]
		sum += f.mean[j] * u * u
	}
	return sum / 2
}

// Grad computes dst = Σ_j Weight[j] ∇f_{Index[j]}(w): in O(d) for the zero
// Batch, else in O(d·batch).
func (f *Quadratic) Grad(dst, w []float64, batch fwopt.Batch) {
	checkLen(len(f.mean), "dst w", dst, w)
	need.Batch("fwsum", batch.Index, batch.Weight, f.n)
	if batch.Index == nil {
		for j, x := range w {
			dst[j] = f.mean[j] * (x - f.Center[j])
		}
		return
	}
	clear(dst)
	for k, i := range batch.Index {
		for j, x := range w {
			dst[j] += batch.Weight[k] * f.curvature(i, j) * (x - f.c[i*len(w)+j])
		}
	}
}

// AddGradDiff does dst_j += Σ_k Weight[k] H_{Index[k],j} (w_j − w0_j).
func (f *Quadratic) AddGradDiff(dst, w, w0 []float64, batch fwopt.Batch) {
	checkLen(len(f.mean), "dst w w0", dst, w, w0)
	need.Batch("fwsum", batch.Index, batch.Weight, f.n)
	if batch.Index == nil {
		for j, x := range w {
			dst[j] += f.mean[j] * (x - w0[j])
		}
		return
	}
	for k, i := range batch.Index {
		for j, x := range w {
			dst[j] += batch.Weight[k] * f.curvature(i, j) * (x - w0[j])
		}
	}
}

// Curve computes dst = ∇²f(w)d, dst_j = h_j d_j, in O(d).
func (f *Quadratic) Curve(dst, w, d []float64) {
	checkLen(len(f.mean), "dst w d", dst, w, d)
	for j, x := range d {
		dst[j] = f.mean[j] * x
	}
}

// LineSearch returns the γ ∈ [0, 1] that minimises f((1−γ)w + γv), in closed
// form; 0 if f is constant there.
func (f *Quadratic) LineSearch(w, v []float64) float64 {
	checkLen(len(f.mean), "w v", w, v)
	var slope, curve float64 // of γ ↦ f(w + γ(v−w)) at 0
	for j, x := range w {
		u := v[j] - x
		slope += f.mean[j] * (x - f.Center[j]) * u
		curve += f.mean[j] * u * u
	}
	if slope >= 0 {
		return 0
	}
	return min(1, -slope/curve)
}

// Smoothness returns L = max_ij H_ij.
func (f *Quadratic) Smoothness() float64 {
	if f.h == nil {
		return 1
	}
	return slices.Max(f.h)
}

// Lipschitz returns a G that bounds ‖∇f_i(w)‖ for all i and all ‖w‖ ≤ radius:
// max_i (radius·max_j H_ij + ‖(H_ij C_ij)_j‖).
func (f *Quadratic) Lipschitz(radius float64) float64 {
	d, g := len(f.mean), 0.0
	row := make([]float64, d)
	for i := range f.n {
		top := 0.0
		for j := range row {
			hij := f.curvature(i, j)
			top = max(top, hij)
			row[j] = hij * f.c[i*d+j]
		}
		g = max(g, radius*top+floats.Norm(row, 2))
	}
	return g
}

// Identify writes H, C, Center and Min. It costs O(dn).
func (f *Quadratic) Identify(id *fwopt.Identity) {
	id.Of(f).Int(f.n).Float(f.h...).Float(f.c...).Float(f.Center...).Float(f.Min)
}
