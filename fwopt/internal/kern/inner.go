package kern

// Dot returns ⟨x, y⟩, in four sums that are added at the end.
func Dot(x, y []float64) float64 { return dot4(x, y) }
