package fwmore

import "github.com/projection-free/fwlab/fwopt"

// The methods of this package. Those of the paper's experiments have used up the palette; these
// are darker, or violet, magenta, crimson, sage and moss.
func init() {
	type calls = func(m fwopt.Method, t, k int) fwopt.Calls
	vertices := func(rule func(m fwopt.Method) fwopt.StepRule) calls {
		return func(m fwopt.Method, _, _ int) fwopt.Calls {
			return fwopt.Calls{Exact: passes(rule(m)), Linear: 1}
		}
	}
	fixed := func(c fwopt.Calls) calls { return func(fwopt.Method, int, int) fwopt.Calls { return c } }
	fwopt.Register(
		fwopt.Entry{
			Name:   "AwayFW",
			New:    func(c fwopt.Constants) fwopt.Method { return &AwayFW{Rule: fwopt.Short{L: c.L}} },
			Calls:  vertices(func(m fwopt.Method) fwopt.StepRule { return m.(*AwayFW).Rule }),
			Bound:  func(c fwopt.Constants, _, k int) float64 { return c.BoundAway(k) },
			Passes: true, Colour: 0x661100, Width: 1.8, Dashes: []float64{4, 2, 1, 2},
		},
		fwopt.Entry{
			Name:   "PairwiseFW",
			New:    func(c fwopt.Constants) fwopt.Method { return &PairwiseFW{Rule: fwopt.Short{L: c.L}} },
			Calls:  vertices(func(m fwopt.Method) fwopt.StepRule { return m.(*PairwiseFW).Rule }),
			Passes: true, Colour: 0xE1003C, Width: 1.8, Dashes: []float64{6, 3},
		},
		fwopt.Entry{
			Name: "BlendedPairwise",
			New: func(c fwopt.Constants) fwopt.Method {
				return &BlendedPairwise{Rule: fwopt.Short{L: c.L}}
			},
			Calls:  vertices(func(m fwopt.Method) fwopt.StepRule { return m.(*BlendedPairwise).Rule }),
			Bound:  func(c fwopt.Constants, _, k int) float64 { return c.BoundAway(k) },
			Passes: true, Colour: 0xAEA848, Width: 2.6, Dashes: []float64{5, 1.5},
		},
		fwopt.Entry{
			Name:   "Garber-Hazan",
			New:    func(c fwopt.Constants) fwopt.Method { return GarberHazanStronglyConvex(c) },
			Calls:  fixed(fwopt.Calls{Exact: 1, Linear: 1}),
			Bound:  func(c fwopt.Constants, _, k int) float64 { return c.BoundGarberHazan(k) },
			Passes: true, Colour: 0x882E72, Width: 1.8, Dashes: []float64{6, 2, 3, 2, 3, 2},
		},
		fwopt.Entry{
			Name: "Online-FW", New: func(fwopt.Constants) fwopt.Method { return OnlineFWSmooth() },
			Calls: func(_ fwopt.Method, _, k int) fwopt.Calls {
				return fwopt.Calls{Stochastic: k, Linear: 1}
			},
			Colour: 0x332288, Width: 1.8, Dashes: []float64{10, 2, 3, 2},
		},
		fwopt.Entry{
			Name:  "Online-FW, linearised",
			New:   func(c fwopt.Constants) fwopt.Method { return OnlineFWLipschitz(c) },
			Calls: fixed(fwopt.Calls{Stochastic: 1, Linear: 1}),
			Bound: func(c fwopt.Constants, _, k int) float64 { return c.BoundOnlineFWLinear(k) },
		},
		fwopt.Entry{
			Name: "Momentum SFW", New: func(fwopt.Constants) fwopt.Method { return MomentumSFWConvex(10) },
			Calls: func(m fwopt.Method, _, k int) fwopt.Calls {
				return fwopt.Calls{Stochastic: m.(*MomentumSFW).M(k), Linear: 1}
			},
			Bound:  func(c fwopt.Constants, _, k int) float64 { return c.BoundMomentumSFW(10, k) },
			Colour: 0x713AC1, Width: 1.8, Dashes: []float64{5, 2, 2, 2},
		},
		fwopt.Entry{
			Name: "Scion", New: func(fwopt.Constants) fwopt.Method { return NewScion(10) },
			Calls:  fixed(fwopt.Calls{Stochastic: 10, Linear: 1}),
			Colour: 0x4E7842, Width: 2.4, Dashes: []float64{16, 2},
		},
		fwopt.Entry{
			Name: "Muon", New: func(fwopt.Constants) fwopt.Method { return NewMuon(10) },
			Calls: fixed(fwopt.Calls{Stochastic: 10, Linear: 1}),
		},
		fwopt.Entry{
			Name: "STORM-FW", New: func(fwopt.Constants) fwopt.Method { return STORMFWConvex(10) },
			Calls: func(m fwopt.Method, _, k int) fwopt.Calls {
				return fwopt.Calls{Stochastic: 2 * m.(*STORMFW).M(k), Linear: 1}
			},
			Bound:  func(c fwopt.Constants, _, k int) float64 { return c.BoundSTORMFW(10, k) },
			Colour: 0xBD16A7, Width: 1.8, Dashes: []float64{14, 2, 2, 2},
		},
		fwopt.Entry{
			Name: "SAG-FW", New: func(fwopt.Constants) fwopt.Method { return &SAGFW{B: 10} },
			Calls: func(m fwopt.Method, _, k int) fwopt.Calls {
				c := fwopt.Calls{Stochastic: m.(*SAGFW).B, Linear: 1}
				if k == 1 {
					c.Exact = 1 // the slopes of all rows
				}
				return c
			},
			Passes: true, Colour: 0x522C34, Width: 1.8, Dashes: []float64{3, 1, 1, 1},
		},
		fwopt.Entry{
			Name: "Sarah-FW", New: func(fwopt.Constants) fwopt.Method { return &SarahFW{} },
			Calls:  fixed(fwopt.Calls{Exact: -1, Stochastic: -1, Linear: 1}),
			Passes: true, Colour: 0x7CAB64, Width: 1.8, Dashes: []float64{9, 3, 3, 3},
		},
		fwopt.Entry{
			Name: "SPIDER-FW", New: func(fwopt.Constants) fwopt.Method { return SPIDERFWConvex() },
			Calls: func(m fwopt.Method, t, k int) fwopt.Calls {
				if k == 1 {
					return fwopt.Calls{Exact: 1, Linear: 1}
				}
				return fwopt.Calls{Stochastic: 2 * m.(*SPIDERFW).M(t), Linear: 1}
			},
			Bound:  func(c fwopt.Constants, t, k int) float64 { return c.BoundSPIDERFW(t, k) },
			Passes: true, Colour: 0x4D5B00, Width: 1.8, Dashes: []float64{12, 2, 1, 2, 1, 2},
		},
		fwopt.Entry{
			Name: "UniSTORC", New: func(c fwopt.Constants) fwopt.Method {
				a := NewUniSTORC(c.D)
				a.B = 10
				return a
			},
			Calls: func(m fwopt.Method, _, k int) fwopt.Calls {
				b := m.(*UniSTORC).B
				if k == 1 {
					return fwopt.Calls{Exact: 1, Stochastic: 4 * b, Linear: -1}
				}
				return fwopt.Calls{Stochastic: 2 * b, Linear: -1}
			},
			Passes: true,
		},
		fwopt.Entry{
			Name: "CGS, certified", New: func(fwopt.Constants) fwopt.Method { return NewCertifiedCGS() },
			Calls:  fixed(fwopt.Calls{Exact: -1, Linear: -1}),
			Passes: true,
		},
		fwopt.Entry{
			Name: "FISTA", New: func(fwopt.Constants) fwopt.Method { return &FISTA{L: 1} },
			Calls:  fixed(fwopt.Calls{Exact: -1, Projections: -1}),
			Passes: true, Colour: 0x777777, Width: 1.8, Dashes: []float64{12, 3},
		},
		fwopt.Entry{
			Name: "STORC, adaptive", New: func(fwopt.Constants) fwopt.Method { return NewAdaptiveSTORC() },
			Calls:  fixed(fwopt.Calls{Exact: -1, Stochastic: -1, Linear: -1}),
			Passes: true, Colour: 0x003355, Width: 3.6,
		},
	)
}

// passes returns the exact gradients of a step, −1 if only the rule knows.
func passes(rule fwopt.StepRule) int {
	switch rule.(type) {
	case fwopt.OpenLoop, fwopt.Short:
		return 1
	case fwopt.LineSearch:
		return 2
	}
	return -1
}
