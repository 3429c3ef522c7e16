package fwrace

import (
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// A page's short race goes to runs/ and is drawn from there; a set that is not here has a twin.
func TestPage(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("FWLAB_BUDGET", "short")
	t.Setenv("FWLAB_DATA", t.TempDir())
	p := Page{Name: "a page", Rows: 100, Seconds: 1, Short: 0.02, Every: 1.5}
	if twin := p.Load("aloi", 1_200); !strings.Contains(twin.Name, "generated") || twin.N() > 101 {
		t.Errorf("%s of %d rows", twin.Name, twin.N())
	}
	r := p.Race(p.Load("digits", 0), "digits")
	if r.Name != "a page: digits" || r.Budget.Seconds != p.Short {
		t.Errorf("%q, %v", r.Name, r.Budget)
	}
	if all := p.Read("digits"); len(all) > 0 {
		t.Error("an archive before the race")
	}
	r.Budget, r.Grid, r.Changes = fwopt.Budget{Steps: 8, Linear: 100}, []float64{0.5, 1, 2},
		[]string{thousand}
	p.Run(r)
	all := p.Read("digits", "digits2")
	if len(all) != 1 {
		t.Fatalf("%d archives", len(all))
	}
	a := all[0]
	if a.Data != "digits, short runs" || a.Traces[1].Data != a.Data || len(a.Lines("SVRF")) != 2 ||
		Verdicts(Currencies()[0], a)[0][1] != a.Data {
		t.Error(a.Data)
	}
	if q := a.Plot(Calls, a.Lines("SGD", "SFW")...); q.X.Label.Text != Calls.Label || !(q.Y.Min > 0) {
		t.Errorf("%q from %g", q.X.Label.Text, q.Y.Min)
	}
	if calls := Calls.Of(fwopt.Point{Calls: fwopt.Calls{Linear: 2, Projections: 3}}); calls != 5 {
		t.Errorf("%g calls of Ω", calls)
	}
	if msg := small.Panics(func() {
		all[0].Name = "x"
		_ = a.Save("runs/digits.csv")
		p.Read("digits")
	}); !strings.Contains(msg, "not of a page: digits") {
		t.Errorf("%q", msg)
	}
}
