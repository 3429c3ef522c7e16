package fwset

import (
	"math"

	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/kern"
	"github.com/projection-free/fwlab/fwopt/internal/need"
)

// GroupBall is the ball of the group norm, Ω = {w : Σ_i ‖w_i‖ ≤ R}, where w_1, w_2, …
// are consecutive parts of w, of Size_1, Size_2, … numbers: the set of the group lasso.
// Its centre is 0, its diameter 2R, and its vertices are zero but in one group. With m
// groups of h numbers it holds h × m matrices, laid out as in TraceNorm, and a vertex
// uses one feature. With groups of one number it is an L1Ball. A linear optimisation
// costs a pass; so does a projection, and O(m log m) more.
type GroupBall struct {
	Size []int   // of the groups, each at least 1; must not change while the set is in use
	R    float64 // radius, positive
}

func (b GroupBall) check(v ...[]float64) (d int) {
	for i, n := range b.Size {
		if n < 1 {
			panic(need.Linef("fwset: a GroupBall whose group %d has %d numbers", i+1, n))
		}
		d += n
	}
	return checkBall("a GroupBall", d, "R", b.R, v...)
}

// groups goes through the places where the groups begin and end.
func (b GroupBall) groups(yield func(from, to int) bool) {
	at := 0
	for _, n := range b.Size {
		if !yield(at, at+n) {
			return
		}
		at += n
	}
}

// Dim returns the sum of the sizes.
func (b GroupBall) Dim() int { return b.check() }

// Argmin computes dst = −R·g_i/‖g_i‖ in the group i with the largest ‖g_i‖, the first
// one if there are several, and 0 elsewhere. If g = 0 it is 0.
func (b GroupBall) Argmin(dst, g []float64) { argmin(dst, g, b.ArgminVertex) }

// ArgminVertex is Argmin as a sparse vertex. It is exact.
func (b GroupBall) ArgminVertex(v *Vertex, g []float64, _ float64, _ *Warm) float64 {
	b.check(g)
	from, to, most := 0, 0, -1.0
	for lo, hi := range b.groups {
		if x := norm2(g[lo:hi]); x > most {
			from, to, most = lo, hi, x
		}
	}
	index, value := v.SetSparse(len(g), to-from)
	if !toSphere(value, g[from:to], -b.R) {
		v.SetSparse(len(g), 0)
		return 0
	}
	for k := range index {
		index[k] = from + k
	}
	return 0
}

// Project computes dst_i = x_i·max{0, 1 − θ/‖x_i‖} with the θ ≥ 0 for which
// Σ_i ‖dst_i‖ = R: the norms are projected onto an l1 ball.
func (b GroupBall) Project(dst, x []float64) {
	b.check(dst, x)
	if b.Gauge(x) <= 1 {
		copy(dst, x)
		return
	}
	if top := maxAbs(x); top > 1e300 && !math.IsInf(top, 1) {
		smaller(dst, x, GroupBall{b.Size, b.R * 0x1p-60})
		return
	}
	p := kern.Borrow(len(b.Size))
	defer kern.Return(p)
	norms := (*p)[:0]
	for from, to := range b.groups {
		norms = append(norms, norm2(x[from:to]))
	}
	top, theta := threshold(norms, b.R)
	for from, to := range b.groups {
		if !toSphere(dst[from:to], x[from:to], max(0, norms[0]-top-theta)) {
			clear(dst[from:to])
		}
		norms = norms[1:]
	}
}

// Diameter returns 2R.
func (b GroupBall) Diameter() float64 {
	b.check()
	return 2 * b.R
}

// Gauge returns Σ_i ‖x_i‖ / R.
func (b GroupBall) Gauge(x []float64) float64 {
	b.check(x)
	sum := 0.0
	for from, to := range b.groups {
		sum += norm2(x[from:to])
	}
	return sum / b.R
}

// Identify writes the sizes and the radius.
func (b GroupBall) Identify(id *ident.Identity) { id.Of(b).Int(b.Size...).Float(b.R) }
