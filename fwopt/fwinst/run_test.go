package fwinst

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
)

// TestRun: the same counts and gaps, to the bit, as the method stepped through by hand.
func TestRun(t *testing.T) {
	for _, p := range []*Instance{Simplex(64, 8, 1), Product(IllBox(4, 8, 30, 2), NoisyBox(4, 8, 2))} {
		a := fwopt.STORCTheorem2a(p.Constants)
		got := p.Run(context.Background(), a, 7, fwopt.EpochEnds(a.N, 4))
		var want []fwopt.Point
		m, o := fwopt.STORCTheorem2a(p.Constants), fwopt.NewOracle(p.F, p.Omega, 7)
		w0 := p.W0
		if w0 == nil {
			w0 = o.Start()
		}
		for s := range m.Steps(o, w0) {
			if s.K < m.N(s.T) {
				continue
			}
			want = append(want, fwopt.Point{T: s.T, K: s.K, Calls: o.Calls, Excess: p.Excess(s.X)})
			if s.T == 4 {
				break
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%s: %d points, want %d", p.Name, len(got), len(want))
		}
		for i, q := range got {
			if w := want[i]; q.T != w.T || q.K != w.K || q.Calls != w.Calls || q.Excess != w.Excess {
				t.Errorf("%s, epoch %d: %v after %v, want %v after %v", p.Name, w.T, q.Excess, q.Calls, w.Excess, w.Calls)
			}
		}
		other := p.Run(context.Background(), fwopt.STORCTheorem2a(p.Constants), 8, fwopt.EpochEnds(a.N, 4))
		if other[len(other)-1].Excess == got[len(got)-1].Excess {
			t.Errorf("%s: seeds 7 and 8 have the same gap", p.Name)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	defer func() {
		if recover() == nil {
			t.Error("a run that was cut short does not panic")
		}
	}()
	p := Zigzag()
	p.Run(ctx, &fwopt.FW{}, 1, fwopt.Geometric(2, 16))
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
