package fwtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"gonum.org/v1/gonum/floats"
)

// TestDomain checks that d keeps the contract of [fwopt.Domain] on about 50 directions g, dense and sparse:
// that Argmin overwrites dst and writes nothing else; that it keeps no state and may be called from several
// goroutines; that ⟨g, Argmin(g)⟩ is below ⟨g, v⟩ for all points v that Argmin gives elsewhere, and does not
// change with the scale of g; that Argmin(0) is in Ω.
//
// If d has them it also checks ArgminVertex (that the slack is honest and the Vertex is one), ArgminLocal
// (that it stays near and beats points that are nearer), Project (against the variational inequality that
// defines a projection), Diameter (against the farthest points that a search finds), Width and Shape (that
// they can be), Gauge, and Identify (that it writes each exported number of d).
//
// It cannot know Ω: a domain that is consistent passes, even if it is not the one that was meant. It takes
// about 100 calls of Argmin and Project each, and memory for 100 vectors: hand it a small instance.
func TestDomain(t *testing.T, d fwopt.Domain) {
	t.Helper()
	domain(t, d)
}

func domain(t reporter, d fwopt.Domain) {
	t.Helper()
	c := &domainCheck{d: d, n: d.Dim(), rng: rand.New(rand.NewPCG(3, 4))}
	if report(t, d, c.reads) { // the others would only repeat it
		report(t, d, c.minimal, c.scale, c.centre, c.parallel, c.vertex, c.local, c.project,
			c.diameter, c.width, c.shape, c.gauge, c.identity)
	}
}

type domainCheck struct {
	d    fwopt.Domain
	n    int
	rng  *rand.Rand
	g    [][]float64 // directions
	name []string    // what kind of direction
	v    [][]float64 // Argmin(g)
	c    []float64   // Argmin(0)
	size float64     // largest norm of a v or c, and of their differences

	value []float64 // ⟨g, v⟩
	slack []float64 // what the domain grants itself, and rounding
}

func (c *domainCheck) normal(scale float64) []float64 {
	x := make([]float64, c.n)
	for j := range x {
		x[j] = scale * c.rng.NormFloat64()
	}
	return x
}

// directions fills c.g with directions of length 1.
func (c *domainCheck) directions() {
	add := func(name string, g []float64) {
		if s := floats.Norm(g, 2); s > 0 {
			floats.Scale(1/s, g)
			c.g, c.name = append(c.g, g), append(c.name, name)
		}
	}
	for range 12 {
		add("a random g", c.normal(1))
	}
	for i := range 4 { // a small turn must not find a much better point
		g := c.normal(1e-3 / math.Sqrt(float64(c.n)))
		add("a random g", floats.AddTo(g, g, c.g[i]))
	}
	for range 8 {
		g := make([]float64, c.n)
		for range 3 {
			g[c.rng.IntN(c.n)] = c.rng.NormFloat64()
		}
		add("a sparse g", g)
	}
	for j := range min(c.n, 6) {
		for _, s := range []float64{1, -1} {
			g := make([]float64, c.n)
			g[j] = s
			add(fmt.Sprintf("g = %+g·e_%d", s, j), g)
		}
	}
	for range 4 {
		g := c.normal(1)
		for j := range g {
			g[j] *= math.Pow(10, -6*c.rng.Float64())
		}
		add("a g with entries of very different size", g)
	}
	for _, s := range []float64{1, -1} {
		add("a g with equal entries", slices.Repeat([]float64{s}, c.n))
	}
	for i := range 4 {
		add("a random g", floats.ScaleTo(make([]float64, c.n), -1, c.g[i]))
	}
}

// argmin returns Argmin(g), out of a dst full of NaN.
func (c *domainCheck) argmin(g []float64) []float64 {
	dst := nans(c.n)
	c.d.Argmin(dst, g)
	return dst
}

// reads fills the fields, and checks what Argmin reads and writes.
func (c *domainCheck) reads() {
	want(c.n >= 1, "Dim() = %d, want at least 1", c.n)
	c.directions()
	for i, g := range append([][]float64{make([]float64, c.n)}, c.g...) {
		name := "Argmin, g = 0"
		if i > 0 {
			name = "Argmin, " + c.name[i-1]
		}
		unwritten := kept(g)
		v := c.argmin(g)
		unwritten("%s: g was written to; the caller still needs its gradient", name)
		whole(v, name, "Argmin, for every g,")
		v1 := c.normal(1)
		c.d.Argmin(v1, g)
		want(same(v, v1), "%s: a second call gives other bits (%s, then %s); a Domain must not keep state "+
			"between calls, draw random numbers or read dst", name, show(v), show(v1))
		if i == 0 {
			c.c = v
		} else {
			c.v = append(c.v, v)
		}
	}
	for i := len(c.g) - 1; i >= 0; i-- { // in another order
		v := c.argmin(c.g[i])
		want(same(v, c.v[i]),
			"Argmin, %s: called again after other directions it gives other bits (%s, before %s); "+
				"a Domain must not keep state between calls", c.name[i], show(v), show(c.v[i]))
	}
	c.size = floats.Norm(c.c, 2)
	for _, v := range c.v {
		c.size = max(c.size, floats.Norm(v, 2), floats.Distance(v, c.v[0], 2))
	}
	for i, g := range c.g {
		c.value = append(c.value, floats.Dot(g, c.v[i]))
		c.slack = append(c.slack, 2*slack(c.d, g)+1e-9*c.size)
	}
}

// inside wants that the point x is in Ω: then ⟨g, x⟩ ≥ min_{v∈Ω} ⟨g, v⟩ for all g.
func (c *domainCheck) inside(x []float64, what, why string) {
	far := 0.0
	for k, g := range c.g {
		far = max(far, c.value[k]-c.slack[k]-floats.Dot(g, x))
	}
	want(far == 0, "%s: %s is not in Ω, by %.3g in some direction%s", what, show(x), far, why)
}

func (c *domainCheck) minimal() {
	for i, g := range c.g {
		value, slack := c.value[i], c.slack[i]
		lowest, highest, at := math.Inf(1), math.Inf(-1), 0
		for k, v := range c.v {
			x := floats.Dot(g, v)
			highest = max(highest, x)
			if x < lowest {
				lowest, at = x, k
			}
		}
		hint := "if the linear optimisation is iterative, implement fwset.VertexDomain and report the slack"
		if value > highest-slack {
			hint = "it is the largest of all points found: is the sign of g wrong?"
		}
		want(value <= lowest+slack,
			"Argmin, %s: v = %s has ⟨g, v⟩ = %.9g, but the answer to another direction (%s), "+
				"%s, has %.9g. Either v is not a minimiser, or that point is not in Ω; %s",
			c.name[i], show(c.v[i]), value, c.name[at], show(c.v[at]), lowest, hint)
	}
}

func (c *domainCheck) scale() {
	for i, g := range c.g {
		for _, s := range []float64{0x1p-30, 0x1p30} {
			x := floats.Dot(g, c.argmin(floats.ScaleTo(make([]float64, c.n), s, g)))
			want(math.Abs(x-c.value[i]) <= 2*c.slack[i],
				"Argmin, %s of length %.3g: ⟨g, v⟩/‖g‖ = %.9g, but %.9g when "+
					"‖g‖ = 1; the minimiser does not depend on the length of g", c.name[i], s, x, c.value[i])
		}
	}
}

func (c *domainCheck) centre() {
	c.inside(c.c, "Argmin, g = 0", "; methods start there, so that any point of Ω will do, but no other")
}

func (c *domainCheck) parallel() {
	together(func(p, turn int) {
		dst, i := make([]float64, c.n), (turn+p*len(c.g)/4)%len(c.g)
		c.d.Argmin(dst, c.g[i])
		want(same(dst, c.v[i]),
			"Argmin, %s: called from four goroutines at once it gives other bits (%s, alone %s); "+
				"a Domain must not keep state", c.name[i], show(dst), show(c.v[i]))
	})
}
