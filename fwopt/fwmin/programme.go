package fwmin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
)

// solve returns argmin_{x∈Ω} ⟨g, x⟩, the multipliers of the rows in y, and the slack. An empty Ω is
// lp.ErrUnbounded, for such is its dual, min rhsᵀλ, Rᵀλ = −g, λ ≥ 0, which begins at the bounds. A tilt of g
// keeps lp.Simplex from steps of length 0, and from a λ that tells of too few constraints.
func (p *Polytope) solve(g []float64) (x, λ []float64, slack float64, err error) {
	n := len(p.lo)
	h, minus, basis := floats.MulTo(make([]float64, n), g, p.size), make([]float64, n), make([]int, n)
	scale := floats.Norm(h, math.Inf(1))
	for try := range 4 {
		tilt := math.Pow(30, float64(try)) * 1e-12
		if scale == 0 {
			scale, tilt = 1, 1
		}
		rng := rand.New(rand.NewPCG(uint64(try), uint64(n)))
		for j, v := range h {
			minus[j], basis[j] = -v/scale-math.Copysign(tilt*(1+rng.Float64()), v), j
			if minus[j] < 0 {
				basis[j] += n
			}
		}
		if _, λ, err = lp.Simplex(p.rhs, p.dual, minus, 1e-12, basis); err == lp.ErrUnbounded {
			return nil, nil, 0, err
		}
		if err != nil {
			continue
		}
		if x, λ, slack, err = p.vertex(λ, h); err == nil {
			return x, λ, slack, nil
		}
	}
	return nil, nil, 0,
		fmt.Errorf("fwmin: lp.Simplex fails on a polytope of %d coordinates and %d constraints "+
			"(%v): bring coordinates and rows to the same size, or leave out rows that say nearly the same",
			n,
			len(p.row)-2*n, err)
}

// vertex returns the point where the constraints meet that have a λ, their multipliers for h itself, and the
// slack: for any λ ≥ 0 and y ∈ Ω, ⟨h, y⟩ ≥ −rhsᵀλ + Σ_j min{0, (h + Rᵀλ)_j}, as y ∈ [0, 1].
func (p *Polytope) vertex(λ, h []float64) (x, multipliers []float64, slack float64,
	err error) {
	n := len(h)
	var at []int
	for i, l := range λ {
		if l > 0 {
			at = append(at, i)
		}
	}
	if len(at) != n {
		return nil, nil, 0, fmt.Errorf("a vertex of %d constraints", len(at))
	}
	B, rhs := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
	for k, i := range at {
		B.SetRow(k, p.row[i])
		rhs.SetVec(k, p.rhs[i])
	}
	var lu mat.LU
	lu.Factorize(B)
	var y, μ mat.VecDense
	if err = lu.SolveVecTo(&y, false, rhs); err == nil {
		err = lu.SolveVecTo(&μ, true, mat.NewVecDense(n, floats.ScaleTo(make([]float64, n), -1, h)))
	}
	if err != nil {
		return nil, nil, 0, err
	}
	x, multipliers = y.RawVector().Data, make([]float64, len(λ))
	if off := p.off(x); !(off <= 1e-10) {
		return nil, nil, 0, fmt.Errorf("a vertex that is off by %.2g", off)
	}
	below, rest, rounding := 0., slices.Clone(h), floats.Norm(h, 1)
	for k, i := range at {
		if l := μ.AtVec(k); l > 0 {
			multipliers[i] = l
			below -= l * p.rhs[i]
			floats.AddScaled(rest, l, p.row[i])
			rounding += l * (math.Abs(p.rhs[i]) + floats.Norm(p.row[i], 1))
		}
	}
	for _, r := range rest {
		below += min(0, r)
	}
	slack = max(0, floats.Dot(h, x)-below) + 0x1p-50*rounding
	for j, y := range x {
		x[j] = p.lo[j] + p.size[j]*max(0, min(1, y))
	}
	return x, multipliers, slack, nil
}

// off returns by how much y breaks a constraint.
func (p *Polytope) off(y []float64) (most float64) {
	for i, r := range p.row {
		most = max(most, floats.Dot(r, y)-p.rhs[i])
	}
	return most
}
