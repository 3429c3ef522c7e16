package fwrace

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/projection-free/fwlab/fwopt"
)

var never = math.Inf(1)

// came makes arrivals; a record is a tenth before.
func came(his ...float64) (at arrivals) {
	for _, h := range his {
		at = at.and(arrivals{sorted{0.9 * h}, sorted{h}})
	}
	return at
}

// stopped makes runs that never came, and ended there.
func stopped(los ...float64) (at arrivals) {
	for _, l := range los {
		at = at.and(arrivals{sorted{l}, sorted{never}})
	}
	return at
}

func (at arrivals) and(more arrivals) arrivals {
	return arrivals{slices.Sorted(slices.Values(append(at.lo, more.lo...))),
		slices.Sorted(slices.Values(append(at.hi, more.hi...)))}
}

// Each verdict follows from the ranges alone, and the other way round is the opposite.
func TestCompare(t *testing.T) {
	for name, c := range map[string]struct {
		a, b       arrivals
		want, back string
	}{
		"apart":             {came(1, 2, 3), came(8, 7, 9), "holds, 4×", "fails, 4×"},
		"touching ranges":   {came(1, 2, 3), came(3.2, 5, 9), "tie", "tie"},
		"a record too near": {came(3), came(3.3), "tie", "tie"},
		"not too near":      {came(2.9), came(3.3), "holds, 1.1×", "fails, 1.1×"},
		"one never, after all": {came(1, 2, 3), came(5, 6).and(stopped(4)), "holds, 3×",
			"fails, 3×"},
		"one never, cut early":   {came(1, 2, 3), came(5, 6).and(stopped(2)), "open", "open"},
		"all never, after":       {came(1, 2, 3), stopped(20, 30, 40), "holds, > 15×", "fails, > 15×"},
		"all never, cut early":   {came(1, 2, 3), stopped(2, 3, 4), "open", "open"},
		"neither":                {stopped(1, 2), stopped(3, 4), "neither", "neither"},
		"one of three came":      {came(1).and(stopped(2, 2)), stopped(3, 4, 5), "neither", "neither"},
		"diverged":               {came(1, 2), stopped(never, never), "holds", "fails"},
		"not run":                {came(1, 2), arrivals{}, "open", "open"},
		"not the median but all": {came(1, 2).and(stopped(9)), came(20, 30, 40), "open", "open"},
	} {
		if got := compare(c.a, c.b).String(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if got := compare(c.b, c.a).String(); got != c.back {
			t.Errorf("%s, the other way: %q, want %q", name, got, c.back)
		}
	}
}

// made is an archive in which f falls from 1 by 10 % a step, from f* = 0, and a step of a
// method costs so many linear optimisations; a negative number is one of a run that stays.
func made(cost map[string][]int) *Archive {
	run := func(name string, linear int) *fwopt.Trace {
		tr := &fwopt.Trace{Method: name}
		for k := range 80 {
			p := fwopt.Point{Step: k, F: math.Pow(0.9, float64(k)), DualityGap: math.NaN(),
				Calls: fwopt.Calls{Linear: k * max(linear, -linear)}}
			if linear < 0 {
				p.F = 1
			}
			tr.Points = append(tr.Points, p)
		}
		return tr
	}
	a := &Archive{N: 10, Star: 0, First: 1}
	a.Traces = append(a.Traces, run("FISTA", 1))
	for name, linear := range cost {
		for _, l := range linear {
			a.Traces = append(a.Traces, run(name, l))
		}
	}
	return a
}

func TestJudge(t *testing.T) {
	base := map[string][]int{"SFW": {10, 11}, "SCGS": {20, 21}, "SVRF": {12, 14}, "STORC": {25, 26},
		"SGD": {-1, -2}, "SVRG": {5, 5}, "STORC, adaptive": {1, 2}, "STORC, m = 1000": {2, 2}}
	a, calls := made(base), Currencies()[2]
	claims := map[string]sentence{}
	for _, c := range sentences() {
		claims[c.Short] = c
	}
	for name, c := range map[string]struct{ change, want string }{
		"SGD is last":                  {"", "open"}, // ended at 79 and 158 calls, before the others came
		"SVRG is last":                 {"", "fails: all, 5.2×"},
		"STORC before SCGS":            {"", "fails, 1.2×"},
		"SVRF before SFW":              {"", "fails, 1.3×"},
		"SFW before STORC":             {"", "holds, 2.4×"},
		"SVRF before SCGS":             {"", "slightly, 1.5×"},
		"η from the gap, before STORC": {"", "holds, 13×"},
		"SVRF before STORC":            {thousand, "fails, 7×"},
		"η from the gap, before SVRF":  {thousand, "holds, 7×"},
	} {
		if got := a.judge(claims[name], calls, 1e-2, c.change).String(); got != c.want {
			t.Errorf("%s, %q: %q, want %q", name, c.change, got, c.want)
		}
	}
	if got := a.overall(claims["SFW before STORC"], calls, ""); got != "holds" {
		t.Errorf("%q", got)
	}
	for _, c := range []struct {
		of           *Archive
		name, change string
		want         effect
		turned       string
	}{
		{a, "SVRF before STORC", thousand, turns, "calls of Ω, 0.1: holds → fails; " +
			"calls of Ω, 0.01: holds → fails; calls of Ω, 1e−3: holds → fails"},
		{a, "STORC before SCGS", bySVD, same, ""},
		{made(map[string][]int{"STORC": {-1}, "SCGS": {-1}, "STORC, m = 1000": {20}}), // neither, then open
			"STORC before SCGS", thousand, others, ""},
	} {
		e, which := c.of.effect(claims[c.name], c.change)
		if got := strings.Join(which, "; "); e != c.want || got != c.turned {
			t.Errorf("%s, %s: %v %q, want %v %q", c.name, c.change, e, got, c.want, c.turned)
		}
	}
	c := choose([]*Archive{a, made(base)})
	if !slices.Equal(c.effects[6][0], []effect{turns, turns}) || c.effects[4][0] != nil {
		t.Errorf("%+v", c)
	}
	if len(c.turned) < 2 || c.turned[1][0] != "STORC: "+thousand || len(c.turned[1]) != 4 {
		t.Errorf("%q", c.turned)
	}
	for want, all := range map[string][]string{
		"holds":         {"holds", "holds"},
		"holds in part": {"holds", "open", "slightly"},
		"fails in part": {"fails", "tie"},
		"differs":       {"holds in part", "open", "fails in part"},
		"open":          {"tie", "neither"},
	} {
		if got := together(all); got != want {
			t.Errorf("%q: %q, want %q", all, got, want)
		}
	}
	base["SFW"] = []int{100, 100}
	rows := Across(a, made(base))
	i := slices.IndexFunc(rows, func(r []string) bool {
		return r[0] == "SFW before STORC" && r[1] == "calls of Ω"
	})
	if row := rows[i]; row[2] != "holds" || row[3] != "fails" || row[4] != "differs" {
		t.Errorf("%q", row)
	}
}

// A claim of several pairs is as good as the worst of them.
func TestSeveral(t *testing.T) {
	a, calls := made(map[string][]int{"SFW": {10}, "SCGS": {20}, "SVRF": {40}, "STORC": {-1}, "SGD": {-40},
		"SVRG": {40}}), Currencies()[2]
	for want, c := range map[string]sentence{
		"holds, 2×":                 {Ahead: []string{"SFW", "SCGS"}, Behind: []string{"SVRF"}},
		"tie":                       {Ahead: []string{"SFW", "SVRG"}, Behind: []string{"SVRF"}},
		"open":                      {Ahead: []string{"SFW", "STORC"}, Behind: []string{"SGD"}}, // STORC and SGD never came
		"neither":                   {Ahead: []string{"STORC"}, Behind: []string{"SGD"}},
		"fails: SVRF, 4×":           {Ahead: []string{"SFW", "SVRF"}, Behind: []string{"SFW"}},
		"fails: SCGS, 2×":           {Ahead: []string{"SFW", "SCGS"}, Behind: []string{"SFW", "SVRF"}},
		"slightly at least, > 1.8×": {Ahead: []string{"SVRG"}, Behind: []string{"SGD"}, Large: true},
		"holds, > 7.2×":             {Ahead: []string{"SFW"}, Behind: []string{"SGD"}},
	} {
		if got := a.judge(c, calls, 1e-2, "").String(); got != want {
			t.Errorf("%v: %q, want %q", c, got, want)
		}
	}
	for i := range a.Traces { // a run that diverged has not been stopped too early
		if tr := a.Traces[i]; tr.Method == "STORC" {
			tr.Points[len(tr.Points)-1].F = math.NaN()
		}
	}
	if got := a.judge(sentence{Ahead: []string{"SVRF"}, Behind: []string{"STORC"}}, calls, 1e-2,
		"").String(); got != "holds" {
		t.Errorf("%q", got)
	}
}

// Terms of a batch larger than the data.
func TestTerms(t *testing.T) {
	for name, want := range map[string]float64{
		"SFW":               1 + 4 + 9 + 10 + 10 + 20, // n = 10, 5 steps, 2 exact gradients
		"SCGS":              1 + 8 + 10 + 10 + 10 + 20,
		"SVRF":              2*(1+2+3+4+5) + 20,
		"STORC":             5*20 + 20,
		"SGD":               5*10 + 20,
		"SVRG":              5*20 + 20,
		"STORC, adaptive":   1000 + 20,
		"SFW, drawn singly": 1000 + 20,
		"SVRG, SVD":         5*20 + 20,
	} {
		p := fwopt.Point{Step: 5, Calls: fwopt.Calls{Stochastic: 1000, Exact: 2}}
		if got := named(name).terms(10, p); got != want {
			t.Errorf("%s: %g, want %g", name, got, want)
		}
	}
}

// What is said of the counts is what the runs have counted.
func TestTermsOfRuns(t *testing.T) {
	a := raced(t)
	for _, tr := range a.Lines("SVRF", "STORC", "SGD", "SVRG", "STORC, m = 1000", "SFW, drawn singly",
		"STORC, adaptive") {
		i := slices.IndexFunc(a.Traces, func(s *fwopt.Trace) bool {
			return s.Method == tr.Method && s.Seed == tr.Seed
		})
		p, q := tr.Last().Calls, a.Traces[i].Last().Calls
		over := tr.Method == "STORC, m = 1000" // m > n = 593
		if (p.Stochastic != q.Stochastic) != over || p.Stochastic > q.Stochastic || p.Exact != q.Exact {
			t.Errorf("%s: %+v, counted %+v", tr.Method, p, q)
		}
	}
	if names := strings.Count(strings.Join(a.Reach(Currencies()[0])[1], "|"), "|"); names != len(levels) {
		t.Errorf("%d cells", names)
	}
}

func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{0.1: "0.1", 0.01: "0.01", 1e-3: "1e−3", 0.00012345: "1.2e−4",
		9.97e-5: "1e−4", 3.14: "3.1", 31.4: "31",
		31415: "31415", 314159: "3.1e5", 0: "0", never: "never"} {
		if got := number(x); got != want {
			t.Errorf("%g: %q, want %q", x, got, want)
		}
	}
}
