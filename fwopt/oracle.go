package fwopt

// FiniteSum is the objective f(w) = (1/n) Σ f_i(w) of Section 1.
type FiniteSum interface {
	Dim() int                           // d, the length of w
	Len() int                           // n, the number of terms
	Value(w []float64) float64          // f(w)
	Grad(dst, w []float64, batch Batch) // dst = Σ_j Weight[j] ∇f_{Index[j]}(w)
}

// Domain is a compact convex set Ω, known by its linear optimisation.
type Domain interface {
	Dim() int
	Argmin(dst, g []float64) // dst = argmin_{v∈Ω} ⟨g, v⟩; if g = 0 any point of Ω
}

// Batch is a weighted list of terms of the sum. The zero Batch is all n terms
// with weight 1/n each, so that Grad computes the exact gradient ∇f(w).
type Batch struct {
	Index  []int     // the terms
	Weight []float64 // their weights, which add up to 1
}
