package kern

import "math"

// shared is the order from which SymMul cuts a matrix in pieces.
const shared = 384

// SymMul computes y = A·x for a symmetric matrix A of order n, of which it reads the
// lower triangle, once: row i is a[i·lda : i·lda+i+1]. It costs n² products.
func SymMul(y, a []float64, lda, n int, x []float64) {
	reach(y, n)
	reach(x, n)
	if n == 0 {
		return
	}
	reach(a, (n-1)*lda+n)
	if n < shared {
		symmetric(y, a, lda, 0, n, x)
		return
	}
	const parts = 4 // of the same area each, whatever the number of processors
	cuts := [parts + 1]int{parts: n}
	for p := 1; p < parts; p++ {
		cuts[p] = up4(int(math.Sqrt(float64(p)/parts) * float64(n)))
	}
	buf := Borrow(parts * n)
	Do(parts, 1, func(p, _ int) { symmetric((*buf)[p*n:], a, lda, cuts[p], cuts[p+1], x) })
	copy(y, (*buf)[(parts-1)*n:parts*n])
	for p := range parts - 1 {
		for j, t := range (*buf)[p*n : p*n+cuts[p+1]] {
			y[j] += t
		}
	}
	Return(buf)
}

// symmetric computes y[:hi] = A'·x, where A' is the rows lo to hi of the triangle and
// their mirror image. Lo is a multiple of 4.
func symmetric(y, a []float64, lda, lo, hi int, x []float64) {
	clear(y[:lo])
	for i := lo; i < hi; i += tileRows {
		n := min(tileRows, hi-i)
		var t [tileRows]float64
		switch {
		case vectors && n == tileRows && i > 0:
			symmetric4(&y[0], &t[0], &a[i*lda], 8*lda, &x[0], &x[i], i)
		case i > 0:
			combinePlain(y[:i], a[i*lda:], lda, x[i:i+n])
			for r := range n {
				t[r] = DotPlain(a[(i+r)*lda:(i+r)*lda+i], x)
			}
		}
		for r := range n { // what is left is near the diagonal
			row := a[(i+r)*lda+i:][: r+1 : r+1]
			c := x[i+r]
			for l, v := range row[:r] {
				t[r] = fma(v, x[i+l], t[r])
				y[i+l] = fma(v, c, y[i+l])
			}
			y[i+r] = fma(row[r], c, t[r])
		}
	}
}

// addStrips does C += X·Xᵀ in the lower triangle, where strips has laid out X, of k columns.
func addStrips(c []float64, n int, x []float64, k int) {
	cols := stripCols()
	grain := 8 * TileCols / cols // strips of rows: they stay in the second cache
	count, strip := (n+cols-1)/cols, k*cols
	blocks := (count + grain - 1) / grain
	Do(blocks, 1, func(p, _ int) {
		lo := (blocks - 1 - p) * grain // the long rows first
		for j := 0; j <= lo+grain-1 && j < count; j++ {
			for i := max(lo, j); i < min(lo+grain, count); i++ {
				addStrip(cols, c, n, i, j, x[i*strip:], x[j*strip:], k)
			}
		}
	})
}

// addStrip does C += X·Yᵀ for the strips i of cols rows and j ≤ i of cols columns.
func addStrip(cols int, c []float64, n, i, j int, x, y []float64, k int) {
	i, j = i*cols, j*cols
	rows := min(cols, n-i)
	c = c[i*n+j:]
	full := rows / tileRows
	if i == j {
		full = 0
	}
	if full > 0 {
		across(cols, c, n, x, 1, cols, tileRows, y, cols, k, full, 1, false)
	}
	for r := full * tileRows; r < rows; r += tileRows {
		var t [tileRows * 2 * TileCols]float64
		w := cols
		if i == j {
			w = r + tileRows
		}
		across(w, t[:], cols, x[r:], 1, cols, 0, y, cols, k, 1, 1, true)
		for q := r; q < min(r+tileRows, rows); q++ {
			merge(c[q*n:], 0, t[(q-r)*cols:], 0, 1, min(w, i-j+q+1), 1, false)
		}
	}
}

// addSquare does C += U·Uᵀ in the lower triangle of the matrix C of order n, row i of which begins at
// c[i·n], with up to depth terms in a sum. U is n × k, its number i, l is u[i·ui + l·ul].
func addSquare(c []float64, n int, u []float64, ui, ul, k int) {
	cols := stripCols()
	count := (n + cols - 1) / cols
	for from := 0; from < k; from += depth {
		d := min(depth, k-from)
		buf := Borrow(count * d * cols)
		Do(count, 8, func(lo, hi int) {
			w := min(hi*cols, n) - lo*cols
			strips(cols, (*buf)[lo*d*cols:], u[lo*cols*ui+from*ul:], ul, ui, w, d)
		})
		addStrips(c, n, *buf, d)
		Return(buf)
	}
}
