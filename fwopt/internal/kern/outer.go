package kern

import "gonum.org/v1/gonum/floats"

// The matrices of this file are of rank one: number j·len(u)+l is u[l]·v[j]. What is
// done with one rounds as it does with the matrix written out.

// rows calls f for pieces of the rows, of h numbers, on all processors.
func rows(n, h int, f func(lo, hi int)) { Do(n, max(1, 1<<15/h), f) }

// Outer computes x = u·vᵀ.
func Outer(x, u, v []float64) {
	h := len(u)
	rows(len(v), h, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			r := x[j*h : j*h+h]
			if c := v[j]; c == 0 {
				clear(r)
			} else {
				for l, y := range u {
					r[l] = c * y
				}
			}
		}
	})
}

// LerpOuter does x = (1−γ)x + γuvᵀ.
func LerpOuter(x []float64, gamma float64, u, v []float64) {
	h, keep := len(u), 1-gamma
	rows(len(v), h, func(lo, hi int) {
		for lo < hi {
			if v[lo] == 0 { // as where a batch has few features
				from := lo
				for lo < hi && v[lo] == 0 {
					lo++
				}
				floats.Scale(keep, x[from*h:lo*h])
				continue
			}
			c, r := v[lo], x[lo*h : lo*h+h][:len(u)]
			for l, y := range u {
				r[l] = float64(keep*r[l]) + float64(gamma*float64(c*y))
			}
			lo++
		}
	})
}

// AddOuter does x += c·uvᵀ.
func AddOuter(x []float64, c float64, u, v []float64) {
	h := len(u)
	rows(len(v), h, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			r := x[j*h : j*h+h][:len(u)]
			if b := v[j]; b != 0 {
				for l, y := range u {
					r[l] += c * float64(b*y)
				}
			}
		}
	})
}

// SubOuter computes dst = x − uvᵀ.
func SubOuter(dst, x, u, v []float64) {
	h := len(u)
	rows(len(v), h, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			d, r := dst[j*h : j*h+h][:len(u)], x[j*h : j*h+h][:len(u)]
			if c := v[j]; c == 0 {
				copy(d, r)
			} else {
				for l, y := range u {
					d[l] = r[l] - float64(c*y)
				}
			}
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
			sum += float64(c*y) * r[l]
		}
	}
	return sum
}
