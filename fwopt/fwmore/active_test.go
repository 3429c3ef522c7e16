package fwmore_test

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwroad"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
)

// hull is a polytope with the list of its vertices.
type hull struct {
	fwopt.Domain
	points [][]float64
}

// hulls are some of dimension d.
func hulls(d int) map[string]hull {
	lo, hi := make([]float64, d), make([]float64, d)
	var simplex, cross, box [][]float64
	for j := range d {
		v := make([]float64, d)
		v[j] = 2
		simplex, cross = append(simplex, v), append(cross, v, comb(-1, v, 0, v))
		lo[j], hi[j] = -1, 1.5
	}
	for b := range 1 << d {
		v := slices.Clone(lo)
		for j := range d {
			if b>>j&1 == 1 {
				v[j] = hi[j]
			}
		}
		box = append(box, v)
	}
	return map[string]hull{
		"simplex": {fwset.Simplex{D: d, R: 2}, simplex},
		"box":     {fwset.Box{Lo: lo, Hi: hi}, box},
		"l1 ball": {fwset.L1Ball{D: d, R: 2}, cross},
	}
}

// squares is a random strongly convex least squares of 3d rows.
func squares(d int, seed uint64) *fwsum.LeastSquares {
	r := rand.New(rand.NewPCG(seed, 99))
	x, b := &fwsum.Dense{N: 3 * d, M: d, Val: make([]float64, 3*d*d)}, make([]float64, 3*d)
	for i := range x.Val {
		x.Val[i] = r.NormFloat64()
	}
	for i := range b {
		b[i] = 2 * r.NormFloat64()
	}
	return fwsum.NewLeastSquares(x, b)
}

// naive is what the twins below know: a weight for each point, 0 for those not active,
// the gradient, and the minimiser over γ ≥ 0 along a direction.
type naive struct {
	points      [][]float64
	alpha, grad []float64
	line        func(p []float64) float64
}

// mean is Σ_i α_i points_i.
func mean(points [][]float64, alpha []float64) []float64 {
	w := make([]float64, len(points[0]))
	for i, p := range points {
		w = comb(1, w, alpha[i], p)
	}
	return w
}

// extreme is the point of the least sign·∇fᵀp, among all or the active ones.
func (n naive) extreme(sign float64, active bool) int {
	at := -1
	for i, p := range n.points {
		if (!active || n.alpha[i] > 0) && (at < 0 || sign*dot(n.grad, p) < sign*dot(n.grad, n.points[at])) {
			at = i
		}
	}
	return at
}

// across moves weight from point u to point v. close reports that rounding decides
// whether it is all of u's.
func (n naive) across(u, v int) (next []float64, kind string, close bool) {
	next = slices.Clone(n.alpha)
	gamma := n.line(sub(n.points[v], n.points[u]))
	close = math.Abs(gamma-next[u]) < 1e-11*next[u]
	kind = "across"
	if gamma >= next[u] {
		if gamma, kind = next[u], "drop"; next[v] == 0 {
			kind = "swap"
		}
	}
	next[v] += gamma
	next[u] -= gamma
	return next, kind, close
}

// tie reports whether another point is as extreme as point i, but for rounding: after an
// exact line search from u to v these two are, as a rule.
func (n naive) tie(i int, active bool) bool {
	for j, p := range n.points {
		if j != i && (!active || n.alpha[j] > 0) && math.Abs(dot(n.grad,
			sub(p, n.points[i]))) < 1e-11*(1+norm(n.grad)) {
			return true
		}
	}
	return false
}

func (n naive) pairwise() (next []float64, kind string, close bool) {
	u, v := n.extreme(-1, true), n.extreme(1, false)
	next, kind, close = n.across(u, v)
	return next, kind, close || n.tie(u, true) || n.tie(v, false)
}

func (n naive) blended() (next []float64, kind string, close bool) {
	u, s, v := n.extreme(-1, true), n.extreme(1, true), n.extreme(1, false)
	w := mean(n.points, n.alpha)
	local, gap := dot(n.grad, sub(n.points[u], n.points[s])), dot(n.grad, sub(w, n.points[v]))
	near := math.Abs(local-gap) < 1e-12*(1+norm(n.grad)) || n.tie(u, true) || n.tie(s, true) ||
		n.tie(v, false)
	if local >= gap {
		next, kind, close = n.across(u, s)
		return next, kind, close || near
	}
	return n.toward(v, min(1, n.line(sub(n.points[v], w)))), "towards v", near
}

// toward moves the point by γ towards point v, and by γ < 0 away from it.
func (n naive) toward(v int, gamma float64) (next []float64) {
	for _, a := range n.alpha {
		next = append(next, (1-gamma)*a)
	}
	next[v] += gamma
	return next
}

func (n naive) away() (next []float64, kind string, close bool) {
	u, v, w := n.extreme(-1, true), n.extreme(1, false), mean(n.points, n.alpha)
	gap, back := dot(n.grad, sub(w, n.points[v])), dot(n.grad, sub(n.points[u], w))
	close = math.Abs(gap-back) < 1e-12*(1+norm(n.grad))
	if gap >= back {
		return n.toward(v, min(1, n.line(sub(n.points[v], w)))), "towards v", close
	}
	most, gamma := n.alpha[u]/(1-n.alpha[u]), n.line(sub(w, n.points[u]))
	close = close || math.Abs(gamma-most) < 1e-12*most
	gamma = min(most, gamma)
	if next = n.toward(u, -gamma); gamma == most {
		next[u] = 0
		return next, "drop", close
	}
	return next, "away", close
}

// active are the methods with an active set, seen from outside.
type active struct {
	fwopt.Method
	gap *float64
	s   *fwset.ActiveSet
}

func actives(rule func() fwopt.StepRule) map[string]active {
	a, p, b := &fwmore.AwayFW{Rule: rule()}, &fwmore.PairwiseFW{Rule: rule()},
		&fwmore.BlendedPairwise{Rule: rule()}
	return map[string]active{"away": {a, &a.DualityGap, &a.S}, "pairwise": {p, &p.DualityGap, &p.S},
		"blended": {b, &b.DualityGap, &b.S}}
}

// Whole runs beside the naive twins: the same points, weights, gaps and counts, and f
// never goes up.
func TestActiveAgainstNaive(t *testing.T) {
	const d = 6
	kinds := map[string]int{}
	for name, omega := range hulls(d) {
		for seed := range uint64(20) {
			f := squares(d, seed)
			for i, rule := range []fwopt.StepRule{fwopt.LineSearch{}, fwopt.Short{L: f.Smoothness()}} {
				for method, m := range actives(func() fwopt.StepRule { return rule }) {
					where := fmt.Sprintf("%s on the %s, seed %d, %+v", method, name, seed, rule)
					againstNaive(t, where, m, f, omega.Domain, omega.points, int(seed)%len(omega.points),
						2-i, kinds, func(n naive) ([]float64, string, bool) {
							if n.line = func(p []float64) float64 {
								return -dot(n.grad, p) / curve(f, p)
							}; i == 1 {
								n.line = func(p []float64) float64 {
									return -dot(n.grad, p) / (f.Smoothness() * dot(p, p))
								}
							}
							step := map[string]func() ([]float64, string, bool){"away": n.away,
								"pairwise": n.pairwise, "blended": n.blended}
							next, kind, close := step[method]()
							return next, method + " " + kind, close
						})
				}
			}
		}
	}
	t.Logf("steps: %v", kinds)
	for kind, least := range map[string]int{"pairwise across": 1000, "pairwise drop": 30, "pairwise swap": 3,
		"away away": 1000, "away drop": 30, "blended across": 1000, "blended drop": 30,
		"blended towards v": 300} {
		if kinds[kind] < least {
			t.Errorf("%d steps %q of %v: the test tests little", kinds[kind], kind, kinds)
		}
	}
	if kinds["blended swap"] > 0 {
		t.Errorf("a blended step has swapped")
	}
}

// curve is pᵀ∇²f p of a quadratic.
func curve(f fwopt.FiniteSum, p []float64) float64 {
	g, g0 := make([]float64, len(p)), make([]float64, len(p))
	f.Grad(g, p, fwopt.Batch{})
	f.Grad(g0, make([]float64, len(p)), fwopt.Batch{})
	return dot(p, sub(g, g0))
}

func againstNaive(t *testing.T, where string, m active, f fwopt.FiniteSum, omega fwopt.Domain,
	points [][]float64, first, exact int, kinds map[string]int,
	step func(n naive) ([]float64, string, bool)) {
	t.Helper()
	o := fwopt.NewOracle(f, omega, 1)
	alpha := make([]float64, len(points))
	alpha[first] = 1
	value := f.Value(points[first])
	for s := range m.Steps(o, points[first]) {
		n := naive{points: points, alpha: alpha, grad: make([]float64, f.Dim())}
		w := mean(points, alpha)
		f.Grad(n.grad, w, fwopt.Batch{})
		next, kind, close := step(n)
		gap := dot(n.grad, sub(w, points[n.extreme(1, false)]))
		if gap < 1e-7 || s.K > 300 {
			break // the rest is decided by rounding
		}
		got := weights(m.s, points)
		if close { // so is this step
			if alpha = got; len(got) > len(points) {
				break
			}
			kinds["close"]++
			continue
		}
		if e := math.Abs(*m.gap - gap); e > 1e-10 {
			t.Fatalf("%s, step %d: the gap is %g off", where, s.K, e)
		}
		if e := norm(sub(s.X, mean(points, next))); e > 1e-10 {
			t.Fatalf("%s, step %d, %s: the point is %g off", where, s.K, kind, e)
		}
		active := 0
		for _, a := range next {
			if a > 0 {
				active++
			}
		}
		if len(got) != len(next) || norm(sub(got, next)) > 1e-10 || len(m.s.Atom) != active {
			t.Fatalf("%s, step %d, %s: weights %v, want %v", where, s.K, kind, got, next)
		}
		checkActive(t, where, m, s)
		if v := f.Value(s.X); v > value+1e-14 {
			t.Fatalf("%s, step %d: f went up from %g to %g", where, s.K, value, v)
		} else {
			value = v
		}
		if want := (fwopt.Calls{Exact: exact * s.K, Linear: s.K}); o.Calls != want {
			t.Fatalf("%s, step %d: calls %+v, want %+v", where, s.K, o.Calls, want)
		}
		kinds[kind]++
		alpha = next
	}
}

// weights returns the weights of the atoms, by point; one added for an atom that is no
// point of the list, as where a box has 0 in the gradient.
func weights(s *fwset.ActiveSet, points [][]float64) []float64 {
	alpha, p := make([]float64, len(points)), make([]float64, len(points[0]))
	for k := range s.Atom {
		s.Atom[k].Dense(p)
		i := slices.IndexFunc(points, func(q []float64) bool { return slices.Equal(p, q) })
		if i < 0 {
			return append(alpha, s.Weight[k])
		}
		alpha[i] += s.Weight[k]
	}
	return alpha
}

// onFace is a quadratic over the unit simplex of dimension 40 with its minimiser inside
// of a face of dimension h − 1: there Frank-Wolfe zigzags.
func onFace(h int) (*fwsum.Quadratic, fwset.Simplex) {
	const d = 40
	r := rand.New(rand.NewPCG(3, 3))
	c := make([]float64, d)
	for j := range c {
		c[j] = (1 + 0.5*r.Float64()) / (1.25 * float64(h)) // about 1/h
		if j >= h {
			c[j] = -0.2
		}
	}
	return fwsum.NewQuadratic(d, nil, c), fwset.Simplex{D: d, R: 1}
}

// The methods converge linearly to the inside of a face, from a vertex of it and from
// another one, where Frank-Wolfe does not; by Backtracking far below where f shows its fall, and
// from any scale of f. Then the run stands still, whatever rounding does, on the vertices of the
// face alone.
func TestActiveConvergesLinearly(t *testing.T) {
	const h, steps = 10, 1500
	f, omega := onFace(h)
	line, short := func() fwopt.StepRule { return fwopt.LineSearch{} },
		func() fwopt.StepRule { return fwopt.Short{L: 1} }
	back := func() fwopt.StepRule { return &fwmore.Backtracking{} }
	for what, c := range map[string]struct {
		f     fwopt.FiniteSum
		scale float64
		rule  func() fwopt.StepRule
		most  int // steps of pairwise ones
	}{
		"line search": {f, 1, line, 120}, "short": {f, 1, short, 120},
		"backtracking": {scaled{f, 1}, 1, back, 180},
		"of a small f": {scaled{f, 1e-9}, 1e-9, back, 180}, "of a large f": {scaled{f, 1e9}, 1e9, back, 180},
	} {
		for _, start := range []int{0, omega.D - 1} {
			w0 := make([]float64, omega.D)
			w0[start] = 1
			reached := func(name string, m fwopt.Method, gap *float64, steps int) (n int) {
				n = steps // until the gap is 1e-12 of the scale
				o := fwopt.NewOracle(c.f, omega, 1)
				for s := range m.Steps(o, w0) {
					if *gap < 1e-12*c.scale {
						n = min(n, s.K)
					} else if n < steps && *gap > 1e-11*c.scale {
						t.Fatalf("%s, %s, step %d: the gap is %g again", name, what, s.K, *gap)
					}
					if s.K == steps {
						break
					}
				}
				if o.Calls.Exact > 4*steps {
					t.Errorf("%s, %s: %d exact gradients in %d steps", name, what, o.Calls.Exact, steps)
				}
				return n
			}
			plain := &fwopt.FW{Rule: c.rule()}
			if reached("FW", plain, &plain.DualityGap, c.most) < c.most || plain.DualityGap < 1e-4*c.scale {
				t.Errorf("Frank-Wolfe, %s, reaches a gap of %g, too", what, plain.DualityGap)
			}
			for name, m := range actives(c.rule) {
				limit := c.most
				if name == "away" {
					limit = 500
				}
				if n := reached(name, m, m.gap, steps); n > limit || len(m.s.Atom) != h {
					t.Errorf("%s, %s, from vertex %d: gap 1e-12 after %d steps, %d active vertices, want %d",
						name, what, start, n, len(m.s.Atom), h)
				}
			}
		}
	}
}

// exacts are the methods that ask for exact gradients and know a duality gap; two have no
// active set.
func exacts() map[string]active {
	conj, both := &fwroad.ConjugateFW{}, &fwroad.BiconjugateFW{}
	all := map[string]active{"conjugate": {conj, &conj.DualityGap, nil},
		"biconjugate": {both, &both.DualityGap, nil}}
	for what, rule := range map[string]func() fwopt.StepRule{
		"line search":  func() fwopt.StepRule { return fwopt.LineSearch{} },
		"short step":   func() fwopt.StepRule { return fwopt.Short{L: 10} },
		"backtracking": func() fwopt.StepRule { return &fwmore.Backtracking{} },
	} {
		for name, m := range actives(rule) {
			all[name+", "+what] = m
		}
	}
	return all
}

// From an optimum, on a set of one point, and from inside of Ω.
func TestExactMethodsAtTheEdge(t *testing.T) {
	lo := []float64{0.5, -1, 2}
	for where, c := range map[string]struct {
		f     fwopt.FiniteSum
		omega fwopt.Domain
		w0    []float64
		stays bool
	}{
		"an optimal vertex": {fwsum.NewQuadratic(3, nil, []float64{2, 0, 0}),
			fwset.Simplex{D: 3, R: 1}, []float64{1, 0, 0}, true},
		"an optimum inside": {fwsum.NewQuadratic(3, nil, []float64{0.25, 0.25, 0.5}),
			fwset.Simplex{D: 3, R: 1}, []float64{0.25, 0.25, 0.5}, true},
		"one point": {fwsum.NewQuadratic(3, nil, []float64{9, 9, 9}),
			fwset.Box{Lo: lo, Hi: lo}, lo, true},
		"a constant f": {fwsum.NewQuadratic(3, make([]float64, 3), []float64{1, 2, 3}),
			fwset.Simplex{D: 3, R: 1}, []float64{0, 1, 0}, true},
		"a point that is no vertex": {fwsum.NewQuadratic(3, nil, []float64{0.6, 0.5, -0.5}),
			fwset.Simplex{D: 3, R: 1}, []float64{0.2, 0.3, 0.5}, false},
	} {
		for name, m := range exacts() {
			o := fwopt.NewOracle(c.f, c.omega, 1)
			for s := range m.Steps(o, c.w0) {
				if c.stays && !slices.Equal(s.X, c.w0) || c.stays && math.Abs(*m.gap) > 1e-15 {
					t.Fatalf("%s from %s: step %d leads to %g, gap %g", name, where, s.K, s.X, *m.gap)
				}
				if s.K == 200 {
					break
				}
			}
			if *m.gap > 1e-3 {
				t.Errorf("%s from %s: gap %g after 200 steps", name, where, *m.gap)
			}
		}
	}
}

// What cannot be meant is named.
func TestActiveBadInput(t *testing.T) {
	f, omega := small.Problem()
	run := func(f fwopt.FiniteSum, m fwopt.Method) {
		fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m, fwopt.Budget{Steps: 3})
	}
	other := struct{ fwopt.FiniteSum }{f}
	for _, c := range []struct {
		want string
		f    fwopt.FiniteSum
		m    fwopt.Method
	}{
		{"fwmore: AwayFW.Rule is nil", f, &fwmore.AwayFW{}},
		{"fwmore: PairwiseFW.Rule is nil", f, &fwmore.PairwiseFW{}},
		{"fwmore: BlendedPairwise.Rule is nil", f, &fwmore.BlendedPairwise{}},
		{"fwmore: MomentumSFW.Rho is nil", f, &fwmore.MomentumSFW{M: fwmore.MomentumSFWConvex(1).M}},
		{"fwopt: a batch of 0 samples", f, fwmore.MomentumSFWConvex(0)},
		{"fwmore: STORMFW.M is nil", f, &fwmore.STORMFW{}},
		{"fwmore: SarahFW.B = -1 samples, want at least 1, or 0 for ⌈√n⌉", f, &fwmore.SarahFW{B: -1}},
		{"fwmore: SPIDERFW.N is nil", f, &fwmore.SPIDERFW{}},
		{"fwopt: L = -1", f, &fwmore.PairwiseFW{Rule: fwopt.Short{L: -1}}},
		{"fwopt: L = NaN", f, &fwmore.BlendedPairwise{Rule: fwopt.Short{L: math.NaN()}}},
		{"has no line search", other, &fwmore.PairwiseFW{Rule: fwopt.LineSearch{}}},
		{"has no line search; ", other, &fwmore.BlendedPairwise{Rule: fwopt.LineSearch{}}},
	} {
		if got := small.Panics(func() { run(c.f, c.m) }); !strings.Contains(got, c.want) {
			t.Errorf("panic %q, want %q", got, c.want)
		}
	}
}

// checkActive checks that the weights are positive, of sum 1, on different vertices, and
// make up w.
func checkActive(t *testing.T, where string, m active, step fwopt.Step) {
	t.Helper()
	w, total := make([]float64, len(step.X)), 0.0
	for i, v := range m.s.Atom {
		a := m.s.Weight[i]
		if !(a > 0) {
			t.Fatalf("%s, step %d: weight %g", where, step.K, a)
		}
		total += a
		v.AddTo(w, a)
		for _, u := range m.s.Atom[:i] {
			if u.Equal(&v) {
				t.Fatalf("%s, step %d: the vertex %v is there twice", where, step.K, v)
			}
		}
	}
	if e := norm(sub(w, step.X)); !(e <= 1e-12) || !(math.Abs(total-1) <= 1e-15) ||
		len(m.s.Atom) != len(m.s.Weight) {
		t.Fatalf("%s, step %d: Σ αv is %g off w, Σ α − 1 = %g", where, step.K, e, total-1)
	}
	if !(*m.gap >= -1e-14) {
		t.Fatalf("%s, step %d: duality gap %g", where, step.K, *m.gap)
	}
}

// Weights next to 1 and next to 0. Near a vertex u the rest of the weights is
// almost nothing and γ_max almost infinite: the others must come out right all the
// same. From a w_0 that is no vertex it gets there, too.
func TestActiveNearAVertex(t *testing.T) {
	const d = 7
	omega := fwset.Simplex{D: d, R: 1}
	for _, ε := range []float64{1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 0} {
		for seed := range uint64(10) {
			r := rand.New(rand.NewPCG(seed, 5))
			h, c, sum := make([]float64, d), make([]float64, d), 0.0
			for j := range c {
				h[j] = 1 + r.Float64()
				if j != 2 {
					c[j] = ε * r.Float64()
					sum += c[j]
				}
			}
			c[2] = 1 - sum
			f := fwsum.NewQuadratic(d, h, c)
			w0, centre := make([]float64, d), make([]float64, d)
			w0[seed%d] = 1
			omega.Argmin(centre, centre)
			for i, w0 := range [][]float64{w0, centre} { // slow until the centre is dropped
				for _, rule := range []fwopt.StepRule{fwopt.LineSearch{}, fwopt.Short{L: 2}} {
					for name, m := range actives(func() fwopt.StepRule { return rule }) {
						where := fmt.Sprintf("%s, ε = %g, seed %d, %+v", name, ε, seed, rule)
						for s := range m.Steps(fwopt.NewOracle(f, omega, 1), w0) {
							checkActive(t, where, m, s)
							if e := norm(sub(s.X, c)); s.K > 300 && e > []float64{4e-15, 1e-3}[i] {
								t.Fatalf("%s, step %d: %g off, gap %g", where, s.K, e, *m.gap)
							}
							if s.K == 400 {
								break
							}
						}
					}
				}
			}
		}
	}
}

// A vertex of next to no weight is dropped and not looked at for ever.
func TestActiveDropsTheLeast(t *testing.T) {
	f := fwsum.NewQuadratic(4, nil, []float64{0.5, 0.3, 0.2, -1e-3})
	for _, least := range []float64{1e-13, 1e-17, 1e-30, 1e-200} {
		for name, m := range actives(func() fwopt.StepRule { return fwopt.LineSearch{} }) {
			next, stop := iter.Pull(m.Steps(fwopt.NewOracle(f, fwset.Simplex{D: 4, R: 1}, 1),
				[]float64{1, 0, 0, 0}))
			for range 5 {
				next()
			}
			var v fwopt.Vertex // as if rounding had left this much of it
			v.Pack([]float64{0, 0, 0, 1})
			m.s.Atom, m.s.Weight = append(m.s.Atom, v), append(m.s.Weight, least)
			floats.Scale(1/floats.Sum(m.s.Weight), m.s.Weight)
			for range 60 {
				next()
			}
			stop()
			if len(m.s.Atom) != 3 || *m.gap > 1e-15 {
				t.Errorf("%s, weight %g: gap %g, weights %g", name, least, *m.gap, m.s.Weight)
			}
		}
	}
}

// The minimiser lies on an edge: Frank-Wolfe zigzags towards it, and the two methods
// reach it.
func ExamplePairwiseFW() {
	f := fwsum.NewQuadratic(3, nil, []float64{0.7, 0.4, -0.1})
	omega := fwset.Simplex{D: 3, R: 1}
	for _, m := range []fwopt.Method{&fwopt.FW{Rule: fwopt.LineSearch{}},
		&fwmore.PairwiseFW{Rule: fwopt.LineSearch{}}, &fwmore.BlendedPairwise{Rule: fwopt.LineSearch{}}} {
		tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1).From([]float64{0, 0, 1}), m,
			fwopt.Budget{Tolerance: 1e-9, Steps: 1000})
		fmt.Printf("%v %v after %d steps at %.4f\n", m, tr.Status, tr.Last().Step, tr.W)
	}
	// Output:
	// FW done after 1000 steps at [0.6492 0.3495 0.0013]
	// PairwiseFW converged after 4 steps at [0.6500 0.3500 0.0000]
	// BlendedPairwise converged after 4 steps at [0.6500 0.3500 0.0000]
}
