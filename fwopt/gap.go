package fwopt

import (
	"math"
	"slices"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"gonum.org/v1/gonum/floats"
)

// DualityGap returns max_{v∈Ω} ⟨∇f(w), w−v⟩ as far as it is known, from gap to gap + slack, which
// covers rounding. For a convex f and w ∈ Ω, gap + slack ≥ f(w) − f(w*). It counts nothing.
func DualityGap(f FiniteSum, omega Domain, w []float64) (gap, slack float64) {
	given("the f of DualityGap, or its Ω,", ident.IsNil(f) || ident.IsNil(omega))
	g := make([]float64, len(w))
	f.Grad(g, w, Batch{})
	return gapOf(omega, w, g, make([]float64, len(w)), 0, nil)
}

// gapOf returns the duality gap at w, where the gradient is g. d is scratch.
func gapOf(omega Domain, w, g, d []float64, tol float64, warm *fwset.Warm) (gap, slack float64) {
	var v Vertex
	slack = fwset.Argmin(omega, &v, g, tol, warm)
	v.Dense(d)
	size := floats.Norm(w, 2) + floats.Norm(d, 2) // w and v are in Ω up to rounding
	floats.SubTo(d, w, d)
	gap = floats.Dot(g, d)
	return gap, slack + 0x1p-52*floats.Norm(g, 2)*(math.Sqrt(float64(len(w)))*floats.Norm(d, 2)+size)
}

// still says why f may be the same, up to rounding, at all points of ten steps or more: "" if it is not. It speaks
// where ∇f is 0 and f not convex, or where the duality gap, which counts nothing here, shows that there is something
// to gain, and f falls on the way: at a kink the best point has a gap, too.
func (r *Runner) still() string {
	p := r.Trace.Last()
	if p.Step < 10 || slices.ContainsFunc(r.Trace.Points,
		func(q Point) bool { return !(math.Abs(q.F-p.F) <= 1e-13*math.Abs(p.F)) }) {
		return ""
	}
	f, w := r.Oracle.F, r.state.X
	g, d, x := make([]float64, len(w)), make([]float64, len(w)), make([]float64, len(w))
	f.Grad(g, w, Batch{})
	if r.Oracle.bent() && floats.Norm(g, 1) == 0 {
		return "where ∇f = 0, and f is not convex: begin elsewhere"
	}
	if gap, slack := gapOf(r.Oracle.Omega, w, g, d, 0, nil); !(gap > slack+1e-9*math.Abs(p.F)) {
		return ""
	}
	for gamma := 1.; gamma > 0x1p-30; gamma /= 4 {
		if floats.AddScaledTo(x, w, -gamma, d); f.Value(x) < p.F-1e-13*math.Abs(p.F) {
			return "and w_0 is not best: is a constant of the method off by orders of magnitude?"
		}
	}
	return ""
}
