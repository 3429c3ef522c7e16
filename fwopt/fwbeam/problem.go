package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
)

// problem is what is run, but for the data: a method, its schedule, Ω and the seed.
type problem struct {
	Method   string
	Schedule string
	Scale    float64 // L of the formulas is Scale times f's
	Ball     string
	Radius   float64
	Seed     uint64
	Steps    int
}

func (p *problem) flags(f *flag.FlagSet) {
	f.StringVar(&p.Method, "method", "svrf", "fw, sfw, svrf or storc; fista or svrg, which project")
	f.StringVar(&p.Schedule, "schedule", "experiments",
		"experiments, of Section 5, or theorem, of Theorem 1, 2(a) or 3; of fista an L that rises and falls, "+
			"or that is fixed")
	f.Float64Var(&p.Scale, "scale", 1, "STORC, FISTA, SVRG, and theorems: L of the formulas is so many times f's; SVRG's rate is 1/L")
	f.StringVar(&p.Ball, "set", "trace", "Ω: l1, l2, trace, balls of a norm; simplex; box")
	f.Float64Var(&p.Radius, "radius", 50, "of the ball; the sum on the simplex; the largest weight in the box")
	f.Uint64Var(&p.Seed, "seed", 1, "of all random numbers")
	f.IntVar(&p.Steps, "steps", 500, "steps of the method")
}

// parts returns Ω for matrices of h x m, and a fresh method for an f with the smoothness L.
func (p *problem) parts(h, m int, L float64) (fwopt.Domain, fwopt.Method, error) {
	var omega interface {
		fwopt.Domain
		Diameter() float64
	}
	switch p.Ball {
	case "trace":
		omega = fwset.TraceNorm{H: h, M: m, Tau: p.Radius}
	case "l1":
		omega = fwset.L1Ball{D: h * m, R: p.Radius}
	case "l2":
		omega = fwset.L2Ball{D: h * m, R: p.Radius}
	case "simplex":
		omega = fwset.Simplex{D: h * m, R: p.Radius}
	case "box":
		each := func(x float64) []float64 { return slices.Repeat([]float64{x}, h*m) }
		omega = fwset.Box{Lo: each(-p.Radius), Hi: each(p.Radius)}
	default:
		return nil, nil, fmt.Errorf("--set %q, want l1, l2, trace, simplex or box", p.Ball)
	}
	if !(p.Radius > 0) || math.IsInf(p.Radius, 0) {
		return nil, nil, fmt.Errorf("--radius %g, want a positive number", p.Radius)
	}
	method, err := p.method(L, omega.Diameter())
	return omega, method, err
}

// method returns a fresh method for an f with the smoothness L, and a set of diameter D.
func (p *problem) method(L, D float64) (fwopt.Method, error) {
	if !(p.Scale > 0 && L > 0) || math.IsInf(p.Scale*L, 0) {
		return nil, fmt.Errorf("--scale %g of L = %g, want positive numbers", p.Scale, L)
	}
	if p.Steps < 1 {
		return nil, fmt.Errorf("--steps %d, want at least 1", p.Steps)
	}
	G := 2 * math.Sqrt(L) // √2 max ‖e_i‖, where L = max ‖e_i‖²/2
	L *= p.Scale
	switch p.Method + " " + p.Schedule {
	case "fw experiments", "fw theorem":
		return &fwopt.FW{}, nil
	case "sfw experiments":
		return fwopt.SFWExperiments(), nil
	case "sfw theorem":
		return fwopt.SFWTheorem3(fwopt.Constants{L: L, D: D, G: G}), nil
	case "fista experiments":
		return &fwmore.FISTA{L: L}, nil
	case "fista theorem":
		return &fwmore.FISTA{L: L, Fixed: true}, nil
	case "svrg experiments":
		return fwopt.SVRGExperiments(1 / L), nil
	case "svrf experiments":
		return fwopt.SVRFExperiments(), nil
	case "svrf theorem":
		return fwopt.SVRFTheorem1(), nil
	case "storc experiments":
		return fwopt.STORCExperiments(fwopt.Constants{L: L, D: D}), nil
	case "storc theorem":
		return fwopt.STORCTheorem2a(fwopt.Constants{L: L, D: D}), nil
	}
	if why, refused := unfit[p.Method]; refused {
		return nil, errors.New(why)
	}
	return nil, fmt.Errorf("no method %q with --schedule %q: fw, sfw, svrf, storc, fista, svrg; experiments, "+
		"theorem, which svrg has not", p.Method, p.Schedule)
}

// unfit are methods that passes cannot serve, and why.
var unfit = map[string]string{
	"fw-linesearch": "FW with a line search looks at all rows again in each step, a pass each; take fw",
	"adaptivestorc": "the batches of AdaptiveSTORC depend on the iterate, so that nobody can bring their rows in " +
		"the pass before; take storc",
	"sagfw": "SAG-FW remembers a number for each of the n rows from step to step, which no pass brings; take " +
		"svrf or storc",
}
