package fwopt_test

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"gonum.org/v1/gonum/floats"
)

// made is a sum and a set of functions.
type (
	madeSum struct {
		n, d  int
		value func(w []float64) float64
		grad  func(dst, w []float64, b fwopt.Batch)
	}
	madeSet struct {
		d      int
		argmin func(dst, g []float64)
	}
)

func (f *madeSum) Dim() int                             { return f.d }
func (f *madeSum) Len() int                             { return f.n }
func (f *madeSum) Value(w []float64) float64            { return f.value(w) }
func (f *madeSum) Grad(dst, w []float64, b fwopt.Batch) { f.grad(dst, w, b) }
func (s *madeSet) Dim() int                             { return s.d }
func (s *madeSet) Argmin(dst, g []float64)              { s.argmin(dst, g) }

// scored is (1/n) Σ ℓ(x_iᵀw − b_i) with x of a fixed pattern.
func scored(n, d int, b float64, l, slope func(s float64) float64) *madeSum {
	x := func(i, j int) float64 { return math.Mod(float64(i*7+j*13+1)*0.618, 1) - 0.5 }
	score := func(i int, w []float64) (s float64) {
		for j := range w {
			s += x(i, j) * w[j]
		}
		return s - b*(1+x(i, d))
	}
	return &madeSum{n, d, func(w []float64) (sum float64) {
		for i := range n {
			sum += l(score(i, w)) / float64(n)
		}
		return sum
	}, func(dst, w []float64, batch fwopt.Batch) {
		clear(dst)
		for i, c := range batch.All(n) {
			c *= slope(score(i, w))
			for j := range dst {
				dst[j] += c * x(i, j)
			}
		}
	}}
}

func half(s float64) float64 { return s * s / 2 }
func same(s float64) float64 { return s }

func corners(d int) *madeSet { // the simplex
	return &madeSet{d, func(dst, g []float64) {
		clear(dst)
		dst[floats.MinIdx(g)] = 1
	}}
}

// spoilt is a sum of which value and grad are changed.
func spoilt(f *madeSum, value float64, grad func(g []float64, b fwopt.Batch)) *madeSum {
	return &madeSum{f.n, f.d, func(w []float64) float64 { return value * f.value(w) }, func(dst, w []float64, b fwopt.Batch) {
		f.grad(dst, w, b)
		grad(dst, b)
	}}
}

// checked runs the checks as a run does, or as one does whose parts are dear.
func checked(t *testing.T, name string, f fwopt.FiniteSum, omega fwopt.Domain, w0 []float64, shared bool, want string) {
	t.Helper()
	got := said(func() { fwopt.CheckParts(f, omega, w0, shared) })
	if (got == "") != (want == "") || !strings.Contains(got, want) {
		t.Errorf("%s: %q, want %q", name, got, want)
	}
}

// What is 0 at w_0 = 0 is looked at elsewhere.
func TestPartsNear(t *testing.T) {
	defer fwopt.Cheap(time.Minute)()
	even := scored(50, 6, 0, half, same) // its gradients are 0 at 0
	twice := func(g []float64, b fwopt.Batch) { floats.Scale(1/float64(max(1, len(b.Index))), g) }
	sums := func(g []float64, b fwopt.Batch) {
		if b.Index == nil {
			floats.Scale(50, g)
		}
	}
	ball := fwset.L1Ball{D: 6, R: 1}
	checked(t, "even", even, ball, nil, false, "")
	checked(t, "mean twice", spoilt(even, 1, twice), ball, nil, false, "Grad of a batch is not")
	checked(t, "sums", spoilt(even, 50, sums), ball, nil, false, "not the mean of all n = 50 terms")
}

// An f that bends often on its way, and one that is computed in float32, are no mistakes.
func TestPartsBentAndRounded(t *testing.T) {
	defer fwopt.Cheap(time.Minute)()
	ball := plainSet(8, 1)
	for _, r := range []float64{1, 100, 1000, 3000} {
		checked(t, "sine", scored(50, 8, 1, math.Sin, math.Cos), plainSet(8, r), nil, false, "")
	}
	for _, offset := range []float64{0, 1, 1e2, 1e4, 1e6} {
		for _, r := range []float64{1e-3, 1, 30} {
			f := scored(300, 8, 1, half, same)
			g := &madeSum{f.n, f.d, func(w []float64) float64 { return float64(float32(f.value(w) + offset)) }, f.grad}
			checked(t, "float32", g, plainSet(8, r), nil, false, "")
		}
	}
	f := scored(50, 8, 1, half, same)
	for _, factor := range []float64{-1, 0, 0.5, 2, 50} {
		g := &madeSum{f.n, f.d, func(w []float64) float64 { return factor * (1e6 + f.value(w)) }, f.grad}
		checked(t, "by a factor", g, ball, nil, false, "madeSum: ")
	}
	narrow := spoilt(f, 1, func([]float64, fwopt.Batch) {})
	narrow.value = func(w []float64) float64 { return 2 * float64(float32(f.value(w))) }
	checked(t, "float32 by a factor", narrow, ball, nil, false, "by a factor of 2")
}

// unequal has n terms a(i) w_0.
func unequal(n int, a func(i int) float64) *madeSum {
	mean := 0.
	for i := range n {
		mean += a(i) / float64(n)
	}
	return &madeSum{n, 2, func(w []float64) float64 { return mean * w[0] }, func(dst, w []float64, b fwopt.Batch) {
		if clear(dst); b.Index == nil {
			dst[0] = mean
			return
		}
		for i, c := range b.All(n) {
			dst[0] += c * a(i)
		}
	}}
}

// Where few terms have nearly all of the gradient, or every tenth has none, a sample says
// nothing of the rest.
func TestPartsUnequalTerms(t *testing.T) {
	defer fwopt.Cheap(time.Minute)()
	noise := func(i int) float64 { return math.Mod(float64(i)*0.618033, 1) - 0.5 }
	for _, n := range []int{4000, 1e6} {
		few := unequal(n, func(i int) float64 {
			if i%(n/4) == 1234%(n/4) {
				return 1e5
			}
			return noise(i)
		})
		tenth := unequal(n, func(i int) float64 {
			if i%10 == 0 {
				return noise(i)
			}
			return 5
		})
		for _, f := range []*madeSum{few, tenth} {
			checked(t, "unequal", f, plainSet(2, 1), nil, false, "")
			sum := spoilt(f, float64(n), func(g []float64, b fwopt.Batch) {
				if b.Index == nil {
					floats.Scale(float64(n), g)
				}
			})
			if n == 4000 || f == tenth {
				checked(t, "sum", sum, plainSet(2, 1), nil, false, "is not the mean of")
			}
		}
	}
	half := func(w []float64) float64 { return floats.Dot(w, w) / 2 }
	checked(t, "very many", &madeSum{1 << 60, 8, half, func(dst, w []float64, _ fwopt.Batch) { copy(dst, w) }}, plainSet(8, 1), []float64{0.5, 0, 0, 0, 0, 0, 0, 0}, true, "")
}

// A w_0 outside of Ω is seen where Frank-Wolfe takes as many steps as there are
// coordinates to go to it, and a network's answers to negative costs prove nothing.
func TestPartsInside(t *testing.T) {
	defer fwopt.Cheap(time.Minute)()
	const d = 200
	f, outside := scored(50, d, 1, half, same), "w0 is outside of Ω"
	box := &madeSet{d, func(dst, g []float64) {
		for j := range g {
			if dst[j] = 0; g[j] < 0 {
				dst[j] = 1
			}
		}
	}}
	even := func(x float64) []float64 { return slices.Repeat([]float64{x}, d) }
	for _, omega := range []fwopt.Domain{corners(d), fwset.Simplex{D: d, R: 1}} {
		checked(t, "zeros", f, omega, even(0), false, outside)
		checked(t, "too much", f, omega, even(1.01/d), false, outside)
		checked(t, "too little", f, omega, even(0.99/d), false, outside)
		checked(t, "even", f, omega, even(1./d), false, "")
	}
	checked(t, "one below", f, box, append(even(0.5)[1:], -0.1), false, outside)
	checked(t, "one above", f, box, append(even(0.5)[1:], 1.1), false, outside)
	checked(t, "a corner", f, box, even(1), false, "")
	back := fwopt.Cheap(0)
	checked(t, "zeros, dear", f, corners(d), even(0), false, outside)
	back()

	loose, best := inexact{fwset.L1Ball{D: d, R: 2}}, even(0)
	g := even(0)
	f.Grad(g, best, fwopt.Batch{})
	loose.L1Ball.Argmin(best, g)
	checked(t, "better than an inexact answer", f, loose, best, false, "")

	costs := &madeSum{1, 8, func(w []float64) float64 { return floats.Dot(w, w)/2 + floats.Sum(w) }, func(dst, w []float64, _ fwopt.Batch) {
		copy(dst, w)
		floats.AddConst(1, dst)
	}}
	some := &madeSet{8, func(dst, g []float64) { // right where no cost is negative
		size := slices.Clone(g)
		for j := range size {
			size[j] = math.Abs(g[j])
		}
		corners(8).argmin(dst, size)
	}}
	checked(t, "negative costs", costs, some, []float64{0, 0.5, 0.5, 0, 0, 0, 0, 0}, false, "")
	longest := &madeSet{8, func(dst, g []float64) {
		if floats.Min(g) < 0 {
			panic("a negative cost")
		}
		clear(dst)
		dst[floats.MaxIdx(g)] = 1
	}}
	checked(t, "the longest path", costs, longest, nil, false, "wrong sign")
}

// valued is a loss whose Value has its scratch memory in common.
type valued struct {
	ownLoss
	tmp []float64
}

func (l *valued) Value(i int, s []float64) float64 {
	return l.ownLoss.Value(i, throughMemory(l.tmp, s))
}

// Scratch memory in a short call, and in Value of a loss, shows; an f that ends in Ω, as a
// barrier does, gives no answer there, and is not blamed.
func TestPartsTogether(t *testing.T) {
	const d = 8
	defer fwopt.Cheap(time.Minute)()
	tmp := make([]atomic.Uint64, d) // atomic for the race detector, a fault all the same
	ball := &madeSet{d, func(dst, g []float64) {
		for j := range g {
			tmp[j].Store(math.Float64bits(g[j]))
		}
		runtime.Gosched() // so that calls meet on any machine
		for j := range dst {
			dst[j] = math.Float64frombits(tmp[j].Load())
		}
		floats.Scale(-1/max(floats.Norm(dst, 2), 1e-300), dst)
	}}
	f := scored(50, d, 1, half, same)
	if got := said(func() { fwopt.CheckParts(f, ball, nil, true) }); !strings.Contains(got, "Argmin gives another answer where two goroutines call it at once") {
		t.Errorf("a ball: %q", got)
	}
	x, b := &fwsum.Dense{N: 30, M: d}, make([]float64, 30)
	for i := range 30 * d {
		x.Val = append(x.Val, math.Mod(float64(i)*0.618, 1))
	}
	checked(t, "Value of a loss", fwsum.NewRowSum(x, 1, &valued{ownLoss{b, "", nil}, make([]float64, 1)}), fwset.L1Ball{D: d, R: 1}, nil, false, "Value gives another answer")

	entropy := &madeSum{1, d, func(w []float64) (sum float64) {
		for _, x := range w {
			sum += x * math.Log(max(x, 1e-300))
		}
		return sum
	}, func(dst, w []float64, _ fwopt.Batch) {
		for j, x := range w {
			dst[j] = math.Log(x) + 1
		}
	}}
	checked(t, "entropy", entropy, corners(d), slices.Repeat([]float64{1. / d}, d), true, "")
}

// A part that takes 11 ms a call is not asked 80 times at once.
func TestPartsTogetherCost(t *testing.T) {
	f := scored(50, 8, 1, half, same)
	calls := 0
	slow := &madeSum{f.n, f.d, f.value, func(dst, w []float64, b fwopt.Batch) {
		shared.Lock()
		calls++
		shared.Unlock()
		time.Sleep(11 * time.Millisecond)
		f.grad(dst, w, b)
	}}
	if checked(t, "slow", slow, plainSet(8, 1), nil, true, ""); calls > 30 {
		t.Errorf("%d gradients", calls)
	}
}
