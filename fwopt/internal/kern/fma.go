package kern

import (
	"math"
	"runtime"
)

// fma returns x·y + z, rounded once. WebAssembly has no instruction for it.
func fma(x, y, z float64) float64 {
	if runtime.GOARCH == "wasm" {
		return fmaBySums(x, y, z)
	}
	return math.FMA(x, y, z)
}

// fmaBySums has the bits of math.FMA, which computes in whole numbers where the processor has no such
// instruction, ten times slower: Algorithm Fma of Boldo and Melquiond (IEEE Trans. Comput. 57, 2008), where no
// product over- or underflows.
func fmaBySums(x, y, z float64) float64 {
	p := float64(x * y)
	if x == 0 || y == 0 {
		return p + z
	}
	const most = 0x1p990
	if a := math.Abs(p); !(a > 0x1p-900 && max(a, math.Abs(x), math.Abs(y), math.Abs(z)) < most) {
		return math.FMA(x, y, z)
	}
	xh, yh := upper(x), upper(y)
	xl, yl := x-xh, y-yh
	q := float64(xl*yl) - (((p - float64(xh*yh)) - float64(xl*yh)) - float64(xh*yl)) // x·y = p + q
	t, tl := twoSum(z, q)
	v, vl := twoSum(p, t)
	odd, off := twoSum(tl, vl)
	if b := math.Float64bits(odd); off != 0 && b&1 == 0 { // rounded to odd: to the neighbour on the other side
		if (off > 0) == (odd > 0) {
			b++
		} else {
			b--
		}
		odd = math.Float64frombits(b)
	}
	return v + odd
}

// upper returns x to 26 bits (Veltkamp).
func upper(x float64) float64 {
	c := float64(x * (1<<27 + 1))
	return c - (c - x)
}

// twoSum returns a + b and what rounding took from it (Knuth).
func twoSum(a, b float64) (s, rest float64) {
	s = a + b
	c := s - a
	return s, (a - (s - c)) + (b - c)
}
