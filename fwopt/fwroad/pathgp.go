package fwroad

import (
	"iter"
	"math"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// PathGP is path-based gradient projection (Jayakrishnan, Tsai, Prashker & Rajadhyaksha, "A
// faster path-based algorithm for traffic assignment", Transportation Research Record 1443,
// 1994). It keeps the paths A_i that demand i uses, with the flow h_p on each, and moves flow
// to the cheapest one by a step of Newton's on the arcs that two paths do not share. f is a
// Separable, t_a(x) is what arc a costs at a flow x, and p \ q are the arcs of p that q lacks:
//
//	A_i = ∅ for all demands i
//	for k = 1, 2, … do
//	    For each i: add to A_i the path with the least cost at w = w_{k−1}, with all of
//	        demand i if A_i was empty and with h_p = 0 if not.
//	    6 times, for each i with two paths or more: let q be the cheapest of A_i at w.
//	        For each other p ∈ A_i of which D = Σ_{a∈p\q} t_a(w_a) − Σ_{a∈q\p} t_a(w_a) > 0:
//	            Let δ = min{h_p, D/Σ_{a∈p\q, q\p} t_a'(w_a)}.
//	            While Σ_{a∈q\p} [t_a(w_a + δ) − t_a(w_a) − δt_a'(w_a)] > D/2, halve δ.
//	            Take δ from h_p and give it to h_q, and to w on p\q and q\p.
//	        Drop the paths with h_p = 0.
//	    Set w_k = Σ_i Σ_{p∈A_i} h_p p.
//	end for
//
// So w_1 is the all-or-nothing flow at the costs of w_0, whose own paths are unknown. The six
// passes, cheap next to a search where paths are few, and the halving are not of 1994. With
// it every move takes δD/4 or more off f, if all t_a are convex and rise, as those of Beckmann
// do. For the costs rise by U(s) ≤ U(0) + (U(δ) − U(0))s/δ on q\p and fall by V(0) − V(s) ≤
// sV' on p\q, where U' and V' are the slopes at w, so that f changes by ∫_0^δ U(s) − V(s) ds ≤
// −δD + (U(δ) − U(0))δ/2 + V'δ²/2 ≤ −δD + δD/4 + (U' + V')δ²/2 ≤ −δD + δD/4 + δD/2.
//
// A step costs a search and the six passes over the arcs of all paths, which are kept: 10 MB for
// the 95,788 of Chicago-Sketch. No rate is proven, so that there is no bound to hold. Seen on three road
// networks: a relative gap of 1e-6 in a sixth or less of the processor seconds of BiconjugateFW,
// and one of 1e-12 in two to three times as long as 1e-6.
type PathGP struct {
	K          int       // steps done
	W          []float64 // w_k
	DualityGap float64   // at w_{k−1}, which the step found on its way
	Used       [][]Path  // A_i by demands, these in the order of their origins
	Links      int       // costs and slopes of single arcs that do not count yet, fewer than arcs
}

// Path is a path of a demand, and the flow on it.
type Path struct {
	Flow float64
	Arcs []int32 // the last one first
}

// A Separable is a FiniteSum f(w) = Σ_a F_a(w_a) of functions of one number, as Beckmann is.
// A sum that embeds another one inherits the method: override it together with Grad, or PathGP panics.
type Separable interface {
	// CostAt returns F_a'(x), which is coordinate a of ∇f, and F_a''(x).
	CostAt(a int, x float64) (cost, slope float64)
}

const passes = 6 // over the paths, for each search of new ones

func (a *PathGP) String() string { return "PathGP" }

// Identify writes the type alone.
func (a *PathGP) Identify(id *fwopt.Identity) { id.Of(a) }

// Steps runs PathGP. A step counts one linear optimisation, as it looks for all shortest paths at
// w_{k−1}, and two exact gradients for all costs and slopes there. Those of single arcs that
// the moves ask for count as two more for each Dim() of them. It panics unless f is a Separable
// whose CostAt agrees with Grad, and Ω a *Flows.
func (a *PathGP) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	f, ok := o.F.(Separable)
	if !ok {
		panic(need.Linef("fwroad: %T has no CostAt, the cost of one arc and its slope; use biconjugate "+
			"Frank-Wolfe, for which Curve is enough, or FW", o.F))
	}
	omega, ok := o.Omega.(*Flows)
	if !ok {
		panic(need.Linef("fwroad: PathGP moves flow between the paths of a *Flows, not of a %T; use "+
			"biconjugate Frank-Wolfe, or PairwiseFW", o.Omega))
	}
	d := len(w0)
	if a.K == 0 {
		a.W, a.Used = append(a.W[:0], w0...), make([][]Path, len(omega.demands)) // A_i = ∅
	}
	m := &moves{f: f, w: a.W, cost: make([]float64, d), slope: make([]float64, d),
		inQ: make([]int, d), inP: make([]int, d)}
	return func(yield func(fwopt.Step) bool) {
		for { // for k = 1, 2, …
			o.Grad(m.cost, a.W)
			for j, x := range a.W {
				c, slope := f.CostAt(j, x) // t_a(w_a), t_a'(w_a)
				if math.Abs(c-m.cost[j]) > 1e-9*math.Abs(c) {
					panic(need.Linef("fwroad: arc %d costs %g in %T.Grad and %g in CostAt, which may be an "+
						"embedded sum's: override both", j, m.cost[j], o.F, c))
				}
				m.cost[j], m.slope[j] = c, slope
			}
			o.Calls.Exact++ // the slopes
			o.Calls.Linear++
			a.DualityGap = floats.Dot(m.cost, a.W) - omega.widen(a.Used, m.cost) // new paths into the A_i
			for range passes {
				for i, p := range a.Used {
					if len(p) > 1 {
						a.Used[i] = m.even(p)
					}
				}
			}
			a.Links += m.links
			o.Calls.Exact += 2 * (a.Links / d)
			a.Links, m.links = a.Links%d, 0
			clear(a.W)
			for _, paths := range a.Used {
				for _, p := range paths {
					for _, j := range p.Arcs {
						a.W[j] += p.Flow // w_k = Σ_i Σ_{p∈A_i} h_p p
					}
				}
			}
			a.K++
			if !yield(fwopt.Step{T: 1, K: a.K, X: a.W}) {
				return
			}
		}
	}
}

// widen adds the shortest path at the costs g to those of each demand, and returns the cost
// of the all-or-nothing flow.
func (f *Flows) widen(paths [][]Path, g []float64) (least float64) {
	p := kern.Borrow(len(g))
	defer kern.Return(p)
	zero := f.price(*p, g)
	origins := len(f.origin) - 1
	part := make([]float64, origins)
	kern.Do(origins, 1+20000/len(g), func(lo, hi int) {
		t := newTree(len(f.out.first) - 1)
		for i := lo; i < hi; i++ {
			f.grow(t, *p, f.demands[f.origin[i]].From)
			for j := f.origin[i]; j < f.origin[i+1]; j++ {
				part[i] += f.demands[j].Flow * t.dist[f.demands[j].To]
				paths[j] = t.add(paths[j], f.out.arc, f.demands[j])
			}
		}
	})
	if zero {
		return 0 // the tree counts arcs
	}
	return floats.Sum(part)
}

// add adds the path in the tree from one end of a demand to the other, unless it is there.
func (t *tree) add(paths []Path, arc []int32, d Demand) []Path {
	for _, p := range paths {
		u, i := d.To, 0
		for i < len(p.Arcs) && u != d.From && p.Arcs[i] == arc[t.last[u]] {
			u, i = int(t.tail[u]), i+1
		}
		if i == len(p.Arcs) && u == d.From {
			return paths
		}
	}
	var p Path
	if len(paths) == 0 {
		p.Flow = d.Flow
	}
	for u := d.To; u != d.From; u = int(t.tail[u]) {
		p.Arcs = append(p.Arcs, arc[t.last[u]])
	}
	return append(paths, p)
}

// moves is the flow on all arcs, what they cost, and scratch.
type moves struct {
	f              Separable
	w, cost, slope []float64 // t_a(w_a), t_a'(w_a)
	links          int       // how often f was asked
	turn           int       // numbers paths, to mark their arcs
	inQ, inP       []int     // the last q, and p, that the arc is on
	up, down       []int32   // q\p, p\q
	next           []float64 // t_a(w_a + δ), t_a'(w_a + δ) on q\p
}

// even moves flow to the cheapest of the paths, and returns those with flow.
func (m *moves) even(paths []Path) []Path {
	least, q := math.Inf(1), 0
	for i, p := range paths {
		c := 0.0
		for _, j := range p.Arcs {
			c += m.cost[j]
		}
		if c < least {
			least, q = c, i
		}
	}
	m.turn++
	of := m.turn
	for _, j := range paths[q].Arcs {
		m.inQ[j] = of
	}
	for i := range paths {
		if i != q {
			m.move(&paths[i], &paths[q], of, 0x1p-50*math.Abs(least))
		}
	}
	n := 0
	for _, p := range paths {
		if p.Flow > 0 { // drop those with h_p = 0
			paths[n], n = p, n+1
		}
	}
	return paths[:n]
}

// move moves flow from p to q, whose arcs are marked, if p costs more, and not by rounding.
func (m *moves) move(p, q *Path, mark int, rounding float64) {
	m.turn++
	m.up, m.down = m.up[:0], m.down[:0]
	D, rise, bend := 0.0, 0.0, 0.0 // rise: of q alone
	for _, j := range p.Arcs {
		if m.inQ[j] == mark {
			m.inP[j] = m.turn
			continue
		}
		m.down = append(m.down, j)
		D, bend = D+m.cost[j], bend+m.slope[j]
	}
	for _, j := range q.Arcs {
		if m.inP[j] != m.turn {
			m.up = append(m.up, j)
			D, rise = D-m.cost[j], rise+m.slope[j]
		}
	}
	if !(D > rounding) {
		return
	}
	δ := p.Flow
	if bend += rise; bend*δ > D {
		δ = D / bend // δ = min{h_p, D/Σ_{a∈p\q, q\p} t_a'(w_a)}
	}
	for ; ; δ /= 2 {
		over := -δ * rise
		m.next = m.next[:0]
		for _, j := range m.up {
			c, s := m.f.CostAt(int(j), m.w[j]+δ)
			over += c - m.cost[j]
			m.next = append(m.next, c, s)
		}
		m.links += len(m.up)
		if !(over > D/2 && δ > 0) { // Σ_{a∈q\p} [t_a(w_a + δ) − t_a(w_a) − δt_a'(w_a)] ≤ D/2
			break
		}
	}
	for i, j := range m.up {
		m.w[j] += δ
		m.cost[j], m.slope[j] = m.next[2*i], m.next[2*i+1]
	}
	for _, j := range m.down {
		m.w[j] = max(0, m.w[j]-δ) // 0 but for rounding
		m.cost[j], m.slope[j] = m.f.CostAt(int(j), m.w[j])
	}
	m.links += len(m.down)
	p.Flow -= δ
	q.Flow += δ
}
