package kern

const (
	panel  = 64 // so many rows of up to smallGram numbers stay in the first cache
	pieces = 8  // partial sums, made side by side and added in order
	// Up to this order every piece can have a Gram matrix of its own.
	smallGram = 96
	depth     = 128 // terms of a sum of a larger one
)

// Gram computes the smaller of the two Gram matrices of the rows × cols matrix
// A: AᵀA if cols ≤ rows, else AAᵀ. With s = min(rows, cols) and L the other
// one, dst has s × s numbers and the cost is s²L/2 products; rows of zeros cost
// next to nothing if cols ≤ rows and s ≤ 96.
//
// A sum takes its terms in order, by FMA, from 0 for each group of 64 of them, or 128 if
// s > 96. If s ≤ 96 there are up to 8 sums of groups, by their place in A, and rows of
// zeros may be in no group.
func Gram(dst, a []float64, rows, cols int) {
	s := min(rows, cols)
	switch {
	case s <= smallGram:
		gramSmall(dst, a, rows, cols)
	case cols <= rows:
		clear(dst[:s*s])
		addSquare(dst, s, a, 1, cols, rows)
	default:
		clear(dst[:s*s])
		addSquare(dst, s, a, cols, 1, cols)
	}
	mirror(dst, s, s)
}

// gramSmall computes the lower triangle, of order at most smallGram.
func gramSmall(dst, a []float64, rows, cols int) {
	s := min(rows, cols)
	step := up4(s)
	pieceSums(dst, s, s, max(rows, cols), func(d, buf []float64, lo, hi int) {
		if cols <= rows {
			gramTall(d, buf, a, cols, lo, hi)
			return
		}
		for ; lo < hi; lo += panel {
			n := min(panel, hi-lo)
			for p := 0; p < s; p += tileRows {
				beside(buf[p:], step, a[p*cols+lo:], cols, min(tileRows, s-p), n)
			}
			triangle(d, s, buf, step, n, nil)
		}
	})
}

// pieceSums computes a lower triangle of order s, in rows of n numbers: the sum of up to 8, each of which add makes of
// the terms from lo to hi out of long, in rows of up4(s). buf is memory for a panel.
func pieceSums(dst []float64, n, s, long int, add func(d, buf []float64, lo, hi int)) {
	step := up4(s)
	size := step * step
	grain := ((long+pieces-1)/pieces + panel - 1) / panel * panel
	part := Borrow((long + grain - 1) / grain * size)
	Do(long, grain, func(lo, hi int) {
		d := (*part)[lo/grain*size:][:size]
		clear(d)
		buf := Borrow(panel * step)
		add(d, *buf, lo, hi)
		Return(buf)
	})
	for p := range s {
		row := dst[p*n : p*n+p+1]
		copy(row, (*part)[p*step:])
		for from := size; from < len(*part); from += size {
			for q, x := range (*part)[from+p*step:][:p+1] {
				row[q] += x
			}
		}
	}
	Return(part)
}

// mirror makes the upper triangle of order s, in rows of n numbers, that of the lower one.
func mirror(dst []float64, n, s int) {
	for p := range s {
		for q := range p {
			dst[q*n+p] = dst[p*n+q]
		}
	}
}

// GramOf computes ZᵀZ, in rows of n numbers, for a Z whose columns are those of the matrices a, of rows of h
// numbers, and the vectors v. With s columns and L numbers in each it costs s²L/2 products.
func GramOf(dst []float64, n, h int, a, v [][]float64) {
	wide := len(a) * h
	s := wide + len(v)
	step := up4(s)
	pieceSums(dst, n, s, len(a[0])/h, func(d, buf []float64, lo, hi int) {
		clear(buf)
		for ; lo < hi; lo += panel {
			rows := min(panel, hi-lo)
			for l := range rows {
				for i, x := range a {
					copy(buf[l*step+i*h:], x[(lo+l)*h:(lo+l+1)*h])
				}
			}
			for i, x := range v {
				for l, y := range x[lo : lo+rows] {
					buf[l*step+wide+i] = y
				}
			}
			triangle(d, s, buf, step, rows, nil)
		}
	})
	mirror(dst, n, s)
}

// gramTall adds the lower triangle of AᵀA to d, for the rows lo to hi of A. It works on
// rows where they are as long as none is 0, and else on copies, in buf, of the others.
func gramTall(d, buf, a []float64, cols, lo, hi int) {
	step, kept := up4(cols), 0
	for lo < hi {
		n := min(panel, hi-lo)
		at, end := lo*cols, (lo+n)*cols
		lo += n
		// the last vector of a row may reach into the next one
		if kept == 0 && end+step-cols <= len(a) && !zeroRow(a[at:end], cols) {
			triangle(d, cols, a[at:end+step-cols], cols, n, a[min(end, len(a)-1):])
			continue
		}
		for ; at < end; at += cols {
			row := a[at : at+cols]
			if zeros(row) == cols {
				continue
			}
			clear(buf[kept*step+copy(buf[kept*step:], row) : (kept+1)*step])
			if kept++; kept == panel {
				triangle(d, cols, buf, step, kept, nil)
				kept = 0
			}
		}
	}
	if kept > 0 {
		triangle(d, cols, buf, step, kept, nil)
	}
}

// zeroRow reports whether a row is 0.
func zeroRow(a []float64, cols int) bool {
	for o := 0; o < len(a); o += cols {
		if a[o] == 0 && zeros(a[o:o+cols]) == cols {
			return true
		}
	}
	return false
}

// triangle adds Σ_l v_l·v_lᵀ to the lower triangle of d, of order s, rows of d being
// up4(s) long, where v_l is the s numbers from v[l·step] on, l < n. It reads up4(s), and
// asks for what is in next to come to the cache. Above the diagonal d is anything.
func triangle(d []float64, s int, v []float64, step, n int, next []float64) {
	ldd := up4(s)
	for q, w := 0, 0; q < ldd; q += w {
		w = TileCols
		full := q + w - tileRows // the first row of a whole strip
		if 2*w == stripCols() && q+2*w <= ldd {
			w, full = 2*w, 2*full-q // with 4 rows more, which make a pair
		}
		for p := q; p < min(full, ldd); p += tileRows {
			for o := q; o <= p; o += TileCols {
				tiles(min(TileCols, p+tileRows-o), d[p*ldd+o:], ldd, v[p:], 1, step, tileRows, v[o:], step, n,
					1, 1, false, next)
				next = next[min(4*n, len(next)):] // so much was asked for
			}
		}
		if blocks := (ldd - full) / tileRows; blocks > 0 && w > TileCols {
			across(w, d[full*ldd+q:], ldd, v[full:], 1, step, tileRows, v[q:], step, n, blocks, 1, false)
		} else if blocks > 0 {
			tiles(w, d[full*ldd+q:], ldd, v[full:], 1, step, tileRows, v[q:], step, n, blocks, 1, false, next)
			next = next[min(4*n*blocks, len(next)):]
		}
	}
}
