package fwmore

import (
	"iter"
	"math"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// FISTA is the accelerated projected gradient method (Beck & Teboulle, SIAM J. Imaging Sci. 2, 2009), with
// an L that may fall as well as rise (Scheinberg, Goldfarb & Bai, Found. Comput. Math. 14, 2014) and the
// gradient restart of O'Donoghue & Candès (2015). It is what one would use today where an exact gradient and
// a projection are cheap, and it gives the optima that the others are measured against.
//
//	x_0 = w_0, v_0 = 0, θ_0 = 0
//	for k = 1, 2, … do
//	    L_k = 0.9 L_{k−1}
//	    θ_k = (1 + √(1 + 4θ_{k−1}² L_k/L_{k−1}))/2
//	    y_k = x_{k−1} + (θ_{k−1} − 1)/θ_k v_{k−1}
//	    x_k = Π_Ω(y_k − ∇f(y_k)/L_k)
//	    if f(x_k) > f(y_k) + ∇f(y_k)ᵀ(x_k − y_k) + (L_k/2)‖x_k − y_k‖² then L_k = 2L_k, from θ_k anew
//	    v_k = x_k − x_{k−1}
//	    if (y_k − x_k)ᵀv_k > 0 then restart: v_k = 0, θ_k = 0
//	end for
//
// Until the first restart f(x_k) − f(w*) ≤ L_k‖w_0 − w*‖²/(2θ_k²), and θ_k/√L_k is at least half of the sum of
// 1/√L_j for j ≤ k, where no L_j is above twice the smoothness of f, or the first guess.
type FISTA struct {
	L     float64 // L_0, a first guess of the smoothness of f, better too small
	Fixed bool    // L_k = L, at least the smoothness of f: no test, and no value of f

	K     int       // steps done
	X     []float64 // x_k
	V     []float64 // v_k
	Theta float64   // θ_k
	LK    float64   // L_k
}

func (a *FISTA) String() string { return "FISTA" }

// Identify writes L, and whether it is fixed.
func (a *FISTA) Identify(id *fwopt.Identity) {
	if id.Of(a).Float(a.L); a.Fixed {
		id.Text("fixed")
	}
}

// Steps runs FISTA. A step counts one projection and two exact gradients, f(y_k) with ∇f(y_k) and f(x_k), and
// as many each time that L_k is doubled, once in six or seven steps as a rule; with Fixed one of each.
func (a *FISTA) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	if !(a.L > 0) || math.IsInf(a.L, 1) {
		panic(need.Linef("fwmore: FISTA.L = %g: give a first guess of the smoothness, as 1e-3; it adapts unless Fixed", a.L))
	}
	s := make([][]float64, 4)
	for i := range s {
		s[i] = make([]float64, len(w0))
	}
	x, y, g, d := s[0], s[1], s[2], s[3]
	if a.K == 0 {
		a.X, a.V, a.Theta, a.LK = append(a.X[:0], w0...), make([]float64, len(w0)), 0, a.L
	}
	return func(yield func(fwopt.Step) bool) {
		for { // for k = 1, 2, …
			L, θ, fy := a.LK, 0., 0.
			if !a.Fixed {
				L = max(0.9*L, 0x1p-40*a.L) // L_k = 0.9 L_{k−1}, where f is linear not for ever
			}
			for ; ; L *= 2 {
				θ = (1 + math.Sqrt(1+4*a.Theta*a.Theta*L/a.LK)) / 2 // θ_k = (1 + √(1 + 4θ_{k−1}² L_k/L_{k−1}))/2
				floats.AddScaledTo(y, a.X, (a.Theta-1)/θ, a.V)      // y_k = x_{k−1} + (θ_{k−1} − 1)/θ_k v_{k−1}
				if a.Fixed {
					o.Grad(g, y)
				} else {
					fy = o.ValueGrad(g, y)
				}
				floats.AddScaledTo(x, y, -1/L, g)
				o.Project(x, x) // x_k = Π_Ω(y_k − ∇f(y_k)/L_k)
				floats.SubTo(d, x, y)
				if a.Fixed {
					break
				}
				// f(x_k) ≤ f(y_k) + ∇f(y_k)ᵀ(x_k − y_k) + (L_k/2)‖x_k − y_k‖², up to rounding
				rise := floats.Dot(g, d) + L/2*floats.Dot(d, d) + 1e-14*math.Abs(fy)
				if !(o.Value(x) > fy+rise) {
					break
				}
			}
			floats.SubTo(a.V, x, a.X)   // v_k = x_k − x_{k−1}
			if floats.Dot(d, a.V) < 0 { // (y_k − x_k)ᵀv_k > 0: restart
				clear(a.V)
				θ = 0
			}
			copy(a.X, x)
			a.K, a.Theta, a.LK = a.K+1, θ, L
			if !yield(fwopt.Step{T: 1, K: a.K, X: a.X}) {
				return
			}
		}
	}
}
