package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"regexp"
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

var directive = regexp.MustCompile(`^(//go:|/[/*]line |//export )`)

func parse(id, text string) (*file, error) {
	f := &file{id: id, text: []byte(text), fset: token.NewFileSet(), imports: map[string]string{}}
	var err error
	if f.ast, err = parser.ParseFile(f.fset, id, clause+text, parser.ParseComments); err != nil {
		var text []string
		for _, e := range err.(scanner.ErrorList) { // columns are shifted in line 1
			text = append(text, fmt.Sprintf("%s:%d: %s", id, e.Pos.Line, e.Msg))
		}
		return nil, errors.New(strings.Join(text[:min(len(text), 10)], "\n"))
	}
	for _, c := range f.ast.Comments {
		for _, l := range c.List {
			if directive.MatchString(l.Text) {
				return nil, fmt.Errorf("%s:%d: a cell may not direct the compiler: %s", id, f.line(l.Pos()),
					strings.Fields(l.Text)[0])
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

// parseAll parses what cells declare.
func parseAll(cells []cell) (files []*file, err error) {
	for _, c := range cells {
		f, err := parse(c.id, c.decls)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
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

// A name is one that a declaration gives its package.
type name struct {
	key string // T.m for a method
	id  *ast.Ident
}

func names(d ast.Decl) (list []name) {
	add := func(key string, id *ast.Ident) {
		if id.Name != "_" {
			list = append(list, name{key, id})
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && d.Name.Name != "init" {
			add(d.Name.Name, d.Name)
		} else if d.Recv != nil && len(d.Recv.List) == 1 { // of T, *T or *T[K]
			of, _, _ := strings.Cut(strings.Trim(types.ExprString(d.Recv.List[0].Type), "(*)"), "[")
			add(of+"."+d.Name.Name, d.Name)
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
	return list
}

// declared are the keys of all names in files.
func declared(files []*file) map[string]bool {
	keys := map[string]bool{}
	for _, f := range files {
		for _, d := range f.ast.Decls {
			for _, n := range names(d) {
				keys[n.key] = true
			}
		}
	}
	return keys
}

// drop blanks the declarations that are out, but no imports, and tells whether there was one.
func drop(files []*file, out func(*file, ast.Decl) bool) (some bool) {
	for _, f := range files {
		f.ast.Decls = slices.DeleteFunc(f.ast.Decls, func(d ast.Decl) bool {
			gone := !isImport(d) && out(f, d)
			if gone {
				f.blank(d)
			}
			some = some || gone
			return gone
		})
	}
	return some
}

// prune leaves of the helpers what the other files use, also through each other.
// What others define as well is theirs.
func prune(helpers, others []*file) {
	used, defined := map[string]bool{}, declared(others)
	use := func(n ast.Node) {
		for n := range ast.Preorder(n) {
			if id, ok := n.(*ast.Ident); ok {
				used[id.Name] = true
			}
		}
	}
	for _, f := range others {
		use(f.ast)
	}
	keep := map[ast.Decl]bool{}
	for more := true; more; {
		more = false
		for _, f := range helpers {
			for _, d := range f.ast.Decls {
				if !keep[d] && slices.ContainsFunc(names(d), func(n name) bool {
					of, _, _ := strings.Cut(n.key, ".") // methods come with their type
					return used[of] && !defined[n.key]
				}) {
					keep[d], more = true, true
					use(d)
				}
			}
		}
	}
	drop(helpers, func(_ *file, d ast.Decl) bool { return !keep[d] })
}

// confine drops the helpers that stand on what a solution may not use, such as fwopt.
func confine(helpers []*file) {
	imports, gone := map[string]string{}, map[string]bool{}
	for _, f := range helpers {
		maps.Copy(imports, f.imports)
	}
	for drop(helpers, func(_ *file, d ast.Decl) bool {
		for n := range ast.Preorder(d) {
			id, _ := n.(*ast.Ident)
			if id == nil {
				continue
			}
			if p, ok := imports[id.Name]; gone[id.Name] || ok && !mayImport(p) {
				for _, n := range names(d) {
					gone[n.key] = true
				}
				return true
			}
		}
		return false
	}) {
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
			for _, n := range slices.Backward(names(d)) {
				if seen[n.key] {
					copy(f.text[f.at(n.id.Pos()):], "_"+strings.Repeat(" ", len(n.id.Name)-1))
				}
				seen[n.key] = true
			}
		}
	}
}
