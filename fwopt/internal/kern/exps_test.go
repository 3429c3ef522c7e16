package kern

import (
	"math"
	"math/rand/v2"
	"slices"
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

// lossTasks draws arguments for the kernels of the loss of h scores.
func lossTasks(rng *rand.Rand, h, rare int) []*task {
	s, d, y, gamma := exponents(rng, h, rare), numbers(rng, h, rare), rng.IntN(h), rng.Float64()
	m := []float64{0, 3000 * rng.Float64()}[rng.IntN(2)]
	return []*task{
		{name: "exps", out: make([]float64, h), in: [3][]float64{exponents(rng, h, 0)},
			run:   func(t *task) { expsOf(t.out, t.in[0], m) },
			naive: func(t *task, _, l int, _ float64) float64 { return Exp(t.in[0][l] - m) }},
		{name: "exps in place", out: exponents(rng, h, 0), run: func(t *task) { expsOf(t.out, t.out, m) },
			naive: func(_ *task, _, _ int, x float64) float64 { return Exp(x - m) }},
		{name: "maximum", out: make([]float64, 1), in: [3][]float64{d}, // + 0 takes the sign of a zero
			run: func(t *task) { t.out[0] = maximum(t.in[0]) + 0 }},
		{name: "LogLoss", out: make([]float64, 1), in: [3][]float64{s},
			run: func(t *task) { t.out[0] = LogLoss(t.in[0], y) }},
		{name: "LogLossGrad", out: slices.Clone(s), run: func(t *task) { LogLossGrad(t.out, y, 0.3) }},
		{name: "LogLossLine", out: make([]float64, 2), in: [3][]float64{s, d},
			run: func(t *task) { t.out[0], t.out[1] = LogLossLine(t.in[0], t.in[1], y, gamma) }},
	}
}
