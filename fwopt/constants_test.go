package fwopt_test

import (
	"math"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
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
		"SFWTheorem3":         {"L D G", func(c C) { fwopt.SFWTheorem3(c) }},
		"SCGSConvex":          {"L D Sigma", func(c C) { fwopt.SCGSConvex(c) }},
		"SCGSExperiments":     {"L D", func(c C) { fwopt.SCGSExperiments(c) }},
		"SCGSStronglyConvex":  {"L D Alpha Sigma", func(c C) { fwopt.SCGSStronglyConvex(c) }},
		"STORCTheorem2a":      {"L D", func(c C) { fwopt.STORCTheorem2a(c) }},
		"STORCTheorem2b":      {"L D G", func(c C) { c.GF = 0; fwopt.STORCTheorem2b(c) }},
		"STORCTheorem2b, GF":  {"L D", func(c C) { c.GF = 1; fwopt.STORCTheorem2b(c) }},
		"STORCTheorem2c":      {"L D Alpha", func(c C) { fwopt.STORCTheorem2c(c) }},
		"STORCExperiments":    {"L D", func(c C) { fwopt.STORCExperiments(c) }},
		"STORCBeyond":         {"L D", func(c C) { fwmore.STORCBeyond(c) }},
		"STORCBeyondStrong":   {"L D Alpha", func(c C) { fwmore.STORCBeyondStrong(c) }},
		"GarberHazan":         {"L D Alpha Rho", func(c C) { fwmore.GarberHazanStronglyConvex(c) }},
		"OnlineFWLipschitz":   {"D G", func(c C) { fwmore.OnlineFWLipschitz(c) }},
		"BoundFW":             {"L D", func(c C) { c.BoundFW(3) }},
		"BoundSFW":            {"L D", func(c C) { c.BoundSFW(3) }},
		"BoundEpoch":          {"L D", func(c C) { c.BoundEpoch(3) }},
		"BoundSCGS":           {"L D", func(c C) { c.BoundSCGS(3) }},
		"BoundOnlineFW":       {"L D G", func(c C) { c.BoundOnlineFW(4, 3) }},
		"BoundOnlineFWLinear": {"D G", func(c C) { c.BoundOnlineFWLinear(3) }},
		"BoundGarberHazan":    {"L D Alpha Rho", func(c C) { c.BoundGarberHazan(3) }},
		"BoundAway":           {"L D Alpha Width", func(c C) { c.BoundAway(3) }},
	} {
		for field := range set {
			for _, x := range []float64{0, -1, math.NaN(), math.Inf(1)} {
				one := C{L: 1, D: 1, G: 1, Alpha: 1, Sigma: 1, Rho: 1, Width: 1}
				set[field](&one, x)
				got, needed := small.Panics(func() { c.call(one) }), strings.Contains(" "+c.needs+" ", " "+field+" ")
				if needed && !strings.HasPrefix(got, "fwopt: Constants."+field+" ") || !needed && got != "" {
					t.Errorf("%s with %s = %g: panic %q", name, field, x, got)
				}
			}
		}
	}
	for want, c := range map[string]C{
		"Constants.Alpha = 2 is above L = 1": {L: 1, D: 1, Alpha: 2, Rho: 1, Width: 1},
		"Constants.Rho = 0.5":                {L: 1, D: 1, Alpha: 1, Rho: 0.5},
		"Constants.Width = 2 is above D = 1": {L: 1, D: 1, Alpha: 1, Rho: 1, Width: 2},
	} {
		if got := small.Panics(func() { c.BoundGarberHazan(1); c.BoundAway(1) }); !strings.Contains(got, want) {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
}
