package main

import (
	"context"
	"fmt"
	"go/ast"
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
	sum, seen := 0.0, map[string]bool{}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if id, ok := call.Fun.(*ast.Ident); !ok || id.Name != "part" {
			return true
		}
		p, ok := readPart(call)
		if (!ok || seen[p.What]) && err == nil {
			err = fmt.Errorf("%s:%d: wanted part(points, what, func() { … }), with a number above 0 and a text that no other part of the check has", c.id, f.line(call.Pos()))
		}
		parts, sum, seen[p.What] = append(parts, p), sum+p.Points, true
		return true
	})
	if err == nil && len(parts) > 0 && math.Abs(sum-c.points) > 1e-9 {
		err = fmt.Errorf("%s: its parts have %g points in all, the cell has %g", c.id, sum, c.points)
	}
	if len(parts) == 0 {
		parts = []part{{Points: c.points}}
	}
	return parts, err
}

func readPart(call *ast.CallExpr) (p part, ok bool) {
	if len(call.Args) != 3 {
		return p, false
	}
	points, ok1 := call.Args[0].(*ast.BasicLit)
	what, ok2 := call.Args[1].(*ast.BasicLit)
	if !ok1 || !ok2 {
		return p, false
	}
	var err1, err2 error
	p.Points, err1 = strconv.ParseFloat(points.Value, 64)
	p.What, err2 = strconv.Unquote(what.Value)
	return p, err1 == nil && err2 == nil && p.Points > 0 && p.What != ""
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
			report = fmt.Sprintf("not run: the checks before it took the %v that all have together", r.limit.all)
			if r.late == nil {
				r.late = []string{fmt.Sprintf("the checks took the %v that all have together; from cell %s on they were not run: which function has no end?", r.limit.all, c.id)}
			}
		}
		got := 0.0
		if p.Passed {
			got = p.Points
		}
		p.Says = brief(p.Passed, report)
		if p.What != "" {
			report = strings.TrimSuffix(fmt.Sprintf("%g of %g for %s\n%s", got, p.Points, p.What, report), "\n")
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
