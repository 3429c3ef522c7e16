package fwopt_test

import (
	"context"
	"math"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
)

// raised is 1 + Σ_j |w_j|, least at its kink, where the duality gap is not 0.
type raised struct{ kink }

func (raised) Value(w []float64) float64 {
	sum := 1.
	for _, x := range w {
		sum += math.Abs(x)
	}
	return sum
}
func (raised) Grad(dst, w []float64, _ fwopt.Batch) {
	for j, x := range w {
		if dst[j] = 1; x < 0 {
			dst[j] = -1
		}
	}
}

// A method that stays at a kink where f is least is not doubted.
func TestRunNotMovedKink(t *testing.T) {
	for _, rule := range []fwopt.StepRule{fwopt.Short{L: 1e30}, &fwmore.Backtracking{}} {
		tr := fwopt.Run(context.Background(), fwopt.NewOracle(raised{kink{4}}, plainSet(4, 1), 1), &fwopt.FW{Rule: rule}, make([]float64, 4), fwopt.Budget{Steps: 50})
		if tr.Doubt != "" {
			t.Errorf("%T: %q", rule, tr.Doubt)
		}
	}
}
