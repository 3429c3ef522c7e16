package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

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
