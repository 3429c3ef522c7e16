package fwopt_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"gonum.org/v1/gonum/floats"
)

// A second implementation of each method, from the paper's text and as plain as can be: terms one by one, Ω
// as a list of vertices, no scratch space. It is handed the samples that the method drew, and nothing else.

// lsq is f_i(w) = ½(a_iᵀw − b_i)² for the methods. It logs the batches.
type lsq struct {
	a     [][]float64
	b     []float64
	drawn []fwopt.Batch // by call of Grad with a batch
}

func (f *lsq) Dim() int { return len(f.a[0]) }
func (f *lsq) Len() int { return len(f.a) }
func (f *lsq) residual(i int, w []float64) float64 {
	s := -f.b[i]
	for j, x := range f.a[i] {
		s += x * w[j]
	}
	return s
}
func (f *lsq) Value(w []float64) float64 {
	s := 0.
	for i := range f.a {
		s += f.residual(i, w) * f.residual(i, w) / 2 / float64(len(f.a))
	}
	return s
}
func (f *lsq) LineSearch(w, v []float64) float64 {
	d, bend := sub(v, w), 0.
	for _, a := range f.a {
		bend += dot(a, d) * dot(a, d) / float64(len(f.a))
	}
	return max(0, min(1, -dot(f.gradAll(w), d)/bend))
}
func (f *lsq) Grad(dst, w []float64, b fwopt.Batch) {
	clear(dst)
	for i, weight := range b.All(len(f.a)) {
		r := f.residual(i, w)
		for j, x := range f.a[i] {
			dst[j] += weight * r * x
		}
	}
	if b.Index != nil {
		f.drawn = append(f.drawn, fwopt.Batch{Index: slices.Clone(b.Index), Weight: slices.Clone(b.Weight)})
	}
}

// counts returns how often each of the n terms is among the m samples of b.
func counts(t *testing.T, b fwopt.Batch, n, m int) []int {
	c, total := make([]int, n), 0
	for k, i := range b.Index {
		times := b.Weight[k] * float64(m)
		if math.Abs(times-math.Round(times)) > 1e-9*times {
			t.Fatalf("weight %g of term %d is no multiple of 1/%d", b.Weight[k], i, m)
		}
		c[i] += int(math.Round(times))
		total += int(math.Round(times))
	}
	if total != m {
		t.Fatalf("drew %d samples, want %d", total, m)
	}
	return c
}

// hull is the convex hull of a list of points; it counts.
type hull struct {
	points [][]float64
	asked  *int
}

func (h hull) Dim() int { return len(h.points[0]) }
func (h hull) Argmin(dst, g []float64) {
	*h.asked++
	copy(dst, best(h.points, g))
}
func (h hull) Diameter() float64 {
	D := 0.
	for _, p := range h.points {
		for _, q := range h.points {
			D = max(D, norm(sub(p, q)))
		}
	}
	return D
}

func best(points [][]float64, g []float64) []float64 {
	return slices.MinFunc(points, func(p, q []float64) int {
		if dot(p, g) < dot(q, g) {
			return -1
		}
		return 1
	})
}
func dot(a, b []float64) float64 { return floats.Dot(a, b) }
func norm(a []float64) float64   { return floats.Norm(a, 2) }
func comb(a float64, x []float64, b float64, y []float64) []float64 {
	z := make([]float64, len(x))
	for j := range z {
		z[j] = a*x[j] + b*y[j]
	}
	return z
}
func sub(x, y []float64) []float64 { return comb(1, x, -1, y) }

// instance returns n random terms in dimension d and a polytope with p vertices.
func instance(seed uint64, n, d, p int) (*lsq, hull) {
	r := rand.New(rand.NewPCG(seed, 99))
	f := &lsq{}
	for range n {
		row := make([]float64, d)
		for j := range row {
			row[j] = r.NormFloat64()
		}
		f.a, f.b = append(f.a, row), append(f.b, 2*r.NormFloat64())
	}
	h := hull{asked: new(int)}
	for range p {
		v := make([]float64, d)
		for j := range v {
			v[j] = r.NormFloat64()
		}
		h.points = append(h.points, v)
	}
	return f, h
}

// naive holds the paper's objects: ∇f_i and ∇f.
func (f *lsq) gradTerm(i int, w []float64) []float64 {
	g := make([]float64, len(w))
	for j, x := range f.a[i] {
		g[j] = f.residual(i, w) * x
	}
	return g
}
func (f *lsq) gradAll(w []float64) []float64 {
	g := make([]float64, len(w))
	for i := range f.a {
		g = comb(1, g, 1/float64(len(f.a)), f.gradTerm(i, w))
	}
	return g
}

// average is the average of grad(i) over samples, in which term i comes count[i] times.
func (f *lsq) average(count []int, grad func(i int) []float64) []float64 {
	g, m := make([]float64, f.Dim()), 0
	for i, c := range count {
		g = comb(1, g, float64(c), grad(i))
		m += c
	}
	return comb(1/float64(m), g, 0, g)
}
func (f *lsq) plain(count []int, w []float64) []float64 {
	return f.average(count, func(i int) []float64 { return f.gradTerm(i, w) })
}
func (f *lsq) reduced(count []int, w, w0 []float64) []float64 {
	full := f.gradAll(w0)
	return f.average(count, func(i int) []float64 {
		return sub(f.gradTerm(i, w), sub(f.gradTerm(i, w0), full)) // ∇f_i(w) − (∇f_i(w_0) − ∇f(w_0))
	})
}

// slide is line 11 of Algorithm 2. close reports that the stopping test was
// decided by less than rounding can tell.
func (h hull) slide(g, x []float64, beta, eta float64) (u []float64, checks int, close bool) {
	u = slices.Clone(x)
	for {
		grad := comb(1, g, beta, sub(u, x))
		v := best(h.points, grad)
		gap := dot(grad, sub(u, v))
		checks++
		close = close || math.Abs(gap-eta) < 1e-12*(1+norm(grad))
		if gap <= eta {
			return u, checks, close
		}
		d := sub(v, u)
		step := math.Min(1, gap/(beta*dot(d, d)))
		u = comb(1, u, step, d)
	}
}

// mean is Σ_i α_i points_i.
func (h hull) mean(alpha []float64) []float64 {
	w := make([]float64, h.Dim())
	for i, p := range h.points {
		w = comb(1, w, alpha[i], p)
	}
	return w
}

// away is one step of Frank-Wolfe with away steps, where α holds a weight for
// each point, 0 for those not active, grad is the gradient there, and line the
// minimiser over γ ≥ 0 along a direction; close is as for slide.
func (h hull) away(alpha, grad []float64, line func(d []float64) float64) (next []float64, gap float64,
	close bool) {
	w := h.mean(alpha)
	v, u := 0, -1
	for i, p := range h.points {
		if dot(grad, p) < dot(grad, h.points[v]) {
			v = i
		}
		if alpha[i] > 0 && (u < 0 || dot(grad, p) > dot(grad, h.points[u])) {
			u = i
		}
	}
	gap = dot(grad, sub(w, h.points[v]))
	back := dot(grad, sub(h.points[u], w))
	tiny := 1e-12 * (1 + norm(grad))
	next = slices.Clone(alpha)
	if gap >= back {
		gamma := min(1, line(sub(h.points[v], w)))
		for i := range next {
			next[i] *= 1 - gamma
		}
		next[v] += gamma
		return next, gap, gap-back < tiny
	}
	most := alpha[u] / (1 - alpha[u])
	gamma := line(sub(w, h.points[u]))
	close = back-gap < tiny || math.Abs(gamma-most) < 1e-12*most
	gamma = min(most, gamma)
	for i := range next {
		next[i] *= 1 + gamma
	}
	next[u] -= gamma
	if gamma == most {
		next[u] = 0
	}
	return next, gap, close
}

// slideAway is line 11 of Algorithm 2 by away steps.
func (h hull) slideAway(g, x []float64, beta, eta float64) (u []float64, checks int, close bool) {
	alpha := make([]float64, len(h.points))
	alpha[slices.IndexFunc(h.points,
		func(p []float64) bool { return slices.Equal(p, best(h.points, g)) })] = 1
	checks = 1
	for {
		u = h.mean(alpha)
		grad := comb(1, g, beta, sub(u, x))
		next, gap, near := h.away(alpha, grad,
			func(d []float64) float64 { return -dot(grad, d) / (beta * dot(d, d)) })
		checks++
		close = close || math.Abs(gap-eta) < 1e-12*(1+norm(grad))
		if gap <= eta {
			return u, checks, close
		}
		alpha, close = next, close || near
	}
}

// disc is the ball of radius r, with a projection.
type disc struct {
	d int
	r float64
}

func (b disc) Dim() int                { return b.d }
func (b disc) Argmin(dst, g []float64) { copy(dst, comb(-b.r/norm(g), g, 0, g)) }
func (b disc) Project(dst, x []float64) {
	copy(dst, b.nearest(x))
}
func (b disc) nearest(x []float64) []float64 { return comb(min(1, b.r/norm(x)), x, 0, x) }

// A twin is a method a second time. Its state is a list of vectors, the first of which is the iterate.
type twin struct {
	m     fwopt.Method
	state string // the fields that hold it
	omega fwopt.Domain
	calls fwopt.Calls        // of a step, but for samples, snapshots and the inner loop
	draws func(t, k int) int // the samples of a step; nil for none
	vr    bool               // they are variance-reduced, with a snapshot at the start of an epoch
	N     func(t int) int    // nil: no epochs
	// step returns the next state, the linear optimisations, and whether rounding decided.
	step func(t, k int, count []int, s [][]float64) (next [][]float64, checks int, close bool)
}

// state is that of a method, in these fields.
func state(m fwopt.Method, fields string, n int) (s [][]float64) {
	for _, name := range strings.Fields(fields) {
		switch x := reflect.ValueOf(m).Elem().FieldByName(name).Interface().(type) {
		case []float64:
			s = append(s, x)
		case float64:
			s = append(s, []float64{x})
		}
	}
	if a, ok := m.(*fwmore.OnlineFW); ok { // and how often each term has come
		c := make([]float64, n)
		for j, i := range a.Index {
			c[i] += a.Count[j]
		}
		s = append(s, c)
	}
	return s
}

// start is the state at w0.
func start(m fwopt.Method, fields string, n int, w0 []float64) [][]float64 {
	zero := make([]float64, len(w0))
	switch m.(type) {
	case *fwmore.FISTA:
		return [][]float64{w0, zero, {0}}
	case *fwmore.OnlineFWLinear:
		return [][]float64{zero, w0, zero, w0}
	case *fwmore.OnlineFW:
		return [][]float64{w0, make([]float64, n)}
	}
	return slices.Repeat([][]float64{w0}, len(strings.Fields(fields)))
}

func twins(f *lsq, h hull, ball disc) map[string]twin {
	const L, G, alpha, mu = 7.0, 11.0, 0.9, 7 / 0.9
	D := h.Diameter()
	C := fwopt.Constants{L: L, D: D, G: G, Alpha: alpha, Sigma: G}
	ceil := func(x float64) int { return int(math.Ceil(x - 1e-9)) }
	type (
		samples = func(t, k int) int
		stepper = func(t, k int, count []int, s [][]float64) ([][]float64, int, bool)
		slider  = func(g, x []float64, beta, eta float64) ([]float64, int, bool)
		double  = func(t, k int) float64
	)
	toward := func(w, g []float64, gamma float64) []float64 {
		return comb(1-gamma, w, gamma, best(h.points, g))
	}
	fw := func(m fwopt.Method, exact int, gamma func(k int, w, g, d []float64) float64) twin {
		return twin{m, "W", h, fwopt.Calls{Exact: exact}, nil, false, nil,
			func(_, k int, _ []int, s [][]float64) ([][]float64, int, bool) {
				g := f.gradAll(s[0])
				d := sub(s[0], best(h.points, g))
				return [][]float64{toward(s[0], g, gamma(k, s[0], g, d))}, 1, false
			}}
	}
	sfw := func(m fwopt.Method, draws samples) twin {
		return twin{m, "W", h, fwopt.Calls{}, draws, false, nil,
			func(_, k int, count []int, s [][]float64) ([][]float64, int, bool) {
				return [][]float64{toward(s[0], f.plain(count, s[0]), 2/float64(k+1))}, 1, false
			}}
	}
	svrf := func(m fwopt.Method, draws samples, k0 func(t int) int, N func(t int) int) twin {
		return twin{m, "X X0", h, fwopt.Calls{}, draws, true, N,
			func(t, k int, count []int, s [][]float64) ([][]float64, int, bool) {
				x, x0 := s[0], s[1]
				if k == 1 {
					x0 = x
				}
				return [][]float64{toward(x, f.reduced(count, x, x0), 2/float64(k0(t)+k+1)), x0}, 1, false
			}}
	}
	// y, x and, with snapshots, y_0
	sliding := func(vr bool, slide slider, gamma, beta, eta double) stepper {
		return func(t, k int, count []int, s [][]float64) ([][]float64, int, bool) {
			y, x, γ := s[0], s[1], gamma(t, k)
			if k == 1 && t > 0 {
				x = y
			}
			z, g := comb(1-γ, y, γ, x), []float64(nil)
			rest := [][]float64{}
			if vr {
				y0 := s[2]
				if k == 1 {
					y0 = y
				}
				g, rest = f.reduced(count, z, y0), [][]float64{y0}
			} else {
				g = f.plain(count, z)
			}
			x, checks, close := slide(g, x, beta(t, k), eta(t, k))
			return append([][]float64{comb(1-γ, y, γ, x), x}, rest...), checks, close
		}
	}
	two := func(_, k int) float64 { return 2 / float64(k+1) }
	storc := func(m fwopt.Method, draws samples, N func(t int) int, slide slider, l float64,
		D2 func(t int) float64) twin {
		return twin{m, "Y X Y0", h, fwopt.Calls{}, draws, true, N, sliding(true, slide, two,
			func(_, k int) float64 { return 3 * l / float64(k) },
			func(t, k int) float64 { return 2 * l * D2(t) / float64(N(t)*k) })}
	}
	same := func(int) float64 { return D * D }
	falling := func(t int) float64 { return mu * D * D / math.Pow(2, float64(t-1)) }
	nAB := func(t int) int { return ceil(math.Pow(2, float64(t)/2+2)) }
	nC := func(int) int { return ceil(math.Sqrt(32 * mu)) }
	fifty := func(int) int { return 50 }
	times := func(c float64, N func(t int) int) samples {
		return func(t, _ int) int { return ceil(c * float64(N(t))) }
	}
	scgs := func(m fwopt.Method, draws samples) twin {
		return twin{m, "Y X", h, fwopt.Calls{}, draws, false, nil, sliding(false, h.slide,
			func(_, k int) float64 { return 3 / float64(k+2) },
			func(_, k int) float64 { return 4 * L / float64(k+2) },
			func(_, k int) float64 { return L * D * D / float64(k*(k+1)) })}
	}
	hundred := func(_, _ int) int { return 100 }
	tenth := fwopt.Constants{L: L / 10, D: D}
	const LF = 60 // of FISTA: Beck & Teboulle's constant step
	return map[string]twin{
		"FW": fw(&fwopt.FW{}, 1,
			func(k int, _, _, _ []float64) float64 { return 2 / float64(k+1) }),
		"FW short": fw(&fwopt.FW{Rule: fwopt.Short{L: L}}, 1,
			func(_ int, _, g, d []float64) float64 { return math.Min(1, dot(g, d)/(L*dot(d, d))) }),
		"FW line search": fw(&fwopt.FW{Rule: fwopt.LineSearch{}}, 2,
			func(_ int, w, _, d []float64) float64 { return f.LineSearch(w, sub(w, d)) }),
		"SFW Theorem 3": sfw(fwopt.SFWTheorem3(C),
			func(_, k int) int { return ceil(math.Pow(G*float64(k+1)/(L*D), 2)) }),
		"SFW": sfw(fwopt.SFWExperiments(), func(_, k int) int { return k * k }),
		"SVRF Theorem 1": svrf(fwopt.SVRFTheorem1(), func(_, k int) int { return 96 * (k + 1) },
			func(int) int { return 0 },
			func(t int) int { return 1<<(t+3) - 2 }),
		"SVRF": svrf(fwopt.SVRFExperiments(), func(t, k int) int { return 50*(t-1) + k },
			func(t int) int { return 50 * (t - 1) }, fifty),
		"STORC a": storc(fwopt.STORCTheorem2a(C), times(900, nAB), nAB, h.slide, L, same),
		"STORC b": storc(fwopt.STORCTheorem2b(C), func(t, k int) int {
			return ceil(float64(nAB(t)) * (700 + 24*G*float64(k+1)/(L*D)))
		}, nAB, h.slide, L, same),
		"STORC c":      storc(fwopt.STORCTheorem2c(C), times(5600*mu, nC), nC, h.slide, L, falling),
		"STORC beyond": storc(away(fwmore.STORCBeyond(C)), times(800, nAB), nAB, h.slideAway, L, same),
		"STORC strong": storc(away(fwmore.STORCBeyondStrong(C)), times(800, nC), nC, h.slideAway, L, falling),
		"STORC":        storc(fwopt.STORCExperiments(tenth), hundred, fifty, h.slide, L/10, same),
		"SCGS convex": scgs(fwopt.SCGSConvex(C), func(_, k int) int {
			return ceil(G * G * math.Pow(float64(k+2), 3) / (L * L * D * D))
		}),
		"SCGS": scgs(fwopt.SCGSExperiments(C), func(_, k int) int { return k * k * k }),
		"SCGS strongly convex": {fwopt.SCGSStronglyConvex(C), "Y X", h, fwopt.Calls{}, func(t, k int) int {
			return ceil(G * G * float64(nC(t)) * math.Pow(float64(k+1), 2) / (L * L * falling(t)))
		}, false, nC, sliding(false, h.slide, two,
			func(_, k int) float64 { return 3 * L / float64(k) },
			func(t, k int) float64 { return 2 * L * falling(t) / float64(nC(t)*k) })},
		"Online-FW": {fwmore.OnlineFWSmooth(), "X", h, fwopt.Calls{}, func(_, k int) int { return k }, false,
			nil,
			func(_, k int, count []int, s [][]float64) ([][]float64, int, bool) {
				seen, g := slices.Clone(s[1]), make([]float64, f.Dim())
				for i := range seen { // one sample more
					if float64(count[i]) > seen[i] {
						seen[i]++
						break
					}
				}
				for i, c := range seen {
					g = comb(1, g, c/float64(k), f.gradTerm(i, s[0]))
				}
				return [][]float64{toward(s[0], g, 1/math.Sqrt(float64(k))), seen}, 1, false
			}},
		"Online-FW linearised": {fwmore.OnlineFWLipschitz(C), "W X Sum X1", h, fwopt.Calls{},
			func(_, _ int) int { return 1 }, false, nil,
			func(_, k int, count []int, s [][]float64) ([][]float64, int, bool) {
				mean, x, sum, x1, q := s[0], s[1], s[2], s[3], float64(k)
				sum = comb(1, sum, 1, f.plain(count, x))
				grad := comb(1/q, sum, 2*G/D*math.Pow(q, -0.25), sub(x, x1))
				return [][]float64{comb((q-1)/q, mean, 1/q, x), toward(x, grad, math.Pow(q, -0.5)), sum,
					x1}, 1, false
			}},
		"SGD": {fwopt.SGDExperiments(0.3), "W", ball, fwopt.Calls{Projections: 1}, hundred, false, nil,
			func(_, k int, count []int, s [][]float64) ([][]float64, int, bool) {
				step := -0.3 / math.Sqrt(float64(k))
				return [][]float64{ball.nearest(comb(1, s[0], step, f.plain(count, s[0])))}, 0, false
			}},
		"SVRG": {fwopt.SVRGExperiments(0.2), "X X0", ball, fwopt.Calls{Projections: 1}, hundred, true, fifty,
			func(_, k int, count []int, s [][]float64) ([][]float64, int, bool) {
				x, x0 := s[0], s[1]
				if k == 1 {
					x0 = x
				}
				return [][]float64{ball.nearest(comb(1, x, -0.2, f.reduced(count, x, x0))), x0}, 0, false
			}},
		"FISTA": {&fwmore.FISTA{L: LF, Fixed: true}, "X V Theta", ball,
			fwopt.Calls{Exact: 1, Projections: 1}, nil, false, nil,
			func(_, _ int, _ []int, s [][]float64) ([][]float64, int, bool) {
				w, v, theta := s[0], s[1], s[2][0]
				next := (1 + math.Sqrt(1+4*theta*theta)) / 2
				y := comb(1, w, (theta-1)/next, v)
				x := ball.nearest(comb(1, y, -1./LF, f.gradAll(y)))
				if v = sub(x, w); dot(sub(y, x), v) > 0 { // restart
					return [][]float64{x, comb(0, v, 0, v), {0}}, 0, false
				}
				return [][]float64{x, v, {next}}, 0, false
			}},
	}
}

func clones(s [][]float64) [][]float64 {
	out := make([][]float64, len(s))
	for i := range s {
		out[i] = slices.Clone(s[i])
	}
	return out
}

// Each step from the method's own state, and the accounts.
func TestAgainstNaive(t *testing.T) {
	skipped := 0
	for seed := range uint64(3) {
		f, h := instance(seed, 40, 5, 12)
		ball := disc{5, 0.6}
		for name, c := range twins(f, h, ball) {
			o, w0, n := fwopt.NewOracle(f, c.omega, seed), h.points[0], 0
			if c.omega == fwopt.Domain(ball) {
				w0 = []float64{0.6, 0, 0, 0, 0}
			}
			f.drawn = nil
			*h.asked = 0
			last := clones(start(c.m, c.state, f.Len(), w0)) // the method's own state before the step
			epoch, k, perStep, want := 1, 0, 0, fwopt.Calls{}
			if c.draws != nil {
				if perStep = 1; c.vr {
					perStep = 2
				}
			}
			for s := range c.m.Steps(o, w0) {
				n++
				if k++; c.N != nil && k > c.N(epoch) {
					epoch, k = epoch+1, 1
				}
				var count []int // of each term among the samples
				if perStep > 0 {
					m := c.draws(epoch, k)
					count = counts(t, f.drawn[len(f.drawn)-1], f.Len(), m)
					want.Stochastic += perStep * m
				}
				at := epoch
				if c.N == nil {
					at = 0
				}
				next, inner, near := c.step(at, k, count, last)
				want.Exact, want.Projections = want.Exact+c.calls.Exact, want.Projections+c.calls.Projections
				if want.Linear += inner; c.vr && k == 1 { // a snapshot
					want.Exact++
				}
				if near { // the inner stopping test was decided by rounding
					skipped++
					want.Linear = o.Calls.Linear
				} else {
					for i, v := range state(c.m, c.state, f.Len()) {
						if e := norm(sub(v, next[i])); !(e <= 1e-10) {
							t.Fatalf("%s, step %d: vector %d of the state is %g off", name, n, i, e)
						}
					}
				}
				if s.T != epoch || s.K != k || !slices.Equal(s.X, state(c.m, c.state, f.Len())[0]) ||
					len(f.drawn) != n*perStep {
					t.Fatalf("%s, step %d: t = %d, k = %d, X = %v, %d batches", name, n, s.T, s.K, s.X,
						len(f.drawn))
				}
				if o.Calls != want || *h.asked != o.Calls.Linear {
					t.Fatalf("%s, step %d: calls %+v, want %+v; %d linear optimisations", name, n, o.Calls,
						want, *h.asked)
				}
				if last = clones(state(c.m, c.state, f.Len())); n == 150 {
					break
				}
			}
		}
	}
	if skipped > 5 {
		t.Errorf("%d steps left out as undecidable", skipped)
	}
}
