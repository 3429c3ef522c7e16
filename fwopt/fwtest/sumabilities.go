package fwtest

import (
	"fmt"
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"gonum.org/v1/gonum/floats"
)

// differ checks that AddGradDiff adds Grad(w) − Grad(w0) to what dst holds.
func (c *sumCheck) differ() error {
	f, ok := c.f.(fwopt.Differ)
	if !ok {
		return nil
	}
	for _, b := range []fwopt.Batch{{}, single(0), c.batch(3), c.batch(1 + c.n/3), c.batch(2*c.n + 1)} {
		w, w0, before := c.point(), c.point(), c.point()
		w1, w01, index, weight := slices.Clone(w), slices.Clone(w0), slices.Clone(b.Index), slices.Clone(b.Weight)
		want, size := c.sum(w, b)
		less, size0 := c.sum(w0, b)
		floats.Sub(want, less)
		floats.Add(want, before)
		size += size0 + floats.Norm(before, 2)
		got := slices.Clone(before)
		f.AddGradDiff(got, w, w0, b)
		name := fmt.Sprintf("AddGradDiff of a batch of %d against dst + Grad(w) − Grad(w0)", len(b.Index))
		if b.Index == nil {
			name = "AddGradDiff of the zero Batch against dst + Grad(w) − Grad(w0)"
		}
		if err := near(name, got, want, size); err != nil {
			return err
		}
		if !same(w, w1) || !same(w0, w01) || !slices.Equal(index, b.Index) || !same(weight, b.Weight) {
			return fmt.Errorf("AddGradDiff wrote to w, w0 or the batch")
		}
	}
	return nil
}

// lineSearch holds the γ of LineSearch against a grid, on segments that go down
// all the way, up all the way, and down and up.
func (c *sumCheck) lineSearch() error {
	f, ok := c.f.(fwopt.LineSearcher)
	if !ok {
		return nil
	}
	const grid = 256
	for trial := range 20 {
		w, v := c.point(), c.point()
		if trial%2 == 1 { // v = w ± t∇f(w)
			g := c.grad(w, fwopt.Batch{})
			t := math.Exp(3*c.rng.NormFloat64()) / (1e-300 + floats.Norm(g, 2))
			if trial%4 == 1 {
				t = -t
			}
			floats.AddScaledTo(v, w, t, g)
		}
		w1, v1 := slices.Clone(w), slices.Clone(v)
		gamma := f.LineSearch(w, v)
		if !(gamma >= 0 && gamma <= 1) {
			return fmt.Errorf("LineSearch returns %g, want a γ in [0, 1]", gamma)
		}
		if !same(w, w1) || !same(v, v1) {
			return fmt.Errorf("LineSearch wrote to w or v")
		}
		x := make([]float64, c.d)
		at := func(gamma float64) float64 {
			for j := range x {
				x[j] = (1-gamma)*w[j] + gamma*v[j]
			}
			return c.f.Value(x)
		}
		got := at(gamma)
		for k := range grid + 1 {
			y := float64(k) / grid
			if value := at(y); !(got <= value+1e-12*(math.Abs(at(0))+math.Abs(at(1)))) {
				return fmt.Errorf("LineSearch returns γ = %g with f = %.12g, but f = %.12g at γ = %g", gamma, got, value, y)
			}
		}
	}
	return nil
}

// curve holds ∇²f(w)d against a difference of gradients, which may be far off where the
// second derivative jumps on the way, but not at most points; and against itself, for it is
// linear in d, symmetric and not negative.
func (c *sumCheck) curve() error {
	f, ok := c.f.(interface{ Curve(dst, w, d []float64) })
	if !ok {
		return nil
	}
	curve := func(w, d []float64) []float64 {
		dst := make([]float64, c.d)
		for j := range dst {
			dst[j] = math.NaN()
		}
		f.Curve(dst, w, d)
		return dst
	}
	const trials = 20
	off, worst, top := 0, 0.0, 0.0 // the largest curvature
	if f, ok := c.f.(interface{ Smoothness() float64 }); ok && !math.IsInf(f.Smoothness(), 1) {
		top = f.Smoothness()
	}
	var points [trials][3][]float64
	for i := range points {
		points[i] = [3][]float64{c.point(), c.point(), c.point()}
		hd, d := curve(points[i][0], points[i][1]), points[i][1]
		top = max(top, floats.Norm(hd, 2)/floats.Norm(d, 2))
	}
	for _, p := range points {
		w, d, e := p[0], p[1], p[2]
		w1, d1 := slices.Clone(w), slices.Clone(d)
		hd, he := curve(w, d), curve(w, e)
		if !same(w, w1) || !same(d, d1) {
			return fmt.Errorf("f.Curve wrote to w or d")
		}
		if j := bad(hd); j >= 0 {
			return fmt.Errorf("f.Curve: coordinate %d of ∇²f(w)d is %g", j, hd[j])
		}
		nd, ne := floats.Norm(d, 2), floats.Norm(e, 2)
		size := floats.Norm(hd, 2)*ne + floats.Norm(he, 2)*nd + 1e-3*top*nd*ne // f may be flat at w
		if a, b := floats.Dot(e, hd), floats.Dot(d, he); math.Abs(a-b) > 1e-6*size || floats.Dot(d, hd) < -1e-6*size {
			return fmt.Errorf("f.Curve: eᵀ∇²f(w)d = %.9g, dᵀ∇²f(w)e = %.9g and dᵀ∇²f(w)d = %.9g; the first two must be the same, and the last not negative, for f is convex", a, b, floats.Dot(d, hd))
		}
		sum := make([]float64, c.d)
		floats.AddScaledTo(sum, d, 2, e)
		hs := curve(w, sum)
		floats.AddScaled(hs, -2, he)
		if e := floats.Distance(hs, hd, 2); e > 1e-6*(floats.Norm(hd, 2)+2*floats.Norm(he, 2)+1e-3*top*(nd+2*ne)) {
			return fmt.Errorf("f.Curve is not linear in d: for d + 2e it is %.3g off", e)
		}
		const step = 1e-5
		floats.AddScaledTo(sum, w, step/nd, d)
		up := c.grad(sum, fwopt.Batch{})
		floats.AddScaledTo(sum, w, -step/nd, d)
		floats.Sub(up, c.grad(sum, fwopt.Batch{}))
		floats.Scale(nd/(2*step), up)
		size = floats.Norm(up, 2) + floats.Norm(hd, 2) + 1e-6*top*nd + 1e-9*floats.Norm(c.grad(w, fwopt.Batch{}), 2)*nd/step
		if e := floats.Distance(hd, up, 2); e > 1e-4*size {
			off, worst = off+1, max(worst, e/size)
		}
	}
	if off > trials/4 {
		return fmt.Errorf("f.Curve is not the derivative of Grad at %d of %d points, by %.3g of its size", off, trials, worst)
	}
	return nil
}

// sampler holds the mean and the variance of the batches' gradients at a point
// against those of the terms, in every coordinate, within five standard errors.
func (c *sumCheck) sampler() error {
	f, ok := c.f.(fwopt.Sampler)
	if !ok {
		return nil
	}
	w := c.point()
	exact, variance := c.grad(w, fwopt.Batch{}), make([]float64, c.d) // of ∇f_i(w)
	for i := range c.n {
		for j, g := range c.grad(w, single(i)) {
			variance[j] += (g - exact[j]) * (g - exact[j]) / float64(c.n)
		}
	}
	const draws = 4000
	var b fwopt.Batch
	for _, m := range []int{1, 3, c.n + 1, 1e6, 1e12} {
		first, second, fourth := make([]float64, c.d), make([]float64, c.d), make([]float64, c.d)
		for range draws {
			f.SampleBatch(&b, m, c.rng)
			if len(b.Index) == 0 || len(b.Index) != len(b.Weight) || slices.Min(b.Index) < 0 || slices.Max(b.Index) >= c.n {
				return fmt.Errorf("SampleBatch, m = %d: terms %d with weights %g, want some of {0, …, %d}, each with a weight", m, b.Index, b.Weight, c.n-1)
			}
			if total := floats.Sum(b.Weight); !(math.Abs(total-1) <= 1e-9) {
				return fmt.Errorf("SampleBatch, m = %d: the weights add up to %.12g, want 1", m, total)
			}
			for j, g := range c.grad(w, b) {
				x := (g - exact[j]) * math.Sqrt(float64(m)) // variance[j] in the mean
				first[j] += x / draws
				second[j] += x * x / draws
				fourth[j] += x * x * x * x / draws
			}
		}
		for j, v := range variance {
			rounding := 1e-14 * math.Abs(exact[j]) * math.Sqrt(float64(m))
			if e := math.Abs(first[j]); !(e <= 5*math.Sqrt(v/draws)+rounding) {
				return fmt.Errorf("SampleBatch, m = %d: the mean of coordinate %d of the gradient is off by %.3g, %.1f standard errors",
					m, j, e/math.Sqrt(float64(m)), e/math.Sqrt(v/draws))
			}
			if e := math.Abs(second[j] - v); !(e <= 5*math.Sqrt(max(0, fourth[j]-v*v)/draws)+1e-3*v+rounding*(rounding+math.Sqrt(v))) {
				return fmt.Errorf("SampleBatch, m = %d: coordinate %d of the gradient has variance %.6g, want %.6g, that of the mean of m independent terms",
					m, j, second[j]/float64(m), v/float64(m))
			}
		}
	}
	return nil
}
