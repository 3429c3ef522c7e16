package fwopt_test

import (
	"math"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwtest"
	"github.com/projection-free/fwlab/fwopt/fwtest/small"
)

// varies stands for a number of calls that depends on the data, as in an inner loop.
const varies = -1

// spends says what step k of epoch t of each of small.Methods() spends, as the comments of
// Steps have it, with the constants L = 20, D = √2, G = σ = 30 and α = 2 of small.Methods().
var spends = map[string]func(t, k int) fwopt.Calls{
	"FW":   func(_, _ int) fwopt.Calls { return fwopt.Calls{Exact: 1, Linear: 1} },
	"FWls": func(_, _ int) fwopt.Calls { return fwopt.Calls{Exact: 2, Linear: 1} },
	"SFW":  func(_, k int) fwopt.Calls { return fwopt.Calls{Stochastic: k * k, Linear: 1} },
	"SCGS": func(_, k int) fwopt.Calls {
		return fwopt.Calls{Stochastic: over(9*(k+2)*(k+2)*(k+2), 8), Linear: varies}
	},
	"SVRF":  snapshot(func(_, k int) fwopt.Calls { return fwopt.Calls{Stochastic: 2 * 96 * (k + 1), Linear: 1} }),
	"SVRFx": snapshot(func(t, k int) fwopt.Calls { return fwopt.Calls{Stochastic: 2 * (50*(t-1) + k), Linear: 1} }),
	"STORC": snapshot(func(t, k int) fwopt.Calls {
		N := float64(doubling(t)) // 24G/(LD) = 18√2
		return fwopt.Calls{Stochastic: 2 * int(math.Ceil(700*N+18*math.Sqrt2*N*float64(k+1))), Linear: varies}
	}),
	"SGD":   func(_, _ int) fwopt.Calls { return fwopt.Calls{Stochastic: 100, Projections: 1} },
	"SVRG":  snapshot(func(_, _ int) fwopt.Calls { return fwopt.Calls{Stochastic: 200, Projections: 1} }),
	"FISTA": func(_, _ int) fwopt.Calls { return fwopt.Calls{Exact: varies, Projections: varies} },

	"SCGSx":  func(_, k int) fwopt.Calls { return fwopt.Calls{Stochastic: k * k * k, Linear: varies} },
	"STORCx": snapshot(func(_, _ int) fwopt.Calls { return fwopt.Calls{Stochastic: 200, Linear: varies} }),

	"SCGSs": func(t, k int) fwopt.Calls { // N = 18 and D_t² = 40/2^t in ⌈σ²N(k+1)²/(L²D_t²)⌉
		return fwopt.Calls{Stochastic: over(81*(k+1)*(k+1)<<t, 80), Linear: varies}
	},
	"OFW":  func(_, k int) fwopt.Calls { return fwopt.Calls{Stochastic: k, Linear: 1} },
	"OFWl": func(_, _ int) fwopt.Calls { return fwopt.Calls{Stochastic: 1, Linear: 1} },
	"GH":   func(_, _ int) fwopt.Calls { return fwopt.Calls{Exact: 1, Linear: 1} },

	"AwayFW":   func(_, _ int) fwopt.Calls { return fwopt.Calls{Exact: 1, Linear: 1} },
	"AwayFWls": func(_, _ int) fwopt.Calls { return fwopt.Calls{Exact: 2, Linear: 1} },
	"PairFW":   func(_, _ int) fwopt.Calls { return fwopt.Calls{Exact: 1, Linear: 1} },
	"PairFWls": func(_, _ int) fwopt.Calls { return fwopt.Calls{Exact: 2, Linear: 1} },
	"BPCG":     func(_, _ int) fwopt.Calls { return fwopt.Calls{Exact: 1, Linear: 1} },
	"BPCGls":   func(_, _ int) fwopt.Calls { return fwopt.Calls{Exact: 2, Linear: 1} },
	"CFW":      func(_, k int) fwopt.Calls { return fwopt.Calls{Exact: 2 + min(k-1, 1), Linear: 1} },
	"BFW":      func(_, _ int) fwopt.Calls { return fwopt.Calls{Exact: varies, Linear: 1} },
	"FWback":   func(_, _ int) fwopt.Calls { return fwopt.Calls{Exact: varies, Linear: 1} },
	"AwayFWbt": func(_, _ int) fwopt.Calls { return fwopt.Calls{Exact: varies, Linear: 1} },
	"PairFWbt": func(_, _ int) fwopt.Calls { return fwopt.Calls{Exact: varies, Linear: 1} },
	"BPCGbt":   func(_, _ int) fwopt.Calls { return fwopt.Calls{Exact: varies, Linear: 1} },
	"SCGSmem":  func(_, k int) fwopt.Calls { return fwopt.Calls{Stochastic: k * k * k, Linear: varies} },
	"STORCmem": snapshot(func(_, _ int) fwopt.Calls { return fwopt.Calls{Stochastic: 200, Linear: varies} }),
	"STORCad": func(_, _ int) fwopt.Calls {
		return fwopt.Calls{Exact: varies, Stochastic: varies, Linear: varies}
	},
	"STORCaway": snapshot(func(t, _ int) fwopt.Calls { return fwopt.Calls{Stochastic: 2 * 800 * doubling(t), Linear: varies} }),
}

// snapshot adds the exact gradient of an epoch to what its first step spends.
func snapshot(calls func(t, k int) fwopt.Calls) func(t, k int) fwopt.Calls {
	return func(t, k int) fwopt.Calls {
		c := calls(t, k)
		if k == 1 {
			c.Exact++
		}
		return c
	}
}

// doubling is N_t = ⌈2^{t/2+2}⌉, t ≤ 6.
func doubling(t int) int { return []int{6, 8, 12, 16, 23, 32}[t-1] }

// over is ⌈a/b⌉.
func over(a, b int) int { return (a + b - 1) / b }

// Every built-in method keeps the contract that fwtest.TestMethod holds one's own
// methods against.
func TestMethods(t *testing.T) {
	for name := range small.Methods() {
		if spends[name] == nil {
			t.Errorf("nothing is said of what %s spends", name)
		}
	}
	if testing.Short() {
		t.Skip("TestMomentum is enough")
	}
	test := func(name string, fresh func() fwopt.Method, calls func(t, k int) fwopt.Calls) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, omega := small.Problem()
			fwtest.TestMethod(t, fresh, f, omega, calls)
		})
	}
	for name := range small.Methods() {
		test(name, func() fwopt.Method { return small.Methods()[name] }, spends[name])
	}
	// a step that is safe, and an L that need not be doubled
	test("FWsafe", func() fwopt.Method { return &fwopt.FW{Rule: fwopt.Short{L: 20}} }, spends["FW"])
	test("FISTAsafe", func() fwopt.Method { return &fwmore.FISTA{L: 1000} }, func(_, _ int) fwopt.Calls {
		return fwopt.Calls{Exact: 3, Projections: 1}
	})
}

// So does a method of one's own.
func TestMomentum(t *testing.T) {
	fwtest.TestMethod(t, func() fwopt.Method { return newMomentum() }, nil, nil,
		func(_, _ int) fwopt.Calls { return fwopt.Calls{Stochastic: 1, Linear: 1} })
}
