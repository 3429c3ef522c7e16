package kern

import "math"

// A Part says what of each number a kernel of this file takes: all of it, or its size.
type Part uint64

const (
	Whole Part = 1<<64 - 1
	Size  Part = 1<<63 - 1
)

func (p Part) of(x float64) float64 { return math.Float64frombits(math.Float64bits(x) & uint64(p)) }

const many = 16 // sums of Total

// Total returns the sum of the numbers and the largest, NaN left out; −Inf if there is
// none. Number j goes to sum j mod 16, and these are added at the end.
func Total(x []float64, part Part) (sum, top float64) {
	var s, m [many]float64
	for i := range m {
		m[i] = math.Inf(-1)
	}
	if vectors {
		for len(x) >= many {
			n := piece(len(x)) &^ (many - 1)
			totals(&x[0], n, uint64(part), &s[0], &m[0])
			x = x[n:]
		}
	}
	for len(x) > 0 {
		n := min(len(x), many)
		for i, v := range x[:n] {
			v = part.of(v)
			s[i] += v
			if v > m[i] {
				m[i] = v
			}
		}
		x = x[n:]
	}
	for n := many / 2; n > 0; n /= 2 {
		for i := range n {
			s[i] += s[i+n]
			m[i] = max(m[i], m[i+n])
		}
	}
	return s[0], m[0] + 0 // no negative zero
}

// Above writes the numbers x_j − top that are at least least to dst, one after the other,
// and returns how many there are. The rest of dst, which is as long as x, then holds
// rubbish. dst may be x.
func Above(dst, x []float64, part Part, top, least float64) (count int) {
	reach(dst, len(x))
	if vectors {
		for len(x) >= width {
			n := piece(len(x)) &^ (width - 1)
			count += aboves(&dst[count], &x[0], n, uint64(part), top, least)
			x = x[n:]
		}
	}
	for _, v := range x {
		if v = part.of(v) - top; v >= least {
			dst[count] = v
			count++
		}
	}
	return count
}

// Shrink does dst_j = max(0, x_j − top − theta), or NaN; of the Size of a number it is that
// with the number's sign. dst may be x.
func Shrink(dst, x []float64, part Part, top, theta float64) {
	reach(dst, len(x))
	if vectors {
		for len(x) >= width {
			n := piece(len(x)) &^ (width - 1)
			shrinks(&dst[0], &x[0], n, uint64(part), top, theta)
			dst, x = dst[n:], x[n:]
		}
	}
	for j, v := range x {
		y := part.of(v) - top - theta
		if y <= 0 {
			y = 0
		}
		dst[j] = math.Float64frombits(math.Float64bits(y) | math.Float64bits(v)&^uint64(part))
	}
}
