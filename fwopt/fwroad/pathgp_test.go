package fwroad_test

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwroad"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwtest"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
)

// used is a path of the naive method: which arcs it has, and its flow.
type used struct {
	on   map[int]bool
	flow float64
}

// naivePaths is the box of PathGP from formulas alone: shortest paths by Bellman & Ford, and sets of
// arcs. asked counts the costs that moves ask for, halved how often one was too far.
type naivePaths struct {
	links         []fwroad.Link
	arcs          []fwroad.Arc
	demands       []fwroad.Demand
	paths         [][]used
	asked, halved int
	unsure        int // of asked, in moves that rounding may have made
	t             *testing.T
}

func (n *naivePaths) slope(a int, x float64) float64 {
	l := n.links[a]
	if l.Power == 0 {
		return 0
	}
	return l.Free * l.B * l.Power * math.Pow(x, l.Power-1) / math.Pow(l.Capacity, l.Power)
}

// spent is ∫_0^x t_a(v) dv.
func (n *naivePaths) spent(a int, x float64) float64 {
	l := n.links[a]
	return l.Free*(x+l.B*x*math.Pow(x/l.Capacity, l.Power)/(l.Power+1)) + l.Fixed*x
}

func (n *naivePaths) shortest(c []float64, d fwroad.Demand) used {
	dist, last := map[int]float64{d.From: 0}, map[int]int{}
	for again := true; again; {
		again = false
		for k, a := range n.arcs {
			x, ok := dist[a.From]
			if y, was := dist[a.To]; ok && (!was || x+c[k] < y) {
				dist[a.To], last[a.To], again = x+c[k], k, true
			}
		}
	}
	p := used{on: map[int]bool{}}
	for u := d.To; u != d.From; u = n.arcs[last[u]].From {
		p.on[last[u]] = true
	}
	return p
}

func (n *naivePaths) sum(in, out map[int]bool, of func(a int) float64) (s float64) {
	for a := range n.arcs { // in order, so that a run is the same again
		if in[a] && !out[a] {
			s += of(a)
		}
	}
	return s
}

func (n *naivePaths) step(w []float64) (next []float64) {
	c := make([]float64, len(w))
	for a, x := range w {
		c[a] = cost(n.links[a], x)
	}
	for i, d := range n.demands {
		p := n.shortest(c, d)
		if len(n.paths[i]) == 0 {
			p.flow = d.Flow
		}
		if !slices.ContainsFunc(n.paths[i], func(q used) bool { return maps.Equal(q.on, p.on) }) {
			n.paths[i] = append(n.paths[i], p)
		}
	}
	w = slices.Clone(w)
	at := func(a int) float64 { return cost(n.links[a], w[a]) }
	bend := func(a int) float64 { return n.slope(a, w[a]) }
	for range 6 {
		for i, paths := range n.paths {
			if len(paths) < 2 {
				continue
			}
			best, whole := 0, func(k int) float64 { return n.sum(paths[k].on, nil, at) }
			for k := range paths {
				if whole(k) < whole(best) {
					best = k
				}
			}
			p0 := whole(best)
			q := &paths[best]
			for k := range paths {
				p := &paths[k]
				D := n.sum(p.on, q.on, at) - n.sum(q.on, p.on, at)
				if k == best || D < 1e-15*p0 {
					continue
				}
				before := n.asked
				δ := min(p.flow, D/(n.sum(p.on, q.on, bend)+n.sum(q.on, p.on, bend)))
				some := int(n.sum(q.on, p.on, func(int) float64 { return 1 }))
				for n.asked += some; ; n.asked += some {
					over := n.sum(q.on, p.on, func(a int) float64 {
						return cost(n.links[a], w[a]+δ) - at(a) - δ*bend(a)
					})
					if over <= D/2 {
						break
					}
					δ, n.halved = δ/2, n.halved+1
				}
				n.asked += int(n.sum(p.on, q.on, func(int) float64 { return 1 }))
				if D < 1e-13*p0 {
					n.unsure += n.asked - before
				}
				fall := 0.0
				for a := range w {
					was := w[a]
					if p.on[a] && !q.on[a] {
						w[a] = max(0, w[a]-δ)
					} else if q.on[a] && !p.on[a] {
						w[a] += δ
					} else {
						continue
					}
					fall += n.spent(a, was) - n.spent(a, w[a])
				}
				if fall < δ*D/4-1e-9 {
					n.t.Fatalf("a move of %g takes %g off f, the proof says %g", δ, fall, δ*D/4)
				}
				p.flow -= δ
				q.flow += δ
			}
			n.paths[i] = slices.DeleteFunc(paths, func(p used) bool { return p.flow == 0 })
		}
	}
	next = make([]float64, len(w))
	for _, paths := range n.paths {
		for _, p := range paths {
			for a := range p.on {
				next[a] += p.flow
			}
		}
	}
	return next
}

// Each step of whole runs against the naive one, with its counts, until the gap is small; each
// move takes off f what the proof says, and some are halved.
func TestPathGPAgainstNaive(t *testing.T) {
	halved, most, unsure := 0, 0, 0
	for seed := range uint64(10) {
		links, arcs, demands := streets(3, seed)
		for k := range links { // congestion of all kinds, and links that cost the same to all
			links[k].Power = []float64{4, 1, 2, 0, 8}[k%5]
			links[k].Capacity /= 2
		}
		slices.SortStableFunc(demands, func(a, b fwroad.Demand) int { return a.From - b.From })
		n := &naivePaths{links: links, arcs: arcs, demands: demands, t: t}
		n.paths = make([][]used, len(demands))
		f, omega := fwroad.NewBeckmann(links), fwroad.NewFlows(arcs, demands, 0)
		m, o := &fwroad.PathGP{}, fwopt.NewOracle(f, omega, 1)
		w := o.Start()
		before := o.Calls
		g, v := make([]float64, len(w)), make([]float64, len(w))
		for step := range m.Steps(o, w) {
			f.Grad(g, w, fwopt.Batch{})
			omega.Argmin(v, g)
			gap, spent := floats.Dot(g, sub(w, v)), floats.Dot(g, w)
			if math.Abs(gap-m.DualityGap) > 1e-12*spent {
				t.Fatalf("seed %d, step %d: duality gap %g, want %g", seed, step.K, m.DualityGap, gap)
			}
			if gap < 1e-7*spent {
				break
			}
			next := n.step(w)
			if e := floats.Distance(step.X, next, math.Inf(1)); e > 1e-8 || step.K == 200 {
				t.Fatalf("seed %d, step %d: w is %g off", seed, step.K, e)
			}
			links := (o.Calls.Exact-before.Exact-2*step.K)*len(arcs)/2 + m.Links
			if links < n.asked-n.unsure || links > n.asked+n.unsure || n.unsure > 50 ||
				o.Calls.Linear != before.Linear+step.K || m.Links >= len(arcs) {
				t.Fatalf("seed %d, step %d: calls %+v and %d, so %d arcs, want %d but for %d", seed, step.K,
					o.Calls, m.Links, links, n.asked, n.unsure)
			}
			for i, paths := range m.Used {
				flow := 0.0
				for _, p := range paths {
					flow += p.Flow
				}
				if most = max(most, len(paths)); math.Abs(flow-demands[i].Flow) > 1e-12 {
					t.Fatalf("seed %d, step %d: demand %d of %g has %g", seed, step.K, i, demands[i].Flow, flow)
				}
			}
			w = slices.Clone(step.X)
		}
		halved, unsure = halved+n.halved, unsure+n.unsure
	}
	if t.Logf("%d halved, up to %d paths, %d arcs in doubt", halved, most, unsure); halved < 5 || most < 3 {
		t.Errorf("%d steps halved, up to %d paths: the test tests little", halved, most)
	}
}

// The contract of methods, with runs that are kept, on networks with circles and without.
func TestPathGPMethod(t *testing.T) {
	f, omega := small.Network()
	arcs, from, to := layers(3, 3)
	links := roads(1, 1, len(arcs))[0]
	for _, c := range []struct {
		f     fwopt.FiniteSum
		omega fwopt.Domain
	}{{f, omega}, {fwroad.NewBeckmann(links),
		fwroad.NewFlows(arcs, []fwroad.Demand{{From: from, To: to, Flow: 3}}, 0)}} {
		fwtest.TestMethod(t, func() fwopt.Method { return &fwroad.PathGP{} }, c.f, c.omega,
			small.Calls(&fwroad.PathGP{}))
	}
}

func solve(f fwopt.FiniteSum, omega fwopt.Domain, steps int) []float64 {
	return fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), &fwroad.PathGP{},
		fwopt.Budget{Steps: steps}).W
}

// Pigou (1920), as a polynomial: one road costs 1, the other v^p. All of one driver's unit take
// the second at equilibrium, and (p+1)^{−1/p} of it at the optimum, where all spend
// 1 − p(p+1)^{−(p+1)/p}; for p = 1 the price of anarchy is 4/3. Braess: at the optimum the free
// road takes 0.2 minutes off the 66, where at equilibrium it costs 16.
func TestSystemOptimum(t *testing.T) {
	both := []fwroad.Arc{{From: 0, To: 1}, {From: 0, To: 1}}
	for _, p := range []float64{1, 2, 2.5, 4} {
		f := fwroad.NewBeckmann([]fwroad.Link{{Free: 1, Capacity: 1, Power: p},
			{Free: 1e-9, Capacity: 1, B: 1e9, Power: p}})
		omega := fwroad.NewFlows(both, []fwroad.Demand{{From: 0, To: 1, Flow: 1}}, 0)
		best := f.SystemOptimum()
		all, some := solve(f, omega, 60), solve(best, omega, 60)
		want := math.Pow(p+1, -1/p)
		if e := math.Abs(some[1] - want); e > 1e-8 || all[1] < 1-1e-8 {
			t.Errorf("power %g: %v at equilibrium, %v at the optimum, want 1 and %g", p, all, some, want)
		}
		price, closed := best.Value(all)/best.Value(some), 1/(1-p*math.Pow(p+1, -(p+1)/p))
		if math.Abs(price-closed) > 1e-8 {
			t.Errorf("power %g: a price of anarchy of %.12g, want %.12g", p, price, closed)
		}
	}
	fast := fwroad.Link{Free: 1, Capacity: 100, B: 1, Power: 1}
	slow := fwroad.Link{Capacity: 1, Fixed: 45}
	links := []fwroad.Link{fast, slow, slow, fast, {Capacity: 1}}
	arcs := []fwroad.Arc{{From: 0, To: 1}, {From: 1, To: 3}, {From: 0, To: 2}, {From: 2, To: 3},
		{From: 1, To: 2}}
	for roads, want := range map[int]float64{4: 66, 5: 82} {
		omega := fwroad.NewFlows(arcs[:roads], []fwroad.Demand{{From: 0, To: 3, Flow: 4000}}, 0)
		f := fwroad.NewBeckmann(links[:roads])
		best := f.SystemOptimum()
		if got := best.Value(solve(f, omega, 40)) / 4000; math.Abs(got-want) > 1e-9 {
			t.Errorf("Braess, %d roads: %g minutes at equilibrium, want %g", roads, got, want)
		}
		// y on a fast road and 4,000 − y on a slow one: 2[y + y²/100 + 45(4,000 − y)] is least at y = 2,200
		got, least := best.Value(solve(best, omega, 40))/4000, map[int]float64{4: 66, 5: 65.8}[roads]
		if math.Abs(got-least) > 1e-9 {
			t.Errorf("Braess, %d roads: %g minutes at the optimum, want %g", roads, got, least)
		}
	}
	// the value is what all spend, over days, and the gradient its derivative
	all := roads(4, 5, 14)
	f := fwroad.NewBeckmann(all...)
	best, rng := f.SystemOptimum(), rand.New(rand.NewPCG(3, 3))
	w, g := make([]float64, 14), make([]float64, 14)
	for j := range w {
		w[j] = 0.1 + rng.Float64()
	}
	f.Grad(g, w, fwopt.Batch{})
	if got, want := best.Value(w), floats.Dot(g, w); math.Abs(got-want) > 1e-12*want {
		t.Errorf("value %.15g, want ∇f(w)ᵀw = %.15g", got, want)
	}
	fwtest.TestFiniteSum(t, best)
	differ(t, f, best)
	const h = 1e-6
	for j, x := range w {
		for _, s := range []*fwroad.Beckmann{f, best} {
			c, slope := s.CostAt(j, x)
			above, _ := s.CostAt(j, x+h)
			below, _ := s.CostAt(j, x-h)
			s.Grad(g, w, fwopt.Batch{})
			if math.Abs(c-g[j]) > 1e-14*c || math.Abs((above-below)/(2*h)-slope) > 1e-8*(1+slope) {
				t.Errorf("link %d costs %g and bends by %g, want %g and %g", j, c, slope, g[j],
					(above-below)/(2*h))
			}
		}
	}
}

// Networks at the edge: one pair on one road, demands between the same pair, costs that are
// constant, or 0.
func TestPathGPEdges(t *testing.T) {
	one := []fwroad.Arc{{From: 0, To: 1}}
	w := solve(fwroad.NewBeckmann([]fwroad.Link{{Free: 1, Capacity: 1, B: 1, Power: 1}}),
		fwroad.NewFlows(one, []fwroad.Demand{{From: 0, To: 1, Flow: 7}}, 0), 3)
	if w[0] != 7 {
		t.Errorf("one road has %v", w)
	}
	links, arcs, demands := streets(3, 1)
	for k := range links {
		links[k].Power = 0
	}
	demands = append(demands, demands[0]) // once more
	for range 2 {
		f, omega := fwroad.NewBeckmann(links), fwroad.NewFlows(arcs, demands, 0)
		m := &fwroad.PathGP{}
		tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m,
			fwopt.Budget{Steps: 4, DualityGap: true})
		if p := tr.Last(); math.Abs(p.DualityGap) > 1e-12 || math.Abs(m.DualityGap) > 1e-12 {
			t.Errorf("constant costs: gaps %g, %g after %d steps", p.DualityGap, m.DualityGap, p.Step)
		}
		for k := range links {
			links[k] = fwroad.Link{Capacity: 1} // free
		}
	}
}

// shifted is a Separable that lies about its slopes.
type shifted struct {
	*fwroad.Beckmann
	slope float64
}

func (f shifted) CostAt(a int, x float64) (cost, slope float64) {
	cost, _ = f.Beckmann.CostAt(a, x)
	return cost, f.slope
}

// tolled is a Beckmann that forgets CostAt.
type tolled struct{ *fwroad.Beckmann }

func (f tolled) Grad(dst, w []float64, batch fwopt.Batch) {
	f.Beckmann.Grad(dst, w, batch)
	dst[1]++
}

// Whatever the slopes are the method ends its steps, and the flows carry the demands; what it
// cannot take is refused with what to take instead.
func TestPathGPBadInput(t *testing.T) {
	links, arcs, demands := streets(3, 2)
	f, omega := fwroad.NewBeckmann(links), fwroad.NewFlows(arcs, demands, 0)
	for _, slope := range []float64{0, -1, 1e300, math.Inf(1), math.NaN()} {
		w := solve(shifted{f, slope}, omega, 20)
		net := make([]float64, 9)
		for k, a := range arcs {
			net[a.From], net[a.To] = net[a.From]-w[k], net[a.To]+w[k]
		}
		for _, d := range demands {
			net[d.From], net[d.To] = net[d.From]+d.Flow, net[d.To]-d.Flow
		}
		if e := floats.Norm(net, math.Inf(1)); !(e < 1e-12) || floats.Min(w) < 0 {
			t.Errorf("slopes %g: %g lost at a node", slope, e)
		}
	}
	type bare struct{ fwopt.FiniteSum }
	run := func(f fwopt.FiniteSum, omega fwopt.Domain) func() {
		return func() {
			for range (&fwroad.PathGP{}).Steps(fwopt.NewOracle(f, omega, 1), make([]float64, f.Dim())) {
				break
			}
		}
	}
	panics(t, map[string]func(){
		"fwroad_test.bare has no CostAt, the cost of one arc and its slope; use biconjugate Frank-Wolfe, " +
			"for which Curve is enough, or FW": run(bare{f}, omega),
		"in fwroad_test.tolled.Grad": run(tolled{f}, omega),
		"PathGP moves flow between the paths of a *Flows, not of a fwset.Simplex; use " +
			"biconjugate Frank-Wolfe, or PairwiseFW": run(f, fwset.Simplex{D: f.Dim(), R: 1}),
	})
}
