// Package num holds what several rooms do with plain numbers.
package num

import "math"

// MinimizeByNewton returns the minimiser over [0, 1] of a convex function whose
// first and second derivative slope returns: by Newton's method, kept inside
// the interval that holds the root of the first derivative and halving it where
// Newton's steps do not shrink fast.
func MinimizeByNewton(slope func(gamma float64) (d1, d2 float64)) float64 {
	lo, hi, closed := 0.0, 1.0, false                    // closed: the derivative at hi is known, and positive
	gamma, step, before := 0.0, math.Inf(1), math.Inf(1) // the last step and the one before
	for turn := range 200 {
		d1, d2 := slope(gamma)
		switch {
		case math.IsNaN(d1):
			return math.NaN()
		case d1 == 0 || gamma == 0 && d1 > 0 || gamma == 1 && d1 < 0:
			return gamma
		case d1 < 0:
			lo = gamma
		default:
			hi, closed = gamma, true
		}
		next := gamma - d1/d2
		if math.Abs(next-gamma) <= 1e-9*gamma { // the error after a Newton step is about its square
			return min(1, next)
		}
		if turn > 20 && math.Abs(next-gamma) < 0x1p-56 { // what is left is rounding: w itself has 2⁻⁵³
			return gamma
		}
		if next >= hi && !closed {
			next = hi
		} else if !(next > lo && next < hi) || 2*math.Abs(next-gamma) > before {
			next = lo + (hi-lo)/2
		}
		before, step = step, math.Abs(next-gamma)
		if step <= 1e-12*gamma {
			return next
		}
		gamma = next
	}
	return gamma
}

// MinimizeBySlope is MinimizeByNewton without the second derivative: the interval that
// holds the root is cut where the chord crosses 0, and in the middle where two such
// cuts did not halve it.
func MinimizeBySlope(slope func(gamma float64) float64) float64 {
	lo, hi := 0.0, 1.0
	below, above := slope(lo), slope(hi)
	switch {
	case math.IsNaN(below) || math.IsNaN(above):
		return math.NaN()
	case below >= 0:
		return lo
	case above <= 0:
		return hi
	}
	was, cuts := hi-lo, 0 // the length some cuts ago
	for range 200 {
		least := 5e-13 * hi // from an end: two cuts close the interval on a root that is found
		if hi-lo <= 2*least {
			break
		}
		next := lo + (hi-lo)*(below/(below-above))
		if cuts++; hi-lo <= was/2 {
			was, cuts = hi-lo, 0
		}
		if cuts > 1 || math.IsNaN(next) {
			next = lo + (hi-lo)/2
		}
		next = min(max(next, lo+least), hi-least)
		switch d := slope(next); {
		case math.IsNaN(d) || d == 0:
			return next + d
		case d < 0:
			lo, below = next, d
		default:
			hi, above = next, d
		}
	}
	return lo + (hi-lo)/2
}
