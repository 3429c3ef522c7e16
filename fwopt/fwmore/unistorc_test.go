package fwmore_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// uniBox is the box of UniSTORC once more, with plain Frank-Wolfe in line 8, for T epochs: its w_k and calls.
func uniBox(o *fwopt.Oracle, w0 []float64, D float64, b, T int) (at [][]float64, spent []fwopt.Calls) {
	n, calls := o.F.Len(), fwopt.Calls{}
	grad := func(w []float64, b fwopt.Batch) []float64 {
		g := make([]float64, len(w))
		o.F.Grad(g, w, b)
		return g
	}
	w, x, A, H, m, j := w0, w0, 0., 0., n/b, 0.
	if n%b > 0 {
		m++
	}
	A = 1 / float64(m)
	for range T {
		y0, g0, sum := w, grad(w, fwopt.Batch{}), make([]float64, len(w))
		calls.Exact++
		a := min(math.Sqrt(float64(b)*A/2), (1+math.Sqrt(1+4*A))/2)
		reduced := func(z []float64) []float64 {
			s := o.Sample(b)
			calls.Stochastic += 2 * b
			return comb(1, g0, 1, sub(grad(z, s), grad(y0, s)))
		}
		g := reduced(comb(A/(A+a), y0, a/(A+a), x))
		for k := 1; k <= m; k++ {
			from := x
			for j++; ; {
				d, v := comb(1, g, H/a, sub(x, from)), make([]float64, len(x))
				o.Omega.Argmin(v, d)
				calls.Linear++
				gap := dot(d, sub(x, v))
				if H == 0 {
					x = v
					break
				}
				if gap <= H*D*D/(20*a*j) {
					break
				}
				step := min(1, gap/(H/a*dot(sub(x, v), sub(x, v))))
				x = comb(1-step, x, step, v)
			}
			z := comb(A/(A+a), y0, a/(A+a), x)
			next := reduced(z)
			H = math.Sqrt(H*H + a*a/D/D*dot(sub(next, g), sub(next, g)))
			g, sum = next, comb(1, sum, 1, z)
			w = comb(1/float64(k), sum, 0, sum)
			at, spent = append(at, w), append(spent, calls)
		}
		A += a
	}
	return at, spent
}

// Against the box as it stands, with batches that do and do not divide n, one of a term and one of all.
func TestUniSTORCNaive(t *testing.T) {
	x, y := small.Rows(40, 6), make([]float64, 40)
	for i := range y {
		y[i] = math.Sin(float64(i))
	}
	noisy, box := small.Noisy(6, 40, 2, 3)
	for _, c := range []struct {
		f     fwopt.FiniteSum
		omega interface {
			fwopt.Domain
			fwset.Bounded
		}
	}{{fwsum.NewLeastSquares(x, y), fwset.Simplex{D: 6, R: 1}}, {noisy, box}} {
		for _, b := range []int{1, 7, 8, 40, 0} {
			for _, times := range []float64{1, 0.1, 10} {
				D, T := times*c.omega.Diameter(), 60
				if b != 40 {
					T = 4
				}
				o := fwopt.NewOracle(c.f, c.omega, 5)
				w0 := o.Start()
				start := o.Calls
				at, spent := uniBox(fwopt.NewOracle(c.f, c.omega, 5), w0, D, max(b, 7*(1-min(b, 1))), T)
				i := 0
				for s := range (&fwmore.UniSTORC{D: D, B: b}).Steps(o, w0) {
					want := spent[i]
					want.Exact += start.Exact
					want.Linear += start.Linear
					if e := norm(sub(s.X, at[i])); !(e <= 1e-10) || o.Calls != want {
						t.Fatalf("%T, b = %d, D times %g, t = %d, k = %d: %g from the box, %+v, want %+v",
							c.f, b, times, s.T, s.K, e, o.Calls, want)
					}
					if i++; i == len(at) {
						break
					}
				}
			}
		}
	}
}

// What the proof does not cover is refused; what cannot be finished ends as Stalled.
func TestUniSTORCBadInput(t *testing.T) {
	f, omega := small.Noisy(5, 40, 0.5, 1)
	one := fwsum.NewQuadratic(5, nil, []float64{.1, .2, .3, .4, .5})
	run := func(f fwopt.FiniteSum, m fwopt.Method) *fwopt.Trace {
		return fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m, fwopt.Budget{Steps: 200})
	}
	for want, m := range map[string]*fwmore.UniSTORC{
		"UniSTORC.D = 0, want a positive number":                                   {},
		"UniSTORC.D = -1, want a positive number":                                  {D: -1},
		"UniSTORC.D = +Inf, want a positive number":                                {D: math.Inf(1)},
		"UniSTORC.D = NaN, want a positive number":                                 {D: math.NaN()},
		"UniSTORC.B = -1 samples of a sum of 40 terms, want 1 to n, or 0 for ⌈√n⌉": {D: 1, B: -1},
		"UniSTORC.B = 41 samples of a sum of 40 terms, want 1 to n, or 0 for ⌈√n⌉": {D: 1, B: 41},
	} {
		if got := small.Panics(func() { run(f, m) }); got != "fwmore: "+want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for want, f := range map[string]fwopt.FiniteSum{
		"fwmore: UniSTORC on a sum of one term, whose gradient is exact: take CGS, certified": one,
		"fwopt: the bound of UniSTORC holds for a convex f alone":                             bent{f},
	} {
		if got := small.Panics(func() { run(f, fwmore.NewUniSTORC(1)) }); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for calls := 0; calls < 60; calls += 3 {
		for _, with := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			left := calls
			m := fwmore.NewUniSTORC(omega.Diameter())
			tr := run(broken{f, &left, with}, m)
			if tr.Status != fwopt.Stalled || math.IsNaN(m.H) || math.IsInf(m.H, 1) {
				t.Errorf("%g in call %d: %v after %d steps, H = %g", with, calls, tr.Status,
					tr.Last().Step, m.H)
			}
		}
	}
	// where all gradients are the same there is nothing to slide on, and each step goes to a vertex
	flat := fwsum.NewQuadratic(5, make([]float64, 10), make([]float64, 10))
	if m := fwmore.NewUniSTORC(omega.Diameter()); run(flat, m).Status != fwopt.Done || m.H != 0 {
		t.Errorf("a constant: %+v", m)
	}
}

func ExampleNewUniSTORC() {
	f, omega := small.Noisy(6, 400, 2, 3) // f* = 12
	m := fwmore.NewUniSTORC(omega.Diameter())
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m,
		fwopt.Budget{Stochastic: 20_000, Linear: 5_000})
	fmt.Printf("%v: %.1e by %+v\n", m, tr.Last().F-12, tr.Last().Calls)
	// Output: UniSTORC: 1.9e-09 by {Exact:25 Stochastic:20000 Linear:484 Projections:0}
}
