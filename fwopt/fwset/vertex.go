package fwset

import (
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt/internal/hash"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// Vertex is an answer v of a linear optimisation, in the form in which it is small: a
// sparse vector for a simplex or an ℓ1 ball, a matrix of rank one for a trace-norm
// ball, or else a dense vector. A set fills it by SetDense, SetSparse or SetRankOne,
// and the methods below do with any of the forms what is done with a vector, to the
// same bits, up to the sign of a zero. The zero Vertex is ready to be filled. It keeps
// its memory while it keeps its form, so that one of them serves all steps of a run.
//
// It is of rank one if it has U and V, dense if it has D values and no index, and else
// sparse.
type Vertex struct {
	D     int       // its length as a vector
	Value []float64 // all D numbers; or, with Index, those that are not 0
	Index []int     // where the numbers of Value stand, rising
	U, V  []float64 // of rank one: number j·len(U)+l is U[l]·V[j], and D = len(U)·len(V)
}

// SetDense makes v a dense vector and returns its d numbers, which are to be filled.
// It panics if d is not positive.
func (v *Vertex) SetDense(d int) (value []float64) {
	checkSize(d, 0, d)
	*v = Vertex{D: d, Value: slices.Grow(v.Value[:0], d)[:d]}
	return v.Value
}

// SetSparse makes v a vector of length d in which at most n numbers are not 0, and
// returns where they stand and what they are, which is to be filled.
// It panics if d is not positive or n is not from 0 to d.
func (v *Vertex) SetSparse(d, n int) (index []int, value []float64) {
	if checkSize(d, n, d); n == 0 {
		*v = Vertex{D: d} // nil, which a file can tell from nothing else
		return nil, nil
	}
	*v = Vertex{D: d, Index: slices.Grow(v.Index[:0], n)[:n], Value: slices.Grow(v.Value[:0], n)[:n]}
	return v.Index, v.Value
}

// SetRankOne makes v a matrix of rank one, laid out as TraceNorm does, and returns its
// factors: the h numbers of U and the m of V, which are to be filled.
// It panics if h or m is not positive.
func (v *Vertex) SetRankOne(h, m int) (u, w []float64) {
	checkSize(min(h, m), 0, max(h, m))
	*v = Vertex{D: h * m, U: slices.Grow(v.U[:0], h)[:h], V: slices.Grow(v.V[:0], m)[:m]}
	return v.U, v.V
}

// checkSize panics unless d is a dimension and 0 ≤ n ≤ most.
func checkSize(d, n, most int) {
	if d < 1 || n < 0 || n > most {
		panic(need.Linef("fwset: a Vertex of dimension %d with %d numbers", d, n))
	}
}

// Pack makes v hold x, as a sparse vector if half of x or more is 0.
func (v *Vertex) Pack(x []float64) {
	n := 0
	for _, y := range x {
		if y != 0 {
			n++
		}
	}
	if 2*n > len(x) {
		copy(v.SetDense(len(x)), x)
		return
	}
	index, value := v.SetSparse(len(x), n)
	k := 0
	for i, y := range x {
		if y != 0 {
			index[k], value[k] = i, y
			k++
		}
	}
}

// Check panics unless v is a vector of length d in one of the forms.
func (v *Vertex) Check(d int) {
	if v.D != d {
		panic(need.Linef("fwset: a Vertex of dimension %d, want %d", v.D, d))
	}
	switch {
	case v.rankOne():
		if len(v.U)*len(v.V) != d || len(v.Value)+len(v.Index) > 0 {
			panic(need.Linef("fwset: a Vertex of dimension %d made of U with %d numbers and V with %d, "+
				"and %d values", d, len(v.U), len(v.V), len(v.Value)))
		}
	case v.dense():
	case len(v.Index) != len(v.Value):
		panic(need.Linef("fwset: a Vertex of dimension %d with %d indices and %d values",
			d, len(v.Index), len(v.Value)))
	default:
		last := -1
		for _, i := range v.Index {
			if i <= last || i >= d {
				panic(need.Linef("fwset: a Vertex of dimension %d with index %d after %d; "+
					"the indices must rise, each once", d, i, last))
			}
			last = i
		}
	}
}

func (v *Vertex) rankOne() bool { return len(v.U) > 0 || len(v.V) > 0 }
func (v *Vertex) dense() bool   { return len(v.Index) == 0 && len(v.Value) == v.D }

var theOne, theZero = []float64{1}, []float64{0}

// outer returns the u and w with v = u·wᵀ, of which w is 1 if v is dense, or reports that it is
// sparse.
func (v *Vertex) outer() (u, w []float64, ok bool) {
	if v.rankOne() {
		return v.U, v.V, true
	}
	return v.Value, theOne, v.D > 0 && v.dense()
}

// Dense writes v out: dst = v.
func (v *Vertex) Dense(dst []float64) {
	need.Len("fwset", v.D, dst)
	if u, w, ok := v.outer(); ok {
		kern.Outer(dst, u, w)
		return
	}
	clear(dst)
	for k, i := range v.Index {
		dst[i] = v.Value[k]
	}
}

// Lerp does x = (1−γ)x + γv, in one pass. It panics if γ is not in [0, 1], for the
// result could leave Ω.
func (v *Vertex) Lerp(x []float64, gamma float64) { v.LerpTo(x, x, gamma) }

// LerpTo computes dst = (1−γ)x + γv as Lerp does. dst may be x itself.
func (v *Vertex) LerpTo(dst, x []float64, gamma float64) {
	need.Len("fwset", v.D, dst, x)
	if !(gamma >= 0 && gamma <= 1) {
		panic(need.Linef("fwset: γ = %g, want a step in [0, 1]; check Gamma", gamma))
	}
	switch {
	case gamma == 1: // γ_1 = 1: also from an x that holds no number
		v.Dense(dst)
	case v.rankOne():
		kern.LerpOuter(dst, x, gamma, v.U, v.V)
	case v.dense():
		kern.Lerp(dst, x, gamma, v.Value)
	default:
		floats.ScaleTo(dst, 1-gamma, x)
		v.AddTo(dst, gamma)
	}
}

// AddTo does x += c·v.
func (v *Vertex) AddTo(x []float64, c float64) {
	need.Len("fwset", v.D, x)
	if u, w, ok := v.outer(); ok {
		kern.AddOuter(x, c, u, w)
		return
	}
	for k, i := range v.Index {
		x[i] += float64(c * v.Value[k]) // two roundings, as the other forms have
	}
}

// From computes dst = x − v. dst may be x itself.
func (v *Vertex) From(dst, x []float64) {
	need.Len("fwset", v.D, dst, x)
	if u, w, ok := v.outer(); ok {
		kern.SubOuter(dst, x, u, w)
		return
	}
	copy(dst, x)
	for k, i := range v.Index {
		dst[i] -= v.Value[k]
	}
}

// Gap returns ⟨g, x−v⟩ and ‖x−v‖², what a step from x to v asks for, with one reading of g
// and x and without the difference written out. In another form of v the last bits of the
// two sums may be others.
func (v *Vertex) Gap(g, x []float64) (slope, length2 float64) {
	need.Len("fwset", v.D, g, x)
	if u, w, ok := v.outer(); ok {
		return kern.Gap(g, x, u, w)
	}
	if len(v.Index) > 1+v.D/16 { // few numbers between two
		p := kern.Borrow(v.D)
		defer kern.Return(p)
		v.Dense(*p)
		return kern.Gap(g, x, *p, theOne)
	}
	for k, from := 0, 0; k <= len(v.Index); k++ {
		to := v.D
		if k < len(v.Index) {
			to = v.Index[k]
		}
		s, l := kern.Gap(g[from:to], x[from:to], x[from:to], theZero)
		slope, length2 = slope+s, length2+l
		if k < len(v.Index) {
			d := x[to] - v.Value[k]
			slope, length2 = slope+float64(g[to]*d), length2+float64(d*d)
		}
		from = to + 1
	}
	return slope, length2
}

// Dot returns ⟨v, g⟩, at the price of the numbers that are not 0.
func (v *Vertex) Dot(g []float64) (sum float64) {
	need.Len("fwset", v.D, g)
	if u, w, ok := v.outer(); ok {
		return kern.DotOuter(g, u, w)
	}
	for k, i := range v.Index {
		sum += float64(v.Value[k] * g[i])
	}
	return sum
}

// Dots computes dst_i = ⟨v_i, x⟩. If all v_i are matrices of rank one they share the passes
// over x, so that about 16 of them cost little more than two; ⟨v_i, x⟩ is U_iᵀ(x·V_i) there,
// and its last bits are not those of Dot.
func Dots(dst []float64, v []Vertex, x []float64) {
	if len(v) == 0 || !rankOne(v) {
		for len(v) >= 4 && fours(dst, v, x) {
			dst, v = dst[4:], v[4:]
		}
		for i := range v {
			dst[i] = v[i].Dot(x)
		}
		return
	}
	h, m := len(v[0].U), len(v[0].V)
	const pieces = 8
	grain := (m + pieces - 1) / pieces
	p := kern.Borrow(pieces * len(v) * h)
	defer kern.Return(p)
	clear(*p)
	kern.Do(m, grain, func(lo, hi int) {
		sums := (*p)[lo/grain*len(v)*h:]
		for step := max(1, 1<<14/h); lo < hi; lo += step { // what fits into a cache
			to := min(hi, lo+step)
			for i := range v {
				kern.GatherAll(sums[i*h:(i+1)*h], x[lo*h:to*h], v[i].V[lo:to])
			}
		}
	})
	sums := (*p)[:len(v)*h]
	for k := 1; k < pieces; k++ {
		floats.Add(sums, (*p)[k*len(v)*h:(k+1)*len(v)*h])
	}
	for i := range v {
		dst[i] = kern.Dot(v[i].U, sums[i*h:(i+1)*h])
	}
}

// fours does Dots of the first four, if they are sparse with as many numbers, side by side: to the bits of
// Dot, without waiting for one sum after the other.
func fours(dst []float64, v []Vertex, x []float64) bool {
	n := len(v[0].Index)
	if n == 0 || len(v[1].Index) != n || len(v[2].Index) != n || len(v[3].Index) != n {
		return false
	}
	need.Len("fwset", v[0].D, x)
	var s0, s1, s2, s3 float64
	i0, i1, i2, i3 := v[0].Index, v[1].Index[:n], v[2].Index[:n], v[3].Index[:n]
	y0, y1, y2, y3 := v[0].Value[:n], v[1].Value[:n], v[2].Value[:n], v[3].Value[:n]
	for k := range i0 {
		s0 += float64(y0[k] * x[i0[k]])
		s1 += float64(y1[k] * x[i1[k]])
		s2 += float64(y2[k] * x[i2[k]])
		s3 += float64(y3[k] * x[i3[k]])
	}
	dst[0], dst[1], dst[2], dst[3] = s0, s1, s2, s3
	return true
}

// rankOne reports whether all are, of one shape.
func rankOne(v []Vertex) bool {
	return !slices.ContainsFunc(v, func(w Vertex) bool { return !w.rankOne() || len(w.U) != len(v[0].U) })
}

// Sum computes dst = cx + Σ_i w_i v_i; those with w_i = 0 cost nothing, and those of rank
// one, if all are, pass over dst together.
func Sum(dst []float64, c float64, x []float64, w []float64, v []Vertex) {
	if len(v) == 0 || !rankOne(v) {
		floats.ScaleTo(dst, c, x)
		for i := range v {
			if w[i] != 0 {
				v[i].AddTo(dst, w[i])
			}
		}
		return
	}
	h, n := len(v[0].U), 0
	p := kern.Borrow(len(v) * h)
	defer kern.Return(p)
	for i, c := range w {
		if c != 0 {
			floats.ScaleTo((*p)[n*h:(n+1)*h], c, v[i].U)
			n++
		}
	}
	step := max(1, 1<<12/h) // rows that fit into a cache
	kern.Do(len(v[0].V), step, func(lo, hi int) {
		t := kern.Borrow(n * (hi - lo))
		defer kern.Return(t)
		k := 0
		for i, c := range w {
			if c != 0 {
				k += copy((*t)[k:], v[i].V[lo:hi])
			}
		}
		floats.ScaleTo(dst[lo*h:hi*h], c, x[lo*h:hi*h])
		kern.AddBack(dst[lo*h:hi*h], *t, (*p)[:n*h], n, hi-lo, h)
	})
}

// Inner returns ⟨v, w⟩, at the price of the numbers of both, where they have the same
// form or one is dense; else at that of D.
func (v *Vertex) Inner(w *Vertex) (sum float64) {
	switch {
	case v.rankOne() && w.rankOne() && len(v.U) == len(w.U):
		return kern.Dot(v.U, w.U) * kern.Dot(v.V, w.V)
	case !v.rankOne() && !v.dense() && !w.rankOne() && !w.dense():
		for i, j := 0, 0; i < len(v.Index) && j < len(w.Index); {
			switch d := v.Index[i] - w.Index[j]; {
			case d < 0:
				i++
			case d > 0:
				j++
			default:
				sum += float64(v.Value[i] * w.Value[j])
				i, j = i+1, j+1
			}
		}
		return sum
	}
	p := kern.Borrow(w.D)
	defer kern.Return(p)
	w.Dense(*p)
	return v.Dot(*p)
}

// Equal reports whether v and w are the same vector, number by number, in whatever
// form. Two of rank one are if their factors are, up to a common sign. It costs O(D)
// where the forms differ.
func (v *Vertex) Equal(w *Vertex) bool {
	switch {
	case v.D != w.D:
		return false
	case v.rankOne() && w.rankOne():
		minus := func(x, y float64) bool { return x == -y }
		return slices.Equal(v.U, w.U) && slices.Equal(v.V, w.V) ||
			slices.EqualFunc(v.U, w.U, minus) && slices.EqualFunc(v.V, w.V, minus)
	case !v.rankOne() && !w.rankOne() && v.dense() == w.dense():
		return v.same(w)
	}
	p, q := kern.Borrow(v.D), kern.Borrow(v.D)
	defer kern.Return(p)
	defer kern.Return(q)
	v.Dense(*p)
	w.Dense(*q)
	return slices.Equal(*p, *q)
}

// same is Equal of two that are dense, or of two that are sparse, up to the first number that differs.
func (v *Vertex) same(w *Vertex) bool {
	if len(v.Index) == 0 && len(w.Index) == 0 {
		return slices.Equal(v.Value, w.Value)
	}
	i, j := 0, 0
	for i < len(v.Index) && j < len(w.Index) {
		x, y := v.Value[i], w.Value[j]
		switch {
		case v.Index[i] == w.Index[j] && x == y:
			i, j = i+1, j+1
		case x == 0:
			i++
		case y == 0:
			j++
		default:
			return false
		}
	}
	zeros := func(x []float64) bool { return !slices.ContainsFunc(x, func(x float64) bool { return x != 0 }) }
	return zeros(v.Value[i:]) && zeros(w.Value[j:])
}

// key is the same for two that are Equal, and hardly ever for two that are not; 0 for one of rank one.
func (v *Vertex) key() (h uint64) {
	if v.rankOne() {
		return 0
	}
	for k, y := range v.Value {
		if i := k; y != 0 {
			if v.Index != nil {
				i = v.Index[k]
			}
			h = hash.Mix(h, uint64(i)^math.Float64bits(y))
		}
	}
	return h | 1
}

// Set makes v a copy of w, in the memory of v.
func (v *Vertex) Set(w *Vertex) {
	v.D = w.D
	v.Value, v.U, v.V = copied(v.Value, w.Value), copied(v.U, w.U), copied(v.V, w.V)
	v.Index = copied(v.Index, w.Index)
}

// copied returns a copy of src in the memory of dst, and nil of an empty one, which a
// file could not tell from nil.
func copied[T any](dst, src []T) []T {
	if len(src) == 0 {
		return nil
	}
	return append(dst[:0], src...)
}
