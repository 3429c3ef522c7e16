package fwrace

import (
	"iter"
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"gonum.org/v1/gonum/floats"
)

// unbound is a method that knows no Ω.
type unbound struct {
	fwopt.MethodFunc
	name string
}

func (unbound) Free() bool { return true }

func (a unbound) String() string { return a.name }

// each makes a method that draws m samples a step, and moves w by step.
func each(name string, m int, step func(k int, w, g []float64)) fwopt.Method {
	return unbound{func(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
		return func(yield func(fwopt.Step) bool) {
			w, g := slices.Clone(w0), make([]float64, len(w0))
			for k := 1; ; k++ {
				o.StochasticGrad(g, w, m)
				step(k, w, g)
				if !yield(fwopt.Step{T: 1, K: k, X: w}) {
					return
				}
			}
		}
	}, name}
}

// Adam is what one would train a network with today (Kingma & Ba, ICLR 2015), with m samples a step, a learning
// rate, β_1, and β_2 = 0.999; the numbers of w from one place on may have so many times that rate:
//
//	p_k = β_1 p_{k−1} + (1−β_1) ∇̃_k,  q_k = β_2 q_{k−1} + (1−β_2) ∇̃_k²
//	w_k = w_{k−1} − rate_k p_k/(1−β_1^k) / (√(q_k/(1−β_2^k)) + 10⁻⁸)
//
// It has no Ω, and one run; it is here for the comparison of page 19 and no more, as is SGDMomentum.
func Adam(m int, rate func(k int) float64, beta1 float64, from int, times float64) fwopt.Method {
	const beta2 = 0.999
	var p, q []float64
	return each("Adam", m, func(k int, w, g []float64) {
		if k == 1 {
			p, q = make([]float64, len(w)), make([]float64, len(w))
		}
		r, c := rate(k)/(1-math.Pow(beta1, float64(k))), 1/(1-math.Pow(beta2, float64(k)))
		for j, v := range g {
			p[j] = beta1*p[j] + (1-beta1)*v
			q[j] = beta2*q[j] + (1-beta2)*v*v
			if j == from {
				r *= times
			}
			w[j] -= r * p[j] / (math.Sqrt(c*q[j]) + 1e-8)
		}
	})
}

// SGDMomentum is stochastic gradient descent with momentum as in PyTorch, with m samples a step:
//
//	p_k = μ p_{k−1} + ∇̃_k,  w_k = w_{k−1} − rate_k p_k
func SGDMomentum(m int, rate func(k int) float64, mu float64) fwopt.Method {
	var p []float64
	return each("SGD, momentum", m, func(k int, w, g []float64) {
		if k == 1 {
			p = make([]float64, len(w))
		}
		floats.Scale(mu, p)
		floats.Add(p, g)
		floats.AddScaled(w, -rate(k), p)
	})
}

// FiveTurns is SpectralNorm with the linear optimisation of Muon as it is practised: five turns of a polynomial that
// does not converge, in place of the polar factor, so that the singular values of its answer are from 0.7 to 1.2 of
// R. It is here for the comparison of page 19 and no more.
type FiveTurns struct {
	H, M int
	R    float64
}

// Dim returns H·M.
func (b FiveTurns) Dim() int { return b.H * b.M }

// Argmin computes −R times the polynomial of g over its Frobenius norm.
func (b FiveTurns) Argmin(dst, g []float64) {
	rows, cols := b.M, b.H // of g, row by row
	copy(dst, g)
	norm := floats.Norm(dst, 2)
	if !(norm > 0) {
		return
	}
	floats.Scale(1/norm, dst)
	s := min(rows, cols)
	buf := kern.Borrow(2*s*s + len(g))
	defer kern.Return(buf)
	a, p, x := (*buf)[:s*s], (*buf)[s*s:2*s*s], (*buf)[2*s*s:]
	for range 5 {
		tall := rows >= cols
		if tall {
			kern.Gram(a, dst, rows, cols) // A = XᵀX
		} else {
			kern.Mul(a, s, dst, cols, false, dst, cols, true, s, s, cols, 1, 0)
		}
		kern.Mul(p, s, a, s, false, a, s, false, s, s, s, 2.0315, 0)
		floats.AddScaled(p, -4.7750, a)
		for i := range s {
			p[i*(s+1)] += 3.4445
		}
		if copy(x, dst); tall {
			kern.Mul(dst, cols, x, cols, false, p, s, false, rows, cols, s, 1, 0)
		} else {
			kern.Mul(dst, cols, p, s, false, x, cols, false, rows, cols, s, 1, 0)
		}
	}
	floats.Scale(-b.R, dst)
}
