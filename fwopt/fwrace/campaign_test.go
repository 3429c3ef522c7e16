package fwrace

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/projection-free/fwlab/fwopt"
	"github.com/projection-free/fwlab/fwopt/internal/small"
)

// What notebooks/untuned-data promises of its problems.
func TestProblems(t *testing.T) {
	seen, twenty, tuned := map[string]bool{}, 0, 0
	for _, p := range Problems() {
		if k := p.file("").path; seen[k] {
			t.Errorf("two problems in %s", k)
		} else {
			seen[k] = true
		}
		if p.Seeds == 20 {
			twenty++
		}
		if p.Joint {
			tuned++
		}
	}
	if len(seen) < 30 || twenty != 10 || tuned != 5 {
		t.Errorf("%d problems, %d of 20 seeds, %d on which STORC is tuned in three", len(seen), twenty, tuned)
	}
}

// tiny is a problem of the campaign with few terms to spend.
func tiny(t *testing.T) (p Problem) {
	i := slices.IndexFunc(Problems(), func(p Problem) bool { return p.Name == "ℓ1 × 1, squares, n = 60" })
	p = Problems()[i]
	p.Seeds, p.Joint, p.Budget = 2, true, Spent{3000, 200, math.Inf(1)}
	t.Chdir(t.TempDir())
	return p
}

var seconds = regexp.MustCompile(`^\w+\||;[-+.e\d]+\|`) // and checksums

func without(text []byte) string {
	lines := strings.SplitAfter(string(text), "\n")
	for i := range lines {
		lines[i] = seconds.ReplaceAllString(lines[i], "|")
	}
	return strings.Join(lines, "")
}

// Wherever a campaign was killed, it ends with the same cells; and it says which line is damaged.
func TestCampaignKilled(t *testing.T) {
	p := tiny(t)
	race := func() error { return p.Race(".") }
	if err := race(); err != nil {
		t.Fatal(err)
	}
	path := p.file(".").path
	whole, _ := os.ReadFile(path)
	if err := race(); err != nil {
		t.Fatal(err)
	} else if again, _ := os.ReadFile(path); !bytes.Equal(again, whole) {
		t.Error("what was done is done again")
	}
	for _, share := range []float64{0, 0.001, 0.004, 0.1, 0.5, 0.9, 0.9999} {
		os.WriteFile(path, whole[:int(share*float64(len(whole)))], 0o666)
		if err := race(); err != nil {
			t.Fatal(err)
		}
		if again, _ := os.ReadFile(path); without(again) != without(whole) {
			t.Errorf("killed after %g of it, it ends otherwise", share)
		}
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))
	for _, i := range []int{0, 1, 2, len(lines) / 2, len(lines) - 2} {
		bad := slices.Clone(lines)
		bad[i] = bytes.Clone(bad[i])
		bad[i][len(bad[i])-2] ^= 1
		os.WriteFile(path, bytes.Join(bad, nil), 0o666)
		want := fmt.Sprintf("fwrace: %s:%d: damaged", path, i+1)
		if err := race(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("damaged in line %d: %v", i+1, err)
		}
		if _, err := Collect(".", "a.csv"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("damaged in line %d, collected: %v", i+1, err)
		}
	}
	os.WriteFile(path, bytes.Join(slices.Delete(slices.Clone(lines[:9]), 4, 5), nil), 0o666)
	if err := race(); err == nil || !strings.Contains(err.Error(), path+":5: \"cell|") {
		t.Errorf("without line 5: %v", err)
	}
	os.WriteFile(path, bytes.Join(lines[:9], nil), 0o666)
	p.Budget.Terms++
	if err := race(); err == nil || !strings.Contains(err.Error(), path+":2: cells of") {
		t.Errorf("with another budget: %v", err)
	}
	os.Remove(path)
	k := p.file(".")
	k.add("code|0")
	if err := race(); err == nil || !strings.Contains(err.Error(), path+":1: cells of") {
		t.Errorf("of another code: %v", err)
	}
}

// The archive has what the runs had, each cell as a run of its own makes it; each constant is inside of its grid.
func TestCampaign(t *testing.T) {
	p := tiny(t)
	if err := p.Race("."); err != nil {
		t.Fatal(err)
	}
	missing, err := Collect(".", "a.csv")
	if err != nil || len(missing) != len(Problems())-1 {
		t.Fatal(missing, err)
	}
	a, err := OpenCampaign("a.csv")
	if err != nil || len(a.problems) != 1 {
		t.Fatal(a, err)
	}
	r, g := a.problems[0], p.Make()
	if r.Within > 1e-5 || r.Within == 0 {
		t.Errorf("f* is known to %g of the first gap", r.Within)
	}
	for i, c := range r.cells {
		for _, m := range rivals() {
			if m.method() != c.method || i%20 > 0 {
				continue
			}
			for level, s := range g.Run(m.of(g, [2]float64{math.Exp2(float64(c.at[0])),
				math.Exp2(float64(c.at[1]))}), c.seed, p.Budget) {
				got := c.reach[level]
				if over := s.Terms > r.Terms || s.Linear > r.LMO; over && got != Never ||
					!over && (got.Terms != s.Terms || got.Linear != s.Linear) {
					t.Errorf("%v: %+v, by itself %+v", c, got, s)
				}
			}
		}
	}
	for _, m := range rivals() {
		for level := range levels {
			best, least := r.best(m, level)
			if c := r.chosen(m.group, level); c.method() != m.method() {
				if other, cost := r.best(c.rival, level); cost.compare(least) > 0 || other != c.at {
					t.Errorf("%s: %s is chosen, for %+v, where %s costs %+v", m.group, c.method(), cost, m.method(), least)
				}
			}
			for _, at := range m.around(best, m.steps(), -2, -1, 1, 2) {
				if _, ok := r.cost(m, at, level); !ok {
					t.Errorf("%s: %v is the best, and %v was not tried", m.method(), best, at)
				}
			}
		}
	}
	for _, rows := range [][][]string{a.Table(p.Name), a.Ahead(0, "STORC, adaptive", Everyone()),
		a.Wins(0, Constantless())} {
		for _, row := range rows {
			if len(row) != len(rows[0]) {
				t.Errorf("%q under %q", row, rows[0])
			}
		}
	}
	if names := a.Names("n = 60"); len(names) != 1 || len(a.Names("news20")) > 0 ||
		len(a.Profiles(0, Tuned()...)) != 3 {
		t.Errorf("%q", names)
	}
	text, _ := os.ReadFile("a.csv")
	text[len(text)-9] ^= 1
	os.WriteFile("b.csv", text, 0o666)
	for _, path := range []string{"b.csv", filepath.Join("no", "a.csv")} {
		if _, err := OpenCampaign(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if msg := small.Panics(func() { a.Table("nothing") }); !strings.Contains(msg, `no problem "nothing"`) {
		t.Errorf("%q", msg)
	}
}

// A grid grows until the best of each level is inside, in steps of 2 at last, and stops where it must.
func TestTuneGrows(t *testing.T) {
	for name, c := range map[string]struct {
		grid [2][]int
		best [2]int
	}{
		"below":             {[2][]int{{0, 4, 8}}, [2]int{-21, 0}},
		"above":             {[2][]int{{0, 4, 8}}, [2]int{30, 0}},
		"between":           {[2][]int{{0, 4, 8}}, [2]int{5, 0}},
		"of two, far off":   {[2][]int{{0, 4}, {-3, 0}}, [2]int{-17, 22}},
		"nowhere, for ever": {[2][]int{{0, 4, 8}}, [2]int{1000, 0}},
	} {
		m := rival{group: "m", grid: c.grid}
		r := &contest{}
		r.tune(m, func(at [2]int) {
			far := math.Abs(float64(at[0]-c.best[0])) + math.Abs(float64(at[1]-c.best[1]))
			for _, seed := range m.tunedOn() {
				spent := []Spent{{far, 0, 0}, {2 * far, 0, 0}, Never} // to the last level by what is left
				r.add(cell{method: "m", at: at, seed: seed, reach: spent, left: far})
			}
		})
		want := [2]int{min(c.best[0], farthest), c.best[1]}
		for level := range levels {
			if at, _ := r.best(m, level); at != want {
				t.Errorf("%s: %v is the best to level %d, want %v", name, at, level, want)
			}
		}
		for _, at := range m.around(want, m.steps(), -2, -1, 1, 2) {
			if _, ok := r.cost(m, at, 0); !ok {
				t.Errorf("%s: %v was not tried", name, at)
			}
		}
		if n := len(r.cells) / tuningSeeds; n > 60 {
			t.Errorf("%s: %d values", name, n)
		}
	}
}

// A method of half the terms and twice the seconds of another, on one problem of two.
func TestProfile(t *testing.T) {
	made := func(name string, spent map[string]Spent) *contest {
		r := &contest{Name: name, Seeds: 1}
		for _, m := range rivals() {
			for _, seed := range append(m.tunedOn(), 1) {
				s := Never
				if x, ok := spent[m.group]; ok {
					s = x
				}
				r.add(cell{method: m.method(), seed: seed, reach: slices.Repeat([]Spent{s}, len(levels))})
			}
		}
		return r
	}
	a := &Campaign{problems: []*contest{
		made("p", map[string]Spent{"STORC, adaptive": {100, 10, 2}, "SVRG": {200, 30, 1}}),
		made("q", map[string]Spent{"SVRG": {200, 10, 1}}),
	}}
	want := [][]string{{"q", "–", "SVRG 0.2 / 10 / 1 (m = 100, N = 50, c′L = 2⁰)", "–"},
		{"p", "0.1 / 10 / 2", "SVRG 0.2 / 30 / 1 (m = 100, N = 50, c′L = 2⁰)", "0.5"}}
	rows := a.Ahead(2, "STORC, adaptive", Everyone())
	for i, row := range want {
		if !slices.Equal(rows[i+1][:4], row) {
			t.Errorf("%q, want %q", rows[i+1][:4], row)
		}
	}
	if rows[2][7] != "2" {
		t.Errorf("%q: twice the seconds", rows[2])
	}
	for _, row := range a.Wins(2, Everyone()) {
		want := map[string]string{"STORC, adaptive": "1 1 1 1 1 0 1", "SVRG": "2 1 2 1 1 2 2"}[row[0]]
		if got := strings.Join(row[1:], " "); want != "" && got != want {
			t.Errorf("%s: %s, want %s", row[0], got, want)
		}
	}
	if got := a.Without("p", "r").Names(""); !slices.Equal(got, []string{"q"}) || len(a.problems) != 2 {
		t.Errorf("without p: %q of %d", got, len(a.problems))
	}
}

// The clock of a trace stands still while a point is recorded.
func TestTraceClock(t *testing.T) {
	g, now := aHalf(), time.Duration(0)
	clock := func() time.Duration { now += time.Second; return now }
	tr := g.trace(fwopt.MethodFunc(halves), 1, 1./64, Never, clock)
	for i, q := range tr.Points {
		if q.Seconds != float64(i+1) { // one tick before each record, and one in it
			t.Errorf("point %d after %g seconds", i, q.Seconds)
		}
	}
}
