package kern

const (
	tileRows = 4   // rows of a tile
	TileCols = 12  // its columns, at most
	deep     = 256 // terms of a sum in one call of the kernel: 12 columns of so many rows stay in the first cache
)

// up4 is the next multiple of 4.
func up4(n int) int { return (n + 3) &^ 3 }

// stripCols returns how many columns of B are laid out side by side.
func stripCols() int {
	if vectors && wide {
		return 2 * TileCols
	}
	return TileCols
}

// across is tiles for up to 2·TileCols columns: with AVX-512 two tiles below one another
// and two side by side are one, to the same bits.
func across(w int, c []float64, ldc int, a []float64, ai, al, an int, b []float64, bl, k, blocks int,
	alpha float64, fresh bool) {
	if w == 2*TileCols && vectors && wide && blocks > 1 {
		reach(c, (tileRows*blocks-1)*ldc+w)
		reach(a, (tileRows-1)*ai+(k-1)*al+(blocks-1)*an+1)
		reach(b, (k-1)*bl+w)
		pairs24(&c[0], 8*ldc, &a[0], 8*ai, 8*al, 8*an, &b[0], 8*bl, k, blocks/2, alpha, flag(fresh))
		if blocks%2 == 0 {
			return
		}
		c, a, blocks = c[(blocks-1)*tileRows*ldc:], a[(blocks-1)*an:], 1
	}
	for o := 0; o < w; o += TileCols {
		tiles(min(TileCols, w-o), c[o:], ldc, a, ai, al, an, b[o:], bl, k, blocks, alpha, fresh, nil)
	}
}

// tiles does C += α·A·B, or = if fresh, for 4·blocks rows and w columns, 4, 8 or 12:
// number i, l of A is a[i·ai + l·al] for the 4 rows of the first tile, an further on for
// those of the next one, row l of B begins at b[l·bl] and row i of C at c[i·ldc]. A sum
// takes its k ≥ 1 terms in order, by FMA, from 0; α times that is added by FMA too. It asks
// for the first 4·k·blocks numbers of next, which are wanted soon.
func tiles(w int, c []float64, ldc int, a []float64, ai, al, an int, b []float64, bl, k, blocks int,
	alpha float64, fresh bool, next []float64) {
	reach(c, (tileRows*blocks-1)*ldc+w)
	reach(a, (tileRows-1)*ai+(k-1)*al+(blocks-1)*an+1)
	reach(b, (k-1)*bl+w)
	if !vectors {
		tilesPlain(w, c, ldc, a, ai, al, an, b, bl, k, blocks, alpha, fresh)
		return
	}
	ahead, isFresh := &b[0], flag(fresh)
	if len(next) > 0 {
		ahead = &next[0]
	}
	switch w {
	case 12:
		tiles12(&c[0], 8*ldc, &a[0], 8*ai, 8*al, 8*an, &b[0], 8*bl, k, blocks, alpha, isFresh, ahead)
	case 8:
		tiles8(&c[0], 8*ldc, &a[0], 8*ai, 8*al, 8*an, &b[0], 8*bl, k, blocks, alpha, isFresh, ahead)
	default:
		tiles4(&c[0], 8*ldc, &a[0], 8*ai, 8*al, 8*an, &b[0], 8*bl, k, blocks, alpha, isFresh, ahead)
	}
}

func tilesPlain(w int, c []float64, ldc int, a []float64, ai, al, an int, b []float64, bl, k, blocks int,
	alpha float64, fresh bool) {
	for t := range blocks * tileRows {
		from := t/tileRows*an + t%tileRows*ai
		var sum [TileCols]float64
		for l := range k {
			x := a[from+l*al]
			for j, y := range b[l*bl : l*bl+w] {
				sum[j] = fma(x, y, sum[j])
			}
		}
		merge(c[t*ldc:], 0, sum[:], 0, 1, w, alpha, fresh)
	}
}

// merge does what tiles does last: C += α·S, or =, for rows of w numbers, where S has
// rows of lds.
func merge(c []float64, ldc int, s []float64, lds, rows, w int, alpha float64, fresh bool) {
	for i := range rows {
		d, r := c[i*ldc:i*ldc+w], s[i*lds:i*lds+w]
		if fresh {
			for j, x := range r {
				d[j] = alpha * x
			}
			continue
		}
		for j, x := range r {
			d[j] = fma(alpha, x, d[j])
		}
	}
}

// strips copies a matrix of k rows and n columns, number l, j of which is b[l·bl + j·bj],
// where bl or bj is 1, in strips of cols columns, a multiple of 12, row after row: number
// l, j is then dst[(j/cols·k + l)·cols + j%cols]. The last strip is filled up with zeros,
// to a multiple of 4.
func strips(cols int, dst, b []float64, bl, bj, n, k int) {
	for j := 0; j < n; j += cols {
		w := min(cols, n-j)
		d := dst[j*k : (j+cols)*k]
		switch {
		case bj == 1 && w == cols:
			for l := range k {
				for i := 0; i < cols; i += TileCols {
					*(*[TileCols]float64)(d[l*cols+i:]) = *(*[TileCols]float64)(b[l*bl+j+i:])
				}
			}
		case bj == 1:
			for l := range k {
				r := d[l*cols:][:cols]
				clear(r[w:])
				copy(r, b[l*bl+j:l*bl+j+w])
			}
		default:
			for i := 0; i < w; i += tileRows {
				beside(d[i:], cols, b[(j+i)*bj:], bj, min(tileRows, w-i), k)
			}
		}
	}
}

// beside lays n ≤ 4 rows of k numbers side by side: dst[l·step+i] = src[i·stride+l]. It
// fills up with zeros to i = 3.
func beside(dst []float64, step int, src []float64, stride, n, k int) {
	reach(dst, (k-1)*step+tileRows)
	reach(src, (n-1)*stride+k)
	if vectors && n == tileRows && k >= width {
		transpose4(&dst[0], 8*step, &src[0], 8*stride, k)
		return
	}
	for l := range k {
		d := dst[l*step:][:tileRows]
		clear(d[n:])
		for i := range n {
			d[i] = src[i*stride+l]
		}
	}
}
