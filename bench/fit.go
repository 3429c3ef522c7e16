package main

import (
	"context"
	"math"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"gonum.org/v1/gonum/floats"
)

// fitItems are P11: logistic regression of two classes within an ℓ1 ball, until f is proven to be within 1e-4 of f(0) of
// its least value. scikit-learn has the ball's multiplier λ as a penalty, with the same solution, and each of its solvers
// the largest tol of a grid with which f + λ‖w‖₁ comes as near to its least value; it proves nothing.
func (b *bench) fitItems() (all []item) {
	n := 10000
	if b.quick {
		n = 1000
	}
	two := b.multi("two", n, 200, 2)
	two.h = 0 // one score
	for _, p := range []struct {
		name string
		data data
		tau  float64
	}{{"sparse", b.words(), 100}, {"dense", two, 5}} {
		d := p.data
		f, ball := fwsum.NewBinaryLogistic(d.x, d.y), fwset.L1Ball{D: d.m, R: p.tau}
		w0 := make([]float64, d.m)
		near := 1e-4 * f.Value(w0)
		run := func(m fwopt.Method, tolerance float64) *fwopt.Trace {
			o, b := fwopt.NewOracle(f, ball, 1).From(w0), fwopt.Budget{Tolerance: tolerance, Every: 1.2}
			if a, ok := m.(*fwmore.AdaptiveSTORC); ok { // it looks at its own bound
				a.Tolerance, b = tolerance, fwopt.Budget{Seconds: 600, Every: 2}
			}
			return fwopt.Run(context.Background(), o, m, b)
		}
		fista := func() fwopt.Method { return &fwmore.FISTA{L: 1e-3 * f.Smoothness()} }
		best, g := run(fista(), 1e-4*near), make([]float64, d.m)
		f.Grad(g, best.W, fwopt.Batch{})
		lambda := floats.Norm(g, math.Inf(1))
		penalised := func(w []float64) float64 { return f.Value(w) + lambda*floats.Norm(w, 1) }
		args := d.args(map[string]any{"C": 1 / (float64(d.n) * lambda), "penalty": lambda, "near": near,
			"least": best.Last().F + lambda*p.tau})
		for _, q := range []struct {
			name string
			m    func() fwopt.Method
		}{
			{"FISTA", fista},
			{"AdaptiveSTORC", func() fwopt.Method { return fwmore.NewAdaptiveSTORC() }},
		} {
			name := "P11 l1 logistic, " + p.name + ", " + q.name + ", theirs uncertified"
			all = append(all, item{name: name, peer: "l1 logistic", tol: 5e-4, args: args,
				start: func() side {
					var tr *fwopt.Trace
					value := func() []float64 { return []float64{penalised(tr.W)} }
					return side{func() { tr = run(q.m(), near) }, value}
				}})
		}
	}
	return all
}
