package fwmore

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
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
		"mu = NaN": func() { NewBeyondStrong(fwopt.Constants{L: 1, D: 1, Alpha: math.NaN()}) },
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

// The proof behind STORCBeyond and STORCBeyondStrong, in numbers: each inequality
// that its steps use, for all N up to 10,000 and all s ≤ N, in units of L D_t² (or
// its power). Step 1 bounds the proximal points, step 2 the linear term, step 3
// the gap at z_s, step 4 the variance.
func TestBeyondConstants(t *testing.T) {
	le := func(what string, a, b float64) {
		t.Helper()
		if !(a <= b*(1+1e-12)) {
			t.Errorf("%s: %.6g is not at most %.6g", what, a, b)
		}
	}
	var worst struct{ near, lemma, z, zD, start, startD float64 } // near: E‖x_k − w*‖², lemma: k(k+1) E gap(y_k)
	const most = 10_000
	for _, n := range []int{6, 7, 8, 9, 10, 12, 16, 23, 32, 46, 100, 333, 1000, most} {
		N, sum := float64(n), 0.0 // Σ_{j≤k} j(η_j + σ_j²/(2(β_j − Lγ_j)))
		for k := 1; k <= n; k++ {
			k := float64(k)
			γ, β, η, σ2 := 2/(k+1), 3/k, 2/(N*k), 1/(N*(k+1)*(k+1))
			Γ := 2 / (k * (k + 1))
			if math.Abs(γ/Γ-k) > 1e-9*k || math.Abs(γ*β/Γ-3) > 1e-9 {
				t.Fatalf("k = %g: γ/Γ = %g, γβ/Γ = %g, want k and 3", k, γ/Γ, γ*β/Γ)
			}
			if a, b := β-γ, (k+3)/(k*(k+1)); math.Abs(a-b) > 1e-12 {
				t.Fatalf("k = %g: β − Lγ = %g, want %g", k, a, b)
			}
			le("step 1, a term of the sum", k*(η+σ2/(2*(β-γ))), 2.5/N)
			sum += k * (η + σ2/(2*(β-γ)))
			worst.near = max(worst.near, (1.5+sum)/1.5)
			worst.lemma = max(worst.lemma, 2*(1.5+sum))
			le("step 2, the terms in b²", γ*γ/β, β/2)
			noise := 1 / (3 * N * (k + 1)) // ‖δ_k‖²/β_k, rounded up
			le("step 2, ‖δ‖²/β", σ2/β, noise)
			// gap(z_s) for s = k+1 ≤ N: (s+1)² times (1−γ_s) gap(y_k) + γ_s (linear term) + (Lγ_s²/2)‖x_k − y_k‖²
			if s := k + 1; s <= N {
				q, γs := (s+1)*(s+1), 2/(s+1)
				apart := 4 * 8. / 3 // E‖x_k − y_k‖²; 1 where every distance is at most D
				apartD := 1.
				if k == 1 { // y_1 = x_1
					apart, apartD = 0, 0
				}
				gap := (1 - γs) * 8 / (k * (k + 1))
				worst.z = max(worst.z, q*(gap+γs*(η+β/2*8/3+noise)+γs*γs/2*apart))
				worst.zD = max(worst.zD, q*(gap+γs*(η+β/2+noise)+γs*γs/2*apartD))
			}
		}
	}
	// (s+1)² E gap(y_0) ≤ (N+1)² E gap(y_0), first where f is strongly convex, μ ≥ 1, then where not
	for e := 0; e <= 2000; e++ {
		mu := math.Exp2(float64(e) / 100)
		N := math.Ceil(math.Sqrt(32*mu) * (1 - 1e-12))
		worst.start = max(worst.start, (N+1)*(N+1)/(2*mu))
		le("strongly convex, the end", 8*mu/(N*N), 0.25) // 8 D_t²/N² ≤ D²/2^{t+1}, where D_t² = μD²/2^{t−1}
	}
	for e := 1; e <= 40; e++ {
		N := math.Ceil(math.Exp2(float64(e)/2+2) * (1 - 1e-12))
		worst.startD = max(worst.startD, (N+1)*(N+1)/math.Exp2(float64(e)))
		le("not strongly convex, the end", 8/(N*N), math.Exp2(-float64(e+1)))
	}
	t.Logf("maxima: %+v", worst)
	strong, whole := NewBeyondStrong(fwopt.Constants{L: 1, D: 1, Alpha: 1}), NewBeyond(fwopt.Constants{L: 1, D: 1})
	le("step 1, E‖x_k − w*‖²", worst.near, strong.Near)
	le("Lemma 3", worst.lemma, 8)
	le("step 3", worst.z, strong.Step3)
	le("step 3, in D", worst.zD, whole.Step3)
	le("step 4, y_0", worst.start, strong.Start)
	le("step 4, y_0 in D", worst.startD, whole.Start)
	for _, c := range []struct {
		what     string
		is, want float64
	}{{"step 3", worst.z, 49.48}, {"step 3, in D", worst.zD, 23.17}, {"y_0", worst.start, 28.44}, {"y_0, in D", worst.startD, 24.5}} {
		if math.Abs(c.is-c.want) > 0.01 {
			t.Errorf("%s: the maximum is %.4f, want %.2f", c.what, c.is, c.want)
		}
	}
	// Lemma 1: m ≥ 6N(2(s+1)² gap(z_s) + (s+1)² gap(y_0)), with room
	le("strongly convex, m/N", strong.Batch(), 800)
	le("not strongly convex, m/N", whole.Batch(), 800)
}

// The schedule of Beyond is that of the methods: N_t, and D_t² as η_{t,1} = 2LD_t²/N_t has it.
func TestBeyondSchedule(t *testing.T) {
	for _, D := range []float64{0.5, 1, math.Sqrt2, 7} {
		for _, mu := range []float64{0, 1, 2, 8, 10, 12.5, 100, 1000} {
			b, m := NewBeyond(fwopt.Constants{L: 1, D: D}), STORCBeyond(fwopt.Constants{L: 1, D: D})
			if mu > 0 { // 0 stands for an f that is not strongly convex
				b, m = NewBeyondStrong(fwopt.Constants{L: 1, D: D, Alpha: 1 / mu}), STORCBeyondStrong(fwopt.Constants{L: 1, D: D, Alpha: 1 / mu})
			}
			for e := 1; e <= 20; e++ {
				N, Dt2 := m.N(e), m.Eta(e, 1)*float64(m.N(e))/2
				if b.N(e) != N || math.Abs(b.Dt2(e)-Dt2) > 1e-12*Dt2 {
					t.Errorf("D = %g, μ = %g, t = %d: N_t = %d, D_t² = %g, want %d, %g", D, mu, e, b.N(e), b.Dt2(e), N, Dt2)
				}
			}
		}
	}
}
