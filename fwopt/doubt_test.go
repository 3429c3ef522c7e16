package fwopt_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/small"
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
		tr := fwopt.Run(context.Background(), fwopt.NewOracle(raised{kink{4}}, plainSet(4, 1), 1).From(make([]float64, 4)), &fwopt.FW{Rule: rule}, fwopt.Budget{Steps: 50})
		if tr.Doubt != "" {
			t.Errorf("%T: %q", rule, tr.Doubt)
		}
	}
}

// notFinite is a sum of ours whose gradients are not finite once it is on.
type notFinite struct {
	*fwsum.LeastSquares
	bad float64
	on  bool
}

func (f *notFinite) Grad(dst, w []float64, b fwopt.Batch) {
	if f.LeastSquares.Grad(dst, w, b); f.on {
		dst[3] = f.bad
	}
}
func (f *notFinite) AddGradDiff(dst, w, w0 []float64, b fwopt.Batch) {
	if f.LeastSquares.AddGradDiff(dst, w, w0, b); f.on {
		dst[3] = f.bad
	}
}

// Every method ends where a gradient is not finite, with a note, and none panics.
func TestRunNotFiniteMethods(t *testing.T) {
	for name := range small.Methods() {
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			sum, omega := small.Problem()
			f := &notFinite{LeastSquares: sum.(*fwsum.LeastSquares), bad: bad}
			b := fwopt.Budget{Steps: 400, Watch: func(_ *fwopt.Trace, now fwopt.Point) { f.on = now.Step >= 7 }}
			var tr *fwopt.Trace
			if got := said(func() {
				tr = fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), small.Methods()[name], b)
			}); got != "" {
				t.Errorf("%s, %g: %s", name, bad, got)
			} else if tr.Status != fwopt.Diverged || !strings.Contains(tr.Note, "at coordinate 3, after step ") {
				t.Errorf("%s, %g: %v, %q", name, bad, tr.Status, tr.Note)
			}
		}
	}
}
