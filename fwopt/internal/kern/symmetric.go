package kern

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
