package fwset

import (
	"math"

	"github.com/projection-free/fwlab/fwopt/internal/eigen"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"gonum.org/v1/gonum/floats"
)

// Factors finds argmin_{v∈Ω} ⟨D + cB + Σ_i w_i a_i, v⟩ on a trace-norm ball for one D and many c and w, where
// the a_i = s_i ℓ_iᵀ are vertices: the sum is not written out. It holds K, the products of the columns of Z =
// [D B ℓ_1 … ℓ_q], so that the Gram matrix of the sum, ZC for a small matrix C, is CᵀKC.
//
// With h = H and q vertices to begin with, Start costs (2h+q)²M/2 multiplications, or (h+q)²M/2 if B is a sum of
// the vertices, Argmin (2h+q)(h+q)h + 2h³/3 and at most four passes over D or B.
type Factors struct {
	ball  TraceNorm
	d     []float64 // D
	share []float64 // B = Σ share_i a_i, if not nil
	at, n int       // K has at + q columns, at = 2h, in rows of n
	k     []float64
	sum   []float64 // K·C, and behind it CᵀKC
	w     []float64 // row i is w_i s_i, the last rows of C
	u, x  []float64 // numbers by the row, numbers by the column of Z
}

// NewFactors returns Factors for as many as size vertices of omega, or nil if omega is no TraceNorm, or one with
// min(H, M) > 64 or with H > M.
func NewFactors(omega Domain, size int) *Factors {
	b, ok := omega.(TraceNorm)
	if h := b.H; ok && h <= gramMax && h <= b.M {
		n := 2*h + size + 1
		return &Factors{ball: b, at: 2 * h, n: n, k: make([]float64, n*n), sum: make([]float64, (n+h)*h),
			w: make([]float64, (size+1)*h), u: make([]float64, h), x: make([]float64, n)}
	}
	return nil
}

// Start sets D, B and the vertices. The weight, if not nil, means that B = Σ_i weight[i] a_i. D is not to change
// while they are in use, nor the weight before Merge or Drop. It reports whether all vertices are of rank one.
func (f *Factors) Start(d, b []float64, a []Vertex, weight []float64) bool {
	h, at, n, q := f.ball.H, f.at, f.n, len(a)
	if q > 0 && (!rankOne(a) || len(a[0].U) != h) {
		return false
	}
	f.d, f.share = d, weight
	long := make([][]float64, q)
	for i := range a {
		long[i] = a[i].V
	}
	if weight == nil {
		kern.GramOf(f.k, n, h, [][]float64{d, b}, long)
		return true
	}
	kern.GramOf(f.k, n, h, [][]float64{d}, long) // D ℓ_1 … ℓ_q, to be moved apart
	for i := h + q - 1; i >= h; i-- {
		copy(f.k[(i+h)*n:][:h], f.k[i*n:][:h])
		copy(f.k[(i+h)*n+at:][:q], f.k[i*n+h:][:q])
	}
	for i := range h {
		copy(f.k[i*n+at:][:q], f.k[i*n+h:][:q])
	}
	f.weigh(weight, a)
	for _, rows := range [][2]int{{0, h}, {at, at + q}} { // products of B with D and ℓ, and then with B
		for r := rows[0]; r < rows[1]; r++ {
			f.mix(r, q)
		}
	}
	for l := range h {
		f.mirror(h+l, 0, h)
		f.mirror(h+l, at, at+q)
	}
	for r := h; r < at; r++ {
		f.mix(r, q)
	}
	return true
}

// mix makes the products of row r with B out of those with the ℓ_i.
func (f *Factors) mix(r, q int) {
	h := f.ball.H
	row := f.k[r*f.n:][:f.n]
	clear(row[h:f.at])
	kern.Combine(row[h:f.at], f.w, h, row[f.at:f.at+q])
}

// mirror makes row r of K, from one column to another, that of the column r.
func (f *Factors) mirror(r, from, to int) {
	for j := from; j < to; j++ {
		f.k[r*f.n+j] = f.k[j*f.n+r]
	}
}

func (f *Factors) weigh(w []float64, a []Vertex) {
	h := f.ball.H
	for i := range a {
		floats.ScaleTo(f.w[i*h:(i+1)*h], w[i], a[i].U)
	}
}

// Row fills dst with the ⟨a_i, a_j⟩, j ≤ i, and returns ⟨D, a_i⟩ and ⟨B, a_i⟩.
func (f *Factors) Row(dst []float64, a []Vertex, i int) (d, b float64) {
	row, h := f.k[(f.at+i)*f.n:], f.ball.H
	for j := range i + 1 {
		dst[j] = kern.Dot(a[i].U, a[j].U) * row[f.at+j]
	}
	return kern.Dot(a[i].U, row[:h]), kern.Dot(a[i].U, row[h:2*h])
}

// Ends returns ⟨D, B⟩ and ‖B‖².
func (f *Factors) Ends() (db, bb float64) {
	h := f.ball.H
	for l := range h {
		db += f.k[l*f.n+h+l]
	}
	return db, trace(f.k, f.n, h, 2*h)
}

// Argmin fills v with the minimiser for S = cB + Σ_i w_i a_i and returns ⟨D + S, S⟩, ⟨D + S, v⟩ and the
// slack, as ArgminVertex does; it covers the rounding of all that is here. v is a_q for what follows.
func (f *Factors) Argmin(v *Vertex, c float64, b, w []float64, a []Vertex) (own, value, slack float64) {
	h, m, n, at, q, tau := f.ball.H, f.ball.M, f.n, f.at, len(a), f.ball.Tau
	f.weigh(w, a)
	kc, gram := f.sum[:(at+q)*h], f.sum[n*h:]
	for r := range at + q { // K·C
		row := f.k[r*n:]
		floats.AddScaledTo(kc[r*h:(r+1)*h], row[:h], c, row[h:at])
	}
	floats.AddScaledTo(gram, kc[:h*h], c, kc[h*h:at*h]) // CᵀKC
	size := math.Sqrt(trace(f.k, n, 0, h)) + math.Abs(c)*math.Sqrt(trace(f.k, n, h, at))
	if q > 0 {
		kern.Mul(kc, h, f.k[at:], n, false, f.w, h, false, at+q, h, q, 1, 1)
		floats.AddScaledTo(gram, kc[:h*h], c, kc[h*h:at*h])
		kern.Mul(gram, h, f.w, h, true, kc[at*h:], h, false, h, h, q, 1, 1)
		size += tau * floats.Norm(w[:q], 1)
	}
	for l := range h {
		own += c * kc[(h+l)*h+l]
	}
	own += floats.Dot(f.w[:q*h], kc[at*h:(at+q)*h])
	lambda, ok := eigen.TopEigen(gram, f.u)
	if !ok {
		return 0, 0, math.Inf(1)
	}
	u, y := v.SetRankOne(h, m)
	copy(u, f.u)
	kern.MulVec(f.x[:q], f.w, h, u)
	const grain = 512 // rows that stay in a cache
	p := kern.Borrow((m + grain - 1) / grain * n)
	defer kern.Return(p)
	kern.Do(m, grain, func(lo, hi int) { // y = uᵀ(D + S), and its products with Z
		y, d, b, row := y[lo:hi], f.d[lo*h:], b[lo*h:], (*p)[lo/grain*n:][:n]
		clear(row)
		kern.Dots(y, d, h, u)
		if c != 0 {
			t := kern.Borrow(hi - lo)
			kern.Dots(*t, b, h, u)
			kern.Axpy(y, c, *t)
			kern.Return(t)
		}
		for i := range a {
			if f.x[i] != 0 {
				kern.Axpy(y, f.x[i], a[i].V[lo:hi])
			}
		}
		kern.Combine(row[:h], d, h, y)
		if f.share == nil {
			kern.Combine(row[h:at], b, h, y)
		}
		for i := range a {
			row[at+i] = floats.Dot(a[i].V[lo:hi], y)
		}
		row[at+q] = floats.Dot(y, y)
	})
	row := f.k[(at+q)*n:][:at+q+1]
	clear(row)
	for from := 0; from < len(*p); from += n {
		floats.Add(row, (*p)[from:][:len(row)])
	}
	for i, c := range f.share {
		kern.Axpy(row[h:at], c*row[at+i], a[i].U)
	}
	sigma := math.Sqrt(row[at+q])
	if !(sigma > 0) {
		return 0, 0, math.Inf(1)
	}
	floats.Scale(-tau/sigma, y)
	floats.Scale(-tau/sigma, row)
	row[at+q] *= -tau / sigma
	for r, x := range row {
		f.k[r*n+at+q] = x
	}
	ε := float64(2*(at+q)+h+m) * 0x1p-52
	return own, -tau * sigma, tau * (max(0, math.Sqrt(lambda+2*ε*size*size)-sigma) + 2*ε*size)
}

func trace(k []float64, n, from, to int) (sum float64) {
	for i := from; i < to; i++ {
		sum += k[i*n+i]
	}
	return sum
}

// Merge follows B = (1−γ)B + γa_i, where there are q vertices, that of Argmin among them.
func (f *Factors) Merge(a *Vertex, i, q int, gamma float64) {
	h, at, n := f.ball.H, f.at, f.n
	f.share = nil
	for r := range at + q { // the columns, then the rows
		b, x := f.k[r*n+h:r*n+at], gamma*f.k[r*n+at+i]
		for l := range b {
			b[l] = (1-gamma)*b[l] + x*a.U[l]
		}
	}
	for l := range h {
		b := f.k[(h+l)*n:][:at+q]
		floats.Scale(1-gamma, b)
		floats.AddScaled(b, gamma*a.U[l], f.k[(at+i)*n:][:at+q])
	}
}

// Drop takes a_i out of q vertices; those behind it move up.
func (f *Factors) Drop(i, q int) {
	n, end := f.n, f.at+q
	f.share = nil
	for r := f.at + i; r+1 < end; r++ {
		copy(f.k[r*n:][:end], f.k[(r+1)*n:][:end])
	}
	for r := range end - 1 {
		row := f.k[r*n:][:end]
		copy(row[f.at+i:], row[f.at+i+1:])
	}
}
