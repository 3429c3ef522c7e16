package fwset

import (
	"math"
	"slices"
	"sort"

	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// Simplex is Ω = {w ∈ R^D : w ≥ 0, Σ_j w_j = R}. With R = 1 it is the
// probability simplex. Its vertices are R·e_j and its diameter is R√2.
type Simplex struct {
	D int     // dimension, at least 1
	R float64 // what the coordinates add up to, positive
}

func (s Simplex) check(v ...[]float64) int { return checkBall("a Simplex", s.D, "R", s.R, v...) }

// Dim returns D.
func (s Simplex) Dim() int { return s.check() }

// Argmin computes dst = R·e_j, where g_j is the least entry of g, the first one
// if there are several. If g = 0 it is the centre, R/D everywhere.
func (s Simplex) Argmin(dst, g []float64) { argmin(dst, g, s.ArgminVertex) }

// ArgminVertex is Argmin as a sparse vertex, dense if g = 0. It is exact.
func (s Simplex) ArgminVertex(v *Vertex, g []float64, _ float64, _ *Warm) float64 {
	s.check(g)
	best := 0
	for j, x := range g {
		if x < g[best] {
			best = j
		}
	}
	if g[best] == 0 && maxAbs(g) == 0 {
		value := v.SetDense(s.D)
		for j := range value {
			value[j] = s.R / float64(s.D)
		}
		return 0
	}
	index, value := v.SetSparse(s.D, 1)
	index[0], value[0] = best, s.R
	return 0
}

// Project computes the projection dst = max(0, x − θ) with the θ for which dst
// adds up to R (Held, Wolfe and Crowder 1974), by passes over those coordinates that
// can still be positive (Michelot, J. Optim. Theory Appl. 50, 1986), O(D) together but
// for rare x. A point counts as inside if its sum is R up to rounding.
func (s Simplex) Project(dst, x []float64) {
	s.check(dst, x)
	sum, top := kern.Total(x, kern.Whole)
	if math.Abs(sum-s.R) <= 1e-15*float64(s.D)*s.R && floats.Min(x) >= 0 {
		copy(dst, x)
		return
	}
	if math.IsNaN(sum) && floats.HasNaN(x) { // a sum may also be ∞ − ∞
		top = sum
	}
	kern.Shrink(dst, x, kern.Whole, top, shift(x, kern.Whole, top, s.R))
}

// threshold returns the largest entry top of x and the θ ≤ 0 for which
// Σ_j max(0, x_j − top − θ) = r. Subtracting top first keeps θ accurate when x is
// far larger than r.
func threshold(x []float64, r float64) (top, theta float64) {
	top = slices.Max(x)
	return top, shift(x, kern.Whole, top, r)
}

// shift returns the θ of threshold for the parts of the numbers of x, the largest of
// which is top; NaN if that is no number. It is at least −r.
//
// Any set of coordinates has Σ (y_j − θ) ≤ r, which bounds θ from below, and one below
// that bound is 0 in the projection. What is left ends as the set of the positive ones,
// where the bound is attained.
func shift(x []float64, part kern.Part, top, r float64) (theta float64) {
	p := kern.Borrow(len(x))
	defer kern.Return(p)
	y := *p
	for n := kern.Above(y, x, part, top, -r); n > 0; {
		y = y[:n]
		sum, _ := kern.Total(y, kern.Whole)
		if theta = (sum - r) / float64(n); math.IsInf(theta, -1) {
			theta = sum/float64(n) - r/float64(n)
		}
		if n = kern.Above(y, y, kern.Whole, 0, theta); n == len(y) {
			return theta
		}
	}
	return math.NaN()
}

// ArgminLocal moves a mass of m = min{R, r√D/2}, as far as there is so much, from
// the coordinates of x with the largest g_j to the one with the least (Garber &
// Hazan), in O(D log D). If g = 0 it is x. It panics unless r ≥ 0.
//
// A v ∈ Ω with ‖v − x‖ ≤ r has ‖v − x‖₁ ≤ r√D, and half of that is the mass that
// leads from x to v. No move of a mass of at most m lowers ⟨g, ·⟩ more than this
// one does. It moves dst by ‖dst − x‖ ≤ m√2 ≤ Rho()·r.
func (s Simplex) ArgminLocal(dst, g, x []float64, r float64) {
	s.check(dst, g, x)
	if !(r >= 0) {
		panic(need.Linef("fwset: a radius of %g", r))
	}
	m := min(s.R, r*math.Sqrt(float64(s.D))/2)
	p := kern.Borrow(s.D)
	defer kern.Return(p)
	sorted := *p
	copy(sorted, g)
	slices.Sort(sorted)
	theta := sorted[sort.Search(s.D-1, func(i int) bool { // the least entry with at most m above it
		above := 0.0
		for j, v := range x {
			if g[j] > sorted[i] {
				above += v
			}
		}
		return above <= m
	})]
	best, left := floats.MinIdx(g), m
	for j, v := range x {
		dst[j] = v
		if g[j] > theta {
			dst[j], left = 0, left-v
		}
	}
	for j, v := range dst {
		if g[j] == theta && theta > g[best] {
			part := min(v, left)
			dst[j], left = v-part, left-part
		}
	}
	dst[best] += m - left
}

// Rho returns max{1, √(D/2)}, the ρ of ArgminLocal. Garber & Hazan have √D, with
// ‖dst − x‖ ≤ ‖dst − x‖₁ = 2m in the place of m√2.
func (s Simplex) Rho() float64 {
	s.check()
	return max(1, math.Sqrt(float64(s.D)/2))
}

// Diameter returns R√2, and 0 if D = 1.
func (s Simplex) Diameter() float64 {
	s.check()
	if s.D == 1 {
		return 0
	}
	return s.R * math.Sqrt2
}

// Width returns the pyramidal width, the distance of the centres of two faces that
// share out the vertices evenly: 2R/√D for an even D, 2R/√(D − 1/D) for an odd one, 0
// if D = 1 (Peña & Rodríguez, Math. Oper. Res. 44, 2019, Example 1).
func (s Simplex) Width() float64 {
	s.check()
	d := float64(s.D)
	switch {
	case s.D == 1:
		return 0
	case s.D%2 == 1:
		return 2 * s.R / math.Sqrt(d-1/d)
	}
	return 2 * s.R / math.Sqrt(d)
}

// Gauge returns 1 + (|Σ_j x_j − R| + Σ_j max(0, −x_j))/R. A simplex has no
// interior, so it is never below 1.
func (s Simplex) Gauge(x []float64) float64 {
	s.check(x)
	sum, neg := 0.0, 0.0
	for _, v := range x {
		sum += v
		neg += max(0, -v)
	}
	return 1 + (math.Abs(sum-s.R)+neg)/s.R
}

// Identify writes the dimension and the sum.
func (s Simplex) Identify(id *ident.Identity) { id.Of(s).Int(s.D).Float(s.R) }
