package fwsum

import (
	"fmt"
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// Network is a sum whose term f_i sees w through the scores of a fully connected network for row i:
//
//	a_0 = e_i,  z_l = W_l a_{l−1} + b_l,  a_l = √2·max{0, z_l},  f_i(w) = ℓ_i(z_L)
//
// The √2 keeps the mean square of random numbers. The ℓ_i are a Loss, as CrossEntropy. It is not convex, and
// declares so. In w stand W_1, b_1, W_2, b_2, …, each W_l column by column, as fwset's sets of matrices want it:
// a fwset.Product of a set for each part is an Ω. Where a z is 0 the derivative of its a counts as 0, so that from
// w = 0 no weight ever moves if there are two layers or more: begin at fwset.RandomVertex of an Ω.
//
// A gradient goes back through the layers of up to 96 rows at once, by products of matrices on all processors,
// to the same bits on any number of them. NewNetwork makes one, which serves many runs at once.
type Network struct {
	Name string // of the data, as on figures

	x     *Dense
	width []int // of a_0, …, a_{L−1}, z_L
	bias  bool
	loss  Loss
	at    []int // where W_1, …, W_L begin, and d
}

// NewNetwork returns the network of layers of these widths, the first of which is that of the rows of x, the last
// the number of scores. It keeps x and l as NewRowSum does, and panics as that does, or if the widths do not fit.
func NewNetwork(x *Dense, width []int, bias bool, l Loss) *Network {
	checkData(x)
	if len(width) < 2 || ident.IsNil(l) {
		panic(need.Linef("fwsum: a Network of the widths %d and the loss %T, want the width of the rows, that of a "+
			"layer or more, and a loss", width, l))
	}
	if width[0] != x.M {
		panic(need.Linef("fwsum: layer 1 of a Network takes %d numbers, and the rows of the data have %d", width[0],
			x.M))
	}
	f := &Network{x: x, width: slices.Clone(width), bias: bias, loss: l, at: []int{0}}
	for k, h := range width[1:] {
		if h < 1 || float64(h)*float64(width[k]) > 1<<40 {
			panic(need.Linef("fwsum: layer %d of a Network makes %d numbers of %d", k+1, h, width[k]))
		}
		d := f.at[k] + h*width[k]
		if bias {
			d += h
		}
		f.at = append(f.at, d)
	}
	h := width[len(width)-1]
	if l, ok := l.(*logLoss); ok {
		if fault := need.Caught(func() { checkLabels(x, l.y, h) }); fault != "" {
			panic(need.Linef("fwsum: layer %d of a Network makes %d scores: %s", len(width)-1, h, fault))
		}
	}
	for i := range x.N {
		if math.IsNaN(l.Value(i, make([]float64, h))) {
			panic(need.Linef("fwsum: the loss of row %d is NaN where the scores are 0", i))
		}
	}
	return f
}

// Dim returns the number of weights and biases.
func (f *Network) Dim() int { return f.at[len(f.at)-1] }

// Len returns n, the number of rows.
func (f *Network) Len() int { return f.x.N }

// NonConvex reports true.
func (f *Network) NonConvex() bool { return true }

// layer returns the part of w, or of a gradient, that is W_{l+1} and b_{l+1}, nil without biases.
func (f *Network) layer(w []float64, l int) (weights, bias []float64) {
	m, h := f.width[l], f.width[l+1]
	return w[f.at[l]:][:m*h], w[f.at[l]+m*h : f.at[l+1]]
}

// pieceRows are the rows of a piece of n, at most 8 in all, that a processor has.
func pieceRows(n int) int { return max(blockRows, (n+7)/8) }

// forward hands use the a_0, …, z_L of the rows lo, …, hi−1 of index, or of x for nil, up to 96 at a time: n of
// them from the row lo on.
func (f *Network) forward(w []float64, x *Dense, index []int, lo, hi int,
	use func(a [][]float64, lo, n int)) {
	buf := kern.Borrow(blockRows * (f.x.M + sum(f.width)))
	defer kern.Return(buf)
	a := make([][]float64, len(f.width))
	for ; lo < hi; lo += blockRows {
		n, free := min(blockRows, hi-lo), *buf
		for l, h := range f.width {
			a[l], free = free[:n*h], free[n*h:]
		}
		if index == nil {
			a[0] = x.Val[lo*x.M : (lo+n)*x.M]
		} else {
			for r, i := range index[lo : lo+n] {
				copy(a[0][r*x.M:], x.Row(i))
			}
		}
		for l, h := range f.width[1:] {
			weights, bias := f.layer(w, l)
			z, m := a[l+1], f.width[l]
			kern.Mul(z, h, a[l], m, false, weights, h, false, n, h, m, 1, 0)
			for r := 0; f.bias && r < n; r++ {
				floats.Add(z[r*h:(r+1)*h], bias)
			}
			if l+2 < len(f.width) {
				for k, v := range z {
					z[k] = math.Sqrt2 * max(0, v)
				}
			}
		}
		use(a, lo, n)
	}
}

func sum(x []int) (total int) {
	for _, v := range x {
		total += v
	}
	return total
}

// Layers returns the product of a set for each W_l and b_l, as they stand in w: of the h × m weights of layer l
// = 1, …, L, and of its h biases, with m = 0. It panics if a set has another dimension or shape.
func (f *Network) Layers(of func(l, h, m int) fwset.Domain) (omega fwset.Product) {
	add := func(l, h, m, d int) {
		var set fwset.Domain
		fault := need.Caught(func() {
			if set = of(l, h, m); ident.IsNil(set) {
				panic(need.Linef("no set for %d numbers", d))
			}
			if set.Dim() != d {
				panic(need.Linef("%d numbers, and a set of dimension %d", d, set.Dim()))
			}
			if s, ok := set.(fwset.MatrixShaped); ok && m > 0 {
				if H, M := s.Shape(); H != h {
					panic(need.Linef("%d x %d weights, and a set of %d x %d; are H and M swapped?", h, m, H, M))
				}
			}
		})
		if fault != "" {
			panic(need.Linef("fwsum: layer %d of a Network: %s", l, fault))
		}
		omega = append(omega, set)
	}
	for k, h := range f.width[1:] {
		add(k+1, h, f.width[k], h*f.width[k])
		if f.bias {
			add(k+1, h, 0, h)
		}
	}
	return omega
}

// Scion returns Scion's Ω (Pethick et al., arXiv 2502.07529): the ball of fwset.OneToMax of radius last for W_L, of
// fwset.RMSToRMS of radius hidden for the others, where that of W_1 has a spectral norm of hidden at least, and for
// biases that of fwset.RMS. Its authors take 1 and 1024 for a small network. fwset.RandomVertex begins on it.
func (f *Network) Scion(hidden, last float64) fwset.Product {
	return f.Layers(func(l, h, m int) fwset.Domain {
		switch {
		case m == 0:
			return fwset.RMS(h, hidden)
		case l == len(f.width)-1:
			return fwset.OneToMax(h, m, last)
		case l == 1 && h < m:
			return fwset.SpectralNorm{H: h, M: m, R: hidden}
		}
		return fwset.RMSToRMS(h, m, hidden)
	})
}

// Place tells what number j of w is, for a gradient that is not finite there.
func (f *Network) Place(j int) string {
	l, _ := slices.BinarySearch(f.at, j+1)
	if j < f.at[l-1]+f.width[l-1]*f.width[l] {
		return fmt.Sprintf("a weight of layer %d", l)
	}
	return fmt.Sprintf("a bias of layer %d", l)
}

// Value returns f(w). It costs one pass forward.
func (f *Network) Value(w []float64) float64 {
	checkLen(f.Dim(), "w", w)
	total, _ := sumPieces(f.x.N, pieceRows(f.x.N), func(lo, hi int) (part, _ float64) {
		f.forward(w, f.x, nil, lo, hi, func(a [][]float64, lo, n int) {
			for r, s := range rowsOf(a[len(a)-1], n) {
				part += f.loss.Value(lo+r, s)
			}
		})
		return part, 0
	})
	return total / float64(f.x.N)
}

// rowsOf yields the n rows of a.
func rowsOf(a []float64, n int) func(yield func(r int, row []float64) bool) {
	return func(yield func(r int, row []float64) bool) {
		for r, h := 0, len(a)/n; r < n && yield(r, a[r*h:(r+1)*h]); r++ {
		}
	}
}

// Grad computes dst = Σ_j Weight[j] ∇f_{Index[j]}(w), for the zero Batch ∇f(w), in about three passes forward of
// the batch. dst and w must not overlap.
func (f *Network) Grad(dst, w []float64, batch fwopt.Batch) {
	checkLen(f.Dim(), "dst w", dst, w)
	need.Batch("fwsum", batch.Index, batch.Weight, f.x.N)
	n := len(batch.Index)
	if batch.Index == nil {
		n = f.x.N
	}
	clear(dst)
	addPieces(dst, n, pieceRows(n), func(g []float64, lo, hi int) {
		f.forward(w, f.x, batch.Index, lo, hi, func(a [][]float64, lo, n int) {
			for r, s := range rowsOf(a[len(a)-1], n) {
				i, c := lo+r, 1/float64(f.x.N)
				if batch.Index != nil {
					i, c = batch.Index[lo+r], batch.Weight[lo+r]
				}
				f.loss.Grad(i, s, c)
			}
			f.back(g, w, a, n)
		})
	})
}

// back adds the gradient of n rows to g, where the last of a holds the derivatives by the scores.
func (f *Network) back(g, w []float64, a [][]float64, n int) {
	p := a[len(a)-1]
	for l := len(a) - 2; l >= 0; l-- {
		m, h := f.width[l], f.width[l+1]
		weights, bias := f.layer(g, l)
		kern.Mul(weights, h, a[l], m, true, p, h, false, m, h, n, 1, 1)
		for r := 0; f.bias && r < n; r++ {
			floats.Add(bias, p[r*h:(r+1)*h])
		}
		if l == 0 {
			return
		}
		q := kern.Borrow(n * m)
		weights, _ = f.layer(w, l)
		kern.Mul(*q, m, p, h, false, weights, h, true, n, m, h, math.Sqrt2, 0)
		for k, v := range a[l] {
			if v > 0 {
				a[l][k] = (*q)[k]
			}
		}
		kern.Return(q)
		p = a[l]
	}
}

// Predict returns the place of the largest score for each row of x, the first one in a tie. It panics if x has
// another number of columns than the data.
func (f *Network) Predict(w []float64, x *Dense) []int {
	checkLen(f.Dim(), "w", w)
	checkData(x)
	if x.M != f.x.M {
		panic(need.Linef("fwsum: layer 1 of a Network takes %d numbers, and the rows to predict have %d", f.x.M, x.M))
	}
	y := make([]int, x.N)
	kern.Do(x.N, pieceRows(x.N), func(lo, hi int) {
		f.forward(w, x, nil, lo, hi, func(a [][]float64, lo, n int) {
			for r, s := range rowsOf(a[len(a)-1], n) {
				y[lo+r] = floats.MaxIdx(s)
			}
		})
	})
	return y
}

// Identify writes the data, the widths, whether there are biases, and the loss, which must have an identity, too.
func (f *Network) Identify(id *fwopt.Identity) {
	id.Of(f).Part(f.x).Int(f.width...).Part(f.loss)
	if f.bias {
		id.Text("bias")
	}
}

// Tested returns f, or its loss if fwtest has not passed that: see fwopt.Identity.
func (f *Network) Tested() any { return ident.First(f, f.loss) }

// String returns Name.
func (f *Network) String() string { return f.Name }

// CrossEntropy returns the Loss of the labels y, ℓ_i(s) = log(1 + Σ_{ℓ≠y_i} exp(s_ℓ − s_{y_i})), as Logistic has it.
// It keeps y.
func CrossEntropy(y []int) Loss { return &logLoss{y} }
