package kern

import "math"

// Exp returns eˣ for x ≤ 0, to 1.3 units in the last place; 0 for x ≤ −708. The
// bits of math.Exp depend, on amd64, on whether the processor has FMA; these do not.
//
// x = (32m + j)·ln2/32 + r with |r| ≤ ln2/64, so that eˣ = 2^m · 2^(j/32) · e^r
// with six terms of Taylor's series.
func Exp(x float64) float64 {
	if !(x > -708) {
		if math.IsNaN(x) {
			return x
		}
		return 0
	}
	const hi, lo = 0x1.62e42fefp-6, 0x1.473de6af278edp-39 // ln2/32; 20 low bits of hi are 0, and k·hi is exact
	k := int(float64(x*(32/math.Ln2)) - 0.5)
	r := x - float64(float64(k)*hi) - float64(float64(k)*lo)
	p := float64(r*(1./720)) + 1./120
	p = float64(r*p) + 1./24
	p = float64(r*p) + 1./6
	p = float64(r*p) + 1./2
	p = r + float64(float64(r*r)*p)
	y := root[k&31]
	return (y + float64(y*p)) * math.Float64frombits(uint64(k>>5+1023)<<52)
}

// root[j] is 2^(j/32), within one unit in the last place.
var root = [32]float64{
	0x1p+00, 0x1.059b0d3158574p+00, 0x1.0b5586cf9890fp+00, 0x1.11301d0125b51p+00,
	0x1.172b83c7d517bp+00, 0x1.1d4873168b9aap+00, 0x1.2387a6e756238p+00, 0x1.29e9df51fdee1p+00,
	0x1.306fe0a31b715p+00, 0x1.371a7373aa9cbp+00, 0x1.3dea64c123422p+00, 0x1.44e086061892dp+00,
	0x1.4bfdad5362a27p+00, 0x1.5342b569d4f82p+00, 0x1.5ab07dd485429p+00, 0x1.6247eb03a5584p+00,
	0x1.6a09e667f3bccp+00, 0x1.71f75e8ec5f74p+00, 0x1.7a11473eb0187p+00, 0x1.82589994cce12p+00,
	0x1.8ace5422aa0dcp+00, 0x1.93737b0cdc5e5p+00, 0x1.9c49182a3f09p+00, 0x1.a5503b23e255cp+00,
	0x1.ae89f995ad3aep+00, 0x1.b7f76f2fb5e47p+00, 0x1.c199bdd85529cp+00, 0x1.cb720dcef9069p+00,
	0x1.d5818dcfba487p+00, 0x1.dfc97337b9b5fp+00, 0x1.ea4afa2a490dap+00, 0x1.f50765b6e454p+00,
}

// expsOf does dst[l] = Exp(s[l] − m). dst may be s.
func expsOf(dst, s []float64, m float64) {
	dst = dst[:len(s)]
	if !vectors || len(s) < width {
		for l, x := range s {
			dst[l] = Exp(x - m)
		}
		return
	}
	for n := 0; len(s) > 0; dst, s = dst[n:], s[n:] {
		n = piece(len(s))
		exps(&dst[0], &s[0], n, m, &root)
	}
}

// ExpSizes computes dst = e^−|s|, number by number, to the bits of Exp.
func ExpSizes(dst, s []float64) {
	for l, x := range s {
		dst[l] = -math.Abs(x)
	}
	expsOf(dst[:len(s)], dst[:len(s)], 0)
}

// maximum returns the largest of s, NaN left out; −Inf if there is none. If that is a
// zero it may have either sign.
func maximum(s []float64) float64 {
	m := math.Inf(-1)
	if !vectors || len(s) < width {
		for _, x := range s {
			if x > m {
				m = x
			}
		}
		return m
	}
	for n := 0; len(s) > 0; s = s[n:] {
		n = piece(len(s))
		m = max(m, maxAll(&s[0], n))
	}
	return m
}
