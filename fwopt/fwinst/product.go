package fwinst

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"github.com/projection-free/fwlab/fwopt/internal/sample"
)

// Product puts two instances side by side: f_(i,j)(u, v) = f_i(u) + f_j(v) on
// Ω_a × Ω_b, a sum of n_a n_b terms; the pair (i, j) is term i·n_b + j. So one
// instance can force the linear optimisations and another the samples, in a
// single run: the gap is the sum of the two, and neither can be spared.
//
// The Hessian of a term is made of two blocks and i, j are independent. So L, LF
// are the larger and α the smaller of the two, D² = D_a² + D_b², and G², GF² and
// σ² are sums as well. W0 is made of the two W0, or of line 3 where one is nil.
//
// What it cannot show: the step is one for both halves, so that a rate of one
// half alone, measured in the product, may differ from that half's own.
func Product(a, b *Instance) *Instance {
	fa, fb := a.sum(), b.sum()
	if hi, lo := bits.Mul64(uint64(fa.Len()), uint64(fb.Len())); hi != 0 || lo > math.MaxInt {
		panic(need.Linef("fwinst: a product of %d times %d terms is too large", fa.Len(), fb.Len()))
	}
	qa, qb := fa.base(), fb.base()
	f := &pairs{a: fa, b: fb, quad: quad{
		name: fmt.Sprintf("Product(%s, %s)", a.Name, b.Name), n: qa.n * qb.n,
		h: slices.Concat(qa.h, qb.h), g: slices.Concat(qa.g, qb.g), c: slices.Concat(qa.c, qb.c),
		min: qa.min + qb.min,
	}}
	p := &Instance{
		Name: f.name, F: f, Omega: fwset.Product{a.Omega, b.Omega}, WStar: f.c, FStar: f.min,
		Constants: fwopt.Constants{
			L: max(a.L, b.L), Alpha: min(a.Alpha, b.Alpha), D: math.Hypot(a.D, b.D),
			G: math.Hypot(a.G, b.G), GF: math.Hypot(a.GF, b.GF), Sigma: math.Hypot(a.Sigma, b.Sigma),
		},
		LF: max(a.LF, b.LF),
	}
	if a.W0 != nil || b.W0 != nil {
		f.first = slices.Concat(a.start(), b.start())
		p.W0 = f.first
	}
	return p
}

// start returns W0, or that of line 3 if it is nil.
func (p *Instance) start() []float64 { return fwopt.NewOracle(p.F, p.Omega, 0).From(p.W0).Start() }

// pairs is the sum of Product.
type pairs struct {
	quad
	a, b sum
}

// Identify writes the factors.
func (f *pairs) Identify(id *fwopt.Identity) { f.say(id.Of(f)).Part(f.a).Part(f.b) }

// scratch holds batches of the factors that are free. A sum may not hold any: it
// is used by several runs at once.
var scratch = sync.Pool{New: func() any { return &[2]fwopt.Batch{{Index: []int{}}, {Index: []int{}}} }}

// SampleBatch draws a batch of each factor, which are independent. Of the joint
// counts of the pairs only these margins matter, because ∇f_(i,j) is ∇f_i followed
// by ∇f_j: it joins them greedily to at most n_a + n_b − 1 pairs.
func (f *pairs) SampleBatch(batch *fwopt.Batch, m int, rng *rand.Rand) {
	s := scratch.Get().(*[2]fwopt.Batch)
	defer scratch.Put(s)
	a, b := &s[0], &s[1]
	draw(a, f.a, m, rng)
	draw(b, f.b, m, rng)
	batch.Index, batch.Weight = batch.Index[:0], batch.Weight[:0]
	count := func(x *fwopt.Batch, k int) int { // exact up to 2^51
		return int(math.Round(x.Weight[k] * float64(m)))
	}
	left, k, l := [2]int{}, -1, -1 // what is left of pairs k of a and l of b
	for {
		if left[0] == 0 {
			if k++; k == len(a.Index) {
				return
			}
			left[0] = count(a, k)
		}
		if left[1] == 0 {
			l++
			left[1] = count(b, l)
		}
		c := min(left[0], left[1])
		batch.Index = append(batch.Index, a.Index[k]*f.b.Len()+b.Index[l])
		batch.Weight = append(batch.Weight, float64(c)/float64(m))
		left[0], left[1] = left[0]-c, left[1]-c
	}
}

// draw samples a factor, whose weights are counts over m.
func draw(b *fwopt.Batch, f sum, m int, rng *rand.Rand) {
	if s, ok := f.(fwopt.Sampler); ok {
		s.SampleBatch(b, m, rng)
		return
	}
	b.Index, b.Weight = sample.Uniform(b.Index[:0], b.Weight[:0], rng, m, f.Len())
}

// split calls each with the batches of the two factors.
func (f *pairs) split(batch fwopt.Batch, each func(a, b fwopt.Batch)) {
	f.checkBatch(batch)
	if batch.Index == nil {
		each(batch, batch)
		return
	}
	s := scratch.Get().(*[2]fwopt.Batch)
	defer scratch.Put(s)
	a, b := &s[0], &s[1]
	a.Index, b.Index = a.Index[:0], b.Index[:0]
	for _, i := range batch.Index {
		a.Index, b.Index = append(a.Index, i/f.b.Len()), append(b.Index, i%f.b.Len())
	}
	each(fwopt.Batch{Index: a.Index, Weight: batch.Weight}, fwopt.Batch{Index: b.Index, Weight: batch.Weight})
}

// Grad computes dst = Σ_k Weight[k] ∇f_{Index[k]}(w), at the price of the two
// factors.
func (f *pairs) Grad(dst, w []float64, batch fwopt.Batch) {
	f.check(dst, w)
	d := f.a.Dim()
	f.split(batch, func(a, b fwopt.Batch) {
		f.a.Grad(dst[:d], w[:d], a)
		f.b.Grad(dst[d:], w[d:], b)
	})
}

// AddGradDiff does dst += Σ_k Weight[k] (∇f_{Index[k]}(w) − ∇f_{Index[k]}(w0)).
func (f *pairs) AddGradDiff(dst, w, w0 []float64, batch fwopt.Batch) {
	f.check(dst, w, w0)
	d := f.a.Dim()
	f.split(batch, func(a, b fwopt.Batch) {
		f.a.AddGradDiff(dst[:d], w[:d], w0[:d], a)
		f.b.AddGradDiff(dst[d:], w[d:], w0[d:], b)
	})
}

// variance is the sum of the two, as i and j are independent.
func (f *pairs) variance(w, w0 []float64) float64 {
	d, u0, v0 := f.a.Dim(), w0, w0
	if f.check(w); w0 != nil {
		f.check(w0)
		u0, v0 = w0[:d], w0[d:]
	}
	return f.a.variance(w[:d], u0) + f.b.variance(w[d:], v0)
}
