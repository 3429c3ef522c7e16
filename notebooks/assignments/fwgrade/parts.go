package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/types"
	"math"
	"strconv"
	"strings"
	"time"
)

// A part of a check has points of its own. In the sheet it is a call of
//
//	func part(points float64, what string, check func())
//
// which, where FWLAB_PART is set, does nothing unless that is what. So each part
// runs by itself, with a solution's program of its own.
type part struct {
	What   string  `json:"what"` // "" for a check that has no parts
	Points float64 `json:"points"`
	Passed bool    `json:"passed"`
	Says   string  `json:"says"` // in a line, why not
}

// partsOf returns the parts of a check, whose points add up to its own. A check
// without any is one part.
func partsOf(c *cell, f *file) (parts []part, err error) {
	sum, seen := 0.0, map[string]bool{"": true}
	for n := range ast.Preorder(f.ast) {
		call, _ := n.(*ast.CallExpr)
		if call == nil || types.ExprString(call.Fun) != "part" {
			continue
		}
		var p part
		if len(call.Args) == 3 { // what is no number is 0, what is no text ""
			p.Points, _ = strconv.ParseFloat(types.ExprString(call.Args[0]), 64)
			p.What, _ = strconv.Unquote(types.ExprString(call.Args[1]))
		}
		if p.Points <= 0 || seen[p.What] {
			return nil, fmt.Errorf("%s:%d: wanted part(points, what, func() { … }), with a number above 0 "+
				"and a text that no other part of the check has", c.id, f.line(call.Pos()))
		}
		parts, sum, seen[p.What] = append(parts, p), sum+p.Points, true
	}
	if parts == nil {
		return []part{{Points: c.points}}, nil
	}
	if math.Abs(sum-c.points) > 1e-9 {
		return nil, fmt.Errorf("%s: its parts are worth %g points in all, the cell is worth %g", c.id, sum, c.points)
	}
	return parts, nil
}

// check gives a check cell its mark, part by part. An error is the machine's.
func (r *runner) check(ctx context.Context, c cell) (mark, error) {
	m := mark{ID: c.id, Passed: true, Parts: []part{}}
	var text []string
	for _, p := range c.parts {
		var report string
		var seconds float64
		var err error
		if limit := min(r.limit.part, r.limit.all-r.spent); limit > 0 {
			if p.Passed, report, seconds, err = r.run(ctx, c.id, p.What, limit); err != nil {
				return m, err
			}
			r.spent += time.Duration(seconds * float64(time.Second))
		} else {
			report = fmt.Sprintf("not run: the checks before it took the %v that all have together",
				r.limit.all)
			if r.late == nil {
				r.late = []string{fmt.Sprintf("the checks took the %v that all have together; from cell "+
					"%s on they were not run: which function has no end?", r.limit.all, c.id)}
			}
		}
		got := 0.0
		if p.Passed {
			got = p.Points
		}
		p.Says = brief(p.Passed, report)
		if p.What != "" {
			report = strings.TrimSuffix(fmt.Sprintf("%g of %g for %s\n%s", got, p.Points, p.What, report),
				"\n")
		}
		text, m.Parts = append(text, report), append(m.Parts, p)
		m.Passed, m.Points, m.Seconds = m.Passed && p.Passed, m.Points+got, m.Seconds+seconds
	}
	m.Report = strings.Join(text, "\n\n")
	return m, nil
}

// brief is a line of a report: what the check said, if it was not passed.
func brief(passed bool, report string) string {
	if passed {
		return ""
	}
	report, _, _ = strings.Cut(report, printed)
	line := []rune(strings.Join(strings.Fields(report), " "))
	if len(line) > 300 {
		line = append(line[:300], '…')
	}
	return string(line)
}
