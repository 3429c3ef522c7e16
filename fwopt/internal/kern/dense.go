package kern

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// RankOne makes a rank-one matrix of norm |c| out of the rows × cols matrix A
// and a unit vector u on its shorter side, and returns σ, the length of A's
// image of u. If cols ≤ rows it is dst = (c/σ)·A·u·uᵀ with σ = ‖Au‖, else
// dst = (c/σ)·u·uᵀ·A with σ = ‖Aᵀu‖. If σ = 0, dst = 0. With u the top singular
// vector, dst = c·(top left)·(top right)ᵀ.
func RankOne(dst, a []float64, rows, cols int, u []float64, c float64) (sigma float64) {
	if cols > rows {
		return rankOneWide(dst, a, rows, cols, u, c)
	}
	grain := max((rows+pieces-1)/pieces, panel)
	var part [pieces]float64
	Do(rows, grain, func(lo, hi int) { // column 0 of dst holds Au for a while
		sum := 0.0
		for j := lo; j < hi; j++ {
			t := dot4(a[j*cols:j*cols+cols], u)
			dst[j*cols] = t
			sum += t * t
		}
		part[lo/grain] = sum
	})
	sigma = math.Sqrt(floats.Sum(part[:]))
	if sigma == 0 {
		clear(dst)
		return 0
	}
	Do(rows, grain, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			d := dst[j*cols : j*cols+cols]
			if t := d[0] / sigma * c; t == 0 {
				clear(d)
			} else {
				for l, x := range u {
					d[l] = t * x
				}
			}
		}
	})
	return sigma
}

func rankOneWide(dst, a []float64, rows, cols int, u []float64, c float64) (sigma float64) {
	t := dst[:cols] // row 0 of dst holds Aᵀu for a while
	mulTrans(t, a, cols, u)
	sigma = floats.Norm(t, 2)
	if sigma == 0 {
		clear(dst)
		return 0
	}
	floats.Scale(c/sigma, t)
	for j := 1; j < rows; j++ {
		floats.ScaleTo(dst[j*cols:j*cols+cols], u[j], t)
	}
	floats.Scale(u[0], t)
	return sigma
}

// mulTrans computes t = Aᵀq, where A has len(q) rows of cols numbers.
func mulTrans(t, a []float64, cols int, q []float64) {
	Do(cols, 4*panel, func(lo, hi int) {
		d := t[lo:hi]
		clear(d)
		for j, x := range q {
			if x != 0 {
				floats.AddScaled(d, x, a[j*cols+lo:j*cols+hi])
			}
		}
	})
}

// MulGram computes y = Bq, where B is the matrix that Gram would compute. It
// reads A once if cols ≤ rows, twice if not, and costs 2·rows·cols products.
// The scratch space t has GramScratch numbers.
func MulGram(y, a []float64, rows, cols int, q, t []float64) {
	if cols > rows {
		t = t[:cols]
		mulTrans(t, a, cols, q)
		Do(rows, max(1, (rows+pieces-1)/pieces), func(lo, hi int) {
			for j := lo; j < hi; j++ {
				y[j] = floats.Dot(a[j*cols:j*cols+cols], t)
			}
		})
		return
	}
	grain := max((rows+pieces-1)/pieces, 32)
	Do(rows, grain, func(lo, hi int) {
		d := t[lo/grain*cols:][:cols]
		clear(d)
		for j := lo; j < hi; j++ {
			r := a[j*cols : j*cols+cols]
			if x := floats.Dot(r, q); x != 0 {
				floats.AddScaled(d, x, r)
			}
		}
	})
	copy(y, t[:cols])
	for lo := grain; lo < rows; lo += grain {
		floats.Add(y, t[lo/grain*cols:][:cols])
	}
}

// GramScratch returns how much scratch space MulGram needs.
func GramScratch(rows, cols int) int { return max(pieces*min(rows, cols), cols) }

// MulSmall multiplies A by a symmetric matrix F on its shorter side: dst = A·F
// if cols ≤ rows, else dst = F·A. dst may be a.
func MulSmall(dst, a []float64, rows, cols int, f []float64) {
	s := min(rows, cols)
	if cols <= rows && s <= smallGram {
		grain := max((rows+pieces-1)/pieces, panel)
		Do(rows, grain, func(lo, hi int) {
			buf := Borrow(2 * cols)
			mulRows(dst[lo*cols:hi*cols], a[lo*cols:hi*cols], cols, f, *buf)
			Return(buf)
		})
		return
	}
	buf := Borrow(len(a))
	copy(*buf, a)
	x := blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: *buf}
	y := blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: dst}
	m := blas64.General{Rows: s, Cols: s, Stride: s, Data: f}
	if cols <= rows {
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, x, m, 0, y)
	} else {
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, m, x, 0, y)
	}
	Return(buf)
}

// mulRows multiplies every row of a by the symmetric matrix F. It takes two
// rows and four columns of F at a time, so that eight sums stay in registers.
func mulRows(dst, a []float64, s int, f, buf []float64) {
	u, v := buf[:s], buf[s:2*s]
	o := 0
	for ; o+2*s <= len(a); o += 2 * s {
		copy(u, a[o:o+s])
		copy(v, a[o+s:o+2*s])
		d, e := dst[o:o+s], dst[o+s:o+2*s]
		l := 0
		for ; l+4 <= s; l += 4 {
			f0, f1, f2, f3 := f[l*s:l*s+s], f[l*s+s:l*s+2*s], f[l*s+2*s:l*s+3*s], f[l*s+3*s:l*s+4*s]
			f0, f1, f2, f3 = f0[:len(u)], f1[:len(u)], f2[:len(u)], f3[:len(u)]
			w := v[:len(u)]
			var d0, d1, d2, d3, e0, e1, e2, e3 float64
			for k, x := range u {
				y := w[k]
				d0 += x * f0[k]
				e0 += y * f0[k]
				d1 += x * f1[k]
				e1 += y * f1[k]
				d2 += x * f2[k]
				e2 += y * f2[k]
				d3 += x * f3[k]
				e3 += y * f3[k]
			}
			d[l], d[l+1], d[l+2], d[l+3] = d0, d1, d2, d3
			e[l], e[l+1], e[l+2], e[l+3] = e0, e1, e2, e3
		}
		for ; l < s; l++ {
			d[l], e[l] = dot4(f[l*s:l*s+s], u), dot4(f[l*s:l*s+s], v)
		}
	}
	if o < len(a) {
		copy(u, a[o:])
		for l := range s {
			dst[o+l] = dot4(f[l*s:l*s+s], u)
		}
	}
}

// dot4 returns ⟨x, y⟩. It is for short vectors, for which a call to gonum's
// costs more than the sum.
func dot4(x, y []float64) float64 {
	y = y[:len(x)]
	var s0, s1, s2, s3 float64
	k := 0
	for ; k+4 <= len(x); k += 4 {
		a, b := x[k:k+4:k+4], y[k:k+4:k+4]
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
	}
	for ; k < len(x); k++ {
		s0 += x[k] * y[k]
	}
	return (s0 + s1) + (s2 + s3)
}
