package kern

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// TopPair makes a rank-one matrix u·vᵀ of norm |c| out of the rows × cols matrix A
// and a unit vector x on its shorter side, and returns σ, the length of A's image of
// x. If cols ≤ rows it is (c/σ)·A·x·xᵀ with σ = ‖Ax‖, else (c/σ)·x·xᵀ·A with
// σ = ‖Aᵀx‖. If σ = 0 it is 0. With x the top singular vector it is c·(top left)·(top
// right)ᵀ. u has cols numbers, v has rows.
func TopPair(u, v, a []float64, rows, cols int, x []float64, c float64) (sigma float64) {
	if cols > rows {
		copy(v, x)
		MulTransVec(u, a, cols, x)
		if sigma = math.Sqrt(Dot(u, u)); sigma != 0 {
			toLength(u, c, sigma)
		}
		return sigma
	}
	copy(u, x)
	grain := max(up4((rows+pieces-1)/pieces), panel)
	var part [pieces]float64
	Do(rows, grain, func(lo, hi int) {
		Dots(v[lo:hi], a[lo*cols:], cols, x)
		part[lo/grain] = Dot(v[lo:hi], v[lo:hi])
	})
	if sigma = math.Sqrt(sum(0, part[:])); sigma != 0 {
		toLength(v, c, sigma)
	}
	return sigma
}

// toLength multiplies x by c/sigma, also where that is beyond the numbers.
func toLength(x []float64, c, sigma float64) {
	if f := c / sigma; math.Abs(f) >= 0x1p-1022 && !math.IsInf(f, 0) {
		floats.Scale(f, x)
		return
	}
	floats.Scale(1/sigma, x)
	floats.Scale(c, x)
}

// MulGram computes y = Bq, where B is the matrix that Gram would compute. It
// reads A once if cols ≤ rows, twice if not, and costs 2·rows·cols products.
// The scratch space t has GramScratch numbers.
func MulGram(y, a []float64, rows, cols int, q, t []float64) {
	if cols > rows {
		t = t[:cols]
		MulTransVec(t, a, cols, q)
		MulVec(y, a, cols, t)
		return
	}
	grain := max(up4((rows+pieces-1)/pieces), 16)
	Do(rows, grain, func(lo, hi int) {
		d := t[lo/grain*cols:][:cols]
		clear(d)
		var x [16]float64 // read again while they are in cache
		for ; lo < hi; lo += len(x) {
			x := x[:min(len(x), hi-lo)]
			Dots(x, a[lo*cols:], cols, q)
			Combine(d, a[lo*cols:], cols, x)
		}
	})
	copy(y, t[:cols])
	for lo := grain; lo < rows; lo += grain {
		for i, x := range t[lo/grain*cols:][:cols] {
			y[i] += x
		}
	}
}

// GramScratch returns how much scratch space MulGram needs.
func GramScratch(rows, cols int) int { return max(pieces*min(rows, cols), cols) }

// MulGrams computes W = B·Qᵀ, where B is the matrix that Gram would compute and Q has n
// rows, as W of as many columns. It reads A twice and costs 2·rows·cols·n products.
func MulGrams(w, a []float64, rows, cols int, q []float64, n int) {
	s, long := min(rows, cols), max(rows, cols)
	z := Borrow(long * n)
	Mul(*z, n, a, cols, cols > rows, q, s, true, long, n, s, 1, 0)
	Mul(w, n, a, cols, cols <= rows, *z, n, false, s, n, long, 1, 0)
	Return(z)
}

// MulSmall multiplies A by a symmetric matrix F on its shorter side: dst = A·F
// if cols ≤ rows, else dst = F·A. dst may be a. It costs s²L products, with
// s = min(rows, cols) and L the other one.
func MulSmall(dst, a []float64, rows, cols int, f []float64) {
	s, inPlace := min(rows, cols), &dst[0] == &a[0]
	if cols <= rows && s <= deep {
		n := stripCols()
		packed := Borrow((s + n) * s)
		strips(n, *packed, f, s, 1, s, s)
		Do(rows, blockRows, func(lo, hi int) {
			r := a[lo*s : hi*s]
			if inPlace {
				buf := Borrow(len(r))
				defer Return(buf)
				copy(*buf, r)
				r = *buf
			}
			mulRows(n, dst[lo*s:], s, r, s, 1, *packed, hi-lo, s, s, 1, true)
		})
		Return(packed)
		return
	}
	if inPlace {
		buf := Borrow(len(a))
		defer Return(buf)
		copy(*buf, a)
		a = *buf
	}
	if cols <= rows {
		Mul(dst, s, a, s, false, f, s, false, rows, s, s, 1, 0)
	} else {
		Mul(dst, cols, f, s, false, a, cols, false, s, cols, s, 1, 0)
	}
}

// Dot returns ⟨x, y⟩, in four sums that are added at the end. It is for short vectors, for which a
// call to gonum's costs more than the sum.
func Dot(x, y []float64) float64 {
	y = y[:len(x)]
	var s0, s1, s2, s3 float64
	k := 0
	for ; k+4 <= len(x); k += 4 {
		a, b := x[k:k+4:k+4], y[k:k+4:k+4]
		s0 += float64(a[0] * b[0])
		s1 += float64(a[1] * b[1])
		s2 += float64(a[2] * b[2])
		s3 += float64(a[3] * b[3])
	}
	for ; k < len(x); k++ {
		s0 += float64(x[k] * y[k])
	}
	return (s0 + s1) + (s2 + s3)
}
