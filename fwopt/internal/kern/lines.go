package kern

// MulVec computes y = A·x, where row j of A is a[j·lda : j·lda+len(x)] and j < len(y).
// Each entry is the sum of four, which take the products l, l+4, l+8, … of the row by FMA.
func MulVec(y, a []float64, lda int, x []float64) {
	if len(y) == 0 {
		return
	}
	reach(a, (len(y)-1)*lda+len(x))
	Do(len(y), piecesOf(len(y)*len(x), len(y)), func(lo, hi int) { Dots(y[lo:hi], a[lo*lda:], lda, x) })
}

// MulTransVec computes y = Aᵀ·x, where row j of A is a[j·lda : j·lda+len(y)] and
// j < len(x). The terms of an entry are added in order, by FMA. Rows with x[j] = 0 may be
// left out.
func MulTransVec(y, a []float64, lda int, x []float64) {
	clear(y)
	if len(x) == 0 {
		return
	}
	reach(a, (len(x)-1)*lda+len(y))
	Do(len(y), max(piecesOf(len(y)*len(x), len(y)), 512),
		func(lo, hi int) { Combine(y[lo:hi], a[lo:], lda, x) })
}

// scoreCols returns how many of h columns of W lie side by side for Scores, and how many there are with the
// zeros at the end.
func scoreCols(h int) (cols, all int) {
	cols = TileCols
	if h > TileCols {
		cols = stripCols()
	}
	return cols, (h + cols - 1) / cols * cols
}

// LayOut returns W, of m rows and h columns, as Scores reads it, once for many calls, and what to give back with
// Return.
func LayOut(w []float64, m, h int) (laid []float64, lent *[]float64) {
	if h == 1 {
		return w, nil
	}
	cols, all := scoreCols(h)
	lent = Borrow(m * all)
	for l := 0; l < m; l += deep {
		strips(cols, (*lent)[l*all:], w[l*h:], h, 1, h, min(deep, m-l))
	}
	return *lent, lent
}

// Scores computes P = A·W on this processor alone, where A has the rows of n examples, of m ≥ 1
// numbers, and w is what LayOut makes of W, m × h. The sums are those of MulVec and Mul.
func Scores(p, a, w []float64, n, m, h int) {
	if h == 1 {
		reach(a, n*m)
		Dots(p[:n], a, m, w[:m])
		return
	}
	if h <= TileCols {
		fewScores(p, a, w, n, m, h)
		return
	}
	cols, all := scoreCols(h)
	for l := 0; l < m; l += deep {
		for i := 0; i < n; i += blockRows {
			rows, terms := min(blockRows, n-i), min(deep, m-l)
			mulRows(cols, p[i*h:], h, a[i*m+l:], m, 1, w[l*all:], rows, h, terms, 1, l == 0)
		}
	}
}

// ScoresOnce is Scores of W as it is, for rows so few that a copy of all of W would cost more than they do.
func ScoresOnce(p, a, w []float64, n, m, h int) {
	if h > TileCols {
		mul(p, h, a, m, false, w, h, false, n, h, m, 1, 0, true)
		return
	}
	laid, lent := LayOut(w, m, h)
	defer Return(lent)
	Scores(p, a, laid, n, m, h)
}

// fewScores is Scores of at most TileCols columns, to the same bits: four rows are read to their end while the next
// ones are asked for.
func fewScores(p, a, w []float64, n, m, h int) {
	last := Borrow(m * tileRows) // four rows of which some are not there
	defer Return(last)
	var sum [tileRows * TileCols]float64
	for i := 0; i < n; i += tileRows {
		rows := a[i*m:]
		if n-i < tileRows {
			clear((*last)[copy(*last, rows[:(n-i)*m]):])
			rows = *last
		}
		for l := 0; l < m; l += deep {
			soon := rows[min(len(rows)-1, tileRows*(m+l)):]
			tiles(up4(h), sum[:], TileCols, rows[l:], m, 1, 0, w[l*TileCols:], TileCols,
				min(deep, m-l), 1, 1, l == 0, soon)
		}
		for r := range min(tileRows, n-i) {
			copy(p[(i+r)*h:(i+r+1)*h], sum[r*TileCols:])
		}
	}
}

// AddBack does G += Aᵀ·P on this processor alone, the way back from Scores.
func AddBack(g, a, p []float64, n, m, h int) {
	if h == 1 {
		reach(a, n*m)
		Combine(g[:m], a, m, p[:n])
		return
	}
	mul(g, h, a, m, true, p, h, false, m, h, n, 1, 1, true)
}

// piecesOf returns how many of n to give to a processor at once, in a task of so many
// numbers: all if to share them costs more than it saves.
func piecesOf(numbers, n int) int {
	if numbers < Chunk {
		return n
	}
	return up4((n + pieces - 1) / pieces)
}

// fourAtOnce returns how many of the fours of rows of n numbers to do before a chance to
// preempt.
func fourAtOnce(fours, n int) int { return min(fours, max(Chunk/(tileRows*n), 1)) }

// Dots computes dst[r] = ⟨row r of A, q⟩.
func Dots(dst, a []float64, lda int, q []float64) {
	n := len(q)
	for fours := len(dst) / tileRows; vectors && n > 0 && fours > 0; fours = len(dst) / tileRows {
		k := fourAtOnce(fours, n)
		reach(a, (tileRows*k-1)*lda+n)
		dots4(&dst[0], &a[0], 8*lda, &q[0], n, k)
		if dst = dst[tileRows*k:]; len(dst) > 0 {
			a = a[tileRows*k*lda:]
		}
	}
	for r := range dst {
		row := a[r*lda : r*lda+n]
		if vectors && width <= n && n <= Chunk { // the same row four times takes half the time of the twin
			var four [tileRows]float64
			dots4(&four[0], &row[0], 0, &q[0], n, 1)
			dst[r] = four[0]
		} else {
			dst[r] = DotPlain(row, q)
		}
	}
}

// DotPlain returns ⟨x, y⟩, of x's numbers, to the bits of Dots.
func DotPlain(x, y []float64) float64 {
	y = y[:len(x)]
	var s [width]float64
	k := 0
	for ; k+width <= len(x); k += width {
		for l := range s {
			s[l] = fma(x[k+l], y[k+l], s[l])
		}
	}
	if k < len(x) {
		for l := range s { // as if zeros followed
			if k+l < len(x) {
				s[l] = fma(x[k+l], y[k+l], s[l])
			} else {
				s[l] += 0
			}
		}
	}
	return fold(s[:])
}

// Combine does d += Σ_r x[r]·(row r of A), in order, but for four rows with x = 0 from a
// multiple of 4 on.
func Combine(d, a []float64, lda int, x []float64) {
	n := len(d)
	for fours := len(x) / tileRows; vectors && n > 0 && fours > 0; fours = len(x) / tileRows {
		k := fourAtOnce(fours, n)
		reach(a, (tileRows*k-1)*lda+n)
		combine4(&d[0], &a[0], 8*lda, &x[0], n, k)
		if x = x[tileRows*k:]; len(x) > 0 {
			a = a[tileRows*k*lda:]
		}
	}
	for ; len(x) >= tileRows; x = x[tileRows:] {
		if x[0] != 0 || x[1] != 0 || x[2] != 0 || x[3] != 0 {
			combinePlain(d, a, lda, x[:tileRows])
		}
		if len(x) > tileRows {
			a = a[tileRows*lda:]
		}
	}
	combinePlain(d, a, lda, x)
}

func combinePlain(d, a []float64, lda int, x []float64) {
	for r, c := range x {
		for j, y := range a[r*lda : r*lda+len(d)] {
			d[j] = fma(c, y, d[j])
		}
	}
}
