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

// A projection lies in Ω, and a linear optimisation finds nothing nearer, whatever the size
// of x: random, with many ties, and of numbers of many sizes.
func TestProjectionsOfAnySize(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 6))
	for _, set := range []interface {
		Domain
		Projector
		Gauged
		Bounded
	}{
		Simplex{D: 1, R: 2}, Simplex{D: 50, R: 1}, Simplex{D: 5000, R: 1e-6}, L1Ball{D: 1, R: 2}, L1Ball{D: 50, R: 1}, L1Ball{D: 5000, R: 1e6},
		L2Ball{D: 50, R: 1}, Box{Lo: []float64{-1, 0, 2}, Hi: []float64{1, 1e-6, 2}}, GroupBall{Size: []int{3, 1, 5, 2}, R: 1}, GroupBall{Size: []int{40, 40}, R: 1e6},
		KSparse{D: 1, K: 1, R: 2}, KSparse{D: 30, K: 4, R: 1}, KSparse{D: 9, K: 1, R: 1e6}, KSparse{D: 9, K: 9, R: 1e-6}, KSparse{D: 1000, K: 300, R: 0.1},
		TraceNorm{H: 5, M: 8, Tau: 3}, TraceNorm{H: 5, M: 8, Tau: 1e-3, SVD: true}, TraceNorm{H: 20, M: 30, Tau: 1},
		SpectralNorm{H: 3, M: 5, R: 1}, SpectralNorm{H: 20, M: 30, R: 1e-6}, Spectraplex{N: 1, R: 2}, Spectraplex{N: 7, R: 1e6}, Spectraplex{N: 24, R: 1},
		Rotations{N: 2}, Rotations{N: 3}, Rotations{N: 6}, Rotations{N: 20}, Product{Simplex{D: 3, R: 1}, KSparse{D: 6, K: 2, R: 2}},
		Birkhoff{N: 1}, Birkhoff{N: 2}, Birkhoff{N: 5}, Birkhoff{N: 12}, Birkhoff{N: 30},
	} {
		for _, e := range []float64{0, 2, 3, 6, 9, 12, 15, 17, 20, 35, 60, 100, 150, 200, 250, 290, 300, 305, 308} {
			for kind := range 4 {
				x := make([]float64, set.Dim())
				for j := range x {
					switch x[j] = rng.NormFloat64(); kind {
					case 1:
						x[j] = math.Round(x[j])
					case 2:
						x[j] *= math.Exp(3 * rng.NormFloat64())
					case 3:
						x[j] *= math.Pow(10, -e*rng.Float64())
					}
				}
				if kind == 1 {
					x[0] = 1 // not all 0
				}
				floats.Scale(1/maxAbs(x), x)
				floats.Scale(math.Pow(10, e), x)
				p, g, top := make([]float64, len(x)), make([]float64, len(x)), maxAbs(x)
				set.Project(p, x)
				gauge := set.Gauge(p)
				for j := range g {
					g[j] = p[j]/top - x[j]/top
				}
				var v Vertex
				slack := Argmin(set, &v, g, 0, nil)
				if gain := floats.Dot(g, p) - v.Dot(g); !(gauge <= 1+1e-9) || !(gain <= 1e-9*(set.Diameter()+maxAbs(p))+slack) {
					t.Errorf("%T of dimension %d, x about 1e%g, kind %d: gauge 1%+.2g, a vertex is nearer by %.2g", set, len(x), e, kind, gauge-1, gain)
				}
			}
		}
	}
}

// What makes x large and moves no projection: multiples of 2^-8 are added without rounding.
func TestProjectionsOfMovedPoints(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 7))
	for k := range 1000 {
		size := math.Pow(2, float64(rng.IntN(40)))
		whole := func() float64 { return math.Round(size * rng.NormFloat64()) }
		n := 1 + rng.IntN(6)
		x, y := make([]float64, n*n), make([]float64, n*n)
		row := make([]float64, n)
		for i := range row {
			row[i] = whole()
		}
		for j := range n {
			column := whole()
			for i := range n {
				x[j*n+i] = math.Round(256*rng.NormFloat64()) / 256
				y[j*n+i] = x[j*n+i] + row[i] + column
			}
		}
		p, q := make([]float64, n*n), make([]float64, n*n)
		Birkhoff{N: n}.Project(p, x)
		Birkhoff{N: n}.Project(q, y)
		if d := floats.Distance(p, q, 2); !(d <= 1e-12*float64(n)) {
			t.Fatalf("%d, N = %d, rows and columns moved by %g: the projection is %g off", k, n, size, d)
		}
		d := 2 + rng.IntN(20)
		b := KSparse{D: d, K: 1 + rng.IntN(d), R: 1}
		if b.K == d {
			b.K-- // all are equally far out, so the sum is what binds
		}
		x, y = make([]float64, d), make([]float64, d)
		for j := range x {
			x[j] = 2 + math.Round(256*rng.Float64())/256
			y[j] = x[j] + math.Round(size)
		}
		p, q = make([]float64, d), make([]float64, d)
		b.Project(p, x)
		b.Project(q, y)
		if d := floats.Distance(p, q, 2); !(d <= 1e-12*float64(b.D)) {
			t.Fatalf("%d, %+v, numbers moved by %g: the projection is %g off", k, b, size, d)
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
