package fwroad

import (
	"fmt"
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"github.com/projection-free/fwlab/fwopt/internal/num"
	"gonum.org/v1/gonum/floats"
)

// Link is a road of which Free·(1 + B·(v/Capacity)^Power) + Fixed is what it costs to
// pass, most of it time, where v vehicles do: the function of the Bureau of Public Roads.
type Link struct {
	Free     float64 // time on the empty road
	Capacity float64 // vehicles, in the unit of v; positive
	B, Power float64 // 0.15 and 4 as a rule; a Power is 0 or at least 1
	Fixed    float64 // what does not depend on v: a toll, a length, in the unit of time
}

// Beckmann is the sum over n scenarios of a road network whose minimiser over the flows
// that meet given demands (Flows) is the traffic equilibrium, in which nobody has a
// shorter way (Beckmann, McGuire & Winsten, Studies in the Economics of Transportation,
// 1956). w has the flow of each link a, and t_sa is what link a costs in scenario s:
//
//	f_s(w) = Σ_a ∫_0^{w_a} t_sa(v) dv,  t_sa(v) = A_sa + K_sa v^p_a
//
// ∇f_s(w) are the costs t_sa(w_a). With n > 1 it is the equilibrium of drivers who know
// the mean costs of their ways, and not the day's.
//
// As a link has the same power in all scenarios, their mean is again a sum of this form:
// the value and the exact gradient cost as much as with one scenario. Below 0, where
// rounding may take a flow, a cost is A_sa.
type Beckmann struct {
	n            int
	a, k         []float64 // n × d by rows
	power        []float64 // p_a; 1, with K = 0, where it is 0
	meanA, meanK []float64
}

// NewBeckmann returns the sum over the scenarios, each a list of the same links with what
// they cost in it. It panics if there is none, or no link, if the lists or the powers of a
// link differ, or if a link makes no sense: a capacity that is not positive, a cost that
// may be negative, a power between 0 and 1, for which a cost has no derivative at 0, a
// number that is not finite.
func NewBeckmann(scenarios ...[]Link) *Beckmann {
	if len(scenarios) == 0 || len(scenarios[0]) == 0 {
		panic(need.Line("fwroad: a Beckmann sum without scenarios or without links"))
	}
	n, d := len(scenarios), len(scenarios[0])
	f := &Beckmann{n: n, a: make([]float64, n*d), k: make([]float64, n*d), power: make([]float64, d)}
	for s, links := range scenarios {
		if len(links) != d {
			panic(need.Linef("fwroad: %d links in scenario %d and %d in the first one", len(links), s, d))
		}
		for j, l := range links {
			if why := l.fault(); why != "" {
				panic(need.Linef("fwroad: link %d of scenario %d has %s", j, s, why))
			}
			a, k := l.Free+l.Fixed, l.Free*l.B/math.Pow(l.Capacity, l.Power)
			if f.power[j] = l.Power; l.Power == 0 {
				a, k, f.power[j] = a+k, 0, 1
			}
			if p := scenarios[0][j].Power; l.Power != p || math.IsInf(k, 0) || math.IsInf(a, 0) {
				panic(need.Linef("fwroad: link %d of scenario %d has power %g, cost %g + %g·v^power; "+
					"the power must be that of the first scenario, %g, and the cost finite",
					j, s, l.Power, a, k, p))
			}
			f.a[s*d+j], f.k[s*d+j] = a, k
		}
	}
	f.meanA, f.meanK = make([]float64, d), make([]float64, d)
	for s := range n {
		floats.Add(f.meanA, f.a[s*d:(s+1)*d])
		floats.Add(f.meanK, f.k[s*d:(s+1)*d])
	}
	floats.Scale(1/float64(n), f.meanA)
	floats.Scale(1/float64(n), f.meanK)
	return f
}

// fault says what of a link makes no sense, or nothing.
func (l Link) fault() string {
	for i, x := range []float64{l.Free, l.Capacity, l.B, l.Power, l.Fixed} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			name := []string{"free-flow time", "capacity", "B =", "power", "fixed cost"}[i]
			return fmt.Sprintf("%s %g, which is not finite", name, x)
		}
	}
	switch {
	case l.Free < 0 || l.B < 0:
		return fmt.Sprintf("free-flow time %g and B = %g, which may not be negative", l.Free, l.B)
	case l.Free+l.Fixed < 0:
		return fmt.Sprintf("cost %g where it is empty, which may not be negative", l.Free+l.Fixed)
	case l.Capacity <= 0:
		return fmt.Sprintf("capacity %g, which must be positive", l.Capacity)
	case l.Power != 0 && l.Power < 1:
		return fmt.Sprintf("power %g, which must be 0 or at least 1", l.Power)
	}
	return ""
}

// Dim returns the number of links.
func (f *Beckmann) Dim() int { return len(f.power) }

// Len returns n, the number of scenarios.
func (f *Beckmann) Len() int { return f.n }

// Value returns f(w) = Σ_a ∫_0^{w_a} t_a(v) dv with the mean costs t_a, in O(d).
func (f *Beckmann) Value(w []float64) (sum float64) {
	f.checkLen("w", w)
	for j, x := range w {
		p, u := f.power[j], max(x, 0)
		sum += f.meanA[j]*x + f.meanK[j]*raise(u, p)*u/(p+1)
	}
	return sum
}

// Grad computes dst = Σ_s Weight[s] ∇f_{Index[s]}(w), the weighted mean of the costs: in
// O(d) for the zero Batch, else in O(d·batch).
func (f *Beckmann) Grad(dst, w []float64, batch fwopt.Batch) {
	f.checkLen("dst", dst)
	f.checkLen("w", w)
	need.Batch("fwroad", batch.Index, batch.Weight, f.n)
	a, k, d := f.meanA, f.meanK, len(w)
	if batch.Index != nil {
		p := kern.Borrow(2 * d)
		defer kern.Return(p)
		a, k = (*p)[:d], (*p)[d:]
		weigh(a, f.a, batch)
		weigh(k, f.k, batch)
	}
	for j, x := range w {
		dst[j] = a[j] + k[j]*raise(max(x, 0), f.power[j])
	}
}

// AddGradDiff does dst_a += Σ_s Weight[s] K_{Index[s],a} (w_a^p_a − w0_a^p_a).
func (f *Beckmann) AddGradDiff(dst, w, w0 []float64, batch fwopt.Batch) {
	f.checkLen("dst", dst)
	f.checkLen("w", w)
	f.checkLen("w0", w0)
	need.Batch("fwroad", batch.Index, batch.Weight, f.n)
	k, d := f.meanK, len(w)
	if batch.Index != nil {
		p := kern.Borrow(d)
		defer kern.Return(p)
		k = *p
		weigh(k, f.k, batch)
	}
	for j, x := range w {
		dst[j] += k[j] * (raise(max(x, 0), f.power[j]) - raise(max(w0[j], 0), f.power[j]))
	}
}

// weigh computes dst = Σ_s Weight[s] x_{Index[s]} of the rows of x.
func weigh(dst, x []float64, batch fwopt.Batch) {
	clear(dst)
	for i, s := range batch.Index {
		floats.AddScaled(dst, batch.Weight[i], x[s*len(dst):(s+1)*len(dst)])
	}
}

// SystemOptimum returns the sum whose value is Σ_a w_a t_a(w_a), what all drivers spend together at
// the mean costs, and so f.Grad(w)ᵀw: its minimiser over the flows is the system optimum. Its
// gradient are the marginal costs t_a + w_a t_a', by which each driver would have to be charged
// so that an equilibrium is the optimum. A toll in Fixed counts as spent.
func (f *Beckmann) SystemOptimum() *Beckmann {
	s, d := *f, len(f.power)
	s.k, s.meanK = slices.Clone(f.k), slices.Clone(f.meanK)
	for j := range s.k {
		s.k[j] *= 1 + f.power[j%d] // (v·Kv^p)' = (1 + p)Kv^p
	}
	for j := range s.meanK {
		s.meanK[j] *= 1 + f.power[j]
	}
	return &s
}

// Curve computes dst = ∇²f(w)d, dst_a = p_a K_a w_a^(p_a−1) d_a with the mean K_a, in O(d).
func (f *Beckmann) Curve(dst, w, d []float64) {
	f.checkLen("dst", dst)
	f.checkLen("w", w)
	f.checkLen("d", d)
	for j, x := range w {
		_, slope := f.CostAt(j, x)
		dst[j] = slope * d[j]
	}
}

// CostAt returns the mean cost of link j at a flow x, and its slope there.
func (f *Beckmann) CostAt(j int, x float64) (cost, slope float64) {
	if x < 0 {
		return f.meanA[j], 0
	}
	y := f.meanK[j] * raise(x, f.power[j]-1)
	return f.meanA[j] + y*x, f.power[j] * y
}

// LineSearch returns the γ ∈ [0, 1] that minimises f((1−γ)w + γv), to about 12 digits, by
// about six steps of O(d).
func (f *Beckmann) LineSearch(w, v []float64) float64 {
	f.checkLen("w", w)
	f.checkLen("v", v)
	return num.MinimizeByNewton(func(gamma float64) (d1, d2 float64) {
		for j, x := range w {
			d := v[j] - x
			cost, slope := f.CostAt(j, x+gamma*d)
			d1 += cost * d
			d2 += slope * d * d
		}
		return d1, d2
	})
}

// raise returns u^p for u ≥ 0. The powers of most networks need no logarithm.
func raise(u, p float64) float64 {
	switch p {
	case 0:
		return 1
	case 1:
		return u
	case 2:
		return u * u
	case 3:
		return u * u * u
	case 4:
		return (u * u) * (u * u)
	}
	return math.Pow(u, p)
}

// Identify writes the costs of all links in all scenarios. It costs O(dn).
func (f *Beckmann) Identify(id *fwopt.Identity) {
	id.Of(f).Int(f.n).Float(f.power...).Float(f.a...).Float(f.k...)
}

func (f *Beckmann) checkLen(name string, w []float64) {
	if len(w) != len(f.power) {
		panic(need.Linef("fwroad: %s has length %d, want %d, one number a link", name, len(w), len(f.power)))
	}
}
