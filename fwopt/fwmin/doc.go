// Package fwmin minimises a smooth convex function over a convex set, for users of gonum: [Minimize] has the
// shape of gonum's optimize, with a set in the place of the method, and its result has a proven gap.
//
//	omega, err := fwmin.NewPolytope(A, b, nil, nil, lo, hi) // Ax ≤ b, lo ≤ x ≤ hi
//	r, err := fwmin.Minimize(f, grad, omega, nil)
//	fmt.Println(r.X, r.F, r.Gap)
//
// A set is a [Polytope], by linear programming, or one of package fwset: Box for bounds, Simplex, the balls,
// and Product for blocks of variables.
//
// It is slower than scipy's SLSQP, which proves nothing: 3.95 s of processor time where that takes 0.42 on the 100
// quadratic programmes of the tests, of up to 30 coordinates. Nearly all of it goes to linear programmes.
package fwmin
