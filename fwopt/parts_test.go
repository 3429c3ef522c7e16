package fwopt_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
)

// throughMemory returns x as it was in memory that all calls share, a while later. The
// lock keeps the race detector from what is a fault all the same.
func throughMemory(memory, x []float64) []float64 {
	shared.Lock()
	copy(memory, x)
	shared.Unlock()
	runtime.Gosched()
	shared.Lock()
	defer shared.Unlock()
	return slices.Clone(memory[:len(x)])
}

var shared sync.Mutex

// made is a reader's own sum and set, of functions.
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

// plainSum and plainSet, the ℓ1 ball of radius r, are parts without a fault.
func plainSum(n, d int, scale float64) *madeSum {
	return scored(n, d, 1, func(s float64) float64 { return scale * half(s) },
		func(s float64) float64 { return scale * s })
}

func plainSet(d int, r float64) *madeSet {
	return &madeSet{d, func(dst, g []float64) {
		at := 0
		for j := range g {
			if math.Abs(g[j]) > math.Abs(g[at]) {
				at = j
			}
		}
		if clear(dst); g[at] != 0 {
			dst[at] = -math.Copysign(r, g[at])
		}
	}}
}

// graded is f with another gradient, spoilt with a multiple of its value and what change makes of
// its gradient.
func graded(f *madeSum, grad func(dst, w []float64, b fwopt.Batch)) *madeSum {
	return &madeSum{f.n, f.d, f.value, grad}
}

func spoilt(f *madeSum, value float64, change func(g []float64, b fwopt.Batch)) *madeSum {
	return &madeSum{f.n, f.d, func(w []float64) float64 { return value * f.value(w) },
		func(dst, w []float64, b fwopt.Batch) {
			f.grad(dst, w, b)
			change(dst, b)
		}}
}

func unchanged([]float64, fwopt.Batch) {}

// meanTwice and exactSums are what may be wrong with the gradients of n terms.
func meanTwice(g []float64, b fwopt.Batch) { floats.Scale(1/float64(max(1, len(b.Index))), g) }
func exactSums(n int) func(g []float64, b fwopt.Batch) {
	return func(g []float64, b fwopt.Batch) {
		if b.Index == nil {
			floats.Scale(float64(n), g)
		}
	}
}

// ownLoss is a reader's ℓ_i(s) = ½(s − b_i)² of one score, and what becomes of its value, and of
// its gradient g = c(s − b_i).
type ownLoss struct {
	b     []float64
	value func(v float64) float64
	grad  func(g, c, s float64) float64
}

func (l *ownLoss) Value(i int, s []float64) float64   { return l.value(half(s[0] - l.b[i])) }
func (l *ownLoss) Smoothness() float64                { return 1 }
func (l *ownLoss) Grad(i int, s []float64, c float64) { s[0] = l.grad(c*(s[0]-l.b[i]), c, s[0]) }
func (l *ownLoss) Identify(id *fwopt.Identity)        { id.Of(l).Float(l.b...) }
func right(g, _, _ float64) float64                   { return g }

// lossSum is a RowSum of ownLoss.
func lossSum(n, d int, value func(v float64) float64, grad func(g, c, s float64) float64) fwopt.FiniteSum {
	x, b := &fwsum.Dense{N: n, M: d}, make([]float64, n)
	for i := range n * d {
		x.Val = append(x.Val, math.Mod(float64(i)*0.618, 1)-0.3)
	}
	for i := range b {
		b[i] = float64(i%5) - 1
	}
	return fwsum.NewRowSum(x, 1, &ownLoss{b, value, grad})
}

// checked runs the checks as a run does, and wants a panic with these words, or none for "".
func checked(t *testing.T, name string, f fwopt.FiniteSum, omega fwopt.Domain, w0 []float64, shared bool,
	want string) {
	t.Helper()
	got := small.Panics(func() { fwopt.CheckParts(f, omega, w0, shared, false) })
	if (got == "") != (want == "") || !strings.Contains(got, want) {
		t.Errorf("%s: %q, want %q", name, got, want)
	}
	if strings.Contains(got, "fwopt_test.") && !strings.Contains(got, "fwtest") &&
		!strings.Contains(got, "w0") {
		t.Errorf("%s: no word of fwtest in %q", name, got)
	}
}

func TestPartsMistakes(t *testing.T) {
	const n, d = 30, 6
	defer fwopt.Cheap(time.Minute)() // on a busy machine, too
	sum, set, ours := plainSum(n, d, 1), plainSet(d, 2), fwset.L1Ball{D: d, R: 2}
	ourSum, nan := lossSum(n, d, same, right), math.NaN()
	answers := func(change func(dst, g []float64)) *madeSet {
		return &madeSet{d, func(dst, g []float64) {
			if set.argmin(dst, g); floats.Norm(g, 2) > 0 {
				change(dst, g)
			}
		}}
	}
	noSign := answers(func(dst, _ []float64) {
		for j, x := range dst {
			dst[j] = math.Abs(x)
		}
	})
	reversed := answers(func(dst, _ []float64) { floats.Scale(-1, dst) })
	const is = "fwopt: *fwopt_test.madeSet: Argmin"
	again := false
	for want, omega := range map[string]*madeSet{
		is + " has the wrong sign": reversed, is + " has the wrong sign: ⟨g, v(g)⟩": noSign,
		is + ": coordinate 0 is NaN":  answers(func(dst, _ []float64) { dst[0] = nan }),
		is + ": coordinate 0 is +Inf": answers(func(dst, _ []float64) { dst[0] = math.Inf(1) }),
		is + " of g = 0: coordinate 1 is NaN where dst held NaN before, and 0 where it held 0: it adds to dst": {d,
			func(dst, g []float64) {
				old := slices.Clone(dst)
				set.argmin(dst, g)
				dst[1] += old[1]
			}},
		is + " is not where ⟨g, v⟩ is least, or leaves Ω": answers(func(dst, g []float64) {
			floats.Scale(1/floats.Norm(g, math.Inf(1)), dst)
		}),
		is + " of one g reaches ⟨g, v⟩": answers(func(dst, _ []float64) {
			if again = !again; !again {
				floats.Scale(0.5, dst)
			}
		}),
		is + " writes to g": answers(func(_, g []float64) { g[0]++ }),
	} {
		checked(t, "a set", sum, omega, nil, false, want)
		checked(t, "a set under a sum of ours", ourSum, omega, nil, false, want)
	}
	many, inf := plainSum(5000, d, 1), math.Inf(1)
	after := func(change func(g []float64)) *madeSum {
		return spoilt(sum, 1, func(g []float64, _ fwopt.Batch) { change(g) })
	}
	for want, f := range map[string]*madeSum{
		"Grad writes to w": graded(sum, func(dst, w []float64, b fwopt.Batch) {
			sum.grad(dst, w, b)
			w[2]++
		}),
		"Grad or Value has the wrong sign": after(func(g []float64) { floats.Scale(-1, g) }),
		"Grad of the zero Batch at the point that Argmin gives for g = 0: coordinate 0 is NaN where dst held NaN " +
			"before, and": graded(sum, func(dst, w []float64, b fwopt.Batch) {
			old := slices.Clone(dst)
			sum.grad(dst, w, b)
			floats.Add(dst, old)
		}),
		"Value and Grad do not belong together": after(func(g []float64) { g[2] = 0 }),
		"Grad of a batch is not Σ_j Weight[j]":  spoilt(sum, 1, meanTwice),
		"by the factor 0.2; the weights have":   spoilt(sum, 1, meanTwice),
		"∇f_{Index[j]}(w): for terms": graded(sum, func(dst, w []float64, b fwopt.Batch) {
			b.Weight = slices.Repeat([]float64{1}, len(b.Index))
			sum.grad(dst, w, b)
		}),
		"is the sum over the n = 30 terms, where both":          spoilt(sum, 1, exactSums(n)),
		"the sum over the n = 30 terms":                         spoilt(sum, n, unchanged),
		"the sum over the n = 5000 terms":                       spoilt(many, 1, exactSums(5000)),
		"by a factor of 2":                                      spoilt(sum, 2, unchanged),
		"Value at the point that Argmin gives for g = 0 is NaN": spoilt(sum, nan, unchanged),
		"coordinate 1 is NaN":                                   after(func(g []float64) { g[1] = nan }),
		"coordinate 1 is +Inf":                                  after(func(g []float64) { g[1] = inf }),
	} {
		for _, omega := range []fwopt.Domain{set, ours} {
			checked(t, "a sum", f, omega, nil, false, want)
			checked(t, "a sum", f, omega, nil, false, "fwopt: *fwopt_test.madeSum: ")
		}
	}
	for want, f := range map[string]fwopt.FiniteSum{
		"wrong sign":                    lossSum(n, d, same, func(g, _, _ float64) float64 { return -g }),
		"the sum over the n = 30 terms": lossSum(n, d, same, func(g, c, _ float64) float64 { return g / c }),
		"do not belong together":        lossSum(n, d, same, func(g, _, s float64) float64 { return g + s }),
		"by a factor of 0.5":            lossSum(n, d, func(v float64) float64 { return v / 2 }, right),
		"is NaN":                        lossSum(n, d, same, func(_, _, _ float64) float64 { return nan }),
	} {
		checked(t, "a loss", f, set, nil, false, want)
		checked(t, "a loss", f, set, nil, false, "fwopt: *fwsum.RowSum, with *fwopt_test.ownLoss: ")
	}
	outside := "fwopt: w0 is outside of Ω, a "
	checked(t, "w_0", ourSum, ours, slices.Repeat([]float64{0.4}, d), false, outside+"fwset.L1Ball")
	checked(t, "w_0", sum, set, []float64{0, 0, 3, 0, 0, 0}, false, outside+"*fwopt_test.madeSet")
	checked(t, "w_0", sum, set, []float64{0, nan, 0, 0, 0, 0}, false, "coordinate 1 of w0 is NaN")
	even := scored(50, d, 0, half, same) // its gradients are 0 at 0, and are looked at elsewhere
	checked(t, "even", even, ours, nil, false, "")
	checked(t, "even", spoilt(even, 1, meanTwice), ours, nil, false, "Grad of a batch is not")
	checked(t, "even", spoilt(even, 50, exactSums(50)), ours, nil, false, "not the mean of all n = 50 terms")
	checked(t, "all as it should be", sum, set, []float64{0, 0, -2, 0, 0, 0}, false, "")
	// so does a run, kept or not
	b := fwopt.Budget{Steps: 5}
	for how, run := range map[string]func(){
		"Run": func() { run(sum, reversed, fwopt.SVRFExperiments(), b) },
		"Keep": func() {
			fwkeep.Keep(bg, t.TempDir(), fwopt.NewOracle(sum, reversed, 1), fwopt.SVRFExperiments(), b)
		},
	} {
		if got := small.Panics(run); !strings.HasPrefix(got, is) {
			t.Errorf("%s: %q", how, got)
		}
	}
}

// Parts that only look odd: kinks, scales, a barrier, an inexact linear optimisation, a
// network that takes no negative costs, an optimum at w_0, a part with a state that shows nowhere.
func TestPartsPass(t *testing.T) {
	defer fwopt.Cheap(time.Minute)()
	for name, c := range map[string]struct {
		f     fwopt.FiniteSum
		omega fwopt.Domain
		w0    []float64
	}{
		"small f":       {plainSum(50, 4, 1e-12), plainSet(4, 1), nil},
		"large f":       {plainSum(50, 4, 1e12), plainSet(4, 1), nil},
		"small Ω":       {plainSum(50, 4, 1), plainSet(4, 1e-12), nil},
		"large Ω":       {plainSum(50, 4, 1), plainSet(4, 1e12), nil},
		"one term":      {plainSum(1, 4, 1), plainSet(4, 1), nil},
		"many terms":    {plainSum(20000, 4, 1), plainSet(4, 1), nil},
		"one dimension": {plainSum(3, 1, 1), plainSet(1, 1), nil},
		"a kink at w_0": {kink(4), plainSet(4, 1), []float64{0.5, 0, 0, 0}},
		"a kink":        {kink(4), plainSet(4, 1), nil},
		"a minimum":     {odd["bowl"], plainSet(4, 1), nil},
		"a barrier":     {odd["barrier"], plainSet(3, 1), nil},
		"rare terms":    {odd["rare"], plainSet(2, 1), nil},
		"inexact":       {plainSum(30, 6, 1), inexact{fwset.L1Ball{D: 6, R: 2}}, nil},
		"costs":         {odd["fares"], network(3, floats.MinIdx), nil},
		"w_0 inside":    {plainSum(30, 6, 1), plainSet(6, 1), []float64{0.1, -0.2, 0.3, 0, 0, 0.39}},
		"w_0 a vertex":  {plainSum(30, 6, 1), fwset.Simplex{D: 6, R: 1}, []float64{0, 0, 1, 0, 0, 0}},
		"w_0 by rounding": {plainSum(30, 6, 1), fwset.Simplex{D: 6, R: 1}, []float64{0.1, 0.1, 0.1, 0.1, 0.1,
			0.5 + 1e-9}},
		"saddle": {odd["saddle"], plainSet(2, 1), nil},
	} {
		checked(t, name, c.f, c.omega, c.w0, false, "")
		if got := small.Panics(func() {
			fwopt.Run(bg, fwopt.NewOracle(c.f, c.omega, 1).From(c.w0), fwopt.SFWExperiments(),
				fwopt.Budget{Steps: 3})
		}); got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// kink is 1 + Σ_j |w_j − ½| with a subgradient where it has a kink.
func kink(d int) *madeSum {
	return &madeSum{1, d, func(w []float64) float64 {
		sum := 1.
		for _, x := range w {
			sum += math.Abs(x - 0.5)
		}
		return sum
	}, func(dst, w []float64, _ fwopt.Batch) {
		for j, x := range w {
			if dst[j] = 1; x < 0.5 {
				dst[j] = -1
			}
		}
	}}
}

// inexact answers with a point that is worse by its slack.
type inexact struct{ fwset.L1Ball }

func (s inexact) Argmin(dst, g []float64) {
	s.L1Ball.Argmin(dst, g)
	floats.Scale(0.9, dst)
}
func (s inexact) ArgminVertex(v *fwset.Vertex, g []float64, _ float64, _ *fwset.Warm) float64 {
	x := v.SetDense(len(g))
	s.Argmin(x, g)
	return 0.1 * s.R * floats.Norm(g, math.Inf(1))
}

// odd are sums that only look it.
var odd = map[string]*madeSum{
	// a minimum, and a gradient of 0, where a run begins
	"bowl": {1, 4, square, func(dst, w []float64, _ fwopt.Batch) { copy(dst, w) }},
	// −ln(½ − w_0) has no value in half of Ω
	"barrier": {1, 3, func(w []float64) float64 {
		if w[0] >= 0.5 {
			return math.Inf(1)
		}
		return -math.Log(0.5-w[0]) + w[1]
	}, func(dst, w []float64, _ fwopt.Batch) {
		if dst[0], dst[1], dst[2] = math.Inf(1), 1, 0; w[0] < 0.5 {
			dst[0] = 1 / (0.5 - w[0])
		}
	}},
	// one of 9,000 terms has nearly all of the gradient
	"rare": {9000, 2, func(w []float64) float64 { return (w[0] - 1) * (w[0] - 1) / 2 },
		func(dst, w []float64, b fwopt.Batch) {
			clear(dst)
			for i, weight := range b.All(9000) {
				if i == 4321 {
					dst[0] += weight * 9000 * (w[0] - 1)
				}
			}
		}},
	// a positive gradient, as the costs of a network are
	"fares": {1, 3, func(w []float64) float64 { return square(w) + 3*w[0] + 2*w[1] + w[2] },
		func(dst, w []float64, _ fwopt.Batch) {
			for j := range dst {
				dst[j] = w[j] + float64(3-j)
			}
		}},
	// not convex, with a gradient of 0 at 0
	"saddle": {1, 2, func(w []float64) float64 { return w[0]*w[0]*w[0] - w[0]*w[1] },
		func(dst, w []float64, _ fwopt.Batch) {
			dst[0], dst[1] = 3*w[0]*w[0]-w[1], -w[0]
		}},
}

func square(w []float64) float64 { return floats.Dot(w, w) / 2 }

// network takes positive costs only, and answers them by best.
func network(d int, best func([]float64) int) *madeSet {
	return &madeSet{d, func(dst, g []float64) {
		if floats.Min(g) < 0 {
			panic("a negative cost")
		}
		clear(dst)
		dst[best(g)] = 1
	}}
}

// A type that embeds a part inherits what that declares, and is checked all the same; one
// that declares for itself is not.
type (
	embeddedSet    struct{ fwset.L1Ball }
	embeddedSum    struct{ *fwsum.Quadratic }
	embeddedMethod struct{ *fwopt.SFW }
	declaredSet    struct{ embeddedSet }
	halfSet        struct{ fwset.L1Ball }    // Argmin, and not ArgminVertex
	coldSet        struct{ fwset.TraceNorm } // Project, and not ProjectWarm
)

func (s halfSet) Argmin(dst, g []float64)  { embeddedSet(s).Argmin(dst, g) }
func (s coldSet) Project(dst, x []float64) { clear(dst) }

func (s embeddedSet) Argmin(dst, g []float64) {
	s.L1Ball.Argmin(dst, g)
	floats.Scale(-1, dst)
}
func (s embeddedSet) ArgminVertex(v *fwset.Vertex, g []float64, _ float64, _ *fwset.Warm) float64 {
	s.Argmin(v.SetDense(len(g)), g)
	return 0
}
func (f embeddedSum) Value(w []float64) float64 { return -f.Quadratic.Value(w) }
func (s declaredSet) Tested() any               { return s }

func TestPartsDeclared(t *testing.T) {
	f, ball := fwsum.NewQuadratic(3, nil, []float64{1, 2, 3, 4, 5, 7}), fwset.L1Ball{D: 3, R: 1}
	for _, c := range []struct {
		f     fwopt.FiniteSum
		omega fwopt.Domain
		want  string
	}{
		{f, ball, ""},
		{f, embeddedSet{ball}, "fwopt: fwopt_test.embeddedSet: Argmin has the wrong sign"},
		{f, fwset.Product{fwset.L1Ball{D: 2, R: 1}, embeddedSet{fwset.L1Ball{D: 1, R: 1}}},
			"fwopt: fwset.Product, with fwopt_test.embeddedSet: "},
		{f, fwset.Product{fwset.L1Ball{D: 2, R: 1}, fwset.L1Ball{D: 1, R: 1}}, ""},
		{f, declaredSet{embeddedSet{ball}}, ""},
		{f, halfSet{ball}, "fwopt: fwopt_test.halfSet: Argmin reaches ⟨g, v⟩"},
		{f, coldSet{fwset.TraceNorm{H: 1, M: 3, Tau: 1}}, "fwopt: fwopt_test.coldSet: Project leads elsewhere"},
		{embeddedSum{f}, ball, "fwopt: fwopt_test.embeddedSum: Grad or Value has the wrong sign"},
	} {
		got := small.Panics(func() {
			fwopt.Run(bg, fwopt.NewOracle(c.f, c.omega, 1), fwopt.SFWExperiments(), fwopt.Budget{Steps: 3})
		})
		if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
			t.Errorf("%T over %T: %q, want %q", c.f, c.omega, got, c.want)
		}
	}
	for method, want := range map[fwopt.Method]bool{fwopt.SFWExperiments(): false,
		&embeddedMethod{fwopt.SFWExperiments()}: true} {
		if got := ident.Untested(method) != nil; got != want {
			t.Errorf("%T is untested: %v, want %v", method, got, want)
		}
	}
}

// The checks count nothing, draw nothing, and ask a dear part little.
func TestPartsCost(t *testing.T) {
	for _, n := range []int{7, 300, 5000} {
		for _, w0 := range [][]float64{nil, {0.5, 0, 0, 0}} {
			var calls [4]atomic.Int64 // exact gradients, terms, values, linear optimisations
			sum, set := plainSum(n, 4, 1), plainSet(4, 1)
			f := &madeSum{n, 4, func(w []float64) float64 {
				calls[2].Add(1)
				return sum.value(w)
			}, func(dst, w []float64, b fwopt.Batch) {
				if calls[1].Add(int64(len(b.Index))); b.Index == nil {
					calls[0].Add(1)
				}
				sum.grad(dst, w, b)
			}}
			omega := &madeSet{4, func(dst, g []float64) {
				calls[3].Add(1)
				set.argmin(dst, g)
			}}
			defer fwopt.Cheap(0)()
			o := fwopt.NewOracle(f, omega, 1)
			rng := o.RNG
			fwopt.CheckParts(f, omega, w0, true, false)
			for i, most := range []int64{2, 1000, 2, 4} {
				if got := calls[i].Load(); got > most || got == 0 {
					t.Errorf("n = %d, w_0 = %v: %d calls of kind %d, want 1 to %d", n, w0, got, i, most)
				}
			}
			if o.Calls != (fwopt.Calls{}) || o.RNG != rng {
				t.Error("the checks touch the run's accounts or draws")
			}
		}
	}
}

// sharing is a sum that is no pointer, and that == cannot compare.
type sharing struct {
	*madeSum
	tmp []float64
}

// Memory that calls share shows where two runs are at work at once, and is no fault
// where one is; in a loss, which many goroutines call, it shows in any run.
func TestPartsShared(t *testing.T) {
	defer fwopt.Cheap(time.Minute)()
	const d = 400
	plain, ball, tmp := plainSum(50, d, 1), plainSet(d, 1), make([]float64, d)
	sum := sharing{graded(plain, func(dst, w []float64, b fwopt.Batch) {
		plain.grad(dst, throughMemory(tmp, w), b)
	}), tmp}
	set := &madeSet{d, func(dst, g []float64) { ball.argmin(dst, throughMemory(tmp, g)) }}
	run := func(f fwopt.FiniteSum, omega fwopt.Domain, watch func(*fwopt.Trace, fwopt.Point)) string {
		return small.Panics(func() {
			fwopt.Run(bg, fwopt.NewOracle(f, omega, 1), &fwopt.FW{}, fwopt.Budget{Steps: 2, Watch: watch})
		})
	}
	for name, c := range map[string]struct {
		f     fwopt.FiniteSum
		omega fwopt.Domain
	}{"fwopt_test.sharing: Grad": {sum, fwset.L1Ball{D: d, R: 1}},
		"*fwopt_test.madeSet: Argmin": {fwsum.NewQuadratic(d, nil, make([]float64, d)), set}} {
		if got := run(c.f, c.omega, nil); got != "" {
			t.Errorf("%s, alone: %s", name, got)
		}
		inner := ""
		run(c.f, c.omega, func(*fwopt.Trace, fwopt.Point) { inner = run(c.f, c.omega, nil) })
		if want := "fwopt: " + name +
			" gives another answer where two goroutines call it at once"; !strings.HasPrefix(inner, want) {
			t.Errorf("%s, with another run at work: %q", name, inner)
		}
		if got := run(c.f, c.omega, nil); got != "" {
			t.Errorf("%s, after the other run: %s", name, got)
		}
	}
	through := func(x float64) float64 { return throughMemory(tmp, []float64{x})[0] }
	for want, f := range map[string]fwopt.FiniteSum{
		"Grad":  lossSum(30, d, same, func(g, _, _ float64) float64 { return through(g) }),
		"Value": lossSum(30, d, through, right),
	} {
		if got := run(f, fwset.L1Ball{D: d, R: 1}, nil); !strings.HasPrefix(got,
			"fwopt: *fwsum.RowSum, with *fwopt_test.ownLoss: "+want+" gives another answer") {
			t.Errorf("a loss: %q", got)
		}
	}
}

// A method whose constant is off by orders of magnitude does not move, and the trace and
// the summary have it; one that has nothing to gain is not doubted.
func TestRunNotMoved(t *testing.T) {
	run := func(f fwopt.FiniteSum, omega fwopt.Domain, w0 []float64, rule fwopt.StepRule,
		steps int) *fwopt.Trace {
		return fwopt.Run(bg, fwopt.NewOracle(f, omega, 1).From(w0), &fwopt.FW{Rule: rule},
			fwopt.Budget{Steps: steps, DualityGap: true})
	}
	f, omega, none := plainSum(40, 5, 1), plainSet(5, 1), fwopt.Short{L: 1e30}
	still := run(f, omega, nil, none, 50)
	const want = "f has not moved in 50 steps, and w_0 is not best: is a constant of the method"
	if !strings.HasPrefix(still.Note, want) {
		t.Errorf("%q, want %q", still.Note, want)
	}
	if row := fwrate.Summary(still)[1]; !slices.Contains(row, "1 done, f has not moved") {
		t.Errorf("the summary has %q", row)
	}
	vertex := fwsum.NewQuadratic(5, nil, []float64{9, 0, 0, 0, 0}) // the best point of Ω is where Start is
	least := slices.Repeat([]float64{0.5}, 4)                      // at a kink
	for name, tr := range map[string]*fwopt.Trace{
		"moved":              run(f, omega, nil, fwopt.OpenLoop{}, 50),
		"best":               run(vertex, omega, nil, fwopt.OpenLoop{}, 50),
		"short":              run(f, omega, nil, none, 1),
		"kink":               run(kink(4), plainSet(4, 3), least, none, 50),
		"kink, backtracking": run(kink(4), plainSet(4, 3), least, &fwmore.Backtracking{}, 50),
	} {
		if tr.Note != "" {
			t.Errorf("%s: %q", name, tr.Note)
		}
	}
}

func corners(d int) *madeSet { // the simplex
	return &madeSet{d, func(dst, g []float64) {
		clear(dst)
		dst[floats.MinIdx(g)] = 1
	}}
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
			g := &madeSum{f.n, f.d,
				func(w []float64) float64 { return float64(float32(f.value(w) + offset)) }, f.grad}
			checked(t, "float32", g, plainSet(8, r), nil, false, "")
		}
	}
	f := scored(50, 8, 1, half, same)
	for _, factor := range []float64{-1, 0, 0.5, 2, 50} {
		g := &madeSum{f.n, f.d, func(w []float64) float64 { return factor * (1e6 + f.value(w)) }, f.grad}
		checked(t, "by a factor", g, ball, nil, false, "madeSum: ")
	}
	narrow := spoilt(f, 1, unchanged)
	narrow.value = func(w []float64) float64 { return 2 * float64(float32(f.value(w))) }
	checked(t, "float32 by a factor", narrow, ball, nil, false, "by a factor of 2")
}

// unequal has n terms a(i) w_0.
func unequal(n int, a func(i int) float64) *madeSum {
	mean := 0.
	for i := range n {
		mean += a(i) / float64(n)
	}
	return &madeSum{n, 2, func(w []float64) float64 { return mean * w[0] },
		func(dst, w []float64, b fwopt.Batch) {
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
			sum := spoilt(f, float64(n), exactSums(n))
			if n == 4000 || f == tenth {
				checked(t, "sum", sum, plainSet(2, 1), nil, false, "is not the mean of")
			}
		}
	}
	checked(t, "very many", &madeSum{1 << 60, 8, square,
		func(dst, w []float64, _ fwopt.Batch) { copy(dst, w) }}, plainSet(8, 1),
		[]float64{0.5, 0, 0, 0, 0, 0, 0, 0}, true, "")
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

	costs := &madeSum{1, 8, func(w []float64) float64 { return floats.Dot(w, w)/2 + floats.Sum(w) },
		func(dst, w []float64, _ fwopt.Batch) {
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
	longest := network(8, floats.MaxIdx)
	checked(t, "the longest path", costs, longest, nil, false, "wrong sign")
}

// Scratch memory in a short call shows; an f that ends in Ω, as a
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
	checked(t, "a ball", f, ball, nil, true, "Argmin gives another answer where two goroutines call it at once")
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
	slow := graded(f, func(dst, w []float64, b fwopt.Batch) {
		shared.Lock()
		calls++
		shared.Unlock()
		time.Sleep(11 * time.Millisecond)
		f.grad(dst, w, b)
	})
	if checked(t, "slow", slow, plainSet(8, 1), nil, true, ""); calls > 30 {
		t.Errorf("%d gradients", calls)
	}
}

// later is a sum whose gradients are not finite once it is on, plainly one without corrections of its own.
type (
	later struct {
		*fwsum.LeastSquares
		bad float64
		on  bool
	}
	plainly struct{ fwopt.FiniteSum }
)

func (f *later) Grad(dst, w []float64, b fwopt.Batch) {
	if f.LeastSquares.Grad(dst, w, b); f.on {
		dst[3] = f.bad
	}
}
func (f *later) AddGradDiff(dst, w, w0 []float64, b fwopt.Batch) {
	if f.LeastSquares.AddGradDiff(dst, w, w0, b); f.on {
		dst[3] = f.bad
	}
}
func (f *later) AddRows(dst, p []float64, index []int) {
	if f.LeastSquares.AddRows(dst, p, index); f.on {
		dst[3] = f.bad
	}
}

// Every method ends where a gradient is not finite, with the step and the place, and none panics.
func TestRunNotFinite(t *testing.T) {
	sum, omega := small.Problem()
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for name := range small.Methods() {
			f := &later{sum.(*fwsum.LeastSquares), bad, false}
			own := fwopt.FiniteSum(f)
			if strings.HasPrefix(name, "SVRF") || name == "UniSTORC" || math.IsNaN(bad) && name == "STORC" {
				own = plainly{f}
			}
			b := fwopt.Budget{Steps: 400,
				Watch: func(_ *fwopt.Trace, now fwopt.Point) { f.on = now.Step >= 7 }}
			var tr *fwopt.Trace
			if got := small.Panics(func() { tr = run(own, omega, small.Methods()[name], b) }); got != "" {
				t.Errorf("%s, %g: %s", name, bad, got)
			} else if tr.Status != fwopt.Diverged || tr.Last().Step > 60 ||
				!strings.Contains(tr.Note, fmt.Sprintf("of %T is ", own)) ||
				!strings.Contains(tr.Note, "at coordinate 3, after step ") {
				t.Errorf("%s, %g: %v after %d steps, %q", name, bad, tr.Status, tr.Last().Step, tr.Note)
			}
		}
	}
}
