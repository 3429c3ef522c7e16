package kern

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

const (
	panel  = 256 // vectors are cut into pieces of this length, which stay in cache
	stride = 264 // from piece to piece when packed; no power of two, for the cache's sake
	pieces = 8   // partial sums, made side by side and added in order
	tile   = 32  // a Gram matrix larger than smallGram is made in tiles
	// Up to this order every piece can have a Gram matrix of its own.
	smallGram = 96
)

// Gram computes the smaller of the two Gram matrices of the rows × cols matrix
// A: AᵀA if cols ≤ rows, else AAᵀ. With s = min(rows, cols) and L the other
// one, dst has s × s numbers and the cost is s²L/2 products; rows of zeros cost
// next to nothing if cols ≤ rows.
func Gram(dst, a []float64, rows, cols int) {
	s, long := min(rows, cols), max(rows, cols)
	tall := cols <= rows
	if s <= smallGram {
		grain := ((long+pieces-1)/pieces + panel - 1) / panel * panel
		n := (long + grain - 1) / grain
		part := Borrow(n * s * s)
		Do(long, grain, func(lo, hi int) {
			d := (*part)[lo/grain*s*s:][:s*s]
			clear(d)
			if tall {
				gramTall(d, a, cols, lo, hi)
				return
			}
			for ; lo < hi; lo += panel {
				gramTile(d, s, a[lo:], cols, min(panel, hi-lo), 0, s, 0, s)
			}
		})
		copy(dst, (*part)[:s*s])
		for i := 1; i < n; i++ {
			floats.Add(dst, (*part)[i*s*s:][:s*s])
		}
		Return(part)
	} else {
		gramTiles(dst, a, rows, cols)
	}
	for p := range s {
		for q := range p {
			dst[q*s+p] = dst[p*s+q]
		}
	}
}

// gramTall adds the lower triangle of AᵀA to d, for the rows lo to hi of A.
func gramTall(d, a []float64, cols, lo, hi int) {
	buf := Borrow(cols * stride)
	var rows [panel]int // where the rows begin that are not zero
	n := 0
	for o := lo * cols; o < hi*cols; o += cols {
		for _, x := range a[o : o+cols] {
			if x != 0 {
				rows[n] = o
				n++
				break
			}
		}
		if n == panel {
			pack(*buf, a, rows[:n], 0, cols)
			gramTile(d, cols, *buf, stride, n, 0, cols, 0, cols)
			n = 0
		}
	}
	if n > 0 {
		pack(*buf, a, rows[:n], 0, cols)
		gramTile(d, cols, *buf, stride, n, 0, cols, 0, cols)
	}
	Return(buf)
}

// gramTiles computes the lower triangle of the Gram matrix, tile by tile: the
// processors share the tiles of one panel, so that there are no partial sums.
func gramTiles(dst, a []float64, rows, cols int) {
	s, long := min(rows, cols), max(rows, cols)
	tall := cols <= rows
	clear(dst)
	t := (s + tile - 1) / tile
	buf := Borrow(s * stride)
	v, step := *buf, stride
	for lo := 0; lo < long; lo += panel {
		n := min(panel, long-lo)
		if tall {
			var start [panel]int
			for j := range n {
				start[j] = (lo + j) * cols
			}
			Do(s, tile, func(p, q int) { pack(*buf, a, start[:n], p, q) })
		} else {
			v, step = a[lo:], cols
		}
		Do(t*(t+1)/2, 1, func(k, _ int) {
			p := 0
			for ; k > p; p++ { // tile k of the triangle is in row p, column k
				k -= p + 1
			}
			gramTile(dst, s, v, step, n, p*tile, min(p*tile+tile, s), k*tile, min(k*tile+tile, s))
		})
	}
	Return(buf)
}

// gramTile does d[p,q] += ⟨v_p, v_q⟩ for p0 ≤ p < p1 and q0 ≤ q < q1, q ≤ p,
// where d has s columns and v_p is the n numbers from v[p·step] on.
func gramTile(d []float64, s int, v []float64, step, n, p0, p1, q0, q1 int) {
	for p := p0; p < p1; p++ {
		m := min(q1, p+1) - q0
		blas64.Gemv(blas.NoTrans, 1,
			blas64.General{Rows: m, Cols: n, Stride: step, Data: v[q0*step:]},
			blas64.Vector{N: n, Inc: 1, Data: v[p*step : p*step+n]}, 1,
			blas64.Vector{N: m, Inc: 1, Data: d[p*s+q0 : p*s+q0+m]})
	}
}

// pack copies the columns p to q of the rows of a that begin at start, and lays
// them out as columns: column l goes to buf[l·stride:].
func pack(buf, a []float64, start []int, p, q int) {
	j := 0
	for ; j+8 <= len(start); j += 8 { // eight rows, so that whole cache lines are written
		o := start[j : j+8 : j+8]
		r0 := a[o[0]+p : o[0]+q]
		r1 := a[o[1]+p : o[1]+q][:len(r0)]
		r2 := a[o[2]+p : o[2]+q][:len(r0)]
		r3 := a[o[3]+p : o[3]+q][:len(r0)]
		r4 := a[o[4]+p : o[4]+q][:len(r0)]
		r5 := a[o[5]+p : o[5]+q][:len(r0)]
		r6 := a[o[6]+p : o[6]+q][:len(r0)]
		r7 := a[o[7]+p : o[7]+q][:len(r0)]
		b := p*stride + j
		for l := range r0 {
			d := buf[b : b+8 : b+8]
			d[0], d[1], d[2], d[3] = r0[l], r1[l], r2[l], r3[l]
			d[4], d[5], d[6], d[7] = r4[l], r5[l], r6[l], r7[l]
			b += stride
		}
	}
	for ; j < len(start); j++ {
		for l, x := range a[start[j]+p : start[j]+q] {
			buf[(p+l)*stride+j] = x
		}
	}
}
