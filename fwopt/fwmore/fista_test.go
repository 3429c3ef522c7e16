package fwmore_test

import (
	"context"
	"math"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwmore"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// FISTA keeps the bounds of its comment up to the first restart, where gradient steps without momentum do
// not, and the L that it ends with is as it says.
func TestFISTABound(t *testing.T) {
	const d = 60
	h, c := make([]float64, d), make([]float64, d)
	for j := range d {
		h[j] = math.Pow(2, -float64(j)/3)
		c[j] = 1
	}
	f := fwsum.NewQuadratic(d, h, c)
	m, sum := &fwmore.FISTA{L: 1e-3}, 0.
	for s := range m.Steps(fwopt.NewOracle(f, fwset.L2Ball{D: d, R: 100}, 1), make([]float64, d)) {
		if m.Theta == 0 {
			break
		}
		sum += 1 / math.Sqrt(m.LK)
		if bound := m.LK * d / (2 * m.Theta * m.Theta); f.Value(s.X) > bound {
			t.Fatalf("k = %d: f − f* = %g, bound %g", s.K, f.Value(s.X), bound)
		}
		if !(m.Theta/math.Sqrt(m.LK) >= sum/2) || m.LK > 2 {
			t.Fatalf("k = %d: θ_k = %g, L_k = %g, a sum of %g", s.K, m.Theta, m.LK, sum)
		}
	}
	if m.K < 20 {
		t.Errorf("a restart in step %d", m.K)
	}
}

// By its restarts it converges linearly where f is strongly convex, which momentum alone does not.
func TestFISTARestarts(t *testing.T) {
	h, c := []float64{1, 0.1, 0.01}, []float64{1, 1, 1}
	f, m := fwsum.NewQuadratic(3, h, c), &fwmore.FISTA{L: 1}
	for s := range m.Steps(fwopt.NewOracle(f, fwset.L2Ball{D: 3, R: 100}, 1), make([]float64, 3)) {
		if s.K == 500 {
			break
		}
	}
	if gap := f.Excess(m.X); gap > 1e-25 {
		t.Errorf("%v: f − f* = %g after 500 steps", m, gap)
	}
}

// The method a second time, with L_k: each step from its own state, and its counts.
func TestFISTATwin(t *testing.T) {
	const d = 6
	h, c := make([]float64, d), make([]float64, d)
	for j := range d {
		h[j], c[j] = math.Pow(4, -float64(j)), float64(j+1)
	}
	f, omega := fwsum.NewQuadratic(d, h, c), fwset.L2Ball{D: d, R: 3}
	dot := func(x, y []float64) (s float64) {
		for j := range x {
			s += x[j] * y[j]
		}
		return s
	}
	along := func(x []float64, c float64, v []float64) []float64 { // x + cv
		out := make([]float64, d)
		for j := range out {
			out[j] = x[j] + c*v[j]
		}
		return out
	}
	o, m := fwopt.NewOracle(f, omega, 1), &fwmore.FISTA{L: 1e-3}
	x, v, θ, L, tries, restarts := make([]float64, d), make([]float64, d), 0., 1e-3, 0, 0
	g := make([]float64, d)
	for s := range m.Steps(o, x) {
		was := L
		var y, next []float64
		θnext := 0.
		for L *= 0.9; ; L *= 2 {
			tries++
			θnext = (1 + math.Sqrt(1+4*θ*θ*L/was)) / 2
			y = along(x, (θ-1)/θnext, v)
			f.Grad(g, y, fwopt.Batch{})
			next = along(y, -1/L, g)
			next = along(next, min(1, 3/math.Sqrt(dot(next, next)))-1, next)
			r := along(next, -1, y)
			if !(f.Value(next) > f.Value(y)+dot(g, r)+L/2*dot(r, r)+1e-14*f.Value(y)) {
				break
			}
		}
		v = along(next, -1, x)
		if θ = θnext; dot(along(y, -1, next), v) > 0 {
			v, θ, restarts = make([]float64, d), 0, restarts+1
		}
		x = next
		if far := along(s.X, -1, x); dot(far, far) > 1e-24 || math.Abs(m.LK-L) > 1e-12*L {
			t.Fatalf("step %d: x_k is off by %v, L_k %g, want %g", s.K, far, m.LK, L)
		}
		if want := (fwopt.Calls{Exact: 2 * tries, Projections: tries}); o.Calls != want {
			t.Fatalf("step %d: counts %+v, want %+v", s.K, o.Calls, want)
		}
		copy(x, s.X)
		if s.K == 80 {
			break
		}
	}
	if restarts < 2 || tries < 95 {
		t.Errorf("%d restarts, %d projections: this run tries little", restarts, tries)
	}
}

func TestFISTAWithoutL(t *testing.T) {
	o := fwopt.NewOracle(fwsum.NewQuadratic(1, []float64{1}, []float64{1}), fwset.L1Ball{D: 1, R: 1}, 1)
	got := small.Panics(func() {
		fwopt.Run(context.Background(), o, &fwmore.FISTA{}, fwopt.Budget{Steps: 1})
	})
	if got != "fwmore: FISTA.L = 0: give a first guess of the smoothness, as 1e-3; it adapts unless Fixed" {
		t.Errorf("panic %q", got)
	}
}
