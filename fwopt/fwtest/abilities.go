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

func (c *domainCheck) vertex() string {
	w, ok := c.d.(fwset.VertexDomain)
	if !ok {
		return ""
	}
	warm := &fwset.Warm{RNG: *rand.NewPCG(5, 6)}
	for i, g := range c.g {
		lowest := math.Inf(1)
		for _, v := range c.v {
			lowest = min(lowest, floats.Dot(g, v))
		}
		for _, tol := range []float64{0, 1e-2 * c.size, 1e-6 * c.size} {
			copied := &fwset.Warm{V: slices.Clone(warm.V), RNG: warm.RNG}
			v, v1, g1 := c.normal(1), c.normal(1), slices.Clone(g)
			slack, fault := fill(w, v, g, tol, warm)
			slack1, _ := fill(w, v1, g, tol, copied)
			value := floats.Dot(g, v)
			what := fmt.Sprintf("ArgminVertex, %s, tol = %.3g", c.name[i], tol)
			switch {
			case fault != "":
				return fmt.Sprintf("%s: %s", what, fault)
			case !same(g, g1):
				return fmt.Sprintf("%s: g was written to", what)
			case !(slack >= 0):
				return fmt.Sprintf("%s: slack = %g, want a number ≥ 0", what, slack)
			case !same(v, v1) || slack != slack1:
				return fmt.Sprintf("%s: the same Warm gives other bits; all state belongs in the Warm, so that a run can be resumed", what)
			case !(value <= lowest+slack+1e-9*c.size):
				return fmt.Sprintf("%s: ⟨g, v⟩ = %.9g with slack %.3g, but %.9g is possible; the slack must be an upper bound "+
					"of the error, or duality gaps come out too small", what, value, slack, lowest)
			}
			if own := c.value[i]; tol == 0 && math.Abs(own-value) > c.slack[i] {
				return fmt.Sprintf("%s: ⟨g, v⟩ = %.9g with slack %.3g, but Argmin(g) has %.9g; they may differ by the slack only",
					what, value, slack, own)
			}
			if k, far := c.outside(v); k >= 0 {
				return fmt.Sprintf("%s: %s is not in Ω, by %.3g in some direction", what, show(v), far)
			}
		}
	}
	return ""
}

func (c *domainCheck) local() string {
	d, ok := c.d.(fwset.LocalLinear)
	if !ok {
		return ""
	}
	rho := d.Rho()
	if !(rho >= 1) || math.IsInf(rho, 1) {
		return fmt.Sprintf("Rho() = %g, want a finite number of at least 1", rho)
	}
	for i, g := range c.g {
		x := slices.Clone(c.c) // a random point of Ω: of two, of many or of few vertices
		for range 1 + c.rng.IntN(12) {
			fwopt.Lerp(x, c.rng.Float64(), c.v[c.rng.IntN(len(c.v))])
		}
		for _, r := range []float64{0, 1e-3 * c.size, 0.1 * c.size, c.size, 10 * c.size} {
			what := fmt.Sprintf("ArgminLocal, %s, x = %s, r = %.3g", c.name[i], show(x), r)
			p, g1, x1 := slices.Repeat([]float64{math.NaN()}, c.n), slices.Clone(g), slices.Clone(x)
			d.ArgminLocal(p, g, x, r)
			if !same(g, g1) || !same(x, x1) {
				return fmt.Sprintf("%s: g or x was written to", what)
			}
			if j := bad(p); j >= 0 {
				return fmt.Sprintf("%s: coordinate %d is %g; dst was full of NaN, which ArgminLocal must overwrite", what, j, p[j])
			}
			if k, far := c.outside(p); k >= 0 {
				return fmt.Sprintf("%s: %s is not in Ω, by %.3g in some direction", what, show(p), far)
			}
			if e := floats.Distance(p, x, 2); !(e <= rho*r+1e-9*c.size) {
				return fmt.Sprintf("%s: %s is at distance %.6g, more than ρr = %.6g", what, show(p), e, rho*r)
			}
			for _, v := range append([][]float64{c.c}, c.v...) { // as far as one may go from x to v
				u := floats.SubTo(make([]float64, c.n), v, x)
				far := max(floats.Norm(u, 2), 1e-300)
				if e := floats.Dot(g, p) - floats.Dot(g, x) - min(1, r/far)*floats.Dot(g, u); !(e <= c.slack[i]) {
					return fmt.Sprintf("%s: %s is worse by %.3g than a point of Ω within r, on the way from x to %s", what, show(p), e, show(v))
				}
			}
		}
	}
	return ""
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

func (c *domainCheck) project() string {
	d, ok := c.d.(fwset.Projector)
	if !ok {
		return ""
	}
	xs := c.points()
	var ps [][]float64
	w, isWarm := c.d.(fwset.WarmProjector)
	warm := new(fwset.Warm)
	for _, x := range xs {
		x1 := slices.Clone(x)
		p := slices.Repeat([]float64{math.NaN()}, c.n)
		d.Project(p, x)
		size := c.size + floats.Norm(x, 2)
		if !same(x, x1) {
			return "Project wrote to x"
		}
		if j := bad(p); j >= 0 {
			return fmt.Sprintf("Project, x = %s: coordinate %d is %g; dst was full of NaN, which Project must overwrite", show(x), j, p[j])
		}
		d.Project(x1, x1)
		if !same(x1, p) {
			return fmt.Sprintf("Project, x = %s: with dst = x it gives %s, not %s; dst may be x", show(x), show(x1), show(p))
		}
		if isWarm {
			if w.ProjectWarm(x1, x, nil); !same(x1, p) {
				return fmt.Sprintf("Project, x = %s: it is %s, that of ProjectWarm without a Warm is %s; want the same bits", show(x), show(p), show(x1))
			}
			w.ProjectWarm(x1, x, warm)
			if e := floats.Distance(x1, p, 2); !(e <= 1e-9*size) {
				return fmt.Sprintf("ProjectWarm, x = %s: %s is off by %.3g from that of Project", show(x), show(x1), e)
			}
		}
		if i, far := c.outside(p); i >= 0 {
			return fmt.Sprintf("Project, x = %s: the point %s is not in Ω, by %.3g in some direction", show(x), show(p), far)
		}
		again := make([]float64, c.n)
		d.Project(again, p)
		if e := floats.Distance(again, p, 2); !(e <= 1e-9*c.size) {
			return fmt.Sprintf("Project, x = %s: the projection %s moves by %.3g when it is projected again; a point of Ω must stay",
				show(x), show(p), e)
		}
		// ⟨x − p, v − p⟩ ≤ 0 for all v ∈ Ω: this is what makes p the nearest point
		r := floats.SubTo(make([]float64, c.n), x, p)
		worst, at := 0.0, -1
		minus := floats.ScaleTo(make([]float64, c.n), -1, r)
		for k, v := range append([][]float64{c.argmin(minus)}, c.v...) {
			if e := floats.Dot(r, v) - floats.Dot(r, p); e > worst {
				worst, at = e, k
			}
		}
		if at >= 0 && worst > 1e-9*size*size+slack(c.d, minus) {
			return fmt.Sprintf("Project, x = %s: p = %s is not the nearest point: ⟨x−p, v−p⟩ = %.3g > 0 for a v of Ω, so that a step from p "+
				"to v comes nearer to x (‖x−p‖ = %.6g)", show(x), show(p), worst, floats.Norm(r, 2))
		}
		ps = append(ps, p)
	}
	for i, x := range xs {
		for k, y := range xs[:i] {
			a, b := floats.Distance(ps[i], ps[k], 2), floats.Distance(x, y, 2)
			if a > b+1e-9*(c.size+b) {
				return fmt.Sprintf("Project: two points at distance %.9g have projections at distance %.9g, x = %s and y = %s; "+
					"a projection onto a convex set never lengthens distances", b, a, show(x), show(y))
			}
		}
	}
	gauge, ok := c.d.(fwset.Gauged)
	if !ok {
		return ""
	}
	for i, x := range xs {
		if gauge.Gauge(x) <= 1 && !same(ps[i], x) {
			return fmt.Sprintf("Project, x = %s: Gauge(x) = %.17g says that x is in Ω, but Project changes it by %.3g; want the same bits",
				show(x), gauge.Gauge(x), floats.Distance(x, ps[i], 2))
		}
	}
	return ""
}

// slack returns the slack that the domain grants itself for g.
func slack(d fwopt.Domain, g []float64) float64 {
	if w, ok := d.(fwset.VertexDomain); ok {
		return w.ArgminVertex(new(fwset.Vertex), slices.Clone(g), 0, nil)
	}
	return 0
}

// fill computes dst = ArgminVertex(g), or says why that is no Vertex.
func fill(d fwset.VertexDomain, dst, g []float64, tol float64, warm *fwset.Warm) (slack float64, fault string) {
	v := fwset.Vertex{Value: slices.Repeat([]float64{math.NaN()}, len(g))}
	slack = d.ArgminVertex(&v, g, tol, warm)
	defer func() {
		if r := recover(); r != nil {
			fault = fmt.Sprint(r)
		}
	}()
	v.Check(len(g))
	v.Dense(dst)
	return slack, ""
}

func (c *domainCheck) diameter() string {
	d, ok := c.d.(fwset.Bounded)
	if !ok {
		return ""
	}
	D := d.Diameter()
	if !(D >= 0) || math.IsInf(D, 1) {
		return fmt.Sprintf("Diameter() = %g, want a finite number ≥ 0", D)
	}
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
	switch {
	case found > D*(1+1e-6):
		return fmt.Sprintf("Diameter() = %.9g, but Argmin gives two points at distance %.9g; the theorems' bounds fail with a D that is too small",
			D, found)
	case found < 0.9*D:
		return fmt.Sprintf("Diameter() = %.9g, but a search finds no two points of Ω further apart than %.9g; a D that is too large makes the "+
			"theorems' schedules slow", D, found)
	}
	return ""
}

func (c *domainCheck) gauge() string {
	d, ok := c.d.(fwset.Gauged)
	if !ok {
		return ""
	}
	const in = 1 + 1e-6
	if x := d.Gauge(c.c); !(x >= 0 && x <= in) {
		return fmt.Sprintf("Gauge(Argmin(0)) = %.9g, want at most 1: it is a point of Ω", x)
	}
	for i, v := range c.v {
		v1 := slices.Clone(v)
		x := d.Gauge(v)
		if !same(v, v1) {
			return "Gauge wrote to x"
		}
		if !(x >= 0 && x <= in) {
			return fmt.Sprintf("Gauge(%s) = %.9g, want at most 1: Argmin gave the point, so it is in Ω", show(v), x)
		}
		mid := floats.AddTo(make([]float64, c.n), v, c.v[0])
		floats.Scale(0.5, mid)
		if x := d.Gauge(mid); !(x >= 0 && x <= in) {
			return fmt.Sprintf("Gauge = %.9g half-way between two points of Ω, want at most 1: Ω is convex", x)
		}
		// beyond v, as seen from the centre, there is no point of Ω
		step := floats.SubTo(make([]float64, c.n), v, c.c)
		slack := c.slack[i]
		last := 1.0
		for _, s := range []float64{1, 2} {
			y := floats.AddScaledTo(make([]float64, c.n), v, s, step)
			if -floats.Dot(c.g[i], step)*s <= 10*slack {
				break
			}
			x := d.Gauge(y)
			if !(x > last) {
				return fmt.Sprintf("Gauge(%s) = %.9g, want more than %.9g: the point is outside of Ω, %.3g times as far out as Argmin(g)",
					show(y), x, last, 1+s)
			}
			last = x
		}
	}
	return ""
}

// width holds that no pyramidal width is above the diameter of a set of two vertices,
// which is that of any larger one.
func (c *domainCheck) width() string {
	w, ok := c.d.(fwset.Polytope)
	if !ok {
		return ""
	}
	if δ := w.Width(); !(δ >= 0 && δ <= c.size*(1+1e-9)) {
		return fmt.Sprintf("Width() = %g, want a number from 0 to the distance %g of two points", δ, c.size)
	}
	return ""
}

func (c *domainCheck) shape() string {
	s, ok := c.d.(fwset.MatrixShaped)
	if !ok {
		return ""
	}
	if h, m := s.Shape(); h < 1 || m < 1 || h*m != c.n {
		return fmt.Sprintf("Shape() = %d, %d, and Dim() = %d; want h·m = Dim()", h, m, c.n)
	}
	return ""
}

// identity changes each exported number of the set, by itself: what Identify leaves out
// fwkeep.Keep takes for the same set, and gives back the other one's run.
func (c *domainCheck) identity() string {
	own := ident.New(c.d, 0)
	if own.Why() != "" {
		return ""
	}
	v := reflect.ValueOf(c.d)
	pointer := v.Kind() == reflect.Pointer
	if pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return ""
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
		if change(field); fmt.Sprint(field) == was {
			if field.CanFloat() {
				field.SetFloat(1)
			}
			if fmt.Sprint(field) == was {
				continue // no number
			}
		}
		part := other.Interface()
		if !pointer {
			part = other.Elem().Interface()
		}
		if ident.New(part, 0).Hash() == own.Hash() {
			return fmt.Sprintf("Identify does not say the field %s: with another value fwkeep.Keep would find the runs of this one", v.Type().Field(i).Name)
		}
	}
	return ""
}
