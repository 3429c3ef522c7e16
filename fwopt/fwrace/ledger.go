package fwrace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A sentence says who is ahead of whom: each of Ahead of each of Behind.
type sentence struct {
	Short         string // as a column's head
	Text, Where   string
	Ahead, Behind []string // entries
	Large         bool     // it claims a wide margin: "significantly", "large", "substantially"
}

// large is what those words are taken to say: a factor.
const large = 2

// sentences are the empirical sentences of the paper, and what is asked of the STORC that
// takes η from its certified gap.
func sentences() []sentence {
	free := []string{"SFW", "SCGS", "SVRF", "STORC"}
	adaptive := entry{"STORC", adaptive}.String()
	return []sentence{
		{"SGD is last", "“for all datasets, SGD … significantly slower compared to the others”", "Section 5",
			free, []string{"SGD"}, true},
		{"SVRG is last", "“for all datasets, … SVRG … significantly slower compared to the others”",
			"Section 5", free, []string{"SVRG"}, true},
		{"STORC before SCGS", "“large improvement gained from the variance reduction technique, especially " +
			"when comparing SCGS and STORC”", "Section 5", []string{"STORC"}, []string{"SCGS"}, true},
		{"SVRF before SFW", "“as well as SFW and SVRF on the aloi dataset”", "Section 5", []string{"SVRF"},
			[]string{"SFW"}, true},
		{"SVRG before SGD", "“large improvement gained from the variance reduction technique”, for the " +
			"pair that the paper does not single out", "Section 5", []string{"SVRG"}, []string{"SGD"}, true},
		{"SFW before STORC", "“empirically the simpler algorithms SFW … tend to have consistent better " +
			"performance”", "Section 5", []string{"SFW"}, []string{"STORC"}, false},
		{"SVRF before STORC", "“empirically the simpler algorithms … SVRF tend to have consistent better " +
			"performance”", "Section 5", []string{"SVRF"}, []string{"STORC"}, false},
		{"SVRF before SCGS", "“SVRF substantially outperforms SCGS empirically”", "Section 2.2",
			[]string{"SVRF"}, []string{"SCGS"}, true},
		{"η from the gap, before STORC", "STORC with η from the certified gap is ahead of Section 5’s STORC",
			"not in the paper", []string{adaptive}, []string{"STORC"}, false},
		{"η from the gap, before SVRF", "STORC with η from the certified gap is ahead of SVRF",
			"not in the paper", []string{adaptive}, []string{"SVRF"}, false},
	}
}

// judge judges a claim at a level. What is changed stands in the place of the entry that it
// changes; "" for nothing.
//
// A is ahead of B if every run of A had come to the level before any of B had. With five
// seeds each that comes by chance once in 126 pairs of methods that are alike. It is a draw
// if the ranges overlap; neither, if most runs of both never came; open, if runs were
// stopped too early to say. A claim of several pairs holds if all do, and fails if one
// fails. One that says by much holds slightly if a median is ahead by less than twice.
func (a *Archive) judge(claim sentence, c Currency, level float64, change string) verdict {
	of := func(name string) arrivals {
		e := named(name)
		if at := a.arrivals(entry{e.method, change}, c, level); e.change == "" && len(at.hi) > 0 {
			return at
		}
		return a.arrivals(e, c, level)
	}
	var all []verdict
	var who []string
	for _, x := range claim.Ahead {
		for _, y := range claim.Behind {
			v := compare(of(x), of(y))
			if claim.Large && v.kind == holds && v.ratio < large {
				v.kind = slight
			}
			if v.kind == fails {
				who = append(who, x)
			}
			all = append(all, v)
		}
	}
	least := slices.MinFunc(all, byWorth)
	if least.kind == neither && slices.ContainsFunc(all, func(v verdict) bool { return v.kind != neither }) {
		least.kind = open // for some pairs nothing can be said
	}
	if len(all) > 1 {
		least.who = strings.Join(who, ", ")
	}
	return least
}

// byWorth puts first what says less for a claim of several pairs: that it fails is the worst; then
// that it cannot be said; a draw; and the smaller lead.
func byWorth(v, w verdict) int {
	rank := func(k kind) int { return [...]int{1, 2, 3, 0, 4, 5}[k] }
	switch {
	case v.kind != w.kind:
		return rank(v.kind) - rank(w.kind)
	case v.kind == fails:
		return cmp.Compare(w.ratio, v.ratio)
	}
	return cmp.Compare(v.ratio, w.ratio)
}

// entries returns who has run.
func (a *Archive) entries() (all []entry) {
	for _, tr := range a.Traces {
		if e := named(tr.Method); !slices.Contains(all, e) {
			all = append(all, e)
		}
	}
	return all
}

// overall sums the levels up: "holds" or "fails" where that is so at each level that says
// either, and "in part" where other levels say neither.
func (a *Archive) overall(claim sentence, c Currency, change string) string {
	count := map[kind]int{}
	for _, level := range levels {
		count[a.judge(claim, c, level, change).kind]++
	}
	yes, no := count[holds]+count[slight], count[fails]
	part := ""
	if count[draw]+count[open] > 0 {
		part = " in part"
	}
	switch {
	case yes > 0 && no > 0:
		return "holds and fails"
	case no > 0:
		return "fails" + part
	case yes > 0 && count[holds] == 0:
		return "slightly" + part
	case yes > 0:
		return "holds" + part
	case count[draw] > 0:
		return "draw"
	case count[open] > 0:
		return "open"
	}
	return "neither"
}

// Ledger is a table for fwnb.Table: each claim, the verdict at each of the levels and in all, and
// the runs that it is from. First come the paper's sentences in the paper's currency, seconds, then
// what else is asked. A doubt is one of the tuning.
func (a *Archive) Ledger() [][]string {
	head := []string{a.Data, "where", "in"}
	for _, level := range levels {
		head = append(head, number(level))
	}
	rows := [][]string{append(head, "in all", "runs")}
	for i, c := range Currencies() {
		for _, claim := range sentences() {
			row := []string{claim.Text, claim.Where, c.Name}
			if i > 0 {
				row[0], row[1] = claim.Short, "not in the paper"
			}
			for _, level := range levels {
				row = append(row, a.judge(claim, c, level, "").String())
			}
			rows = append(rows, append(row, a.overall(claim, c, ""), a.runs(claim)))
		}
	}
	return rows
}

// runs names the seeds that a claim is judged by, and the constants in doubt.
func (a *Archive) runs(claim sentence) string {
	names := slices.Concat(claim.Ahead, claim.Behind)
	n := len(a.arrivals(named(names[0]), Currencies()[0], 1).hi)
	s := fmt.Sprintf("seeds 1 to %d of each", n)
	for _, t := range a.tunings {
		if len(t.Doubts) > 0 && slices.Contains(names, t.entry.String()) {
			s += "; in doubt: " + t.name()
		}
	}
	return s
}

// Flips is a table for fwnb.Table: for each change that was run, what becomes of the verdicts on
// the paper's sentences. A red square marks where one reverses, with which, as "seconds, 0.01:
// fails → holds"; a yellow one where some are others; a white one where none is, and nothing for a
// sentence that the change does not touch. From neither to open is no change.
func (a *Archive) Flips() [][]string {
	claims := sentences()
	claims = claims[:len(claims)-2] // the paper's
	rows := [][]string{{a.Data}}
	for _, claim := range claims {
		rows[0] = append(rows[0], claim.Short)
	}
	for _, name := range append(allChanges(), adaptive) {
		var of []string
		for _, e := range a.entries() {
			if e.change == name {
				of = append(of, e.method)
			}
		}
		if of == nil {
			continue
		}
		row := []string{strings.Join(of, ", ") + ": " + name}
		for _, claim := range claims {
			row = append(row, a.flips(claim, name, of))
		}
		rows = append(rows, row)
	}
	return rows
}

// flips is a cell of Flips.
func (a *Archive) flips(claim sentence, change string, of []string) string {
	touched := func(name string) bool { return slices.Contains(of, name) }
	if !slices.ContainsFunc(slices.Concat(claim.Ahead, claim.Behind), touched) {
		return ""
	}
	square, s := "⬜", []string(nil)
	for _, c := range Currencies() {
		for _, level := range levels {
			was, is := a.judge(claim, c, level, "").kind, a.judge(claim, c, level, change).kind
			if was == is || max(was, is) < draw {
				continue
			}
			square = "🟨"
			if min(was, is) == fails && max(was, is) > fails {
				s = append(s, fmt.Sprintf("%s, %s: %v → %v", c.Name, number(level), was, is))
			}
		}
	}
	if s == nil {
		return square
	}
	return "🟥 " + strings.Join(s, "; ")
}

// Across is a table for fwnb.Table: what each claim comes to in each currency, on each of
// several races, and on all. The paper's sentences in seconds, the paper's currency, come first,
// and with them what becomes of SVRG's by another projection.
func Across(archives ...*Archive) [][]string {
	rows := [][]string{{"", "in"}}
	for _, a := range archives {
		rows[0] = append(rows[0], a.Data)
	}
	if len(archives) > 1 {
		rows[0] = append(rows[0], "on all")
	}
	add := func(claim sentence, c Currency, change string) {
		row := []string{claim.Short, c.Name}
		for _, a := range archives {
			row = append(row, a.overall(claim, c, change))
		}
		if len(archives) > 1 {
			row = append(row, together(row[2:]))
		}
		rows = append(rows, row)
	}
	for i, c := range Currencies() {
		for _, claim := range sentences() {
			add(claim, c, "")
			if claim.Short == "SVRG is last" && i == 0 {
				claim.Short += ", by an SVD"
				add(claim, c, bySVD)
			}
		}
	}
	return rows
}

// together says what several verdicts come to: "differs" only where one holds and another fails.
func together(all []string) string {
	some := func(kind string) bool {
		return slices.ContainsFunc(all, func(v string) bool { return strings.Contains(v, kind) })
	}
	yes, no := some("holds") || some("slightly"), some("fails")
	switch {
	case len(slices.Compact(slices.Clone(all))) == 1:
		return all[0]
	case yes && no:
		return "differs"
	case yes:
		return "holds in part"
	case no:
		return "fails in part"
	}
	return "open"
}

// Constants is a table for fwnb.Table: the constants that were tuned, from which grid, and
// what speaks against them.
func (a *Archive) Constants() [][]string {
	rows := [][]string{{a.Data, "best", "grid", "doubts"}}
	for _, t := range a.tunings {
		first := t.Rounds[0]
		rows = append(rows, []string{t.name(), number(t.Best), number(first[0].C) + " to " +
			number(first[len(first)-1].C), strings.Join(t.Doubts, "; ")})
	}
	return rows
}
