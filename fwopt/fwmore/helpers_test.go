package fwmore_test

import (
	"math"
	"math/rand/v2"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
)

func dot(a, b []float64) (s float64) {
	for j := range a {
		s += a[j] * b[j]
	}
	return s
}
func norm(a []float64) float64 { return math.Sqrt(dot(a, a)) }
func comb(a float64, x []float64, b float64, y []float64) []float64 {
	z := make([]float64, len(x))
	for j := range z {
		z[j] = a*x[j] + b*y[j]
	}
	return z
}
func sub(x, y []float64) []float64 { return comb(1, x, -1, y) }

// noisy is f_i(w) = ½‖w − c − s_i‖² on the box [−1, 1]^d, where c is inside and the
// s_i are random signs times scale, in pairs that cancel: L = α = 1, w* = c,
// σ² = d·scale² at all w.
func noisy(d, n int, scale float64, seed uint64) (*fwsum.Quadratic, fwset.Box) {
	r := rand.New(rand.NewPCG(seed, 8))
	c, centre := make([]float64, n*d), make([]float64, d)
	for j := range centre {
		centre[j] = 1.6*r.Float64() - 0.8
		for i := range n / 2 {
			s := scale * float64(2*r.IntN(2)-1)
			c[i*d+j], c[(i+n/2)*d+j] = centre[j]+s, centre[j]-s
		}
	}
	b := fwset.Box{Lo: make([]float64, d), Hi: make([]float64, d)}
	for j := range d {
		b.Lo[j], b.Hi[j] = -1, 1
	}
	return fwsum.NewQuadratic(d, nil, c), b
}

// rows is a small instance: four rows of two numbers.
func rows() *fwsum.LeastSquares {
	x := &fwsum.Sparse{
		N: 4, M: 2,
		Ptr: []int{0, 1, 2, 4, 6},
		Col: []int32{0, 1, 0, 1, 0, 1},
		Val: []float64{1, 1, 1, 1, 1, -1},
	}
	return fwsum.NewLeastSquares(x, []float64{1, 0.5, 1, 0.5})
}
