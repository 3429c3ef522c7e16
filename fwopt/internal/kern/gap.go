package kern

// Gap returns ⟨g, x − uvᵀ⟩ and ‖x − uvᵀ‖², where number j·len(u)+l of uvᵀ is u[l]·v[j], as
// SubOuter would write the difference, with one reading of g and x. A v of one number has
// a vector for u.
func Gap(g, x, u, v []float64) (slope, length2 float64) {
	h, n := len(u), len(v)
	reach(g, h*n)
	reach(x, h*n)
	if h*n == 0 {
		return 0, 0
	}
	if h*n <= Chunk/pieces {
		var sums [2 * width]float64
		gapPiece(&sums, g, x, u, v)
		return fold(sums[:width]), fold(sums[width:])
	}
	part := new([pieces][2 * width]float64)
	if n == 1 {
		grain := up4(max((h+pieces-1)/pieces, Chunk/pieces))
		Do(h, grain, func(lo, hi int) { gapPiece(&part[lo/grain], g[lo:hi], x[lo:hi], u[lo:hi], v) })
	} else {
		grain := max((n+pieces-1)/pieces, Chunk/pieces/h, 1)
		Do(n, grain, func(lo, hi int) { gapPiece(&part[lo/grain], g[lo*h:hi*h], x[lo*h:hi*h], u, v[lo:hi]) })
	}
	for _, p := range part[1:] {
		for i, s := range p {
			part[0][i] += s
		}
	}
	return fold(part[0][:width]), fold(part[0][width:])
}

// fold adds up four sums.
func fold(s []float64) float64 { return (s[0] + s[1]) + (s[2] + s[3]) }

func gapPiece(sums *[2 * width]float64, g, x, u, v []float64) {
	if !vectors {
		gapPlain(sums, g, x, u, v)
		return
	}
	h := len(u)
	if h > Chunk { // a row in pieces
		for j := range v {
			for lo := 0; lo < h; lo += Chunk {
				gapRows(&g[j*h+lo], &x[j*h+lo], &u[lo], min(Chunk, h-lo), &v[j], 1, &sums[0])
			}
		}
		return
	}
	for n := 0; len(v) > 0; g, x, v = g[n*h:], x[n*h:], v[n:] {
		n = rowsAtOnce(len(v), h)
		gapRows(&g[0], &x[0], &u[0], h, &v[0], n, &sums[0])
	}
}

func gapPlain(sums *[2 * width]float64, g, x, u, v []float64) {
	h := len(u)
	for j, c := range v {
		for l, y := range u {
			d := x[j*h+l] - float64(c*y)
			sums[l%width] = fma(g[j*h+l], d, sums[l%width])
			sums[width+l%width] = fma(d, d, sums[width+l%width])
		}
		for l := h; l%width != 0; l++ { // as if zeros followed
			sums[l%width] += 0
			sums[width+l%width] += 0
		}
	}
}
