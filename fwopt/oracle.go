package fwopt

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"github.com/projection-free/fwlab/fwopt/internal/sample"
	"gonum.org/v1/gonum/floats"
)

// FiniteSum is the objective f(w) = (1/n) Σ f_i(w) of Section 1. One that keeps nothing between calls, as
// those of fwsum, serves many runs at once.
type FiniteSum interface {
	Dim() int                           // d, the length of w
	Len() int                           // n, the number of terms
	Value(w []float64) float64          // f(w)
	Grad(dst, w []float64, batch Batch) // dst = Σ_j Weight[j] ∇f_{Index[j]}(w)
}

// Domain is a compact convex set Ω, see fwset.
type Domain = fwset.Domain

// Vertex is an answer of Oracle.Argmin, in the form in which it is small: see fwset.
type Vertex = fwset.Vertex

// Batch is a weighted list of terms: the mean of a mini-batch. The zero Batch is all n terms with
// weight 1/n, so that Grad gives ∇f(w).
type Batch struct {
	Index  []int     // the terms, in the order drawn; a term may come twice
	Weight []float64 // their weights, which add up to 1
}

// All yields the terms and weights of b, out of a sum of n terms.
func (b Batch) All(n int) iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		if b.Index == nil {
			for i := range n {
				if !yield(i, 1/float64(n)) {
					return
				}
			}
			return
		}
		for j, i := range b.Index {
			if !yield(i, b.Weight[j]) {
				return
			}
		}
	}
}

// A Differ is a FiniteSum that adds a variance-reduced correction in one pass, in place of two calls of
// Grad. Override what you inherit of it, as of LineSearcher and Sampler, together with Value and Grad.
type Differ interface {
	// AddGradDiff does dst += Σ_j Weight[j] (∇f_{Index[j]}(w) − ∇f_{Index[j]}(w0)).
	AddGradDiff(dst, w, w0 []float64, batch Batch)
}

// A LineSearcher is a FiniteSum that can minimise itself along a segment.
type LineSearcher interface {
	// LineSearch returns argmin_{γ∈[0,1]} f((1−γ)w + γv).
	LineSearch(w, v []float64) float64
}

// A Sampler is a FiniteSum that draws its own batches in less than O(n), as one of many equal terms.
type Sampler interface {
	// SampleBatch sets b, in whose memory it may write, to terms whose weighted gradient has, at all w
	// together, the law of the mean of m independent uniform terms, drawn from rng.
	SampleBatch(b *Batch, m int, rng *rand.Rand)
}

// A Scorer is a FiniteSum over the rows e_i of data: f_i(w) = ℓ_i(w e_i) sees w ∈ R^{h×m} through h scores
// alone, so that ∇f_i(w) = ∇ℓ_i e_iᵀ takes h numbers to remember. All n·h scores are s = Xw, linear in w, and so
// can be kept up by what changes in w. Those of fwsum that a Loss makes are Scorers.
type Scorer interface {
	Shape() (h, m int)
	Slopes(p, w []float64, index []int)    // p_r = ∇ℓ_i(w e_i) of the rows i = index[r], of all for nil; h numbers each
	AddRows(dst, p []float64, index []int) // dst += Σ_r p_r e_iᵀ, likewise

	AddScores(s []float64, c float64, v *Vertex)       // s += cXv, for a small v a fraction of a pass
	GradAt(dst, s []float64)                           // dst = ∇f(w), from s = Xw: a pass back
	SearchAt(s, q, d []float64, slope float64) float64 // argmin_{γ∈[0,1]} f(w − γd), with q = −Xd, slope = ∇f(w)ᵀd: no pass
}

// A NonConvex is a FiniteSum, or a fwsum.Loss, that declares whether it may not be convex, so that nothing certifies
// by convexity what is none: see Oracle.NeedConvex. A sum without the method is taken for convex.
type NonConvex interface {
	NonConvex() bool
}

// Calls counts what the paper counts (Section 2.2), and projections. Oracle.Start counts, too.
type Calls struct {
	Exact       int // exact gradients ∇f(w), and passes over all n terms that cost as much
	Stochastic  int // stochastic gradients ∇f_i(w), two for a variance-reduced one; at most math.MaxInt
	Linear      int // linear optimisations over Ω, those of inner loops included
	Projections int // projections onto Ω
}

// draw counts m stochastic gradients. Batches of k³ fill an int in hours.
func (c *Calls) draw(m int) {
	if c.Stochastic += m; c.Stochastic < 0 {
		c.Stochastic = math.MaxInt
	}
}

// Oracle is the paper's model of computation: a method touches f and Ω by its calls alone, and they count. It
// draws the samples and keeps the warm starts. NewOracle makes one, for one run.
type Oracle struct {
	F     FiniteSum
	Omega Domain
	Calls Calls // spent so far
	RNG   rand.PCG
	Warm  fwset.Warm // of iterative linear optimisations and projections
	Seed  uint64     // of NewOracle

	w0      []float64 // of From
	rng     *rand.Rand
	batch   Batch       // scratch of Sample
	tmp     [][]float64 // scratch of VRGrad
	halt    func() bool // set by Run: true when an inner loop must give up
	stalled bool        // an inner loop could not reach its accuracy
	used    bool        // by a run: its counts and draws are spent
	looks   bool        // F is a reader's, or a network: its gradients are looked at
	broken  string      // how a gradient was not finite; "" if all were
}

// A placer is a sum that says what number j of w is, as of a network.
type placer interface{ Place(j int) string }

// NewOracle returns the oracle of one run on min_{w∈Ω} f(w). All draws depend on the seed. It
// panics if f or Ω is nil, or if their dimensions or known shapes differ.
func NewOracle(f FiniteSum, omega Domain, seed uint64) *Oracle {
	if ident.IsNil(f) || ident.IsNil(omega) {
		panic(need.Linef("fwopt: an Oracle needs both f and Ω; f is %T, Ω is %T, and one is nil", f, omega))
	}
	if f.Dim() != omega.Dim() {
		panic(need.Linef("fwopt: f has dimension %d and Ω has dimension %d", f.Dim(), omega.Dim()))
	}
	if f.Len() < 1 {
		panic(need.Line("fwopt: f is a sum of no terms"))
	}
	s, ok := f.(fwset.MatrixShaped)
	if t, too := omega.(fwset.MatrixShaped); ok && too {
		h, m := s.Shape()
		if H, M := t.Shape(); h > 1 && h != H { // with h = 1 the one row may be any matrix
			panic(need.Linef("fwopt: f is of %d x %d matrices and %T holds %d x %d; are H and M swapped?", h,
				m, omega, H, M))
		}
	}
	_, network := f.(placer)
	o := &Oracle{F: f, Omega: omega, Seed: seed, RNG: *rand.NewPCG(seed, 1),
		looks: network || ident.Untested(f) != nil}
	o.Warm.RNG = *rand.NewPCG(seed, 2)
	o.rng = rand.New(&o.RNG)
	return o
}

// Grad computes dst = ∇f(w). It counts one exact gradient.
func (o *Oracle) Grad(dst, w []float64) {
	o.Calls.Exact++
	o.F.Grad(dst, w, Batch{})
	o.look(dst, "the exact gradient")
}

// look notes that what a reader's own sum or a network has given, or what a method has made of it, is not finite: a
// set would answer with some point, and f there would look right.
func (o *Oracle) look(g []float64, what string) {
	if !o.looks || o.broken != "" || finite(floats.Sum(g)) {
		return
	}
	if j := unfit(g); j >= 0 {
		if of := called(o.F, ident.Untested(o.F)); of != "" {
			what += " of " + of
		}
		o.broken = fmt.Sprintf("%s is %g at coordinate %d", what, g[j], j)
		if layers, ok := o.F.(placer); ok {
			o.broken += ", " + layers.Place(j)
		}
	}
}

// StochasticGrad computes dst, the mean of m iid samples of ∇f_i(w), in O(min{m, n}). It counts m
// stochastic gradients; where m ≥ n, Grad is exact and counts as n of them.
func (o *Oracle) StochasticGrad(dst, w []float64, m int) {
	o.GradOf(dst, w, o.Sample(m), m)
}

// GradOf computes dst = Σ_j Weight[j] ∇f_{Index[j]}(w) of a batch that was kept, the mean of m
// samples. It counts m stochastic gradients, however few terms there are.
func (o *Oracle) GradOf(dst, w []float64, batch Batch, m int) {
	o.Calls.draw(m)
	o.F.Grad(dst, w, batch)
	o.look(dst, "the gradient of a batch")
}

// VRGrad computes dst, the mean of m iid samples of ∇̃f(w; w_0) = ∇f_i(w) − (∇f_i(w_0) − ∇f(w_0)),
// where g0 = ∇f(w_0). It counts 2m stochastic gradients (Section 2.3). dst may be g0, as in SARAH
// and SPIDER, but not overlap w or w0.
func (o *Oracle) VRGrad(dst, w, w0, g0 []float64, m int) {
	defer o.look(dst, "the gradient of a batch")
	o.Calls.draw(m)
	o.Calls.draw(m)
	b := o.Sample(m)
	if f, ok := o.F.(Differ); ok {
		copy(dst, g0)
		f.AddGradDiff(dst, w, w0, b)
		return
	}
	if o.tmp == nil {
		o.tmp = vectors(2, len(dst))
	}
	o.F.Grad(o.tmp[0], w, b)
	o.F.Grad(o.tmp[1], w0, b)
	for j, g := range g0 {
		dst[j] = g + (o.tmp[0][j] - o.tmp[1][j]) // exactly g where w = w_0
	}
}

// descent returns what computes dst = x − c∇̃ with the ∇̃ that VRGrad would compute, and
// counts as that does. Where f is ours and so linear in the weights it takes two passes
// over d numbers less, for ∇̃ is not written out. dst must not overlap the others.
func (o *Oracle) descent() func(dst, x, x0, g0 []float64, m int, c float64) {
	f, ok := o.F.(Differ)
	if !ok || ident.Foreign(o.F) {
		return func(dst, x, x0, g0 []float64, m int, c float64) {
			o.VRGrad(dst, x, x0, g0, m)
			floats.AddScaledTo(dst, x, -c, dst)
		}
	}
	var weight []float64
	return func(dst, x, x0, g0 []float64, m int, c float64) {
		o.Calls.draw(m)
		o.Calls.draw(m)
		b := o.Sample(m)
		weight = append(weight[:0], b.Weight...)
		floats.Scale(-c, weight)
		b.Weight = weight
		floats.AddScaledTo(dst, x, -c, g0)
		f.AddGradDiff(dst, x, x0, b)
	}
}

// Slopes returns the ∇ℓ_i at w of the rows i of index, h numbers each, in the memory of p if it is large enough.
// It counts m stochastic gradients; a nil index stands for all rows, in order, and counts one exact gradient. It
// panics unless F is a Scorer.
func (o *Oracle) Slopes(p, w []float64, index []int, m int) []float64 {
	f, n := o.scorer(), len(index)
	if index == nil {
		n = o.F.Len()
		o.Calls.Exact++
	} else {
		o.Calls.draw(m)
	}
	h, _ := f.Shape()
	p = slices.Grow(p[:0], n*h)[:n*h]
	f.Slopes(p, w, index)
	o.look(p, "the slopes of rows")
	return p
}

// AddRows does dst += Σ_r p_r e_iᵀ, i = index[r], of all rows for nil: the way from Slopes to a
// gradient. It counts nothing.
func (o *Oracle) AddRows(dst, p []float64, index []int) { o.scorer().AddRows(dst, p, index) }

func (o *Oracle) scorer() Scorer {
	f, ok := o.F.(Scorer)
	if !ok {
		panic(need.Linef("fwopt: %T is no Scorer, a sum over rows of data as fwsum.RowSum; use a "+
			"method that asks for gradients alone", o.F))
	}
	return f
}

// NeedConvex panics if F declares itself NonConvex, for what is said of convex sums alone: "the bound B of STORC,
// adaptive,".
func (o *Oracle) NeedConvex(what string) {
	if o.bent() {
		panic(need.Linef("fwopt: %s holds for a convex f alone, and %s declares that it is not; take plain, "+
			"stochastic or variance-reduced Frank-Wolfe, with Budget.DualityGap to see how nearly stationary a "+
			"point is", what, called(o.F, ident.Untested(o.F))))
	}
}

func (o *Oracle) bent() bool {
	f, ok := o.F.(NonConvex)
	return ok && f.NonConvex()
}

// Value returns f(w). It counts one exact gradient, as it reads all n terms.
func (o *Oracle) Value(w []float64) float64 {
	o.Calls.Exact++
	return o.F.Value(w)
}

// ValueGrad computes dst = ∇f(w) and returns f(w). It counts one exact gradient: both read the same n terms.
func (o *Oracle) ValueGrad(dst, w []float64) float64 {
	o.Grad(dst, w)
	return o.F.Value(w)
}

// LineSearch returns argmin_{γ∈[0,1]} f((1−γ)w + γv). It counts one exact gradient and panics
// unless F is a LineSearcher.
func (o *Oracle) LineSearch(w, v []float64) float64 {
	f, ok := o.F.(LineSearcher)
	if !ok {
		panic(need.Linef("fwopt: %T has no line search; use another StepRule, or give it one", o.F))
	}
	o.Calls.Exact++
	return f.LineSearch(w, v)
}

// Argmin computes v = argmin_{v∈Ω} ⟨g, v⟩. It counts one linear optimisation.
func (o *Oracle) Argmin(v *Vertex, g []float64) { o.ArgminTo(v, g, 0) }

// ArgminTo is Argmin to the accuracy tol of an iterative domain, or its own for 0. It returns the
// slack reached: ⟨g, v⟩ ≤ min_{u∈Ω} ⟨g, u⟩ + slack; 0 if the domain is exact.
func (o *Oracle) ArgminTo(v *Vertex, g []float64, tol float64) (slack float64) {
	given("the vertex of Argmin", v == nil)
	o.Calls.Linear++
	o.look(g, "the gradient for a linear optimisation, from the terms")
	return fwset.Argmin(o.Omega, v, g, tol, &o.Warm)
}

// ArgminLocal computes a dst ∈ Ω with ‖dst − x‖ ≤ ρr, as good for ⟨g, ·⟩ as any v ∈ Ω with ‖v − x‖
// ≤ r. It counts one linear optimisation and panics unless Ω is a LocalLinear.
func (o *Oracle) ArgminLocal(dst, g, x []float64, r float64) {
	d, ok := o.Omega.(fwset.LocalLinear)
	if !ok {
		panic(need.Linef("fwopt: %T has no ArgminLocal; use another method", o.Omega))
	}
	o.Calls.Linear++
	o.look(g, "the gradient for a linear optimisation, from the terms")
	d.ArgminLocal(dst, g, x, r)
}

// Project computes dst, the point of Ω nearest to x. It counts one projection and panics unless Ω
// is a Projector.
func (o *Oracle) Project(dst, x []float64) {
	p, ok := o.Omega.(fwset.Projector)
	if !ok {
		panic(need.Linef("fwopt: %T has no Project; use a projection-free method", o.Omega))
	}
	o.Calls.Projections++
	o.look(x, "the point for a projection, from the gradients")
	if w, ok := p.(fwset.WarmProjector); ok {
		w.ProjectWarm(dst, x, &o.Warm)
		return
	}
	p.Project(dst, x)
}

// From makes a run begin at w0, which nothing may write to before the run ends, and returns o; nil stands for
// line 3. It panics if w0 has another length than f's vectors.
func (o *Oracle) From(w0 []float64) *Oracle {
	if w0 != nil && len(w0) != o.F.Dim() {
		panic(need.Linef("fwopt: w0 has length %d, f has dimension %d", len(w0), o.F.Dim()))
	}
	o.w0 = w0
	return o
}

// Start returns the w0 of From, or else w_0 = argmin_{w∈Ω} ∇f(x)ᵀw of Algorithms 1 and 2, where x
// is Ω's answer to g = 0. That counts one exact gradient and one linear optimisation; x is free.
func (o *Oracle) Start() []float64 {
	if o.w0 != nil {
		return o.w0
	}
	w0, g := make([]float64, o.F.Dim()), make([]float64, o.F.Dim())
	o.Omega.Argmin(w0, g) // some x ∈ Ω
	o.Grad(g, w0)
	var v Vertex
	o.Argmin(&v, g)
	v.Dense(w0)
	return w0
}

// Sample returns the batch that averages m independent uniform terms, valid until the next call. For m ≥ n it
// draws their counts, in O(n); a Sampler draws by itself. It counts nothing, and panics if m < 1.
func (o *Oracle) Sample(m int) Batch {
	if m < 1 {
		panic(need.Linef("fwopt: a batch of %d samples; m_k, the parameter M, must be at least 1", m))
	}
	if o.rng == nil {
		panic(need.Line("fwopt: an Oracle is made by NewOracle"))
	}
	b := &o.batch
	if f, ok := o.F.(Sampler); ok {
		f.SampleBatch(b, m, o.rng)
		return *b
	}
	b.Index, b.Weight = sample.Uniform(b.Index[:0], b.Weight[:0], o.rng, m, o.F.Len())
	return *b
}

// Halted reports whether the step at work must be given up: the run was told to stop, or a limit is reached.
// A method asks in each turn of a long inner loop; if so, Steps returns without a yield, its state that of the
// last whole step.
func (o *Oracle) Halted() bool { return o.broken != "" || o.halt != nil && o.halt() }

// Stall ends the run as Stalled, for the step cannot be finished. Steps returns as for Halted.
func (o *Oracle) Stall() { o.stalled = true }

// Lerp does x = (1−γ)x + γv. γ must be in [0, 1], and the lengths equal.
func Lerp(x []float64, gamma float64, v []float64) { lerpTo(x, x, gamma, v) }

// lerpTo computes dst = (1−γ)x + γv as Lerp does. dst may be x itself.
func lerpTo(dst, x []float64, gamma float64, v []float64) {
	if len(x) != len(v) {
		panic(need.Line("fwopt: vectors of different lengths"))
	}
	if !(gamma >= 0 && gamma <= 1) {
		panic(need.Linef("fwopt: γ = %g, want a step in [0, 1]; check Gamma", gamma))
	}
	if gamma == 1 { // γ_1 = 1: also from an x that holds no number
		copy(dst, v)
		return
	}
	kern.Lerp(dst, x, gamma, v)
}
