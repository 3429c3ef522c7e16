package fwinst

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// signs is the sum of n terms with random signs s_i ∈ {−1, 1}^d,
//
//	∇f_i(w) = g + b s_i + (1 + a s_i)∘h∘(w − w*)
//
// in pairs s_{i+n/2} = −s_i, so that the mean of the s_i is exactly 0: a is noise
// in the curvature, which is gone at w*, and b is noise in the slope, which is the
// same everywhere. As s_ij² = 1 the variance is Σ_j (b + a h_j (w_j − w*_j))².
// With n = 1 there are no signs, and a = b = 0.
type signs struct {
	quad
	a, b float64
	mask []uint32 // bit i of mask[j] says that s_ij = 1, for i < n/2
}

// newSigns draws the signs, n/2 bits for a coordinate. A nil g is 0.
func newSigns(q quad, a, b float64, seed uint64) *signs {
	if q.g == nil {
		q.g = make([]float64, len(q.c))
	}
	f := &signs{quad: q, a: a, b: b}
	if q.n == 1 {
		f.a, f.b = 0, 0
	} else if q.n < 2 || q.n > 64 || q.n%2 != 0 {
		panic(need.Linef("fwinst: n = %d, want an even number up to 64", q.n))
	}
	r := rand.New(rand.NewPCG(seed, 5))
	f.mask = make([]uint32, len(q.c))
	for j := range f.mask {
		f.mask[j] = uint32(r.Uint64() & (1<<(q.n/2) - 1))
	}
	return f
}

// Identify writes the mean of the terms and the signs.
func (f *signs) Identify(id *fwopt.Identity) {
	f.say(id.Of(f)).Float(f.a, f.b)
	for _, m := range f.mask {
		id.Int(int(m))
	}
}

// sign returns s_ij.
func (f *signs) sign(i, j int) float64 {
	if (f.mask[j]>>(i%(f.n/2))&1 == 1) == (i < f.n/2) {
		return 1
	}
	return -1
}

// table gives Σ_k Weight[k] s_{Index[k],j} out of mask[j], byte by byte.
type table [4][256]float64

func (t *table) at(mask uint32) float64 {
	return t[0][mask&255] + t[1][mask>>8&255] + t[2][mask>>16&255] + t[3][mask>>24]
}

// weigh fills t for a batch and returns Σ_k Weight[k].
func (f *signs) weigh(t *table, b fwopt.Batch) (total float64) {
	half := f.n / 2
	var e [32]float64 // what s_i counts, for i < n/2
	for k, i := range b.Index {
		total += b.Weight[k]
		switch {
		case i < half:
			e[i] += b.Weight[k]
		case half > 0:
			e[i-half] -= b.Weight[k]
		}
	}
	for p := 0; p < half; p += 8 {
		row, e := &t[p/8], e[p:p+8]
		row[0] = 0
		for _, x := range e {
			row[0] -= x
		}
		for x := 1; x < 256; x++ { // one sign turned from −1 to 1
			row[x] = row[x&(x-1)] + 2*e[bits.TrailingZeros8(uint8(x))]
		}
	}
	return total
}

// Grad computes dst = Σ_k Weight[k] ∇f_{Index[k]}(w), in O(d + batch).
func (f *signs) Grad(dst, w []float64, batch fwopt.Batch) {
	if batch.Index == nil {
		f.exact(dst, w)
		return
	}
	f.check(dst, w)
	f.checkBatch(batch)
	var t table
	total := f.weigh(&t, batch)
	for j, x := range w {
		s, hu := t.at(f.mask[j]), f.h[j]*(x-f.c[j])
		dst[j] = total*(f.g[j]+hu) + s*(f.b+f.a*hu)
	}
}

// AddGradDiff does dst += Σ_k Weight[k] (∇f_{Index[k]}(w) − ∇f_{Index[k]}(w0)), in
// O(d + batch).
func (f *signs) AddGradDiff(dst, w, w0 []float64, batch fwopt.Batch) {
	f.check(dst, w, w0)
	f.checkBatch(batch)
	var t table
	total := 1.0
	if batch.Index != nil {
		total = f.weigh(&t, batch)
	}
	for j, x := range w {
		dst[j] += (total + f.a*t.at(f.mask[j])) * f.h[j] * (x - w0[j])
	}
}

// variance is Σ_j (b + a h_j (w_j − w*_j))², or Σ_j (a h_j (w_j − w0_j))² with a snapshot.
func (f *signs) variance(w, w0 []float64) (v float64) {
	b := 0.0
	if w0 == nil {
		w0, b = f.c, f.b
	}
	f.check(w, w0)
	for j, x := range w {
		s := b + f.a*f.h[j]*(x-w0[j])
		v += s * s
	}
	return v
}

// instance returns the problem on Ω, with its constants: L and α from the
// curvatures, the others as maxima over the vertices, all exact. It takes O(nd).
func (f *signs) instance(omega fwopt.Domain, w0 []float64) *Instance {
	top := slices.Max(f.h)
	f.first = w0
	p := &Instance{
		Name: f.name, F: f, Omega: omega, W0: w0, WStar: f.c, FStar: f.min,
		Constants: fwopt.Constants{
			L: top * (1 + math.Abs(f.a)), Alpha: slices.Min(f.h), D: omega.(fwset.Bounded).Diameter(),
		},
		LF: top,
	}
	slope, at0 := make([]float64, len(f.h)), make([]float64, len(f.h)) // of a gradient at0 + slope∘w
	norm := func(g, h func(j int) float64) float64 {
		for j := range at0 {
			slope[j] = h(j)
			at0[j] = g(j) - slope[j]*f.c[j]
		}
		return farthest(omega, at0, slope)
	}
	p.GF = norm(func(j int) float64 { return f.g[j] }, func(j int) float64 { return f.h[j] })
	p.G = p.GF
	if f.n == 1 {
		return p
	}
	for i := range f.n {
		p.G = max(p.G, norm(func(j int) float64 { return f.g[j] + f.b*f.sign(i, j) },
			func(j int) float64 { return (1 + f.a*f.sign(i, j)) * f.h[j] }))
	}
	p.Sigma = norm(func(j int) float64 { return f.b }, func(j int) float64 { return f.a * f.h[j] })
	return p
}

// Simplex is SIMPLEX: the probability simplex of dimension d and
//
//	f_i(w) = ½ Σ_j h_ij (w_j − 1/d)²,  h_ij = ½(1 + s_ij) ∈ {0, 1}
//
// with n random signs s_i in pairs, n ≤ 64. It forces 1/ε linear optimisations
// on any method here: a point that is made of K vertices has at most K nonzero
// coordinates, so f(w) ≥ ¼(1/K − 1/d), whatever the method did. Once K comes near
// d the floor 1/d bends the rate: take d ≥ 10 K.
//
// f = ¼‖w − 1/d‖²: w* = 1/d, f* = 0, ∇f(w*) = 0 (case (a) of Theorem 2), L = 1,
// LF = α = ½, so μ = 2 (case (c)), D = √2. G is below 1 and σ below ½, as
// ‖w − w*‖ < 1.
//
// It shows nothing of the stochastic gradients: the noise shrinks with the gap,
// and constant batches do as well. W0 is a vertex, for line 3 lands on w*.
func Simplex(d, n int, seed uint64) *Instance {
	atLeast("d", d, 2)
	name := fmt.Sprintf("Simplex(%d, %d, %d)", d, n, seed)
	q := quad{name: name, n: n, h: fill(d, 0.5), c: fill(d, 1/float64(d))}
	return newSigns(q, 1, 0, seed).instance(fwset.Simplex{D: d, R: 1}, vertex(d))
}

// MSL is the multi-scale linear instance: the box [−r, r]^{J+1}, r the radius, and
//
//	f_i(w) = ½ w_0² + Σ_{j=1}^J g_j w_j + 4 s_iᵀw,  g_j = 2^{2−j}
//
// with n random signs s_i in pairs, n ≤ 64. It forces 1/ε² samples in a single
// batch, so Σ_k m_k ~ 1/ε³ on SFW: from m samples the sign of g_j is anyone's guess
// where g_j ≲ 4/√m, and a wrong one costs 2r g_j. There is such a scale for every m
// as long as 4^J is above all batches.
//
// w* = (0, −r, …, −r), f* = −r Σ_j g_j, ∇f(w*) = (0, g_1, …, g_J), L = LF = 1, α = 0,
// D = 2r√(J+1), σ² = 16(J+1) everywhere. G ≤ √((4+r)² + Σ_j (4+g_j)²), with equality
// where some s_i is all ones. W0 is the corner (r, …, r), with the largest gap,
// r²/2 + 2r Σ_j g_j < r²/2 + 8r. If r(J + ¾) ≥ 4 that is at most LD²/2 = 2r²(J+1), as
// the theorems want of a w_0.
//
// It shows nothing of variance reduction, which removes this noise wholly, nor
// of the linear optimisations that a simplex forces: for both at once take
// Product(Simplex, MSL).
func MSL(J, n int, radius float64, seed uint64) *Instance {
	atLeast("J", J, 1)
	positive("radius", radius)
	q := quad{
		name: fmt.Sprintf("MSL(%d, %d, %g, %d)", J, n, radius, seed), n: n,
		h: vertex(J + 1), g: make([]float64, J+1), c: fill(J+1, -radius),
	}
	q.c[0] = 0
	for j := 1; j <= J; j++ {
		q.g[j] = math.Exp2(float64(2 - j))
		q.min -= radius * q.g[j]
	}
	return newSigns(q, 0, 4, seed).instance(cube(J+1, radius), fill(J+1, radius))
}

// Face is FACE: the probability simplex of an even dimension d ≥ 4, h = d/2, and
//
//	f_i(w) = ½ Σ_j h_ij (w_j − t_j)² + R Σ_{j>h} w_j,  h_ij = ½(1 + s_ij) ∈ {0, 1}
//
// with t_j = 1/h for j ≤ h and else 0, and n random signs s_i in pairs, n ≤ 64. It is
// Simplex(h) on the face j ≤ h, with a price R > 0 for leaving it, and forces 1/ε
// linear optimisations as well: f(w) ≥ ¼(1/K − 1/h) where w is made of K vertices and
// R ≥ 1/(2K), for mass p off the face costs Rp and saves at most p/(2K).
//
// f = ¼‖w − t‖² + R Σ_{j>h} w_j: w* = t, f* = 0, ∇f(w*) = R on j > h. So ∇f(w*) ≠ 0, and
// G is about R√(d−h), far above LD if R√d ≫ 3: case (b) of Theorem 2. L = 1,
// LF = α = ½, D = √2, σ² ≤ ¼(1 + 1/h).
//
// It cannot show that the samples of case (b) are needed: they are what its
// parameters ask for, and fewer do as well here.
func Face(d, n int, R float64, seed uint64) *Instance {
	atLeast("d", d, 4)
	positive("R", R)
	if d%2 != 0 {
		panic(need.Linef("fwinst: d = %d, want an even number", d))
	}
	q := quad{
		name: fmt.Sprintf("Face(%d, %d, %g, %d)", d, n, R, seed), n: n,
		h: fill(d, 0.5), g: make([]float64, d), c: fill(d, 2/float64(d)),
	}
	for j := d / 2; j < d; j++ {
		q.g[j], q.c[j] = R, 0
	}
	return newSigns(q, 1, 0, seed).instance(fwset.Simplex{D: d, R: 1}, nil)
}

// NoisyBox is the box [−1, 1]^d and
//
//	f_i(w) = ½‖w − c‖² + s_iᵀw
//
// with a random c, |c_j| ≤ 0.8, and n random signs s_i in pairs, n ≤ 64. It forces
// 1/ε samples on a method that has no exact gradients: the mean of N samples
// misplaces the minimiser by an error of variance d/N, which costs d/(2N).
//
// f = ½‖w − c‖²: w* = c, f* = 0, ∇f(w*) = 0, L = LF = α = 1, D = 2√d, σ² = d everywhere.
// G ≤ √(Σ_j (2 + |c_j|)²).
//
// It shows nothing of variance reduction, which removes the noise wholly, nor of
// the linear optimisations: a corner moves all coordinates at once.
func NoisyBox(d, n int, seed uint64) *Instance {
	atLeast("d", d, 1)
	name := fmt.Sprintf("NoisyBox(%d, %d, %d)", d, n, seed)
	q := quad{name: name, n: n, h: fill(d, 1), c: inBox(d, seed)}
	return newSigns(q, 0, 1, seed).instance(cube(d, 1), nil)
}

// NoisySimplex is the probability simplex of dimension d and
//
//	f_i(w) = ½‖w − 1/d‖² + scale·s_iᵀw
//
// with n random signs s_i in pairs, n ≤ 64. It forces 1/ε linear optimisations as
// Simplex does, f(w) ≥ ½(1/K − 1/d), and its noise does not shrink with the gap.
//
// f = ½‖w − 1/d‖²: w* = 1/d, f* = 0, ∇f(w*) = 0, L = LF = α = 1, D = √2, σ² = scale²·d
// everywhere. G < √(1 + 4 scale + scale²·d).
//
// It shows nothing of variance reduction, which removes the noise wholly, and
// not how much of the noise a method really meets: on a simplex a step feels the
// largest entry of the noise rather than its norm. W0 is a vertex, for line 3
// lands on w*.
func NoisySimplex(d, n int, scale float64, seed uint64) *Instance {
	atLeast("d", d, 2)
	positive("scale", scale)
	name := fmt.Sprintf("NoisySimplex(%d, %d, %g, %d)", d, n, scale, seed)
	q := quad{name: name, n: n, h: fill(d, 1), c: fill(d, 1/float64(d))}
	return newSigns(q, 0, scale, seed).instance(fwset.Simplex{D: d, R: 1}, vertex(d))
}

// IllBox is the box [−1, 1]^d and a sum of a condition number μ = L/α of your choice:
//
//	f_i(w) = ½ Σ_j h_j (1 + s_ij) (w_j − c_j)²
//
// with a random c, |c_j| ≤ 0.8, n random signs s_i in pairs, n ≤ 64, and h_j falling
// geometrically from ½ to 1/μ, μ ≥ 2. With n = 1 there are no signs, and
// f = ½ Σ_j μ^{−(j−1)/(d−1)} (w_j − c_j)², μ ≥ 1.
//
// w* = c, f* = 0, ∇f(w*) = 0, L = 1, α = 1/μ, D = 2√d; LF = ½ (n = 1: LF = 1). G and σ
// are maxima over the corners. Curvatures of all sizes between LF and α come, and
// the smallest ones decide how long a method takes: its counts grow with μ.
//
// It is not the worst f of its μ, whose Hessian is not diagonal: a count on it
// that grows less than a bound is no evidence against the bound. The noise is
// gone at w*.
func IllBox(d, n int, mu float64, seed uint64) *Instance {
	atLeast("d", d, 2)
	return ill("IllBox", d, n, mu, seed, inBox(d, seed), cube(d, 1))
}

// IllSimplex is IllBox on the probability simplex of dimension d, with a random c
// in its interior whose entries are between 1/(3d) and 3/d. With n = 1 it is a
// problem for linearly convergent methods like that of Garber and Hazan.
//
// w* = c, f* = 0, ∇f(w*) = 0, L = 1, α = 1/μ, D = √2; LF = ½ (n = 1: LF = 1).
// G² ≤ 1 + 2/(3d) and σ² ≤ ¼(1 + 2/(3d)), as ‖e_k − c‖² = 1 − 2c_k + ‖c‖² and
// ‖c‖² ≤ 4/(3d).
func IllSimplex(d, n int, mu float64, seed uint64) *Instance {
	atLeast("d", d, 2)
	r := rand.New(rand.NewPCG(seed, 6))
	c := make([]float64, d)
	for j := range c {
		c[j] = 0.5 + r.Float64()
	}
	floats.Scale(1/floats.Sum(c), c)
	return ill("IllSimplex", d, n, mu, seed, c, fwset.Simplex{D: d, R: 1})
}

func ill(name string, d, n int, mu float64, seed uint64, c []float64, omega fwopt.Domain) *Instance {
	top := 1.0 // of h
	if n > 1 {
		top = 0.5
	}
	if !(mu*top >= 1) || math.IsInf(mu, 1) {
		panic(need.Linef("fwinst: mu = %g, want at least %g", mu, 1/top))
	}
	h := make([]float64, d)
	for j := range h {
		h[j] = top * math.Pow(mu*top, -float64(j)/float64(d-1))
	}
	q := quad{name: fmt.Sprintf("%s(%d, %d, %g, %d)", name, d, n, mu, seed), n: n, h: h, c: c}
	return newSigns(q, 1, 0, seed).instance(omega, nil)
}

// inBox returns a random point of [−0.8, 0.8]^d.
func inBox(d int, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 6))
	c := make([]float64, d)
	for j := range c {
		c[j] = 1.6*r.Float64() - 0.8
	}
	return c
}
