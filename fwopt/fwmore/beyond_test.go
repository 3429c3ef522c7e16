package fwmore

import (
	"fmt"
	"github.com/projection-free/fwlab/fwopt"
	"math"
	"strings"
	"testing"
)

// Numbers that are what the proof allows, worked out by hand, have the share 1; other steps than
// those that a claim is about have 0.
func TestBeyondShares(t *testing.T) {
	ones := func(k int) []float64 {
		switch k {
		case 1:
			return []float64{1, 1, 1, 0, 1, 0}
		case 8, 12:
			return []float64{1, 1, 1, 1, 1, 1}
		}
		return []float64{1, 1, 1, 1, 1, 0}
	}
	for _, c := range []struct {
		of   Beyond
		t, k int
		q    BeyondStep
	}{
		// N_3 = ⌈2^3.5⌉ = 12 and D² = 4, where 2/60 + 3/10 + 1/216 = 73/216
		{NewBeyond(fwopt.Constants{L: 1, D: 2}), 3, 5, BeyondStep{4, 4 * 73. / 216, 32. / 30, 96. / 36, 4. / (12 * 36)}},
		{NewBeyond(fwopt.Constants{L: 1, D: 2}), 3, 1, BeyondStep{4, 4 * (1./6 + 1.5 + 1./72), 16, math.NaN(), 4. / 48}},
		// N = √64 = 8 and D_2² = 2·4/2 = 4, where 2/(8k) + 4/k + 1/(24(k+1))
		{NewBeyondStrong(fwopt.Constants{L: 1, D: 2, Alpha: 1. / 2}), 2, 5, BeyondStep{32. / 3, 4 * (0.05 + 0.8 + 1./144), 32. / 30, 200. / 36, 4. / (8 * 36)}},
		{NewBeyondStrong(fwopt.Constants{L: 1, D: 2, Alpha: 1. / 2}), 3, 1, BeyondStep{16. / 3, 2 * (0.25 + 4 + 1./48), 8, math.NaN(), 2. / 32}},
	} {
		for i, got := range c.of.Shares(c.t, c.k, c.q) {
			if want := ones(c.k)[i]; !(math.Abs(got-want) <= 1e-12) {
				t.Errorf("t = %d, k = %d, %s: %g, want %g", c.t, c.k, BeyondClaims[i], got, want)
			}
		}
	}
	// the last step: the theorem allows D²/2^{t+1}
	if got := NewBeyond(fwopt.Constants{L: 1, D: 2}).Shares(3, 12, BeyondStep{GapY: 0.25})[5]; got != 1 {
		t.Errorf("the bound of epoch 3: share %g, want 1", got)
	}
	for what, call := range map[string]func(){
		"D = -1":   func() { NewBeyond(fwopt.Constants{L: 1, D: -1}) },
		"D = NaN":  func() { NewBeyondStrong(fwopt.Constants{L: 1, D: math.NaN(), Alpha: 1}) },
		"mu = 0":   func() { NewBeyondStrong(fwopt.Constants{L: 1, D: 1, Alpha: 0}) },
		"mu = NaN": func() { NewBeyondStrong(fwopt.Constants{L: 1, D: 1, Alpha: 1 / math.NaN()}) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "fw") {
					t.Errorf("%s: panic %q", what, got)
				}
			}()
			call()
		}()
	}
}
