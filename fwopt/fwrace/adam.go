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

// adam is Adam's state for a part of w.
type adam struct {
	beta1, beta2, decay float64
	p, q                []float64
}

func (a *adam) step(k int, rate float64, w, g []float64) {
	if k == 1 {
		a.p, a.q = make([]float64, len(w)), make([]float64, len(w))
	}
	r, c := rate/(1-math.Pow(a.beta1, float64(k))), 1/(1-math.Pow(a.beta2, float64(k)))
	for j, v := range g {
		a.p[j] = a.beta1*a.p[j] + (1-a.beta1)*v
		a.q[j] = a.beta2*a.q[j] + (1-a.beta2)*v*v
		w[j] -= rate*a.decay*w[j] + r*a.p[j]/(math.Sqrt(c*a.q[j])+1e-8)
	}
}

// Adam is what one would train a network with today (Kingma & Ba, ICLR 2015), with m samples a step, a learning
// rate, β_1, β_2 (0.999 in most libraries), and AdamW's weight decay (Loshchilov & Hutter, ICLR 2019); the numbers of w
// from one place on may have so many times that rate:
//
//	p_k = β_1 p_{k−1} + (1−β_1) ∇̃_k,  q_k = β_2 q_{k−1} + (1−β_2) ∇̃_k²
//	w_k = (1 − rate_k decay) w_{k−1} − rate_k p_k/(1−β_1^k) / (√(q_k/(1−β_2^k)) + 10⁻⁸)
//
// It has no Ω, and one run; it is here for the comparison of notebooks/muon and no more, as are MuonAdam and SGDMomentum.
func Adam(m int, rate func(k int) float64, beta1, beta2, decay float64, from int, times float64,
) fwopt.Method {
	first := adam{beta1: beta1, beta2: beta2, decay: decay}
	last := first
	return each("Adam", m, func(k int, w, g []float64) {
		first.step(k, rate(k), w[:from], g[:from])
		last.step(k, rate(k)*times, w[from:], g[from:])
	})
}

// MuonAdam is Muon as PyTorch has it: fwmore.NewMuon's step for some layers, whose sets are given and whose weights
// begin at one place of w, and for the others Adam with β_1 = 0.9, β_2 and so many times the rate; both with a weight
// decay. The linear optimisations are not counted.
func MuonAdam(m int, rate func(k int) float64, layers fwopt.Domain, from int, rho, beta2, decay,
	times float64) fwopt.Method {
	to := from + layers.Dim()
	first := adam{beta1: 0.9, beta2: beta2, decay: decay}
	last := first
	d, v := make([]float64, to-from), make([]float64, to-from)
	return each("Muon, Adam", m, func(k int, w, g []float64) {
		if k == 1 {
			clear(d)
		}
		u, x := g[from:to], w[from:to]
		fwopt.Lerp(d, rho, u)
		floats.Scale(rho, u)
		floats.AddScaled(u, 1-rho, d)
		layers.Argmin(v, u)
		floats.Scale(1-rate(k)*decay, x)
		floats.AddScaled(x, rate(k), v)
		first.step(k, rate(k)*times, w[:from], g[:from])
		last.step(k, rate(k)*times, w[to:], g[to:])
	})
}

// SGDMomentum is stochastic gradient descent with momentum, with m samples a step and a weight decay
// that is not in p, as AdamW's:
//
//	p_k = μ p_{k−1} + ∇̃_k,  w_k = (1 − rate_k decay) w_{k−1} − rate_k p_k
func SGDMomentum(m int, rate func(k int) float64, mu, decay float64) fwopt.Method {
	var p []float64
	return each("SGD, momentum", m, func(k int, w, g []float64) {
		if k == 1 {
			p = make([]float64, len(w))
		}
		floats.Scale(mu, p)
		floats.Add(p, g)
		floats.Scale(1-rate(k)*decay, w)
		floats.AddScaled(w, -rate(k), p)
	})
}

// FiveTurns is SpectralNorm with the linear optimisation of Muon as it is practised: five turns of a polynomial that
// does not converge, in place of the polar factor. A singular value of at least 1/500 of g's Frobenius norm comes out
// between 0.68 and 1.21 of R, a smaller one below, and 0 as 0. It is here for the comparison of notebooks/muon and no more.
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
