package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwinst"
	"gonum.org/v1/gonum/floats"
)

// sliding is what a theorem says of SCGS or STORC. The schedules are written
// out anew: those of the method under test are compared with them.
type sliding struct {
	name      string
	make      func() (m fwopt.Method, x *[]float64) // x is the method's x_k
	reduced   bool                                  // STORC: the gradients are variance-reduced
	gamma     func(k int) float64
	beta      func(k int) float64
	eta       func(t, k int) float64
	m         func(t, k int) float64 // before it is rounded up
	epochs                           // N is nil of one endless epoch, of last steps
	condition func(t, k int) float64 // on E‖δ_k‖²
	noise     bool                   // the noise is at the limit of the condition

	step  func(l *ledger, v *view)                   // what else holds in a step
	mean  func(l *ledger, t, k int, r row)           // what holds of the means
	count func(l *ledger, t int, total fwopt.Calls)  // what holds of the counts after epoch t
	inner func(l *ledger, beta, eta, linear float64) // what holds of line 11's linear optimisations
}

// view is one step of a run. The old ones are those of the step before.
type view struct {
	t, k                     int
	x, y, xOld, yOld, yOlder []float64 // yOlder is y_{k−2}, nil at k = 1
	z, y0, δ                 []float64
	γ, β, η                  float64
}

// The rows of a run.
const (
	gap0 = iota // f(y_0) − f*
	gapY
	gapZ
	noise2 // E‖δ_k‖², given the past
	dist0  // ‖y_0 − w*‖²
	distX
	distY
	apart  // ‖x_k − y_k‖²
	linear // ∇f(y_k)ᵀ(x_k − w*)
)

// check runs the method over the seeds and looks at everything.
func (c *sliding) check(l *ledger, p *fwinst.Instance, e effort) {
	type at struct{ t, k int }
	var order []at
	for t, k := 1, 1; ; k++ {
		order = append(order, at{t, k})
		if c.N == nil && k == c.last || c.N != nil && t == c.last && k == c.N(t) {
			break
		}
		if c.N != nil && k == c.N(t) {
			t, k = t+1, 0
		}
	}
	for i, r := range l.mean(e.seeds, func(l *ledger, seed uint64) []row {
		return c.run(l, p, seed, len(order))
	}) {
		t, k := order[i].t, order[i].k
		if !c.noise { // which is at the limit by construction
			l.most(c.name+": the variance condition", r[noise2], c.condition(t, k))
		}
		c.mean(l, t, k, r)
	}
}

// run does one run and what can be checked in each of its steps.
func (c *sliding) run(l *ledger, p *fwinst.Instance, seed uint64, steps int) (rows []row) {
	m, xk := c.make()
	tiny := 1e-12 * p.D
	t, k := 1, 0
	saw := &spy{}
	if c.noise {
		saw.noise = func() float64 { return math.Sqrt(c.condition(t, k)) }
	}
	v := &view{y: start(p)}
	v.x = v.y
	before := 0 // linear optimisations until step k
	k = 1
	watch(p, m, saw, seed, func(s fwopt.Step, spent fwopt.Calls) bool {
		l.equal(c.name+": as written", float64(s.T), float64(t), 0)
		l.equal(c.name+": as written", float64(s.K), float64(k), 0)
		v.t, v.k = t, k
		v.γ, v.β, v.η = c.gamma(k), c.beta(k), c.eta(t, k)
		v.yOlder, v.yOld, v.xOld = v.yOld, v.y, v.x
		if k == 1 {
			v.yOlder, v.xOld, v.y0 = nil, v.y, v.y
		}
		v.x, v.y, v.z = slices.Clone(*xk), slices.Clone(s.X), saw.z
		v.δ = minus(saw.tilde, grad(p.F, v.z, fwopt.Batch{}))

		l.equal(c.name+": as written", float64(saw.m), float64(max(1, ceil(c.m(t, k)))), 0)
		l.equal(c.name+": as written", dist(v.z, mix(v.yOld, v.γ, v.xOld)), 0, tiny)
		l.equal(c.name+": as written", dist(v.y, mix(v.yOld, v.γ, v.x)), 0, tiny)
		// line 11, with ∇g(x_k) = ∇̃_k + β_k(x_k − x_{k−1})
		g := slices.Clone(saw.tilde)
		floats.AddScaled(g, v.β, minus(v.x, v.xOld))
		l.most(c.name+": duality gap ≤ η_{t,k} (Eq. 4)", wolfe(p.Omega, g, v.x), v.η)
		c.inner(l, v.β, v.η, float64(spent.Linear-before))
		before = spent.Linear
		lemma3Step(l, c.name, p, v)

		variance2 := c.condition(t, k)
		switch {
		case c.noise:
		case c.reduced:
			l.equal(c.name+": as written", dist(saw.z0, v.y0), 0, 0)
			if variance2 = pointLemma1(l, p, v.z, v.y0) / float64(saw.m); k == 1 {
				l.equal(c.name+": as written", variance2, 0, 0)
			}
		default:
			variance2 = variance(p.F, v.z, nil) / float64(saw.m)
		}
		if c.step != nil {
			c.step(l, v)
		}
		rows = append(rows, row{
			gap0: p.Excess(v.y0), gapY: p.Excess(v.y), gapZ: p.Excess(v.z), noise2: variance2,
			dist0: dist2(v.y0, p.WStar), distX: dist2(v.x, p.WStar), distY: dist2(v.y, p.WStar),
			apart:  dist2(v.x, v.y),
			linear: floats.Dot(grad(p.F, v.y, fwopt.Batch{}), minus(v.x, p.WStar)),
		})
		if k++; c.N != nil && k > c.N(t) {
			if c.count != nil {
				c.count(l, t, spent)
			}
			t, k = t+1, 1
		}
		return len(rows) < steps
	})
	return rows
}

// lemma3Step checks the inequality of Appendix C that comes before its
// expectation is taken, for the very noise that came.
func lemma3Step(l *ledger, name string, p *fwinst.Instance, v *view) {
	γ, β := v.γ, v.β
	l.sum(name+": Lemma 3, one step", p.Excess(v.y), -(1-γ)*p.Excess(v.yOld), -γ*v.η,
		β*γ/2*dist2(v.x, p.WStar), -β*γ/2*dist2(v.xOld, p.WStar),
		-γ/2*floats.Dot(v.δ, v.δ)/(β-p.L*γ), -γ*floats.Dot(v.δ, minus(p.WStar, v.xOld)))
}

// jaggi checks line 11's linear optimisations: of the first K ≥ 2 steps from any
// point one has a duality gap ≤ 6.75βD²/(K+2), and to look at x_{k−1} costs one more.
func jaggi(name string, D float64) func(l *ledger, beta, eta, linear float64) {
	return func(l *ledger, beta, eta, linear float64) {
		l.most(name+": line 11's linear optimisations", linear, max(3, 6.75*beta*D*D/eta))
	}
}

func scgs(l *ledger, p *fwinst.Instance, e effort) {
	if p.Sigma == 0 {
		return
	}
	for _, noise := range []bool{false, true} {
		scgsOf(l, p, e, func() *fwopt.SCGS { return fwopt.SCGSConvex(p.Constants) }, noise)
	}
}

func scgsOf(l *ledger, p *fwinst.Instance, e effort, method func() *fwopt.SCGS, noise bool) {
	name := "SCGS"
	if noise {
		name += ", noise at its limit"
	}
	L, D, q := p.L, p.D, func(k int) float64 { return float64(k + 2) }
	(&sliding{
		name: name, noise: noise, epochs: epochs{last: e.steps / 4},
		make:      func() (fwopt.Method, *[]float64) { m := method(); return m, &m.X },
		gamma:     func(k int) float64 { return 3 / q(k) },
		beta:      func(k int) float64 { return 4 * L / q(k) },
		eta:       func(_, k int) float64 { return L * D * D / float64(k*(k+1)) },
		m:         func(_, k int) float64 { return math.Pow(p.Sigma/(L*D), 2) * math.Pow(q(k), 3) },
		condition: func(_, k int) float64 { return L * L * D * D / math.Pow(q(k), 3) },
		inner:     jaggi(name, D),
		mean: func(l *ledger, _, k int, r row) {
			l.most(name+": E gap", r[gapY], p.BoundSCGS(k))
		},
	}).check(l, p, e)
}

// epochs are N_t and D_t² of a theorem, how many of them are run, and a bound on line 11's linear
// optimisations in all T, beside that of line 3, with x = LD²/ε = 2^{T+1}. The constants come from
// N_t² ≤ 18·2^t in cases (a) and (b) and N² ≤ 43.6μ in case (c).
type epochs struct {
	N      func(t int) int
	Dt2    func(t int) float64
	last   int
	lines  string
	linear func(x float64, T int) float64
}

// doubled are those of cases (a) and (b), with 10.125 N_t² linear optimisations in epoch t.
func doubled(p *fwinst.Instance, e effort) epochs {
	return epochs{N: doubling, Dt2: func(int) float64 { return p.D * p.D }, last: e.epochs + 1,
		lines: "183LD²/ε", linear: func(x float64, _ int) float64 { return 183 * x }}
}

// fixed are those of case (c), with N(3 + 10.125 N2^{t−1}/μ) linear optimisations in epoch t.
func fixed(p *fwinst.Instance, e effort) epochs {
	mu := p.L / p.Alpha
	N := strong(mu)
	linear := func(x float64, T int) float64 { return 221*x + 3*N*float64(T+1) }
	return epochs{N: func(int) int { return int(N) }, last: e.epochs,
		Dt2:   func(t int) float64 { return mu * p.D * p.D / math.Exp2(float64(t-1)) },
		lines: "221LD²/ε + 3N ln₂(LD²/ε)", linear: linear}
}

// theorem2 is what the cases of Theorem 2 and the ones beside it share: Lemma 3, the induction
// over t, and m_{t,k} = m(k)N_t. In the proofs (s+1)² E gap(y_0) is at most y0·LD_t² and, for
// s ≥ 2, (s+1)² E gap(z_s) at most z·LD_t², which is called zName; 0 stands for no such step.
func theorem2(name string, p *fwinst.Instance, of epochs, m func(k int) float64, y0, z float64,
	zName string) *sliding {
	L := p.L
	c := &sliding{
		name: name, epochs: of, gamma: gamma, inner: jaggi(name, p.D),
		m:    func(t, k int) float64 { return m(k) * float64(of.N(t)) },
		beta: func(k int) float64 { return 3 * L / float64(k) },
		eta:  func(t, k int) float64 { return 2 * L * of.Dt2(t) / float64(of.N(t)*k) },
		condition: func(t, k int) float64 {
			return L * L * of.Dt2(t) / (float64(of.N(t)) * float64((k+1)*(k+1)))
		},
	}
	c.mean = func(l *ledger, t, k int, r row) {
		LD, q := L*of.Dt2(t), float64((k+1)*(k+1))
		l.most(name+": E‖y_0−w*‖² ≤ D_t²", r[dist0], of.Dt2(t))
		l.most(name+": E gap(y_0) ≤ LD²/2^t", r[gap0], p.BoundEpoch(t-1))
		if y0 > 0 {
			l.most(fmt.Sprintf("%s: proof, E gap(y_0) ≤ %gLD_t²/(s+1)²", name, y0), r[gap0], y0*LD/q)
		}
		if y0 > 0 && k > 1 {
			l.most(name+": proof, (6L/m)(2E gap(z_s) + E gap(y_0)) ≤ the condition",
				6*L/c.m(t, k)*(2*r[gapZ]+r[gap0]), c.condition(t, k))
		}
		if z > 0 && k > 1 {
			l.most(fmt.Sprintf("%s: proof, E gap(z_s) ≤ %sLD_t²/(s+1)²", name, zName), r[gapZ], z*LD/q)
		}
		l.most(name+": E gap(y_k) ≤ 8LD_t²/(k(k+1)) (Lemma 3)", r[gapY], 8*LD/float64(k*(k+1)))
		if k == of.N(t) {
			l.most(name+": E gap(w_t) ≤ LD²/2^{t+1}", r[gapY], p.BoundEpoch(t))
		}
	}
	return c
}

// with makes it a theorem about STORC.
func (c *sliding) with(method func() *fwopt.STORC) *sliding {
	c.reduced = true
	c.make = func() (fwopt.Method, *[]float64) { m := method(); return m, &m.X }
	return c
}

// counts checks the counts after T epochs, and sName, which bounds the stochastic gradients by
// stochastic, unless that is nil.
func (c *sliding) counts(name, sName string, stochastic func(x float64, T int) float64) {
	c.count = func(l *ledger, t int, total fwopt.Calls) {
		x := math.Exp2(float64(t + 1))
		l.equal(name+": T + 1 exact gradients", float64(total.Exact), float64(t), 0)
		if stochastic != nil {
			l.most(name+": "+sName+" stochastic gradients", float64(total.Stochastic), stochastic(x, t))
		}
		l.most(name+": "+c.lines+" linear optimisations", float64(total.Linear+1), c.linear(x, t))
	}
}

// stationary says that ∇f(w*) = 0.
func stationary(p *fwinst.Instance) bool {
	return floats.Norm(grad(p.F, p.WStar, fwopt.Batch{}), 2) == 0
}

func storcA(l *ledger, p *fwinst.Instance, e effort) {
	if stationary(p) {
		storcAOf(l, p, e, func() *fwopt.STORC { return fwopt.STORCTheorem2a(p.Constants) })
	}
}

func storcAOf(l *ledger, p *fwinst.Instance, e effort, method func() *fwopt.STORC) {
	const name = "Theorem 2a"
	c := theorem2(name, p, doubled(p, e), func(int) float64 { return 900 }, 40, 55, "55").with(method)
	c.counts("Corollary 2a", "32400LD²/ε", func(x float64, _ int) float64 { return 32400 * x })
	c.step = func(l *ledger, v *view) {
		if v.k > 1 {
			slope := floats.Norm(grad(p.F, v.yOld, fwopt.Batch{}), 2)
			l.most(name+": proof, gap(z_s)", p.Excess(v.z), p.Excess(v.yOld)+v.γ*p.D*slope+
				p.L*p.D*p.D*v.γ*v.γ/2)
			l.most(name+": proof, ‖∇f(y)‖² ≤ 2L gap(y)", slope*slope, 2*p.L*p.Excess(v.yOld))
		}
	}
	c.check(l, p, e)
}

func storcB(l *ledger, p *fwinst.Instance, e effort) {
	const name = "Theorem 2b"
	L, D, G := p.L, p.D, p.GF // case (b) asks for the constant of f alone
	m := func(k int) float64 { return 700 + 24*G*float64(k+1)/(L*D) }
	c := theorem2(name, p, doubled(p, e), m, 40, 0, "").
		with(func() *fwopt.STORC { return fwopt.STORCTheorem2b(fwopt.Constants{L: L, D: D, GF: G}) })
	c.counts("Corollary 2b", "25236LD²/ε + 1505√L D²G/ε^1.5", func(x float64, _ int) float64 {
		return 25236*x + 1505*G/(L*D)*math.Pow(x, 1.5)
	})
	c.step = func(l *ledger, v *view) {
		if v.k > 1 {
			l.most(name+": proof, gap(z_s)", p.Excess(v.z), p.Excess(v.yOld)+v.γ*G*D+L*D*D*v.γ*v.γ/2)
		}
	}
	shared := c.mean
	c.mean = func(l *ledger, t, k int, r row) {
		shared(l, t, k, r)
		if s := float64(k + 1); k > 1 {
			l.most(name+": proof, 2E gap(z_s) + E gap(y_0)", 2*r[gapZ]+r[gap0], 4*G*D/s+116*L*D*D/(s*s))
		}
	}
	c.check(l, p, e)
}

func storcC(l *ledger, p *fwinst.Instance, e effort) {
	if p.Alpha == 0 {
		return
	}
	const name = "Theorem 2c"
	mu := p.L / p.Alpha
	c := theorem2(name, p, fixed(p, e), func(int) float64 { return 5600 * mu }, 32, 448*mu, "448μ").
		with(func() *fwopt.STORC { return fwopt.STORCTheorem2c(p.Constants) })
	c.counts("Corollary 2c", "488500μ² ln₂(LD²/ε)", func(_ float64, T int) float64 {
		return 488500 * mu * mu * float64(T+1)
	})
	c.step = func(l *ledger, v *view) {
		if v.k == 1 {
			l.most(name+": proof, ‖y_0−w*‖² ≤ (2/α) gap(y_0)", dist2(v.y0, p.WStar), 2/p.Alpha*p.Excess(v.y0))
			return
		}
		s, gap := float64(v.k), p.Excess
		l.equal(name+": proof, y_{s−1} without x", dist(v.yOld, mix(v.yOlder, (s+1)/(2*s-1), v.z)), 0,
			1e-12*p.D)
		l.most(name+": proof, gap(z_s) by distances", gap(v.z), 2*gap(v.yOld)+p.L*dist2(v.yOld, v.yOlder))
		l.most(name+": proof, gap(z_s) by gaps", gap(v.z), mu*(6*gap(v.yOld)+4*gap(v.yOlder)))
	}
	c.check(l, p, e)
}

func scgsStrong(l *ledger, p *fwinst.Instance, e effort) {
	if p.Alpha == 0 || p.Sigma == 0 {
		return
	}
	for _, noise := range []bool{false, true} {
		name := "SCGS, strongly convex"
		if noise {
			name = "Lemma 3, noise at its limit"
		}
		c := theorem2(name, p, fixed(p, e), nil, 0, 0, "")
		c.noise = noise
		c.m = func(t, k int) float64 {
			return math.Pow(p.Sigma*float64(k+1)/p.L, 2) * float64(c.N(t)) / c.Dt2(t)
		}
		c.make = func() (fwopt.Method, *[]float64) {
			m := fwopt.SCGSStronglyConvex(p.Constants)
			return m, &m.X
		}
		c.check(l, p, e)
	}
}
