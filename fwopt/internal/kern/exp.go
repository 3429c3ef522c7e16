package kern

import "math"

// Exp returns eˣ for x ≤ 0, to 1.3 units in the last place; 0 for x ≤ −708. The
// bits of math.Exp depend, on amd64, on whether the processor has FMA; these do
// not. It also takes half the time.
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
	k := int(x*(32/math.Ln2) - 0.5)
	r := x - float64(k)*hi - float64(k)*lo
	p := r + r*r*(1./2+r*(1./6+r*(1./24+r*(1./120+r*(1./720)))))
	y := root[k&31]
	return (y + y*p) * math.Float64frombits(uint64(k>>5+1023)<<52)
}

// root[j] is 2^(j/32).
var root = func() (t [32]float64) {
	for j := range t {
		t[j] = math.Exp2(float64(j) / 32)
	}
	return t
}()
