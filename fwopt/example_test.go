package fwopt_test

import (
	"context"
	"fmt"
	"iter"
	"math"
	"os"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
	"github.com/projection-free/fwlab/fwopt/fwmore"
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
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), fwopt.SVRFTheorem1(), fwopt.Budget{Steps: 14 + 30 + 62})
	p := tr.Last()
	fmt.Printf("t = %d, k = %d, w = %.2f\n", p.T, p.K, tr.W)
	fmt.Printf("%+v\n", p.Calls)
	// Output:
	// t = 3, k = 62, w = [0.74 0.26]
	// {Exact:4 Stochastic:504768 Linear:107 Projections:0}
}

// Algorithm 2, case (c) of Theorem 2: f is α-strongly convex.
func ExampleSTORC() {
	f, omega := rows(), fwset.Simplex{D: 2, R: 1}
	L, D, alpha := f.Smoothness(), omega.Diameter(), 0.75
	m := fwopt.STORCTheorem2c(fwopt.Constants{L: L, D: D, Alpha: alpha})
	fmt.Printf("N_t = %d, m_{t,k} = %d\n", m.N(1), m.M(1, 1))
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m, fwopt.Budget{Exact: 8, DualityGap: true})
	p := tr.Last()
	fmt.Printf("%v after epoch %d; gap below LD²/2^(t+1): %v\n", tr.Status, p.T-1, p.DualityGap < fwopt.Constants{L: L, D: D}.BoundEpoch(p.T-1))
	// Output:
	// N_t = 10, m_{t,k} = 149334
	// done after epoch 6; gap below LD²/2^(t+1): true
}

// SCGS in epochs, each of which halves the bound.
func ExampleSCGSStrong() {
	f, omega := rows(), fwset.Simplex{D: 2, R: 1}
	L, D, alpha, G := f.Smoothness(), omega.Diameter(), 0.75, 2.0
	m := fwopt.SCGSStronglyConvex(fwopt.Constants{L: L, D: D, Alpha: alpha, Sigma: G})
	fmt.Printf("N_t = %d; m_{1,1} = %d, m_{5,1} = %d\n", m.N(1), m.M(1, 1), m.M(5, 1))
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m, fwopt.Budget{Steps: 50, DualityGap: true})
	p := tr.Last()
	fmt.Printf("gap after epoch %d below LD²/2^(t+1): %v\n", p.T, p.DualityGap < fwopt.Constants{L: L, D: D}.BoundEpoch(p.T))
	// Output:
	// N_t = 10; m_{1,1} = 8, m_{5,1} = 120
	// gap after epoch 5 below LD²/2^(t+1): true
}

// Frank-Wolfe until the duality gap certifies the accuracy.
func ExampleRun() {
	f, omega := rows(), fwset.L2Ball{D: 2, R: 0.5}
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), &fwopt.FW{Rule: fwopt.LineSearch{}}, fwopt.Budget{Tolerance: 1e-6, Steps: 1000})
	fmt.Printf("%v: f = %.4f at %.3f\n", tr.Status, tr.Last().F, tr.W)
	// Output:
	// converged: f = 0.0697 at [0.464 0.186]
}

// Away steps: linear convergence where Frank-Wolfe zigzags towards a face, here
// that of the first three vertices, from the fourth.
func ExampleAwayFW() {
	f := fwsum.NewQuadratic(4, nil, []float64{0.5, 0.3, 0.2, -0.1}) // ½‖w − c‖²
	omega, w0 := fwset.Simplex{D: 4, R: 1}, []float64{0, 0, 0, 1}
	for _, m := range []fwopt.Method{&fwopt.FW{Rule: fwopt.LineSearch{}}, &fwmore.AwayFW{Rule: fwopt.LineSearch{}}} {
		tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1).From(w0), m, fwopt.Budget{Tolerance: 1e-9, Steps: 100, Every: 1.01})
		fmt.Printf("%-6v %v after %d steps at %.4f\n", m, tr.Status, tr.Last().Step, tr.W)
	}
	// Output:
	// FW     done after 100 steps at [0.4969 0.2919 0.1935 0.0176]
	// AwayFW converged after 13 steps at [0.5000 0.3000 0.2000 0.0000]
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

// mySFW is a method of one's own that can be kept and interrupted: a struct of its
// schedules, with its whole state in exported fields.
type mySFW struct {
	M func(k int) int // m_k

	K int       // steps done
	W []float64 // w_k
}

func (a *mySFW) Identify(id *fwopt.Identity) {
	id.Of(a)
	for _, k := range id.Steps(nil) { // the steps that a run makes
		id.Int(a.M(k))
	}
}

func (a *mySFW) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	if a.K == 0 {
		a.W = slices.Clone(w0)
	}
	g, v := make([]float64, len(w0)), fwopt.Vertex{}
	return func(yield func(fwopt.Step) bool) {
		for {
			k := a.K + 1
			o.StochasticGrad(g, a.W, a.M(k)) // ∇̃_k, average of m_k samples
			o.Argmin(&v, g)                  // v_k = argmin_{v∈Ω} ∇̃_kᵀv
			v.Lerp(a.W, 2/float64(k+1))      // w_k = (1−γ_k) w_{k−1} + γ_k v_k
			a.K = k
			if !yield(fwopt.Step{T: 1, K: k, X: a.W}) {
				return
			}
		}
	}
}

// A run of one's own parts, interrupted after 30 steps, goes on; then it is read
// back; then a schedule is edited.
func ExampleKeep() {
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	keep := func(ctx context.Context, m *mySFW, b fwopt.Budget) *fwopt.Trace {
		tr, err := fwkeep.Keep(ctx, dir, fwopt.NewOracle(rows(), ball{2}, 1), m, b)
		if err != nil {
			fmt.Println(err)
		}
		return tr
	}
	square := func(k int) int { return k * k }
	ctx, stop := context.WithCancel(context.Background())
	watch := func(_ *fwopt.Trace, now fwopt.Point) {
		if now.Step == 30 {
			stop()
		}
	}
	tr := keep(ctx, &mySFW{M: square}, fwopt.Budget{Steps: 100, Watch: watch})
	fmt.Println(tr.Status, tr.Last().Step)

	ctx = context.Background()
	tr = keep(ctx, &mySFW{M: square}, fwopt.Budget{Steps: 100})
	fmt.Println(tr.Status, tr.Last().Step, tr.Last().Calls.Stochastic)

	again := keep(ctx, &mySFW{M: square}, fwopt.Budget{Steps: 100})
	fmt.Println("read back:", again.Last().Seconds == tr.Last().Seconds)

	tr = keep(ctx, &mySFW{M: func(k int) int { return k }}, fwopt.Budget{Steps: 100})
	fmt.Println(tr.Status, tr.Last().Step, tr.Last().Calls.Stochastic)
	// Output:
	// interrupted 30
	// done 100 338350
	// read back: true
	// done 100 5050
}

// The test error along a run: Watch sees the iterate. At a step that was recorded the
// trace's last point is that step's.
func ExampleBudget_testError() {
	set, err := fwdata.Load("digits")
	if err != nil {
		fmt.Println(err)
		return
	}
	train, test := set.UnitRows().Split(0.75, 1)
	f := train.Logistic()
	var wrong []float64 // at the records after w_0
	b := fwopt.Budget{Linear: 200, Every: 2}
	b.Watch = func(tr *fwopt.Trace, now fwopt.Point) {
		if tr.Last().Step == now.Step {
			wrong = append(wrong, f.ErrorRate(tr.W, test.X, test.Y))
		}
	}
	o := fwopt.NewOracle(f, fwset.TraceNorm{H: 10, M: 64, Tau: 50}, 1)
	tr := fwopt.Run(context.Background(), o, fwopt.SVRFExperiments(), b)
	for i, p := range tr.Points[1:] {
		if p.Step >= 16 && i < len(wrong) {
			fmt.Printf("step %3d: f = %.3f, %2.0f %% wrong\n", p.Step, p.F, 100*wrong[i])
		}
	}
	fmt.Printf("at last:  f = %.3f, %2.0f %% wrong\n", tr.Last().F, 100*f.ErrorRate(tr.W, test.X, test.Y))
	// Output:
	// step  16: f = 2.109, 84 % wrong
	// step  32: f = 2.009, 84 % wrong
	// step  64: f = 1.485, 35 % wrong
	// step 128: f = 1.072, 18 % wrong
	// at last:  f = 0.919, 15 % wrong
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
	ours := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), fwopt.SFWExperiments(), fwopt.Budget{Steps: 50})
	fmt.Println(own.Last().Calls == ours.Last().Calls, own.Last().F == ours.Last().F)
	// Output:
	// true true
}
