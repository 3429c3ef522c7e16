package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// exponents draws numbers ≤ 0 of all sizes, those where Exp changes its ways and,
// if rare > 0, special ones, which may be greater.
func exponents(rng *rand.Rand, n, rare int) []float64 {
	x := make([]float64, n)
	for l := range x {
		switch x[l] = -math.Exp(8 * rng.Float64()); rng.IntN(4) {
		case 0:
			x[l] = -math.Exp(-40 * rng.Float64())
		case 1: // where the pieces meet
			x[l] = -float64(rng.IntN(40000)) * math.Ln2 / 64
		}
		if rare > 0 && rng.IntN(rare) == 0 {
			x[l] = specials[rng.IntN(len(specials))]
		} else if rng.IntN(20) == 0 {
			x[l] = []float64{-708, math.Nextafter(-708, 0), math.Nextafter(-708, -709), math.Inf(-1),
				-745.2}[rng.IntN(5)]
		}
	}
	return x
}

func TestExpsTwins(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	for trial := range 20000 {
		n := trial % 71
		if trial%5000 == 4999 {
			n = 2*Chunk + trial/5000
		}
		s, m := exponents(rng, n, 0), 0.0
		if trial%2 == 1 {
			m = math.Exp(8*rng.Float64()) - 1
		}
		got := rubbish(n + 5)
		expsOf(got[:n], s, m)
		for l, x := range s {
			if want := Exp(x - m); !same(got[l], want) {
				t.Fatalf("%d of %d: Exp(%x − %x) is %x, plainly %x", l, n, x, m, got[l], want)
			}
		}
		for _, x := range got[n:] {
			if !math.IsNaN(x) {
				t.Fatal("written beyond the slice")
			}
		}
		expsOf(s, s, m)
		if !slices.Equal(s, got[:n]) {
			t.Fatalf("%d exponentials in place have other bits", n)
		}
	}
}

// The loss, its derivatives and those along a line, and the maximum, with any scores.
func TestLossTwins(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for trial := range 20000 {
		h, rare := 1+trial%140, 0
		if trial%3 == 0 {
			rare = 1 + rng.IntN(100)
		}
		s, d := exponents(rng, h, rare), numbers(rng, h, rare)
		y, gamma := rng.IntN(h), rng.Float64()
		results := func() []float64 {
			d1, d2 := LogLossLine(s, d, y, gamma)
			g := slices.Clone(s)
			LogLossGrad(g, y, 0.3)
			return append(g, LogLoss(s, y), d1, d2, maximum(s)+0) // + 0 takes the sign of a zero
		}
		var plain []float64
		Plainly(func() { plain = results() })
		for i, x := range results() {
			if !same(x, plain[i]) {
				t.Fatalf("scores %x, line %x, class %d: number %d is %x, plainly %x", s, d, y, i, x, plain[i])
			}
		}
	}
}

func BenchmarkLogLossGrad(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, h := range []int{2, 4, 20, 53, 1000} {
		scores := randomVector(rng, 100*h)
		for name, on := range map[string]bool{"vectors": true, "plain": false} {
			b.Run(fmt.Sprintf("h=%d/%s", h, name), func(b *testing.B) {
				defer func(v bool) { vectors = v }(vectors)
				vectors = vectors && on
				s := make([]float64, h)
				for i := 0; b.Loop(); i++ {
					copy(s, scores[i%100*h:])
					LogLossGrad(s, i%h, 0.3)
				}
			})
		}
	}
}
