package fwsum_test

import (
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// Bad arguments are answered in words of ours.
func TestMistakes(t *testing.T) {
	x, b := small.Data()
	y := make([]int, x.N)
	y[0] = 1
	w, zero, d := make([]float64, x.M), make([]float64, x.M), make([]float64, x.M)
	logistic, w2 := fwsum.NewLogistic(x, y, 2), make([]float64, 2*x.M)
	squares, observed := fwsum.NewLeastSquares(x, b), fwsum.NewEntryLoss(x.M, b[:x.M])
	quadratic := fwsum.NewQuadratic(2, []float64{1, 2, 3, 4}, []float64{1, 2, 3, 4})
	batch := fwopt.Batch{Index: []int{0, 1}, Weight: []float64{0.5, 0.5}}
	dense := x.Dense()
	for name, c := range map[string][]any{
		"Sparse":            {func(a fwsum.Sparse) { fwsum.NewLeastSquares(&a, b) }, *x},
		"Sparse.Dense":      {func(a fwsum.Sparse) { a.Dense() }, *x},
		"Dense":             {func(a fwsum.Dense) { fwsum.NewLeastSquares(&a, b) }, *dense},
		"NewLeastSquares":   {fwsum.NewLeastSquares, x, b},
		"NewLogistic":       {fwsum.NewLogistic, x, y, 2},
		"NewEntryLoss":      {fwsum.NewEntryLoss, 40, b},
		"NewQuadratic":      {fwsum.NewQuadratic, 2, []float64{1, 2, 3, 4}, []float64{1, 2, 3, 4}},
		"NewBinaryLogistic": {fwsum.NewBinaryLogistic, x, make([]float64, x.N)},
		"NewHuber":          {fwsum.NewHuber, x, b, 1.0},
		"NewRowSum":         {fwsum.NewRowSum, x, 2, ownLogistic{y}},
		"NewSmoothHinge":    {fwsum.NewSmoothHinge, x, y, 1.0},
		"ErrorRate":         {logistic.ErrorRate, w2, x, y},
		"Predict":           {logistic.Predict, w2, x},
		"Matrix":            {logistic.Matrix, w2},
		"Excess":            {quadratic.Excess, []float64{1, 2}},
		"Lipschitz":         {quadratic.Lipschitz, 1.0},
	} {
		for _, bad := range small.Mistakes(c[0], c[1:]...) {
			t.Errorf("%s: %s", name, bad)
		}
	}
	for name, f := range map[string]fwopt.FiniteSum{"LeastSquares": squares, "EntryLoss": observed, "Quadratic": quadratic} {
		w, zero, d := w[:f.Dim()], zero[:f.Dim()], d[:f.Dim()]
		value := func(w []float64) { f.Value(w) }
		grad := func(dst, w []float64, b fwopt.Batch) { f.Grad(dst, w, b) }
		diff := func(dst, w, w0 []float64, b fwopt.Batch) { f.(fwopt.Differ).AddGradDiff(dst, w, w0, b) }
		curve := func(dst, w, d []float64) { f.(interface{ Curve(dst, w, d []float64) }).Curve(dst, w, d) }
		search := func(w, v []float64) { f.(fwopt.LineSearcher).LineSearch(w, v) }
		batch := batch
		if f.Len() == 1 {
			batch = fwopt.Batch{Index: []int{0}, Weight: []float64{1}}
		}
		for method, c := range map[string][]any{
			"Value": {value, w}, "Grad": {grad, d, w, batch}, "AddGradDiff": {diff, d, w, zero, batch}, "Curve": {curve, d, w, zero}, "LineSearch": {search, w, zero},
		} {
			for _, bad := range small.Mistakes(c[0], c[1:]...) {
				t.Errorf("%s.%s: %s", name, method, bad)
			}
		}
	}
	for name, call := range map[string]func(){
		"classes": func() { fwsum.NewLogistic(x, y, 1<<50) },
		"scores":  func() { fwsum.NewRowSum(x, 1<<50, ownLogistic{y}) },
		"Ptr falls": func() {
			fwsum.NewLeastSquares(&fwsum.Sparse{N: 2, M: 2, Ptr: []int{0, 9, 2}, Col: []int32{0, 1}, Val: []float64{1, 2}}, []float64{1, 2})
		},
		"Ptr falls below 0": func() {
			fwsum.NewLeastSquares(&fwsum.Sparse{N: 3, M: 2, Ptr: []int{0, 1, -1, 2}, Col: []int32{0, 1}, Val: []float64{1, 2}}, []float64{1, 2, 3})
		},
	} {
		if msg := small.Panics(call); !strings.HasPrefix(msg, "fwsum: ") {
			t.Errorf("%s: %q", name, msg)
		}
	}
}
