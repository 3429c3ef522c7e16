package fwmore_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/fwtest"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
)

// The methods that tame noise by memory, a second time: each step is made of the gradients of single terms and the
// samples that another Oracle of the same seed draws.
func TestNoiseAgainstNaive(t *testing.T) {
	f, box := small.Noisy(6, 40, 2, 3)
	term := func(i int, w []float64) []float64 {
		g := make([]float64, len(w))
		f.Grad(g, w, fwopt.Batch{Index: []int{i}, Weight: []float64{1}})
		return g
	}
	all := fwopt.Batch{}
	mean := func(b fwopt.Batch, w []float64) []float64 {
		g := make([]float64, len(w))
		for i, c := range b.All(f.Len()) {
			g = comb(1, g, c, term(i, w))
		}
		return g
	}
	toward := func(w, g []float64, gamma float64) []float64 {
		v := make([]float64, len(w))
		for j := range v {
			if v[j] = box.Lo[j]; g[j] < 0 {
				v[j] = box.Hi[j]
			}
		}
		return comb(1-gamma, w, gamma, v)
	}
	w0 := make([]float64, f.Dim())
	for name, c := range map[string]struct {
		m func() fwopt.Method
		// run yields the iterates and what is spent so far
		run func(o *fwopt.Oracle, yield func(w []float64, want fwopt.Calls))
	}{
		"momentum": {func() fwopt.Method { return fwmore.MomentumSFWConvex(7) }, func(o *fwopt.Oracle,
			yield func([]float64, fwopt.Calls)) {
			w, d := w0, w0
			for k := 1; k <= 60; k++ {
				rho := 4 * math.Pow(float64(k+7), -2./3)
				d = comb(1-rho, d, rho, mean(o.Sample(7), w))
				w = toward(w, d, 2/float64(k+7))
				yield(w, fwopt.Calls{Stochastic: 7 * k, Linear: k})
			}
		}},
		"momentum, free and ahead, Muon": {func() fwopt.Method { return scion(true) }, func(o *fwopt.Oracle,
			yield func([]float64, fwopt.Calls)) {
			w, old, d := w0, w0, w0
			for k := 1; k <= 60; k++ {
				g := mean(o.Sample(5), comb(10, w, -9, old)) // at w + 9(w − w_old)
				d = comb(0.9, d, 0.1, g)
				gamma := 0.25 * float64(61-k) / 60
				step := toward(w0, comb(0.9, d, 0.1, g), gamma) // w0 = 0
				w, old = comb(1-gamma/2, w, 1, step), w
				yield(w, fwopt.Calls{Stochastic: 5 * k, Linear: k})
			}
		}},
		"STORM": {func() fwopt.Method { return fwmore.STORMFWConvex(3) }, func(o *fwopt.Oracle,
			yield func([]float64, fwopt.Calls)) {
			w, old, d := w0, w0, w0
			for k := 1; k <= 60; k++ {
				b := o.Sample(3)
				d = comb(1, mean(b, w), 1-1/float64(k), sub(d, mean(b, old)))
				w, old = toward(w, d, 1/float64(k)), w
				yield(w, fwopt.Calls{Stochastic: 6 * k, Linear: k})
			}
		}},
		"Sarah": {func() fwopt.Method { return &fwmore.SarahFW{} }, func(o *fwopt.Oracle,
			yield func([]float64, fwopt.Calls)) {
			w, g, calls, rng := w0, mean(all, w0), fwopt.Calls{Exact: 1}, rand.New(&o.RNG)
			for k := 1; k <= 60; k++ { // b = ⌈√40⌉ = 7
				next := toward(w, g, 2/float64(k+27))
				if calls.Linear = k; rng.IntN(7) == 0 {
					g = mean(all, next)
					calls.Exact++
				} else {
					b := o.Sample(7)
					g = comb(1, g, 1, sub(mean(b, next), mean(b, w)))
					calls.Stochastic += 14
				}
				w = next
				yield(w, calls)
			}
		}},
		"SPIDER": {func() fwopt.Method { return fwmore.SPIDERFWConvex() }, func(o *fwopt.Oracle,
			yield func([]float64, fwopt.Calls)) {
			x, old, g, calls := w0, w0, w0, fwopt.Calls{}
			for t := 1; t <= 6; t++ {
				n := 1 << (t - 1)
				for k := 1; k <= n; k++ {
					if calls.Linear++; k == 1 {
						g = mean(all, x)
						calls.Exact++
					} else {
						b := o.Sample(n)
						g = comb(1, g, 1, sub(mean(b, x), mean(b, old)))
						calls.Stochastic += 2 * n
					}
					x, old = toward(x, g, 2/float64(n+k)), x
					yield(x, calls)
				}
			}
		}},
	} {
		for seed := range uint64(3) {
			var points [][]float64
			var spent []fwopt.Calls
			c.run(fwopt.NewOracle(f, box, seed), func(w []float64, want fwopt.Calls) {
				points, spent = append(points, w), append(spent, want)
			})
			o, n := fwopt.NewOracle(f, box, seed), 0
			for s := range c.m().Steps(o, w0) {
				if e := norm(sub(s.X, points[n])); !(e <= 1e-12) || spent[n] != o.Calls {
					t.Fatalf("%s, seed %d, step %d: %g off, %+v, want %+v", name, seed, n+1, e, o.Calls, spent[n])
				}
				if n++; n == len(points) {
					break
				}
			}
		}
	}
}

// scion is momentum SFW with gradient transport: free, of weight decay ½ and with Nesterov's step, or within Ω.
func scion(free bool) *fwmore.MomentumSFW {
	a := &fwmore.MomentumSFW{
		M:     func(int) int { return 5 },
		Rho:   func(int) float64 { return 0.1 },
		Gamma: func(k int) float64 { return 0.25 * float64(61-k) / 60 },
		Ahead: func(int) float64 { return 9 },
	}
	if free {
		a.Decay, a.Nesterov = func(k int) float64 { return a.Gamma(k) / 2 }, true
	}
	return a
}

// The forms of momentum SFW keep the contract of a method, are kept and go on; with Decay = Gamma it is that without,
// and the free one leaves Ω, so that a run refuses to record its duality gap.
func TestMomentumForms(t *testing.T) {
	calls := func(_, _ int) fwopt.Calls { return fwopt.Calls{Stochastic: 5, Linear: 1} }
	for _, free := range []bool{false, true} {
		fwtest.TestMethod(t, func() fwopt.Method { return scion(free) }, nil, nil, calls)
	}
	f, box := small.Noisy(6, 40, 2, 3)
	run := func(m fwopt.Method, b fwopt.Budget) *fwopt.Trace {
		return fwopt.Run(context.Background(), fwopt.NewOracle(f, box, 1), m, b)
	}
	plain, same := scion(false), scion(false)
	same.Decay = same.Gamma
	a, b := run(plain, fwopt.Budget{Steps: 60}), run(same, fwopt.Budget{Steps: 60})
	if e := norm(sub(a.W, b.W)); !(e <= 1e-14) {
		t.Errorf("with Decay = Gamma the end is %g off", e)
	}
	out := scion(true)
	out.Gamma, out.Decay, out.Ahead = func(int) float64 { return 0.9 }, func(int) float64 { return 0 }, nil
	out.Nesterov = false // which would turn it back
	if w := run(out, fwopt.Budget{Steps: 2}).W; !(box.Gauge(w) > 1.5) {
		t.Errorf("the free form ends at %v, in Ω: this tests nothing", w)
	}
	muon := fwmore.NewMuon(5)
	muon.Nesterov = false
	if a, b := ident.New(fwmore.NewMuon(5), 3), ident.New(muon, 3); a.Hash() == b.Hash() {
		t.Error("Muon is identified without its Nesterov step")
	}
	for name, spoil := range map[string]func(a *fwmore.MomentumSFW){
		"Rho(3) = 2": func(a *fwmore.MomentumSFW) {
			a.Rho = func(k int) float64 { return max(0.5, float64(k-1)) }
		},
		"Decay(1) = -1": func(a *fwmore.MomentumSFW) { a.Decay = func(int) float64 { return -1 } },
		"Gamma(1) = 1.5": func(a *fwmore.MomentumSFW) {
			a.Gamma, a.Decay = func(int) float64 { return 1.5 }, nil
		},
		"Gamma(1) = -0.1": func(a *fwmore.MomentumSFW) { a.Gamma = func(int) float64 { return -0.1 } },
		"Gamma(1) = +Inf": func(a *fwmore.MomentumSFW) { a.Gamma = func(int) float64 { return math.Inf(1) } },
	} {
		m := fwmore.NewMuon(5)
		spoil(m)
		want := "fwmore: MomentumSFW." + name + ", want a number from 0 to 1"
		if strings.HasPrefix(name, "Gamma") && m.Decay != nil {
			want += ".8e+308"
		}
		if got := small.Panics(func() { run(m, fwopt.Budget{Steps: 5}) }); got != want {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
	far := []float64{9, 0, 0, 0, 0, 0}
	for _, free := range []bool{false, true} {
		said := small.Panics(func() {
			o := fwopt.NewOracle(f, box, 1).From(far)
			fwopt.Run(context.Background(), o, scion(free), fwopt.Budget{Steps: 1})
		})
		if free != (said == "") {
			t.Errorf("free %v, from outside: %q", free, said)
		}
	}
	for _, b := range []fwopt.Budget{{Steps: 1, DualityGap: true}, {Tolerance: 1}} {
		want := "fwopt: the iterates of Momentum SFW may leave Ω"
		if got := small.Panics(func() { run(scion(true), b) }); !strings.HasPrefix(got, want) {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
}

// SAG-FW a second time: the slopes of all rows, kept in a table, and a direction that is added up anew.
func TestSAGFWAgainstNaive(t *testing.T) {
	f, omega := small.Problem()
	x, y := small.Data()
	slope := func(i int, w []float64) (p float64) {
		p = -y[i]
		for j := range w {
			p += x.Val[i*x.M+j] * w[j]
		}
		return p
	}
	w0 := make([]float64, x.M)
	w0[1] = 1
	for seed := range uint64(3) {
		draws, o := fwopt.NewOracle(f, omega, seed), fwopt.NewOracle(f, omega, seed)
		alpha, w := make([]float64, x.N), w0
		for i := range alpha {
			alpha[i] = slope(i, w)
		}
		for s := range (&fwmore.SAGFW{B: 12}).Steps(o, w0) {
			for _, i := range draws.Sample(12).Index {
				alpha[i] = slope(i, w)
			}
			g, v := make([]float64, x.M), make([]float64, x.M)
			for i, p := range alpha {
				g = comb(1, g, p/float64(x.N), x.Val[i*x.M:(i+1)*x.M])
			}
			omega.Argmin(v, g)
			w = comb(1-2/float64(s.K+1), w, 2/float64(s.K+1), v)
			want := fwopt.Calls{Exact: 1, Stochastic: 12 * s.K, Linear: s.K}
			if e := norm(sub(s.X, w)); !(e <= 1e-12) || o.Calls != want {
				t.Fatalf("seed %d, step %d: %g off, %+v, want %+v", seed, s.K, e, o.Calls, want)
			}
			if s.K == 80 {
				break
			}
		}
	}
}

// Muon on the digits: 300 steps of 32 rows, the learning rate falling to 0, and then rows that it has not seen.
func ExampleNewMuon() {
	digits, err := fwdata.Load("digits")
	if err != nil {
		panic(err)
	}
	train, test := digits.Split(0.8, 1)
	x, unseen := train.X.Dense(), test.X.Dense()
	floats.Scale(1./8, x.Val) // pixels are from 0 to 16
	floats.Scale(1./8, unseen.Val)
	f := fwsum.NewNetwork(x, []int{64, 32, 32, 10}, false, fwsum.CrossEntropy(train.Y))

	m := fwmore.NewMuon(32)
	m.Gamma = func(k int) float64 { return 0.02 * float64(301-k) / 300 }
	omega := f.Scion(1, 64) // a ball for each layer
	o := fwopt.NewOracle(f, omega, 1).From(fwset.RandomVertex(f.Scion(1, 1), 1))
	tr := fwopt.Run(context.Background(), o, m, fwopt.Budget{Steps: 300})

	right := 0
	for i, y := range f.Predict(tr.W, unseen) {
		if y == test.Y[i] {
			right++
		}
	}
	fmt.Printf("%v, more than nine in ten of %d: %t\n", m, test.N(), 10*right > 9*test.N())
	// Output: Muon, more than nine in ten of 359: true
}

// Methods that tame the noise of samples by memory, beside batches that grow: f − f* after about
// 20,000 gradients of terms.
func ExampleMomentumSFW() {
	f, omega := small.Noisy(6, 400, 2, 3) // f* = 12
	for _, m := range []fwopt.Method{fwopt.SFWExperiments(), fwmore.MomentumSFWConvex(10),
		fwmore.STORMFWConvex(10), &fwmore.SarahFW{}, fwmore.SPIDERFWConvex()} {
		tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m,
			fwopt.Budget{Stochastic: 20_000, Linear: 5_000})
		p := tr.Last()
		fmt.Printf("%v: %.1e by %d samples, %d exact gradients\n", m, p.F-12, p.Calls.Stochastic, p.Calls.Exact)
	}
	// Output:
	// SFW: 3.4e-03 by 20540 samples, 1 exact gradients
	// Momentum SFW: 5.9e-03 by 20000 samples, 1 exact gradients
	// STORM-FW: 7.4e-04 by 20000 samples, 1 exact gradients
	// Sarah-FW: 8.8e-06 by 20000 samples, 25 exact gradients
	// SPIDER-FW: 1.4e-04 by 20140 samples, 9 exact gradients
}
