package fwmore_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// The certificate is an upper bound on f(y_0) − f(w*) at each of 10,000 checks, on
// problems whose f(w) − f(w*) has no cancellation, with noise of all sizes.
func TestAdaptiveSTORCCertificate(t *testing.T) {
	checks, want := 0, 10000
	if testing.Short() {
		want = 500
	}
	tight := math.Inf(1)
	for seed := uint64(1); checks < want; seed++ {
		r := rand.New(rand.NewPCG(seed, 3))
		f, omega := small.Noisy(1+r.IntN(20), 2*(1+r.IntN(300)), math.Exp(6*r.Float64()-4), seed)
		c := make([]float64, f.Dim())
		f.Grad(c, c, fwopt.Batch{}) // w − c at w = 0
		star, w0, half := make([]float64, len(c)), make([]float64, len(c)), math.Exp(-4*r.Float64())
		for j, g := range c { // the nearest point of a smaller box: c may be outside
			c[j] = -g
			star[j] = min(max(-g, -half), half)
			omega.Lo[j], omega.Hi[j] = -half, half
			w0[j] = half * (2*r.Float64() - 1)
		}
		m := fwmore.NewAdaptiveSTORC()
		m.Tolerance, m.Memory.Size = 1e-4*half*half, 4+r.IntN(17)
		last := math.Inf(1)
		fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, seed).From(w0), m,
			fwopt.Budget{Steps: 300, Every: math.Inf(1), Watch: func(tr *fwopt.Trace, _ fwopt.Point) {
				if m.Since > 0 {
					return
				}
				checks++
				far := sub(m.Y0, star)
				// f(y_0) − f(w*), of two terms that are not negative
				excess := dot(far, far)/2 + dot(sub(star, c), far)
				if m.B < excess*(1-1e-12) || m.B > last {
					t.Fatalf("seed %d, check %d: f(y_0) − f(w*) = %g, certified %g after %g", seed, checks,
						excess, m.B, last)
				} else if excess > 0 {
					tight = min(tight, m.B/excess)
				}
				last = m.B
			}})
	}
	if t.Logf("%d checks; B was at least %.4g times f(y_0) − f(w*)", checks, tight); tight > 1.1 {
		t.Errorf("B was always %g times f(y_0) − f(w*) or more: this tests nothing", tight)
	}
}

// A scale of f by a power of two changes no step, and the certificate by that power; so
// does one of Ω.
func TestAdaptiveSTORCScale(t *testing.T) {
	x, b := small.Data()
	run := func(scaleF, scaleΩ float64) (*fwmore.AdaptiveSTORC, string, float64) {
		y := &fwsum.Sparse{N: x.N, M: x.M, Ptr: x.Ptr, Col: x.Col, Val: append([]float64(nil), x.Val...)}
		c := append([]float64(nil), b...)
		for i := range y.Val {
			y.Val[i] *= scaleF / scaleΩ
		}
		for i := range c {
			c[i] *= scaleF
		}
		m := fwmore.NewAdaptiveSTORC()
		o := fwopt.NewOracle(fwsum.NewLeastSquares(y, c), fwset.Simplex{D: 8, R: scaleΩ}, 1)
		tr := fwopt.Run(context.Background(), o, m, fwopt.Budget{Steps: 100})
		for j := range m.Y {
			m.Y[j] /= scaleΩ
		}
		return m, fmt.Sprintf("%x %v %+v", m.Y, m.M, tr.Last().Calls), m.B / (scaleF * scaleF)
	}
	_, want, B := run(1, 1)
	for _, s := range [][2]float64{{1 << 10, 1}, {0x1p-12, 1}, {1, 1 << 9}, {1 << 5, 0x1p-7}} {
		_, got, b := run(s[0], s[1])
		if got != want || b != B {
			t.Errorf("scales %g: %s, B %g; want %s, B %g", s, got, b, want, B)
		}
	}
}

// adaptiveBox is the box of AdaptiveSTORC once more, with plain Frank-Wolfe in line 8.
func adaptiveBox(o *fwopt.Oracle, w0 []float64, steps int, r fwmore.AdaptiveRules) (y []float64, B float64) {
	grad := func(w []float64, b fwopt.Batch) []float64 {
		g := make([]float64, len(w))
		o.F.Grad(g, w, b)
		return g
	}
	vertex := func(g []float64) []float64 {
		v := make([]float64, len(g))
		o.Omega.Argmin(v, g)
		return v
	}
	gap := func(g, w []float64) float64 { return dot(g, sub(w, vertex(g))) }
	curvature := func(m int, y, z []float64) float64 {
		b, s := o.Sample(m), sub(y, z)
		if dot(s, s) == 0 {
			return 0
		}
		return dot(sub(grad(y, b), grad(z, b)), s) / dot(s, s)
	}
	n := float64(o.F.Len())
	y0, g0 := w0, grad(w0, fwopt.Batch{})
	B = gap(g0, y0)
	L, m := r.L, 16.
	if r.L == 0 {
		L = curvature(64, comb(0.5, y0, 0.5, vertex(g0)), y0)
	}
	if r.M != 0 {
		m = float64(r.M)
	}
	for done := 0; ; {
		x, Bt, since, spent := y0, B, 0, 0.
		y = y0
		for k := 1.; ; k++ {
			if done++; done > steps {
				return y, B
			}
			γ := 2 / (k + 1)
			z := comb(1-γ, y, γ, x)
			g, change := g0, 1.
			if k > 1 && (2*m >= n || r.Exact) {
				g, change, spent = grad(z, fwopt.Batch{}), 0.7, spent+n
			} else if k > 1 {
				half := math.Ceil(m / 2)
				b := o.Sample(int(half))
				a := comb(1, g0, 1, sub(grad(z, b), grad(y0, b)))
				b = o.Sample(int(half))
				c := comb(1, g0, 1, sub(grad(z, b), grad(y0, b)))
				g, spent = comb(0.5, a, 0.5, c), spent+4*half
				change = dot(sub(a, c), sub(a, c)) / 4 * k / (0.1 * L * B)
			}
			was := y
			from := x
			for try := 0; ; try++ {
				for x = from; ; {
					d := comb(1, g, 3*L/k, sub(x, from))
					v := vertex(d)
					gap := dot(d, sub(x, v))
					if gap <= B*r.Eta {
						break
					}
					step := min(1, gap/(3*L/k*dot(sub(x, v), sub(x, v))))
					x = comb(1-step, x, step, v)
				}
				y = comb(1-γ, was, γ, x)
				if r.L != 0 {
					break
				}
				sample := m
				if r.Exact {
					sample = 64
				}
				c := curvature(int(sample), y, z)
				spent += 2 * sample
				if c > L {
					L = min(c, 2*L)
				}
				if c <= 1.5*L || try == 6 {
					break
				}
			}
			if r.M == 0 {
				m = min(max(math.Ceil(m*min(2, max(0.7, change))), 4), n)
			}
			if since++; since < r.Most && (since < r.Least || spent < math.Floor(n/2)) {
				continue
			}
			since, spent = 0, 0
			g = grad(y, fwopt.Batch{})
			b := min(gap(g, y), B+dot(g, sub(y, y0)))
			if b > B {
				if r.L == 0 {
					L *= 2
				}
				y = y0
				break
			}
			y0, g0, B = y, g, b
			if B <= Bt/2 && !r.Endless {
				if r.L == 0 {
					L /= 2
				}
				break
			}
		}
	}
}

// Against the box as it stands, and with each of its rules changed, which has an identity of its own.
func TestAdaptiveSTORCNaive(t *testing.T) {
	x, b := small.Rows(400, 6), make([]float64, 400)
	for i := range b {
		b[i] = math.Sin(float64(i))
	}
	seen := map[uint64]bool{}
	for name, change := range map[string]func(r *fwmore.AdaptiveRules){
		"as it stands": func(*fwmore.AdaptiveRules) {},
		"Eta":          func(r *fwmore.AdaptiveRules) { r.Eta = 0.1 },
		"Least":        func(r *fwmore.AdaptiveRules) { r.Least = 12 },
		"Most":         func(r *fwmore.AdaptiveRules) { r.Most = 9 },
		"L":            func(r *fwmore.AdaptiveRules) { r.L = 3 },
		"M":            func(r *fwmore.AdaptiveRules) { r.M = 7 },
		"Exact":        func(r *fwmore.AdaptiveRules) { r.Exact = true },
		"Endless":      func(r *fwmore.AdaptiveRules) { r.Endless = true },
	} {
		differ := 0
		for seed := range uint64(20) {
			var f fwopt.FiniteSum
			var omega fwopt.Domain = fwset.Simplex{D: 6, R: 1}
			if f = fwsum.NewLeastSquares(x, b); seed%2 == 0 { // noise that a snapshot takes away
				f, omega = small.Noisy(6, 400, 0.3, seed+1)
			}
			run := func(change func(r *fwmore.AdaptiveRules)) *fwmore.AdaptiveSTORC {
				m := fwmore.NewAdaptiveSTORC()
				m.Memory.Size = 0
				change(&m.Rules)
				o := fwopt.NewOracle(f, omega, seed)
				fwopt.Run(context.Background(), o.From(o.Start()), m, fwopt.Budget{Steps: 70})
				return m
			}
			m, frozen := run(change), run(func(*fwmore.AdaptiveRules) {})
			seen[ident.New(m, 1).Hash()] = true
			o := fwopt.NewOracle(f, omega, seed)
			want, B := adaptiveBox(o, o.Start(), 70, m.Rules)
			// 1e-14 of rounding in ∇f
			if far := norm(sub(m.Y, want)); far > 1e-10 || math.Abs(m.B-B) > 1e-10*B+1e-14 {
				t.Errorf("%s, seed %d: %g from the box, B %g, its %g", name, seed, far, m.B, B)
			}
			if norm(sub(m.Y, frozen.Y)) > 1e-6 {
				differ++
			}
		}
		if name != "as it stands" && differ < 10 {
			t.Errorf("%s: another run on %d of 20 seeds only: this tests nothing", name, differ)
		}
	}
	if len(seen) != 8 {
		t.Errorf("%d identities of 8 sets of rules", len(seen))
	}
}

// turned is −f: not convex.
type turned struct{ fwopt.FiniteSum }

func (f turned) Value(w []float64) float64 { return -f.FiniteSum.Value(w) }
func (f turned) Grad(dst, w []float64, b fwopt.Batch) {
	f.FiniteSum.Grad(dst, w, b)
	for j := range dst {
		dst[j] = -dst[j]
	}
}

// broken has a gradient of NaN, or infinite, from some call on.
type broken struct {
	fwopt.FiniteSum
	left *int
	with float64
}

func (f broken) Tested() any { return f } // else the start of the run finds it

func (f broken) Grad(dst, w []float64, b fwopt.Batch) {
	f.FiniteSum.Grad(dst, w, b)
	if *f.left--; *f.left < 0 {
		dst[0] = f.with
	}
}

// What cannot be solved ends with a status that says so, and what is solved already
// before the first step.
func TestAdaptiveSTORCBadInput(t *testing.T) {
	f, omega := small.Noisy(5, 40, 0.5, 1)
	constant := fwsum.NewQuadratic(5, make([]float64, 5), make([]float64, 5))
	linear := fwsum.NewLeastSquares(&fwsum.Sparse{N: 1, M: 5, Ptr: []int{0, 1}, Col: []int32{2},
		Val: []float64{1}}, []float64{1e9})
	one := fwsum.NewQuadratic(5, nil, []float64{.1, .2, .3, .4, .5})
	budget, every := fwopt.Budget{Steps: 3000, Linear: 2_000_000}, 20
	if !testing.Short() {
		every = 3
	}
	for name, c := range map[string]struct {
		f    fwopt.FiniteSum
		w0   []float64
		tol  float64
		want fwopt.Status
		most int // steps
	}{
		"optimal start":    {one, []float64{.1, .2, .3, .4, .5}, 0, fwopt.Ended, 0},
		"constant":         {constant, nil, 0, fwopt.Ended, 0},
		"nearly linear":    {linear, nil, 1e-3, fwopt.Ended, 200},
		"n = 1":            {one, nil, 1e-9, fwopt.Ended, 1000},
		"to the tolerance": {f, nil, 1e-6, fwopt.Ended, 1000},
		"to rounding":      {one, nil, 0, fwopt.Stalled, 3000},
		"not convex":       {turned{f}, make([]float64, 5), 0, fwopt.Stalled, 3000},
	} {
		m := fwmore.NewAdaptiveSTORC()
		m.Tolerance = c.tol
		tr := fwopt.Run(context.Background(), fwopt.NewOracle(c.f, omega, 1).From(c.w0), m, budget)
		if tr.Status != c.want || tr.Last().Step > c.most || tr.Status == fwopt.Ended && !(m.B <= c.tol) {
			t.Errorf("%s: %v after %d steps, B = %g, %+v", name, tr.Status, tr.Last().Step, m.B,
				tr.Last().Calls)
		}
	}
	for calls := 0; calls < 200; calls += every {
		for _, with := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			left := calls
			m := fwmore.NewAdaptiveSTORC()
			tr := fwopt.Run(context.Background(), fwopt.NewOracle(broken{f, &left, with}, omega, 1), m,
				fwopt.Budget{Steps: 1000, Every: math.Inf(1)})
			if tr.Status != fwopt.Stalled || math.IsNaN(m.B) && tr.Last().Step > 0 {
				t.Errorf("%g in call %d: %v after %d steps, B = %g", with, calls, tr.Status, tr.Last().Step,
					m.B)
			}
		}
	}
	for want, m := range map[string]*fwmore.AdaptiveSTORC{
		"with {Eta:0 Least:0 Most:0 L:0 M:0 Exact:false Endless:false}: begin with NewAdaptiveSTORC, whose " +
			"rules are {Eta:0.25 Least:8 Most:50 L:0 M:0 Exact:false Endless:false}": {},
		"a Tolerance of -1, want 0 or more": {Tolerance: -1},
	} {
		if got := small.Panics(func() { m.Steps(nil, nil) }); !strings.HasPrefix(got, "fwmore: ") ||
			!strings.HasSuffix(got, want) {
			t.Errorf("%q", got)
		}
	}
}

func ExampleAdaptiveSTORC() {
	f := fwsum.NewLeastSquares(small.Data())
	m := fwmore.NewAdaptiveSTORC()
	m.Tolerance = 1e-6
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, fwset.Simplex{D: 8, R: 1}, 1), m,
		fwopt.Budget{Steps: 1000})
	fmt.Printf("%v; f(w) = %.6f is within %.0e of the least\n", tr.Status, tr.Last().F, tr.Last().Bound)
	// Output: ended by the method; f(w) = 0.727884 is within 2e-07 of the least
}
