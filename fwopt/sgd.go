package fwopt

import (
	"iter"
	"math"

	"gonum.org/v1/gonum/floats"
)

// SGD is projected stochastic gradient descent, one of the two baselines of Section 5:
//
//	∇̃_k = average of m_k iid samples of ∇f_i(w_{k−1})
//	w_k = Π_Ω(w_{k−1} − c_k ∇̃_k)
//
// where Π_Ω(x) is the point of Ω nearest to x.
type SGD struct {
	Rate func(k int) float64 // c_k, the learning rate
	M    func(k int) int     // m_k, the samples of step k

	K int       // steps done
	W []float64 // w_k
}

// SGDExperiments has c_k = c/√k, where c is to be tuned, and m_k = 100 (Section 5).
func SGDExperiments(c float64) *SGD {
	positive("c", c)
	return &SGD{
		Rate: func(k int) float64 { return c / math.Sqrt(float64(k)) },
		M:    func(int) int { return batchSize },
	}
}

func (a *SGD) String() string { return "SGD" }

// Identify writes the parameters at each step.
func (a *SGD) Identify(id *Identity) {
	id.Of(a)
	for _, k := range id.Steps(nil) {
		id.Float(a.Rate(k)).Int(a.M(k))
	}
}

// Steps runs SGD. Step k counts m_k stochastic gradients and one projection.
func (a *SGD) Steps(o *Oracle, w0 []float64) iter.Seq[Step] {
	given("SGD.Rate", a.Rate == nil)
	given("SGD.M", a.M == nil)
	if a.K == 0 {
		a.W = append(a.W[:0], w0...)
	}
	g := make([]float64, len(w0))
	return func(yield func(Step) bool) {
		for { // for k = 1, 2, …
			k := a.K + 1
			o.StochasticGrad(g, a.W, a.M(k))     // ∇̃_k, mean of m_k samples of ∇f_i(w_{k−1})
			floats.AddScaled(a.W, -a.Rate(k), g) // w_{k−1} − c_k ∇̃_k
			o.Project(a.W, a.W)                  // w_k = Π_Ω(w_{k−1} − c_k ∇̃_k)
			a.K = k
			if !yield(Step{T: 1, K: k, X: a.W}) {
				return
			}
		}
	}
}
