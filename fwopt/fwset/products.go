package fwset

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Product is Ω_1 × Ω_2 × …, whose vectors are those of the factors one after the
// other. Its centre is made of the factors' centres. It panics if it has no factor.
type Product []Domain

func (p Product) check() {
	if len(p) == 0 {
		panic(need.Line("fwset: a Product of nothing"))
	}
	for i, f := range p {
		if ident.IsNil(f) {
			panic(need.Linef("fwset: factor %d of a Product is nil", i+1))
		}
	}
}

// Dim returns the sum of the dimensions. It panics with the factor that has none.
func (p Product) Dim() (d int) {
	p.check()
	for i, f := range p {
		if fault := need.Caught(func() { d += f.Dim() }); fault != "" {
			what := strings.TrimPrefix(string(fault), "fwset: ")
			panic(need.Linef("fwset: factor %d of a Product: %s", i+1, what))
		}
	}
	return d
}

// each calls f with each factor and its part of the vectors.
func (p Product) each(f func(omega Domain, part func(x []float64) []float64), v ...[]float64) {
	need.Len("fwset", p.Dim(), v...)
	at := 0
	for _, omega := range p {
		from, to := at, at+omega.Dim()
		f(omega, func(x []float64) []float64 { return x[from:to:to] })
		at = to
	}
}

// Argmin computes the factors' minimisers.
func (p Product) Argmin(dst, g []float64) {
	p.each(func(omega Domain, part func([]float64) []float64) { omega.Argmin(part(dst), part(g)) }, dst, g)
}

// ArgminVertex asks each factor for tol/(number of factors) and returns the sum of
// their slacks. Each keeps a warm start of its own within warm: its length and its numbers.
// The vertex is sparse if the factors' are, else dense.
func (p Product) ArgminVertex(v *Vertex, g []float64, tol float64, warm *Warm) (slack float64) {
	var one *Warm // that of the factor at work
	var old, next []float64
	if warm != nil {
		one, old, next = &Warm{RNG: warm.RNG}, warm.V, make([]float64, 0, max(len(p), len(warm.V)))
	}
	memory := products.Get().(*[]Vertex)
	defer products.Put(memory)
	*memory = slices.Grow((*memory)[:0], len(p))[:len(p)]
	vs, sparse, n := *memory, true, 0
	i := 0
	p.each(func(omega Domain, part func([]float64) []float64) {
		if one != nil {
			one.V = nil
		}
		if len(old) > 0 {
			if k := int(old[0]); k >= 0 && k < len(old) { // else it is not of this product
				one.V, old = slices.Clone(old[1:1+k]), old[1+k:]
			}
		}
		slack += Argmin(omega, &vs[i], part(g), max(0, tol)/float64(len(p)), one)
		if one != nil {
			next = append(append(next, float64(len(one.V))), one.V...)
		}
		sparse = sparse && !vs[i].rankOne() && !vs[i].dense()
		n += len(vs[i].Index)
		i++
	}, g)
	if warm != nil {
		warm.V, warm.RNG = next, one.RNG
	}
	if !sparse {
		x := v.SetDense(len(g))
		for i := range vs {
			vs[i].Dense(x[:vs[i].D])
			x = x[vs[i].D:]
		}
		return slack
	}
	index, value := v.SetSparse(len(g), n)
	k, at := 0, 0
	for i := range vs {
		for l, j := range vs[i].Index {
			index[k], value[k] = at+j, vs[i].Value[l]
			k++
		}
		at += vs[i].D
	}
	return slack
}

// products holds vertices of factors that are free.
var products = sync.Pool{New: func() any { return new([]Vertex) }}

// Project computes the factors' projections. It panics unless all are Projectors.
func (p Product) Project(dst, x []float64) {
	p.each(func(omega Domain, part func([]float64) []float64) {
		able[Projector](omega, "Project").Project(part(dst), part(x))
	}, dst, x)
}

// Diameter returns √(Σ_i D_i²). It panics unless all factors are Bounded.
func (p Product) Diameter() (d float64) {
	p.check()
	for _, f := range p {
		d = math.Hypot(d, able[Bounded](f, "Diameter").Diameter())
	}
	return d
}

// Gauge returns the largest gauge of a factor. It panics unless all are Gauged.
func (p Product) Gauge(x []float64) (most float64) {
	p.each(func(omega Domain, part func([]float64) []float64) {
		most = max(most, able[Gauged](omega, "Gauge").Gauge(part(x)))
	}, x)
	return most
}

// able returns what a factor must be able to do.
func able[C any](omega Domain, method string) C {
	c, ok := omega.(C)
	if !ok {
		panic(need.Linef("fwset: %T, a factor of a Product, has no %s", omega, method))
	}
	return c
}

// Identify writes the factors.
func (p Product) Identify(id *ident.Identity) {
	id.Of(p).Int(len(p))
	for _, f := range p {
		id.Part(f)
	}
}

// Tested returns p, or the first factor that fwtest has not passed: see fwopt.Identity.
func (p Product) Tested() any {
	for _, f := range p {
		if in := ident.Untested(f); in != nil {
			return in
		}
	}
	return p
}
