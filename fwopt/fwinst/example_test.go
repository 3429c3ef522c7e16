package fwinst_test

import (
	"context"
	"fmt"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwinst"
)

// Frank-Wolfe with line search never has a point of more than K = k + 1 vertices,
// and here it makes the best of them: the gap is ¼(1/K − 1/d).
func ExampleSimplex() {
	p := fwinst.Simplex(4096, 16, 1)
	o := fwopt.NewOracle(p.F, p.Omega, 1)
	for s := range (&fwopt.FW{Rule: fwopt.LineSearch{}}).Steps(o, p.W0) {
		if s.K == 4 || s.K == 40 || s.K == 400 {
			least := (1/float64(s.K+1) - 1./4096) / 4
			fmt.Printf("k = %3d: gap %.5f, at least %.5f, bound %.5f\n", s.K, p.Excess(s.X), least,
				fwopt.Constants{L: p.LF, D: p.D}.BoundFW(s.K))
		}
		if s.K == 400 {
			break
		}
	}
	// Output:
	// k =   4: gap 0.04994, at least 0.04994, bound 0.33333
	// k =  40: gap 0.00604, at least 0.00604, bound 0.04762
	// k = 400: gap 0.00056, at least 0.00056, bound 0.00498
}

// Algorithm 1 where neither the linear optimisations nor the samples can be spared.
func ExampleProduct() {
	p := fwinst.Product(fwinst.Simplex(4096, 16, 1), fwinst.MSC(14, 0.5))
	fmt.Printf("%s: n = %d, d = %d, LD² = %.0f\n", p.Name, p.F.Len(), p.F.Dim(), p.L*p.D*p.D)
	o, m := fwopt.NewOracle(p.F, p.Omega, 1), fwopt.SVRFTheorem1()
	for s := range m.Steps(o, p.W0) {
		if s.K == m.N(s.T) {
			fmt.Printf("t = %d: gap below bound: %v\n", s.T, p.Excess(s.X) < p.BoundEpoch(s.T))
		}
		if s.T == 3 && s.K == m.N(3) {
			break
		}
	}
	// Output:
	// Product(Simplex(4096, 16, 1), MSC(14, 0.5)): n = 262144, d = 4110, LD² = 16
	// t = 1: gap below bound: true
	// t = 2: gap below bound: true
	// t = 3: gap below bound: true
}

// Counts and gaps at the ends of three epochs of SVRF; fwnb.Runs makes such runs on many draws.
func ExampleInstance_Run() {
	p, m := fwinst.Simplex(4096, 16, 1), fwopt.SVRFTheorem1()
	for _, q := range p.Run(context.Background(), m, 1, fwopt.EpochEnds(m.N, 3)) {
		fmt.Printf("t = %d: gap %.2f, bound %.4f\n", q.T, q.Excess, p.BoundEpoch(q.T))
	}
	// Output:
	// t = 1: gap 0.02, bound 0.5000
	// t = 2: gap 0.01, bound 0.2500
	// t = 3: gap 0.01, bound 0.1250
}
