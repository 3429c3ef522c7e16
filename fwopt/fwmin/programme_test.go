package fwmin

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// The slack is honest whatever vertex lp.Simplex comes to: here that of another g.
func TestSlackOfAnyVertex(t *testing.T) {
	rng, far := rand.New(rand.NewPCG(5, 8)), 0
	normal := func(n int) []float64 {
		x := make([]float64, n)
		for j := range x {
			x[j] = rng.NormFloat64()
		}
		return x
	}
	for range 300 {
		n := 2 + rng.IntN(5)
		rows := rng.IntN(2*n) + 1
		b, lo, hi := normal(rows), make([]float64, n), make([]float64, n)
		for i := range b {
			b[i] = b[i]*b[i] + 0.1
		}
		floats.AddConst(-1, lo)
		floats.AddConst(2, hi)
		p, err := NewPolytope(mat.NewDense(rows, n, normal(rows*n)), b, nil, nil, lo, hi)
		if err != nil {
			t.Fatal(err)
		}
		g := normal(n)
		_, λ, _, err := p.solve(normal(n))
		best, _, _, other := p.solve(g)
		if err != nil || other != nil {
			t.Fatal(err, other)
		}
		h := floats.MulTo(make([]float64, n), g, p.size)
		x, _, slack, err := p.vertex(λ, h)
		if err != nil {
			t.Fatal(err)
		}
		above := floats.Dot(g, x) - floats.Dot(g, best)
		if slack < above {
			t.Errorf("a vertex is %g above the least, with a slack of %g", above, slack)
		}
		if above > 0.1 {
			far++
		}
	}
	if far < 100 {
		t.Errorf("only %d vertices are not the best", far)
	}
}
