package main

import (
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwinst"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"gonum.org/v1/gonum/floats"
)

// The methods without L: UniSTORC step by step of its proof, and CertifiedCGS.

func universal(l *ledger, p *fwinst.Instance, e effort) {
	n := p.F.Len()
	if n == 1 {
		return
	}
	for _, b := range []int{max(1, n/32), ceil(math.Sqrt(float64(n))), n} {
		universalOf(l, p, e, b, func() *fwmore.UniSTORC { return &fwmore.UniSTORC{D: p.D, B: b} })
	}
}

// The rows of a run of UniSTORC.
const (
	uniGap   = iota // f(w_t) − f*, at the end of an epoch
	uniH2           // D²H²
	uniS            // S so far
	uniH            // H
	uniSteps        // Σ aη so far
)

func universalOf(l *ledger, p *fwinst.Instance, e effort, b int, method func() *fwmore.UniSTORC) {
	const name = "UniSTORC"
	n, L, D2, q := p.F.Len(), p.L, p.D*p.D, float64(b)
	m, A, last := (n+b-1)/b, []float64{0}, e.epochs // A[t]
	A[0] = 1 / float64(m)
	for t := 1; t <= last; t++ {
		A = append(A, A[t-1]+min(math.Sqrt(q*A[t-1]/2), (1+math.Sqrt(1+4*A[t-1]))/2))
	}
	rows := l.mean(e.seeds, func(l *ledger, seed uint64) (rows []row) {
		method, saw := method(), &spy{}
		t, k, H, S, sum, before, tiny := 1, 1, 0., 0., 0., 0, 1e-12*p.D
		x, y0 := start(p), start(p)
		var z, tilde, mean []float64
		watch(p, method, saw, seed, func(s fwopt.Step, spent fwopt.Calls) bool {
			a, j := A[t]-A[t-1], float64((t-1)*m+k)
			γ := a / A[t]
			if k == 1 {
				z, tilde, mean = mix(y0, γ, x), saw.before, make([]float64, len(x))
			}
			X, Z, fresh := slices.Clone(method.X), mix(y0, γ, method.X), saw.tilde
			floats.Add(mean, Z)
			far := dist(fresh, tilde)
			l.equal(name+": as written", float64(s.T), float64(t), 0)
			l.equal(name+": as written", float64(s.K), float64(k), 0)
			l.equal(name+": as written", float64(saw.m), q, 0)
			l.equal(name+": as written", dist(saw.z0, y0), 0, tiny)
			l.equal(name+": as written", dist(saw.z, Z), 0, tiny)
			l.equal(name+": as written", dist(s.X, floats.ScaleTo(make([]float64, len(x)),
				1/float64(k), mean)), 0, tiny*float64(k))
			η, past := H*D2/(20*a*j), H
			if H == 0 {
				l.equal(name+": as written", wolfe(p.Omega, tilde, X), 0, 1e-12*p.G*p.D)
				l.equal(name+": line 8's linear optimisations", float64(spent.Linear-before), 1, 0)
			} else {
				g := slices.Clone(tilde)
				floats.AddScaled(g, H/a, minus(X, x))
				l.most(name+": duality gap ≤ η (Eq. 4)", wolfe(p.Omega, g, X), η)
				l.most(name+": line 8's linear optimisations", float64(spent.Linear-before), max(3, 135*j))
			}
			before = spent.Linear
			H = math.Hypot(H, a/p.D*far)
			l.equal(name+": as written", method.H, H, 1e-12*H)

			all := fwopt.Batch{}
			gz, gZ := grad(p.F, z, all), grad(p.F, Z, all)
			δ, fresher := minus(tilde, gz), minus(fresh, gZ)
			move, away := bregman(p.F, z, Z, all), bregman(p.F, y0, z, all)
			step, was := minus(X, x), minus(x, p.WStar)
			l.sum(name+": (1), one step", A[t]*p.Excess(Z), H/2*dist2(X, p.WStar), -A[t-1]*p.Excess(y0),
				-past/2*dist2(x, p.WStar), -a*η, -2*(H-past)*D2, a*floats.Dot(δ, was),
				a*floats.Dot(fresher, step), A[t]*move, A[t-1]*away, a*bregman(p.F, p.WStar, z, all))
			first, second := variance(p.F, z, y0), variance(p.F, Z, y0)
			l.most(name+": E‖δ‖² ≤ (2L/b) D_f(z, y_0)", first/q, 2*L/q*away)
			l.most(name+": E‖δ⁺‖² ≤ (4L/b)(D_f(z⁺, z) + D_f(z, y_0))", second/q, 4*L/q*(move+away))
			l.most(name+": (2)", 2*dist2(gZ, gz)+2*first/q+second/q, 4*L*(1+1/q)*move+8*L/q*away)
			S += A[t]*move + A[t-1]*away
			sum += a * η
			gap := 0.
			if k == m {
				gap = p.Excess(s.X)
			}
			rows = append(rows, row{uniGap: gap, uniH2: D2 * H * H, uniS: S, uniH: H, uniSteps: sum})
			x, z, tilde = X, Z, fresh
			if k++; k > m {
				l.equal(name+": t exact gradients", float64(spent.Exact), float64(t), 0)
				l.equal(name+": 2b(m+1)t stochastic gradients", float64(spent.Stochastic),
					2*q*float64((m+1)*t), 0)
				t, k, y0 = t+1, 1, slices.Clone(s.X)
			}
			return len(rows) < last*m
		})
		return rows
	})
	h0 := p.Excess(start(p))
	for i, r := range rows {
		t, λ := i/m+1, 1+math.Log(float64(i+1))
		l.most(name+": D² E H² ≤ 4L(1 + 1/b) E S", r[uniH2], 4*L*(1+1/q)*r[uniS])
		l.most(name+": Σ aη ≤ (λ/20) D² E H", r[uniSteps], λ/20*D2*r[uniH])
		if (i+1)%m == 0 {
			l.sum(name+": the sum of (1)", float64(m)*A[t]*r[uniGap], -h0, -2*D2*r[uniH], -r[uniSteps],
				r[uniS])
			l.most(name+": E gap(w_t)", r[uniGap], p.BoundUniSTORC(n, b, t))
		}
	}
}

// certified checks CertifiedCGS: what it proves, and how soon.
func certified(l *ledger, p *fwinst.Instance, e effort) {
	certifiedOf(l, p, e, func() *fwmore.CertifiedCGS { return &fwmore.CertifiedCGS{} })
}

func certifiedOf(l *ledger, p *fwinst.Instance, e effort, method func() *fwmore.CertifiedCGS) {
	const name = "CGS, certified"
	m := method()
	w0 := start(p)
	first := wolfe(p.Omega, grad(p.F, w0, fwopt.Batch{}), w0)
	steps, before, least, L, LD2 := 0, 1, first, 0., p.LF*p.D*p.D
	rounding := 1e-12 * (math.Abs(p.FStar) + LD2 + first)
	watch(p, m, &spy{}, 1, func(s fwopt.Step, spent fwopt.Calls) bool {
		k := float64(s.K)
		steps++
		l.most(name+": gap(y_k) ≤ f(y_k) − F", p.Excess(s.X), s.Bound+rounding)
		l.most(name+": f(y_k) − F ≤ B/4 + 6LD²/(k(k+1))", s.Bound, m.B/4+6*LD2/(k*(k+1))+rounding)
		l.most(name+": L_k ≤ 2L", m.L, 2*p.LF*(1+1e-9))
		tries := 1.
		if L > 0 {
			tries += math.Round(math.Log2(m.L / L))
			l.most(name+": line 7's linear optimisations", float64(spent.Linear-before-1),
				tries*max(3, 6.75*3*m.L/k*p.D*p.D*4/m.B))
		}
		before, L = spent.Linear, m.L
		if s.Bound < least {
			least = s.Bound
			l.most(name+": 17√(LD²/ε) + log₂(G(w_0)/ε) + 1 steps", float64(steps),
				17*math.Sqrt(LD2/least)+math.Log2(first/least)+1)
		}
		return steps < e.steps/2 && s.Bound > 1e-3*first
	})
}
