package fwmin

import (
	"math"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// correct moves x within the hull of S while that promises as much as least, and returns how often.
func (m *run) correct(least float64) (moves int, err error) {
	for ; moves < 100 && !m.late(); moves++ {
		s, u, low, high := m.set.Ends(m.g) // s_k, u_k
		if !(high-low >= least && s != u) {
			break
		}
		γ, err := 0., error(nil)
		if m.bend != nil {
			γ, err = m.newton()
		}
		if err == nil && γ == 0 {
			γ, err = m.across(s, u)
		}
		if err != nil || γ == 0 {
			return moves, err
		}
	}
	return moves, nil
}

// across moves weight from atom u to atom s.
func (m *run) across(s, u int) (γ float64, err error) {
	m.set.Atom[s].Dense(m.d)
	m.set.Atom[u].AddTo(m.d, -1) // s − u
	γ, err = m.search(m.set.Weight[u], m.set.Weight[u])
	if err != nil || γ == 0 {
		return 0, err
	}
	m.set.Across(m.r.X, u, &m.set.Atom[s], γ)
	m.moved(γ)
	return γ, nil
}

// newton moves x by the Δ of least ∇f(x)ᵀVΔ + ½ΔᵀVᵀHVΔ, ΣΔ = 0, where the columns of V are S.
func (m *run) newton() (γ float64, err error) {
	n, d := len(m.set.Atom), len(m.r.X)
	v, hv := mat.NewDense(d, n, nil), mat.NewDense(d, n, nil)
	kkt, rhs := mat.NewDense(n+1, n+1, nil), mat.NewVecDense(n+1, nil)
	for i := range m.set.Atom {
		m.set.Atom[i].Dense(m.y)
		v.SetCol(i, m.y)
		rhs.SetVec(i, -m.set.Atom[i].Dot(m.g))
	}
	hv.Mul(m.bend, v)
	kkt.Slice(0, n, 0, n).(*mat.Dense).Mul(v.T(), hv)
	trace := mat.Trace(kkt)
	for i := range n {
		kkt.Set(i, i, kkt.At(i, i)+1e-13*trace) // atoms may be too many for one answer
		kkt.Set(i, n, trace)
		kkt.Set(n, i, trace)
	}
	var change mat.VecDense
	if err := change.SolveVec(kkt, rhs); err != nil && change.Len() != n+1 {
		return 0, nil
	}
	most, out := math.Inf(1), -1
	for i, α := range m.set.Weight {
		if δ := change.AtVec(i); δ < 0 && -α/δ < most {
			most, out = -α/δ, i
		}
	}
	if out < 0 {
		return 0, nil
	}
	p := change.RawVector().Data[:n]
	mat.NewVecDense(d, m.d).MulVec(v, mat.NewVecDense(n, p))
	if γ, err = m.search(most, min(1, most)); err != nil || γ == 0 {
		return 0, err
	}
	S := &m.set
	floats.AddScaled(S.Weight, γ, p)
	if γ == most {
		S.Weight[out] = 0
	}
	left := 0
	for i, α := range S.Weight {
		if α > 0 {
			S.Atom[left], S.Atom[i] = S.Atom[i], S.Atom[left]
			S.Weight[left] = α
			left++
		}
	}
	S.Atom, S.Weight, S.Key = S.Atom[:left], S.Weight[:left], nil
	floats.Scale(1/floats.Sum(S.Weight), S.Weight)
	clear(m.r.X)
	fwset.Sum(m.r.X, 0, m.r.X, S.Weight, S.Atom)
	m.moved(γ)
	return γ, nil
}

// moved takes over the gradient of a search, after a step γd, and what it tells of H (BFGS).
func (m *run) moved(γ float64) {
	if len(m.g) <= square {
		step, turn := mat.NewVecDense(len(m.g), m.y), mat.NewVecDense(len(m.g), m.t)
		floats.ScaleTo(m.y, γ, m.d)
		floats.SubTo(m.t, m.h, m.g)
		if bend := mat.Dot(step, turn); bend > 1e-14*step.Norm(2)*turn.Norm(2) {
			if m.bend == nil { // H = I at first, to the scale of f
				m.bend = mat.NewSymDense(len(m.g), nil)
				for j := range m.g {
					m.bend.SetSym(j, j, mat.Dot(turn, turn)/bend)
				}
			}
			var was mat.VecDense
			was.MulVec(m.bend, step)
			m.bend.SymRankOne(m.bend, -1/mat.Dot(step, &was), &was)
			m.bend.SymRankOne(m.bend, 1/bend, turn)
		}
	}
	copy(m.g, m.h)
}
