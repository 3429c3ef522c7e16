package fwset

import (
	"math"

	"github.com/projection-free/fwlab/fwopt/internal/ident"
)

// L2Ball is the Euclidean ball Ω = {w ∈ R^D : ‖w‖ ≤ R}, with centre 0 and
// diameter 2R.
type L2Ball struct {
	D int     // dimension, at least 1
	R float64 // radius, positive
}

func (b L2Ball) check(v ...[]float64) int { return checkBall("an L2Ball", b.D, "R", b.R, v...) }

// Dim returns D.
func (b L2Ball) Dim() int { return b.check() }

// Argmin computes dst = −R·g/‖g‖, and 0 if g = 0.
func (b L2Ball) Argmin(dst, g []float64) {
	b.check(dst, g)
	if !toSphere(dst, g, -b.R) {
		clear(dst)
	}
}

// Project computes dst = x·R/‖x‖ if ‖x‖ > R.
func (b L2Ball) Project(dst, x []float64) {
	b.check(dst, x)
	if b.Gauge(x) <= 1 || !toSphere(dst, x, b.R) {
		copy(dst, x)
	}
}

// Diameter returns 2R.
func (b L2Ball) Diameter() float64 {
	b.check()
	return 2 * b.R
}

// Gauge returns ‖x‖/R.
func (b L2Ball) Gauge(x []float64) float64 {
	b.check(x)
	return norm2(x) / b.R
}

// Identify writes the dimension and the radius.
func (b L2Ball) Identify(id *ident.Identity) { id.Of(b).Int(b.D).Float(b.R) }

// toSphere does dst = r·x/‖x‖ without overflow or underflow on the way. It
// reports whether x has a direction: it is not 0, and finite.
func toSphere(dst, x []float64, r float64) bool {
	length, s := scaled(x)
	if !(length > 0) || math.IsInf(length, 1) {
		return false
	}
	c := r / length
	for j, v := range x {
		dst[j] = c * (v * s)
	}
	return true
}

// norm2 returns ‖x‖ without overflow or underflow on the way.
func norm2(x []float64) float64 {
	length, s := scaled(x)
	return length / s
}

// scaled returns ‖s·x‖ for a power of two s for which that is far from overflow and underflow.
func scaled(x []float64) (length, s float64) {
	top := maxAbs(x)
	if !(top > 0) || math.IsInf(top, 1) {
		return top, 1
	}
	s = unit(top)
	sum := 0.0
	for _, v := range x {
		v *= s
		sum += v * v
	}
	return math.Sqrt(sum), s
}

// unit returns a power of two for which the square of x·unit(x) neither
// overflows nor underflows.
func unit(x float64) float64 {
	_, e := math.Frexp(x)
	return math.Ldexp(1, max(min(-e, 1000), -1023)) // so that its inverse is a number, too
}

// maxAbs returns max_j |x_j|, and NaN if there is one.
func maxAbs(x []float64) float64 {
	top := 0.0
	for _, v := range x {
		top = max(top, math.Abs(v))
	}
	return top
}
