package fwopt_test

import (
	"context"
	"fmt"
	"gonum.org/v1/gonum/floats"
	"iter"
	"math"
	"os"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
)

// rows are four examples of two features, and two values to fit by least squares.
func rows() *fwsum.LeastSquares {
	x := &fwsum.Sparse{
		N: 4, M: 2,
		Ptr: []int{0, 1, 2, 4, 6},
		Col: []int32{0, 1, 0, 1, 0, 1},
		Val: []float64{1, 1, 1, 1, 1, -1},
	}
	return fwsum.NewLeastSquares(x, []float64{1, 0.5, 1, 0.5})
}

// Algorithm 1 with the parameters of Theorem 1, on four terms over the simplex.
func ExampleSVRF() {
	f, omega := rows(), fwset.Simplex{D: 2, R: 1}
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), fwopt.SVRFTheorem1(),
		fwopt.Budget{Steps: 14 + 30 + 62})
	p := tr.Last()
	fmt.Printf("w = %.1f after %d steps, %d linear optimisations\n", tr.W, p.Step, p.Calls.Linear)
	// Output:
	// w = [0.7 0.3] after 106 steps, 107 linear optimisations
}

// Algorithm 2, case (c) of Theorem 2: f is α-strongly convex.
func ExampleSTORC() {
	f, omega := rows(), fwset.Simplex{D: 2, R: 1}
	L, D, alpha := f.Smoothness(), omega.Diameter(), 0.75
	m := fwopt.STORCTheorem2c(fwopt.Constants{L: L, D: D, Alpha: alpha})
	fmt.Printf("N_t = %d, m_{t,k} = %d\n", m.N(1), m.M(1, 1))
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m,
		fwopt.Budget{Exact: 8, DualityGap: true})
	p := tr.Last()
	fmt.Printf("%v after epoch %d; gap below LD²/2^(t+1): %v\n", tr.Status, p.T-1,
		p.DualityGap < fwopt.Constants{L: L, D: D}.BoundEpoch(p.T-1))
	// Output:
	// N_t = 10, m_{t,k} = 149334
	// done after epoch 6; gap below LD²/2^(t+1): true
}

// Frank-Wolfe until the duality gap certifies the accuracy.
func ExampleRun() {
	f, omega := rows(), fwset.L2Ball{D: 2, R: 0.5}
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), &fwopt.FW{Rule: fwopt.LineSearch{}},
		fwopt.Budget{Tolerance: 1e-6, Steps: 1000})
	fmt.Printf("%v: f = %.4f at %.3f\n", tr.Status, tr.Last().F, tr.W)
	// Output:
	// converged: f = 0.0697 at [0.464 0.186]
}

// ball is a domain of one's own: the Euclidean unit ball.
type ball struct{ d int }

func (b ball) Dim() int { return b.d }
func (b ball) Argmin(dst, g []float64) {
	s := 0.0
	for _, x := range g {
		s += x * x
	}
	for j, x := range g {
		dst[j] = -x / max(math.Sqrt(s), 1e-300)
	}
}

func ExampleDomain() {
	o := fwopt.NewOracle(rows(), ball{2}, 1)
	tr := fwopt.Run(context.Background(), o, fwopt.SFWExperiments(), fwopt.Budget{Steps: 100})
	fmt.Printf("f = %.3f after %d linear optimisations\n", tr.Last().F, tr.Last().Calls.Linear)
	// Output:
	// f = 0.010 after 101 linear optimisations
}

// Identify lets Keep know the ball: one line for a part of one's own.
func (b ball) Identify(id *fwopt.Identity) { id.Of(b).Int(b.d) }

// A run of one's own parts, interrupted after 30 steps, goes on; then it is read
// back; then a schedule is edited.
func ExampleKeep() {
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	keep := func(m *momentum, stop int) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		made := 0
		b := fwopt.Budget{Steps: 100, Watch: func(_ *fwopt.Trace, now fwopt.Point) {
			if made++; now.Step == stop {
				cancel()
			}
		}}
		tr, err := fwkeep.Keep(ctx, dir, fwopt.NewOracle(rows(), ball{2}, 1), m, b)
		fmt.Printf("%v, f = %.4f, %d steps made, %v\n", tr.Status, tr.Last().F, made, err)
	}
	keep(newMomentum(), 30)
	keep(newMomentum(), 0)
	keep(newMomentum(), 0)
	edited := newMomentum()
	edited.Rho = func(int) float64 { return 1 }
	keep(edited, 0)
	// Output:
	// interrupted, f = 0.0125, 30 steps made, <nil>
	// done, f = 0.0117, 70 steps made, <nil>
	// done, f = 0.0117, 0 steps made, <nil>
	// done, f = 0.0329, 100 steps made, <nil>
}

// An SFW of one's own: any function that gives steps is a Method.
func ExampleMethodFunc() {
	sfw := fwopt.MethodFunc(func(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
		return func(yield func(fwopt.Step) bool) {
			w, g, v := slices.Clone(w0), make([]float64, len(w0)), fwopt.Vertex{}
			for k := 1; ; k++ {
				o.StochasticGrad(g, w, k*k)
				o.Argmin(&v, g)
				v.Lerp(w, 2/float64(k+1))
				if !yield(fwopt.Step{T: 1, K: k, X: w}) {
					return
				}
			}
		}
	})
	f, omega := rows(), fwset.Simplex{D: 2, R: 1}
	own := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), sfw, fwopt.Budget{Steps: 50})
	ours := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), fwopt.SFWExperiments(),
		fwopt.Budget{Steps: 50})
	fmt.Println(own.Last().Calls == ours.Last().Calls, own.Last().F == ours.Last().F)
	// Output:
	// true true
}

// momentum is a method of one's own: stochastic Frank-Wolfe with one sample a step and an average of the
// samples so far for a gradient (after Mokhtari, Hassani & Karbasi, JMLR 2020), that is
//
//	d_k = (1 − ρ_k) d_{k−1} + ρ_k ∇f_i(w_{k−1})
//	v_k = argmin_{v∈Ω} d_kᵀv
//	w_k = (1 − γ_k) w_{k−1} + γ_k v_k
type momentum struct {
	Gamma func(k int) float64 // γ_k
	Rho   func(k int) float64 // ρ_k

	K    int       // steps done
	W, D []float64 // w_k, d_k
}

func newMomentum() *momentum {
	return &momentum{
		Gamma: func(k int) float64 { return 2 / float64(k+1) },
		Rho:   func(k int) float64 { return math.Pow(float64(k), -2./3) },
	}
}

// Identify lets Keep know the run again.
func (a *momentum) Identify(id *fwopt.Identity) {
	id.Of(a)
	for _, k := range id.Steps(nil) {
		id.Float(a.Gamma(k), a.Rho(k))
	}
}

// Steps runs the method; a step counts one stochastic gradient and one linear optimisation.
func (a *momentum) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	if a.K == 0 {
		a.W, a.D = append(a.W, w0...), make([]float64, len(w0))
	}
	g, v := make([]float64, len(w0)), fwopt.Vertex{}
	return func(yield func(fwopt.Step) bool) {
		for {
			k := a.K + 1
			o.StochasticGrad(g, a.W, 1)
			fwopt.Lerp(a.D, a.Rho(k), g)
			o.Argmin(&v, a.D)
			v.Lerp(a.W, a.Gamma(k))
			a.K = k
			if !yield(fwopt.Step{T: 1, K: k, X: a.W}) {
				return
			}
		}
	}
}

// A method with its schedules and its state in exported fields; TestMomentum, by fwtest.TestMethod, holds it
// against the contract.
func ExampleMethod() {
	f := fwsum.NewQuadratic(2, nil, []float64{1, 0, 0, 2}) // the mean of ½‖w − c‖² over two points c
	o := fwopt.NewOracle(f, fwset.L2Ball{D: 2, R: 1}, 1)
	tr := fwopt.Run(context.Background(), o, newMomentum(), fwopt.Budget{Steps: 20_000})
	fmt.Printf("w = %.1f after %d stochastic gradients\n", tr.W, tr.Last().Calls.Stochastic)
	// Output:
	// w = [0.4 0.9] after 20000 stochastic gradients
}

// logCosh is f(w) = (1/n) Σ ln cosh(a_iᵀw − b_i), a regression that forgives outliers.
type logCosh struct {
	A [][]float64 // a_i
	B []float64   // b_i
}

func (f logCosh) Dim() int { return len(f.A[0]) }
func (f logCosh) Len() int { return len(f.A) }

// Value does not overflow: ln cosh r = |r| + ln(1 + e^(−2|r|)) − ln 2.
func (f logCosh) Value(w []float64) (sum float64) {
	for i, a := range f.A {
		r := math.Abs(floats.Dot(a, w) - f.B[i])
		sum += r + math.Log1p(math.Exp(-2*r)) - math.Ln2
	}
	return sum / float64(len(f.A))
}

// Grad is a weighted sum of the gradients tanh(a_iᵀw − b_i) a_i.
func (f logCosh) Grad(dst, w []float64, batch fwopt.Batch) {
	clear(dst)
	for i, weight := range batch.All(len(f.A)) {
		floats.AddScaled(dst, weight*math.Tanh(floats.Dot(f.A[i], w)-f.B[i]), f.A[i])
	}
}

// Identify lets fwkeep.Keep tell two of them apart.
func (f logCosh) Identify(id *fwopt.Identity) {
	id.Of(f).Float(f.B...)
	for _, a := range f.A {
		id.Float(a...)
	}
}

// A sum of one's own, with an outlier in its third row. fwtest.TestFiniteSum tests one.
func ExampleFiniteSum() {
	f := logCosh{[][]float64{{1, 0}, {0, 1}, {1, 1}, {1, -1}, {1, 1}}, []float64{1, 0, 50, 1, 1}}
	omega := fwset.L1Ball{D: 2, R: 2}
	o := fwopt.NewOracle(f, omega, 1)
	tr := fwopt.Run(context.Background(), o, fwopt.SVRFExperiments(), fwopt.Budget{Steps: 500})
	fmt.Printf("w = %.1f, f = %.2f, %d exact gradients\n", tr.W, tr.Last().F, tr.Last().Calls.Exact)
	// Output:
	// w = [1.4 0.4], f = 9.59, 11 exact gradients
}
