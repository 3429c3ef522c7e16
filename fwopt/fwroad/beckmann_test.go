package fwroad_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwroad"
	"github.com/projection-free/fwlab/fwopt/fwtest"
	"gonum.org/v1/gonum/floats"
)

// roads draws n scenarios of d links with powers of all kinds, and some without B.
func roads(seed uint64, n, d int) (all [][]fwroad.Link) {
	rng := rand.New(rand.NewPCG(seed, 4))
	for s := range n {
		links := make([]fwroad.Link, d)
		for j := range links {
			links[j] = fwroad.Link{Free: rng.Float64(), Capacity: 0.5 + rng.Float64(), B: 0.15,
				Power: []float64{4, 0, 1, 2, 2.5, 3, 5}[j%7], Fixed: rng.Float64()}
			if (s+j)%11 == 10 {
				links[j].B = 0
			}
			if j%13 == 12 {
				links[j].Free, links[j].Fixed = 1, -0.5 // a bonus
			}
		}
		all = append(all, links)
	}
	return all
}

// cost is t(v) by its formula.
func cost(l fwroad.Link, v float64) float64 {
	if v < 0 && l.Power > 0 {
		v = 0
	}
	return l.Free*(1+l.B*math.Pow(v/l.Capacity, l.Power)) + l.Fixed
}

// integral is ∫_0^w t(v) dv by Simpson's rule on many pieces.
func integral(l fwroad.Link, w float64) (sum float64) {
	const pieces = 2000
	h := w / pieces
	for i := range pieces {
		v := h * float64(i)
		sum += h / 6 * (cost(l, v) + 4*cost(l, v+h/2) + cost(l, v+h))
	}
	return sum
}

func TestBeckmannNaive(t *testing.T) {
	for _, c := range []struct{ n, d int }{{1, 1}, {1, 20}, {7, 14}, {40, 3}} {
		all := roads(1, c.n, c.d)
		f := fwroad.NewBeckmann(all...)
		rng := rand.New(rand.NewPCG(2, 2))
		w, w0 := normals(rng, c.d), normals(rng, c.d)
		floats.AddConst(0.8, w)
		want := 0.0
		for _, links := range all {
			for j, l := range links {
				want += integral(l, w[j]) / float64(c.n)
			}
		}
		if got := f.Value(w); math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
			t.Errorf("%+v: f = %.12g, by quadrature %.12g", c, got, want)
		}
		for _, b := range []fwopt.Batch{{}, drawn(rng, c.n, 1), drawn(rng, c.n, 9)} {
			g, diff := make([]float64, c.d), make([]float64, c.d)
			for s, weight := range b.All(c.n) {
				for j, l := range all[s] {
					g[j] += weight * cost(l, w[j])
					diff[j] += weight * (cost(l, w[j]) - cost(l, w0[j]))
				}
			}
			got := make([]float64, c.d)
			if f.Grad(got, w, b); !floats.EqualApprox(got, g, 1e-13) {
				t.Errorf("%+v, %d terms: gradient %v, want %v", c, len(b.Index), got, g)
			}
			clear(got)
			if f.AddGradDiff(got, w, w0, b); !floats.EqualApprox(got, diff, 1e-12) {
				t.Errorf("%+v, %d terms: difference of gradients %v, want %v", c, len(b.Index), got, diff)
			}
		}
		fwtest.TestFiniteSum(t, f)
	}
}

// Braess (1968), made smooth: 4,000 drivers go from 0 to 3. With a free road from 1 to 2
// each of them takes 82 minutes in place of 66.
func ExampleBeckmann() {
	fast := fwroad.Link{Free: 1, Capacity: 100, B: 1, Power: 1} // 1 + v/100 minutes
	slow := fwroad.Link{Capacity: 1, Fixed: 45}
	free := fwroad.Link{Capacity: 1}
	arcs := []fwroad.Arc{{From: 0, To: 1}, {From: 1, To: 3}, {From: 0, To: 2}, {From: 2, To: 3},
		{From: 1, To: 2}}
	links := []fwroad.Link{fast, slow, slow, fast, free}
	for _, roads := range []int{4, 5} {
		omega := fwroad.NewFlows(arcs[:roads], []fwroad.Demand{{From: 0, To: 3, Flow: 4000}}, 0)
		f := fwroad.NewBeckmann(links[:roads])
		tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1),
			&fwopt.FW{Rule: fwopt.LineSearch{}}, fwopt.Budget{Tolerance: 1e-6, Steps: 100})
		minutes := make([]float64, roads)
		f.Grad(minutes, tr.W, fwopt.Batch{}) // what each road costs
		fmt.Printf("%.0f: %.0f minutes\n", tr.W, floats.Dot(tr.W, minutes)/4000)
	}
	// Output:
	// [2000 2000 2000 2000]: 66 minutes
	// [4000 0 0 4000 4000]: 82 minutes
}

func TestBeckmannPanics(t *testing.T) {
	good := fwroad.Link{Free: 1, Capacity: 1, B: 0.15, Power: 4}
	with := func(change func(l *fwroad.Link)) func() {
		l := good
		change(&l)
		return func() { fwroad.NewBeckmann([]fwroad.Link{good, l}) }
	}
	f := fwroad.NewBeckmann([]fwroad.Link{good, good})
	panics(t, map[string]func(){
		"without scenarios": func() { fwroad.NewBeckmann() },
		"without links":     func() { fwroad.NewBeckmann(nil) },
		"1 links in scenario 1 and 2 in": func() {
			fwroad.NewBeckmann([]fwroad.Link{good, good}, []fwroad.Link{good})
		},
		"link 1 of scenario 0 has capacity 0":    with(func(l *fwroad.Link) { l.Capacity = 0 }),
		"capacity -3, which must be positive":    with(func(l *fwroad.Link) { l.Capacity = -3 }),
		"capacity NaN":                           with(func(l *fwroad.Link) { l.Capacity = math.NaN() }),
		"free-flow time -1":                      with(func(l *fwroad.Link) { l.Free = -1 }),
		"free-flow time NaN":                     with(func(l *fwroad.Link) { l.Free = math.NaN() }),
		"B = +Inf":                               with(func(l *fwroad.Link) { l.B = math.Inf(1) }),
		"cost -1 where it is empty":              with(func(l *fwroad.Link) { l.Fixed = -2 }),
		"power 0.5, which must be 0 or at least": with(func(l *fwroad.Link) { l.Power = 0.5 }),
		"has power 4, cost 1 + +Inf·v^power":     with(func(l *fwroad.Link) { l.Capacity = 1e-100 }),
		"link 0 of scenario 1 has power 2": func() {
			fwroad.NewBeckmann([]fwroad.Link{good}, []fwroad.Link{{Free: 1, Capacity: 1, B: 0.15, Power: 2}})
		},
		"w has length 3, want 2": func() { f.Value(make([]float64, 3)) },
		"dst has length 1":       func() { f.Grad(make([]float64, 1), make([]float64, 2), fwopt.Batch{}) },
		"a batch with term 1 of a sum of 1": func() {
			f.Grad(make([]float64, 2), make([]float64, 2), fwopt.Batch{Index: []int{1}, Weight: []float64{1}})
		},
		"fwroad: d has length 0, want 2, one numb": func() {
			f.Curve(make([]float64, 2), make([]float64, 2), nil)
		},
	})
}

// All that decides a run is in the identity.
func TestIdentities(t *testing.T) {
	all := roads(3, 3, 5)
	sums := []*fwroad.Beckmann{fwroad.NewBeckmann(all...)}
	for _, change := range []func(l *fwroad.Link){
		func(l *fwroad.Link) { l.Free *= 2 }, func(l *fwroad.Link) { l.Capacity *= 2 },
		func(l *fwroad.Link) { l.B *= 3 }, func(l *fwroad.Link) { l.Fixed++ },
	} {
		other := slices.Clone(all)
		other[1] = slices.Clone(all[1])
		change(&other[1][3])
		sums = append(sums, fwroad.NewBeckmann(other...))
	}
	differ(t, sums...)
	arcs := []fwroad.Arc{{From: 2, To: 1}, {From: 1, To: 0}, {From: 2, To: 0}}
	d := []fwroad.Demand{{From: 2, To: 1, Flow: 1}, {From: 2, To: 0, Flow: 1}}
	differ(t, fwroad.NewFlows(arcs, d, 0), fwroad.NewFlows(arcs, d, 1), fwroad.NewFlows(arcs, d[:1], 0),
		fwroad.NewFlows(arcs[:2], d, 0), fwroad.NewFlows(arcs, []fwroad.Demand{d[0], d[0]}, 0),
		fwroad.NewFlows(arcs, []fwroad.Demand{d[0], {From: 2, To: 0, Flow: 2}}, 0))
	differ(t, fwroad.NewPaths(arcs, 2, 0), fwroad.NewPaths(arcs, 2, 1), fwroad.NewPaths(arcs, 1, 0),
		fwroad.NewPaths(arcs[:2], 2, 0))
}
