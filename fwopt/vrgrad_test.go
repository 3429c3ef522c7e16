package fwopt_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
)

// differ is lsq with a correction of its own, term by term.
type differ struct{ *lsq }

func (f differ) AddGradDiff(dst, w, w0 []float64, b fwopt.Batch) {
	for i, weight := range b.All(f.Len()) {
		copy(dst, comb(1, dst, weight, sub(f.gradTerm(i, w), f.gradTerm(i, w0))))
	}
	f.drawn = append(f.drawn, fwopt.Batch{Index: slices.Clone(b.Index), Weight: slices.Clone(b.Weight)})
}

// differs are sums that are and are not a Differ, and the lsq that logs their batches.
func differs() map[string]func() (fwopt.FiniteSum, *lsq) {
	return map[string]func() (fwopt.FiniteSum, *lsq){
		"not a Differ": func() (fwopt.FiniteSum, *lsq) { f, _ := instance(4, 12, 3, 5); return f, f },
		"a Differ":     func() (fwopt.FiniteSum, *lsq) { f, _ := instance(4, 12, 3, 5); return differ{f}, f },
	}
}

// correction is the mean over a batch of ∇f_i(w) − ∇f_i(w0).
func correction(f *lsq, b fwopt.Batch, w, w0 []float64) []float64 {
	c := make([]float64, len(w))
	for j, i := range b.Index {
		c = comb(1, c, b.Weight[j], sub(f.gradTerm(i, w), f.gradTerm(i, w0)))
	}
	return c
}

// VRGrad gives the same bits whether dst is g0 or not, and writes nothing else.
func TestVRGradInPlace(t *testing.T) {
	_, h := instance(4, 12, 3, 5)
	w, w0 := h.points[0], h.points[1]
	for name, sum := range differs() {
		f, plain := sum()
		apart, in := fwopt.NewOracle(f, h, 3), fwopt.NewOracle(f, h, 3)
		for _, m := range []int{1, 3, 12, 100, 2} {
			g0 := plain.gradAll(w0)
			dst, g := slices.Repeat([]float64{math.NaN()}, 3), slices.Clone(g0)
			before := fmt.Sprint(w, w0, g0)
			apart.VRGrad(dst, w, w0, g0, m)
			in.VRGrad(g, w, w0, g, m)
			if fmt.Sprintf("%x", dst) != fmt.Sprintf("%x", g) {
				t.Errorf("%s, m = %d: %v in place of g0, %v elsewhere", name, m, g, dst)
			}
			if fmt.Sprint(w, w0, g0) != before {
				t.Errorf("%s, m = %d: w, w0 or g0 was written to", name, m)
			}
			want := comb(1, g0, 1, correction(plain, plain.drawn[len(plain.drawn)-1], w, w0))
			if e := norm(sub(dst, want)); !(e <= 1e-13) {
				t.Errorf("%s, m = %d: %v, want %v", name, m, dst, want)
			}
		}
		if apart.Calls != in.Calls || apart.RNG != in.RNG {
			t.Errorf("%s: in place %+v, elsewhere %+v, or other draws", name, in.Calls, apart.Calls)
		}
	}
}

// SARAH's estimate, as one would write it with VRGrad, against the same from the
// terms one by one.
func TestVRGradSARAH(t *testing.T) {
	_, h := instance(4, 12, 3, 5)
	const m, steps = 2, 30
	for name, sum := range differs() {
		f, plain := sum()
		o := fwopt.NewOracle(f, h, 5)
		x, xOld, g, v := o.Start(), make([]float64, 3), make([]float64, 3), fwopt.Vertex{}
		o.Grad(g, x)
		naive := plain.gradAll(x)
		for k := 1; k <= steps; k++ {
			copy(xOld, x)
			o.Argmin(&v, g)
			v.Lerp(x, 2/float64(k+2))
			o.VRGrad(g, x, xOld, g, m) // v_k = v_{k−1} + mean of ∇f_i(x_k) − ∇f_i(x_{k−1})

			naive = comb(1, naive, 1, correction(plain, plain.drawn[len(plain.drawn)-1], x, xOld))
			if e := norm(sub(g, naive)); !(e <= 1e-12) {
				t.Fatalf("%s, step %d: %v, want %v", name, k, g, naive)
			}
		}
		if want := (fwopt.Calls{Exact: 2, Stochastic: 2 * m * steps, Linear: 1 + steps}); o.Calls != want {
			t.Errorf("%s: %+v, want %+v", name, o.Calls, want)
		}
	}
}
