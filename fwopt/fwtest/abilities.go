package fwtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/internal/ident"
	"gonum.org/v1/gonum/floats"
)

func (c *domainCheck) vertex() {
	w, ok := c.d.(fwset.VertexDomain)
	if !ok {
		return
	}
	warm := &fwset.Warm{RNG: *rand.NewPCG(5, 6)}
	for i, g := range c.g {
		lowest := math.Inf(1)
		for _, v := range c.v {
			lowest = min(lowest, floats.Dot(g, v))
		}
		for _, tol := range []float64{0, 1e-2 * c.size, 1e-6 * c.size} {
			what := fmt.Sprintf("ArgminVertex, %s, tol = %.3g", c.name[i], tol)
			copied := &fwset.Warm{V: slices.Clone(warm.V), RNG: warm.RNG}
			v, v1, unwritten := c.normal(1), c.normal(1), kept(g)
			slack := fill(what, w, v, g, tol, warm)
			slack1 := fill(what, w, v1, g, tol, copied)
			value := floats.Dot(g, v)
			unwritten("%s: g was written to", what)
			want(slack >= 0, "%s: slack = %g, want a number ≥ 0", what, slack)
			want(same(v, v1) && slack == slack1, "%s: the same Warm gives other bits; "+
				"all state belongs in the Warm, so that a run can be resumed", what)
			want(value <= lowest+slack+1e-9*c.size,
				"%s: ⟨g, v⟩ = %.9g with slack %.3g, but %.9g is possible; the slack "+
					"must be an upper bound of the error, or duality gaps come out too small",
				what, value, slack, lowest)
			want(tol > 0 || math.Abs(c.value[i]-value) <= c.slack[i], "%s: ⟨g, v⟩ = %.9g with slack %.3g, "+
				"but Argmin(g) has %.9g; they may differ by the slack only", what, value, slack, c.value[i])
			c.inside(v, what, "")
		}
	}
}

func (c *domainCheck) local() {
	d, ok := c.d.(fwset.LocalLinear)
	if !ok {
		return
	}
	rho := d.Rho()
	want(rho >= 1 && !math.IsInf(rho, 1), "Rho() = %g, want a finite number of at least 1", rho)
	for i, g := range c.g {
		x := slices.Clone(c.c) // a random point of Ω: of two, of many or of few vertices
		for range 1 + c.rng.IntN(12) {
			fwopt.Lerp(x, c.rng.Float64(), c.v[c.rng.IntN(len(c.v))])
		}
		for _, r := range []float64{0, 1e-3 * c.size, 0.1 * c.size, c.size, 10 * c.size} {
			what := fmt.Sprintf("ArgminLocal, %s, x = %s, r = %.3g", c.name[i], show(x), r)
			p, unwritten := nans(c.n), kept(g, x)
			d.ArgminLocal(p, g, x, r)
			unwritten("%s: g or x was written to", what)
			whole(p, what, "ArgminLocal")
			c.inside(p, what, "")
			e := floats.Distance(p, x, 2)
			want(e <= rho*r+1e-9*c.size,
				"%s: %s is at distance %.6g, more than ρr = %.6g", what, show(p), e, rho*r)
			worst, to := 0.0, x
			for _, v := range append([][]float64{c.c}, c.v...) { // as far as one may go from x to v
				u := floats.SubTo(make([]float64, c.n), v, x)
				far := max(floats.Norm(u, 2), 1e-300)
				if e := floats.Dot(g, p) - floats.Dot(g, x) - min(1, r/far)*floats.Dot(g, u); e > worst {
					worst, to = e, v
				}
			}
			want(worst <= c.slack[i],
				"%s: %s is worse by %.3g than a point of Ω within r, on the way from x to %s",
				what, show(p), worst, show(to))
		}
	}
}

// points returns points in, on and far outside of Ω.
func (c *domainCheck) points() [][]float64 {
	x := [][]float64{c.c}
	for i := range 6 {
		v, w := c.v[i], c.v[len(c.v)-1-i]
		x = append(x, v)
		for _, s := range []float64{0.5, 1.001, 3} { // c + s(v − c)
			y := floats.SubTo(make([]float64, c.n), v, c.c)
			x = append(x, floats.AddScaledTo(y, c.c, s, y))
		}
		y := make([]float64, c.n) // inside
		for j := range y {
			y[j] = c.c[j]/2 + v[j]/4 + w[j]/4
		}
		x = append(x, y)
	}
	for i := range 12 {
		y := c.normal((c.size + 1e-3) * math.Pow(4, float64(i%4-2)))
		x = append(x, floats.AddTo(y, y, c.c))
	}
	return x
}

func (c *domainCheck) project() {
	d, ok := c.d.(fwset.Projector)
	if !ok {
		return
	}
	xs := c.points()
	var ps [][]float64
	w, isWarm := c.d.(fwset.WarmProjector)
	warm := new(fwset.Warm)
	for _, x := range xs {
		what := "Project, x = " + show(x)
		p, unwritten := nans(c.n), kept(x)
		d.Project(p, x)
		size := c.size + floats.Norm(x, 2)
		unwritten("Project wrote to x")
		whole(p, what, "Project")
		x1 := slices.Clone(x)
		d.Project(x1, x1)
		want(same(x1, p), "%s: with dst = x it gives %s, not %s; dst may be x", what, show(x1), show(p))
		if isWarm {
			w.ProjectWarm(x1, x, nil)
			want(same(x1, p), "%s: it is %s, that of ProjectWarm without a Warm is %s; want the same bits",
				what, show(p), show(x1))
			w.ProjectWarm(x1, x, warm)
			e := floats.Distance(x1, p, 2)
			want(e <= 1e-9*size,
				"ProjectWarm, x = %s: %s is off by %.3g from that of Project", show(x), show(x1), e)
		}
		c.inside(p, what, "")
		again := make([]float64, c.n)
		d.Project(again, p)
		e := floats.Distance(again, p, 2)
		want(e <= 1e-9*c.size, "%s: the projection %s moves by %.3g when it is projected again; "+
			"a point of Ω must stay", what, show(p), e)
		// ⟨x − p, v − p⟩ ≤ 0 for all v ∈ Ω: this is what makes p the nearest point
		r, worst := floats.SubTo(make([]float64, c.n), x, p), 0.0
		minus := floats.ScaleTo(make([]float64, c.n), -1, r)
		for _, v := range append([][]float64{c.argmin(minus)}, c.v...) {
			worst = max(worst, floats.Dot(r, v)-floats.Dot(r, p))
		}
		want(worst <= 1e-9*size*size+slack(c.d, minus),
			"%s: p = %s is not the nearest point: ⟨x−p, v−p⟩ = %.3g > 0 "+
				"for a v of Ω, so that a step from p to v comes nearer to x (‖x−p‖ = %.6g)",
			what, show(p), worst, floats.Norm(r, 2))
		if gauge, ok := c.d.(fwset.Gauged); ok {
			want(gauge.Gauge(x) > 1 || same(p, x),
				"%s: Gauge(x) = %.17g puts x in Ω, but Project changes it "+
					"by %.3g; want the same bits", what, gauge.Gauge(x), floats.Distance(x, p, 2))
		}
		ps = append(ps, p)
	}
	for i, x := range xs {
		for k, y := range xs[:i] {
			a, b := floats.Distance(ps[i], ps[k], 2), floats.Distance(x, y, 2)
			want(a <= b+1e-9*(c.size+b),
				"Project: two points at distance %.9g have projections at distance %.9g, "+
					"x = %s and y = %s; a projection onto a convex set never lengthens distances",
				b, a, show(x), show(y))
		}
	}
}

// slack returns the slack that the domain grants itself for g.
func slack(d fwopt.Domain, g []float64) float64 {
	if w, ok := d.(fwset.VertexDomain); ok {
		return w.ArgminVertex(new(fwset.Vertex), slices.Clone(g), 0, nil)
	}
	return 0
}

// fill computes dst = ArgminVertex(g), which must be a Vertex.
func fill(what string, d fwset.VertexDomain, dst, g []float64, tol float64, warm *fwset.Warm) float64 {
	v := fwset.Vertex{Value: nans(len(g))}
	slack := d.ArgminVertex(&v, g, tol, warm)
	defer func() {
		r := recover()
		want(r == nil, "%s: %v", what, r)
	}()
	v.Check(len(g))
	v.Dense(dst)
	return slack
}

func (c *domainCheck) diameter() {
	d, ok := c.d.(fwset.Bounded)
	if !ok {
		return
	}
	D := d.Diameter()
	want(D >= 0 && !math.IsInf(D, 1), "Diameter() = %g, want a finite number ≥ 0", D)
	found := 0.0
	for i, v := range c.v {
		for _, w := range c.v[:i] {
			found = max(found, floats.Distance(v, w, 2))
		}
		// walk to opposite points: neither step shortens the distance
		w := c.argmin(floats.ScaleTo(make([]float64, c.n), -1, c.g[i]))
		for range 5 {
			u := floats.SubTo(make([]float64, c.n), w, v)
			v = c.argmin(u)
			w = c.argmin(floats.SubTo(u, v, w))
			found = max(found, floats.Distance(v, w, 2))
		}
	}
	want(found <= D*(1+1e-6), "Diameter() = %.9g, but Argmin gives two points at distance %.9g; "+
		"the theorems' bounds fail with a D that is too small", D, found)
	want(found >= 0.9*D, "Diameter() = %.9g, but a search finds no two points of Ω further apart than %.9g; "+
		"a D that is too large makes the theorems' parameters slow", D, found)
}

func (c *domainCheck) gauge() {
	d, ok := c.d.(fwset.Gauged)
	if !ok {
		return
	}
	inside := func(x []float64, why string) {
		unwritten := kept(x)
		gauge := d.Gauge(x)
		unwritten("Gauge wrote to x")
		want(gauge >= 0 && gauge <= 1+1e-6, "Gauge(%s) = %.9g, want at most 1: %s", show(x), gauge, why)
	}
	inside(c.c, "Argmin(0) gave the point, so it is in Ω")
	for i, v := range c.v {
		inside(v, "Argmin gave the point, so it is in Ω")
		mid := floats.AddTo(make([]float64, c.n), v, c.v[0])
		floats.Scale(0.5, mid)
		inside(mid, "it is half-way between two points of Ω, which is convex")
		// beyond v, as seen from the centre, there is no point of Ω
		step := floats.SubTo(make([]float64, c.n), v, c.c)
		last := 1.0
		for _, s := range []float64{1, 2} {
			y := floats.AddScaledTo(make([]float64, c.n), v, s, step)
			if -floats.Dot(c.g[i], step)*s <= 10*c.slack[i] {
				break
			}
			x := d.Gauge(y)
			want(x > last, "Gauge(%s) = %.9g, want more than %.9g: the point is outside of Ω, "+
				"%.3g times as far out as Argmin(g)", show(y), x, last, 1+s)
			last = x
		}
	}
}

// width holds that no pyramidal width is above the diameter of a set of two vertices,
// which is that of any larger one.
func (c *domainCheck) width() {
	if w, ok := c.d.(fwset.Polytope); ok {
		δ := w.Width()
		want(δ >= 0 && δ <= c.size*(1+1e-9),
			"Width() = %g, want a number from 0 to the distance %g of two points", δ, c.size)
	}
}

func (c *domainCheck) shape() {
	if s, ok := c.d.(fwset.MatrixShaped); ok {
		h, m := s.Shape()
		want(h >= 1 && m >= 1 && h*m == c.n, "Shape() = %d, %d, and Dim() = %d; want h·m = Dim()", h, m, c.n)
	}
}

// identity changes each exported number of the set, by itself: what Identify leaves out
// fwkeep.Keep takes for the same set, and gives back the other one's run.
func (c *domainCheck) identity() {
	own := ident.New(c.d, 0)
	v := reflect.Indirect(reflect.ValueOf(c.d))
	if own.Why() != "" || v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		other := reflect.New(v.Type())
		other.Elem().Set(v)
		field := other.Elem().Field(i)
		if !field.CanSet() {
			continue
		}
		if field.Kind() == reflect.Slice && field.Len() > 0 {
			field.Set(reflect.AppendSlice(reflect.MakeSlice(field.Type(), 0, field.Len()), field))
			field = field.Index(field.Len() - 1)
		}
		was := fmt.Sprint(field)
		if change(field); fmt.Sprint(field) == was && field.CanFloat() {
			field.SetFloat(1) // half of 0 is 0
		}
		if fmt.Sprint(field) == was {
			continue // no number
		}
		if reflect.TypeOf(c.d).Kind() != reflect.Pointer {
			other = other.Elem()
		}
		want(ident.New(other.Interface(), 0).Hash() != own.Hash(), "Identify does not say the field %s: "+
			"with another value fwkeep.Keep would find the runs of this one", v.Type().Field(i).Name)
	}
}
