package kern

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
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
		mulTrans(u, a, cols, x)
		if sigma = floats.Norm(u, 2); sigma != 0 {
			floats.Scale(c/sigma, u)
		}
		return sigma
	}
	copy(u, x)
	grain := max((rows+pieces-1)/pieces, panel)
	var part [pieces]float64
	Do(rows, grain, func(lo, hi int) {
		sum := 0.0
		for j := lo; j < hi; j++ {
			v[j] = dot4(a[j*cols:j*cols+cols], x)
			sum += v[j] * v[j]
		}
		part[lo/grain] = sum
	})
	if sigma = math.Sqrt(floats.Sum(part[:])); sigma != 0 {
		for j, t := range v {
			v[j] = t / sigma * c
		}
	}
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
	s, long := min(rows, cols), max(rows, cols)
	if s > smallGram {
		buf := Borrow(len(a))
		copy(*buf, a)
		x, y, m := general(rows, cols, *buf), general(rows, cols, dst), general(s, s, f)
		if cols <= rows {
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, x, m, 0, y)
		} else {
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, m, x, 0, y)
		}
		Return(buf)
		return
	}
	tall := cols <= rows
	Do(long, panel, func(lo, hi int) {
		buf := Borrow(2 * s * stride)
		v, w, n := (*buf)[:s*stride], (*buf)[s*stride:], hi-lo
		if tall {
			var start [panel]int
			for j := range n {
				start[j] = (lo + j) * cols
			}
			pack(v, a, start[:n], 0, cols)
		} else {
			for k := range s {
				copy(v[k*stride:k*stride+n], a[k*cols+lo:k*cols+hi])
			}
		}
		for l := range s { // w_l = Σ_k F_lk v_k
			blas64.Gemv(blas.Trans, 1,
				blas64.General{Rows: s, Cols: n, Stride: stride, Data: v},
				blas64.Vector{N: s, Inc: 1, Data: f[l*s : l*s+s]}, 0,
				blas64.Vector{N: n, Inc: 1, Data: w[l*stride : l*stride+n]})
		}
		if tall {
			for j := range n {
				d := dst[(lo+j)*cols : (lo+j)*cols+cols]
				for l := range d {
					d[l] = w[l*stride+j]
				}
			}
		} else {
			for l := range s {
				copy(dst[l*cols+lo:l*cols+hi], w[l*stride:])
			}
		}
		Return(buf)
	})
}

func general(rows, cols int, data []float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
}

// dot4 returns ⟨x, y⟩. It is for short vectors, for which a call to gonum's
// costs more than the sum.
func dot4(x, y []float64) float64 {
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
