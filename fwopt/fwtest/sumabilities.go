package fwtest

import (
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"gonum.org/v1/gonum/floats"
)

// differ checks that AddGradDiff adds Grad(w) − Grad(w0) to what dst holds.
func (c *sumCheck) differ() {
	f, ok := c.f.(fwopt.Differ)
	if !ok {
		return
	}
	for _, b := range []fwopt.Batch{{}, single(0), c.batch(3), c.batch(1 + c.n/3), c.batch(2*c.n + 1)} {
		w, w0, got := c.point(), c.point(), c.point()
		unwritten, index := kept(w, w0, b.Weight), slices.Clone(b.Index)
		sum, size := c.sum(w, b)
		less, size0 := c.sum(w0, b)
		floats.Sub(sum, less)
		floats.Add(sum, got)
		size += size0 + floats.Norm(got, 2)
		f.AddGradDiff(got, w, w0, b)
		near("AddGradDiff of "+called(b)+" against dst + Grad(w) − Grad(w0)", got, sum, size)
		unwritten("AddGradDiff wrote to w, w0 or the batch")
		want(slices.Equal(index, b.Index), "AddGradDiff wrote to w, w0 or the batch")
	}
}

// scorer checks that Slopes and AddRows, one after the other, add the gradients of terms to what dst holds.
func (c *sumCheck) scorer() {
	f, ok := c.f.(fwopt.Scorer)
	if !ok {
		return
	}
	h, m := f.Shape()
	want(h >= 1 && h*m == c.f.Dim(), "Shape is %d, %d of %d weights", h, m, c.f.Dim())
	for _, index := range [][]int{nil, {0}, {c.n - 1, 0}, c.batch(1 + c.n/3).Index} {
		w, got, n := c.point(), c.point(), len(index)
		b := fwopt.Batch{Index: index, Weight: slices.Repeat([]float64{1}, n)}
		scale := 1.0
		if index == nil {
			b, n, scale = fwopt.Batch{}, c.n, float64(c.n)
		}
		sum, size := c.sum(w, b)
		floats.Scale(scale, sum)
		floats.Add(sum, got)
		size = scale*size + floats.Norm(got, 2)
		p := slices.Repeat([]float64{math.NaN()}, n*h) // need hold no numbers
		unwritten := kept(w)
		f.Slopes(p, w, index)
		unwritten("Slopes wrote to w")
		unwritten = kept(p)
		f.AddRows(got, p, index)
		near("AddRows of Slopes against the gradients of "+called(b), got, sum, size)
		unwritten("AddRows wrote to p")
	}
	for trial := range 10 { // w = x + 2v − v, the scores likewise
		x, v, s := c.point(), c.point(), make([]float64, c.n*h)
		var vx, vv fwopt.Vertex
		vx.Pack(x)
		switch vv.Pack(v); trial % 3 {
		case 1: // of rank one, as a set of matrices of another shape has it
			vv = fwopt.Vertex{D: c.d, U: v, V: []float64{1}}
		case 2: // in the shape of the scores
			vv = fwopt.Vertex{D: c.d, U: slices.Repeat(v[:1], h), V: slices.Clone(v[:c.d/h])}
			vv.Dense(v)
		}
		f.AddScores(s, 1, &vx)
		f.AddScores(s, 2, &vv)
		f.AddScores(s, -1, &vv)
		floats.Add(x, v)
		sum, size := c.sum(x, fwopt.Batch{})
		got := slices.Repeat([]float64{math.NaN()}, c.d)
		unwritten := kept(s)
		f.GradAt(got, s)
		unwritten("GradAt wrote to s")
		near("GradAt of AddScores against Grad", got, sum, size+floats.Norm(v, 2))
		line, ok := c.f.(fwopt.LineSearcher)
		if !ok {
			continue
		}
		end, q := c.point(), make([]float64, c.n*h)
		d := floats.SubTo(make([]float64, c.d), x, end)
		vx.Pack(d)
		f.AddScores(q, -1, &vx)
		a, b := f.SearchAt(s, q, d, floats.Dot(sum, d)), line.LineSearch(x, end)
		want(math.Abs(a-b) <= 1e-6, "SearchAt returns γ = %.9g, LineSearch %.9g", a, b)
	}
}

// lineSearch holds the γ of LineSearch against a grid, on segments that go down
// all the way, up all the way, and down and up.
func (c *sumCheck) lineSearch() {
	f, ok := c.f.(fwopt.LineSearcher)
	if !ok || c.bent() {
		return
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
		unwritten := kept(w, v)
		gamma := f.LineSearch(w, v)
		want(gamma >= 0 && gamma <= 1, "LineSearch returns %g, want a γ in [0, 1]", gamma)
		unwritten("LineSearch wrote to w or v")
		at := func(gamma float64) float64 {
			x := slices.Clone(w)
			fwopt.Lerp(x, gamma, v)
			return c.f.Value(x)
		}
		got := at(gamma)
		for k := range grid + 1 {
			y := float64(k) / grid
			value := at(y)
			want(got <= value+1e-12*(math.Abs(at(0))+math.Abs(at(1))),
				"LineSearch returns γ = %g with f = %.12g, but f = %.12g at γ = %g", gamma, got, value, y)
		}
	}
}

// curve holds ∇²f(w)d against a difference of gradients, which may be far off where the
// second derivative jumps on the way, but not at most points; and against itself, for it is
// linear in d, symmetric and not negative.
func (c *sumCheck) curve() {
	f, ok := c.f.(interface{ Curve(dst, w, d []float64) })
	if !ok {
		return
	}
	curve := func(w, d []float64) []float64 {
		dst := nans(c.d)
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
		unwritten := kept(w, d)
		hd, he := curve(w, d), curve(w, e)
		unwritten("f.Curve wrote to w or d")
		for j, x := range hd {
			want(x-x == 0, "f.Curve: coordinate %d of ∇²f(w)d is %g", j, x)
		}
		nd, ne := floats.Norm(d, 2), floats.Norm(e, 2)
		size := floats.Norm(hd, 2)*ne + floats.Norm(he, 2)*nd + 1e-3*top*nd*ne // f may be flat at w
		eHd, dHe, dHd := floats.Dot(e, hd), floats.Dot(d, he), floats.Dot(d, hd)
		want(math.Abs(eHd-dHe) <= 1e-6*size && (dHd >= -1e-6*size || c.bent()),
			"f.Curve: eᵀ∇²f(w)d = %.9g, dᵀ∇²f(w)e = %.9g and dᵀ∇²f(w)d = %.9g; the first two must be the "+
				"same, and the last not negative, for f is convex", eHd, dHe, dHd)
		sum := make([]float64, c.d)
		floats.AddScaledTo(sum, d, 2, e)
		hs := curve(w, sum)
		floats.AddScaled(hs, -2, he)
		bent := floats.Distance(hs, hd, 2)
		want(bent <= 1e-6*(floats.Norm(hd, 2)+2*floats.Norm(he, 2)+1e-3*top*(nd+2*ne)),
			"f.Curve is not linear in d: for d + 2e it is %.3g off", bent)
		const step = 1e-5
		floats.AddScaledTo(sum, w, step/nd, d)
		up := c.grad(sum, fwopt.Batch{})
		floats.AddScaledTo(sum, w, -step/nd, d)
		floats.Sub(up, c.grad(sum, fwopt.Batch{}))
		floats.Scale(nd/(2*step), up)
		flat := 1e-9 * floats.Norm(c.grad(w, fwopt.Batch{}), 2) * nd / step
		size = floats.Norm(up, 2) + floats.Norm(hd, 2) + 1e-6*top*nd + flat
		if e := floats.Distance(hd, up, 2); e > 1e-4*size {
			off, worst = off+1, max(worst, e/size)
		}
	}
	want(off <= trials/4, "f.Curve is not the derivative of Grad at %d of %d points, by %.3g of its size",
		off, trials, worst)
}

// sampler holds the mean and the variance of the batches' gradients at a point
// against those of the terms, in every coordinate, within five standard errors.
func (c *sumCheck) sampler() {
	f, ok := c.f.(fwopt.Sampler)
	if !ok {
		return
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
			ok := len(b.Index) > 0 && len(b.Index) == len(b.Weight)
			want(ok && slices.Min(b.Index) >= 0 && slices.Max(b.Index) < c.n,
				"SampleBatch, m = %d: terms %d with weights %g, want some of {0, …, %d}, each with a weight",
				m, b.Index, b.Weight, c.n-1)
			total := floats.Sum(b.Weight)
			want(math.Abs(total-1) <= 1e-9,
				"SampleBatch, m = %d: the weights add up to %.12g, want 1", m, total)
			for j, g := range c.grad(w, b) {
				x := (g - exact[j]) * math.Sqrt(float64(m)) // variance[j] in the mean
				first[j] += x / draws
				second[j] += x * x / draws
				fourth[j] += x * x * x * x / draws
			}
		}
		for j, v := range variance {
			rounding := 1e-14 * math.Abs(exact[j]) * math.Sqrt(float64(m))
			e := math.Abs(first[j])
			want(e <= 5*math.Sqrt(v/draws)+rounding,
				"SampleBatch, m = %d: the mean of coordinate %d of the gradient is off by %.3g, %.1f "+
					"standard errors", m, j, e/math.Sqrt(float64(m)), e/math.Sqrt(v/draws))
			e = math.Abs(second[j] - v)
			want(e <= 5*math.Sqrt(max(0, fourth[j]-v*v)/draws)+1e-3*v+rounding*(rounding+math.Sqrt(v)),
				"SampleBatch, m = %d: coordinate %d of the gradient has variance %.6g, want %.6g, that of "+
					"the mean of m independent terms", m, j, second[j]/float64(m), v/float64(m))
		}
	}
}
