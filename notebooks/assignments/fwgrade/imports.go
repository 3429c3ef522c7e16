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
const standard = `
bufio bytes cmp container/heap container/list context errors fmt io iter log maps math math/big
math/bits math/cmplx math/rand math/rand/v2 os reflect regexp runtime slices sort strconv strings
sync sync/atomic testing text/tabwriter time unicode unicode/utf8`

const gonum = "gonum.org/v1/gonum/"

var packages = map[string]string{} // by name

func init() {
	for _, p := range strings.Fields(standard) {
		packages[baseName(p)] = p
	}
	for _, p := range strings.Fields("blas blas/blas64 floats floats/scalar lapack/lapack64 mat optimize " +
		"stat stat/distuv") {
		packages[baseName(p)] = gonum + p
	}
}

var version = regexp.MustCompile(`/v[0-9]+$`)

func baseName(p string) string { return path.Base(version.ReplaceAllString(p, "")) }

func mayImport(p string) bool {
	return packages[baseName(p)] == p || p == "math/rand" || strings.HasPrefix(p, gonum) &&
		!strings.Contains(p, "/internal")
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
			err = cellError(fmt.Sprintf("%s:%d: a solution may not use %s: only gonum and, of the "+
				"standard library, %s", f.id, f.line(pos), p, strings.Join(strings.Fields(standard), " ")))
		}
		imports[name] = p
	}
	others = append([]map[string]string{f.imports}, others...)
	for n := range ast.Preorder(f.ast) {
		s, _ := n.(*ast.SelectorExpr)
		if s == nil {
			continue
		}
		x, _ := s.X.(*ast.Ident)
		if !unresolved[x] || globals[x.Name] {
			continue
		}
		if i := slices.IndexFunc(others, func(m map[string]string) bool { return m[x.Name] != "" }); i >= 0 {
			add(x.Name, others[i][x.Name], x.Pos())
		}
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
