package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// streamTasks draws arguments for the kernels that read a vector once.
func streamTasks(rng *rand.Rand, h, n, rare int) (all []*task) {
	d := h*n + rng.IntN(4)
	x := numbers(rng, d, rare)
	top, theta := float64(rng.IntN(2)), rng.NormFloat64()
	for _, part := range []Part{Whole, Size} {
		of := func(x float64) float64 {
			if part == Size {
				return math.Abs(x)
			}
			return x
		}
		add := func(name string, out []float64, run func(t *task), want func(x []float64) []float64) {
			var cache []float64
			all = append(all, &task{name: fmt.Sprint(name, " ", part == Size), out: out, in: [3][]float64{x},
				run: run,
				naive: func(t *task, j, l int, _ float64) float64 {
					if cache == nil {
						cache = want(t.in[0])
					}
					return cache[j*h+l]
				}})
		}
		add("Total", make([]float64, 2), func(t *task) { t.out[0], t.out[1] = Total(t.in[0], part) },
			func(x []float64) []float64 {
				var sums [16]float64
				largest := math.Inf(-1)
				for i, y := range x {
					sums[i%16] += of(y)
					if of(y) > largest {
						largest = of(y)
					}
				}
				for _, n := range []int{8, 4, 2, 1} {
					for i := range n {
						sums[i] += sums[i+n]
					}
				}
				return []float64{sums[0], largest + 0}
			})
		above := func(x []float64) []float64 {
			kept := make([]float64, 0, d+1)
			for _, y := range x {
				if of(y)-top >= theta {
					kept = append(kept, of(y)-top)
				}
			}
			n := len(kept)
			kept = kept[:d+1]
			kept[d] = float64(n)
			return kept
		}
		add("Above", make([]float64, d+1), func(t *task) {
			k := Above(t.out[:d], t.in[0], part, top, theta)
			clear(t.out[k:])
			t.out[d] = float64(k)
		}, above)
		add("Above in place", make([]float64, d+1), func(t *task) {
			copy(t.out, t.in[0])
			k := Above(t.out[:d], t.out[:d], part, top, theta)
			clear(t.out[k:])
			t.out[d] = float64(k)
		}, above)
		add("Shrink", make([]float64, d), func(t *task) { Shrink(t.out, t.in[0], part, top, theta) },
			func(x []float64) (y []float64) {
				for _, x := range x {
					z := max(0, of(x)-top-theta)
					if part == Size {
						z = math.Copysign(z, x)
					}
					y = append(y, z)
				}
				return y
			})
	}
	u, v := numbers(rng, h, rare), numbers(rng, max(n, 1), rare)
	all = append(all, &task{name: "Gap", out: make([]float64, 2),
		in: [3][]float64{numbers(rng, 2*h*len(v), rare), u, v}, run: func(t *task) {
			k := len(t.in[0]) / 2
			t.out[0], t.out[1] = Gap(t.in[0][:k], t.in[0][k:], t.in[1], t.in[2])
		}})
	return all
}
