package fwtest

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
)

// rod is the box |w_j − 1| ≤ 2 with all that a domain can have, in the plainest way. A
// function or number that is there spoils what the method of its name has done.
type rod struct {
	d, h                 int
	rho, diameter, width float64
	argmin               func(dst, g []float64, old float64) // dst_0 as it was
	project              func(dst, x []float64)
	local                func(dst, g, x []float64)
	gauge                func(x []float64, gauge float64) float64
	vertex               func(v *fwset.Vertex, dst, g []float64) (slack float64)
}

func (r *rod) box() fwset.Box {
	return fwset.Box{Lo: slices.Repeat([]float64{-1}, r.d), Hi: slices.Repeat([]float64{3}, r.d)}
}

func (r *rod) Dim() int          { return r.d }
func (r *rod) Shape() (h, m int) { return cmp.Or(r.h, 1), r.d }
func (r *rod) Rho() float64      { return cmp.Or(r.rho, math.Sqrt(float64(r.d))) }
func (r *rod) Diameter() float64 { return cmp.Or(r.diameter, 4*math.Sqrt(float64(r.d))) }
func (r *rod) Width() float64    { return cmp.Or(r.width, 4/math.Sqrt(float64(r.d))) }

func (r *rod) Gauge(x []float64) float64 {
	gauge := r.box().Gauge(x)
	if r.gauge != nil {
		return r.gauge(x, gauge)
	}
	return gauge
}

func (r *rod) Argmin(dst, g []float64) {
	old := dst[0]
	for j, x := range g {
		dst[j] = 1
		if x > 0 {
			dst[j] = -1
		} else if x < 0 {
			dst[j] = 3
		}
	}
	if r.argmin != nil {
		r.argmin(dst, g, old)
	}
}

func (r *rod) Project(dst, x []float64) {
	old := slices.Clone(x)
	r.box().Project(dst, old)
	if r.project != nil {
		r.project(dst, old)
	}
}

func (r *rod) ArgminLocal(dst, g, x []float64, far float64) {
	for j := range x { // x_j ± far
		dst[j] = x[j]
		if g[j] > 0 {
			dst[j] -= far
		} else if g[j] < 0 {
			dst[j] += far
		}
	}
	out := slices.Clone(dst)
	r.box().Project(dst, out)
	if r.local != nil {
		r.local(dst, g, out)
	}
}

func (r *rod) ArgminVertex(v *fwset.Vertex, g []float64, _ float64, _ *fwset.Warm) float64 {
	dst := v.SetDense(len(g))
	r.Argmin(dst, g)
	if r.vertex != nil {
		return r.vertex(v, dst, g)
	}
	return 0
}

// writer is a rod of which Project and ArgminLocal have other arguments at hand.
type writer struct {
	rod
	dstOnly bool
}

func (r *writer) Project(dst, x []float64) {
	if r.dstOnly {
		clear(dst) // x too, if it is dst
	}
	r.rod.Project(dst, x)
	if !r.dstOnly {
		x[0] = 0
	}
}

func (r *writer) ArgminLocal(dst, g, x []float64, far float64) {
	r.rod.ArgminLocal(dst, g, x, far)
	if r.dstOnly {
		dst[0] = (dst[0] + 9*x[0]) / 10
	} else {
		r.Argmin(dst, g)
	}
}

// warmed is a rod whose ProjectWarm is off, without a Warm or with one.
type warmed struct {
	rod
	none, some float64
}

func (r *warmed) ProjectWarm(dst, x []float64, warm *fwset.Warm) {
	if r.Project(dst, x); warm == nil {
		dst[0] += r.none
	} else {
		dst[0] += r.some
	}
}

// racy passes all tests that call it from one goroutine.
type racy struct {
	rod
	turns
}

func (r *racy) Argmin(dst, g []float64) { r.turn(dst, func() { r.rod.Argmin(dst, g) }) }

// turns clears what is computed while something else is.
type turns struct {
	mu   sync.Mutex
	busy int
}

func (t *turns) turn(dst []float64, compute func()) {
	t.mu.Lock()
	t.busy++
	t.mu.Unlock()
	compute()
	runtime.Gosched()
	t.mu.Lock()
	if t.busy > 1 {
		clear(dst)
	}
	t.busy--
	t.mu.Unlock()
}

// saysLittle is a ball whose Identify leaves a field out.
type saysLittle struct {
	D     int
	R     float64
	W     []float64
	Fault int
}

func (b saysLittle) Dim() int                { return b.D }
func (b saysLittle) Argmin(dst, g []float64) { fwset.L2Ball{D: b.D, R: b.R}.Argmin(dst, g) }
func (b saysLittle) Identify(id *fwopt.Identity) {
	if id.Of(b).Int(b.D, b.Fault); b.Fault == 0 {
		id.Float(b.W...)
	} else {
		id.Float(b.R)
	}
}

type recorder struct{ msgs []string }

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.msgs = append(r.msgs, fmt.Sprintf(format, args...))
}

// expect fails unless one of the messages, as each fault must give it, says what is wrong.
func expect(t *testing.T, msgs []string, want string) {
	t.Helper()
	if !slices.ContainsFunc(msgs, func(m string) bool { return strings.Contains(m, want) }) {
		t.Errorf("reported %q, want a message with %q", msgs, want)
	}
}

func TestDomainFindsFaults(t *testing.T) {
	calls, late, nan := 0.0, 0, math.NaN()
	notNearest := func(dst, x []float64) {
		if x[1] > 3 {
			dst[0] = dst[0]/2 + 0.5
		}
	}
	zero := func(g []float64) bool { return slices.Max(g) == 0 && slices.Min(g) == 0 }
	for _, c := range []struct {
		want string
		d    rod
	}{
		{"Dim() = 0", rod{}},
		{"want h·m = Dim()", rod{h: 2}},
		{"Rho() = 0.9", rod{rho: 0.9}},
		{"at distance 8.94427191", rod{diameter: 3.9 * math.Sqrt(5)}},
		{"a D that is too large", rod{diameter: 8 * math.Sqrt(5)}},
		{"want a finite number ≥ 0", rod{diameter: nan}},
		{"want a number from 0", rod{width: 5 * math.Sqrt(5)}},
		{"Width() = NaN", rod{width: nan}},

		{"sign of g wrong", rod{argmin: func(dst, _ []float64, _ float64) {
			for j := range dst {
				dst[j] = 2 - dst[j]
			}
		}}},
		{"not in Ω", rod{argmin: func(dst, g []float64, _ float64) {
			if g[0] > 0.5 {
				dst[0] = -1.1
			}
		}}},
		{"not a minimiser", rod{argmin: func(dst, g []float64, _ float64) {
			if g[1] != 0 {
				dst[1] = 1
				if g[0] > 0 {
					dst[1] = 3
				}
			}
		}}},
		{"dst was full of NaN", rod{argmin: func(dst, g []float64, _ float64) {
			for j, x := range g {
				if x == 0 {
					dst[j] = nan
				}
			}
		}}},
		{"must not keep state", rod{argmin: func(dst, _ []float64, _ float64) {
			calls++
			dst[0] += 1e-13 * calls
		}}},
		{"called again after other directions", rod{argmin: func(dst, _ []float64, _ float64) {
			if late++; late > 100 { // not between two calls for one direction
				dst[0] += 1e-13
			}
		}}},
		{"read dst", rod{argmin: func(dst, _ []float64, old float64) {
			if old == old {
				dst[0] += 1e-9 * old
			}
		}}},
		{"g was written to", rod{argmin: func(_, g []float64, _ float64) { g[0] *= 2 }}},
		{"g = 0: [17", rod{argmin: func(dst, g []float64, _ float64) {
			if zero(g) {
				dst[0] = 17
			}
		}}},
		{"g = 0: coordinate 0 is NaN", rod{argmin: func(dst, g []float64, _ float64) {
			if zero(g) {
				dst[0] = nan
			}
		}}},
		{"does not depend on the length", rod{argmin: func(dst, g []float64, _ float64) {
			for j, x := range g {
				dst[j] = 1 - 2*x/(math.Abs(x)+1e-9)
			}
		}}},

		{"which Project must overwrite", rod{project: func(dst, x []float64) {
			if x[0] >= 3 {
				dst[0] = nan
			}
		}}},
		{"is not in Ω", rod{project: func(dst, x []float64) {
			if x[0] > 3 {
				dst[0] = 3.001
			}
		}}},
		{"not the nearest point", rod{project: notNearest}},
		{"never lengthens distances", rod{project: notNearest, // for the slack lets it be not the nearest
			vertex: func(*fwset.Vertex, []float64, []float64) float64 { return 1000 }}},
		{"must stay", rod{project: func(dst, _ []float64) { dst[0] = (dst[0]-1)*(1-1e-7) + 1 }}},
		{"want the same bits", rod{project: func(dst, x []float64) {
			for j, v := range x {
				dst[j] = math.Nextafter(dst[j], v-1)
			}
		}}},

		{"is not in Ω", rod{local: func(dst, _, out []float64) { copy(dst, out) }}},
		{"g or x was written to", rod{local: func(_, g, _ []float64) { g[0] *= 2 }}},
		{"which ArgminLocal must overwrite", rod{local: func(dst, _, _ []float64) { dst[1] = nan }}},

		{"so it is in Ω", rod{gauge: func(_ []float64, gauge float64) float64 { return 1.01 * gauge }}},
		{"outside of Ω", rod{gauge: func(_ []float64, gauge float64) float64 { return min(gauge, 1) }}},
		{"outside of Ω", rod{gauge: func(_ []float64, gauge float64) float64 { return min(gauge, 1.5) }}},
		{"want at most 1", rod{gauge: func(_ []float64, gauge float64) float64 { return 2 - min(gauge, 1) }}},
		{"wrote to x", rod{gauge: func(x []float64, gauge float64) float64 {
			x[0]++
			return gauge
		}}},

		{"want a number ≥ 0", rod{vertex: func(_ *fwset.Vertex, _, _ []float64) float64 { return -1 }}},
		{"must be an upper bound", rod{vertex: func(_ *fwset.Vertex, dst, _ []float64) float64 {
			dst[0] = 1
			return 1e-3
		}}},
		{"is not in Ω", rod{vertex: func(_ *fwset.Vertex, dst, g []float64) float64 {
			if g[0] == 0 { // where the value does not show it
				dst[0] = 3.1
			}
			return 0
		}}},
		{"the same Warm gives other bits", rod{vertex: func(_ *fwset.Vertex, dst, _ []float64) float64 {
			dst[1] = -1 + rand.Float64()*1e-12
			return 0
		}}},
		{"ArgminVertex, a random g, tol = 0: g was written to", rod{
			vertex: func(_ *fwset.Vertex, _, g []float64) float64 {
				g[1] = 0
				return 0
			}}},
		{"differ by the slack only", rod{vertex: func(_ *fwset.Vertex, dst, _ []float64) float64 {
			dst[0] = 1.01*(dst[0]-1) + 1
			return 0
		}}},
		{"a Vertex of dimension 6", rod{vertex: func(v *fwset.Vertex, _, _ []float64) float64 {
			v.D++
			return 0
		}}},
		{"index 1 after 1", rod{vertex: func(v *fwset.Vertex, _, g []float64) float64 {
			index, value := v.SetSparse(len(g), 2)
			index[0], index[1], value[0], value[1] = 1, 1, 1, 1
			return 0
		}}},
	} {
		if c.want != "Dim() = 0" {
			c.d.d = 5
		}
		var r recorder
		domain(&r, &c.d)
		expect(t, r.msgs, c.want)
	}
	for _, c := range []struct {
		want string
		d    fwopt.Domain
	}{
		{"Project wrote to x", &writer{rod{d: 5}, false}},
		{"dst may be x", &writer{rod{d: 5}, true}},
		{"more than ρr", &writer{rod{d: 5}, false}},
		{"within r", &writer{rod{d: 5}, true}},
		{"does not say the field R", saysLittle{3, 2, []float64{1}, 0}},
		{"does not say the field W", saysLittle{3, 2, []float64{1}, 1}},
		{"does not say the field R", &saysLittle{3, 2, []float64{1}, 0}},
		{"that of ProjectWarm without a Warm", &warmed{rod{d: 5}, 1e-13, 0}},
		{"from that of Project", &warmed{rod{d: 5}, 0, 1e-3}},
		{"four goroutines", &racy{rod: rod{d: 3}}},
	} {
		var r recorder
		domain(&r, c.d)
		expect(t, r.msgs, c.want)
	}
}

func TestDomainPassesSoundDomains(t *testing.T) {
	TestDomain(t, struct{ fwopt.Domain }{&rod{d: 5}})
	TestDomain(t, struct{ fwopt.Domain }{&rod{d: 1}})
	TestDomain(t, &warmed{rod: rod{d: 7}})
}
