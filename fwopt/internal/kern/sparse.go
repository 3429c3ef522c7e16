// Package kern holds the kernels that must be fast. A matrix of h numbers a
// row is a flat slice, row by row: the weights W of a linear predictor are one
// row of h class weights per feature, the scores P one row per example.
//
// Results depend on the arguments only: not on the number of threads, nor on the
// processor: see simd.go. Not so yet the loss, by math.Log1p.
package kern

import "unsafe"

// Gather does dst += Σ_k val[k] · W[idx[k]], where W has rows of len(dst)
// numbers. With W the weights and (idx, val) an example it gives the scores of
// the example; with W the derivatives by the scores and (idx, val) a column of
// the data it gives a row of the gradient.
//
// The terms are added in order, each with two roundings. idx may be longer than val:
// the rows after the last one are then asked for, as those that come next.
func Gather(dst, w []float64, idx []int32, val []float64) {
	idx = idx[:len(idx):len(idx)]
	switch _ = idx[:len(val)]; {
	case len(dst) == 1:
		ptr := [2]int{0, len(val)}
		dotMany(dst, w, ptr[:], idx, val, false)
	case vectors && len(dst) >= width:
		gatherVectors(dst, w, idx, val)
	default:
		gatherPlain(dst, w, idx[:len(val)], val)
	}
}

func gatherPlain(dst, w []float64, idx []int32, val []float64) {
	h := len(dst)
	w = w[:len(w):len(w)]
	switch h { // in registers, a quarter of the time
	case 2:
		s0, s1 := dst[0], dst[1]
		for k, v := range val {
			o := int(idx[k]) * 2
			x := w[o : o+2]
			s0 += float64(v * x[0])
			s1 += float64(v * x[1])
		}
		dst[0], dst[1] = s0, s1
		return
	case 3:
		s0, s1, s2 := dst[0], dst[1], dst[2]
		for k, v := range val {
			o := int(idx[k]) * 3
			x := w[o : o+3]
			s0 += float64(v * x[0])
			s1 += float64(v * x[1])
			s2 += float64(v * x[2])
		}
		dst[0], dst[1], dst[2] = s0, s1, s2
		return
	}
	// Four rows at once: a quarter of the traffic to dst, and four loads on
	// their way from memory together.
	k := 0
	for ; k+4 <= len(val); k += 4 {
		o0, o1, o2, o3 := int(idx[k])*h, int(idx[k+1])*h, int(idx[k+2])*h, int(idx[k+3])*h
		x0, x1, x2, x3 := w[o0:o0+h], w[o1:o1+h], w[o2:o2+h], w[o3:o3+h]
		x0, x1, x2, x3 = x0[:len(dst)], x1[:len(dst)], x2[:len(dst)], x3[:len(dst)]
		v0, v1, v2, v3 := val[k], val[k+1], val[k+2], val[k+3]
		for l := range dst {
			dst[l] = dst[l] + float64(v0*x0[l]) + float64(v1*x1[l]) + float64(v2*x2[l]) + float64(v3*x3[l])
		}
	}
	for ; k < len(val); k++ {
		o := int(idx[k]) * h
		x := w[o : o+h][:len(dst)]
		v := val[k]
		for l := range dst {
			dst[l] += float64(v * x[l])
		}
	}
}

// GatherMany does Gather for all rows of dst, of h numbers: with (idx, val) from
// ptr[j] to ptr[j+1] for row j. If fresh, dst need not hold numbers, and counts as 0.
// Ptr must not fall.
func GatherMany(dst, w []float64, h int, ptr []int, idx []int32, val []float64, fresh bool) {
	n := len(ptr) - 1
	reach(dst, h*n)
	reach(val, ptr[n])
	_ = idx[ptr[0]:ptr[n]:len(idx)]
	switch {
	case h == 1:
		dotMany(dst[:n], w, ptr, idx, val, fresh)
		return
	case vectors && width <= h && h <= strip*width:
		gatherManyVectors(dst, w, h, ptr, idx, val, fresh)
		return
	}
	if fresh {
		clear(dst[:h*n])
	}
	for j := range n {
		Gather(dst[j*h:(j+1)*h], w, idx[ptr[j]:], val[ptr[j]:ptr[j+1]])
	}
}

// dotMany is GatherMany for rows of one number.
func dotMany(dst, w []float64, ptr []int, idx []int32, val []float64, fresh bool) {
	n := len(dst)
	for j, rows := 0, 0; j < n; j += rows {
		for rows = min(n-j, Chunk); rows > 1 && ptr[j+rows]-ptr[j] > Chunk; {
			rows /= 2
		}
		from, to := ptr[j], ptr[j+rows]
		if vectors && from < to && to-from <= 2*Chunk && len(w) > 0 {
			k := dotRows(&dst[j], &w[0], uint32(len(w)-1), &ptr[j], rows, &idx[0], &val[0], flag(fresh))
			if k == to {
				continue
			}
		}
		for i := j; i < j+rows; i++ { // also where an index is out of range, to panic
			s := dot(w, idx[ptr[i]:ptr[i+1]], val[ptr[i]:ptr[i+1]])
			if !fresh {
				s += dst[i]
			}
			dst[i] = s
		}
	}
}

// Fetch asks for the numbers of val and idx, so that they are on their way from memory
// together.
func Fetch(idx []int32, val []float64) {
	if vectors && len(idx) > 1 && len(val) > 1 { // two indices are as long as a number
		fetchAll((*float64)(unsafe.Pointer(&idx[0])), len(idx)/2)
		fetchAll(&val[0], len(val))
	}
}

// dot returns Σ_k val[k] · w[idx[k]].
func dot(w []float64, idx []int32, val []float64) float64 {
	var s0, s1, s2, s3 float64
	k := 0
	for ; k+4 <= len(val); k += 4 {
		s0 += float64(val[k] * w[idx[k]])
		s1 += float64(val[k+1] * w[idx[k+1]])
		s2 += float64(val[k+2] * w[idx[k+2]])
		s3 += float64(val[k+3] * w[idx[k+3]])
	}
	for ; k < len(val); k++ {
		s0 += float64(val[k] * w[idx[k]])
	}
	return (s0 + s1) + (s2 + s3)
}

// Scatter does W[idx[k]] += val[k] · p for all k, where W has rows of len(p)
// numbers: the transpose of Gather. idx may be longer than val, as there.
func Scatter(w, p []float64, idx []int32, val []float64) {
	idx = idx[:len(idx):len(idx)]
	switch _ = idx[:len(val)]; {
	case len(p) == 1:
		for k, v := range val {
			w[idx[k]] += float64(v * p[0])
		}
	case vectors && len(p) >= width:
		scatterVectors(w, p, idx, val)
	default:
		scatterPlain(w, p, idx[:len(val)], val)
	}
}

func scatterPlain(w, p []float64, idx []int32, val []float64) {
	h := len(p)
	w = w[:len(w):len(w)]
	switch h {
	case 2:
		p0, p1 := p[0], p[1]
		for k, v := range val {
			o := int(idx[k]) * 2
			x := w[o : o+2]
			x[0] += float64(v * p0)
			x[1] += float64(v * p1)
		}
		return
	case 3:
		p0, p1, p2 := p[0], p[1], p[2]
		for k, v := range val {
			o := int(idx[k]) * 3
			x := w[o : o+3]
			x[0] += float64(v * p0)
			x[1] += float64(v * p1)
			x[2] += float64(v * p2)
		}
		return
	}
	for k, v := range val {
		o := int(idx[k]) * h
		x := w[o : o+h][:len(p)]
		for l, y := range p {
			x[l] += float64(v * y)
		}
	}
}

// GatherAll is Gather with all rows of W, in order: dst += Σ_k val[k] · W[k].
func GatherAll(dst, w, val []float64) {
	h := len(dst)
	reach(w, h*len(val))
	switch {
	case h == 1:
		dst[0] += Dot(val, w[:len(val)])
	case vectors && h >= width:
		gatherAllVectors(dst, w, val)
	default:
		gatherAllPlain(dst, w, val)
	}
}

func gatherAllPlain(dst, w, val []float64) {
	h, k := len(dst), 0
	for ; k+4 <= len(val); k += 4 {
		x := w[k*h : (k+4)*h]
		x0, x1, x2, x3 := x[:h][:len(dst)], x[h : 2*h][:len(dst)], x[2*h : 3*h][:len(dst)], x[3*h:][:len(dst)]
		v0, v1, v2, v3 := val[k], val[k+1], val[k+2], val[k+3]
		for l := range dst {
			dst[l] = dst[l] + float64(v0*x0[l]) + float64(v1*x1[l]) + float64(v2*x2[l]) + float64(v3*x3[l])
		}
	}
	for ; k < len(val); k++ {
		x := w[k*h : k*h+h][:len(dst)]
		v := val[k]
		for l := range dst {
			dst[l] += float64(v * x[l])
		}
	}
}

// Axpy does x += c·y. As a matrix of one row this is a task for addRows.
func Axpy(x []float64, c float64, y []float64) {
	y = y[:len(x)]
	if !vectors || len(x) < width || c == 0 {
		for l, y := range y {
			x[l] += float64(c * y)
		}
		return
	}
	for n := 0; len(x) > 0; x, y = x[n:], y[n:] {
		n = piece(len(x))
		addRows(&x[0], &y[0], n, &c, 1, 1)
	}
}
