package fwmore_test

import (
	"fmt"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
)

func ExampleBeyond() {
	b := fwmore.NewBeyondStrong(fwopt.Constants{L: 1, D: 1, Alpha: 1. / 8}) // μ = 8
	step := fwmore.BeyondStep{X2: 0.5, Slope: 0.1, GapY: 0.02, GapZ: 0.03, Noise: 1e-5}
	for i, share := range b.Shares(1, b.N(1), step) {
		fmt.Printf("%s: %.2g of its bound\n", fwmore.BeyondClaims[i], share)
	}
	// Output:
	// Step 1: E‖x_k − w*‖²: 0.023 of its bound
	// Step 1: E gap(y_k), Lemma 3: 0.085 of its bound
	// Step 2: E ∇f(y_k)ᵀ(x_k − w*): 0.048 of its bound
	// Step 3: E gap(z_s): 0.022 of its bound
	// Step 4: E‖δ_s‖²: 0.0058 of its bound
	// theorem: E gap(w_t): 0.08 of its bound
}
