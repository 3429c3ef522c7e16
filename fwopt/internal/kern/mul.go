package kern

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Mul computes C = β·C + α·op(A)·op(B), where op(A) is m × k, op(B) is k × n, and op
// is the transpose if transA or transB. Row i of C begins at c[i·ldc], those of A and B,
// as they are stored, at a[i·lda] and b[i·ldb]. If β = 0, C need not hold numbers. C must
// not overlap A or B. It costs m·n·k products.
func Mul(c []float64, ldc int, a []float64, lda int, transA bool, b []float64, ldb int, transB bool, m, n, k int, alpha, beta float64) {
	t := map[bool]blas.Transpose{false: blas.NoTrans, true: blas.Trans}
	mat := func(rows, cols int, trans bool, data []float64, stride int) blas64.General {
		if trans {
			rows, cols = cols, rows
		}
		return blas64.General{Rows: rows, Cols: cols, Stride: stride, Data: data}
	}
	blas64.Gemm(t[transA], t[transB], alpha, mat(m, k, transA, a, lda), mat(k, n, transB, b, ldb), beta, mat(m, n, false, c, ldc))
}

// SymMul computes y = A·x for a symmetric matrix A of order n, of which it reads the
// lower triangle, once: row i is a[i·lda : i·lda+i+1].
func SymMul(y, a []float64, lda, n int, x []float64) {
	for i := range n {
		r, t, c := a[i*lda:i*lda+i], 0.0, x[i]
		for j, v := range r {
			t += float64(v * x[j])
			y[j] += float64(v * c)
		}
		y[i] = t + float64(a[i*lda+i]*c)
	}
}

// SubRank2 does C −= U·Vᵀ + V·Uᵀ in the lower triangle of the matrix C of order n, row i
// of which begins at c[i·ldc]. U and V are n × k, their row i is u[i·ldu : i·ldu+k] and
// v[i·ldu : i·ldu+k].
func SubRank2(c []float64, ldc, n int, u, v []float64, ldu, k int) {
	for i := range n {
		for j := range i + 1 {
			s := 0.0
			for l := range k {
				s += float64(u[i*ldu+l]*v[j*ldu+l]) + float64(v[i*ldu+l]*u[j*ldu+l])
			}
			c[i*ldc+j] -= s
		}
	}
}
