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
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// cgsBox is the box of CertifiedCGS once more, with plain Frank-Wolfe in line 7 and ℓ_k as a list of planes.
func cgsBox(f fwopt.FiniteSum, omega fwopt.Domain, w0 []float64, steps int) (y []float64, bound, L float64,
	spent fwopt.Calls) {
	grad := func(w []float64) []float64 {
		g := make([]float64, len(w))
		f.Grad(g, w, fwopt.Batch{})
		return g
	}
	least := func(g []float64) []float64 {
		v := make([]float64, len(g))
		omega.Argmin(v, g)
		spent.Linear++
		return v
	}
	g := grad(w0)
	half := sub(comb(0.5, w0, 0.5, least(g)), w0)
	B := -2 * dot(g, half)
	F := f.Value(w0) - B
	L = dot(sub(grad(comb(1, w0, 1, half)), g), half) / dot(half, half)
	spent.Exact = 2
	for y = w0; ; {
		x := y
		var zs, gs [][]float64
		for k := 1.; ; k++ {
			if steps--; steps < 0 {
				return y, bound, L, spent
			}
			z := comb((k-1)/(k+1), y, 2/(k+1), x)
			g := grad(z)
			spent.Exact++
			from, was := x, y
			for {
				for x = from; ; {
					d := comb(1, g, 3*L/k, sub(x, from))
					v := least(d)
					gap := dot(d, sub(x, v))
					if gap <= B/4 {
						break
					}
					step := min(1, gap/(3*L/k*dot(sub(x, v), sub(x, v))))
					x = comb(1-step, x, step, v)
				}
				y = comb((k-1)/(k+1), was, 2/(k+1), x)
				spent.Exact++
				s := sub(y, z)
				if f.Value(y) <= f.Value(z)+dot(g, s)+L/2*dot(s, s)+1e-14 {
					break
				}
				L *= 2
			}
			zs, gs = append(zs, z), append(gs, g)
			sum := make([]float64, len(y))
			for j, g := range gs {
				sum = comb(1, sum, 2*float64(j+1)/(k*(k+1)), g)
			}
			v, low := least(sum), 0.
			for j, g := range gs {
				low += 2 * float64(j+1) / (k * (k + 1)) * (f.Value(zs[j]) + dot(g, sub(v, zs[j])))
			}
			F = max(F, low)
			if bound = f.Value(y) - F; bound <= B/2 {
				B = bound
				break
			}
		}
	}
}

// Against the box as it stands, through several epochs.
func TestCertifiedCGSNaive(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 9))
		x, y := small.Rows(60, 8), make([]float64, 60)
		for i := range y {
			y[i] = 3 * r.NormFloat64()
		}
		f, omega := fwsum.NewLeastSquares(x, y), fwset.L1Ball{D: 8, R: 1 + 2*r.Float64()}
		m, o := &fwmore.CertifiedCGS{}, fwopt.NewOracle(f, omega, 1)
		w0 := o.Start()
		start := o.Calls
		tr := fwopt.Run(context.Background(), o.From(w0), m, fwopt.Budget{Steps: 60})
		want, bound, L, spent := cgsBox(f, omega, w0, 60)
		spent.Exact += start.Exact
		spent.Linear += start.Linear
		if e := norm(sub(m.Y, want)); !(e < 1e-9) || math.Abs(m.Bound-bound) > 1e-9 ||
			math.Abs(m.L-L) > 1e-9*L || tr.Last().Calls != spent || m.T < 4 {
			t.Errorf("seed %d: %g from the box, bound %g, want %g, L %g, want %g, %+v, want %+v; %d epochs",
				seed, e, m.Bound, bound, m.L, L, tr.Last().Calls, spent, m.T)
		}
	}
}

// What is proven is at least f(y_k) − f(w*) at each step, and falls to the Tolerance.
func TestCertifiedCGSCertificate(t *testing.T) {
	checks, tight := 0, math.Inf(1)
	for seed := uint64(1); seed <= 40; seed++ {
		r := rand.New(rand.NewPCG(seed, 4))
		f, omega := small.Noisy(1+r.IntN(20), 2*(1+r.IntN(30)), 1, seed)
		c := make([]float64, f.Dim())
		f.Grad(c, c, fwopt.Batch{})
		star, half := make([]float64, len(c)), math.Exp(-4*r.Float64())
		for j, g := range c { // the nearest point of a smaller box
			c[j] = -g
			star[j] = min(max(-g, -half), half)
			omega.Lo[j], omega.Hi[j] = -half, half
		}
		m := fwmore.NewCertifiedCGS()
		m.Tolerance = 1e-6 * half * half
		tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, seed), m, fwopt.Budget{Steps: 3000,
			Watch: func(tr *fwopt.Trace, now fwopt.Point) {
				far := sub(m.Y, star)
				excess := dot(far, far)/2 + dot(sub(star, c), far) // of two terms that are not negative
				if checks++; m.Bound < excess || now.Bound != m.Bound {
					t.Fatalf("seed %d, step %d: f(y_k) − f(w*) = %g, proven %g", seed, now.Step,
						excess, m.Bound)
				}
				tight = min(tight, m.Bound/excess)
			}})
		if tr.Status != fwopt.Ended || m.Bound > m.Tolerance {
			t.Errorf("seed %d: %v after %d steps, bound %g", seed, tr.Status, tr.Last().Step, m.Bound)
		}
	}
	if t.Logf("%d checks, the tightest %g", checks, tight); tight > 1.5 {
		t.Errorf("the bound was always %g times f − f* or more: this tests nothing", tight)
	}
}

// What cannot be solved ends with a status that says so, and what is solved before the first step.
func TestCertifiedCGSBadInput(t *testing.T) {
	f, omega := small.Noisy(5, 40, 0.5, 1)
	constant := fwsum.NewQuadratic(5, make([]float64, 5), make([]float64, 5))
	one := fwsum.NewQuadratic(5, nil, []float64{.1, .2, .3, .4, .5})
	run := func(f fwopt.FiniteSum, w0 []float64, m fwopt.Method) *fwopt.Trace {
		return fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1).From(w0), m,
			fwopt.Budget{Steps: 3000, Linear: 2_000_000})
	}
	for name, c := range map[string]struct {
		f    fwopt.FiniteSum
		w0   []float64
		tol  float64
		want fwopt.Status
	}{
		"optimal start":    {one, []float64{.1, .2, .3, .4, .5}, 0, fwopt.Ended},
		"constant":         {constant, nil, 0, fwopt.Ended},
		"to the tolerance": {f, nil, 1e-6, fwopt.Ended},
		"to rounding":      {f, nil, 0, fwopt.Stalled},
		"not convex":       {turned{f}, make([]float64, 5), 0, fwopt.Stalled},
	} {
		m := fwmore.NewCertifiedCGS()
		m.Tolerance = c.tol
		tr := run(c.f, c.w0, m)
		if tr.Status != c.want || tr.Status == fwopt.Ended && !(m.Bound <= c.tol) {
			t.Errorf("%s: %v after %d steps, bound %g, slack %g, B %g, L %g, %+v", name, tr.Status, tr.Last().Step,
				m.Bound, m.Slack, m.B, m.L, tr.Last().Calls)
		}
	}
	for calls := 0; calls < 60; calls += 3 {
		for _, with := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			left := calls
			m := fwmore.NewCertifiedCGS()
			tr := run(broken{f, &left, with}, nil, m)
			if tr.Status != fwopt.Stalled || math.IsNaN(m.Bound) && tr.Last().Step > 0 {
				t.Errorf("%g in call %d: %v after %d steps, bound %g", with, calls, tr.Status,
					tr.Last().Step, m.Bound)
			}
		}
	}
	if got := small.Panics(func() { (&fwmore.CertifiedCGS{Tolerance: -1}).Steps(nil, nil) }); got !=
		"fwmore: a Tolerance of -1, want 0 or more" {
		t.Errorf("%q", got)
	}
	if got := small.Panics(func() { run(bent{f}, nil, fwmore.NewCertifiedCGS()) }); !strings.HasPrefix(got,
		"fwopt: the bound of CGS, certified, holds for a convex f alone") {
		t.Errorf("%q", got)
	}
}

func ExampleCertifiedCGS() {
	f := fwsum.NewLeastSquares(small.Data())
	m := fwmore.NewCertifiedCGS()
	m.Tolerance = 1e-6
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, fwset.Simplex{D: 8, R: 1}, 1), m,
		fwopt.Budget{Steps: 1000})
	fmt.Printf("%v; f(w) = %.6f is within %.0e of the least\n", tr.Status, tr.Last().F, tr.Last().Bound)
	// Output: ended by the method; f(w) = 0.727884 is within 7e-07 of the least
}

// bent is a sum that declares itself not convex.
type bent struct{ fwopt.FiniteSum }

func (bent) NonConvex() bool { return true }
