package fwtest

import (
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

// rod is the box |w_j − 1| ≤ 2 with all that a domain can have, in the plainest
// way, with one fault.
type rod struct {
	d     int
	fault string
	mu    sync.Mutex
	calls int
}

func (r *rod) Dim() int {
	if r.fault == "no dimension" {
		return 0
	}
	return r.d
}

func (r *rod) Argmin(dst, g []float64) {
	r.mu.Lock()
	r.calls++
	calls := r.calls
	r.mu.Unlock()
	for j, x := range g {
		dst[j] = 1
		if x > 0 {
			dst[j] = -1
		} else if x < 0 {
			dst[j] = 3
		}
	}
	norm := 0.0
	for _, x := range g {
		norm += x * x
	}
	switch r.fault {
	case "wrong sign":
		for j := range dst {
			dst[j] = 2 - dst[j]
		}
	case "outside":
		if g[0] > 0.5 {
			dst[0] = -1.1
		}
	case "misses a coordinate":
		if r.d > 1 && math.Abs(g[1]) > 0 && norm > 0 {
			dst[1] = 1
			if g[0] > 0 {
				dst[1] = 3
			}
		}
	case "skips zeros":
		for j, x := range g {
			if x == 0 {
				dst[j] = math.NaN()
			}
		}
	case "remembers":
		dst[0] += 1e-13 * float64(calls)
	case "writes g":
		g[0] *= 2
	case "wrong centre":
		if norm == 0 {
			dst[0] = 17
		}
	case "NaN for g = 0":
		if norm == 0 {
			dst[0] = 0 / norm
		}
	case "depends on the length":
		for j, x := range g {
			dst[j] = 1 - 2*x/(math.Abs(x)+1e-9)
		}
	}
}

// forgetful adds dst to what it writes.
type forgetful struct{ fwset.Box }

func (f forgetful) Argmin(dst, g []float64) {
	old := dst[0]
	f.Box.Argmin(dst, g)
	if !math.IsNaN(old) {
		dst[0] += 1e-9 * old
	}
}

// racy passes all tests that call it from one goroutine.
type racy struct {
	fwset.L2Ball
	mu   sync.Mutex
	busy int
}

func (r *racy) Argmin(dst, g []float64) {
	r.mu.Lock()
	r.busy++
	r.mu.Unlock()
	r.L2Ball.Argmin(dst, g)
	runtime.Gosched()
	r.mu.Lock()
	if r.busy > 1 {
		clear(dst)
	}
	r.busy--
	r.mu.Unlock()
}

// extra is a rod whose optional methods have the fault.
type extra struct {
	rod
}

func (e *extra) box() fwset.Box {
	b := fwset.Box{Lo: make([]float64, e.d), Hi: make([]float64, e.d)}
	for j := range b.Lo {
		b.Lo[j], b.Hi[j] = -1, 3
	}
	return b
}

func (e *extra) Project(dst, x []float64) {
	switch e.fault {
	case "project: writes x":
		x[0] = 0
	case "project: aliasing":
		clear(dst)
	case "project: leaves a gap":
		for j := range x {
			if x[j] < 3 {
				dst[j] = x[j]
			}
		}
		return
	}
	if e.fault != "project: writes x" {
		x = slices.Clone(x) // so that dst = x is no other fault
	}
	e.box().Project(dst, x)
	switch e.fault {
	case "project: outside":
		if x[0] > 3 {
			dst[0] = 3.001
		}
	case "project: not nearest":
		if x[1] > 3 {
			dst[0] = dst[0]/2 + 0.5
		}
	case "project: moves inner points":
		dst[0] = (dst[0]-1)*(1-1e-7) + 1
	case "project: bits":
		for j, v := range x {
			dst[j] = math.Nextafter(dst[j], v-1)
		}
	}
}

func (e *extra) ArgminLocal(dst, g, x []float64, r float64) {
	for j := range x { // x_j ± r
		switch {
		case g[j] > 0:
			dst[j] = x[j] - r
		case g[j] < 0:
			dst[j] = x[j] + r
		default:
			dst[j] = x[j]
		}
	}
	if e.fault != "local: outside" {
		e.box().Project(dst, slices.Clone(dst))
	}
	switch e.fault {
	case "local: writes g":
		g[0] *= 2
	case "local: not written":
		dst[1] = math.NaN()
	case "local: too far":
		e.Argmin(dst, g)
	case "local: not far enough":
		dst[0] = (dst[0] + 9*x[0]) / 10
	}
}

func (e *extra) Rho() float64 {
	if e.fault == "local: rho" {
		return 0.9
	}
	return math.Sqrt(float64(e.d))
}

func (e *extra) Diameter() float64 {
	switch e.fault {
	case "diameter: too small":
		return 3.9 * math.Sqrt(float64(e.d))
	case "diameter: too large":
		return 8 * math.Sqrt(float64(e.d))
	case "diameter: NaN":
		return math.NaN()
	}
	return 4 * math.Sqrt(float64(e.d))
}

func (e *extra) Width() float64 {
	switch e.fault {
	case "width: too large":
		return 5 * math.Sqrt(float64(e.d))
	case "width: NaN":
		return math.NaN()
	}
	return 4 / math.Sqrt(float64(e.d))
}

func (e *extra) Shape() (h, m int) {
	if e.fault == "shape: of another" {
		return 2, e.d
	}
	return 1, e.d
}

func (e *extra) Gauge(x []float64) float64 {
	g := e.box().Gauge(x)
	switch e.fault {
	case "gauge: too large":
		return 1.01 * g
	case "gauge: always inside":
		return min(g, 1)
	case "gauge: does not grow":
		return min(g, 1.5)
	case "gauge: writes x":
		x[0]++
	case "gauge: not convex":
		return 2 - min(g, 1)
	}
	return g
}

func (e *extra) ArgminVertex(v *fwset.Vertex, g []float64, tol float64, warm *fwset.Warm) float64 {
	dst := v.SetDense(len(g))
	e.Argmin(dst, g)
	switch e.fault {
	case "warm: not filled":
		v.D++
	case "warm: an index twice":
		index, value := v.SetSparse(len(g), 2)
		index[0], index[1], value[0], value[1] = 1, 1, 1, 1
	case "warm: slack negative":
		return -1e-9
	case "warm: slack too small":
		dst[0] = 1
		return 1e-3
	case "warm: outside":
		if g[0] == 0 { // where the value does not show it
			dst[0] = 3.1
		}
	case "warm: own randomness":
		dst[1] = -1 + rand.Float64()*1e-12
	case "warm: writes g":
		g[1] = 0
	case "warm: Argmin is worse":
		dst[0] = 1.01*(dst[0]-1) + 1
	}
	return 0
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

func TestDomainFindsFaults(t *testing.T) {
	for fault, want := range map[string]string{
		"no dimension":          "Dim() = 0",
		"wrong sign":            "sign of g wrong",
		"outside":               "not in Ω",
		"misses a coordinate":   "not a minimiser",
		"skips zeros":           "dst was full of NaN",
		"remembers":             "must not keep state",
		"writes g":              "g was written to",
		"wrong centre":          "g = 0: [17",
		"NaN for g = 0":         "g = 0: coordinate 0 is NaN",
		"depends on the length": "does not depend on the length",
	} {
		var r recorder
		domain(&r, &rod{d: 5, fault: fault})
		expect(t, fault, r.msgs, want)
	}
	for fault, want := range map[string]string{
		"project: writes x":           "wrote to x",
		"project: aliasing":           "dst may be x",
		"project: leaves a gap":       "which Project must overwrite",
		"project: outside":            "is not in Ω",
		"project: not nearest":        "not the nearest point",
		"project: moves inner points": "must stay",
		"project: bits":               "want the same bits",
		"local: rho":                  "Rho() = 0.9",
		"local: outside":              "is not in Ω",
		"local: writes g":             "g or x was written to",
		"local: not written":          "which ArgminLocal must overwrite",
		"local: too far":              "more than ρr",
		"local: not far enough":       "within r",
		"diameter: too small":         "at distance 8.94427191",
		"diameter: too large":         "a D that is too large",
		"diameter: NaN":               "Diameter() = NaN",
		"gauge: too large":            "so it is in Ω",
		"gauge: always inside":        "outside of Ω",
		"gauge: does not grow":        "outside of Ω",
		"gauge: writes x":             "wrote to x",
		"gauge: not convex":           "want at most 1",
		"warm: slack negative":        "want a number ≥ 0",
		"warm: slack too small":       "must be an upper bound",
		"warm: outside":               "is not in Ω",
		"warm: own randomness":        "the same Warm gives other bits",
		"warm: writes g":              "g was written to",
		"warm: Argmin is worse":       "differ by the slack only",
		"warm: not filled":            "a Vertex of dimension 6",
		"warm: an index twice":        "index 1 after 1",
		"width: too large":            "want a number from 0",
		"width: NaN":                  "Width() = NaN",
		"shape: of another":           "want h·m = Dim()",
	} {
		var r recorder
		domain(&r, &extra{rod{d: 5, fault: fault}})
		expect(t, fault, r.msgs, want)
	}
	for fault, d := range map[string]fwopt.Domain{
		"does not say the field R":  saysLittle{3, 2, []float64{1}, 0},
		"does not say the field W":  saysLittle{3, 2, []float64{1}, 1},
		"does not say the field R ": &saysLittle{3, 2, []float64{1}, 0},
	} {
		var r recorder
		domain(&r, d)
		expect(t, fault, r.msgs, strings.TrimSpace(fault))
	}
	var r recorder
	domain(&r, forgetful{fwset.Box{Lo: []float64{0, 0}, Hi: []float64{1, 1}}})
	expect(t, "reads dst", r.msgs, "read dst")
	r = recorder{}
	domain(&r, &racy{L2Ball: fwset.L2Ball{D: 3, R: 1}})
	expect(t, "races", r.msgs, "four goroutines")
}

func expect(t *testing.T, fault string, msgs []string, want string) {
	t.Helper()
	for _, m := range msgs {
		if strings.Contains(m, want) {
			return
		}
	}
	t.Errorf("the fault %q gives %q, want a message with %q", fault, msgs, want)
}

func TestDomainPassesSoundDomains(t *testing.T) {
	TestDomain(t, &rod{d: 5})
	TestDomain(t, &rod{d: 1})
	TestDomain(t, &extra{rod{d: 7}})
}
