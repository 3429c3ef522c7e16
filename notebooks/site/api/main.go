// Command api writes the documentation of the library's packages as HTML, for build.py: a list of pages in
// JSON, read from the Go sources alone.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/printer"
	"go/scanner"
	"go/token"
	"html"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const (
	module = "github.com/projection-free/fwlab/"
	source = "https://github.com/projection-free/fwlab/blob/main/"
)

// page is what build.py makes a page of.
type page struct {
	Name     string `json:"name"` // of the package
	Dir      string `json:"dir"`
	Command  bool   `json:"command"`
	Synopsis string `json:"synopsis"`
	HTML     string `json:"html"`
}

func main() {
	pages, err := read("fwopt")
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(pages)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fwlab: the API:", err)
		os.Exit(1)
	}
}

// read documents the packages under a folder, but for internal ones.
func read(root string) ([]page, error) {
	fset, found := token.NewFileSet(), []*doc.Package(nil)
	err := filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if d.Name() == "internal" || d.Name() == "testdata" {
			return fs.SkipDir
		}
		p, err := parse(fset, filepath.ToSlash(dir))
		if none := new(build.NoGoError); errors.As(err, &none) {
			return nil
		}
		found = append(found, p)
		return err
	})
	if err != nil {
		return nil, err
	}
	all := map[string]*doc.Package{}
	for _, p := range found {
		all[path.Base(p.ImportPath)] = p
	}
	var pages []page
	for _, p := range found {
		w := writer{p: p, fset: fset, all: all}
		pages = append(pages, w.page())
	}
	return pages, nil
}

// parse reads a package and its examples.
func parse(fset *token.FileSet, dir string) (*doc.Package, error) {
	at, err := build.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range slices.Concat(at.GoFiles, at.TestGoFiles, at.XTestGoFiles) {
		f, err := parser.ParseFile(fset, dir+"/"+name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	p, err := doc.NewFromFiles(fset, files, module+dir)
	if err == nil && p.Doc == "" {
		err = fmt.Errorf("package %s has no comment", dir)
	}
	return p, err
}

// writer writes the page of a package.
type writer struct {
	strings.Builder
	p    *doc.Package
	fset *token.FileSet
	all  map[string]*doc.Package // by the names that programs call them
	own  map[string]bool         // exported names of the package
}

func (w *writer) page() page {
	p, name := w.p, path.Base(w.p.ImportPath)
	dir := strings.TrimPrefix(p.ImportPath, module)
	out := page{Name: name, Dir: dir, Command: p.Name == "main", Synopsis: p.Synopsis(p.Doc)}
	w.own = map[string]bool{}
	for _, f := range p.Funcs {
		w.own[f.Name] = true
	}
	for _, t := range p.Types {
		w.own[t.Name] = true
		for _, f := range t.Funcs {
			w.own[f.Name] = true
		}
	}
	fmt.Fprintf(w, "<h1>%s</h1>\n", name)
	if out.Command {
		fmt.Fprintf(w, "<p><code>go run ./%s</code></p>\n", dir)
		w.text(p.Doc)
		out.HTML = w.String()
		return out
	}
	fmt.Fprintf(w, "<p><code>import \"%s\"</code></p>\n", p.ImportPath)
	w.text(p.Doc)
	w.examples(p.Examples)
	w.values(p.Consts, 2)
	w.values(p.Vars, 2)
	w.funcs(p.Funcs, 2)
	for _, t := range p.Types {
		w.declared(2, "type", t.Name, t.Name, t.Decl, t.Doc)
		w.examples(t.Examples)
		w.values(t.Consts, 3)
		w.values(t.Vars, 3)
		w.funcs(t.Funcs, 3)
		w.funcs(t.Methods, 3)
	}
	out.HTML = w.String()
	return out
}

func (w *writer) values(values []*doc.Value, level int) {
	for _, v := range values {
		names := slices.DeleteFunc(slices.Clone(v.Names), func(n string) bool { return !token.IsExported(n) })
		if len(names) == 0 {
			continue
		}
		for _, n := range names[1:] { // each can be linked to
			fmt.Fprintf(w, "<span id=\"%s\"></span>", n)
		}
		shown := names[0]
		if len(names) > 1 {
			shown += ", …"
		}
		w.declared(level, v.Decl.Tok.String(), names[0], shown, v.Decl, v.Doc)
	}
}

func (w *writer) funcs(funcs []*doc.Func, level int) {
	for _, f := range funcs {
		id, shown := f.Name, f.Name
		if f.Recv != "" {
			id = strings.Trim(f.Recv, "*") + "." + f.Name
			if i := strings.IndexByte(id, '['); i > 0 { // of a generic type
				id = id[:i] + "." + f.Name
			}
			shown = id
		}
		w.declared(level, "func", id, shown, f.Decl, f.Doc)
		w.examples(f.Examples)
	}
}

// declared writes a heading with an anchor and a link to the line, the declaration, and its comment.
func (w *writer) declared(level int, kind, id, shown string, decl ast.Decl, text string) {
	at := w.fset.Position(decl.Pos())
	fmt.Fprintf(w, "<h%d id=\"%s\"><small>%s</small> %s <a class=\"source\" href=\"%s%s#L%d\">source</a></h%d>\n",
		level, id, kind, shown, source, filepath.ToSlash(at.Filename), at.Line, level)
	var b strings.Builder
	if err := format.Node(&b, w.fset, decl); err != nil {
		panic(err) // it was parsed
	}
	w.code(b.String(), id, kind == "type")
	w.text(text)
}

// text writes a doc comment.
func (w *writer) text(text string) {
	p := w.p.Printer()
	p.HeadingLevel = 4
	p.DocLinkURL = func(l *comment.DocLink) string {
		name := strings.TrimPrefix(l.Recv+"."+l.Name, ".")
		if l.ImportPath == "" {
			return "#" + name
		}
		if of := w.all[path.Base(l.ImportPath)]; of != nil && of.ImportPath == l.ImportPath {
			return strings.TrimSuffix(address(path.Base(l.ImportPath))+"#"+name, "#")
		}
		return l.DefaultURL("https://pkg.go.dev")
	}
	w.Write(p.HTML(w.p.Parser().Parse(text)))
}

func address(name string) string { return "api-" + name + ".html" }

func (w *writer) examples(examples []*doc.Example) {
	for _, e := range examples {
		var b strings.Builder
		node := &printer.CommentedNode{Node: e.Code, Comments: e.Comments}
		if err := format.Node(&b, w.fset, node); err != nil {
			panic(err) // it was parsed
		}
		code := strings.TrimSpace(b.String())
		if inside, ok := strings.CutPrefix(code, "{\n"); ok { // the body of a function
			code = strings.ReplaceAll(strings.TrimSuffix("\n"+inside, "\n}"), "\n\t", "\n")
		}
		for _, mark := range []string{"\n// Output:", "\n// Unordered output:"} {
			code, _, _ = strings.Cut(code, mark)
		}
		title := "Example"
		if e.Suffix != "" {
			title += ": " + strings.ReplaceAll(e.Suffix, "_", " ")
		}
		fmt.Fprintf(w, "<details class=\"example\"><summary>%s</summary>\n", title)
		w.text(e.Doc)
		w.code(strings.TrimSpace(code), "", false)
		if e.Output != "" {
			fmt.Fprintf(w, "<pre>%s</pre>\n", html.EscapeString(e.Output))
		}
		w.WriteString("</details>\n")
	}
}

// code writes the Go that declares a name, or an example, with names linked to where they are declared, and with
// anchors at the fields or methods of a type.
func (w *writer) code(code, of string, isType bool) {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(code))
	s.Init(file, []byte(code), nil, scanner.ScanComments)
	own := of[strings.LastIndexByte(of, '.')+1:]
	w.WriteString("<div class=\"highlight\"><pre>")
	last, depth := 0, 0              // the rest begins here; in so many braces
	field := isType                  // a field may be named here
	before, pkg := token.ILLEGAL, "" // the token before, and the package of ours before a point
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.SEMICOLON && lit == "\n" {
			field, before = isType, tok
			continue
		}
		from := file.Offset(pos)
		if lit == "" {
			lit = tok.String()
		}
		w.WriteString(html.EscapeString(code[last:from]))
		last = from + len(lit)
		shown := html.EscapeString(lit)
		switch {
		case tok == token.COMMENT:
			fmt.Fprintf(w, "<span class=\"c\">%s</span>", shown)
			continue
		case tok.IsKeyword():
			shown = "<span class=\"k\">" + shown + "</span>"
		case tok == token.STRING || tok == token.CHAR:
			shown = "<span class=\"s\">" + shown + "</span>"
		case tok == token.INT || tok == token.FLOAT:
			shown = "<span class=\"m\">" + shown + "</span>"
		case tok == token.LBRACE:
			depth++
		case tok == token.RBRACE:
			depth--
		case tok != token.IDENT:
		case field && depth == 1 && token.IsExported(lit):
			shown = fmt.Sprintf("<span id=\"%s.%s\">%s</span>", of, lit, shown)
		case before == token.PERIOD && pkg != "" && token.IsExported(lit):
			shown = fmt.Sprintf("<a class=\"declared\" href=\"%s#%s\">%s</a>", address(pkg), lit, shown)
		case before != token.PERIOD && lit != own && w.own[lit]:
			shown = fmt.Sprintf("<a class=\"declared\" href=\"#%s\">%s</a>", lit, shown)
		}
		w.WriteString(shown)
		switch {
		case tok == token.IDENT && before != token.PERIOD && w.all[lit] != nil && w.all[lit].Name != "main":
			pkg = lit
		case tok != token.PERIOD:
			pkg = ""
		}
		list := tok == token.COMMA || tok == token.IDENT && strings.HasPrefix(code[last:], ",")
		field = isType && (tok == token.LBRACE || field && list)
		before = tok
	}
	w.WriteString(html.EscapeString(code[last:]))
	w.WriteString("</pre></div>\n")
}
