package main

import (
	"bytes"
	"fmt"
	"go/ast"
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
