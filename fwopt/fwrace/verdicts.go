package fwrace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"
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
// seeds each that comes by chance once in 126 pairs of methods that are alike. It is a tie
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
	switch {
	case len(all) > 1 && len(who) == len(all):
		least.who = "all"
	case len(all) > 1:
		least.who = strings.Join(who, ", ")
	}
	return least
}

// byWorth puts first what says less for a claim of several pairs: that it fails is the worst; then
// that it cannot be said; a tie; and the smaller lead.
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
	if count[tie]+count[open] > 0 {
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
	case count[tie] > 0:
		return "tie"
	case count[open] > 0:
		return "open"
	}
	return "neither"
}

// Verdicts is a table for fwnb.Table: each claim in a currency, and on each of several races the
// verdicts at the three levels. In seconds, the paper's currency, it quotes the paper; the last column
// lists the constants in doubt.
func Verdicts(c Currency, archives ...*Archive) [][]string {
	head := []string{"in " + c.Name}
	for _, a := range archives {
		head = append(head, a.Data)
	}
	rows := [][]string{append(head, "in doubt")}
	for _, claim := range sentences() {
		row, doubts := []string{claim.Short}, []string(nil)
		if c.Name == Currencies()[0].Name {
			row[0] = claim.Text + ", " + claim.Where
		}
		for _, a := range archives {
			var at []string
			for _, level := range levels {
				at = append(at, a.judge(claim, c, level, "").String())
			}
			row = append(row, strings.Join(at, " / "))
			for _, t := range a.doubted(claim) {
				doubts = append(doubts, t+" on "+a.Data)
			}
		}
		rows = append(rows, append(row, strings.Join(doubts, "; ")))
	}
	return rows
}

// doubted names the constants in doubt of the methods that a claim is about.
func (a *Archive) doubted(claim sentence) (names []string) {
	of := slices.Concat(claim.Ahead, claim.Behind)
	for _, t := range a.tunings {
		if len(t.Doubts) > 0 && slices.Contains(of, t.entry.String()) {
			names = append(names, t.name())
		}
	}
	return names
}

// An effect is what a change does to the verdicts on a sentence.
type effect int

const (
	same   effect = iota // to none, and from neither to open
	others               // some are others, as open in the place of holds
	turns                // one turns round, from holds to fails or back
)

// choices are what the changes that were run do.
type choices struct {
	sentences, changes []string
	effects            [][][]effect // of a sentence, a change and a race; none where the sentence is not touched
	turned             [][]string   // a table of what turns round
}

// Choices draws what each change that was run does to the verdicts: a row for each of the paper's
// sentences, a column for each change, and in it a square for each race, dark where a verdict turns
// round, light where some are others and white where none is; there is none where the change does not
// touch the sentence. The table, for fwnb.Table, lists what turns round, as "seconds, 0.01: fails →
// holds".
func Choices(archives ...*Archive) (squares *plot.Plot, turned [][]string) {
	c := choose(archives)
	return c.draw(), c.turned
}

func choose(archives []*Archive) (c choices) {
	claims := sentences()
	claims = claims[:len(claims)-2] // the paper's
	c.effects = make([][][]effect, len(claims))
	c.turned = [][]string{{"choice", "sentence"}}
	for _, a := range archives {
		c.turned[0] = append(c.turned[0], a.Data)
	}
	for _, claim := range claims {
		c.sentences = append(c.sentences, claim.Short)
	}
	for _, change := range append(allChanges(), adaptive) {
		var of []string
		for _, a := range archives {
			for _, e := range a.entries() {
				if e.change == change && !slices.Contains(of, e.method) {
					of = append(of, e.method)
				}
			}
		}
		if of == nil {
			continue
		}
		c.changes = append(c.changes, change)
		for i, claim := range claims {
			var all []effect
			row := []string{strings.Join(of, ", ") + ": " + change, claim.Short}
			touched := func(name string) bool { return slices.Contains(of, name) }
			if slices.ContainsFunc(slices.Concat(claim.Ahead, claim.Behind), touched) {
				for _, a := range archives {
					e, which := a.effect(claim, change)
					all, row = append(all, e), append(row, strings.Join(which, "; "))
				}
			}
			if c.effects[i] = append(c.effects[i], all); slices.Contains(all, turns) {
				c.turned = append(c.turned, row)
			}
		}
	}
	return c
}

// effect returns what a change does to the verdicts on a sentence, and which turn round.
func (a *Archive) effect(claim sentence, change string) (e effect, which []string) {
	for _, c := range Currencies() {
		for _, level := range levels {
			was, is := a.judge(claim, c, level, "").kind, a.judge(claim, c, level, change).kind
			if was == is || max(was, is) < tie {
				continue
			}
			e = max(e, others)
			if min(was, is) == fails && max(was, is) > fails {
				e = turns
				which = append(which, fmt.Sprintf("%s, %s: %v → %v", c.Name, number(level), was, is))
			}
		}
	}
	return e, which
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
