package fwrace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/fwdata"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// digits is a race of some seconds on a third of the digits.
func digits(t *testing.T) *Race {
	t.Helper()
	set, err := fwdata.Load("digits")
	if err != nil {
		t.Fatal(err)
	}
	set, _ = set.Split(0.33, 1)
	r := New(set.UnitRows().Logistic(), 20)
	r.Budget, r.Seeds, r.Fewer, r.Accuracy = fwopt.Budget{Steps: 60, Linear: 500}, 3, 2, 1e-7
	r.Grid = Powers(-8, 8, 4)
	return r
}

var (
	once    sync.Once
	archive *Archive
)

// raced is the archive of digits, made once.
func raced(t *testing.T) *Archive {
	t.Helper()
	r := digits(t)
	once.Do(func() { archive = r.mustGo(t) })
	return archive
}

func (r *Race) mustGo(t *testing.T) *Archive {
	t.Helper()
	a, err := r.Go()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestRace(t *testing.T) {
	a := raced(t)
	count := map[string]int{}
	for _, tr := range a.Traces {
		count[tr.Method]++
		if p := tr.Last(); !(p.F >= a.Star) {
			t.Errorf("%s, seed %d: ends at %g, below f* = %g", tr.Method, tr.Seed, p.F, a.Star)
		}
		if tr.Points[0].F != a.First {
			t.Errorf("%s begins at %g, not at %g", tr.Method, tr.Points[0].F, a.First)
		}
	}
	want := map[string]int{"FISTA": 1, "SFW": 3, "SCGS": 3, "SVRF": 3, "STORC": 3, "SGD": 3, "SVRG": 3,
		"STORC, adaptive": 3,
		"SGD, SVD":        2, "SVRG, SVD": 2, "SFW, drawn singly": 2, "SCGS, drawn singly": 2,
		"STORC, m = 1000": 2, "STORC, η falling": 2, "STORC, β and η apart": 2, "STORC, k not reset": 2}
	if !reflect.DeepEqual(count, want) {
		t.Errorf("runs %v, want %v", count, want)
	}
	if a.Within > 1e-6*(a.First-a.Star) {
		t.Errorf("f* is known to %g, of %g", a.Within, a.First-a.Star)
	}
	var names []string
	best := map[string]float64{"r": 1}
	for _, tu := range a.tunings {
		names = append(names, tu.name())
		last := tu.Rounds[len(tu.Rounds)-1]
		if last[len(last)-1].C > 16*last[0].C { // of x/4, …, 4x
			t.Errorf("%s: the last round is from %g to %g", tu.name(), last[0].C, last[len(last)-1].C)
		}
		if tu.change == "" {
			best[tu.constant] = tu.Best
			continue
		}
		var tried []float64
		for _, p := range tu.Rounds[0] {
			tried = append(tried, p.C)
		}
		c := best[tu.constant] // a change is tuned around the base case, and the grid grows
		if around := []float64{c / 16, c, 16 * c}; !slices.Equal(tried, around) &&
			(tu.Best == c || !slices.Equal(tried[len(tried)-3:], around)) {
			t.Errorf("%s: tried %g about %g", tu.name(), tried, c)
		}
	}
	if want := []string{"SCGS: s", "STORC: s", "SGD: c", "SVRG: c′", "STORC, m = 1000: s",
		"STORC, η falling: s",
		"STORC, β and η apart: r", "STORC, β and η apart: s", "STORC, k not reset: s"}; !slices.Equal(names,
		want) {
		t.Errorf("tuned %q, want %q", names, want)
	}
}

// Same race, same bits, but for seconds; and an archive read back says the same.
func TestArchive(t *testing.T) {
	a := raced(t)
	path := filepath.Join(t.TempDir(), "new", "digits.csv")
	if err := a.Save(path); err != nil {
		t.Fatal(err)
	}
	b, err := Open("digits", path+".none", path)
	if err != nil || b.Path != path {
		t.Fatal(b.Path, err)
	}
	for what, of := range map[string]func(a *Archive) [][]string{
		"verdicts":  func(a *Archive) [][]string { return Verdicts(Currencies()[1], a) },
		"choices":   func(a *Archive) [][]string { _, t := Choices(a); return t },
		"constants": (*Archive).Constants,
		"facts":     func(a *Archive) [][]string { return a.Table()[2:] },
		"reach":     func(a *Archive) [][]string { return a.Reach(Currencies()[1]) },
	} {
		if x, y := of(a), of(b); !reflect.DeepEqual(x, y) {
			t.Errorf("%s: %q, read back %q", what, x, y)
		}
	}
	if a.Star != b.Star || a.Within != b.Within || a.First != b.First || a.N != b.N {
		t.Errorf("f* %g within %g, f(w0) %g of %d; read back %g, %g, %g, %d", a.Star, a.Within, a.First, a.N,
			b.Star, b.Within, b.First, b.N)
	}
	var x, y strings.Builder
	if a.write(&x) != nil || b.write(&y) != nil || x.String() != y.String() {
		t.Error("written again it is another file")
	}
	text := x.String()
	for _, cell := range strings.FieldsFunc(text[strings.Index(text, "method,"):],
		func(r rune) bool { return r == ',' || r == '\n' }) {
		if len(cell) > 19 { // rounded, so that the file is small
			t.Errorf("%q", cell)
			break
		}
	}
	for fault, c := range map[string]struct{ text, want string }{
		"edited":       {strings.Replace(text, "SVRG,", "SGD,", 1), "damaged or edited"},
		"cut":          {text[:len(text)/2], "damaged or edited"},
		"another form": {strings.Replace(text, "archive 1", "archive 2", 1), "another form"},
		"a table":      {"method,seed\n1,2\n", "not an archive"},
		"nothing":      {"", "not an archive"},
	} {
		if _, err := read([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", fault, err, c.want)
		}
	}
	bad := path + ".bad"
	if os.WriteFile(bad, []byte(text+" "), 0o666) != nil {
		t.Fatal(bad)
	}
	for want, open := range map[string][2]string{
		"the archive of digits, not of claims": {"claims", path},
		"run the race first":                   {"digits", path + ".none"},
		"in full: " + bad:                      {"digits", bad},
		"is a directory":                       {"digits", filepath.Dir(path)},
	} {
		_, err := Open(open[0], open[1])
		if !strings.Contains(fmt.Sprint(err), want) ||
			errors.Is(err, fs.ErrNotExist) != (want == "run the race first") {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := a.Save(path + "/below a file"); err == nil || !strings.HasPrefix(err.Error(), "fwrace: ") {
		t.Error(err)
	}
	old := *b
	old.Facts = slices.Clone(b.Facts)
	old.Facts[len(old.Facts)-1][1] = "0123456789abcdef"
	if rows := old.Table(); rows[len(rows)-1][0] != "not this code" || len(rows) != len(a.Table())+1 {
		t.Errorf("of other code: %q", rows)
	}
}

func TestSingleValue(t *testing.T) {
	r := digits(t)
	r.Grid, r.Changes, r.Seeds, r.Fewer, r.Budget.Steps = []float64{1}, nil, 1, 1, 3
	a := r.mustGo(t)
	for _, row := range a.Constants()[1:] {
		if !strings.Contains(row[3], "the grid has one value") {
			t.Errorf("%q", row)
		}
	}
	if row := Verdicts(Currencies()[0], a)[1]; !strings.HasPrefix(row[2], "SCGS: s on digits; STORC: s on") {
		t.Errorf("%q", row)
	}
	if c := choose([]*Archive{a}); !slices.Equal(c.changes, []string{adaptive}) || len(c.effects) != 8 {
		t.Errorf("%+v", c)
	}
}

func TestInterrupted(t *testing.T) {
	for _, at := range []int{0, 2, 4, 5, 20} {
		r := digits(t)
		r.Changes, r.Budget.Steps, r.Grid = nil, 2, []float64{0.1}
		run, n := r.Run, 0
		r.Run = func(o *fwopt.Oracle, m fwopt.Method, b fwopt.Budget) *fwopt.Trace {
			if n++; n > at {
				return &fwopt.Trace{Status: fwopt.Interrupted}
			}
			return run(o, m, b)
		}
		if a, err := r.Go(); err != errInterrupted || a != nil {
			t.Errorf("after %d runs: %v", at, err)
		}
	}
}

// What the caller could have known is a panic.
func TestPanics(t *testing.T) {
	for want, fault := range map[string]func(r *Race){
		"has a stroke":          func(r *Race) { r.Data = "a|b" },
		"0 seeds":               func(r *Race) { r.Seeds = 0 },
		"no change \"m = 999\"": func(r *Race) { r.Changes = []string{"m = 999"} },
		"without a limit":       func(r *Race) { r.Budget = fwopt.Budget{} },
		"a grid that does not":  func(r *Race) { r.Grid = []float64{1, 0.5} },
		"in steps of 0":         func(r *Race) { Powers(0, 4, 0) },
	} {
		r := digits(t)
		r.Accuracy = 0.1
		if msg := small.Panics(func() { fault(r); r.Go() }); !strings.Contains(msg, want) {
			t.Errorf("%q, want %q", msg, want)
		}
	}
}

// The races that are committed are read, each as it was written.
func TestCommittedRaces(t *testing.T) {
	t.Chdir("../../notebooks")
	if all := (Page{Name: "claims"}).Read("news20", "rcv1", "aloi", "omniglot"); len(all) != 4 {
		t.Errorf("%d archives, want 4", len(all))
	}
}
