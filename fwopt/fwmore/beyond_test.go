package fwmore_test

import (
	"math"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// Numbers that are what the proof allows, worked out by hand, have the share 1; other steps than
// those that a claim is about have 0.
func TestBeyondShares(t *testing.T) {
	both := fwopt.Constants{L: 1, D: 2, Alpha: 1. / 2}
	whole, strong := fwmore.NewBeyond(both), fwmore.NewBeyondStrong(both)
	for _, c := range []struct {
		of   fwmore.Beyond
		t, k int
		q    fwmore.BeyondStep
	}{
		// N_3 = ⌈2^3.5⌉ = 12 and D² = 4, where 2/60 + 3/10 + 1/216 = 73/216
		{whole, 3, 5, fwmore.BeyondStep{4, 4 * 73. / 216, 32. / 30, 96. / 36, 4. / (12 * 36)}},
		{whole, 3, 1, fwmore.BeyondStep{4, 4 * (1./6 + 1.5 + 1./72), 16, math.NaN(), 4. / 48}},
		// N = √64 = 8 and D_2² = 2·4/2 = 4, where 2/(8k) + 4/k + 1/(24(k+1))
		{strong, 2, 5,
			fwmore.BeyondStep{32. / 3, 4 * (0.05 + 0.8 + 1./144), 32. / 30, 200. / 36, 4. / (8 * 36)}},
		{strong, 3, 1, fwmore.BeyondStep{16. / 3, 2 * (0.25 + 4 + 1./48), 8, math.NaN(), 2. / 32}},
	} {
		m := fwmore.STORCBeyond(both)
		if c.of.Near > 1 {
			m = fwmore.STORCBeyondStrong(both)
		}
		if N, D2 := m.N(c.t), c.of.Dt2(c.t); N != c.of.N(c.t) || m.M(c.t, 1) != 800*N ||
			math.Abs(m.Eta(c.t, 1)*float64(N)/2-D2) > 1e-12 {
			t.Errorf("t = %d: %v has N_t = %d, the proof %d, and D_t² = %g", c.t, m, N, c.of.N(c.t), D2)
		}
		want := []float64{1, 1, 1, min(float64(c.k-1), 1), 1, 0} // nothing of z_1, nor of w_t before the end
		for i, got := range c.of.Shares(c.t, c.k, c.q) {
			if !(math.Abs(got-want[i]) <= 1e-12) {
				t.Errorf("t = %d, k = %d, %s: %g, want %g", c.t, c.k, fwmore.BeyondClaims[i], got, want[i])
			}
		}
	}
	// the last step: the theorem allows D²/2^{t+1}
	if got := whole.Shares(3, 12, fwmore.BeyondStep{GapY: 0.25})[5]; got != 1 {
		t.Errorf("the bound of epoch 3: share %g, want 1", got)
	}
	if whole.Batch() != 438 || strong.Batch() != 792 {
		t.Errorf("batches of %gN_t and %gN_t, want 438 and 792", whole.Batch(), strong.Batch())
	}
	for what, c := range map[string]fwopt.Constants{"D = -1": {L: 1, D: -1, Alpha: 1},
		"D = NaN": {L: 1, D: math.NaN(), Alpha: 1},
		"mu = 0":  {L: 1, D: 1}, "mu = NaN": {L: 1, D: 1, Alpha: math.NaN()}} {
		if got := small.Panics(func() { fwmore.NewBeyondStrong(c) }); !strings.HasPrefix(got, "fw") {
			t.Errorf("%s: panic %q", what, got)
		}
	}
	got := small.Panics(func() { fwmore.NewBeyond(fwopt.Constants{L: 1, D: -1}) })
	if got != "fwmore: a domain of diameter -1" {
		t.Errorf("panic %q", got)
	}
}
