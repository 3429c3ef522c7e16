package fwopt

import (
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// Memory makes line 11 of Algorithm 2, in STORC and SCGS, remember vertices. It minimises g over the hull of
// x_{k−1} and its vertices, and adds the vertex where ∇g is least, until the gap is at most η: the theorems
// hold, and most linear optimisations are saved. It costs two passes over the vectors for each vertex and
// step, one for each vertex with weight and linear optimisation, and linear systems of up to Size equations,
// which are most of it above a hundred vertices. Where Ω is a TraceNorm with H ≤ M and H ≤ 64 it costs, by
// fwset.Factors, a Gram matrix of about H + Size columns for each step, and one to four passes in all for each
// linear optimisation; but where rounding may hide η, it begins anew without.
type Memory struct {
	Size   int       // at most so many vertices; 0: none
	Atom   []Vertex  // of the run: those that the last step ended with
	Weight []float64 // x_k = Σ_i Weight[i] Atom[i], where that is so
}

// hull is where argmin works: the points b, a_1, …, a_q and u = Σ λ_i p_i, all of it
// scratch but for the Memory that it ends in.
type hull struct {
	mem    *Memory
	atom   []Vertex
	b      []float64 // the point of weight λ_0, if moved
	moved  bool      // b is not x_{k−1}
	λ      []float64
	gram   [][]float64 // ⟨p_i − x, p_j − x⟩
	lin    []float64   // ⟨∇̃, p_i − x⟩
	slope  []float64   // ∂g/∂λ_i
	xx, tx float64     // ‖x‖², ⟨∇̃, x⟩
	bx     float64     // ⟨b, x⟩
	last   float64     // the gap at refine, if no vertex has come since
	ax     []float64   // ⟨a_i, x⟩

	factors   *fwset.Factors // of a domain that has them
	factored  bool           // they give the products
	β         float64        // of g, if factored
	μ, weight []float64      // x_{k−1} = Σ μ_i a_i and u = Σ weight_i a_i, if not nil
	known     []float64      // the x_{k−1} of μ

	at      []int // scratch of newton
	chol    [][]float64
	y, z, d []float64
}

// newHull returns the hull in dimension d that begins with the vertices of mem.
func newHull(d int, mem *Memory) *hull {
	if mem.Size < 0 {
		panic(need.Linef("fwopt: a Memory of %d vertices", mem.Size))
	}
	n := mem.Size + 1
	s := vectors(2*n+7, n)
	w := s[2*n:]
	h := &hull{mem: mem, atom: make([]Vertex, mem.Size)[:len(mem.Atom)], b: make([]float64, d), gram: s[:n],
		λ: w[0], lin: w[1], slope: w[2], ax: w[3], at: make([]int, n), chol: s[n : 2*n], y: w[4], z: w[5],
		d: w[6]}
	for i := range h.atom {
		h.atom[i].Set(&mem.Atom[i])
	}
	if mem.Weight != nil {
		h.μ, h.known = slices.Clone(mem.Weight), make([]float64, d)
		fwset.Sum(h.known, 0, h.known, h.μ, h.atom)
	}
	return h
}

// start is u = b = x beside the vertices remembered.
func (h *hull) start(x, tilde []float64) {
	h.factored, h.moved, h.xx, h.tx = false, false, floats.Dot(x, x), floats.Dot(tilde, x)
	h.λ[0], h.lin[0], h.gram[0][0], h.last = 1, 0, 0, math.Inf(1)
	h.enter(0, x, tilde)
}

// factor is start by the products with D = ∇̃ − βx, or reports that the domain has none.
func (h *hull) factor(β float64, x, d []float64) bool {
	if h.μ != nil && !slices.Equal(x, h.known) {
		h.μ = nil
	}
	if h.factors == nil || !h.factors.Start(d, x, h.atom, h.μ) {
		return false
	}
	h.factored, h.moved, h.β = true, false, β
	h.tx, h.xx = h.factors.Ends()
	h.tx += β * h.xx
	h.λ[0], h.lin[0], h.gram[0][0], h.last = 1, 0, 0, math.Inf(1)
	h.enter(0, x, nil)
	return true
}

// enter gives the vertices from a_from on weight 0, and their products.
func (h *hull) enter(from int, x, tilde []float64) {
	if !h.factored || h.moved {
		fwset.Dots(h.ax[from:], h.atom[from:], x)
	}
	if !h.factored {
		fwset.Dots(h.lin[from+1:], h.atom[from:], tilde)
	}
	for i := from; i < len(h.atom); i++ {
		v, base := &h.atom[i], 0. // ⟨v, b⟩, if moved
		switch {
		case h.factored:
			h.lin[i+1], base = h.factors.Row(h.y, h.atom, i)
			if !h.moved {
				h.ax[i] = base
			}
			h.lin[i+1] += h.β * h.ax[i] // ∇̃ = D + βx
		case h.moved:
			base = v.Dot(h.b)
			fallthrough
		default:
			for j := range i + 1 {
				h.y[j] = v.Inner(&h.atom[j])
			}
		}
		if base -= h.ax[i]; h.moved {
			base += h.xx - h.bx
		} else {
			base = 0
		}
		h.λ[i+1] = 0
		h.lin[i+1] -= h.tx
		h.pair(i+1, 0, base)
		for j := range i + 1 {
			h.pair(i+1, j+1, h.y[j]-h.ax[i]-h.ax[j]+h.xx)
		}
	}
}

func (h *hull) pair(i, j int, x float64) { h.gram[i][j], h.gram[j][i] = x, x }

// learn adds v = argmin_{v∈Ω} ∇g(u)ᵀv, after it has made room for it. It reports whether there is
// something to gain by it: a v that is known shows that the slopes are not exact.
func (h *hull) learn(v *Vertex, β float64, x, tilde, grad []float64, gap float64) bool {
	if slices.ContainsFunc(h.atom, func(a Vertex) bool { return a.Equal(v) }) {
		if h.factored || !(gap > 0) || gap > h.last/2 {
			return false
		}
		h.last = gap
		h.refine(β, x, grad)
		return true
	}
	n := len(h.atom)
	if n == h.mem.Size {
		i := 1
		for j := 2; j <= n; j++ {
			if h.λ[j] < h.λ[i] {
				i = j
			}
		}
		h.forget(i, x)
		n--
	}
	h.atom = h.atom[:n+1]
	h.atom[n].Set(v)
	if h.μ != nil {
		h.μ = append(h.μ, 0)
	}
	h.enter(n, x, tilde)
	h.last = math.Inf(1)
	return gap > 0
}

// forget gives the weight of p_i to b, at the mean of the two, and drops p_i.
func (h *hull) forget(i int, x []float64) {
	n := len(h.atom) + 1
	if h.λ[i] > 0 {
		if !h.moved {
			copy(h.b, x)
			h.moved, h.bx = true, h.xx
		}
		γ := h.λ[i] / (h.λ[0] + h.λ[i])
		h.atom[i-1].Lerp(h.b, γ) // b = (1−γ)b + γp_i
		if h.factored {
			h.factors.Merge(&h.atom[i-1], i-1, n, γ)
		}
		h.bx = (1-γ)*h.bx + γ*h.ax[i-1]
		h.λ[0] += h.λ[i]
		h.lin[0] = (1-γ)*h.lin[0] + γ*h.lin[i]
		own := (1-γ)*((1-γ)*h.gram[0][0]+2*γ*h.gram[0][i]) + γ*γ*h.gram[i][i]
		for j := 1; j < n; j++ {
			h.pair(0, j, (1-γ)*h.gram[0][j]+γ*h.gram[i][j])
		}
		h.gram[0][0] = own
	}
	if h.factored {
		h.factors.Drop(i-1, n)
	}
	if h.μ != nil && h.μ[i-1] != 0 {
		h.μ = nil
	} else if h.μ != nil {
		h.μ = slices.Delete(h.μ, i-1, i)
	}
	for j := i; j+1 < n; j++ { // the order stays, so that a file need not hold it
		h.atom[j-1], h.atom[j] = h.atom[j], h.atom[j-1]
		h.λ[j], h.lin[j], h.ax[j-1] = h.λ[j+1], h.lin[j+1], h.ax[j]
		for k := range n {
			h.gram[j][k] = h.gram[j+1][k]
		}
		for k := range n {
			h.gram[k][j] = h.gram[k][j+1]
		}
	}
	h.atom = h.atom[:n-2]
}

// least finds v = argmin_{v∈Ω} ∇g(u)ᵀv by products, and the gap.
func (h *hull) least(v *Vertex, x []float64) (gap, slack float64) {
	n := len(h.atom) + 1
	if h.moved {
		x = h.b
	}
	floats.ScaleTo(h.slope[:n], h.β, h.λ[:n])
	own, value, slack := h.factors.Argmin(v, h.slope[0], x, h.slope[1:n], h.atom)
	return own/h.β - value, slack
}

// refine takes the slopes at u from ∇g(u), up to a constant: where Ω is small for its
// distance from 0, rounding in the Gram matrix hides them.
func (h *hull) refine(β float64, x, grad []float64) {
	if h.moved {
		x = h.b
	}
	n, base := len(h.atom)+1, floats.Dot(grad, x)
	h.slope[0] = base
	fwset.Dots(h.slope[1:n], h.atom, grad)
	for i := range n {
		h.lin[i] = h.slope[i] - base - β*inner(h.gram[i][:n], h.λ)
	}
}

// solve moves λ to where g is within tol of its least over the hull: by pairwise steps,
// from the point with weight where g falls least to the one where it falls most, and
// after each by a step of Newton's on the points with weight.
func (h *hull) solve(β, tol float64) {
	n := len(h.atom) + 1
	for range 100 * n {
		for i := range n {
			h.slope[i] = h.lin[i] + β*inner(h.gram[i][:n], h.λ)
		}
		s, t := -1, 0
		for i, y := range h.slope[:n] {
			if y < h.slope[t] {
				t = i
			}
			if h.λ[i] > 0 && (s < 0 || y > h.slope[s]) {
				s = i
			}
		}
		if s < 0 {
			return // not a number
		}
		fall := h.slope[s] - h.slope[t] // at least the duality gap over the hull
		if !(fall > tol) {
			return
		}
		γ := h.λ[s]
		if bend := β * (h.gram[s][s] - 2*h.gram[s][t] + h.gram[t][t]); bend*γ > fall {
			γ = fall / bend
		}
		if h.λ[t]+γ == h.λ[t] {
			return // rounding
		}
		for i := range n {
			h.slope[i] += β * γ * (h.gram[i][t] - h.gram[i][s])
		}
		if h.λ[t] += γ; γ == h.λ[s] {
			h.λ[s] = 0
		} else {
			h.λ[s] -= γ
		}
		h.newton(β, n)
	}
}

// newton goes to the least g on the plane through the points with weight, or as far as
// the weights stay positive. A little is added to the diagonal, because x_{k−1} may
// lie in the hull of the vertices, and for the rounding of products as large as ‖x‖².
func (h *hull) newton(β float64, n int) {
	at, ridge := h.at[:0], 0.
	for i, w := range h.λ[:n] {
		if w > 0 {
			at, ridge = append(at, i), max(ridge, h.gram[i][i])
		}
	}
	if ridge = max(0x1p-40*ridge, 0x1p-48*h.xx); ridge == 0 {
		return
	}
	for p, i := range at { // A = LLᵀ, y = L⁻¹slope, z = L⁻¹1
		h.y[p], h.z[p] = h.slope[i]/β, 1
		for q, j := range at[:p+1] {
			a := h.gram[i][j] - inner(h.chol[p][:q], h.chol[q])
			if q < p {
				a /= h.chol[q][q]
				h.y[p] -= a * h.y[q]
				h.z[p] -= a * h.z[q]
			} else {
				a = math.Sqrt(max(a, 0) + ridge)
				h.y[p] /= a
				h.z[p] /= a
			}
			h.chol[p][q] = a
		}
	}
	m := len(at)
	ν := inner(h.y[:m], h.z) / inner(h.z[:m], h.z)
	step := 1.
	for p := m - 1; p >= 0; p-- { // d = −A⁻¹(slope − ν1), of sum 0
		d := ν*h.z[p] - h.y[p]
		for q := p + 1; q < m; q++ {
			d -= h.chol[q][p] * h.d[q]
		}
		h.d[p] = d / h.chol[p][p]
		if w := h.λ[at[p]]; h.d[p] < 0 && w < -step*h.d[p] {
			step = -w / h.d[p]
		}
	}
	sum := 0.
	for p, i := range at {
		if h.λ[i] += step * h.d[p]; h.λ[i] < 0x1p-50 {
			h.λ[i] = 0
		}
		sum += h.λ[i]
	}
	floats.Scale(1/sum, h.λ[:n])
}

// inner returns Σ_i x_i y_i over the length of x.
func inner(x, y []float64) (sum float64) {
	for i, a := range x {
		sum += a * y[i]
	}
	return sum
}

// point computes u = Σ λ_i p_i.
func (h *hull) point(u, x []float64) {
	c, w := h.λ[0], h.λ[1:len(h.atom)+1]
	h.weight = nil
	if h.moved {
		x = h.b
	} else if h.factored && c > 0 && h.μ != nil {
		w = slices.Clone(w)
		floats.AddScaled(w, c, h.μ)
		c = 0
	}
	if h.factored && c == 0 {
		h.weight = w
	}
	fwset.Sum(u, c, x, w, h.atom)
}

// keep makes the vertices those of the Memory, and u the x_{k−1} of the next step.
func (h *hull) keep(u []float64) {
	if h.mem.Weight, h.μ = slices.Clone(h.weight), slices.Clone(h.weight); h.μ != nil {
		h.known = append(h.known[:0], u...)
	}
	n := len(h.atom)
	h.mem.Atom = slices.Grow(h.mem.Atom[:0], n)[:n]
	for i := range h.atom {
		h.mem.Atom[i].Set(&h.atom[i])
	}
}
