package kern

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Sums that cancel, halfway cases, numbers of few bits and of all sizes.
func TestFMABySums(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	special := []float64{0, math.Copysign(0, -1), 1, -3, math.Inf(1), math.NaN(), 0x1p-1074, math.MaxFloat64}
	number := func() float64 {
		switch rng.IntN(8) {
		case 0:
			return math.Float64frombits(rng.Uint64())
		case 1:
			return special[rng.IntN(len(special))]
		case 2:
			return math.Ldexp(float64(rng.IntN(64)-32), rng.IntN(120)-60)
		}
		return math.Ldexp(rng.Float64()-0.5, rng.IntN(40)-20)
	}
	for range 3_000_000 {
		x, y, z := number(), number(), number()
		switch p := x * y; rng.IntN(4) {
		case 0:
			z = -p
		case 1:
			z = -p * (1 + math.Ldexp(float64(rng.IntN(9)-4), -52))
		case 2:
			z = math.Ldexp(p, rng.IntN(120)-60)
			z = math.Float64frombits(math.Float64bits(z) &^ (1<<rng.IntN(53) - 1))
		}
		got, want := fmaBySums(x, y, z), math.FMA(x, y, z)
		if math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("%x·%x + %x: %x, want %x", x, y, z, got, want)
		}
	}
}
