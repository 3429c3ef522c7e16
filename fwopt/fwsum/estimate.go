package fwsum

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// EstimateSmoothness looks for the L of the theorems, ‖∇f_i(w) − ∇f_i(v)‖ ≤ L‖w − v‖ for
// all i, where f does not say its own. What it returns is the largest such ratio that it
// has seen, up to rounding: L is at least that. It is no upper bound, and cannot be: a
// term of a share p of all is missed by 256 draws with probability (1−p)^256, and so is a
// place where f_i bends that no segment between two points of Ω crosses or ends near.
// The theorems want an upper bound, and promise nothing with an L that is too small; a
// larger one only makes them slower. So derive one where it can be derived, as
// Loss.Smoothness times max_i ‖e_i‖², and use this to see that it is right, or how much
// there is to gain. An f that is not smooth shows by a number that grows as n and the
// seeds do.
//
// It draws 256 terms, or takes all if there are no more, and of each the ratio over a
// segment between random points of Ω, and over a short one that is turned along the Hessian. In
// the eight that bend most it goes on, four times each: into the half of a segment that
// bends more, and so on, and there by power iteration, which may leave Ω by a small part
// of its diameter. It takes at most 4,100 gradients of single terms and 8 linear
// optimisations. Same seed, same bits.
func EstimateSmoothness(f fwopt.FiniteSum, omega fwopt.Domain, seed uint64) float64 {
	need.Given("fwsum", "the sum or the domain of EstimateSmoothness", ident.IsNil(f) || ident.IsNil(omega))
	e := &estimate{f: f, rng: rand.New(rand.NewPCG(seed, 7))}
	for i := range e.x {
		e.x[i] = make([]float64, f.Dim())
	}
	for i := range e.vertices {
		for j := range e.x[0] {
			e.x[0][j] = e.rng.NormFloat64()
		}
		e.vertices[i] = make([]float64, f.Dim())
		omega.Argmin(e.vertices[i], e.x[0])
		e.size = max(e.size, floats.Distance(e.vertices[i], e.vertices[0], 2))
	}
	terms := make([]int, min(f.Len(), 256))
	for k := range terms {
		if terms[k] = k; len(terms) < f.Len() {
			terms[k] = e.rng.IntN(f.Len())
		}
	}
	ratio := make([]float64, len(terms))
	order := make([]int, len(terms))
	for k, i := range terms {
		e.points()
		a, b := e.x[0], e.x[1]
		wide := e.ratio(i, a, b)
		copy(b, a)
		e.shake(b, 0x1p-10*e.size)
		ratio[k], order[k] = max(wide, e.power(i, a, b, 3)), k
	}
	slices.SortStableFunc(order, func(k, l int) int { return cmp.Compare(ratio[l], ratio[k]) })
	top := ratio[order[0]]
	for _, k := range order[:min(8, len(order))] {
		for range 4 {
			top = max(top, e.bend(terms[k]))
		}
	}
	return top
}

type estimate struct {
	f        fwopt.FiniteSum
	rng      *rand.Rand
	vertices [8][]float64 // in random directions
	size     float64      // their distance
	x        [6][]float64 // two points, a third, two gradients and their difference
}

// points sets x[0] and x[1] to random points of Ω, each between three vertices.
func (e *estimate) points() {
	for _, x := range e.x[:2] {
		clear(x)
		left := 1.0
		for k := range 3 {
			share := left
			if k < 2 {
				share *= e.rng.Float64()
			}
			floats.AddScaled(x, share, e.vertices[e.rng.IntN(len(e.vertices))])
			left -= share
		}
	}
}

// ratio returns ‖∇f_i(a) − ∇f_i(b)‖/‖a − b‖ and leaves the difference in x[5]; 0 where
// rounding would decide.
func (e *estimate) ratio(i int, a, b []float64) float64 {
	one := fwopt.Batch{Index: []int{i}, Weight: []float64{1}}
	e.f.Grad(e.x[3], a, one)
	e.f.Grad(e.x[4], b, one)
	floats.SubTo(e.x[5], e.x[3], e.x[4])
	far := floats.Distance(a, b, 2)
	if !(far > 1e-7*(floats.Norm(a, 2)+floats.Norm(b, 2))) {
		return 0
	}
	return floats.Norm(e.x[5], 2) / far
}

// bend returns the largest ratio that it finds in term i from a random segment.
func (e *estimate) bend(i int) (top float64) {
	e.points()
	a, b, mid := e.x[0], e.x[1], e.x[2]
	for range 20 {
		floats.AddScaledTo(mid, a, 1, b)
		floats.Scale(0.5, mid)
		left, right := e.ratio(i, a, mid), e.ratio(i, mid, b)
		top = max(top, left, right)
		if left >= right {
			b, mid = mid, b
		} else {
			a, mid = mid, a
		}
	}
	e.shake(b, floats.Distance(a, b, 2)/8)
	return max(top, e.power(i, a, b, 12))
}

// shake adds a random vector of length r, in no direction 0, as a power iteration needs.
func (e *estimate) shake(x []float64, r float64) {
	step, bits := r/math.Sqrt(float64(len(x))), uint64(0)
	for j := range x {
		if j%64 == 0 {
			bits = e.rng.Uint64()
		}
		x[j] += step * (1 - 2*float64(bits&1))
		bits >>= 1
	}
}

// power turns b − a to where the gradient changes most, which is a power iteration on
// the Hessian of term i, and returns the largest ratio.
func (e *estimate) power(i int, a, b []float64, turns int) (top float64) {
	for range turns {
		top = max(top, e.ratio(i, a, b))
		size := floats.Norm(e.x[5], 2)
		if size == 0 {
			break
		}
		floats.AddScaledTo(b, a, -floats.Distance(a, b, 2)/size, e.x[5])
	}
	return top
}
