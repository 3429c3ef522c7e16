package fwopt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// What a run asks of a reader's own sum before it begins: see partsCheck.

// gradOf returns the gradient of a batch at w, and what is wrong with it.
func (c *partsCheck) gradOf(w []float64, b Batch) (g []float64, fault string) {
	return ask(len(w), func(dst []float64) { c.f.Grad(dst, w, b) })
}

// gradient fills c.g; where the gradient is 0 it is another direction.
func (c *partsCheck) gradient() {
	was := slices.Clone(c.at)
	g, fault := c.gradOf(c.at, Batch{})
	if !slices.Equal(c.at, was) {
		c.wrongSum("Grad writes to w, which is the method's")
	}
	if fault != "" {
		c.wrongSum("Grad of the zero Batch at %s: %s", c.where(), fault)
	}
	if c.grad, c.g = g, g; fault != "" || floats.Norm(g, 2) == 0 {
		c.g = make([]float64, len(g))
		rng := rand.New(rand.NewPCG(7, 11))
		for j := range c.g { // positive, as the costs of a network are
			c.g[j] = 1 + rng.Float64()
		}
	}
	c.costs = c.own.omega != "" && len(g) > 2 && floats.Min(c.g) >= 0
}

// slopes looks along a segment from where f is asked and, if there is time, along some
// that begin inside of Ω.
func (c *partsCheck) slopes() {
	p, g, to := c.at, c.grad, c.v
	if d := floats.Dot(g, p); math.Abs(floats.Dot(g, c.x)-d) > math.Abs(floats.Dot(g, c.v)-d) {
		to = c.x
	}
	fp, y, gy := c.slope(p, g, to)
	if !finite(fp) {
		c.wrongSum("Value at %s is %g", c.where(), fp)
	}
	if gy != nil { // at w_0 = 0 much is 0 that is not elsewhere
		c.near, c.nearGrad = y, gy
	}
	rng := rand.New(rand.NewPCG(13, 17))
	for turn := 0; turn < 8 && c.more(); turn++ {
		inside, v := slices.Clone(p), p
		for k := range 4 {
			r := make([]float64, len(p))
			for j := range r {
				if r[j] = rng.NormFloat64(); c.costs {
					r[j] = math.Abs(r[j])
				}
			}
			ok := true
			if v, ok = c.towards(r); !ok {
				return
			}
			lerpTo(inside, inside, 1/float64(k+2), v)
		}
		if g, fault := c.gradOf(inside, Batch{}); fault == "" {
			c.slope(inside, g, v)
		}
	}
}

// slope holds Value against Grad on a short segment in Ω from p, where the gradient is g,
// towards another point. It returns f(p) and, unless f ends there, the other end and ∇f there.
func (c *partsCheck) slope(p, g, to []float64) (fp float64, y, gy []float64) {
	if fp = c.f.Value(p); !finite(fp) {
		return fp, nil, nil
	}
	gap := math.Abs(floats.Dot(g, to) - floats.Dot(g, p))
	t := 0x1p-6
	if gap > 0 { // longer where rounding would hide the difference
		t = min(0.5, max(0x1p-10, 1e-7*math.Abs(fp)/gap))
	}
	y, gy, wrong := c.segment(p, g, to, fp, t, gap == 0)
	if wrong != "" { // an f that is not convex may bend on the way
		_, _, wrong = c.segment(p, g, to, fp, t/32, gap == 0)
	}
	if wrong != "" {
		c.wrongSum("%s", wrong)
	}
	return fp, y, gy
}

// segment says what is wrong on the segment from p to y = (1−t)p + t·to; "" if nothing.
// Where f is convex ⟨∇f(p), y−p⟩ ≤ f(y) − f(p) ≤ ⟨∇f(y), y−p⟩, at a kink as well.
func (c *partsCheck) segment(p, g, to []float64, fp, t float64, flat bool) (y, gy []float64, wrong string) {
	y, n := make([]float64, len(p)), float64(c.f.Len())
	lerpTo(y, p, t, to)
	fy := c.f.Value(y)
	gy, fault := c.gradOf(y, Batch{})
	if fault != "" || !finite(fy) { // f may end in Ω, as a barrier does
		return nil, nil, ""
	}
	step, size := floats.SubTo(make([]float64, len(p)), y, p), math.Abs(fp)+math.Abs(fy)
	for j, s := range step {
		size += math.Abs(s) * (math.Abs(g[j]) + math.Abs(gy[j]))
	}
	lo, hi, rise := floats.Dot(g, step), floats.Dot(gy, step), fy-fp
	// a quarter of the width more, for an f that is not convex, and rounding
	slack := math.Abs(hi-lo)/4 + 1e-3*max(math.Abs(lo), math.Abs(hi)) + 1e-11*size
	if flat {
		slack = 1e-6*math.Abs(hi) + 1e-11*size
	}
	miss := max(min(lo, hi)-rise, rise-max(lo, hi)) - slack
	if !(miss > 0) || miss < 4*c.noise(p, to, t, fp, max(math.Abs(lo), math.Abs(hi))) {
		return y, gy, ""
	}
	seen := fmt.Sprintf("from w to y Value changes by %.6g, Grad of the zero Batch puts it between ⟨∇f(w), "+
		"y−w⟩ = %.6g and ⟨∇f(y), y−w⟩ = %.6g", rise, lo, hi)
	switch ratio := 2 * rise / (lo + hi); {
	case ratio < 0:
		return y, gy, "Grad or Value has the wrong sign: " + seen
	case math.Abs(ratio-n) < 0.1*ratio || math.Abs(1/ratio-n) < 0.1/ratio:
		return y, gy, fmt.Sprintf("one of Value and Grad is the sum over the n = %d terms, where both must "+
			"be the mean: %s", c.f.Len(), seen)
	default:
		return y, gy, fmt.Sprintf("Value and Grad do not belong together, by a factor of %.4g: %s", ratio,
			seen)
	}
}

// noise returns how far rounding, as that of float32, makes Value jump on a segment on
// which Grad has it change by change: third differences, which a smooth f hardly has.
func (c *partsCheck) noise(p, to []float64, t, fp, change float64) (most float64) {
	const m = 8
	y, v := make([]float64, len(p)), []float64{fp}
	for i := 1; i <= m; i++ {
		lerpTo(y, p, t*float64(i)/m, to)
		v = append(v, c.f.Value(y))
		if v[i] == v[i-1] && change < 1e-5*math.Abs(fp) { // a step in between hides
			return math.Inf(1)
		}
	}
	for i := 3; i <= m; i++ {
		most = max(most, math.Abs(v[i]-3*v[i-1]+3*v[i-2]-v[i-3]))
	}
	return most
}

// together asks for a gradient at two points at once.
func (c *partsCheck) together() {
	half := make([]float64, len(c.at)) // for f may end at c.v, as a barrier does
	lerpTo(half, c.at, 0.5, c.v)
	b, points := c.batch(min(100, c.f.Len())), [2][]float64{c.at, half}
	grad := func(dst, w []float64) { c.f.Grad(dst, w, b) }
	var alone [2][]float64
	size := 0.
	for i, w := range points {
		alone[i] = make([]float64, len(w))
		if grad(alone[i], w); unfit(alone[i]) < 0 {
			size = max(size, floats.Norm(alone[i], 2)) // one may be 0 but for rounding
		}
	}
	atOnce(c.own.f+": Grad", grad, points, func(i int, got []float64) bool {
		return floats.Distance(got, alone[i], 2) <= rounded*size || unfit(alone[i]) >= 0
	})
	if !c.more() {
		return
	}
	value := func(dst, w []float64) { dst[0] = c.f.Value(w) }
	f := [2]float64{c.f.Value(points[0]), c.f.Value(points[1])}
	atOnce(c.own.f+": Value", value, points, func(i int, got []float64) bool {
		return math.Abs(got[0]-f[i]) <= rounded*max(math.Abs(f[0]), math.Abs(f[1])) || !finite(f[i])
	})
}

// batch returns m terms, spread over all n, with weights that differ and add up to 1.
func (c *partsCheck) batch(m int) (b Batch) {
	n, total := c.f.Len(), 0.
	for i := range m {
		b.Index = append(b.Index, i*(n/m))
		b.Weight = append(b.Weight, float64(1+i%3))
		total += b.Weight[i]
	}
	floats.Scale(1/total, b.Weight)
	return b
}

// terms holds batches against their terms one by one, and the exact gradient against
// all terms, or a sample of them.
func (c *partsCheck) terms() {
	w, all, n, where := c.at, c.grad, c.f.Len(), c.where()
	if c.near != nil {
		w, all, where = c.near, c.nearGrad, "a point near "+where
	}
	single := func(i int) []float64 {
		g, fault := c.gradOf(w, Batch{Index: []int{i}, Weight: []float64{1}})
		if fault != "" {
			c.wrongSum("Grad of the batch of term %d alone, at %s: %s", i, where, fault)
		}
		return g
	}
	b := c.batch(min(n, 5))
	sum, size := make([]float64, len(w)), 0.
	for i, weight := range b.All(n) {
		g := single(i)
		floats.AddScaled(sum, weight, g)
		size += weight * floats.Norm(g, 2)
	}
	got, fault := c.gradOf(w, b)
	if fault != "" {
		c.wrongSum("Grad of a batch of %d terms, at %s: %s", len(b.Index), where, fault)
	}
	if e := floats.Distance(got, sum, 2); e > rounded*size {
		c.wrongSum("Grad of a batch is not Σ_j Weight[j] ∇f_{Index[j]}(w): for terms %d with weights %.3g "+
			"it is off by %.3g, where the sum has length %.3g%s; the weights have the 1/m in them already",
			b.Index, b.Weight, e, floats.Norm(sum, 2), factor(got, sum))
	}
	if n <= 400 || float64(n)*float64(len(w)) <= 1e6 && c.more() {
		var each Batch
		for i, weight := range each.All(n) {
			each.Index, each.Weight = append(each.Index, i), append(each.Weight, weight)
		}
		even, _ := c.gradOf(w, each)
		if e := floats.Distance(all, even, 2); e > rounded*(floats.Norm(even, 2)+size) {
			c.wrongSum("Grad of the zero Batch is not the mean of all n = %d terms: it is off by %.3g, "+
				"where the mean has length %.3g%s", n, e, floats.Norm(even, 2), factor(all, even))
		}
		return
	}
	c.sampled(all, single)
}

// factor names the factor between two vectors, if it is one.
func factor(got, want []float64) string {
	r := floats.Dot(got, want) / floats.Dot(want, want)
	if d := floats.AddScaledTo(make([]float64, len(got)), got, -r, want); finite(r) &&
		floats.Norm(d, 2) < 1e-6*floats.Norm(got, 2) {
		return fmt.Sprintf(", by the factor %.6g", r)
	}
	return ""
}

// sampled looks whether the exact gradient is n times what some terms give, or an n-th,
// beyond doubt: along itself, in units of the error of a mean, which must not be 0 within
// its error, as it is where a few terms that were not drawn have nearly all.
func (c *partsCheck) sampled(all []float64, single func(i int) []float64) {
	n, length := c.f.Len(), floats.Norm(all, 2)
	var along []float64
	rng := rand.New(rand.NewPCG(19, 23))
	for i := range 400 {
		if along = append(along, floats.Dot(single(rng.IntN(n)), all)/length); i >= 30 && !c.more() {
			break
		}
	}
	m := float64(len(along))
	mean := floats.Sum(along) / m
	var2 := 0.
	for _, x := range along {
		var2 += (x - mean) * (x - mean)
	}
	sigma := math.Sqrt(var2/m/m) + 1e-9*math.Abs(mean)
	for _, r := range []float64{float64(n), 1 / float64(n)} {
		if math.Abs(length/r-mean) < 4*sigma && math.Abs(length-mean) > 50*sigma && math.Abs(mean) > 5*sigma {
			c.wrongSum("Grad of the zero Batch is not the mean of the n = %d terms: along it %d of them "+
				"have the mean %.4g, it has %.4g, some %.3g times that", n, len(along), mean, length, r)
		}
	}
}
