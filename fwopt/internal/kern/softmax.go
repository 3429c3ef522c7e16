package kern

import (
	"math"
	"slices"
)

// LogLoss returns log(1 + Σ_{l≠y} exp(s_l − s_y)). No finite scores overflow,
// and a small loss keeps its relative accuracy.
func LogLoss(s []float64, y int) float64 {
	top := max(slices.Index(s, maximum(s)), 0) // the first of several; 0 if all are NaN
	m := s[top]
	z := 0.0 // Σ_{l≠top} exp(s_l − m)
	var buf [64]float64
	for lo := 0; lo < len(s); lo += len(buf) {
		e := buf[:min(len(buf), len(s)-lo)]
		expsOf(e, s[lo:lo+len(e)], m)
		if lo <= top && top < lo+len(e) {
			z = sum(sum(z, e[:top-lo]), e[top-lo+1:])
		} else {
			z = sum(z, e)
		}
	}
	return (m - s[y]) + math.Log1p(z)
}

// LogLossGrad replaces the scores s by c times the derivative of LogLoss:
// s_l = c·p_l for l ≠ y and s_y = −c·Σ_{l≠y} p_l, where p = exp(s)/Σ exp(s).
// The small entries keep their relative accuracy, and the sum is zero up to
// rounding.
func LogLossGrad(s []float64, y int, c float64) {
	expsOf(s, s, maximum(s))
	rest := sum(sum(0, s[:y]), s[y+1:]) // Σ_{l≠y} exp(s_l − m)
	ey := s[y]
	c /= rest + ey
	for l := range s {
		s[l] *= c
	}
	s[y] = -c * rest
}

// sum returns z + Σ_l x_l, added in order.
func sum(z float64, x []float64) float64 {
	for _, x := range x {
		z += x
	}
	return z
}

// LogLossLine returns the first and second derivative by γ of LogLoss at the
// scores s + γd.
func LogLossLine(s, d []float64, y int, gamma float64) (d1, d2 float64) {
	d = d[:len(s)]
	m := s[0] + float64(gamma*d[0])
	for l, x := range s {
		if t := x + float64(gamma*d[l]); t > m {
			m = t
		}
	}
	var z, a, b float64
	var buf [64]float64
	for lo := 0; lo < len(s); lo += len(buf) {
		e := buf[:min(len(buf), len(s)-lo)]
		for l := range e {
			e[l] = s[lo+l] + float64(gamma*d[lo+l])
		}
		expsOf(e, e, m)
		for l, e := range e {
			u := d[lo+l] - d[y]
			z += e
			a += float64(e * u)
			b += float64(float64(e*u) * u)
		}
	}
	d1 = a / z
	return d1, max(0, b/z-float64(d1*d1))
}
