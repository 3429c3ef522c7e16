package fwset

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// A point whose sum is the radius up to rounding stays, or comes nearer: nothing grows.
func TestL1BallAtItsBoundary(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for range 20000 {
		x := make([]float64, 2+rng.IntN(20))
		for j := range x {
			x[j] = math.Round(rng.Float64()*1000) / 10 * math.Pow(10, -3*float64(rng.IntN(2)))
		}
		x[rng.IntN(len(x))] = 1000
		b := L1Ball{D: len(x), R: floats.Sum(x) * (1 + float64(rng.IntN(9)-4)*0x1p-53)}
		got := make([]float64, len(x))
		b.Project(got, x)
		for j := range x {
			if math.Abs(got[j]) > math.Abs(x[j]) {
				t.Fatalf("%v with R = %.17g becomes %v", x, b.R, got)
			}
		}
	}
}

func TestProjectionsNearOverflow(t *testing.T) {
	for _, c := range []struct {
		name    string
		project func(dst, x []float64)
		x, want []float64
	}{
		{"ℓ1 ball", L1Ball{D: 2, R: 1.7e308}.Project, []float64{1.7e308, 1.6e308}, []float64{0.9e308, 0.8e308}},
		{"simplex", Simplex{D: 2, R: 1.7e308}.Project, []float64{1.7e308, 1.6e308}, []float64{0.9e308, 0.8e308}},
		{"trace norm", TraceNorm{H: 2, M: 3, Tau: 1e300}.Project, []float64{1e308, 0, 0, 0, 0, 1e307}, []float64{1e300, 0, 0, 0, 0, 0}},
	} {
		got := make([]float64, len(c.x))
		c.project(got, c.x)
		for j := range got {
			if !(math.Abs(got[j]-c.want[j]) <= 1e-12*slices.Max(c.want)) {
				t.Errorf("%s: %v becomes %v, want %v", c.name, c.x, got, c.want)
				break
			}
		}
	}
}

// τ/σ_1 is beyond the numbers, up and down.
func TestTraceNormFarFromTheGradient(t *testing.T) {
	for _, c := range []struct{ tau, scale float64 }{{1e300, 1e-40}, {1e-300, 1e40}} {
		b, v := TraceNorm{H: 2, M: 3, Tau: c.tau}, make([]float64, 6)
		b.Argmin(v, []float64{c.scale, 0, 0, 0, 0, c.scale / 10})
		if math.Abs(v[0]/c.tau+1) > 1e-12 || math.Abs(v[5]/c.tau) > 1e-6 {
			t.Errorf("τ = %g, σ_1 = %g: %v", c.tau, c.scale, v)
		}
	}
}

// A last vector that is no direction is as good as none.
func TestWarmOfNothing(t *testing.T) {
	const s = 70
	for name, set := range map[string]VertexDomain{"trace norm": TraceNorm{H: s, M: 90, Tau: 1}, "spectraplex": Spectraplex{N: s, R: 1}} {
		rng := rand.New(rand.NewPCG(1, 0))
		g := make([]float64, set.(Domain).Dim())
		for j := range g {
			g[j] = rng.NormFloat64()
		}
		for _, tiny := range []float64{1e-310, 1e-200, 1e200, math.Inf(1), math.NaN()} {
			warm := &Warm{V: make([]float64, s)}
			warm.V[0] = tiny
			var v Vertex
			slack := set.ArgminVertex(&v, g, 0, warm)
			dst := make([]float64, len(g))
			v.Dense(dst)
			if !(slack < math.Inf(1)) || floats.HasNaN(dst) {
				t.Errorf("%s, %g: slack %g", name, tiny, slack)
			}
		}
	}
}
