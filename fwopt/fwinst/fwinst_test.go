package fwinst

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwkeep"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwtest"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	problems "github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// A small instance, with its terms and vertices written out from its comment.
type small struct {
	*Instance
	term     func(i int, w []float64) float64 // f_i(w)
	vertices [][]float64
}

// s returns the random signs of an instance.
func s(p *Instance) func(i, j int) float64 { return p.F.(*signs).sign }

func smalls() []small {
	box, simplex := boxVertices(4, 1), simplexVertices(5)
	all := []small{simplexCase(5, 8), simplexCase(3, 2), simplexCase(4, 64), mslCase(4, 6, 1),
		mslCase(3, 40, 0.25), mscCase(3, 0.5), mscCase(1, 2), faceCase(4, 8, 3), faceCase(6, 6, 0.01),
		{Zigzag(), func(_ int, w []float64) float64 {
			return (math.Pow(w[0]+1-math.Sqrt(2), 2) + w[1]*w[1]) / 2
		}, [][]float64{{-1, 0}, {1, 0}, {0, 1}}},
		productCase(simplexCase(3, 4), mscCase(2, 0.5)), productCase(mscCase(3, 0.5), mslCase(2, 4, 0.25)),
		productCase(productCase(simplexCase(2, 2), mscCase(1, 1)), mscCase(2, 0.3)),
		productCase(productCase(simplexCase(3, 2), mscCase(2, 0.5)), mslCase(1, 4, 0.25)),
		productCase(productCase(simplexCase(2, 2), illCase(IllBox(2, 4, 64, 5), 4, 64, boxVertices(2, 1))),
			noiseCase(NoisyBox(1, 4, 5), 4, 1, boxVertices(1, 1)))}
	for _, n := range []int{1, 8, 34} {
		all = append(all, noiseCase(NoisyBox(4, n, 5), n, 1, box),
			noiseCase(NoisySimplex(5, n, 0.3, 5), n, 0.3, simplex),
			illCase(IllBox(4, n, 30, 5), n, 30, box), illCase(IllSimplex(5, n, 7, 5), n, 7, simplex))
	}
	return all
}

func simplexCase(d, n int) small {
	p := Simplex(d, n, 3)
	return small{p, func(i int, w []float64) (v float64) {
		for j, x := range w {
			v += 0.25 * (1 + s(p)(i, j)) * math.Pow(x-1/float64(d), 2)
		}
		return v
	}, simplexVertices(d)}
}

func faceCase(d, n int, R float64) small {
	p := Face(d, n, R, 4)
	return small{p, func(i int, w []float64) (v float64) {
		for j, x := range w {
			if j < d/2 {
				v += 0.25 * (1 + s(p)(i, j)) * math.Pow(x-2/float64(d), 2)
			} else {
				v += 0.25*(1+s(p)(i, j))*x*x + R*x
			}
		}
		return v
	}, simplexVertices(d)}
}

// noiseCase is NoisyBox and NoisySimplex; of the random centre it checks only the range.
func noiseCase(p *Instance, n int, scale float64, vertices [][]float64) small {
	return small{p, func(i int, w []float64) (v float64) {
		for j, x := range w {
			v += (x - p.WStar[j]) * (x - p.WStar[j]) / 2
			if n > 1 {
				v += scale * s(p)(i, j) * x
			}
		}
		return v
	}, vertices}
}

func illCase(p *Instance, n int, mu float64, vertices [][]float64) small {
	d := len(p.WStar)
	return small{p, func(i int, w []float64) (v float64) {
		for j, x := range w {
			h := math.Pow(mu, -float64(j)/float64(d-1))
			if n > 1 {
				h = math.Pow(mu/2, -float64(j)/float64(d-1)) / 2 * (1 + s(p)(i, j))
			}
			v += h * (x - p.WStar[j]) * (x - p.WStar[j]) / 2
		}
		return v
	}, vertices}
}

func mslCase(J, n int, r float64) small {
	p := MSL(J, n, r, 7)
	return small{p, func(i int, w []float64) float64 {
		v := w[0] * w[0] / 2
		for j, x := range w {
			if j > 0 {
				v += math.Pow(2, float64(2-j)) * x
			}
			v += 4 * s(p)(i, j) * x
		}
		return v
	}, boxVertices(J+1, r)}
}

func mscCase(J int, r float64) small {
	return small{MSC(J, r), func(i int, w []float64) float64 {
		for j := 1; j <= J; j++ { // the terms counted off from the last one
			count := int(math.Pow(2, float64(J-j)))
			if first := count; i >= first && i < 2*count {
				return w[j-1] * w[j-1] / 2
			}
		}
		return 0
	}, boxVertices(J, r)}
}

func productCase(a, b small) small {
	d, n := len(a.WStar), b.F.Len()
	var vertices [][]float64
	for _, u := range a.vertices {
		for _, v := range b.vertices {
			vertices = append(vertices, slices.Concat(u, v))
		}
	}
	return small{Product(a.Instance, b.Instance), func(i int, w []float64) float64 {
		return a.term(i/n, w[:d]) + b.term(i%n, w[d:])
	}, vertices}
}

func simplexVertices(d int) (vs [][]float64) {
	for k := range d {
		vs = append(vs, make([]float64, d))
		vs[k][k] = 1
	}
	return vs
}

func boxVertices(d int, r float64) (vs [][]float64) {
	for code := range 1 << d {
		v := make([]float64, d)
		for j := range v {
			v[j] = r * float64(2*(code>>j&1)-1)
		}
		vs = append(vs, v)
	}
	return vs
}

// inside returns a random point of Ω, a vertex now and then.
func (c small) inside(r *rand.Rand) []float64 {
	w, total := make([]float64, len(c.WStar)), 0.0
	for range 3 {
		x := r.ExpFloat64()
		total += x
		floats.AddScaled(w, x, c.vertices[r.IntN(len(c.vertices))])
	}
	floats.Scale(1/total, w)
	return w
}

func (c small) grad(w []float64, b fwopt.Batch) []float64 {
	g := make([]float64, len(w))
	c.F.Grad(g, w, b)
	return g
}

func single(i int) fwopt.Batch { return fwopt.Batch{Index: []int{i}, Weight: []float64{1}} }

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s = %.15g, want %.15g", what, got, want)
	}
}

func each(t *testing.T, check func(t *testing.T, c small)) {
	t.Helper()
	for _, c := range smalls() {
		t.Run(c.Name, func(t *testing.T) { check(t, c) })
	}
}

func TestContracts(t *testing.T) {
	each(t, func(t *testing.T, c small) {
		fwtest.TestFiniteSum(t, c.F)
		fwtest.TestDomain(t, c.Omega)
		if c.F.(fmt.Stringer).String() != c.Name {
			t.Errorf("F calls itself %v", c.F)
		}
	})
}

// f, its gradient and those of its terms against the formulas of the comments; and the mean
// of the terms is f to the last bits.
func TestTerms(t *testing.T) {
	each(t, func(t *testing.T, c small) {
		r := rand.New(rand.NewPCG(1, 1))
		n, d := c.F.Len(), len(c.WStar)
		for range 5 {
			w, all, mean := c.inside(r), fwopt.Batch{}, 0.0
			for i := range n {
				mean += c.term(i, w) / float64(n)
				all.Index, all.Weight = append(all.Index, i), append(all.Weight, 1/float64(n))
			}
			near(t, "Value", c.F.Value(w), mean, 1e-13*(1+math.Abs(mean)))
			for i := range n {
				g := c.grad(w, single(i))
				for j := range d { // of a quadratic central differences are exact
					x, y := slices.Clone(w), slices.Clone(w)
					x[j]++
					y[j]--
					near(t, fmt.Sprintf("∂f_%d/∂w_%d", i, j), g[j], (c.term(i, x)-c.term(i, y))/2, 1e-12)
				}
			}
			for j, x := range c.grad(w, all) {
				near(t, fmt.Sprintf("mean of ∂f_i/∂w_%d", j), x, c.grad(w, fwopt.Batch{})[j], 4e-16*c.G)
			}
		}
	})
}

// The constants, each against the largest or smallest value on all terms,
// coordinates and vertices.
func TestConstants(t *testing.T) {
	each(t, func(t *testing.T, c small) {
		n, d := c.F.Len(), len(c.WStar)
		curvature := func(j int, b fwopt.Batch) float64 {
			w, zero := make([]float64, d), make([]float64, d)
			w[j] = 1
			return c.grad(w, b)[j] - c.grad(zero, b)[j]
		}
		L, LF, alpha := 0.0, 0.0, math.Inf(1)
		for j := range d {
			LF, alpha = max(LF, curvature(j, fwopt.Batch{})), min(alpha, curvature(j, fwopt.Batch{}))
			for i := range n {
				L = max(L, curvature(j, single(i)))
			}
		}
		D, G, GF, variance := 0.0, 0.0, 0.0, 0.0
		for k, v := range c.vertices {
			for _, w := range c.vertices[:k] {
				D = max(D, floats.Distance(v, w, 2))
			}
			g := c.grad(v, fwopt.Batch{})
			GF = max(GF, floats.Norm(g, 2))
			at := 0.0
			for i := range n {
				gi := c.grad(v, single(i))
				G = max(G, floats.Norm(gi, 2))
				at += math.Pow(floats.Distance(gi, g, 2), 2) / float64(n)
			}
			variance = max(variance, at)
		}
		near(t, "L", c.L, L, 1e-12)
		near(t, "LF", c.LF, LF, 1e-12)
		near(t, "α", c.Alpha, alpha, 1e-12)
		near(t, "D", c.D, D, 1e-12)
		near(t, "Diameter()", c.Omega.(fwset.Bounded).Diameter(), D, 1e-12)
		near(t, "G", c.G, G, 1e-12)
		near(t, "GF", c.GF, GF, 1e-12)
		near(t, "σ²", c.Sigma*c.Sigma, variance, 1e-12)
	})
}

// The variance at w* is 0 where the comment of the package says so. Elsewhere fwverify holds it
// against an enumeration of the terms.
func TestVariance(t *testing.T) {
	each(t, func(t *testing.T, c small) {
		noisy := c.F.Len() > 1 && (strings.Contains(c.Name, "Noisy") || strings.Contains(c.Name, "MSL"))
		if v := c.Variance(c.WStar, nil); (v > 0) != noisy {
			t.Errorf("variance at w* %g", v)
		}
		if v := c.Variance(c.WStar, c.WStar); v != 0 {
			t.Errorf("variance at a snapshot %g", v)
		}
	})
}

// Line 7 without its snapshot: SVRF then is this loop, to the bit, and the oracle draws
// and counts as before.
func TestWithoutSnapshot(t *testing.T) {
	for _, p := range []*Instance{NoisyBox(5, 8, 1), Product(Product(Simplex(6, 4, 1), MSC(6, 0.5)),
		MSL(4, 8, 0.25, 1))} {
		q := p.WithoutSnapshot()
		w0 := p.start()
		o, with := fwopt.NewOracle(p.F, p.Omega, 3), fwopt.NewOracle(q.F, q.Omega, 3)
		a, last := fwopt.SVRFTheorem1(), [2]int{3, 5}
		x, g, v := slices.Clone(w0), make([]float64, len(w0)), fwopt.Vertex{}
		naive := func(t, k int) {
			o.StochasticGrad(g, x, a.M(t, k))
			o.Argmin(&v, g)
			v.Lerp(x, 2/float64(k+1))
		}
		for s := range a.Steps(with, w0) {
			naive(s.T, s.K)
			if !slices.Equal(s.X, x) {
				t.Fatalf("%s: t = %d, k = %d: %v, want %v", q.Name, s.T, s.K, s.X, x)
			}
			near(t, "excess", q.Excess(s.X), p.Excess(x), 0)
			if s.T == last[0] && s.K == last[1] {
				break
			}
		}
		if with.Calls.Stochastic != 2*o.Calls.Stochastic || with.Calls.Exact != last[0] {
			t.Errorf("%s: %+v, without a snapshot %+v", q.Name, with.Calls, o.Calls)
		}
		if q.F.(fmt.Stringer).String() != q.Name || q.Name != p.Name+".WithoutSnapshot()" || p.F == q.F {
			t.Errorf("named %s", q.F)
		}
		run := func(p *Instance) *fwopt.Trace {
			tr, err := fwkeep.Keep(context.Background(), t.TempDir(), fwopt.NewOracle(p.F, p.Omega,
				1).From(w0), fwopt.SVRFTheorem1(), fwopt.Budget{Steps: 9})
			if err != nil || strings.HasPrefix(tr.Note, "not ") {
				t.Errorf("%s: %v, %s", p.Name, err, tr.Note)
			}
			return tr
		}
		if run(p).Spec == run(q).Spec {
			t.Errorf("%s and %s are one run", p.Name, q.Name)
		}
	}
}

// Gap, f* and w*: against f and the duality gap at w*, near w* to all digits. The start is in
// Ω, is not w*, and is one that the theorems allow.
func TestMinimiser(t *testing.T) {
	each(t, func(t *testing.T, c small) {
		near(t, "f(w*)", c.F.Value(c.WStar), c.FStar, 0)
		near(t, "Gap(w*)", c.Excess(c.WStar), 0, 0)
		gap, slack := fwopt.DualityGap(c.F, c.Omega, c.WStar)
		near(t, "duality gap at w*", gap, 0, slack+1e-15)
		r := rand.New(rand.NewPCG(3, 1))
		for range 200 {
			w := c.inside(r)
			near(t, "Gap", c.Excess(w), c.F.Value(w)-c.FStar, 1e-14*(1+math.Abs(c.FStar)+c.G*c.D))
			if !(c.Excess(w) >= 0) {
				t.Errorf("Gap = %g", c.Excess(w))
			}
		}
		start := c.start()
		if g := c.Omega.(fwset.Gauged).Gauge(start); g > 1+1e-12 || !(c.Excess(start) > 1e-6) {
			t.Errorf("W0 has gauge %g and gap %g", g, c.Excess(start))
		}
		if c.W0 == nil && !slices.Equal(start, fwopt.NewOracle(c.F, c.Omega, 1).Start()) {
			t.Error("start is not line 3")
		}
		w := slices.Clone(c.WStar)
		floats.AddScaled(w, 0x1p-40, floats.SubTo(make([]float64, len(w)), start, c.WStar))
		g, h, ones := c.grad(c.WStar, fwopt.Batch{}), make([]float64, len(w)), fill(len(w), 1)
		c.F.(interface{ Curve(dst, w, d []float64) }).Curve(h, c.WStar, ones)
		want := 0.0
		for j, x := range w {
			x -= c.WStar[j]
			want += g[j]*x + h[j]*x*x/2
		}
		near(t, "Gap", c.Excess(w), want, 1e-12*want)
	})
	product := func(b *Instance) *Instance { return Product(Simplex(100, 8, 1), b) }
	for _, p := range []*Instance{Simplex(100, 8, 1), Face(100, 8, 1, 1), NoisyBox(16, 64, 1),
		NoisySimplex(100, 8, 0.01, 1), IllBox(16, 8, 100, 1), IllSimplex(16, 8, 100, 1), Zigzag(),
		MSC(14, 0.5),
		MSL(19, 64, 1, 1), MSL(18, 64, 0.25, 1), product(MSL(18, 64, 0.25, 1)), product(MSC(14, 0.5))} {
		if gap := p.Excess(p.start()); gap > p.BoundEpoch(0) {
			t.Errorf("%s: the gap of W0 is %g, above LD²/2 = %g", p.Name, gap, p.BoundEpoch(0))
		}
	}
}

// The random centres are where the comments say, and depend on the seed.
func TestCentres(t *testing.T) {
	const d = 50
	for name, make := range map[string]func(seed uint64) *Instance{
		"NoisyBox":   func(seed uint64) *Instance { return NoisyBox(d, 8, seed) },
		"IllBox":     func(seed uint64) *Instance { return IllBox(d, 8, 10, seed) },
		"IllSimplex": func(seed uint64) *Instance { return IllSimplex(d, 8, 10, seed) },
	} {
		c, lo, hi := make(1).WStar, -0.8, 0.8
		if name == "IllSimplex" {
			lo, hi = 1./(3*d), 3./d
			near(t, "Σ c_j", floats.Sum(c), 1, 1e-15)
		}
		if slices.Min(c) < lo || slices.Max(c) > hi || slices.Max(c)-slices.Min(c) < (hi-lo)/4 ||
			slices.Equal(c, make(2).WStar) {
			t.Errorf("%s: centre %v", name, c)
		}
	}
}

// The gap of line search on Zigzag is (1−x²)²/(8k) in the limit, and Frank-Wolfe
// with open-loop steps does better.
func TestZigzag(t *testing.T) {
	p := Zigzag()
	limit := math.Pow(1-p.WStar[0]*p.WStar[0], 2) / 8
	at := fwopt.Geometric(10, 50000)
	for _, q := range p.Run(context.Background(), &fwopt.FW{Rule: fwopt.LineSearch{}}, 1, at) {
		if k := float64(q.K); k >= 1000 {
			near(t, fmt.Sprintf("k = %g: k·gap", k), k*q.Excess, limit, 5*limit/math.Sqrt(k))
		}
	}
	all := p.Run(context.Background(), &fwopt.FW{}, 1, at)
	if q := all[len(all)-1]; q.Excess > limit/float64(q.K)/10 {
		t.Errorf("open loop: gap %g", q.Excess)
	}
}

// Polygon on the triangle |x| + y ≤ 1, y ≥ 0 of Zigzag and on the square |x| + |y| ≤ 1:
// Gauge against these, Project against what defines a projection.
func TestPolygon(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, p := range []Polygon{{{-1, 0}, {1, 0}, {0, 1}}, {{1, 0}, {0, 1}, {-1, 0}, {0, -1}},
		{{0, -1}, {-1, 0}, {0, 1}, {1, 0}}} {
		fwtest.TestDomain(t, p)
		for range 2000 {
			x, q := []float64{4*r.Float64() - 2, 4*r.Float64() - 2}, make([]float64, 2)
			in := math.Abs(x[0])+math.Abs(x[1]) <= 1 && (x[1] >= 0 || len(p) == 4)
			p.Project(q, x)
			if in != (p.Gauge(x) <= 1) || in && !slices.Equal(x, q) || p.Gauge(q) > 1+1e-12 {
				t.Fatalf("%v: gauge %g at %g, in Ω: %v; projected to %g", p, p.Gauge(x), x, in, q)
			}
			for _, v := range p {
				if s := (x[0]-q[0])*(v[0]-q[0]) + (x[1]-q[1])*(v[1]-q[1]); s > 1e-12 {
					t.Fatalf("%v: %g is not the point nearest to %g", p, q, x)
				}
			}
		}
	}
}

// Keep knows every instance, made again, and no two are the same run.
func TestIdentities(t *testing.T) {
	seen := map[uint64]string{}
	for range 2 {
		box := MSC(4, 1)
		for _, p := range []*Instance{Simplex(16, 8, 1), Simplex(16, 8, 2), Face(16, 8, 0.5, 1),
			MSL(4, 8, 1, 1), box, MSC(5, 1), NoisyBox(4, 8, 1), Product(box, Simplex(16, 8, 1)),
			Product(box, Simplex(16, 8, 2)), Zigzag()} {
			f, omega := ident.New(p.F, 0), ident.New(p.Omega, 0)
			if name, known := seen[f.Hash()]; known && name != p.Name || f.Why()+omega.Why() != "" {
				t.Errorf("%s is taken for %q; %s%s", p.Name, name, f.Why(), omega.Why())
			}
			seen[f.Hash()] = p.Name
		}
	}
	if len(seen) != 10 {
		t.Errorf("%d identities of 10 instances", len(seen))
	}
}

// What the caller could have known.
func TestPanics(t *testing.T) {
	x := make([]float64, 3)
	p := Simplex(3, 2, 1)
	for want, call := range map[string]func(){
		"fwinst: d = 1, want at least 2":               func() { Simplex(1, 2, 1) },
		"fwinst: d = 0, want at least 1":               func() { NoisyBox(0, 2, 1) },
		"fwinst: d = -1, want at least 2":              func() { IllBox(-1, 2, 2, 1) },
		"fwinst: d = 5, want an even number":           func() { Face(5, 2, 1, 1) },
		"fwinst: n = 3, want an even number up to 64":  func() { Simplex(3, 3, 1) },
		"fwinst: n = 66, want an even number up to 64": func() { Simplex(3, 66, 1) },
		"fwinst: n = 0, want an even number up to 64":  func() { Simplex(3, 0, 1) },
		"fwinst: R = 0, want a positive number":        func() { Face(4, 2, 0, 1) },
		"fwinst: radius = NaN, want a positive number": func() { MSL(2, 2, math.NaN(), 1) },
		"fwinst: J = 0, want at least 1":               func() { MSC(0, 1) },
		"fwinst: J = 62, want at most 61: there are":   func() { MSC(62, 1) },
		"fwinst: scale = -1, want a positive number":   func() { NoisySimplex(2, 2, -1, 1) },
		"fwinst: mu = 1.5, want at least 2":            func() { IllBox(2, 2, 1.5, 1) },
		"fwinst: mu = 0.5, want at least 1":            func() { IllSimplex(2, 1, 0.5, 1) },
		"fwinst: a product of 4294967296 times":        func() { Product(MSC(32, 1), MSC(32, 1)) },
		"fwinst: a vector of length 2, not 3":          func() { p.Excess(x[:2]) },
		"fwset: a vector of length 4, not 5": func() {
			Product(p, MSC(2, 1)).Omega.Argmin(make([]float64, 4), x)
		},
		"fwinst: a batch with term 2 of a sum of 2": func() { p.F.Grad(x, x, single(2)) },
		"fwinst: a batch of 1 terms with 0 weights": func() {
			p.F.Grad(x, x, fwopt.Batch{Index: []int{0}})
		},
		"fwinst: a Polygon of 2 vertices": func() { Polygon{{0, 0}, {1, 1}}.Diameter() },
	} {
		if r := problems.Panics(call); !strings.HasPrefix(r, want) {
			t.Errorf("panic %q, want %q", r, want)
		}
	}
}

// The signs are ±1, in pairs, and not all the same.
func TestSigns(t *testing.T) {
	const d = 300
	for _, n := range []int{2, 8, 16, 18, 64} {
		f := Simplex(d, n, 1).F.(*signs)
		for i := range n / 2 {
			sum, common := 0.0, 0.0 // with term 0
			for j := range d {
				x := f.sign(i, j)
				if math.Abs(x) != 1 || f.sign(i+n/2, j) != -x {
					t.Fatalf("signs %g and %g", x, f.sign(i+n/2, j))
				}
				sum += x
				common += x * f.sign(0, j)
			}
			if math.Abs(sum) > 5*math.Sqrt(d) || i > 0 && math.Abs(common) > 5*math.Sqrt(d) {
				t.Errorf("n %d: the signs of term %d add up to %g, times those of term 0 to %g", n, i, sum,
					common)
			}
		}
	}
}

// Same seed, same bits, also where several runs share an instance; another seed
// is another instance.
func TestSeeds(t *testing.T) {
	make2 := func(a, b uint64) *Instance { return Product(Simplex(50, 8, a), MSL(6, 12, 0.5, b)) }
	run := func(p *Instance) float64 {
		m := fwopt.SVRFTheorem1()
		return p.Run(context.Background(), m, 9, fwopt.EpochEnds(m.N, 2))[1].Excess
	}
	p := make2(1, 1)
	want := run(p)
	if got := run(make2(1, 1)); got != want {
		t.Errorf("the same seed gives %g and %g", got, want)
	}
	for _, other := range []*Instance{make2(2, 2), make2(1, 2), make2(2, 1)} {
		g, h := make([]float64, 57), make([]float64, 57)
		p.F.Grad(g, p.W0, single(0))
		if other.F.Grad(h, p.W0, single(0)); slices.Equal(g, h) {
			t.Error("another seed gives the same bits")
		}
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 5 {
				if got := run(p); got != want {
					t.Errorf("runs that share an instance give %g and %g", got, want)
				}
			}
		}()
	}
	wg.Wait()
}

// A sampler's batch is a list of true terms whose weights are counts over m.
func TestSamplerCounts(t *testing.T) {
	for _, p := range []*Instance{MSC(3, 1), MSC(40, 1), Product(Simplex(3, 8, 1), MSC(40, 1)),
		Product(MSC(4, 1), MSC(5, 1)),
		Product(Zigzag(), MSC(5, 1)), Product(Simplex(3, 8, 1), Product(MSL(3, 6, 1, 1), MSC(10, 1)))} {
		rng := rand.New(rand.NewPCG(4, 4))
		var b fwopt.Batch
		for _, m := range []int{1, 2, 3, 7, 100, 12345, 1e12} {
			for range 200 {
				p.F.(fwopt.Sampler).SampleBatch(&b, m, rng)
				total := 0
				for k, i := range b.Index {
					c := b.Weight[k] * float64(m)
					if i < 0 || i >= p.F.Len() || c < 0.5 || math.Abs(c-math.Round(c)) > 1e-15*c {
						t.Fatalf("%s, m %d: term %d of %d comes %g times", p.Name, m, i, p.F.Len(), c)
					}
					total += int(math.Round(c))
				}
				if total != m || len(b.Index) != len(b.Weight) || len(b.Index) > 60 {
					t.Fatalf("%s, m %d: %d samples in %d terms", p.Name, m, total, len(b.Index))
				}
			}
		}
	}
}

// The law of a sampler's gradient at a point where all different counts give
// different gradients, against all n^m batches, by χ².
func TestSamplerLaw(t *testing.T) {
	for _, c := range []struct {
		p *Instance
		m int
	}{
		{MSC(3, 1), 1}, {MSC(3, 1), 2}, {MSC(2, 1), 5}, {MSC(1, 1), 9},
		{Product(Simplex(3, 4, 1), MSC(2, 1)), 1}, {Product(Simplex(3, 4, 1), MSC(2, 1)), 2},
		{Product(Simplex(3, 4, 1), MSC(2, 1)), 3},
		{Product(MSC(2, 1), MSL(2, 2, 1, 3)), 3},
	} {
		n, d := c.p.F.Len(), c.p.F.Dim()
		r := rand.New(rand.NewPCG(5, 5))
		w, g := make([]float64, d), make([]float64, d)
		for j := range w {
			w[j] = r.NormFloat64()
		}
		gradient := func(b fwopt.Batch) string {
			c.p.F.Grad(g, w, b)
			for j := range g {
				g[j] = math.Round(g[j]*1e9)/1e9 + 0 // no −0
			}
			return fmt.Sprint(g)
		}
		law := map[string]float64{}
		total := int(math.Pow(float64(n), float64(c.m)))
		b := fwopt.Batch{Index: make([]int, c.m), Weight: fill(c.m, 1/float64(c.m))}
		for code := range total {
			for k := range b.Index {
				b.Index[k], code = code%n, code/n
			}
			law[gradient(b)] += 1 / float64(total)
		}
		const draws = 20000
		seen := map[string]int{}
		for range draws {
			c.p.F.(fwopt.Sampler).SampleBatch(&b, c.m, r)
			seen[gradient(b)]++
		}
		chi2, cells, rest, restSeen := 0.0, 0, 0.0, 0
		for g, p := range law {
			if want := draws * p; want < 10 {
				rest += want
				restSeen += seen[g]
			} else {
				chi2 += math.Pow(float64(seen[g])-want, 2) / want
				cells++
			}
			delete(seen, g)
		}
		if rest >= 10 {
			chi2 += math.Pow(float64(restSeen)-rest, 2) / rest
			cells++
		}
		if len(seen) > 0 {
			t.Errorf("%s, m %d: %d impossible gradients", c.p.Name, c.m, len(seen))
		}
		if p := 1 - (distuv.ChiSquared{K: float64(max(1, cells-1))}).CDF(chi2); p < 1e-5 {
			t.Errorf("%s, m %d: χ² %.1f over %d cells, probability %.1g", c.p.Name, c.m, chi2, cells, p)
		}
	}
}

// The same counts and gaps, to the bit, as the method stepped through by hand.
func TestRun(t *testing.T) {
	for _, p := range []*Instance{Simplex(64, 8, 1), Product(IllBox(4, 8, 30, 2), NoisyBox(4, 8, 2))} {
		m, o := fwopt.STORCTheorem2a(p.Constants), fwopt.NewOracle(p.F, p.Omega, 7)
		run := func(seed uint64) []fwopt.Point {
			return p.Run(context.Background(), fwopt.STORCTheorem2a(p.Constants), seed,
				fwopt.EpochEnds(m.N, 4))
		}
		got, other := run(7), run(8)
		i := 0
		for s := range m.Steps(o, o.From(p.W0).Start()) {
			if s.K < m.N(s.T) {
				continue
			}
			q := got[i]
			if e := p.Excess(s.X); q.T != s.T || q.K != s.K || q.Calls != o.Calls || q.Excess != e ||
				len(got) != 4 {
				t.Errorf("%s: %+v, want %v after %v", p.Name, q, e, o.Calls)
			}
			if i++; i == 4 {
				break
			}
		}
		if other[3].Excess == got[3].Excess {
			t.Errorf("%s: seeds 7 and 8 have the same gap", p.Name)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if problems.Panics(func() { Zigzag().Run(ctx, &fwopt.FW{}, 1, fwopt.Geometric(2, 16)) }) == "" {
		t.Error("a run that was cut short does not panic")
	}
}

// A random point is one of Ω, and another one each time.
func TestInside(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	omega := fwset.L1Ball{D: 5, R: 2}
	a, b := Inside(omega, r), Inside(omega, r)
	if omega.Gauge(a) > 1+1e-12 || omega.Gauge(b) > 1+1e-12 || floats.Distance(a, b, 2) < 1e-3 {
		t.Errorf("%v, %v", a, b)
	}
}

// Bad arguments are answered in words of ours.
func TestMistakes(t *testing.T) {
	p := Simplex(8, 4, 1)
	at := fwopt.Geometric(2, 4)
	for name, c := range map[string][]any{
		"Face":         {Face, 8, 4, 1.0, 1},
		"IllBox":       {IllBox, 8, 4, 4.0, 1},
		"IllSimplex":   {IllSimplex, 8, 4, 4.0, 1},
		"MSC":          {MSC, 4, 0.5},
		"MSL":          {MSL, 4, 4, 1.0, 1},
		"NoisyBox":     {NoisyBox, 8, 4, 1},
		"NoisySimplex": {NoisySimplex, 8, 4, 0.1, 1},
		"Product":      {Product, p, MSC(4, 0.5)},
		"Simplex":      {Simplex, 8, 4, 1},
		"Excess":       {(*Instance).Excess, p, p.WStar},
		"Run, m":       {func(m fwopt.Method) { p.Run(context.Background(), m, 1, at) }, &fwopt.FW{}},
		"Run": {func(p *Instance, ctx context.Context, at func(fwopt.Step) (bool, bool)) {
			p.Run(ctx, &fwopt.FW{}, 1, at)
		}, p, context.Background(), at},
		"Variance":        {(*Instance).Variance, p, p.WStar, nil},
		"WithoutSnapshot": {(*Instance).WithoutSnapshot, p},
		"Argmin":          {Polygon.Argmin, Zigzag().Omega, []float64{0, 0}, []float64{1, 0}},
		"Diameter":        {Polygon.Diameter, Zigzag().Omega},
		"Dim":             {Polygon.Dim, Zigzag().Omega},
		"Gauge":           {Polygon.Gauge, Zigzag().Omega, []float64{0, 0}},
		"Project":         {Polygon.Project, Zigzag().Omega, []float64{0, 0}, []float64{3, 0}},
	} {
		for _, bad := range problems.Mistakes(c[0], c[1:]...) {
			t.Errorf("%s: %s", name, bad)
		}
	}
}

// What MSC and MSL are for: with a constant batch of m samples SVRF stays at some
// c/m on MSC, and SFW at some c/√m on MSL.
func TestForces(t *testing.T) {
	last := func(p *Instance, make func() fwopt.Method, steps int) (mean float64) {
		const seeds = 5
		for seed := range uint64(seeds) {
			n := 0
			for step := range make().Steps(fwopt.NewOracle(p.F, p.Omega, seed), p.W0) {
				if n++; n == steps {
					mean += p.Excess(step.X) / seeds
					break
				}
			}
		}
		return mean
	}
	for _, m := range []int{4, 16, 64} {
		batch := func(int, int) int { return m }
		svrf := func() fwopt.Method { a := fwopt.SVRFTheorem1(); a.M = batch; return a }
		sfw := func() fwopt.Method {
			return &fwopt.SFW{Gamma: fwopt.SFWExperiments().Gamma, M: func(int) int { return m }}
		}
		at := last(MSC(24, 0.5), svrf, 14+30+62+126+254+510+1022)
		near(t, "m·gap on MSC", at*float64(m), 0.034, 0.004)
		at = last(MSL(19, 64, 1, 1), sfw, 1000)
		near(t, "√m·gap on MSL", at*math.Sqrt(float64(m)), 4.4, 0.6)
	}
}
