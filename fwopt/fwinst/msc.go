package fwinst

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"github.com/projection-free/fwlab/fwopt/internal/sample"
)

// MSC is the multi-scale sparse curvature instance: the box [−r, r]^J and a sum of
// n = 2^J terms, of which 2^{J−j} are ½u_j², for j = 1, …, J, and one is 0. It
// asks for batches that grow as the gap falls in SFW, SVRF and STORC, which forget their samples: a batch
// of m samples has hardly ever a term of a scale 2^{−j} ≪ 1/m, so that all the
// epoch long the estimate is the slope at the snapshot, and u_j is driven past 0
// towards the other end. Those coordinates hold about 0.14 r²/m of f (measured,
// with m_k = m for all k). There are such scales as long as 2^J is well above all
// batches: take J > log₂ m + 4.
//
// f(u) = ½ Σ_j 2^{−j} u_j²: w* = 0, f* = 0, ∇f(w*) = 0, L = 1, LF = ½, α = 2^{−J},
// D = 2r√J. As ∇f_i has one nonzero entry, G = r; ‖∇f‖² ≤ r² Σ_j 4^{−j}, so GF < r/√3;
// and σ² = r² Σ_j (2^{−j} − 4^{−j}), at the corners.
//
// It shows nothing of the linear optimisations: a corner moves all J coordinates
// at once. Take Product(Simplex, MSC). W0 is the corner (r, …, r), for line 3 lands
// on w*. J is at most 61. The terms are not stored: a batch of any size takes O(J).
func MSC(J int, r float64) *Instance {
	atLeast("J", J, 1)
	positive("r", r)
	if J > 61 {
		panic(need.Linef("fwinst: J = %d, want at most 61: there are 2^J terms", J))
	}
	f := &scales{quad{
		name: fmt.Sprintf("MSC(%d, %g)", J, r), n: 1 << J,
		h: make([]float64, J), g: make([]float64, J), c: make([]float64, J),
	}}
	var one, two float64 // Σ_j 2^{−j}, Σ_j 4^{−j}
	for j := range J {
		f.h[j] = math.Exp2(-float64(j + 1))
		one += f.h[j]
		two += f.h[j] * f.h[j]
	}
	omega := cube(J, r)
	f.first = fill(J, r)
	return &Instance{
		Name: f.name, F: f, Omega: omega, WStar: f.c, W0: f.first,
		Constants: fwopt.Constants{
			L: 1, Alpha: f.h[J-1], D: omega.Diameter(),
			G: r, GF: r * math.Sqrt(two), Sigma: r * math.Sqrt(one-two),
		},
		LF: 0.5,
	}
}

// scales is the sum of MSC. Term 0 is the one that is 0; the terms from 2^{J−j}
// to 2^{J−j+1} − 1 are those of coordinate j.
type scales struct{ quad }

// Identify writes the mean of the terms, which are as many as the scales make them.
func (f *scales) Identify(id *fwopt.Identity) { f.say(id.Of(f)) }

// of returns the coordinate of term i, from 0, or −1 for term 0.
func (f *scales) of(i int) int {
	if i == 0 {
		return -1
	}
	return len(f.c) - bits.Len(uint(i))
}

// SampleBatch draws how many samples fall on each scale, in O(J): out of those
// that fall on none before it a scale gets half. The terms that it returns are
// the first ones of their scales.
func (f *scales) SampleBatch(b *fwopt.Batch, m int, rng *rand.Rand) {
	b.Index, b.Weight = b.Index[:0], b.Weight[:0]
	put := func(i, count int) {
		if count > 0 {
			b.Index, b.Weight = append(b.Index, i), append(b.Weight, float64(count)/float64(m))
		}
	}
	left := m
	for i := f.n / 2; i > 0 && left > 0; i /= 2 {
		c := sample.Binomial(rng, left, 0.5)
		put(i, c)
		left -= c
	}
	put(0, left)
}

// Grad computes dst = Σ_k Weight[k] ∇f_{Index[k]}(w), in O(J + batch).
func (f *scales) Grad(dst, w []float64, batch fwopt.Batch) {
	if batch.Index == nil {
		f.exact(dst, w)
		return
	}
	f.check(dst, w)
	f.checkBatch(batch)
	clear(dst)
	for k, i := range batch.Index {
		if j := f.of(i); j >= 0 {
			dst[j] += batch.Weight[k] * w[j]
		}
	}
}

// AddGradDiff does dst += Σ_k Weight[k] (∇f_{Index[k]}(w) − ∇f_{Index[k]}(w0)).
func (f *scales) AddGradDiff(dst, w, w0 []float64, batch fwopt.Batch) {
	f.check(dst, w, w0)
	f.checkBatch(batch)
	if batch.Index == nil {
		for j, x := range w {
			dst[j] += f.h[j] * (x - w0[j])
		}
		return
	}
	for k, i := range batch.Index {
		if j := f.of(i); j >= 0 {
			dst[j] += batch.Weight[k] * (w[j] - w0[j])
		}
	}
}

// variance is Σ_j h_j (1 − h_j) w_j², for a share h_j of the terms is ½w_j²; of w − w0 with
// a snapshot.
func (f *scales) variance(w, w0 []float64) (v float64) {
	if w0 == nil {
		w0 = f.c
	}
	f.check(w, w0)
	for j, x := range w {
		v += f.h[j] * (1 - f.h[j]) * (x - w0[j]) * (x - w0[j])
	}
	return v
}
