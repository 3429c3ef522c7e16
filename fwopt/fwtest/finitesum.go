package fwtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"gonum.org/v1/gonum/floats"
)

// TestFiniteSum checks that f keeps the contract of [fwopt.FiniteSum]: that the zero Batch gives the
// gradient of Value (central differences) and the mean of all ∇f_i; that Grad honours weights and
// duplicates, overwrites dst, and writes neither w nor the batch; that it may be called from several
// goroutines at once; that f and each f_i look convex on random segments, unless f declares itself
// fwopt.NonConvex, whose line search is not looked at. If f has them, it also checks AddGradDiff (against
// two calls of Grad), what a fwopt.Scorer has (against the gradients of terms), LineSearch (against a fine
// grid), Curve(dst, w, d []float64) as ∇²f(w)d (against differences of gradients, at some points),
// SampleBatch (mean and variance of the gradients of many batches), Smoothness() float64 and Lipschitz()
// float64 (as an L and a G for all f_i).
//
// It calls Grad for each of the n terms a few times: hand it a small instance.
func TestFiniteSum(t *testing.T, f fwopt.FiniteSum) {
	t.Helper()
	finiteSum(t, f)
}

func finiteSum(t reporter, f fwopt.FiniteSum) {
	t.Helper()
	c := &sumCheck{f: f, n: f.Len(), d: f.Dim(), rng: rand.New(rand.NewPCG(1, 2))}
	if report(t, f, c.sizes) && report(t, f, c.reads, c.gradient, c.batches, c.convex, c.constants,
		c.differ, c.scorer, c.lineSearch, c.sampler, c.curve) {
		report(t, f, c.parallel) // what is wrong alone is not asked from many sides
	}
}

type sumCheck struct {
	f    fwopt.FiniteSum
	n, d int
	rng  *rand.Rand
}

func (c *sumCheck) sizes() {
	want(c.d >= 1 && c.n >= 1, "Dim() = %d and Len() = %d, want at least 1", c.d, c.n)
}

// point draws a vector of independent normal numbers. Its scale changes from
// call to call, for the curvature of f may live at any.
func (c *sumCheck) point() []float64 {
	scale := math.Exp(2 * c.rng.NormFloat64())
	w := make([]float64, c.d)
	for j := range w {
		w[j] = scale * c.rng.NormFloat64()
	}
	return w
}

// grad returns the batch's gradient at w, out of a dst full of NaN.
func (c *sumCheck) grad(w []float64, b fwopt.Batch) []float64 {
	dst := nans(c.d)
	c.f.Grad(dst, w, b)
	return dst
}

func single(i int) fwopt.Batch { return fwopt.Batch{Index: []int{i}, Weight: []float64{1}} }

// batch draws m terms with weights of both signs. A term may come twice.
func (c *sumCheck) batch(m int) fwopt.Batch {
	var b fwopt.Batch
	for range m {
		b.Index = append(b.Index, c.rng.IntN(c.n))
		b.Weight = append(b.Weight, c.rng.NormFloat64()/math.Sqrt(float64(m)))
	}
	floats.AddConst((1-floats.Sum(b.Weight))/float64(m), b.Weight)
	return b
}

// sum returns Σ_j Weight[j] ∇f_{Index[j]}(w) by one call of Grad per term, and
// the sum of the norms, by which rounding is measured.
func (c *sumCheck) sum(w []float64, b fwopt.Batch) (g []float64, size float64) {
	g = make([]float64, c.d)
	for i, weight := range b.All(c.n) {
		gi := c.grad(w, single(i))
		floats.AddScaled(g, weight, gi)
		size += math.Abs(weight) * floats.Norm(gi, 2)
	}
	return g, size
}

// near wants got = expected up to rounding in numbers of the given size.
func near(what string, got, expected []float64, size float64) {
	for j, x := range expected {
		want(math.Abs(got[j]-x) <= 1e-10*size, "%s: coordinate %d is %.12g, want %.12g", what, j, got[j], x)
	}
}

// called is a batch in messages.
func called(b fwopt.Batch) string {
	if b.Index == nil {
		return "the zero Batch"
	}
	return fmt.Sprintf("a batch of %d", len(b.Index))
}

// reads checks that nothing but dst is written, and that dst is not read.
func (c *sumCheck) reads() {
	for _, b := range []fwopt.Batch{{}, single(c.n - 1), c.batch(3), c.batch(2*c.n + 1)} {
		name, w, index := "Grad of "+called(b), c.point(), slices.Clone(b.Index)
		unwritten, unwrittenBatch := kept(w), kept(b.Weight)
		g := c.grad(w, b)
		whole(g, name, "Grad")
		unwritten("%s wrote to w", name)
		want(slices.Equal(index, b.Index), "%s wrote to the batch", name)
		unwrittenBatch("%s wrote to the batch", name)
		g1 := c.point()
		c.f.Grad(g1, w, b)
		want(same(g, g1), "%s: two calls with the same arguments give different bits", name)
		v := c.f.Value(w)
		want(v-v == 0, "Value(w) = %g at a w of norm %.3g", v, floats.Norm(w, 2))
		unwritten("a call of Value wrote to w")
	}
}

// parallel asks for gradients from four goroutines at once, as runs at the same time do.
func (c *sumCheck) parallel() {
	var w, alone [4][]float64
	b := c.batch(5)
	for p := range w {
		w[p] = c.point()
		alone[p] = c.grad(w[p], b)
	}
	together(func(p, _ int) {
		g := make([]float64, c.d)
		c.f.Grad(g, w[p], b)
		want(same(g, alone[p]),
			"Grad, called from four goroutines at once, gives other bits (%s, alone %s); "+
				"runs at the same time share a sum: make its scratch memory in the call",
			show(g), show(alone[p]))
	})
}

// gradient holds ⟨∇f(w), u⟩ against (f(w+tu) − f(w−tu))/2t, with the t that
// serves best: rounding spoils the small ones, curvature the large ones.
func (c *sumCheck) gradient() {
	for trial := range 30 {
		w := c.point()
		g := c.grad(w, fwopt.Batch{})
		size := floats.Norm(g, 2) + 1e-300
		u, name := make([]float64, c.d), "the gradient"
		switch {
		case trial < 20: // coordinates, all of them if there are few
			j := trial
			if c.d > 20 {
				j = c.rng.IntN(c.d)
			}
			u[j%c.d] = 1
			name = fmt.Sprintf("coordinate %d", j%c.d)
		case trial < 25:
			u, name = c.point(), "a random direction"
			floats.Scale(1/floats.Norm(u, 2), u)
		default:
			floats.AddScaled(u, 1/size, g)
		}
		claim, best, slope := floats.Dot(g, u), math.Inf(1), 0.0
		x := make([]float64, c.d)
		for t := 1.0; t > 1e-8; t /= 4 {
			up := c.f.Value(floats.AddScaledTo(x, w, t, u))
			down := c.f.Value(floats.AddScaledTo(x, w, -t, u))
			s := (up - down) / (2 * t)
			// what rounding of f alone would give is no error
			e := max(0, math.Abs(s-claim)-4e-16*(math.Abs(up)+math.Abs(down))/t)
			if e < best {
				best, slope = e, s
			}
		}
		want(best <= 1e-6*size,
			"the zero Batch does not give the gradient of Value: along %s Grad has the slope "+
				"%.9g, central differences of Value %.9g", name, claim, slope)
	}
}

// batches checks ∇f = (1/n) Σ ∇f_i, and weights and duplicates, in small and in large batches.
func (c *sumCheck) batches() {
	i, j := c.rng.IntN(c.n), c.rng.IntN(c.n)
	double := fwopt.Batch{Index: []int{i, j, i}, Weight: []float64{0.25, -0.5, 1.25}}
	all := fwopt.Batch{Weight: slices.Repeat([]float64{1 / float64(c.n)}, c.n)}
	for i := range c.n {
		all.Index = append(all.Index, i)
	}
	for _, b := range []fwopt.Batch{
		{}, single(i), {Index: []int{i, j}, Weight: []float64{0, 1}},
		double, all, c.batch(1 + c.n/3), c.batch(c.n), c.batch(2*c.n + 1),
	} {
		w := c.point()
		sum, size := c.sum(w, b)
		name := fmt.Sprintf("%s out of %d", called(b), c.n)
		if n := len(b.Index); n > 0 && n <= 3 {
			name = fmt.Sprintf("terms %d with weights %g", b.Index, b.Weight)
		}
		near("Grad of "+name+" against its terms one by one", c.grad(w, b), sum, size)
	}
}

// convex checks f((w+v)/2) ≤ (f(w)+f(v))/2, f(v) ≥ f(w) + ⟨∇f(w), v−w⟩ and ⟨∇f_i(v) − ∇f_i(w), v−w⟩ ≥ 0.
func (c *sumCheck) convex() {
	if c.bent() {
		return
	}
	for range 30 {
		w, v := c.point(), c.point()
		u := floats.SubTo(make([]float64, c.d), v, w)
		mid := floats.AddScaledTo(make([]float64, c.d), w, 0.5, u)
		fw, fv, fm := c.f.Value(w), c.f.Value(v), c.f.Value(mid)
		eps := 1e-12 * (math.Abs(fw) + math.Abs(fv))
		want(fm <= (fw+fv)/2+eps,
			"f is not convex: %.9g and %.9g at the ends of a segment, %.9g in the middle", fw, fv, fm)
		g := c.grad(w, fwopt.Batch{})
		tangent := fw + floats.Dot(g, u)
		eps += 1e-12 * floats.Norm(g, 2) * floats.Norm(u, 2)
		want(fv >= tangent-eps,
			"f(v) = %.9g is under the tangent at w, f(w) + ⟨∇f(w), v−w⟩ = %.9g", fv, tangent)
		i := c.rng.IntN(c.n)
		gw, gv := c.grad(w, single(i)), c.grad(v, single(i))
		eps = 1e-12 * (floats.Norm(gw, 2) + floats.Norm(gv, 2)) * floats.Norm(u, 2)
		turn := floats.Dot(gv, u) - floats.Dot(gw, u)
		want(turn >= -eps, "f_%d is not convex: ⟨∇f_i(v) − ∇f_i(w), v−w⟩ = %.3g", i, turn)
	}
}

// bent reports whether f declares that it may not be convex.
func (c *sumCheck) bent() bool {
	f, ok := c.f.(fwopt.NonConvex)
	return ok && f.NonConvex()
}

// constants checks ‖∇f_i(w) − ∇f_i(v)‖ ≤ L‖w−v‖ and ‖∇f_i(w)‖ ≤ G for what f says are L and G.
func (c *sumCheck) constants() {
	smooth, _ := c.f.(interface{ Smoothness() float64 })
	lipschitz, _ := c.f.(interface{ Lipschitz() float64 })
	for i := range min(c.n, 100) {
		w, v := c.point(), c.point()
		if smooth != nil {
			L, got := smooth.Smoothness(), c.bend(i, w, v)
			want(got <= (1+1e-6)*L, "Smoothness() = %.9g, but f_%d needs L ≥ %.9g", L, i, got)
		}
		if lipschitz != nil {
			G, far := lipschitz.Lipschitz(), slices.Clone(w)
			floats.Scale(8, far) // a point nearby may be where the gradient is small
			for _, x := range [][]float64{w, v, far} {
				got := floats.Norm(c.grad(x, single(i)), 2)
				want(got <= (1+1e-10)*G, "Lipschitz() = %.9g, but ‖∇f_%d(w)‖ = %.9g", G, i, got)
			}
		}
	}
}

// bend looks for the largest ‖∇f_i(w) − ∇f_i(v)‖/‖w − v‖ that it can find from two
// points: in the half of the segment that bends more, again and again, and then along
// the change of the gradient there, which is a power iteration on the Hessian.
func (c *sumCheck) bend(i int, w, v []float64) (top float64) {
	a, b, x := slices.Clone(w), slices.Clone(v), make([]float64, c.d)
	slope := func(a, b []float64) (ratio float64, change []float64) {
		change = floats.SubTo(make([]float64, c.d), c.grad(a, single(i)), c.grad(b, single(i)))
		dist := floats.Distance(a, b, 2)
		if !(dist > 1e-8*(floats.Norm(a, 2)+floats.Norm(b, 2))) { // rounding would decide
			return 0, change
		}
		ratio = floats.Norm(change, 2) / dist
		top = max(top, ratio)
		return ratio, change
	}
	slope(a, b)
	for range 12 {
		floats.AddScaledTo(x, a, 1, b)
		floats.Scale(0.5, x)
		left, _ := slope(a, x)
		if right, _ := slope(x, b); left >= right {
			b, x = x, b
		} else {
			a, x = x, a
		}
	}
	for range 6 {
		_, change := slope(a, b)
		size := floats.Norm(change, 2)
		if size == 0 {
			break
		}
		floats.AddScaledTo(b, a, -floats.Distance(a, b, 2)/size, change)
	}
	return top
}
