package fwset_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
)

// Factors gives what the sums written out give, in any order of its calls.
func TestFactors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 28))
	moves := 0
	for range 300 {
		h := 1 + rng.IntN(12)
		size, ball := 1+rng.IntN(6), fwset.TraceNorm{H: h, M: h + rng.IntN(40), Tau: 1}
		ball.Tau = math.Exp(rng.NormFloat64())
		if rng.IntN(10) == 0 {
			ball.M += 1000
		}
		vertex := func() (v fwset.Vertex) {
			ball.ArgminVertex(&v, fwset.Normal(rng, ball.Dim()), 0, nil)
			return v
		}
		var a []fwset.Vertex
		for range rng.IntN(size + 1) {
			a = append(a, vertex())
		}
		d, b := fwset.Normal(rng, ball.Dim()), fwset.Normal(rng, ball.Dim())
		var weight []float64
		if rng.IntN(2) == 0 { // B is a sum of the vertices
			weight = fwset.Normal(rng, len(a)+1)[:len(a)]
			fwset.Sum(b, 0, b, weight, a)
		}
		f := fwset.NewFactors(ball, size)
		if !f.Start(d, b, a, weight) {
			t.Fatal("Start refused vertices of rank one")
		}
		for range 10 {
			c, w := rng.Float64(), make([]float64, len(a))
			if rng.IntN(3) == 0 {
				c = 0
			}
			for i := range w {
				w[i] = max(0, rng.NormFloat64())
			}
			s, g, v := make([]float64, len(d)), make([]float64, len(d)), fwset.Vertex{}
			fwset.Sum(s, c, b, w, a)
			floats.AddTo(g, d, s)
			own, value, slack := f.Argmin(&v, c, b, w, a)
			scale := ball.Tau * (floats.Norm(d, 2) + floats.Norm(b, 2) + ball.Tau*floats.Norm(w, 1))
			near := func(what string, got, want, scale float64) {
				if !(math.Abs(got-want) <= 1e-12*scale) {
					t.Fatalf("%+v, %d vertices, weights %v: %s is %g, want %g", ball, len(a), weight, what,
						got, want)
				}
			}
			v.Check(len(d))
			near("⟨D + S, S⟩", own, floats.Dot(g, s), scale*scale/ball.Tau/ball.Tau)
			near("⟨D + S, v⟩", value, v.Dot(g), scale)
			near("‖v‖_*", floats.Norm(v.U, 2)*floats.Norm(v.V, 2), ball.Tau, ball.Tau)
			var best fwset.Vertex
			room := ball.ArgminVertex(&best, g, 0, nil)
			least := best.Dot(g)
			if value > least+slack || slack > 1e-6*scale || value < least-room-1e-12*scale {
				t.Fatalf("%+v: ⟨g, v⟩ = %g with a slack of %g, the least is %g", ball, value, slack, least)
			}
			if len(a) == size {
				i := rng.IntN(size)
				if rng.IntN(3) > 0 {
					γ := rng.Float64()
					a[i].Lerp(b, γ)
					f.Merge(&a[i], i, size+1, γ)
					moves++
				}
				f.Drop(i, size+1)
				a = slices.Delete(a, i, i+1)
			}
			a = append(a, v)
			all := make([]float64, size)
			for i := range a {
				db, bb := f.Ends()
				near("⟨D, B⟩", db, floats.Dot(d, b), floats.Norm(d, 2)*floats.Norm(b, 2))
				near("‖B‖²", bb, floats.Dot(b, b), floats.Dot(b, b))
				da, ba := f.Row(all, a, i)
				near("⟨D, a_i⟩", da, a[i].Dot(d), scale)
				near("⟨B, a_i⟩", ba, a[i].Dot(b), scale)
				for j := range i + 1 {
					near("⟨a_i, a_j⟩", all[j], a[i].Inner(&a[j]), ball.Tau*ball.Tau)
				}
			}
		}
	}
	if moves < 500 {
		t.Errorf("%d moves of B: too few", moves)
	}
	for _, other := range []fwset.Domain{fwset.L1Ball{D: 4, R: 1}, fwset.TraceNorm{H: 3, M: 2, Tau: 1},
		fwset.TraceNorm{H: 65, M: 65, Tau: 1}, embedded{fwset.TraceNorm{H: 2, M: 3, Tau: 1}}} {
		if fwset.NewFactors(other, 3) != nil {
			t.Errorf("%T has Factors", other)
		}
	}
}

// embedded may override ArgminVertex.
type embedded struct{ fwset.TraceNorm }
