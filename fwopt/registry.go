package fwopt

import (
	"slices"

	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Entry is what tests, tables and figures use of a method besides its code.
type Entry struct {
	Name string                   // as Trace.Method has it
	New  func(c Constants) Method // a fresh one, with the parameters of its theorem if it has one

	// Calls is what step k of epoch t spends by the parameters of m; −1: it depends on the data.
	Calls func(m Method, t, k int) Calls
	// Bound is on E f(X) − f(w*) after step k or, with epochs, at the end of epoch t; nil: none.
	Bound func(c Constants, t, k int) float64

	Passes bool      // it makes passes over all n terms, for exact gradients
	Colour uint32    // of its lines, 0xRRGGBB
	Width  float64   // of its lines, in points
	Dashes []float64 // of its lines, in points; none: solid
}

var registry []Entry

// Register adds methods. It panics if one has no New, or no name of its own.
func Register(entries ...Entry) {
	for _, e := range entries {
		taken := func(other Entry) bool { return other.Name == e.Name }
		if e.Name == "" || e.New == nil || slices.ContainsFunc(registry, taken) {
			panic(need.Linef("fwopt: Register of %q: a method needs New and a name that is not taken",
				e.Name))
		}
		registry = append(registry, e)
	}
}

// Methods returns what is registered by this package and those that a program imports.
func Methods() []Entry { return slices.Clone(registry) }

// The methods of this package. The colours are the palette of Okabe and Ito, which the colour-blind can tell
// apart, without its yellow, which is too pale on white; the dashes tell the methods apart in grey.
func init() {
	Register(
		Entry{
			Name: "FW", New: func(Constants) Method { return &FW{} },
			Calls:  func(m Method, _, _ int) Calls { return Calls{Exact: m.(*FW).passes(), Linear: 1} },
			Bound:  func(c Constants, _, k int) float64 { return c.BoundFW(k) },
			Passes: true, Colour: 0x000000, Width: 1.8, Dashes: []float64{8, 2, 1, 2},
		},
		Entry{
			Name: "SFW", New: func(c Constants) Method { return SFWTheorem3(c) },
			Calls:  func(m Method, _, k int) Calls { return Calls{Stochastic: m.(*SFW).M(k), Linear: 1} },
			Bound:  func(c Constants, _, k int) float64 { return c.BoundSFW(k) },
			Colour: 0xE69F00, Width: 1.8, Dashes: []float64{4, 2},
		},
		Entry{
			Name: "SCGS", New: func(c Constants) Method { return SCGSConvex(c) },
			Calls:  func(m Method, _, k int) Calls { return Calls{Stochastic: m.(*SCGS).M(k), Linear: -1} },
			Bound:  func(c Constants, _, k int) float64 { return c.BoundSCGS(k) },
			Colour: 0x009E73, Width: 1.8, Dashes: []float64{8, 2},
		},
		Entry{
			Name: "SCGS, strongly convex", New: func(c Constants) Method { return SCGSStronglyConvex(c) },
			Calls: func(m Method, t, k int) Calls {
				return Calls{Stochastic: m.(*SCGSStrong).M(t, k), Linear: -1}
			},
			Bound: func(c Constants, t, _ int) float64 { return c.BoundEpoch(t) },
		},
		Entry{
			Name: "SVRF", New: func(Constants) Method { return SVRFTheorem1() },
			Calls:  func(m Method, t, k int) Calls { return vr(m.(*SVRF).M(t, k), k, Calls{Linear: 1}) },
			Bound:  func(c Constants, t, _ int) float64 { return c.BoundEpoch(t) },
			Passes: true, Colour: 0xD55E00, Width: 1.5,
		},
		Entry{
			Name: "STORC", New: func(c Constants) Method { return STORCTheorem2b(c) },
			Calls:  func(m Method, t, k int) Calls { return vr(m.(*STORC).M(t, k), k, Calls{Linear: -1}) },
			Bound:  func(c Constants, t, _ int) float64 { return c.BoundEpoch(t) },
			Passes: true, Colour: 0x0072B2, Width: 2.4,
		},
		Entry{
			Name: "STORC, away steps",
			New:  func(c Constants) Method { return &STORCAway{*STORCTheorem2b(c)} },
			Calls: func(m Method, t, k int) Calls {
				return vr(m.(*STORCAway).M(t, k), k, Calls{Linear: -1})
			},
			Bound:  func(c Constants, t, _ int) float64 { return c.BoundEpoch(t) },
			Passes: true,
		},
		Entry{
			Name: "SGD", New: func(Constants) Method { return SGDExperiments(0.01) },
			Calls: func(m Method, _, k int) Calls {
				return Calls{Stochastic: m.(*SGD).M(k), Projections: 1}
			},
			Colour: 0x56B4E9, Width: 1.8, Dashes: []float64{1, 1},
		},
		Entry{
			Name: "SVRG", New: func(Constants) Method { return SVRGExperiments(0.01) },
			Calls:  func(m Method, _, k int) Calls { return vr(m.(*SVRG).M(k), k, Calls{Projections: 1}) },
			Passes: true, Colour: 0xCC79A7, Width: 1.8, Dashes: []float64{2, 2},
		},
	)
}

// passes returns the exact gradients of a step, −1 if only the rule knows.
func (a *FW) passes() int {
	switch a.rule().(type) {
	case OpenLoop, Short:
		return 1
	case LineSearch:
		return 2
	}
	return -1
}

// vr adds what step k of an epoch spends on variance-reduced gradients of m samples.
func vr(m, k int, c Calls) Calls {
	if c.Stochastic = 2 * m; k == 1 {
		c.Exact = 1 // the snapshot
	}
	return c
}
