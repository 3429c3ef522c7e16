package fwopt_test

import (
	"context"
	"fmt"
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

// Frank-Wolfe until the duality gap certifies the accuracy.
func ExampleRun() {
	f, omega := rows(), fwset.L2Ball{D: 2, R: 0.5}
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), &fwopt.FW{Rule: fwopt.LineSearch{}}, fwopt.Budget{Tolerance: 1e-6, Steps: 1000})
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
	ours := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), fwopt.SFWExperiments(), fwopt.Budget{Steps: 50})
	fmt.Println(own.Last().Calls == ours.Last().Calls, own.Last().F == ours.Last().F)
	// Output:
	// true true
}
