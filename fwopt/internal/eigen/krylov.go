package eigen

import (
	"math"
	"math/rand/v2"

	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"gonum.org/v1/gonum/floats"
)

// Block is how many vectors a step of Largest adds to its basis.
const Block = kern.TileCols

// Largest looks for the largest eigenvalues and vectors of a symmetric positive semidefinite
// matrix G of order s by the block Lanczos method, from the Block rows of start, or if that
// is nil, or where a row is of no use, from random vectors, always the same. It knows the product
// mul(w, q, n) only: q has n rows of s numbers, and w gets G·qᵀ, s rows of n. When its basis has
// m ≥ due vectors it finds the Ritz values, the eigenvalues of G seen from there, and calls wanted
// with them, ascending: it returns how many of the largest are wanted, or 0 to ask for a larger
// basis, and how accurate they must be, as a bound on √(Σ ‖Gu_i − λ_i·u_i‖²/λ_i). Less than 0 gives
// up, and so does a basis of s/2 vectors, or 512.
//
// It fills the first r rows of u, of s numbers each, with the Ritz vectors, that of the
// smallest value first, and lambda with their values, ascending; u has space for s/2 rows.
// Then they are orthonormal, up to rounding, and as accurate; else r = 0. That nothing else
// is as large it does not know. It costs m + r of the products of s numbers, m²s
// multiplications to keep the basis orthogonal, and rms at the end.
//
// With a random block of p vectors it needs, for a spectrum that falls, far fewer steps
// than one vector does, in fast products of matrices, and it sees p copies of an eigenvalue
// (Golub and Underwood, The block Lanczos method, 1977; Musco and Musco, NIPS 2015).
func Largest(u, lambda []float64, s int, start []float64, due int, mul func(w, q []float64, n int),
	wanted func(ritz []float64) (r int, limit float64)) (r, m int) {
	most := min(s/2, 512)
	store := kern.Borrow(most*s + 2*most*most + most + Block*(s+most+Block))
	defer kern.Return(store)
	cut := cutter(*store)
	k := krylov{mul: mul, s: s, most: most, q: cut(most * s), t: cut(most * most), w: cut(Block * s),
		h: cut(most * Block), b: cut(Block * Block), rng: rand.New(rand.NewPCG(0, 0))}
	vectors, values := cut(most*most), cut(most)
	k.begin(start)
	far, before := math.Inf(1), 0 // how far the last vectors were off, in a basis of so many
	for k.extend() {
		n := k.done
		if n < due {
			continue
		}
		if due = n + Block; start == nil {
			due = max(due, n*6/5)
		}
		for i := range n {
			copy(vectors[i*n:i*n+i+1], k.t[i*most:])
		}
		limit, r := 0.0, 0
		if !EigenLargest(vectors[:n*n], values[:n], func(ritz []float64) int {
			r, limit = wanted(ritz)
			return max(r, 0)
		}) || r < 0 {
			break
		}
		if r == 0 {
			continue
		}
		off := k.off(vectors[:r*n], values[n-r:n])
		// Where it falls so slowly that twice the space would not do, it ends here.
		fall, left := math.Log(far/off)/float64(n-before), math.Log(off/limit)
		if 2*n > most && float64(2*(most-n))*fall < left {
			break
		}
		if start == nil && before > 0 && fall > 0 { // no more than its fall so far asks for
			due = min(due, n+int(math.Ceil(left/fall)))
		}
		far, before = off, n
		if off <= limit {
			copy(lambda, values[n-r:n])
			kern.Mul(u, s, vectors, n, false, k.q, s, false, r, s, n, 1, 0)
			if accurate(mul, s, u[:r*s], lambda[:r], limit) {
				return r, n
			}
		}
	}
	return 0, 0
}

// begin makes the first rows of q.
func (k *krylov) begin(start []float64) {
	for s := k.s; k.m < min(Block, k.most); k.m++ {
		x := k.q[k.m*s : k.m*s+s]
		if start == nil {
			k.draw(x)
			continue
		}
		copy(x, start[k.m*s:])
		if n := norm(x); !(n > 1e-100 && n < 1e100) {
			k.draw(x)
			continue
		}
		floats.Scale(1/norm(x), x)
		for range 2 {
			k.clean(x, 0, -1)
		}
		if n := norm(x); n > 1e-8 {
			floats.Scale(1/n, x)
		} else {
			k.draw(x)
		}
	}
}

// accurate reports whether the rows of u are orthonormal, up to rounding, and their
// √(Σ ‖Gu − λu‖²/λ) is at most the limit.
func accurate(mul func(w, q []float64, n int), s int, u, lambda []float64, limit float64) bool {
	r := len(lambda)
	buf := kern.Borrow(s*r + r*r)
	defer kern.Return(buf)
	w, v := (*buf)[:s*r], (*buf)[s*r:]
	mul(w, u, r)
	off, skew := 0.0, 0.0
	for i := range s {
		for c, x := range w[i*r : i*r+r] {
			x -= float64(lambda[c] * u[c*s+i])
			off += float64(x * x / lambda[c])
		}
	}
	kern.Mul(v, r, u, s, false, u, s, true, r, r, s, 1, 0)
	for i := range r {
		v[i*r+i]--
	}
	for _, x := range v {
		skew += float64(x * x)
	}
	return math.Sqrt(off) <= limit && math.Sqrt(skew) <= 8*float64(s)*0x1p-52
}

// krylov is a basis, the rows of q, and G seen from there: row i of t has the numbers of
// ⟨q_i, G·q_j⟩, j ≤ i.
type krylov struct {
	mul  func(w, q []float64, n int)
	s    int
	most int // rows for which there is space
	q, t []float64
	m    int       // rows of q
	done int       // those for which t is known
	last int       // rows of q that were new in the last step
	b    []float64 // G times these has these parts in the rows from done on
	w, h []float64 // scratch
	top  float64   // about ‖G‖
	rng  *rand.Rand
}

// extend multiplies the newest rows by G, and makes what is new in the products the next
// rows. It reports whether there is space for them.
func (k *krylov) extend() bool {
	s, n := k.s, k.m-k.done
	if k.m+n > k.most {
		return false
	}
	w := k.w[:s*n] // of n columns
	k.mul(w, k.q[k.done*s:k.m*s], n)
	for i := k.done; i < k.m; i++ {
		clear(k.t[i*k.most : i*k.most+k.m])
	}
	// In exact arithmetic only the last two blocks have a part in the products; what
	// rounding leaves of the others is small, so that once is enough for them.
	k.remove(w, n, max(0, k.done-k.last))
	k.remove(w, n, 0)
	next := k.q[k.m*s : (k.m+n)*s]
	for i := range s {
		for c, x := range w[i*n : i*n+n] {
			next[c*s+i] = x
		}
	}
	clear(k.b)
	k.done, k.last = k.m, n
	for c := range n {
		k.add(c)
	}
	return true
}

// remove takes the rows of q from lo on out of the columns of w, and notes their parts.
func (k *krylov) remove(w []float64, n, lo int) {
	h, q := k.h[:(k.m-lo)*n], k.q[lo*k.s:]
	kern.Mul(h, n, q, k.s, false, w, n, false, k.m-lo, n, k.s, 1, 0)
	kern.Mul(w, n, q, k.s, true, h, n, false, k.s, n, k.m-lo, -1, 1)
	for i := range k.m - lo {
		for c, x := range h[i*n : i*n+n] {
			k.t[(k.done+c)*k.most+lo+i] += x
			k.top = max(k.top, math.Abs(x))
		}
	}
}

// add makes column c of the last products, which is in the place of the next row of q, a
// unit vector orthogonal to all rows; if nothing is left of it, a random one.
func (k *krylov) add(c int) {
	x := k.q[k.m*k.s : (k.m+1)*k.s]
	before := norm(x)
	for range 2 {
		k.clean(x, k.done, c)
	}
	after := norm(x)
	if after < before/16 { // what is left may have parts of older rows
		k.clean(x, 0, -1)
		after = norm(x)
	}
	if after <= 0x1p-50*k.top {
		k.draw(x)
	} else {
		k.b[c*Block+c] = after
		floats.Scale(1/after, x)
	}
	k.m++
}

// clean takes the rows of q from lo on out of x, and adds their parts to column c of b.
func (k *krylov) clean(x []float64, lo, c int) {
	n := k.m - lo
	if n == 0 {
		return
	}
	h, q := k.h[:n], k.q[lo*k.s:]
	kern.Dots(h, q, k.s, x)
	for i := range h {
		h[i] = -h[i]
		if c >= 0 {
			k.b[i*Block+c] -= h[i]
		}
	}
	kern.Combine(x, q, k.s, h)
}

// draw makes x a random unit vector orthogonal to all rows of q.
func (k *krylov) draw(x []float64) {
	for i := range x {
		x[i] = k.rng.NormFloat64()
	}
	for range 2 {
		k.clean(x, 0, -1)
	}
	floats.Scale(1/norm(x), x)
}

// off returns √(Σ ‖Gu − λu‖²/λ) for Ritz vectors, the rows of v in the basis q.
func (k *krylov) off(v, lambda []float64) float64 {
	sum := 0.0
	for i, l := range lambda {
		end := v[(i+1)*k.done-k.last : (i+1)*k.done]
		square := 0.0
		for r := range k.last {
			x := 0.0
			for c, y := range end {
				x += float64(k.b[r*Block+c] * y)
			}
			square += float64(x * x)
		}
		sum += square / l
	}
	return math.Sqrt(sum)
}

func norm(x []float64) float64 { return math.Sqrt(kern.DotPlain(x, x)) }
