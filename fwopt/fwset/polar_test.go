package fwset

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// On spectra of all kinds, in all shapes: no point of the ball is better than the slack allows, the answer is
// in the ball, and the slack is small.
func TestPolarCertificate(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	cases := 10000
	if testing.Short() {
		cases = 1000
	}
	for n := range cases {
		h, m := 1+rng.IntN(24), 1+rng.IntN(24)
		if n%50 == 0 {
			h, m = 30+rng.IntN(100), 30+rng.IntN(100)
		}
		sigma, kind := make([]float64, min(h, m)), n%6
		decades := 18 * rng.Float64()
		for i := range sigma {
			switch kind {
			case 0: // that of random numbers
				sigma[i] = math.Abs(rng.NormFloat64())
			case 1: // over many decades
				sigma[i] = math.Pow(10, -decades*float64(i)/float64(len(sigma)))
			case 2: // a few, and then as many of nearly none
				sigma[i] = math.Pow(10, -decades*math.Floor(2*float64(i)/float64(len(sigma))))
			case 3: // few directions
				sigma[i] = max(0, 1-float64(i)/3)
			case 4: // all alike
				sigma[i] = 1
			case 5:
				sigma[i] = math.Pow(0.9, float64(i))
			}
		}
		sigma[0]++
		g := Reflected(rng, h, m, sigma)
		b := SpectralNorm{H: h, M: m, R: math.Exp(rng.NormFloat64())}
		floats.Scale(math.Pow(10, 20*rng.NormFloat64()), g)
		var v Vertex
		slack := b.ArgminVertex(&v, g, 0, nil) / b.R
		norm := floats.Sum(decompose(m, h, g, mat.SVDNone).Values(nil))
		if miss := norm + v.Dot(g)/b.R; !(miss <= slack) || !(slack <= 2e-9*norm) {
			t.Errorf("case %d, %d x %d, kind %d over %.1f decades: %.3g of %.3g is missing, slack %.3g", n, h, m,
				kind, decades, miss, norm, slack)
		}
		if far := b.Gauge(v.Value); !(far <= 1+1e-13) {
			t.Errorf("case %d, %d x %d, kind %d over %.1f decades: gauge 1%+g", n, h, m, kind, decades, far-1)
		}
	}
}

// A projection by the eigenvectors above R, or by a singular value decomposition where σ_1 is far above it, is that by
// construction: where both are, on either side of where one takes over, and at either end of the numbers.
func TestSpectralProjection(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 1))
	for n := range 400 {
		h, m := 1+rng.IntN(24), 1+rng.IntN(24)
		s := min(h, m)
		sigma, cut := make([]float64, s), make([]float64, s)
		top := math.Pow(2, 22*rng.Float64()-2) // 1024 is among them
		for i := range sigma {
			if sigma[i] = top * math.Pow(rng.Float64(), float64(n%4)); n%5 == 0 {
				sigma[i] = 1 + 1e-6*float64(i%3-1) // about R
			}
			cut[i] = min(1, sigma[i])
		}
		seed := rng.Uint64()
		x := Reflected(rand.New(rand.NewPCG(seed, 0)), h, m, sigma)
		want := Reflected(rand.New(rand.NewPCG(seed, 0)), h, m, cut)
		scale := math.Pow(10, float64(n%3-1)*150)
		floats.Scale(scale, x)
		SpectralNorm{H: h, M: m, R: scale}.Project(x, x)
		floats.Scale(1/scale, x)
		if d := floats.Distance(x, want, 2); !(d <= 1e-10) {
			t.Errorf("case %d, %d x %d, up to %g: %g off", n, h, m, top, d)
		}
	}
}
