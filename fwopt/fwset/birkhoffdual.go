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
// by bisection where they go too far (after Li, Sun & Toh, SIAM J. Optim. 30, 2020): usually 5 to 15 steps, of
// O(N²) and O(positive entries) an iteration.
//
// It ends when the sums are 1 up to rounding, 1e-15·N(1 + max |x|), or after 100 steps. A
// point of a Gauge up to 1 + 1e-15·N counts as inside. If x holds a NaN or an infinity,
// dst is all NaN.
func (b Birkhoff) Project(dst, x []float64) {
	b.check(dst, x)
	if b.Gauge(x) <= 1+1e-15*float64(b.N) {
		copy(dst, x)
		return
	}
	size := maxAbs(x)
	if math.IsNaN(size) || math.IsInf(size, 1) {
		for k := range dst {
			dst[k] = math.NaN()
		}
		return
	}
	n := b.N
	p := kern.Borrow(n*n + 12*n)
	defer kern.Return(p)
	q := &dual{n: n, x: x, w: (*p)[:n*n]}
	rest := (*p)[n*n:]
	for _, y := range []*[]float64{&q.u, &q.g, &q.step, &q.r, &q.p, &q.hp} {
		*y, rest = rest[:2*n:2*n], rest[2*n:]
	}
	q.start()
	if q.at(q.u); maxAbs(q.g) > float64(n) {
		q.assigned()
		q.at(q.u)
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

// assigned sets u and v to the prices of the assignment that is best for x, plus 1: w is 1
// there and at most 1 elsewhere. It is where an x that is far larger than 1 has its w.
func (q *dual) assigned() {
	col := make([]int, q.n)
	floats.ScaleTo(q.w, -1, q.x)
	u, v := q.u[:q.n], q.u[q.n:]
	assign(q.w, q.n, col, u)
	for j, i := range col {
		v[j] = 1 - q.x[j*q.n+i] - u[i]
	}
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
