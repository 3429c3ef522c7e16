package fwopt_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwinst"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
)

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
	strong, whole := fwmore.NewBeyondStrong(fwopt.Constants{L: 1, D: 1, Alpha: 1}), fwmore.NewBeyond(fwopt.Constants{L: 1, D: 1})
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

// The constants that page 09 proves are those of fwmore.Beyond, by which all else is checked.
func TestBeyondConstantsOnThePage(t *testing.T) {
	page := ""
	for _, c := range readPage(t, "../notebooks/09-beyond.ipynb") {
		if c.Type == "markdown" {
			page += strings.Join(c.Source, "") + "\n"
		}
	}
	for _, b := range []fwmore.Beyond{fwmore.NewBeyond(fwopt.Constants{L: 1, D: 1}), fwmore.NewBeyondStrong(fwopt.Constants{L: 1, D: 1, Alpha: 1})} {
		if want := fmt.Sprintf(`$m\ge6(2\cdot%g+%g)N=%gN$`, b.Step3, b.Start, b.Batch()); !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

// The schedule of fwmore.Beyond is that of the methods: N_t, and D_t² as η_{t,1} = 2LD_t²/N_t has it.
func TestBeyondSchedule(t *testing.T) {
	for _, D := range []float64{0.5, 1, math.Sqrt2, 7} {
		for _, mu := range []float64{0, 1, 2, 8, 10, 12.5, 100, 1000} {
			b, m := fwmore.NewBeyond(fwopt.Constants{L: 1, D: D}), fwmore.STORCBeyond(fwopt.Constants{L: 1, D: D})
			if mu > 0 { // 0 stands for an f that is not strongly convex
				b, m = fwmore.NewBeyondStrong(fwopt.Constants{L: 1, D: D, Alpha: 1 / mu}), fwmore.STORCBeyondStrong(fwopt.Constants{L: 1, D: D, Alpha: 1 / mu})
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

// polytope is a set of known pyramidal width δ; ratio is (D/δ)².
type polytope struct {
	name  string
	omega fwopt.Domain
	ratio float64
}

// widths are the polytopes whose pyramidal widths Lacoste-Julien & Jaggi give: 2/√d
// for the unit simplex of even d, of diameter √2, and 1/√d for the unit cube, of
// diameter √d.
func widths() (ps []polytope) {
	for _, d := range []int{2, 4, 8, 16, 64} {
		ps = append(ps, polytope{fmt.Sprintf("simplex %d", d), fwset.Simplex{D: d, R: 1}, float64(d) / 2})
	}
	for _, d := range []int{1, 2, 3, 5} {
		hi := make([]float64, d)
		for j := range hi {
			hi[j] = 1
		}
		ps = append(ps, polytope{fmt.Sprintf("cube %d", d), fwset.Box{Lo: make([]float64, d), Hi: hi}, float64(d * d)})
	}
	return ps
}

// The bound on line 11's linear optimisations with away steps, which stands with
// STORC, in every step, on random problems and for all accuracies.
func TestAwayStepsWithinTheirBound(t *testing.T) {
	for _, p := range widths() {
		d := p.omega.Dim()
		D := p.omega.(fwset.Diameterer).Diameter()
		worst, steps := 0.0, 0
		for seed := range uint64(20) {
			r := rand.New(rand.NewPCG(seed, 6))
			c := make([]float64, 4*d)
			for j := range c {
				c[j] = r.Float64() + r.NormFloat64()/float64(1+seed%5)
			}
			for _, plain := range []*fwopt.STORC{fwmore.STORCBeyond(fwopt.Constants{L: 1, D: D}), fwmore.STORCBeyondStrong(fwopt.Constants{L: 2, D: D, Alpha: 1}), fwopt.STORCExperiments(fwopt.Constants{L: 1, D: D})} {
				m := &fwopt.STORCAway{STORC: *plain}
				if e := m.M(1, 1); e == 100 { // any accuracy
					m.Eta = func(t, k int) float64 { return D * D * math.Pow(10, -float64((t+3*k)%11)) }
				}
				f := fwsum.NewQuadratic(d, nil, c)
				o := fwopt.NewOracle(f, p.omega, seed)
				w0, before := o.Start(), 1
				for s := range m.Steps(o, w0) {
					bound := 2 + 2*math.Ceil(8*p.ratio*max(0, math.Log(m.Beta(s.K)*D*D/m.Eta(s.T, s.K))))
					n := float64(o.Calls.Linear - before)
					before = o.Calls.Linear
					if bound > 2 {
						worst = max(worst, n/bound)
					}
					if n > bound || n < 2 {
						t.Fatalf("%s, seed %d, t %d, k %d: %g linear optimisations, bound %g", p.name, seed, s.T, s.K, n, bound)
					}
					if steps++; s.T == 4 {
						break
					}
				}
			}
		}
		t.Logf("%-10s (D/δ)² = %2g: at most %.2f of the bound in %d steps", p.name, p.ratio, worst, steps)
	}
}

// Where Frank-Wolfe zigzags, line 11 needs 1/ε linear optimisations, 16 times as
// many for four epochs more; with away steps about as many in every epoch. Elsewhere
// that can be the larger number: without, line 11 starts from x_{k−1}.
func TestAwayStepsOnTheZigzag(t *testing.T) {
	p := fwinst.Zigzag()
	linear := func(m fwopt.Method, N func(t int) int) (spent [14]int) {
		o := fwopt.NewOracle(p.F, p.Omega, 1)
		for s := range m.Steps(o, p.W0) {
			spent[s.T] = o.Calls.Linear
			if s.K < N(s.T) {
				continue
			}
			if gap, bound := p.Excess(s.X), p.BoundEpoch(s.T); gap > bound {
				t.Errorf("%v, epoch %d: gap %g, bound %g", m, s.T, gap, bound)
			}
			if s.T == 13 {
				break
			}
		}
		return spent
	}
	m, n := fwmore.STORCBeyondStrong(p.Constants), &fwopt.STORCAway{STORC: *fwmore.STORCBeyondStrong(p.Constants)}
	plain, short := linear(m, m.N), linear(n, n.N)
	t.Logf("without away steps %v, with %v", plain[1:], short[1:])
	if plain[13] < 10*plain[9] {
		t.Errorf("without away steps %d linear optimisations in 9 epochs, %d in 13", plain[9], plain[13])
	}
	for e := 1; e <= 13; e++ {
		if n := short[e] - short[e-1]; n > 40 {
			t.Errorf("with away steps %d linear optimisations in epoch %d", n, e)
		}
	}
}
