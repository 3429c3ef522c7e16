package kern

import "math"

// LogLoss returns log(1 + Σ_{l≠y} exp(s_l − s_y)). No finite scores overflow,
// and a small loss keeps its relative accuracy.
func LogLoss(s []float64, y int) float64 {
	top := 0
	for l, x := range s {
		if x > s[top] {
			top = l
		}
	}
	m := s[top]
	z := 0.0 // Σ_{l≠top} exp(s_l − m)
	for _, x := range s[:top] {
		z += Exp(x - m)
	}
	for _, x := range s[top+1:] {
		z += Exp(x - m)
	}
	return (m - s[y]) + math.Log1p(z)
}

// LogLossGrad replaces the scores s by c times the derivative of LogLoss:
// s_l = c·p_l for l ≠ y and s_y = −c·Σ_{l≠y} p_l, where p = exp(s)/Σ exp(s).
// The small entries keep their relative accuracy, and the sum is zero up to
// rounding.
func LogLossGrad(s []float64, y int, c float64) {
	m := s[0]
	for _, x := range s[1:] {
		if x > m {
			m = x
		}
	}
	rest := 0.0 // Σ_{l≠y} exp(s_l − m)
	ey := 0.0
	for l, x := range s {
		e := Exp(x - m)
		s[l] = e
		if l == y {
			ey = e
		} else {
			rest += e
		}
	}
	c /= rest + ey
	for l := range s {
		s[l] *= c
	}
	s[y] = -c * rest
}

// LogLossLine returns the first and second derivative by γ of LogLoss at the
// scores s + γd.
func LogLossLine(s, d []float64, y int, gamma float64) (d1, d2 float64) {
	d = d[:len(s)]
	m := s[0] + gamma*d[0]
	for l, x := range s {
		if t := x + gamma*d[l]; t > m {
			m = t
		}
	}
	var z, a, b float64
	for l, x := range s {
		e := Exp(x + gamma*d[l] - m)
		u := d[l] - d[y]
		z += e
		a += e * u
		b += e * u * u
	}
	d1 = a / z
	return d1, max(0, b/z-d1*d1)
}
