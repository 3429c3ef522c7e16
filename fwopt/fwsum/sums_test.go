package fwsum_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/fwtest"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"gonum.org/v1/gonum/floats"
)

// sum is what the sums of this package are.
type sum interface {
	fwopt.FiniteSum
	fwopt.Differ
	fwopt.LineSearcher
	Curve(dst, w, d []float64)
	Smoothness() float64
}

// sparseRows draws n rows of m columns, with up to 2k nonzeros each; some rows
// have none.
func sparseRows(rng *rand.Rand, n, m, k int) *fwsum.Sparse {
	x := &fwsum.Sparse{N: n, M: m, Ptr: []int{0}}
	for range n {
		left := rng.IntN(2*k + 1)
		for j := range m {
			if rng.IntN(m-j) < left {
				left--
				x.Col, x.Val = append(x.Col, int32(j)), append(x.Val, rng.NormFloat64())
			}
		}
		x.Ptr = append(x.Ptr, len(x.Val))
	}
	return x
}

func randomLogistic(seed uint64, n, m, h, k int) (*fwsum.Logistic, *fwsum.Sparse, []int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := sparseRows(rng, n, m, k)
	y := make([]int, n)
	for i := range y {
		y[i] = rng.IntN(h)
	}
	return fwsum.NewLogistic(x, y, h), x, y
}

func normals(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// drawn is a batch of k terms of n, some of them twice, with weights of both
// signs.
func drawn(rng *rand.Rand, n, k int) fwopt.Batch {
	var b fwopt.Batch
	for range k {
		b.Index, b.Weight = append(b.Index, rng.IntN(n)), append(b.Weight, rng.NormFloat64())
	}
	return b
}

// rowsOf returns the rows e_1, …, e_3 with a value on the diagonal.
func rowsOf(value float64) *fwsum.Sparse {
	return &fwsum.Sparse{N: 3, M: 3, Ptr: []int{0, 1, 2, 3}, Col: []int32{0, 1, 2},
		Val: slices.Repeat([]float64{value}, 3)}
}

func labels(y []float64) (l []int) {
	for _, t := range y {
		l = append(l, int(t))
	}
	return l
}

// A loss is one by its definition: at the scores s of a row of target y it returns the value
// and sets g to the gradient.
type loss struct {
	h       int
	of      func(x fwsum.Features, y []float64) sum
	target  func(rng *rand.Rand) float64
	at      func(g, s []float64, y float64) float64
	beta, g float64  // bounds on the curvature and on the gradient; g is 0 if there is none
	sizes   [][3]int // rows, columns, and about half of the nonzeros in a row
}

func classes(h int, of func(x fwsum.Features, y []int, h int) sum, sizes ...[3]int) loss {
	return loss{
		h: h, beta: 0.5, g: math.Sqrt2, sizes: sizes,
		of:     func(x fwsum.Features, y []float64) sum { return of(x, labels(y), h) },
		target: func(rng *rand.Rand) float64 { return float64(rng.IntN(h)) },
		at: func(g, s []float64, y float64) float64 { // Section 2.1 to the letter
			z := 1.0
			for l := range s {
				if g[l] = math.Exp(s[l] - s[int(y)]); l != int(y) {
					z += g[l]
				}
			}
			floats.Scale(1/z, g)
			g[int(y)]--
			return math.Log(z)
		},
	}
}

func scalar(of func(x fwsum.Features, y []float64) sum, target func(rng *rand.Rand) float64,
	beta, g float64, value, slope func(s, y float64) float64) loss {
	return loss{h: 1, of: of, target: target, beta: beta, g: g,
		sizes: [][3]int{{1, 3, 2}, {40, 7, 3}, {60, 90, 8}, {3000, 50, 5}},
		at: func(g, s []float64, y float64) float64 {
			g[0] = slope(s[0], y)
			return value(s[0], y)
		}}
}

// losses are those of this package, and two of a reader's own. A sum of many classes has more
// scores than fit into one block.
func losses() map[string]loss {
	const delta, width = 0.7, 0.4
	ours := func(x fwsum.Features, y []int, h int) sum { return fwsum.NewLogistic(x, y, h) }
	own := func(x fwsum.Features, y []int, h int) sum { return fwsum.NewRowSum(x, h, ownLogistic{y}) }
	normal := (*rand.Rand).NormFloat64
	sign := func(rng *rand.Rand) float64 { return float64(2*rng.IntN(2) - 1) }
	clip := func(s, y float64) float64 { return math.Copysign(min(math.Abs(s-y), delta), s-y) }
	return map[string]loss{
		"logistic": classes(5, ours, [3]int{1, 1, 1}, [3]int{30, 17, 4}, [3]int{9, 40, 6},
			[3]int{300, 1201, 600}, [3]int{5000, 12, 8}),
		"many":     classes(8000, ours, [3]int{150, 20, 2}),
		"own":      classes(3, own, [3]int{1, 3, 2}, [3]int{40, 17, 4}),
		"own many": classes(1<<16, own, [3]int{20, 20, 2}),
		"squares": scalar(func(x fwsum.Features, b []float64) sum { return fwsum.NewLeastSquares(x, b) },
			normal, 1, 0,
			func(s, y float64) float64 { return (s - y) * (s - y) / 2 },
			func(s, y float64) float64 { return s - y }),
		"own hinge": scalar(func(x fwsum.Features, y []float64) sum {
			return fwsum.NewRowSum(x, 1, squaredHinge{y})
		}, sign, 1, 0,
			func(s, y float64) float64 { return math.Pow(max(0, 1-y*s), 2) / 2 },
			func(s, y float64) float64 { return -y * max(0, 1-y*s) }),
		"own, not convex": scalar(func(x fwsum.Features, y []float64) sum {
			return fwsum.NewRowSum(x, 1, ripple{y})
		}, normal, 1, 1,
			func(s, y float64) float64 { return 2 * math.Pow(math.Sin((s-y)/2), 2) },
			func(s, y float64) float64 { return math.Sin(s - y) }),
		"binary logistic": scalar(func(x fwsum.Features, y []float64) sum {
			return fwsum.NewBinaryLogistic(x, y)
		},
			func(rng *rand.Rand) float64 { return max(0, min(1, 2*rng.Float64()-0.5)) }, 0.25, 1,
			func(s, y float64) float64 { return math.Log(1+math.Exp(s)) - y*s },
			func(s, y float64) float64 { return 1/(1+math.Exp(-s)) - y }),
		"Huber": scalar(func(x fwsum.Features, y []float64) sum { return fwsum.NewHuber(x, y, delta) },
			normal, 1, delta,
			func(s, y float64) float64 { // min_u ½u² + δ|s − y − u|
				u := clip(s, y)
				return u*u/2 + delta*math.Abs(s-y-u)
			}, clip),
		"smooth hinge": scalar(func(x fwsum.Features, y []float64) sum {
			return fwsum.NewSmoothHinge(x, labels(y), width)
		},
			func(rng *rand.Rand) float64 { return float64(rng.IntN(2)) }, 1/width, 1,
			func(s, y float64) float64 { // max_{0≤t≤1} t(1 − a) − δt²/2
				u := 1 - (2*y-1)*s
				t := max(0, min(1, u/width))
				return t*u - width*t*t/2
			},
			func(s, y float64) float64 { return (1 - 2*y) * max(0, min(1, (1-(2*y-1)*s)/width)) }),
	}
}

// defined is a sum and its definition: term returns f_i(w) and adds c∇f_i(w) to g.
type defined struct {
	sum
	term func(g, w []float64, i int, c float64) float64
	l, g float64 // L, and G; 0 if there is none
}

// defines checks f at w and v, on batches of every kind.
func (f defined) defines(t *testing.T, name string, w, v []float64, rng *rand.Rand) {
	t.Helper()
	n, d := f.Len(), f.Dim()
	if f.Smoothness() == 0 || math.Abs(f.Smoothness()-f.l) > 1e-14*f.l {
		t.Errorf("%s: L = %g, want %g", name, f.Smoothness(), f.l)
	}
	if lip, ok := f.sum.(interface{ Lipschitz() float64 }); ok && f.g == 0 &&
		!math.IsInf(lip.Lipschitz(), 1) ||
		f.g > 0 && math.Abs(lip.Lipschitz()-f.g) > 1e-14*f.g {
		t.Errorf("%s: G = %g, want %g", name, lip.Lipschitz(), f.g)
	}
	near := func(what string, got, want []float64, size float64) {
		t.Helper()
		if far := floats.Distance(got, want, math.Inf(1)); !(far <= 1e-13*size) {
			t.Errorf("%s: %s is off by %g, of size %g", name, what, far, size)
		}
	}
	for _, b := range []fwopt.Batch{{}, drawn(rng, n, 1), drawn(rng, n, 1+n/5), drawn(rng, n, n/2-1),
		drawn(rng, n, 2*n)} {
		value, size, at := 0.0, 0.0, fmt.Sprintf(" of a batch of %d", len(b.Index))
		grad, other, got := make([]float64, d), make([]float64, d), make([]float64, d)
		for i, c := range b.All(n) {
			value += c * f.term(grad, w, i, c)
			f.term(other, v, i, c)
			size += math.Abs(c)
		}
		if b.Index == nil {
			near("f", []float64{f.Value(w)}, []float64{value}, 1+value)
		}
		size *= 1 + floats.Norm(grad, math.Inf(1)) + floats.Norm(other, math.Inf(1))
		f.Grad(got, w, b)
		near("the gradient"+at, got, grad, size)
		f.AddGradDiff(got, w, v, b)
		floats.Add(grad, floats.SubTo(other, grad, other))
		near("the difference of gradients"+at, got, grad, 2*size)
		copy(got, w) // what w and w0 share cancels to the bit
		if f.AddGradDiff(got, v, slices.Clone(v), b); !slices.Equal(got, w) {
			t.Errorf("%s: the difference%s at one point is not 0", name, at)
		}
	}
	x, g := slices.Clone(w), make([]float64, d)
	gamma := f.LineSearch(w, v)
	fwopt.Lerp(x, gamma, v)
	for i := range n {
		f.term(g, x, i, 1/float64(n))
	}
	at, size := make([]float64, d), 0.0
	for _, end := range [][]float64{w, v} {
		f.Grad(at, end, fwopt.Batch{})
		size += floats.Norm(at, 2) * floats.Distance(v, w, 2)
	}
	slope := (floats.Dot(g, v) - floats.Dot(g, w)) / size
	if gamma == 0 && slope < -1e-12 || gamma == 1 && slope > 1e-12 ||
		gamma > 0 && gamma < 1 && math.Abs(slope) > 1e-11 || !(gamma >= 0 && gamma <= 1) {
		t.Errorf("%s: at γ = %g the slope is %g of its size", name, gamma, slope)
	}
	if gamma := f.LineSearch(w, w); gamma != 0 {
		t.Errorf("%s: w = v: γ = %g, want 0", name, gamma)
	}
}

// Each sum beside its definition, over a Sparse and over a Dense, from a w of many numbers and
// from one of few, whose scores may come from its columns alone; and the contract of all sums.
func TestSumsAgainstNaive(t *testing.T) {
	for name, l := range losses() {
		for _, c := range l.sizes {
			n, m, h := c[0], c[1], l.h
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			x, y, top := sparseRows(rng, n, m, c[2]), make([]float64, n), 0.0
			for i := range y {
				_, val := x.Row(i)
				y[i], top = l.target(rng), max(top, floats.Norm(val, 2))
			}
			term := func(g, w []float64, i int, c float64) float64 {
				col, val := x.Row(i)
				s, p := make([]float64, h), make([]float64, h)
				for k, j := range col {
					floats.AddScaled(s, val[k], w[int(j)*h:(int(j)+1)*h])
				}
				f := l.at(p, s, y[i])
				for k, j := range col {
					floats.AddScaled(g[int(j)*h:(int(j)+1)*h], c*val[k], p)
				}
				return f
			}
			for kind, x := range map[string]fwsum.Features{"sparse": x, "dense": x.Dense()} {
				f := l.of(x, y)
				if n < 100 && m*h < 100 && (kind == "sparse" || n < 60) {
					fwtest.TestFiniteSum(t, f)
				}
				if kind == "dense" && h > 100 { // takes seconds
					continue
				}
				few, w, v := make([]float64, m*h), normals(rng, m*h), normals(rng, m*h)
				few[rng.IntN(m*h)], few[rng.IntN(m*h)] = 1, -2
				for what, w := range map[string][]float64{"all": w, "few": few} {
					if what == "all" || h < 100 {
						defined{f, term, l.beta * top * top, l.g * top}.defines(t,
							fmt.Sprintf("%s %v, %s, %s of w", name, c, kind, what), w, v, rng)
					}
				}
			}
		}
	}
	rng := rand.New(rand.NewPCG(17, 7))
	for _, c := range [][2]int{{1, 1}, {1, 4}, {6, 6}, {40, 57}} {
		n, d := c[0], c[1]
		b, w := normals(rng, n), normals(rng, d)
		f := fwsum.NewEntryLoss(d, b)
		fwtest.TestFiniteSum(t, f)
		defined{f, func(g, w []float64, i int, c float64) float64 {
			g[i] += c * (w[i] - b[i])
			return (w[i] - b[i]) * (w[i] - b[i]) / 2
		}, 1, 0}.defines(t, fmt.Sprint("entries ", c), w, normals(rng, d), rng)
		if f.Dim() != d || f.Len() != n || f.LineSearch(w, append(slices.Clone(b), w[n:]...)) != 1 {
			t.Errorf("%d entries of %d: a sum of %d over %d numbers", n, d, f.Len(), f.Dim())
		}
		w[0] = math.NaN()
		if gamma := f.LineSearch(w, make([]float64, d)); !math.IsNaN(gamma) {
			t.Errorf("a line search from no number: %g", gamma)
		}
	}
}

// A loss of one's own without a Curve is asked for gradients, which lose half of the digits.
func TestCurveOfOwnLoss(t *testing.T) {
	ours, x, y := randomLogistic(8, 300, 90, 3, 8)
	rng := rand.New(rand.NewPCG(1, 1))
	w, v, g, want := normals(rng, 270), normals(rng, 270), make([]float64, 270), make([]float64, 270)
	ours.Curve(want, w, v)
	for tol, l := range map[float64]fwsum.Loss{1e-8: ownLogistic{y}, 1e-13: ownCurved{ownLogistic{y}}} {
		fwsum.NewRowSum(x, 3, l).Curve(g, w, v)
		if d := floats.Distance(g, want, 2); d > tol*floats.Norm(want, 2) {
			t.Errorf("%T: the product with ∇²f is off by %g", l, d)
		}
	}
}

// Keep knows a sum by its kind, its data, its targets and its parameters, and by nothing less.
func TestSumIdentity(t *testing.T) {
	x, y, other, l := rowsOf(1), []float64{0, 1, 1}, []float64{0, 1, 0}, []int{0, 1, 1}
	hinge := func(y ...float64) fwsum.Loss { return named{squaredHinge{y}} }
	seen := map[uint64]int{}
	for i, f := range []fwopt.FiniteSum{
		fwsum.NewLeastSquares(x, y), fwsum.NewLeastSquares(x, other), fwsum.NewLeastSquares(x.Dense(), y),
		fwsum.NewLogistic(x, l, 2), fwsum.NewLogistic(x, l, 3), fwsum.NewLogistic(x, []int{0, 1, 0}, 2),
		fwsum.NewBinaryLogistic(x, y), fwsum.NewBinaryLogistic(x, other),
		fwsum.NewBinaryLogistic(rowsOf(2), y),
		fwsum.NewHuber(x, y, 1), fwsum.NewHuber(x, y, 2), fwsum.NewHuber(x, other, 1),
		fwsum.NewSmoothHinge(x, l, 1), fwsum.NewSmoothHinge(x, l, 2),
		fwsum.NewSmoothHinge(x, []int{0, 1, 0}, 1),
		fwsum.NewRowSum(x, 1, hinge(1, 1, -1)), fwsum.NewRowSum(x, 1, hinge(1, 1, 1)),
		fwsum.NewRowSum(rowsOf(2), 1, hinge(1, 1, -1)),
		fwsum.NewHuber(x, y, 1).Weighted([]float64{1, 2, 3}),
		fwsum.NewHuber(x, y, 1).Weighted([]float64{1, 2, 4}),
		fwsum.NewEntryLoss(2, []float64{1, 2}), fwsum.NewEntryLoss(3, []float64{1, 2}),
		fwsum.NewEntryLoss(2, []float64{2, 1}),
		fwsum.NewQuadratic(2, nil, []float64{1, 2}), fwsum.NewQuadratic(1, nil, []float64{1, 2}),
		fwsum.NewQuadratic(2, nil, []float64{2, 1}),
		fwsum.NewQuadratic(2, []float64{1, 2}, []float64{1, 2}),
	} {
		id := ident.New(f, 0)
		if k, same := seen[id.Hash()]; same || id.Why() != "" {
			t.Errorf("sums %d and %d say the same; %q", i, k, id.Why())
		}
		seen[id.Hash()] = i
	}
	if _, known := seen[ident.New(fwsum.NewRowSum(rowsOf(1), 1, hinge(1, 1, -1)), 0).Hash()]; !known {
		t.Error("the same sum, made again, is not known")
	}
	if why := ident.New(fwsum.NewRowSum(x, 1, squaredHinge{y}), 0).Why(); !strings.Contains(why,
		"squaredHinge has no method Identify") {
		t.Errorf("a loss without an identity: %q", why)
	}
	if why := ident.New(struct{ *fwsum.RowSum }{fwsum.NewRowSum(x, 1, hinge(1, 1, -1))},
		0).Why(); !strings.Contains(why, "has only the Identify of") {
		t.Errorf("a sum that embeds a RowSum: %q", why)
	}
}
