package kern

import "gonum.org/v1/gonum/floats"

// The matrices of this file are of rank one: number j·len(u)+l is u[l]·v[j]. What is
// done with one rounds as it does with the matrix written out.

// rows works on pieces of the rows, of h numbers, on all processors. It calls full
// for rows lo to hi, the first of which has v_j ≠ 0; full returns how many rows it did,
// and may only stop where v_j = 0. It calls zero for the rows between.
func rows(v []float64, h int, full func(lo, hi int) int, zero func(lo, hi int)) {
	Do(len(v), max(1, chunk/h), func(lo, hi int) {
		for lo < hi {
			from := lo
			for lo < hi && v[lo] == 0 { // as where a batch has few features
				lo++
			}
			if lo > from {
				zero(from, lo)
			}
			if lo < hi {
				lo += full(lo, hi)
			}
		}
	})
}

// Outer computes x = u·vᵀ.
func Outer(x, u, v []float64) {
	h := len(u)
	x = fit(x, h*len(v))
	rows(v, h, func(lo, hi int) int {
		if vectors && h >= width {
			return outerRows(&x[lo*h], &u[0], h, &v[lo], hi-lo)
		}
		return outerPlain(x[lo*h:hi*h], u, v[lo:hi])
	}, func(lo, hi int) { clear(x[lo*h : hi*h]) })
}

// LerpOuter does x = (1−γ)x + γuvᵀ.
func LerpOuter(x []float64, gamma float64, u, v []float64) {
	h, keep := len(u), 1-gamma
	x = fit(x, h*len(v))
	rows(v, h, func(lo, hi int) int {
		if vectors && h >= width {
			return lerpRows(&x[lo*h], &u[0], h, &v[lo], hi-lo, keep, gamma)
		}
		return lerpPlain(x[lo*h:hi*h], u, v[lo:hi], keep, gamma)
	}, func(lo, hi int) { floats.Scale(keep, x[lo*h:hi*h]) })
}

// AddOuter does x += c·uvᵀ.
func AddOuter(x []float64, c float64, u, v []float64) {
	x = fit(x, len(u)*len(v))
	rows(v, len(u), func(lo, hi int) int { return addRun(x, c, u, v, lo, hi) }, func(lo, hi int) {})
}

// addRun adds the rows from lo until hi or one of zeros, and returns how many.
func addRun(x []float64, c float64, u, v []float64, lo, hi int) int {
	h := len(u)
	if vectors && h >= width {
		return addRows(&x[lo*h], &u[0], h, &v[lo], hi-lo, c)
	}
	return addPlain(x[lo*h:hi*h], u, v[lo:hi], c)
}

// SubOuter computes dst = x − uvᵀ. dst may be x itself.
func SubOuter(dst, x, u, v []float64) {
	h := len(u)
	dst, x = fit(dst, h*len(v)), fit(x, h*len(v))
	rows(v, h, func(lo, hi int) int {
		if vectors && h >= width {
			return subRows(&dst[lo*h], &x[lo*h], &u[0], h, &v[lo], hi-lo)
		}
		return subPlain(dst[lo*h:hi*h], x[lo*h:hi*h], u, v[lo:hi])
	}, func(lo, hi int) { copy(dst[lo*h:hi*h], x[lo*h:hi*h]) })
}

// The plain twins of the kernels in simd_amd64.s. The conversions keep a compiler
// from making one rounding of two.

func outerPlain(x, u, v []float64) int {
	h := len(u)
	for j, c := range v {
		if c == 0 {
			return j
		}
		r := x[j*h : j*h+h][:len(u)]
		for l, y := range u {
			r[l] = c * y
		}
	}
	return len(v)
}

func lerpPlain(x, u, v []float64, keep, gamma float64) int {
	h := len(u)
	for j, c := range v {
		if c == 0 {
			return j
		}
		r := x[j*h : j*h+h][:len(u)]
		for l, y := range u {
			r[l] = float64(keep*r[l]) + float64(gamma*float64(c*y))
		}
	}
	return len(v)
}

func addPlain(x, u, v []float64, c float64) int {
	h := len(u)
	for j, b := range v {
		if b == 0 {
			return j
		}
		r := x[j*h : j*h+h][:len(u)]
		for l, y := range u {
			r[l] += float64(c * float64(b*y))
		}
	}
	return len(v)
}

func subPlain(dst, x, u, v []float64) int {
	h := len(u)
	for j, c := range v {
		if c == 0 {
			return j
		}
		d, r := dst[j*h : j*h+h][:len(u)], x[j*h : j*h+h][:len(u)]
		for l, y := range u {
			d[l] = r[l] - float64(c*y)
		}
	}
	return len(v)
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
