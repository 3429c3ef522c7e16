package fwrace_test

import (
	"fmt"
	"iter"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwrace"
)

// The race on your data, here the digits: 60 steps a run in place of seconds, so that
// it is the same each time.
func Example() {
	set, err := fwdata.Load("digits")
	if err != nil {
		panic(err)
	}
	race := fwrace.New(set.UnitRows().Logistic(), 20)
	race.Budget = fwopt.Budget{Steps: 60, Linear: 300}
	race.Seeds, race.Fewer, race.Grid, race.Changes = 2, 1, fwrace.Powers(-6, 6, 4), nil
	a, err := race.Go()
	if err != nil {
		panic(err)
	}
	for _, row := range fwrace.Across(a) {
		if row[1] == "terms" && (row[0] == "SGD is last" || row[0] == "η from the gap, before STORC") {
			fmt.Printf("%s, in %s: %s\n", row[0], row[1], row[2])
		}
	}
	// Output:
	// SGD is last, in terms: fails
	// η from the gap, before STORC, in terms: holds in part
}

// A method of your own, here Frank-Wolfe on a quarter of the terms a step and with averages of old
// gradients, on the digits next to the methods without constants: thousands of terms / linear
// optimisations to a tenth and a hundredth of the first gap, with the range of the seeds.
func ExampleGoal() {
	own := func() fwopt.Method {
		return fwopt.MethodFunc(func(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
			w, d, g, v := slices.Clone(w0), make([]float64, len(w0)), make([]float64, len(w0)), fwopt.Vertex{}
			return func(yield func(fwopt.Step) bool) {
				for k := 1; ; k++ {
					o.StochasticGrad(g, w, 450)
					fwopt.Lerp(d, 2/float64(k+1), g) // d ← (1−ρ_k) d + ρ_k ∇̃
					o.Argmin(&v, d)
					v.Lerp(w, 2/float64(k+2)) // w ← (1−γ_k) w + γ_k v
					if !yield(fwopt.Step{T: 1, K: k, X: w}) {
						return
					}
				}
			}
		})
	}
	p := fwrace.Digits(10) // or fwrace.Certified, on your own sum and set
	p.Shares = p.Shares[:2]
	fmt.Println(p.Head())
	untuned := p.Seeds(3, fwrace.Untuned, fwrace.Never)
	fmt.Println(p.Seeds(3, own, untuned.Times(50, 50)).Row("own"))
	for _, row := range p.Free(untuned, 3, 50)[1:] {
		fmt.Println(row)
	}
	// Output:
	// [digits, n = 1797, τ = 10 1e−1 1e−2]
	// [own 22.5 (22.5 to 25.2) / 50 (50 to 56) 106 (100 to 273) / 235 (223 to 607)]
	// [**AdaptiveSTORC** 5.19 (5.05 to 6.03) / 36 (31 to 41) 10.5 (10.4 to 12.9) / 107 (96 to 126)]
	// [AdaptiveSTORC, ∇̃ exact 17.7 / 33 33.1 / 65]
	// [SVRF 23.2 (19.9 to 23.2) / 133 (120 to 133) 183 (165 to 201) / 408 (388 to 429)]
	// [SFW – –]
	// [FW, line search 10.8 / 3 –]
}
