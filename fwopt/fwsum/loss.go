package fwsum

// Loss is ℓ_1, …, ℓ_n of a RowSum, convex functions of h scores. A type with these
// three methods is one; it holds the targets and keeps nothing between calls, which
// come from many goroutines at once. A panic there ends the program.
//
// A loss may say more. Lipschitz() float64, a bound on all ‖∇ℓ_i(s)‖, is for
// RowSum.Lipschitz. Curve(i int, s, d []float64, c float64), which sets d = c∇²ℓ_i(s)d and
// may write over s, is for RowSum.Curve. Identify is for Keep, see Identified:
//
//	func (l hinge) Identify(id *fwopt.Identity) { id.Of(l).Float(l.y...) }
type Loss interface {
	Value(i int, s []float64) float64   // ℓ_i(s)
	Grad(i int, s []float64, c float64) // s = c∇ℓ_i(s), in place of the scores; c is the weight of the term
	Smoothness() float64                // β, a bound on the eigenvalues of ∇²ℓ_i(s); +Inf if there is none
}
