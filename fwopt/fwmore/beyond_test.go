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
		of   fwmore.Beyond
		t, k int
		q    fwmore.BeyondStep
	}{
		// N_3 = ⌈2^3.5⌉ = 12 and D² = 4, where 2/60 + 3/10 + 1/216 = 73/216
		{fwmore.NewBeyond(fwopt.Constants{L: 1, D: 2}), 3, 5,
			fwmore.BeyondStep{4, 4 * 73. / 216, 32. / 30, 96. / 36, 4. / (12 * 36)}},
		{fwmore.NewBeyond(fwopt.Constants{L: 1, D: 2}), 3, 1,
			fwmore.BeyondStep{4, 4 * (1./6 + 1.5 + 1./72), 16, math.NaN(), 4. / 48}},
		// N = √64 = 8 and D_2² = 2·4/2 = 4, where 2/(8k) + 4/k + 1/(24(k+1))
		{fwmore.NewBeyondStrong(fwopt.Constants{L: 1, D: 2, Alpha: 1. / 2}), 2, 5,
			fwmore.BeyondStep{32. / 3, 4 * (0.05 + 0.8 + 1./144), 32. / 30, 200. / 36, 4. / (8 * 36)}},
		{fwmore.NewBeyondStrong(fwopt.Constants{L: 1, D: 2, Alpha: 1. / 2}), 3, 1,
			fwmore.BeyondStep{16. / 3, 2 * (0.25 + 4 + 1./48), 8, math.NaN(), 2. / 32}},
	} {
		for i, got := range c.of.Shares(c.t, c.k, c.q) {
			if want := ones(c.k)[i]; !(math.Abs(got-want) <= 1e-12) {
				t.Errorf("t = %d, k = %d, %s: %g, want %g", c.t, c.k, fwmore.BeyondClaims[i], got, want)
			}
		}
	}
	// the last step: the theorem allows D²/2^{t+1}
	if got := fwmore.NewBeyond(fwopt.Constants{L: 1, D: 2}).Shares(3, 12,
		fwmore.BeyondStep{GapY: 0.25})[5]; got != 1 {
		t.Errorf("the bound of epoch 3: share %g, want 1", got)
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

// The proof behind STORCBeyond and STORCBeyondStrong, in numbers: for all s ≤ N up to 10,000 the
// maxima of what its steps 1 and 3 bound, in units of L D_t², are below the constants of Beyond, and
// what they are printed as on page 09. fwverify has its step 4.
func TestBeyondConstants(t *testing.T) {
	var near, lemma, z, zD float64 // near: E‖x_k − w*‖², lemma: k(k+1) E gap(y_k)
	for _, n := range []int{6, 7, 8, 9, 10, 12, 16, 23, 32, 46, 100, 333, 1000, 10_000} {
		N, sum := float64(n), 0.0 // Σ_{j≤k} j(η_j + σ_j²/(2(β_j − Lγ_j)))
		for k := 1.0; k <= N; k++ {
			γ, β, η, σ2 := 2/(k+1), 3/k, 2/(N*k), 1/(N*(k+1)*(k+1))
			sum += k * (η + σ2/(2*(β-γ)))
			near, lemma = max(near, (1.5+sum)/1.5), max(lemma, 2*(1.5+sum))
			noise := 1 / (3 * N * (k + 1)) // ‖δ_k‖²/β_k, rounded up
			if σ2/β > noise*(1+1e-12) || γ*γ/β > β/2 {
				t.Fatalf("N = %d, k = %g: step 2 does not hold", n, k)
			}
			// gap(z_s), s = k+1: (1−γ_s) gap(y_k) + γ_s (linear term) + (Lγ_s²/2)‖x_k − y_k‖²
			if s := k + 1; s <= N {
				q, γs, gap := (s+1)*(s+1), 2/(s+1), 8/(k*(k+1))
				apart, apartD := 4*8./3, 1. // E‖x_k − y_k‖²; 1 where every distance is at most D
				if k == 1 {                 // y_1 = x_1
					apart, apartD = 0, 0
				}
				z = max(z, q*((1-γs)*gap+γs*(η+β/2*8/3+noise)+γs*γs/2*apart))
				zD = max(zD, q*((1-γs)*gap+γs*(η+β/2+noise)+γs*γs/2*apartD))
			}
		}
	}
	// (s+1)² E gap(y_0) ≤ (N+1)² E gap(y_0), where f is strongly convex, μ ≥ 1, and where not
	start, startD := 0.0, 0.0
	strong, whole := fwmore.NewBeyondStrong(fwopt.Constants{L: 1, D: 1, Alpha: 1}),
		fwmore.NewBeyond(fwopt.Constants{L: 1, D: 1})
	for e := range 2001 {
		mu := math.Exp2(float64(e) / 100)
		N := float64(fwmore.NewBeyondStrong(fwopt.Constants{L: 1, D: 1, Alpha: 1 / mu}).N(1))
		start = max(start, (N+1)*(N+1)/(2*mu))
	}
	for e := 1; e <= 40; e++ {
		N := float64(whole.N(e))
		startD = max(startD, (N+1)*(N+1)/math.Exp2(float64(e)))
	}
	for _, c := range []struct {
		what      string
		is, bound float64
		printed   float64
	}{
		{"step 1, E‖x_k − w*‖²", near, strong.Near, 2.667}, {"Lemma 3", lemma, 8, 8},
		{"step 3", z, strong.Step3, 49.48}, {"step 3, in D", zD, whole.Step3, 23.17},
		{"step 4, y_0", start, strong.Start, 28.44}, {"step 4, y_0 in D", startD, whole.Start, 24.5},
		// Lemma 1: m ≥ 6N(2(s+1)² gap(z_s) + (s+1)² gap(y_0)), with room
		{"m/N, strongly convex", strong.Batch(), 800, 792}, {"m/N", whole.Batch(), 800, 438},
	} {
		if !(c.is <= c.bound*(1+1e-12)) || math.Abs(c.is-c.printed) > 0.01 {
			t.Errorf("%s: the maximum is %.4f, want %.2f, below %g", c.what, c.is, c.printed, c.bound)
		}
	}
}

// The schedule of Beyond is that of the methods: N_t, and D_t² as η_{t,1} = 2LD_t²/N_t has it.
func TestBeyondSchedule(t *testing.T) {
	for _, D := range []float64{0.5, 1, math.Sqrt2, 7} {
		for _, mu := range []float64{0, 1, 2, 8, 10, 12.5, 100, 1000} {
			b, m := fwmore.NewBeyond(fwopt.Constants{L: 1, D: D}),
				fwmore.STORCBeyond(fwopt.Constants{L: 1, D: D})
			if mu > 0 { // 0 stands for an f that is not strongly convex
				b, m = fwmore.NewBeyondStrong(fwopt.Constants{L: 1, D: D, Alpha: 1 / mu}),
					fwmore.STORCBeyondStrong(fwopt.Constants{L: 1, D: D, Alpha: 1 / mu})
			}
			for e := 1; e <= 20; e++ {
				N, Dt2 := m.N(e), m.Eta(e, 1)*float64(m.N(e))/2
				if b.N(e) != N || math.Abs(b.Dt2(e)-Dt2) > 1e-12*Dt2 {
					t.Errorf("D = %g, μ = %g, t = %d: N_t = %d, D_t² = %g, want %d, %g", D, mu, e, b.N(e),
						b.Dt2(e), N, Dt2)
				}
			}
		}
	}
}
