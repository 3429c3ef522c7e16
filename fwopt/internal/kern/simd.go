package kern

//go:generate go run -C gen . -pkg kern -out ../simd_amd64.s -stubs ../simd_stub_amd64.go

// vectors says that the kernels of simd_amd64.s run, and not their plain twins, which
// give the same bits: a test can switch it off. Only rows of width numbers or more
// come to these kernels.
var vectors, wide = hasVectors(), hasWide()

// Path says which kernels run here: "AVX-512", "AVX2" or "plain Go". The bits are the same.
func Path() string {
	switch {
	case wide:
		return "AVX-512"
	case vectors:
		return "AVX2"
	}
	return "plain Go"
}

// Plainly runs f with the plain twins, for tests.
func Plainly(f func()) {
	defer func(v bool) { vectors = v }(vectors)
	vectors = false
	f()
}

const (
	width = 4       // numbers in a vector
	strip = 12      // at most so many vectors of sums stay in registers
	Chunk = 1 << 15 // at most so many numbers between two chances to preempt
	ahead = 24      // rows that Gather and Scatter ask for before they come to them
)

// reach panics if x is shorter than n, also where its capacity is not.
func reach(x []float64, n int) { _ = x[:n:len(x)] }

// flag is a bool as the kernels take it.
func flag(on bool) int {
	if on {
		return 1
	}
	return 0
}

// stripOf returns how many of the h numbers that are left of a row stay in registers at once.
func stripOf(h int) int {
	if h > strip*width {
		return 2 * strip * width / 3
	}
	return h
}

// rowsAtOnce returns how many of n rows of h numbers to do before a chance to preempt.
func rowsAtOnce(n, h int) int {
	if n <= Chunk && n*h <= Chunk { // no division for the many short ones
		return n
	}
	return min(n, max(Chunk/h, 1))
}

// piece returns how many of n numbers to do before a chance to preempt: all or Chunk,
// and then no fewer than width are left.
func piece(n int) int {
	if n < 2*Chunk {
		return n
	}
	return Chunk
}

// offRange panics as w[i·h:(i+1)·h] does if that is no part of w.
func offRange(w []float64, h int, i int32) {
	o := int(i) * h
	_ = w[o : o+h : len(w)]
	panic("kern: a kernel stopped at a row that is there")
}

// fetch returns the rows to ask for while the first n of idx are worked on.
func fetch(idx []int32, n int) (next *int32, count int) {
	if n = min(n, len(idx)-ahead); n > 0 {
		return &idx[ahead], n
	}
	return nil, 0
}

func gatherVectors(dst, w []float64, idx []int32, val []float64) {
	h := len(dst)
	for len(val) > 0 {
		if len(w) < h {
			offRange(w, h, idx[0])
		}
		n := rowsAtOnce(len(val), h)
		next, count := fetch(idx, n)
		for l := 0; l < h; {
			s := stripOf(h - l)
			if k := gatherRows(&dst[l], s, &w[l], 8*h, &val[0], n, 8*(len(w)-h), &idx[0], next,
				count); k < n {
				offRange(w, h, idx[k])
			}
			l += s
		}
		idx, val = idx[n:], val[n:]
	}
}

func gatherManyVectors(dst, w []float64, h int, ptr []int, idx []int32, val []float64, fresh bool) {
	n := len(ptr) - 1
	next, count := fetch(idx, len(idx))
	for j, rows := 0, 0; j < n; j += rows {
		for rows = min(n-j, max(Chunk/h, 1)); rows > 1 && (ptr[j+rows]-ptr[j])*h > Chunk; {
			rows /= 2
		}
		d := dst[j*h : (j+rows)*h]
		if from, to := ptr[j], ptr[j+rows]; from == to || len(w) < h || (to-from)*h > 2*Chunk {
			if fresh {
				clear(d)
			}
			for i := range rows {
				Gather(d[i*h:(i+1)*h], w, idx[ptr[j+i]:], val[ptr[j+i]:ptr[j+i+1]])
			}
		} else if k := gatherMany(&d[0], h, &w[0], 8*h, &val[0], 8*(len(w)-h), &idx[0], next, count,
			&ptr[j], rows, flag(fresh)); k < to {
			offRange(w, h, idx[k])
		}
	}
}

func scatterVectors(w, p []float64, idx []int32, val []float64) {
	h := len(p)
	for len(val) > 0 {
		if len(w) < h {
			offRange(w, h, idx[0])
		}
		n := rowsAtOnce(len(val), h)
		next, count := fetch(idx, n)
		if k := scatterRows(&w[0], 8*h, &p[0], h, &val[0], n, 8*(len(w)-h), &idx[0], next, count); k < n {
			offRange(w, h, idx[k])
		}
		idx, val = idx[n:], val[n:]
	}
}

func gatherAllVectors(dst, w, val []float64) {
	h := len(dst)
	for len(val) > 0 {
		n := rowsAtOnce(len(val), h)
		for l := 0; l < h; {
			s := stripOf(h - l)
			gatherAllRows(&dst[l], s, &w[l], 8*h, &val[0], n)
			l += s
		}
		w, val = w[n*h:], val[n:]
	}
}
