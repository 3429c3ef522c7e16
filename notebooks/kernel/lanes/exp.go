package lanes

import "math"

// Exp returns eˣ as math.Exp does on amd64 with FMA: x = k ln 2 + 16r, and e^r − 1 by Taylor's series, doubled four times.
func Exp(x float64) float64 {
	switch {
	case x != x || x > math.MaxFloat64:
		return x
	case x > 7.09782712893384e+02:
		return math.Inf(1)
	case x < -1e3:
		return 0
	}
	k := math.RoundToEven(x * 1.4426950408889634073599246810018920)
	if k == 1024 {
		return math.Inf(1) // from 709.4 on, not from 709.8
	}
	r := math.FMA(-k, 0.69314718055966295651160180568695068359375, x)
	r = math.FMA(-k, 0.28235290563031577122588448175013436025525412068e-12, r) * 0.0625
	s := 1. / 40320
	for _, c := range [...]float64{1. / 5040, 1. / 720, 1. / 120, 1. / 24, 1. / 6, 1. / 2, 1} {
		s = math.FMA(r, s, c)
	}
	r *= s
	for range 3 {
		r *= r + 2
	}
	r = math.FMA(r+2, r, 1)
	return math.Ldexp(r, int(k))
}
