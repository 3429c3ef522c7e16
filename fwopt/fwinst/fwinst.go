// Package fwinst holds problems min_{w∈Ω} f(w) whose constants and minimiser are
// known in closed form, each built to force a count of the paper's methods: on them
// the theorems' bounds can be checked, and a count against 1/ε means something.
//
// In all of them f_i is a quadratic with a diagonal Hessian H_i, so that with the
// means h of the H_i and g = ∇f(w*)
//
//	f(w) = f* + Σ_j g_j (w_j − w*_j) + ½ Σ_j h_j (w_j − w*_j)²
//
// and f(w), its gradient and its line search cost O(d). On Ω every term of the
// first sum is ≥ 0: the gap has no cancellation, down to 1e-300.
//
// Which instance for which count (a floor of 1/d bends all slopes on a simplex:
// take d at least ten times the linear optimisations of the longest run):
//
//	Simplex       linear 1/ε of FW, SVRF, STORC; ∇f(w*) = 0, case (a); μ = 2, case (c)
//	Face          the same with ∇f(w*) ≠ 0: STORC's case (b), G/(LD) by choice
//	MSL           1/ε² samples in a batch, for which methods draw 1/ε³ (SFW), 1/ε⁴ (Online-FW); SCGS
//	MSC           batches that grow like 1/ε, in late epochs of SVRF; STORC's m ~ N
//	Product       linear counts of one factor with the stochastic ones of the other
//	NoisyBox      stochastic 1/ε of strongly convex SCGS, and of others no more than that
//	NoisySimplex  linear 1/ε with noise at w*; of the samples of SCGS fewer do as well
//	IllBox, IllSimplex   counts against μ; Garber and Hazan's ln(1/ε)
//	Zigzag        linear 1/ε of FW with line search in two dimensions
//
// On Simplex, Face, MSC, IllBox and IllSimplex all ∇f_i(w*) are the same, so that no
// snapshot is needed: see [Instance.Variance]. For variance reduction take a product with
// one that has noise at w*, MSL, NoisyBox or NoisySimplex, whatever else it must force,
// and compare with [Instance.WithoutSnapshot], which forgets its samples; a method that
// averages old gradients may do without a snapshot there, too:
//
//	Product(Product(Simplex, MSC), MSL)         1/ε³ of SFW, 1/ε² of SVRF with m = k+1
//	Product(MSC, MSL)                           1/ε of STORC, with a small η and small batches
//	Product(Product(Simplex, IllBox), NoisyBox) ln(1/ε) of STORC for any μ, with small batches
package fwinst

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// Instance is a problem whose constants and minimiser are known in closed form.
// None of it may be changed. The F of this package is also an [fwopt.Differ] and
// an [fwopt.LineSearcher] and, where n is large, an [fwopt.Sampler]; it keeps no
// scratch, so that any number of runs may share it. Omega is also an
// [fwset.Bounded] and an [fwset.Projector].
type Instance struct {
	Name  string // the call that made it
	F     fwopt.FiniteSum
	Omega fwopt.Domain

	fwopt.Constants // Alpha is 0 if f is not strongly convex; Rho and Width are not set

	LF    float64   // f itself is LF-smooth
	WStar []float64 // w*
	FStar float64   // f(w*)

	// W0 is where to start; nil stands for line 3 of the algorithms, which
	// fwopt.Run takes for nil, too. It is given where line 3 would land on w*.
	W0 []float64
}

// Excess returns f(w) − f* for w ∈ Ω without cancellation, in O(d).
func (p *Instance) Excess(w []float64) float64 { return p.sum().excess(w) }

// Variance returns the variance of one sample in closed form, in O(d):
// E‖∇f_i(w) − ∇f(w)‖² if w0 is nil, and else that of line 7 of Algorithm 1 (9 of
// Algorithm 2), E‖∇̃f(w; w_0) − ∇f(w)‖². A batch of m has an m-th of it.
//
// Variance(WStar, nil) is the noise at w*. Where it is 0 all ∇f_i(w*) are the same, plain
// samples get better as w does, and no snapshot is needed: what SVRF and STORC do there
// is no evidence for variance reduction.
func (p *Instance) Variance(w, w0 []float64) float64 { return p.sum().variance(w, w0) }

// Run makes one run of m from W0 and returns its counts and its gap, f(w) − f*, at the
// checkpoints, as fwopt.EpochEnds or fwopt.Geometric names them. Same seed, same bits. Besides
// the run it costs an Excess, O(d), a checkpoint; no w is kept. It panics if ctx ends the run,
// as [fwopt.Trace.Complete] does: fwrate.Until and fwnb.Runs leave such a run out.
func (p *Instance) Run(ctx context.Context, m fwopt.Method, seed uint64,
	at func(s fwopt.Step) (record, last bool)) []fwopt.Point {
	need.Given("fwinst", "the Instance", p == nil)
	b := fwopt.Budget{Record: at, Excess: p.Excess, NoW: true}
	return fwopt.Run(ctx, fwopt.NewOracle(p.F, p.Omega, seed).From(p.W0), m, b).Complete()
}

func (p *Instance) sum() sum {
	need.Given("fwinst", "the Instance", p == nil || p.F == nil)
	return p.F.(sum)
}

// sum is what the sums of this package have: a batch gradient of their own and,
// by an embedded quad, the rest.
type sum interface {
	fwopt.FiniteSum
	fwopt.Differ
	fwopt.LineSearcher
	Identify(id *fwopt.Identity)
	excess(w []float64) float64
	variance(w, w0 []float64) float64
	base() *quad
	First() []float64
}

// quad is f(w) = min + Σ_j g_j (w_j − c_j) + ½ Σ_j h_j (w_j − c_j)², the mean of
// n terms.
type quad struct {
	name    string
	n       int
	h, g, c []float64 // h ≥ 0; g = ∇f(c); c = w*
	first   []float64 // Instance.W0
	min     float64
}

func (f *quad) base() *quad { return f }

// First returns Instance.W0, where fwplot.Race begins.
func (f *quad) First() []float64 { return f.first }

// String returns the call that made the instance.
func (f *quad) String() string { return f.name }

// say adds the mean of the terms to an identity.
func (f *quad) say(id *fwopt.Identity) *fwopt.Identity {
	return id.Text(f.name).Int(f.n).Float(f.h...).Float(f.g...).Float(f.c...).Float(f.min)
}

// Dim returns d.
func (f *quad) Dim() int { return len(f.c) }

// Len returns n.
func (f *quad) Len() int { return f.n }

// Value returns f(w), in O(d).
func (f *quad) Value(w []float64) float64 { return f.min + f.excess(w) }

func (f *quad) excess(w []float64) float64 {
	f.check(w)
	lin, sq := 0.0, 0.0
	for j, x := range w {
		u := x - f.c[j]
		lin += f.g[j] * u
		sq += f.h[j] * u * u
	}
	return lin + sq/2
}

// Curve computes dst = ∇²f(w)d, in O(d).
func (f *quad) Curve(dst, w, d []float64) {
	f.check(dst, w, d)
	for j, x := range d {
		dst[j] = f.h[j] * x
	}
}

// exact computes dst = ∇f(w).
func (f *quad) exact(dst, w []float64) {
	f.check(dst, w)
	for j, x := range w {
		dst[j] = f.g[j] + f.h[j]*(x-f.c[j])
	}
}

// LineSearch returns the γ ∈ [0, 1] that minimises f((1−γ)w + γv), in closed
// form and O(d); 0 if f is constant there.
func (f *quad) LineSearch(w, v []float64) float64 {
	f.check(w, v)
	slope, curve := 0.0, 0.0 // of γ ↦ f(w + γ(v−w)) at 0
	for j, x := range w {
		u := v[j] - x
		slope += (f.g[j] + f.h[j]*(x-f.c[j])) * u
		curve += f.h[j] * u * u
	}
	if slope >= 0 {
		return 0
	}
	return min(1, -slope/curve)
}

func (f *quad) check(v ...[]float64) { need.Len("fwinst", len(f.c), v...) }

func (f *quad) checkBatch(b fwopt.Batch) { need.Batch("fwinst", b.Index, b.Weight, f.n) }

// atLeast panics unless n, called what, is at least low.
func atLeast(what string, n, low int) {
	if n < low {
		panic(need.Linef("fwinst: %s = %d, want at least %d", what, n, low))
	}
}

// positive panics unless x, called what, is positive and finite.
func positive(what string, x float64) { need.Positive("fwinst", what, x) }

// fill returns a vector of d numbers x.
func fill(d int, x float64) []float64 { return slices.Repeat([]float64{x}, d) }

// vertex returns e_1.
func vertex(d int) []float64 {
	v := make([]float64, d)
	v[0] = 1
	return v
}

// cube returns the box [−r, r]^d.
func cube(d int, r float64) fwset.Box { return fwset.Box{Lo: fill(d, -r), Hi: fill(d, r)} }

// Inside returns a random point of Ω: five vertices in random directions, mixed at random.
func Inside(omega fwopt.Domain, r *rand.Rand) []float64 {
	w, v, g := make([]float64, omega.Dim()), make([]float64, omega.Dim()), make([]float64, omega.Dim())
	for k := range 5 {
		for j := range g {
			g[j] = r.NormFloat64()
		}
		omega.Argmin(v, g)
		fwopt.Lerp(w, math.Pow(r.Float64(), float64(k)), v)
	}
	return w
}

// farthest returns max_{w∈Ω} ‖p + q∘w‖. The norm is convex and so largest at a
// vertex: of a box in each coordinate by itself; of the unit simplex at one of d
// vertices e_k, where only entry k differs from p.
func farthest(omega fwopt.Domain, p, q []float64) float64 {
	total, most := 0.0, math.Inf(-1)
	box, isBox := omega.(fwset.Box)
	for j := range p {
		if isBox {
			total += math.Pow(max(math.Abs(p[j]+q[j]*box.Lo[j]), math.Abs(p[j]+q[j]*box.Hi[j])), 2)
			continue
		}
		total += p[j] * p[j]
		most = max(most, q[j]*(2*p[j]+q[j])) // (p_k+q_k)² − p_k²
	}
	if !isBox {
		total += most
	}
	return math.Sqrt(total)
}
