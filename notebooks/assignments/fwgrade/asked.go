package main

import (
	"fmt"
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// An asked function is one whose declaration stands in the sheet outside of a
// solution's first and last line: students fill it, checks call it.
type asked struct {
	name, cell string
	line       int
	signature  string // func(dst, x []float64) int
	call       string // return F(dst, x)
	back       []int  // parameters that are there to be filled: w, dst and what begins like it
}

// lacks says why no cell has the function; "" if one has.
func (a asked) lacks(cells []cell, have map[string]bool) string {
	switch {
	case have[a.name]:
		return ""
	case slices.ContainsFunc(cells, func(c cell) bool { return c.id == a.cell }):
		return fmt.Sprintf("cell %s has no function %s", a.cell, a.name)
	}
	return fmt.Sprintf("cell %s, with %s, is missing (deleted, or its metadata changed)", a.cell, a.name)
}

// A pattern that is no such line itself: the image is searched for them.
var solution = regexp.MustCompile(`(?s)BEGIN\sSOLUTION.*?END\sSOLUTION[^\n]*`)

// ask reads a solution cell of the sheet: what it asks for, and what else it
// declares for all to see.
func ask(c cell) (list []asked, f *file, err error) {
	f, err = parse(c.id, solution.ReplaceAllStringFunc(c.decls, func(s string) string {
		return strings.Repeat("\n", strings.Count(s, "\n"))
	}))
	if err != nil {
		return nil, nil, err
	}
	drop([]*file{f}, func(_ *file, d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			return false
		}
		a := asked{name: fn.Name.Name, cell: c.id, line: f.line(d.Pos()),
			signature: types.ExprString(fn.Type)}
		if fn.Recv != nil || fn.Type.TypeParams != nil || !crosses(fn.Type, 1) {
			err = fmt.Errorf("%s:%d: %s cannot be called from another process: wanted a function "+
				"(no method) of bool, int, uint64, float64, string, []float64, []int, [][]float64 and, "+
				"as parameters, functions of those",
				c.id, a.line, a.name)
		}
		var args []string
		for _, p := range fn.Type.Params.List {
			for _, id := range p.Names {
				if id.Name == "w" || strings.HasPrefix(id.Name, "dst") {
					a.back = append(a.back, len(args))
				}
				args = append(args, id.Name)
			}
		}
		if a.call = fmt.Sprintf("%s(%s)", a.name, strings.Join(args, ", ")); fn.Type.Results != nil {
			a.call = "return " + a.call
		}
		list = append(list, a)
		return true
	})
	return list, f, err
}

var crossing = strings.Fields("bool int uint64 float64 string []float64 []int [][]float64")

// crosses: package wire has a way to bring these over; functions if they are not in too deep.
func crosses(t *ast.FuncType, deep int) bool {
	for _, p := range t.Params.List {
		if fn, ok := p.Type.(*ast.FuncType); ok && deep > 0 && crosses(fn, deep-1) {
			continue
		}
		if !slices.Contains(crossing, types.ExprString(p.Type)) {
			return false
		}
	}
	return t.Results == nil || !slices.ContainsFunc(t.Results.List, func(r *ast.Field) bool {
		return !slices.Contains(crossing, types.ExprString(r.Type))
	})
}
