package main

import (
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwinst"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
)

func gamma(k int) float64 { return 2 / float64(k+1) }

// frankWolfe checks Jaggi's two theorems, for f itself, which is L_f-smooth.
func frankWolfe(l *ledger, p *fwinst.Instance, e effort) {
	back := &fwmore.Backtracking{}
	for _, c := range []struct {
		name string
		rule fwopt.StepRule
		L    float64
	}{
		{"FW", nil, p.LF}, {"FW, safe step", fwopt.Short{L: p.LF}, p.LF},
		{"FW, line search", fwopt.LineSearch{}, p.LF}, {"FW, backtracking, 2L for L", back, 2 * p.LF},
	} {
		m, name, L, D := &fwopt.FW{Rule: c.rule}, c.name, c.L, p.D
		last, least := math.Inf(1), math.Inf(1)
		watch(p, m, &spy{}, 1, func(s fwopt.Step, _ fwopt.Calls) bool {
			gap := p.Excess(s.X)
			if c.rule == back {
				l.most("Backtracking: L_k ≤ 2L", back.L, 2*p.LF)
			}
			l.most(name+": 2LD²/(k+2)", gap, fwopt.Constants{L: L, D: D}.BoundFW(s.K))
			if last < math.Inf(1) {
				l.most(name+", one step", gap, (1-gamma(s.K))*last+L*D*D/2*gamma(s.K)*gamma(s.K))
			}
			if last = gap; s.K > 1 { // Gap is that of w_{k−1}
				if least = min(least, m.DualityGap); s.K > 2 {
					l.most(name+": a duality gap ≤ 6.75LD²/(k+2)", least, 6.75*L*D*D/float64(s.K+1))
				}
			}
			return s.K < 2*e.steps
		})
	}
}

func garberHazan(l *ledger, p *fwinst.Instance, e effort) {
	local, ok := p.Omega.(fwset.LocalLinear)
	if !ok || p.Alpha == 0 {
		return
	}
	c := fwopt.Constants{L: p.LF, D: p.D, Alpha: p.Alpha, Rho: local.Rho()}
	rho, mu := c.Rho, c.Mu()
	last := start(p)
	l.most("Garber-Hazan: gap(w_0) ≤ LD²/2", p.Excess(last), p.LF*p.D*p.D/2)
	watch(p, fwmore.GarberHazanStronglyConvex(c), &spy{}, 1, func(s fwopt.Step, _ fwopt.Calls) bool {
		q := 1 / (4 * mu * rho * rho)
		r := math.Sqrt(mu*math.Pow(1-q, float64(s.K-1))) * p.D
		l.most("Garber-Hazan: ‖w_{k−1}−w*‖ ≤ r_k", dist(last, p.WStar), r)
		l.most("Garber-Hazan: ‖p_k−w_{k−1}‖ ≤ ρr_k", dist(s.X, last)/(2*q), rho*r)
		l.most("Garber-Hazan: (LD²/2)(1−1/(4μρ²))^k", p.Excess(s.X), c.BoundGarberHazan(s.K))
		g := grad(p.F, last, fwopt.Batch{}) // ∇fᵀ(p − w) ≤ ∇fᵀ(w* − w)
		l.sum("Garber-Hazan: p_k is as good as w*", floats.Dot(g, minus(s.X, last))/(2*q),
			-floats.Dot(g, minus(p.WStar, last)))
		last = slices.Clone(s.X)
		return s.K < 5*e.steps
	})
}

func onlineFW(l *ledger, p *fwinst.Instance, e effort) {
	gaps := func(method func() fwopt.Method) []row {
		return l.mean(e.seeds, func(_ *ledger, seed uint64) (rows []row) {
			watch(p, method(), &spy{}, seed, func(s fwopt.Step, _ fwopt.Calls) bool {
				rows = append(rows, row{p.Excess(s.X)})
				return s.K < 2*e.steps
			})
			return rows
		})
	}
	for i, r := range gaps(func() fwopt.Method { return fwmore.OnlineFWSmooth() }) {
		l.most("Online-FW: E gap, smooth", r[0], p.BoundOnlineFW(len(p.WStar), i+1))
	}
	for i, r := range gaps(func() fwopt.Method { return fwmore.OnlineFWLipschitz(p.Constants) }) {
		l.most("Online-FW: E gap, linearised", r[0], p.BoundOnlineFWLinear(i+1))
	}
}

// oneStep checks the inequality from which the proofs of Lemma 2 and of the SFW
// theorem go on, for the very noise that came.
func oneStep(l *ledger, name string, p *fwinst.Instance, k int, w, wOld, tilde []float64) {
	γ := gamma(k)
	δ := dist(tilde, grad(p.F, wOld, fwopt.Batch{}))
	v := make([]float64, len(w))
	p.Omega.Argmin(v, tilde)
	l.equal(name+": as written", dist(w, mix(wOld, γ, v)), 0, 1e-12*p.D)
	l.most(name+", one step", p.Excess(w), (1-γ)*p.Excess(wOld)+γ*p.D*δ+p.L*p.D*p.D*γ*γ/2)
}

func sfw(l *ledger, p *fwinst.Instance, e effort) {
	for _, noise := range []bool{false, true} {
		sfwOf(l, p, e, func() *fwopt.SFW { return fwopt.SFWTheorem3(p.Constants) }, noise)
	}
}

func sfwOf(l *ledger, p *fwinst.Instance, e effort, method func() *fwopt.SFW, noise bool) {
	name := "SFW theorem"
	if noise {
		name += ", noise at its limit"
	}
	L, D := p.L, p.D
	limit := func(k int) float64 { return L * D / float64(k+1) } // LDγ_k/2
	for i, r := range l.mean(e.seeds, func(l *ledger, seed uint64) (rows []row) {
		m, saw := method(), &spy{}
		if noise {
			saw.noise = func() float64 { return limit(m.K + 1) }
		}
		var old []float64
		watch(p, m, saw, seed, func(s fwopt.Step, spent fwopt.Calls) bool {
			q := p.G * float64(s.K+1) / (L * D)
			l.equal(name+": as written", float64(saw.m), float64(max(1, ceil(q*q))), 0)
			// Σ_{j≤k} ((G(j+1)/LD)² + 1) with ε = 4LD²/(k+2)
			x := float64(s.K + 2)
			l.most("SFW: (64/3)G²LD⁴/ε³ + 4LD²/ε samples", float64(spent.Stochastic),
				p.G*p.G/(L*L*D*D)*x*x*x/3+x)
			v := variance(p.F, saw.z, nil) / float64(saw.m)
			if noise {
				v = limit(s.K) * limit(s.K)
			}
			if old != nil {
				l.equal(name+": as written", dist(saw.z, old), 0, 0)
			}
			oneStep(l, name, p, s.K, s.X, saw.z, saw.tilde)
			old = slices.Clone(s.X)
			rows = append(rows, row{p.Excess(s.X), v})
			return s.K < e.steps
		})
		return rows
	}) {
		k := i + 1
		l.most(name+": E gap ≤ 4LD²/(k+2)", r[0], p.BoundSFW(k))
		if !noise { // which is at the limit by construction
			l.most(name+": E‖δ_k‖² ≤ G²/m_k ≤ (LDγ_k/2)²", r[1], limit(k)*limit(k))
		}
	}
}

func svrf(l *ledger, p *fwinst.Instance, e effort) {
	for _, noise := range []bool{false, true} {
		svrfOf(l, p, e, fwopt.SVRFTheorem1, noise)
	}
}

func svrfOf(l *ledger, p *fwinst.Instance, e effort, method func() *fwopt.SVRF, noise bool) {
	name := "Theorem 1"
	if noise {
		name = "Lemma 2, noise at its limit"
	}
	L, D := p.L, p.D
	limit := func(k int) float64 { return L * D / float64(k+1) }
	N := func(t int) int { return 1<<(t+3) - 2 }
	rows := l.mean(e.seeds, func(l *ledger, seed uint64) (rows []row) {
		m, saw := method(), &spy{}
		if noise {
			saw.noise = func() float64 { return limit(m.K) }
		}
		snapshot := start(p)
		old := snapshot
		watch(p, m, saw, seed, func(s fwopt.Step, spent fwopt.Calls) bool {
			l.equal(name+": as written", float64(saw.m), float64(96*(s.K+1)), 0)
			l.equal(name+": as written", dist(saw.z, old)+dist(saw.z0, snapshot), 0, 0)
			v := limit(s.K) * limit(s.K)
			if !noise {
				v = pointLemma1(l, p, saw.z, saw.z0) / float64(saw.m)
				if s.K == 1 {
					l.equal(name+": as written", v, 0, 0)
				}
			}
			oneStep(l, name, p, s.K, s.X, saw.z, saw.tilde)
			rows = append(rows, row{p.Excess(s.X), v, p.Excess(saw.z), p.Excess(saw.z0)})
			if old = slices.Clone(s.X); s.K == N(s.T) {
				snapshot = old
				x := math.Exp2(float64(s.T + 1)) // LD²/ε
				l.equal("Corollary 1: T + 1 exact gradients", float64(spent.Exact), float64(s.T), 0)
				// Σ_t Σ_k 2·96(k+1) = Σ_t 96 N_t(N_t+3) < 96 Σ_t 64·4^t < 8192·4^T
				l.most("Corollary 1: 2048(LD²/ε)² stochastic gradients", float64(spent.Stochastic), 2048*x*x)
				l.most("Corollary 1: 8LD²/ε linear optimisations", float64(spent.Linear+1), 8*x)
			}
			return s.K < N(s.T) || s.T < e.epochs
		})
		return rows
	})
	i := 0
	for t := 1; t <= e.epochs; t++ {
		for k := 1; k <= N(t); k, i = k+1, i+1 {
			r, kk := rows[i], float64(k+1)
			l.most("Theorem 1, proof: E gap(x_0) ≤ LD²/2^t", r[3], p.BoundEpoch(t-1))
			if !noise {
				l.most(name+": E‖δ_k‖² ≤ L²D²/(k+1)²", r[1], limit(k)*limit(k))
			}
			l.most(name+": E gap(x_k) ≤ 4LD²/(k+2)", r[0], p.BoundSFW(k))
			l.most("Lemma 2, proof: E gap(x_k) ≤ (1−γ)E gap(x_{k−1}) + LD²γ²", r[0], (1-2/kk)*r[2]+
				4*L*D*D/(kk*kk))
		}
		l.most(name+": E gap(w_t) ≤ LD²/2^{t+1}", rows[i-1][0], p.BoundEpoch(t))
	}
}
