// Package cells makes programs of a notebook's cells, as GoNB does: declarations are kept from cell to cell
// by name, and the last one of a name counts.
package cells

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A Line is a line of a cell: the number of its execution, and its place from 0; At is -1 for what no cell has.
type Line struct{ Cell, At int }

// piece is a part of a cell's code, and where its lines come from.
type piece struct {
	text  string
	lines []Line
}

type imported struct {
	piece
	path, alias string
}

// value is a variable or constant; those of a group are written together, where its first one stands.
type value struct {
	piece
	name  string
	group []*value
}

// Decls are the declarations that a notebook has so far.
type Decls struct {
	imports      map[string]*imported
	types, funcs map[string]piece
	vars, consts map[string]*value
	blanks       int // variables named _
}

func newDecls() *Decls {
	return &Decls{map[string]*imported{}, map[string]piece{}, map[string]piece{},
		map[string]*value{}, map[string]*value{}, 0}
}

// merge gives d and then e; both stay as they are.
func merge(d, e *Decls) *Decls {
	m := newDecls()
	m.blanks = e.blanks
	for _, from := range []*Decls{d, e} {
		maps.Copy(m.imports, from.imports)
		maps.Copy(m.types, from.types)
		maps.Copy(m.funcs, from.funcs)
		maps.Copy(m.consts, from.consts)
		for _, v := range from.vars { // a new name ends all that came from one call with its old one
			if old := m.vars[v.name]; old != nil && (len(v.group) == 0 || !slices.Contains(old.group, v)) {
				for _, o := range old.group {
					delete(m.vars, o.name)
				}
			}
		}
		maps.Copy(m.vars, from.vars)
	}
	return m
}

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// A Program is what a cell makes of itself and those before it.
type Program struct {
	Text    string   // one file of package main
	Lines   []Line   // where each of its lines comes from
	Args    []string // of %%, %args or %test
	Test    bool
	Notes   []string // what is said of lines that do nothing here
	Empty   bool     // there is no Go in it
	Imports []string // paths

	Commands [][]string // what "go run" is to run first: the package, and its arguments

	decls *Decls
}

// A Notebook keeps what its cells declared.
type Notebook struct {
	decls *Decls
	// Names gives the names of packages by their paths: those which there are.
	Names map[string]string
}

// New makes a notebook without cells.
func New(names map[string]string) *Notebook { return &Notebook{newDecls(), names} }

// Keep keeps what p declares: for programs that compile.
func (n *Notebook) Keep(p *Program) { n.decls = p.decls }

// Compose makes the program of a cell, whose execution has the number id.
func (n *Notebook) Compose(id int, source string) (*Program, error) {
	p := &Program{}
	lines := strings.Split(source, "\n")
	code, from, err := p.special(id, lines, n.Names)
	if err != nil || p.Empty {
		return p, err
	}
	now, main, err := parse(code, from, n.decls.blanks)
	if err != nil {
		return p, err
	}
	if p.Test && len(p.Args) == 0 {
		p.Args = now.testArgs()
	}
	p.decls = merge(n.decls, now)
	if main == nil {
		main = &piece{text: "func main() { flag.Parse() }"}
	}
	p.Text, p.Lines = p.decls.render(p.decls.imports, main)
	return p, n.imports(p, main)
}

// testArgs are a test's arguments where none are given: the tests of this cell alone.
func (d *Decls) testArgs() []string {
	args, tests := []string{"-test.v"}, []string{}
	for _, k := range keys(d.funcs) {
		switch {
		case strings.Contains(k, "~") || k == "TestMain":
		case strings.HasPrefix(k, "Benchmark"):
			args = []string{"-test.v", "-test.bench=."}
			tests = append(tests, "^"+k+"$")
		case strings.HasPrefix(k, "Test"):
			tests = append(tests, "^"+k+"$")
		}
	}
	if len(tests) > 0 {
		args = append(args, "-test.run="+strings.Join(tests, "|"))
	}
	return args
}

var (
	mainFunc = regexp.MustCompile(`(?m)^func main\(`)
	lastWord = regexp.MustCompile(`\w*$`)
)

// parse gives the declarations of a cell's code, and its main.
func parse(code string, from []Line, blanks int) (*Decls, *piece, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "main.go", code, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, nil, &Error{Text: err.Error(), Lines: from, Code: code}
	}
	text := func(n ast.Node) string {
		return code[fset.Position(n.Pos()).Offset:fset.Position(n.End()).Offset]
	}
	lines := func(n ast.Node) []Line {
		a, b := fset.Position(n.Pos()).Line, fset.Position(n.End()).Line
		return slices.Clone(from[a-1 : min(b, len(from))])
	}
	d := newDecls()
	d.blanks = blanks
	for _, s := range file.Imports {
		i := &imported{piece{lines: lines(s.Path)}, strings.Trim(s.Path.Value, "\"`"), ""}
		if s.Name != nil {
			i.alias = s.Name.Name
		}
		d.imports[importKey(i.path, i.alias)] = i
	}
	for _, decl := range file.Decls {
		switch f := decl.(type) {
		case *ast.FuncDecl:
			p := piece{text(f), lines(f)}
			if f.Doc != nil {
				var doc strings.Builder
				for _, c := range f.Doc.List {
					doc.WriteString(c.Text + "\n")
				}
				p = piece{doc.String() + p.text, append(lines(f.Doc), p.lines...)}
			}
			d.funcs[funcKey(f, text)] = p
		case *ast.GenDecl:
			var group []*value // of constants
			for _, spec := range f.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					d.types[s.Name.Name] = piece{text(s), lines(s)}
				case *ast.ValueSpec:
					group = d.values(s, f.Tok == token.VAR, group, text, lines(s))
				}
			}
			for _, v := range group {
				v.group = group
			}
		}
	}
	main, has := d.funcs["main"]
	delete(d.funcs, "main")
	if !has {
		return d, nil, nil
	}
	if f := mainFunc.FindStringIndex(main.text); f != nil { // without its comment
		n := strings.Count(main.text[:f[0]], "\n")
		main = piece{main.text[f[0]:], main.lines[min(n, len(main.lines)):]}
	}
	return d, &main, nil
}

// values takes the names of a var or const into d. Those of one call are a group, as are those of one const ( … ).
func (d *Decls) values(s *ast.ValueSpec, isVar bool, group []*value, text func(ast.Node) string,
	lines []Line) []*value {
	var these []*value
	for i, name := range s.Names {
		v := &value{name: name.Name, piece: piece{lines: lines}}
		if isVar && v.name == "_" {
			d.blanks++
			v.name = fmt.Sprintf("_~%06d", d.blanks)
		}
		if s.Type != nil {
			v.text = " " + text(s.Type)
		}
		if i < len(s.Values) {
			v.text += " = " + text(s.Values[i])
		}
		these = append(these, v)
	}
	if !isVar {
		for _, v := range these {
			d.consts[v.name] = v
		}
		return append(group, these...)
	}
	for _, v := range these {
		if len(s.Values) == 1 {
			v.group = these
		}
		d.vars[v.name] = v
	}
	return nil
}

func importKey(path, alias string) string {
	switch alias {
	case "":
		return lastWord.FindString(path)
	case ".":
		return ".~" + path
	}
	return alias
}

// funcKey is a function's name; a method's has its type before it.
func funcKey(f *ast.FuncDecl, text func(ast.Node) string) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	of := "unknown" // T[K], as GoNB has it
	switch t := f.Recv.List[0].Type.(type) {
	case *ast.Ident:
		of = t.Name
	case *ast.StarExpr:
		of = text(t.X)
	}
	return of + "~" + f.Name.Name
}

// render writes d as one file, and says where each of its lines comes from.
func (d *Decls) render(imports map[string]*imported, main *piece) (string, []Line) {
	var b strings.Builder
	var from []Line
	at := 0 // lines so far
	write := func(lines []Line, text string) {
		for len(from) < at {
			from = append(from, Line{-1, -1})
		}
		from = append(from, lines...)
		b.WriteString(text)
		at += strings.Count(text, "\n")
	}
	write(nil, "package main\n\n")
	if len(imports) > 0 {
		write(nil, "import (\n")
		for _, k := range keys(imports) {
			i := imports[k]
			write(i.lines, "\t"+strings.TrimLeft(fmt.Sprintf("%s %q\n", i.alias, i.path), " "))
		}
		write(nil, ")\n\n")
	}
	for _, k := range keys(d.types) {
		write(d.types[k].lines, "type "+d.types[k].text+"\n")
	}
	if len(d.types) > 0 {
		write(nil, "\n")
	}
	for _, k := range keys(d.consts) {
		switch c := d.consts[k]; {
		case c.group[0] != c:
		case len(c.group) == 1:
			write(c.lines, "const "+c.name+c.text+"\n\n")
		default:
			write(nil, "const (\n")
			for _, c := range c.group {
				write(c.lines, "\t"+c.name+c.text+"\n")
			}
			write(nil, ")\n\n")
		}
	}
	if len(d.vars) > 0 {
		write(nil, "var (\n")
		for _, k := range keys(d.vars) {
			v := d.vars[k]
			if len(v.group) > 0 && v.group[0] != v {
				continue
			}
			names := []string{strings.Split(v.name, "~")[0]}
			for _, o := range v.group[min(1, len(v.group)):] {
				names = append(names, strings.Split(o.name, "~")[0])
			}
			write(v.lines, "\t"+strings.Join(names, ", ")+v.text+"\n")
		}
		write(nil, ")\n\n")
	}
	for _, k := range keys(d.funcs) {
		text := d.funcs[k].text
		if strings.HasPrefix(k, "init_") {
			text = strings.Replace(text, "func "+k, "func init", 1)
		}
		write(d.funcs[k].lines, text+"\n\n")
	}
	if main != nil {
		write(nil, "\n")
		write(main.lines, main.text+"\n")
	}
	return b.String(), from
}
