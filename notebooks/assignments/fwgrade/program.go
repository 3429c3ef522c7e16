package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/scanner"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// What a solution may import: of the standard library what computes and prints,
// and gonum. A name without its import gets it from here, as from goimports.
const standard = `bufio bytes cmp container/heap container/list context errors fmt io iter log maps math math/big
 math/bits math/cmplx math/rand math/rand/v2 os reflect regexp runtime slices sort strconv strings sync sync/atomic testing
 text/tabwriter time unicode unicode/utf8`

var packages = byName(standard + ` gonum.org/v1/gonum/blas gonum.org/v1/gonum/blas/blas64 gonum.org/v1/gonum/floats gonum.org/v1/gonum/floats/scalar
 gonum.org/v1/gonum/lapack/lapack64 gonum.org/v1/gonum/mat gonum.org/v1/gonum/optimize gonum.org/v1/gonum/stat
 gonum.org/v1/gonum/stat/distuv`)

const gonum = "gonum.org/v1/gonum/"

func byName(list string) map[string]string {
	m := map[string]string{}
	for _, p := range strings.Fields(list) {
		m[baseName(p)] = p
	}
	return m
}

func baseName(p string) string {
	if b := path.Base(p); !regexp.MustCompile(`^v[0-9]+$`).MatchString(b) {
		return b
	}
	return path.Base(path.Dir(p))
}

func mayImport(p string) bool {
	return packages[baseName(p)] == p || p == "math/rand" || strings.HasPrefix(p, gonum) && !strings.Contains(p, "/internal")
}

// A file is a cell as a Go file of its own, in which lines keep their numbers.
type file struct {
	id      string
	text    []byte // what the cell declares
	fset    *token.FileSet
	ast     *ast.File
	imports map[string]string // name to path, of the cell's own
}

const clause = "package main; "

func parse(id, text string) (*file, error) {
	f := &file{id: id, text: []byte(text), fset: token.NewFileSet(), imports: map[string]string{}}
	var err error
	f.ast, err = parser.ParseFile(f.fset, id, clause+text, parser.ParseComments)
	if err != nil {
		if list, ok := err.(scanner.ErrorList); ok { // columns are shifted in line 1
			var b strings.Builder
			for _, e := range list[:min(len(list), 10)] {
				fmt.Fprintf(&b, "%s:%d: %s\n", id, e.Pos.Line, e.Msg)
			}
			return nil, fmt.Errorf("%s", strings.TrimSpace(b.String()))
		}
		return nil, err
	}
	for _, c := range f.ast.Comments {
		for _, l := range c.List {
			if t := l.Text; strings.HasPrefix(t, "//go:") || strings.HasPrefix(t, "//line ") || strings.HasPrefix(t, "/*line ") || strings.HasPrefix(t, "//export ") {
				return nil, fmt.Errorf("%s:%d: a cell may not direct the compiler: %s", id, f.line(l.Pos()), strings.Fields(t)[0])
			}
		}
	}
	for _, s := range f.ast.Imports {
		p := strings.Trim(s.Path.Value, "`\"")
		name := baseName(p)
		if s.Name != nil {
			name = s.Name.Name
		}
		f.imports[name] = p
	}
	return f, nil
}

func (f *file) line(p token.Pos) int { return f.fset.PositionFor(p, false).Line }

// at is the place in f.text.
func (f *file) at(p token.Pos) int { return f.fset.PositionFor(p, false).Offset - len(clause) }

// blank overwrites a declaration but leaves its lines.
func (f *file) blank(n ast.Node) {
	t := f.text[f.at(n.Pos()):f.at(n.End())]
	for i, b := range t {
		if b != '\n' {
			t[i] = ' '
		}
	}
}

// names are the package-level names that a declaration gives; T.m for a method.
func names(d ast.Decl) (ids []*ast.Ident, keys []string) {
	add := func(key string, id *ast.Ident) {
		if id.Name != "_" {
			ids, keys = append(ids, id), append(keys, key)
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			if d.Name.Name != "init" {
				add(d.Name.Name, d.Name)
			}
			break
		}
		if len(d.Recv.List) == 1 {
			add(receiver(d.Recv.List[0].Type)+"."+d.Name.Name, d.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				add(s.Name.Name, s.Name)
			case *ast.ValueSpec:
				for _, id := range s.Names {
					add(id.Name, id)
				}
			}
		}
	}
	return ids, keys
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.ParenExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	}
	return ""
}

// prune leaves of the helpers what the other files use, also through each other.
// What others define as well is theirs.
func prune(helpers, others []*file) {
	used, defined := map[string]bool{}, map[string]bool{}
	use := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				used[id.Name] = true
			}
			return true
		})
	}
	for _, f := range others {
		use(f.ast)
		for _, d := range f.ast.Decls {
			_, keys := names(d)
			for _, k := range keys {
				defined[k] = true
			}
		}
	}
	keep := map[ast.Decl]bool{}
	for more := true; more; {
		more = false
		for _, f := range helpers {
			for _, d := range f.ast.Decls {
				_, keys := names(d)
				if !keep[d] && slices.ContainsFunc(keys, func(k string) bool {
					name, _, _ := strings.Cut(k, ".") // methods come with their type
					return used[name] && !defined[k]
				}) {
					keep[d], more = true, true
					use(d)
				}
			}
		}
	}
	for _, f := range helpers {
		f.ast.Decls = slices.DeleteFunc(f.ast.Decls, func(d ast.Decl) bool {
			if keep[d] || isImport(d) {
				return false
			}
			f.blank(d)
			return true
		})
	}
}

func isImport(d ast.Decl) bool {
	g, ok := d.(*ast.GenDecl)
	return ok && g.Tok == token.IMPORT
}

// lastCounts gives all but the last declaration of a name the name _, as cells
// replace each other's.
func lastCounts(files []*file, taken ...string) {
	seen := map[string]bool{}
	for _, name := range taken {
		seen[name] = true
	}
	for _, f := range slices.Backward(files) {
		for _, d := range slices.Backward(f.ast.Decls) {
			ids, keys := names(d)
			for i, id := range slices.Backward(ids) {
				if seen[keys[i]] {
					copy(f.text[f.at(id.Pos()):], "_"+strings.Repeat(" ", len(id.Name)-1))
				}
				seen[keys[i]] = true
			}
		}
	}
}

// render gives a file its imports: those that it uses, by its own names or the
// first of the others' that has one, as the kernel prunes and adds them.
// Globals are the program's names. A solution's imports are limited.
func (f *file) render(globals map[string]bool, others []map[string]string, limited bool) ([]byte, error) {
	unresolved := map[*ast.Ident]bool{}
	for _, id := range f.ast.Unresolved {
		unresolved[id] = true
	}
	imports := map[string]string{}
	var err error
	add := func(name, p string, pos token.Pos) {
		if limited && !mayImport(p) && err == nil {
			err = &cellError{f.id, fmt.Sprintf("%s:%d: a solution may not use %s: only gonum and, of the standard library, %s", f.id, f.line(pos), p, strings.Join(strings.Fields(standard), " "))}
		}
		imports[name] = p
	}
	for _, d := range f.ast.Decls {
		ast.Inspect(d, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, ok := s.X.(*ast.Ident)
			if !ok || !unresolved[x] || globals[x.Name] {
				return true
			}
			for _, m := range append([]map[string]string{f.imports}, others...) {
				if p, ok := m[x.Name]; ok {
					add(x.Name, p, x.Pos())
					break
				}
			}
			return true
		})
	}
	for name, p := range f.imports {
		if name == "." || name == "_" {
			add(name, p, f.ast.Pos())
		}
	}
	if err != nil {
		return nil, err
	}
	for _, d := range f.ast.Decls {
		if isImport(d) {
			f.blank(d)
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "//line %s:1\n%s", f.id, clause)
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		fmt.Fprintf(&b, "import %s %q; ", name, imports[name])
	}
	b.Write(f.text)
	return b.Bytes(), nil
}

// An asked function is one whose declaration stands in the sheet outside of
// BEGIN SOLUTION and END SOLUTION: students fill it, checks call it.
type asked struct {
	name, cell string
	line       int
	signature  string // func(dst, x []float64) int
	back       []int  // parameters that are there to be filled: w, dst and what begins like it
}

// ask reads a solution cell of the sheet: what it asks for, and what else it
// declares for all to see.
func ask(c cell) ([]asked, *file, error) {
	f, err := parse(c.id, c.decls)
	if err != nil {
		return nil, nil, err
	}
	hidden, in := map[int]bool{}, false
	for i, l := range strings.Split(c.decls, "\n") {
		if strings.Contains(l, "BEGIN SOLUTION") {
			in = true
		}
		hidden[i+1] = in
		if strings.Contains(l, "END SOLUTION") {
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
			a := asked{fn.Name.Name, c.id, f.line(d.Pos()), b.String(), nil}
			i := 0
			for _, p := range fn.Type.Params.List {
				for _, id := range p.Names {
					if id.Name == "w" || strings.HasPrefix(id.Name, "dst") {
						a.back = append(a.back, i)
					}
					i++
				}
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

// parentFiles is the program that checks: stubs, helpers, and each check a function.
func parentFiles(s *sheet) (program map[string][]byte, list []asked, err error) {
	var helpers, checks []*file
	for _, c := range s.solutions {
		a, f, err := ask(c)
		if err != nil {
			return nil, nil, err
		}
		list, helpers = append(list, a...), append(helpers, f)
	}
	for _, c := range s.helpers {
		f, err := parse(c.id, c.decls)
		if err != nil {
			return nil, nil, err
		}
		helpers = append(helpers, f)
	}
	var table strings.Builder
	for i, c := range s.checks {
		text := strings.TrimLeft(c.body, "\n")
		body := c.body[:len(c.body)-len(text)] // the lines above it
		body = strings.TrimSuffix(body, "\n") + fmt.Sprintf("func fwgradeCheck%d() {\n%s\n}\n", i, text)
		f, err := parse(c.id, body)
		if err != nil {
			return nil, nil, err
		}
		checks = append(checks, f)
		fmt.Fprintf(&table, "\t\t%q: fwgradeCheck%d,\n", c.id, i)
	}
	prune(helpers, checks)
	var main strings.Builder
	main.WriteString("package main\n\nimport fwgradeWire \"grade/wire\"\n\n")
	for _, a := range list {
		fmt.Fprintf(&main, "var %s %s\n", a.name, a.signature)
	}
	fmt.Fprintf(&main, "\nfunc main() {\n\tfwgradeWire.Check(map[string]func(){\n%s\t}, map[string]fwgradeWire.Stub{\n", &table)
	for _, a := range list {
		fmt.Fprintf(&main, "\t\t%q: {&%s, %#v},\n", a.name, a.name, a.back)
	}
	main.WriteString("\t})\n}\n")
	files := append(helpers, checks...)
	lastCounts(files)
	out, err := renderAll(files, list, false)
	if err != nil {
		return nil, nil, err
	}
	out["main.go"] = []byte(main.String())
	return out, list, nil
}

// renderAll renders the files of a program.
func renderAll(files []*file, list []asked, limited bool) (map[string][]byte, error) {
	globals := map[string]bool{}
	for _, a := range list {
		globals[a.name] = true
	}
	var imports []map[string]string
	for _, f := range files {
		imports = append(imports, f.imports)
		for _, d := range f.ast.Decls {
			_, keys := names(d)
			for _, k := range keys {
				globals[k] = true
			}
		}
	}
	imports = append(imports, packages)
	out := map[string][]byte{}
	for i, f := range files {
		text, err := f.render(globals, imports, limited)
		if err != nil {
			return nil, err
		}
		out[fmt.Sprintf("cell%d.go", i)] = text
	}
	return out, nil
}

// A cellError is a student's: the cell is left out and says why.
type cellError struct{ cell, text string }

func (e *cellError) Error() string { return e.text }

// childFiles is the solution's program. A function that is asked for but not
// there says why when it is called: its cell is bad, or missing, or has no such function.
func childFiles(s *sheet, solutions []cell, list []asked, bad map[string]string) (map[string][]byte, error) {
	var helpers, own []*file
	for _, c := range s.helpers {
		f, err := parse(c.id, c.decls)
		if err != nil {
			return nil, err
		}
		helpers = append(helpers, f)
	}
	there, defined := map[string]bool{}, map[string]bool{}
	for _, c := range solutions {
		there[c.id] = true
		if bad[c.id] != "" {
			continue
		}
		f, err := parse(c.id, c.decls)
		if err != nil {
			return nil, &cellError{c.id, err.Error()}
		}
		own = append(own, f)
		for _, d := range f.ast.Decls {
			_, keys := names(d)
			for _, k := range keys {
				defined[k] = true
			}
		}
	}
	main := strings.Builder{}
	main.WriteString("package main\n\nimport fwgradeWire \"grade/wire\"\n\nfunc main() {\n")
	stubs := "package main\n"
	for _, a := range list {
		fmt.Fprintf(&main, "\tfwgradeWire.Function(%q, %s)\n", a.name, a.name)
		if defined[a.name] {
			continue
		}
		why := bad[a.cell]
		switch {
		case why != "":
		case there[a.cell]:
			why = fmt.Sprintf("cell %s has no function %s", a.cell, a.name)
		default:
			why = fmt.Sprintf("cell %s is missing", a.cell)
		}
		stubs += fmt.Sprintf("func %s%s { panic(%q) }\n", a.name, strings.TrimPrefix(a.signature, "func"), why)
	}
	main.WriteString("\tfwgradeWire.Serve()\n}\n")
	for _, a := range list { // a wrong signature is its cell's error
		fmt.Fprintf(&main, "\n//line %s:%d\nvar _ %s = %s\n", a.cell, a.line, a.signature, a.name)
	}
	confine(helpers)
	prune(helpers, own)
	files := append(helpers, own...)
	lastCounts(files, "main")
	out, err := renderAll(files, list, true)
	if err != nil {
		return nil, err
	}
	out["main.go"], out["stubs.go"] = []byte(main.String()), []byte(stubs)
	return out, nil
}

// confine drops the helpers that stand on what a solution may not use, such as fwopt.
func confine(helpers []*file) {
	imports, gone := map[string]string{}, map[string]bool{}
	for _, f := range helpers {
		maps.Copy(imports, f.imports)
	}
	for more := true; more; {
		more = false
		for _, f := range helpers {
			f.ast.Decls = slices.DeleteFunc(f.ast.Decls, func(d ast.Decl) bool {
				if isImport(d) {
					return false
				}
				out := false
				ast.Inspect(d, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						p, ok := imports[id.Name]
						out = out || gone[id.Name] || ok && !mayImport(p)
					}
					return true
				})
				if out {
					_, keys := names(d)
					for _, k := range keys {
						gone[k] = true
					}
					f.blank(d)
					more = true
				}
				return out
			})
		}
	}
}
