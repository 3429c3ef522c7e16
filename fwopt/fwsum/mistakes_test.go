package fwsum_test

import (
	"math"
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
		"Scores":            {squares.Scores, w, x},
		"Matrix":            {logistic.Matrix, w2},
		"Excess":            {quadratic.Excess, []float64{1, 2}},
		"Lipschitz":         {quadratic.Lipschitz, 1.0},
	} {
		for _, bad := range small.Mistakes(c[0], c[1:]...) {
			t.Errorf("%s: %s", name, bad)
		}
	}
	for name, f := range map[string]fwopt.FiniteSum{"LeastSquares": squares, "EntryLoss": observed,
		"Quadratic": quadratic} {
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
			"Value": {value, w}, "Grad": {grad, d, w, batch}, "AddGradDiff": {diff, d, w, zero, batch},
			"Curve": {curve, d, w, zero}, "LineSearch": {search, w, zero},
		} {
			for _, bad := range small.Mistakes(c[0], c[1:]...) {
				t.Errorf("%s.%s: %s", name, method, bad)
			}
		}
	}
}

// The words of each panic.
func TestPanics(t *testing.T) {
	rows := rowsOf(1)
	x := func(change func(x *fwsum.Sparse)) *fwsum.Sparse {
		x := &fwsum.Sparse{N: 2, M: 3, Ptr: []int{0, 2, 3}, Col: []int32{0, 2, 1}, Val: []float64{1, 2, 3}}
		change(x)
		return x
	}
	good := x(func(*fwsum.Sparse) {})
	squares := func(x fwsum.Features) { fwsum.NewLeastSquares(x, []float64{1, 2}) }
	dense := func(n, m int, val ...float64) func() {
		return func() { squares(&fwsum.Dense{N: n, M: m, Val: val}) }
	}
	f, q, e := fwsum.NewLogistic(good, []int{0, 1}, 2), fwsum.NewQuadratic(2, nil, make([]float64, 6)),
		fwsum.NewEntryLoss(2, []float64{1})
	six, five, two, three, nan, inf := make([]float64, 6), make([]float64, 5), make([]float64, 2),
		make([]float64, 3), math.NaN(), math.Inf(1)
	term := func(i int) fwopt.Batch { return fwopt.Batch{Index: []int{i}, Weight: []float64{1}} }
	for _, c := range []struct {
		want string
		call func()
	}{
		{"a classification with 1 classes", func() { fwsum.NewLogistic(good, []int{0, 0}, 1) }},
		{"3 labels for 2 examples", func() { fwsum.NewLogistic(good, []int{0, 0, 0}, 2) }},
		{"example 1 has label 2, want 0 to 1", func() { fwsum.NewLogistic(good, []int{0, 2}, 2) }},
		{"example 0 has label -1, want 0 to 1", func() { fwsum.NewLogistic(good, []int{-1, 2}, 2) }},
		{"row 0 of the data has the value NaN",
			func() { squares(x(func(x *fwsum.Sparse) { x.Val[1] = nan })) }},
		{"row 1 of the data has the value -Inf",
			func() { squares(x(func(x *fwsum.Sparse) { x.Val[2] = -inf })) }},
		{"w has length 5, want 6", func() { f.Value(five) }},
		{"dst has length 5, want 6", func() { f.Grad(five, six, fwopt.Batch{}) }},
		{"w0 has length 5, want 6", func() { f.AddGradDiff(six, six, five, fwopt.Batch{}) }},
		{"v has length 5, want 6", func() { f.LineSearch(six, five) }},
		{"d has length 5, want 6", func() { f.Curve(six, six, five) }},
		{"a batch of 1 terms with 0 weights", func() { f.Grad(six, six, fwopt.Batch{Index: []int{0}}) }},
		{"a batch with term 2 of a sum of 2", func() { f.Grad(six, six, term(2)) }},
		{"a batch with term -1 of a sum of 2", func() { f.AddGradDiff(six, six, six, term(-1)) }},
		{"examples with 4 features for a predictor of 3",
			func() { f.Predict(six, x(func(x *fwsum.Sparse) { x.M = 4 })) }},
		{"1 labels for 2 examples", func() { f.ErrorRate(six, good, []int{0}) }},
		{"*fwsum.squareLoss has no classes to predict: take the Scores, or give your loss a method Class",
			func() { fwsum.NewLeastSquares(good, two).Predict(three, good) }},
		{"example 0 has label -1, want 0 to 1",
			func() { fwsum.NewBinaryLogistic(good, two).ErrorRate(three, good, []int{-1, 1}) }},
		{"row 0 of a sparse matrix: column 0 after column 2, of 3 columns",
			func() { squares(x(func(x *fwsum.Sparse) { x.Col[0], x.Col[1] = 2, 0 })) }},
		{"row 0 of a sparse matrix goes from 0 to 9 of 3 values: Ptr must not fall",
			func() { squares(x(func(x *fwsum.Sparse) { x.Ptr[1] = 9 })) }},
		{"row 0 of a sparse matrix goes from 0 to -1 of 3 values: Ptr must not fall",
			func() { squares(x(func(x *fwsum.Sparse) { x.Ptr[1] = -1 })) }},
		{"1125899906842624 scores of 3 features: more weights than memory holds",
			func() { fwsum.NewLogistic(good, []int{0, 1}, 1<<50) }},

		{"not a dense matrix: 2 x 3, 5 values", dense(2, 3, five...)},
		{"not a dense matrix: 0 x 3, 0 values", dense(0, 3)},
		{"not a dense matrix: 2 x -1, 0 values", dense(2, -1)},
		{"row 1 of the data has the value NaN", dense(2, 2, 1, 2, 3, nan)},
		{"row 0 of the data has the value +Inf", dense(1, 1, inf)},
		{"the data is nil, want a *Sparse or a *Dense", func() { squares((*fwsum.Dense)(nil)) }},
		{"the data is nil, want a *Sparse or a *Dense", func() { fwsum.NewRowSum(nil, 1, squaredHinge{}) }},
		{"2 targets for 3 rows", func() { fwsum.NewBinaryLogistic(rows, two) }},
		{"target 1 is 1.5, want 0 to 1", func() { fwsum.NewBinaryLogistic(rows, []float64{0, 1.5, 1}) }},
		{"target 2 is -1, want 0 to 1", func() { fwsum.NewBinaryLogistic(rows, []float64{0, 1, -1}) }},
		{"target 0 is NaN", func() { fwsum.NewBinaryLogistic(rows, []float64{nan, 1, 1}) }},
		{"5 targets for 3 rows", func() { fwsum.NewHuber(rows, five, 1) }},
		{"target 1 is +Inf", func() { fwsum.NewHuber(rows, []float64{0, inf, 0}, 1) }},
		{"delta = 0, want a positive number", func() { fwsum.NewHuber(rows, three, 0) }},
		{"delta = +Inf, want a positive number", func() { fwsum.NewHuber(rows, three, inf) }},
		{"delta = NaN, want a positive number", func() { fwsum.NewSmoothHinge(rows, make([]int, 3), nan) }},
		{"delta = -1, want a positive number", func() { fwsum.NewSmoothHinge(rows, make([]int, 3), -1) }},
		{"example 1 has label -1, want 0 to 1", func() { fwsum.NewSmoothHinge(rows, []int{1, -1, 1}, 1) }},
		{"2 labels for 3 examples", func() { fwsum.NewSmoothHinge(rows, []int{1, 1}, 1) }},
		{"1 targets for 2 rows", func() { fwsum.NewLeastSquares(good, three[:1]) }},
		{"target 1 is NaN", func() { fwsum.NewLeastSquares(good, []float64{1, nan}) }},
		{"0 observed numbers of a vector of 3", func() { fwsum.NewEntryLoss(3, nil) }},
		{"2 observed numbers of a vector of 1", func() { fwsum.NewEntryLoss(1, two) }},
		{"target 0 is +Inf", func() { fwsum.NewEntryLoss(2, []float64{inf}) }},
		{"w has length 1, want 2", func() { e.Value(three[:1]) }},
		{"v has length 3, want 2", func() { e.LineSearch(two, three) }},
		{"a batch with term 1 of a sum of 1", func() { e.Grad(two, two, term(1)) }},
		{"a quadratic in dimension 2 of 0 curvatures and 3 centres",
			func() { fwsum.NewQuadratic(2, nil, three) }},
		{"a quadratic in dimension 0 of 0 curvatures and 3 centres",
			func() { fwsum.NewQuadratic(0, nil, three) }},
		{"a quadratic in dimension 1 of 2 curvatures and 3 centres",
			func() { fwsum.NewQuadratic(1, two, three) }},
		{"curvature 1 is -1: not convex", func() { fwsum.NewQuadratic(1, []float64{0, -1}, two) }},
		{"curvature 0 is +Inf", func() { fwsum.NewQuadratic(1, []float64{inf, 1}, two) }},
		{"centre 1 is NaN", func() { fwsum.NewQuadratic(1, nil, []float64{1, nan}) }},
		{"w has length 3, want 2", func() { q.Value(three) }},
		{"dst has length 3, want 2", func() { q.Grad(three, two, fwopt.Batch{}) }},
		{"a batch with term 3 of a sum of 3", func() { q.Grad(two, two, term(3)) }},

		{"a RowSum of 0 scores and the loss fwsum_test.named, want at least one score and a loss",
			func() { fwsum.NewRowSum(rows, 0, named{}) }},
		{"a RowSum of 1 scores and the loss <nil>, want at least one score and a loss",
			func() { fwsum.NewRowSum(rows, 1, nil) }},
		{"the loss of row 1 is NaN where the scores are 0",
			func() { fwsum.NewRowSum(rows, 1, squaredHinge{[]float64{1, nan, 1}}) }},
		{"runtime error: index out of range [2] with length 2",
			func() { fwsum.NewRowSum(rows, 1, squaredHinge{two}) }},
	} {
		if got := small.Panics(c.call); strings.TrimPrefix(got, "fwsum: ") != c.want {
			t.Errorf("panic %q, want %q", got, c.want)
		}
	}
}
