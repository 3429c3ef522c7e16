package fwset

import (
	"math"

	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"gonum.org/v1/gonum/floats"
)

// Project computes the projection dst_ij = max{0, x_ij + u_i + v_j}, with the u and v that
// minimise φ(u, v) = ½ Σ max{0, x_ij + u_i + v_j}² − Σ u_i − Σ v_j, the dual problem: at
// its minimum the sums of dst's rows and columns are 1. It takes Newton steps on ∇φ, which
// is piecewise linear, each by conjugate gradients over the entries that are positive, cut
// by bisection where they go too far (after Li, Sun & Toh, SIAM J. Optim. 30, 2020): usually 5 to 15 steps,
// of O(N²) and O(positive entries) an iteration. Where x is large, an assignment gives it
// numbers of about 1 first, so that no digit is lost: dst is in Ω for any finite x.
//
// It ends when the sums are 1 up to rounding, 1e-15·N(1 + max |x|) with |x| ≤ 100, or after
// 100 steps. A point of a Gauge up to 1 + 1e-15·N counts as inside. If x holds a NaN or an
// infinity, dst is all NaN.
func (b Birkhoff) Project(dst, x []float64) {
	b.check(dst, x)
	if b.Gauge(x) <= 1+1e-15*float64(b.N) {
		copy(dst, x)
		return
	}
	if notFinite(dst, x) {
		return
	}
	n, size := b.N, maxAbs(x)
	p := kern.Borrow(2*n*n + 12*n)
	defer kern.Return(p)
	q := &dual{n: n, x: x, w: (*p)[:n*n]}
	rest := (*p)[2*n*n:]
	for _, y := range []*[]float64{&q.u, &q.g, &q.step, &q.r, &q.p, &q.hp} {
		*y, rest = rest[:2*n:2*n], rest[2*n:]
	}
	q.start()
	if q.at(q.u); size > 100 || maxAbs(q.g) > float64(n) {
		q.near((*p)[n*n:2*n*n], size)
		q.at(q.u)
		size = 1
	}
	for range 100 {
		norm := maxAbs(q.g)
		if norm <= 1e-15*float64(n)*(1+size) {
			break
		}
		q.direction(norm)
		q.search(-floats.Dot(q.g, q.step))
	}
	copy(dst, q.w)
}

// dual is the state of a projection. Vectors of 2n numbers are u and v one after the other.
type dual struct {
	n           int
	x, w        []float64 // w = max{0, x + u + v}
	u           []float64 // u and v
	g           []float64 // ∇φ
	step        []float64
	r, p, hp    []float64 // of the conjugate gradients
	first, rows []int32   // the rows of the positive entries of w, column by column
}

// start sets u and v as they are where w ≥ 0 plays no part.
func (q *dual) start() {
	n, sum := float64(q.n), 0.0
	u, v := q.u[:q.n], q.u[q.n:]
	clear(q.u)
	for j := range v {
		for i, x := range q.x[j*q.n : (j+1)*q.n] {
			u[i] -= x / n
			v[j] -= x / n
			sum += x / n / n
		}
	}
	for k := range u {
		u[k] += 1/n + sum/2
		v[k] += sum / 2
	}
}

// near replaces x by x + u + v, which has the same projection, and puts it into y: with the
// prices of an assignment that is best for x, plus 1, it is 1 there and at most 1 elsewhere.
// What the rounding of u and v leaves of it falls to the next round.
func (q *dual) near(y []float64, size float64) {
	unit := 1.0 // what 1 is in y
	if size > 1e300 {
		unit = 0x1p-60 // sums shall not overflow
	}
	floats.ScaleTo(y, unit, q.x)
	col, u, v := make([]int, q.n), q.u[:q.n], q.u[q.n:]
	for last, off := math.Inf(1), math.MaxFloat64; off > unit/2 && off < last; {
		far := 4 * float64(q.n) * off // what is so far below 0 has no part in an assignment
		for k, x := range y {
			q.w[k] = min(-x, far)
		}
		assign(q.w, q.n, col, u)
		last, off = off, 0
		for j, i := range col {
			c := y[j*q.n : (j+1)*q.n]
			v[j] = unit - c[i] - u[i]
			for i := range c {
				c[i] = sum3(c[i], u[i], v[j])
				off = max(off, c[i]-unit)
			}
			off = max(off, unit-c[i])
		}
	}
	for k := range y {
		y[k] = max(y[k]/unit, -1e300) // finite; all that is far below 0 is 0 in w
	}
	q.x = y
	clear(q.u)
}

// sum3 returns a + b + c, accurate also where the three all but cancel.
func sum3(a, b, c float64) float64 {
	s, e := twoSum(a, b)
	s, f := twoSum(s, c)
	e, f = twoSum(e, f)
	s, e = twoSum(s, e)
	return s + (e + f)
}

// twoSum returns a + b and what rounding takes from it (Knuth).
func twoSum(a, b float64) (s, e float64) {
	s = a + b
	d := s - a
	return s, (a - (s - d)) + (b - d)
}

// at computes w and ∇φ, the sums of w's rows and columns less 1.
func (q *dual) at(u []float64) {
	for k := range q.g {
		q.g[k] = -1
	}
	for j, v := range u[q.n:] {
		w, sum := q.w[j*q.n:(j+1)*q.n], 0.0
		for i, x := range q.x[j*q.n : (j+1)*q.n] {
			x = max(0, x+u[i]+v)
			w[i] = x
			q.g[i] += x
			sum += x
		}
		q.g[q.n+j] += sum
	}
}

// search moves u by γ·step, where φ′(γ), which is −slope at 0, is near 0: with γ = 1 as a
// rule, and else by doubling, as where a row and a column have no positive entry to do
// with each other, and bisection. Values of φ would drown in rounding.
func (q *dual) search(slope float64) {
	lo, hi, γ := 0.0, math.Inf(1), 1.0
	for range 60 {
		floats.AddScaledTo(q.r, q.u, γ, q.step)
		q.at(q.r)
		switch d := floats.Dot(q.g, q.step); {
		case d > 0.1*slope:
			hi = γ
		case d < -0.5*slope:
			lo = γ
		default:
			copy(q.u, q.r)
			return
		}
		if γ = (lo + hi) / 2; math.IsInf(hi, 1) {
			γ = 2 * lo
		}
	}
	copy(q.u, q.r)
}

// pattern notes where w is positive.
func (q *dual) pattern() {
	q.first, q.rows = append(q.first[:0], 0), q.rows[:0]
	for j := range q.n {
		for i, x := range q.w[j*q.n : (j+1)*q.n] {
			if x > 0 {
				q.rows = append(q.rows, int32(i))
			}
		}
		q.first = append(q.first, int32(len(q.rows)))
	}
}

// direction solves (H + εI)·step = −g by conjugate gradients, where H is the Hessian of φ:
// the counts of positive entries in rows and columns, and their pattern between them.
func (q *dual) direction(norm float64) {
	q.pattern()
	ε := min(1e-3, 0.1*norm)
	clear(q.step)
	floats.ScaleTo(q.r, -1, q.g)
	copy(q.p, q.r)
	rr := floats.Dot(q.r, q.r)
	goal := rr * min(1e-4, norm*norm)
	for range 4 * q.n {
		if rr <= goal {
			break
		}
		floats.ScaleTo(q.hp, ε, q.p)
		for j := range q.n {
			sum, v := 0.0, q.p[q.n+j]
			for _, i := range q.rows[q.first[j]:q.first[j+1]] {
				x := q.p[i] + v
				q.hp[i] += x
				sum += x
			}
			q.hp[q.n+j] += sum
		}
		α := rr / floats.Dot(q.p, q.hp)
		floats.AddScaled(q.step, α, q.p)
		floats.AddScaled(q.r, -α, q.hp)
		next := floats.Dot(q.r, q.r)
		floats.AddScaledTo(q.p, q.r, next/rr, q.p)
		rr = next
	}
	t := (floats.Sum(q.step[:q.n]) - floats.Sum(q.step[q.n:])) / float64(2*q.n)
	floats.AddConst(-t, q.step[:q.n]) // u + t and v − t are the same w
	floats.AddConst(t, q.step[q.n:])
}
