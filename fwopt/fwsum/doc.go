// Package fwsum holds the sums f(w) = (1/n) Σ f_i(w) over the rows of data, in the
// paper's Section 2.1 and beyond it, for the methods of package fwopt:
//
//	Logistic           several classes, Section 2.1
//	NewBinaryLogistic  two, with targets in [0, 1]
//	LeastSquares
//	NewHuber           least squares that outliers hardly move
//	NewSmoothHinge     a support vector machine's
//	NewRowSum          with your own loss, a type of three methods
//	Network            fully connected layers in front of a Loss; not convex
//	EntryLoss           least squares on the first n numbers of w themselves
//	Quadratic          in closed form
//
// All but the last three are a [RowSum] over [Features], a [Sparse] or a [Dense] matrix. They
// serve many runs at once, and give each row a weight by Weighted. Curve is a product with the
// second derivative, for the conjugate methods of fwmore.
//
// Vectors are flat. The weights w ∈ R^{h×m} of h scores are stored feature by feature:
// w[j*h+l] belongs to score (class) l and feature j, both from 0.
package fwsum
