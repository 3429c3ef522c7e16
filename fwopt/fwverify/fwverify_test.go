package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwinst"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"gonum.org/v1/gonum/floats"
)

// short is what the tests do.
func short() effort {
	return effort{seeds: 20, pairs: 200, steps: 60, epochs: 3, instances: []*fwinst.Instance{
		fwinst.Simplex(64, 8, 1),
		fwinst.Face(16, 8, 1, 1),
		fwinst.MSC(5, 0.5),
		fwinst.MSL(16, 8, 0.25, 1),
		fwinst.NoisyBox(4, 8, 1),
		fwinst.IllSimplex(8, 8, 8, 1),
		fwinst.Zigzag(),
	}}
}

// No statement is violated; with every bound at a twentieth, each one is that is
// not reported as loose.
func TestVerify(t *testing.T) {
	l := verify(short())
	var table bytes.Buffer
	if l.report(&table) != 0 {
		t.Errorf("violations:\n%s", table.String())
	}
	t.Logf("\n%s", table.String())
	if n := len(l.rows); n < 150 {
		t.Errorf("%d statements", n)
	}
	if testing.Short() {
		return
	}
	defer func() { scale = 1 }()
	scale = 0.05
	for i, c := range verify(short()).rows {
		if was := l.rows[i]; c.name != was.name || c.count != was.count || c.ratio != was.ratio {
			t.Fatalf("not the same bits: %+v, %+v", c, was)
		}
		if seen := c.violations > 0; seen != (c.ratio > scale*(1+1e-9)) {
			t.Errorf("%s on %s, bounds at a twentieth: %d violations, measured/bound %g", c.name, c.worst,
				c.violations, c.ratio)
		}
	}
}

// Whatever is wrong, in a method's schedule or in a constant, the checks that are
// about it see it; what they see beside it is in the log.
func TestPlantedFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds, and nothing that TestVerify does not run, too")
	}
	e := short()
	simplex, msc, msl, ill := fwinst.Simplex(512, 8, 1), fwinst.MSC(8, 0.5), fwinst.MSL(16, 8, 0.25, 1),
		fwinst.IllSimplex(8, 8, 8, 1)
	wrong := func(p *fwinst.Instance, change func(p *fwinst.Instance)) *fwinst.Instance {
		return copied(p, change)()
	}
	// methods with a changed schedule: STORC, case (a), and SVRF on the simplex, SFW on MSL
	good, goodSFW, goodSCGS := fwopt.STORCTheorem2a(simplex.Constants), fwopt.SFWTheorem3(msl.Constants),
		fwopt.SCGSConvex(msl.Constants)
	storc := func(change func(a *fwopt.STORC)) func(l *ledger) {
		return func(l *ledger) { storcAOf(l, simplex, e, copied(good, change)) }
	}
	svrf := func(change func(a *fwopt.SVRF)) func(l *ledger) {
		return func(l *ledger) { svrfOf(l, simplex, e, copied(fwopt.SVRFTheorem1(), change), false) }
	}
	sfw := func(change func(a *fwopt.SFW)) func(l *ledger) {
		return func(l *ledger) { sfwOf(l, msl, e, copied(goodSFW, change), false) }
	}
	scgs := func(change func(a *fwopt.SCGS)) func(l *ledger) {
		return func(l *ledger) { scgsOf(l, msl, e, copied(goodSCGS, change), false) }
	}
	// UniSTORC with b samples for 4 and r times D, where p is another
	uni := func(p *fwinst.Instance, change func(p *fwinst.Instance), r float64, b int) func(l *ledger) {
		return func(l *ledger) {
			universalOf(l, wrong(p, change), e, 4, func() *fwmore.UniSTORC {
				return &fwmore.UniSTORC{D: r * p.D, B: b}
			})
		}
	}
	// matrix completion, changed, or with another answer than that of its set
	complete := func(change func(c *completed)) func(l *ledger) {
		return func(l *ledger) {
			r := rand.New(rand.NewPCG(5, 0))
			for range 5 {
				c := newCompleted(r, 20, 17, 200)
				change(c)
				completionOf(l, c, r, e)
			}
		}
	}
	answer := func(change func(v *fwopt.Vertex, g []float64, slack float64) float64) func(c *completed) {
		return func(c *completed) { c.omega = changed{c.omega, change} }
	}
	for _, c := range []struct {
		fault string
		run   func(l *ledger)
		seen  []string
	}{
		{"β_k = L/k",
			storc(func(a *fwopt.STORC) { a.Beta = func(k int) float64 { return good.Beta(k) / 3 } }),
			[]string{"Theorem 2a: duality gap ≤ η_{t,k} (Eq. 4)"}},
		{"η_{t,k} times 100",
			storc(func(a *fwopt.STORC) { a.Eta = func(t, k int) float64 { return 100 * good.Eta(t, k) } }),
			[]string{"Theorem 2a: duality gap ≤ η_{t,k} (Eq. 4)", "Theorem 2a: Lemma 3, one step",
				"Theorem 2a: E gap(y_k) ≤ 8LD_t²/(k(k+1)) (Lemma 3)",
				"Theorem 2a: E gap(w_t) ≤ LD²/2^{t+1}"}},
		{"m_{t,k} a thousandth",
			storc(func(a *fwopt.STORC) { a.M = func(t, k int) int { return good.M(t, k)/1000 + 1 } }),
			[]string{"Theorem 2a: as written", "Theorem 2a: the variance condition"}},
		{"m_{t,k} twice",
			storc(func(a *fwopt.STORC) { a.M = func(t, k int) int { return 2 * good.M(t, k) } }),
			[]string{"Theorem 2a: as written", "Corollary 2a: 32400LD²/ε stochastic gradients"}},
		{"γ_k = 1/(k+1)",
			storc(func(a *fwopt.STORC) { a.Gamma = func(k int) float64 { return 1 / float64(k+1) } }),
			[]string{"Theorem 2a: as written"}},
		{"γ_k = 1", storc(func(a *fwopt.STORC) { a.Gamma = func(int) float64 { return 1 } }),
			[]string{"Theorem 2a: as written", "Theorem 2a: Lemma 3, one step"}},
		{"N_t one less", storc(func(a *fwopt.STORC) { a.N = func(t int) int { return good.N(t) - 1 } }),
			[]string{"Theorem 2a: as written"}},
		{"no snapshot", func(l *ledger) { assumptions(l, msl.WithoutSnapshot(), e) },
			[]string{"Instance: Variance of a sample, with a snapshot"}},
		{"SVRF with a thousandth of the samples",
			svrf(func(a *fwopt.SVRF) { a.M = func(_, k int) int { return k/10 + 1 } }),
			[]string{"Theorem 1: as written", "Theorem 1: E‖δ_k‖² ≤ L²D²/(k+1)²"}},
		{"SVRF with γ_k = 1", svrf(func(a *fwopt.SVRF) { a.Gamma = func(_, _ int) float64 { return 1 } }),
			[]string{"Theorem 1: as written", "Theorem 1, one step",
				"Theorem 1: E gap(x_k) ≤ 4LD²/(k+2)", "Theorem 1: E gap(w_t) ≤ LD²/2^{t+1}"}},
		{"SFW with half the samples",
			sfw(func(a *fwopt.SFW) { a.M = func(k int) int { return goodSFW.M(k)/2 + 1 } }),
			[]string{"SFW theorem: as written", "SFW theorem: E‖δ_k‖² ≤ G²/m_k ≤ (LDγ_k/2)²"}},
		{"SFW with γ_k = 1/(10k)",
			sfw(func(a *fwopt.SFW) { a.Gamma = func(k int) float64 { return 0.1 / float64(k) } }),
			[]string{"SFW theorem: as written", "SFW theorem, one step",
				"SFW theorem: E gap ≤ 4LD²/(k+2)"}},
		{"SCGS with half the samples",
			scgs(func(a *fwopt.SCGS) { a.M = func(k int) int { return goodSCGS.M(k)/2 + 1 } }),
			[]string{"SCGS: as written", "SCGS: the variance condition"}},
		{"L a quarter", func(l *ledger) {
			p := wrong(msc, func(p *fwinst.Instance) { p.L /= 4 })
			properties(l, p, e)
			lemma1(l, p, e)
		}, []string{"Section 2: f_i is L-smooth", "Property (1)", "Property (2)", "Lemma 1",
			"Lemma 1 with 4L(gap(w) + gap(w_0))",
			"Lemma 1, proof: E‖∇f_i(w)−∇f_i(w*)‖² ≤ 2L gap"}},
		{"all constants of the instance", func(l *ledger) {
			assumptions(l, wrong(msl, func(p *fwinst.Instance) {
				p.D, p.G, p.GF, p.Sigma, p.LF, p.Alpha, p.WStar = p.D*0.8, p.G*0.9, p.GF*0.9, p.Sigma*0.9,
					p.LF*0.2, 0.1, p.W0
			}), e)
		}, []string{"Instance: ‖w−v‖ ≤ D", "Instance: ‖∇f_i‖ ≤ G", "Instance: ‖∇f‖ ≤ G_f",
			"Instance: E‖∇f_i−∇f‖² ≤ σ²",
			"Instance: f is L_f-smooth", "Instance: f is α-strongly convex", "Instance: w* is optimal"}},
		{"w_0 with L a tenth",
			func(l *ledger) { baseCase(l, wrong(msl, func(p *fwinst.Instance) { p.L /= 10 }), e) },
			[]string{"Theorem 1, base case: gap(w_0) ≤ LD²/2"}},
		{"FW with L_f a tenth",
			func(l *ledger) { frankWolfe(l, wrong(simplex, func(p *fwinst.Instance) { p.LF /= 10 }), e) },
			[]string{"Backtracking: L_k ≤ 2L", "FW: 2LD²/(k+2)", "FW, one step",
				"FW: a duality gap ≤ 6.75LD²/(k+2)", "FW, safe step: 2LD²/(k+2)"}},
		{"α of linear rates times 100", func(l *ledger) {
			p := wrong(ill, func(p *fwinst.Instance) { p.Alpha *= 8; p.LF /= 100 })
			awayFW(l, p, e)
			pairwiseFW(l, p, e)
			blended(l, p, e)
		}, []string{"AwayFW, safe step: linear rate", "AwayFW, line search: linear rate",
			"AwayFW, backtracking, 2L for L: linear rate",
			"PairwiseFW, safe step: f does not go up", "PairwiseFW, line search, one step without a drop",
			"BlendedPairwise, line search: linear rate",
			"BlendedPairwise, line search, one step without a drop"}},
		{"L_f a tenth for conjugate directions",
			func(l *ledger) { conjugate(l, wrong(ill, func(p *fwinst.Instance) { p.LF /= 10 }), e) },
			[]string{"ConjugateFW: one step takes off what its slope promises",
				"BiconjugateFW: one step takes off what its slope promises"}},
		{"Garber-Hazan with D a tenth",
			func(l *ledger) { garberHazan(l, wrong(ill, func(p *fwinst.Instance) { p.D /= 10 }), e) },
			[]string{"Garber-Hazan: ‖w_{k−1}−w*‖ ≤ r_k", "Garber-Hazan: (LD²/2)(1−1/(4μρ²))^k",
				"Garber-Hazan: p_k is as good as w*", "Garber-Hazan: gap(w_0) ≤ LD²/2"}},
		{"beyond with L a tenth of that of the method", func(l *ledger) {
			beyondOf(l, wrong(msl, func(p *fwinst.Instance) { p.L /= 10 }), e, false,
				func() *fwopt.STORC { return fwmore.STORCBeyond(msl.Constants) })
		}, []string{"Beyond: E gap(w_t) ≤ LD²/2^{t+1}", "Beyond: step 1", "Beyond: step 2, one step",
			"Beyond: step 3, one step",
			"Beyond: proof, E gap(z_s) ≤ 24LD_t²/(s+1)²", "Beyond: proof, E gap(y_0) ≤ 25LD_t²/(s+1)²",
			"Beyond: E gap(y_k) ≤ 8LD_t²/(k(k+1)) (Lemma 3)"}},
		{"UniSTORC with L a hundredth", uni(msl, func(p *fwinst.Instance) { p.L /= 100 }, 1, 4),
			[]string{"UniSTORC: (2)", "UniSTORC: D² E H² ≤ 4L(1 + 1/b) E S", "UniSTORC: E gap(w_t)"}},
		{"UniSTORC with L a quarter", uni(msc, func(p *fwinst.Instance) { p.L /= 4 }, 1, 4),
			[]string{"UniSTORC: E‖δ‖² ≤ (2L/b) D_f(z, y_0)",
				"UniSTORC: E‖δ⁺‖² ≤ (4L/b)(D_f(z⁺, z) + D_f(z, y_0))"}},
		{"UniSTORC with a hundredth of D", uni(msl, func(p *fwinst.Instance) { p.D /= 100 }, 0.01, 4),
			[]string{"UniSTORC: (1), one step", "UniSTORC: the sum of (1)"}},
		{"UniSTORC with a tenth of D in the method alone", uni(msl, func(*fwinst.Instance) {}, 0.1, 4),
			[]string{"UniSTORC: as written"}},
		{"UniSTORC with ten times D in the method alone", uni(msl, func(*fwinst.Instance) {}, 10, 4),
			[]string{"UniSTORC: as written", "UniSTORC: duality gap ≤ η (Eq. 4)"}},
		{"UniSTORC with other batches", uni(msl, func(*fwinst.Instance) {}, 1, 2),
			[]string{"UniSTORC: as written", "UniSTORC: 2b(m+1)t stochastic gradients"}},
		{"fresh samples with a hundred-thousandth of the epoch's L", func(l *ledger) {
			freshOf(l, wrong(msc, func(p *fwinst.Instance) { p.L /= 1e5 }), e, msc.L)
		}, []string{"Fresh samples: (c)", "Fresh samples: E v ≤ LD²B(15 ln(N+1) + 19)"}},
		{"fresh samples of another f", func(l *ledger) {
			freshOf(l, wrong(ill, func(p *fwinst.Instance) { p.F = msc.F }), e, ill.L)
		}, []string{"Fresh samples: a sample has a mean of at most f(w*)"}},
		{"fresh samples with another gradient at the snapshot", func(l *ledger) {
			f := newDraw(ill, start(ill))
			floats.Scale(0.9, f.g0)
			f.add(l, "Fresh samples", ill.WStar, 1)
		}, []string{"Fresh samples: φ is unbiased"}},
		{"CGS, certified, with L_f a thousandth", func(l *ledger) {
			certified(l, wrong(ill, func(p *fwinst.Instance) { p.LF /= 1000 }), e)
		}, []string{"CGS, certified: L_k ≤ 2L", "CGS, certified: f(y_k) − F ≤ B/4 + 6LD²/(k(k+1))",
			"CGS, certified: 17√(LD²/ε) + log₂(G(w_0)/ε) + 1 steps"}},
		{"τ of the set of entries a tenth larger",
			complete(func(c *completed) { c.omega = fwset.NewCompletion(c.h, c.m, c.e, 1.1*c.tau) }),
			[]string{"Completion: −⟨g, v⟩ ≤ τσ_1", "Completion: a vertex has ‖V‖_* = τ",
				"Completion: a vertex on the observed entries alone"}},
		{"an entry not observed",
			complete(func(c *completed) { c.f = fwsum.NewEntryLoss(c.f.Dim(), make([]float64, c.n-1)) }),
			[]string{"Completion: f is that of the matrix",
				"Completion: ∇f is that of the matrix, at its entries"}},
		{"a slack of 0", complete(answer(func(*fwopt.Vertex, []float64, float64) float64 { return 0 })),
			[]string{"Completion: ⟨g, v⟩ + τσ_1 ≤ slack"}},
		{"a slack of 1", complete(answer(func(*fwopt.Vertex, []float64, float64) float64 { return 1 })),
			[]string{"Completion: the slack is what was asked for"}},
		{"the vertex of an ℓ1 ball",
			complete(answer(func(v *fwopt.Vertex, g []float64, slack float64) float64 {
				k := slices.IndexFunc(g, func(x float64) bool {
					return math.Abs(x) == floats.Norm(g, math.Inf(1))
				})
				clear(v.Value)
				v.Value[k] = math.Copysign(1, -g[k])
				return slack
			})), []string{"Completion: ⟨g, v⟩ + τσ_1 ≤ slack",
				"Completion: no matrix of the ball is below ⟨g, v⟩ − slack"}},
		{"always the same vertex", complete(answer(func(v *fwopt.Vertex, _ []float64, slack float64) float64 {
			for k := range v.Value {
				v.Value[k] = 0.1
			}
			return slack
		})), []string{"Completion: f − f* ≤ duality gap + slack", "Completion: FW, 2L_fD²/(k+2)"}},
	} {
		l := newLedger("planted")
		c.run(l)
		var names []string
		for _, x := range l.rows {
			if x.violations > 0 {
				names = append(names, fmt.Sprintf("%s (%d of %d)", x.name, x.violations, x.count))
			}
		}
		t.Logf("%s: seen by %s", c.fault, strings.Join(names, "; "))
		for _, name := range c.seen {
			if x := l.at[name]; x == nil || x.violations == 0 {
				t.Errorf("%s: not seen by %q, %+v", c.fault, name, x)
			}
		}
	}
}

// copied makes copies of a method that has not run yet, with a change.
func copied[M any](m *M, change func(a *M)) func() *M {
	return func() *M {
		a := *m
		change(&a)
		return &a
	}
}

// changed is a set with other answers.
type changed struct {
	fwopt.Domain
	change func(v *fwopt.Vertex, g []float64, slack float64) float64
}

func (c changed) ArgminVertex(v *fwopt.Vertex, g []float64, tol float64, warm *fwset.Warm) float64 {
	return c.change(v, g, fwset.Argmin(c.Domain, v, g, tol, warm))
}

// The variance is what the definition says, and the noise at the limit has the
// norm that is asked for.
func TestVariance(t *testing.T) {
	p := fwinst.MSC(2, 1) // terms 0, ½u_2², ½u_1², ½u_1²
	w, w0 := []float64{1, 0.5}, []float64{-1, 0.5}
	// ∇f_i(w) − ∇f_i(w_0) is (2, 0) in half of the terms: mean (1, 0)
	if v := variance(p.F, w, w0); math.Abs(v-1) > 1e-15 {
		t.Errorf("variance %g, want 1", v)
	}
	// ∇f_i(w) is 0, (0, ½), (1, 0), (1, 0): mean (½, ⅛), E‖·‖² = (¼ + 1 + 1)/4
	if v := variance(p.F, w, nil); math.Abs(v-(9./16-1./4-1./64)) > 1e-15 {
		t.Errorf("variance %g, want %g", v, 9./16-1./4-1./64)
	}
	s := &spy{f: p.F, noise: func() float64 { return 3 }}
	o := fwopt.NewOracle(s, p.Omega, 1)
	g, g0, dst := make([]float64, 2), make([]float64, 2), make([]float64, 2)
	o.Grad(g, w)
	o.Grad(g0, w0)
	o.VRGrad(dst, w, w0, g0, 5)
	if s.m != 5 || math.Abs(dist(dst, g)-3) > 1e-14 || dist(s.z, w)+dist(s.z0, w0)+dist(s.tilde, dst) > 0 {
		t.Errorf("noise of %g, want 3; the spy saw %+v", dist(dst, g), s)
	}
	if o.StochasticGrad(dst, w, 7); s.m != 7 || math.Abs(dist(dst, g)-3) > 1e-14 || s.z0 != nil {
		t.Errorf("noise of %g, want 3; the spy saw %+v", dist(dst, g), s)
	}
}
