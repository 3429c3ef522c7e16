package kern

import "gonum.org/v1/gonum/floats"

const (
	blockRows = 96   // so many rows of A, by deep, stay in the second cache
	most      = 1008 // so many columns of B, by deep, stay in the third
	page      = 512  // numbers: rows of Aᵀ that are longer are on pages of their own, and laid out
	alike     = 96   // up to so many columns of C, that takes longer than it saves
)

// Mul computes C = β·C + α·op(A)·op(B), where op(A) is m × k, op(B) is k × n, and op
// is the transpose if transA or transB. Row i of C begins at c[i·ldc], those of A and B,
// as they are stored, at a[i·lda] and b[i·ldb]. If β = 0, C need not hold numbers. C must
// not overlap A or B. It costs m·n·k products.
//
// A sum takes its terms in order, by FMA, from 0 in each group of 256; α times that is
// added to C by FMA.
func Mul(c []float64, ldc int, a []float64, lda int, transA bool, b []float64, ldb int, transB bool, m, n,
	k int, alpha, beta float64) {
	mul(c, ldc, a, lda, transA, b, ldb, transB, m, n, k, alpha, beta, false)
}

// mul is Mul, if alone on this processor, for one of several that share out the work. Then it
// allocates nothing.
func mul(c []float64, ldc int, a []float64, lda int, transA bool, b []float64, ldb int, transB bool, m, n,
	k int, alpha, beta float64, alone bool) {
	if m == 0 || n == 0 {
		return
	}
	reach(c, (m-1)*ldc+n)
	if beta != 0 && beta != 1 || k == 0 {
		for i := range m {
			if row := c[i*ldc : i*ldc+n]; beta == 0 {
				clear(row)
			} else {
				floats.Scale(beta, row)
			}
		}
	}
	p := product{c: c, ldc: ldc, a: a, ai: lda, al: 1, b: b, bl: ldb, bj: 1, m: m, k: k, alpha: alpha,
		fresh: beta == 0, alone: alone, strip: stripCols()}
	if transA {
		p.ai, p.al = 1, lda
	}
	if transB {
		p.bl, p.bj = 1, ldb
	}
	few := 5 * p.strip
	if alone || m > blockRows || n <= few {
		p.columns(0, n)
	} else { // else the rows are shared out
		Do(n, few, p.columns)
	}
}

// A product is one of Mul: number i, l of A is a[i·ai + l·al], l, j of B b[l·bl + j·bj].
type product struct {
	c      []float64
	ldc    int
	a      []float64
	ai, al int
	b      []float64
	bl, bj int
	m, k   int
	alpha  float64
	fresh  bool
	alone  bool // on one processor
	strip  int  // columns of B side by side
}

// columns does the columns from, …, to−1 of C.
func (p product) columns(from, to int) {
	for lo := from; lo < to; lo += most {
		hi := min(lo+most, to)
		buf := Borrow((hi - lo + p.strip) * min(p.k, deep))
		for l := 0; l < p.k; l += deep {
			p.panel(*buf, lo, hi, l, min(deep, p.k-l))
		}
		Return(buf)
	}
}

// panel adds the terms l, …, l+d−1 of the columns lo, …, hi−1. What is for one processor
// allocates nothing.
func (p product) panel(buf []float64, lo, hi, l, d int) {
	if p.m > blockRows && !p.alone {
		p.shared(buf, lo, hi, l, d)
		return
	}
	strips(p.strip, buf, p.b[l*p.bl+lo*p.bj:], p.bl, p.bj, hi-lo, d)
	for i := 0; i < p.m; i += blockRows {
		p.rows(buf, lo, hi, l, d, i, min(i+blockRows, p.m))
	}
}

func (p product) shared(buf []float64, lo, hi, l, d int) {
	b := p.b[l*p.bl+lo*p.bj:]
	Do(hi-lo, 8*TileCols, func(i, j int) { strips(p.strip, buf[i*d:], b[i*p.bj:], p.bl, p.bj, j-i, d) })
	Do(p.m, blockRows, func(i, j int) { p.rows(buf, lo, hi, l, d, i, j) })
}

// rows does so for the rows i, …, j−1 alone.
func (p product) rows(b []float64, lo, hi, l, d, i, j int) {
	mulRows(p.strip, p.c[i*p.ldc+lo:], p.ldc, p.a[i*p.ai+l*p.al:], p.ai, p.al, b, j-i, hi-lo, d, p.alpha,
		p.fresh && l == 0)
}

// mulRows does C += α·A·B, or = if fresh, for at most blockRows rows, where strips has
// laid out B in that width.
func mulRows(cols int, c []float64, ldc int, a []float64, ai, al int, b []float64, m, n, k int, alpha float64,
	fresh bool) {
	full, rest := m/tileRows, m%tileRows
	next := tileRows * ai
	buf := Borrow(m*cols + tileRows*k + full*(tileRows*k+8))
	tmp, edge, own := (*buf)[:m*cols], (*buf)[m*cols:][:tileRows*k], (*buf)[m*cols+tileRows*k:]
	switch {
	case al == 1 && rest > 0:
		beside(edge, tileRows, a[full*next:], ai, rest, k)
	case rest > 0:
		for l := range k {
			copy(edge[l*tileRows:(l+1)*tileRows], a[l*al+full*tileRows:l*al+m])
		}
	}
	if al > page && n > alike {
		next = tileRows*k + 8 // the 8 are for the cache's sake
		for l := range k {
			r := a[l*al : l*al+m]
			for t := range full {
				*(*[tileRows]float64)(own[t*next+l*tileRows:]) = *(*[tileRows]float64)(r[t*tileRows:])
			}
		}
		a, al = own, tileRows
	}
	for j := 0; j < n; j += cols {
		wn, s := min(cols, n-j), b[j*k:]
		w := up4(wn)
		switch {
		case full == 0:
		case w == wn:
			across(w, c[j:], ldc, a, ai, al, next, s, cols, k, full, alpha, fresh)
		default:
			across(w, tmp, cols, a, ai, al, next, s, cols, k, full, 1, true)
			merge(c[j:], ldc, tmp, cols, full*tileRows, wn, alpha, fresh)
		}
		if rest > 0 {
			var last [tileRows * 2 * TileCols]float64
			across(w, last[:], cols, edge, 1, tileRows, 0, s, cols, k, 1, 1, true)
			merge(c[full*tileRows*ldc+j:], ldc, last[:], cols, rest, wn, alpha, fresh)
		}
	}
	Return(buf)
}
