package eigen

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/projection-free/fwlab/fwopt/internal/kern"
)

// leaf is the order up to which a tridiagonal matrix is not divided.
const leaf = 24

// A divider finds the eigenvalues and vectors of a tridiagonal matrix T of order n, with
// diagonal d and off-diagonal e[:n−1], of about norm 1: T is two halves and a matrix of
// rank one, and so is each half. The vectors of the part from lo to hi are the rows lo to
// hi of q, in their columns lo to hi, and d has their eigenvalues, in any order.
type divider struct {
	n             int
	d, e          []float64
	q, pack, s    []float64 // n × n; the last two are scratch space
	z, pole, zeta []float64 // n each, of the part that is being merged
	root          []float64
	equation      secular
	lists         []int
	order, kind   []int
	keep, gone    []int // rows of the part that change, by pole, and that stay
	place         []int // where the rows of keep are packed
	first         int   // the first root whose vector is wanted
}

// The columns of its part in which a vector is not zero.
const (
	inFirst = iota
	inBoth
	inSecond
)

var dividers = sync.Pool{New: func() any { return new(divider) }}

// solve leaves all eigenvalues in d, ascending, asks count how many vectors are wanted
// of the largest, and returns in which rows of q they are, by ascending eigenvalues;
// these are the first rows of q. It reports whether all iterations converged.
func (t *divider) solve(count func(w []float64) int) (rows []int, ok bool) {
	n := t.n
	t.lists = slices.Grow(t.lists[:0], 5*n)[:5*n]
	list := func(i int) []int { return t.lists[i*n : i*n+n : i*n+n] }
	t.order, t.kind, t.keep, t.gone, t.place = list(0), list(1), list(2), list(3), list(4)
	clear(t.q)
	ok = t.part(0, n, count)
	return t.order, ok
}

// each calls f for pieces of 0, …, n−1, on all processors, or if n² is small for all at
// once: this allocates nothing.
func (t *divider) each(n, grain int, f func(t *divider, lo, hi int)) {
	if n*n <= kern.Chunk {
		f(t, 0, n)
		return
	}
	kern.Do(n, grain, func(lo, hi int) { f(t, lo, hi) })
}

// part solves the part from lo to hi; only all of T has a count.
func (t *divider) part(lo, hi int, count func(w []float64) int) bool {
	if hi-lo <= leaf {
		ok := t.leaf(lo, hi)
		if ok && count != nil { // all of T is a leaf, the vectors of which are only chosen
			t.keep = t.keep[:0]
			for i := range t.gone {
				t.gone[i] = i
			}
			t.join(0, 0, hi, count)
		}
		return ok
	}
	mid := (lo + hi) / 2
	beta := t.e[mid-1] // leaves overwrite e
	t.d[mid-1] -= math.Abs(beta)
	t.d[mid] -= math.Abs(beta)
	if !t.part(lo, mid, nil) || !t.part(mid, hi, nil) {
		return false
	}
	t.deflate(lo, mid, hi, beta)
	if !t.roots() {
		return false
	}
	t.join(lo, mid, hi, count)
	return true
}

// deflate makes the problem of the part out of those of its halves: D + ρ·z·zᵀ, where D has
// the eigenvalues of both. The rows for which z is zero, up to rounding, stay as they
// are, and where two eigenvalues are equal, a rotation makes one such row. What is left,
// with k distinct poles, is in keep and equation.
func (t *divider) deflate(lo, mid, hi int, beta float64) {
	n, q, z, d := t.n, t.q, t.z, t.d
	top, topZ := 0.0, 0.0
	order := t.order[:hi-lo]
	for i := lo; i < hi; i++ {
		if i < mid {
			z[i], t.kind[i] = q[i*n+mid-1]*math.Sqrt2/2, inFirst
		} else {
			z[i], t.kind[i] = math.Copysign(1, beta)*q[i*n+mid]*math.Sqrt2/2, inSecond
		}
		top, topZ = max(top, math.Abs(d[i])), max(topZ, math.Abs(z[i]))
		order[i-lo] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(d[i], d[j]), i-j) })
	rho := 2 * math.Abs(beta)
	tol := 0x1p-50 * max(top, topZ)
	t.keep, t.gone = t.keep[:0], t.gone[:0]
	last := -1
	for _, i := range order {
		if rho*math.Abs(z[i]) <= tol {
			t.gone = append(t.gone, i)
			continue
		}
		if last >= 0 {
			norm := math.Sqrt(float64(z[last]*z[last]) + float64(z[i]*z[i]))
			c, s := z[i]/norm, -z[last]/norm
			if math.Abs((d[i]-d[last])*c*s) > tol {
				t.keep = append(t.keep, last)
			} else {
				t.gone = append(t.gone, last)
				z[i] = norm
				if t.kind[i] != t.kind[last] {
					t.kind[i] = inBoth
				}
				turn(q[last*n+lo:last*n+hi], q[i*n+lo:i*n+hi], c, s)
				d[last], d[i] = float64(d[last]*c*c)+float64(d[i]*s*s), float64(d[last]*s*s)+float64(d[i]*c*c)
			}
		}
		last = i
	}
	if last >= 0 {
		t.keep = append(t.keep, last)
	}
	k := len(t.keep)
	t.equation = secular{pole: t.pole[:k], zeta: t.zeta[:k], rho: rho}
	for i, row := range t.keep {
		t.pole[i], t.zeta[i] = d[row], z[row]
		t.equation.norm2 += float64(z[row] * z[row])
	}
}

// turn replaces x and y by c·x + s·y and c·y − s·x.
func turn(x, y []float64, c, s float64) {
	y = y[:len(x)]
	for l, a := range x {
		b := y[l]
		x[l], y[l] = float64(c*a)+float64(s*b), float64(c*b)-float64(s*a)
	}
}

// join makes the vectors of a part: of all of it, or of those that count, if it is not
// nil, asks for.
func (t *divider) join(lo, mid, hi int, count func(w []float64) int) {
	k, n, first := len(t.keep), t.n, 0
	if count != nil {
		first = t.wanted(count)
	} else {
		for i, row := range t.gone {
			t.z[i] = t.d[row]
		}
		copy(t.d[lo:], t.root[:k])
		copy(t.d[lo+k:], t.z[:len(t.gone)])
	}
	c1, c2, rest := t.pick(lo, mid, hi)
	t.vectors(first)
	r, s, q := k-first, t.s[first*k:], t.q[lo*n+lo:]
	if r > 0 {
		kern.Mul(q, n, s, k, false, t.pack, mid-lo, false, r, mid-lo, c1+c2, 1, 0)
		kern.Mul(q[mid-lo:], n, s[c1:], k, false, t.pack[(c1+c2)*(mid-lo):], hi-mid, false, r, hi-mid, k-c1,
			1, 0)
	}
	for i := range t.gone {
		copy(q[(r+i)*n:][:hi-lo], rest[i*(hi-lo):])
	}
}

// wanted leaves all eigenvalues in d, ascending, asks how many vectors are wanted, and
// returns the first root that is. gone is left with those that are, and order has the
// rows of q to which all these will go.
func (t *divider) wanted(count func(w []float64) int) (first int) {
	k, n := len(t.keep), t.n
	slices.SortFunc(t.gone, func(i, j int) int { return cmp.Or(cmp.Compare(t.d[i], t.d[j]), i-j) })
	for i, row := range t.gone {
		t.z[i] = t.d[row]
	}
	for i, j := 0, 0; i+j < n; {
		if j == len(t.gone) || i < k && t.root[i] <= t.z[j] {
			t.d[i+j], t.order[i+j] = t.root[i], i
			i++
		} else {
			t.d[i+j], t.order[i+j] = t.z[j], k+j
			j++
		}
	}
	t.order = t.order[n-count(t.d):]
	stay := len(t.gone)
	first = k
	for _, p := range t.order {
		if p < k {
			first = min(first, p)
		} else {
			stay = min(stay, p-k)
		}
	}
	t.gone = t.gone[stay:]
	for i, p := range t.order {
		if p >= k {
			p -= stay
		}
		t.order[i] = p - first
	}
	return first
}

// pick copies what the rows of the part have to pack, those that change by kind: c1 in
// the first half only, c2 in both; the ones in both go to the first half and to the
// second one. What stays comes last.
func (t *divider) pick(lo, mid, hi int) (c1, c2 int, rest []float64) {
	row := func(i, from, to int) []float64 { return t.q[i*t.n+from : i*t.n+to] }
	next, at := t.pack, 0
	put := func(x []float64) { next = next[copy(next, x):] }
	for kind := inFirst; kind <= inSecond; kind++ {
		for i, r := range t.keep {
			if t.kind[r] == kind {
				t.place[i] = at
				at++
				if kind != inSecond {
					put(row(r, lo, mid))
				}
			}
		}
		switch kind {
		case inFirst:
			c1 = at
		case inBoth:
			c2 = at - c1
		}
	}
	for kind := inBoth; kind <= inSecond; kind++ {
		for _, r := range t.keep {
			if t.kind[r] == kind {
				put(row(r, mid, hi))
			}
		}
	}
	rest = next
	for _, r := range t.gone {
		put(row(r, lo, hi))
	}
	return c1, c2, rest
}
