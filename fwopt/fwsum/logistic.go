package fwsum

import (
	"math"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Logistic is the multiclass logistic loss of Section 2.1. Example i has the
// features e_i ∈ R^m and the label y_i, a predictor is w ∈ R^{h×m} with one row
// w_ℓ per class, and
//
//	f_i(w) = log(1 + Σ_{ℓ≠y_i} exp(w_ℓᵀe_i − w_{y_i}ᵀe_i))
//
// In memory class ℓ's weight of feature j is w[j·h+ℓ]; Matrix shows w as the paper's
// h × m matrix. No finite score overflows. L = max_i ‖e_i‖²/2. One Logistic serves many
// runs at once.
type Logistic struct {
	*RowSum // Name, Value, Grad, AddGradDiff, LineSearch, Smoothness, …
}

// NewLogistic returns the loss of the n examples in the rows of x with labels
// y[i] ∈ {0, …, h−1}. It keeps x and y, which must not change any more, and a
// copy of x by columns. It panics if x is not well formed or holds a NaN or an
// infinity, if h < 2, or if y has a wrong length or label.
func NewLogistic(x Features, y []int, h int) *Logistic {
	if h < 2 {
		panic(need.Linef("fwsum: a classification with %d classes", h))
	}
	f := &Logistic{newRowSum(x, h, &logLoss{y})}
	checkLabels(x, y, h)
	return f
}

func checkLabels(x Features, y []int, h int) {
	n, _ := x.Size()
	if len(y) != n {
		panic(need.Linef("fwsum: %d labels for %d examples", len(y), n))
	}
	for i, l := range y {
		if l < 0 || l >= h {
			panic(need.Linef("fwsum: example %d has label %d, want 0 to %d", i, l, h-1))
		}
	}
}

// logLoss is ℓ_i(s) = log(1 + Σ_{ℓ≠y_i} exp(s_ℓ − s_{y_i})).
type logLoss struct{ y []int }

func (l *logLoss) Value(i int, s []float64) float64   { return kern.LogLoss(s, l.y[i]) }
func (l *logLoss) Grad(i int, s []float64, c float64) { kern.LogLossGrad(s, l.y[i], c) }

// Curve multiplies by diag(p) − ppᵀ, with p the predicted probabilities.
func (l *logLoss) Curve(i int, s, d []float64, c float64) {
	kern.LogLossGrad(s, l.y[i], 1)
	s[l.y[i]]++ // s = p
	mean := floats.Dot(s, d)
	for k, p := range s {
		d[k] = c * p * (d[k] - mean)
	}
}

func (l *logLoss) line(i int, s, d []float64, gamma float64) (d1, d2 float64) {
	return kern.LogLossLine(s, d, l.y[i], gamma)
}

// Smoothness returns ½: by Gershgorin's theorem no eigenvalue of diag(p) − ppᵀ is above
// max_ℓ 2p_ℓ(1−p_ℓ) ≤ ½. Two classes at p = ½ attain it.
func (l *logLoss) Smoothness() float64 { return 0.5 }

// Lipschitz returns √2: see that of Logistic.
func (l *logLoss) Lipschitz() float64 { return math.Sqrt2 }

func (l *logLoss) Identify(id *fwopt.Identity) { id.Of(l).Int(l.y...) }

// Lipschitz returns G = √2·max_i ‖e_i‖. The gradient of f_i is (p − 1_{y_i})e_iᵀ,
// and ‖p − 1_y‖² = (1−p_y)² + Σ_{ℓ≠y} p_ℓ² ≤ 2(1−p_y)² ≤ 2.
func (f *Logistic) Lipschitz() float64 { return math.Sqrt(2 * f.maxRow()) }

// Matrix returns w as the paper's h × m matrix: a view, which shares memory
// with w.
func (f *Logistic) Matrix(w []float64) mat.Matrix {
	checkLen(f.Dim(), "w", w)
	return mat.NewDense(f.m, f.h, w).T()
}

// Identify writes the classes and the data. It costs O(n + nonzeros).
func (f *Logistic) Identify(id *fwopt.Identity) { id.Of(f).Part(f.RowSum) }
