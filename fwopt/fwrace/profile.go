package fwrace

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/projection-free/fwlab/fwopt/fwnb"
	"github.com/projection-free/fwlab/fwopt/fwplot"
	"github.com/projection-free/fwlab/fwopt/internal/need"
	"gonum.org/v1/plot"
)

// counts are what the campaign compares: linear optimisations, and projections with them.
var counts = []struct {
	name string
	of   func(s Spent) float64
}{
	{"terms", func(s Spent) float64 { return s.Terms }},
	{"linear optimisations", func(s Spent) float64 { return s.Linear }},
	{"processor seconds", func(s Spent) float64 { return s.Seconds }},
}

// Everyone has the names of those who take part, those without constants first.
func Everyone() []string { return append(Constantless(), Tuned()...) }

// Constantless has the names of those without constants.
func Constantless() []string { return groups(false) }

// Tuned has the names of those whose constants were tuned, on each problem and for each level.
func Tuned() []string { return groups(true) }

func groups(tuned bool) (names []string) {
	for _, m := range rivals() {
		if (m.steps()[0] > 0) == tuned && !slices.Contains(names, m.group) {
			names = append(names, m.group)
		}
	}
	return names
}

// chosen is what a group spent to a level: its best rival, with the constants that are best for this level.
type chosen struct {
	rival
	at [2]int
	to Reached // at this level alone
}

// median returns the median of a count; +Inf where most runs did not get there.
func (c chosen) median(of func(s Spent) float64) float64 { return c.to.numbers(0, of).median() }

// chosen returns what a group spent to a level, by the tuning's seeds chosen, on those of the race.
func (r *contest) chosen(group string, level int) (c chosen) {
	key := fmt.Sprint(group, "|", level)
	if c, known := r.groups[key]; known {
		return c
	}
	defer func() { r.groups[key] = c }()
	least := cost{math.Inf(1), math.Inf(1)}
	for _, m := range rivals() {
		if m.group != group || m.joint && !r.Joint {
			continue
		}
		if at, now := r.best(m, level); c.of == nil || now.compare(least) < 0 {
			c, least = chosen{rival: m, at: at}, now
		}
	}
	for _, seed := range c.seeds(r.Seeds) {
		c.to = append(c.to, []Spent{r.at[cell{method: c.method(), at: c.at, seed: seed}.key()].reach[level]})
	}
	return c
}

// constant returns the rival's name and constants, as "memory 32, s = 2⁻³", or nothing.
func (c chosen) constant() string {
	var parts []string
	if c.name != "" {
		parts = append(parts, c.name)
	}
	for i, name := range c.constants {
		if name != "" {
			parts = append(parts, name+" = "+power(c.at[i]))
		}
	}
	return strings.Join(parts, ", ")
}

// power writes 2 to the e.
func power(e int) string {
	return "2" + strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵",
		"6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹").Replace(strconv.Itoa(e))
}

// String is a table's cell: thousands of terms / linear optimisations / processor seconds, the medians, or a
// dash where most runs did not get there; and constants.
func (c chosen) String() string {
	if math.IsInf(c.median(counts[0].of), 1) {
		return "–"
	}
	s := fmt.Sprintf("%s / %s / %.2g", fwnb.Short(c.median(counts[0].of)/1e3),
		fwnb.Short(c.median(counts[1].of)), c.median(counts[2].of))
	if what := c.constant(); what != "" {
		s += " (" + what + ")"
	}
	return s
}

// find returns the problem of a name.
func (a *Campaign) find(name string) *contest {
	i := slices.IndexFunc(a.problems, func(r *contest) bool { return r.Name == name })
	if i < 0 {
		panic(need.Linef("fwrace: no problem %q in the campaign", name))
	}
	return a.problems[i]
}

// Names returns the problems', and with a part those that have it.
func (a *Campaign) Names(part string) (names []string) {
	for _, r := range a.problems {
		if strings.Contains(r.Name, part) {
			names = append(names, r.Name)
		}
	}
	return names
}

// Without returns the campaign of the problems whose names have none of the parts.
func (a *Campaign) Without(parts ...string) *Campaign {
	left := &Campaign{Facts: a.Facts}
	for _, r := range a.problems {
		if !slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(r.Name, part) }) {
			left.problems = append(left.problems, r)
		}
	}
	return left
}

// Table is what each method spent on a problem to each of the levels, with its constants there, for
// fwnb.Table: thousands of terms / linear optimisations or projections / processor seconds, medians over the
// seeds, and the range of thousands of terms to the last level. A dash marks where most runs did not get there
// within the budget, which is the same for all.
func (a *Campaign) Table(name string) [][]string {
	r := a.find(name)
	rows := [][]string{{fmt.Sprintf("%s; n = %d, d = %d; at most %s / %s; f* to %s", r.Name, r.N, r.D,
		fwnb.Short(r.Terms/1e3), fwnb.Short(r.LMO), number(r.Within))}}
	for _, level := range levels {
		rows[0] = append(rows[0], number(level))
	}
	rows[0] = append(rows[0], "terms of the runs there")
	for _, group := range Everyone() {
		row := []string{group}
		for level := range levels {
			row = append(row, r.chosen(group, level).String())
		}
		x := r.chosen(group, len(levels)-1).to.numbers(0, func(s Spent) float64 { return s.Terms / 1e3 })
		spread := fmt.Sprintf("%s to %s", number(x.least()), number(x.most()))
		spread = strings.NewReplacer("never to never", "–", "never", "–").Replace(spread)
		rows = append(rows, append(row, spread))
	}
	return rows
}

// Ahead is who of the others needs the least of each count to a level, a row for each problem, for fwnb.Table:
// what the first of the names spent, and what the best of the others did, and how many times as much the first
// needs: below 1 it is ahead. Its worst losses come first.
func (a *Campaign) Ahead(level int, name string, others []string) [][]string {
	rows := [][]string{{"to " + number(levels[level]), name}}
	for _, count := range counts {
		rows[0] = append(rows[0], "fewest "+count.name, "times")
	}
	worst := map[string]float64{}
	for _, r := range a.problems {
		mine := r.chosen(name, level)
		row := []string{r.Name, mine.String()}
		for _, count := range counts {
			best := r.least(level, count.of, slices.DeleteFunc(slices.Clone(others), func(s string) bool {
				return s == name
			}))
			times := mine.median(count.of) / best.median(count.of)
			who, by := best.group, fwnb.Short(times)
			switch {
			case math.IsInf(best.median(count.of), 1):
				who, by, times = "", "", 0
			case math.IsInf(times, 1):
				by = "–"
			}
			row = append(row, strings.TrimSpace(who+" "+best.String()), by)
			worst[r.Name] = max(worst[r.Name], times)
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows[1:], func(x, y []string) int { return cmp.Compare(worst[y[0]], worst[x[0]]) })
	return rows
}

// least returns who of some spent least of a count to a level.
func (r *contest) least(level int, of func(s Spent) float64, names []string) (best chosen) {
	for _, name := range names {
		if c := r.chosen(name, level); best.of == nil || c.median(of) < best.median(of) {
			best = c
		}
	}
	return best
}

// Wins counts, for fwnb.Table: for each method on how many problems it reached a level, and on how many it
// needed least of each count, of all that are named, and at most twice that.
func (a *Campaign) Wins(level int, names []string) [][]string {
	rows := [][]string{{fmt.Sprintf("%d problems, to %s", len(a.problems), number(levels[level])), "reached"}}
	for _, count := range counts {
		rows[0] = append(rows[0], "fewest "+count.name, "at most twice")
	}
	for _, name := range names {
		row := []string{name, fmt.Sprint(within(a.ratios(name, level, counts[0].of, names), math.MaxFloat64))}
		for _, count := range counts {
			ratios := a.ratios(name, level, count.of, names)
			row = append(row, fmt.Sprint(within(ratios, 1)), fmt.Sprint(within(ratios, 2)))
		}
		rows = append(rows, row)
	}
	return rows
}

func within(ratios []float64, most float64) (n int) {
	for _, x := range ratios {
		if x <= most {
			n++
		}
	}
	return n
}

// ratios returns, problem by problem, how many times the least of all that are named one of them spent.
func (a *Campaign) ratios(name string, level int, of func(s Spent) float64, names []string) (all []float64) {
	for _, r := range a.problems {
		x := r.chosen(name, level).median(of)
		if !math.IsInf(x, 1) {
			x /= r.least(level, of, names).median(of)
		}
		all = append(all, x)
	}
	return all
}

// Profiles draws performance profiles (Dolan & Moré, Math. Program. 91, 2002), a panel for each count: on what
// share of the problems a method spends at most so many times what the best of those named does there.
func (a *Campaign) Profiles(level int, names ...string) (row []*plot.Plot) {
	for _, count := range counts {
		var lines []fwplot.Series
		for _, name := range names {
			line := fwplot.Series{Name: name}
			ratios := a.ratios(name, level, count.of, names)
			for e := 0; e <= 40; e++ { // to 2^10 = 1024
				x := math.Exp2(float64(e) / 4)
				line.X = append(line.X, x)
				line.Y = append(line.Y, float64(within(ratios, x))/float64(len(ratios)))
			}
			lines = append(lines, line)
		}
		p := fwplot.Lines(count.name, "times the least", "share of the problems", true, false, lines...)
		p.Y.Min, p.Y.Max = 0, 1
		row = append(row, p)
	}
	return row
}
