package kern

import "gonum.org/v1/gonum/floats"

// The matrices of this file are of rank one: number j·len(u)+l is u[l]·v[j]. What is
// done with one rounds as it does with the matrix written out.

// rows calls f for pieces of the rows, of h numbers, on all processors.
func rows(n, h int, f func(lo, hi int)) { Do(n, max(1, Chunk/h), f) }

// zeros returns how many numbers of v are 0 before the first that is not: where a
// batch has few features, most are.
func zeros(v []float64) int {
	for j, c := range v {
		if c != 0 {
			return j
		}
	}
	return len(v)
}

// Outer computes x = u·vᵀ.
func Outer(x, u, v []float64) {
	h := len(u)
	reach(x, h*len(v))
	rows(len(v), h, func(lo, hi int) {
		for lo < hi {
			from := lo
			lo += zeros(v[lo:hi])
			clear(x[from*h : lo*h])
			if lo == hi {
				return
			}
			if vectors && h >= width {
				lo += outerRows(&x[lo*h], &u[0], h, &v[lo], hi-lo)
			} else {
				lo += outerPlain(x[lo*h:hi*h], u, v[lo:hi])
			}
		}
	})
}

// LerpOuter computes dst = (1−γ)x + γuvᵀ. dst may be x itself.
func LerpOuter(dst, x []float64, gamma float64, u, v []float64) {
	h, keep := len(u), 1-gamma
	reach(dst, h*len(v))
	reach(x, h*len(v))
	rows(len(v), h, func(lo, hi int) {
		for lo < hi {
			from := lo
			lo += zeros(v[lo:hi])
			floats.ScaleTo(dst[from*h:lo*h], keep, x[from*h:lo*h])
			if lo == hi {
				return
			}
			lo += lerp(dst[lo*h:hi*h], x[lo*h:hi*h], u, v[lo:hi], keep, gamma)
		}
	})
}

// Lerp computes dst = (1−γ)x + γv, with the bits of two passes. dst may be x itself.
func Lerp(dst, x []float64, gamma float64, v []float64) {
	reach(dst, len(v))
	reach(x, len(v))
	if len(v) <= Chunk {
		if len(v) > 0 {
			lerp(dst, x, v, one[:], 1-gamma, gamma)
		}
		return
	}
	Do(len(v), Chunk, func(lo, hi int) { lerp(dst[lo:hi], x[lo:hi], v[lo:hi], one[:], 1-gamma, gamma) })
}

var one = [1]float64{1}

func lerp(dst, x, u, v []float64, keep, gamma float64) int {
	if vectors && len(u) >= width {
		return lerpRows(&dst[0], &x[0], &u[0], len(u), &v[0], len(v), keep, gamma)
	}
	return lerpPlain(dst, x, u, v, keep, gamma)
}

// AddOuter does x += c·uvᵀ.
func AddOuter(x []float64, c float64, u, v []float64) {
	h := len(u)
	reach(x, h*len(v))
	rows(len(v), h, func(lo, hi int) {
		for lo += zeros(v[lo:hi]); lo < hi; lo += zeros(v[lo:hi]) {
			if vectors && h >= width {
				lo += addRows(&x[lo*h], &u[0], h, &v[lo], hi-lo, c)
			} else {
				lo += addPlain(x[lo*h:hi*h], u, v[lo:hi], c)
			}
		}
	})
}

// SubOuter computes dst = x − uvᵀ. dst may be x itself.
func SubOuter(dst, x, u, v []float64) {
	h := len(u)
	reach(dst, h*len(v))
	reach(x, h*len(v))
	rows(len(v), h, func(lo, hi int) {
		for lo < hi {
			from := lo
			lo += zeros(v[lo:hi])
			copy(dst[from*h:lo*h], x[from*h:lo*h])
			if lo == hi {
				return
			}
			if vectors && h >= width {
				lo += subRows(&dst[lo*h], &x[lo*h], &u[0], h, &v[lo], hi-lo)
			} else {
				lo += subPlain(dst[lo*h:hi*h], x[lo*h:hi*h], u, v[lo:hi])
			}
		}
	})
}

// The plain twins of the kernels in simd_amd64.s. The conversions keep a compiler
// from making one rounding of two.

// plainRows calls f for the rows of x, of h numbers, until v_j = 0, and returns how many j it did.
func plainRows(x []float64, h int, v []float64, f func(row []float64, j int, c float64)) int {
	for j, c := range v {
		if c == 0 {
			return j
		}
		f(x[j*h:j*h+h], j, c)
	}
	return len(v)
}

func outerPlain(x, u, v []float64) int {
	return plainRows(x, len(u), v, func(r []float64, _ int, c float64) {
		for l, y := range u {
			r[l] = c * y
		}
	})
}

func lerpPlain(dst, x, u, v []float64, keep, gamma float64) int {
	return plainRows(dst, len(u), v, func(d []float64, j int, c float64) {
		r := x[j*len(u):][:len(u)]
		for l, y := range u {
			d[l] = float64(keep*r[l]) + float64(gamma*float64(c*y))
		}
	})
}

func addPlain(x, u, v []float64, c float64) int {
	return plainRows(x, len(u), v, func(r []float64, _ int, b float64) {
		for l, y := range u {
			r[l] += float64(c * float64(b*y))
		}
	})
}

func subPlain(dst, x, u, v []float64) int {
	return plainRows(dst, len(u), v, func(d []float64, j int, c float64) {
		r := x[j*len(u):][:len(u)]
		for l, y := range u {
			d[l] = r[l] - float64(c*y)
		}
	})
}

// DotOuter returns ⟨x, uvᵀ⟩, term by term in order.
func DotOuter(x, u, v []float64) (sum float64) {
	h := len(u)
	for j, c := range v {
		if c == 0 {
			continue
		}
		r := x[j*h : j*h+h][:len(u)]
		for l, y := range u {
			sum += float64(float64(c*y) * r[l])
		}
	}
	return sum
}
