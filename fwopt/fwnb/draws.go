package fwnb

import (
	"cmp"
	"context"
	"fmt"
	"reflect"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwinst"
	"github.com/projection-free/fwlab/fwopt/fwrate"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Plan is how often a method runs on a problem in closed form, and how far.
type Plan struct {
	Name  string // of the runs; "" stands for the method's
	Draws int    // of the problem; 0 stands for Pick(2, 5)
	Seeds int    // on each instance; 0 stands for 1
	Last  int    // epochs of a method that has epochs, else steps

	// At are the checkpoints; nil stands for the ends of the method's epochs, by its field N, or else
	// the steps 1, 2, 4, …, up to Last.
	At   func(s fwopt.Step) (record, last bool)
	Same bool // each instance has the seeds 1, 2, …, where else they go on
}

// Draws runs a method on random instances of a problem, 1, 2, …, and returns its counts and gaps at
// the ends of epochs, or at the steps 1, 2, 4, … of a method without. Its parameters are made of the
// constants of each instance, as by a constructor that is named after a theorem:
//
//	face := func(draw uint64) *fwinst.Instance { return fwinst.Face(4096, 32, 8, draw) }
//	r := fwnb.Draws(fwnb.Plan{Last: 9}, face, fwopt.STORCTheorem2b)
//	rate := r.Rate(fwrate.Stochastic, 1.5, r.Bound)
//	fwplot.Show(fwplot.Rate("FACE", r.Name, rate))
//
// A constructor without constants goes into a function:
// func(fwopt.Constants) *fwopt.SVRF { return fwopt.SVRFTheorem1() }.
//
// Both functions are called side by side, once a run.
//
// Bound is that of the method's registration with the constants of instance 1, nil if there is none.
// Stop leaves the instances that have all their runs, as in Runs.
func Draws[M fwopt.Method](p Plan, in func(draw uint64) *fwinst.Instance,
	of func(c fwopt.Constants) M) fwrate.Runs {
	need.Given("fwnb", "Draws: the problem", in == nil)
	need.Given("fwnb", "Draws: the method", of == nil)
	c := in(1).Constants
	name, draws, seeds := fmt.Sprint(of(c)), cmp.Or(p.Draws, Pick(2, 5)), max(p.Seeds, 1)
	r := Runs(cmp.Or(p.Name, name), draws, seeds, func(ctx context.Context, draw, seed uint64) []fwopt.Point {
		q := in(draw)
		m, at := of(q.Constants), p.At
		if at == nil {
			at = checkpoints(m, p.Last)
		}
		if p.Same {
			seed = 1 + (seed-1)%uint64(seeds)
		}
		return q.Run(ctx, m, seed, at)
	})
	for _, e := range fwopt.Methods() {
		if e.Name == name && e.Bound != nil {
			r.Bound = func(q fwopt.Point) float64 { return e.Bound(c, q.T, q.K) }
		}
	}
	return r
}

func checkpoints(m fwopt.Method, last int) func(s fwopt.Step) (record, last bool) {
	if v := reflect.Indirect(reflect.ValueOf(m)); v.Kind() == reflect.Struct {
		if N := v.FieldByName("N"); N.IsValid() {
			if N, ok := N.Interface().(func(t int) int); ok {
				return fwopt.EpochEnds(N, last)
			}
		}
	}
	return fwopt.Geometric(2, last)
}
