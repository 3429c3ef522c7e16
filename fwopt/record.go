package fwopt

import (
	"math"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"gonum.org/v1/gonum/floats"
)

// recordIf records a step if it is one to record, and reports whether it is the last.
func (r *Runner) recordIf(s Step) (last bool) {
	now, record := r.state.Now.Step, false
	if r.Budget.Record != nil {
		record, last = r.Budget.Record(s)
	} else if record = now >= r.state.Next; record {
		r.state.Next = max(now+1, int(min(math.Ceil(float64(now)*r.Budget.Every), 1<<62)))
	}
	if record {
		r.record()
	}
	return last
}

// record adds the last whole step to the trace.
func (r *Runner) record() {
	f, now, x, b := r.Oracle.F, &r.state.Now, r.state.X, &r.Budget
	now.F = f.Value(x)
	if b.Excess != nil {
		now.Excess = b.Excess(x)
	}
	if b.DualityGap {
		if r.g == nil {
			r.g, r.v = make([]float64, len(x)), make([]float64, len(x))
		}
		f.Grad(r.g, x, Batch{})
		r.Trace.Monitor.Exact++
		r.gap(0)
		if left := b.Tolerance - now.DualityGap; b.Tolerance > 0 && left > 0 && now.Slack > left {
			r.gap(left / 2) // only the slack hides that Tolerance is reached
		}
	}
	r.Trace.Monitor.Exact++ // f reads all n terms
	r.Trace.Points = append(r.Trace.Points, *now)
}

// gap computes the duality gap of the last step, to a slack of tol, from its
// gradient.
func (r *Runner) gap(tol float64) {
	now := &r.state.Now
	now.DualityGap, now.Slack = gapOf(r.Oracle.Omega, r.state.X, r.g, r.v, tol, &r.state.Eye)
	r.Trace.Monitor.Linear++
}

// DualityGap returns max_{v∈Ω} ⟨∇f(w), w−v⟩ as far as it is known: the true value
// is at least gap, up to rounding, and at most gap + slack, which includes
// rounding. For a convex f and w ∈ Ω, gap + slack bounds f(w) − f(w*) from above.
// It counts nothing.
func DualityGap(f FiniteSum, omega Domain, w []float64) (gap, slack float64) {
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
