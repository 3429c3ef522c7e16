package fwopt

import "iter"

// SVRG is projected stochastic variance-reduced gradient descent (Johnson &
// Zhang, NIPS 2013, option I), the other baseline of Section 5:
//
//	for t = 1, 2, … do
//	    Take snapshot: x_0 = w_{t−1} and compute ∇f(x_0).
//	    for k = 1 to N_t do
//	        Compute ∇̃_k, the average of m_k iid samples of ∇̃f(x_{k−1}; x_0).
//	        Compute x_k = Π_Ω(x_{k−1} − c′ ∇̃_k).
//	    end for
//	    Set w_t = x_{N_t}.
//	end for
type SVRG struct {
	Rate float64         // c′, the learning rate
	M    func(k int) int // m_k, the samples of step k
	N    func(t int) int // N_t, the steps of epoch t

	T, K  int       // where the run is: k steps of epoch t are done
	X     []float64 // x_k
	X0    []float64 // x_0 = w_{t−1}, the snapshot
	Grad0 []float64 // ∇f(x_0)
}

// SVRGExperiments has N_t = 50, m_k = 100 (Section 5) and the rate c′, to be tuned.
func SVRGExperiments(c float64) *SVRG {
	return &SVRG{
		Rate: positive("c′", c),
		M:    func(int) int { return batchSize },
		N:    func(int) int { return snapshotEvery },
	}
}

func (a *SVRG) String() string { return "SVRG" }

// Identify writes the rate, and m_k at each step.
func (a *SVRG) Identify(id *Identity) {
	id.Of(a).Float(a.Rate)
	for _, k := range id.Steps(a.N) {
		id.Int(a.M(k))
	}
}

// Steps runs SVRG. Epoch t counts one exact gradient; its step k 2m_k stochastic ones and one projection.
func (a *SVRG) Steps(o *Oracle, w0 []float64) iter.Seq[Step] {
	given("SVRG.M", a.M == nil)
	given("SVRG.N", a.N == nil)
	if a.T == 0 {
		a.T, a.X = 1, append(a.X[:0], w0...)
		a.X0, a.Grad0 = make([]float64, len(w0)), make([]float64, len(w0))
	}
	y, descend := make([]float64, len(w0)), o.descent()
	return func(yield func(Step) bool) {
		// the loops begin where the run stands, after step a.K of epoch a.T, so that a saved one goes on
		for ; ; a.T, a.K = a.T+1, 0 { // for t = 1, 2, …
			if a.K == 0 {
				copy(a.X0, a.X)       // take snapshot x_0 = w_{t−1}
				o.Grad(a.Grad0, a.X0) // and compute ∇f(x_0)
			}
			for a.K < length(a.N, a.T) { // for k = 1 to N_t
				k := a.K + 1
				descend(y, a.X, a.X0, a.Grad0, a.M(k), a.Rate) // x_{k−1} − c′ ∇̃_k, mean of m_k ∇̃f(x_{k−1}; x_0)
				o.Project(a.X, y)                              // x_k = Π_Ω(x_{k−1} − c′ ∇̃_k)
				a.K = k
				if !yield(Step{T: a.T, K: k, X: a.X}) {
					return
				}
			}
		} // w_t = x_{N_t}
	}
}
