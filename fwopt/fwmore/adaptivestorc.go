package fwmore

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// AdaptiveSTORC is STORC without constants: no L, no D and no prescribed batches. It measures the
// curvature of f and the noise of its batches, and asks line 11 for a quarter of what it
// has proven, B ≥ f(y_0) − f(w*), where STORC asks for a share of LD². G(y) is the duality
// gap max_{v∈Ω} ∇f(y)ᵀ(y − v).
//
//	 1  Input: objective function f = (1/n) Σ f_i.
//	 2  Take snapshot: y_0 = w_0, compute ∇f(y_0) and B = G(y_0); L is the curvature of 64
//	    samples of f from w_0 half the way to the vertex of G(w_0); m = 16.
//	 3  for t = 1, 2, … do
//	 4      Initialize x_0 = y_0 and B_t = B.
//	 5      for k = 1, 2, … do
//	 6          Compute z_k = (1 − γ_k) y_{k−1} + γ_k x_{k−1}, with γ_k = 2/(k+1).
//	 7          Compute ∇̃_k, the average of m iid samples of ∇̃f(z_k; y_0), in two halves.
//	 8          Compute x_k by lines 10 and 11 of Algorithm 2, with β_k = 3L/k and η = B/4.
//	 9          Compute y_k = (1 − γ_k) y_{k−1} + γ_k x_k.
//	10          Compute c, the curvature of m iid samples of f from z_k to y_k. If c > L,
//	            then L = min{c, 2L}, and if still c > 3L/2, line 8 anew, 6 times at most.
//	11          m = m·min{2, max{0.7, s²k/(0.1LB)}}, s² the variance of ∇̃_k by its halves.
//	12          if the last check is 8 steps and n/2 stochastic gradients ago, or 50 steps
//	13              Compute ∇f(y_k) and B' = min{G(y_k), B + ∇f(y_k)ᵀ(y_k − y_0)}.
//	14              if B' > B then y_k = y_0, L = 2L, next t.
//	15              Take snapshot: y_0 = y_k, B = B'.
//	16              if B ≤ B_t/2 then L = L/2, next t.
//	17      end for
//	18  end for
//
// Both terms of B' bound f(y_k) − f(w*) if f is convex, the second because f(y_k) − f(y_0)
// ≤ ∇f(y_k)ᵀ(y_k − y_0). So B is a certificate, whatever the batches were, up to rounding in
// the sum ∇f. ∇̃_k is the exact gradient where 2m ≥ n. Line 8 has a Memory. The steps are,
// up to rounding, the same for af + b in place of f, and for a larger Ω with the f that
// goes with it.
//
// No rate is proven for it: line 11 trusts one estimate, and a check comes at a step that
// depends on the batches. Where a few steps are all, its exact gradients cost more than
// STORC's, by up to four times. Where a few terms hold most of the curvature it may lose by
// more: L rises to that of a batch with one of them, and falls only where B has halved.
// Where terms do not overlap, as in matrix completion, m must be as large as n, and f may
// rise until it has doubled so often.
type AdaptiveSTORC struct {
	Tolerance float64      // the method ends by itself where B is at most this
	Memory    fwopt.Memory // of line 8
	Rules     AdaptiveRules

	B     float64 // f(y_0) − f(w*) is at most B
	Slack float64 // what of B is slack of the linear optimisation, and rounding of the products with ∇f
	L     float64 // the curvature that was measured
	M     int     // m

	T, K     int       // where the run is: k steps of epoch t are done
	X, Y     []float64 // x_k, y_k
	Y0       []float64 // y_0, the snapshot
	Grad0    []float64 // ∇f(y_0)
	Begun    float64   // B_t
	Since    int       // steps since the last check
	Spent    int       // and their stochastic gradients, n for an exact one
	Returned int       // times that line 14 has held since line 15
}

// AdaptiveRules are the numbers of the pseudocode. They are no constants to choose: another
// value shows what a line is for.
type AdaptiveRules struct {
	Eta         float64 // line 8: η is this share of B
	Least, Most int     // line 12: the steps after which a check may come, and must
	L           float64 // if not 0: the L of all lines, and nothing is measured in line 10
	M           int     // if not 0: the m of all lines
	Exact       bool    // line 7 computes ∇f(z_k), and line 10 takes 64 samples
	Endless     bool    // line 16 begins no other t
}

// frozen is the pseudocode.
var frozen = AdaptiveRules{Eta: 1. / 4, Least: 8, Most: 50}

// NewAdaptiveSTORC returns the method with the Rules of the pseudocode and a Memory of 32 vertices. It
// goes on until its budget is spent; or until B is within rounding, where the run is Stalled.
func NewAdaptiveSTORC() *AdaptiveSTORC {
	return &AdaptiveSTORC{Memory: fwopt.Memory{Size: 32}, Rules: frozen}
}

func (a *AdaptiveSTORC) String() string { return "STORC, adaptive" }

// Identify writes the tolerance, the size of the memory, and rules that are not those of the pseudocode.
func (a *AdaptiveSTORC) Identify(id *fwopt.Identity) {
	id.Of(a).Float(a.Tolerance).Int(a.Memory.Size)
	if r := a.Rules; r != frozen {
		id.Text(fmt.Sprintf("%+v", r))
	}
}

// Steps runs the method; the iterate is y_k. Line 2 counts one exact gradient, one linear
// optimisation and 128 stochastic gradients, a check one and one; a step counts 2m
// stochastic gradients in line 7, or an exact one, 2m each time in line 10, and the
// linear optimisations of line 8. A run whose certificate gets better no more, as where f
// is not convex, ends as Stalled. It panics if the Tolerance is negative, a rule of no use, or the sum NonConvex.
func (a *AdaptiveSTORC) Steps(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	if !(a.Tolerance >= 0) {
		panic(need.Linef("fwmore: a Tolerance of %g, want 0 or more", a.Tolerance))
	}
	if r := a.Rules; !(r.Eta > 0) || r.Least < 1 || r.Most < r.Least || !(r.L >= 0) || r.M < 0 {
		panic(need.Linef("fwmore: AdaptiveSTORC with %+v: begin with NewAdaptiveSTORC, whose rules are %+v",
			r, frozen))
	}
	o.NeedConvex("the bound B of STORC, adaptive,")
	begun := a.T > 1 || a.K > 0
	if !begun {
		*a = AdaptiveSTORC{Tolerance: a.Tolerance, Memory: fwopt.Memory{Size: a.Memory.Size}, Rules: a.Rules,
			M: 16, T: 1}
		if a.Rules.M != 0 {
			a.M = a.Rules.M
		}
		a.X, a.Y, a.Y0 = slices.Clone(w0), slices.Clone(w0), slices.Clone(w0)
		a.Grad0 = make([]float64, len(w0))
	}
	d, n := len(w0), make([]float64, 4*len(w0))
	s := &adaptive{AdaptiveSTORC: a, inner: fwopt.NewCondG(d, &a.Memory)}
	s.z, s.y, s.g, s.d = n[:d:d], n[d:2*d:2*d], n[2*d:3*d:3*d], n[3*d:]
	return func(yield func(fwopt.Step) bool) {
		if !begun {
			s.begin(o) // take snapshot y_0 = w_0
		}
		for s.more(o) {
			if a.Since == 0 && a.K > 0 && (a.Returned > 0 || s.halved()) { // next t
				a.T, a.K, a.Begun = a.T+1, 0, a.B
				copy(a.X, a.Y) // x_0 = y_0
			}
			if !s.step(o) {
				return // the state is still that of step k−1
			}
			proven := 0.
			if n, r := o.F.Len(), a.Rules; a.Since >= r.Most || a.Since >= r.Least && a.Spent >= n/2 {
				s.check(o)
				proven = a.B
			}
			if !yield(fwopt.Step{T: a.T, K: a.K, X: a.Y, Bound: proven}) {
				return
			}
		}
	}
}

// adaptive is the work of a run of AdaptiveSTORC.
type adaptive struct {
	*AdaptiveSTORC
	inner      *fwopt.CondG
	v          fwopt.Vertex
	z, y, g, d []float64
}

// more reports whether the run goes on. It ends at the Tolerance, and stalls where
// nothing can be proven any more: B is rounding, or f is not convex, or not a number.
func (a *adaptive) more(o *fwopt.Oracle) bool {
	if a.B >= 0 && a.B <= a.Tolerance {
		return false
	}
	if a.B > a.Slack && a.B < math.Inf(1) && a.L > 0 && a.L < math.Inf(1) && a.Returned < 60 {
		return true
	}
	o.Stall()
	return false
}

// begin is line 2.
func (a *adaptive) begin(o *fwopt.Oracle) {
	o.Grad(a.Grad0, a.Y0)                     // compute ∇f(y_0)
	a.B, a.Slack = a.gap(o, a.Grad0, a.Y0, 0) // B = G(y_0)
	far := floats.Dot(a.d, a.d)               // ‖y_0 − v‖²
	floats.AddScaledTo(a.y, a.Y0, -1./2, a.d) // half the way to v
	copy(a.z, a.Y0)
	if a.L = a.Rules.L; a.L == 0 {
		a.L = max(a.curvature(o, 64), 0x1p-40*a.B/far) // at least a trace, for a linear f
	}
	a.Begun = a.B
}

// step is lines 6 to 11. It changes the state at its end only.
func (a *adaptive) step(o *fwopt.Oracle) bool {
	n, m, L, k, η := o.F.Len(), a.M, a.L, a.K+1, a.Rules.Eta*a.B
	γ, spent, change := 2/float64(k+1), 0, 1.
	copy(a.z, a.Y)
	fwopt.Lerp(a.z, γ, a.X) // z_k = (1−γ_k) y_{k−1} + γ_k x_{k−1}
	switch half := (m + 1) / 2; {
	case k == 1:
		copy(a.g, a.Grad0) // z_1 = y_0
	case 2*m >= n || a.Rules.Exact:
		o.Grad(a.g, a.z)
		spent, change = n, 0.7
	default: // ∇̃_k, mean of m ∇̃f(z_k; y_0)
		o.VRGrad(a.g, a.z, a.Y0, a.Grad0, half)
		o.VRGrad(a.d, a.z, a.Y0, a.Grad0, half)
		far := floats.Distance(a.g, a.d, 2)
		change = far * far / 4 * float64(k) / (0.1 * L * a.B) // s²k/(0.1LB)
		floats.Add(a.g, a.d)
		floats.Scale(1./2, a.g)
		spent = 4 * half
	}
	sample := m
	if a.Rules.Exact {
		sample = 64
	}
	var x []float64
	for try := range 7 {
		a.inner.Objective(3*L/float64(k), a.X, a.g) // g(x) = (β_k/2)‖x−x_{k−1}‖² + ∇̃_kᵀx
		x = a.inner.Argmin(o, η)                    // x_k ≈ argmin_{x∈Ω} g(x), gap ≤ B/4
		if x == nil {
			return false
		}
		copy(a.y, a.Y)
		fwopt.Lerp(a.y, γ, x) // y_k = (1−γ_k) y_{k−1} + γ_k x_k
		if a.Rules.L != 0 {
			break
		}
		c := a.curvature(o, sample) // c, from z_k to y_k
		spent += 2 * sample
		if !(c < math.Inf(1)) {
			o.Stall()
			return false
		}
		if c > L {
			L = min(c, 2*L)
		}
		if c <= 3*L/2 || try == 6 {
			break
		}
	}
	a.X = a.inner.Accept(x, a.X)
	copy(a.Y, a.y)
	if a.L = L; a.Rules.M == 0 {
		m = int(math.Ceil(float64(m) * min(2, max(0.7, change))))
		a.M = min(max(m, 4), n)
	}
	a.K, a.Since, a.Spent = k, a.Since+1, a.Spent+spent
	return true
}

// check is lines 13 to 16, but for the next t.
func (a *adaptive) check(o *fwopt.Oracle) {
	a.Since, a.Spent = 0, 0
	o.Grad(a.g, a.Y)                        // ∇f(y_k)
	B, slack := a.gap(o, a.g, a.Y, a.B/100) // G(y_k)
	floats.SubTo(a.d, a.Y, a.Y0)
	B = min(B, a.B+floats.Dot(a.g, a.d)+slack) // B + ∇f(y_k)ᵀ(y_k − y_0)
	if !(B <= a.B) {
		copy(a.Y, a.Y0)
		a.scale(2)
		a.Returned++
		return
	}
	copy(a.Y0, a.Y) // take snapshot y_0 = y_k
	copy(a.Grad0, a.g)
	a.B, a.Slack, a.Returned = B, slack, 0
	if a.halved() {
		a.scale(1. / 2)
	}
}

// halved reports whether line 16 holds.
func (a *adaptive) halved() bool { return a.B <= a.Begun/2 && !a.Rules.Endless }

// scale multiplies L, where it is measured.
func (a *adaptive) scale(by float64) {
	if a.Rules.L == 0 {
		a.L *= by
	}
}

// gap returns the gap at y, where the gradient is g, as wolfe does.
func (a *adaptive) gap(o *fwopt.Oracle, g, y []float64, tol float64) (gap, slack float64) {
	return wolfe(o, &a.v, a.d, g, y, tol)
}

// wolfe returns an upper bound on max_{v∈Ω} gᵀ(y − v), the duality gap at y if g is the gradient there, and
// what of it is slack and rounding. It leaves y − v in d.
func wolfe(o *fwopt.Oracle, v *fwopt.Vertex, d, g, y []float64, tol float64) (gap, slack float64) {
	slack = o.ArgminTo(v, g, tol)
	v.From(d, y)
	far := math.Sqrt(float64(len(y)))*floats.Norm(d, 2) + 2*floats.Norm(y, 2)
	slack += 0x1p-52 * floats.Norm(g, 2) * far
	return floats.Dot(g, d) + slack, slack
}

// curvature returns that of m samples of f from z to y, 0 where these are one point.
func (a *adaptive) curvature(o *fwopt.Oracle, m int) float64 {
	clear(a.d)
	o.VRGrad(a.d, a.y, a.z, a.d, m) // the mean of ∇f_i(y) − ∇f_i(z)
	slope, far := 0., 0.
	for j, d := range a.d {
		s := a.y[j] - a.z[j]
		slope += d * s
		far += s * s
	}
	if far == 0 {
		return 0
	}
	return slope / far
}
