package fwsum

import (
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// A Classifier is a Loss of classes, for Predict and ErrorRate.
type Classifier interface {
	Class(s []float64) int // the label that the scores of a row predict
}

// Class returns the class of the largest score, the first one in a tie.
func (l *logLoss) Class(s []float64) int { return floats.MaxIdx(s) }

// Class returns 1 where 1 is the likelier label, and 0 else.
func (l *crossEntropy) Class(s []float64) int { return positive(s[0]) }

// Class returns the side on which the score is, 0 on the border.
func (l *smoothHinge) Class(s []float64) int { return positive(s[0]) }

func positive(s float64) int {
	if s > 0 {
		return 1
	}
	return 0
}

// Scores returns the h scores w e of each row e of x, which may be other rows than those of the sum: what
// least squares and Huber's loss predict. It costs O(h·nonzeros), and panics if x has more columns than there
// are features; missing ones count as 0.
func (f *RowSum) Scores(w []float64, x Features) []float64 {
	checkLen(f.Dim(), "w", w)
	checkData(x)
	n, m := x.Size()
	if m > f.m {
		panic(need.Linef("fwsum: examples with %d features for a predictor of %d", m, f.m))
	}
	s := make([]float64, n*f.h)
	w, lent := x.layOut(w, f.h)
	defer kern.Return(lent)
	kern.Do(n, f.rowGrain, func(lo, hi int) { x.scores(s[lo*f.h:hi*f.h], w, f.h, lo, hi-lo, nil) })
	return s
}

// Predict returns the label of each row of x, by its Scores. It panics as they do, or if the loss is no
// Classifier, as that of least squares, which predicts numbers.
func (f *RowSum) Predict(w []float64, x Features) []int {
	loss := f.loss
	if l, ok := loss.(*weighted); ok {
		loss = l.Loss
	}
	l, ok := loss.(Classifier)
	if !ok {
		panic(need.Linef("fwsum: %T has no classes to predict: take the Scores, or give your loss a method Class",
			loss))
	}
	s := f.Scores(w, x)
	y := make([]int, len(s)/f.h)
	for i := range y {
		y[i] = l.Class(s[i*f.h : (i+1)*f.h])
	}
	return y
}

// ErrorRate returns the share of the rows of x whose label Predict misses.
func (f *RowSum) ErrorRate(w []float64, x Features, y []int) float64 {
	predicted, wrong := f.Predict(w, x), 0
	checkLabels(x, y, max(2, f.h))
	for i, l := range predicted {
		if l != y[i] {
			wrong++
		}
	}
	return float64(wrong) / float64(len(y))
}
