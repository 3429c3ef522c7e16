package fwsum

import (
	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// EntryLoss is f_k(w) = ½(w_k − b_k)², over vectors of d numbers of which it reads the first
// n: LeastSquares with rows of the identity matrix, and without the matrix. For matrix
// completion these are the observed entries, and the others those to be predicted. One
// EntryLoss serves many runs at once.
//
// Its terms are orthogonal. L = 1, but f itself is as smooth as 1/n.
type EntryLoss struct {
	Name string // of the data, as on figures

	d int
	b []float64
}

// NewEntryLoss returns the sum over the n numbers b, which it keeps and which must not change
// any more. It panics if there is none, if d < n, or if one is a NaN or an infinity.
func NewEntryLoss(d int, b []float64) *EntryLoss {
	if len(b) == 0 || d < len(b) {
		panic(need.Linef("fwsum: %d observed numbers of a vector of %d", len(b), d))
	}
	checkFinite("target", b)
	return &EntryLoss{d: d, b: b}
}

// Dim returns d.
func (f *EntryLoss) Dim() int { return f.d }

// Len returns n.
func (f *EntryLoss) Len() int { return len(f.b) }

// Value returns f(w), in O(n).
func (f *EntryLoss) Value(w []float64) (sum float64) {
	checkLen(f.d, "w", w)
	for k, b := range f.b {
		sum += (w[k] - b) * (w[k] - b) / 2
	}
	return sum / float64(len(f.b))
}

// Grad computes dst = Σ_j Weight[j] ∇f_{Index[j]}(w), for the zero Batch ∇f(w), in O(d).
func (f *EntryLoss) Grad(dst, w []float64, batch fwopt.Batch) {
	checkLen(f.d, "dst w", dst, w)
	need.Batch("fwsum", batch.Index, batch.Weight, len(f.b))
	if batch.Index == nil {
		c := 1 / float64(len(f.b))
		for k, b := range f.b {
			dst[k] = c * (w[k] - b)
		}
		clear(dst[len(f.b):])
		return
	}
	clear(dst)
	for j, k := range batch.Index {
		dst[k] += batch.Weight[j] * (w[k] - f.b[k])
	}
}

// AddGradDiff does dst_k += Weight[j] (w_k − w0_k) with k = Index[j], for each term of the
// batch, in O(batch).
func (f *EntryLoss) AddGradDiff(dst, w, w0 []float64, batch fwopt.Batch) {
	checkLen(f.d, "dst w w0", dst, w, w0)
	need.Batch("fwsum", batch.Index, batch.Weight, len(f.b))
	for k, c := range batch.All(len(f.b)) {
		dst[k] += c * (w[k] - w0[k])
	}
}

// Curve computes dst = ∇²f(w)d, the first n numbers of d over n, and 0. dst may be d.
func (f *EntryLoss) Curve(dst, w, d []float64) {
	checkLen(f.d, "dst w d", dst, w, d)
	n := len(f.b)
	floats.ScaleTo(dst[:n], 1/float64(n), d[:n])
	clear(dst[n:])
}

// LineSearch returns the γ ∈ [0, 1] that minimises f((1−γ)w + γv), in closed form and O(n);
// NaN if f is not a number there.
func (f *EntryLoss) LineSearch(w, v []float64) float64 {
	checkLen(f.d, "w v", w, v)
	n := len(f.b)
	g := kern.Borrow(n)
	defer kern.Return(g)
	floats.SubTo(*g, w[:n], f.b)
	slope, length2 := kern.Gap(*g, w[:n], v[:n], one) // ⟨w − b, w − v⟩ and ‖w − v‖²
	if length2 == 0 {
		return 0
	}
	return min(1, max(0, slope/length2))
}

var one = []float64{1}

// Smoothness returns L = 1.
func (f *EntryLoss) Smoothness() float64 { return 1 }

// Identify writes d and the numbers.
func (f *EntryLoss) Identify(id *fwopt.Identity) { id.Of(f).Int(f.d).Float(f.b...) }

// String returns Name.
func (f *EntryLoss) String() string { return f.Name }
