package fwmin_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/projection-free/fwlab/fwopt/fwmin"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwtest"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"github.com/projection-free/fwlab/fwopt/internal/small"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func distance(c []float64) (func(x []float64) float64, func(g, x []float64)) {
	return func(x []float64) float64 { return math.Pow(floats.Distance(x, c, 2), 2) / 2 },
		func(g, x []float64) { floats.SubTo(g, x, c) }
}

// The nearest point of a set is its projection, of all sets and from any start; a start inside may be what f needs.
func TestSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 9))
	for _, omega := range []interface {
		fwset.Domain
		fwset.Projector
	}{
		fwset.Box{Lo: all(9, -1), Hi: all(9, 0.5)}, fwset.Simplex{D: 40, R: 2}, fwset.L1Ball{D: 30, R: 3},
		fwset.L2Ball{D: 8, R: 1}, fwset.Product{fwset.Simplex{D: 5, R: 1}, fwset.L1Ball{D: 4, R: 0.1}},
		fwset.Simplex{D: 600, R: 5}, // with no matrix of second derivatives
	} {
		for k := range 10 {
			d := omega.Dim()
			c, want, start := make([]float64, d), make([]float64, d), []float64(nil)
			for j := range c {
				c[j] = rng.NormFloat64() / float64(1+k)
			}
			omega.Project(want, c)
			if k%2 > 0 {
				start = make([]float64, d)
				omega.Project(start, want[:d])
				omega.Argmin(start, make([]float64, d))
			}
			f, grad := distance(c)
			r, err := fwmin.Minimize(f, grad, omega, &fwmin.Settings{InitX: start, Gap: 1e-8})
			if far := floats.Distance(r.X, want, 2); err != nil || r.Status != fwmin.Success ||
				far > math.Sqrt(2e-8) ||
				r.F-r.Gap > f(want)+1e-14 || r.Gap > 1e-8 {
				t.Errorf("%T %d: %v after %d, %v, gap %g, %g off", omega, k, r.Status, r.MajorIterations,
					err, r.Gap, far)
			}
		}
	}
	entropy := func(x []float64) (sum float64) {
		for j, v := range x {
			sum += v * (math.Log(v) + float64(j))
		}
		return sum
	}
	grad := func(g, x []float64) {
		for j, v := range x {
			g[j] = 1 + math.Log(v) + float64(j)
		}
	}
	r, err := fwmin.Minimize(entropy, grad, fwset.Simplex{D: 4, R: 1}, &fwmin.Settings{InitX: all(4, 0.25)})
	want := -math.Log((1 - math.Exp(-4)) / (1 - math.Exp(-1))) // −log Σ e^−j
	if err != nil || math.Abs(r.F-want) > 1e-9 || r.F-r.Gap > want {
		t.Errorf("the entropy: %v, f = %.12g, want %.12g, gap %g", err, r.F, want, r.Gap)
	}
	if _, err := fwmin.Minimize(entropy, grad, fwset.Simplex{D: 4, R: 1}, nil); err == nil ||
		!strings.Contains(err.Error(), "begin at an InitX inside") {
		t.Errorf("the entropy from a vertex: %v", err)
	}
}

// polytopes are small ones, with ties and rows that depend on each other, and some that are empty.
func polytopes(k int) (p problem, n int) {
	r := draw(1000 + k)
	n = r.int(1, 3)
	p = problem{a: r.ints(r.int(0, 5), n, -2, 2), c: r.ints(r.int(0, 1), n, -2, 2), lo: all(n, -2),
		hi: all(n, 3)}
	for range p.a {
		p.b = append(p.b, float64(r.int(-1, 3)))
	}
	for range p.c {
		p.d = append(p.d, float64(r.int(-1, 1)))
	}
	if len(p.c) > 0 && k%3 == 0 {
		p.c, p.d = append(p.c, p.c[0]), append(p.d, p.d[0])
	}
	return p, n
}

// vertices are all points of the set where n constraints meet: the naive twin.
func (p problem) vertices(n int) (vs [][]float64) {
	var rows [][]float64
	var rhs []float64
	add := func(r []float64, v float64) { rows, rhs = append(rows, r), append(rhs, v) }
	for i, r := range p.c {
		add(r, p.d[i])
		add(floats.ScaleTo(make([]float64, n), -1, r), -p.d[i])
	}
	for i, r := range p.a {
		add(r, p.b[i])
	}
	for j := range n {
		e := make([]float64, n)
		e[j] = 1
		add(e, p.hi[j])
		add(floats.ScaleTo(make([]float64, n), -1, e), -p.lo[j])
	}
	for set := range 1 << len(rows) {
		var at []float64
		b := mat.NewVecDense(n, nil)
		for i, r := range rows {
			if set>>i&1 > 0 && len(at) < n*n {
				b.SetVec(len(at)/n, rhs[i])
				at = append(at, r...)
			} else if set>>i&1 > 0 {
				at = nil
				break
			}
		}
		var x mat.VecDense
		if len(at) != n*n || x.SolveVec(mat.NewDense(n, n, at), b) != nil {
			continue
		}
		v := x.RawVector().Data
		if !slices.ContainsFunc(rows, func(r []float64) bool {
			return floats.Dot(r, v) > rhs[slices.IndexFunc(rows,
				func(s []float64) bool { return &s[0] == &r[0] })]+1e-9
		}) {
			vs = append(vs, v)
		}
	}
	return vs
}

func TestPolytopeAgainstNaive(t *testing.T) {
	empty := 0
	for k := range 400 {
		p, n := polytopes(k)
		omega, err := p.polytope()
		vs := p.vertices(n)
		if (err == nil) != (len(vs) > 0) {
			t.Errorf("%d: %d vertices, %v", k, len(vs), err)
		}
		if err != nil {
			if empty++; !strings.Contains(err.Error(), "the set is empty: ") {
				t.Errorf("%d: %v", k, err)
			}
			continue
		}
		if k < 20 {
			fwtest.TestDomain(t, omega)
		}
		r := draw(k)
		for _, g := range r.ints(20, n, -2, 2) {
			least := math.Inf(1)
			for _, v := range vs {
				least = min(least, floats.Dot(g, v))
			}
			var v fwset.Vertex
			slack := omega.ArgminVertex(&v, g, 0, nil)
			x := make([]float64, n)
			v.Dense(x)
			if got := floats.Dot(g, x); !(math.Abs(got-least) <= 1e-9) || got-slack > least+1e-12 ||
				slack > 1e-9 ||
				omega.Gauge(x) > 1+1e-9 {
				t.Errorf("%d: ⟨g, v⟩ = %g with a slack of %g and the gauge %g, want %g", k, got, slack,
					omega.Gauge(x), least)
			}
		}
	}
	if empty < 40 || empty > 300 {
		t.Errorf("%d sets of 400 are empty", empty)
	}
}

// Without bounds a set has those of its own; or none, which is an error.
func TestExtent(t *testing.T) {
	triangle := matrix([][]float64{{-1, 0}, {0, -1}, {1, 1}})
	omega, err := fwmin.NewPolytope(triangle, []float64{1, 2, 3}, nil, nil, nil,
		nil) // x ≥ −1, y ≥ −2, x + y ≤ 3
	if err != nil {
		t.Fatal(err)
	}
	fwtest.TestDomain(t, omega)
	f, grad := distance([]float64{7, 3})
	r, err := fwmin.Minimize(f, grad, omega, nil) // the nearest point is (3.5, −0.5)
	if want := []float64{3.5, -0.5}; err != nil || floats.Distance(r.X, want, 2) > 1e-4 ||
		r.F-r.Gap > f(want) {
		t.Errorf("%v, %v", r, err)
	}
	for want, c := range map[string]func() (*fwmin.Polytope, error){
		"the set is unbounded: coordinate 0 reaches 3e+09; give NewPolytope a finite hi[0], so far off that the " +
			"minimiser is within": func() (*fwmin.Polytope, error) {
			return fwmin.NewPolytope(matrix([][]float64{{-1, 0}, {0, -1}, {0, 1}}), []float64{1, 2, 3}, nil,
				nil, nil, nil)
		},
		"the set is empty: row 0 of A, row 1 of A contradict each other, by 0.5; loosen one of them": func() (
			*fwmin.Polytope, error) {
			return fwmin.NewPolytope(matrix([][]float64{{1, 1}, {-1, -1}, {1, 0}}), []float64{1, -2, 9},
				nil, nil, all(2, -5),
				all(2, 5))
		},
		"the set is empty: hi[1], row 0 of C contradict each other, by 1; loosen one of them": func() (*fwmin.Polytope, error) {
			return fwmin.NewPolytope(nil, nil, matrix([][]float64{{0, 1}}), []float64{2}, all(2, 0), all(2,
				1))
		},
		"the set is empty: row 0 of A cannot hold, by 1, where lo and hi do; loosen it": func() (*fwmin.Polytope, error) {
			return fwmin.NewPolytope(matrix([][]float64{{0, 0}}), []float64{-1}, nil, nil, all(2, 0), all(2,
				1))
		},
		"the set is empty: coordinate 1 has lo = 2 and hi = 1": func() (*fwmin.Polytope, error) {
			return fwmin.NewPolytope(nil, nil, nil, nil, []float64{0, 2}, all(2, 1))
		},
	} {
		if _, err := c(); err == nil || err.Error() != "fwmin: "+want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// fails is a set whose linear optimisation fails, as a linear programme may.
type fails struct{ fwset.Simplex }

func (fails) ArgminVertex(*fwset.Vertex, []float64, float64, *fwset.Warm) float64 {
	panic(need.Line("fwmin: lp.Simplex fails"))
}

func TestMistakes(t *testing.T) {
	box := fwset.Box{Lo: all(2, -1), Hi: all(2, 2)}
	f, grad := distance([]float64{0.3, 0.1})
	for _, c := range []struct {
		want  string
		f     func(x []float64) float64
		grad  func(g, x []float64)
		omega fwset.Domain
		s     *fwmin.Settings
	}{
		{"the slope of f falls", func(x []float64) float64 { return -x[0] * x[0] },
			func(g, x []float64) { g[0], g[1] = -2*x[0], 0 }, box, &fwmin.Settings{InitX: []float64{0.1, 0}}},
		{"f is not convex, or grad not its gradient", func(x []float64) float64 { return -f(x) }, grad, box,
			nil},
		{"f is NaN at", func(x []float64) float64 { return math.NaN() }, grad, box, nil},
		{"and its gradient [NaN", f, func(g, x []float64) { g[0], g[1] = math.NaN(), 0 }, box, nil},
		{"lp.Simplex fails", f, grad, fails{fwset.Simplex{D: 2, R: 1}}, nil},
		{"enough", f, grad, box,
			&fwmin.Settings{Record: func(*fwmin.Result) error { return errors.New("enough") }}},
	} {
		r, err := fwmin.Minimize(c.f, c.grad, c.omega, c.s)
		if err == nil || !strings.Contains(err.Error(), c.want) || r.Status != fwmin.Failure {
			t.Errorf("%v, %v, want %q", r.Status, err, c.want)
		}
	}
	for want, call := range map[string]func(){
		"Minimize needs f, its gradient and a set, and one is nil": func() {
			fwmin.Minimize(nil, grad, box,
				nil)
		},
		"a vector of length 3, not 2": func() {
			fwmin.Minimize(f, grad, box, &fwmin.Settings{InitX: make([]float64, 3)})
		},
		"InitX is outside of the set, by a gauge of 5.67; give nil, or a point of the set": func() {
			fwmin.Minimize(f, grad, box, &fwmin.Settings{InitX: []float64{9, 0}})
		},
		"Settings with a Gap of -1, 0 MajorIterations and a Runtime of 0s, want 0 or more": func() {
			fwmin.Minimize(f, grad, box, &fwmin.Settings{Gap: -1})
		},
		"a Polytope of no constraints": func() { fwmin.NewPolytope(nil, nil, nil, nil, nil, nil) },
		"A is 1 x 2, with 2 right-hand sides and 2 coordinates": func() {
			fwmin.NewPolytope(matrix([][]float64{{1, 2}}), all(2, 1), nil, nil, nil, nil)
		},
		"3 right-hand sides without a matrix C": func() {
			fwmin.NewPolytope(nil, nil, nil, all(3, 1), all(3,
				1), nil)
		},
		"NaN in row 0 of C, at place 1": func() {
			fwmin.NewPolytope(nil, nil, matrix([][]float64{{1, math.NaN()}}), all(1, 1), nil, nil)
		},
		"hi[0] = -Inf": func() { fwmin.NewPolytope(nil, nil, nil, nil, nil, all(1, math.Inf(-1))) },
	} {
		if got := small.Panics(call); got != "fwmin: "+want {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
}

// Limits end a run with a gap that holds, and Record sees it fall; the same again has the same bits.
func TestLimits(t *testing.T) {
	p := programme(7)
	omega, err := p.polytope()
	if err != nil {
		t.Fatal(err)
	}
	best, err := fwmin.Minimize(p.f, p.grad, omega, &fwmin.Settings{Gap: 1e-12})
	again, _ := fwmin.Minimize(p.f, p.grad, omega, &fwmin.Settings{Gap: 1e-12})
	best.Runtime, again.Runtime = 0, 0
	if fmt.Sprint(best) != fmt.Sprint(again) || err != nil || best.Status != fwmin.Success &&
		best.Status != fwmin.Rounding {
		t.Errorf("%+v, then %+v, %v", best, again, err)
	}
	last := math.Inf(1)
	for n := 1; n < best.MajorIterations; n++ {
		seen := 0
		r, err := fwmin.Minimize(p.f, p.grad, omega, &fwmin.Settings{MajorIterations: n, Gap: 1e-12,
			Record: func(*fwmin.Result) error { seen++; return nil }})
		if err != nil || r.Status != fwmin.IterationLimit || seen != n || r.MajorIterations != n ||
			r.FuncEvaluations != n ||
			r.F-best.F > r.Gap || r.Gap > last {
			t.Errorf("%d iterations: %v, %v, %d records, %g above the least, gap %g", n, r.Status, err,
				seen, r.F-best.F, r.Gap)
		}
		last = r.Gap
	}
	r, err := fwmin.Minimize(p.f, p.grad, omega, &fwmin.Settings{Runtime: time.Nanosecond})
	if err != nil || r.Status != fwmin.RuntimeLimit || r.F-best.F > r.Gap {
		t.Errorf("%v, %v", r.Status, err)
	}
}
