package fwset

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
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

func TestJacobi(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		cols := 1 + rng.IntN(12)
		rows := cols + rng.IntN(5)
		rank := rng.IntN(cols + 1)
		a, c := mat.NewDense(rows, max(rank, 1), nil), mat.NewDense(max(rank, 1), cols, nil)
		if rank > 0 {
			a.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, a)
			c.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, c)
		}
		var x, got mat.Dense
		x.Mul(a, c)
		if seed%3 == 0 && rank > 1 {
			x.SetCol(0, mat.Col(nil, cols-1, &x)) // two columns alike
		}
		u, v, sigma := jacobi(rows, cols, x.RawMatrix().Data)
		if !areOrthonormal(u) || !areOrthonormal(v) {
			t.Fatalf("%d x %d of rank %d: not orthonormal", rows, cols, rank)
		}
		var svd mat.SVD
		svd.Factorize(&x, mat.SVDNone)
		if d := floats.Distance(sigma, svd.Values(nil), math.Inf(1)); d > 1e-13*(1+sigma[0]) {
			t.Fatalf("%d x %d of rank %d: values %v, want %v", rows, cols, rank, sigma, svd.Values(nil))
		}
		got.Mul(u, mat.NewDiagDense(cols, sigma))
		got.Mul(&got, v.T())
		got.Sub(&got, &x)
		if d := mat.Norm(&got, 2); d > 1e-13*(1+sigma[0]) {
			t.Fatalf("%d x %d of rank %d: off by %g", rows, cols, rank, d)
		}
	}
}
