package fwroad

import "github.com/projection-free/fwlab/fwopt"

func init() {
	fwopt.Register(
		fwopt.Entry{
			Name: "ConjugateFW", New: func(fwopt.Constants) fwopt.Method { return &ConjugateFW{} },
			Calls: func(_ fwopt.Method, _, k int) fwopt.Calls {
				return fwopt.Calls{Exact: 2 + min(k-1, 1), Linear: 1}
			},
			Passes: true, Colour: 0x8778F0, Width: 1.8, Dashes: []float64{2, 2, 6, 2},
		},
		fwopt.Entry{
			Name: "BiconjugateFW", New: func(fwopt.Constants) fwopt.Method { return &BiconjugateFW{} },
			Calls: func(fwopt.Method, int, int) fwopt.Calls {
				return fwopt.Calls{Exact: -1, Linear: 1}
			},
			Passes: true, Colour: 0x9600F0, Width: 1.8, Dashes: []float64{10, 2},
		},
		fwopt.Entry{
			Name: "PathGP", New: func(fwopt.Constants) fwopt.Method { return &PathGP{} },
			Calls: func(fwopt.Method, int, int) fwopt.Calls {
				return fwopt.Calls{Exact: -1, Linear: 1}
			},
			Passes: true, Colour: 0x00544E, Width: 2.2, Dashes: []float64{12, 2, 2, 2},
		},
	)
}
