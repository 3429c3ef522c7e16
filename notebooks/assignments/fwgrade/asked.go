package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/printer"
	"go/token"
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

// Patterns that are no such lines themselves: the image is searched for them.
var firstLine, lastLine = regexp.MustCompile(`BEGIN\sSOLUTION`), regexp.MustCompile(`END\sSOLUTION`)

// ask reads a solution cell of the sheet: what it asks for, and what else it
// declares for all to see.
func ask(c cell) ([]asked, *file, error) {
	f, err := parse(c.id, c.decls)
	if err != nil {
		return nil, nil, err
	}
	hidden, in := map[int]bool{}, false
	for i, l := range strings.Split(c.decls, "\n") {
		if firstLine.MatchString(l) {
			in = true
		}
		hidden[i+1] = in
		if lastLine.MatchString(l) {
			in = false
		}
	}
	var list []asked
	rest := f.ast.Decls[:0:0]
	for _, d := range f.ast.Decls {
		fn, ok := d.(*ast.FuncDecl)
		switch {
		case isImport(d):
			rest = append(rest, d)
			continue
		case hidden[f.line(d.Pos())]:
		case !ok:
			rest = append(rest, d)
			continue
		default:
			if fn.Recv != nil || fn.Type.TypeParams != nil || !crosses(fn.Type, true) {
				return nil, nil, fmt.Errorf("%s:%d: %s cannot be called from another process: wanted a function (no method) of bool, int, uint64, float64, string, []float64, []int, [][]float64 and, as parameters, functions of those",
					c.id, f.line(d.Pos()), fn.Name.Name)
			}
			var b bytes.Buffer
			if err := printer.Fprint(&b, f.fset, fn.Type); err != nil {
				return nil, nil, err
			}
			a := asked{name: fn.Name.Name, cell: c.id, line: f.line(d.Pos()), signature: b.String()}
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
		}
		f.blank(d)
	}
	f.ast.Decls = rest
	return list, f, nil
}

var crossing = strings.Fields("bool int uint64 float64 string []float64 []int [][]float64")

// crosses: package wire has a way to bring these over.
func crosses(t *ast.FuncType, funcs bool) bool {
	ok := func(l *ast.FieldList, funcs bool) bool {
		for i := 0; l != nil && i < len(l.List); i++ {
			if fn, is := l.List[i].Type.(*ast.FuncType); is && funcs {
				if !crosses(fn, false) {
					return false
				}
				continue
			}
			var b bytes.Buffer
			printer.Fprint(&b, token.NewFileSet(), l.List[i].Type)
			if !slices.Contains(crossing, b.String()) {
				return false
			}
		}
		return true
	}
	return ok(t.Params, funcs) && ok(t.Results, false)
}
