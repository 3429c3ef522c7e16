package fwsum_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/fwtest"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func ExampleLogistic() {
	// Four examples with two features each, of two classes.
	x := &fwsum.Sparse{N: 4, M: 2,
		Ptr: []int{0, 1, 3, 4, 6},
		Col: []int32{0, 0, 1, 1, 0, 1},
		Val: []float64{1, 0.8, 0.6, 1, 0.6, 0.8},
	}
	f := fwsum.NewLogistic(x, []int{0, 0, 1, 1}, 2)

	w, g := make([]float64, f.Dim()), make([]float64, f.Dim())
	f.Grad(g, w, fwopt.Batch{}) // the exact gradient at w = 0
	gamma := 20.0
	floats.AddScaled(w, -gamma, g)

	fmt.Printf("f(0) = %.4f, f(w) = %.4f\n", f.Value(make([]float64, f.Dim())), f.Value(w))
	fmt.Printf("w = %.3v\n", mat.Formatted(f.Matrix(w), mat.Prefix("    ")))
	fmt.Println("predicted", f.Predict(w, x), "errors", f.ErrorRate(w, x, []int{0, 0, 1, 0}))
	// Output:
	// f(0) = 0.6931, f(w) = 0.1329
	// w = ⎡ 3  -3⎤
	//     ⎣-3   3⎦
	// predicted [0 0 1 1] errors 0.25
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

// naiveLogistic is Section 2.1 to the letter: dense, class by class, with w the
// h × m matrix.
func naiveLogistic(x *fwsum.Sparse, y []int, h int, w mat.Matrix, b fwopt.Batch) (value float64, grad *mat.Dense) {
	e := mat.NewDense(x.N, x.M, nil)
	for i := range x.N {
		col, val := x.Row(i)
		for k, j := range col {
			e.Set(i, int(j), val[k])
		}
	}
	grad = mat.NewDense(h, x.M, nil)
	for i, weight := range b.All(x.N) {
		margin := func(l int) float64 { // w_ℓᵀe_i − w_{y_i}ᵀe_i
			s := 0.0
			for j := range x.M {
				s += (w.At(l, j) - w.At(y[i], j)) * e.At(i, j)
			}
			return s
		}
		z := 1.0
		for l := range h {
			if l != y[i] {
				z += math.Exp(margin(l))
			}
		}
		value += weight * math.Log(z)
		for l := range h {
			if l != y[i] {
				p := math.Exp(margin(l)) / z
				for j := range x.M {
					grad.Set(l, j, grad.At(l, j)+weight*p*e.At(i, j))
					grad.Set(y[i], j, grad.At(y[i], j)-weight*p*e.At(i, j))
				}
			}
		}
	}
	return value, grad
}

func TestLogisticAgainstNaive(t *testing.T) {
	for _, c := range []struct{ n, m, h, k int }{
		{1, 1, 2, 1}, {12, 5, 2, 3}, {30, 17, 5, 4}, {9, 40, 13, 6}, {50, 3, 20, 2},
	} {
		f, x, y := randomLogistic(uint64(c.n), c.n, c.m, c.h, c.k)
		rng := rand.New(rand.NewPCG(5, uint64(c.n)))
		for _, b := range []fwopt.Batch{{}, drawn(rng, c.n, 1), drawn(rng, c.n, 1+c.n/4), drawn(rng, c.n, c.n), drawn(rng, c.n, 3*c.n)} {
			w := normals(rng, f.Dim())
			value, grad := naiveLogistic(x, y, c.h, f.Matrix(w), b)
			if b.Index == nil {
				if got := f.Value(w); math.Abs(got-value) > 1e-12*value {
					t.Errorf("%+v: f = %.15g, want %.15g", c, got, value)
				}
			}
			g := make([]float64, f.Dim())
			f.Grad(g, w, b)
			size := mat.Norm(grad, 2)
			for l := range c.h {
				for j := range c.m {
					if d := math.Abs(f.Matrix(g).At(l, j) - grad.At(l, j)); d > 1e-12*size {
						t.Fatalf("%+v, batch of %d: gradient at class %d, feature %d is %.15g, want %.15g",
							c, len(b.Index), l, j, f.Matrix(g).At(l, j), grad.At(l, j))
					}
				}
			}
		}
	}
}

func TestLogisticConforms(t *testing.T) {
	for _, c := range []struct{ n, m, h, k int }{{1, 3, 2, 2}, {20, 7, 3, 2}, {60, 90, 6, 8}} {
		f, _, _ := randomLogistic(7, c.n, c.m, c.h, c.k)
		fwtest.TestFiniteSum(t, f)
	}
}

// Many classes: the scores of all rows do not fit into one block.
func TestLogisticInBlocks(t *testing.T) {
	const n, m, h, part = 300, 20, 8000, 100 // a block has 131 rows
	f, x, y := randomLogistic(3, n, m, h, 2)
	rng := rand.New(rand.NewPCG(1, 1))
	w, v := normals(rng, f.Dim()), normals(rng, f.Dim())

	// the mean of three sums that fit
	want, value := make([]float64, f.Dim()), 0.0
	for lo := 0; lo < n; lo += part {
		from, to := x.Ptr[lo], x.Ptr[lo+part]
		sub := &fwsum.Sparse{N: part, M: m, Ptr: make([]int, part+1), Col: x.Col[from:to], Val: x.Val[from:to]}
		for i := range sub.Ptr {
			sub.Ptr[i] = x.Ptr[lo+i] - from
		}
		p := fwsum.NewLogistic(sub, y[lo:lo+part], h)
		g := make([]float64, f.Dim())
		p.Grad(g, w, fwopt.Batch{})
		floats.AddScaled(want, 1.0/3, g)
		value += p.Value(w) / 3
	}
	got := make([]float64, f.Dim())
	f.Grad(got, w, fwopt.Batch{})
	if d := floats.Distance(got, want, 2); d > 1e-14*floats.Norm(want, 2) {
		t.Errorf("the gradient is off by %g", d)
	}
	if d := math.Abs(f.Value(w) - value); d > 1e-14*value {
		t.Errorf("the value is off by %g", d)
	}
	g, g0 := make([]float64, f.Dim()), make([]float64, f.Dim())
	for _, b := range []fwopt.Batch{{}, drawn(rng, n, n/2-1), drawn(rng, n, n/2)} {
		f.Grad(g, w, b)
		f.Grad(g0, v, b)
		floats.Sub(g, g0)
		clear(g0)
		f.AddGradDiff(g0, w, v, b)
		if d := floats.Distance(g, g0, 2); d > 1e-13*floats.Norm(g, 2) {
			t.Errorf("batch of %d: the difference of gradients is off by %g", len(b.Index), d)
		}
		if b.Index != nil { // the other way backward, by terms of weight 0
			f.Grad(g, w, b)
			f.Grad(g0, w, fwopt.Batch{Index: append(b.Index, make([]int, n)...), Weight: append(b.Weight, make([]float64, n)...)})
			if d := floats.Distance(g, g0, 2); d > 1e-13*floats.Norm(g, 2) {
				t.Errorf("batch of %d: the gradients by rows and by columns differ by %g", len(b.Index), d)
			}
		}
	}
	gamma := f.LineSearch(w, v)
	fwopt.Lerp(w, gamma, v)
	f.Grad(g, w, fwopt.Batch{})
	floats.Sub(v, w)
	if d := floats.Dot(g, v); !(gamma > 0 && gamma < 1) || math.Abs(d) > 1e-12*floats.Norm(g, 2)*floats.Norm(v, 2) {
		t.Errorf("line search: at γ = %g the slope is %g", gamma, d)
	}
}

// The same bits for any number of threads, on batches of every kind.
func TestLogisticThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, c := range []struct{ n, m, h, k int }{{4000, 1500, 7, 15}, {300, 20, 8000, 2}} {
		f, x, _ := randomLogistic(11, c.n, c.m, c.h, c.k)
		rng := rand.New(rand.NewPCG(2, 3))
		w, w0, g0 := normals(rng, f.Dim()), normals(rng, f.Dim()), normals(rng, f.Dim())
		batches := []fwopt.Batch{{}, drawn(rng, c.n, 5), drawn(rng, c.n, c.n/2-1), drawn(rng, c.n, 2*c.n)}
		all := func(procs int) (out [][]float64) {
			runtime.GOMAXPROCS(procs)
			out = append(out, []float64{f.Value(w)}, nil, make([]float64, f.Dim()))
			f.Curve(out[2], w, g0)
			for _, l := range f.Predict(w, x) {
				out[1] = append(out[1], float64(l))
			}
			if c.h < 100 { // else it takes seconds
				out = append(out, []float64{f.LineSearch(w, w0)})
			}
			for _, b := range batches {
				g, d := make([]float64, f.Dim()), slices.Clone(g0)
				f.Grad(g, w, b)
				f.AddGradDiff(d, w, w0, b)
				out = append(out, g, d)
			}
			return out
		}
		want := all(1)
		for _, procs := range []int{2, 8} {
			for k, got := range all(procs) {
				if !slices.Equal(got, want[k]) {
					t.Errorf("%+v: result %d with %d threads has other bits than with one", c, k, procs)
				}
			}
		}
	}
}

// At w = w0 a variance-reduced sample is ∇f(w0) to the last bit.
func TestGradDiffAtTheSnapshot(t *testing.T) {
	f, x, _ := randomLogistic(4, 300, 50, 6, 5)
	ls := fwsum.NewLeastSquares(x, normals(rand.New(rand.NewPCG(1, 1)), 300))
	q := fwsum.NewQuadratic(5, nil, normals(rand.New(rand.NewPCG(1, 1)), 50))
	for _, f := range []fwopt.FiniteSum{f, ls, q} {
		rng := rand.New(rand.NewPCG(9, 9))
		w, g0 := normals(rng, f.Dim()), normals(rng, f.Dim())
		for _, b := range []fwopt.Batch{{}, drawn(rng, f.Len(), 3), drawn(rng, f.Len(), 2*f.Len())} {
			g := slices.Clone(g0)
			f.(fwopt.Differ).AddGradDiff(g, w, slices.Clone(w), b)
			if !slices.Equal(g, g0) {
				t.Errorf("%T, batch of %d: the difference is not zero", f, len(b.Index))
			}
		}
	}
}

// A small batch leaves alone what it does not reach.
func TestSmallBatchTouchesItsRows(t *testing.T) {
	f, x, _ := randomLogistic(4, 300, 50, 6, 5)
	rng := rand.New(rand.NewPCG(9, 9))
	b := drawn(rng, 300, 2)
	reached := map[int32]bool{}
	for _, i := range b.Index {
		col, _ := x.Row(i)
		for _, j := range col {
			reached[j] = true
		}
	}
	// NaN where the batch does not look must not be seen, and must stay
	w, w0, dst := normals(rng, f.Dim()), normals(rng, f.Dim()), normals(rng, f.Dim())
	for k := range w {
		if !reached[int32(k/6)] {
			w[k], w0[k], dst[k] = math.NaN(), math.Inf(1), math.NaN()
		}
	}
	f.AddGradDiff(dst, w, w0, b)
	for k, x := range dst {
		if math.IsNaN(x) == reached[int32(k/6)] {
			t.Fatalf("feature %d: %g, reached: %t", k/6, x, reached[int32(k/6)])
		}
	}
}

func TestLogisticExtremes(t *testing.T) {
	f, _, _ := randomLogistic(1, 20, 6, 4, 3)
	rng := rand.New(rand.NewPCG(9, 9))
	w, g := normals(rng, f.Dim()), make([]float64, f.Dim())
	for _, scale := range []float64{0, 1e-300, 1e-10, 1e6, 1e100, 1e300} {
		x := slices.Clone(w)
		floats.Scale(scale, x)
		f.Grad(g, x, fwopt.Batch{})
		if v := f.Value(x); !(v >= 0) || math.IsInf(v, 0) || !(floats.Norm(g, 2) <= f.Lipschitz()) {
			t.Errorf("scale %g: f = %g, ‖∇f‖ = %g", scale, v, floats.Norm(g, 2))
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for j := range f.Dim() {
			x := slices.Clone(w)
			x[j] = bad
			if v := f.Value(x); !math.IsNaN(v) && !math.IsInf(v, 1) {
				t.Errorf("f = %g with %g among the weights", v, bad)
			}
			f.Grad(g, x, fwopt.Batch{})
			f.AddGradDiff(g, x, w, drawn(rng, 20, 3))
			if gamma := f.LineSearch(w, x); !math.IsNaN(gamma) {
				t.Errorf("line search towards %g gives %g", bad, gamma)
			}
		}
	}
}

// L and G are attained: by two classes at p = ½, and by a hopeless example.
func TestLogisticConstantsAreTight(t *testing.T) {
	x := &fwsum.Sparse{N: 1, M: 2, Ptr: []int{0, 2}, Col: []int32{0, 1}, Val: []float64{3, 4}}
	f := fwsum.NewLogistic(x, []int{0}, 2)
	if f.Smoothness() != 12.5 || math.Abs(f.Lipschitz()-5*math.Sqrt2) > 1e-15 {
		t.Errorf("L = %g and G = %g, want 12.5 and 5√2", f.Smoothness(), f.Lipschitz())
	}
	const eps = 1e-5
	u := []float64{3, -3, 4, -4} // e in class 0, −e in class 1; ‖u‖ = 5√2
	g, g0 := make([]float64, 4), make([]float64, 4)
	w := slices.Clone(u)
	floats.Scale(eps, w)
	f.Grad(g, w, fwopt.Batch{})
	f.Grad(g0, make([]float64, 4), fwopt.Batch{})
	if l := floats.Distance(g, g0, 2) / floats.Norm(w, 2); math.Abs(l-12.5) > 1e-5 {
		t.Errorf("the gradient turns by %g, L says 12.5", l)
	}
	floats.Scale(-1e9, w)
	f.Grad(g, w, fwopt.Batch{})
	if n := floats.Norm(g, 2); math.Abs(n-f.Lipschitz()) > 1e-12 {
		t.Errorf("‖∇f‖ = %g, G = %g", n, f.Lipschitz())
	}
}

// The eigenvalue behind L: λ_max(diag(p) − ppᵀ) ≤ ½.
func TestSoftmaxCurvature(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for range 200 {
		h := 2 + rng.IntN(6)
		a := mat.NewSymDense(h, nil)
		p := normals(rng, h)
		for l := range p {
			p[l] = math.Exp(4 * p[l])
		}
		floats.Scale(1/floats.Sum(p), p)
		for k := range p {
			for l := range k + 1 {
				a.SetSym(k, l, -p[k]*p[l])
			}
			a.SetSym(k, k, p[k]-p[k]*p[k])
		}
		var eig mat.EigenSym
		eig.Factorize(a, false)
		if top := floats.Max(eig.Values(nil)); top > 0.5+1e-15 {
			t.Errorf("p = %g: λ = %g", p, top)
		}
	}
}

func TestLogisticLineSearch(t *testing.T) {
	f, _, _ := randomLogistic(6, 80, 12, 5, 4)
	rng := rand.New(rand.NewPCG(9, 9))
	g := make([]float64, f.Dim())
	slope := func(w, v []float64, gamma float64) (d, size float64) {
		x, u := slices.Clone(w), slices.Clone(v)
		fwopt.Lerp(x, gamma, v)
		f.Grad(g, x, fwopt.Batch{})
		floats.Sub(u, w)
		return floats.Dot(g, u), floats.Norm(g, 2) * floats.Norm(u, 2)
	}
	var inside, ends int
	for trial := range 300 {
		w, v := normals(rng, f.Dim()), normals(rng, f.Dim())
		floats.Scale(math.Exp(float64(trial%13)-4), w)
		floats.Scale(math.Exp(float64(trial%17)-4), v)
		gamma := f.LineSearch(w, v)
		d, size := slope(w, v, gamma)
		switch {
		case gamma == 0 && d >= 0, gamma == 1 && d <= 0:
			ends++
		case gamma > 0 && gamma < 1:
			inside++
			// where curvature is large the nearest number to the root has a slope
			lo, _ := slope(w, v, gamma*(1-1e-9))
			hi, _ := slope(w, v, min(1, gamma*(1+1e-9)))
			if math.Abs(d) > 1e-11*size && !(lo < 0 && hi > 0) {
				t.Errorf("γ = %g: slope %g, of size %g", gamma, d, size)
			}
		default:
			t.Errorf("γ = %g with slope %g", gamma, d)
		}
	}
	if inside < 50 || ends < 50 {
		t.Errorf("%d minima inside and %d at the ends: too few to say something", inside, ends)
	}
	w := normals(rng, f.Dim())
	if gamma := f.LineSearch(w, w); gamma != 0 {
		t.Errorf("w = v: γ = %g, want 0", gamma)
	}
}

func TestPredict(t *testing.T) {
	f, x, y := randomLogistic(6, 200, 12, 5, 4)
	w := normals(rand.New(rand.NewPCG(9, 9)), f.Dim())
	wrong := 0
	for i, got := range f.Predict(w, x) {
		col, val := x.Row(i)
		want, top := 0, math.Inf(-1)
		for l := range 5 {
			s := 0.0
			for k, j := range col {
				s += val[k] * f.Matrix(w).At(l, int(j))
			}
			if s > top {
				want, top = l, s
			}
		}
		if got != want {
			t.Errorf("example %d: class %d, want %d", i, got, want)
		}
		if want != y[i] {
			wrong++
		}
	}
	if got := f.ErrorRate(w, x, y); got != float64(wrong)/200 {
		t.Errorf("error rate %g, want %d/200", got, wrong)
	}
	// examples that lack the last features, as a test set may
	few := &fwsum.Sparse{N: 2, M: 1, Ptr: []int{0, 1, 1}, Col: []int32{0}, Val: []float64{1}}
	w = make([]float64, f.Dim())
	w[3] = 1
	if got := f.Predict(w, few); !slices.Equal(got, []int{3, 0}) {
		t.Errorf("predicted %d, want [3 0]", got)
	}
}

// What a call allocates does not grow with n, d or the batch.
func TestObjectivesDoNotAllocate(t *testing.T) {
	f, x, _ := randomLogistic(4, 3000, 2000, 6, 10)
	ls, huber := fwsum.NewLeastSquares(x, make([]float64, 3000)), fwsum.NewHuber(x, make([]float64, 3000), 0.1)
	for _, f := range []interface {
		fwopt.FiniteSum
		fwopt.Differ
		fwopt.LineSearcher
		Curve(dst, w, d []float64)
	}{f, ls, huber, fwsum.NewEntryLoss(3500, make([]float64, 3000))} {
		rng := rand.New(rand.NewPCG(9, 9))
		w, v, g := normals(rng, f.Dim()), normals(rng, f.Dim()), make([]float64, f.Dim())
		batches := []fwopt.Batch{{}, drawn(rng, 3000, 100), drawn(rng, 3000, 1400), drawn(rng, 3000, 5000)}
		round := func() {
			for _, b := range batches {
				f.Grad(g, w, b)
				f.AddGradDiff(g, w, v, b)
			}
			f.Value(w)
			f.LineSearch(w, v)
			f.Curve(g, w, v)
		}
		round()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 10 {
			round()
		}
		runtime.ReadMemStats(&after)
		if bytes := (after.TotalAlloc - before.TotalAlloc) / 10; bytes > 16000 { // the goroutines; a vector of scores has 24,000
			t.Errorf("%T: %d bytes a round of 10 calls", f, bytes)
		}
	}
}

// A small batch allocates nothing at all: a step of SGD is one.
func TestSmallBatchDoesNotAllocate(t *testing.T) {
	f, _, _ := randomLogistic(4, 300, 50, 6, 5)
	rng := rand.New(rand.NewPCG(9, 9))
	w, v, g, b := normals(rng, f.Dim()), normals(rng, f.Dim()), make([]float64, f.Dim()), drawn(rng, 300, 9)
	if n := testing.AllocsPerRun(100, func() { f.Grad(g, w, b); f.AddGradDiff(g, w, v, b) }); n > 0 {
		t.Errorf("a batch of 9 allocates %g times", n)
	}
}

// Blocks of few rows of a wide matrix do not cost a pointer per column each.
func TestColumnsTakeLinearMemory(t *testing.T) {
	const n, m, h = 60, 500_000, 1 << 19
	x := &fwsum.Sparse{N: n, M: m, Ptr: make([]int, n+1), Col: make([]int32, n), Val: make([]float64, n)}
	for i := range n {
		x.Ptr[i+1], x.Col[i], x.Val[i] = i+1, int32(i), 1
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fwsum.NewLogistic(x, make([]int, n), h)
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 3*8*m {
		t.Errorf("%d bytes for %d columns and %d nonzeros", bytes, m, n)
	}
}

func TestLogisticPanics(t *testing.T) {
	x := func() *fwsum.Sparse {
		return &fwsum.Sparse{N: 2, M: 3, Ptr: []int{0, 2, 3}, Col: []int32{0, 2, 1}, Val: []float64{1, 2, 3}}
	}
	f := fwsum.NewLogistic(x(), []int{0, 1}, 2)
	six, five := make([]float64, 6), make([]float64, 5)
	bad := func(change func(x *fwsum.Sparse)) *fwsum.Sparse { x := x(); change(x); return x }
	for want, call := range map[string]func(){
		"fwsum: a classification with 1 classes":               func() { fwsum.NewLogistic(x(), []int{0, 0}, 1) },
		"fwsum: 3 labels for 2 examples":                       func() { fwsum.NewLogistic(x(), []int{0, 0, 0}, 2) },
		"fwsum: example 1 has label 2, want 0 to 1":            func() { fwsum.NewLogistic(x(), []int{0, 2}, 2) },
		"fwsum: example 0 has label -1, want 0 to 1":           func() { fwsum.NewLogistic(x(), []int{-1, 2}, 2) },
		"fwsum: row 0 of the data has the value NaN":           func() { fwsum.NewLogistic(bad(func(x *fwsum.Sparse) { x.Val[1] = math.NaN() }), []int{0, 1}, 2) },
		"fwsum: row 1 of the data has the value -Inf":          func() { fwsum.NewLogistic(bad(func(x *fwsum.Sparse) { x.Val[2] = math.Inf(-1) }), []int{0, 1}, 2) },
		"fwsum: w has length 5, want 6":                        func() { f.Value(five) },
		"fwsum: dst has length 5, want 6":                      func() { f.Grad(five, six, fwopt.Batch{}) },
		"fwsum: w0 has length 5, want 6":                       func() { f.AddGradDiff(six, six, five, fwopt.Batch{}) },
		"fwsum: v has length 5, want 6":                        func() { f.LineSearch(six, five) },
		"fwsum: d has length 5, want 6":                        func() { f.Curve(six, six, five) },
		"fwsum: a batch of 1 terms with 0 weights":             func() { f.Grad(six, six, fwopt.Batch{Index: []int{0}}) },
		"fwsum: a batch with term 2 of a sum of 2":             func() { f.Grad(six, six, fwopt.Batch{Index: []int{2}, Weight: []float64{1}}) },
		"fwsum: a batch with term -1 of a sum of 2":            func() { f.AddGradDiff(six, six, six, fwopt.Batch{Index: []int{-1}, Weight: []float64{1}}) },
		"fwsum: examples with 4 features for a predictor of 3": func() { f.Predict(six, bad(func(x *fwsum.Sparse) { x.M = 4 })) },
		"fwsum: 1 labels for 2 examples":                       func() { f.ErrorRate(six, x(), []int{0}) },
		"fwsum: row 0 of a sparse matrix: column 0 after column 2, of 3 columns": func() {
			fwsum.NewLogistic(bad(func(x *fwsum.Sparse) { x.Col[0], x.Col[1] = 2, 0 }), []int{0, 1}, 2)
		},
	} {
		if got := small.Panics(call); got != want {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
}

// newsShaped is a generated sum of the shape of news20: unit rows, 15,935 ×
// 62,061, about 1.27 million nonzeros, few columns that come often and many that
// come once.
func newsShaped() (f *fwsum.Logistic, w []float64) {
	const n, m, h = 15935, 62061, 20
	rng := rand.New(rand.NewPCG(1, 2))
	x := &fwsum.Sparse{N: n, M: m, Ptr: []int{0}}
	y := make([]int, n)
	for i := range n {
		var cols []int32
		for range int(57 * math.Exp(0.9*rng.NormFloat64())) {
			cols = append(cols, int32(m*math.Pow(rng.Float64(), 5)))
		}
		slices.Sort(cols)
		cols = slices.Compact(cols)
		for range cols {
			x.Val = append(x.Val, 1/math.Sqrt(float64(len(cols))))
		}
		x.Col = append(x.Col, cols...)
		x.Ptr = append(x.Ptr, len(x.Val))
		y[i] = rng.IntN(h)
	}
	f = fwsum.NewLogistic(x, y, h)
	return f, normals(rng, f.Dim())
}

func BenchmarkLogistic(b *testing.B) {
	f, w := newsShaped()
	g, w0 := make([]float64, f.Dim()), make([]float64, f.Dim())
	b.Run("Grad", func(b *testing.B) {
		for b.Loop() {
			f.Grad(g, w, fwopt.Batch{})
		}
	})
	b.Run("Value", func(b *testing.B) {
		for b.Loop() {
			f.Value(w)
		}
	})
	b.Run("LineSearch", func(b *testing.B) {
		for b.Loop() {
			f.LineSearch(w, w0)
		}
	})
	for _, m := range []int{1, 100, 1000, 7000, 8000, 40000} {
		batch := drawn(rand.New(rand.NewPCG(1, 2)), f.Len(), m)
		b.Run(fmt.Sprintf("Grad-of-%d", m), func(b *testing.B) {
			for b.Loop() {
				f.Grad(g, w, batch)
			}
		})
		b.Run(fmt.Sprintf("AddGradDiff-of-%d", m), func(b *testing.B) {
			for b.Loop() {
				f.AddGradDiff(g, w, w0, batch)
			}
		})
	}
	b.Run("dense-pass", func(b *testing.B) { // to compare with: one vector scaled
		for b.Loop() {
			floats.Scale(1.0000001, w)
		}
	})
}
