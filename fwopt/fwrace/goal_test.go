package fwrace

import (
	"context"
	"fmt"
	"iter"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/fwinst"
	"github.com/projection-free/fwlab/fwopt/fwset"
	"github.com/projection-free/fwlab/fwopt/fwsum"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// aHalf is f = ½ w² on [−1, 1] as a sum of four equal terms, from w_0 = 1, and a method that
// halves f − f* in each step, by an exact gradient, two samples and a linear optimisation.
func aHalf() *Goal {
	f := fwsum.NewQuadratic(1, []float64{1, 1, 1, 1}, make([]float64, 4))
	return &Goal{Name: "halving", F: f, Omega: fwset.Box{Lo: []float64{-1}, Hi: []float64{1}},
		W0: []float64{1}, Shares: []float64{0.3, 0.2, 1. / 64}}
}

func halves(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
	w, g, v := slices.Clone(w0), []float64{0}, fwopt.Vertex{}
	return func(yield func(fwopt.Step) bool) {
		for k := 1; ; k++ {
			o.Grad(g, w)
			o.StochasticGrad(g, w, 2)
			o.Argmin(&v, g)
			w[0] /= math.Sqrt2
			if !yield(fwopt.Step{T: 1, K: k, X: w}) {
				return
			}
		}
	}
}

// Steps 2, 3 and 6 are the first at the shares, each of 4 + 2 terms.
func TestGoalRun(t *testing.T) {
	for _, how := range []string{"by f*", "by Excess", "f* is not 0"} {
		g := aHalf()
		switch how {
		case "by Excess":
			g.Excess = func(w []float64) float64 { return w[0] * w[0] }
		case "f* is not 0":
			g.F = fwsum.NewQuadratic(1, []float64{1, 1, 1, 1}, []float64{-1, 1, -1, 1})
			g.Star = 0.5
		}
		at := g.Run(fwopt.MethodFunc(halves), 1, Never)
		for i, steps := range []float64{2, 3, 6} {
			if got := at[i]; got.Terms != 6*steps || got.Linear != steps || !(got.Seconds > 0) {
				t.Errorf("%s: share %d after %+v, want %g steps", how, i, got, steps)
			}
		}
		at = g.Run(fwopt.MethodFunc(halves), 1, Spent{Terms: 20, Linear: math.Inf(1)}) // 24 are more
		if at[1].Terms != 18 || at[2] != Never {
			t.Errorf("%s: up to 20 terms: %+v", how, at)
		}
		at = g.Run(fwopt.MethodFunc(halves), 1, Spent{Terms: math.Inf(1), Linear: 2})
		if at[0].Linear != 2 || at[2] != Never {
			t.Errorf("%s: up to 2 linear optimisations: %+v", how, at)
		}
	}
	g := aHalf() // a trace has all that was recorded up to the share
	tr := g.Trace(fwopt.MethodFunc(halves), 1, 1./1024, Never)
	q := tr.Points
	if tr.Data != "halving" || len(q) != 10 || q[9].Step != 10 ||
		math.Abs(g.Gap(q[9])-g.First()/1024) > 1e-15 ||
		g.Gap(fwopt.Point{F: math.NaN()}) == 0 {
		t.Errorf("%d points, the last %+v", len(q), q[len(q)-1])
	}
}

// A method that is slower by the grid's value has the first as its best; one that never gets
// there has none.
func TestGoalBest(t *testing.T) {
	g := aHalf()
	slow := func(by float64) fwopt.Method {
		return fwopt.MethodFunc(func(o *fwopt.Oracle, w0 []float64) iter.Seq[fwopt.Step] {
			return func(yield func(fwopt.Step) bool) {
				for s := range halves(o, w0) {
					var v fwopt.Vertex
					for range int(by) {
						o.Argmin(&v, []float64{1})
					}
					o.StochasticGrad([]float64{0}, s.X, 8-int(by))
					if !yield(s) {
						return
					}
				}
			}
		})
	}
	for linear, want := range map[float64]Spent{0: {Terms: 6 * (6 + 1), Linear: 6 * 8},
		10: {Terms: 6 * (6 + 7), Linear: 6 * 2}} {
		g.Linear = linear
		at := g.Best([]float64{1, 3, 7}, slow, Never)
		if got := at[0][2]; got.Terms != want.Terms || got.Linear != want.Linear || len(at) != 1 {
			t.Errorf("a linear optimisation as %g terms: %+v, want %+v", linear, got, want)
		}
	}
	if at := g.Best([]float64{1, 3}, slow, Spent{Terms: 1}); at[0][0] != Never {
		t.Errorf("out of reach: %+v", at)
	}
}

func TestReached(t *testing.T) {
	r := Reached{
		{{100, 7, 1}, {3e6, 20, 1}, {1, 1, 1}, Never},
		{{100, 7, 2}, {1500, 40, 2}, Never, Never},
		{{100, 7, 1}, {2500, 30, 3}, {2000, 2, 1}, {1, 1, 1}},
	}
	want := []string{"SVRF", "0.1 / 7", "2.5 (1.5 to 3000) / 30 (20 to 40)",
		"2 (0.001 to +Inf) / 2 (1 to +Inf)", "–"}
	if got := r.Row("SVRF"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for i := range r {
		r[i] = r[i][:2]
	}
	if got := r.Times(4, 2); got != (Spent{Terms: 10000, Linear: 60}) {
		t.Errorf("limit %+v", got)
	}
	g := Goal{Name: "digits", Shares: []float64{0.1, 0.025, 1e-10}}
	if got := g.Head(); !slices.Equal(got, []string{"digits", "1e−1", "2.5e−2", "1e-10"}) {
		t.Errorf("heading %q", got)
	}
}

// A sum of a reader's own need not have a line search.
func TestFreePlainSum(t *testing.T) {
	f, omega := small.Problem()
	g := &Goal{Name: "p", F: struct{ fwopt.FiniteSum }{f}, Omega: omega,
		W0: append([]float64{1}, make([]float64, 7)...), Star: -1, Shares: []float64{0.9}, Linear: 1}
	most := Spent{Terms: 1e4, Linear: 10, Seconds: math.Inf(1)}
	rows := g.Free(Reached{{most}}, 1, 1)
	if name := rows[len(rows)-1][0]; name != "FW, backtracking" {
		t.Errorf("the last row is of %q", name)
	}
}

func TestGoalMistakes(t *testing.T) {
	f, omega := small.Problem()
	m := func() fwopt.Method { return &fwopt.FW{} }
	goal := &Goal{Name: "p", F: f, Omega: omega, W0: append([]float64{1}, make([]float64, 7)...), Star: -1,
		Shares: []float64{0.9, 0.8}, Linear: 1}
	most := Spent{Terms: 1e4, Linear: 10, Seconds: math.Inf(1)}
	reached := Reached{{most}, {most}}
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(f, omega, 1), m(),
		fwopt.Budget{Steps: 3, DualityGap: true})
	for name, c := range map[string][]any{
		"Goal.Best": {(*Goal).Best, goal, []float64{1, 2}, func(c float64) fwopt.Method { return m() },
			most},
		"Goal.First":    {(*Goal).First, goal},
		"Goal.Gap":      {(*Goal).Gap, goal, tr.Last()},
		"Goal.Head":     {(*Goal).Head, goal},
		"Goal.Run":      {(*Goal).Run, goal, m(), 1, most},
		"Goal.Seeds":    {(*Goal).Seeds, goal, 2, m, most},
		"Goal.Spend":    {(*Goal).Spend, goal, tr.Last()},
		"Goal.Trace":    {(*Goal).Trace, goal, m(), 1, 0.5, most},
		"Reached.Row":   {Reached.Row, reached, "SVRF"},
		"Reached.Times": {Reached.Times, reached, 2.0, 2.0},
	} {
		for _, bad := range small.Mistakes(c[0], c[1:]...) {
			t.Errorf("%s: %s", name, bad)
		}
	}
}

// The rows of notebooks/untuned-data on a small problem: all get there, those by exact gradients too, and the
// best constant of an opponent is no dearer than one of the grid.
func TestUntuned(t *testing.T) {
	g := Closed(fwinst.Product(fwinst.NoisyBox(5, 16, 1), fwinst.MSC(3, 1)))
	at := g.Seeds(2, Untuned, Never)
	rows := g.Free(at, 1, 50)
	one, all := g.Tuned(at, []float64{0.1}, 50, Opponents()...), g.Tuned(at, []float64{0.01, 0.1}, 50,
		Opponents()...)
	for i, row := range append(rows[1:], all...) {
		if len(row) != len(rows[0]) || row[1] == "–" {
			t.Errorf("row %d: %q", i, row)
		}
	}
	for i, row := range one {
		var a, b, c, d float64
		fmt.Sscanf(row[1], "%g / %g", &a, &b)
		if fmt.Sscanf(all[i][1], "%g / %g", &c, &d); c+d*g.Linear/1e3 > 1.001*(a+b*g.Linear/1e3) {
			t.Errorf("%q is better than %q", row, all[i])
		}
	}
	if msg := small.Panics(func() { g.Tuned(at, []float64{1}, 1, "SVRF") }); !strings.Contains(msg,
		`fwrace: no rival "SVRF"`) {
		t.Errorf("%q", msg)
	}
	if Omniglot(1) != nil && os.Getenv("FWLAB_DATA") == "" {
		t.Error("omniglot from nowhere")
	}
	t.Chdir(t.TempDir()) // for the run that is kept
	few := fwdata.TwinN("digits", 60, 1)
	q := OnData(few, 5, 30)
	// f* is certified: no run is below it, and FW comes as near as its own gap
	tr := fwopt.Run(context.Background(), fwopt.NewOracle(q.F, q.Omega, 1).From(q.W0),
		&fwopt.FW{Rule: fwopt.LineSearch{}}, fwopt.Budget{Steps: 300, DualityGap: true})
	if p := tr.Last(); p.F < q.Star-1e-9 || p.F-p.DualityGap-p.Slack > q.Star || !strings.HasPrefix(q.Name,
		few.Name+", n = 60, τ = 5") {
		t.Errorf("%s: f* = %g, FW has %g with the gap %g", q.Name, q.Star, p.F, p.DualityGap)
	}
	for _, p := range ClosedForms() {
		if p.First() <= 0 || p.L <= 0 || p.D <= 0 {
			t.Errorf("%+v", p)
		}
	}
}
