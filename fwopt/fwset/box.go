package fwset

import (
	"math"

	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Box is Ω = {w : Lo_j ≤ w_j ≤ Hi_j}, with centre (Lo+Hi)/2. The bounds are
// finite, Lo ≤ Hi; they must not change while the box is in use.
type Box struct {
	Lo, Hi []float64
}

func (b Box) check(v ...[]float64) int {
	if len(b.Lo) == 0 || len(b.Lo) != len(b.Hi) {
		panic(need.Linef("fwset: a Box with %d lower and %d upper bounds", len(b.Lo), len(b.Hi)))
	}
	for j, lo := range b.Lo {
		if hi := b.Hi[j]; !(lo <= hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
			panic(need.Linef("fwset: a Box with the bounds [%g, %g] in coordinate %d", lo, hi, j))
		}
	}
	need.Len("fwset", len(b.Lo), v...)
	return len(b.Lo)
}

// Dim returns the number of bounds. It panics unless they make a box.
func (b Box) Dim() int { return b.check() }

// Argmin computes dst_j = Lo_j where g_j > 0, Hi_j where g_j < 0 and the middle
// where g_j = 0: any number would do there, and the middle keeps g = 0 at the
// centre.
func (b Box) Argmin(dst, g []float64) {
	b.check(dst, g)
	for j, x := range g {
		lo, hi := b.Lo[j], b.Hi[j]
		switch {
		case x > 0:
			dst[j] = lo
		case x < 0:
			dst[j] = hi
		default:
			dst[j] = lo + (hi/2 - lo/2)
		}
	}
}

// Project computes dst_j = min(max(x_j, Lo_j), Hi_j).
func (b Box) Project(dst, x []float64) {
	b.check(dst, x)
	for j, v := range x {
		lo, hi := b.Lo[j], b.Hi[j]
		dst[j] = v
		if v < lo {
			dst[j] = lo
		} else if v > hi {
			dst[j] = hi
		}
	}
}

// Diameter returns ‖Hi − Lo‖.
func (b Box) Diameter() float64 {
	b.check()
	half := kern.Borrow(len(b.Lo))
	defer kern.Return(half)
	for j, lo := range b.Lo {
		(*half)[j] = b.Hi[j]/2 - lo/2
	}
	return 2 * norm2(*half)
}

// Width returns the pyramidal width, 1/√(Σ_j 1/a_j²) for sides of lengths a_j, those of
// length 0 left out; 0 if all are. It is the distance of a vertex from the other
// vertices' convex hull; of the unit cube 1/√d (Lacoste-Julien & Jaggi).
func (b Box) Width() float64 {
	b.check()
	sum := 0.0
	for j, lo := range b.Lo {
		if a := b.Hi[j] - lo; a > 0 {
			sum += 1 / (a * a)
		}
	}
	if sum == 0 {
		return 0
	}
	return 1 / math.Sqrt(sum)
}

// Gauge returns max_j |x_j − c_j|/r_j, where c is the centre and r_j half the
// width. A side of width 0 counts only where x leaves it: 1 + |x_j − c_j|/|c_j|.
func (b Box) Gauge(x []float64) float64 {
	b.check(x)
	worst := 0.0
	for j, v := range x {
		lo, hi := b.Lo[j], b.Hi[j]
		r := hi/2 - lo/2
		c := lo + r
		t := math.Abs(v - c)
		switch {
		case r > 0:
			t /= r
		case t > 0:
			t = 1 + t/math.Abs(c)
		}
		if lo <= v && v <= hi {
			t = min(t, 1)
		}
		worst = max(worst, t)
	}
	return worst
}

// Identify writes the bounds.
func (b Box) Identify(id *ident.Identity) { id.Of(b).Float(b.Lo...).Float(b.Hi...) }
