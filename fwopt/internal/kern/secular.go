package kern

import "math"

// The inner loops of the secular equation, for package eigen.

// Poles adds up Σ ζ_i²/(pole_i − org − x) and its slope, of the poles from lo to hi, those nearest to the
// root last, and what rounding may make of them. There are four sums of each.
func Poles(delta, pole, zeta []float64, lo, hi int, org, x float64, down bool) (f, slope, err float64) {
	var sums [3 * width]float64
	fours, rest, first, step := (hi-lo)/width, lo+(hi-lo)/width*width, lo, width
	if down {
		rest, first, step = lo, hi-width, -width
		hi -= fours * width
	}
	add := func(i, l int) {
		d := (pole[i] - org) - x
		t := zeta[i] / d
		delta[i] = d
		sums[l] += float64(zeta[i] * t)
		sums[l+width] += float64(t * t)
		sums[l+2*width] += math.Abs(sums[l])
	}
	switch {
	case fours == 0:
	case vectors:
		polesUp(&sums, &delta[first], &pole[first], &zeta[first], 8*step, fours, org, x)
	default:
		for k := range fours {
			for l := range width {
				add(first+k*step+l, l)
			}
		}
	}
	for i := rest; i < hi; i++ {
		add(i, i-rest)
	}
	return fold(sums[:]), fold(sums[width:]), fold(sums[2*width:])
}

// Loewner multiplies z_i by delta_i/(pole_i − at), from number lo on.
func Loewner(z, delta, pole []float64, at float64, lo int) {
	if fours := (len(z) - lo) / width; vectors && fours > 0 {
		ratios(&z[lo], &delta[lo], &pole[lo], at, fours)
		lo += fours * width
	}
	for i := lo; i < len(z); i++ {
		z[i] *= delta[i] / (pole[i] - at)
	}
}

// Divide does dst_i = x_i/y_i and returns the sum of the squares, made of four.
func Divide(dst, x, y []float64) float64 {
	var s [width]float64
	i := 0
	if fours := len(dst) / width; vectors && fours > 0 {
		quotients(&s, &dst[0], &x[0], &y[0], fours)
		i = fours * width
	}
	for ; i < len(dst); i++ {
		t := x[i] / y[i]
		dst[i] = t
		s[i%width] += float64(t * t)
	}
	return fold(s[:])
}
