package fwmore

import (
	"iter"
	"math"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// FISTA is the accelerated projected gradient method (Beck & Teboulle, SIAM J.
// Imaging Sci. 2, 2009) with backtracking on L and the gradient restart of
// O'Donoghue & Candès (2015). It is not one of the paper's six methods: it is
// what one would use today where an exact gradient and a projection are cheap,
// and it gives the optima that the others are measured against.
//
//	x_k = Π_Ω(y_k − ∇f(y_k)/L)
//	θ_{k+1} = (1 + √(1 + 4θ_k²))/2
//	y_{k+1} = x_k + (θ_k − 1)/θ_{k+1} (x_k − x_{k−1})
type FISTA struct {
	L float64 // a first guess of the smoothness of f, better too small; doubled as needed

	K     int       // steps done
	X     []float64 // x_k
	Y     []float64 // y_{k+1}
	Theta float64   // θ_{k+1}
}

func (a *FISTA) String() string { return "FISTA" }

// Identify says the first guess of L.
func (a *FISTA) Identify(id *fwopt.Identity) { id.Of(a).Float(a.L) }

// Steps runs FISTA. A step counts one projection and three exact gradients, as
// f(y_k) and f(x_k) also read all n terms, and for each doubling of L one of
// each more. With a known L, and no backtracking, one exact gradient would do.
func (a *FISTA) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	need.Positive("fwmore", "L", a.L)
	if a.K == 0 {
		a.X, a.Y, a.Theta = append(a.X[:0], w0...), append(a.Y[:0], w0...), 1
	}
	g, x, d := make([]float64, len(w0)), make([]float64, len(w0)), make([]float64, len(w0))
	return func(yield func(fwopt.Step) bool) {
		for { // for k = 1, 2, …
			k := a.K + 1
			o.Grad(g, a.Y) // ∇f(y_k)
			fy := o.Value(a.Y)
			for ; ; a.L *= 2 { // until f(x) ≤ f(y) + ∇f(y)ᵀ(x−y) + (L/2)‖x−y‖²
				floats.AddScaledTo(x, a.Y, -1/a.L, g)
				o.Project(x, x) // x_k = Π_Ω(y_k − ∇f(y_k)/L)
				floats.SubTo(d, x, a.Y)
				fx := o.Value(x)
				if !(fx > fy+floats.Dot(g, d)+a.L/2*floats.Dot(d, d)+1e-14*math.Abs(fy)) ||
					math.IsInf(a.L, 1) {
					break
				}
			}
			// restart if ⟨y_k − x_k, x_k − x_{k−1}⟩ > 0; here d = x_k − y_k
			floats.SubTo(a.X, x, a.X) // x_k − x_{k−1}
			θ := (1 + math.Sqrt(1+4*a.Theta*a.Theta)) / 2
			momentum := (a.Theta - 1) / θ
			if floats.Dot(d, a.X) < 0 {
				θ, momentum = 1, 0
			}
			floats.AddScaledTo(a.Y, x, momentum, a.X) // y_{k+1} = x_k + (θ_k−1)/θ_{k+1} (x_k − x_{k−1})
			copy(a.X, x)
			a.Theta = θ
			a.K = k
			if !yield(fwopt.Step{T: 1, K: k, X: a.X}) {
				return
			}
		}
	}
}
