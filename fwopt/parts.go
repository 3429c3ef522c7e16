package fwopt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/gonum/floats"
)

// partsCheck looks at a reader's own f and Ω before a run, for the mistakes that a run would answer with a
// result that looks right. It counts nothing and draws nothing of the run's. A part that takes long is asked
// what Run says, and a little more where f does not fit.
type partsCheck struct {
	f     FiniteSum
	omega Domain
	own   struct{ f, omega string } // their names, if fwtest has not passed them
	w0    []float64
	began time.Time
	calls int // of Argmin
	warm  fwset.Warm

	x        []float64 // Argmin(0)
	at       []float64 // where f is asked
	grad     []float64 // ∇f(at)
	g, v     []float64 // the gradient or, where it is 0, another direction; Argmin(g)
	near     []float64 // close to at; nil if f ends there
	nearGrad []float64 // ∇f(near)
	costs    bool      // g is nowhere negative: Ω may be a network, which takes no other
	off      float64   // the slack of v
	size     float64   // of the points seen
	slack    float64   // of the last answer
}

// cheap is when what is asked beyond the least ends; a variable for the tests.
var cheap = 50 * time.Millisecond

const rounded = 1e-6 // a relative difference that no rounding explains

// checkParts panics if f or Ω, unless fwtest has passed it, is at odds with what Oracle
// asks of it, or if w0 is outside of Ω, unless the run may leave it. shared says that another run is at work on them.
func checkParts(f FiniteSum, omega Domain, w0 []float64, shared, leaves bool) {
	inF, inOmega := ident.Untested(f), ident.Untested(omega)
	if inF == nil && inOmega == nil && w0 == nil {
		return
	}
	c := &partsCheck{f: f, omega: omega, w0: w0, began: time.Now()}
	c.own.f, c.own.omega = called(f, inF), called(omega, inOmega)
	c.warm.RNG = *rand.NewPCG(3, 5)
	c.start()
	if inF != nil || inOmega != nil {
		c.gradient()
		c.linear(shared)
	}
	if inF != nil {
		if loss := ident.Foreign(inF) && !ident.Foreign(f); shared || loss { // which many goroutines call in any case
			c.together()
		}
		c.slopes()
		c.terms()
	}
	if w0 != nil && !leaves {
		c.inside()
	}
}

// called names a part and what in it has not been passed; "" if that is nothing.
func called(part, in any) string {
	switch {
	case in == nil:
		return ""
	case fmt.Sprintf("%T", in) == fmt.Sprintf("%T", part):
		return fmt.Sprintf("%T", part)
	}
	return fmt.Sprintf("%T, with %T", part, in)
}

func (c *partsCheck) wrongSet(format string, a ...any) {
	wrong(c.own.omega, "fwtest.TestDomain", format, a...)
}

func (c *partsCheck) wrongSum(format string, a ...any) {
	wrong(c.own.f, "fwtest.TestFiniteSum", format, a...)
}

// wrong panics, unless fwtest has passed the part.
func wrong(part, test, format string, a ...any) {
	if part != "" {
		panic(need.Linef("fwopt: %s: %s; %s checks the whole of it", part, fmt.Sprintf(format, a...), test))
	}
}

// more reports whether there is time for what is not asked of a dear part.
func (c *partsCheck) more() bool { return time.Since(c.began) < cheap }

// ask returns what fill makes of a dst full of NaN, and what is wrong with it.
func ask(d int, fill func(dst []float64)) (dst []float64, fault string) {
	dst = slices.Repeat([]float64{math.NaN()}, d)
	fill(dst)
	j := unfit(dst)
	if j < 0 {
		return dst, ""
	}
	fault = fmt.Sprintf("coordinate %d is %g", j, dst[j])
	for _, was := range []float64{0, 1} { // who writes all of dst answers as before
		again := slices.Repeat([]float64{was}, d)
		fill(again)
		if unfit(again) < 0 {
			return dst, fmt.Sprintf("coordinate %d is NaN where dst held NaN before, and %g where it held "+
				"%g: it adds to dst, or leaves a part of it; it must set all of dst, whatever that held", j,
				again[j], was)
		}
	}
	return dst, fault
}

// unfit returns the first coordinate that is no finite number, or −1.
func unfit(x []float64) int {
	return slices.IndexFunc(x, func(v float64) bool { return !finite(v) })
}

func negative(g []float64) []float64 { return floats.ScaleTo(make([]float64, len(g)), -1, g) }

// start fills c.x, and at, where f is asked: w0, or x without it.
func (c *partsCheck) start() {
	d := c.omega.Dim()
	var fault string
	c.x, fault = ask(d, func(dst []float64) { c.omega.Argmin(dst, make([]float64, d)) })
	if c.calls++; fault != "" {
		c.wrongSet("Argmin of g = 0: %s; a run without w0 begins there, and any point of Ω will do", fault)
	}
	c.at, c.size = c.x, floats.Norm(c.x, 2)
	if c.w0 == nil {
		return
	}
	if j := unfit(c.w0); j >= 0 {
		panic(need.Linef("fwopt: coordinate %d of w0 is %g: w0 is not in Ω; take nil for o.Start(), or a "+
			"point that Argmin or Project gives", j, c.w0[j]))
	}
	c.at, c.size = c.w0, max(c.size, floats.Norm(c.w0, 2))
}

func (c *partsCheck) where() string {
	if c.w0 != nil {
		return "w_0"
	}
	return "the point that Argmin gives for g = 0"
}

// argmin returns the Vertex form's answer where there is one, and its slack.
func (c *partsCheck) argmin(g []float64) (v []float64, slack float64) {
	name, was := "Argmin", slices.Clone(g)
	answer := func(dst []float64) { c.omega.Argmin(dst, g) }
	if _, ok := c.omega.(fwset.VertexDomain); ok {
		name, answer = "ArgminVertex", func(dst []float64) {
			var x Vertex
			slack = fwset.Argmin(c.omega, &x, g, 0, &c.warm)
			x.Dense(dst)
		}
	}
	v, fault := ask(len(g), answer)
	if fault != "" {
		c.wrongSet("%s: %s", name, fault)
	}
	if !slices.Equal(g, was) {
		c.wrongSet("Argmin writes to g, which the method still needs")
	}
	c.calls++
	c.size = max(c.size, floats.Norm(v, 2))
	return v, slack
}

// linear fills c.v and looks whether it is where ⟨g, ·⟩ is least, and the same again.
func (c *partsCheck) linear(shared bool) {
	if c.v, c.off = c.argmin(c.g); c.own.omega == "" {
		return
	}
	value, far := floats.Dot(c.g, c.v), 2*c.off+rounded*floats.Norm(c.g, 2)*c.size
	if !shared || c.more() {
		c.again(value, far)
	}
	if shared {
		c.calls += 2
		other := slices.Clone(c.g)
		slices.Reverse(other)
		atOnce(c.own.omega+": Argmin", c.omega.Argmin, [2][]float64{c.g, other},
			func(i int, got []float64) bool {
				return i == 1 || math.Abs(floats.Dot(c.g, got)-value) <= far
			})
	}
	c.projections()
	c.others(value >= floats.Dot(c.g, c.x)-far) // less than at another point would be the right sign
}

// others asks for −g, for one that falls where g rises and has its sign, for a short g and for
// some at random, and holds the answers against each other: each must be the least of all for its
// own g. In doubt the last question is not left to w_0.
func (c *partsCheck) others(doubt bool) {
	rng := rand.New(rand.NewPCG(19, 23))
	turned := negative(c.g)
	floats.AddConst(floats.Max(c.g)+floats.Min(c.g), turned)
	gs := [][]float64{c.g, negative(c.g), turned, floats.ScaleTo(make([]float64, len(c.g)), 0x1p-10, c.g)}
	for len(gs) < 9 {
		r := make([]float64, len(c.g))
		for j := range r {
			r[j] = rng.NormFloat64()
		}
		gs = append(gs, r)
	}
	vs, slack := [][]float64{c.v}, []float64{c.off}
	for _, g := range gs[1:] {
		v, ok := c.x, false
		if c.calls < 4 && (c.w0 == nil || doubt) || c.more() {
			v, ok = c.towards(g)
		}
		if vs, slack = append(vs, v), append(slack, c.slack); !ok {
			slack[len(slack)-1] = math.Inf(1) // not asked
		}
	}
	for i, g := range gs {
		value, far := floats.Dot(g, vs[i]), 2*slack[i]+rounded*floats.Norm(g, 2)*c.size
		least, most := math.Inf(1), math.Inf(-1)
		for _, v := range append(vs, c.x) {
			least, most = min(least, floats.Dot(g, v)), max(most, floats.Dot(g, v))
		}
		switch {
		case value <= least+far || math.IsInf(far, 1):
		case value >= most-far:
			c.wrongSet("Argmin has the wrong sign: ⟨g, v(g)⟩ = %g is the largest of all its answers, and "+
				"the answer u to another g has ⟨g, u⟩ = %g, where v(g) is the point of Ω with the least "+
				"⟨g, v⟩", value, least)
		default:
			c.wrongSet("Argmin is not where ⟨g, v⟩ is least, or leaves Ω: ⟨g, v(g)⟩ = %g, and the answer u "+
				"to another g, or to 0, has ⟨g, u⟩ = %g; v(g) does not depend on the length of g", value,
				least)
		}
	}
}

// again asks for Argmin once more, which has another form if Ω is a VertexDomain.
func (c *partsCheck) again(value, far float64) {
	v, fault := ask(len(c.g), func(dst []float64) { c.omega.Argmin(dst, c.g) })
	c.calls++
	_, vertices := c.omega.(fwset.VertexDomain)
	switch b := floats.Dot(c.g, v); {
	case fault != "":
		c.wrongSet("Argmin: %s", fault)
	case math.Abs(b-value) > far && vertices:
		c.wrongSet("Argmin reaches ⟨g, v⟩ = %g where its ArgminVertex reaches %g: a set that embeds "+
			"another one and overrides Argmin must override ArgminVertex, too", b, value)
	case math.Abs(b-value) > far:
		c.wrongSet("Argmin of one g reaches ⟨g, v⟩ = %g, and the next time %g: it must keep nothing "+
			"between calls", value, b)
	}
}

// projections holds the two forms of a projection against each other.
func (c *partsCheck) projections() {
	p, ok := c.omega.(fwset.Projector)
	q, too := c.omega.(fwset.WarmProjector)
	if !ok || !too {
		return
	}
	a, b := make([]float64, len(c.g)), make([]float64, len(c.g))
	p.Project(a, c.g)
	if q.ProjectWarm(b, c.g, nil); !slices.Equal(a, b) {
		c.wrongSet("Project leads elsewhere than its ProjectWarm: a set that embeds another one and " +
			"overrides Project must override ProjectWarm, too")
	}
}

// inside panics if w0 is outside of Ω, by a direction in which all of Ω lies beyond: the gradient's, its
// total's, its least or largest coordinate's, or that to the point of Ω nearest to w0, by Frank-Wolfe.
func (c *partsCheck) inside() {
	if c.v != nil {
		c.beyond(c.g, c.v, c.off)
	}
	least, most := floats.MinIdx(c.w0), floats.MaxIdx(c.w0)
	total := func() {
		c.sides(func(g []float64) { floats.AddConst(1, g) }, func(g []float64) { floats.AddConst(-1, g) })
	}
	if c.w0[least] == c.w0[most] { // as 0 is, which is taken for a point of the simplex
		total()
	}
	c.nearest(4)
	total()
	c.sides(func(g []float64) { g[least] = 1 }, func(g []float64) { g[most] = -1 })
	c.nearest(50)
}

// sides asks for the points of Ω that are furthest in some directions.
func (c *partsCheck) sides(directions ...func(g []float64)) {
	for _, fill := range directions {
		g := make([]float64, len(c.w0))
		if fill(g); c.calls >= 4 && !c.more() {
			return
		}
		if v, ok := c.towards(g); ok {
			c.beyond(g, v, c.slack)
		}
	}
}

// beyond panics if w0 is not where ⟨g, ·⟩ is at least what it is at v = Argmin(g).
func (c *partsCheck) beyond(g, v []float64, slack float64) {
	length := floats.Norm(g, 2)
	if far := floats.Dot(g, v) - slack - floats.Dot(g, c.w0); far > rounded*length*c.size {
		panic(need.Linef("fwopt: w0 is outside of Ω, a %T, by %.3g at least; take nil for o.Start(), or a "+
			"point that Argmin or Project gives", c.omega, far/length))
	}
}

// nearest goes some steps of Frank-Wolfe to w0, and looks in their directions.
func (c *partsCheck) nearest(steps int) {
	x, g := slices.Clone(c.x), make([]float64, len(c.x))
	if c.v != nil {
		copy(x, c.v)
	}
	for k := 0; k < steps && (c.calls < 4 || c.more()); k++ {
		floats.SubTo(g, x, c.w0)
		if floats.Norm(g, 2) <= rounded*c.size {
			return
		}
		v, ok := c.towards(g)
		if !ok {
			return
		}
		c.beyond(g, v, c.slack)
		floats.Sub(v, x)
		gamma := -floats.Dot(g, v) / floats.Dot(v, v)
		if !(gamma > 0) {
			return
		}
		floats.AddScaled(x, min(1, gamma), v)
	}
}

// towards is argmin for a g that Ω may not take: a network may answer to negative costs with a
// panic, or with any path.
func (c *partsCheck) towards(g []float64) (v []float64, ok bool) {
	if c.costs && floats.Min(g) < 0 {
		return c.x, false
	}
	defer func() {
		if r := recover(); r != nil {
			v, ok = c.x, false
		}
	}()
	v, c.slack = c.argmin(g)
	return v, true
}

// atOnce asks two questions from two goroutines at once, for a while, and panics if an answer is not right.
func atOnce(name string, call func(dst, q []float64), questions [2][]float64,
	right func(i int, got []float64) bool) {
	began := time.Now()
	for turn := 0; turn < 1 || turn < 40 && time.Since(began) < cheap/4; turn++ {
		var both sync.WaitGroup
		var wrong [2]bool
		until := time.Now().Add(min(cheap/100, time.Millisecond/2))
		for i, q := range questions {
			both.Add(1)
			go func() {
				defer both.Done()
				defer func() { wrong[i] = wrong[i] || recover() != nil }()
				dst := make([]float64, len(q))
				for again := true; again; again = turn > 0 && time.Now().Before(until) { // so that the calls meet
					call(dst, q)
					wrong[i] = wrong[i] || !right(i, dst)
				}
			}()
		}
		if both.Wait(); wrong[0] || wrong[1] {
			panic(need.Linef("fwopt: %s gives another answer where two goroutines call it at once, as runs "+
				"at the same time do: it keeps something between calls; make its scratch memory in the "+
				"call; fwtest looks for that, too", name))
		}
	}
}
