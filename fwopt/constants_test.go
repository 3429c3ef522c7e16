package fwopt_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// A constant that is left out, or that no problem has, is named where it is needed, by each
// constructor and each bound; and one that is not needed may be left out.
func TestConstants(t *testing.T) {
	type C = fwopt.Constants
	set := map[string]func(c *C, x float64){
		"L": func(c *C, x float64) { c.L = x }, "D": func(c *C, x float64) { c.D = x },
		"G": func(c *C, x float64) { c.G = x }, "GF": func(c *C, x float64) { c.GF = x },
		"Alpha": func(c *C, x float64) { c.Alpha = x }, "Sigma": func(c *C, x float64) { c.Sigma = x },
		"Rho": func(c *C, x float64) { c.Rho = x }, "Width": func(c *C, x float64) { c.Width = x },
	}
	for name, c := range map[string]struct {
		needs string
		call  func(c C)
	}{
		"SFWTheorem3":        {"L D G", func(c C) { fwopt.SFWTheorem3(c) }},
		"SCGSConvex":         {"L D Sigma", func(c C) { fwopt.SCGSConvex(c) }},
		"SCGSExperiments":    {"L D", func(c C) { fwopt.SCGSExperiments(c) }},
		"SCGSStronglyConvex": {"L D Alpha Sigma", func(c C) { fwopt.SCGSStronglyConvex(c) }},
		"STORCTheorem2a":     {"L D", func(c C) { fwopt.STORCTheorem2a(c) }},
		"STORCTheorem2b":     {"L D G", func(c C) { c.GF = 0; fwopt.STORCTheorem2b(c) }},
		"STORCTheorem2b, GF": {"L D", func(c C) { c.GF = 1; fwopt.STORCTheorem2b(c) }},
		"STORCTheorem2c":     {"L D Alpha", func(c C) { fwopt.STORCTheorem2c(c) }},
		"STORCExperiments":   {"L D", func(c C) { fwopt.STORCExperiments(c) }},
		"STORCBeyond":        {"L D", func(c C) { fwmore.STORCBeyond(c) }},
		"STORCBeyondStrong":  {"L D Alpha", func(c C) { fwmore.STORCBeyondStrong(c) }},
		"BoundFW":            {"L D", func(c C) { c.BoundFW(3) }},
		"BoundSFW":           {"L D", func(c C) { c.BoundSFW(3) }},
		"BoundEpoch":         {"L D", func(c C) { c.BoundEpoch(3) }},
		"BoundSCGS":          {"L D", func(c C) { c.BoundSCGS(3) }},
		"BoundOnlineFW":      {"L D G", func(c C) { c.BoundOnlineFW(4, 3) }},
		"BoundMomentumSFW":   {"L D Sigma", func(c C) { c.BoundMomentumSFW(2, 3) }},
		"BoundSTORMFW":       {"L D Sigma", func(c C) { c.BoundSTORMFW(2, 3) }},
		"BoundSarahFW":       {"L D", func(c C) { c.BoundSarahFW(2, 3) }},
		"BoundSPIDERFW":      {"L D", func(c C) { c.BoundSPIDERFW(2, 3) }},
		"BoundUniSTORC":      {"L D", func(c C) { c.BoundUniSTORC(9, 2, 3) }},
		"BoundAway":          {"L D Alpha Width", func(c C) { c.BoundAway(3) }},
	} {
		for field := range set {
			for _, x := range []float64{0, -1, math.NaN(), math.Inf(1)} {
				one := C{L: 1, D: 1, G: 1, Alpha: 1, Sigma: 1, Rho: 1, Width: 1}
				set[field](&one, x)
				got, needed := small.Panics(func() { c.call(one) }), strings.Contains(" "+c.needs+" ",
					" "+field+" ")
				if needed && !strings.HasPrefix(got, "fwopt: Constants."+field+" ") || !needed && got != "" {
					t.Errorf("%s with %s = %g: panic %q", name, field, x, got)
				}
			}
		}
	}
	// of what is registered: a constant that changes a method or its bound is one that it needs
	hash := func(m fwopt.Method) uint64 { id := ident.New(m, 5); return id.Hash() }
	for _, e := range fwopt.Methods() {
		one := C{L: 4, D: 3, G: 2, GF: 2, Alpha: 1, Sigma: 2, Rho: 2, Width: 1}
		for field := range set {
			two, none := one, one
			set[field](&two, 1.5)
			set[field](&none, 0)
			for what, f := range map[string]func(c C) float64{
				"the method": func(c C) float64 { return float64(hash(e.New(c)) >> 11) },
				"the bound":  func(c C) float64 { return e.Bound(c, 2, 3) },
			} {
				if what == "the bound" && e.Bound == nil || field == "GF" || f(one) == f(two) {
					continue
				}
				got := small.Panics(func() {
					f(none)
					sum, omega := small.Problem() // a Rule is asked at the first step
					fwopt.Run(context.Background(), fwopt.NewOracle(sum, omega, 1), e.New(none),
						fwopt.Budget{Steps: 1})
				})
				if !strings.HasPrefix(got, "fwopt: Constants."+field+" ") &&
					!strings.Contains(got, field+" = 0") {
					t.Errorf("%s: %s changes %s, and where it is 0: %q", e.Name, field, what, got)
				}
			}
		}
	}
	for want, c := range map[string]C{
		"Constants.Alpha = 2 is above L = 1": {L: 1, D: 1, G: 1, Alpha: 2, Rho: 1, Width: 1, Sigma: 1},
		"Constants.Rho = 0.5":                {L: 1, D: 1, G: 1, Alpha: 1, Rho: 0.5, Width: 1, Sigma: 1},
		"Constants.Width = 2 is above D = 1": {L: 1, D: 1, G: 1, Alpha: 1, Rho: 1, Width: 2, Sigma: 1},
	} {
		if got := small.Panics(func() {
			for _, e := range fwopt.Methods() {
				if e.Bound != nil {
					e.Bound(c, 1, 1)
				}
			}
		}); !strings.Contains(got, want) {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
}
