// Package lanes adds up in the order of gonum's assembler for amd64, which has two numbers in a register: then a
// cell prints the same bits in the browser as here. Pack puts this file into gonum's package f64.
package lanes

// DotUnitary returns Σ x_i·y_i.
func DotUnitary(x, y []float64) float64 {
	var a, b, c, d float64
	i := 0
	for ; i+4 <= len(x); i += 4 {
		a += x[i] * y[i]
		b += x[i+1] * y[i+1]
		c += x[i+2] * y[i+2]
		d += x[i+3] * y[i+3]
	}
	for ; i < len(x); i++ {
		a += x[i] * y[i]
	}
	return a + c + (b + d)
}

// DotInc is DotUnitary of every incX-th and incY-th of the numbers, n of them.
func DotInc(x, y []float64, n, incX, incY, ix, iy uintptr) float64 {
	var a, b float64
	for ; n >= 2; n -= 2 {
		b += x[ix] * y[iy]
		a += x[ix+incX] * y[iy+incY]
		ix, iy = ix+2*incX, iy+2*incY
	}
	if n > 0 {
		a += x[ix] * y[iy]
	}
	return a + b
}

// Sum returns Σ x_i, for an x that begins at a multiple of 16 bytes.
func Sum(x []float64) float64 {
	var s [8]float64
	add := func(n int) {
		for i, v := range x[:n] {
			s[i%8] += v
		}
		x = x[n:]
	}
	half := func(n int) {
		for i := range n {
			s[i] += s[n+i]
		}
	}
	add(len(x) / 8 * 8)
	s[0], s[1], s[2], s[3] = s[0]+s[6], s[1]+s[7], s[2]+s[4], s[3]+s[5]
	add(len(x) / 4 * 4)
	half(2)
	add(len(x) / 2 * 2)
	half(1)
	add(len(x))
	return s[0]
}
