package fwset

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// Of equal singular values: gonum's own right factors of these three are off by 0.005 to
// 0.03.
func TestEqualSingularValues(t *testing.T) {
	for _, seed := range []uint64{77, 613, 862} {
		rng := rand.New(rand.NewPCG(seed, 0))
		b := SpectralNorm{H: 145, M: 157, R: 1}
		g, v, p := make([]float64, b.Dim()), make([]float64, b.Dim()), make([]float64, b.Dim())
		for i := range g {
			g[i] = rng.NormFloat64()
		}
		b.Argmin(v, g)
		floats.ScaleTo(g, 2, v)
		b.Project(p, g)
		if d := floats.Distance(p, v, 2); d > 1e-12 {
			t.Errorf("spectral norm, seed %d: off by %g", seed, d)
		}
		q := TraceNorm{H: b.H, M: b.M, Tau: 145, SVD: true}
		q.Project(p, g)
		if d := floats.Distance(p, v, 2); d > 1e-11 {
			t.Errorf("trace norm, seed %d: off by %g", seed, d)
		}
	}
}
